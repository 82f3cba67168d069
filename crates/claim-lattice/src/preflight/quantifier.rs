//! How much a question asks for: ten rungs of intensity.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::pattern::Match;
use super::question::{LONGEST_MATCH, Question};
use super::scope::{ScopeBound, scope_bounds};
use super::token::ByteSpan;

/// How much a question asks for. On the wire an integer from 0 to 9.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(into = "u8", try_from = "u8")]
pub enum Rung {
    /// 0: no quantifier.
    #[default]
    None,
    /// 1: a single one.
    Single,
    /// 2: a pair.
    Pair,
    /// 3: a few.
    Few,
    /// 4: some or several.
    Some,
    /// 5: many.
    Many,
    /// 6: most.
    Most,
    /// 7: each or every.
    Each,
    /// 8: all.
    All,
    /// 9: exhaustive, such as "everything" or "without exception".
    Exhaustive,
}

/// A number that is no rung.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("{0} is no rung of the quantifier ladder: 0 to 9 are")]
pub struct NoSuchRung(pub u8);

impl Rung {
    /// All rungs, lowest first.
    pub const ALL: [Self; 10] = [
        Self::None,
        Self::Single,
        Self::Pair,
        Self::Few,
        Self::Some,
        Self::Many,
        Self::Most,
        Self::Each,
        Self::All,
        Self::Exhaustive,
    ];

    /// The rung as a number, 0 to 9.
    #[must_use]
    pub fn intensity(self) -> u8 {
        self as u8
    }

    /// The rung of a counted demand: 1, 2 and 3 as they are, 4 to 12 `Some`, more `Many`.
    #[must_use]
    pub fn of_count(count: u64) -> Self {
        match count {
            0 => Self::None,
            1 => Self::Single,
            2 => Self::Pair,
            3 => Self::Few,
            4..=12 => Self::Some,
            _ => Self::Many,
        }
    }

    /// The rung `steps` below, but no lower than `floor`; a rung under the floor stays.
    #[must_use]
    pub(crate) fn lowered(self, steps: u8, floor: Self) -> Self {
        if self <= floor {
            return self;
        }
        let target = (self as u8).saturating_sub(steps).max(floor as u8);
        Self::try_from(target).unwrap_or(floor)
    }
}

impl From<Rung> for u8 {
    fn from(rung: Rung) -> Self {
        rung as Self
    }
}

impl TryFrom<u8> for Rung {
    type Error = NoSuchRung;

    fn try_from(value: u8) -> Result<Self, Self::Error> {
        Self::ALL
            .get(usize::from(value))
            .copied()
            .ok_or(NoSuchRung(value))
    }
}

/// What the classifier read from a question.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct QuantifierReading {
    /// The rung of the strongest quantifier.
    pub quantifier_intensity: Rung,
    /// That quantifier as it was asked.
    pub quantifier_matched_token: Option<String>,
    /// Where it stands in the question.
    pub quantifier_span: Option<ByteSpan>,
    /// What bounds the demand, in the order of the question.
    pub scope_bound_hint: Vec<ScopeBound>,
    /// The rung that is left once the bounds are taken into account: what the guard acts on.
    pub demand: Rung,
}

/// How many rungs each kind of bound other than a count takes off.
const BOUND_STEPS: u8 = 2;

/// Reads the quantifier of a question.
///
/// The strongest quantifier wins, the first among equals. A counted bound ("the first three")
/// sets the demand to the rung of its number when that is lower; each further kind of bound (a
/// time, a place, a work) takes two rungs off, but never below [`Rung::Some`].
pub(crate) fn classify(question: &Question<'_>) -> QuantifierReading {
    let bounds = scope_bounds(question);
    let masks = question.matches("quantifier.mask");
    let mut best = None;
    // A reading on a lower rung that begins earlier or reaches further ("not all", "tots dos")
    // overrules the word inside it.
    let mut lower: Vec<Match> = Vec::new();
    for rung in Rung::ALL.into_iter().skip(1) {
        let section = section(rung);
        let found = question.used(&section, &masks);
        let found = found.into_iter().find(|m| !is_inside(&lower, *m));
        best = found.map(|m| (rung, m)).or(best);
        lower.extend(question.matches(&section));
        lower.sort_by_key(|m| m.start);
    }
    let Some((rung, found)) = best else {
        return QuantifierReading {
            scope_bound_hint: bounds,
            ..QuantifierReading::default()
        };
    };
    QuantifierReading {
        quantifier_intensity: rung,
        quantifier_matched_token: Some(question.matched(found)),
        quantifier_span: Some(question.span(found)),
        demand: demand(rung, &bounds),
        scope_bound_hint: bounds,
    }
}

/// Whether a match begins inside one of the others, or is the shorter of two that begin at
/// the same word. The others are in order of their start.
fn is_inside(others: &[Match], found: Match) -> bool {
    let end = others.partition_point(|m| m.start <= found.start);
    let before = others.get(..end).unwrap_or_default().iter().rev();
    before
        .take_while(|m| m.start + LONGEST_MATCH > found.start)
        .any(|m| m.hides(found) || (m.start < found.start && m.end > found.start))
}

fn section(rung: Rung) -> String {
    format!("quantifier.{}", rung.intensity())
}

fn demand(rung: Rung, bounds: &[ScopeBound]) -> Rung {
    let mut demand = rung;
    let mut kinds: Vec<_> = bounds
        .iter()
        .filter(|b| b.count.is_none())
        .map(|b| b.kind)
        .collect();
    kinds.sort_unstable();
    kinds.dedup();
    for _ in kinds {
        demand = demand.lowered(BOUND_STEPS, Rung::Some);
    }
    for count in bounds.iter().filter_map(|b| b.count) {
        demand = demand.min(Rung::of_count(count).max(Rung::Single));
    }
    demand
}
