//! Progress of long work.

use serde::{Deserialize, Serialize};

/// How far an import, an export or the saving of a snapshot has come, in rows. Told to a callback
/// on the calling thread, about once every thousand rows and at the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// Rows done.
    pub done: u64,
    /// Rows in all, where that is known.
    pub total: Option<u64>,
}

pub(crate) struct Steps<'a> {
    now: Progress,
    tell: &'a mut dyn FnMut(Progress),
}

impl<'a> Steps<'a> {
    pub(crate) fn new(total: Option<u64>, tell: &'a mut dyn FnMut(Progress)) -> Self {
        let now = Progress { done: 0, total };
        tell(now);
        Self { now, tell }
    }

    pub(crate) fn step(&mut self) {
        self.now.done += 1;
        if self.now.done.is_multiple_of(1_000) {
            (self.tell)(self.now);
        }
    }

    pub(crate) fn done(&self) -> u64 {
        self.now.done
    }

    pub(crate) fn finish(self) {
        (self.tell)(self.now);
    }
}
