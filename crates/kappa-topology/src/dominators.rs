//! Dominators of a flow graph and the strong bridges that they give, in near-linear time.
//!
//! Dominators by the semi-NCA method (Georgiadis, Tarjan, Werneck, "Finding dominators in
//! practice", 2006). Strong bridges by Italiano, Laura, Santaroni, "Finding strong bridges and
//! strong articulation points in linear time" (2012): an edge is a strong bridge of a strongly
//! connected graph exactly if it is a bridge of the flow graph from some fixed root, or its
//! reverse is one of the reversed graph from the same root. An edge (u, v) is a bridge of a
//! flow graph exactly if u is the immediate dominator of v and v dominates the source of every
//! other edge into v.

use crate::graph::Csr;
use crate::subgraph::Subgraph;

/// All strong bridges of a strongly connected graph, ascending. O(m log n), in practice linear.
pub(crate) fn strong_bridges(graph: &Subgraph<'_>) -> Vec<(u32, u32)> {
    let mut bridges = flow_bridges(&graph.out, &graph.inn, 0);
    bridges.extend(
        flow_bridges(&graph.inn, &graph.out, 0)
            .into_iter()
            .map(|(t, s)| (s, t)),
    );
    bridges.sort_unstable();
    bridges.dedup();
    bridges
}

/// A flow graph from a root that reaches every node, with its dominator tree. Nodes are named
/// by their preorder number.
struct FlowGraph<'a> {
    inn: &'a Csr,
    search: DepthFirst,
    idom: Vec<u32>,
    tree: Intervals,
}

impl<'a> FlowGraph<'a> {
    fn new(out: &Csr, inn: &'a Csr, root: u32) -> Self {
        let search = DepthFirst::run(out, root);
        let idom = immediate_dominators(inn, &search);
        let tree = Intervals::of(&idom);
        Self {
            inn,
            search,
            idom,
            tree,
        }
    }

    /// The numbers whose edge from their immediate dominator is a bridge.
    fn bridge_heads(&self) -> impl Iterator<Item = u32> + '_ {
        (1..self.idom.len() as u32).filter(|&number| {
            let dominator = self.idom[number as usize];
            let mut direct = false;
            let row = self.inn.row(self.search.order[number as usize]);
            let others_beyond = row.iter().all(|&u| {
                let u = self.search.number[u as usize];
                direct |= u == dominator;
                u == dominator || self.tree.dominates(number, u)
            });
            direct && others_beyond
        })
    }
}

fn flow_bridges(out: &Csr, inn: &Csr, root: u32) -> Vec<(u32, u32)> {
    let graph = FlowGraph::new(out, inn, root);
    let name = |number: u32| graph.search.order[number as usize];
    graph
        .bridge_heads()
        .map(|w| (name(graph.idom[w as usize]), name(w)))
        .collect()
}

/// The nodes beyond some bridge of the flow graph from `root`, if it has one.
pub(crate) fn beyond_a_bridge(out: &Csr, inn: &Csr, root: u32) -> Option<Vec<u32>> {
    let graph = FlowGraph::new(out, inn, root);
    let head = graph.bridge_heads().next()?;
    let numbers = 0..graph.idom.len() as u32;
    let beyond = numbers.filter(|&w| graph.tree.dominates(head, w));
    Some(beyond.map(|w| graph.search.order[w as usize]).collect())
}

/// A depth-first search: nodes by preorder number, numbers by node, parents by number.
struct DepthFirst {
    order: Vec<u32>,
    number: Vec<u32>,
    parent: Vec<u32>,
}

const UNMET: u32 = u32::MAX;

impl DepthFirst {
    fn run(out: &Csr, root: u32) -> Self {
        let n = out.node_count();
        let mut search = Self {
            order: Vec::with_capacity(n),
            number: vec![UNMET; n],
            parent: Vec::with_capacity(n),
        };
        let mut next_edge = out.starts.clone();
        let mut path = vec![root];
        search.meet(root, 0);
        while let Some(&v) = path.last() {
            let edge = next_edge[v as usize];
            if edge == out.starts[v as usize + 1] {
                path.pop();
                continue;
            }
            next_edge[v as usize] += 1;
            let w = out.ends[edge as usize];
            if search.number[w as usize] == UNMET {
                search.meet(w, search.number[v as usize]);
                path.push(w);
            }
        }
        search
    }

    fn meet(&mut self, v: u32, parent: u32) {
        self.number[v as usize] = self.order.len() as u32;
        self.order.push(v);
        self.parent.push(parent);
    }
}

/// The immediate dominator of each preorder number; the root's is itself.
fn immediate_dominators(inn: &Csr, search: &DepthFirst) -> Vec<u32> {
    let n = search.order.len();
    let mut idom = search.parent.clone();
    let mut forest = Forest {
        ancestor: search.parent.clone(),
        label: (0..n as u32).collect(),
    };
    let mut semi: Vec<u32> = (0..n as u32).collect();
    let mut path = Vec::new();
    for w in (1..n as u32).rev() {
        let mut least = w;
        for &u in inn.row(search.order[w as usize]) {
            let u = search.number[u as usize];
            if u != UNMET {
                least = least.min(forest.eval(u, w, &mut path));
            }
        }
        semi[w as usize] = least;
        // From now on w is linked: its label speaks for it.
        forest.label[w as usize] = least;
    }
    for w in 1..n {
        let mut d = idom[w];
        while d > semi[w] {
            d = idom[d as usize];
        }
        idom[w] = d;
    }
    idom
}

/// The part of the depth-first tree that is linked so far: all numbers above the current one.
struct Forest {
    ancestor: Vec<u32>,
    /// The least semidominator on the compressed path up from a number.
    label: Vec<u32>,
}

impl Forest {
    /// The least label on the linked path from `v` upwards; `current` and what is below are
    /// not linked yet. Compresses the path.
    fn eval(&mut self, v: u32, current: u32, path: &mut Vec<u32>) -> u32 {
        if v <= current {
            return v;
        }
        let mut top = v;
        path.clear();
        while self.ancestor[top as usize] > current {
            path.push(top);
            top = self.ancestor[top as usize];
        }
        let mut least = self.label[top as usize];
        let root = self.ancestor[top as usize];
        while let Some(u) = path.pop() {
            least = least.min(self.label[u as usize]);
            self.label[u as usize] = least;
            self.ancestor[u as usize] = root;
        }
        least
    }
}

/// The dominator tree as preorder intervals: v dominates w if w's place lies in v's interval.
struct Intervals {
    place: Vec<u32>,
    size: Vec<u32>,
}

impl Intervals {
    fn of(idom: &[u32]) -> Self {
        let n = idom.len();
        let mut size = vec![1u32; n];
        for w in (1..n).rev() {
            size[idom[w] as usize] += size[w];
        }
        // A number is larger than its dominator's, so parents have their place first.
        let mut place = vec![0u32; n];
        let mut free = vec![1u32; n];
        for w in 1..n {
            let d = idom[w] as usize;
            place[w] = place[d] + free[d];
            free[d] += size[w];
        }
        Self { place, size }
    }

    fn dominates(&self, v: u32, w: u32) -> bool {
        let (v, w) = (v as usize, w as usize);
        self.place[w] >= self.place[v] && self.place[w] - self.place[v] < self.size[v]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Digraph, scc};
    use std::borrow::Cow;

    /// An edge is a strong bridge if its removal ends strong connectivity: by definition.
    fn plain_bridges(graph: &Digraph<u32>) -> Vec<(u32, u32)> {
        let edges: Vec<(u32, u32)> = graph.edges().map(|(&s, &t)| (s, t)).collect();
        let stays = |removed: &(u32, u32)| {
            let rest = edges.iter().copied().filter(|e| e != removed);
            let rest = Digraph::from_edges(rest).unwrap();
            let loops = scc::components(&rest.out).loops;
            loops.len() == 1 && loops[0].len() == graph.node_count()
        };
        edges.iter().copied().filter(|e| !stays(e)).collect()
    }

    #[test]
    fn strong_bridges_are_the_edges_whose_removal_disconnects() {
        let mut seed = 9u64;
        let mut random = move |n: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) % n
        };
        for _ in 0..300 {
            let n = 2 + random(14);
            let mut edges: Vec<(u32, u32)> =
                (0..n).map(|v| (v as u32, ((v + 1) % n) as u32)).collect();
            for _ in 0..random(2 * n + 1) {
                edges.push((random(n) as u32, random(n) as u32));
            }
            let graph = Digraph::from_edges(edges).unwrap();
            let whole = Subgraph {
                out: Cow::Borrowed(&graph.out),
                inn: Cow::Borrowed(&graph.inn),
            };
            assert_eq!(strong_bridges(&whole), plain_bridges(&graph));
        }
    }
}
