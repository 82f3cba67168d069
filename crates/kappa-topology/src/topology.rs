//! The analysis and its canonical form.

use serde::{Deserialize, Serialize};

use crate::Weight;
use crate::budget::{DeliberationBudget, Routing};
use crate::cuts;
use crate::graph::Digraph;
use crate::scc;
use crate::settle;
use crate::subgraph::Extractor;
use crate::weighted;

/// A directed edge by its end points.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Edge<N> {
    /// Where the edge starts.
    pub source: N,
    /// Where the edge ends.
    pub target: N,
}

/// What an analysis computes.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// Whether `fault_line_edges` is filled (default: yes). Without, only κ is computed.
    pub fault_lines: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { fault_lines: true }
    }
}

impl Options {
    /// Says whether `fault_line_edges` is filled.
    #[must_use]
    pub fn with_fault_lines(mut self, fault_lines: bool) -> Self {
        self.fault_lines = fault_lines;
        self
    }
}

/// A strongly connected component of at least two nodes. `K` is what κ is measured in: edges
/// ([`analyze`]) or weight ([`analyze_weighted`]).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Scc<N, K = u64> {
    /// `scc-0`, `scc-1`, …: numbered by the smallest node.
    pub id: String,
    /// The members, ascending.
    pub nodes: Vec<N>,
    /// The directed edge connectivity: the least number (or weight) of edges whose removal
    /// ends strong connectivity.
    pub kappa: K,
    /// Always false: κ is exact at every size. Kept because the canonical schema has it.
    pub approximate: bool,
    /// The edges of one minimum cut, ascending. Which one is documented at [`analyze`].
    pub fault_line_edges: Vec<Edge<N>>,
    /// Always `deliberate`: a component has a loop.
    pub routing: Routing,
    /// What the component is worth.
    pub deliberation_budget: DeliberationBudget,
}

/// The components of a graph with their κ, in the canonical schema (`serde` writes exactly it).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Topology<N, K = u64> {
    /// The components of at least two nodes, by their smallest node.
    pub sccs: Vec<Scc<N, K>>,
    /// The nodes on no cycle (self-loops aside), ascending.
    pub dag_nodes: Vec<N>,
    /// `fast` if `max_kappa` is zero, otherwise `deliberate`.
    pub routing: Routing,
    /// The largest κ of a component; zero if there is none.
    pub max_kappa: K,
    /// How many components of at least two nodes there are.
    pub scc_count: usize,
}

impl<N: Ord, K> Topology<N, K> {
    /// The component of a node, if it is on a cycle. O(components · log n).
    #[must_use]
    pub fn component_of(&self, node: &N) -> Option<&Scc<N, K>> {
        self.sccs
            .iter()
            .find(|scc| scc.nodes.binary_search(node).is_ok())
    }

    /// The component with this id.
    #[must_use]
    pub fn component(&self, id: &str) -> Option<&Scc<N, K>> {
        self.sccs.iter().find(|scc| scc.id == id)
    }
}

/// Finds the components of a graph and the exact κ of each.
///
/// # Which minimum cut
/// `fault_line_edges` depends on the graph only, never on the order in which it was put
/// together or on the run:
/// 1. if a node of the component has κ in-edges or κ out-edges, it is the in-edges, else the
///    out-edges, of the smallest such node;
/// 2. otherwise it is the cut that the search finds last: the search starts at the node with
///    the largest min(in-degree, out-degree), the smallest among equals, and its order is fixed.
///
/// # Complexity
/// Components in O(n + m). κ exactly, in time that is near linear in practice on sparse and
/// dense graphs: see the module `settle` in the source and `docs/kappa-topology.md`.
/// Space O(n + m).
pub fn analyze<N: Ord + Clone>(graph: &Digraph<N>, options: &Options) -> Topology<N> {
    let span = tracing::info_span!(
        "topology.analyze",
        nodes = graph.node_count(),
        edges = graph.edge_count(),
        scc_count = tracing::field::Empty,
        max_kappa = tracing::field::Empty,
        routing = tracing::field::Empty,
    );
    let _entered = span.enter();
    let found = scc::components(&graph.out, &graph.inn);
    let mut extractor = Extractor::new();
    let mut sccs = Vec::with_capacity(found.loops.len());
    for (number, members) in found.loops.iter().enumerate() {
        sccs.push(analyze_component(
            graph,
            members,
            number,
            options,
            &mut extractor,
        ));
    }
    let topology = finish(graph, sccs, &found.singles, Routing::for_kappa);
    span.record("scc_count", topology.scc_count);
    span.record("max_kappa", topology.max_kappa);
    span.record("routing", topology.routing.as_str());
    tracing::info!(
        name: "topology.route",
        routing = topology.routing.as_str(),
        max_kappa = topology.max_kappa,
        "topology.route"
    );
    topology
}

/// As [`analyze`], with κ measured in weight: the least total weight of edges whose removal
/// ends strong connectivity, exactly. `fault_line_edges` is a cut of that weight (the weakest
/// link), found by the same rule with weights in place of degrees. Budgets still follow the
/// number of edges in that cut, because they count passes.
///
/// # Complexity
/// As [`analyze`] with a factor for augmenting paths of different weight.
pub fn analyze_weighted<N: Ord + Clone>(
    graph: &Digraph<N>,
    options: &Options,
) -> Topology<N, Weight> {
    let found = scc::components(&graph.out, &graph.inn);
    let mut extractor = Extractor::new();
    let mut sccs = Vec::with_capacity(found.loops.len());
    for (number, members) in found.loops.iter().enumerate() {
        let component = extractor.extract(&graph.out, &graph.inn, members);
        let capacity = weighted::capacities(graph, members, &component);
        let cut = weighted::minimum_cut(&component, &capacity);
        let edges = weighted::canonical_edges(&component, &capacity, &cut);
        let count = edges.len() as u64;
        let edges = if options.fault_lines {
            edges
        } else {
            Vec::new()
        };
        sccs.push(component_of(
            graph,
            members,
            number,
            Weight::sum(cut.weight),
            count,
            &edges,
        ));
    }
    finish(graph, sccs, &found.singles, |w: Weight| {
        Routing::for_kappa(w.micros())
    })
}

fn analyze_component<N: Ord + Clone>(
    graph: &Digraph<N>,
    members: &[u32],
    number: usize,
    options: &Options,
    extractor: &mut Extractor,
) -> Scc<N> {
    let component = extractor.extract(&graph.out, &graph.inn, members);
    let cut = settle::minimum_cut(&component);
    let edges = if options.fault_lines {
        cuts::canonical_edges(&component, &cut)
    } else {
        Vec::new()
    };
    let kappa = u64::from(cut.kappa);
    component_of(graph, members, number, kappa, kappa, &edges)
}

/// The component in the caller's ids.
fn component_of<N: Ord + Clone, K>(
    graph: &Digraph<N>,
    members: &[u32],
    number: usize,
    kappa: K,
    cut_size: u64,
    edges: &[(u32, u32)],
) -> Scc<N, K> {
    let id = |local: u32| graph.nodes[members[local as usize] as usize].clone();
    Scc {
        id: format!("scc-{number}"),
        nodes: members
            .iter()
            .map(|&v| graph.nodes[v as usize].clone())
            .collect(),
        kappa,
        approximate: false,
        fault_line_edges: edges
            .iter()
            .map(|&(s, t)| Edge {
                source: id(s),
                target: id(t),
            })
            .collect(),
        routing: Routing::for_kappa(cut_size),
        deliberation_budget: DeliberationBudget::for_kappa(cut_size),
    }
}

fn finish<N: Ord + Clone, K: Ord + Copy + Zero>(
    graph: &Digraph<N>,
    sccs: Vec<Scc<N, K>>,
    singles: &[u32],
    route: impl Fn(K) -> Routing,
) -> Topology<N, K> {
    let max_kappa = sccs.iter().map(|scc| scc.kappa).max().unwrap_or(K::ZERO);
    Topology {
        scc_count: sccs.len(),
        sccs,
        dag_nodes: singles
            .iter()
            .map(|&v| graph.nodes[v as usize].clone())
            .collect(),
        routing: route(max_kappa),
        max_kappa,
    }
}

/// The κ of a graph without a component.
trait Zero {
    const ZERO: Self;
}

impl Zero for u64 {
    const ZERO: Self = 0;
}

impl Zero for Weight {
    const ZERO: Self = Self::NONE;
}
