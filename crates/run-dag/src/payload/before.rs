//! What is decided and found before the model is asked.

use super::{BytesDigest, Clause};
use crate::error::Result;
use crate::hash::{
    self, DocumentRoot, GovernancePolicyHash, ModelProfileHash, RetrievalPlanHash, SourceRoot,
    SourcesSummaryHash,
};
use crate::json::canonical;
use crate::number::SafeInt;
use serde::{Deserialize, Serialize};

/// What is decided before retrieval, in five nested clauses.
///
/// Two runs with the same question, answer and verdict under different policies differ here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PreflightPayload {
    /// How the question was classified: quantifier, shape, state.
    pub classifier: Clause,
    /// What the answer may be: guard, cap on claims, mode.
    pub answer_contract: Clause,
    /// What the prompt must hold: template, reminders, frames.
    pub prompt_contract: Clause,
    /// What may serve as evidence: roles, budgets.
    pub evidence_contract: Clause,
    /// The policy and model in force.
    pub policy_refs: PolicyRefs,
}

/// The policy and the model in force, by hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PolicyRefs {
    /// Hash of the [`GovernancePolicy`](crate::GovernancePolicy).
    pub governance_policy_hash: GovernancePolicyHash,
    /// Hash of the [`ModelProfile`](crate::ModelProfile).
    pub model_profile_hash: ModelProfileHash,
}

/// Everything by which an operator can influence what is found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RetrievalPlan {
    /// The keywords or queries searched for, in order.
    pub keywords: Vec<String>,
    /// Passages asked for.
    pub top_k: u32,
    /// Candidates fetched for each passage kept.
    pub over_fetch: u32,
    /// Budget of the context in characters.
    pub max_context_chars: SafeInt,
    /// The shards searched, in order.
    pub shards: Vec<String>,
    /// All else: embedder, decline threshold (as a decimal text), ….
    pub parameters: Clause,
}

impl RetrievalPlan {
    /// The plan's hash.
    ///
    /// # Errors
    /// Only if canonical JSON cannot be written, which no plan gives cause for.
    pub fn hash(&self) -> Result<RetrievalPlanHash> {
        Ok(RetrievalPlanHash::from_bytes(
            hash::RETRIEVAL_PLAN.digest(&canonical(self)?),
        ))
    }
}

/// One source that the retrieval found, with the passages taken from it in order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SourceSummary {
    /// The source's id; its bytes are its identity.
    pub source_id: String,
    /// Root over the source's document, where it is known.
    pub document_root: Option<DocumentRoot>,
    /// The passages found.
    pub passages: Vec<BytesDigest>,
}

/// What the gate decided about the retrieval's nearest passages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Gate {
    /// Near enough.
    Accepted,
    /// Nothing near enough.
    Declined,
    /// No gate was asked.
    NotUsed,
}

/// What was looked for, what was found, and what only the corpus could tell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RetrievalPayload {
    /// The plan.
    pub plan: RetrievalPlan,
    /// [`RetrievalPlan::hash`] of it.
    pub retrieval_plan_hash: RetrievalPlanHash,
    /// What was found, in order.
    pub sources: Vec<SourceSummary>,
    /// [`sources_summary_hash`] of it.
    pub sources_summary_hash: SourcesSummaryHash,
    /// Root over all sources that were searched, where it is known.
    pub source_root: Option<SourceRoot>,
    /// The gate's decision; the similarities behind it are soft and not committed.
    pub gate: Gate,
    /// The detectors that need the corpus: false premise, out of corpus.
    pub detectors: Clause,
}

impl RetrievalPayload {
    /// The payload of this plan and these findings, with their hashes.
    ///
    /// # Errors
    /// As [`RetrievalPlan::hash`].
    pub fn new(
        plan: RetrievalPlan,
        sources: Vec<SourceSummary>,
        source_root: Option<SourceRoot>,
        gate: Gate,
        detectors: Clause,
    ) -> Result<Self> {
        Ok(Self {
            retrieval_plan_hash: plan.hash()?,
            sources_summary_hash: sources_summary_hash(&sources)?,
            plan,
            sources,
            source_root,
            gate,
            detectors,
        })
    }
}

/// Hash of what a retrieval found, in order.
///
/// # Errors
/// Only if canonical JSON cannot be written, which no summary gives cause for.
pub fn sources_summary_hash(sources: &[SourceSummary]) -> Result<SourcesSummaryHash> {
    Ok(SourcesSummaryHash::from_bytes(
        hash::SOURCES_SUMMARY.digest(&canonical(sources)?),
    ))
}
