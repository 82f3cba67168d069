//! What falls short of each component.

use super::meetings::{Anchor, Meetings};
use super::{SUBORDINATIONS, TENSIONS};
use crate::label::Label;
use crate::missing::{Missing, Unanchored};
use crate::number::Spread;
use crate::ontology::Compiled;
use crate::report::Components;

/// Normalized entropy under which the spread is called uneven: eight quadrants, one of them with
/// three times its share, give 0.93.
pub(crate) const EVEN: f64 = 0.9;

pub(super) fn missing(
    ontology: &Compiled,
    components: &Components,
    spread: &Spread,
    met: &Meetings<'_>,
    [tensions, subordinations]: [usize; 2],
    relations: u32,
) -> Vec<Missing> {
    let pairs: Vec<usize> = met.pairs.iter().map(|pair| pair.axis).collect();
    let unpaired = (0..ontology.axes.len()).filter(|axis| !pairs.contains(axis));
    [
        quadrants(&ontology.quadrants, spread),
        evenness(&ontology.quadrants, spread),
        axes(ontology, unpaired),
        tension(tensions),
        anchors(ontology, met),
        (components.axis_explicit < 1.0).then_some(Missing::Axis),
        subordination(subordinations),
        untouched(&ontology.relations, relations),
    ]
    .into_iter()
    .flatten()
    .collect()
}

pub(crate) fn quadrants(names: &[Label], spread: &Spread) -> Option<Missing> {
    let empty = names.iter().zip(&spread.counts).filter(|(_, n)| **n == 0.0);
    let quadrants: Vec<Label> = empty.map(|(name, _)| name.clone()).collect();
    (!quadrants.is_empty()).then_some(Missing::Quadrants { quadrants })
}

pub(crate) fn evenness(names: &[Label], spread: &Spread) -> Option<Missing> {
    let total: f64 = spread.counts.iter().sum();
    if total == 0.0 || spread.entropy_normalized() >= EVEN {
        return None;
    }
    let mut most: Option<(&Label, f64)> = None;
    for (name, count) in names.iter().zip(&spread.counts) {
        if most.is_none_or(|(_, best)| *count > best) {
            most = Some((name, *count));
        }
    }
    most.map(|(name, count)| Missing::Evenness {
        most: name.clone(),
        share: count / total,
    })
}

pub(crate) fn axes(ontology: &Compiled, unpaired: impl Iterator<Item = usize>) -> Option<Missing> {
    let pole = |quadrant: u8| ontology.quadrants.get(usize::from(quadrant)).cloned();
    let axis = |index: usize| {
        let [a, b] = ontology.axes.get(index)?.poles;
        Some([pole(a)?, pole(b)?])
    };
    let axes: Vec<[Label; 2]> = unpaired.filter_map(axis).collect();
    (!axes.is_empty()).then_some(Missing::Pairs { axes })
}

pub(crate) fn tension(found: usize) -> Option<Missing> {
    let wanted = TENSIONS;
    (found < wanted).then_some(Missing::Tension { found, wanted })
}

pub(crate) fn subordination(found: usize) -> Option<Missing> {
    let wanted = SUBORDINATIONS;
    (found < wanted).then_some(Missing::Subordination { found, wanted })
}

fn anchors(ontology: &Compiled, met: &Meetings<'_>) -> Option<Missing> {
    if met.mediators.is_empty() {
        return (!ontology.mediators.is_empty()).then_some(Missing::Mediators);
    }
    let loose = met.mediators.iter().filter(|anchor| !anchor.holds());
    let mediators: Vec<Unanchored> = loose.filter_map(|a| unanchored(ontology, a)).collect();
    (!mediators.is_empty()).then_some(Missing::Anchors { mediators })
}

fn unanchored(ontology: &Compiled, anchor: &Anchor<'_>) -> Option<Unanchored> {
    let code = |code: &u16| ontology.codes.get(usize::from(*code));
    let required = anchor.mediator.required.iter().filter_map(code);
    let lacks = required.filter(|c| c.anchor & anchor.lacks != 0);
    Some(Unanchored {
        mediator: code(&anchor.mediator.code)?.label.clone(),
        lacks: lacks.map(|c| c.label.clone()).collect(),
        lacks_another: anchor.lacks_another,
    })
}

pub(crate) fn untouched(names: &[Label], relations: u32) -> Option<Missing> {
    let empty = names
        .iter()
        .enumerate()
        .filter(|(i, _)| relations & (1 << i) == 0);
    let relations: Vec<Label> = empty.map(|(_, name)| name.clone()).collect();
    (!relations.is_empty()).then_some(Missing::Relations { relations })
}
