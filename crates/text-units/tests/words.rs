//! Words of both languages, and the reported kinds of trouble with them.
#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use text_units::{clean, fold, words};

fn folded(text: &str) -> Vec<String> {
    let cleaned = clean(text);
    words(cleaned.text())
        .map(|w| w.folded().into_owned())
        .collect()
}

#[track_caller]
fn are(text: &str, expected: &[&str]) {
    assert_eq!(folded(text), expected);
}

#[test]
fn w1_apostrophes_of_every_kind_make_the_same_words() {
    for mark in ['\'', '\u{2019}', '\u{2018}', '\u{2BC}', '\u{FF07}'] {
        are(&format!("We don{mark}t stop."), &["we", "don't", "stop"]);
        are(
            &format!("l{mark}amor d{mark}hivern"),
            &["l'", "amor", "d'", "hivern"],
        );
        are(&format!("Dona{mark}m-ho"), &["dona", "'m", "ho"]);
    }
}

#[test]
fn w2_the_catalan_ll_is_never_cut() {
    for typed in [
        "intel·ligent",
        "INTEL·LIGENT",
        "inte\u{140}ligent",
        "INTE\u{13F}LIGENT",
        "intel\u{2027}ligent",
        "intel\u{2022}ligent",
        "intel\u{2219}ligent",
        "intel\u{22C5}ligent",
        "intel\u{AD}·ligent",
    ] {
        are(typed, &["intel·ligent"]);
    }
    are("Instal·la la clau", &["instal·la", "la", "clau"]);
    // A bullet between other letters is a bullet.
    are("pa\u{2022}oli", &["pa", "oli"]);
    are("sal\u{2022} llet", &["sal", "llet"]);
}

#[test]
fn w3_composed_and_decomposed_words_are_one() {
    are("fac\u{327}ana", &["façana"]);
    are("façana", &["façana"]);
    assert_eq!(fold("fac\u{327}ana"), fold("FAÇANA"));
}

#[test]
fn w5_text_without_words_has_none() {
    for text in ["", "   ", "...", "#", "😀", "\u{200B}", "— · —"] {
        are(text, &[]);
    }
    are("one line\n", &["one", "line"]);
}

#[test]
fn clitics_of_both_languages() {
    are(
        "it's Anna’s; they're John's",
        &["it's", "anna's", "they're", "john's"],
    );
    are(
        "I'm sure he'll go and won't stay",
        &["i'm", "sure", "he'll", "go", "and", "won't", "stay"],
    );
    are(
        "vés-te'n, agafa'ls i posa't-ho",
        &["vés", "te", "'n", "agafa", "'ls", "i", "posa", "'t", "ho"],
    );
    are(
        "donar-lo i S’HI veu l’11 de setembre",
        &[
            "donar", "lo", "i", "s'", "hi", "veu", "l'", "11", "de", "setembre",
        ],
    );
    are(
        "O'Brien o'clock rock'n'roll",
        &["o'brien", "o'clock", "rock'n'roll"],
    );
    let bases: Vec<String> = words("Newton’s laws, it's the dog's")
        .map(|w| w.base().into_owned())
        .collect();
    assert_eq!(bases, ["newton", "laws", "it", "the", "dog"]);
}

#[test]
fn hyphens_split_and_underscores_do_not() {
    are(
        "well-known re\u{2011}entry snake_case",
        &["well", "known", "re", "entry", "snake_case"],
    );
}

#[test]
fn numbers_stay_whole() {
    are(
        "12,047 3.14 1.2.3 2,5 $1.2M",
        &["12,047", "3.14", "1.2.3", "2,5", "1.2m"],
    );
    are("1 000 000 items", &["1 000 000", "items"]);
    are("12 000 people", &["12 000", "people"]);
    are(
        "5\u{A0}400 m i 5\u{202F}400 m",
        &["5\u{A0}400", "m", "i", "5\u{202F}400", "m"],
    );
    are("100\u{202F}km 20\u{A0}kg", &["100", "km", "20", "kg"]);
    are("In 2019 300 people", &["in", "2019", "300", "people"]);
    are("rooms 12 300", &["rooms", "12", "300"]);
    are(
        "10⁵ is not 105, nor 10⁻³",
        &["10⁵", "is", "not", "105", "nor", "10⁻³"],
    );
    are(
        "CO₂ H₂O 5 km² claim² 50 km/h",
        &["co₂", "h₂o", "5", "km²", "claim", "²", "50", "km", "h"],
    );
}

#[test]
fn zero_width_characters_do_not_split_cleaned_words() {
    are(
        "wo\u{200B}rd wo\u{AD}rd wo\u{2060}rd \u{FEFF}word",
        &["word"; 4],
    );
}

#[test]
fn long_runs_stay_linear() {
    // Quadratic work on any of these would take minutes.
    for piece in [
        "000 ",
        "1\u{202F}000\u{202F}",
        "⁵",
        "₂a",
        "l·",
        "a. [1]",
        "A.",
        "\n[1]",
        "x. (",
        "(",
        ". ",
        "I. ",
        "| a\n",
        "1. ",
    ] {
        let text = piece.repeat(100_000);
        let counted = words(&text).count() + text_units::sentences(&text).len();
        assert!(counted > 0, "{piece:?}");
    }
}

proptest! {
    #[test]
    fn words_slice_the_text_in_order(text in "[ a-zA-Z0-9'’·.,-]{0,60}|\\PC{0,40}|[0-9 \u{202F}⁵₂]{0,20}") {
        let mut last = 0;
        for word in words(&text) {
            prop_assert_eq!(&text[word.span.clone()], word.text);
            prop_assert!(word.span.start >= last && !word.text.is_empty());
            last = word.span.end;
        }
    }

    #[test]
    fn folding_twice_is_folding_once(text in "[a-zA-ZŀĿlL·•’'çÇς]{0,20}|\\PC{0,20}") {
        let once = fold(&text).into_owned();
        prop_assert_eq!(fold(&once), once.as_str());
    }

    #[test]
    fn case_and_form_do_not_change_the_words(text in "[a-zàéçïA-ZÀÉ '’·.0-9-]{0,60}") {
        use unicode_normalization::UnicodeNormalization;
        let decomposed: String = text.nfd().collect();
        prop_assert_eq!(folded(&text), folded(&decomposed));
        prop_assert_eq!(folded(&text), folded(&text.to_uppercase()));
    }

    #[test]
    fn every_word_is_in_exactly_one_sentence(text in "([A-Za-z0-9 .!?\\[\\]()\n|#>*-]|\\. [A-Z]){0,120}") {
        let sentences = text_units::sentences(&text);
        for pair in sentences.windows(2) {
            prop_assert!(pair[0].span.end <= pair[1].span.start);
        }
        for word in words(&text) {
            let holding = sentences.iter().filter(|s| s.span.start <= word.span.start && word.span.end <= s.span.end).count();
            prop_assert_eq!(holding, 1, "{:?} {:?}", word, sentences);
        }
        for s in &sentences {
            prop_assert_eq!(&text[s.span.clone()], s.text);
        }
    }
}
