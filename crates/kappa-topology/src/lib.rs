//! Strongly connected components and exact directed edge connectivity (κ) at every size, with
//! fault lines, routing and budgets.
//!
//! A component's κ is the least number of edges whose removal ends its strong connectivity; the
//! edges of such a minimum cut are a fault line. Graphs without a cycle have κ = 0 and are routed
//! `fast`, all others `deliberate`.
//!
//! ```
//! use kappa_topology::{Digraph, Options, Routing, analyze};
//!
//! // Two loops that share the edge b → c: removing it opens both.
//! let graph = Digraph::from_edges([("a", "b"), ("b", "c"), ("c", "a"), ("c", "d"), ("d", "b")])?;
//! let topology = analyze(&graph, &Options::default());
//! assert_eq!((topology.max_kappa, topology.routing), (1, Routing::Deliberate));
//!
//! let lines = topology.sccs[0].fault_lines(&graph, 10)?;
//! assert!(lines.iter().any(|l| l.edges[0].source == "b" && l.edges[0].target == "c"));
//! # Ok::<(), kappa_topology::Error>(())
//! ```
//!
//! - [`Digraph`]: built from nodes and edges of any ordered id type, from an edge list
//!   ([`parse_edge_list`]) or, with the feature `petgraph`, from petgraph's graphs.
//! - [`analyze`], [`analyze_weighted`]: the canonical [`Topology`].
//! - [`Scc::fault_lines`], [`Scc::strong_bridges`], [`Scc::unbending_edges`]: more about a
//!   component.
//! - [`preview_edge`], [`preview_removal`], [`bending_edge`]: what a change would do.
//! - [`LiveTopology`]: a graph under change.
//! - [`to_dot`], [`to_mermaid`], [`to_svg`]: pictures.
//!
//! # Untrusted input
//! Nothing recurses and nothing panics on any graph. Memory follows the number of nodes and
//! edges, which [`Limits`] bounds. The time of κ is near linear on every family measured
//! (`docs/kappa-speed.md`) and O(n κ m) at worst; enumerating cuts needs a limit of the caller's.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod absorb;
mod branches;
mod bridges;
mod budget;
#[cfg(feature = "petgraph")]
mod convert;
mod cuts;
mod edge_list;
mod error;
mod fault;
mod flow;
mod graph;
mod kind;
mod live;
mod picture;
mod preview;
mod progress;
mod reach;
mod scc;
mod settle;
mod subgraph;
mod topology;
mod weight;
mod weighted;

pub use budget::{DeliberationBudget, Routing};
pub use edge_list::{EdgeList, parse_edge_list};
pub use error::Error;
pub use fault::{FaultLine, bending_edge};
pub use graph::{Digraph, DigraphBuilder, Limits};
pub use kind::EdgeKind;
pub use live::LiveTopology;
pub use picture::{to_dot, to_mermaid, to_svg};
pub use preview::{Preview, preview_edge, preview_removal};
pub use progress::Progress;
pub use topology::{
    Edge, Options, Scc, Topology, analyze, analyze_weighted, analyze_weighted_with_progress,
    analyze_with_progress,
};
pub use weight::Weight;
