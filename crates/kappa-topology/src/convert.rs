//! Conversions from petgraph's graphs.
//!
//! Node ids are petgraph's own: [`NodeIndex`] for the index-based graphs, so that results
//! name the caller's nodes even where some were removed, and the node itself for `GraphMap`.

use petgraph::Directed;
use petgraph::graph::{DiGraph, IndexType, NodeIndex};
use petgraph::graphmap::{DiGraphMap, NodeTrait};
use petgraph::stable_graph::StableGraph;
use petgraph::visit::{EdgeRef, IntoEdgeReferences, IntoNodeReferences, NodeRef};

use crate::{Digraph, Error};

/// Collects nodes and edges of any petgraph graph.
fn collect<G, N: Ord + Clone>(graph: G, id: impl Fn(G::NodeId) -> N) -> Result<Digraph<N>, Error>
where
    G: IntoNodeReferences + IntoEdgeReferences,
{
    let mut builder = Digraph::builder();
    for node in graph.node_references() {
        builder.node(id(node.id()));
    }
    for edge in graph.edge_references() {
        builder.edge(id(edge.source()), id(edge.target()));
    }
    builder.build()
}

impl<V, E, Ix: IndexType> TryFrom<&DiGraph<V, E, Ix>> for Digraph<NodeIndex<Ix>> {
    type Error = Error;

    fn try_from(graph: &DiGraph<V, E, Ix>) -> Result<Self, Error> {
        collect(graph, |v| v)
    }
}

impl<V, E, Ix: IndexType> TryFrom<&StableGraph<V, E, Directed, Ix>> for Digraph<NodeIndex<Ix>> {
    type Error = Error;

    fn try_from(graph: &StableGraph<V, E, Directed, Ix>) -> Result<Self, Error> {
        collect(graph, |v| v)
    }
}

impl<V: NodeTrait, E> TryFrom<&DiGraphMap<V, E>> for Digraph<V> {
    type Error = Error;

    fn try_from(graph: &DiGraphMap<V, E>) -> Result<Self, Error> {
        collect(graph, |v| v)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Options, analyze};

    #[test]
    fn ids_are_petgraphs_own_after_a_removal() {
        let mut graph: StableGraph<&str, ()> = StableGraph::new();
        let [a, b, c, d] = ["a", "b", "c", "d"].map(|name| graph.add_node(name));
        for (s, t) in [(a, b), (b, c), (c, d), (d, b), (c, a)] {
            graph.add_edge(s, t, ());
        }
        graph.remove_node(a);
        let topology = analyze(&Digraph::try_from(&graph).unwrap(), &Options::default());
        assert_eq!(topology.sccs[0].nodes, [b, c, d]);
        assert_eq!(topology.max_kappa, 1);
    }

    #[test]
    fn all_three_graph_types_convert() {
        let edges = [(0u32, 1u32), (1, 0), (1, 2)];
        let plain = DiGraph::<(), ()>::from_edges(edges);
        assert_eq!(Digraph::try_from(&plain).unwrap().edge_count(), 3);
        let map = DiGraphMap::<u32, ()>::from_edges(edges);
        let converted = Digraph::try_from(&map).unwrap();
        assert_eq!(converted.nodes(), [0, 1, 2]);
        assert_eq!(converted, Digraph::from_edges(edges).unwrap());
    }
}
