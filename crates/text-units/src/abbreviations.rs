//! The lists by which a full stop is told from the dot of an abbreviation.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

/// What the dot after an abbreviation says about the end of a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    /// Something must follow: never an end.
    Title,
    /// No end before a digit or a Roman numeral.
    Number,
    /// An end only before a word that opens sentences.
    Maybe,
}

static ABBREVIATIONS: LazyLock<HashMap<&'static str, Class>> = LazyLock::new(|| {
    let mut map = HashMap::new();
    for (class, word) in rows(include_str!("data/abbreviations.tsv")).filter_map(|row| {
        let mut columns = row.split('\t').skip(1);
        Some((columns.next()?, columns.next()?))
    }) {
        let class = match class {
            "title" => Class::Title,
            "number" => Class::Number,
            _ => Class::Maybe,
        };
        // Where the languages differ ("sr.", "gen.") the cautious class wins: a title in either
        // language keeps the sentence whole.
        let kept = map.entry(word).or_insert(class);
        if class == Class::Title {
            *kept = class;
        }
    }
    map
});

static STARTERS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    rows(include_str!("data/sentence-starters.tsv"))
        .filter_map(|row| row.split_once('\t'))
        .flat_map(|(_, words)| words.split_whitespace())
        .collect()
});

fn rows(table: &'static str) -> impl Iterator<Item = &'static str> {
    table
        .lines()
        .filter(|l| !l.starts_with('#') && !l.trim().is_empty())
}

/// The class of a folded abbreviation without its last dot, if it is one.
pub(crate) fn class(folded: &str) -> Option<Class> {
    ABBREVIATIONS.get(folded).copied()
}

/// Whether a folded word opens sentences.
pub(crate) fn is_starter(folded: &str) -> bool {
    STARTERS.contains(folded)
}
