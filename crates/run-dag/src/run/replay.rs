//! Recomputing a record from its contents.

use super::builder::label_mismatch;
use super::order::{Placed, canonical_order, payload_hash, run_root, stage_hash};
use super::record::RunRecord;
use crate::error::Result;
use crate::hash::{RunRoot, StageHash};
use crate::json::canonical;
use crate::payload::EvidenceMapPayload;
use serde::Serialize;

/// One thing that does not match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Mismatch {
    /// The stage's name; `-` for the record as a whole.
    pub stage: String,
    /// The field.
    pub field: String,
    /// What the record says.
    pub recorded: String,
    /// What its contents give.
    pub recomputed: String,
}

/// The outcome of recomputing a record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Replay {
    /// The root that the record's contents give, whatever hashes it states.
    pub recomputed_root: RunRoot,
    /// All that does not match: fields that should follow from others, payload hashes, stage hashes
    /// (each from the recorded hashes below it, so that one change is named once), and the root.
    pub mismatches: Vec<Mismatch>,
}

impl Replay {
    /// Whether everything matches.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.mismatches.is_empty()
    }
}

/// Recomputes every hash of a record and says what does not match.
///
/// # Errors
/// Only if canonical JSON cannot be written, which no record gives cause for. A record that does not
/// match is not an error but a [`Replay`] that says so.
pub fn replay(record: &RunRecord) -> Result<Replay> {
    let mut mismatches = underived(record)?;
    let names = record.stage_names();
    let mut fresh: Vec<StageHash> = Vec::with_capacity(record.stages.len());
    for (stage, name) in record.stages.iter().zip(&names) {
        let payload = payload_hash(&canonical(&stage.payload)?);
        if payload != stage.payload_hash {
            mismatches.push(mismatch(name, "payload_hash", stage.payload_hash, payload));
        }
        let recorded: Vec<StageHash> = stage
            .parents
            .iter()
            .filter_map(|&p| record.stages.get(p).map(|s| s.stage_hash))
            .collect();
        let local = stage_hash(&stage.kind, &stage.payload_hash, &recorded);
        if local != stage.stage_hash {
            mismatches.push(mismatch(name, "stage_hash", stage.stage_hash, local));
        }
        let above: Vec<StageHash> = stage
            .parents
            .iter()
            .filter_map(|&p| fresh.get(p).copied())
            .collect();
        fresh.push(stage_hash(&stage.kind, &payload, &above));
    }
    let recomputed_root = ordered_root(record, &fresh);
    if recomputed_root != record.run_dag_root {
        mismatches.push(mismatch(
            "-",
            "run_dag_root",
            record.run_dag_root,
            recomputed_root,
        ));
    }
    Ok(Replay {
        recomputed_root,
        mismatches,
    })
}

fn ordered_root(record: &RunRecord, fresh: &[StageHash]) -> RunRoot {
    let placed: Vec<Placed<'_>> = record
        .stages
        .iter()
        .zip(fresh)
        .map(|(s, &hash)| Placed {
            kind: &s.kind,
            parents: &s.parents,
            hash,
        })
        .collect();
    run_root(
        canonical_order(&placed)
            .into_iter()
            .filter_map(|i| fresh.get(i).copied()),
    )
}

fn mismatch(
    stage: &str,
    field: &str,
    recorded: impl std::fmt::Display,
    recomputed: impl std::fmt::Display,
) -> Mismatch {
    Mismatch {
        stage: stage.to_owned(),
        field: field.to_owned(),
        recorded: recorded.to_string(),
        recomputed: recomputed.to_string(),
    }
}

/// Fields that should follow from other fields and do not.
pub(crate) fn underived(record: &RunRecord) -> Result<Vec<Mismatch>> {
    let mut found = Vec::new();
    let names = record.stage_names();
    let evidence = EvidenceMapPayload::of(&record.evidence)?;
    let mut bound = record.evidence.is_empty();
    for (stage, name) in record.stages.iter().zip(&names) {
        for (field, recorded, expected) in stage.payload.underived()? {
            found.push(mismatch(name, field, recorded, expected));
        }
        if let Some(committed) = stage.payload.evidence() {
            bound = true;
            if committed.evidence_map_root != evidence.evidence_map_root {
                let (a, b) = (committed.evidence_map_root, evidence.evidence_map_root);
                found.push(mismatch(name, "evidence_map_root", a, b));
            }
            if committed.entries != evidence.entries {
                found.push(mismatch(
                    name,
                    "entries",
                    committed.entries,
                    evidence.entries,
                ));
            }
        }
    }
    if !bound {
        let count = record.evidence.len();
        found.push(mismatch(
            "-",
            "evidence",
            format!("{count} entries"),
            "none: no stage binds them",
        ));
    }
    if let (Some((label, wanted)), Some(name)) = (label_mismatch(record), names.last()) {
        found.push(mismatch(name, "label", label, wanted));
    }
    Ok(found)
}
