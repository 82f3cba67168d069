//! The eight directives, held against one run.
//!
//! What the design promises in general is pinned by `tests/tests/directives.rs`; this module says
//! for a single run which of the promises its facts bear out (seed 002, "The seven directives",
//! and its bench column `directive_compliance`).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::codes::Code;
use crate::evidence::EvidenceMap;
use crate::ladder::{AuditMode, Label, Rung, VerifierMethod};
use crate::parse::{AnswerMode, ParseOptions, parse};
use crate::policy::Policy;
use crate::preflight::Preflight;
use crate::render::Rendering;
use crate::verdict::{ClaimVerdict, Verdict};
use crate::verify::verify;

/// A directive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Directive {
    /// The verifier never calls a model.
    D1,
    /// The model emits pointers.
    D2,
    /// The runtime composes the lattice.
    D3,
    /// Retrieval plan and evidence map are bound.
    D4,
    /// Verification is deterministic.
    D5,
    /// Anchor warrant before any entailment.
    D6,
    /// Labels say what was checked.
    D7,
    /// Automation comes after pinning tests.
    D8,
}

impl Directive {
    /// All eight, in order.
    pub const ALL: [Self; 8] = [
        Self::D1,
        Self::D2,
        Self::D3,
        Self::D4,
        Self::D5,
        Self::D6,
        Self::D7,
        Self::D8,
    ];

    /// The directive in one sentence.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::D1 => "the verifier never calls a model",
            Self::D2 => "the model emits pointers",
            Self::D3 => "the runtime composes the lattice",
            Self::D4 => "retrieval plan and evidence map are bound",
            Self::D5 => "verification is deterministic",
            Self::D6 => "anchor warrant comes before any entailment",
            Self::D7 => "labels say what was checked",
            Self::D8 => "automation comes after pinning tests",
        }
    }

    /// The name on the wire: `d1` to `d8`.
    #[must_use]
    pub fn wire_name(self) -> &'static str {
        match self {
            Self::D1 => "d1",
            Self::D2 => "d2",
            Self::D3 => "d3",
            Self::D4 => "d4",
            Self::D5 => "d5",
            Self::D6 => "d6",
            Self::D7 => "d7",
            Self::D8 => "d8",
        }
    }
}

/// What a run's facts say of a directive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Compliance {
    /// They bear it out.
    Held,
    /// They contradict it.
    Broken,
    /// The run has nothing that the directive speaks of.
    NotApplicable,
}

/// A directive with what was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// What the facts say.
    pub compliance: Compliance,
    /// Why, in one sentence.
    pub reason: String,
}

/// The eight findings of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DirectiveReport {
    findings: BTreeMap<Directive, Finding>,
}

impl DirectiveReport {
    /// The finding on a directive; every report that [`directive_report`] makes has all eight.
    #[must_use]
    pub fn get(&self, directive: Directive) -> Option<&Finding> {
        self.findings.get(&directive)
    }

    /// The findings in order.
    pub fn iter(&self) -> impl Iterator<Item = (Directive, &Finding)> {
        self.findings.iter().map(|(d, f)| (*d, f))
    }

    /// The directives that the run breaks.
    #[must_use]
    pub fn broken(&self) -> Vec<Directive> {
        let broken = self.findings.iter();
        let broken = broken.filter(|(_, f)| f.compliance == Compliance::Broken);
        broken.map(|(d, _)| *d).collect()
    }

    /// `directive_compliance`: whether each directive is unbroken; a directive that does not
    /// apply is.
    #[must_use]
    pub fn directive_compliance(&self) -> BTreeMap<&'static str, bool> {
        self.findings
            .iter()
            .map(|(d, f)| (d.wire_name(), f.compliance != Compliance::Broken))
            .collect()
    }
}

/// What the run's record binds, as lower-case hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BoundHashes<'a> {
    /// Hash of the retrieval plan.
    pub retrieval_plan_hash: Option<&'a str>,
    /// Root over the evidence map; in quote mode, over the passages of the context.
    pub evidence_map_root: Option<&'a str>,
}

/// A step that a run took by itself, and the test that pins its invariant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AutomatedStep<'a> {
    /// The step: `verify`, `reprompt`, `cache`, …
    pub name: &'a str,
    /// The test, as `file::test`; `None` when there is none.
    pub pinned_by: Option<&'a str>,
}

/// The steps that this crate automates, each with the test that pins it.
pub const PINNED_STEPS: [AutomatedStep<'static>; 5] = [
    AutomatedStep {
        name: "preflight",
        pinned_by: Some("tests/tests/reject.rs::a_broad_question_gives_the_three_stage_run"),
    },
    AutomatedStep {
        name: "parse",
        pinned_by: Some("tests/tests/directives.rs::d2_the_model_emits_pointers"),
    },
    AutomatedStep {
        name: "verify",
        pinned_by: Some("tests/tests/directives.rs::d5_verification_is_deterministic"),
    },
    AutomatedStep {
        name: "render",
        pinned_by: Some("tests/tests/directives.rs::d3_the_runtime_composes_the_lattice"),
    },
    AutomatedStep {
        name: "label",
        pinned_by: Some("tests/tests/directives.rs::d7_labels_say_what_was_checked"),
    },
];

/// What is known of a run.
#[derive(Debug, Clone, Copy)]
pub struct RunFacts<'a> {
    /// The question.
    pub question: &'a str,
    /// What preflight decided.
    pub preflight: Option<&'a Preflight>,
    /// The mode in which the model was asked to answer.
    pub answer_mode: AnswerMode,
    /// What the model wrote; `None` when it was not asked (rejected, declined).
    pub answer: Option<&'a str>,
    /// The passages it was given.
    pub evidence: Option<&'a EvidenceMap>,
    /// The verifier's policy.
    pub policy: &'a Policy,
    /// The verdict.
    pub verdict: Option<&'a Verdict>,
    /// The rendering.
    pub rendering: Option<&'a Rendering>,
    /// Calls of the model up to the moment verification began.
    pub model_calls_before_verify: u64,
    /// Calls of the model up to the moment the label was final.
    pub model_calls_at_label: u64,
    /// What the run's record binds.
    pub bound: BoundHashes<'a>,
    /// The steps that the run took by itself.
    pub steps: &'a [AutomatedStep<'a>],
}

/// Holds the eight directives against a run. Verifies the answer once more (D5), so it takes
/// as long as [`verify`].
#[must_use]
pub fn directive_report(run: &RunFacts<'_>) -> DirectiveReport {
    let findings = [
        (Directive::D1, no_model_call(run)),
        (Directive::D2, pointers(run)),
        (Directive::D3, composed(run)),
        (Directive::D4, bound(run)),
        (Directive::D5, deterministic(run)),
        (Directive::D6, warranted(run)),
        (Directive::D7, labelled(run)),
        (Directive::D8, pinned(run)),
    ];
    DirectiveReport {
        findings: findings.into_iter().collect(),
    }
}

fn finding(compliance: Compliance, reason: impl Into<String>) -> Finding {
    Finding {
        compliance,
        reason: reason.into(),
    }
}

fn held(reason: impl Into<String>) -> Finding {
    finding(Compliance::Held, reason)
}

fn broken(reason: impl Into<String>) -> Finding {
    finding(Compliance::Broken, reason)
}

fn not_answered() -> Finding {
    finding(
        Compliance::NotApplicable,
        "the run ended before an answer was verified",
    )
}

fn no_model_call(run: &RunFacts<'_>) -> Finding {
    if run.verdict.is_none() {
        return not_answered();
    }
    match run
        .model_calls_at_label
        .checked_sub(run.model_calls_before_verify)
    {
        Some(0) => held("no model was called between the answer and its label"),
        Some(n) => broken(format!("{n} model calls between the answer and its label")),
        None => broken("fewer model calls at the label than before verification"),
    }
}

fn pointers(run: &RunFacts<'_>) -> Finding {
    let Some(verdict) = run.verdict else {
        return not_answered();
    };
    if !run.answer_mode.is_lattice() {
        return finding(Compliance::NotApplicable, "quote mode has no pointers");
    }
    let claims = verdict.claims();
    if claims.is_empty() || verdict.label() == Label::HonestRefusal {
        return held("the answer makes no claim");
    }
    let with = claims.iter().filter(|c| !c.pointers().is_empty()).count();
    if with == 0 {
        return broken(format!("none of {} claims has a pointer", claims.len()));
    }
    held(format!("{with} of {} claims have a pointer", claims.len()))
}

fn composed(run: &RunFacts<'_>) -> Finding {
    let (Some(answer), Some(evidence), Some(verdict)) = (run.answer, run.evidence, run.verdict)
    else {
        return not_answered();
    };
    let refused = verdict.label() == Label::HonestRefusal;
    if run.answer_mode.is_lattice() && !refused {
        let options = ParseOptions {
            marker: evidence.marker().to_owned(),
            policy: run.policy.parse,
            ..ParseOptions::default()
        };
        let parsed = parse(answer, run.answer_mode, &options);
        let same = parsed.claims.len() == verdict.claims().len()
            && parsed
                .claims
                .iter()
                .zip(verdict.claims())
                .all(|(p, v)| p.text == v.text());
        if !same {
            return broken("the claims of the verdict are not those parsed from the answer");
        }
    }
    let passages = run
        .rendering
        .iter()
        .flat_map(|r| &r.claims)
        .flat_map(|c| &c.passages);
    for passage in passages {
        let entry = evidence.get(&passage.pointer);
        let literal = entry.and_then(|e| e.text.get(passage.bytes.clone()));
        if literal != Some(passage.text.as_str()) {
            return broken(format!(
                "the passage shown under {} does not stand there in the evidence",
                passage.pointer
            ));
        }
    }
    held("claims were parsed from the answer, and every passage shown is literal evidence")
}

fn bound(run: &RunFacts<'_>) -> Finding {
    let rejected = run.preflight.is_some_and(Preflight::is_rejected);
    if rejected {
        return finding(
            Compliance::NotApplicable,
            "the question was rejected before retrieval",
        );
    }
    let is_hash = |h: Option<&str>| {
        h.is_some_and(|h| {
            h.len() == 64 && h.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
        })
    };
    if !is_hash(run.bound.retrieval_plan_hash) {
        return broken("the record binds no retrieval plan");
    }
    if run.answer.is_some() && !is_hash(run.bound.evidence_map_root) {
        return broken("the record binds no evidence map");
    }
    held("the record binds what was searched for and what was found")
}

/// What a second verification must give again: flags for other frames are added after it.
fn essence(claim: &ClaimVerdict) -> (&str, bool, &[String], Vec<Code>) {
    let codes = claim.violations().iter().map(|v| v.code);
    let codes = codes.filter(|c| *c != Code::FrameMismatch).collect();
    (claim.text(), claim.supported(), claim.pointers(), codes)
}

fn deterministic(run: &RunFacts<'_>) -> Finding {
    let (Some(answer), Some(evidence), Some(verdict)) = (run.answer, run.evidence, run.verdict)
    else {
        return not_answered();
    };
    let again = verify(run.question, evidence, answer, run.answer_mode, run.policy);
    let flagged = verdict
        .claims()
        .iter()
        .flat_map(ClaimVerdict::violations)
        .any(|v| v.code == Code::FrameMismatch);
    let same = again
        .claims()
        .iter()
        .map(essence)
        .eq(verdict.claims().iter().map(essence))
        && again.audit_mode() == verdict.audit_mode()
        && (flagged || again.label() == verdict.label());
    if same {
        held("a second verification gave the same verdict")
    } else {
        broken("a second verification gave another verdict")
    }
}

fn warranted(run: &RunFacts<'_>) -> Finding {
    let Some(verdict) = run.verdict else {
        return not_answered();
    };
    let Label::Lattice { rung, .. } = verdict.label() else {
        return finding(Compliance::NotApplicable, "the label claims no warrant");
    };
    if rung == Rung::EntailmentVerified {
        return broken("the label claims entailment, which nothing here checks");
    }
    let fired = verdict.claims().iter().any(ClaimVerdict::warrant_fired);
    if rung >= Rung::AnchorWarranted && !fired {
        return broken("the label claims a warrant and no anchor class ran");
    }
    let unwarranted = verdict
        .claims()
        .iter()
        .any(|c| c.supported() && c.violations().iter().any(|v| v.code.is_warrant()));
    if unwarranted {
        return broken("a claim without its anchor counts as supported");
    }
    held("no claim counts as supported without its anchor")
}

fn labelled(run: &RunFacts<'_>) -> Finding {
    let Some(verdict) = run.verdict else {
        return not_answered();
    };
    let label = verdict.label();
    if !verdict.audit_line().starts_with(&label.to_string()) {
        return broken("the audit line shows another label");
    }
    let claims = verdict.claims();
    let supported = claims.iter().filter(|c| c.supported()).count();
    let demoted = claims.iter().any(|c| c.supported() && c.demoted())
        || verdict.violations().iter().any(|v| v.code.is_demote());
    let honest = match label {
        Label::Lattice { rung, partial } => {
            run.answer_mode.is_lattice()
                && (rung < Rung::AnchorWarranted || supported > 0)
                && (rung < Rung::EvidenceWarranted || !demoted)
                && (partial
                    || rung == Rung::Ungrounded
                    || supported == claims.len()
                    || rung == Rung::PointerLinked)
        }
        Label::Prose(mode) => {
            verdict.verifier_method() != VerifierMethod::ClaimLattice
                && (mode == AuditMode::Ungrounded)
                    == (verdict.verifier_method() == VerifierMethod::None)
        }
        Label::HonestRefusal => verdict.verifier_method() == VerifierMethod::None,
    };
    if honest {
        held(format!("{label} names what was checked"))
    } else {
        broken(format!("{label} says more than was checked"))
    }
}

fn pinned(run: &RunFacts<'_>) -> Finding {
    let loose: Vec<&str> = run
        .steps
        .iter()
        .filter(|s| s.pinned_by.is_none_or(|t| !t.contains("::")))
        .map(|s| s.name)
        .collect();
    if run.steps.is_empty() {
        finding(Compliance::NotApplicable, "no automated step was reported")
    } else if loose.is_empty() {
        held("every automated step names the test that pins it")
    } else {
        broken(format!("no test pins: {}", loose.join(", ")))
    }
}
