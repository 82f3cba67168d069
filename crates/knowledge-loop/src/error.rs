//! What can go wrong in the loop.

/// Why the loop could not answer. That a region may not be deliberated again yet is no error: see
/// [`Route::Capped`](crate::Route).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The question holds nothing but white space.
    #[error("the question is empty; ask one in words")]
    EmptyQuestion,
    /// The graph could not be read.
    #[error("graph: {0}")]
    Graph(#[from] knowledge_graph::GraphError),
    /// Nodes could not be embedded or compared.
    #[error("recall: {0}")]
    Recall(#[from] geodesic_retriever::Error),
    /// The deliberation could not be run.
    #[error("deliberation: {0}")]
    Deliberation(#[from] deliberator::DeliberationError),
    /// A deliberation could not be sealed.
    #[error("run: {0}")]
    Run(#[from] run_dag::Error),
    /// A topology has no canonical form.
    #[error("topology: {reason}")]
    Topology {
        /// What has none.
        reason: String,
    },
    /// A tool was called by a name that is not offered.
    #[error("there is no tool {0:?}; deliberate and analyze_topology are offered")]
    NoSuchTool(String),
    /// A tool was called with input that does not fit its schema.
    #[error("tool {tool}: {reason}")]
    ToolInput {
        /// The tool.
        tool: &'static str,
        /// What does not fit.
        reason: String,
    },
}
