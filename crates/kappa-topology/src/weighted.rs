//! Exact minimum-weight cuts by settling: the weighted twin of `settle`.
//!
//! The invariant and the steps *absorb* and *try* are the same with weight in place of edge
//! counts: a node whose in-edges from S weigh at least the bound joins S for nothing, and the
//! flow from S to a node is pushed along shortest residual paths (Edmonds–Karp), found
//! backwards, until it reaches the bound. The step *stop* needs unit weights, so here every
//! node is absorbed or tried, but for the second pass, where the suspects are enough.

use crate::graph::{Csr, Digraph};
use crate::progress::REPORT_EVERY;
use crate::settle::{FEW_SUSPECTS, scattering_stride};
use crate::subgraph::Subgraph;

/// A minimum-weight cut of a component.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WeightedCut {
    /// In millionths.
    pub(crate) weight: u64,
    /// The target side of the cut found, or, if `reversed`, its source side; empty if the cut
    /// around one node is minimum.
    pub(crate) side: Vec<u32>,
    pub(crate) reversed: bool,
}

/// The weights of a component's edges, parallel to its rows.
#[derive(Debug, Clone)]
pub(crate) struct Capacity {
    pub(crate) out: Vec<u64>,
    pub(crate) inn: Vec<u64>,
}

/// Reads the weights of the component on `members` off the graph.
pub(crate) fn capacities<N>(
    graph: &Digraph<N>,
    members: &[u32],
    component: &Subgraph<'_>,
) -> Capacity {
    let mut out = Vec::with_capacity(component.edge_count());
    for (v, &member) in members.iter().enumerate() {
        // Both rows ascend and the component's row is a part of the graph's.
        let mut position = graph.out.range(member).start;
        for &w in component.out.row(v as u32) {
            let target = members[w as usize];
            while graph.out.ends[position] != target {
                position += 1;
            }
            out.push(
                graph
                    .weights
                    .as_ref()
                    .map_or(crate::Weight::ONE.micros(), |w| w[position]),
            );
        }
    }
    let mut next = component.inn.starts.clone();
    let mut inn = vec![0; out.len()];
    for (edge, &target) in component.out.ends.iter().enumerate() {
        let slot = &mut next[target as usize];
        inn[*slot as usize] = out[edge];
        *slot += 1;
    }
    Capacity { out, inn }
}

fn weight_of(rows: &Csr, capacity: &[u64], v: u32) -> u64 {
    capacity[rows.range(v)].iter().sum()
}

/// The minimum-weight cut of a strongly connected graph of at least two nodes; reports now and
/// then how many nodes are settled, both passes together.
pub(crate) fn minimum_cut(
    graph: &Subgraph<'_>,
    capacity: &Capacity,
    report: &mut dyn FnMut(usize),
) -> WeightedCut {
    if let Some((&each, rest)) = capacity.out.split_first()
        && rest.iter().all(|&c| c == each)
    {
        // Edges of one weight: the cut with the fewest edges, which is found much faster.
        let cut = crate::settle::minimum_cut_with(graph, report);
        return WeightedCut {
            weight: each * u64::from(cut.kappa),
            side: cut.side,
            reversed: cut.reversed,
        };
    }
    let n = graph.len() as u32;
    let around = |v: u32| {
        let entering = weight_of(&graph.inn, &capacity.inn, v);
        entering.min(weight_of(&graph.out, &capacity.out, v))
    };
    let weight = (0..n).map(around).min().unwrap_or(0);
    let root = (0..n)
        .max_by_key(|&v| (around(v), std::cmp::Reverse(v)))
        .unwrap_or(0);
    let mut cut = WeightedCut {
        weight,
        side: Vec::new(),
        reversed: false,
    };
    for reversed in [false, true] {
        let before = if reversed { graph.len() } else { 0 };
        let mut shifted = |settled| report(before + settled);
        let [rows, back] = if reversed {
            [(&*graph.inn, &*capacity.inn), (&*graph.out, &*capacity.out)]
        } else {
            [(&*graph.out, &*capacity.out), (&*graph.inn, &*capacity.inn)]
        };
        let mut pass = Pass::new(rows, back, cut.weight, &mut shifted);
        if reversed {
            pass.suspects_only();
        }
        pass.run(root);
        if pass.bound < cut.weight {
            cut = WeightedCut {
                weight: pass.bound,
                side: pass.side,
                reversed,
            };
        }
    }
    cut
}

/// The edges of the cut that the rule at [`crate::analyze_weighted`] chooses, ascending.
pub(crate) fn canonical_edges(
    graph: &Subgraph<'_>,
    capacity: &Capacity,
    cut: &WeightedCut,
) -> Vec<(u32, u32)> {
    if cut.side.is_empty() {
        for v in 0..graph.len() as u32 {
            if weight_of(&graph.inn, &capacity.inn, v) == cut.weight {
                return graph.inn.row(v).iter().map(|&u| (u, v)).collect();
            }
            if weight_of(&graph.out, &capacity.out, v) == cut.weight {
                return graph.out.row(v).iter().map(|&w| (v, w)).collect();
            }
        }
    }
    crate::cuts::edges_of_side(graph, &cut.side, cut.reversed)
}

/// How many edges a try near the settled set may read.
const BUDGET: u64 = 256;

struct Pass<'a> {
    report: &'a mut dyn FnMut(usize),
    tries: u32,
    settled_count: usize,
    /// The only nodes to settle, if not all.
    suspects: Option<Vec<u32>>,
    out: &'a Csr,
    inn: &'a Csr,
    out_capacity: &'a [u64],
    inn_capacity: &'a [u64],
    bound: u64,
    side: Vec<u32>,
    settled: Vec<bool>,
    /// The weight of the edges to a node from settled nodes.
    count: Vec<u64>,
    fringe: Vec<u32>,
    seen: Vec<u32>,
    via: Vec<(u32, u32)>,
    queue: Vec<u32>,
    search: u32,
    /// Flow by in-edge position.
    flow: Vec<u64>,
    /// The positions that carry or carried flow to the present target.
    carrying: Vec<u32>,
    /// For each unsettled node the list of its out-edges that carry or carried flow.
    leaving: Vec<u32>,
    links: Vec<Link>,
    touched: Vec<u32>,
    absorbed: Vec<u32>,
}

/// An edge with flow between unsettled nodes, in a list.
#[derive(Debug, Clone, Copy)]
struct Link {
    edge: u32,
    end: u32,
    next: u32,
}

/// The end of a list.
const NONE: u32 = u32::MAX;

/// Marks a step of a path that takes flow back.
const BACK: u32 = 1 << 31;

impl<'a> Pass<'a> {
    fn new(
        (out, out_capacity): (&'a Csr, &'a [u64]),
        (inn, inn_capacity): (&'a Csr, &'a [u64]),
        bound: u64,
        report: &'a mut dyn FnMut(usize),
    ) -> Self {
        let n = out.node_count();
        Self {
            report,
            tries: 0,
            settled_count: 0,
            suspects: None,
            out,
            inn,
            out_capacity,
            inn_capacity,
            bound,
            side: Vec::new(),
            settled: vec![false; n],
            count: vec![0; n],
            fringe: Vec::new(),
            seen: vec![0; n],
            via: vec![(0, 0); n],
            queue: Vec::new(),
            search: 0,
            flow: vec![0; inn.ends.len()],
            carrying: Vec::new(),
            leaving: vec![NONE; n],
            links: Vec::new(),
            touched: Vec::new(),
            absorbed: Vec::new(),
        }
    }

    /// In the second pass, nodes with no more in-weight than out-weight (in the graph, which is
    /// reversed here) need not be settled: see `settle`, with weights in place of edges.
    fn suspects_only(&mut self) {
        let n = self.out.node_count() as u32;
        let suspects: Vec<u32> = (0..n)
            .filter(|&v| {
                weight_of(self.out, self.out_capacity, v)
                    > weight_of(self.inn, self.inn_capacity, v)
            })
            .collect();
        if suspects.len() as u32 <= n / FEW_SUSPECTS {
            self.suspects = Some(suspects);
        }
    }

    fn run(&mut self, root: u32) {
        self.settle(root);
        if let Some(suspects) = self.suspects.take() {
            for v in suspects {
                if !self.settled[v as usize] {
                    self.attempt(v, u64::MAX);
                }
            }
            return;
        }
        let mut head = 0;
        while let Some(&v) = self.fringe.get(head) {
            head += 1;
            if !self.settled[v as usize] {
                self.attempt(v, BUDGET);
            }
        }
        let n = self.out.node_count() as u64;
        let stride = scattering_stride(n);
        let mut at = 0;
        for _ in 0..n {
            if !self.settled[at as usize] {
                self.attempt(at as u32, u64::MAX);
            }
            at = (at + stride) % n;
        }
    }

    fn attempt(&mut self, v: u32, budget: u64) {
        self.tries = self.tries.wrapping_add(1);
        if self.tries.is_multiple_of(REPORT_EVERY) {
            (self.report)(self.settled_count);
        }
        let mut pushed = self.push_short(v);
        let mut spent = 0;
        while pushed < self.bound {
            match self.search(v, &mut spent, budget) {
                Some(Some(first)) => pushed += self.augment(first, v, self.bound - pushed),
                Some(None) => {
                    self.bound = pushed;
                    self.side = self.queue.clone();
                    self.settle(v);
                    self.absorb_all();
                }
                None => {
                    self.clear();
                    return;
                }
            }
        }
        self.clear();
        self.settle(v);
    }

    fn absorb_all(&mut self) {
        for v in 0..self.out.node_count() as u32 {
            if !self.settled[v as usize] && self.count[v as usize] >= self.bound {
                self.settle(v);
            }
        }
    }

    fn settle(&mut self, v: u32) {
        self.absorbed.push(v);
        while let Some(u) = self.absorbed.pop() {
            if std::mem::replace(&mut self.settled[u as usize], true) {
                continue;
            }
            self.settled_count += 1;
            for edge in self.out.range(u) {
                let w = self.out.ends[edge];
                if self.settled[w as usize] {
                    continue;
                }
                let count = &mut self.count[w as usize];
                if *count == 0 {
                    self.fringe.push(w);
                }
                *count += self.out_capacity[edge];
                if *count >= self.bound {
                    self.absorbed.push(w);
                }
            }
        }
    }

    fn room(&self, edge: u32) -> u64 {
        self.inn_capacity[edge as usize] - self.flow[edge as usize]
    }

    /// Sends what can go over one or two edges in a single pass; returns the amount, which is
    /// at most the bound.
    fn push_short(&mut self, target: u32) -> u64 {
        let mut wanted = self.bound;
        for edge in self.inn.range(target) {
            if self.settled[self.inn.ends[edge] as usize] {
                wanted -= self.send(edge as u32, wanted);
            }
        }
        for edge in self.inn.range(target) {
            let u = self.inn.ends[edge];
            if self.settled[u as usize] || self.count[u as usize] == 0 {
                continue;
            }
            for first in self.inn.range(u) {
                let most = wanted.min(self.room(edge as u32));
                if most > 0 && self.settled[self.inn.ends[first] as usize] {
                    let amount = self.send(first as u32, most);
                    self.carry(u, edge as u32, target, amount);
                    wanted -= amount;
                }
            }
        }
        self.bound - wanted
    }

    /// Puts up to `most` on an edge; returns how much that was.
    fn send(&mut self, edge: u32, most: u64) -> u64 {
        let amount = most.min(self.room(edge));
        self.flow[edge as usize] += amount;
        self.carrying.push(edge);
        amount
    }

    /// Puts `amount`, for which there is room, on the edge from `owner` to `end`.
    fn carry(&mut self, owner: u32, edge: u32, end: u32, amount: u64) {
        if self.flow[edge as usize] == 0 && amount > 0 && !self.settled[owner as usize] {
            let next =
                std::mem::replace(&mut self.leaving[owner as usize], self.links.len() as u32);
            self.links.push(Link { edge, end, next });
            self.touched.push(owner);
        }
        self.send(edge, amount);
    }

    /// Walks backwards from the target; `Some(Some(v))`: a path comes in at `v` from a settled
    /// node; `Some(None)`: there is none; `None`: the budget ran out.
    fn search(&mut self, target: u32, spent: &mut u64, budget: u64) -> Option<Option<u32>> {
        self.search += 1;
        self.queue.clear();
        self.queue.push(target);
        self.seen[target as usize] = self.search;
        let mut head = 0;
        while let Some(&w) = self.queue.get(head) {
            head += 1;
            for edge in self.inn.range(w) {
                let u = self.inn.ends[edge];
                let edge = edge as u32;
                if self.settled[u as usize] {
                    if self.room(edge) > 0 {
                        self.via[u as usize] = (w, edge);
                        return Some(Some(u));
                    }
                } else if self.seen[u as usize] != self.search && self.room(edge) > 0 {
                    self.meet(u, w, edge);
                }
            }
            *spent += u64::from(self.inn.degree(w));
            let mut at = self.leaving[w as usize];
            while at != NONE {
                let Link { edge, end, next } = self.links[at as usize];
                if self.seen[end as usize] != self.search && self.flow[edge as usize] > 0 {
                    self.meet(end, w, edge | BACK);
                }
                at = next;
            }
            if *spent > budget {
                return None;
            }
        }
        Some(None)
    }

    fn meet(&mut self, u: u32, via: u32, step: u32) {
        self.seen[u as usize] = self.search;
        self.via[u as usize] = (via, step);
        self.queue.push(u);
    }

    fn augment(&mut self, first: u32, target: u32, most: u64) -> u64 {
        let mut amount = most;
        let mut v = first;
        while v != target {
            let (next, step) = self.via[v as usize];
            let room = if step & BACK == 0 {
                self.room(step)
            } else {
                self.flow[(step & !BACK) as usize]
            };
            amount = amount.min(room);
            v = next;
        }
        v = first;
        while v != target {
            let (next, step) = self.via[v as usize];
            let edge = step & !BACK;
            if step & BACK == 0 {
                self.carry(v, edge, next, amount);
            } else {
                self.flow[edge as usize] -= amount;
            }
            v = next;
        }
        amount
    }

    fn clear(&mut self) {
        for &edge in &self.carrying {
            self.flow[edge as usize] = 0;
        }
        for &v in &self.touched {
            self.leaving[v as usize] = NONE;
        }
        self.carrying.clear();
        self.touched.clear();
        self.links.clear();
    }
}
