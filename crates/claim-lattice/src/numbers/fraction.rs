//! Fractions in words: `one in five`, `two thirds of`, `half of`, read as percentages.

use super::reader::Reader;
use super::{Bound, Decimal, Quantity, Sort, Unit};
use crate::index::{Entries, Form};
use crate::language::Class;

/// What stands between a fraction and what it is a fraction of.
const OF: [&str; 7] = ["of", "de", "d'", "d\u{2019}", "del", "dels", "the"];

impl<E: Entries> Reader<'_, E> {
    /// The fraction that starts at a token. It is meant roughly: `half of` is borne by 48 %.
    pub(super) fn fraction(&self, at: usize) -> Option<Quantity> {
        let numeric = self
            .class(at)
            .has(Class(Class::NUMBER_WORD.0 | Class::DIGITS.0));
        // "a", "half" and "meitat" open one too; every other word is left at once.
        if !numeric && !matches!(self.word(at).len(), 1 | 4 | 6) {
            return None;
        }
        let (share, next) = self
            .one_in(at)
            .or_else(|| self.parts(at))
            .or_else(|| self.half(at))?;
        let start = self.tokens.get(at)?.start as usize;
        let end = self.tokens.get(next.checked_sub(1)?)?.end as usize;
        Some(Quantity {
            value: share,
            other: None,
            undecidable: false,
            literal: format!("={share:?}"),
            unit: Unit::Percent,
            sort: Sort::Cardinal,
            bound: Bound::About,
            tokens: (at, next),
            counted: None,
            span: (start, end),
        })
    }

    /// `one in five`, `three out of four`, `un de cada cinc`.
    fn one_in(&self, at: usize) -> Option<(Decimal, usize)> {
        let parts = self.small(at)?;
        let pair =
            |first: &str, second: &str| self.is(at + 1, &[first]) && self.is(at + 2, &[second]);
        let next = if pair("out", "of") || pair("de", "cada") || parts == 1 && pair("in", "every") {
            at + 3
        } else if parts == 1 && self.is(at + 1, &["in"]) {
            at + 2
        } else {
            return None;
        };
        let whole = self.small(next)?;
        (parts < whole).then_some((share(parts, whole)?, next + 1))
    }

    /// `a third of`, `two-thirds of`, `dos terços de`.
    fn parts(&self, at: usize) -> Option<(Decimal, usize)> {
        const NAMES: [(&[&str], u64); 4] = [
            (&["third", "thirds", "terç", "terços"], 3),
            (&["quarter", "quarters", "fourth", "fourths"], 4),
            (&["fifth", "fifths"], 5),
            (&["tenth", "tenths"], 10),
        ];
        let parts = if self.is(at, &["a"]) {
            1
        } else {
            self.small(at)?
        };
        let (_, whole) = NAMES.iter().find(|(names, _)| self.is(at + 1, names))?;
        (self.glued(at + 1) && self.is(at + 2, &OF) && parts < *whole)
            .then_some((share(parts, *whole)?, at + 2))
    }

    /// `half of the`, `half the`, `la meitat de`.
    fn half(&self, at: usize) -> Option<(Decimal, usize)> {
        let found = self.is(at, &["half"])
            && self.is(at + 1, &["of", "the", "all"])
            && !self.part_of_a_row(at)
            || self.is(at, &["meitat"]) && self.is(at + 1, &OF);
        found.then_some((share(1, 2)?, at + 1))
    }

    /// "the second half of the match" is a part of a row, no share.
    fn part_of_a_row(&self, half: usize) -> bool {
        half.checked_sub(1).is_some_and(|before| {
            self.class(before).has(Class::ORDINAL)
                || self.is(before, &["latter", "other", "last", "northern", "southern"])
        })
    }

    /// A number word or numeral from 1 to 100 that is a token of its own.
    fn small(&self, at: usize) -> Option<u64> {
        let class = self.class(at);
        let value = if class.has(Class::NUMBER_WORD) {
            self.value(at)
        } else if class.has(Class::DIGITS) {
            self.word(at).parse().ok()?
        } else {
            return None;
        };
        (1..=100).contains(&value).then_some(value)
    }

    /// Whether a token is one of some words, given in lower case.
    fn is(&self, at: usize, words: &[&str]) -> bool {
        let word = self.word(at);
        words.iter().any(|w| w.eq_ignore_ascii_case(word))
    }

    fn glued(&self, at: usize) -> bool {
        self.tokens
            .get(at)
            .is_some_and(|t| !t.form.has(Form::AFTER_BREAK) && !t.form.has(Form::INITIAL))
    }
}

/// A share in percent, to the second decimal.
fn share(parts: u64, whole: u64) -> Option<Decimal> {
    let hundredths = (parts * 10_000).checked_div(whole)?;
    Some(Decimal::new(i128::from(hundredths), 2))
}
