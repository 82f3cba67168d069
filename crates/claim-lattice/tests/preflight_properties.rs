//! Properties of preflight: total on any text, spans that slice the question, switches that only
//! take away, the wire.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use claim_lattice::preflight::{
    AnswerMode, CallOptions, CivilDate, CorpusInfo, EvidenceView, FramedClaim, GuardPolicy,
    GuardResult, GuardSwitches, Lexicon, Preflight, PreflightPolicy, QuestionState, Rung,
    after_retrieval, frame_mismatches, group_claims, preflight,
};
use proptest::prelude::*;

fn corpus() -> CorpusInfo<'static> {
    CorpusInfo {
        as_of: Some(CivilDate::year(2020)),
        asked_on: Some(CivilDate::day(2026, 1, 15)),
        titles: &["The Siege (novel)", "The Siege (film)", "(", ")", "", "()"],
    }
}

fn ask(question: &str) -> Preflight {
    let policy = PreflightPolicy::default();
    preflight(
        question,
        &Lexicon::built_in(),
        &policy,
        &corpus(),
        &CallOptions::default(),
    )
}

/// Text out of the words that the lists know, with marks between: reaches more rules than noise.
fn worded() -> impl Strategy<Value = String> {
    let words = [
        "Who",
        "why",
        "did",
        "not",
        "all",
        "every",
        "single",
        "the",
        "first",
        "three",
        "in",
        "2025",
        "The",
        "Siege",
        "novel",
        "film",
        "and",
        "never",
        "alive",
        "dead",
        "current",
        "Since",
        "it",
        "tots",
        "els",
        "sense",
        "excepció",
        "què",
        "no",
        "l'últim",
        "\u{201C}",
        "\u{201D}",
        "\"",
        ",",
        "?",
        "[no-guard]",
        "façana",
        "\u{200B}",
        "\u{1F600}",
        "E\u{301}",
    ];
    let word = prop::sample::select(words.to_vec());
    prop::collection::vec(word, 0..40).prop_map(|w| w.join(" "))
}

fn any_question() -> impl Strategy<Value = String> {
    prop_oneof![worded(), any::<String>()]
}

fn spans_slice(seen: &Preflight) {
    let quantifier = &seen.classifier.quantifier;
    if let Some(span) = quantifier.quantifier_span {
        let matched = quantifier.quantifier_matched_token.as_deref();
        assert_eq!(span.slice(&seen.question), matched);
    }
    for bound in &quantifier.scope_bound_hint {
        assert_eq!(bound.span.slice(&seen.question), Some(bound.text.as_str()));
    }
    let state = &seen.classifier.state;
    if let Some(found) = &state.stale_risk {
        assert_eq!(
            found.span.slice(&seen.question),
            Some(found.matched.as_str())
        );
    }
    if let Some(found) = &state.contradiction {
        assert_eq!(
            found.span.slice(&seen.question),
            Some(found.matched.as_str())
        );
    }
}

proptest! {
    #[test]
    fn any_text_is_read_and_its_spans_slice_it(question in any_question(), text in any_question()) {
        let seen = ask(&question);
        spans_slice(&seen);
        prop_assert!(seen.classifier.quantifier.demand <= seen.classifier.quantifier.quantifier_intensity);
        let view = EvidenceView { id: "E1", title: &question, text: &text, role: "primary" };
        let state = after_retrieval(&seen, &Lexicon::built_in(), &[view]);
        let cited = [view];
        let claims = [FramedClaim { text: &text, cited: &cited }];
        let groups = group_claims(&state.frames, &claims, Lexicon::english());
        prop_assert_eq!(groups.iter().map(|g| g.claims.len()).sum::<usize>(), 1);
        let _ = frame_mismatches(&state.frames, &claims, Lexicon::catalan());
    }

    #[test]
    fn the_same_question_reads_the_same_and_round_trips(question in worded()) {
        let seen = ask(&question);
        prop_assert_eq!(&seen, &ask(&question));
        let wire = serde_json::to_string(&seen).unwrap();
        prop_assert!(!wire.contains("null.") && !has_float(&serde_json::from_str(&wire).unwrap()));
        let back: Preflight = serde_json::from_str(&wire).unwrap();
        prop_assert_eq!(back.classifier, seen.classifier);
        prop_assert_eq!(back.answer_contract, seen.answer_contract);
    }

    #[test]
    fn switching_the_guard_off_for_a_call_lets_everything_through(question in worded()) {
        let policy = PreflightPolicy {
            guard: GuardPolicy { reject_at: Some(Rung::Single), ..GuardPolicy::default() },
            ..PreflightPolicy::default()
        };
        let options = CallOptions { call: GuardSwitches::OFF, ..CallOptions::default() };
        let seen = preflight(&question, &Lexicon::built_in(), &policy, &corpus(), &options);
        prop_assert_eq!(seen.answer_contract.preflight_result, GuardResult::Allow);
    }

    #[test]
    fn any_lexicon_text_reads_or_is_refused(text in any::<String>(), line in "[a-z/!*#@_.^$ ]{0,40}") {
        let _ = Lexicon::parse(&text);
        if let Ok(lexicon) = Lexicon::parse(&format!("[function]\nthe\n[quantifier.8]\n{line}")) {
            let policy = PreflightPolicy::default();
            let seen = preflight("the all of a z", &[&lexicon], &policy, &corpus(), &CallOptions::default());
            spans_slice(&seen);
        }
    }
}

fn has_float(value: &serde_json::Value) -> bool {
    match value {
        serde_json::Value::Number(n) => n.is_f64(),
        serde_json::Value::Array(items) => items.iter().any(has_float),
        serde_json::Value::Object(fields) => fields.values().any(has_float),
        _ => false,
    }
}

/// Long hostile questions end: a quadratic rule would take minutes on these.
#[test]
fn long_hostile_questions_are_read() {
    for part in [
        "all ",
        "not all and not ",
        "\"",
        "in 2019 ",
        "why did X not ",
        "The Siege ",
        "every and not every, ",
        "[no-guard]",
        "E\u{301}",
        "the first three ",
        "alive and dead ",
    ] {
        let question = part.repeat(50_000 / part.len());
        let seen = ask(&question);
        let view = EvidenceView {
            id: "E1",
            title: "t",
            text: &question,
            role: "primary",
        };
        let _ = after_retrieval(&seen, &Lexicon::built_in(), &[view]);
    }
}

#[test]
fn the_wire_of_the_five_clauses_is_pinned() {
    let seen = ask("List all moons of Jupiter in 2010.");
    let wire = serde_json::to_value(&seen).unwrap();
    let keys: Vec<&String> = wire.as_object().unwrap().keys().collect();
    assert_eq!(
        keys,
        [
            "answer_contract",
            "classifier",
            "evidence_contract",
            "policy_refs",
            "prompt_contract"
        ]
    );
    assert_eq!(
        wire["classifier"]["quantifier"],
        serde_json::json!({
            "quantifier_intensity": 8,
            "quantifier_matched_token": "all",
            "quantifier_span": {"start": 5, "end": 8},
            "scope_bound_hint": [{"kind": "time", "text": "in 2010", "span": {"start": 26, "end": 33}, "count": null}],
            "demand": 6
        })
    );
    assert_eq!(
        wire["answer_contract"],
        serde_json::json!({
            "answer_mode": "pointer",
            "preflight_result": "reminder",
            "reject_reason": null,
            "max_claims": null,
            "group_by_frame": false,
            "decisions": {
                "reminder": {"enabled": true, "decided_by": "process_default"},
                "cap": {"enabled": true, "decided_by": "process_default"},
                "reject": {"enabled": true, "decided_by": "process_default"}
            }
        })
    );
    assert_eq!(wire["classifier"]["preflight_question_shape"], "list");
    assert_eq!(wire["classifier"]["language"], "english");
    assert_eq!(
        wire["evidence_contract"],
        serde_json::json!({
            "corpus_as_of": {"year": 2020, "month": null, "day": null},
            "asked_on": {"year": 2026, "month": 1, "day": 15},
            "subject_tokens": ["jupit"],
            "checks_false_premise": true,
            "checks_out_of_corpus": true
        })
    );
}

#[test]
fn tails_stand_in_the_order_of_the_audit_line() {
    let seen = ask("Is the current mayor both alive and dead in The Siege?");
    let state: QuestionState = after_retrieval(&seen, &Lexicon::built_in(), &[]);
    assert_eq!(
        state.tails(),
        "· contradictory · stale risk · out of corpus · frame ambiguous"
    );
}

#[test]
fn a_language_of_the_callers_own_reads() {
    let text = "[language]\nname = esperanto\n[function]\nkiu la estas\n[quantifier.8]\nĉiuj\n\
                [shape.relation]\nkiu\n[template]\nreminder = Demando pri {token}.";
    let lexicon = Lexicon::parse(text).unwrap();
    let languages = [Lexicon::english(), &lexicon];
    let options = CallOptions {
        mode: AnswerMode::Json,
        ..CallOptions::default()
    };
    let policy = PreflightPolicy::default();
    let seen = preflight(
        "Kiu estas ĉiuj la reĝoj?",
        &languages,
        &policy,
        &corpus(),
        &options,
    );
    assert_eq!(seen.classifier.language, "esperanto");
    assert_eq!(seen.classifier.quantifier.quantifier_intensity, Rung::All);
    assert_eq!(
        seen.prompt_contract.reminder.as_deref(),
        Some("Demando pri ĉiuj.")
    );
}
