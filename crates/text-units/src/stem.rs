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

/// A Snowball stemmer of one language.
pub struct Stemmer {
    inner: Snowball,
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
        }
    }

    /// The stem of a folded word (see [`fold`](crate::fold)).
    #[must_use]
    pub fn stem<'w>(&self, word: &'w str) -> Cow<'w, str> {
        self.inner.stem(word)
    }
}

impl std::fmt::Debug for Stemmer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Stemmer").finish_non_exhaustive()
    }
}
