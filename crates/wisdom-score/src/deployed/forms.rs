//! The PHP reference's phrase patterns, written in a small notation and expanded.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use super::chars::{Dialect, char_at, char_before, fold, skip};
use crate::ontology::rows;

const TABLE: &str = include_str!("../../data/deployed-forms.tsv");
const PHP: Dialect = Dialect::Php;

/// One expanded pattern: letters, ` ` for spaces, `~` for a hyphen or a space, `^` for an
/// apostrophe or a space.
struct Form {
    group: usize,
    letters: Vec<char>,
}

/// All patterns, by first letter.
pub(super) struct Forms {
    groups: Vec<&'static str>,
    forms: BTreeMap<char, Vec<Form>>,
}

/// The patterns of the reference.
pub(super) fn forms() -> &'static Forms {
    static FORMS: OnceLock<Forms> = OnceLock::new();
    FORMS.get_or_init(Forms::read)
}

impl Forms {
    fn read() -> Self {
        let mut all = Self {
            groups: Vec::new(),
            forms: BTreeMap::new(),
        };
        for (_, fields) in rows(TABLE) {
            let [name, pattern] = fields[..] else {
                continue;
            };
            let known = all.groups.iter().position(|group| *group == name);
            let group = known.unwrap_or_else(|| {
                all.groups.push(name);
                all.groups.len() - 1
            });
            for letters in expand(&mut pattern.chars()) {
                let Some(&first) = letters.first() else {
                    continue;
                };
                let same = all.forms.entry(first).or_default();
                same.push(Form { group, letters });
            }
        }
        all
    }

    /// The names of the groups of which some form occurs, with word boundaries at both ends.
    pub(super) fn touched(&self, text: &str) -> Vec<&'static str> {
        let mut found = vec![false; self.groups.len()];
        let mut before = false;
        for (at, c) in text.char_indices() {
            let word = PHP.is_word(c);
            if word && !before {
                for form in self.forms.get(&fold(c)).into_iter().flatten() {
                    if let Some(found) = found.get_mut(form.group)
                        && !*found
                    {
                        *found = form.matches(text, at);
                    }
                }
            }
            before = word;
        }
        let pairs = self.groups.iter().zip(found);
        pairs
            .filter(|(_, found)| *found)
            .map(|(name, _)| *name)
            .collect()
    }
}

impl Form {
    fn matches(&self, text: &str, start: usize) -> bool {
        let mut at = start;
        for letter in &self.letters {
            let Some(c) = char_at(text, at) else {
                return false;
            };
            let met = match letter {
                ' ' => PHP.is_space(c),
                '~' => c == '-' || PHP.is_space(c),
                '^' => c == '\'' || PHP.is_space(c),
                letter => fold(c) == *letter,
            };
            if !met {
                return false;
            }
            at = match letter {
                ' ' => skip(text, at, |c| PHP.is_space(c)),
                _ => at + c.len_utf8(),
            };
        }
        !char_at(text, at).is_some_and(|c| PHP.is_word(c))
    }
}

/// All spellings of a pattern up to the end or a closing bracket; no bracket nests in its kind.
fn expand(pattern: &mut std::str::Chars<'_>) -> Vec<Vec<char>> {
    let mut spellings = vec![Vec::new()];
    while let Some(c) = pattern.next() {
        let options = match c {
            '(' => {
                let inside: String = pattern.by_ref().take_while(|c| *c != ')').collect();
                let mut options = expand(&mut inside.chars());
                options.push(Vec::new());
                options
            }
            '{' => {
                let inside: String = pattern.by_ref().take_while(|c| *c != '}').collect();
                inside
                    .split(',')
                    .map(|option| option.chars().collect())
                    .collect()
            }
            c => vec![vec![c]],
        };
        spellings = product(&spellings, &options);
    }
    spellings
}

fn product(heads: &[Vec<char>], tails: &[Vec<char>]) -> Vec<Vec<char>> {
    let pairs = heads
        .iter()
        .flat_map(|head| tails.iter().map(move |tail| (head, tail)));
    pairs
        .map(|(head, tail)| head.iter().chain(tail).copied().collect())
        .collect()
}

/// Whether the text holds `A = A`: up to four ASCII letters, an equals sign, the same letters.
pub(super) fn states_identity(text: &str) -> bool {
    text.match_indices('=').any(|(at, _)| {
        let space = |c: char| PHP.is_space(c);
        let left = text.get(..at).unwrap_or_default().trim_end_matches(space);
        let right = text.get(at + 1..).unwrap_or_default();
        let right = right.trim_start_matches(space);
        let letters: Vec<char> = {
            let run = left
                .chars()
                .rev()
                .take(5)
                .take_while(|c| is_pattern_letter(*c));
            run.collect()
        };
        let start = left.len() - letters.iter().map(|c| c.len_utf8()).sum::<usize>();
        if !(1..=4).contains(&letters.len())
            || char_before(left, start).is_some_and(|c| PHP.is_word(c))
        {
            return false;
        }
        let mut rest = right.chars();
        let same = letters
            .iter()
            .rev()
            .all(|l| rest.next().is_some_and(|r| fold(r) == fold(*l)));
        same && !rest.next().is_some_and(|c| PHP.is_word(c))
    })
}

/// A letter of `[a-z]` in a case-insensitive Unicode pattern.
pub(super) fn is_pattern_letter(c: char) -> bool {
    c.is_ascii_alphabetic() || matches!(c, '\u{17F}' | '\u{212A}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_notation_expands() {
        let spell = |pattern: &str| -> Vec<String> {
            let all = expand(&mut pattern.chars());
            all.into_iter().map(|s| s.into_iter().collect()).collect()
        };
        assert_eq!(spell("holism({e,o})"), ["holisme", "holismo", "holism"]);
        assert_eq!(spell("s{e,è}lf~x"), ["self~x", "sèlf~x"]);
    }

    #[test]
    fn identity_needs_the_same_short_letters() {
        for yes in ["A = A", "foo=FOO", "(ab  =\nab)"] {
            assert!(states_identity(yes), "{yes}");
        }
        for no in [
            "abcde = abcde",
            "ab = abc",
            "a = b",
            "=",
            "xA = A",
            "A == A",
        ] {
            assert!(!states_identity(no), "{no}");
        }
    }

    #[test]
    fn surprises_of_the_reference_hold() {
        let relations = |text: &str| forms().touched(text);
        assert_eq!(relations("Cicle Universal"), ["inclusion", "Universal"]);
        assert_eq!(relations("d'identitat"), Vec::<&str>::new());
        assert_eq!(relations("principi d'identitat"), ["identity"]);
        assert_eq!(relations("mítica"), ["containment"]);
        assert!(relations("definition classification diferència universals jocs").is_empty());
    }
}
