//! Who takes over, and why.

use serde::{Deserialize, Serialize};

use crate::report::{Conclusion, PassRecord};

/// Who takes over (seed 001 §3.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Target {
    /// Formal multi-agent argumentation.
    Deliberatic,
    /// Task decomposition with bidding.
    #[serde(rename = "agentromatic")]
    AgenTroMatic,
    /// A person.
    Human,
}

impl Target {
    /// The name on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Deliberatic => "deliberatic",
            Self::AgenTroMatic => "agentromatic",
            Self::Human => "human",
        }
    }
}

/// Why.
#[derive(Debug, Clone, PartialEq, thiserror::Error, Serialize, Deserialize)]
#[serde(tag = "reason", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Reason {
    /// The last round was still below the threshold.
    #[error(
        "below the threshold after {rounds} rounds: confidence {confidence:.2}, needed {threshold:.2}"
    )]
    BelowThreshold {
        /// Rounds that were run.
        rounds: u32,
        /// The best confidence reached.
        confidence: f64,
        /// What was needed.
        threshold: f64,
    },
    /// The passes of the last round contradict each other.
    #[error("divergent after {rounds} rounds: the passes contradict each other")]
    ContradictionStands {
        /// Rounds that were run.
        rounds: u32,
    },
    /// No pass of any round could be used.
    #[error("no usable reply in {rounds} rounds; the last failure: {last}")]
    NothingUsable {
        /// Rounds that were run.
        rounds: u32,
        /// The last failure.
        last: String,
    },
    /// The conclusion speaks against a node that is trusted.
    #[error("the conclusion contradicts {node:?}, which has confidence {confidence:.2}")]
    ContradictsTrusted {
        /// The node.
        node: String,
        /// Its confidence.
        confidence: f64,
    },
    /// Several components are entangled and the task can be split.
    #[error("{components} components with κ > 2 on a task that can be split")]
    Entangled {
        /// How many.
        components: usize,
    },
    /// The policy leaves conclusions about these nodes to a person.
    #[error("the policy leaves conclusions about this component to a person")]
    PolicyForbids,
    /// The hard caps leave no room for the next round.
    #[error(
        "the budget of the run is used up: the next calls need {needed} {resource}, {left} left"
    )]
    BudgetExhausted {
        /// `calls` or `tokens`.
        resource: String,
        /// What they need at most.
        needed: u64,
        /// What is left.
        left: u64,
    },
    /// The time for the run is up.
    #[error("the time for the run is up")]
    OutOfTime,
}

/// An escalation, typed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Escalation {
    /// Who takes over.
    pub target: Target,
    /// Why.
    #[serde(flatten)]
    pub reason: Reason,
}

/// What the one who takes over gets.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EscalationRequest {
    /// The component.
    pub scc_id: String,
    /// Its nodes.
    pub nodes: Vec<String>,
    /// The question.
    pub question: String,
    /// Who should take over, and why.
    pub escalation: Escalation,
    /// The best conclusion reached.
    pub best: Option<Conclusion>,
    /// Everything that was tried.
    pub tried: Vec<PassRecord>,
}
