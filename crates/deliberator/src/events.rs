//! What happens, as it happens: the seed's telemetry (001 §3.5) plus tokens, as data.

use serde::{Deserialize, Serialize};

use crate::escalation::{Reason, Target};

/// An event. Durations are there when the one who answers measured them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Event {
    /// A deliberation began.
    Start {
        /// Components to deliberate.
        scc_count: usize,
        /// The question.
        query: String,
        /// The largest κ.
        max_kappa: u64,
    },
    /// A focused pass ended.
    Focus {
        /// The pass.
        pass: String,
        /// The component.
        scc_id: String,
        /// Its κ.
        kappa: u64,
        /// Cells of the round.
        partition_count: usize,
        /// How long it took, in milliseconds.
        duration_ms: Option<f64>,
        /// Whether it concluded something.
        usable: bool,
        /// Tokens read.
        tokens_in: u64,
        /// Tokens written.
        tokens_out: u64,
    },
    /// A round was brought together.
    Reconcile {
        /// The component.
        scc_id: String,
        /// The round, from 1.
        round: u32,
        /// Whether it converged.
        converged: bool,
        /// The confidence reached.
        confidence: f64,
        /// Whether the passes agreed, so that no call was needed.
        fast_path: bool,
        /// How long the call took, in milliseconds.
        duration_ms: Option<f64>,
        /// Tokens read.
        tokens_in: u64,
        /// Tokens written.
        tokens_out: u64,
    },
    /// A conclusion was written.
    Crystallize {
        /// The conclusion's node.
        node_id: String,
        /// The component.
        scc_id: String,
        /// Its κ.
        kappa_before: u64,
        /// How sure the conclusion is.
        conclusion_confidence: f64,
    },
    /// A component was escalated.
    Escalate {
        /// The component.
        scc_id: String,
        /// Why.
        reason: Reason,
        /// To whom.
        target: Target,
    },
}
