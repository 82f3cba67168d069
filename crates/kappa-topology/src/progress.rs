//! How far an analysis has come.

/// How far an analysis has come, in nodes: every node of a component counts twice, once for each
/// pass over it. `done` never falls, `total` stays, and the last call has both equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// Nodes dealt with.
    pub done: usize,
    /// Nodes to deal with: twice those in components of at least two nodes.
    pub total: usize,
}

/// A search reports after so many tries.
pub(crate) const REPORT_EVERY: u32 = 256;

/// Turns what the searches of one component report into [`Progress`].
pub(crate) struct Reporter<'a> {
    before: usize,
    total: usize,
    callback: &'a mut dyn FnMut(Progress),
}

impl<'a> Reporter<'a> {
    pub(crate) fn new(nodes: usize, callback: &'a mut dyn FnMut(Progress)) -> Self {
        Self {
            before: 0,
            total: 2 * nodes,
            callback,
        }
    }

    /// So many nodes of the present component are dealt with, both passes together.
    pub(crate) fn report(&mut self, done: usize) {
        (self.callback)(Progress {
            done: self.before + done,
            total: self.total,
        });
    }

    /// A component of so many nodes is finished.
    pub(crate) fn finish(&mut self, nodes: usize) {
        self.report(2 * nodes);
        self.before += 2 * nodes;
    }
}
