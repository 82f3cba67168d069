//! Proofs that stand alone: of one stage, and of one evidence entry, of a run whose root is known.

use super::order::{payload_hash, run_leaves, stage_hash};
use super::record::RunRecord;
use crate::error::{Error, Result};
use crate::hash::{PayloadHash, RunRoot, StageHash, TreeHash};
use crate::json::{self, Limits, canonical, demand_canonical, typed};
use crate::kind::StageKind;
use crate::payload::{EvidenceEntry, StagePayload};
use crate::tree::{EvidenceTree, RunTree, TreeHasher, inclusion_path, verify_inclusion};
use crate::value::Value;
use serde::{Deserialize, Serialize};

/// The format of [`StageProof`].
pub const STAGE_PROOF_FORMAT: &str = "candor run-dag stage proof v1";
/// The format of [`EvidenceProof`].
pub const EVIDENCE_PROOF_FORMAT: &str = "candor run-dag evidence proof v1";

/// That a run with this root has this stage; shows no other stage.
///
/// `docs/run-dag-check.py` checks its JSON in a few lines, with no other package than `blake3`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StageProof {
    /// [`STAGE_PROOF_FORMAT`].
    pub format: String,
    /// The run's root: what the proof is checked against.
    pub run_dag_root: RunRoot,
    /// Number of stages: needed to walk the path. The root commits the stages and not their number,
    /// so a proof of a stage is no proof of how many there are.
    pub tree_size: u64,
    /// The stage's place in canonical order.
    pub leaf_index: u64,
    /// The stage's kind.
    pub kind: StageKind,
    /// The parents' hashes, in order.
    pub parents: Vec<StageHash>,
    /// The payload.
    pub payload: Value,
    /// The payload's hash.
    pub payload_hash: PayloadHash,
    /// The stage's hash.
    pub stage_hash: StageHash,
    /// Inclusion path, from the leaf upwards.
    pub path: Vec<TreeHash>,
}

/// That a run with this root was given this passage; shows no other passage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EvidenceProof {
    /// [`EVIDENCE_PROOF_FORMAT`].
    pub format: String,
    /// The entry.
    pub entry: EvidenceEntry,
    /// The entry's place in pointer order.
    pub leaf_index: u64,
    /// Inclusion path to the evidence root, from the leaf upwards.
    pub path: Vec<TreeHash>,
    /// Proof of the stage that commits the evidence root and the number of entries.
    pub stage: StageProof,
}

/// A proof of either kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum Proof {
    /// Of a stage.
    Stage(Box<StageProof>),
    /// Of an evidence entry.
    Evidence(Box<EvidenceProof>),
}

/// Proves the stage with this name (`verify`, `focus#2`, …).
///
/// # Errors
/// [`Error::NoSuchStage`].
pub fn prove(record: &RunRecord, name: &str) -> Result<StageProof> {
    let index = record.stage_index(name)?;
    let Some(stage) = record.stages.get(index) else {
        return Err(Error::OutOfTree {
            what: "leaf",
            index: index as u64,
            size: record.stages.len() as u64,
        });
    };
    let leaves = run_leaves(record.stages.iter().map(|s| s.stage_hash));
    let above = stage.parents.iter().filter_map(|&p| record.stages.get(p));
    Ok(StageProof {
        format: STAGE_PROOF_FORMAT.into(),
        run_dag_root: record.run_dag_root,
        tree_size: leaves.len() as u64,
        leaf_index: index as u64,
        kind: stage.kind.clone(),
        parents: above.map(|s| s.stage_hash).collect(),
        payload: Value::from_serialize(&stage.payload)?,
        payload_hash: stage.payload_hash,
        stage_hash: stage.stage_hash,
        path: inclusion_path::<RunTree>(&leaves, index as u64)?,
    })
}

/// Proves the evidence entry with this pointer (`E2`).
///
/// # Errors
/// [`Error::NoSuchStage`] when the run has no evidence or no such pointer.
pub fn prove_evidence(record: &RunRecord, pointer_id: &str) -> Result<EvidenceProof> {
    let place = record
        .evidence
        .iter()
        .position(|e| e.pointer_id == pointer_id);
    let binding = record
        .stages
        .iter()
        .find(|s| s.payload.evidence().is_some());
    let (Some(index), Some(binding)) = (place, binding) else {
        let known: Vec<&str> = record
            .evidence
            .iter()
            .map(|e| e.pointer_id.as_str())
            .collect();
        return Err(Error::NoSuchStage {
            name: format!(
                "evidence {}",
                pointer_id.chars().take(80).collect::<String>()
            ),
            known: format!("evidence [{}]", known.join(", ")),
        });
    };
    let leaves = record
        .evidence
        .iter()
        .map(EvidenceEntry::leaf_hash)
        .collect::<Result<Vec<TreeHash>>>()?;
    let Some(entry) = record.evidence.get(index).cloned() else {
        let size = leaves.len() as u64;
        return Err(Error::OutOfTree {
            what: "leaf",
            index: index as u64,
            size,
        });
    };
    Ok(EvidenceProof {
        format: EVIDENCE_PROOF_FORMAT.into(),
        entry,
        leaf_index: index as u64,
        path: inclusion_path::<EvidenceTree>(&leaves, index as u64)?,
        stage: prove(record, binding.kind.as_str())?,
    })
}

impl StageProof {
    /// Checks the proof against its own root; whether that root is the one to trust is for the
    /// caller to compare.
    ///
    /// # Errors
    /// [`Error::Proof`] naming the first thing that does not follow; wrong payload types.
    pub fn check(&self) -> Result<()> {
        demand(self.format == STAGE_PROOF_FORMAT, "its format is unknown")?;
        StagePayload::read(&self.kind, &self.payload, "payload")?;
        let payload = payload_hash(&canonical(&self.payload)?);
        demand(
            payload == self.payload_hash,
            "the payload gives another payload_hash",
        )?;
        let stage = stage_hash(&self.kind, &payload, &self.parents);
        demand(
            stage == self.stage_hash,
            "kind, payload and parents give another stage_hash",
        )?;
        let root = TreeHash::from_bytes(*self.run_dag_root.as_bytes());
        let leaf = RunTree::leaf(stage.as_bytes());
        verify_inclusion::<RunTree>(self.leaf_index, self.tree_size, &leaf, &self.path, &root)
    }
}

impl EvidenceProof {
    /// Checks the proof against the run's root in it.
    ///
    /// # Errors
    /// As [`StageProof::check`]; [`Error::Proof`] when the entry is not under the stage's root.
    pub fn check(&self) -> Result<()> {
        demand(
            self.format == EVIDENCE_PROOF_FORMAT,
            "its format is unknown",
        )?;
        self.stage.check()?;
        let payload = StagePayload::read(&self.stage.kind, &self.stage.payload, "stage.payload")?;
        let Some(map) = payload.evidence() else {
            let reason = format!("a {} stage commits no evidence", self.stage.kind);
            return Err(Error::Proof { reason });
        };
        let root = TreeHash::from_bytes(*map.evidence_map_root.as_bytes());
        let size = u64::from(map.entries);
        let leaf = self.entry.leaf_hash()?;
        verify_inclusion::<EvidenceTree>(self.leaf_index, size, &leaf, &self.path, &root)
    }
}

fn demand(holds: bool, reason: &str) -> Result<()> {
    if holds {
        Ok(())
    } else {
        Err(Error::Proof {
            reason: reason.to_owned(),
        })
    }
}

impl Proof {
    /// Reads a proof from its canonical JSON.
    ///
    /// # Errors
    /// Unknown format, wrong types, any spelling but the canonical one.
    pub fn from_canonical_json(text: &[u8]) -> Result<Self> {
        let value = json::read(text, &Limits::default())?;
        let proof = match value.get("format").and_then(Value::as_str) {
            Some(EVIDENCE_PROOF_FORMAT) => Self::Evidence(typed(&value, "$")?),
            Some(STAGE_PROOF_FORMAT) => Self::Stage(typed(&value, "$")?),
            other => {
                return Err(Error::UnknownFormat {
                    path: "format".into(),
                    found: other.unwrap_or("(none)").chars().take(80).collect(),
                    accepted: STAGE_PROOF_FORMAT,
                });
            }
        };
        demand_canonical(text, &proof)?;
        Ok(proof)
    }

    /// The proof's canonical JSON.
    ///
    /// # Errors
    /// Only if canonical JSON cannot be written, which no proof gives cause for.
    pub fn to_canonical_json(&self) -> Result<Vec<u8>> {
        canonical(self)
    }

    /// Checks the proof against the run's root in it.
    ///
    /// # Errors
    /// As [`StageProof::check`] and [`EvidenceProof::check`].
    pub fn check(&self) -> Result<()> {
        match self {
            Self::Stage(proof) => proof.check(),
            Self::Evidence(proof) => proof.check(),
        }
    }

    /// The root that the proof is about.
    #[must_use]
    pub fn run_dag_root(&self) -> RunRoot {
        match self {
            Self::Stage(proof) => proof.run_dag_root,
            Self::Evidence(proof) => proof.stage.run_dag_root,
        }
    }
}
