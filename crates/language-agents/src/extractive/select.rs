//! Which sentences cover the question.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

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

/// A first sentence must cover this share of the question's weight, else nothing bears on it …
const BEARING: f64 = 0.3;
/// … and where the sentence and its passage hold one stem only, this share: `capital` alone does not bear on `capital of France`.
const BEARING_ALONE: f64 = 0.6;
/// A further sentence must add this share …
const FURTHER: f64 = 0.20;
/// … and its passage must hold this share of the question's weight, else it is about another thing
/// of which the same is said: `wrote` alone does not lead from one author to another.
const FURTHER_PASSAGE: f64 = 0.5;
/// What a question word is worth that stands not in the sentence but elsewhere in its passage: the
/// subject is often named once, in a heading or the sentence before.
const NEARBY: f64 = 0.3;
/// What a sentence is worth beside others when it holds the kind of thing that is asked for.
const OF_THE_KIND: f64 = 1.35;
/// What a sentence that leans on another is worth beside one that does not.
const LEANING_WORTH: f64 = 0.85;

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
        if let Some((en, ca)) = FUNCTION_WORDS.get(word.folded().as_ref()) {
            english += usize::from(*en);
            catalan += usize::from(*ca);
        }
    }
    if catalan > english {
        Language::Catalan
    } else {
        Language::English
    }
}

/// Function words with whether they are English and whether they are Catalan.
static FUNCTION_WORDS: LazyLock<BTreeMap<&str, (bool, bool)>> = LazyLock::new(|| {
    let mut words = BTreeMap::new();
    for word in ENGLISH {
        words.insert(*word, (true, false));
    }
    for word in CATALAN {
        words.entry(*word).or_insert((false, false)).1 = true;
    }
    words
});

/// Whether a folded word only holds a sentence together.
pub(crate) fn is_function_word(folded: &str) -> bool {
    FUNCTION_WORDS.contains_key(folded)
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
    /// Which passage it stands in.
    passage: usize,
    worth: f64,
}

/// What a question asks for, as far as a sentence shows that it holds it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Number,
    Cause,
    Name,
    Anything,
}

impl Wanted {
    fn of(question: &str) -> Self {
        let all: Vec<String> = words(question).map(|w| w.folded().into_owned()).collect();
        let has = |list: &[&str]| all.iter().any(|w| list.contains(&w.as_str()));
        let after_how = all.windows(2).any(|pair| match pair {
            [how, next] => {
                how == "how"
                    && !matches!(
                        next.as_str(),
                        "do" | "does"
                            | "did"
                            | "is"
                            | "are"
                            | "to"
                            | "can"
                            | "should"
                            | "was"
                            | "were"
                    )
            }
            _ => false,
        });
        if after_how || has(&["when", "quant", "quants", "quanta", "quantes", "quan"]) {
            Self::Number
        } else if has(&["why"]) || question.to_lowercase().contains("per què") {
            Self::Cause
        } else if has(&["who", "whom", "whose", "qui"]) {
            Self::Name
        } else {
            Self::Anything
        }
    }

    fn is_held_by(self, sentence: &str) -> bool {
        let any = |list: &[&str]| words(sentence).any(|w| list.contains(&w.folded().as_ref()));
        match self {
            Self::Number => sentence.contains(|c: char| c.is_numeric()) || any(NUMBER_WORDS),
            Self::Cause => any(CAUSE_WORDS),
            Self::Name => words(sentence)
                .skip(1)
                .any(|w| w.text.chars().next().is_some_and(char::is_uppercase)),
            Self::Anything => false,
        }
    }
}

const NUMBER_WORDS: &[&str] = &[
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve", "twenty", "hundred", "thousand", "million", "billion", "dozen", "once", "twice",
    "dos", "dues", "tres", "quatre", "cinc", "sis", "set", "vuit", "nou", "deu", "onze", "dotze",
    "vint", "cent", "cents", "mil", "milió", "milions", "dotzena",
];
const CAUSE_WORDS: &[&str] = &[
    "because",
    "since",
    "due",
    "so",
    "therefore",
    "cause",
    "caused",
    "causes",
    "reason",
    "thus",
    "hence",
    "case",
    "perquè",
    "ja",
    "causa",
    "causes",
    "degut",
    "raó",
    "doncs",
    "així",
];

/// The at most `limit` sentences of the passages (`(pointer, text)`) that together best cover
/// the question, best first; empty where none bears on it.
///
/// Each round takes the sentence that adds the most weight of question stems not yet covered;
/// ties go to the sentence closer in all its stems, then the shorter, then the earlier.
/// O(`limit` · sentences · question stems).
#[must_use]
pub fn extract(question: &str, passages: &[(&str, &str)], limit: usize) -> Vec<Extract> {
    choose(question, passages, limit, true)
}

/// As [`extract`]; with `bearing` false the first sentence may cover however little.
pub(super) fn choose(
    question: &str,
    passages: &[(&str, &str)],
    limit: usize,
    bearing: bool,
) -> Vec<Extract> {
    let stemmer = Stemmer::new(language_of(question));
    let wanted = stems(question, &stemmer);
    let candidates = candidates(passages, &stemmer, Wanted::of(question));
    let nearby: Vec<BTreeSet<String>> = passages
        .iter()
        .map(|(_, text)| stems(text, &stemmer))
        .collect();
    let weights = weights(&wanted, &candidates);
    let total: f64 = weights.values().sum();
    if total <= 0.0 {
        return Vec::new();
    }
    let held = |stems: &BTreeSet<String>| -> f64 {
        let held = weights.iter().filter(|(stem, _)| stems.contains(*stem));
        held.map(|(_, weight)| weight).sum()
    };
    let near: Vec<bool> = nearby
        .iter()
        .map(|stems| held(stems) >= FURTHER_PASSAGE * total)
        .collect();
    let mut open: BTreeSet<&String> = wanted.iter().collect();
    let mut taken: Vec<usize> = Vec::new();
    let mut found = Vec::new();
    while found.len() < limit {
        let eligible = |candidate: &Candidate| {
            found.is_empty() || near.get(candidate.passage).copied().unwrap_or(false)
        };
        let Some((index, gain)) = best(&candidates, &nearby, eligible, &taken, &open, &weights)
        else {
            break;
        };
        let candidate = &candidates[index];
        let share = gain / total;
        let near = nearby.get(candidate.passage);
        let matched = open
            .iter()
            .filter(|s| candidate.stems.contains(**s) || near.is_some_and(|n| n.contains(**s)))
            .count();
        let enough = match (found.is_empty(), matched) {
            (false, _) => FURTHER,
            (true, _) if !bearing => 0.0,
            (true, 1) => BEARING_ALONE,
            (true, _) => BEARING,
        };
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

fn candidates(passages: &[(&str, &str)], stemmer: &Stemmer, wanted: Wanted) -> Vec<Candidate> {
    let mut seen = BTreeSet::new();
    let mut out = Vec::new();
    for (passage, (pointer, text)) in passages.iter().enumerate() {
        for sentence in standalone(text) {
            if seen.insert(sentence.clone()) {
                let mut worth = if leans(&sentence) { LEANING_WORTH } else { 1.0 };
                if wanted.is_held_by(&sentence) {
                    worth *= OF_THE_KIND;
                }
                out.push(Candidate {
                    stems: stems(&sentence, stemmer),
                    pointer: (*pointer).to_owned(),
                    sentence,
                    passage,
                    worth,
                });
            }
        }
    }
    out
}

/// The weight of each question stem: ln(1 + sentences / (sentences with it + 0.5)). A stem that
/// no sentence has weighs as much as one that a single sentence has.
fn weights(wanted: &BTreeSet<String>, candidates: &[Candidate]) -> BTreeMap<String, f64> {
    let count = candidates.len() as f64;
    wanted
        .iter()
        .map(|stem| {
            let with = candidates
                .iter()
                .filter(|c| c.stems.contains(stem))
                .count()
                .max(1) as f64;
            (stem.clone(), libm::log(1.0 + count / (with + 0.5)))
        })
        .collect()
}

fn best(
    candidates: &[Candidate],
    nearby: &[BTreeSet<String>],
    eligible: impl Fn(&Candidate) -> bool,
    taken: &[usize],
    open: &BTreeSet<&String>,
    weights: &BTreeMap<String, f64>,
) -> Option<(usize, f64)> {
    let mut best: Option<(usize, f64, f64, f64)> = None;
    for (index, candidate) in candidates.iter().enumerate() {
        if taken.contains(&index) || !eligible(candidate) {
            continue;
        }
        let near = nearby.get(candidate.passage);
        let (mut held, mut named) = (0.0, 0.0);
        for (stem, weight) in weights.iter().filter(|(stem, _)| open.contains(stem)) {
            if candidate.stems.contains(stem) {
                held += weight;
            } else if near.is_some_and(|n| n.contains(stem)) {
                named += NEARBY * weight;
            }
        }
        let gain = held + named;
        // Among equals, the sentence with less beside the point.
        let density = gain / (1.0 + candidate.stems.len() as f64);
        let key = gain * candidate.worth;
        let better = best.is_none_or(|(_, _, best_key, best_density)| {
            key > best_key || (key == best_key && density > best_density)
        });
        // A sentence that holds nothing of the question is no answer, whatever stands around it.
        if held > 0.0 && better {
            best = Some((index, gain, key, density));
        }
    }
    best.map(|(index, gain, ..)| (index, gain))
}
