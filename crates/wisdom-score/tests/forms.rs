//! Texts of known form: the seed's T1 to T4, lists and filler, in both languages.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

use std::ops::RangeInclusive;
use std::path::Path;

use wisdom_score::{Composite, Options, Report, Scorer};

fn text(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/wisdom-texts");
    std::fs::read_to_string(folder.join(name)).unwrap()
}

fn score(name: &str, composite: Composite) -> Report {
    let scorer = Scorer::new(Options {
        composite: Some(composite),
        ..Options::default()
    });
    scorer.unwrap().score(&text(name)).unwrap()
}

/// Bands of the seed's table (§4): coverage, entropy, pairs, tension, anchoring, 𝓗.
fn check(form: &str, bands: [RangeInclusive<f64>; 6]) {
    for language in ["en", "ca"] {
        let name = format!("{form}-{language}.txt");
        for composite in [Composite::V1, Composite::V2, Composite::V3] {
            let report = score(&name, composite);
            let c = &report.components;
            let values = [
                c.coverage,
                c.entropy_normalized,
                c.dialectical_pair_density,
                c.tension_density,
                c.synthesis_anchoring,
                report.harmonic_score,
            ];
            for (value, band) in values.iter().zip(&bands) {
                assert!(
                    band.contains(value),
                    "{name}: {value} is not in {band:?}: {c:?}"
                );
            }
            let values = c.values();
            let formula: f64 = values
                .iter()
                .zip(report.weights.values())
                .map(|(c, w)| c * w)
                .sum();
            assert!((report.wisdom_score - formula).abs() <= 5e-7, "{name}");
        }
    }
}

#[test]
fn t1_a_list_covers_and_does_not_relate() {
    check(
        "t1",
        [
            1.0..=1.0,
            0.9..=1.0,
            0.0..=0.1,
            0.0..=0.25,
            0.15..=0.35,
            0.94..=1.0,
        ],
    );
    // By the V1 formula: 0.30 + 0.20·0.93 + 0.10·0.25.
    let v1 = score("t1-en.txt", Composite::V1).wisdom_score;
    assert!((0.50..0.55).contains(&v1), "{v1}");
}

#[test]
fn t2_a_dialectical_text_relates() {
    check(
        "t2",
        [
            1.0..=1.0,
            0.9..=1.0,
            0.75..=1.0,
            0.9..=1.0,
            0.85..=1.0,
            0.94..=1.0,
        ],
    );
    for language in ["en", "ca"] {
        for composite in [Composite::V2, Composite::V3] {
            let report = score(&format!("t2-{language}.txt"), composite);
            assert!(report.wisdom_score >= 0.65, "{}", report.wisdom_score);
        }
    }
}

#[test]
fn t3_filler_covers_and_nothing_else() {
    check(
        "t3",
        [
            1.0..=1.0,
            0.9..=1.0,
            0.0..=0.0,
            0.0..=0.0,
            0.0..=0.0,
            0.94..=1.0,
        ],
    );
    let v1 = score("t3-en.txt", Composite::V1).wisdom_score;
    assert!(
        (0.48..0.51).contains(&v1),
        "{v1}: V1 pays for coverage alone"
    );
}

#[test]
fn t4_depth_makes_up_for_some_breadth() {
    check(
        "t4",
        [
            0.5..=0.5,
            0.6..=0.8,
            0.5..=0.5,
            0.75..=0.75,
            0.5..=0.5,
            0.5..=0.65,
        ],
    );
}

#[test]
fn lists_and_filler_stay_low_in_v2_and_v3() {
    let forms = [
        "headings",
        "headings-short",
        "headings-tight",
        "headings-closing",
        "lorem",
        "t3",
    ];
    for form in forms {
        for language in ["en", "ca"] {
            for composite in [Composite::V2, Composite::V3] {
                let report = score(&format!("{form}-{language}.txt"), composite);
                assert!(
                    report.wisdom_score <= 0.15,
                    "{form}-{language}: {report:#?}"
                );
                assert!(report.harmonic_score >= 0.9, "{form}-{language}");
            }
        }
    }
}

/// However the closing sentence spells its list, it buys nothing.
#[test]
fn a_closing_list_buys_nothing_however_it_is_joined() {
    let body = text("headings-en.txt");
    let codes = [
        "SUB", "OBJ", "TEO", "PRA", "FEN", "NOU", "PLA", "MON", "ANA", "SIN",
    ];
    let scorer = Scorer::new(Options::default()).unwrap();
    let joints = [
        ", ", " → ", "/", "; ", " or ", " i ", " and ", " o ", "\n\n", " ↔ ", "–", ", **", " & ",
    ];
    for joint in joints {
        let closing = format!("{body}\nYet all is in {} here.", codes.join(joint));
        let report = scorer.score(&closing).unwrap();
        assert!(report.wisdom_score <= 0.15, "{joint:?}: {report:#?}");
    }
    let off = Scorer::new(Options {
        discount_lists: false,
        ..Options::default()
    });
    let closing = format!("{body}\nYet all is in {} here.", codes.join(", "));
    let report = off.unwrap().score(&closing).unwrap();
    assert!(
        report.wisdom_score > 0.3,
        "without the discount a list pays: {report:#?}"
    );
}

/// What the docs concede: the form with nothing in it scores as the form does.
#[test]
fn the_hollow_form_is_not_caught() {
    assert!(score("hollow-en.txt", Composite::V3).wisdom_score > 0.65);
}
