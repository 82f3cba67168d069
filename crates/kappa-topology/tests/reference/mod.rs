//! Plain reference implementations: they follow the definitions and nothing else.
#![allow(dead_code)]

use std::collections::{BTreeSet, VecDeque};

/// A digraph on `0..n` as one out-neighbour mask a node; no self-loops.
#[derive(Debug, Clone)]
pub(crate) struct Masks {
    pub(crate) out: Vec<u32>,
}

impl Masks {
    pub(crate) fn new(n: usize, edges: &[(u32, u32)]) -> Self {
        let mut out = vec![0u32; n];
        for &(s, t) in edges {
            if s != t {
                out[s as usize] |= 1 << t;
            }
        }
        Self { out }
    }

    fn reach(&self, v: usize) -> u32 {
        let mut seen = 1u32 << v;
        loop {
            let mut next = seen;
            for (u, out) in self.out.iter().enumerate() {
                if seen >> u & 1 == 1 {
                    next |= out;
                }
            }
            if next == seen {
                return seen;
            }
            seen = next;
        }
    }

    /// Components of at least two nodes as masks, by smallest node.
    pub(crate) fn components(&self) -> Vec<u32> {
        let reach: Vec<u32> = (0..self.out.len()).map(|v| self.reach(v)).collect();
        let mut found = Vec::new();
        let mut done = 0u32;
        for v in 0..self.out.len() {
            let mut mask = 0u32;
            for (u, reached) in reach.iter().enumerate() {
                if reach[v] >> u & 1 == 1 && reached >> v & 1 == 1 {
                    mask |= 1 << u;
                }
            }
            if done >> v & 1 == 0 && mask.count_ones() > 1 {
                found.push(mask);
            }
            done |= mask;
        }
        found
    }

    /// The number of edges from `a` to `b`.
    pub(crate) fn across(&self, a: u32, b: u32) -> u32 {
        let from_a = self.out.iter().enumerate().filter(|(v, _)| a >> v & 1 == 1);
        from_a.map(|(_, out)| (out & b).count_ones()).sum()
    }

    /// κ of a component by enumerating all bipartitions, both directions.
    pub(crate) fn kappa(&self, component: u32) -> u32 {
        let mut best = u32::MAX;
        // All proper non-empty subsets of the component's mask.
        let mut a = (component - 1) & component;
        while a != 0 {
            best = best.min(self.across(a, component & !a));
            a = (a - 1) & component;
        }
        best
    }

    /// All distinct minimum cuts of a component, as sorted edge sets.
    pub(crate) fn minimum_cuts(&self, component: u32) -> BTreeSet<Vec<(u32, u32)>> {
        let kappa = self.kappa(component);
        let mut cuts = BTreeSet::new();
        let mut a = (component - 1) & component;
        while a != 0 {
            if self.across(a, component & !a) == kappa {
                let mut edges = Vec::new();
                for s in (0..32u32).filter(|s| a >> s & 1 == 1) {
                    let out = self.out[s as usize] & component & !a;
                    edges.extend((0..32u32).filter(|t| out >> t & 1 == 1).map(|t| (s, t)));
                }
                cuts.insert(edges);
            }
            a = (a - 1) & component;
        }
        cuts
    }
}

/// Maximum flow between two nodes by breadth-first augmentation over a plain matrix.
pub(crate) fn max_flow(capacity: &[Vec<u64>], s: usize, t: usize) -> u64 {
    let n = capacity.len();
    let mut rest = capacity.to_vec();
    let mut flow = 0;
    loop {
        let mut from = vec![usize::MAX; n];
        from[s] = s;
        let mut queue = VecDeque::from([s]);
        while let Some(v) = queue.pop_front() {
            for w in 0..n {
                if rest[v][w] > 0 && from[w] == usize::MAX {
                    from[w] = v;
                    queue.push_back(w);
                }
            }
        }
        if from[t] == usize::MAX {
            return flow;
        }
        let (mut amount, mut v) = (u64::MAX, t);
        while v != s {
            amount = amount.min(rest[from[v]][v]);
            v = from[v];
        }
        v = t;
        while v != s {
            rest[from[v]][v] -= amount;
            rest[v][from[v]] += amount;
            v = from[v];
        }
        flow += amount;
    }
}

/// The minimum-weight cut of a strongly connected graph: flows from node 0 and back.
pub(crate) fn minimum_cut_by_flows(capacity: &[Vec<u64>]) -> u64 {
    let others = 1..capacity.len();
    others
        .map(|v| max_flow(capacity, 0, v).min(max_flow(capacity, v, 0)))
        .min()
        .unwrap_or(0)
}

/// splitmix64: numbers for generators, the same on every machine.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(n)) >> 64) as u64
    }
}
