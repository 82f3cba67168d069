//! The graph: sorted nodes, and both directions of its edges as compressed sparse rows.

use std::collections::BTreeMap;

use crate::kind::EdgeKind;
use crate::{Error, Weight};

/// The most nodes or edges of a graph: positions are 32 bits, one of them a mark.
pub(crate) const CEILING: usize = (1 << 31) - 1;

/// Compressed sparse rows: the neighbours of node `v` are `ends[starts[v]..starts[v + 1]]`,
/// ascending and without duplicates.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Csr {
    pub(crate) starts: Vec<u32>,
    pub(crate) ends: Vec<u32>,
}

impl Csr {
    pub(crate) fn range(&self, v: u32) -> std::ops::Range<usize> {
        self.starts[v as usize] as usize..self.starts[v as usize + 1] as usize
    }

    pub(crate) fn row(&self, v: u32) -> &[u32] {
        &self.ends[self.range(v)]
    }

    pub(crate) fn degree(&self, v: u32) -> u32 {
        self.starts[v as usize + 1] - self.starts[v as usize]
    }

    pub(crate) fn node_count(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// The rows of the reversed graph. Its rows ascend because sources are met in order.
    pub(crate) fn reversed(&self) -> Self {
        let n = self.node_count();
        let mut starts = vec![0u32; n + 2];
        for &t in &self.ends {
            starts[t as usize + 2] += 1;
        }
        for i in 2..starts.len() {
            starts[i] += starts[i - 1];
        }
        let mut ends = vec![0u32; self.ends.len()];
        for s in 0..n as u32 {
            for &t in self.row(s) {
                let slot = &mut starts[t as usize + 1];
                ends[*slot as usize] = s;
                *slot += 1;
            }
        }
        starts.truncate(n + 1);
        Self { starts, ends }
    }
}

impl From<Csr> for std::borrow::Cow<'_, Csr> {
    fn from(rows: Csr) -> Self {
        Self::Owned(rows)
    }
}

/// How large a graph the builder accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The most distinct nodes; 50 million unless said otherwise.
    pub max_nodes: usize,
    /// The most edges as given, parallel ones and self-loops counted; 500 million unless said
    /// otherwise.
    pub max_edges: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_nodes: 50_000_000,
            max_edges: 500_000_000,
        }
    }
}

/// A finite simple digraph over node ids of any ordered type.
///
/// Self-loops are dropped and counted, parallel edges merge and their weights add. Nodes and
/// edges are kept in the order of the ids, so nothing that is computed from a graph depends on
/// the order in which it was put together.
///
/// ```
/// use kappa_topology::{analyze, Digraph, Options};
///
/// let mut builder = Digraph::builder();
/// builder.edge("a", "b").edge("b", "c").edge("c", "a").edge("c", "d");
/// let graph = builder.build()?;
/// let topology = analyze(&graph, &Options::default());
/// assert_eq!(topology.max_kappa, 1);
/// assert_eq!(topology.dag_nodes, ["d"]);
/// # Ok::<(), kappa_topology::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Digraph<N> {
    pub(crate) nodes: Vec<N>,
    pub(crate) out: Csr,
    pub(crate) inn: Csr,
    /// Parallel to `out.ends`, in millionths; `None` when every edge weighs one.
    pub(crate) weights: Option<Vec<u64>>,
    self_loops: Vec<u32>,
    merged_edges: usize,
}

impl<N: Ord + Clone> Digraph<N> {
    /// An empty builder with the default [`Limits`] and the default edge kinds.
    #[must_use]
    pub fn builder() -> DigraphBuilder<N> {
        DigraphBuilder::default()
    }

    /// A graph of these edges and their end points.
    ///
    /// # Errors
    /// As [`DigraphBuilder::build`].
    pub fn from_edges(edges: impl IntoIterator<Item = (N, N)>) -> Result<Self, Error> {
        let mut builder = Self::builder();
        for (source, target) in edges {
            builder.edge(source, target);
        }
        builder.build()
    }

    /// The nodes, ascending.
    #[must_use]
    pub fn nodes(&self) -> &[N] {
        &self.nodes
    }

    /// How many nodes there are.
    #[must_use]
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// How many edges there are, after self-loops were dropped and parallel edges merged.
    #[must_use]
    pub fn edge_count(&self) -> usize {
        self.out.ends.len()
    }

    /// The edges, ascending by source, then target.
    pub fn edges(&self) -> impl Iterator<Item = (&N, &N)> {
        (0..self.nodes.len() as u32).flat_map(move |s| {
            let source = &self.nodes[s as usize];
            self.out
                .row(s)
                .iter()
                .map(move |&t| (source, &self.nodes[t as usize]))
        })
    }

    /// Whether the edge is in the graph. O(log n).
    #[must_use]
    pub fn has_edge(&self, source: &N, target: &N) -> bool {
        self.edge_position(source, target).is_some()
    }

    /// The weight of an edge, if it is in the graph. O(log n).
    #[must_use]
    pub fn weight(&self, source: &N, target: &N) -> Option<Weight> {
        let position = self.edge_position(source, target)?;
        Some(
            self.weights
                .as_ref()
                .map_or(Weight::ONE, |w| Weight::sum(w[position])),
        )
    }

    /// The nodes that had a self-loop, ascending. A self-loop does not count for κ, yet a
    /// caller may want to say that its node feeds on itself.
    pub fn self_loops(&self) -> impl ExactSizeIterator<Item = &N> {
        self.self_loops.iter().map(|&v| &self.nodes[v as usize])
    }

    /// How many edges were merged into an equal one.
    #[must_use]
    pub fn merged_edges(&self) -> usize {
        self.merged_edges
    }

    /// The note on what was dropped or merged while building, if anything was.
    #[must_use]
    pub fn note(&self) -> Option<String> {
        let (loops, merged) = (self.self_loops.len(), self.merged_edges);
        match (loops, merged) {
            (0, 0) => None,
            (_, 0) => Some(format!("nodes whose self-loop was dropped: {loops}")),
            (0, _) => Some(format!("parallel edges merged: {merged}")),
            _ => Some(format!(
                "nodes whose self-loop was dropped: {loops}; parallel edges merged: {merged}"
            )),
        }
    }

    pub(crate) fn index_of(&self, node: &N) -> Option<u32> {
        self.nodes.binary_search(node).ok().map(|i| i as u32)
    }

    fn edge_position(&self, source: &N, target: &N) -> Option<usize> {
        let (s, t) = (self.index_of(source)?, self.index_of(target)?);
        let offset = self.out.row(s).binary_search(&t).ok()?;
        Some(self.out.range(s).start + offset)
    }
}

/// Which kinds of relation take part in the topology.
type KindFilter = fn(EdgeKind) -> bool;

/// Collects nodes and edges; [`DigraphBuilder::build`] sorts them into a [`Digraph`].
#[derive(Debug, Clone)]
pub struct DigraphBuilder<N> {
    ids: BTreeMap<N, u32>,
    edges: Vec<(u32, u32)>,
    weights: Option<Vec<u64>>,
    limits: Limits,
    kinds: KindFilter,
    overflow: Option<Error>,
}

impl<N> Default for DigraphBuilder<N> {
    fn default() -> Self {
        Self {
            ids: BTreeMap::new(),
            edges: Vec::new(),
            weights: None,
            limits: Limits::default(),
            kinds: EdgeKind::takes_part,
            overflow: None,
        }
    }
}

impl<N: Ord + Clone> DigraphBuilder<N> {
    /// Replaces the limits (they hold for what is added from here on).
    pub fn limits(&mut self, limits: Limits) -> &mut Self {
        self.limits = Limits {
            max_nodes: limits.max_nodes.min(CEILING),
            max_edges: limits.max_edges.min(CEILING),
        };
        self
    }

    /// Replaces the predicate that says which kinds take part ([`EdgeKind::takes_part`]).
    pub fn kinds(&mut self, takes_part: fn(EdgeKind) -> bool) -> &mut Self {
        self.kinds = takes_part;
        self
    }

    /// Adds a node; a node that is there already stays as it is.
    pub fn node(&mut self, node: N) -> &mut Self {
        self.intern(node);
        self
    }

    /// Adds an edge of weight one, and its end points.
    pub fn edge(&mut self, source: N, target: N) -> &mut Self {
        self.push(source, target, Weight::ONE)
    }

    /// Adds an edge with a weight, and its end points.
    pub fn weighted_edge(&mut self, source: N, target: N, weight: Weight) -> &mut Self {
        if self.weights.is_none() {
            self.weights = Some(vec![Weight::ONE.micros(); self.edges.len()]);
        }
        self.push(source, target, weight)
    }

    /// Adds an edge if its kind takes part; its end points in any case.
    pub fn edge_of_kind(&mut self, kind: EdgeKind, source: N, target: N) -> &mut Self {
        if (self.kinds)(kind) {
            self.edge(source, target)
        } else {
            self.node(source).node(target)
        }
    }

    fn push(&mut self, source: N, target: N, weight: Weight) -> &mut Self {
        let ends = (self.intern(source), self.intern(target));
        if self.edges.len() >= self.limits.max_edges {
            self.overflow.get_or_insert(Error::TooManyEdges {
                limit: self.limits.max_edges,
            });
        }
        if let (Some(s), Some(t), None) = (ends.0, ends.1, &self.overflow) {
            self.edges.push((s, t));
            if let Some(weights) = &mut self.weights {
                weights.push(weight.micros());
            }
        }
        self
    }

    fn intern(&mut self, node: N) -> Option<u32> {
        if let Some(&id) = self.ids.get(&node) {
            return Some(id);
        }
        if self.ids.len() >= self.limits.max_nodes {
            self.overflow.get_or_insert(Error::TooManyNodes {
                limit: self.limits.max_nodes,
            });
            return None;
        }
        let id = self.ids.len() as u32;
        self.ids.insert(node, id);
        Some(id)
    }

    /// Sorts what was added into a graph. O(n log n + m) time, O(n + m) space.
    ///
    /// # Errors
    /// [`Error::TooManyNodes`] or [`Error::TooManyEdges`] past the limits,
    /// [`Error::WeightOverflow`] if all weights together do not fit.
    pub fn build(self) -> Result<Digraph<N>, Error> {
        if let Some(error) = self.overflow {
            return Err(error);
        }
        let n = self.ids.len();
        let mut rank = vec![0u32; n];
        let mut nodes = Vec::with_capacity(n);
        for (i, (node, id)) in self.ids.into_iter().enumerate() {
            rank[id as usize] = i as u32;
            nodes.push(node);
        }
        if let Some(weights) = &self.weights {
            let total = weights.iter().try_fold(0u64, |sum, &w| sum.checked_add(w));
            total.ok_or(Error::WeightOverflow)?;
        }
        let edges = self
            .edges
            .iter()
            .map(|&(s, t)| (rank[s as usize], rank[t as usize]));
        Ok(assemble(nodes, edges.collect(), self.weights))
    }
}

/// Sorts ranked edges into rows, drops self-loops and merges parallel edges.
fn assemble<N>(nodes: Vec<N>, edges: Vec<(u32, u32)>, weights: Option<Vec<u64>>) -> Digraph<N> {
    let n = nodes.len();
    let order = sorted_order(n, &edges);
    let mut starts = vec![0u32; n + 1];
    let mut ends = Vec::with_capacity(edges.len());
    let mut merged_weights = weights.as_ref().map(|_| Vec::with_capacity(edges.len()));
    let (mut self_loops, mut merged_edges) = (Vec::new(), 0);
    let mut last = None;
    for &i in &order {
        let (s, t) = edges[i as usize];
        let weight = weights.as_ref().map_or(0, |w| w[i as usize]);
        if s == t {
            if self_loops.last() != Some(&s) {
                self_loops.push(s);
            }
        } else if last == Some((s, t)) {
            merged_edges += 1;
            if let Some(w) = merged_weights
                .as_mut()
                .and_then(|w: &mut Vec<u64>| w.last_mut())
            {
                *w += weight;
            }
        } else {
            ends.push(t);
            starts[s as usize + 1] += 1;
            last = Some((s, t));
            if let Some(w) = &mut merged_weights {
                w.push(weight);
            }
        }
    }
    for i in 0..n {
        starts[i + 1] += starts[i];
    }
    let out = Csr { starts, ends };
    let inn = out.reversed();
    Digraph {
        nodes,
        out,
        inn,
        weights: merged_weights,
        self_loops,
        merged_edges,
    }
}

/// The positions of the edges sorted by source, then target: two stable counting sorts.
fn sorted_order(n: usize, edges: &[(u32, u32)]) -> Vec<u32> {
    let by_target = counting_sort(n, (0..edges.len() as u32).collect(), |i| {
        edges[i as usize].1
    });
    counting_sort(n, by_target, |i| edges[i as usize].0)
}

fn counting_sort(n: usize, items: Vec<u32>, key: impl Fn(u32) -> u32) -> Vec<u32> {
    let mut starts = vec![0u32; n + 1];
    for &item in &items {
        starts[key(item) as usize + 1] += 1;
    }
    for i in 0..n {
        starts[i + 1] += starts[i];
    }
    let mut sorted = vec![0u32; items.len()];
    for &item in &items {
        let slot = &mut starts[key(item) as usize];
        sorted[*slot as usize] = item;
        *slot += 1;
    }
    sorted
}
