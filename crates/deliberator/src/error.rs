//! What can go wrong around a deliberation. What goes wrong inside one is in its report.

/// Why a deliberation could not be begun, stepped or driven.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DeliberationError {
    /// A component names a node that the graph handed in does not hold.
    #[error(
        "component {scc_id} has node {node:?}, which is not in the graph handed in; hand in every node of the components"
    )]
    MissingNode {
        /// The component.
        scc_id: String,
        /// The node.
        node: String,
    },
    /// The topology is not that of the graph handed in.
    #[error("component {scc_id} is not a component of the graph handed in: {reason}")]
    ForeignTopology {
        /// The component.
        scc_id: String,
        /// What does not fit.
        reason: String,
    },
    /// An option is out of its range.
    #[error("the option {option} is out of range: it must be {accepted}")]
    Option {
        /// The option.
        option: &'static str,
        /// What would be accepted.
        accepted: &'static str,
    },
    /// An answer to something that was not asked.
    #[error("an answer came for {what:?}, which is not open")]
    NotOpen {
        /// The pass or the component.
        what: String,
    },
    /// The graph could not be read.
    #[error("the graph could not be read: {0}")]
    Graph(#[from] knowledge_graph::GraphError),
    /// Another deliberation held the region for all the time that this one had.
    #[error(
        "the region was locked by another deliberation for the {after_ms} ms that this run may take"
    )]
    Locked {
        /// The run limit, in milliseconds.
        after_ms: u64,
    },
    /// The runtime was shut down while a store was at work.
    #[error("the store's thread did not end: {reason}")]
    Runtime {
        /// What the runtime said.
        reason: String,
    },
}
