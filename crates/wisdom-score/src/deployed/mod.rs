//! What the public reference implementation computes, quirks included (deployed page).

mod axis;
mod chars;
mod citations;
mod cycles;
mod factual;
mod forms;
mod implicit;
mod php;
mod subordinating;
mod tension;

use std::ops::Range;

use crate::canonical::{FEWEST_QUADRANTS, SUBORDINATIONS, TENSIONS, quadrant_counts};
use crate::error::Error;
use crate::feedback;
use crate::label::Label;
use crate::missing::{Missing, Unanchored};
use crate::number::{Spread, round_exact, share};
use crate::ontology::{Compiled, Mediator};
use crate::options::{Composite, Options};
use crate::report::{CodeMention, Component, Components, Event, Note, Report, Span};
use chars::Dialect;
use citations::{Citations, Mention};

pub(crate) use php::{score_php, score_php_bytes};

/// The JavaScript reference on a text.
pub(crate) fn score_js(
    ontology: &Compiled,
    options: &Options,
    text: &str,
) -> Result<Report, Error> {
    let read = Reading::new(ontology, text, Dialect::Js)?;
    let components = read.components(0.0);
    let weights = options.weights();
    let round = |value: f64| round_exact(value, 6);
    let harmonic = 0.5 * read.primary.coverage() + 0.5 * read.primary.normalized_unclamped();
    let mut report = read.report(options, &components, None);
    report.harmonic_score = round(harmonic);
    report.wisdom_score = round(components.weigh(&weights));
    report.components = components.map(round);
    report.entropy = round(read.primary.entropy);
    report.normalized_entropy = round(read.primary.normalized_unclamped());
    let weighed = weights.values().last().is_some_and(|w| *w > 0.0);
    if options.composite != Some(Composite::V2) && weighed {
        report.notes.push(Note::MereologyNotComputed);
    }
    Ok(report)
}

/// What both references read.
struct Reading<'t> {
    ontology: &'t Compiled,
    text: &'t str,
    cited: Citations,
    /// Distinct codes by primary quadrant.
    primary: Spread,
    /// Indices of the axes that are paired.
    paired: Vec<usize>,
    anchors: Vec<Anchor<'t>>,
    tensions: Vec<Event>,
    axis: bool,
    hits: Vec<subordinating::Hit>,
}

/// A mediator that is present, and what the paragraph where it lacks least lacks.
struct Anchor<'t> {
    mediator: &'t Mediator,
    lacks: Vec<u16>,
    lacks_another: bool,
}

impl Anchor<'_> {
    fn shortfall(&self) -> usize {
        self.lacks.len() + usize::from(self.lacks_another)
    }
}

impl<'t> Reading<'t> {
    fn new(ontology: &'t Compiled, text: &'t str, dialect: Dialect) -> Result<Self, Error> {
        let cited = Citations::read(ontology, text, dialect);
        let tensions = tension_events(ontology, text, &cited, dialect)?;
        let mut counts = vec![0.0; ontology.quadrants.len()];
        for code in &cited.codes {
            let quadrant = ontology.codes.get(usize::from(*code)).map(|c| c.quadrant);
            if let Some(count) = quadrant.and_then(|q| counts.get_mut(usize::from(q))) {
                *count += 1.0;
            }
        }
        let mut read = Self {
            ontology,
            text,
            cited,
            primary: Spread::new(counts),
            paired: Vec::new(),
            anchors: Vec::new(),
            tensions,
            axis: axis::names_axis(text, dialect),
            hits: subordinating::hits(text, dialect),
        };
        read.paragraphs();
        Ok(read)
    }

    /// What is left where every Unicode pattern fails.
    fn without_patterns(ontology: &'t Compiled, cited: Citations, axis: bool) -> Self {
        Self {
            ontology,
            text: "",
            cited,
            primary: Spread::new(vec![0.0; ontology.quadrants.len()]),
            paired: Vec::new(),
            anchors: Vec::new(),
            tensions: Vec::new(),
            axis,
            hits: Vec::new(),
        }
    }

    /// Pairs and anchors, paragraph by paragraph. Any code of a quadrant makes a pair.
    fn paragraphs(&mut self) {
        let mut paired = vec![false; self.ontology.axes.len()];
        let mut best: Vec<Option<Anchor<'t>>> = Vec::new();
        best.resize_with(self.ontology.mediators.len(), || None);
        let same = |a: &Mention, b: &Mention| a.paragraph == b.paragraph;
        let mut here = vec![false; self.ontology.codes.len()];
        for mentions in self.cited.mentions.chunk_by(same) {
            let quadrants = self.mark(mentions, &mut here, true);
            for (axis, paired) in self.ontology.axes.iter().zip(&mut paired) {
                *paired |= axis.poles.iter().all(|pole| quadrants & (1 << pole) != 0);
            }
            for (mediator, best) in self.ontology.mediators.iter().zip(&mut best) {
                if let Some(anchor) = anchor(self.ontology, mediator, mentions, &here)
                    && best
                        .as_ref()
                        .is_none_or(|b| anchor.shortfall() < b.shortfall())
                {
                    *best = Some(anchor);
                }
            }
            self.mark(mentions, &mut here, false);
        }
        let axes = paired.iter().enumerate().filter(|(_, paired)| **paired);
        self.paired = axes.map(|(index, _)| index).collect();
        self.anchors = best.into_iter().flatten().collect();
    }

    /// Marks the codes of a paragraph, and gives its quadrants as bits.
    fn mark(&self, mentions: &[Mention], here: &mut [bool], present: bool) -> u32 {
        let mut quadrants = 0;
        for mention in mentions {
            if let Some(slot) = here.get_mut(usize::from(mention.code)) {
                *slot = present;
            }
            let code = self.ontology.codes.get(usize::from(mention.code));
            quadrants |= code.map_or(0, |c| 1 << c.quadrant);
        }
        quadrants
    }

    /// The components, unrounded.
    fn components(&self, mereological_coverage: f64) -> Components {
        let anchored = self.anchors.iter().filter(|a| a.shortfall() == 0).count();
        Components {
            coverage: self.primary.coverage(),
            entropy_normalized: self.primary.normalized_unclamped(),
            dialectical_pair_density: share(self.paired.len(), self.ontology.axes.len()),
            tension_density: share(self.tensions.len().min(TENSIONS), TENSIONS),
            synthesis_anchoring: share(anchored, self.anchors.len()),
            axis_explicit: f64::from(u8::from(self.axis)),
            subordinating_synthesis: share(self.hits.len().min(SUBORDINATIONS), SUBORDINATIONS),
            mereological_coverage,
        }
    }

    /// The parts of a report that both references share; numbers are the caller's.
    fn report(&self, options: &Options, components: &Components, relations: Option<u32>) -> Report {
        let missing = self.missing(components, relations);
        let mut events = self.tensions.clone();
        events.extend(self.hit_events());
        let cut = self.tensions.len().max(self.hits.len()) > options.max_events;
        cut_events(&mut events, options.max_events);
        Report {
            semantics: options.semantics,
            weights: options.weights(),
            harmonic_score: 0.0,
            wisdom_score: 0.0,
            components: *components,
            words: self.cited.words,
            mentions: self.cited.mentions.len(),
            codes: self
                .cited
                .codes
                .iter()
                .filter_map(|code| self.label(*code))
                .collect(),
            n_quadrants: self.primary.touched,
            quadrant_counts: quadrant_counts(&self.ontology.quadrants, &self.primary),
            entropy: 0.0,
            normalized_entropy: 0.0,
            tension_events: self.tensions.len(),
            subordination_events: self.hits.len(),
            needs_reprompt: self.primary.touched < FEWEST_QUADRANTS,
            extras: crate::report::Extras::default(),
            events,
            feedback: feedback::sentences(&missing, options.feedback),
            missing,
            notes: notes(&self.cited, cut),
        }
    }

    fn hit_events(&self) -> Vec<Event> {
        let mut scalars = Scalars::new(self.text);
        let hits = self.hits.iter();
        hits.map(|hit| Event {
            component: Component::SubordinatingSynthesis,
            term: self.text.get(hit.start..hit.end).unwrap_or_default().into(),
            span: scalars.span(hit.start..hit.end),
            codes: Vec::new(),
        })
        .collect()
    }

    fn missing(&self, components: &Components, relations: Option<u32>) -> Vec<Missing> {
        use crate::canonical::shortfalls as lacks;
        let names = &self.ontology.quadrants;
        let unpaired = (0..self.ontology.axes.len()).filter(|axis| !self.paired.contains(axis));
        [
            lacks::quadrants(names, &self.primary),
            lacks::evenness(names, &self.primary),
            lacks::axes(self.ontology, unpaired),
            lacks::tension(self.tensions.len()),
            self.unanchored(),
            (components.axis_explicit < 1.0).then_some(Missing::Axis),
            lacks::subordination(self.hits.len()),
            relations.and_then(|bits| lacks::untouched(&self.ontology.relations, bits)),
        ]
        .into_iter()
        .flatten()
        .collect()
    }

    fn unanchored(&self) -> Option<Missing> {
        if self.anchors.is_empty() {
            return Some(Missing::Mediators);
        }
        let loose = self.anchors.iter().filter(|a| a.shortfall() > 0);
        let unanchored = |anchor: &Anchor<'_>| {
            let lacks = anchor.lacks.iter().filter_map(|code| self.label(*code));
            Some(Unanchored {
                mediator: self.label(anchor.mediator.code)?,
                lacks: lacks.collect(),
                lacks_another: anchor.lacks_another,
            })
        };
        let mediators: Vec<Unanchored> = loose.filter_map(unanchored).collect();
        (!mediators.is_empty()).then_some(Missing::Anchors { mediators })
    }

    fn label(&self, code: u16) -> Option<Label> {
        self.ontology
            .codes
            .get(usize::from(code))
            .map(|c| c.label.clone())
    }
}

/// How a mediator fares in a paragraph that cites it. `another` is any further code there.
fn anchor<'t>(
    ontology: &Compiled,
    mediator: &'t Mediator,
    mentions: &[Mention],
    here: &[bool],
) -> Option<Anchor<'t>> {
    let cited = |code: u16| here.get(usize::from(code)).copied().unwrap_or(false);
    if !cited(mediator.code) || ontology.codes.is_empty() {
        return None;
    }
    let other = |m: &Mention| m.code != mediator.code && !mediator.required.contains(&m.code);
    Some(Anchor {
        mediator,
        lacks: mediator
            .required
            .iter()
            .copied()
            .filter(|code| !cited(*code))
            .collect(),
        lacks_another: mediator.and_another_cardinal && !mentions.iter().any(other),
    })
}

fn tension_events(
    ontology: &Compiled,
    text: &str,
    cited: &Citations,
    dialect: Dialect,
) -> Result<Vec<Event>, Error> {
    let mut scalars = Scalars::new(text);
    let found = tension::tensions(ontology, text, cited, dialect)?;
    let mention = |scalars: &mut Scalars<'_>, mention: &Mention| {
        let code = ontology.codes.get(usize::from(mention.code))?;
        let quadrant = ontology.quadrants.get(usize::from(code.quadrant))?;
        Some(CodeMention {
            code: code.label.clone(),
            quadrant: quadrant.clone(),
            span: scalars.span(mention.byte..mention.byte + code.label.len()),
        })
    };
    let event = |tension: tension::Tension<'_>| {
        let end = tension::marker_end(text, tension.byte, tension.marker);
        Event {
            component: Component::TensionDensity,
            term: tension.marker.into(),
            span: scalars.span(tension.byte..end),
            codes: tension
                .codes
                .iter()
                .filter_map(|m| mention(&mut scalars, m))
                .collect(),
        }
    };
    Ok(found.into_iter().map(event).collect())
}

fn cut_events(events: &mut Vec<Event>, most: usize) {
    let mut kept = [0_usize; Component::ALL.len()];
    events.retain(|event| {
        let count = kept.get_mut(event.component as usize);
        count.is_none_or(|count| {
            *count += 1;
            *count <= most
        })
    });
}

fn notes(cited: &Citations, cut: bool) -> Vec<Note> {
    let checks = [
        (cited.words == 0, Note::NoWords),
        (cited.codes.is_empty(), Note::NoCodes),
        (cut, Note::EventsCut),
    ];
    let holds = checks.into_iter().filter(|(holds, _)| *holds);
    holds.map(|(_, note)| note).collect()
}

/// Numbers bytes in scalar values; asked in about the order of the text.
struct Scalars<'t> {
    text: &'t str,
    byte: usize,
    scalar: usize,
}

impl<'t> Scalars<'t> {
    fn new(text: &'t str) -> Self {
        Self {
            text,
            byte: 0,
            scalar: 0,
        }
    }

    fn span(&mut self, bytes: Range<usize>) -> Span {
        let count = |from: usize, to: usize| {
            let between = self.text.get(from..to).unwrap_or_default();
            between.chars().count()
        };
        self.scalar = if bytes.start >= self.byte {
            self.scalar + count(self.byte, bytes.start)
        } else {
            self.scalar - count(bytes.start, self.byte)
        };
        self.byte = bytes.start;
        Span {
            start: bytes.start,
            end: bytes.end,
            scalar_start: self.scalar,
            scalar_end: self.scalar + count(bytes.start, bytes.end),
        }
    }
}
