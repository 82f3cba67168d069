//! What came of a deliberation.

use kappa_topology::{Edge, Topology};
use language_agents::{AgentError, Completion, Prompt};
use serde::{Deserialize, Serialize};

use crate::cells::Assumption;
use crate::escalation::Escalation;
use crate::parse::{ParseFailure, Reply};

/// A conclusion about a component (seed 001 §3.1.1).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Conclusion {
    /// What was concluded.
    pub content: String,
    /// How sure, 0 to 1.
    pub confidence: f64,
    /// The component.
    pub source_scc_id: String,
    /// Its κ.
    pub source_kappa: u64,
    /// The edges of the cuts that were examined, in the order of the rounds.
    pub fault_lines_examined: Vec<Edge<String>>,
    /// The round in which it was reached, from 1.
    pub iteration: u32,
    /// Whether it met the threshold and no contradiction stands.
    pub converged: bool,
}

/// Whether a pass looks at a cell or brings a round together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum PassKind {
    /// One cell under one assignment.
    Focus,
    /// All of a round.
    Reconcile,
}

/// Why a pass concluded nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum PassFailure {
    /// The agent failed.
    #[error("{0}")]
    Agent(AgentError),
    /// The agent replied with something that can't be used.
    #[error("{0}")]
    Reply(ParseFailure),
}

/// A pass: what was asked, what came back, how it was read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PassRecord {
    /// Its id: component, round and number, `scc-0/r1/f2`; behind a refresh `scc-0/v2/r1/f2`.
    pub id: String,
    /// What kind of pass.
    pub kind: PassKind,
    /// The round, from 1.
    pub round: u32,
    /// The nodes it reasoned about.
    pub cell: Vec<String>,
    /// What it took for granted.
    pub assumptions: Vec<Assumption>,
    /// What was asked.
    pub prompt: Prompt,
    /// What came back, where something did.
    pub completion: Option<Completion>,
    /// How it was read, or why it can't be used; `None` while it is open.
    pub outcome: Option<Result<Reply, PassFailure>>,
}

/// How a component's deliberation ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RegionStatus {
    /// With a conclusion that met the threshold.
    Converged,
    /// With a fresh conclusion that was in the graph already.
    Reused,
    /// It went to somebody else.
    Escalated,
    /// The graph changed under it in a way that no refresh could follow, or a store failed.
    Failed,
}

/// What came of one component.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RegionReport {
    /// The component.
    pub scc_id: String,
    /// Its nodes.
    pub nodes: Vec<String>,
    /// Its κ.
    pub kappa: u64,
    /// How it ended.
    pub status: RegionStatus,
    /// Rounds that were run.
    pub rounds: u32,
    /// Times it was begun anew because its nodes had changed.
    pub refreshes: u32,
    /// The conclusion; the best one tried where none converged.
    pub conclusion: Option<Conclusion>,
    /// The escalation.
    pub escalation: Option<Escalation>,
    /// The conclusion's node, where it was written or is there already.
    pub node_id: Option<String>,
    /// The hash of the round's replies that led to the conclusion.
    pub reconcile_hash: Option<String>,
    /// What failed: the store, the graph or the escalation's receiver.
    pub error: Option<String>,
}

/// How the topology changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TopologyChange {
    /// The largest κ before.
    pub kappa_before: u64,
    /// The largest κ after: conclusions lie on no loop, so it is the same.
    pub kappa_after: u64,
    /// The largest effective κ before; see [`effective_topology`](crate::effective_topology).
    pub effective_kappa_before: u64,
    /// The largest effective κ after.
    pub effective_kappa_after: u64,
    /// Conclusion nodes that were written.
    pub new_nodes_created: u64,
    /// All that in a sentence.
    pub note: String,
}

/// What came of a deliberation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The question.
    pub query: String,
    /// The components, in the order of the topology.
    pub regions: Vec<RegionReport>,
    /// The most rounds that a component took.
    pub iterations_used: u32,
    /// Whether every component converged (or was settled before).
    pub converged: bool,
    /// Whether any component was escalated.
    pub escalated: bool,
    /// The reasons, by component.
    pub escalation_reason: Option<String>,
    /// The topology before.
    pub topology_before: Topology<String>,
    /// The topology after; `None` when nothing was written.
    pub topology_after: Option<Topology<String>>,
    /// How it changed.
    pub topology_change: TopologyChange,
    /// How long it took in milliseconds, where somebody measured it.
    pub duration_ms: Option<f64>,
    /// Calls of the agent.
    pub calls: u64,
    /// Tokens read, as the agent counts them.
    pub tokens_in: u64,
    /// Tokens written, as the agent counts them.
    pub tokens_out: u64,
    /// Every pass, in order of component, round and number.
    pub passes: Vec<PassRecord>,
}

impl Report {
    /// The conclusions, in the order of the components.
    pub fn conclusions(&self) -> impl Iterator<Item = &Conclusion> {
        self.regions.iter().filter_map(|r| r.conclusion.as_ref())
    }

    /// The cost at given prices.
    #[must_use]
    pub fn cost(&self, prices: &crate::Prices) -> f64 {
        prices.of(self.tokens_in, self.tokens_out)
    }

    /// The answer of the tool `deliberate`, as its schema says.
    #[must_use]
    pub fn response(&self) -> DeliberateResponse {
        let failed = self
            .regions
            .iter()
            .any(|r| r.status == RegionStatus::Failed);
        DeliberateResponse {
            status: if failed { "error" } else { "ok" }.to_owned(),
            query: self.query.clone(),
            deliberation: DeliberationSummary {
                converged: self.converged,
                iterations_used: self.iterations_used,
                escalated: self.escalated,
                escalation_reason: self.escalation_reason.clone(),
                conclusions: self.conclusions().cloned().collect(),
                topology_change: self.topology_change.clone(),
                calls: self.calls,
                tokens_in: self.tokens_in,
                tokens_out: self.tokens_out,
            },
        }
    }
}

/// The answer of the tool `deliberate` (seed 001 §3.2).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DeliberateResponse {
    /// `ok`, or `error` when a component failed.
    pub status: String,
    /// The question.
    pub query: String,
    /// What came of it.
    pub deliberation: DeliberationSummary,
}

/// The part `deliberation` of a [`DeliberateResponse`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DeliberationSummary {
    /// [`Report::converged`].
    pub converged: bool,
    /// [`Report::iterations_used`].
    pub iterations_used: u32,
    /// [`Report::escalated`].
    pub escalated: bool,
    /// [`Report::escalation_reason`].
    pub escalation_reason: Option<String>,
    /// [`Report::conclusions`].
    pub conclusions: Vec<Conclusion>,
    /// [`Report::topology_change`].
    pub topology_change: TopologyChange,
    /// [`Report::calls`].
    pub calls: u64,
    /// [`Report::tokens_in`].
    pub tokens_in: u64,
    /// [`Report::tokens_out`].
    pub tokens_out: u64,
}
