//! Paths from the settled set to a node that can be counted without a flow network.
//!
//! One backward breadth-first tree is grown from the target. The subtrees of its in-edges, the
//! *branches*, share no node, so paths in different branches share no edge. A branch ends where
//! it meets a node with an edge from the settled set, and stops growing; once enough branches
//! have ended, the target is settled after a single search.
//!
//! While the settled set S is small, branches would grow long before they meet an edge from it.
//! So a *forest* is kept: a forward breadth-first tree from an out-neighbour of S (its top) to
//! nodes near it. A branch may end at any node of a tree, and goes on along the tree to its top.
//!
//! **Invariant.** Every edge that a branch uses in a tree, the edge from S to the top or to
//! another node of the tree with it, has its head in that tree. A tree serves one branch of a
//! search, trees share no node, and a branch grows through nodes outside of all trees only. So
//! the paths still share no edge, with one exception: the target itself may be in a tree. A path
//! through the tree and the target could use an in-edge of the target, either from its parent,
//! which is in the same tree and therefore no other branch's end, or from S; so if S has edges to
//! the target, its tree serves no branch. A node of a tree that settles later leaves a path that
//! still starts in S.

use crate::flow::{Flow, Met, SETTLED};

/// Branching out ends once this many times the edges up to the last hit were read in vain.
const PATIENCE: u64 = 16;

/// With a forest, it may read this many edges more for each node that the last trees could have.
const SLACK: u64 = 16;

/// In `growing`: the branch has ended.
const ENDED: u32 = u32::MAX;

/// The branches of the present search, and the trees that serve them.
#[derive(Debug, Default)]
pub(crate) struct Branches {
    /// By branch: how many of its nodes have not been extended, or [`ENDED`].
    growing: Vec<u32>,
    /// How many branches are growing or have ended.
    hopeful: u32,
    /// Where in the queue a branch ended at an edge from the settled set itself.
    pub(crate) ends: Vec<u32>,
    /// By node: its tree (the top's number and one), or 0. Empty if there is no forest.
    tree: Vec<u32>,
    /// By top: the last search that its tree served.
    served: Vec<u32>,
    /// What may be read in vain besides, because a flow instead would read more.
    slack: u64,
    queue: Vec<u32>,
}

impl Branches {
    /// Gives the forest up: once S is dense, looking for trees costs more than they save.
    pub(crate) fn fell(&mut self) {
        self.tree.clear();
        self.slack = 0;
    }

    fn tree(&self, v: u32) -> u32 {
        self.tree.get(v as usize).copied().unwrap_or(0)
    }
}

impl Flow<'_> {
    /// Grows trees from the unsettled out-neighbours of `v`, which is settled, to about `size`
    /// nodes that no tree has yet.
    pub(crate) fn grow_forest(&mut self, v: u32, size: usize) {
        let out = self.out;
        let branches = &mut self.branches;
        branches.slack = SLACK * size as u64;
        branches.served.resize(out.node_count(), 0);
        branches.tree.resize(out.node_count(), 0);
        branches.queue.clear();
        for &top in out.row(v) {
            if self.nodes[top as usize].spare != SETTLED && branches.tree[top as usize] == 0 {
                branches.tree[top as usize] = top + 1;
                branches.queue.push(top);
            }
        }
        let mut head = 0;
        while let Some(&u) = branches.queue.get(head)
            && branches.queue.len() < size
        {
            head += 1;
            let tree = branches.tree[u as usize];
            for &w in out.row(u) {
                // A node with an edge from S ends a branch by itself.
                if self.nodes[w as usize].spare == 0 && branches.tree[w as usize] == 0 {
                    branches.tree[w as usize] = tree;
                    branches.queue.push(w);
                }
            }
        }
    }

    /// Whether branches alone, with the edges from the settled set to the target, are `wanted`
    /// edge-disjoint paths; reads at most about `budget` edges.
    pub(crate) fn branch_out(
        &mut self,
        target: u32,
        wanted: u32,
        spent: &mut u64,
        budget: u64,
    ) -> bool {
        let stamp = self.next_stamp();
        self.start(target, stamp);
        let needed = wanted.saturating_sub(self.count(target));
        let mut missing = needed;
        let tree = self.branches.tree(target);
        if tree != 0 && self.count(target) > 0 {
            self.branches.served[tree as usize - 1] = stamp;
        }
        let degree = self.inn.degree(target) as usize;
        self.branches.ends.clear();
        self.branches.growing.clear();
        self.branches.growing.resize(degree + 1, 0);
        self.branches.growing[0] = 1;
        self.branches.hopeful = 1;
        let mut last_hit = u64::MAX / (2 * PATIENCE);
        let mut head = 0;
        while let Some(&met) = self.queue.get(head)
            && missing > 0
            && *spent <= budget
            && *spent <= last_hit * (1 + PATIENCE) + self.branches.slack
        {
            if self.branches.growing[met.branch as usize] != ENDED {
                *spent += u64::from(self.inn.degree(met.node));
                let hits = self.extend(met, head as u32, missing, stamp);
                if hits > 0 {
                    last_hit = *spent;
                    missing -= hits;
                }
                if self.branches.hopeful < needed {
                    break;
                }
            }
            head += 1;
        }
        missing == 0
    }

    /// Grows the branch of `met`, which is at `place` in the queue, by its in-neighbours (the
    /// target: begins a branch with each); how many branches ended, `missing` at most.
    fn extend(&mut self, met: Met, place: u32, missing: u32, stamp: u32) -> u32 {
        let branches = &mut self.branches;
        let row = self.inn.range(met.node);
        let first = row.start;
        let mut hits = 0;
        for (offset, &u) in self.inn.ends[row].iter().enumerate() {
            let state = &mut self.nodes[u as usize];
            // A settled u gives nothing here: its edges to the target have been counted, and
            // no other node that is extended has any.
            if state.spare == SETTLED || state.seen == stamp {
                continue;
            }
            let tree = branches.tree(u);
            if tree != 0 {
                let served = &mut branches.served[tree as usize - 1];
                if *served == stamp {
                    continue;
                }
                *served = stamp;
            }
            let hit = state.spare > 0 || tree != 0;
            state.seen = stamp;
            let branch = if place == 0 {
                branches.hopeful += 1;
                offset as u32 + 1
            } else {
                met.branch
            };
            if hit {
                branches.growing[branch as usize] = ENDED;
                if state.spare > 0 {
                    branches.ends.push(self.queue.len() as u32);
                }
                hits += 1;
            } else {
                branches.growing[branch as usize] += 1;
            }
            self.queue.push(Met {
                node: u,
                towards: place,
                step: (first + offset) as u32,
                branch,
            });
            if hit && (place > 0 || hits == missing) {
                return hits;
            }
        }
        let growing = &mut branches.growing[met.branch as usize];
        *growing -= 1;
        if *growing == 0 {
            branches.hopeful -= 1;
        }
        hits
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use crate::Digraph;
    use crate::flow::{Flow, Found};
    use crate::settle::scattering_stride;

    /// The most edge-disjoint paths from the settled nodes to `target`, by plain augmentation.
    fn plain_flow(graph: &Digraph<u32>, settled: &[bool], target: u32) -> u32 {
        let n = settled.len();
        let mut room = vec![vec![false; n]; n];
        let mut all: Vec<(usize, usize)> = Vec::new();
        for (&s, &t) in graph.edges() {
            room[s as usize][t as usize] = true;
            all.push((s as usize, t as usize));
        }
        let both: Vec<_> = all.iter().flat_map(|&(s, t)| [(s, t), (t, s)]).collect();
        let mut units = 0;
        loop {
            let mut from = vec![usize::MAX; n];
            let mut queue: VecDeque<usize> = (0..n).filter(|&v| settled[v]).collect();
            while let Some(v) = queue.pop_front() {
                for &(s, t) in both.iter().filter(|e| e.0 == v) {
                    if room[s][t] && !settled[t] && from[t] == usize::MAX {
                        from[t] = s;
                        queue.push_back(t);
                    }
                }
            }
            if from[target as usize] == usize::MAX {
                return units;
            }
            let mut v = target as usize;
            while !settled[v] {
                let u = from[v];
                room[u][v] = false;
                room[v][u] = true;
                v = u;
            }
            units += 1;
        }
    }

    #[test]
    fn what_branches_count_a_flow_confirms() {
        let mut seed = 5u64;
        let mut random = move |n: u32| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            ((seed >> 33) % u64::from(n)) as u32
        };
        let mut counted = 0;
        for round in 0..60 {
            let n = 6 + random(40);
            let d = 2 + random(4);
            let mut edges: Vec<(u32, u32)> = (0..n).map(|v| (v, (v + 1) % n)).collect();
            for v in 0..n {
                edges.extend((1..d).map(|_| (v, random(n))));
            }
            // One of each two-way pair, so that room back means flow.
            let mut graph = Digraph::from_edges(edges).unwrap();
            let one_way: Vec<(u32, u32)> = graph
                .edges()
                .map(|(&s, &t)| (s, t))
                .filter(|&(s, t)| s < t || !graph.has_edge(&t, &s))
                .collect();
            graph = Digraph::from_edges(one_way).unwrap();
            let n = graph.node_count() as u32;
            let mut flow = Flow::new(&graph.out, &graph.inn);
            let mut settled = vec![false; n as usize];
            let stride = scattering_stride(u64::from(n)) as u32;
            for i in 0..n / 2 {
                let v = (i * stride) % n;
                for target in (0..n).filter(|&t| !settled[t as usize]) {
                    let truth = plain_flow(&graph, &settled, target);
                    let wanted = 1 + random(4);
                    let (mut spent, budget) = (0, u64::MAX);
                    if flow.branch_out(target, wanted, &mut spent, budget) {
                        assert!(truth >= wanted, "round {round}: {target} has {truth} only");
                        counted += 1;
                    }
                    let found = flow.push(target, wanted, budget);
                    let right = if truth >= wanted {
                        Found::Enough
                    } else {
                        Found::Only(truth)
                    };
                    assert_eq!(found, right, "round {round}, target {target}");
                }
                settled[v as usize] = true;
                flow.settle(v, |_, _| {});
                flow.grow_forest(v, 1 + random(n) as usize);
            }
        }
        assert!(counted > 2_000, "branches decided {counted} tries only");
    }
}
