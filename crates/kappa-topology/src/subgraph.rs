//! The induced subgraph of one component, with nodes renumbered from zero.

use std::borrow::Cow;

use crate::graph::Csr;

/// A strongly connected digraph on `0..n`: both directions of its edges. The order of the
/// numbers is the order of the node ids.
#[derive(Debug, Clone)]
pub(crate) struct Subgraph<'a> {
    pub(crate) out: Cow<'a, Csr>,
    pub(crate) inn: Cow<'a, Csr>,
}

impl Subgraph<'_> {
    pub(crate) fn len(&self) -> usize {
        self.out.node_count()
    }

    pub(crate) fn edge_count(&self) -> usize {
        self.out.ends.len()
    }
}

/// Cuts induced subgraphs out of one graph; keeps the map from graph to subgraph between calls.
#[derive(Debug)]
pub(crate) struct Extractor {
    place: Vec<u32>,
}

/// The mark of a node outside the subgraph.
const OUTSIDE: u32 = u32::MAX;

impl Extractor {
    pub(crate) fn new() -> Self {
        Self { place: Vec::new() }
    }

    /// The subgraph on `members` (ascending). Nothing is copied if that is the whole graph;
    /// otherwise O(edges at the members), after O(n) for the first call.
    pub(crate) fn extract<'a>(
        &mut self,
        out: &'a Csr,
        inn: &'a Csr,
        members: &[u32],
    ) -> Subgraph<'a> {
        if members.len() == out.node_count() {
            return Subgraph {
                out: Cow::Borrowed(out),
                inn: Cow::Borrowed(inn),
            };
        }
        self.place.resize(out.node_count(), OUTSIDE);
        for (i, &v) in members.iter().enumerate() {
            self.place[v as usize] = i as u32;
        }
        let cut = Subgraph {
            out: Cow::Owned(self.rows(out, members)),
            inn: Cow::Owned(self.rows(inn, members)),
        };
        for &v in members {
            self.place[v as usize] = OUTSIDE;
        }
        cut
    }

    fn rows(&self, full: &Csr, members: &[u32]) -> Csr {
        let mut rows = Csr {
            starts: Vec::with_capacity(members.len() + 1),
            ends: Vec::new(),
        };
        rows.starts.push(0);
        for &v in members {
            let kept = full.row(v).iter().map(|&w| self.place[w as usize]);
            rows.ends.extend(kept.filter(|&w| w != OUTSIDE));
            rows.starts.push(rows.ends.len() as u32);
        }
        rows
    }
}
