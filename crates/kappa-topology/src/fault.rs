//! Fault lines, strong bridges, and the edges that bend or unbend a graph.

use serde::{Deserialize, Serialize};

use crate::graph::Digraph;
use crate::subgraph::{Extractor, Subgraph};
use crate::topology::{Edge, Scc};
use crate::{Error, bridges, cuts, reach, settle};

/// A minimum cut of a component: its edges, and the two sides that they part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FaultLine<N> {
    /// The κ edges, ascending; each goes from the source side to the target side.
    pub edges: Vec<Edge<N>>,
    /// The nodes before the cut, ascending.
    pub source_side: Vec<N>,
    /// The nodes beyond the cut, ascending.
    pub target_side: Vec<N>,
}

impl<N: Ord + Clone, K> Scc<N, K> {
    /// Up to `limit` distinct minimum cuts by number of edges, in an order that depends on the
    /// graph only. Two cuts are distinct if their edges are.
    ///
    /// The first is the one in `fault_line_edges` (of [`crate::analyze`]). Then follow, with
    /// κ = 1, the other strong bridges, ascending; otherwise the cuts around single nodes, by
    /// node, then all others. A large enough limit gives every minimum cut.
    ///
    /// An edge set may part a component in more than one way; the sides given are the pair
    /// with the smaller of what the tails still reach and what still reaches the heads.
    ///
    /// # Errors
    /// [`Error::ForeignComponent`] if this is no component of `graph`.
    ///
    /// # Complexity
    /// As [`crate::analyze`] for the component, plus O(κ m) a cut.
    pub fn fault_lines(
        &self,
        graph: &Digraph<N>,
        limit: usize,
    ) -> Result<Vec<FaultLine<N>>, Error> {
        let members = self.members_in(graph)?;
        let component = Extractor::new().extract(&graph.out, &graph.inn, &members);
        let cut = settle::minimum_cut(&component);
        let found = cuts::minimum_cuts(&component, &cut, limit);
        Ok(found
            .iter()
            .map(|edges| self.fault_line(&component, edges))
            .collect())
    }

    /// Every edge whose removal alone ends strong connectivity, ascending. There are some
    /// exactly if κ = 1, and then each is a fault line.
    ///
    /// # Errors
    /// [`Error::ForeignComponent`] if this is no component of `graph`.
    ///
    /// # Complexity
    /// O(m log n), in practice linear: semidominators in both directions.
    pub fn strong_bridges(&self, graph: &Digraph<N>) -> Result<Vec<Edge<N>>, Error> {
        let members = self.members_in(graph)?;
        let component = Extractor::new().extract(&graph.out, &graph.inn, &members);
        Ok(bridges::strong_bridges(&component)
            .iter()
            .map(|&e| self.edge(e))
            .collect())
    }

    /// Edges whose removal lowers κ of this component (with κ = 1: ends it): those that lie in
    /// a minimum cut, ascending, at most `limit` of them.
    ///
    /// # Errors
    /// [`Error::ForeignComponent`] if this is no component of `graph`.
    ///
    /// # Complexity
    /// With κ = 1 as [`Scc::strong_bridges`]; otherwise one bounded flow an edge, O(κ m²) at
    /// worst.
    pub fn unbending_edges(&self, graph: &Digraph<N>, limit: usize) -> Result<Vec<Edge<N>>, Error> {
        let members = self.members_in(graph)?;
        let component = Extractor::new().extract(&graph.out, &graph.inn, &members);
        let found = cuts::edges_in_minimum_cuts(&component, limit);
        Ok(found.into_iter().map(|e| self.edge(e)).collect())
    }

    fn edge(&self, (s, t): (u32, u32)) -> Edge<N> {
        let id = |v: u32| self.nodes[v as usize].clone();
        Edge {
            source: id(s),
            target: id(t),
        }
    }

    fn fault_line(&self, component: &Subgraph<'_>, edges: &[(u32, u32)]) -> FaultLine<N> {
        let (source, target) = cuts::sides(component, edges);
        let named = |side: Vec<u32>| {
            side.into_iter()
                .map(|v| self.nodes[v as usize].clone())
                .collect()
        };
        FaultLine {
            edges: edges.iter().map(|&e| self.edge(e)).collect(),
            source_side: named(source),
            target_side: named(target),
        }
    }

    /// The members' positions in the graph, after checking that they are one component.
    fn members_in(&self, graph: &Digraph<N>) -> Result<Vec<u32>, Error> {
        let foreign = || Error::ForeignComponent {
            id: self.id.clone(),
        };
        if self.nodes == graph.nodes {
            // The usual case of one large component needs no look-up.
            let whole = reach::is_strongly_connected(&graph.out, &graph.inn);
            return whole
                .then(|| (0..self.nodes.len() as u32).collect())
                .ok_or_else(foreign);
        }
        let positions: Option<Vec<u32>> = self.nodes.iter().map(|n| graph.index_of(n)).collect();
        let members = positions.ok_or_else(foreign)?;
        let ascending = members.windows(2).all(|pair| pair[0] < pair[1]);
        if members.len() < 2 || !ascending {
            return Err(foreign());
        }
        let component = Extractor::new().extract(&graph.out, &graph.inn, &members);
        if reach::is_strongly_connected(&component.out, &component.inn) {
            Ok(members)
        } else {
            Err(foreign())
        }
    }
}

/// The edge that would close a loop at `node`: back from its smallest successor without an
/// edge to it, or, if it has none, to its smallest such predecessor. `None` if the node is
/// unknown or every neighbour is tied both ways already.
#[must_use]
pub fn bending_edge<N: Ord + Clone>(graph: &Digraph<N>, node: &N) -> Option<Edge<N>> {
    let v = graph.index_of(node)?;
    let missing = |rows: &crate::graph::Csr, other: &crate::graph::Csr| {
        let row = rows.row(v).iter();
        row.copied()
            .find(|w| other.row(v).binary_search(w).is_err())
    };
    let id = |v: u32| graph.nodes[v as usize].clone();
    if let Some(w) = missing(&graph.out, &graph.inn) {
        return Some(Edge {
            source: id(w),
            target: node.clone(),
        });
    }
    let u = missing(&graph.inn, &graph.out)?;
    Some(Edge {
        source: node.clone(),
        target: id(u),
    })
}
