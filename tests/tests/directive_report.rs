//! The report on the eight directives for one run.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod support;

use claim_lattice::directives::{
    AutomatedStep, BoundHashes, Compliance, Directive, PINNED_STEPS, RunFacts, directive_report,
};
use claim_lattice::preflight::{GuardPolicy, PreflightPolicy, Rung};
use claim_lattice::{AnswerMode, Policy, Verdict, render};
use support::{ANSWER, PASSAGES, QUESTION, Setup, bound_in, lattice, map, strict};

/// The facts of a whole run.
fn facts<'a>(
    setup: &'a Setup,
    verdict: &'a Verdict,
    rendering: &'a claim_lattice::Rendering,
    bound: &'a [String],
    policy: &'a Policy,
) -> RunFacts<'a> {
    RunFacts {
        question: QUESTION,
        preflight: None,
        answer_mode: AnswerMode::Pointer,
        answer: Some(ANSWER),
        evidence: Some(&setup.evidence),
        policy,
        verdict: Some(verdict),
        rendering: Some(rendering),
        model_calls_before_verify: 1,
        model_calls_at_label: 1,
        bound: BoundHashes {
            retrieval_plan_hash: bound.first().map(String::as_str),
            evidence_map_root: bound.get(1).map(String::as_str),
        },
        steps: &PINNED_STEPS,
    }
}

#[test]
fn a_sealed_run_holds_all_eight() {
    let setup = Setup::default();
    let (record, verdict) = lattice(&setup);
    let (policy, bound) = (Policy::strict(), bound_in(&record));
    let rendering = render(&verdict, &setup.evidence, &policy);
    let report = directive_report(&facts(&setup, &verdict, &rendering, &bound, &policy));
    for (directive, finding) in report.iter() {
        assert_eq!(
            finding.compliance,
            Compliance::Held,
            "{directive:?}: {}",
            finding.reason
        );
    }
    assert_eq!(report.directive_compliance().len(), 8);
    assert!(report.directive_compliance().values().all(|held| *held));
}

#[test]
fn a_run_that_breaks_a_directive_is_reported_by_its_name() {
    let setup = Setup::default();
    let (record, verdict) = lattice(&setup);
    let (policy, bound) = (Policy::strict(), bound_in(&record));
    let rendering = render(&verdict, &setup.evidence, &policy);
    let whole = facts(&setup, &verdict, &rendering, &bound, &policy);
    let broken = |run: &RunFacts<'_>| directive_report(run).broken();

    let asked = RunFacts {
        model_calls_at_label: 2,
        ..whole
    };
    assert_eq!(broken(&asked), [Directive::D1]);

    let bare = "Steve Jobs founded Apple in 1976.";
    let bare_verdict = strict(QUESTION, &setup.evidence, bare);
    let pointerless = RunFacts {
        answer: Some(bare),
        verdict: Some(&bare_verdict),
        rendering: None,
        ..whole
    };
    assert_eq!(broken(&pointerless), [Directive::D2]);

    let mut invented = rendering.clone();
    invented.claims[0].passages[0].text.push('!');
    assert_eq!(
        broken(&RunFacts {
            rendering: Some(&invented),
            ..whole
        }),
        [Directive::D3]
    );

    let unbound = RunFacts {
        bound: BoundHashes::default(),
        ..whole
    };
    assert_eq!(broken(&unbound), [Directive::D4]);

    let other = map(&[PASSAGES[2], PASSAGES[1], PASSAGES[0]]);
    let swapped = RunFacts {
        evidence: Some(&other),
        rendering: None,
        ..whole
    };
    assert_eq!(broken(&swapped), [Directive::D5]);

    let loose = [AutomatedStep {
        name: "rerank",
        pinned_by: None,
    }];
    assert_eq!(
        broken(&RunFacts {
            steps: &loose,
            ..whole
        }),
        [Directive::D8]
    );
}

#[test]
fn a_rejected_run_has_a_report_too() {
    let policy = PreflightPolicy {
        guard: GuardPolicy {
            reject_at: Some(Rung::Exhaustive),
            ..GuardPolicy::default()
        },
        ..PreflightPolicy::default()
    };
    let seen = support::ask("Tell me everything about Apple.", &policy);
    let verifier = Policy::strict();
    let report = directive_report(&RunFacts {
        question: "Tell me everything about Apple.",
        preflight: Some(&seen),
        answer_mode: AnswerMode::Pointer,
        answer: None,
        evidence: None,
        policy: &verifier,
        verdict: None,
        rendering: None,
        model_calls_before_verify: 0,
        model_calls_at_label: 0,
        bound: BoundHashes::default(),
        steps: &PINNED_STEPS[..1],
    });
    assert!(report.broken().is_empty(), "{report:?}");
    let wire = serde_json::to_value(&report).unwrap();
    assert_eq!(wire["d2"]["compliance"], "not_applicable");
    assert_eq!(wire["d8"]["compliance"], "held");
}

#[test]
fn a_refusal_makes_no_claim_and_needs_no_pointer() {
    let setup = Setup::default();
    let (record, _) = lattice(&setup);
    let (policy, bound) = (Policy::strict(), bound_in(&record));
    let refusal = "The sources do not say.";
    let verdict = strict(QUESTION, &setup.evidence, refusal);
    let rendering = render(&verdict, &setup.evidence, &policy);
    let facts = RunFacts {
        answer: Some(refusal),
        ..facts(&setup, &verdict, &rendering, &bound, &policy)
    };
    assert_eq!(directive_report(&facts).broken(), []);
}
