//! From a graph to its topology.

use kappa_topology::{Digraph, EdgeKind, Options, Topology, analyze};

use crate::{EdgeType, GraphError, Snapshot};

impl From<EdgeType> for EdgeKind {
    fn from(edge_type: EdgeType) -> Self {
        match edge_type {
            EdgeType::Causal => Self::Causal,
            EdgeType::Temporal => Self::Temporal,
            EdgeType::Related => Self::Related,
            EdgeType::Contradicts => Self::Contradicts,
            EdgeType::Supports => Self::Supports,
            EdgeType::DerivedFrom => Self::DerivedFrom,
        }
    }
}

impl Snapshot {
    /// The directed graph of the causal and temporal edges; all nodes are in it.
    ///
    /// # Errors
    /// [`GraphError::Topology`] past the limits of `kappa_topology` on nodes and edges.
    pub fn digraph(&self) -> Result<Digraph<String>, GraphError> {
        let mut builder = Digraph::builder();
        for node in &self.nodes {
            builder.node(node.id.clone());
        }
        for edge in &self.edges {
            builder.edge_of_kind(
                edge.edge_type.into(),
                edge.source.clone(),
                edge.target.clone(),
            );
        }
        builder.build().map_err(|error| GraphError::Topology {
            reason: error.to_string(),
        })
    }

    /// Its components with their κ, by the causal and temporal edges.
    ///
    /// # Errors
    /// As [`digraph`](Self::digraph).
    pub fn topology(&self) -> Result<Topology<String>, GraphError> {
        Ok(analyze(&self.digraph()?, &Options::default()))
    }
}
