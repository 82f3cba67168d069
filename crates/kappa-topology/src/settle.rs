//! Exact edge connectivity by settling: the value κ of a strongly connected simple digraph.
//!
//! Fix a root. Every cut has the root on its source side or on its target side; the second
//! kind is the first kind of the reversed graph, so two passes see every cut.
//!
//! A pass grows a set S of settled nodes from the root, under a bound k that starts at the
//! least degree and only falls.
//!
//! **Invariant.** Every cut of fewer than k edges with the root on its source side has all of
//! S on its source side.
//!
//! Three steps keep it:
//! - *Absorb.* A node with k edges from S cannot be beyond such a cut: it joins S.
//! - *Try.* k edge-disjoint paths from S (taken as one node) to v say the same of v. Fewer
//!   paths, say f, are a cut of f edges: it is kept, k falls to f, and v joins S.
//! - *Stop.* When every unsettled node has an in-neighbour in S, no cut is left to find. For a
//!   cut of c < k ≤ δ edges whose target side is B has |B| > δ (with |B| ≤ δ, each node of B
//!   has at least δ − |B| + 1 in-edges from outside, |B| (δ − |B| + 1) ≥ δ together). At most c
//!   nodes of B are heads of cut edges, so B has a node whose in-neighbours are all in B. That
//!   node is unsettled and has no in-neighbour in S. (The idea of a dominating set goes back to
//!   Matula, "Determining edge connectivity in O(nm)", 1987.)
//!
//! So only *hidden* nodes, those without an in-neighbour in S, are tried. If absorbing hides few,
//! they are tried wherever they are, and the rest of the absorbing is spared. Otherwise they are
//! taken near S first, with a small budget each and as long as that succeeds, which suits grids
//! and bands. What is left is taken in a scattered order without a budget: with s scattered
//! settled nodes a backward search meets one, or a tree of the forest (see `branches`), after
//! about n/s nodes whatever the graph looks like. If k is 2 by then, one pass over the graph tells
//! whether a cut of one edge is left (see `bridges`).
//!
//! **Second pass.** The first pass shows that k edges or more enter every set B without the root.
//! As many edges leave B as enter it, less the sum over B of in-degree − out-degree. So if fewer
//! than k leave B, it has a node with more in-edges than out-edges, a *suspect*. If there are few
//! suspects, settling them all is the second pass; in a graph where every edge has its reverse,
//! or every node as many in-edges as out-edges, there is none.

use crate::absorb;
use crate::bridges;
use crate::flow::{Flow, Found};
use crate::graph::Csr;
use crate::progress::REPORT_EVERY;
use crate::subgraph::Subgraph;

/// A minimum cut of a component.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MinCut {
    pub(crate) kappa: u32,
    /// The target side of the cut found, or, if `reversed`, its source side; empty if the cut
    /// around a node of least degree is minimum.
    pub(crate) side: Vec<u32>,
    pub(crate) reversed: bool,
}

/// The edge connectivity of a strongly connected graph of at least two nodes.
pub(crate) fn minimum_cut(graph: &Subgraph<'_>) -> MinCut {
    minimum_cut_with(graph, &mut |_| ())
}

/// The same, reporting now and then how many nodes are settled, both passes together.
pub(crate) fn minimum_cut_with(graph: &Subgraph<'_>, report: &mut dyn FnMut(usize)) -> MinCut {
    settle_all(graph, report, LEAST_CROWD)
}

/// The same, absorbing at once where more than `crowd` nodes, and enough of all, wait.
fn settle_all(graph: &Subgraph<'_>, report: &mut dyn FnMut(usize), crowd: usize) -> MinCut {
    let n = graph.len() as u32;
    let least = |rows: &Csr| (0..n).map(|v| rows.degree(v)).min().unwrap_or(0);
    let kappa = least(&graph.out).min(least(&graph.inn));
    let mut cut = MinCut {
        kappa,
        side: Vec::new(),
        reversed: false,
    };
    let root = (0..n)
        .max_by_key(|&v| {
            (
                graph.out.degree(v).min(graph.inn.degree(v)),
                std::cmp::Reverse(v),
            )
        })
        .unwrap_or(0);
    for reversed in [false, true] {
        let (out, inn) = if reversed {
            (&graph.inn, &graph.out)
        } else {
            (&graph.out, &graph.inn)
        };
        // A strongly connected graph has no cut of zero edges.
        if cut.kappa <= 1 {
            break;
        }
        let before = if reversed { graph.len() } else { 0 };
        let mut shifted = |settled| report(before + settled);
        let mut pass = Pass::new(out, inn, root, cut.kappa, &mut shifted);
        pass.crowd = pass.crowd.max(crowd);
        if reversed {
            pass.run_second();
        } else {
            pass.run();
        }
        if pass.bound < cut.kappa {
            cut = MinCut {
                kappa: pass.bound,
                side: pass.side,
                reversed,
            };
        }
    }
    cut
}

/// How many edges a try near the settled set may read at first for each path that it needs.
const BUDGET_PER_PATH: u64 = 16;

/// Tries near the settled set end when failed ones have read more than this part of all edges,
/// and more than twice what the successful ones have.
const PATIENCE: u64 = 16;

/// Pass two tries suspects only if they are at most one in so many nodes.
pub(crate) const FEW_SUSPECTS: u32 = 8;

/// The root's part of the forest is one in so many nodes, that of the i-th node tried
/// thereafter one in i times as many.
const FOREST_SHARE: usize = 32;

/// One in so many nodes is tried in scattered order; then S is everywhere, and the others follow
/// in the order of memory.
const SCATTERED_SHARE: u64 = 16;

/// So many nodes waiting, and one in so many of all, are absorbed at once.
const LEAST_CROWD: usize = 512;
const CROWD_SHARE: usize = 32;

/// A try is taken to cost as much as absorbing so many edges for each path.
const TRY_COST: usize = 8;

/// What the tries near S may read, and what they have read.
struct Purse {
    per_path: u64,
    useful: u64,
    wasted: u64,
}

impl Purse {
    fn new() -> Self {
        Self {
            per_path: BUDGET_PER_PATH,
            useful: 0,
            wasted: 0,
        }
    }
}

struct Pass<'a> {
    report: &'a mut dyn FnMut(usize),
    tries: u32,
    settled: usize,
    flow: Flow<'a>,
    out: &'a Csr,
    inn: &'a Csr,
    root: u32,
    /// k of the invariant.
    bound: u32,
    /// The target side of the last cut that lowered the bound.
    side: Vec<u32>,
    /// Nodes to settle, in the order in which they got k edges from S; those before
    /// `next_absorbed` are settled.
    absorbed: Vec<u32>,
    next_absorbed: usize,
    /// Nodes with an in-neighbour in S, in the order in which they got it.
    fringe: Vec<u32>,
    /// How many unsettled nodes have no in-neighbour in S.
    hidden: usize,
    /// How many out-edges unsettled nodes have.
    unread: usize,
    /// If more nodes than this wait to be absorbed, all are absorbed at once.
    crowd: usize,
    /// Whether absorbing ends once trying the hidden nodes costs less.
    sparing: bool,
    /// Nodes whose try near S ran out of budget.
    given_up: Vec<bool>,
}

impl<'a> Pass<'a> {
    fn new(
        out: &'a Csr,
        inn: &'a Csr,
        root: u32,
        bound: u32,
        report: &'a mut dyn FnMut(usize),
    ) -> Self {
        Self {
            report,
            tries: 0,
            settled: 0,
            flow: Flow::new(out, inn),
            out,
            inn,
            root,
            bound,
            side: Vec::new(),
            absorbed: Vec::new(),
            next_absorbed: 0,
            fringe: Vec::new(),
            hidden: out.node_count(),
            unread: out.ends.len(),
            crowd: out.node_count() / CROWD_SHARE,
            sparing: true,
            given_up: vec![false; out.node_count()],
        }
    }

    fn run(&mut self) {
        self.settle(self.root);
        self.try_hidden();
        self.try_near();
        self.try_scattered((0..self.out.node_count() as u32).collect(), false);
    }

    fn is_done(&self) -> bool {
        self.hidden == 0 || self.bound <= 1
    }

    /// The pass over the reversed graph, once the other one has shown that as many edges as the
    /// bound lead into every set without the root.
    fn run_second(&mut self) {
        let n = self.out.node_count() as u32;
        let is_suspect = |&v: &u32| self.out.degree(v) > self.inn.degree(v);
        let suspects: Vec<u32> = (0..n).filter(is_suspect).collect();
        if suspects.len() as u32 > n / FEW_SUSPECTS {
            return self.run();
        }
        self.settle(self.root);
        self.try_scattered(suspects, true);
    }

    /// If absorbing was cut short: tries the hidden nodes wherever they are, and absorbs the rest
    /// after all if that was not enough.
    fn try_hidden(&mut self) {
        let mut purse = Purse::new();
        if self.next_absorbed < self.absorbed.len() {
            for v in 0..self.out.node_count() as u32 {
                if self.is_done() || self.is_wasteful(&purse) {
                    break;
                }
                self.try_within(v, &mut purse);
            }
        }
        self.sparing = false;
        self.absorb();
    }

    /// Tries the nodes two steps away from S, with a budget that doubles as long as little was
    /// wasted.
    fn try_near(&mut self) {
        let mut purse = Purse::new();
        let mut hard = Vec::new();
        let mut head = 0;
        loop {
            while head < self.fringe.len() {
                let near = self.fringe[head];
                head += 1;
                if self.is_done() {
                    return;
                }
                let mut edge = self.out.range(near);
                while !self.flow.is_settled(near)
                    && let Some(e) = edge.next()
                {
                    let v = self.out.ends[e];
                    if !self.given_up[v as usize] && !self.try_within(v, &mut purse) {
                        self.given_up[v as usize] = true;
                        hard.push(v);
                    }
                    if self.is_done() || self.is_wasteful(&purse) {
                        return;
                    }
                }
            }
            if hard.is_empty() {
                return;
            }
            purse.per_path *= 2;
            for v in std::mem::take(&mut hard) {
                if !self.try_within(v, &mut purse) {
                    hard.push(v);
                }
                if self.is_done() || self.is_wasteful(&purse) {
                    return;
                }
            }
        }
    }

    /// Tries `v` if it has no in-neighbour in S; false if the budget ran out.
    fn try_within(&mut self, v: u32, purse: &mut Purse) -> bool {
        if self.flow.count(v) > 0 {
            return true;
        }
        let before = self.flow.edges_read;
        let done = self.attempt(v, purse.per_path * u64::from(self.bound));
        let read = self.flow.edges_read - before;
        if done {
            purse.useful += read;
        } else {
            purse.wasted += read;
        }
        done
    }

    fn is_wasteful(&self, purse: &Purse) -> bool {
        purse.wasted > self.out.ends.len() as u64 / PATIENCE + 2 * purse.useful
    }

    /// Decides between a bound of two and of one.
    fn look_for_a_bridge(&mut self) {
        if let Some(side) = bridges::beyond_a_bridge(self.out, self.inn, self.root) {
            self.bound = 1;
            self.side = side;
        }
    }

    /// Tries what is left of `nodes`, in an order that visits all parts of the graph evenly;
    /// those with an in-neighbour in S only if `all`.
    fn try_scattered(&mut self, nodes: Vec<u32>, all: bool) {
        let (n, count) = (self.out.node_count(), nodes.len() as u64);
        let stride = scattering_stride(count.max(1));
        let mut tries = 0;
        let scattered = (0..count / SCATTERED_SHARE).map(|i| i * stride % count);
        for at in scattered.chain(0..count) {
            let v = nodes[at as usize];
            if self.is_done() {
                return;
            }
            if self.flow.is_settled(v) || (!all && self.flow.count(v) > 0) {
                continue;
            }
            if self.bound == 2 {
                return self.look_for_a_bridge();
            }
            if tries == 0 {
                self.flow.grow_forest(self.root, n / FOREST_SHARE);
            }
            self.attempt(v, u64::MAX);
            tries += 1;
            let size = n / FOREST_SHARE / (tries + 1);
            if size > 1 {
                self.flow.grow_forest(v, size);
            } else {
                self.flow.fell_forest();
            }
        }
    }

    /// Settles `v` after pushing flow to it; false if the budget ran out first.
    fn attempt(&mut self, v: u32, budget: u64) -> bool {
        self.tries = self.tries.wrapping_add(1);
        if self.tries.is_multiple_of(REPORT_EVERY) {
            (self.report)(self.settled);
        }
        match self.flow.push(v, self.bound, budget) {
            Found::GaveUp => return false,
            Found::Enough => {}
            Found::Only(units) => {
                self.bound = units;
                self.side = self.flow.target_side();
                self.settle(v);
                self.absorb_all();
            }
        }
        self.settle(v);
        true
    }

    /// After the bound fell: nodes that now have enough edges from S.
    fn absorb_all(&mut self) {
        for v in 0..self.out.node_count() as u32 {
            if !self.flow.is_settled(v) && self.flow.count(v) >= self.bound {
                self.absorbed.push(v);
            }
        }
        self.absorb();
    }

    /// Settles `v` and all that has enough edges from S thereafter.
    fn settle(&mut self, v: u32) {
        self.settle_one(v);
        self.absorb();
    }

    /// Settles what waits to be absorbed, or enough of it.
    fn absorb(&mut self) {
        while let Some(&u) = self.absorbed.get(self.next_absorbed)
            && self.hidden > 0
        {
            let try_all = TRY_COST * self.bound as usize * self.hidden;
            if self.sparing && try_all < self.unread {
                return;
            }
            if self.absorbed.len() - self.next_absorbed > self.crowd {
                self.absorb_the_crowd();
                continue;
            }
            self.next_absorbed += 1;
            self.settle_one(u);
        }
        self.absorbed.clear();
        self.next_absorbed = 0;
    }

    /// Settles all that waits and most of what can be absorbed thereafter (see `absorb`).
    fn absorb_the_crowd(&mut self) {
        let mut settled = self.flow.settled();
        for &v in &self.absorbed[self.next_absorbed..] {
            settled.insert(v);
        }
        self.absorbed.clear();
        self.next_absorbed = 0;
        if absorb::sweep(self.inn, &mut settled, self.bound) {
            // The pass is over: nobody asks for counts again.
            self.hidden = 0;
            return;
        }
        (self.hidden, self.unread, self.settled) = (0, 0, self.out.node_count());
        self.flow.replace(&settled, |v, before, count| {
            self.settled -= 1;
            self.unread += self.out.degree(v) as usize;
            self.hidden += usize::from(count == 0);
            if before == 0 && count > 0 {
                self.fringe.push(v);
            }
            if count >= self.bound {
                self.absorbed.push(v);
            }
        });
    }

    fn settle_one(&mut self, v: u32) {
        if self.flow.is_settled(v) {
            return;
        }
        self.settled += 1;
        self.hidden -= usize::from(self.flow.count(v) == 0);
        self.unread -= self.out.degree(v) as usize;
        let (bound, absorbed, fringe) = (self.bound, &mut self.absorbed, &mut self.fringe);
        let hidden = &mut self.hidden;
        self.flow.settle(v, |w, count| {
            if count == 1 {
                *hidden -= 1;
                fringe.push(w);
            }
            if count >= bound {
                absorbed.push(w);
            }
        });
    }
}

/// A stride near the golden section of `n` and coprime to it: its multiples modulo `n` run
/// through all numbers and fill the range evenly at every scale.
pub(crate) fn scattering_stride(n: u64) -> u64 {
    let mut stride = (n as u128 * 618_033_989 / 1_000_000_000).max(1) as u64;
    while gcd(stride, n) != 1 {
        stride += 1;
    }
    stride
}

fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;
    use crate::{Digraph, reach};

    #[test]
    fn absorbing_at_once_changes_no_value() {
        let mut seed = 11u64;
        let mut random = move |n: u32| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            ((seed >> 33) % u64::from(n)) as u32
        };
        let (mut above_one, mut below_degree) = (0, 0);
        for _ in 0..2_000 {
            let (n, d) = (8 + 2 * random(60), 2 + random(6));
            // Halves with few edges between them, or none such.
            let half = if random(2) == 0 { n / 2 } else { n };
            let mut edges = Vec::new();
            for v in 0..n {
                let first = v / half * half;
                edges.push((v, first + (v - first + 1) % half));
                edges.extend((0..d).map(|_| (v, first + random(half))));
            }
            for _ in 0..1 + random(d) {
                let (s, t) = (random(half), (half + random(half)) % n);
                edges.extend([(s, t), (t, s)]);
            }
            let graph = Digraph::from_edges(edges).unwrap();
            if !reach::is_strongly_connected(&graph.out, &graph.inn) {
                continue;
            }
            let whole = Subgraph {
                out: Cow::Borrowed(&graph.out),
                inn: Cow::Borrowed(&graph.inn),
            };
            let singly = settle_all(&whole, &mut |_| (), usize::MAX);
            let at_once = settle_all(&whole, &mut |_| (), 0);
            assert_eq!(at_once.kappa, singly.kappa, "n = {n}, d = {d}");
            above_one += u32::from(singly.kappa > 1);
            below_degree += u32::from(!singly.side.is_empty());
        }
        assert!(
            above_one > 300 && below_degree > 60,
            "{above_one}, {below_degree}"
        );
    }
}
