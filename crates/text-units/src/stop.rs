//! Stop words: the function words that say nothing about what a text is about.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::{Language, Stemmer, Word, words};

static STOP_WORDS: LazyLock<HashMap<&'static str, [bool; 2]>> = LazyLock::new(|| {
    let mut map: HashMap<&'static str, [bool; 2]> = HashMap::new();
    for (row, language) in [
        (include_str!("data/stop-words-en.txt"), 0),
        (include_str!("data/stop-words-ca.txt"), 1),
    ] {
        for word in row
            .lines()
            .filter(|l| !l.starts_with('#'))
            .flat_map(str::split_whitespace)
        {
            if let Some(flag) = map.entry(word).or_default().get_mut(language) {
                *flag = true;
            }
        }
    }
    map
});

/// Whether a folded word is a stop word of a language: an article, pronoun, preposition,
/// conjunction, auxiliary or clitic. Negations, numbers and quantifiers are not stop words:
/// a claim hangs on them.
///
/// The lists are this crate's own (`src/data/stop-words-en.txt`, `stop-words-ca.txt`).
#[must_use]
pub fn is_stop_word(folded: &str, language: Language) -> bool {
    let [english, catalan] = STOP_WORDS.get(folded).copied().unwrap_or_default();
    match language {
        Language::English => english,
        Language::Catalan => catalan,
    }
}

/// A word that carries content, with its stem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContentWord<'t> {
    /// The word as it stands.
    pub word: Word<'t>,
    /// The stem of its folded form without a possessive.
    pub stem: String,
}

/// The words of a text that are no stop words of the stemmer's language, with their stems.
///
/// ```
/// use text_units::{Language, Stemmer, content_words};
///
/// let stemmer = Stemmer::new(Language::English);
/// let stems: Vec<_> = content_words("The bridge’s towers were rising", &stemmer)
///     .map(|w| w.stem)
///     .collect();
/// assert_eq!(stems, ["bridg", "tower", "rise"]);
/// ```
pub fn content_words<'t>(
    text: &'t str,
    stemmer: &'t Stemmer,
) -> impl Iterator<Item = ContentWord<'t>> {
    words(text).filter_map(move |word| {
        if is_stop_word(&word.folded(), stemmer.language()) {
            return None;
        }
        let stem = stemmer.stem(&word.base()).into_owned();
        Some(ContentWord { word, stem })
    })
}
