//! The eight directives held against a sealed run.

use claim_lattice::directives::{
    AutomatedStep, BoundHashes, DirectiveReport, PINNED_STEPS, RunFacts, directive_report,
};
use run_dag::{RunRecord, StageKind, StagePayload};

use crate::pipeline::{Context, Earlier};
use crate::verify::plan;
use crate::written::Written;
use crate::{Error, Outcome, SealedAnswer};

impl SealedAnswer {
    /// What each directive says of this run: held, broken or not applicable, with the reason.
    ///
    /// Verifies the recorded text again, offline, so it takes about as long as the run without its
    /// model.
    ///
    /// # Errors
    /// As [`verify`](crate::verify()): a failure of a part, which a sealed answer gives no cause for.
    pub fn directives(&self) -> Result<DirectiveReport, Error> {
        let context = Context {
            settings: &self.settings,
            model: &self.model,
            sources: None,
            earlier: Earlier {
                predecessor: None,
                feedback: &self.feedback,
                draft: self.draft.as_deref(),
                reclassified: self.reclassified.as_ref(),
            },
        };
        if let (Outcome::Grounded, Some(retrieval), Some(plan), Some(text)) = (
            self.outcome,
            self.retrieval.clone(),
            plan(&self.run),
            self.raw_answer.clone(),
        ) {
            let written = Written {
                text,
                broke_off: self.broke_off,
            };
            let opened = context.open(&self.question)?;
            let prepared = opened.prepare(plan.clone(), retrieval, self.topology.clone())?;
            return Ok(prepared.directives(&written, &self.run));
        }
        let bound = Bound::of(&self.run);
        Ok(directive_report(&RunFacts {
            question: &self.question,
            preflight: Some(&self.preflight),
            answer_mode: self.settings.mode,
            answer: None,
            evidence: None,
            policy: &self.settings.policy,
            verdict: None,
            rendering: None,
            model_calls_before_verify: 0,
            model_calls_at_label: 0,
            bound: bound.hashes(),
            steps: &PINNED_STEPS,
        }))
    }
}

/// The hashes that a run binds, as text.
pub(crate) struct Bound {
    plan: Option<String>,
    evidence: Option<String>,
}

impl Bound {
    pub(crate) fn of(run: &RunRecord) -> Self {
        let payload = |kind: &StageKind| run.stage(kind).map(run_dag::Stage::payload);
        let plan = match payload(&StageKind::Retrieval) {
            Some(StagePayload::Retrieval(p)) => Some(p.retrieval_plan_hash.to_string()),
            _ => None,
        };
        let evidence = match (
            payload(&StageKind::EvidenceMap),
            payload(&StageKind::Context),
        ) {
            (Some(StagePayload::EvidenceMap(p)), _) => Some(p.evidence_map_root.to_string()),
            (_, Some(StagePayload::Context(p))) => Some(p.evidence_map_root.to_string()),
            _ => None,
        };
        Self { plan, evidence }
    }

    pub(crate) fn hashes(&self) -> BoundHashes<'_> {
        BoundHashes {
            retrieval_plan_hash: self.plan.as_deref(),
            evidence_map_root: self.evidence.as_deref(),
        }
    }
}

/// The steps that a run took by itself, each with the test that pins it.
pub(crate) fn steps(earlier: &Earlier<'_>) -> Vec<AutomatedStep<'static>> {
    let mut steps = PINNED_STEPS.to_vec();
    let again = [
        (
            !earlier.feedback.is_empty(),
            "reprompt",
            "crates/grounded-answer/tests/rounds.rs::an_argued_answer_goes_back_at_most_twice",
        ),
        (
            earlier.draft.is_some(),
            "polish",
            "crates/grounded-answer/tests/rounds.rs::a_second_pass_stands_only_if_every_claim_came_through",
        ),
        (
            earlier.reclassified.is_some(),
            "reclassify",
            "crates/grounded-answer/tests/reclassify.rs::a_failed_claim_climbs_when_its_source_arrives",
        ),
    ];
    let taken = again.into_iter().filter(|(taken, _, _)| *taken);
    steps.extend(taken.map(|(_, name, test)| AutomatedStep {
        name,
        pinned_by: Some(test),
    }));
    steps
}
