//! Runs built from the parts of several crates.
#![allow(dead_code, clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};

use claim_lattice::preflight::{
    CallOptions, CorpusInfo, Lexicon, Preflight, PreflightPolicy, preflight,
};
use claim_lattice::{
    AnswerMode, DEFAULT_CHAR_BUDGET, EvidenceMap, Passage, Policy, Verdict, render, verify,
};
use run_dag::{
    AnswerPayload, BytesDigest, ClaimVerdict, Clause, EvidenceEntry, FinalLabelPayload, Gate,
    GovernancePolicy, ModelProfile, ParsedClaim, ParsedClaimLatticePayload, PolicyRefs,
    PreflightPayload, PromptPayload, QuestionPayload, RenderPayload, RetrievalPayload,
    RetrievalPlan, RunBuilder, RunRecord, SafeInt, Shape, SourceSummary, StagePayload,
    VerifyPayload, ViolationRecord, clause,
};

pub(crate) const QUESTION: &str = "Who founded Apple?";
pub(crate) const ANSWER: &str =
    "Steve Jobs founded Apple in 1976. [E1]\nApple sells telephones. [E2]";

/// The root of the workspace.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// A file of the workspace.
pub(crate) fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|e| panic!("{path} can be read: {e}"))
}

/// The sources of a crate, with their paths.
pub(crate) fn sources(folder: &str) -> Vec<(String, String)> {
    let mut out = Vec::new();
    let mut open = vec![root().join(folder)];
    while let Some(at) = open.pop() {
        for entry in fs::read_dir(at).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                let name = path.strip_prefix(root()).unwrap().display().to_string();
                out.push((name, fs::read_to_string(&path).unwrap()));
            }
        }
    }
    out.sort();
    out
}

/// A map of whole sources: id, title, text.
pub(crate) fn map(passages: &[(&str, &str, &str)]) -> EvidenceMap {
    let mut builder = EvidenceMap::builder(DEFAULT_CHAR_BUDGET);
    for (id, title, text) in passages {
        builder.push(Passage::whole(id, title, text)).unwrap();
    }
    builder.build()
}

pub(crate) const PASSAGES: [(&str, &str, &str); 3] = [
    (
        "a",
        "Apple",
        "Steve Jobs founded Apple in 1976 together with Steve Wozniak.",
    ),
    (
        "b",
        "Telephones",
        "Apple sells telephones and computers in many countries.",
    ),
    (
        "c",
        "Orchards",
        "An orchard of apple trees needs pruning in winter.",
    ),
];

pub(crate) fn ask(question: &str, policy: &PreflightPolicy) -> Preflight {
    preflight(
        question,
        &Lexicon::built_in(),
        policy,
        &CorpusInfo::default(),
        &CallOptions::default(),
    )
}

/// The governance policy that holds a preflight policy.
pub(crate) fn governance(policy: &PreflightPolicy) -> GovernancePolicy {
    GovernancePolicy {
        name: "test".into(),
        switches: clause(policy).unwrap(),
    }
}

pub(crate) fn preflight_payload(seen: &Preflight, policy: &PreflightPolicy) -> PreflightPayload {
    let model = ModelProfile {
        model_id: "extractive".into(),
        revision: None,
        quantization: None,
        sampling: Clause::new(),
    };
    PreflightPayload {
        classifier: clause(&seen.classifier).unwrap(),
        answer_contract: clause(&seen.answer_contract).unwrap(),
        prompt_contract: clause(&seen.prompt_contract).unwrap(),
        evidence_contract: clause(&seen.evidence_contract).unwrap(),
        policy_refs: PolicyRefs {
            governance_policy_hash: governance(policy).hash().unwrap(),
            model_profile_hash: model.hash().unwrap(),
        },
    }
}

/// The run of a question that preflight refused.
pub(crate) fn rejected(question: &str, policy: &PreflightPolicy) -> RunRecord {
    let seen = ask(question, policy);
    assert!(seen.is_rejected(), "{question} is rejected");
    let mut run = RunBuilder::new(Shape::Reject);
    run.push(QuestionPayload::new(question));
    run.push(preflight_payload(&seen, policy));
    let reason = seen.answer_contract.reject_reason.unwrap();
    run.push(FinalLabelPayload {
        label: "REJECTED".into(),
        audit_line: "REJECTED".into(),
        reason: serde_json::to_value(reason)
            .unwrap()
            .as_str()
            .map(ToOwned::to_owned),
    });
    run.seal().unwrap()
}

/// What an operator can turn before the model is asked.
#[derive(Clone)]
pub(crate) struct Setup {
    pub(crate) preflight: PreflightPolicy,
    pub(crate) plan: RetrievalPlan,
    pub(crate) evidence: EvidenceMap,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            preflight: PreflightPolicy::default(),
            plan: RetrievalPlan {
                keywords: vec!["founded".into(), "apple".into()],
                top_k: 8,
                over_fetch: 4,
                max_context_chars: SafeInt::saturating(24_000),
                shards: vec!["main".into()],
                parameters: Clause::new(),
            },
            evidence: map(&PASSAGES),
        }
    }
}

pub(crate) fn entries(evidence: &EvidenceMap) -> Vec<EvidenceEntry> {
    evidence
        .entries()
        .iter()
        .map(|e| EvidenceEntry {
            pointer_id: e.pointer_id.clone(),
            evidence_id: e.evidence_id.to_string(),
            source_id: e.source_id.clone(),
            title: Some(e.title.clone()),
            source_role: e.source_role.to_string(),
            text: BytesDigest::of(&e.text),
            byte_start: None,
            byte_end: None,
            document_root: None,
        })
        .collect()
}

/// The same question and answer, sealed under a setup.
pub(crate) fn lattice(setup: &Setup) -> (RunRecord, Verdict) {
    let policy = Policy::strict();
    let verdict = verify(
        QUESTION,
        &setup.evidence,
        ANSWER,
        AnswerMode::Pointer,
        &policy,
    );
    let text = render(&verdict, &setup.evidence, &policy).plain_text();
    let mut run = RunBuilder::new(Shape::Lattice);
    run.push(QuestionPayload::new(QUESTION));
    run.push(preflight_payload(
        &ask(QUESTION, &setup.preflight),
        &setup.preflight,
    ));
    let found: Vec<SourceSummary> = setup
        .evidence
        .entries()
        .iter()
        .map(|e| SourceSummary {
            source_id: e.source_id.clone(),
            document_root: None,
            passages: vec![BytesDigest::of(&e.text)],
        })
        .collect();
    let plan = setup.plan.clone();
    run.push(RetrievalPayload::new(plan, found, None, Gate::NotUsed, Clause::new()).unwrap());
    run.push_evidence_map(entries(&setup.evidence)).unwrap();
    run.push(PromptPayload::of("test", "the prompt"));
    run.push(StagePayload::RawAnswer(AnswerPayload::of(ANSWER)));
    run.push(ParsedClaimLatticePayload {
        claims: verdict
            .claims()
            .iter()
            .map(|c| ParsedClaim {
                text: c.text().to_owned(),
                pointers: c.pointers().to_vec(),
            })
            .collect(),
        notes: Vec::new(),
    });
    run.push(verify_payload(&verdict));
    run.push(RenderPayload::of("text", text));
    run.push(FinalLabelPayload {
        label: verdict.label().to_string(),
        audit_line: verdict.audit_line().to_owned(),
        reason: None,
    });
    (run.seal().unwrap(), verdict)
}

fn verify_payload(verdict: &Verdict) -> VerifyPayload {
    VerifyPayload {
        audit_mode: verdict.audit_mode().to_string(),
        verifier_method: verdict.verifier_method().wire_name().to_owned(),
        claims: verdict
            .claims()
            .iter()
            .map(|c| ClaimVerdict {
                supported: c.supported(),
                warrant_fired: c.warrant_fired(),
                violations: c
                    .violations()
                    .iter()
                    .map(|v| ViolationRecord {
                        code: v.code.wire_name().to_owned(),
                        detail: Clause::new(),
                    })
                    .collect(),
            })
            .collect(),
        violations: Vec::new(),
        notes: Vec::new(),
    }
}

/// The hashes that the record binds, as they stand in it.
pub(crate) fn bound_in(record: &RunRecord) -> Vec<String> {
    let json = serde_json::to_value(record).unwrap();
    let stages = json["stages"].as_array().unwrap();
    ["retrieval_plan_hash", "evidence_map_root"]
        .iter()
        .filter_map(|key| stages.iter().find_map(|s| s["payload"][key].as_str()))
        .map(ToOwned::to_owned)
        .collect()
}

/// The strict verdict on an answer with pointers.
pub(crate) fn strict(question: &str, evidence: &EvidenceMap, answer: &str) -> Verdict {
    verify(
        question,
        evidence,
        answer,
        AnswerMode::Pointer,
        &Policy::strict(),
    )
}
