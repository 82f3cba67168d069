//! The crate's one error type.

/// What can go wrong while a graph is built or asked about.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// More distinct nodes than the builder's limit.
    #[error("the graph has more than {limit} nodes: at most {limit} are accepted; raise Limits::max_nodes (up to {ceiling}) if that is meant", ceiling = crate::graph::CEILING)]
    TooManyNodes {
        /// The limit in force.
        limit: usize,
    },
    /// More edges than the builder's limit, parallel edges and self-loops counted.
    #[error("the graph has more than {limit} edges: at most {limit} are accepted; raise Limits::max_edges (up to {ceiling}) if that is meant", ceiling = crate::graph::CEILING)]
    TooManyEdges {
        /// The limit in force.
        limit: usize,
    },
    /// The sum of all weights does not fit the fixed-point type.
    #[error("the weights of the graph add up to more than {max}: scale them down", max = crate::Weight::MAX)]
    WeightOverflow,
    /// A text that is no positive decimal with at most six decimals.
    #[error(
        "`{text}` is no weight: a positive decimal number with at most six decimals is accepted, such as 0.25"
    )]
    BadWeight {
        /// The text as it was read (cut at 40 characters).
        text: String,
    },
    /// A line of an edge list that could not be read.
    #[error("line {line}: {message}")]
    BadLine {
        /// Counted from 1.
        line: usize,
        /// What was found there and what would be accepted.
        message: String,
    },
    /// The component does not belong to the graph it was asked about.
    #[error(
        "component `{id}` is no strongly connected component of this graph: pass the graph that it was analysed from"
    )]
    ForeignComponent {
        /// The component's id, `scc-N`.
        id: String,
    },
    /// An edge that is not in the graph.
    #[error("there is no such edge in the graph: only an existing edge can be removed")]
    NoSuchEdge,
}
