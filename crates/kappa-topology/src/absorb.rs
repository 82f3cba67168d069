//! Absorbing many nodes at once, in the order of memory.
//!
//! Settling nodes one by one adds one to a counter of each out-neighbour, at random places of
//! memory. Once many nodes wait, it is cheaper to ask each unsettled node how many of its
//! in-neighbours are settled: rows are read in order, and of the settled set only one bit a node.
//!
//! What a sweep settles counts for the rest of the sweep. That is right because absorbing is
//! monotone: a node with `bound` edges from a smaller set has them from a larger one, and the set
//! that results does not depend on the order.

use crate::graph::Csr;
use crate::reach::Bits;

/// Sweeps end once one settles less than this part of what was left, and after so many.
const WORTHWHILE: usize = 8;
const SWEEPS: usize = 8;

/// Adds to `settled` nodes that have `bound` edges from it, as long as a sweep finds many.
/// Returns whether every other node is known to have an edge from `settled`. O(n + m).
pub(crate) fn sweep(inn: &Csr, settled: &mut Bits, bound: u32) -> bool {
    let n = inn.node_count() as u32;
    let mut left: Vec<u32> = (0..n).filter(|&v| !settled.has(v)).collect();
    for round in 0..SWEEPS {
        let (before, mut hidden) = (left.len(), 0);
        let mut stays = |v: u32| {
            let mut count = 0;
            for &u in inn.row(v) {
                count += u32::from(settled.has(u));
                if count == bound {
                    settled.insert(v);
                    return false;
                }
            }
            hidden += usize::from(count == 0);
            true
        };
        // The order of the numbers may suit or not: every other sweep runs against it.
        left.retain(|&v| stays(v));
        if hidden == 0 {
            return true;
        }
        let found = before - left.len();
        if round > 0 && found < before / WORTHWHILE {
            return false;
        }
        left.reverse();
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Digraph;

    /// All that can be absorbed, by the definition.
    fn plain(inn: &Csr, settled: &[bool], bound: u32) -> Vec<bool> {
        let mut all = settled.to_vec();
        loop {
            let next = (0..all.len()).find(|&v| {
                let from = inn.row(v as u32).iter().filter(|&&u| all[u as usize]);
                !all[v] && from.count() as u32 >= bound
            });
            match next {
                Some(v) => all[v] = true,
                None => return all,
            }
        }
    }

    #[test]
    fn sweeps_absorb_nothing_else_and_know_what_is_hidden() {
        let mut seed = 7u64;
        let mut random = move |n: u32| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            ((seed >> 33) % u64::from(n)) as u32
        };
        let (mut absorbed, mut all_seen) = (0, 0);
        for _ in 0..400 {
            let n = 4 + random(60);
            let d = 1 + random(6);
            let edges = (0..n * d).map(|_| (random(n), random(n)));
            let mut builder = Digraph::builder();
            (0..n).for_each(|v| {
                builder.node(v);
            });
            edges.collect::<Vec<_>>().iter().for_each(|&(s, t)| {
                builder.edge(s, t);
            });
            let inn = builder.build().unwrap().inn;
            let mut bits = Bits::new(n as usize);
            let mut settled = vec![false; n as usize];
            for v in (0..n).filter(|_| random(3) == 0).collect::<Vec<_>>() {
                bits.insert(v);
                settled[v as usize] = true;
            }
            let bound = 1 + random(4);
            let end = plain(&inn, &settled, bound);
            let none_hidden = sweep(&inn, &mut bits, bound);
            for v in 0..n {
                let is_in = bits.has(v);
                assert!(!is_in || end[v as usize], "{v} has too few edges");
                assert!(is_in || !settled[v as usize], "{v} was settled before");
                absorbed += u32::from(is_in && !settled[v as usize]);
                if none_hidden && !is_in {
                    assert!(inn.row(v).iter().any(|&u| bits.has(u)), "{v} is hidden");
                }
            }
            all_seen += u32::from(none_hidden);
        }
        assert!(absorbed > 1_000 && all_seen > 50, "{absorbed}, {all_seen}");
    }
}
