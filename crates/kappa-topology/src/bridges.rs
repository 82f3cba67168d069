//! Bridges of a flow graph and the strong bridges that they give, in near-linear time.
//!
//! An edge is a strong bridge of a strongly connected graph exactly if it is a bridge of the flow
//! graph from some fixed root, or its reverse is one of the reversed graph from the same root
//! (Italiano, Laura, Santaroni, "Finding strong bridges and strong articulation points in linear
//! time", 2012).
//!
//! A bridge of a flow graph is an edge (p, v) of its depth-first tree. Put a node e in the middle
//! of it: the edge is a bridge exactly if e is the immediate dominator of v. As e is the parent of
//! v, that is so exactly if e is the *semidominator* of v (Lengauer and Tarjan, 1979). So one pass
//! of semidominators suffices, over the graph as it is: no node is put in, no dominator tree is
//! built, and an edge counts as a bridge if no in-edge of v but the tree's leads, by way of
//! descendants of v, from a node numbered below v. The paths are compressed as in Georgiadis,
//! Tarjan, Werneck, "Finding dominators in practice" (2006).

use crate::graph::Csr;
use crate::subgraph::Subgraph;

/// All strong bridges of a strongly connected graph, ascending. O(m log n), in practice linear.
pub(crate) fn strong_bridges(graph: &Subgraph<'_>) -> Vec<(u32, u32)> {
    // A node is the head of at most one bridge from the root, and the tail of one towards it.
    let before = FlowBridges::find(&graph.out, &graph.inn, 0).partners(graph.len());
    let after = FlowBridges::find(&graph.inn, &graph.out, 0).partners(graph.len());
    let mut bridges = Vec::new();
    for s in 0..graph.len() as u32 {
        let row = graph.out.row(s).iter().copied();
        let of_s = row.filter(|&t| after[s as usize] == t || before[t as usize] == s);
        bridges.extend(of_s.map(|t| (s, t)));
    }
    bridges
}

/// The nodes beyond some bridge of the flow graph from `root`, if it has one.
pub(crate) fn beyond_a_bridge(out: &Csr, inn: &Csr, root: u32) -> Option<Vec<u32>> {
    let (tail, head) = FlowBridges::find(out, inn, root).edges().last()?;
    let mut met = vec![false; out.node_count()];
    met[root as usize] = true;
    let mut stack = vec![root];
    while let Some(v) = stack.pop() {
        for &w in out.row(v) {
            if !met[w as usize] && (v, w) != (tail, head) {
                met[w as usize] = true;
                stack.push(w);
            }
        }
    }
    let nodes = 0..out.node_count() as u32;
    Some(nodes.filter(|&v| !met[v as usize]).collect())
}

/// The bridges of the flow graph from a root that reaches every node.
struct FlowBridges {
    search: DepthFirst,
    /// The preorder numbers of the bridges' heads, descending; their tails are the parents.
    heads: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl FlowBridges {
    fn find(out: &Csr, inn: &Csr, root: u32) -> Self {
        let search = DepthFirst::run(out, root);
        let mut forest = Forest::new(&search.parent);
        let mut path = Vec::new();
        let mut heads = Vec::new();
        for w in (1..search.order.len() as u32).rev() {
            let parent = search.parent[w as usize];
            let mut least = w;
            for &u in inn.row(search.order[w as usize]) {
                let u = search.number[u as usize];
                if u != parent && u != NONE {
                    least = least.min(forest.least_above(u, w, &mut path));
                }
            }
            if least == w {
                heads.push(w);
            }
            // From now on w is linked: its label speaks for it.
            forest.links[w as usize].label = least;
        }
        Self { search, heads }
    }

    /// The bridges as edges between nodes.
    fn edges(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let name = |number: u32| self.search.order[number as usize];
        let heads = self.heads.iter();
        heads.map(move |&w| (name(self.search.parent[w as usize]), name(w)))
    }

    /// By node: the tail of the bridge whose head it is, or none.
    fn partners(&self, n: usize) -> Vec<u32> {
        let mut tails = vec![NONE; n];
        for (tail, head) in self.edges() {
            tails[head as usize] = tail;
        }
        tails
    }
}

/// A depth-first search: nodes by preorder number, numbers by node, parents by number.
struct DepthFirst {
    order: Vec<u32>,
    number: Vec<u32>,
    parent: Vec<u32>,
}

/// A node on the path of the search: its number, and its edges not looked at yet.
struct Frame {
    number: u32,
    edge: u32,
    end: u32,
}

impl DepthFirst {
    fn run(out: &Csr, root: u32) -> Self {
        let n = out.node_count();
        let mut search = Self {
            order: Vec::with_capacity(n),
            number: vec![NONE; n],
            parent: Vec::with_capacity(n),
        };
        let mut path = vec![search.meet(out, root, 0)];
        while let Some(frame) = path.last_mut() {
            if frame.edge == frame.end {
                path.pop();
                continue;
            }
            let w = out.ends[frame.edge as usize];
            frame.edge += 1;
            if search.number[w as usize] == NONE {
                let parent = frame.number;
                path.push(search.meet(out, w, parent));
            }
        }
        search
    }

    fn meet(&mut self, out: &Csr, v: u32, parent: u32) -> Frame {
        let number = self.order.len() as u32;
        self.number[v as usize] = number;
        self.order.push(v);
        self.parent.push(parent);
        let row = out.range(v);
        Frame {
            number,
            edge: row.start as u32,
            end: row.end as u32,
        }
    }
}

/// The part of the depth-first tree that is linked so far: all numbers above the current one.
struct Forest {
    links: Vec<Link>,
}

#[derive(Clone, Copy)]
struct Link {
    ancestor: u32,
    /// The least semidominator on the compressed path up from a number.
    label: u32,
}

impl Forest {
    fn new(parent: &[u32]) -> Self {
        let numbers = 0..parent.len() as u32;
        let links = numbers
            .zip(parent)
            .map(|(label, &ancestor)| Link { ancestor, label });
        Self {
            links: links.collect(),
        }
    }

    /// The least semidominator on the linked path from `v` upwards, middles of tree edges
    /// included, or `v` if it is not linked yet: `current` or less. Compresses the path.
    fn least_above(&mut self, v: u32, current: u32, path: &mut Vec<u32>) -> u32 {
        if v <= current {
            return v;
        }
        let mut top = v;
        path.clear();
        while self.links[top as usize].ancestor > current {
            path.push(top);
            top = self.links[top as usize].ancestor;
        }
        let Link {
            ancestor: root,
            label: mut least,
        } = self.links[top as usize];
        while let Some(u) = path.pop() {
            let link = &mut self.links[u as usize];
            least = least.min(link.label);
            *link = Link {
                ancestor: root,
                label: least,
            };
        }
        // The middle of the tree edge below `root` has `root` for its semidominator.
        least.min(root)
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
            let loops = scc::components(&rest.out, &rest.inn).loops;
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
