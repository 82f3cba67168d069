//! Preflight from the outside: the levels of the guard, the contracts, the wire.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use claim_lattice::preflight::{
    AnswerMode, CallOptions, CapRule, CorpusInfo, GuardPolicy, GuardResult, GuardSwitches, Level,
    Lexicon, Preflight, PreflightPolicy, QuestionShape, RejectReason, Rung, preflight,
};

fn ask(question: &str, policy: &PreflightPolicy, options: &CallOptions) -> Preflight {
    preflight(
        question,
        &Lexicon::built_in(),
        policy,
        &CorpusInfo::default(),
        options,
    )
}

fn rejecting() -> PreflightPolicy {
    PreflightPolicy {
        guard: GuardPolicy {
            reject_at: Some(Rung::Exhaustive),
            ..GuardPolicy::default()
        },
        ..PreflightPolicy::default()
    }
}

const BROAD: &str = "Who knows everything about rivers?";

#[test]
fn built_in_lexicons_read() {
    for lexicon in Lexicon::built_in() {
        assert!(!lexicon.name().is_empty());
    }
}

#[test]
fn the_reminder_is_on_in_lattice_modes_only() {
    let policy = PreflightPolicy::default();
    for (mode, result) in [
        (AnswerMode::Pointer, GuardResult::Reminder),
        (AnswerMode::Json, GuardResult::Reminder),
        (AnswerMode::Quote, GuardResult::Allow),
    ] {
        let options = CallOptions {
            mode,
            ..CallOptions::default()
        };
        let seen = ask(BROAD, &policy, &options);
        assert_eq!(seen.answer_contract.preflight_result, result, "{mode:?}");
        assert_eq!(
            seen.answer_contract.decisions.reminder.decided_by,
            Level::ProcessDefault
        );
    }
}

#[test]
fn the_cap_is_opt_in() {
    let mut policy = PreflightPolicy::default();
    assert_eq!(
        ask(BROAD, &policy, &CallOptions::default())
            .answer_contract
            .max_claims,
        None
    );
    policy.guard.cap = Some(CapRule {
        at: Rung::Each,
        max_claims: 6,
    });
    let seen = ask(BROAD, &policy, &CallOptions::default());
    assert_eq!(seen.answer_contract.preflight_result, GuardResult::Cap);
    assert_eq!(seen.answer_contract.max_claims, Some(6));
    assert!(seen.prompt_contract.cap.unwrap().contains('6'));
}

#[test]
fn the_most_specific_of_six_levels_wins_and_is_reported() {
    let off = GuardSwitches {
        reject: Some(false),
        ..GuardSwitches::INHERIT
    };
    let on = GuardSwitches {
        reject: Some(true),
        ..GuardSwitches::INHERIT
    };
    let mut policy = rejecting();
    let mut options = CallOptions::default();
    let mut question = BROAD.to_owned();
    let expect =
        |question: &str, policy: &PreflightPolicy, options: &CallOptions, level, enabled| {
            let seen = ask(question, policy, options);
            let decision = seen.answer_contract.decisions.reject;
            assert_eq!((decision.decided_by, decision.enabled), (level, enabled));
            assert_eq!(seen.is_rejected(), enabled);
        };
    expect(&question, &policy, &options, Level::ProcessDefault, true);
    options.process_default = off;
    expect(&question, &policy, &options, Level::ProcessDefault, false);
    policy.guard.switches = on;
    expect(&question, &policy, &options, Level::Policy, true);
    policy.guard.by_mode.insert(AnswerMode::Pointer, off);
    expect(&question, &policy, &options, Level::Mode, false);
    policy.guard.by_shape.insert(QuestionShape::Relation, on);
    expect(&question, &policy, &options, Level::Shape, true);
    question = format!("{BROAD} [no-reject]");
    expect(&question, &policy, &options, Level::QuestionMarker, false);
    options.call = on;
    expect(&question, &policy, &options, Level::Call, true);
}

#[test]
fn markers_leave_the_question_and_can_be_disobeyed() {
    let mut policy = rejecting();
    let seen = ask(
        &format!("[no-guard] {BROAD}"),
        &policy,
        &CallOptions::default(),
    );
    assert_eq!(seen.question, BROAD);
    assert_eq!(seen.answer_contract.preflight_result, GuardResult::Allow);
    policy.guard.obey_question_markers = false;
    let seen = ask(
        &format!("[no-guard] {BROAD}"),
        &policy,
        &CallOptions::default(),
    );
    assert_eq!(seen.question, BROAD);
    assert!(seen.is_rejected());
}

#[test]
fn blocking_on_contradiction_is_a_switch() {
    let question = "Is the cat both alive and dead?";
    let mut policy = PreflightPolicy::default();
    let seen = ask(question, &policy, &CallOptions::default());
    assert!(seen.classifier.state.contradiction.is_some());
    assert!(!seen.is_rejected());
    policy.metacognition.block_on_contradiction = true;
    let seen = ask(question, &policy, &CallOptions::default());
    assert_eq!(
        seen.answer_contract.reject_reason,
        Some(RejectReason::Contradictory)
    );
}
