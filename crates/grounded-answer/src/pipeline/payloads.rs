//! The parts of a run in the form in which run-dag commits them.

use std::collections::BTreeMap;

use claim_lattice::{EvidenceEntry, Verdict};
use kappa_topology::Topology;
use run_dag::{
    BytesDigest, ClaimVerdict, Clause, Decimal, ParsedClaim, ParsedClaimLatticePayload, SafeInt,
    TopologyComponent, TopologyPayload, VerifyPayload, ViolationRecord, WisdomPayload,
};
use wisdom_score::Report;

use crate::Error;
use crate::settings::{exact, exact_clause};

/// A soft number as the exact decimal under which it is shown.
pub(super) fn micros(value: f64) -> Decimal {
    // In range: similarities and thresholds lie in [-1, 1], scores in [0, 1].
    #[allow(clippy::cast_possible_truncation)]
    let millionths = (value * 1e6).round() as i64;
    Decimal::from_millionths(millionths)
}

/// The entries of the evidence map as the run commits them.
pub(super) fn committed(entries: &[EvidenceEntry]) -> Result<Vec<run_dag::EvidenceEntry>, Error> {
    entries
        .iter()
        .map(|e| {
            let place = |at: u64| usize::try_from(at).ok().map(SafeInt::saturating);
            Ok(run_dag::EvidenceEntry {
                pointer_id: e.pointer_id.clone(),
                evidence_id: e.evidence_id.to_string(),
                source_id: e.source_id.clone(),
                title: (!e.title.is_empty()).then(|| e.title.clone()),
                source_role: exact(&e.source_role)?
                    .as_str()
                    .unwrap_or_default()
                    .to_owned(),
                text: BytesDigest::of(&e.text),
                byte_start: place(e.location.bytes.start),
                byte_end: place(e.location.bytes.end),
                document_root: e.document_root.as_deref().map(str::parse).transpose()?,
            })
        })
        .collect()
}

/// The bytes that stand for a prompt: its parts as canonical JSON.
pub(super) fn prompt_bytes(prompt: &language_agents::Prompt) -> Result<Vec<u8>, Error> {
    let parts = serde_json::json!({
        "system": prompt.system,
        "user": prompt.user,
        "output_schema": prompt.output_schema,
        "max_tokens": prompt.max_tokens,
    });
    serde_json_canonicalizer::to_vec(&parts).map_err(|e| Error::Recorded(e.to_string()))
}

pub(super) fn topology_payload(topology: &Topology<String>) -> Result<TopologyPayload, Error> {
    let text =
        serde_json_canonicalizer::to_vec(topology).map_err(|e| Error::Recorded(e.to_string()))?;
    let component = |scc: &kappa_topology::Scc<String>| TopologyComponent {
        id: scc.id.clone(),
        nodes: u32::try_from(scc.nodes.len()).unwrap_or(u32::MAX),
        kappa: i64::try_from(scc.kappa)
            .ok()
            .map(|k| Decimal::from_millionths(k.saturating_mul(1_000_000))),
    };
    Ok(TopologyPayload {
        graph: BytesDigest::of(text),
        components: topology.sccs.iter().map(component).collect(),
        route: exact(&topology.routing)?
            .as_str()
            .unwrap_or_default()
            .to_owned(),
        details: Clause::new(),
    })
}

pub(super) fn parsed(verdict: &Verdict) -> Result<ParsedClaimLatticePayload, Error> {
    Ok(ParsedClaimLatticePayload {
        claims: verdict
            .claims()
            .iter()
            .map(|c| ParsedClaim {
                text: c.text().to_owned(),
                pointers: c.pointers().to_vec(),
            })
            .collect(),
        notes: verdict
            .notes()
            .iter()
            .map(exact)
            .collect::<Result<_, _>>()?,
    })
}

fn violation(v: &claim_lattice::Violation) -> Result<ViolationRecord, Error> {
    let mut detail = exact_clause(v)?;
    detail.remove("code");
    Ok(ViolationRecord {
        code: v.code.wire_name().to_owned(),
        detail,
    })
}

pub(super) fn verify_payload(verdict: &Verdict) -> Result<VerifyPayload, Error> {
    let name = |value| -> Result<String, Error> {
        Ok(run_dag::Value::as_str(&value)
            .unwrap_or_default()
            .to_lowercase())
    };
    Ok(VerifyPayload {
        audit_mode: name(exact(&verdict.audit_mode())?)?,
        verifier_method: verdict.verifier_method().wire_name().to_owned(),
        claims: verdict
            .claims()
            .iter()
            .map(|c| {
                Ok(ClaimVerdict {
                    supported: c.supported(),
                    warrant_fired: c.warrant_fired(),
                    violations: c
                        .violations()
                        .iter()
                        .map(violation)
                        .collect::<Result<_, Error>>()?,
                })
            })
            .collect::<Result<_, Error>>()?,
        violations: verdict
            .violations()
            .iter()
            .map(violation)
            .collect::<Result<_, _>>()?,
        notes: verdict
            .notes()
            .iter()
            .map(exact)
            .collect::<Result<_, _>>()?,
    })
}

pub(super) fn wisdom_payload(report: &Report) -> Result<WisdomPayload, Error> {
    let mut scores = BTreeMap::new();
    scores.insert("harmonic_score".to_owned(), micros(report.harmonic_score));
    scores.insert("wisdom_score".to_owned(), micros(report.wisdom_score));
    for component in wisdom_score::Component::ALL {
        scores.insert(
            component.name().to_owned(),
            micros(report.components.get(component)),
        );
    }
    let mut details = Clause::new();
    details.insert("codes".into(), exact(&report.codes)?);
    details.insert("feedback".into(), exact(&report.feedback)?);
    Ok(WisdomPayload {
        semantics: exact(&report.semantics)?
            .as_str()
            .unwrap_or_default()
            .to_owned(),
        composite: "v3".to_owned(),
        scores,
        details,
    })
}
