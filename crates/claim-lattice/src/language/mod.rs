//! Word lists of a language: stop words, months, number words, opposites, question shapes.

mod catalan;
mod english;
mod english_synonyms;
mod lexicon;

use std::sync::{Arc, LazyLock};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::error::Error;
pub(crate) use lexicon::{Class, Lexicon, Shape};

/// The version of the built-in word lists. A change of a list that can change a verdict
/// changes it, so that a policy's hash can bind it.
pub const WORD_LISTS_VERSION: u32 = 1;

/// The word lists of a language, for callers who add one.
///
/// Every word is written as it stands in lower-case text. Where a list has groups, its members
/// belong together as the field says. Lists may be empty: what they feed then never fires.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct WordLists {
    /// The language's name.
    pub name: String,
    /// Whose stemmer is used.
    pub stemmer: text_units::Language,
    /// Function words.
    pub stop_words: Vec<String>,
    /// Words that carry little of their own; no content tokens either.
    pub light_words: Vec<String>,
    /// Pronouns.
    pub pronouns: Vec<String>,
    /// Words that deny.
    pub negations: Vec<String>,
    /// Words that make a statement a possibility.
    pub hedges: Vec<String>,
    /// Words of ability, which a possibility bears.
    pub abilities: Vec<String>,
    /// Words that open a clause.
    pub conjunctions: Vec<String>,
    /// Words that state a plan or an attempt.
    pub unreal: Vec<String>,
    /// The twelve months in order, each with its short forms.
    pub months: Vec<Vec<String>>,
    /// Number words with their values.
    pub numbers: Vec<(String, u64)>,
    /// Ordinals with their values.
    pub ordinals: Vec<(String, u64)>,
    /// Quantifiers, seven groups: universal, exclusive, majority, many, some, few, none.
    pub quantifiers: Vec<Vec<String>>,
    /// Superlatives.
    pub superlatives: Vec<String>,
    /// Words that look like superlatives in `-est` and are none.
    pub not_superlatives: Vec<String>,
    /// Whether `-est` makes a superlative.
    pub est_is_superlative: bool,
    /// Irregular forms, each with its lemma.
    pub irregular: Vec<(String, String)>,
    /// Groups of words that stand for one another.
    pub synonyms: Vec<Vec<String>>,
    /// Opposites: two sides.
    pub antonyms: Vec<(Vec<String>, Vec<String>)>,
    /// Closed families whose members exclude one another.
    pub families: Vec<Vec<String>>,
    /// Phrases of questions after a relation.
    pub relation_questions: Vec<String>,
    /// Phrases of questions after a date.
    pub date_questions: Vec<String>,
    /// Phrases of questions after a list.
    pub list_questions: Vec<String>,
    /// Phrases of questions after a count.
    pub count_questions: Vec<String>,
    /// Phrases of questions after a cause.
    pub cause_questions: Vec<String>,
    /// Phrases by which an answer says that the sources do not answer.
    pub refusals: Vec<String>,
    /// Words too weak to be a cause.
    pub weak_causes: Vec<String>,
}

impl WordLists {
    /// The built-in English lists.
    #[must_use]
    pub fn english() -> Self {
        use {english as l, english_synonyms as synonyms};
        Self {
            name: "english".to_owned(),
            stemmer: text_units::Language::English,
            stop_words: list(l::STOP),
            light_words: list(l::LIGHT),
            pronouns: list(l::PRONOUNS),
            negations: list(l::NEGATIONS),
            hedges: list(l::HEDGES),
            abilities: list(l::ABILITIES),
            conjunctions: list(l::CONJUNCTIONS),
            unreal: list(l::UNREAL),
            months: groups(l::MONTHS),
            numbers: valued(l::NUMBERS),
            ordinals: valued(l::ORDINALS),
            quantifiers: groups(l::QUANTIFIERS),
            superlatives: list(l::SUPERLATIVES),
            not_superlatives: list(l::NOT_SUPERLATIVES),
            est_is_superlative: true,
            irregular: pairs(l::IRREGULAR),
            synonyms: [synonyms::VERBS, synonyms::NOUNS, synonyms::OTHERS]
                .into_iter()
                .flat_map(groups)
                .collect(),
            antonyms: sides(l::ANTONYMS),
            families: groups(l::FAMILIES),
            relation_questions: phrases(l::RELATION_QUESTIONS),
            date_questions: phrases(l::DATE_QUESTIONS),
            list_questions: phrases(l::LIST_QUESTIONS),
            count_questions: phrases(l::COUNT_QUESTIONS),
            cause_questions: phrases(l::CAUSE_QUESTIONS),
            refusals: phrases(l::REFUSALS),
            weak_causes: list(l::WEAK_CAUSES),
        }
    }

    /// The built-in Catalan lists.
    #[must_use]
    pub fn catalan() -> Self {
        use catalan as l;
        Self {
            name: "catalan".to_owned(),
            stemmer: text_units::Language::Catalan,
            stop_words: list(l::STOP),
            light_words: list(l::LIGHT),
            pronouns: list(l::PRONOUNS),
            negations: list(l::NEGATIONS),
            hedges: list(l::HEDGES),
            abilities: list(l::ABILITIES),
            conjunctions: list(l::CONJUNCTIONS),
            unreal: list(l::UNREAL),
            months: groups(l::MONTHS),
            numbers: valued(l::NUMBERS),
            ordinals: valued(l::ORDINALS),
            quantifiers: groups(l::QUANTIFIERS),
            superlatives: list(l::SUPERLATIVES),
            not_superlatives: list(l::NOT_SUPERLATIVES),
            est_is_superlative: false,
            irregular: pairs(l::IRREGULAR),
            synonyms: groups(l::SYNONYMS),
            antonyms: sides(l::ANTONYMS),
            families: groups(l::FAMILIES),
            relation_questions: phrases(l::RELATION_QUESTIONS),
            date_questions: phrases(l::DATE_QUESTIONS),
            list_questions: phrases(l::LIST_QUESTIONS),
            count_questions: phrases(l::COUNT_QUESTIONS),
            cause_questions: phrases(l::CAUSE_QUESTIONS),
            refusals: phrases(l::REFUSALS),
            weak_causes: list(l::WEAK_CAUSES),
        }
    }

    fn check(&self) -> Result<(), Error> {
        let lists: [(&'static str, &[String]); 11] = [
            ("stop_words", &self.stop_words),
            ("pronouns", &self.pronouns),
            ("negations", &self.negations),
            ("hedges", &self.hedges),
            ("light_words", &self.light_words),
            ("abilities", &self.abilities),
            ("conjunctions", &self.conjunctions),
            ("unreal", &self.unreal),
            ("superlatives", &self.superlatives),
            ("not_superlatives", &self.not_superlatives),
            ("weak_causes", &self.weak_causes),
        ];
        for (list, words) in lists {
            for word in words {
                let folded = text_units::fold(word);
                if word.is_empty() || folded != word.as_str() || word.contains(char::is_whitespace)
                {
                    return Err(Error::InvalidWord {
                        list,
                        word: word.chars().take(80).collect(),
                    });
                }
            }
        }
        Ok(())
    }
}

/// The language whose word lists the verifier uses.
///
/// On the wire: `"english"`, `"catalan"`, or `{"custom": {…}}` with all lists.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub enum Language {
    /// English, built in.
    #[default]
    English,
    /// Catalan, built in.
    Catalan,
    /// Word lists of the caller's own; see [`Language::custom`].
    Custom(CustomLanguage),
}

/// Checked word lists of a caller. Cheap to clone.
#[derive(Clone)]
pub struct CustomLanguage {
    inner: Arc<(WordLists, Lexicon)>,
}

impl CustomLanguage {
    /// The lists as they were given.
    #[must_use]
    pub fn word_lists(&self) -> &WordLists {
        &self.inner.0
    }
}

impl std::fmt::Debug for CustomLanguage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("CustomLanguage")
            .field(&self.inner.0.name)
            .finish()
    }
}

static ENGLISH: LazyLock<Lexicon> = LazyLock::new(|| Lexicon::new(&WordLists::english()));
static CATALAN: LazyLock<Lexicon> = LazyLock::new(|| Lexicon::new(&WordLists::catalan()));

impl Language {
    /// A language of the caller's own.
    ///
    /// # Errors
    /// [`Error::InvalidWord`] when an entry of a list of single words is empty, holds white
    /// space or is not in the form in which words are compared (lower case).
    pub fn custom(lists: WordLists) -> Result<Self, Error> {
        lists.check()?;
        let lexicon = Lexicon::new(&lists);
        Ok(Self::Custom(CustomLanguage {
            inner: Arc::new((lists, lexicon)),
        }))
    }

    /// The language's name.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::English => "english",
            Self::Catalan => "catalan",
            Self::Custom(custom) => &custom.inner.0.name,
        }
    }

    pub(crate) fn lexicon(&self) -> &Lexicon {
        match self {
            Self::English => &ENGLISH,
            Self::Catalan => &CATALAN,
            Self::Custom(custom) => &custom.inner.1,
        }
    }
}

impl PartialEq for Language {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::English, Self::English) | (Self::Catalan, Self::Catalan) => true,
            (Self::Custom(a), Self::Custom(b)) => {
                Arc::ptr_eq(&a.inner, &b.inner) || a.inner.0 == b.inner.0
            }
            _ => false,
        }
    }
}

impl Eq for Language {}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum LanguageOnWire {
    English,
    Catalan,
    Custom(Box<WordLists>),
}

impl Serialize for Language {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::English => LanguageOnWire::English,
            Self::Catalan => LanguageOnWire::Catalan,
            Self::Custom(custom) => LanguageOnWire::Custom(Box::new(custom.inner.0.clone())),
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Language {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match LanguageOnWire::deserialize(deserializer)? {
            LanguageOnWire::English => Ok(Self::English),
            LanguageOnWire::Catalan => Ok(Self::Catalan),
            LanguageOnWire::Custom(lists) => Self::custom(*lists).map_err(serde::de::Error::custom),
        }
    }
}

fn list(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

fn groups(text: &str) -> Vec<Vec<String>> {
    text.split('|').map(list).collect()
}

fn phrases(text: &str) -> Vec<String> {
    text.split('|').map(|p| p.trim().to_owned()).collect()
}

fn sides(text: &str) -> Vec<(Vec<String>, Vec<String>)> {
    text.split('|')
        .filter_map(|pair| pair.split_once('/'))
        .map(|(a, b)| (list(a), list(b)))
        .collect()
}

fn pairs(text: &str) -> Vec<(String, String)> {
    let words = list(text);
    words
        .chunks_exact(2)
        .filter_map(|pair| match pair {
            [form, lemma] => Some((form.clone(), lemma.clone())),
            _ => None,
        })
        .collect()
}

fn valued(text: &str) -> Vec<(String, u64)> {
    pairs(text)
        .into_iter()
        .filter_map(|(word, value)| value.parse().ok().map(|v| (word, v)))
        .collect()
}
