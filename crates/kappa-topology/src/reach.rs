//! Whether one node reaches all others, reading memory in its order where that is possible.
//!
//! A breadth-first search of a large graph waits for memory: each node met is at another place.
//! So only the beginning and the end are a search with a queue. Between them, as in the
//! direction-optimizing search of Beamer, Asanović, Patterson (2012), *sweeps* run over the
//! nodes that are not met, in the order of memory, and look for a neighbour before each that is.
//! What a sweep finds counts for the rest of the sweep: levels do not matter here.
//!
//! **Invariant.** After a sweep, every edge from a met node to one that is not starts at a node
//! that the sweep found. (Had its start been met before the sweep looked at its end, the end would
//! have been met as well.) So the search can go on from what the last sweep found.

use crate::graph::Csr;

/// The search begins with a queue until it has met one node in so many.
const BEGINNING: usize = 64;

/// Sweeps end once one finds less than this part of what was left; there are four at most.
const WORTHWHILE: usize = 4;
const SWEEPS: usize = 4;

/// A set of nodes, one bit each.
#[derive(Debug)]
pub(crate) struct Bits {
    words: Vec<u64>,
}

impl Bits {
    pub(crate) fn new(n: usize) -> Self {
        Self {
            words: vec![0; n.div_ceil(64)],
        }
    }

    pub(crate) fn has(&self, v: u32) -> bool {
        self.words[v as usize / 64] >> (v % 64) & 1 == 1
    }

    pub(crate) fn insert(&mut self, v: u32) {
        self.words[v as usize / 64] |= 1 << (v % 64);
    }
}

/// Whether the graph is one component of at least two nodes.
pub(crate) fn is_strongly_connected(out: &Csr, inn: &Csr) -> bool {
    let n = out.node_count() as u32;
    let tied = |v: u32| out.degree(v) > 0 && inn.degree(v) > 0;
    n > 1 && (0..n).all(tied) && reaches_all(out, inn) && reaches_all(inn, out)
}

/// Whether the first node reaches every other along `rows`; `back` are their reverse. O(n + m).
fn reaches_all(rows: &Csr, back: &Csr) -> bool {
    let n = rows.node_count();
    let mut reach = Reach {
        rows,
        back,
        met: Bits::new(n),
        left: n - 1,
        queue: Vec::with_capacity(n),
    };
    reach.met.insert(0);
    reach.queue.push(0);
    reach.search(n / BEGINNING);
    let mut sweeps = 0;
    while reach.left > 0 && sweeps < SWEEPS {
        let before = reach.left;
        // The order of the numbers may run along the edges or against them.
        if sweeps % 2 == 0 {
            reach.sweep(0..n as u32);
        } else {
            reach.sweep((0..n as u32).rev());
        }
        sweeps += 1;
        if sweeps > 1 && (before - reach.left) < before / WORTHWHILE {
            break;
        }
    }
    reach.search(n);
    reach.left == 0
}

struct Reach<'a> {
    rows: &'a Csr,
    back: &'a Csr,
    met: Bits,
    /// How many nodes are not met.
    left: usize,
    queue: Vec<u32>,
}

impl Reach<'_> {
    /// Follows the queue until it holds `enough` nodes or ends.
    fn search(&mut self, enough: usize) {
        let mut head = 0;
        while self.left > 0
            && self.queue.len() <= enough
            && let Some(&v) = self.queue.get(head)
        {
            head += 1;
            for &w in self.rows.row(v) {
                if !self.met.has(w) {
                    self.met.insert(w);
                    self.left -= 1;
                    self.queue.push(w);
                }
            }
        }
    }

    /// Meets every node that, at its turn, has a met node before it; the queue is these.
    fn sweep(&mut self, nodes: impl Iterator<Item = u32>) {
        self.queue.clear();
        for v in nodes {
            if !self.met.has(v) && self.back.row(v).iter().any(|&u| self.met.has(u)) {
                self.met.insert(v);
                self.left -= 1;
                self.queue.push(v);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Digraph;

    /// The definition: a search from the first node, either way.
    fn plain(out: &Csr, inn: &Csr) -> bool {
        let all = |rows: &Csr| {
            let mut met = vec![false; rows.node_count()];
            let mut stack = vec![0u32];
            met[0] = true;
            while let Some(v) = stack.pop() {
                for &w in rows.row(v) {
                    if !std::mem::replace(&mut met[w as usize], true) {
                        stack.push(w);
                    }
                }
            }
            met.iter().all(|&m| m)
        };
        out.node_count() > 1 && all(out) && all(inn)
    }

    #[test]
    fn sweeps_reach_what_a_search_reaches() {
        let mut seed = 3u64;
        let mut random = move |n: u32| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            ((seed >> 33) % u64::from(n)) as u32
        };
        let (mut connected, mut parted) = (0, 0);
        for round in 0..600 {
            let n = 2 + random(if round % 2 == 0 { 12 } else { 400 });
            // Cycles in the order of the numbers, against it or in strides, with gaps.
            let step = 1 + random(n - 1);
            let mut edges: Vec<(u32, u32)> = (0..n).map(|v| (v, (v + step) % n)).collect();
            if random(3) == 0 {
                edges.swap_remove(random(n) as usize);
            }
            edges.extend((0..random(2 * n)).map(|_| (random(n), random(n))));
            let graph = Digraph::from_edges(edges).unwrap();
            let truth = plain(&graph.out, &graph.inn);
            assert_eq!(is_strongly_connected(&graph.out, &graph.inn), truth);
            if truth {
                connected += 1;
            } else {
                parted += 1;
            }
        }
        assert!(connected > 100 && parted > 100, "{connected}, {parted}");
    }
}
