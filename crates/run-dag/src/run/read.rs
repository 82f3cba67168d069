//! From a value to a record, everything checked but the hashes.

use super::builder::demand_size;
use super::order::{Placed, canonical_order, demand_distinct};
use super::record::{RECORD_FORMAT, RunRecord, Stage};
use crate::error::{Error, Result};
use crate::hash::{PayloadHash, RunRoot, StageHash};
use crate::json::{Limits, canonical, typed};
use crate::kind::StageKind;
use crate::payload::{EvidenceEntry, StagePayload};
use crate::shape::Shape;
use crate::value::Value;
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RecordWire {
    format: String,
    shape: Shape,
    stages: Vec<StageWire>,
    evidence: Vec<EvidenceEntry>,
    run_dag_root: RunRoot,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StageWire {
    kind: String,
    parents: Vec<usize>,
    payload: Value,
    payload_hash: PayloadHash,
    stage_hash: StageHash,
}

impl RunRecord {
    /// Reads a record from a value: all checks but the spelling and the hashes.
    ///
    /// # Errors
    /// Unknown format or kind, wrong types, wrong shape, stages out of canonical order, size.
    pub fn from_value(value: &Value, limits: &Limits) -> Result<Self> {
        demand_format(value)?;
        let wire: RecordWire = typed(value, "$")?;
        if wire.format != RECORD_FORMAT {
            return Err(unknown_format(&wire.format));
        }
        demand_size("stages", wire.stages.len(), limits.max_stages, "stages")?;
        demand_size(
            "evidence",
            wire.evidence.len(),
            limits.max_evidence,
            "entries",
        )?;
        let mut stages = Vec::with_capacity(wire.stages.len());
        for (index, stage) in wire.stages.into_iter().enumerate() {
            stages.push(read_stage(stage, index, limits)?);
        }
        let record = Self {
            shape: wire.shape,
            stages,
            evidence: wire.evidence,
            run_dag_root: wire.run_dag_root,
        };
        demand_shape(&record)?;
        Ok(record)
    }
}

fn unknown_format(found: &str) -> Error {
    Error::UnknownFormat {
        path: "format".into(),
        found: found.chars().take(80).collect(),
        accepted: RECORD_FORMAT,
    }
}

/// The format is looked at first, so that a record of another version is named as such.
fn demand_format(value: &Value) -> Result<()> {
    match value.get("format") {
        Some(Value::Text(format)) if format != RECORD_FORMAT => Err(unknown_format(format)),
        _ => Ok(()),
    }
}

fn read_stage(wire: StageWire, index: usize, limits: &Limits) -> Result<Stage> {
    let kind =
        StageKind::parse(&wire.kind).map_err(|e| e.under(&format!("stages[{index}].kind")))?;
    let path = format!("stages[{index}].payload");
    let size = canonical(&wire.payload)?.len();
    demand_size(&path, size, limits.max_payload_bytes, "bytes")?;
    let payload = StagePayload::read(&kind, &wire.payload, &path)?;
    Ok(Stage {
        kind,
        parents: wire.parents,
        payload,
        payload_hash: wire.payload_hash,
        stage_hash: wire.stage_hash,
    })
}

fn demand_shape(record: &RunRecord) -> Result<()> {
    let shape = &record.shape;
    let problem = |stage: &str, problem: &str| Error::Shape {
        shape: shape.name(),
        stage: stage.to_owned(),
        problem: problem.to_owned(),
    };
    let names = record.stage_names();
    for (index, (stage, name)) in record.stages.iter().zip(&names).enumerate() {
        if stage.parents.iter().any(|&p| p >= index) {
            return Err(problem(name, "out of place: it stands before its parents"));
        }
    }
    let kinds: Vec<StageKind> = record.stages.iter().map(|s| s.kind.clone()).collect();
    if let Some(wanted) = shape.parents(&kinds)? {
        for ((stage, name), wanted) in record.stages.iter().zip(&names).zip(wanted) {
            let mut found = stage.parents.clone();
            let mut wanted = wanted;
            if shape.parents_in_any_order(&stage.kind) {
                found.sort_unstable();
                wanted.sort_unstable();
            }
            if found != wanted {
                return Err(problem(
                    name,
                    "out of place: its parents are not those of the shape",
                ));
            }
        }
    }
    let placed: Vec<Placed<'_>> = record
        .stages
        .iter()
        .map(|s| Placed {
            kind: &s.kind,
            parents: &s.parents,
            hash: s.stage_hash,
        })
        .collect();
    demand_distinct(&shape.name(), &placed)?;
    let order = canonical_order(&placed);
    match order
        .iter()
        .enumerate()
        .find(|(place, index)| place != *index)
    {
        Some((place, _)) => Err(problem(
            names.get(place).map_or("-", String::as_str),
            "out of place: stages stand in order of depth, kind and stage hash",
        )),
        None => Ok(()),
    }
}
