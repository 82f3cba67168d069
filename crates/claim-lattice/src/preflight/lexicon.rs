//! The word lists of preflight, one text a language: data that a caller can add to.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};
use text_units::{Language, Stemmer};
use thiserror::Error;

use super::pattern::{Pattern, PatternSet};

/// What a lexicon's text can be refused for.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum LexiconError {
    /// A section that no detector reads.
    #[error(
        "line {line} of the lexicon opens the section [{section}], which no detector reads; the sections of the built-in English lexicon are accepted"
    )]
    Section {
        /// Line number, from 1.
        line: usize,
        /// The section's name.
        section: String,
    },
    /// An entry in front of the first section.
    #[error(
        "line {line} of the lexicon stands before the first [section]; entries belong to a section"
    )]
    NoSection {
        /// Line number, from 1.
        line: usize,
    },
    /// A pattern that cannot be matched in constant time, or that matches nothing.
    #[error(
        "line {line} of the lexicon has the pattern {pattern:?}; accepted are up to 16 elements with a word among them and at most two gaps"
    )]
    Pattern {
        /// Line number, from 1.
        line: usize,
        /// The pattern.
        pattern: String,
    },
    /// An entry that is not of the form its section asks for.
    #[error("line {line} of the lexicon is not of the form {accepted}")]
    Entry {
        /// Line number, from 1.
        line: usize,
        /// The form.
        accepted: &'static str,
    },
}

/// A work whose name is also something else's, so that a question about it has several frames.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KnownWork {
    /// Spellings of the name; the first is shown.
    pub(crate) names: Vec<String>,
    /// What bears the name: media, `event`, `in_universe`.
    pub(crate) kinds: Vec<String>,
}

/// The word lists of one language.
///
/// The text form has sections in brackets; `#` opens a comment line. Most sections hold phrase
/// patterns: words, `a/b` alternatives, `pre*`, `*suf`, `#` inside a pattern for a number, `@`
/// for a name, `_` for any word, `...` for a gap of up to five words, `!a/b` for "none of
/// these here", `^` for the start of a sentence, `$` for the end. Serializes as that text.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Lexicon {
    source: String,
    name: String,
    stemmer: Option<Language>,
    patterns: BTreeMap<String, PatternSet>,
    words: BTreeMap<String, BTreeSet<String>>,
    numbers: BTreeMap<String, u64>,
    irregular: BTreeMap<String, String>,
    pairs: BTreeSet<(String, String)>,
    templates: BTreeMap<String, String>,
    pub(crate) works: Vec<KnownWork>,
}

/// Sections that hold patterns.
const PATTERN_SECTIONS: &[&str] = &[
    "quantifier.1",
    "quantifier.2",
    "quantifier.3",
    "quantifier.4",
    "quantifier.5",
    "quantifier.6",
    "quantifier.7",
    "quantifier.8",
    "quantifier.9",
    "quantifier.mask",
    "bound.count",
    "bound.time",
    "bound.place",
    "bound.work",
    "bound.mask",
    "shape.how_many",
    "shape.why",
    "shape.date",
    "shape.list",
    "shape.relation",
    "shape.place",
    "shape.how",
    "shape.comparison",
    "shape.definition",
    "shape.yes_no",
    "temporal.current",
    "temporal.mask",
    "contradiction.simultaneous",
    "contradiction.explicit",
    "contradiction.mask",
    "contradiction.given",
    "frame.real",
    "frame.literal",
    "frame.in_universe",
    "medium.novel",
    "medium.film",
    "medium.series",
    "medium.play",
    "medium.game",
    "medium.poem",
    "medium.music",
    "medium.event",
    "premise.opening",
    "denial",
];

/// Sections that hold single words.
const WORD_SECTIONS: &[&str] = &[
    "function",
    "stop",
    "negation",
    "auxiliary",
    "conjunction",
    "inside",
    "pronoun",
    "determiner",
    "copula",
];

impl Lexicon {
    /// The built-in English lists.
    #[must_use]
    pub fn english() -> &'static Self {
        static BUILT_IN: OnceLock<Lexicon> = OnceLock::new();
        BUILT_IN.get_or_init(|| built_in(include_str!("lexicon/english.txt")))
    }

    /// The built-in Catalan lists.
    #[must_use]
    pub fn catalan() -> &'static Self {
        static BUILT_IN: OnceLock<Lexicon> = OnceLock::new();
        BUILT_IN.get_or_init(|| built_in(include_str!("lexicon/catalan.txt")))
    }

    /// Both built-in languages, English first.
    #[must_use]
    pub fn built_in() -> [&'static Self; 2] {
        [Self::english(), Self::catalan()]
    }

    /// Reads a lexicon from its text form. Linear in its length.
    ///
    /// # Errors
    /// [`LexiconError`] names the first line that is refused, and what would be accepted.
    pub fn parse(text: &str) -> Result<Self, LexiconError> {
        let mut lexicon = Self {
            source: text.to_owned(),
            ..Self::default()
        };
        let mut section: Option<&str> = None;
        for (index, line) in text.lines().enumerate() {
            let (line, number) = (line.trim(), index + 1);
            if line.is_empty() || line == "#" || line.starts_with("# ") {
                continue;
            }
            if let Some(name) = line.strip_prefix('[').and_then(|l| l.strip_suffix(']')) {
                section = Some(name);
                continue;
            }
            let section = section.ok_or(LexiconError::NoSection { line: number })?;
            lexicon.entry(section, line, number)?;
        }
        Ok(lexicon)
    }

    fn entry(&mut self, section: &str, line: &str, number: usize) -> Result<(), LexiconError> {
        let refuse = |accepted| LexiconError::Entry {
            line: number,
            accepted,
        };
        if PATTERN_SECTIONS.contains(&section) {
            let pattern = Pattern::parse(line, number)?;
            self.patterns
                .entry(section.to_owned())
                .or_default()
                .push(pattern);
        } else if WORD_SECTIONS.contains(&section) {
            let words = self.words.entry(section.to_owned()).or_default();
            words.extend(line.split_whitespace().map(ToOwned::to_owned));
        } else if section == "numbers" {
            for pair in line.split(',') {
                let (word, value) = pair.split_once('=').ok_or(refuse("word = 3, word = 4"))?;
                let value = value
                    .trim()
                    .parse()
                    .map_err(|_| refuse("word = 3, word = 4"))?;
                self.numbers.insert(word.trim().to_owned(), value);
            }
        } else if section == "irregular" {
            let (base, forms) = line.split_once('=').ok_or(refuse("go = went gone"))?;
            for form in forms.split_whitespace() {
                self.irregular
                    .insert(form.to_owned(), base.trim().to_owned());
            }
        } else if section == "opposites" {
            let (a, b) = line.split_once('|').ok_or(refuse("alive | dead"))?;
            let (a, b) = (a.trim().to_owned(), b.trim().to_owned());
            self.pairs.insert((a.clone(), b.clone()));
            self.pairs.insert((b, a));
        } else if section == "template" {
            let (key, value) = line.split_once('=').ok_or(refuse("key = text"))?;
            self.templates
                .insert(key.trim().to_owned(), value.trim().to_owned());
        } else if section == "works" {
            let accepted = "name | other name => novel, film, event, in_universe";
            let (names, kinds) = line.split_once("=>").ok_or(refuse(accepted))?;
            let list = |s: &str, by: char| -> Vec<String> {
                s.split(by)
                    .map(|n| n.trim().to_owned())
                    .filter(|n| !n.is_empty())
                    .collect()
            };
            self.works.push(KnownWork {
                names: list(names, '|'),
                kinds: list(kinds, ','),
            });
        } else if section == "language" {
            self.language_line(line)
                .ok_or(refuse("name = xx, or stemmer = english | catalan"))?;
        } else {
            return Err(LexiconError::Section {
                line: number,
                section: section.to_owned(),
            });
        }
        Ok(())
    }

    fn language_line(&mut self, line: &str) -> Option<()> {
        let (key, value) = line.split_once('=')?;
        match (key.trim(), value.trim()) {
            ("name", value) => value.clone_into(&mut self.name),
            ("stemmer", "english") => self.stemmer = Some(Language::English),
            ("stemmer", "catalan") => self.stemmer = Some(Language::Catalan),
            _ => return None,
        }
        Some(())
    }

    /// The language's name: `english`, `catalan`, or the caller's own.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The patterns of a section; empty when the lexicon has none.
    pub(crate) fn patterns(&self, section: &str) -> &PatternSet {
        static NONE: OnceLock<PatternSet> = OnceLock::new();
        self.patterns
            .get(section)
            .unwrap_or_else(|| NONE.get_or_init(PatternSet::default))
    }

    /// Whether a word list holds a folded word.
    pub(crate) fn has_word(&self, section: &str, word: &str) -> bool {
        self.words.get(section).is_some_and(|w| w.contains(word))
    }

    /// The value of a number word.
    pub(crate) fn number(&self, word: &str) -> Option<u64> {
        self.numbers.get(word).copied()
    }

    /// The base form of an irregular word; any other word itself.
    pub(crate) fn base_form<'a>(&'a self, word: &'a str) -> &'a str {
        self.irregular.get(word).map_or(word, String::as_str)
    }

    /// Whether two words exclude each other.
    pub(crate) fn opposed(&self, a: &str, b: &str) -> bool {
        self.pairs.contains(&(a.to_owned(), b.to_owned()))
    }

    /// A text template, or the key itself where the lexicon has none.
    pub(crate) fn template<'a>(&'a self, key: &'a str) -> &'a str {
        self.templates.get(key).map_or(key, String::as_str)
    }

    /// The stem of a folded word; the word itself in a language without a stemmer.
    pub(crate) fn stem(&self, word: &str) -> String {
        match self.stemmer {
            Some(language) => Stemmer::new(language).stem(word).into_owned(),
            None => word.to_owned(),
        }
    }

    /// Whether a folded word carries content: no function word, auxiliary or negation.
    pub(crate) fn is_content(&self, word: &str) -> bool {
        !["function", "stop", "auxiliary", "negation"]
            .iter()
            .any(|section| self.has_word(section, word))
    }
}

impl TryFrom<String> for Lexicon {
    type Error = LexiconError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text)
    }
}

impl From<Lexicon> for String {
    fn from(lexicon: Lexicon) -> Self {
        lexicon.source
    }
}

/// A built-in text always reads (a test holds that); an unreadable one would detect nothing.
fn built_in(text: &str) -> Lexicon {
    Lexicon::parse(text).unwrap_or_default()
}

/// The lexicon whose function words a question has most of; the first on a tie. `None` when
/// there is no lexicon at all.
#[must_use]
pub fn choose_language<'l>(question: &str, languages: &[&'l Lexicon]) -> Option<&'l Lexicon> {
    let cleaned = text_units::clean(question);
    let folded: Vec<String> = text_units::words(cleaned.text())
        .map(|w| w.folded().into_owned())
        .collect();
    let mut best: Option<(usize, &'l Lexicon)> = None;
    for &lexicon in languages {
        let count = folded
            .iter()
            .filter(|w| lexicon.has_word("function", w))
            .count();
        if best.is_none_or(|(most, _)| count > most) {
            best = Some((count, lexicon));
        }
    }
    best.map(|(_, lexicon)| lexicon)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXTS: [&str; 2] = [
        include_str!("lexicon/english.txt"),
        include_str!("lexicon/catalan.txt"),
    ];

    #[test]
    fn built_in_texts_read_and_fill_every_section() {
        for text in TEXTS {
            let lexicon = Lexicon::parse(text).unwrap();
            for section in PATTERN_SECTIONS {
                assert!(
                    lexicon.patterns.contains_key(*section),
                    "{section} is empty in {}",
                    lexicon.name
                );
            }
            for section in WORD_SECTIONS {
                assert!(
                    lexicon.words.contains_key(*section),
                    "{section} is empty in {}",
                    lexicon.name
                );
            }
        }
    }

    #[test]
    fn languages_have_the_same_templates() {
        let keys = |l: &Lexicon| l.templates.keys().cloned().collect::<Vec<_>>();
        assert_eq!(keys(Lexicon::english()), keys(Lexicon::catalan()));
    }

    #[test]
    fn refused_lines_are_named() {
        let section = |line, name: &str| LexiconError::Section {
            line,
            section: name.to_owned(),
        };
        assert_eq!(Lexicon::parse("[nonsense]\nx"), Err(section(2, "nonsense")));
        assert_eq!(
            Lexicon::parse("word"),
            Err(LexiconError::NoSection { line: 1 })
        );
        for pattern in ["... ... ... x", "^ $", "!a"] {
            let text = format!("[denial]\n{pattern}");
            assert_eq!(
                Lexicon::parse(&text),
                Err(LexiconError::Pattern {
                    line: 2,
                    pattern: pattern.to_owned()
                })
            );
        }
        assert!(matches!(
            Lexicon::parse("[numbers]\nx = y"),
            Err(LexiconError::Entry { line: 2, .. })
        ));
    }

    #[test]
    fn a_lexicon_serializes_as_its_text() {
        let wire = serde_json::to_string(Lexicon::english()).unwrap();
        let back: Lexicon = serde_json::from_str(&wire).unwrap();
        assert_eq!(&back, Lexicon::english());
    }
}
