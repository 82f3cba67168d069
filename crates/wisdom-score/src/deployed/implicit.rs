//! Implicit coverage of the PHP reference: everyday words of each quadrant (deployed page §7).

use std::collections::BTreeMap;
use std::sync::OnceLock;

use super::chars::is_letter_or_number;
use crate::ontology::{Compiled, implicit_words};

/// A term and what it counts for.
struct Term {
    letters: Vec<char>,
    quadrant: &'static str,
    times: u32,
}

/// The terms by their first two letters.
fn terms() -> &'static BTreeMap<[char; 2], Vec<Term>> {
    static TERMS: OnceLock<BTreeMap<[char; 2], Vec<Term>>> = OnceLock::new();
    TERMS.get_or_init(|| {
        let mut terms: BTreeMap<[char; 2], Vec<Term>> = BTreeMap::new();
        for (quadrant, word, times, _) in implicit_words() {
            let letters: Vec<char> = word.chars().collect();
            if let [a, b, ..] = letters[..] {
                terms.entry([a, b]).or_default().push(Term {
                    letters,
                    quadrant,
                    times,
                });
            }
        }
        terms
    })
}

/// Occurrences by quadrant, in the ontology's order. A term occurs where no letter, number,
/// underscore or hyphen touches it.
pub(super) fn occurrences(ontology: &Compiled, text: &str) -> Vec<u32> {
    let mut counts = vec![0; ontology.quadrants.len()];
    let lower: Vec<char> = text.chars().flat_map(char::to_lowercase).collect();
    let blocks = |at: usize| lower.get(at).is_some_and(|c| blocks(*c));
    for (at, pair) in lower.windows(2).enumerate() {
        if !blocks(at) || at.checked_sub(1).is_some_and(blocks) {
            continue;
        }
        let [a, b] = pair else { continue };
        for term in terms().get(&[*a, *b]).into_iter().flatten() {
            let end = at + term.letters.len();
            if lower.get(at..end) == Some(&term.letters[..]) && !blocks(end) {
                let quadrant = ontology.quadrants.iter().position(|q| *q == term.quadrant);
                if let Some(count) = quadrant.and_then(|q| counts.get_mut(q)) {
                    *count += term.times;
                }
            }
        }
    }
    counts
}

fn blocks(c: char) -> bool {
    is_letter_or_number(c) || matches!(c, '_' | '-')
}
