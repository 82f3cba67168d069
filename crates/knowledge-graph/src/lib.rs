//! A knowledge graph: nodes with confidence, typed edges, a store with atomic batches, and the
//! life cycle by which confidence fades, grows and is forgotten.
//!
//! ```
//! use knowledge_graph::{Batch, Edge, EdgeType, GraphStore, MemoryStore, Node, Timestamp};
//!
//! let now = Timestamp(1_700_000_000_000);
//! let store = MemoryStore::new();
//! store.apply(
//!     &Batch::once("first")
//!         .put_node(Node::new("rain", "Rain fills the reservoir.", now))
//!         .put_node(Node::new("level", "The level rises.", now))
//!         .put_edge(Edge::new("rain", "level", EdgeType::Causal, now)),
//! )?;
//! assert_eq!(store.node("rain")?.map(|n| n.revision), Some(1));
//! # Ok::<(), knowledge_graph::GraphError>(())
//! ```
//!
//! # Untrusted input
//! Every store checks every write by the same rules ([`rules`]): lengths, U+0000, ranges,
//! finiteness, nesting. What the caller must bound is how many nodes there are.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod batch;
#[cfg(feature = "conformance")]
pub mod conformance;
mod error;
#[cfg(any(test, feature = "conformance"))]
mod fault;
pub mod life_cycle;
mod memory;
mod model;
pub mod rules;
mod snapshot;
mod store;
mod time;
mod topology;

pub use batch::{Batch, Precondition, Receipt, Write};
pub use error::{Conflict, GraphError};
pub use memory::MemoryStore;
pub use model::{Edge, EdgeType, Metadata, Node, NodeType};
pub use rules::{MAX_BATCH, MAX_CONTENT, MAX_COUNT, MAX_DEPTH, MAX_EMBEDDING, MAX_ID};
pub use snapshot::Snapshot;
pub use store::{Direction, GraphStore};
pub use time::{Clock, ManualClock, SystemClock, Timestamp};
