//! What the machine wants done, and how it is told.

use knowledge_graph::{Batch, Conflict, Snapshot};
use language_agents::{AgentError, Completion, Prompt};
use serde::{Deserialize, Serialize};

use crate::escalation::EscalationRequest;
use crate::report::Report;

/// A pass to be made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PassRequest {
    /// Its id; the answer names it.
    pub id: String,
    /// The component.
    pub scc_id: String,
    /// What to ask.
    pub prompt: Prompt,
    /// How long to wait for the answer, in milliseconds (30 s × `timeout_multiplier`).
    pub timeout_ms: u64,
    /// How many passes of this component may run at once (`agent_count`).
    pub at_once: u32,
}

/// Pairs of texts to compare.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CompareRequest {
    /// The component.
    pub scc_id: String,
    /// The pairs; the answer has a similarity from −1 to 1 for each, in the same order.
    pub pairs: Vec<(String, String)>,
}

/// A conclusion to be written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WriteRequest {
    /// The component.
    pub scc_id: String,
    /// The id of the conclusion's node.
    pub node_id: String,
    /// All of it.
    pub batch: Batch,
}

/// Nodes to be read again, because they changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RefreshRequest {
    /// The component.
    pub scc_id: String,
    /// The nodes; the answer is they and the edges between them.
    pub nodes: Vec<String>,
}

/// What the machine wants done next. Asking again without an answer gives the same.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "step", content = "content", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Step {
    /// Make these passes, in any order, and answer each.
    Ask(Vec<PassRequest>),
    /// Say how alike these texts are (only with [`Agreement::External`](crate::Agreement)).
    Compare(CompareRequest),
    /// Read these nodes again.
    Refresh(RefreshRequest),
    /// Apply this batch.
    Write(WriteRequest),
    /// Hand this over.
    Escalate(Box<EscalationRequest>),
    /// Nothing more: the report.
    Done(Box<Report>),
}

/// How a batch fared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Written {
    /// It was applied, now or before.
    Applied {
        /// Whether it had been applied before.
        before: bool,
    },
    /// A node had changed.
    Conflict(Box<Conflict>),
    /// The store failed; nothing was written.
    Failed(String),
}

/// An answer to a step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Answer {
    /// A pass has ended.
    Pass {
        /// Which.
        id: String,
        /// How.
        result: Result<Completion, AgentError>,
        /// How long it took, in milliseconds, where measured.
        duration_ms: Option<f64>,
    },
    /// How alike the pairs are.
    Similarities {
        /// The component.
        scc_id: String,
        /// One for each pair.
        values: Vec<f64>,
    },
    /// The nodes as they are now, or why they can't be read.
    Refreshed {
        /// The component.
        scc_id: String,
        /// The nodes and the edges between them.
        graph: Result<Snapshot, String>,
    },
    /// How the batch fared.
    Written {
        /// The component.
        scc_id: String,
        /// How.
        outcome: Written,
    },
    /// Whether the one who takes over took over.
    Escalated {
        /// The component.
        scc_id: String,
        /// Or why not.
        result: Result<(), String>,
    },
}
