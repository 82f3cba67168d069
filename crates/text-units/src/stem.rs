//! Stems by the Snowball algorithms.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use snowball_stemmers_rs::{Algorithm, Stemmer as Snowball};

/// A language with built-in rules.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Language {
    /// English.
    #[default]
    English,
    /// Catalan.
    Catalan,
}

/// A Snowball stemmer of one language. Making one is cheap, sharing it between threads is free.
///
/// Definition: the Snowball project's algorithms `english` (Porter 2) and `catalan`.
pub struct Stemmer {
    inner: Snowball,
    language: Language,
}

impl Stemmer {
    /// The stemmer of a language.
    #[must_use]
    pub fn new(language: Language) -> Self {
        let algorithm = match language {
            Language::English => Algorithm::English,
            Language::Catalan => Algorithm::Catalan,
        };
        Self {
            inner: Snowball::create(algorithm),
            language,
        }
    }

    /// The language it stems.
    #[must_use]
    pub fn language(&self) -> Language {
        self.language
    }

    /// The stem of a folded word (see [`fold`](crate::fold)). The algorithms know lower case
    /// only: `Running` stays as it is.
    #[must_use]
    pub fn stem<'w>(&self, word: &'w str) -> Cow<'w, str> {
        self.inner.stem(word)
    }
}

impl std::fmt::Debug for Stemmer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Stemmer")
            .field("language", &self.language)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stemmer_is_shared_between_threads() {
        fn shareable<T: Send + Sync>(_: &T) {}
        let stemmer = Stemmer::new(Language::Catalan);
        shareable(&stemmer);
        let stems: Vec<String> = std::thread::scope(|scope| {
            let run = || stemmer.stem("cançons").into_owned();
            let threads = [scope.spawn(run), scope.spawn(run)];
            threads.into_iter().map(|t| t.join().unwrap()).collect()
        });
        assert_eq!(stems, ["cançon", "cançon"]);
    }

    #[test]
    fn languages_have_their_names_on_the_wire() {
        assert_eq!(
            serde_json::to_string(&Language::Catalan).unwrap(),
            "\"catalan\""
        );
        assert_eq!(
            serde_json::from_str::<Language>("\"english\"").unwrap(),
            Language::English
        );
    }
}
