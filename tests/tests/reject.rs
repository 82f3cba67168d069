//! A question that preflight refuses leaves a run of its own.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod support;

use claim_lattice::preflight::{GuardPolicy, PreflightPolicy, Rung};
use run_dag::{QuestionPayload, RunBuilder, Shape, StageKind, StagePayload, replay};
use support::{ask, preflight_payload, rejected};

const BROAD: &str = "List every single battle of the Thirty Years' War without exception.";

fn rejecting_from(rung: Rung) -> PreflightPolicy {
    PreflightPolicy {
        guard: GuardPolicy {
            reject_at: Some(rung),
            ..GuardPolicy::default()
        },
        ..PreflightPolicy::default()
    }
}

#[test]
fn a_broad_question_gives_the_three_stage_run() {
    let record = rejected(BROAD, &rejecting_from(Rung::Exhaustive));
    let kinds: Vec<&StageKind> = record.stages().iter().map(run_dag::Stage::kind).collect();
    assert_eq!(
        kinds,
        [
            &StageKind::Question,
            &StageKind::Preflight,
            &StageKind::FinalLabel
        ]
    );
    assert_eq!(*record.shape(), Shape::Reject);
    assert!(replay(&record).unwrap().is_clean());
    let json = serde_json::to_value(&record).unwrap();
    let classifier = &json["stages"][1]["payload"]["classifier"];
    assert_eq!(classifier["quantifier"]["quantifier_intensity"], 9);
    assert_eq!(
        classifier["quantifier"]["quantifier_matched_token"],
        "every single"
    );
    let contract = &json["stages"][1]["payload"]["answer_contract"];
    assert_eq!(contract["preflight_result"], "reject");
    assert_eq!(contract["reject_reason"], "too_broad");
}

#[test]
fn the_same_question_under_another_policy_gives_another_root() {
    let strict = rejected(BROAD, &rejecting_from(Rung::Exhaustive));
    let stricter = rejected(BROAD, &rejecting_from(Rung::All));
    assert_eq!(
        strict.stages()[0].stage_hash(),
        stricter.stages()[0].stage_hash(),
        "one question"
    );
    assert_ne!(
        strict.stages()[1].stage_hash(),
        stricter.stages()[1].stage_hash()
    );
    assert_ne!(strict.run_dag_root(), stricter.run_dag_root());
    let again = rejected(BROAD, &rejecting_from(Rung::Exhaustive));
    assert_eq!(
        strict.run_dag_root(),
        again.run_dag_root(),
        "and the same policy the same root"
    );
}

#[test]
fn a_question_that_contradicts_itself_is_rejected_where_the_policy_says_so() {
    let mut policy = PreflightPolicy::default();
    let question = "Is the cat both alive and dead?";
    assert!(!ask(question, &policy).is_rejected());
    policy.metacognition.block_on_contradiction = true;
    let record = rejected(question, &policy);
    assert_eq!(record.stages().len(), 3);
    let json = serde_json::to_value(&record).unwrap();
    assert_eq!(json["stages"][2]["payload"]["reason"], "contradictory");
}

#[test]
fn a_refused_question_cannot_be_sealed_as_answered() {
    let policy = rejecting_from(Rung::Exhaustive);
    let mut run = RunBuilder::new(Shape::Lattice);
    run.push(QuestionPayload::new(BROAD));
    run.push(StagePayload::from(preflight_payload(
        &ask(BROAD, &policy),
        &policy,
    )));
    assert!(run.seal().is_err(), "a lattice run needs its ten stages");
}
