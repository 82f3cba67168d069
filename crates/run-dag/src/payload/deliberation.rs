//! The stages of a deliberation: ids, assignments and digests of texts; confidences are soft and
//! have no place here.

use super::{BytesDigest, Clause};
use crate::number::Decimal;
use serde::{Deserialize, Serialize};

/// One strongly connected component.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TopologyComponent {
    /// The component's id.
    pub id: String,
    /// Its nodes.
    pub nodes: u32,
    /// Its κ, exact; absent where a cut is not defined.
    pub kappa: Option<Decimal>,
}

/// κ of a graph and the route taken on it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TopologyPayload {
    /// The graph's canonical bytes.
    pub graph: BytesDigest,
    /// Its cyclic components.
    pub components: Vec<TopologyComponent>,
    /// The route: `fast`, `deliberate`, ….
    pub route: String,
    /// All else that is exact: fault lines, budgets, ….
    pub details: Clause,
}

/// One pass over one part of the graph.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FocusPayload {
    /// The pass's id, unique in the run.
    pub pass_id: String,
    /// Its round, from 1.
    pub round: u32,
    /// The component it looks at.
    pub component: String,
    /// The nodes assigned to it, in order.
    pub nodes: Vec<String>,
    /// The prompt's bytes.
    pub prompt: BytesDigest,
    /// The reply's bytes; absent when there was none.
    pub reply: Option<BytesDigest>,
    /// `completed`, or the name of what went wrong.
    pub status: String,
}

/// One round's reconciliation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReconcilePayload {
    /// The round, from 1.
    pub round: u32,
    /// The passes reconciled, in order.
    pub passes: Vec<String>,
    /// The prompt's bytes.
    pub prompt: BytesDigest,
    /// The reply's bytes; absent when there was none.
    pub reply: Option<BytesDigest>,
    /// Whether the round was taken as converged.
    pub converged: bool,
}

/// One conclusion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConclusionRecord {
    /// The conclusion's id.
    pub id: String,
    /// The component it came from.
    pub component: String,
    /// Its text.
    pub content: BytesDigest,
}

/// A deliberation's conclusions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CrystallizePayload {
    /// The conclusions, in order.
    pub conclusions: Vec<ConclusionRecord>,
    /// Whether they were written back to the graph.
    pub written_back: bool,
}

/// A deliberation handed on without a conclusion of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EscalatePayload {
    /// Why.
    pub reason: String,
    /// What there was to show all the same.
    pub conclusions: Vec<ConclusionRecord>,
}
