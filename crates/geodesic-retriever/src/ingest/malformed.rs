//! Names that no one would give a specialist.

use serde::{Deserialize, Serialize};
use text_units::{Language, fold, is_stop_word};

/// Why a name is malformed: a fragment of a sentence, or noise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum MalformedName {
    /// Nothing, or nothing but signs and digits.
    NoLetters,
    /// Longer than 64 characters.
    TooLong,
    /// More than five words.
    Sentence,
    /// It begins or ends with a function word.
    Fragment,
    /// It holds signs of a sentence, control characters or characters that could not be read.
    Signs,
    /// Mostly single letters, or letters without a vowel.
    Noise,
}

/// The most characters of a name.
const MAX_NAME: usize = 64;

/// The most words of a name.
const MAX_WORDS: usize = 5;

/// Whether a specialist's name is malformed, and why; the first reason that applies.
#[must_use]
pub fn malformed_name(name: &str) -> Option<MalformedName> {
    if !name.chars().any(char::is_alphabetic) {
        return Some(MalformedName::NoLetters);
    }
    if name.chars().count() > MAX_NAME {
        return Some(MalformedName::TooLong);
    }
    let signs = |c: char| c.is_control() || ".,;:!?\"“”()[]{}<>|\\@#*=\u{fffd}".contains(c);
    if name.chars().any(signs) {
        return Some(MalformedName::Signs);
    }
    let parts = name.split(|c: char| c.is_whitespace() || c == '-' || c == '_' || c == '/');
    let words: Vec<&str> = parts.filter(|w| !w.is_empty()).collect();
    if words.len() > MAX_WORDS {
        return Some(MalformedName::Sentence);
    }
    let stop = |w: Option<&&str>| {
        w.is_some_and(|w| {
            let folded = fold(w);
            is_stop_word(&folded, Language::English) || is_stop_word(&folded, Language::Catalan)
        })
    };
    let single = words.iter().filter(|w| w.chars().count() == 1).count();
    if words.len() >= 2 && single * 2 > words.len() {
        return Some(MalformedName::Noise);
    }
    if stop(words.first()) || stop(words.last()) {
        return Some(MalformedName::Fragment);
    }
    let voiceless = |w: &&str| {
        let lower = w.to_lowercase();
        w.len() >= 4
            && w.is_ascii()
            && w.bytes().any(|b| b.is_ascii_lowercase())
            && !lower.contains(['a', 'e', 'i', 'o', 'u', 'y'])
    };
    words.iter().any(voiceless).then_some(MalformedName::Noise)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_pass_and_fragments_do_not() {
        for name in [
            "reasoning",
            "contract-law",
            "Dret civil",
            "genètica",
            "COVID-19",
            "rust ownership",
            "history of science",
            "DNS",
        ] {
            assert_eq!(malformed_name(name), None, "{name}");
        }
        use MalformedName::{Fragment, NoLetters, Noise, Sentence, Signs, TooLong};
        for (name, why) in [
            ("", NoLetters),
            ("12-3", NoLetters),
            ("which was then", Fragment),
            ("the bridge", Fragment),
            ("opened and", Fragment),
            ("de la història", Fragment),
            ("bridge that was opened last year", Sentence),
            ("The bridge, opened", Signs),
            ("br\u{fffd}dge", Signs),
            ("tab\there", Signs),
            ("r e s o n", Noise),
            ("thrgh", Noise),
        ] {
            assert_eq!(malformed_name(name), Some(why), "{name}");
        }
        assert_eq!(malformed_name(&"x".repeat(65)), Some(TooLong));
        assert_ne!(malformed_name(&"xa".repeat(32)), Some(TooLong));
    }
}
