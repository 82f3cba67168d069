//! Factual density of the PHP reference: byte patterns and one Unicode pattern (deployed page §7).

use super::chars::{Dialect, char_at, char_before, fold, is_digit, skip};
use super::citations::code;
use crate::ontology::Compiled;

const PHP: Dialect = Dialect::Php;
/// Chunks of one CamelCase word at which the reference's pattern engine gives up: it still reads
/// 8,000.
const CHUNKS: usize = 10_000;

/// The density, unrounded, and whether the reference gives up on a limit.
pub(super) struct Density {
    pub(super) value: f64,
    pub(super) gave_up: bool,
}

/// Counts references in bytes that need not be UTF-8; the quantities need it.
pub(super) fn density(ontology: &Compiled, bytes: &[u8]) -> Density {
    if bytes.is_empty() {
        return Density {
            value: 0.0,
            gave_up: false,
        };
    }
    let (names, gave_up) = names(bytes);
    let quantities = std::str::from_utf8(bytes).map_or(0, quantities);
    let mut count = 1.5 * names as f64;
    count += 0.8 * acronyms(ontology, bytes) as f64;
    count += 2.5 * citations(bytes) as f64;
    count += 1.5 * quantities as f64;
    count += years(bytes) as f64;
    let value = (count / (words(bytes) as f64 / 100.0) / 8.0).min(1.0);
    Density { value, gave_up }
}

/// `str_word_count`, at least 1.
fn words(bytes: &[u8]) -> usize {
    let bytes = match bytes {
        [b'\'' | b'-', rest @ ..] => rest,
        all => all,
    };
    let bytes = bytes.strip_suffix(b"-").unwrap_or(bytes);
    let letter = |b: &u8| b.is_ascii_alphabetic() || matches!(b, b'\'' | b'-');
    let runs = bytes.chunk_by(|a, b| letter(a) == letter(b));
    runs.filter(|run| run.first().is_some_and(letter))
        .count()
        .max(1)
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b'\t'..=b'\r' | b' ')
}

fn run(bytes: &[u8], from: usize, class: impl Fn(u8) -> bool) -> usize {
    let rest = bytes.get(from..).unwrap_or_default();
    from + rest.iter().take_while(|b| class(**b)).count()
}

fn starts_with(bytes: &[u8], at: usize, prefix: &[u8]) -> bool {
    bytes.get(at..).is_some_and(|rest| rest.starts_with(prefix))
}

/// The maximal runs of word bytes, as `(start, end)`.
fn tokens(bytes: &[u8]) -> impl Iterator<Item = (usize, usize)> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = run(bytes, at, |b| !is_word(b));
        at = run(bytes, start, is_word);
        (at > start).then_some((start, at))
    })
}

/// Proper phrases: glued capitals, or capitals with a connector between.
fn names(bytes: &[u8]) -> (usize, bool) {
    let (mut count, mut resume, mut gave_up) = (0, 0, false);
    for (start, end) in tokens(bytes) {
        let token = bytes.get(start..end).unwrap_or_default();
        gave_up |= chunks(token).is_some_and(|chunks| chunks >= CHUNKS);
        if start < resume {
            continue;
        }
        if let Some(end) = name_at(bytes, start, end) {
            count += 1;
            resume = end;
        }
    }
    if gave_up { (0, true) } else { (count, false) }
}

/// Capitalized chunks that a word is made of, if it is made of nothing else.
fn chunks(word: &[u8]) -> Option<usize> {
    let mut at = 0;
    let mut chunks = 0;
    while at < word.len() {
        let small = run(word, at + 1, |b| b.is_ascii_lowercase());
        if !word.get(at).is_some_and(u8::is_ascii_uppercase) || small == at + 1 {
            return None;
        }
        at = small;
        chunks += 1;
    }
    (chunks > 0).then_some(chunks)
}

fn name_at(bytes: &[u8], start: usize, end: usize) -> Option<usize> {
    let word = bytes.get(start..end)?;
    let parts = chunks(word)?;
    if parts > 1 {
        return Some(end);
    }
    if is_excluded(word) {
        return None;
    }
    let connector = run(bytes, end, is_space);
    let connectors: [&[u8]; 9] = [
        b"of",
        b"the",
        b"de",
        "für".as_bytes(),
        b"et",
        b"al",
        b"i",
        b"and",
        b"for",
    ];
    let after = connectors.iter().find_map(|c| {
        let end = connector + c.len();
        let fits = starts_with(bytes, connector, c) && run(bytes, end, is_space) > end;
        fits.then(|| run(bytes, end, is_space))
    })?;
    let last = run(bytes, after, is_word);
    let follows = connector > end && chunks(bytes.get(after..last)?).is_some();
    follows.then_some(last)
}

/// A capitalized word with an ending that the reference takes for an adverb or adjective.
fn is_excluded(word: &[u8]) -> bool {
    let endings = [
        "ing", "ed", "ly", "al", "ical", "ous", "tive", "able", "istic", "ish",
    ];
    let small = word.get(1..).unwrap_or_default();
    endings
        .iter()
        .any(|ending| small.ends_with(ending.as_bytes()))
}

/// Two to five capitals that are no code; the reference's list of codes has RGE for AZO.
fn acronyms(ontology: &Compiled, bytes: &[u8]) -> usize {
    let acronym = |&(start, end): &(usize, usize)| {
        let token = bytes.get(start..end).unwrap_or_default();
        let shaped = (2..=5).contains(&token.len()) && token.iter().all(u8::is_ascii_uppercase);
        let listed = match token {
            b"AZO" => false,
            b"RGE" => true,
            token => std::str::from_utf8(token).is_ok_and(|t| code(ontology, t).is_some()),
        };
        shaped && !listed
    };
    tokens(bytes).filter(acronym).count()
}

/// `Smith (2020)`, `Smith et al. (2020)`.
fn citations(bytes: &[u8]) -> usize {
    let mut count = 0;
    let mut at = 0;
    while at < bytes.len() {
        match citation_at(bytes, at) {
            Some(end) => {
                count += 1;
                at = end;
            }
            None => at += 1,
        }
    }
    count
}

fn citation_at(bytes: &[u8], at: usize) -> Option<usize> {
    let name = bytes
        .get(at)
        .filter(|b| b.is_ascii_uppercase())
        .map(|_| at + 1)?;
    let name = Some(run(bytes, name, |b| b.is_ascii_lowercase())).filter(|end| *end > name)?;
    let et = run(bytes, name, is_space);
    let al = run(bytes, et + 2, is_space);
    let others =
        et > name && starts_with(bytes, et, b"et") && al > et + 2 && starts_with(bytes, al, b"al.");
    let open = run(bytes, if others { al + 3 } else { name }, is_space);
    let year = bytes.get(open..open + 6)?;
    let dated = matches!(year, [b'(', digits @ .., b')'] if digits.iter().all(u8::is_ascii_digit));
    dated.then_some(open + 6)
}

/// `19dd` and `20dd`.
fn years(bytes: &[u8]) -> usize {
    let year = |&(start, end): &(usize, usize)| {
        matches!(
            bytes.get(start..end),
            Some([b'1', b'9', a, b] | [b'2', b'0', a, b])
                if a.is_ascii_digit() && b.is_ascii_digit()
        )
    };
    tokens(bytes).filter(year).count()
}

/// Numbers with a unit, any case, with a word boundary after the unit.
fn quantities(text: &str) -> usize {
    let (mut count, mut resume) = (0, 0);
    for (at, c) in text.char_indices() {
        let starts = at >= resume && is_digit(c);
        if !starts || char_before(text, at).is_some_and(|c| PHP.is_word(c)) {
            continue;
        }
        if let Some(end) = quantity_at(text, at) {
            count += 1;
            resume = end;
        }
    }
    count
}

fn quantity_at(text: &str, at: usize) -> Option<usize> {
    let digits = skip(text, at, is_digit);
    let fraction = char_at(text, digits).filter(|c| matches!(c, '.' | ','));
    let fraction = fraction.map_or(digits, |_| skip(text, digits + 1, is_digit));
    let digits = if fraction > digits + 1 {
        fraction
    } else {
        digits
    };
    let unit = skip(text, digits, |c| PHP.is_space(c));
    let units = [
        "%", "km/h", "km", "kg", "years", "year", "months", "month", "hours", "hour", "million",
        "billion", "euros", "euro", "dollars", "dollar", "x", "$",
    ];
    units.iter().find_map(|spelled| {
        let mut end = unit;
        for letter in spelled.chars() {
            let c = char_at(text, end).filter(|c| fold(*c) == letter)?;
            end += c.len_utf8();
        }
        let inside = spelled.ends_with(char::is_alphabetic);
        let word_after = char_at(text, end).is_some_and(|c| PHP.is_word(c));
        (inside != word_after).then_some(end)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_need_glue_or_a_connector() {
        let count = |text: &str| names(text.as_bytes()).0;
        for yes in [
            "McDonald",
            "JavaScript",
            "Bank of England",
            "Haus für Kunst",
        ] {
            assert_eq!(count(yes), 1, "{yes}");
        }
        for no in ["New York", "King of England", "Bank of england", "McDONald"] {
            assert_eq!(count(no), 0, "{no}");
        }
        let camel = "Ab".repeat(CHUNKS);
        assert_eq!(names(camel.as_bytes()), (0, true));
    }

    #[test]
    fn quantities_end_at_a_boundary() {
        assert_eq!(
            quantities("50% of 50%of 5 km/hour 1 \u{212A}m 3.5 years"),
            4
        );
        assert_eq!(quantities("1,2,3 km x5 km"), 1);
    }

    #[test]
    fn words_are_those_of_php() {
        assert_eq!(words("intuïció però é -x- '".as_bytes()), 5);
        assert_eq!(words(b"-"), 1);
    }

    #[test]
    fn citations_need_a_year_in_parentheses() {
        assert_eq!(
            citations(b"Smith (2020), Smith et al. (1999), Smith et al (2020), iPhone(1234)"),
            3
        );
    }
}
