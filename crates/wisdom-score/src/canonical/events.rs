//! The events of a report: counted all, kept up to a limit.

use super::axis::Naming;
use super::meetings::{Anchor, Pair, first};
use super::places::Places;
use super::scan::{CodeHit, PhraseHit, Scan};
use super::windows::near_codes;
use super::{SUBORDINATION_REACH, TENSION_REACH};
use crate::label::Label;
use crate::ontology::Compiled;
use crate::report::{CodeMention, Component, Event, Span};

/// Events of a usual text.
const EXPECTED: usize = 32;

/// Collects events.
pub(super) struct Events<'a> {
    ontology: &'a Compiled,
    most: usize,
    places: Places<'a>,
    pub(super) kept: Vec<Event>,
    /// Whether some were counted and not kept.
    pub(super) cut: bool,
}

impl<'a> Events<'a> {
    pub(super) fn new(ontology: &'a Compiled, most: usize, places: Places<'a>) -> Self {
        Self {
            ontology,
            most,
            places,
            kept: Vec::with_capacity(EXPECTED),
            cut: false,
        }
    }

    pub(super) fn pairs(&mut self, pairs: &[Pair<'_>]) {
        for pair in pairs {
            let codes = self.mentions(&pair.codes);
            let (Some(from), Some(to)) = (codes.first(), codes.last()) else {
                continue;
            };
            let span = Span {
                start: from.span.start,
                end: to.span.end,
                scalar_start: from.span.scalar_start,
                scalar_end: to.span.scalar_end,
            };
            let name = self.ontology.axes.get(pair.axis).map(|axis| &axis.name);
            self.keep(Component::DialecticalPairDensity, name, span, codes);
        }
    }

    /// Tension events: markers near codes of two quadrants.
    pub(super) fn tensions(&mut self, scan: &Scan) -> usize {
        let markers = |i: usize| scan.paragraphs.get(i).map_or(0, |p| p.markers);
        let component = Component::TensionDensity;
        self.windows(scan, component, &scan.markers, markers, TENSION_REACH)
    }

    /// Subordination events: mediation verbs near codes of two quadrants.
    pub(super) fn subordinations(&mut self, scan: &Scan) -> usize {
        let verbs = |i: usize| scan.paragraphs.get(i).map_or(0, |p| p.verbs);
        let component = Component::SubordinatingSynthesis;
        self.windows(scan, component, &scan.verbs, verbs, SUBORDINATION_REACH)
    }

    fn windows(
        &mut self,
        scan: &Scan,
        component: Component,
        phrases: &[PhraseHit],
        end: impl Fn(usize) -> usize,
        reach: u32,
    ) -> usize {
        let ontology = self.ontology;
        let (mut found, mut from_code, mut from) = (0, 0, 0);
        for (index, paragraph) in scan.paragraphs.iter().enumerate() {
            let codes = scan
                .codes
                .get(from_code..paragraph.codes)
                .unwrap_or_default();
            let hits = phrases.get(from..end(index)).unwrap_or_default();
            (from_code, from) = (paragraph.codes, end(index));
            near_codes(ontology, hits, codes, reach, |hit, witnesses| {
                found += 1;
                if found > self.most {
                    self.cut = true;
                    return;
                }
                let codes = self.mentions(&witnesses);
                let span = self.places.span(hit.start, hit.end, hit.at);
                let term = ontology.lexicon.phrases.get(hit.phrase as usize);
                self.keep(component, term, span, codes);
            });
        }
        found
    }

    /// How many mediators are anchored; the present ones are all in `anchors`.
    pub(super) fn anchors(&mut self, anchors: &[Anchor<'_>]) -> usize {
        let mut anchored = 0;
        for anchor in anchors.iter().filter(|anchor| anchor.holds()) {
            anchored += 1;
            let mut needs: Vec<&CodeHit> = Vec::new();
            for &code in &anchor.mediator.required {
                needs.extend(first(anchor.paragraph, |hit| hit.code == code));
            }
            if anchor.mediator.and_another_cardinal {
                let codes = &self.ontology.codes;
                needs.extend(first(anchor.paragraph, |hit| {
                    let code = codes.get(usize::from(hit.code));
                    let other = !anchor.mediator.required.contains(&hit.code)
                        && hit.code != anchor.mediator.code;
                    other && code.is_some_and(|c| c.cardinal)
                }));
            }
            needs.sort_by_key(|hit| hit.at);
            let codes = self.mentions(&needs);
            let span = self.code_span(anchor.hit);
            let term = self.ontology.codes.get(usize::from(anchor.hit.code));
            let term = term.map(|c| &c.label);
            self.keep(Component::SynthesisAnchoring, term, span, codes);
        }
        anchored
    }

    pub(super) fn axis(&mut self, naming: Option<Naming<'_>>) -> bool {
        let Some(naming) = naming else { return false };
        let codes = self.mentions(&naming.poles);
        let span = self.places.span(naming.start, naming.end, naming.at);
        let poles: Vec<&str> = codes.iter().map(|c| c.code.as_str()).collect();
        let term = Label::from(poles.join("\u{2013}").as_str());
        self.keep(Component::AxisExplicit, Some(&term), span, codes);
        true
    }

    /// The relations that a code or a phrase touches, as bits.
    pub(super) fn relations(&mut self, codes: &[Option<&CodeHit>], scan: &Scan) -> u32 {
        let mut touched = 0;
        let relations = self.ontology.relations.iter();
        for (bit, ((name, code), phrase)) in relations.zip(codes).zip(&scan.relations).enumerate() {
            let (span, codes) = match (code, phrase) {
                (Some(hit), _) => (self.code_span(hit), self.mentions(&[hit])),
                (None, Some(hit)) => (self.places.span(hit.start, hit.end, hit.at), Vec::new()),
                (None, None) => continue,
            };
            touched |= 1 << bit;
            self.keep(Component::MereologicalCoverage, Some(name), span, codes);
        }
        touched
    }

    fn keep(
        &mut self,
        component: Component,
        term: Option<&Label>,
        span: Span,
        codes: Vec<CodeMention>,
    ) {
        if let Some(term) = term {
            self.kept.push(Event {
                component,
                term: term.clone(),
                span,
                codes,
            });
        }
    }

    fn code_span(&mut self, hit: &CodeHit) -> Span {
        let code = self.ontology.codes.get(usize::from(hit.code));
        let length = code.map_or(0, |c| c.length);
        self.places.span(hit.start, hit.start + length, hit.at)
    }

    fn mentions(&mut self, hits: &[&CodeHit]) -> Vec<CodeMention> {
        let ontology = self.ontology;
        let mut mentions = Vec::with_capacity(hits.len());
        for hit in hits {
            let code = ontology.codes.get(usize::from(hit.code));
            let quadrant = code.and_then(|c| ontology.quadrants.get(usize::from(c.quadrant)));
            if let (Some(code), Some(quadrant)) = (code, quadrant) {
                mentions.push(CodeMention {
                    code: code.label.clone(),
                    quadrant: quadrant.clone(),
                    span: self.code_span(hit),
                });
            }
        }
        mentions
    }
}
