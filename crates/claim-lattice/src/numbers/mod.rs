//! Quantities: numerals and number words with their units, and when two of them are the same.

mod fraction;
mod numeral;
mod reader;
mod units;

use crate::index::{Entries, Token};

/// An exact decimal: `mantissa` × 10^-`scale`, without trailing zeros.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Decimal {
    mantissa: i128,
    scale: u8,
}

impl Decimal {
    pub(crate) fn new(mantissa: i128, scale: u8) -> Self {
        let (mut mantissa, mut scale) = (mantissa, scale);
        while scale > 0 && mantissa % 10 == 0 {
            mantissa /= 10;
            scale -= 1;
        }
        Self { mantissa, scale }
    }

    fn times(self, factor: i128) -> Option<Self> {
        self.mantissa
            .checked_mul(factor)
            .map(|m| Self::new(m, self.scale))
    }

    /// The value in units of 10^-6, cut off; `None` when it does not fit.
    pub(crate) fn micro(self) -> Option<i128> {
        if self.scale <= 6 {
            self.mantissa
                .checked_mul(10_i128.checked_pow(u32::from(6 - self.scale))?)
        } else {
            10_i128
                .checked_pow(u32::from(self.scale - 6))
                .map(|d| self.mantissa / d)
        }
    }

    fn integer(self) -> Option<i128> {
        (self.scale == 0).then_some(self.mantissa)
    }
}

/// What a number is a number of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Unit {
    None,
    Percent,
    /// A currency, by its usual code.
    Currency(&'static str),
    /// A unit of measure, by its symbol.
    Measure(&'static str),
}

/// What a number is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sort {
    Cardinal,
    /// A year 1500–2199 (or any number that can be read as one).
    Year,
    /// `1980s`: the decade that starts there.
    Decade,
    /// A day of a month.
    Day,
}

/// How a number is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bound {
    Exactly,
    About,
    MoreThan,
    LessThan,
}

/// A quantity of a text.
#[derive(Debug, Clone)]
pub(crate) struct Quantity {
    pub(crate) value: Decimal,
    /// The other reading of one separator before exactly three digits.
    pub(crate) other: Option<Decimal>,
    /// Whether the two readings cannot be told apart (a word such as "million" follows).
    undecidable: bool,
    literal: String,
    pub(crate) unit: Unit,
    pub(crate) sort: Sort,
    pub(crate) bound: Bound,
    /// The tokens it is made of: first and one past the last.
    pub(crate) tokens: (usize, usize),
    /// The stem of the noun it counts, where one follows.
    pub(crate) counted: Option<u32>,
    /// Where it stands in the text, in bytes.
    pub(crate) span: (usize, usize),
}

/// How two quantities compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Comparison {
    Same,
    Different,
    NotComparable,
}

impl Quantity {
    /// Whether `evidence` bears this quantity of a claim.
    pub(crate) fn borne_by(&self, evidence: &Quantity) -> Comparison {
        if !units_agree(&self.unit, &evidence.unit) {
            return Comparison::Different;
        }
        if self.literal == evidence.literal && self.undecidable == evidence.undecidable {
            return Comparison::Same;
        }
        if let (Sort::Decade, Sort::Year) = (self.sort, evidence.sort) {
            return in_decade(self.value, evidence.value);
        }
        if self.undecidable || evidence.undecidable {
            return self.readings_meet(evidence);
        }
        if self.value == evidence.value {
            return Comparison::Same;
        }
        if self.rounds(evidence) {
            return Comparison::Same;
        }
        match self.bound {
            Bound::Exactly => {}
            Bound::About => return self.roughly(evidence),
            Bound::MoreThan | Bound::LessThan => return self.beyond(evidence),
        }
        self.readings_meet(evidence)
    }

    fn readings_meet(&self, evidence: &Quantity) -> Comparison {
        let mine = [Some(self.value), self.other];
        let theirs = [Some(evidence.value), evidence.other];
        let meet = mine
            .iter()
            .flatten()
            .any(|m| theirs.iter().flatten().any(|t| m == t));
        if meet {
            return Comparison::NotComparable;
        }
        Comparison::Different
    }

    /// Whether the evidence's number, rounded to the last place of this one, is this one, and
    /// no more than a twentieth away: `3 million` for 2,950,000, `47 %` for 47.3 %. Whole
    /// numbers below a thousand are counted, not rounded.
    fn rounds(&self, evidence: &Quantity) -> bool {
        const ONE: i128 = 1_000_000;
        let cardinal = self.sort == Sort::Cardinal && evidence.sort == Sort::Cardinal;
        if !cardinal || self.bound != Bound::Exactly {
            return false;
        }
        let (Some(mine), Some(theirs)) = (self.value.micro(), evidence.value.micro()) else {
            return false;
        };
        let finer = evidence.value.scale > self.value.scale;
        if mine <= 0 || theirs <= 0 || (mine < 1_000 * ONE && !finer) {
            return false;
        }
        let place = last_place(mine, if finer { ONE } else { i128::MAX });
        let apart = (mine - theirs).abs();
        theirs % place != 0
            && apart.saturating_mul(2) <= place
            && apart.saturating_mul(20) <= theirs
    }

    fn roughly(&self, evidence: &Quantity) -> Comparison {
        let (Some(mine), Some(theirs)) = (self.value.micro(), evidence.value.micro()) else {
            return Comparison::Different;
        };
        let apart = (mine - theirs).unsigned_abs();
        if self.sort == Sort::Cardinal && apart.saturating_mul(10) <= theirs.unsigned_abs() {
            Comparison::Same
        } else {
            Comparison::Different
        }
    }

    /// "more than 100" is borne by 120 and by "more than 100", not by 90.
    fn beyond(&self, evidence: &Quantity) -> Comparison {
        let (Some(mine), Some(theirs)) = (self.value.micro(), evidence.value.micro()) else {
            return Comparison::Different;
        };
        let holds = match self.bound {
            Bound::MoreThan => theirs > mine && theirs <= mine.saturating_mul(4),
            _ => theirs < mine && theirs.saturating_mul(4) >= mine,
        };
        if holds && self.sort == Sort::Cardinal {
            Comparison::Same
        } else {
            Comparison::Different
        }
    }
}

/// The greatest power of ten, at most `most`, that divides a number.
fn last_place(number: i128, most: i128) -> i128 {
    let mut place = 1;
    while place < most && number % (place * 10) == 0 {
        place *= 10;
    }
    place
}

fn in_decade(decade: Decimal, year: Decimal) -> Comparison {
    match (decade.integer(), year.integer()) {
        (Some(d), Some(y)) if (d..d + 10).contains(&y) => Comparison::Same,
        _ => Comparison::Different,
    }
}

fn units_agree(claim: &Unit, evidence: &Unit) -> bool {
    // A bare number agrees with anything but a percentage; a unit asks for the same unit.
    match (claim, evidence) {
        (Unit::None, Unit::Percent) => false,
        (Unit::None, _) => true,
        (a, b) => a == b,
    }
}

/// All quantities of a prepared text, in order. Linear.
pub(crate) fn quantities(text: &str, tokens: &[Token], entries: &impl Entries) -> Vec<Quantity> {
    let reader = reader::Reader {
        text,
        tokens,
        entries,
    };
    let mut out = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        match reader.quantity(at) {
            Some(quantity) => {
                at = quantity.tokens.1.max(at + 1);
                out.push(quantity);
            }
            None => at += 1,
        }
    }
    out
}
