//! The report on the wire, its sentences, and when a text goes back.
#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};
use wisdom_score::{
    Component, FeedbackLanguage, Options, Report, RepromptPolicy, RepromptReason, Scorer,
};

fn score(text: &str, feedback: FeedbackLanguage) -> Report {
    let options = Options {
        feedback,
        ..Options::default()
    };
    Scorer::new(options).unwrap().score(text).unwrap()
}

fn keys(value: &Value) -> Vec<&str> {
    value
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect()
}

#[test]
fn field_names_are_pinned() {
    let report = score(
        "On the OBJ–SUB axis, OBJ measures, yet SUB feels.",
        FeedbackLanguage::English,
    );
    let value = serde_json::to_value(&report).unwrap();
    assert_eq!(
        keys(&value),
        [
            "codes",
            "components",
            "entropy",
            "events",
            "extras",
            "feedback",
            "harmonic_score",
            "mentions",
            "missing",
            "n_quadrants",
            "needs_reprompt",
            "normalized_entropy",
            "notes",
            "quadrant_counts",
            "semantics",
            "subordination_events",
            "tension_events",
            "weights",
            "wisdom_score",
            "words",
        ]
    );
    let components: Vec<&str> = Component::ALL.iter().map(|c| c.name()).collect();
    let mut sorted = components.clone();
    sorted.sort_unstable();
    assert_eq!(keys(&value["components"]), sorted);
    assert_eq!(
        keys(&value["extras"]),
        [
            "causal_coverage",
            "cycles",
            "epistemic_coverage",
            "factual_density",
            "implicit_coverage",
            "implicit_distribution",
            "mereological_relations",
            "path",
            "solve_coagula_balance",
            "tempeternal_balance",
            "tempeternal_coverage",
        ]
    );
    let event = &value["events"][1];
    assert_eq!(
        *event,
        json!({
            "component": "tension_density",
            "term": "yet",
            "span": {"start": 37, "end": 40, "scalar_start": 35, "scalar_end": 38},
            "codes": [
                {"code": "OBJ", "quadrant": "OBJ",
                 "span": {"start": 23, "end": 26, "scalar_start": 21, "scalar_end": 24}},
                {"code": "SUB", "quadrant": "SUB",
                 "span": {"start": 41, "end": 44, "scalar_start": 39, "scalar_end": 42}},
            ],
        })
    );
    assert_eq!(value["semantics"], "canonical");
}

#[test]
fn components_are_written_in_the_order_of_summation() {
    let report = score("OBJ", FeedbackLanguage::English);
    let json = serde_json::to_string(&report.components).unwrap();
    let places: Vec<usize> = Component::ALL
        .iter()
        .map(|c| json.find(c.name()).unwrap())
        .collect();
    assert!(places.is_sorted(), "{json}");
}

#[test]
fn each_component_that_falls_short_has_one_sentence() {
    for language in [FeedbackLanguage::English, FeedbackLanguage::Catalan] {
        let report = score("SIN stands alone beside OBJ, LOG and DET.", language);
        let short: Vec<Component> = report
            .missing
            .iter()
            .map(wisdom_score::Missing::component)
            .collect();
        let mut distinct = short.clone();
        distinct.dedup();
        assert_eq!(short, distinct, "one of each, in order");
        assert_eq!(report.feedback.len(), short.len());
        for component in Component::ALL {
            let full = report.components.get(component) >= 1.0;
            assert!(
                full || short.contains(&component) || component == Component::EntropyNormalized
            );
        }
    }
}

#[test]
fn sentences_say_what_is_missing_in_both_languages() {
    let text = "SIN stands alone. OBJ and MON are here.";
    let has = |report: &Report, part: &str| report.feedback.iter().any(|s| s.contains(part));
    let english = score(text, FeedbackLanguage::English);
    for part in [
        "OBJ and SUB never meet in one paragraph",
        "SIN is named without TEO",
        "names no axis",
        "0 of 4 times",
        "0 of 3 times",
        "identity (A=A)",
        "PLA, SUB, TEO, PRA and FEN are never touched",
    ] {
        assert!(has(&english, part), "{part}: {:#?}", english.feedback);
    }
    let catalan = score(text, FeedbackLanguage::Catalan);
    for part in [
        "OBJ i SUB no es troben mai en un paràgraf",
        "SIN s'anomena sense TEO",
        "no anomena cap eix",
        "0 de 4 vegades",
        "0 de 3 vegades",
        "la identitat (A=A)",
        "PLA, SUB, TEO, PRA i FEN no es toquen mai",
    ] {
        assert!(has(&catalan, part), "{part}: {:#?}", catalan.feedback);
    }
    let one = score("SIN joins TEO.", FeedbackLanguage::English);
    assert!(has(&one, "SIN is named without another cardinal"));
    let full = include_str!("../../../fixtures/wisdom-texts/t2-en.txt");
    assert_eq!(
        score(full, FeedbackLanguage::English).feedback,
        Vec::<String>::new()
    );
}

#[test]
fn texts_go_back_for_stated_reasons() {
    let poor = score(
        "SUB, then STM and STT, wants; PRA waits.",
        FeedbackLanguage::English,
    );
    let policy = RepromptPolicy {
        harmonic_floor: 0.5,
        expected_cycles: vec!["Coneixement".to_owned()],
        ..RepromptPolicy::default()
    };
    let reasons = poor.reprompt_reasons(&policy);
    let names: Vec<Value> = reasons
        .iter()
        .map(|r| serde_json::to_value(r).unwrap()["reason"].clone())
        .collect();
    assert_eq!(
        names,
        [
            "wisdom_below",
            "harmonic_below",
            "coverage_below",
            "mereology_partial",
            "cycle_mismatch"
        ]
    );
    assert!(poor.needs_reprompt);
    // By any name of the cycle that is there, no mismatch.
    for name in ["Revelació", "orientació", "Orientation"] {
        let met = RepromptPolicy {
            expected_cycles: vec!["Coneixement".to_owned(), name.to_owned()],
            ..RepromptPolicy::default()
        };
        let mismatch = |r: &RepromptReason| matches!(r, RepromptReason::CycleMismatch { .. });
        assert!(!poor.reprompt_reasons(&met).iter().any(mismatch), "{name}");
    }
    let rich = include_str!("../../../fixtures/wisdom-texts/t2-en.txt");
    let rich = score(rich, FeedbackLanguage::English);
    assert!(rich.reprompt_reasons(&RepromptPolicy::default()).is_empty());
}
