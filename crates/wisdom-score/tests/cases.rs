//! Cases that broke other text scorers.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout
)]

use std::process::Command;

use wisdom_score::{
    Composite, LanguageSpec, Note, Ontology, Options, Report, Scorer, Semantics, Weights,
};

fn canonical(text: &str) -> Report {
    Scorer::new(Options::default())
        .unwrap()
        .score(text)
        .unwrap()
}

/// A scorer whose only tension markers are these.
fn with_markers(markers: &[&str]) -> Scorer {
    let mut spec = Ontology::meta_globalium().unwrap().spec().clone();
    spec.languages = vec![LanguageSpec {
        language: "xx".to_owned(),
        markers: markers.iter().map(|m| (*m).to_owned()).collect(),
        ..LanguageSpec::default()
    }];
    Scorer::with_ontology(Options::default(), Ontology::new(spec).unwrap()).unwrap()
}

fn events(scorer: &Scorer, text: &str) -> usize {
    scorer.score(text).unwrap().tension_events
}

#[test]
fn w1_curly_and_straight_apostrophes_are_the_same_word() {
    let scorer = with_markers(&["don't"]);
    for mark in ['\'', '\u{2019}', '\u{2018}', '\u{FF07}'] {
        let text = format!("We don{mark}t stop.");
        assert_eq!(scorer.score(&text).unwrap().words, 3, "{text}");
        assert_eq!(events(&scorer, &format!("OBJ don{mark}t SUB")), 1);
    }
    // A clitic is a word of its own, so that what follows it is whole.
    let scorer = with_markers(&["amor"]);
    for text in [
        "OBJ l’amor d’hivern SUB",
        "OBJ l'amor d'hivern SUB",
        "OBJ L’AMOR D’HIVERN SUB",
    ] {
        let report = scorer.score(text).unwrap();
        assert_eq!((report.tension_events, report.words), (1, 6), "{text}");
    }
    assert_eq!(events(&scorer, "OBJ enamorat SUB"), 0);
}

#[test]
fn w2_the_catalan_geminate_l_is_one_word() {
    let scorer = with_markers(&["intel·ligent"]);
    let typed = [
        "intel·ligent",
        "INTEL·LIGENT",
        "inte\u{140}ligent",
        "INTE\u{13F}LIGENT",
        "intel\u{2027}ligent",
        "intel\u{2022}ligent",
        "intel\u{2219}ligent",
        "intel\u{22C5}ligent",
    ];
    for word in typed {
        let report = scorer.score(&format!("OBJ {word} SUB")).unwrap();
        assert_eq!((report.tension_events, report.words), (1, 3), "{word}");
    }
    let scorer = with_markers(&["la"]);
    assert_eq!(events(&scorer, "OBJ Instal·la SUB"), 0);
    assert_eq!(events(&scorer, "OBJ Instal·la la clau SUB"), 1);
}

#[test]
fn w3_composed_and_decomposed_accents_score_the_same_bits() {
    for (lexicon, typed) in [("façana", "fac\u{327}ana"), ("fac\u{327}ana", "façana")] {
        let scorer = with_markers(&[lexicon]);
        let one = scorer.score(&format!("OBJ {typed} SUB")).unwrap();
        let other = scorer.score(&format!("OBJ {lexicon} SUB")).unwrap();
        assert_eq!(one.tension_events, 1);
        assert_eq!(one.wisdom_score.to_bits(), other.wisdom_score.to_bits());
    }
}

#[test]
fn w5_texts_without_words_say_so_and_are_zero() {
    let semantics = [
        Semantics::Canonical,
        Semantics::DeployedJs,
        Semantics::DeployedPhp,
    ];
    for semantics in semantics {
        let scorer = Scorer::new(Options {
            semantics,
            ..Options::default()
        });
        let scorer = scorer.unwrap();
        for text in ["", "   ", "...", "#", "😀", "\n\n\r\n", "\u{200B}"] {
            let report = scorer.score(text).unwrap();
            assert!(report.notes.contains(&Note::NoWords), "{text:?}");
            assert_eq!(report.components.values(), [0.0; 8], "{text:?}");
            assert_eq!((report.harmonic_score, report.wisdom_score), (0.0, 0.0));
        }
        for text in ["wise words with no full stop", "one line\n"] {
            let report = scorer.score(text).unwrap();
            assert!(!report.notes.contains(&Note::NoWords), "{text:?}");
            assert!(report.notes.contains(&Note::NoCodes), "{text:?}");
        }
    }
}

#[test]
fn w6_the_opening_ends_at_a_character() {
    for tail in ["🙏 end", "\u{200C} end", "e\u{301} OBJ–SUB axis"] {
        for length in 270..=282 {
            let text = format!("{}{tail}", "a".repeat(length));
            let report = canonical(&text);
            assert!(
                report
                    .events
                    .iter()
                    .all(|e| text.get(e.span.bytes()).is_some())
            );
            assert_eq!(report.components.axis_explicit, 0.0, "it ends beyond");
        }
    }
    // An axis that ends within 280 characters is named, one that ends beyond is not.
    let axis = "the OBJ–SUB axis";
    let named = |before: usize| canonical(&format!("{} {axis}", "é".repeat(before)));
    let last = 280 - axis.chars().count() - 1;
    assert_eq!(named(last).components.axis_explicit, 1.0);
    assert_eq!(named(last + 1).components.axis_explicit, 0.0);
}

/// What a child process prints for `w9`; run alone it checks the same in this process.
#[test]
fn w9_child() {
    let report = w9_report();
    println!("w9:{}", serde_json::to_string(&report).unwrap());
    assert_eq!(report, w9_report());
}

fn w9_report() -> Report {
    let weights = Weights::new([0.1, 0.2, 0.3, 0.1, 0.1, 0.1, 0.05, 0.05]).unwrap();
    let scorer = Scorer::new(Options {
        composite: Some(Composite::Custom(weights)),
        ..Options::default()
    });
    let text = include_str!("../../../fixtures/wisdom-texts/t2-en.txt");
    scorer.unwrap().score(text).unwrap()
}

#[test]
fn w9_two_processes_print_the_same_bytes() {
    let run = || {
        let child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "w9_child", "--nocapture"])
            .output()
            .unwrap();
        let printed = String::from_utf8(child.stdout).unwrap();
        let line = printed
            .lines()
            .find_map(|l| Some(l.split_once("w9:")?.1.to_owned()));
        line.expect("the child prints its report")
    };
    let here = serde_json::to_string(&w9_report()).unwrap();
    assert_eq!(run(), here);
    assert_eq!(run(), here);
}
