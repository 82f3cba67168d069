//! One sealed run of each shape, to play with and to test against (feature `samples`).
//!
//! The contents are made up; the records are sealed as any other.

use crate::error::Result;
use crate::kind::CustomKind;
use crate::number::{Decimal, SafeInt};
use crate::payload::*;
use crate::policy::{GovernancePolicy, ModelProfile};
use crate::run::{RunBuilder, RunRecord};
use crate::shape::{CustomShape, CustomStage, Shape};
use crate::value::Value;
use crate::{document_root, source_root};

/// The passages that the samples rest on: source, title, text.
pub const PASSAGES: &[(&str, &str, &str)] = &[
    (
        "bridges.txt",
        "Bridges",
        "The old bridge was opened in 1902. It carries two lanes.",
    ),
    (
        "rivers.txt",
        "Rivers",
        "The river floods in spring; the bridge stood through the flood of 1954.",
    ),
    ("towns.txt", "Towns", "The town has 12047 inhabitants."),
];

/// The question that the samples ask.
pub const QUESTION: &str = "When was the old bridge opened?";

/// What the model of the lattice sample answered.
pub const RAW_ANSWER: &str =
    "The old bridge was opened in 1902. [E1]\nIt stood through the flood of 1954. [E2]\n";

/// A run of this shape; `custom/review` for any custom one.
///
/// # Errors
/// Only if sealing fails, which a test rules out.
pub fn run(shape: &Shape) -> Result<RunRecord> {
    match shape {
        Shape::Quote | Shape::QuoteLegacy => quote(shape.clone()),
        Shape::Lattice | Shape::LatticeLegacy => lattice(shape.clone(), "strict", false),
        Shape::Reject => reject(),
        Shape::Decline => decline(),
        Shape::Deliberation => deliberation(),
        Shape::Custom(_) => custom(),
    }
}

/// A policy of this name.
#[must_use]
pub fn policy(name: &str) -> GovernancePolicy {
    let coverage = if name == "strict" { "0.6" } else { "0.3" };
    GovernancePolicy {
        name: name.to_owned(),
        switches: Clause::from([
            ("minimum_coverage".into(), coverage.into()),
            ("pointer_cap".into(), 2.into()),
            ("negation".into(), Value::Bool(name == "strict")),
        ]),
    }
}

/// The model of the samples.
#[must_use]
pub fn model() -> ModelProfile {
    ModelProfile {
        model_id: "extractive".into(),
        revision: Some("1".into()),
        quantization: None,
        sampling: Clause::from([("temperature".into(), "0".into())]),
    }
}

/// The preflight of a run under the policy of this name.
///
/// # Errors
/// As [`GovernancePolicy::hash`].
pub fn preflight(policy_name: &str, intensity: u32) -> Result<PreflightPayload> {
    Ok(PreflightPayload {
        classifier: Clause::from([
            ("quantifier_intensity".into(), intensity.into()),
            ("quantifier_matched_token".into(), Value::Null),
            ("question_shape".into(), "date".into()),
        ]),
        answer_contract: Clause::from([("guard".into(), "allow".into())]),
        prompt_contract: Clause::from([("reminder".into(), Value::Bool(true))]),
        evidence_contract: Clause::from([(
            "roles".into(),
            Value::List(vec!["primary".into(), "secondary".into()]),
        )]),
        policy_refs: PolicyRefs {
            governance_policy_hash: policy(policy_name).hash()?,
            model_profile_hash: model().hash()?,
        },
    })
}

/// What was looked for, and the passages as found.
///
/// # Errors
/// As [`RetrievalPlan::hash`].
pub fn retrieval(gate: Gate) -> Result<RetrievalPayload> {
    let plan = RetrievalPlan {
        keywords: vec!["old".into(), "bridge".into(), "opened".into()],
        top_k: 3,
        over_fetch: 4,
        max_context_chars: SafeInt::from(6_000),
        shards: vec!["main".into()],
        parameters: Clause::from([("decline_below".into(), "0.35".into())]),
    };
    let sources = PASSAGES.iter().map(|(source, _, text)| SourceSummary {
        source_id: (*source).to_owned(),
        document_root: Some(document_root(&[text])),
        passages: vec![BytesDigest::of(text)],
    });
    let found = if gate == Gate::Declined {
        Vec::new()
    } else {
        sources.collect()
    };
    let root = source_root(PASSAGES.iter().map(|(_, _, text)| document_root(&[text])));
    let detectors = Clause::from([
        ("false_premise".into(), Value::Bool(false)),
        ("out_of_corpus".into(), Value::Bool(gate == Gate::Declined)),
    ]);
    RetrievalPayload::new(plan, found, Some(root), gate, detectors)
}

/// The passages as evidence entries `E1`, `E2`, ….
#[must_use]
pub fn evidence() -> Vec<EvidenceEntry> {
    let entry = |(index, (source, title, text)): (usize, &(&str, &str, &str))| EvidenceEntry {
        pointer_id: format!("E{}", index + 1),
        evidence_id: BytesDigest::of(format!("{source}\n{text}")).blake3.to_hex(),
        source_id: (*source).to_owned(),
        title: Some((*title).to_owned()),
        source_role: "primary".into(),
        text: BytesDigest::of(text),
        byte_start: Some(SafeInt::from(0)),
        byte_end: Some(SafeInt::saturating(text.len())),
        document_root: Some(document_root(&[text])),
    };
    PASSAGES.iter().enumerate().map(entry).collect()
}

fn topology() -> TopologyPayload {
    TopologyPayload {
        graph: BytesDigest::of("a>b\nb>a\nb>c\nc>b\n"),
        components: vec![TopologyComponent {
            id: "scc-1".into(),
            nodes: 3,
            kappa: Some(Decimal::from_millionths(1_000_000)),
        }],
        route: "deliberate".into(),
        details: Clause::from([("fault_lines".into(), Value::List(vec!["a>b".into()]))]),
    }
}

fn wisdom() -> WisdomPayload {
    WisdomPayload {
        semantics: "canonical".into(),
        composite: "v3".into(),
        scores: [("wisdom_score", 612_345), ("harmonic_score", 500_000)]
            .map(|(name, score)| (name.to_owned(), Decimal::from_millionths(score)))
            .into(),
        details: Clause::new(),
    }
}

fn verdict(method: &str, claims: usize) -> VerifyPayload {
    let claim = |index| ClaimVerdict {
        supported: index == 0,
        warrant_fired: true,
        violations: match index {
            0 => vec![],
            _ => vec![ViolationRecord {
                code: "LOW_COVERAGE".into(),
                detail: Clause::from([("coverage".into(), "0.5".into())]),
            }],
        },
    };
    VerifyPayload {
        audit_mode: "hybrid".into(),
        verifier_method: method.to_owned(),
        claims: (0..claims).map(claim).collect(),
        violations: vec![],
        notes: vec![],
    }
}

fn label(label: &str, line: &str, reason: Option<&str>) -> FinalLabelPayload {
    FinalLabelPayload {
        label: label.to_owned(),
        audit_line: line.to_owned(),
        reason: reason.map(str::to_owned),
    }
}

fn quote(shape: Shape) -> Result<RunRecord> {
    let legacy = shape == Shape::QuoteLegacy;
    let mut run = RunBuilder::new(shape);
    run.push(QuestionPayload::new(QUESTION));
    if !legacy {
        run.push(preflight("strict", 0)?);
    }
    run.push(retrieval(Gate::Accepted)?);
    let context: Vec<&str> = PASSAGES.iter().map(|(_, _, text)| *text).collect();
    let context = context.join("\n\n");
    run.push_context(&context, evidence())?;
    run.push(PromptPayload::of(
        "quote v1",
        format!("{context}\n\n{QUESTION}"),
    ));
    run.push_answer("\u{201c}The old bridge was opened in 1902.\u{201d}");
    run.push(verdict("quote", 1));
    run.push(label("STRICT", "STRICT · via quote", None));
    run.seal()
}

/// A lattice run under the policy of this name, with the optional stages if asked for.
///
/// # Errors
/// Only if sealing fails, which a test rules out.
pub fn lattice(shape: Shape, policy_name: &str, optional: bool) -> Result<RunRecord> {
    let legacy = shape == Shape::LatticeLegacy;
    let mut run = RunBuilder::new(shape);
    run.push(QuestionPayload::new(QUESTION));
    if !legacy {
        run.push(preflight(policy_name, 0)?);
    }
    run.push(retrieval(Gate::Accepted)?);
    if optional {
        run.push(topology());
    }
    run.push_evidence_map(evidence())?;
    run.push(PromptPayload::of(
        "pointer v1",
        format!("E1 … E3\n\n{QUESTION}"),
    ));
    run.push_raw_answer(RAW_ANSWER);
    let claim = |text: &str, pointer: &str| ParsedClaim {
        text: text.to_owned(),
        pointers: vec![pointer.to_owned()],
    };
    run.push(ParsedClaimLatticePayload {
        claims: vec![
            claim("The old bridge was opened in 1902.", "E1"),
            claim("It stood through the flood of 1954.", "E2"),
        ],
        notes: vec![],
    });
    run.push(verdict("claim_lattice", 2));
    if optional {
        run.push(wisdom());
    }
    run.push(RenderPayload::of("plain", RAW_ANSWER));
    let name = "ANCHOR-WARRANTED-PARTIAL";
    run.push(label(
        name,
        &format!("{name} · via claim_lattice_pointer"),
        None,
    ));
    run.seal()
}

fn reject() -> Result<RunRecord> {
    let mut run = RunBuilder::new(Shape::Reject);
    run.push(QuestionPayload::new(
        "Tell me everything about every bridge.",
    ));
    run.push(preflight("strict", 9)?);
    run.push(label("REJECTED", "REJECTED · too broad", Some("too_broad")));
    run.seal()
}

fn decline() -> Result<RunRecord> {
    let mut run = RunBuilder::new(Shape::Decline);
    run.push(QuestionPayload::new(
        "Who painted the ceiling of the observatory?",
    ));
    run.push(preflight("strict", 0)?);
    run.push(retrieval(Gate::Declined)?);
    run.push(label(
        "DECLINED",
        "DECLINED · out of corpus",
        Some("nothing_near_enough"),
    ));
    run.seal()
}

fn deliberation() -> Result<RunRecord> {
    let mut run = RunBuilder::new(Shape::Deliberation);
    run.push(QuestionPayload::new(
        "Does the dam protect the bridge or endanger it?",
    ));
    run.push(topology());
    for round in 1..=2 {
        let passes: Vec<String> = (1..=3).map(|n| format!("r{round}-p{n}")).collect();
        for pass in &passes {
            run.push(FocusPayload {
                pass_id: pass.clone(),
                round,
                component: "scc-1".into(),
                nodes: vec!["a".into(), "b".into()],
                prompt: BytesDigest::of(format!("look at {pass}")),
                reply: Some(BytesDigest::of(format!("finding of {pass}"))),
                status: "completed".into(),
            });
        }
        run.push(ReconcilePayload {
            round,
            passes,
            prompt: BytesDigest::of(format!("reconcile {round}")),
            reply: Some(BytesDigest::of(format!("synthesis {round}"))),
            converged: round == 2,
        });
    }
    run.push(CrystallizePayload {
        conclusions: vec![ConclusionRecord {
            id: "conclusion-1".into(),
            component: "scc-1".into(),
            content: BytesDigest::of("The dam protects the bridge while it is kept low."),
        }],
        written_back: true,
    });
    run.push(label(
        AGENT_REPORTED,
        "agent-reported · 6 passes, 2 rounds",
        None,
    ));
    run.seal()
}

/// The custom shape of the samples.
#[must_use]
pub fn review_shape() -> CustomShape {
    let stage = |kind: &str, max, parents: &[&str]| CustomStage {
        kind: kind.to_owned(),
        min: 1,
        max,
        parents: parents.iter().map(|p| (*p).to_owned()).collect(),
    };
    CustomShape {
        name: "review".into(),
        stages: vec![
            stage("draft", 1, &[]),
            stage("comment", 8, &["draft"]),
            stage("decision", 1, &["draft", "comment"]),
        ],
    }
}

fn custom() -> Result<RunRecord> {
    let shape = review_shape();
    let payload = |kind: &CustomKind, text: &str| {
        StagePayload::Custom(kind.clone(), Clause::from([("text".into(), text.into())]))
    };
    let (draft, comment) = (shape.kind("draft")?, shape.kind("comment")?);
    let decision = shape.kind("decision")?;
    let mut run = RunBuilder::custom(shape);
    let first = run.push_after(payload(&draft, "Close the bridge in spring."), &[]);
    let one = run.push_after(payload(&comment, "Which weeks?"), &[first]);
    let two = run.push_after(
        payload(&comment, "The ferry cannot carry lorries."),
        &[first],
    );
    run.push_after(
        payload(&decision, "Close it for two weeks in April."),
        &[first, two, one],
    );
    run.seal()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shape_seals_reads_back_and_replays() {
        let counts = [8, 7, 10, 9, 3, 4, 12, 4];
        let shapes = Shape::BUILT_IN
            .iter()
            .cloned()
            .chain([Shape::Custom("review".into())]);
        for (shape, count) in shapes.zip(counts) {
            let record = run(&shape).unwrap();
            assert_eq!(record.shape(), &shape);
            assert_eq!(record.stages().len(), count, "{shape}");
            let bytes = record.to_canonical_json().unwrap();
            let back = RunRecord::from_canonical_json(&bytes).unwrap();
            assert_eq!(back, record);
            let replay = crate::replay(&back).unwrap();
            assert!(replay.is_clean(), "{replay:?}");
            assert_eq!(replay.recomputed_root, record.run_dag_root());
        }
        assert_eq!(
            lattice(Shape::Lattice, "strict", true)
                .unwrap()
                .stages()
                .len(),
            12
        );
    }
}
