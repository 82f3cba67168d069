//! Tension as the references count it: substrings near codes, in units that differ
//! (deployed page §5).

use super::chars::{Dialect, by_first_letter, char_at};
use super::citations::{Citations, Mention};
use crate::error::Error;
use crate::ontology::Compiled;

const MARKERS: [&str; 22] = [
    "yet",
    "however",
    "but",
    "while",
    "although",
    "in tension with",
    "despite",
    "contrary to",
    "on the other hand",
    "rather than",
    "whereas",
    "nonetheless",
    "still",
    "però",
    "tot i que",
    "tanmateix",
    "no obstant",
    "en canvi",
    "mentre que",
    "d'altra banda",
    "al contrari",
    "ans",
];
const REACH: usize = 80;

/// A marker in the text.
struct Find {
    marker: &'static str,
    byte: usize,
    /// Its start in the units of the reference, in the lower-cased text.
    unit: usize,
}

/// A marker near codes of two quadrants.
pub(super) struct Tension<'c> {
    pub(super) marker: &'static str,
    pub(super) byte: usize,
    pub(super) codes: [&'c Mention; 2],
}

/// The tension events.
///
/// # Errors
/// [`Error::ReferenceThrows`] where the PHP reference searches past the end.
pub(super) fn tensions<'c>(
    ontology: &Compiled,
    text: &str,
    cited: &'c Citations,
    dialect: Dialect,
) -> Result<Vec<Tension<'c>>, Error> {
    if cited.mentions.len() < 2 {
        return Ok(Vec::new());
    }
    let finds = finds(text, dialect)?;
    Ok(near_codes(ontology, &finds, &cited.mentions, dialect))
}

/// Every marker's occurrences, each searched on from where its last one ended.
fn finds(text: &str, dialect: Dialect) -> Result<Vec<Find>, Error> {
    let mut finds = Vec::new();
    let mut resume = [0_usize; MARKERS.len()];
    let by_letter = by_first_letter(&MARKERS);
    let mut unit = 0;
    for (byte, c) in text.char_indices() {
        let first = c.to_lowercase().next().unwrap_or(c);
        for &index in by_letter.get(first as usize).into_iter().flatten() {
            let (Some(marker), Some(resume)) = (MARKERS.get(index), resume.get_mut(index)) else {
                continue;
            };
            if unit >= *resume && lower_starts_with(text, byte, marker) {
                *resume = unit + step(marker, dialect);
                finds.push(Find { marker, byte, unit });
            }
        }
        unit += c.to_lowercase().map(|l| units(l, dialect)).sum::<usize>();
    }
    if resume.iter().any(|resume| *resume > unit) {
        return Err(Error::ReferenceThrows {
            exception: "ValueError: mb_strpos(): Argument #3 ($offset) must be contained in argument #1 ($haystack)",
        });
    }
    Ok(finds)
}

fn units(c: char, dialect: Dialect) -> usize {
    match dialect {
        Dialect::Js => c.len_utf16(),
        Dialect::Php => 1,
    }
}

/// How far a search goes on after a find: PHP adds bytes to an offset in characters.
fn step(marker: &str, dialect: Dialect) -> usize {
    match dialect {
        Dialect::Js => marker.encode_utf16().count(),
        Dialect::Php => marker.len(),
    }
}

fn lower_starts_with(text: &str, byte: usize, marker: &str) -> bool {
    let rest = text.get(byte..).unwrap_or_default();
    let mut lower = rest.chars().flat_map(char::to_lowercase);
    marker.chars().all(|m| lower.next() == Some(m))
}

/// The events, by a window that slides over the codes: linear, where the references compare each
/// find with each code.
fn near_codes<'c>(
    ontology: &Compiled,
    finds: &[Find],
    codes: &'c [Mention],
    dialect: Dialect,
) -> Vec<Tension<'c>> {
    let place = |code: &Mention| match dialect {
        Dialect::Js => code.unit,
        Dialect::Php => code.byte,
    };
    let quadrant = |code: &Mention| {
        let code = ontology.codes.get(usize::from(code.code));
        code.map_or(0, |c| c.quadrant)
    };
    let (mut from, mut to) = (0, 0);
    let mut events = Vec::new();
    for find in finds {
        while codes
            .get(from)
            .is_some_and(|c| place(c) + REACH < find.unit)
        {
            from += 1;
        }
        while codes.get(to).is_some_and(|c| place(c) <= find.unit + REACH) {
            to += 1;
        }
        let window = codes.get(from..to).unwrap_or_default();
        let Some(one) = window.first() else { continue };
        let other = window.iter().find(|c| quadrant(c) != quadrant(one));
        events.extend(other.map(|other| Tension {
            marker: find.marker,
            byte: find.byte,
            codes: [one, other],
        }));
    }
    events
}

/// Where a marker that starts at `byte` ends in the original text.
pub(super) fn marker_end(text: &str, byte: usize, marker: &str) -> usize {
    let mut left = marker.chars().count();
    let mut at = byte;
    while let Some(c) = char_at(text, at).filter(|_| left > 0) {
        left = left.saturating_sub(c.to_lowercase().count());
        at += c.len_utf8();
    }
    at
}
