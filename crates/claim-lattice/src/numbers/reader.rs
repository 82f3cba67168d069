//! Reads quantities off prepared tokens.

use super::numeral::{is_negative, numeral};
use super::units::{currency_before, magnitude_suffix, unit_after};
use super::{Bound, Decimal, Quantity, Sort, Unit};
use crate::index::{Entries, Token};
use crate::language::Class;

/// Prepared tokens with what is known of them.
pub(super) struct Reader<'a, E> {
    pub(super) text: &'a str,
    pub(super) tokens: &'a [Token],
    pub(super) entries: &'a E,
}

impl<E: Entries> Reader<'_, E> {
    pub(super) fn class(&self, at: usize) -> Class {
        self.tokens
            .get(at)
            .map(|t| self.entries.entry(t.word).class)
            .unwrap_or_default()
    }

    pub(super) fn value(&self, at: usize) -> u64 {
        self.tokens
            .get(at)
            .map_or(0, |t| self.entries.entry(t.word).value)
    }

    pub(super) fn word(&self, at: usize) -> &str {
        self.tokens
            .get(at)
            .and_then(|t| self.text.get(t.start as usize..t.end as usize))
            .unwrap_or_default()
    }

    /// The quantity that starts at a token.
    pub(super) fn quantity(&self, at: usize) -> Option<Quantity> {
        let class = self.class(at);
        if let Some(fraction) = self.fraction(at) {
            return Some(fraction);
        }
        if class.has(Class::ORDINAL) && class.has(Class::DIGITS) {
            return None;
        }
        if class.has(Class::DIGITS) {
            return self.numeral_at(at);
        }
        if class.has(Class::NUMBER_WORD) {
            return self.number_words(at);
        }
        None
    }

    fn numeral_at(&self, at: usize) -> Option<Quantity> {
        let token = self.tokens.get(at)?;
        let start = token.start as usize;
        // "B12", "Mp3": a name, no quantity.
        let numeral = numeral(self.text, start)?;
        let mut end = numeral.end;
        let mut next = at + 1;
        while self
            .tokens
            .get(next)
            .is_some_and(|t| (t.start as usize) < end)
        {
            next += 1;
        }
        let before = self.text.get(..start)?.trim_end();
        let mut unit = currency_before(before).map_or(Unit::None, Unit::Currency);
        let mut value = numeral.value;
        let mut other = numeral.other;
        let mut undecidable = false;
        let rest = self.text.get(end..).unwrap_or_default();
        let sort =
            if rest.starts_with('s') || rest.starts_with("'s") || rest.starts_with("\u{2019}s") {
                Sort::Decade
            } else {
                Sort::Cardinal
            };
        if let Some((factor, len)) = magnitude_suffix(rest) {
            value = value.times(factor)?;
            other = other.and_then(|o| o.times(factor));
            undecidable = other.is_some();
            end += len;
        } else if self.class(next).has(Class::NUMBER_WORD)
            && self.value(next) >= 1000
            && gap_is_space(self.text, end, self.tokens.get(next))
        {
            let factor = i128::from(self.value(next));
            value = value.times(factor)?;
            other = other.and_then(|o| o.times(factor));
            undecidable = other.is_some();
            end = self.tokens.get(next).map_or(end, |t| t.end as usize);
            next += 1;
        }
        let negative = is_negative(self.text, start);
        if negative {
            value = value.times(-1)?;
            other = other.and_then(|o| o.times(-1));
        }
        if let Some((found, len)) = unit_after(self.text.get(end..).unwrap_or_default()) {
            if unit == Unit::None {
                unit = found;
            }
            end += len;
            while self
                .tokens
                .get(next)
                .is_some_and(|t| (t.start as usize) < end)
            {
                next += 1;
            }
        }
        let literal = format!(
            "{}{}",
            if negative { "-" } else { "" },
            self.text.get(start..end)?
        );
        Some(self.complete(Quantity {
            value,
            other,
            undecidable,
            literal,
            unit,
            sort,
            bound: Bound::Exactly,
            tokens: (at, next),
            counted: None,
            span: (start, end),
        }))
    }

    /// `twenty-five`, `two hundred`, `three million`.
    fn number_words(&self, at: usize) -> Option<Quantity> {
        let mut total: i128 = 0;
        let mut current: i128 = 0;
        let mut next = at;
        while self.class(next).has(Class::NUMBER_WORD)
            && (next == at
                || !self
                    .tokens
                    .get(next)?
                    .form
                    .has(crate::index::Form::AFTER_BREAK))
        {
            let value = i128::from(self.value(next));
            match value {
                100 if next > at => current = current.max(1).checked_mul(100)?,
                1000.. => {
                    total = total.checked_add(current.max(1).checked_mul(value)?)?;
                    current = 0;
                }
                _ if next > at
                    && !(current % 10 == 0 && value < 10 && current >= 20)
                    && current % 100 != 0 =>
                {
                    break;
                }
                _ => current += value,
            }
            next += 1;
        }
        let value = Decimal::new(total.checked_add(current)?, 0);
        let start = self.tokens.get(at)?.start as usize;
        let mut end = self.tokens.get(next.checked_sub(1)?)?.end as usize;
        let mut unit = Unit::None;
        if let Some((found, len)) = unit_after(self.text.get(end..).unwrap_or_default()) {
            unit = found;
            end += len;
            while self
                .tokens
                .get(next)
                .is_some_and(|t| (t.start as usize) < end)
            {
                next += 1;
            }
        }
        Some(self.complete(Quantity {
            value,
            other: None,
            undecidable: false,
            literal: String::new(),
            unit,
            sort: Sort::Cardinal,
            bound: Bound::Exactly,
            tokens: (at, next),
            counted: None,
            span: (start, end),
        }))
    }

    /// Fills in what the words around say: bound, counted noun, year or day.
    fn complete(&self, mut quantity: Quantity) -> Quantity {
        if quantity.literal.is_empty() {
            quantity.literal = format!("={:?}", quantity.value);
        }
        quantity.bound = self.bound_before(quantity.tokens.0);
        quantity.counted = self.counted_after(quantity.tokens.1);
        if quantity.sort != Sort::Cardinal
            || quantity.unit != Unit::None
            || quantity.other.is_some()
        {
            return quantity;
        }
        let month_near = self.class(quantity.tokens.1).has(Class::MONTH)
            || quantity
                .tokens
                .0
                .checked_sub(1)
                .is_some_and(|i| self.class(i).has(Class::MONTH))
            || self.word(quantity.tokens.1) == "de"
                && self.class(quantity.tokens.1 + 1).has(Class::MONTH);
        let Some(value) = quantity.value.integer() else {
            return quantity;
        };
        let digits = self.class(quantity.tokens.0).has(Class::DIGITS);
        if let Some(year) = self.range_end(&quantity, value) {
            quantity.value = Decimal::new(year, 0);
            quantity.sort = Sort::Year;
            return quantity;
        }
        if digits && (1500..=2199).contains(&value) && !self.plural_follows(quantity.tokens.1) {
            quantity.sort = Sort::Year;
        } else if month_near && (1..=31).contains(&value) {
            quantity.sort = Sort::Day;
        }
        quantity
    }

    /// The end of a range of years that is written short: `1914-18` ends in 1918.
    fn range_end(&self, quantity: &Quantity, value: i128) -> Option<i128> {
        let before = self.tokens.get(quantity.tokens.0.checked_sub(1)?)?;
        let start = self.text.get(before.start as usize..before.end as usize)?;
        let year: i128 = start.parse().ok().filter(|y| (1500..=2199).contains(y))?;
        let gap = self.text.get(before.end as usize..quantity.span.0)?;
        let short = quantity.span.1 - quantity.span.0 == 2;
        (short && matches!(gap, "-" | "–") && value > year % 100)
            .then_some(year - year % 100 + value)
    }

    fn plural_follows(&self, at: usize) -> bool {
        let word = self.word(at);
        let lower = word.chars().all(char::is_lowercase);
        let glued = self.tokens.get(at).is_some_and(|t| {
            !t.form.has(crate::index::Form::AFTER_BREAK) && !t.form.has(crate::index::Form::INITIAL)
        });
        lower
            && glued
            && word.len() > 3
            && word.ends_with('s')
            && !word.ends_with("ss")
            && !self.class(at).has(Class::STOP)
            && !matches!(word, "census" | "olympics" | "series" | "was")
    }

    fn bound_before(&self, at: usize) -> Bound {
        let one = at
            .checked_sub(1)
            .map(|i| self.word(i).to_lowercase())
            .unwrap_or_default();
        let two = at
            .checked_sub(2)
            .map(|i| self.word(i).to_lowercase())
            .unwrap_or_default();
        match (two.as_str(), one.as_str()) {
            ("more" | "greater" | "higher" | "longer" | "older", "than")
            | (_, "over" | "above" | "exceeding")
            | ("at", "least")
            | ("més", "de") => Bound::MoreThan,
            ("less" | "fewer" | "lower" | "shorter" | "younger", "than")
            | (_, "under" | "below")
            | ("at", "most")
            | ("menys", "de") => Bound::LessThan,
            (
                _,
                "about" | "around" | "approximately" | "roughly" | "nearly" | "almost" | "circa"
                | "some" | "uns" | "unes" | "aproximadament" | "gairebé" | "quasi",
            ) => Bound::About,
            _ => Bound::Exactly,
        }
    }

    /// The stem of the next content word, at most two adjectives on, in the same clause.
    fn counted_after(&self, at: usize) -> Option<u32> {
        let token = self.tokens.get(at)?;
        let entry = self.entries.entry(token.word);
        let broken = token.form.has(crate::index::Form::AFTER_BREAK)
            || token.form.has(crate::index::Form::INITIAL);
        (!broken && !entry.class.has(Class::STOP) && !entry.class.has(Class::DIGITS))
            .then_some(entry.stem)
    }
}

fn gap_is_space(text: &str, end: usize, next: Option<&Token>) -> bool {
    next.and_then(|t| text.get(end..t.start as usize))
        .is_some_and(|gap| gap.chars().all(|c| c.is_whitespace() || c == '-'))
}
