//! Retrieve, route by edge connectivity, deliberate, write back, retrieve again.
//!
//! A facade over a graph store, a retriever's embedder and the deliberator. A question recalls
//! nodes; their topology says whether one retrieval pass is enough (κ = 0) or a loop has to be
//! reasoned through (κ > 0); a deliberation writes its conclusion into the graph; the next
//! retrieval finds it, and the loop that it settles no longer counts (effective κ).
//!
//! ```
//! use std::sync::Arc;
//! use knowledge_graph::{MemoryStore, Snapshot};
//! use knowledge_loop::{KnowledgeLoop, LoopConfig};
//! use language_agents::{Completion, agent_fn};
//!
//! # fn main() -> Result<(), knowledge_loop::Error> {
//! let graph = r#"{"nodes":[{"id":"sleep","content":"Poor sleep raises stress."},
//!     {"id":"stress","content":"Stress worsens sleep."}],
//!   "edges":[{"source":"sleep","target":"stress","edge_type":"causal"},
//!     {"source":"stress","target":"sleep","edge_type":"causal"}]}"#;
//! let store = MemoryStore::from_snapshot(Snapshot::from_json(graph)?)?;
//! let agent = agent_fn(|_| {
//!     Ok(Completion::new(r#"{"conclusion":"Stress and sleep feed each other.","confidence":0.9}"#))
//! });
//! let knowledge = KnowledgeLoop::new(Arc::new(store), Arc::new(agent), LoopConfig::default());
//! let first = knowledge.recall("What does stress do to sleep?")?;
//! assert_eq!(first.effective_kappa, 1);
//! # Ok(())
//! # }
//! ```
//!
//! # Untrusted input
//! Node contents and questions are untrusted; the deliberator fences them. [`LoopConfig`] limits
//! what is recalled and how often a region is deliberated.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod config;
mod error;
mod knowledge;
mod recall;
mod seal;
mod tools;

pub use config::{DeliberationPolicy, LoopConfig, RecallOptions, RouteRule};
pub use deliberator::{DeliberateResponse, Report as DeliberationReport};
pub use error::Error;
pub use knowledge::{KappaReading, KnowledgeLoop, LoopAnswer, Route};
pub use recall::{Recall, RecalledNode};
pub use seal::seal_deliberation;

// The crates whose types stand in a deliberation's report.
pub use {deliberator, kappa_topology};
