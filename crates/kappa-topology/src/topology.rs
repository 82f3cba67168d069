//! The analysis and its canonical form.

use serde::{Deserialize, Serialize};

use crate::Weight;
use crate::budget::{DeliberationBudget, Routing};
use crate::cuts;
use crate::graph::Digraph;
use crate::progress::{Progress, Reporter};
use crate::scc;
use crate::settle;
use crate::subgraph::{Extractor, Subgraph};
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
    analyze_with_progress(graph, options, &mut |_| ())
}

/// As [`analyze`], and says through the callback how far it has come: at the end of every
/// component, and now and then within a large one.
pub fn analyze_with_progress<N: Ord + Clone>(
    graph: &Digraph<N>,
    options: &Options,
    progress: &mut dyn FnMut(Progress),
) -> Topology<N> {
    by_component(graph, progress, |members, component, report| {
        let cut = settle::minimum_cut_with(component, report);
        let edges = if options.fault_lines {
            cuts::canonical_edges(component, &cut)
        } else {
            Vec::new()
        };
        let kappa = u64::from(cut.kappa);
        Measured {
            members,
            kappa,
            cut_size: kappa,
            edges,
        }
    })
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
    analyze_weighted_with_progress(graph, options, &mut |_| ())
}

/// As [`analyze_weighted`], and says through the callback how far it has come: at the end of
/// every component, and now and then within a large one.
pub fn analyze_weighted_with_progress<N: Ord + Clone>(
    graph: &Digraph<N>,
    options: &Options,
    progress: &mut dyn FnMut(Progress),
) -> Topology<N, Weight> {
    by_component(graph, progress, |members, component, report| {
        let capacity = weighted::capacities(graph, members, component);
        let cut = weighted::minimum_cut(component, &capacity, report);
        let mut edges = weighted::canonical_edges(component, &capacity, &cut);
        let cut_size = edges.len() as u64;
        if !options.fault_lines {
            edges.clear();
        }
        Measured {
            members,
            kappa: Weight::sum(cut.weight),
            cut_size,
            edges,
        }
    })
}

/// What was found of one component, in numbers.
struct Measured<'a, K> {
    members: &'a [u32],
    kappa: K,
    cut_size: u64,
    edges: Vec<(u32, u32)>,
}

/// Measures every component within the span `topology.analyze`.
fn by_component<N: Ord + Clone, K: Ord + Copy + Measure>(
    graph: &Digraph<N>,
    progress: &mut dyn FnMut(Progress),
    measure: impl for<'a> Fn(&'a [u32], &Subgraph<'_>, &mut dyn FnMut(usize)) -> Measured<'a, K>,
) -> Topology<N, K> {
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
    let mut reporter = Reporter::new(found.loops.iter().map(Vec::len).sum(), progress);
    let mut extractor = Extractor::new();
    let mut sccs = Vec::with_capacity(found.loops.len());
    for (number, members) in found.loops.iter().enumerate() {
        let component = extractor.extract(&graph.out, &graph.inn, members);
        let measured = measure(members, &component, &mut |done| reporter.report(done));
        sccs.push(component_of(graph, number, measured));
        reporter.finish(members.len());
    }
    let topology = finish(graph, sccs, &found.singles);
    span.record("scc_count", topology.scc_count);
    span.record("max_kappa", topology.max_kappa.field());
    span.record("routing", topology.routing.as_str());
    tracing::info!(
        name: "topology.route",
        routing = topology.routing.as_str(),
        max_kappa = topology.max_kappa.field(),
        "topology.route"
    );
    topology
}

/// The component in the caller's ids.
fn component_of<N: Ord + Clone, K>(
    graph: &Digraph<N>,
    number: usize,
    measured: Measured<'_, K>,
) -> Scc<N, K> {
    let Measured {
        members,
        kappa,
        cut_size,
        edges,
    } = measured;
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

fn finish<N: Ord + Clone, K: Ord + Copy + Measure>(
    graph: &Digraph<N>,
    sccs: Vec<Scc<N, K>>,
    singles: &[u32],
) -> Topology<N, K> {
    let max_kappa = sccs.iter().map(|scc| scc.kappa).max().unwrap_or(K::ZERO);
    Topology {
        scc_count: sccs.len(),
        sccs,
        dag_nodes: singles
            .iter()
            .map(|&v| graph.nodes[v as usize].clone())
            .collect(),
        routing: Routing::for_kappa(max_kappa.amount()),
        max_kappa,
    }
}

/// What κ is measured in.
trait Measure {
    /// The κ of a graph without a component.
    const ZERO: Self;
    /// κ as a number that is zero exactly if κ is.
    fn amount(self) -> u64;
    /// κ as it is shown in a span.
    fn field(self) -> impl tracing::Value;
}

impl Measure for u64 {
    const ZERO: Self = 0;

    fn amount(self) -> u64 {
        self
    }

    fn field(self) -> impl tracing::Value {
        self
    }
}

impl Measure for Weight {
    const ZERO: Self = Self::NONE;

    fn amount(self) -> u64 {
        self.micros()
    }

    fn field(self) -> impl tracing::Value {
        tracing::field::display(self)
    }
}
