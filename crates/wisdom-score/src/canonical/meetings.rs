//! What stands together in a paragraph: poles, mediators with what they need, relations.

use super::scan::{CodeHit, Scan};
use crate::ontology::{Compiled, Mediator};

/// The distinct codes of a text.
pub(super) struct Cited {
    /// In the order of first mention.
    pub(super) codes: Vec<u16>,
    seen: Vec<bool>,
}

impl Cited {
    pub(super) fn read(ontology: &Compiled, scan: &Scan) -> Self {
        let mut cited = Self {
            codes: Vec::new(),
            seen: vec![false; ontology.codes.len()],
        };
        for hit in &scan.codes {
            if let Some(seen) = cited.seen.get_mut(usize::from(hit.code))
                && !std::mem::replace(seen, true)
            {
                cited.codes.push(hit.code);
            }
        }
        cited
    }

    pub(super) fn has(&self, code: u16) -> bool {
        self.seen.get(usize::from(code)).copied().unwrap_or(false)
    }
}

/// An axis whose poles meet: its index and the first code of each pole there.
pub(super) struct Pair<'s> {
    pub(super) axis: usize,
    pub(super) codes: [&'s CodeHit; 2],
}

/// How a mediator that is present fares.
pub(super) struct Anchor<'s> {
    pub(super) mediator: &'s Mediator,
    /// The mediator where it stands best, and what its paragraph holds.
    pub(super) hit: &'s CodeHit,
    pub(super) paragraph: &'s [CodeHit],
    /// The anchor bits that it lacks there.
    pub(super) lacks: u128,
    pub(super) lacks_another: bool,
}

impl Anchor<'_> {
    pub(super) fn holds(&self) -> bool {
        self.lacks == 0 && !self.lacks_another
    }

    fn shortfall(&self) -> u32 {
        self.lacks.count_ones() + u32::from(self.lacks_another)
    }
}

/// What meets, over all paragraphs.
pub(super) struct Meetings<'s> {
    pub(super) pairs: Vec<Pair<'s>>,
    /// The mediators that are present, in the ontology's order.
    pub(super) mediators: Vec<Anchor<'s>>,
    /// The first code of each relation.
    pub(super) relations: Vec<Option<&'s CodeHit>>,
}

impl<'s> Meetings<'s> {
    /// Codes that are only listed count for nothing here.
    pub(super) fn read(ontology: &'s Compiled, scan: &'s Scan) -> Self {
        let mut best: Vec<Option<Anchor<'s>>> = Vec::new();
        best.resize_with(ontology.mediators.len(), || None);
        let mut met = Self {
            pairs: Vec::new(),
            mediators: Vec::new(),
            relations: vec![None; ontology.relations.len()],
        };
        let mut from = 0;
        for paragraph in &scan.paragraphs {
            let codes = scan.codes.get(from..paragraph.codes).unwrap_or_default();
            from = paragraph.codes;
            let sets = Sets::of(ontology, codes);
            met.pair(ontology, codes, sets.quadrants);
            met.touch(ontology, codes, sets.relations);
            anchor(ontology, codes, sets.anchors, &mut best);
        }
        met.pairs.sort_by_key(|pair| pair.axis);
        met.mediators = best.into_iter().flatten().collect();
        met
    }

    fn pair(&mut self, ontology: &Compiled, codes: &'s [CodeHit], quadrants: u32) {
        for (index, axis) in ontology.axes.iter().enumerate() {
            let [a, b] = axis.poles;
            let meets = quadrants & (1 << a) != 0 && quadrants & (1 << b) != 0;
            if !meets || self.pairs.iter().any(|pair| pair.axis == index) {
                continue;
            }
            let of = |pole| first(codes, |hit| quadrant(ontology, hit) == Some(pole));
            if let (Some(one), Some(other)) = (of(a), of(b)) {
                let codes = if one.at < other.at {
                    [one, other]
                } else {
                    [other, one]
                };
                self.pairs.push(Pair { axis: index, codes });
            }
        }
    }

    fn touch(&mut self, ontology: &Compiled, codes: &'s [CodeHit], relations: u32) {
        for (bit, touched) in self.relations.iter_mut().enumerate() {
            if touched.is_none() && relations & (1 << bit) != 0 {
                let touches = |hit: &CodeHit| {
                    let code = ontology.codes.get(usize::from(hit.code));
                    code.is_some_and(|c| c.relations & (1 << bit) != 0)
                };
                *touched = first(codes, touches);
            }
        }
    }
}

/// What the codes of a paragraph add up to.
#[derive(Default)]
struct Sets {
    quadrants: u32,
    relations: u32,
    anchors: u128,
}

impl Sets {
    fn of(ontology: &Compiled, codes: &[CodeHit]) -> Self {
        let mut sets = Self::default();
        for hit in codes.iter().filter(|hit| !hit.listed) {
            if let Some(code) = ontology.codes.get(usize::from(hit.code)) {
                sets.quadrants |= 1 << code.quadrant;
                sets.relations |= code.relations;
                sets.anchors |= code.anchor;
            }
        }
        sets
    }
}

/// Keeps, for each mediator of a paragraph, the place where it lacks least.
fn anchor<'s>(
    ontology: &'s Compiled,
    codes: &'s [CodeHit],
    anchors: u128,
    best: &mut [Option<Anchor<'s>>],
) {
    for (mediator, best) in ontology.mediators.iter().zip(best) {
        if anchors & mediator.own == 0 || best.as_ref().is_some_and(Anchor::holds) {
            continue;
        }
        let others = ontology.cardinals & !mediator.own & !mediator.requires;
        let Some(hit) = first(codes, |hit| hit.code == mediator.code) else {
            continue;
        };
        let here = Anchor {
            mediator,
            hit,
            paragraph: codes,
            lacks: mediator.requires & !anchors,
            lacks_another: mediator.and_another_cardinal && anchors & others == 0,
        };
        if best
            .as_ref()
            .is_none_or(|b| here.shortfall() < b.shortfall())
        {
            *best = Some(here);
        }
    }
}

fn quadrant(ontology: &Compiled, hit: &CodeHit) -> Option<u8> {
    ontology
        .codes
        .get(usize::from(hit.code))
        .map(|c| c.quadrant)
}

/// The first code that is used, not listed, and passes.
pub(super) fn first(codes: &[CodeHit], passes: impl Fn(&CodeHit) -> bool) -> Option<&CodeHit> {
    codes.iter().find(|hit| !hit.listed && passes(hit))
}
