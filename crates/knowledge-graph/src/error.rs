//! What can go wrong with a graph.

use serde::{Deserialize, Serialize};

use crate::{Node, Precondition};

/// Why a graph could not be read or written.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GraphError {
    /// A value is out of its bounds; nothing was written.
    #[error("{what} is not accepted: it must be {accepted}")]
    Invalid {
        /// What it is and where.
        what: String,
        /// What would be accepted.
        accepted: &'static str,
    },
    /// A precondition does not hold; nothing was written.
    #[error("{0}")]
    Conflict(Box<Conflict>),
    /// A batch id was used before for other writes; nothing was written.
    #[error("the batch id {id:?} was used before for other writes; a new batch needs a new id")]
    BatchIdReused {
        /// The id.
        id: String,
    },
    /// A write refers to a node or an edge that is not there; nothing was written.
    #[error("{kind} {id:?} does not exist, and {operation} needs it")]
    Missing {
        /// `node` or `edge`.
        kind: &'static str,
        /// Its id.
        id: String,
        /// The write that needs it.
        operation: &'static str,
    },
    /// A document is not a graph.
    #[error(
        "not a graph: {reason}; expected {{\"nodes\":[{{\"id\",\"content\",…}}],\"edges\":[{{\"source\",\"target\",\"edge_type\",…}}]}}"
    )]
    Document {
        /// Where and why.
        reason: String,
    },
    /// The graph is too large for an analysis of its topology.
    #[error("the topology could not be analysed: {reason}")]
    Topology {
        /// Which limit, and what would be accepted.
        reason: String,
    },
    /// The store itself failed; nothing was written.
    #[error("the store failed: {reason}")]
    Store {
        /// What it said.
        reason: String,
    },
}

/// A precondition that does not hold, with what was found instead.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Conflict {
    /// What was required.
    pub expected: Precondition,
    /// The node as it stands now, where the precondition is about a node that is there.
    pub found: Option<Node>,
}

impl std::fmt::Display for Conflict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (&self.expected, &self.found) {
            (Precondition::NodeRevision { id, revision }, Some(found)) => write!(
                f,
                "node {id:?} was read at revision {revision} and stands at revision {}",
                found.revision
            ),
            (Precondition::NodeRevision { id, .. } | Precondition::NodeExists { id }, None) => {
                write!(f, "node {id:?} is required and does not exist any more")
            }
            (Precondition::NodeAbsent { id }, _) => {
                write!(f, "node {id:?} must not exist and does")
            }
            (Precondition::EdgeAbsent { id }, _) => {
                write!(f, "edge {id:?} must not exist and does")
            }
            (Precondition::EdgeExists { id }, _) => {
                write!(f, "edge {id:?} is required and does not exist")
            }
            (Precondition::NodeExists { id }, Some(_)) => write!(f, "node {id:?} is required"),
        }
    }
}

impl From<Conflict> for GraphError {
    fn from(conflict: Conflict) -> Self {
        Self::Conflict(Box::new(conflict))
    }
}
