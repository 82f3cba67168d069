//! Grounding: what became of a conclusion in the world.

use knowledge_graph::{Batch, Timestamp, Write};
use serde::{Deserialize, Serialize};

/// Whether acting on a conclusion worked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It did.
    Success,
    /// It did not.
    Failure,
}

/// How far an outcome of weight 1 moves a confidence. The seed names `learn_from_outcome` and
/// gives no figure; this is ours.
pub const LEARNING_RATE: f64 = 0.2;

/// The batch that moves a conclusion's confidence toward 1 after a success and toward 0 after a
/// failure, by [`LEARNING_RATE`] × `weight` (0 to 1; outside is taken to the nearer end), and
/// counts an access.
#[must_use]
pub fn record_outcome(conclusion_id: &str, outcome: Outcome, weight: f64, now: Timestamp) -> Batch {
    let weight = if weight.is_nan() {
        0.0
    } else {
        weight.clamp(0.0, 1.0)
    };
    Batch::new()
        .write(Write::AdjustConfidence {
            id: conclusion_id.to_owned(),
            toward: match outcome {
                Outcome::Success => 1.0,
                Outcome::Failure => 0.0,
            },
            rate: LEARNING_RATE * weight,
            at: now,
        })
        .write(Write::Touch {
            id: conclusion_id.to_owned(),
            at: now,
        })
}
