//! Against others: Snowball by another implementation, the Unicode vectors for the plumbing.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

use text_units::{Language, Stemmer, sentences_uax29, words_uax29};
use unicode_segmentation::UnicodeSegmentation;

fn stems(table: &str, language: Language, at_least: usize) {
    let stemmer = Stemmer::new(language);
    let mut differing = Vec::new();
    for (word, stem) in table.lines().filter_map(|l| l.split_once('\t')) {
        let ours = stemmer.stem(word);
        if ours != stem {
            differing.push(format!("{word}: {ours}, theirs {stem}"));
        }
    }
    assert!(differing.is_empty(), "{differing:#?}");
    assert!(table.lines().count() >= at_least);
}

#[test]
fn english_stems_are_snowballs() {
    stems(
        include_str!("data/snowball-english.tsv"),
        Language::English,
        2500,
    );
}

#[test]
fn catalan_stems_are_snowballs() {
    stems(
        include_str!("data/snowball-catalan.tsv"),
        Language::Catalan,
        2000,
    );
}

/// The pieces that a line of a Unicode test file demands, or `None` for a line without a test.
fn demanded(line: &str) -> Option<Vec<String>> {
    let rule = line.split('#').next()?.trim();
    let mut pieces = Vec::new();
    for mark in rule.split_whitespace() {
        match mark {
            "÷" => pieces.push(String::new()),
            "×" => {}
            // Surrogates stand in the file but in no Rust string.
            hex => pieces
                .last_mut()?
                .push(char::from_u32(u32::from_str_radix(hex, 16).ok()?)?),
        }
    }
    pieces.pop();
    (!pieces.is_empty()).then_some(pieces)
}

/// The number of tests in a file and the lines that come out otherwise.
fn vectors(name: &str, cut: impl Fn(&str) -> Vec<&str>) -> Option<(usize, Vec<String>)> {
    let Ok(folder) = std::env::var("CANDOR_DATA") else {
        eprintln!("skipped: CANDOR_DATA is not set, {name} is not read");
        return None;
    };
    let path = std::path::Path::new(&folder).join("vec-unicode").join(name);
    let file = std::fs::read_to_string(&path).unwrap();
    let mut tests = 0;
    let mut differing = Vec::new();
    for line in file.lines() {
        let Some(pieces) = demanded(line) else {
            continue;
        };
        tests += 1;
        if cut(&pieces.concat()) != pieces {
            differing.push(line.split('#').next().unwrap().trim().to_owned());
        }
    }
    Some((tests, differing))
}

/// The files are Unicode 15, unicode-segmentation is Unicode 17, where U+2701 is no longer
/// `Extended_Pictographic`: a zero-width joiner in front of it joins nothing any more. All other
/// lines are the same.
const U2701_AFTER_U2701: &str = "÷ 2701 × 200D × 2701 ÷";
const U2701_AFTER_A: &str = "÷ 0061 × 200D × 2701 ÷";

#[test]
fn word_boundaries_are_unicodes() {
    if let Some((tests, differing)) = vectors("WordBreakTest.txt", |t| words_uax29(t).collect()) {
        let changed = [U2701_AFTER_U2701, U2701_AFTER_A].map(str::to_owned);
        assert_eq!((tests, differing), (1823, changed.to_vec()));
    }
}

#[test]
fn sentence_boundaries_are_unicodes() {
    if let Some((tests, differing)) =
        vectors("SentenceBreakTest.txt", |t| sentences_uax29(t).collect())
    {
        assert_eq!((tests, differing), (502, vec![]));
    }
}

#[test]
fn grapheme_boundaries_are_unicodes() {
    if let Some((tests, differing)) =
        vectors("GraphemeBreakTest.txt", |t| t.graphemes(true).collect())
    {
        assert_eq!(
            (tests, differing),
            (602, vec![U2701_AFTER_U2701.to_owned()])
        );
    }
}
