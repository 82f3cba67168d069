//! Quantities: numerals and number words with their units, and when two of them are the same.

use text_units::is_token_char;

use crate::index::{Entries, Token};
use crate::language::Class;

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
    let reader = Reader {
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

struct Reader<'a, E> {
    text: &'a str,
    tokens: &'a [Token],
    entries: &'a E,
}

/// A numeral as it is read off the text.
struct Numeral {
    value: Decimal,
    other: Option<Decimal>,
    end: usize,
}

impl<E: Entries> Reader<'_, E> {
    fn class(&self, at: usize) -> Class {
        self.tokens
            .get(at)
            .map(|t| self.entries.entry(t.word).class)
            .unwrap_or_default()
    }

    fn value(&self, at: usize) -> u64 {
        self.tokens
            .get(at)
            .map_or(0, |t| self.entries.entry(t.word).value)
    }

    fn word(&self, at: usize) -> &str {
        self.tokens
            .get(at)
            .and_then(|t| self.text.get(t.start as usize..t.end as usize))
            .unwrap_or_default()
    }

    fn quantity(&self, at: usize) -> Option<Quantity> {
        let class = self.class(at);
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
        if digits && (1500..=2199).contains(&value) && !self.plural_follows(quantity.tokens.1) {
            quantity.sort = Sort::Year;
        } else if month_near && (1..=31).contains(&value) {
            quantity.sort = Sort::Day;
        }
        quantity
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

/// Reads a numeral that starts at a byte.
fn numeral(text: &str, start: usize) -> Option<Numeral> {
    let rest = text.get(start..)?;
    if !rest.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let bytes = rest.as_bytes();
    let head = digits_at(bytes, 0);
    let mut groups: Vec<std::ops::Range<usize>> = std::iter::once(0..head).collect();
    let mut at = head;
    let mut separator = None;
    while let Some((mark, len)) = separator_at(rest, at) {
        let count = digits_at(bytes, at + len);
        if count == 0
            || separator.is_some_and(|s| s != mark)
            || (mark == ' ' && (count != 3 || groups.first().is_some_and(|g| g.len() > 3)))
        {
            break;
        }
        separator = Some(mark);
        groups.push(at + len..at + len + count);
        at += len + count;
        if count != 3 {
            break;
        }
    }
    let group_like = groups.iter().skip(1).all(|g| g.len() == 3)
        && groups.first().is_some_and(|g| g.len() <= 3)
        && !rest.starts_with('0');
    let join = |skip_point: usize| -> Option<i128> {
        let mut value: i128 = 0;
        for (i, group) in groups.iter().enumerate() {
            if i >= skip_point {
                break;
            }
            for b in rest.get(group.clone())?.bytes() {
                value = value.checked_mul(10)?.checked_add(i128::from(b - b'0'))?;
            }
        }
        Some(value)
    };
    let whole = join(groups.len())?;
    if groups.len() == 1 {
        return superscript(rest, at, whole).map(|(value, end)| Numeral {
            value,
            other: None,
            end: start + end,
        });
    }
    if group_like && (groups.len() > 2 || separator == Some(' ')) {
        // A decimal part behind grouping by another mark.
        let (value, end) = match separator_at(rest, at) {
            Some((mark, len)) if mark != ' ' && Some(mark) != separator => {
                let count = digits_at(bytes, at + len);
                decimal_tail(rest, whole, at + len, count).unwrap_or((Decimal::new(whole, 0), at))
            }
            _ => (Decimal::new(whole, 0), at),
        };
        return Some(Numeral {
            value,
            other: None,
            end: start + end,
        });
    }
    if group_like {
        if let Some((mark, len)) = separator_at(rest, at)
            && mark != ' '
            && let Some((value, end)) =
                decimal_tail(rest, whole, at + len, digits_at(bytes, at + len))
        {
            return Some(Numeral {
                value,
                other: None,
                end: start + end,
            });
        }
        return Some(Numeral {
            value: Decimal::new(whole, 0),
            other: Some(Decimal::new(whole, 3)),
            end: start + at,
        });
    }
    // One mark and a tail that is no group: a decimal part. Several: dates, versions.
    if groups.len() == 2 {
        let tail = u8::try_from(groups.get(1)?.len())
            .ok()
            .filter(|&n| n <= 18)?;
        return Some(Numeral {
            value: Decimal::new(whole, tail),
            other: None,
            end: start + at,
        });
    }
    let first = join(1)?;
    Some(Numeral {
        value: Decimal::new(first, 0),
        other: None,
        end: start + head,
    })
}

fn decimal_tail(rest: &str, whole: i128, from: usize, count: usize) -> Option<(Decimal, usize)> {
    if count == 0 || count > 18 {
        return None;
    }
    let mut value = whole;
    for b in rest.get(from..from + count)?.bytes() {
        value = value.checked_mul(10)?.checked_add(i128::from(b - b'0'))?;
    }
    Some((Decimal::new(value, u8::try_from(count).ok()?), from + count))
}

fn digits_at(bytes: &[u8], at: usize) -> usize {
    bytes.get(at..).map_or(0, |b| {
        b.iter().take(32).take_while(|b| b.is_ascii_digit()).count()
    })
}

/// A mark that can group digits or set off decimals, and its length.
fn separator_at(rest: &str, at: usize) -> Option<(char, usize)> {
    let c = rest.get(at..)?.chars().next()?;
    let mark = match c {
        '.' | ',' => c,
        '\'' | '\u{2019}' => '\'',
        ' ' | '\u{A0}' | '\u{202F}' | '\u{2009}' => ' ',
        _ => return None,
    };
    Some((mark, c.len_utf8()))
}

/// Superscript digits right behind a numeral are an exponent.
fn superscript(rest: &str, at: usize, base: i128) -> Option<(Decimal, usize)> {
    let mut exponent: u32 = 0;
    let mut end = at;
    for c in rest.get(at..)?.chars().take(3) {
        let Some(d) = "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().position(|s| s == c) else {
            break;
        };
        exponent = exponent * 10 + u32::try_from(d).ok()?;
        end += c.len_utf8();
    }
    if end == at {
        return Some((Decimal::new(base, 0), at));
    }
    Some((Decimal::new(base.checked_pow(exponent)?, 0), end))
}

fn is_negative(text: &str, start: usize) -> bool {
    let before = text.get(..start).unwrap_or_default();
    let Some(mark) = before.chars().next_back() else {
        return false;
    };
    if !matches!(mark, '-' | '\u{2212}') {
        return false;
    }
    before
        .get(..before.len() - mark.len_utf8())
        .and_then(|b| b.chars().next_back())
        .is_none_or(|c| !is_token_char(c) && c != '%' && c != ')')
}

fn currency_before(before: &str) -> Option<&'static str> {
    let last = before.chars().next_back()?;
    Some(match last {
        '$' => "USD",
        '€' => "EUR",
        '£' => "GBP",
        '¥' => "JPY",
        '₹' => "INR",
        _ => return None,
    })
}

/// `k`, `M`, `bn` right behind a numeral.
fn magnitude_suffix(rest: &str) -> Option<(i128, usize)> {
    let letters: String = rest
        .chars()
        .take_while(|c| c.is_alphabetic())
        .take(4)
        .collect();
    let factor = match letters.as_str() {
        "k" | "K" => 1_000,
        "M" | "mn" | "mln" => 1_000_000,
        "bn" | "B" => 1_000_000_000,
        "tn" | "T" => 1_000_000_000_000,
        _ => return None,
    };
    let after = rest.get(letters.len()..).and_then(|r| r.chars().next());
    after
        .is_none_or(|c| !is_token_char(c))
        .then_some((factor, letters.len()))
}

/// The unit behind a number, and how many bytes it takes.
fn unit_after(rest: &str) -> Option<(Unit, usize)> {
    let skip = rest.len()
        - rest
            .trim_start_matches([' ', '\u{A0}', '\u{202F}', '\u{2009}', '-', '\u{2011}'])
            .len();
    if skip > 4 {
        return None;
    }
    let tail = rest.get(skip..)?;
    let first = tail.chars().next()?;
    match first {
        '%' | '％' => return Some((Unit::Percent, skip + first.len_utf8())),
        '€' | '$' | '£' if skip <= 2 => {
            return currency_before(&first.to_string())
                .map(|c| (Unit::Currency(c), skip + first.len_utf8()));
        }
        _ => {}
    }
    let mut len = 0;
    for c in tail.chars().take(24) {
        if !(c.is_alphabetic() || matches!(c, '/' | '°' | '²' | '³' | 'µ')) {
            break;
        }
        len += c.len_utf8();
    }
    let word = tail.get(..len)?.trim_end_matches('/');
    if matches!(word, "per" | "Per") {
        let cent = tail.get(len..)?.trim_start();
        let gap = tail.len() - len - cent.len();
        return cent
            .starts_with("cent")
            .then_some((Unit::Percent, skip + len + gap + 4));
    }
    named_unit(word).map(|unit| (unit, skip + word.len()))
}

fn named_unit(word: &str) -> Option<Unit> {
    // Symbols are case-sensitive, words are not.
    let symbol = match word {
        "m" => "m",
        "km" => "km",
        "cm" => "cm",
        "mm" => "mm",
        "g" => "g",
        "kg" => "kg",
        "mg" => "mg",
        "µg" | "mcg" => "µg",
        "l" | "L" => "l",
        "ml" | "mL" => "ml",
        "km/h" | "kph" | "kmh" => "km/h",
        "mph" => "mi/h",
        "m/s" => "m/s",
        "km²" => "km²",
        "°C" => "°C",
        "°F" => "°F",
        "ft" => "ft",
        "lb" | "lbs" => "lb",
        "kW" => "kW",
        "MW" => "MW",
        "GW" => "GW",
        "Hz" => "Hz",
        "kHz" => "kHz",
        "MHz" => "MHz",
        "GHz" => "GHz",
        "GB" => "GB",
        "MB" => "MB",
        "TB" => "TB",
        "h" => "hour",
        "min" => "minute",
        _ => "",
    };
    if !symbol.is_empty() {
        return Some(Unit::Measure(symbol));
    }
    let lower = word.to_lowercase();
    Some(match lower.as_str() {
        "percent" | "pct" => Unit::Percent,
        "dollar" | "dollars" | "usd" | "dòlar" | "dòlars" => Unit::Currency("USD"),
        "euro" | "euros" | "eur" => Unit::Currency("EUR"),
        "pounds" | "gbp" | "lliures" => Unit::Currency("GBP"),
        "yen" | "jpy" | "iens" => Unit::Currency("JPY"),
        "rupees" | "rupee" => Unit::Currency("INR"),
        "metre" | "metres" | "meter" | "meters" | "mètre" => Unit::Measure("m"),
        "kilometre" | "kilometres" | "kilometer" | "kilometers" | "quilòmetre" | "quilòmetres" => {
            Unit::Measure("km")
        }
        "centimetre" | "centimetres" | "centimeter" | "centimeters" | "centímetres" => {
            Unit::Measure("cm")
        }
        "mile" | "miles" | "milles" => Unit::Measure("mi"),
        "foot" | "feet" | "peus" => Unit::Measure("ft"),
        "inch" | "inches" | "polzades" => Unit::Measure("in"),
        "kilogram" | "kilograms" | "kilo" | "kilos" | "quilos" => Unit::Measure("kg"),
        "gram" | "grams" | "grammes" => Unit::Measure("g"),
        "tonne" | "tonnes" | "ton" | "tons" | "tones" => Unit::Measure("t"),
        "litre" | "litres" | "liter" | "liters" => Unit::Measure("l"),
        "second" | "seconds" | "segons" => Unit::Measure("second"),
        "minute" | "minutes" | "minut" | "minuts" => Unit::Measure("minute"),
        "hour" | "hours" | "hora" | "hores" => Unit::Measure("hour"),
        "day" | "days" | "dia" | "dies" => Unit::Measure("day"),
        "week" | "weeks" | "setmana" | "setmanes" => Unit::Measure("week"),
        "month" | "months" | "mes" | "mesos" => Unit::Measure("month"),
        "year" | "years" | "any" | "anys" => Unit::Measure("year"),
        "decades" | "dècades" => Unit::Measure("decade"),
        "centuries" | "segles" => Unit::Measure("century"),
        _ => return None,
    })
}
