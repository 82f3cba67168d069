//! Minimum cuts as edges and sides, and the enumeration of all distinct ones.
//!
//! All cuts of κ edges with a fixed root on the source side fall into classes by the first
//! node, in the order of the settling, that is beyond the cut. Within a class (settled set S
//! on one side, node v on the other) the cuts are the sets that are closed in the residual
//! graph of one maximum flow (Picard and Queyranne, "On the structure of all minimum cuts in a
//! network", 1980). They are enumerated by edge set: from the smallest closed set, either the
//! first cut edge is given up, or it stays and the second is given up, and so on; every branch
//! continues from the smallest closed set that obeys it. No edge set comes twice in a class,
//! and each costs O(κ m).

use std::collections::BTreeSet;

use crate::bridges;
use crate::flow::{Flow, Found};
use crate::graph::Csr;
use crate::reach::Bits;
use crate::settle::MinCut;
use crate::subgraph::Subgraph;

/// A side with fewer than one node in so many is small.
const SMALL_SIDE: usize = 64;

/// The edges of one cut, ascending.
pub(crate) type CutEdges = Vec<(u32, u32)>;

/// The edges of the cut that the rule at [`crate::analyze`] chooses.
pub(crate) fn canonical_edges(graph: &Subgraph<'_>, cut: &MinCut) -> CutEdges {
    if cut.side.is_empty()
        && let Some(edges) = cuts_around_nodes(graph, cut.kappa).next()
    {
        return edges;
    }
    edges_of_side(graph, &cut.side, cut.reversed)
}

/// The cuts of κ edges around single nodes, by node, in-edges before out-edges.
fn cuts_around_nodes<'a>(
    graph: &'a Subgraph<'_>,
    kappa: u32,
) -> impl Iterator<Item = CutEdges> + 'a {
    (0..graph.len() as u32).flat_map(move |v| {
        let entering = (graph.inn.degree(v) == kappa)
            .then(|| graph.inn.row(v).iter().map(|&u| (u, v)).collect());
        let leaving = (graph.out.degree(v) == kappa)
            .then(|| graph.out.row(v).iter().map(|&w| (v, w)).collect());
        entering.into_iter().chain(leaving)
    })
}

/// The edges that enter `side` (or leave it, if `leaving`), ascending.
pub(crate) fn edges_of_side(graph: &Subgraph<'_>, side: &[u32], leaving: bool) -> CutEdges {
    let mut inside = Bits::new(graph.len());
    for &v in side {
        inside.insert(v);
    }
    let rows = if leaving { &graph.out } else { &graph.inn };
    let mut edges = CutEdges::new();
    let mut add = |v: u32| {
        let across = rows.row(v).iter().filter(|&&w| !inside.has(w));
        edges.extend(across.map(|&w| if leaving { (v, w) } else { (w, v) }));
    };
    if side.len() < graph.len() / SMALL_SIDE {
        side.iter().for_each(|&v| add(v));
    } else {
        // The rows of many nodes are read in the order of memory.
        let all = 0..graph.len() as u32;
        all.filter(|&v| inside.has(v)).for_each(add);
    }
    edges.sort_unstable();
    edges
}

/// Up to `limit` distinct minimum cuts: the canonical one, those around single nodes, then all
/// others. With κ = 1 they are the strong bridges, ascending after the canonical one.
pub(crate) fn minimum_cuts(graph: &Subgraph<'_>, cut: &MinCut, limit: usize) -> Vec<CutEdges> {
    let mut found = Collector {
        seen: BTreeSet::new(),
        cuts: Vec::new(),
        limit,
    };
    found.add(canonical_edges(graph, cut));
    if cut.kappa == 1 {
        for bridge in bridges::strong_bridges(graph) {
            found.add(vec![bridge]);
        }
        return found.cuts;
    }
    for edges in cuts_around_nodes(graph, cut.kappa) {
        if !found.add(edges) {
            return found.cuts;
        }
    }
    // Below the least degree every cut hides a node without an in-neighbour among the settled
    // (see `settle`); at the least degree a cut may hide a single node.
    let try_all = cut.side.is_empty();
    for reversed in [false, true] {
        let (out, inn) = if reversed {
            (&*graph.inn, &*graph.out)
        } else {
            (&*graph.out, &*graph.inn)
        };
        Classes {
            out,
            inn,
            kappa: cut.kappa,
            try_all,
            reversed,
        }
        .run(&mut found);
    }
    found.cuts
}

struct Collector {
    seen: BTreeSet<CutEdges>,
    cuts: Vec<CutEdges>,
    limit: usize,
}

impl Collector {
    fn full(&self) -> bool {
        self.cuts.len() >= self.limit
    }

    /// Keeps a new cut; false once nothing more is wanted.
    fn add(&mut self, edges: CutEdges) -> bool {
        if !self.full() && self.seen.insert(edges.clone()) {
            self.cuts.push(edges);
        }
        !self.full()
    }
}

/// The classes of one direction.
struct Classes<'a> {
    out: &'a Csr,
    inn: &'a Csr,
    kappa: u32,
    /// Whether nodes with a settled in-neighbour must be tried too.
    try_all: bool,
    reversed: bool,
}

impl Classes<'_> {
    fn run(&self, found: &mut Collector) {
        let n = self.out.node_count() as u32;
        let mut flow = Flow::new(self.out, self.inn);
        self.settle(&mut flow, 0);
        for v in 1..n {
            if found.full() {
                return;
            }
            if flow.is_settled(v) || (flow.count(v) > 0 && !self.try_all) {
                continue;
            }
            if let Found::Only(_) = flow.push(v, self.kappa + 1, u64::MAX) {
                let settled: Vec<bool> = (0..n).map(|u| flow.is_settled(u)).collect();
                self.enumerate(&settled, v, found);
            }
            self.settle(&mut flow, v);
        }
    }

    /// Settles `v` and all that κ + 1 edges tie to the settled set.
    fn settle(&self, flow: &mut Flow<'_>, v: u32) {
        let mut absorbed = vec![v];
        while let Some(u) = absorbed.pop() {
            if !flow.is_settled(u) {
                flow.settle(u, |w, count| {
                    if count > self.kappa {
                        absorbed.push(w);
                    }
                });
            }
        }
    }

    /// All cuts of κ edges between the settled set and `v`.
    fn enumerate(&self, settled: &[bool], v: u32, found: &mut Collector) {
        let mut residual = Residual {
            out: self.out,
            inn: self.inn,
            carries: Vec::new(),
        };
        residual.push_all(settled, v);
        let sources = (0..settled.len() as u32)
            .filter(|&u| settled[u as usize])
            .collect();
        let mut first = vec![false; settled.len()];
        residual.close(&mut first, sources);
        let mut open: Vec<(Vec<bool>, BTreeSet<u32>)> = vec![(first, BTreeSet::from([v]))];
        while let Some((side, kept_out)) = open.pop() {
            let edges = self.leaving(&side);
            let mut named: CutEdges = edges.clone();
            if self.reversed {
                named = edges.iter().map(|&(s, t)| (t, s)).collect();
                named.sort_unstable();
            }
            if !found.add(named) {
                return;
            }
            let mut kept_out = kept_out;
            let mut branches = Vec::new();
            for &(_, head) in &edges {
                let mut larger = side.clone();
                residual.close(&mut larger, vec![head]);
                if kept_out.iter().all(|&u| !larger[u as usize]) {
                    branches.push((larger, kept_out.clone()));
                }
                kept_out.insert(head);
            }
            open.extend(branches.into_iter().rev());
        }
    }

    fn leaving(&self, side: &[bool]) -> CutEdges {
        let inside = (0..side.len() as u32).filter(|&s| side[s as usize]);
        let across = inside.flat_map(|s| {
            self.out
                .row(s)
                .iter()
                .filter(|&&t| !side[t as usize])
                .map(move |&t| (s, t))
        });
        across.collect()
    }
}

/// A maximum unit flow by plain breadth-first augmentation, and closure in its residual graph.
struct Residual<'a> {
    out: &'a Csr,
    inn: &'a Csr,
    /// Whether the edge at this position of `out` carries flow.
    carries: Vec<bool>,
}

impl Residual<'_> {
    fn push_all(&mut self, settled: &[bool], target: u32) {
        self.carries = vec![false; self.out.ends.len()];
        loop {
            let mut from = vec![None; settled.len()];
            let mut queue: Vec<u32> = (0..settled.len() as u32)
                .filter(|&u| settled[u as usize])
                .collect();
            let mut met = settled.to_vec();
            let mut head = 0;
            while head < queue.len() && !met[target as usize] {
                let v = queue[head];
                head += 1;
                self.each_residual(v, |w, edge| {
                    if !met[w as usize] {
                        met[w as usize] = true;
                        from[w as usize] = Some((v, edge));
                        queue.push(w);
                    }
                });
            }
            if !met[target as usize] {
                return;
            }
            let mut v = target;
            while let Some((u, edge)) = from[v as usize] {
                self.carries[edge] = !self.carries[edge];
                v = u;
            }
        }
    }

    /// Adds to `side` all that can be reached from `start` in the residual graph.
    fn close(&self, side: &mut [bool], start: Vec<u32>) {
        let mut stack = start;
        for &v in &stack {
            side[v as usize] = true;
        }
        while let Some(v) = stack.pop() {
            self.each_residual(v, |w, _| {
                if !side[w as usize] {
                    side[w as usize] = true;
                    stack.push(w);
                }
            });
        }
    }

    fn each_residual(&self, v: u32, mut visit: impl FnMut(u32, usize)) {
        for edge in self.out.range(v) {
            if !self.carries[edge] {
                visit(self.out.ends[edge], edge);
            }
        }
        for &u in self.inn.row(v) {
            if let Ok(offset) = self.out.row(u).binary_search(&v) {
                let edge = self.out.range(u).start + offset;
                if self.carries[edge] {
                    visit(u, edge);
                }
            }
        }
    }
}

/// The two sides of the cut with these edges, each ascending: source side, then target side.
///
/// One edge set may belong to several bipartitions. The one returned has the smaller of: what
/// the tails still reach without the edges, and what still reaches the heads; on equal sizes
/// the former.
pub(crate) fn sides(graph: &Subgraph<'_>, edges: &[(u32, u32)]) -> (Vec<u32>, Vec<u32>) {
    let tails = edges.iter().map(|e| e.0).collect();
    let heads = edges.iter().map(|e| e.1).collect();
    let removed = |s: u32, t: u32| edges.binary_search(&(s, t)).is_ok();
    let near = reach(&graph.out, tails, removed);
    let far = reach(&graph.inn, heads, |t, s| removed(s, t));
    let size = |side: &[bool]| side.iter().filter(|&&b| b).count();
    let source: Vec<bool> = if size(&near) <= size(&far) {
        near
    } else {
        far.iter().map(|b| !b).collect()
    };
    (0..graph.len() as u32).partition(|&v| source[v as usize])
}

fn reach(rows: &Csr, start: Vec<u32>, removed: impl Fn(u32, u32) -> bool) -> Vec<bool> {
    let mut met = vec![false; rows.node_count()];
    let mut stack = start;
    for &v in &stack {
        met[v as usize] = true;
    }
    while let Some(v) = stack.pop() {
        for &w in rows.row(v) {
            if !met[w as usize] && !removed(v, w) {
                met[w as usize] = true;
                stack.push(w);
            }
        }
    }
    met
}

/// The edges that lie in some minimum cut, ascending, at most `limit`: those whose end points
/// are joined by no more than κ edge-disjoint paths.
pub(crate) fn edges_in_minimum_cuts(graph: &Subgraph<'_>, limit: usize) -> CutEdges {
    let kappa = crate::settle::minimum_cut(graph).kappa;
    if kappa == 1 {
        let mut found = bridges::strong_bridges(graph);
        found.truncate(limit);
        return found;
    }
    let mut found = CutEdges::new();
    for s in 0..graph.len() as u32 {
        // One settled node: the flow starts at s alone.
        let mut flow = Flow::new(&graph.out, &graph.inn);
        flow.settle(s, |_, _| {});
        for &t in graph.out.row(s) {
            if found.len() >= limit {
                return found;
            }
            if let Found::Only(_) = flow.push(t, kappa + 1, u64::MAX) {
                found.push((s, t));
            }
        }
    }
    found
}
