//! Which sentences cover the question.

use std::collections::{BTreeMap, BTreeSet};

use text_units::{Language, Stemmer, words};

use super::sentences::{leans, standalone};

/// A sentence taken from the evidence.
#[derive(Debug, Clone, PartialEq)]
pub struct Extract {
    /// The sentence, verbatim but for runs of white space made one space.
    pub sentence: String,
    /// The pointer of the passage that it stands in.
    pub pointer: String,
    /// The share of the question's weight that it covers beyond the sentences before it, 0 to 1.
    pub covers: f64,
}

/// A first sentence must cover this share of the question's weight, else nothing bears on it.
const BEARING: f64 = 0.34;
/// A further sentence must add this share.
const FURTHER: f64 = 0.20;
/// What a sentence that leans on another is worth beside one that does not.
const LEANING_WORTH: f64 = 0.6;

const ENGLISH: &[&str] = &[
    "a", "about", "after", "all", "also", "an", "and", "any", "are", "as", "at", "be", "been",
    "but", "by", "can", "could", "did", "do", "does", "for", "from", "had", "has", "have", "he",
    "her", "his", "how", "i", "if", "in", "into", "is", "it", "its", "me", "my", "of", "on", "or",
    "our", "she", "should", "so", "such", "tell", "than", "that", "the", "their", "them", "then",
    "there", "these", "they", "this", "those", "to", "was", "we", "were", "what", "when", "where",
    "which", "who", "whom", "whose", "why", "will", "with", "would", "you", "your",
];

const CATALAN: &[&str] = &[
    "a", "al", "als", "amb", "aquell", "aquella", "aquest", "aquesta", "aquestes", "aquests",
    "això", "com", "d'", "de", "del", "dels", "el", "els", "em", "en", "entre", "era", "es", "és",
    "ets", "fa", "fan", "fins", "ha", "han", "hi", "ho", "i", "l'", "la", "les", "li", "m'", "més",
    "n'", "ni", "no", "o", "on", "per", "perquè", "però", "pot", "què", "quan", "quant", "quants",
    "quanta", "quantes", "qual", "quals", "que", "qui", "quin", "quina", "quines", "quins", "s'",
    "se", "sense", "ser", "seu", "seva", "són", "sobre", "t'", "té", "tenen", "un", "una", "unes",
    "uns", "va", "van", "vaig",
];

/// English or Catalan, whichever has more function words in the text; English on a tie.
pub(crate) fn language_of(text: &str) -> Language {
    let (mut english, mut catalan) = (0_usize, 0_usize);
    for word in words(text) {
        let word = word.folded();
        english += usize::from(ENGLISH.contains(&word.as_ref()));
        catalan += usize::from(CATALAN.contains(&word.as_ref()));
    }
    if catalan > english {
        Language::Catalan
    } else {
        Language::English
    }
}

/// Whether a folded word only holds a sentence together.
pub(crate) fn is_function_word(folded: &str) -> bool {
    ENGLISH.contains(&folded) || CATALAN.contains(&folded)
}

/// The stems of the content words of a text.
fn stems(text: &str, stemmer: &Stemmer) -> BTreeSet<String> {
    words(text)
        .map(|w| w.folded())
        .filter(|w| !is_function_word(w))
        .map(|w| stemmer.stem(&w).into_owned())
        .collect()
}

struct Candidate {
    sentence: String,
    pointer: String,
    stems: BTreeSet<String>,
    worth: f64,
}

/// The at most `limit` sentences of the passages (`(pointer, text)`) that together best cover
/// the question, best first; empty where none bears on it.
///
/// Each round takes the sentence that adds the most weight of question stems not yet covered;
/// ties go to the sentence closer in all its stems, then the shorter, then the earlier.
/// O(`limit` · sentences · question stems).
#[must_use]
pub fn extract(question: &str, passages: &[(&str, &str)], limit: usize) -> Vec<Extract> {
    let stemmer = Stemmer::new(language_of(question));
    let wanted = stems(question, &stemmer);
    let candidates = candidates(passages, &stemmer);
    let weights = weights(&wanted, &candidates);
    let total: f64 = weights.values().sum();
    if total <= 0.0 {
        return Vec::new();
    }
    let mut open: BTreeSet<&String> = wanted.iter().collect();
    let mut taken: Vec<usize> = Vec::new();
    let mut found = Vec::new();
    while found.len() < limit {
        let Some((index, gain)) = best(&candidates, &taken, &open, &weights) else {
            break;
        };
        let candidate = &candidates[index];
        let share = gain / total;
        let enough = if found.is_empty() { BEARING } else { FURTHER };
        if share < enough {
            break;
        }
        open.retain(|stem| !candidate.stems.contains(*stem));
        taken.push(index);
        found.push(Extract {
            sentence: candidate.sentence.clone(),
            pointer: candidate.pointer.clone(),
            covers: share,
        });
    }
    found
}

fn candidates(passages: &[(&str, &str)], stemmer: &Stemmer) -> Vec<Candidate> {
    let mut seen = BTreeSet::new();
    let mut out = Vec::new();
    for (pointer, text) in passages {
        for sentence in standalone(text) {
            if seen.insert(sentence.clone()) {
                let worth = if leans(&sentence) { LEANING_WORTH } else { 1.0 };
                out.push(Candidate {
                    stems: stems(&sentence, stemmer),
                    pointer: (*pointer).to_owned(),
                    sentence,
                    worth,
                });
            }
        }
    }
    out
}

/// The weight of each question stem: ln(1 + sentences / (sentences with it + 0.5)).
fn weights(wanted: &BTreeSet<String>, candidates: &[Candidate]) -> BTreeMap<String, f64> {
    let count = candidates.len() as f64;
    wanted
        .iter()
        .map(|stem| {
            let with = candidates.iter().filter(|c| c.stems.contains(stem)).count() as f64;
            (stem.clone(), libm::log(1.0 + count / (with + 0.5)))
        })
        .collect()
}

fn best(
    candidates: &[Candidate],
    taken: &[usize],
    open: &BTreeSet<&String>,
    weights: &BTreeMap<String, f64>,
) -> Option<(usize, f64)> {
    let mut best: Option<(usize, f64, f64)> = None;
    for (index, candidate) in candidates.iter().enumerate() {
        if taken.contains(&index) {
            continue;
        }
        let gain: f64 = weights
            .iter()
            .filter(|(stem, _)| open.contains(stem) && candidate.stems.contains(*stem))
            .map(|(_, weight)| weight)
            .sum();
        // Among equals, the sentence with less beside the point.
        let density = gain / (1.0 + candidate.stems.len() as f64);
        let key = gain * candidate.worth;
        let better = best.is_none_or(|(_, best_key, best_density)| {
            key > best_key || (key == best_key && density > best_density)
        });
        if gain > 0.0 && better {
            best = Some((index, key, density));
        }
    }
    let (index, ..) = best?;
    let candidate = candidates.get(index)?;
    let gain = weights
        .iter()
        .filter(|(stem, _)| open.contains(stem) && candidate.stems.contains(*stem))
        .map(|(_, weight)| weight)
        .sum();
    Some((index, gain))
}
