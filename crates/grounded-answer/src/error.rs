//! What can go wrong between a question and its sealed answer.

/// Why no sealed answer came out.
///
/// That nothing near enough was found, or that a question was refused as too broad, is no error:
/// both are sealed as runs of their own.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The question holds nothing but white space.
    #[error("the question is empty; ask one in words")]
    EmptyQuestion,
    /// The question is longer than the limit.
    #[error("the question has {bytes} bytes; at most {limit} are accepted")]
    QuestionTooLong {
        /// Its length in bytes.
        bytes: usize,
        /// The limit in force.
        limit: usize,
    },
    /// A part without which no answer can be made was not given to the builder.
    #[error("the answerer has no {0}; give it one through the builder")]
    Missing(&'static str),
    /// Retrieval failed.
    #[error("retrieval: {0}")]
    Retrieval(#[from] geodesic_retriever::Error),
    /// The agent failed.
    #[error("agent: {0}")]
    Agent(#[from] language_agents::AgentError),
    /// The evidence map could not be built.
    #[error("evidence: {0}")]
    Evidence(#[from] claim_lattice::Error),
    /// The run could not be sealed, or a record could not be read.
    #[error("run: {0}")]
    Run(#[from] run_dag::Error),
    /// The graph could not be read.
    #[error("graph: {0}")]
    Graph(#[from] knowledge_graph::GraphError),
    /// The answer could not be scored.
    #[error("wisdom: {0}")]
    Wisdom(#[from] wisdom_score::Error),
    /// The region of the graph could not be analysed.
    #[error("topology: {0}")]
    Topology(#[from] kappa_topology::Error),
    /// A saved answer could not be read.
    #[error("saved answer: {0}")]
    Recorded(String),
}
