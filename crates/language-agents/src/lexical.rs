//! How alike two texts are by their words alone.

use std::collections::BTreeMap;

use text_units::{Stemmer, words};

use crate::extractive::{is_function_word, language_of};

/// Words that turn a statement round.
const NEGATIONS: &[&str] = &[
    "not", "no", "never", "none", "neither", "nor", "cannot", "without", "mai", "sense", "cap",
    "tampoc", "ni",
];

/// The cosine between two texts as counts of their content stems, 0 to 1.
///
/// Function words do not count. Texts that differ in their numbers, or of which one is negated
/// and the other is not, are at most half as alike: `rises by 10 %` and `rises by 20 %`, `holds`
/// and `does not hold` share nearly every word and do not agree. Two texts without content words
/// are alike only when they are the same. O(words · log words).
#[must_use]
pub fn lexical_similarity(a: &str, b: &str) -> f64 {
    if a == b {
        return 1.0;
    }
    let language = language_of(&format!("{a}\n{b}"));
    let stemmer = Stemmer::new(language);
    let (left, right) = (Profile::of(a, &stemmer), Profile::of(b, &stemmer));
    if left.stems.is_empty() || right.stems.is_empty() {
        return if a.trim() == b.trim() { 1.0 } else { 0.0 };
    }
    let dot: u64 = left
        .stems
        .iter()
        .filter_map(|(stem, n)| right.stems.get(stem).map(|m| n * m))
        .sum();
    let norm = |p: &Profile| p.stems.values().map(|n| n * n).sum::<u64>() as f64;
    let cosine = (dot as f64 / (norm(&left) * norm(&right)).sqrt()).clamp(0.0, 1.0);
    if left.negated != right.negated || left.numbers != right.numbers {
        cosine / 2.0
    } else {
        cosine
    }
}

/// For each of `others`, how many of its distinct content stems also stand in `text`.
///
/// The stemmer is that of the language whose function words prevail in all the texts together.
#[must_use]
pub fn shared_stems<'t>(text: &str, others: impl IntoIterator<Item = &'t str>) -> Vec<usize> {
    let others: Vec<&str> = others.into_iter().collect();
    let stemmer = Stemmer::new(language_of(&format!("{text}\n{}", others.join("\n"))));
    let own = Profile::of(text, &stemmer);
    others
        .into_iter()
        .map(|other| {
            let stems = Profile::of(other, &stemmer).stems;
            stems.keys().filter(|s| own.stems.contains_key(*s)).count()
        })
        .collect()
}

struct Profile {
    stems: BTreeMap<String, u64>,
    numbers: BTreeMap<String, u64>,
    /// Whether the count of negations is odd.
    negated: bool,
}

impl Profile {
    fn of(text: &str, stemmer: &Stemmer) -> Self {
        let mut profile = Self {
            stems: BTreeMap::new(),
            numbers: BTreeMap::new(),
            negated: false,
        };
        for word in words(text) {
            let folded = word.folded();
            profile.negated ^= NEGATIONS.contains(&folded.as_ref()) || folded.ends_with("n't");
            if folded.chars().any(char::is_numeric) {
                *profile
                    .numbers
                    .entry(folded.clone().into_owned())
                    .or_default() += 1;
            }
            if !is_function_word(&folded) {
                *profile
                    .stems
                    .entry(stemmer.stem(&folded).into_owned())
                    .or_default() += 1;
            }
        }
        profile
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_in_other_order_is_alike() {
        let (a, b) = (
            "Research raises product quality.",
            "Product quality is raised by research.",
        );
        assert!(lexical_similarity(a, b) > 0.99);
        assert!((lexical_similarity(a, a) - 1.0).abs() < 1e-12);
        assert!(lexical_similarity(a, "Cats sleep all day.") < 0.1);
        assert_eq!(lexical_similarity("", ""), 1.0);
        assert_eq!(lexical_similarity("the", "a"), 0.0);
    }

    #[test]
    fn negation_and_numbers_part_what_words_share() {
        let threshold = 0.85;
        for (a, b) in [
            (
                "Higher spending raises the market share of the firm.",
                "Higher spending does not raise the market share of the firm.",
            ),
            (
                "Revenue rises by 10 percent.",
                "Revenue rises by 20 percent.",
            ),
            (
                "La despesa fa créixer la quota.",
                "La despesa no fa créixer la quota.",
            ),
        ] {
            assert!(lexical_similarity(a, b) < threshold, "{a} / {b}");
        }
    }

    #[test]
    fn shared_stems_are_counted_once() {
        assert_eq!(
            shared_stems("a cat met a dog", ["cats and cats and dogs", "nothing", ""]),
            [2, 0, 0]
        );
    }
}
