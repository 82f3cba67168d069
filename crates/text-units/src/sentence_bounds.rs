//! UAX #29 sentence boundaries, fast for what most text is made of.

use unicode_segmentation::UnicodeSegmentation;

/// The `Sentence_Break` classes that matter here; ends of paragraphs do not occur in a block.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    /// `ATerm`.
    Dot,
    /// `STerm`.
    Stop,
    Close,
    Space,
    /// `SContinue`.
    Continue,
    Upper,
    Lower,
    Digit,
    Other,
}

/// The inner sentence boundaries of a text, ascending, by UAX #29.
///
/// Text of ASCII, Latin letters up to U+017F and common punctuation is split here by the same
/// rules; any other goes to unicode-segmentation. A property test holds the two together.
pub(crate) fn sentence_bounds(text: &str) -> Vec<usize> {
    if !text.chars().all(is_known) {
        return text
            .split_sentence_bound_indices()
            .map(|(at, _)| at)
            .filter(|&at| at > 0)
            .collect();
    }
    text.match_indices(['.', '!', '?'])
        .filter_map(|(at, _)| bound_after(text, at))
        .collect()
}

/// The boundary that the stop at `at` makes, if it makes one (rules SB6 to SB11).
fn bound_after(text: &str, at: usize) -> Option<usize> {
    let rest = text.get(at + 1..)?;
    let unclosed = rest.trim_start_matches(|c| class_of(c) == Class::Close);
    let next = unclosed.trim_start_matches(|c| class_of(c) == Class::Space);
    let class = class_of(next.chars().next()?);
    if matches!(class, Class::Continue | Class::Dot | Class::Stop) {
        return None;
    }
    if text.as_bytes().get(at) == Some(&b'.') {
        let adjacent = next.len() == rest.len();
        let letter_before = text
            .get(..at)
            .and_then(|head| head.chars().next_back())
            .is_some_and(|c| matches!(class_of(c), Class::Upper | Class::Lower));
        let lower_ahead = next
            .chars()
            .map(class_of)
            .find(|c| matches!(c, Class::Upper | Class::Lower | Class::Dot | Class::Stop))
            == Some(Class::Lower);
        if lower_ahead
            || (adjacent && class == Class::Digit)
            || (adjacent && letter_before && class == Class::Upper)
        {
            return None;
        }
    }
    Some(text.len() - next.len())
}

/// Whether [`class_of`] knows a character.
fn is_known(c: char) -> bool {
    matches!(c, '\t' | ' '..='~' | '\u{C0}'..='\u{17F}' | '\u{AB}' | '\u{BB}' | '\u{B7}' | '\u{B0}'
        | '\u{A1}' | '\u{BF}' | '\u{2013}' | '\u{2014}' | '\u{2018}' | '\u{2019}' | '\u{201C}'
        | '\u{201D}' | '\u{2026}')
}

fn class_of(c: char) -> Class {
    match c {
        'a'..='z' => Class::Lower,
        'A'..='Z' => Class::Upper,
        '0'..='9' => Class::Digit,
        ' ' | '\t' => Class::Space,
        '.' => Class::Dot,
        '!' | '?' => Class::Stop,
        '(' | ')' | '[' | ']' | '{' | '}' | '"' | '\'' | '\u{AB}' | '\u{BB}' | '\u{2018}'
        | '\u{2019}' | '\u{201C}' | '\u{201D}' => Class::Close,
        ',' | '-' | ':' | ';' | '\u{2013}' | '\u{2014}' => Class::Continue,
        c if c.is_lowercase() => Class::Lower,
        c if c.is_uppercase() => Class::Upper,
        _ => Class::Other,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn agree(text: &str) {
        let theirs: Vec<usize> = text
            .split_sentence_bound_indices()
            .map(|(at, _)| at)
            .filter(|&at| at > 0)
            .collect();
        assert_eq!(sentence_bounds(text), theirs, "{text:?}");
    }

    #[test]
    fn every_character_known_here_has_its_unicode_class() {
        for c in ('\0'..'\u{2100}').filter(|&c| is_known(c)) {
            for text in [
                format!("a.{c}B"),
                format!("a. {c}B"),
                format!("a{c}B"),
                format!("a!{c} b"),
                format!("a. {c} b"),
                format!("{c}.B"),
                format!("A.{c}. B"),
                format!("1{c} B"),
                format!("a?{c}"),
            ] {
                agree(&text);
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3000))]

        #[test]
        fn the_two_splitters_agree(text in "([a-bA-B0-1.!?,;:'\"()\\[\\]«»’”— \t…çÉ-]|\\. |\\PC){0,30}") {
            agree(&text);
        }
    }
}
