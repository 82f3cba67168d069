//! Which relations count as feedback.

use serde::{Deserialize, Serialize};

/// The kind of a relation between two nodes of a knowledge graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum EdgeKind {
    /// The source brings the target about.
    Causal,
    /// The source precedes the target.
    Temporal,
    /// The source was derived from the target: provenance, never feedback.
    DerivedFrom,
    /// The two have to do with each other, in no direction.
    Related,
    /// The source speaks for the target.
    Supports,
    /// The source speaks against the target.
    Contradicts,
}

impl EdgeKind {
    /// Whether the kind takes part by default: causal and temporal relations do, symmetric and
    /// provenance kinds never do.
    #[must_use]
    pub fn takes_part(self) -> bool {
        matches!(self, Self::Causal | Self::Temporal)
    }
}
