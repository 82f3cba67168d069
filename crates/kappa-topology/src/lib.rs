//! Strongly connected components and exact directed edge connectivity at every size, with fault lines, routing and budgets.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod budget;
#[cfg(feature = "petgraph")]
mod convert;
mod cuts;
mod dominators;
mod edge_list;
mod error;
mod fault;
mod flow;
mod graph;
mod kind;
mod live;
mod picture;
mod preview;
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
pub use topology::{Edge, Options, Scc, Topology, analyze, analyze_weighted};
pub use weight::Weight;
