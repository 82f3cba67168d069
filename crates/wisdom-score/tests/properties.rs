//! What must hold of every text.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

use std::sync::LazyLock;

use proptest::prelude::*;
use unicode_normalization::UnicodeNormalization;
use wisdom_score::{Options, Report, Scorer, Semantics, Span};

fn scorer(semantics: Semantics) -> Scorer {
    Scorer::new(Options {
        semantics,
        ..Options::default()
    })
    .unwrap()
}

static CANONICAL: LazyLock<Scorer> = LazyLock::new(|| scorer(Semantics::Canonical));
static JS: LazyLock<Scorer> = LazyLock::new(|| scorer(Semantics::DeployedJs));
static PHP: LazyLock<Scorer> = LazyLock::new(|| scorer(Semantics::DeployedPhp));

fn canonical(text: &str) -> Report {
    CANONICAL.score(text).unwrap()
}

/// Pieces that matter to the scorer, glued by any of the joints.
fn text() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "FEN",
        "NOU",
        "OBJ",
        "SUB",
        "TEO",
        "PRA",
        "PLA",
        "MON",
        "ANA",
        "SIN",
        "AMO",
        "EXP",
        "POL",
        "MONt1",
        "FENX",
        "fen",
        "yet",
        "però",
        "PERÒ",
        "en canvi",
        "in tension with",
        "d'altra banda",
        "d\u{2019}altra banda",
        "rather than",
        "ans",
        "answers",
        "integrates",
        "reformula",
        "treat it as",
        "preserves all of it by",
        "tracta això com",
        "axis",
        "eix",
        "the OBJ–SUB axis",
        "tension between",
        "and",
        "i",
        "or",
        "o",
        "each part is itself",
        "holístic",
        "cicle del coneixement",
        "[PATH: FEN → NOU]",
        "intel·lectual",
        "l'amor",
        "don't",
        "café",
        "1984",
        "50 %",
        "Smith (2020)",
        "New York",
        "USA",
        "self-identity",
        "A = A",
        "🙂",
        "中文",
        "ß",
        "İ",
        "ſ",
    ]);
    let joints = prop::sample::select(vec![
        " ", "  ", "\n", "\n\n", "\n \t\n", ", ", ". ", "; ", " – ", "/", "→", ": ", "",
    ]);
    prop::collection::vec((pieces, joints), 0..60).prop_map(|all| {
        all.into_iter()
            .map(|(piece, joint)| format!("{piece}{joint}"))
            .collect()
    })
}

/// All that a report says but for places in the text, which differ with its bytes.
fn without_places(report: &Report) -> serde_json::Value {
    let mut value = serde_json::to_value(report).unwrap();
    strip(&mut value);
    value
}

fn strip(value: &mut serde_json::Value) {
    match value {
        serde_json::Value::Object(map) => {
            map.remove("span");
            map.values_mut().for_each(strip);
        }
        serde_json::Value::Array(list) => list.iter_mut().for_each(strip),
        _ => {}
    }
}

fn slices(text: &str, span: Span) -> String {
    let by_bytes = text.get(span.bytes()).expect("a span slices the text");
    let count = span.scalar_end - span.scalar_start;
    let by_scalars: String = text.chars().skip(span.scalar_start).take(count).collect();
    assert_eq!(by_bytes, by_scalars, "bytes and scalar values agree");
    by_bytes.to_owned()
}

fn check_spans(text: &str, report: &Report) {
    for event in &report.events {
        assert!(!slices(text, event.span).is_empty());
        for code in &event.codes {
            let spelled = text_units::clean(&slices(text, code.span)).into_text();
            assert_eq!(spelled, code.code.as_str());
        }
    }
}

/// Invisible characters of several kinds, put between all characters.
fn with_invisible(text: &str) -> String {
    text.chars()
        .flat_map(|c| ['\u{200B}', c, '\u{AD}', '\u{2060}'])
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn values_stay_in_the_unit_interval(text in text()) {
        for scorer in [&*CANONICAL, &*JS, &*PHP] {
            let Ok(report) = scorer.score(&text) else { continue };
            let mut values = report.components.values().to_vec();
            values.extend([report.harmonic_score, report.wisdom_score]);
            let extras = &report.extras;
            values.extend([extras.factual_density, extras.implicit_coverage, extras.causal_coverage]
                .into_iter().flatten());
            values.extend([extras.epistemic_coverage, extras.tempeternal_coverage]
                .into_iter().flatten());
            values.extend([extras.tempeternal_balance, extras.solve_coagula_balance]
                .into_iter().flatten());
            values.extend(extras.cycles.iter().map(|cycle| cycle.coverage));
            // The references leave the last bit of an entropy to chance; none exceeds 1 printed.
            prop_assert!(values.iter().all(|v| (0.0..=1.0).contains(v)), "{values:?}");
        }
    }

    #[test]
    fn any_text_at_all_is_scored(text in any::<String>()) {
        check_spans(&text, &canonical(&text));
        check_spans(&text, &JS.score(&text).unwrap());
        if let Ok(report) = PHP.score(&text) {
            check_spans(&text, &report);
        }
    }

    #[test]
    fn any_bytes_at_all_are_scored(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = CANONICAL.score_bytes(&bytes);
        prop_assert!(JS.score_bytes(&bytes).is_ok());
        let _ = PHP.score_bytes(&bytes);
    }

    #[test]
    fn every_span_slices_the_original(text in text()) {
        let invisible = with_invisible(&text);
        let decomposed: String = text.nfd().collect();
        for text in [&text, &invisible, &decomposed, &text.replace('\n', "\r\n")] {
            check_spans(text, &canonical(text));
        }
        check_spans(&text, &JS.score(&text).unwrap());
        if let Ok(report) = PHP.score(&text) {
            check_spans(&text, &report);
        }
    }

    #[test]
    fn normal_forms_line_ends_and_apostrophes_do_not_matter(text in text()) {
        let plain = without_places(&canonical(&text));
        let decomposed: String = text.nfd().collect();
        prop_assert_eq!(&without_places(&canonical(&decomposed)), &plain);
        let composed: String = text.nfc().collect();
        prop_assert_eq!(&without_places(&canonical(&composed)), &plain);
        prop_assert_eq!(&without_places(&canonical(&text.replace('\n', "\r\n"))), &plain);
        prop_assert_eq!(&without_places(&canonical(&text.replace('\'', "\u{2019}"))), &plain);
        prop_assert_eq!(&without_places(&canonical(&text.replace('\u{2019}', "'"))), &plain);
    }

    #[test]
    fn invisible_characters_do_not_matter(text in text()) {
        let plain = without_places(&canonical(&text));
        prop_assert_eq!(without_places(&canonical(&with_invisible(&text))), plain);
    }

    /// Between two codes, in place of the white space that is there.
    #[test]
    fn a_blank_line_never_raises_a_relational_component(text in text(), pick in any::<prop::sample::Index>()) {
        let gaps: Vec<usize> = text.match_indices(' ').map(|(i, _)| i).collect();
        prop_assume!(!gaps.is_empty());
        let at = gaps[pick.index(gaps.len())];
        let blank = format!("{}\n\n{}", &text[..at], &text[at + 1..]);
        let (before, after) = (canonical(&text).components, canonical(&blank).components);
        prop_assert!(after.dialectical_pair_density <= before.dialectical_pair_density);
        prop_assert!(after.tension_density <= before.tension_density);
        prop_assert!(after.subordinating_synthesis <= before.subordinating_synthesis);
        prop_assert!(after.synthesis_anchoring <= before.synthesis_anchoring);
        prop_assert!(after.mereological_coverage <= before.mereological_coverage);
    }

    #[test]
    fn reports_round_trip_through_json(text in text()) {
        let report = canonical(&text);
        let json = serde_json::to_string(&report).unwrap();
        prop_assert_eq!(serde_json::from_str::<Report>(&json).unwrap(), report);
    }

    #[test]
    fn quick_checks_agree_with_the_report(text in text()) {
        let report = canonical(&text);
        prop_assert_eq!(CANONICAL.count_codes(&text), report.mentions);
        prop_assert_eq!(CANONICAL.cites_codes(&text), report.mentions > 0);
    }

    #[test]
    fn a_limit_on_events_changes_no_number(text in text()) {
        let few = Scorer::new(Options { max_events: 1, ..Options::default() }).unwrap();
        let (all, cut) = (canonical(&text), few.score(&text).unwrap());
        prop_assert_eq!(all.components, cut.components);
        prop_assert_eq!(all.tension_events, cut.tension_events);
        prop_assert!(cut.events.len() <= all.events.len());
    }
}

#[test]
fn the_same_bytes_whatever_the_thread_count() {
    let text = include_str!("../../../fixtures/wisdom-texts/t2-ca.txt");
    let alone = serde_json::to_string(&canonical(text)).unwrap();
    let threads: Vec<_> = (0..8)
        .map(|_| std::thread::spawn(move || serde_json::to_string(&canonical(text)).unwrap()))
        .collect();
    for thread in threads {
        assert_eq!(thread.join().unwrap(), alone);
    }
}
