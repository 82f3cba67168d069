//! Where two runs part.

use super::record::{RunRecord, Stage};
use crate::error::Result;
use crate::hash::RunRoot;
use crate::value::Value;
use serde::Serialize;
use std::collections::BTreeMap;

/// How a stage of one run stands to the stage of that name in another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StageStatus {
    /// The same hash: the same payload after the same history.
    Same,
    /// The same payload after another history.
    Inherited,
    /// Another payload.
    Changed,
    /// In the first run only.
    OnlyInA,
    /// In the second run only.
    OnlyInB,
}

/// One stage of either run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StageDiff {
    /// The stage's name.
    pub stage: String,
    /// How it stands.
    pub status: StageStatus,
    /// Paths in the payload at which the two differ.
    pub paths: Vec<String>,
    /// Names of parents that differ: another hash, or a parent in one run only.
    pub inputs: Vec<String>,
}

/// The comparison of two runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RunDiff {
    /// Whether the roots are the same.
    pub same: bool,
    /// Root of the first run.
    pub root_a: RunRoot,
    /// Root of the second run.
    pub root_b: RunRoot,
    /// The first stage, in canonical order, that differs in itself and not by what came before it.
    pub first_divergence: Option<StageDiff>,
    /// Every stage of either run, in canonical order.
    pub stages: Vec<StageDiff>,
}

/// Compares two runs stage by stage, by name.
///
/// # Errors
/// Only if a payload has no value form, which none gives cause for.
pub fn diff(a: &RunRecord, b: &RunRecord) -> Result<RunDiff> {
    let (names_a, names_b) = (a.stage_names(), b.stage_names());
    let of_b: BTreeMap<&str, &Stage> = names_b.iter().map(String::as_str).zip(&b.stages).collect();
    let mut stages = Vec::new();
    let mut rest = names_b.iter().peekable();
    for (name, stage) in names_a.iter().zip(&a.stages) {
        let Some(other) = of_b.get(name.as_str()) else {
            stages.push(alone(name, StageStatus::OnlyInA));
            continue;
        };
        // What only the second run has goes before the next stage that both have.
        while let Some(only) = rest.next_if(|n| *n != name) {
            if !names_a.contains(only) {
                stages.push(alone(only, StageStatus::OnlyInB));
            }
        }
        rest.next();
        stages.push(both(name, (a, &names_a, stage), (b, &names_b, other))?);
    }
    stages.extend(
        rest.filter(|n| !names_a.contains(n))
            .map(|n| alone(n, StageStatus::OnlyInB)),
    );
    let own = |s: &&StageDiff| !matches!(s.status, StageStatus::Same | StageStatus::Inherited);
    let divergent = stages
        .iter()
        .find(own)
        .or_else(|| stages.iter().find(|s| s.status != StageStatus::Same));
    Ok(RunDiff {
        same: a.run_dag_root == b.run_dag_root,
        root_a: a.run_dag_root,
        root_b: b.run_dag_root,
        first_divergence: divergent.cloned(),
        stages,
    })
}

fn alone(name: &str, status: StageStatus) -> StageDiff {
    StageDiff {
        stage: name.to_owned(),
        status,
        paths: vec![],
        inputs: vec![],
    }
}

type Side<'a> = (&'a RunRecord, &'a [String], &'a Stage);

fn both(name: &str, a: Side<'_>, b: Side<'_>) -> Result<StageDiff> {
    if a.2.stage_hash == b.2.stage_hash {
        return Ok(alone(name, StageStatus::Same));
    }
    let mut paths = Vec::new();
    if a.2.payload != b.2.payload {
        let left = Value::from_serialize(&a.2.payload)?;
        let right = Value::from_serialize(&b.2.payload)?;
        compare("", &left, &right, &mut paths);
    }
    let status = if paths.is_empty() {
        StageStatus::Inherited
    } else {
        StageStatus::Changed
    };
    Ok(StageDiff {
        stage: name.to_owned(),
        status,
        paths,
        inputs: inputs(a, b),
    })
}

/// Names of the parents that the two stages do not share.
fn inputs(a: Side<'_>, b: Side<'_>) -> Vec<String> {
    let parents = |(record, names, stage): Side<'_>| -> Vec<(String, crate::StageHash)> {
        let parent = |&p: &usize| Some((names.get(p)?.clone(), record.stages.get(p)?.stage_hash));
        stage.parents.iter().filter_map(parent).collect()
    };
    let (left, right) = (parents(a), parents(b));
    let mut names: Vec<String> = Vec::new();
    let unshared = left.iter().filter(|p| !right.contains(p));
    for (name, _) in unshared.chain(right.iter().filter(|p| !left.contains(p))) {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    names
}

/// Collects the paths at which two values differ; depth is bounded by what can be read or sealed.
fn compare(path: &str, a: &Value, b: &Value, out: &mut Vec<String>) {
    match (a, b) {
        (Value::Object(left), Value::Object(right)) => {
            let keys: std::collections::BTreeSet<&String> =
                left.keys().chain(right.keys()).collect();
            for key in keys {
                let inner = if path.is_empty() {
                    key.clone()
                } else {
                    format!("{path}.{key}")
                };
                match (left.get(key), right.get(key)) {
                    (Some(x), Some(y)) => compare(&inner, x, y, out),
                    _ => out.push(inner),
                }
            }
        }
        (Value::List(left), Value::List(right)) => {
            for index in 0..left.len().max(right.len()) {
                let inner = format!("{path}[{index}]");
                match (left.get(index), right.get(index)) {
                    (Some(x), Some(y)) => compare(&inner, x, y, out),
                    _ => out.push(inner),
                }
            }
        }
        _ if a == b => {}
        _ => out.push(if path.is_empty() {
            "$".to_owned()
        } else {
            path.to_owned()
        }),
    }
}
