//! Writes that happen together or not at all.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Edge, GraphError, Node, Timestamp, rules};

/// What must be so for a batch to be applied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "require", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Precondition {
    /// There is no node with this id.
    NodeAbsent {
        /// The node.
        id: String,
    },
    /// There is a node with this id.
    NodeExists {
        /// The node.
        id: String,
    },
    /// The node is there and was not put again since.
    NodeRevision {
        /// The node.
        id: String,
        /// The revision that was read.
        revision: u64,
    },
    /// There is no edge with this id.
    EdgeAbsent {
        /// The edge.
        id: String,
    },
    /// There is an edge with this id.
    EdgeExists {
        /// The edge.
        id: String,
    },
}

/// One write of a batch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "write", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Write {
    /// Puts a node, new or in place of the one with its id; the store counts the revision up.
    PutNode {
        /// The node.
        node: Node,
    },
    /// Puts an edge, new or in place of the one with its id. Both its nodes must be there.
    PutEdge {
        /// The edge.
        edge: Edge,
    },
    /// Removes a node and every edge at it; nothing happens when it is not there.
    RemoveNode {
        /// The node.
        id: String,
    },
    /// Removes an edge; nothing happens when it is not there.
    RemoveEdge {
        /// The edge.
        id: String,
    },
    /// Moves a node's confidence c to c + rate · (toward − c) and sets `updated_at`. The node
    /// must be there.
    AdjustConfidence {
        /// The node.
        id: String,
        /// Where to, 0 to 1.
        toward: f64,
        /// How far, 0 (not at all) to 1 (all the way).
        rate: f64,
        /// When.
        at: Timestamp,
    },
    /// Counts an access to a node, which must be there; `last_accessed_at` never goes back.
    Touch {
        /// The node.
        id: String,
        /// When.
        at: Timestamp,
    },
    /// Sets one entry of a node's metadata, or removes it. The node must be there.
    SetMetadata {
        /// The node.
        id: String,
        /// The entry.
        key: String,
        /// Its value; `None` removes it.
        value: Option<Value>,
    },
    /// Sets when an edge, which must be there, was last made use of; never goes back.
    ActivateEdge {
        /// The edge.
        id: String,
        /// When.
        at: Timestamp,
    },
}

/// Writes with preconditions, applied in order, all or nothing.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Batch {
    /// A batch with an id is applied once, however often it is handed in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// All of them must be so before the first write.
    #[serde(default)]
    pub preconditions: Vec<Precondition>,
    /// The writes, in order.
    pub writes: Vec<Write>,
}

impl Batch {
    /// An empty batch without an id.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty batch that is applied once.
    #[must_use]
    pub fn once(id: impl Into<String>) -> Self {
        Self {
            id: Some(id.into()),
            ..Self::default()
        }
    }

    /// Adds a precondition.
    #[must_use]
    pub fn require(mut self, precondition: Precondition) -> Self {
        self.preconditions.push(precondition);
        self
    }

    /// Adds a write.
    #[must_use]
    pub fn write(mut self, write: Write) -> Self {
        self.writes.push(write);
        self
    }

    /// Adds the write of a node.
    #[must_use]
    pub fn put_node(self, node: Node) -> Self {
        self.write(Write::PutNode { node })
    }

    /// Adds the write of an edge.
    #[must_use]
    pub fn put_edge(self, edge: Edge) -> Self {
        self.write(Write::PutEdge { edge })
    }

    /// Checks all that can be checked without a store. Every store calls this first.
    ///
    /// # Errors
    /// [`GraphError::Invalid`] with the first thing that is out of its bounds.
    pub fn validate(&self) -> Result<(), GraphError> {
        rules::check_batch(self)
    }

    /// A digest of what the batch writes: BLAKE3 over ids, types, contents and endpoints in
    /// order, each length-prefixed. Confidences, weights, vectors and metadata are left out:
    /// soft values never enter a hash. Stores keep it beside the batch id, to tell a batch that
    /// comes again from another batch under the same id.
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new_derive_key("candor knowledge-graph batch v1");
        let mut part = |text: &str| {
            hasher.update(&(text.len() as u64).to_le_bytes());
            hasher.update(text.as_bytes());
        };
        for write in &self.writes {
            match write {
                Write::PutNode { node } => {
                    ["put_node", &node.id, &node.content, node.node_type.as_str()]
                        .into_iter()
                        .for_each(&mut part);
                }
                Write::PutEdge { edge } => {
                    let kind = edge.edge_type.as_str();
                    ["put_edge", &edge.id, &edge.source, &edge.target, kind]
                        .into_iter()
                        .for_each(&mut part);
                }
                Write::RemoveNode { id } => ["remove_node", id].into_iter().for_each(&mut part),
                Write::RemoveEdge { id } => ["remove_edge", id].into_iter().for_each(&mut part),
                Write::AdjustConfidence { id, .. } => {
                    ["adjust_confidence", id].into_iter().for_each(&mut part);
                }
                Write::Touch { id, .. } => ["touch", id].into_iter().for_each(&mut part),
                Write::SetMetadata { id, key, .. } => {
                    ["set_metadata", id, key].into_iter().for_each(&mut part);
                }
                Write::ActivateEdge { id, .. } => {
                    ["activate_edge", id].into_iter().for_each(&mut part);
                }
            }
        }
        *hasher.finalize().as_bytes()
    }
}

/// What became of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receipt {
    /// Whether a batch with this id had been applied before; then nothing was done.
    pub already_applied: bool,
}
