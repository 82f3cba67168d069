//! Sealing a run.

use super::order::{Placed, canonical_order, demand_distinct, payload_hash, run_root, stage_hash};
use super::record::{RunRecord, Stage};
use crate::error::{Error, Result};
use crate::hash::StageHash;
use crate::json::{Limits, canonical};
use crate::kind::StageKind;
use crate::payload::{
    AGENT_REPORTED, AnswerPayload, ContextPayload, EvidenceEntry, EvidenceMapPayload, StagePayload,
};
use crate::shape::{CustomShape, Shape};

/// A stage of a builder, to name it as a parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StageId(usize);

/// Collects a run's stages in the order in which they happened, and seals them.
///
/// ```
/// use run_dag::*;
/// # fn main() -> Result<()> {
/// let policy = GovernancePolicy { name: "strict".into(), switches: Clause::new() }.hash()?;
/// let model = ModelProfile {
///     model_id: "extractive".into(),
///     revision: None,
///     quantization: None,
///     sampling: Clause::new(),
/// }
/// .hash()?;
/// let mut run = RunBuilder::new(Shape::Reject);
/// run.push(QuestionPayload::new("Tell me everything."));
/// run.push(PreflightPayload {
///     classifier: Clause::from([("quantifier_intensity".into(), 9.into())]),
///     answer_contract: Clause::new(),
///     prompt_contract: Clause::new(),
///     evidence_contract: Clause::new(),
///     policy_refs: PolicyRefs { governance_policy_hash: policy, model_profile_hash: model },
/// });
/// run.push(FinalLabelPayload {
///     label: "REJECTED".into(),
///     audit_line: "REJECTED · too broad".into(),
///     reason: Some("too_broad".into()),
/// });
/// let record = run.seal()?;
/// assert!(replay(&record)?.is_clean());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct RunBuilder {
    shape: Shape,
    declared: Option<CustomShape>,
    payloads: Vec<StagePayload>,
    parents: Vec<Vec<usize>>,
    evidence: Vec<EvidenceEntry>,
    limits: Limits,
}

impl RunBuilder {
    /// A run of a built-in shape; parents follow from the shape.
    #[must_use]
    pub fn new(shape: Shape) -> Self {
        Self {
            shape,
            declared: None,
            payloads: Vec::new(),
            parents: Vec::new(),
            evidence: Vec::new(),
            limits: Limits::default(),
        }
    }

    /// A run of a caller's shape; parents are given with [`RunBuilder::push_after`].
    #[must_use]
    pub fn custom(shape: CustomShape) -> Self {
        Self {
            declared: Some(shape.clone()),
            ..Self::new(shape.shape())
        }
    }

    /// Seals within these limits instead of the default ones.
    #[must_use]
    pub fn within(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Adds a stage; in a built-in shape its parents follow from the shape.
    pub fn push(&mut self, payload: impl Into<StagePayload>) -> StageId {
        self.push_after(payload, &[])
    }

    /// Adds a stage with these parents, in this order. Built-in shapes set their own parents.
    pub fn push_after(&mut self, payload: impl Into<StagePayload>, parents: &[StageId]) -> StageId {
        self.payloads.push(payload.into());
        self.parents.push(parents.iter().map(|p| p.0).collect());
        StageId(self.payloads.len() - 1)
    }

    /// Adds the `answer` stage (quote mode).
    pub fn push_answer(&mut self, answer: impl AsRef<[u8]>) -> StageId {
        self.push(StagePayload::Answer(AnswerPayload::of(answer)))
    }

    /// Adds the `raw_answer` stage (lattice mode).
    pub fn push_raw_answer(&mut self, answer: impl AsRef<[u8]>) -> StageId {
        self.push(StagePayload::RawAnswer(AnswerPayload::of(answer)))
    }

    /// Adds the `evidence_map` stage over these entries, which go into the record beside it.
    ///
    /// # Errors
    /// As [`EvidenceEntry::leaf_hash`].
    pub fn push_evidence_map(&mut self, entries: Vec<EvidenceEntry>) -> Result<StageId> {
        let payload = EvidenceMapPayload::of(&entries)?;
        self.evidence = entries;
        Ok(self.push(payload))
    }

    /// Adds the `context` stage: the text given to the model and the passages it was made of, which
    /// go into the record beside it.
    ///
    /// # Errors
    /// As [`EvidenceEntry::leaf_hash`].
    pub fn push_context(
        &mut self,
        context: impl AsRef<[u8]>,
        entries: Vec<EvidenceEntry>,
    ) -> Result<StageId> {
        let payload = ContextPayload::of(context, &entries)?;
        self.evidence = entries;
        Ok(self.push(payload))
    }

    /// Checks the shape, hashes every stage and gives the record.
    ///
    /// # Errors
    /// [`Error::Shape`] for a stage missing, doubled or out of place; [`Error::Derived`] for a field
    /// that does not follow from others (an evidence root that is not the entries', say);
    /// [`Error::Oversize`] beyond the limits.
    pub fn seal(self) -> Result<RunRecord> {
        let kinds: Vec<StageKind> = self.payloads.iter().map(StagePayload::kind).collect();
        let parents = self.checked_parents(&kinds)?;
        let stages = self.hashed(&kinds, parents)?;
        let placed: Vec<Placed<'_>> = stages
            .iter()
            .map(|s| Placed {
                kind: &s.kind,
                parents: &s.parents,
                hash: s.stage_hash,
            })
            .collect();
        demand_distinct(&self.shape.name(), &placed)?;
        let order = canonical_order(&placed);
        let stages = reordered(stages, &order);
        let run_dag_root = run_root(stages.iter().map(|s| s.stage_hash));
        let record = RunRecord {
            shape: self.shape,
            stages,
            evidence: self.evidence,
            run_dag_root,
        };
        demand_derived(&record)?;
        Ok(record)
    }

    fn checked_parents(&self, kinds: &[StageKind]) -> Result<Vec<Vec<usize>>> {
        demand_size("stages", kinds.len(), self.limits.max_stages, "stages")?;
        demand_size(
            "evidence",
            self.evidence.len(),
            self.limits.max_evidence,
            "entries",
        )?;
        if let Some(parents) = self.shape.parents(kinds)? {
            return Ok(parents);
        }
        for (index, (kind, parents)) in kinds.iter().zip(&self.parents).enumerate() {
            if parents.iter().any(|&p| p >= index) {
                return Err(Error::Shape {
                    shape: self.shape.name(),
                    stage: kind.to_string(),
                    problem: "out of place: it stands before its parents".into(),
                });
            }
        }
        if let Some(declared) = &self.declared {
            declared.check(kinds, &self.parents)?;
        }
        Ok(self.parents.clone())
    }

    fn hashed(&self, kinds: &[StageKind], parents: Vec<Vec<usize>>) -> Result<Vec<Stage>> {
        let mut hashes: Vec<StageHash> = Vec::with_capacity(kinds.len());
        let mut stages = Vec::with_capacity(kinds.len());
        for ((payload, kind), parents) in self.payloads.iter().zip(kinds).zip(parents) {
            let bytes = canonical(payload)?;
            let path = format!("stages[{}].payload", stages.len());
            demand_size(&path, bytes.len(), self.limits.max_payload_bytes, "bytes")?;
            let payload_hash = payload_hash(&bytes);
            let above: Vec<StageHash> = parents
                .iter()
                .filter_map(|&p| hashes.get(p).copied())
                .collect();
            let stage_hash = stage_hash(kind, &payload_hash, &above);
            hashes.push(stage_hash);
            stages.push(Stage {
                kind: kind.clone(),
                parents,
                payload: payload.clone(),
                payload_hash,
                stage_hash,
            });
        }
        Ok(stages)
    }
}

pub(crate) fn demand_size(path: &str, size: usize, limit: usize, unit: &'static str) -> Result<()> {
    if size <= limit {
        return Ok(());
    }
    Err(Error::Oversize {
        path: path.to_owned(),
        size,
        limit,
        unit,
    })
}

/// The stages in this order, parents renumbered.
fn reordered(stages: Vec<Stage>, order: &[usize]) -> Vec<Stage> {
    let mut place = vec![0; order.len()];
    for (new, &old) in order.iter().enumerate() {
        if let Some(slot) = place.get_mut(old) {
            *slot = new;
        }
    }
    let mut slots: Vec<Option<Stage>> = stages.into_iter().map(Some).collect();
    let moved = order
        .iter()
        .filter_map(|&old| slots.get_mut(old).and_then(Option::take));
    moved
        .map(|mut stage| {
            for parent in &mut stage.parents {
                *parent = place.get(*parent).copied().unwrap_or_default();
            }
            stage
        })
        .collect()
}

fn demand_derived(record: &RunRecord) -> Result<()> {
    match super::replay::underived(record)?.into_iter().next() {
        Some(m) => Err(Error::Derived {
            stage: m.stage,
            field: m.field,
            found: m.recorded,
            expected: m.recomputed,
        }),
        None => Ok(()),
    }
}

/// What a deliberation's label must say.
pub(crate) fn label_mismatch(record: &RunRecord) -> Option<(String, String)> {
    let last = record.stages.last()?;
    match &last.payload {
        StagePayload::FinalLabel(p)
            if record.shape == Shape::Deliberation && p.label != AGENT_REPORTED =>
        {
            Some((p.label.clone(), AGENT_REPORTED.to_owned()))
        }
        _ => None,
    }
}
