//! A topology that follows its graph edge by edge.

use std::collections::{BTreeMap, BTreeSet};

use crate::Error;
use crate::budget::Routing;
use crate::graph::Digraph;
use crate::topology::{Options, Scc, Topology, analyze};

/// The neighbours of each node.
type Rows<N> = BTreeMap<N, BTreeSet<N>>;

/// A graph under change and its topology; only what a change touches is analysed again.
///
/// After every step [`LiveTopology::topology`] equals [`analyze`] of a graph with the same
/// nodes and edges.
///
/// ```
/// use kappa_topology::LiveTopology;
///
/// let mut live = LiveTopology::new();
/// live.insert_edge("a", "b")?;
/// live.insert_edge("b", "a")?;
/// assert_eq!(live.topology().max_kappa, 1);
/// live.remove_edge(&"a", &"b")?;
/// assert_eq!(live.topology().max_kappa, 0);
/// # Ok::<(), kappa_topology::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct LiveTopology<N> {
    out: Rows<N>,
    inn: Rows<N>,
    /// The components by their smallest node; ids are given when the topology is read.
    sccs: BTreeMap<N, Scc<N>>,
    /// The smallest node of each node's component, for nodes on a cycle.
    home: BTreeMap<N, N>,
}

impl<N> Default for LiveTopology<N> {
    fn default() -> Self {
        Self {
            out: BTreeMap::new(),
            inn: BTreeMap::new(),
            sccs: BTreeMap::new(),
            home: BTreeMap::new(),
        }
    }
}

impl<N: Ord + Clone> LiveTopology<N> {
    /// An empty graph.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Starts from a graph.
    #[must_use]
    pub fn from_graph(graph: &Digraph<N>) -> Self {
        let mut live = Self::new();
        for node in graph.nodes() {
            live.insert_node(node.clone());
        }
        for (source, target) in graph.edges() {
            link(&mut live.out, source, target);
            link(&mut live.inn, target, source);
        }
        for scc in analyze(graph, &Options::default()).sccs {
            live.adopt(scc);
        }
        live
    }

    /// Adds a node; false if it is there already.
    pub fn insert_node(&mut self, node: N) -> bool {
        if self.out.contains_key(&node) {
            return false;
        }
        self.inn.insert(node.clone(), BTreeSet::new());
        self.out.insert(node, BTreeSet::new());
        true
    }

    /// Adds an edge and its end points; false if nothing changed (the edge was there, or it is
    /// a self-loop, which does not count).
    ///
    /// # Errors
    /// As [`crate::DigraphBuilder::build`], for the component that the edge touches.
    ///
    /// # Complexity
    /// Within a component: its analysis. Between components: a search from the target, then,
    /// if it closes a loop, the analysis of the component that arises.
    pub fn insert_edge(&mut self, source: N, target: N) -> Result<bool, Error> {
        self.insert_node(source.clone());
        self.insert_node(target.clone());
        if source == target || !link(&mut self.out, &source, &target) {
            return Ok(false);
        }
        link(&mut self.inn, &target, &source);
        let members = if self.same_component(&source, &target) {
            self.members(&source)
        } else {
            let ahead = reach(&self.out, &target);
            if !ahead.contains(&source) {
                return Ok(true);
            }
            let behind = reach(&self.inn, &source);
            ahead.intersection(&behind).cloned().collect()
        };
        self.analyze_again(&members)?;
        Ok(true)
    }

    /// Removes an edge; false if it was not there.
    ///
    /// # Errors
    /// As [`LiveTopology::insert_edge`].
    ///
    /// # Complexity
    /// Within a component: the analysis of what is left of it; otherwise O(log n).
    pub fn remove_edge(&mut self, source: &N, target: &N) -> Result<bool, Error> {
        let removed = self
            .out
            .get_mut(source)
            .is_some_and(|row| row.remove(target));
        if !removed {
            return Ok(false);
        }
        if let Some(row) = self.inn.get_mut(target) {
            row.remove(source);
        }
        if self.same_component(source, target) {
            self.analyze_again(&self.members(source))?;
        }
        Ok(true)
    }

    /// Removes a node with its edges; false if it was not there.
    ///
    /// # Errors
    /// As [`LiveTopology::insert_edge`].
    pub fn remove_node(&mut self, node: &N) -> Result<bool, Error> {
        let (Some(out), Some(inn)) = (self.out.remove(node), self.inn.remove(node)) else {
            return Ok(false);
        };
        for target in &out {
            self.inn.get_mut(target).map(|row| row.remove(node));
        }
        for source in &inn {
            self.out.get_mut(source).map(|row| row.remove(node));
        }
        if self.home.contains_key(node) {
            let mut members = self.members(node);
            self.forget(&members);
            members.remove(node);
            self.analyze_again(&members)?;
        }
        Ok(true)
    }

    /// Whether the edge is in the graph.
    #[must_use]
    pub fn has_edge(&self, source: &N, target: &N) -> bool {
        self.out.get(source).is_some_and(|row| row.contains(target))
    }

    /// The topology as it stands. O(n).
    #[must_use]
    pub fn topology(&self) -> Topology<N> {
        let numbered = self.sccs.values().enumerate();
        let sccs: Vec<Scc<N>> = numbered
            .map(|(i, scc)| Scc {
                id: format!("scc-{i}"),
                ..scc.clone()
            })
            .collect();
        let max_kappa = sccs.iter().map(|scc| scc.kappa).max().unwrap_or(0);
        let dag = self.out.keys().filter(|node| !self.home.contains_key(node));
        Topology {
            scc_count: sccs.len(),
            sccs,
            dag_nodes: dag.cloned().collect(),
            routing: Routing::for_kappa(max_kappa),
            max_kappa,
        }
    }

    /// The graph as it stands. O(n log n + m log n).
    ///
    /// # Errors
    /// As [`crate::DigraphBuilder::build`].
    pub fn graph(&self) -> Result<Digraph<N>, Error> {
        self.induced(|_| true, self.out.keys())
    }

    fn same_component(&self, a: &N, b: &N) -> bool {
        self.home
            .get(a)
            .is_some_and(|home| self.home.get(b) == Some(home))
    }

    /// The members of a node's component; empty for a node on no cycle.
    fn members(&self, node: &N) -> BTreeSet<N> {
        let scc = self.home.get(node).and_then(|home| self.sccs.get(home));
        scc.map(|scc| scc.nodes.iter().cloned().collect())
            .unwrap_or_default()
    }

    fn induced<'a>(
        &'a self,
        inside: impl Fn(&N) -> bool,
        nodes: impl Iterator<Item = &'a N>,
    ) -> Result<Digraph<N>, Error> {
        let mut builder = Digraph::builder();
        for node in nodes {
            builder.node(node.clone());
            for target in self
                .out
                .get(node)
                .into_iter()
                .flatten()
                .filter(|t| inside(t))
            {
                builder.edge(node.clone(), target.clone());
            }
        }
        builder.build()
    }

    /// Replaces all components within `members`, a union of components and single nodes that
    /// no other component reaches into.
    fn analyze_again(&mut self, members: &BTreeSet<N>) -> Result<(), Error> {
        let graph = self.induced(|node| members.contains(node), members.iter())?;
        self.forget(members);
        for scc in analyze(&graph, &Options::default()).sccs {
            self.adopt(scc);
        }
        Ok(())
    }

    fn forget(&mut self, members: &BTreeSet<N>) {
        for node in members {
            self.home.remove(node);
            self.sccs.remove(node);
        }
    }

    fn adopt(&mut self, scc: Scc<N>) {
        if let Some(smallest) = scc.nodes.first().cloned() {
            for node in &scc.nodes {
                self.home.insert(node.clone(), smallest.clone());
            }
            self.sccs.insert(smallest, scc);
        }
    }
}

fn link<N: Ord + Clone>(rows: &mut Rows<N>, from: &N, to: &N) -> bool {
    rows.get_mut(from).is_some_and(|row| row.insert(to.clone()))
}

fn reach<N: Ord + Clone>(rows: &Rows<N>, start: &N) -> BTreeSet<N> {
    let mut met = BTreeSet::from([start.clone()]);
    let mut stack = vec![start];
    while let Some(node) = stack.pop() {
        for next in rows.get(node).into_iter().flatten() {
            if met.insert(next.clone()) {
                stack.push(next);
            }
        }
    }
    met
}
