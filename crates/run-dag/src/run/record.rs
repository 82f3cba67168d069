//! The record of a run.

use crate::error::{Error, Result};
use crate::hash::{PayloadHash, RunRoot, StageHash};
use crate::json::{self, Limits, demand_canonical};
use crate::kind::StageKind;
use crate::payload::{EvidenceEntry, StagePayload};
use crate::shape::{CustomShape, Shape};
use crate::value::Value;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// The format that this version writes and reads.
pub const RECORD_FORMAT: &str = "candor run-dag record v1";

/// One stage of a sealed run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Stage {
    pub(crate) kind: StageKind,
    pub(crate) parents: Vec<usize>,
    pub(crate) payload: StagePayload,
    pub(crate) payload_hash: PayloadHash,
    pub(crate) stage_hash: StageHash,
}

impl Stage {
    /// What the stage is.
    #[must_use]
    pub fn kind(&self) -> &StageKind {
        &self.kind
    }

    /// Indices of its parents among the record's stages, in the order that the hash commits.
    #[must_use]
    pub fn parents(&self) -> &[usize] {
        &self.parents
    }

    /// What it binds.
    #[must_use]
    pub fn payload(&self) -> &StagePayload {
        &self.payload
    }

    /// The payload's hash as recorded.
    #[must_use]
    pub fn payload_hash(&self) -> PayloadHash {
        self.payload_hash
    }

    /// The stage's hash as recorded.
    #[must_use]
    pub fn stage_hash(&self) -> StageHash {
        self.stage_hash
    }
}

/// A sealed run: its stages in canonical order, its evidence entries and its root.
///
/// A record made by [`RunBuilder::seal`](crate::RunBuilder::seal) is right by construction. One that
/// was read has a valid shape and says what its hashes are; whether they follow from its contents is
/// for [`replay`](crate::replay()) to say.
#[derive(Clone, Debug, PartialEq)]
pub struct RunRecord {
    pub(crate) shape: Shape,
    pub(crate) stages: Vec<Stage>,
    pub(crate) evidence: Vec<EvidenceEntry>,
    pub(crate) run_dag_root: RunRoot,
}

#[derive(Serialize)]
struct Wire<'a> {
    format: &'static str,
    shape: &'a Shape,
    stages: &'a [Stage],
    evidence: &'a [EvidenceEntry],
    run_dag_root: RunRoot,
}

impl Serialize for RunRecord {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Wire {
            format: RECORD_FORMAT,
            shape: &self.shape,
            stages: &self.stages,
            evidence: &self.evidence,
            run_dag_root: self.run_dag_root,
        }
        .serialize(serializer)
    }
}

/// Reads a record inside a larger structure, where its bytes are not its own to demand: everything
/// is checked that [`RunRecord::from_canonical_json`] checks but the spelling of the JSON.
impl<'de> Deserialize<'de> for RunRecord {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        Self::from_value(&value, &Limits::default()).map_err(de::Error::custom)
    }
}

impl RunRecord {
    /// Reads a record from its canonical JSON, with the default [`Limits`].
    ///
    /// # Errors
    /// What is wrong and where: syntax, floats, duplicate keys, lone surrogates, size, unknown
    /// kinds, wrong types, wrong shape, and any spelling but the canonical one.
    pub fn from_canonical_json(text: &[u8]) -> Result<Self> {
        Self::from_canonical_json_within(text, &Limits::default())
    }

    /// [`RunRecord::from_canonical_json`] within the caller's limits.
    ///
    /// # Errors
    /// As [`RunRecord::from_canonical_json`].
    pub fn from_canonical_json_within(text: &[u8], limits: &Limits) -> Result<Self> {
        let value = json::read(text, limits)?;
        let record = Self::from_value(&value, limits)?;
        demand_canonical(text, &record)?;
        Ok(record)
    }

    /// The record's canonical JSON.
    ///
    /// # Errors
    /// Only if canonical JSON cannot be written, which no record gives cause for.
    pub fn to_canonical_json(&self) -> Result<Vec<u8>> {
        json::canonical(self)
    }

    /// The run's shape.
    #[must_use]
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The stages in canonical order.
    #[must_use]
    pub fn stages(&self) -> &[Stage] {
        &self.stages
    }

    /// The evidence entries in pointer order; empty for shapes without evidence.
    #[must_use]
    pub fn evidence(&self) -> &[EvidenceEntry] {
        &self.evidence
    }

    /// The root as recorded.
    #[must_use]
    pub fn run_dag_root(&self) -> RunRoot {
        self.run_dag_root
    }

    /// The first stage of this kind.
    #[must_use]
    pub fn stage(&self, kind: &StageKind) -> Option<&Stage> {
        self.stages.iter().find(|s| s.kind == *kind)
    }

    /// Names of the stages in canonical order: the kind, with `#2`, `#3`, … from its second occurrence.
    #[must_use]
    pub fn stage_names(&self) -> Vec<String> {
        let mut seen = std::collections::BTreeMap::new();
        self.stages
            .iter()
            .map(|stage| {
                let count = seen.entry(&stage.kind).or_insert(0u32);
                *count += 1;
                match count {
                    1 => stage.kind.to_string(),
                    n => format!("{}#{n}", stage.kind),
                }
            })
            .collect()
    }

    /// Index of the stage with this name.
    ///
    /// # Errors
    /// [`Error::NoSuchStage`], which lists the names there are.
    pub fn stage_index(&self, name: &str) -> Result<usize> {
        let names = self.stage_names();
        names
            .iter()
            .position(|n| n == name)
            .ok_or_else(|| Error::NoSuchStage {
                name: name.chars().take(80).collect(),
                known: names.join(", "),
            })
    }

    /// Checks the record against a caller's declaration of its custom shape.
    ///
    /// # Errors
    /// [`Error::Shape`] for another shape, a stage missing, doubled, undeclared or with other parents.
    pub fn check_custom(&self, shape: &CustomShape) -> Result<()> {
        if self.shape != shape.shape() {
            return Err(Error::Shape {
                shape: shape.shape().name(),
                stage: "-".into(),
                problem: format!("the record is of shape {}", self.shape),
            });
        }
        let kinds: Vec<StageKind> = self.stages.iter().map(|s| s.kind.clone()).collect();
        let parents: Vec<Vec<usize>> = self.stages.iter().map(|s| s.parents.clone()).collect();
        shape.check(&kinds, &parents)
    }
}
