//! Failures on demand, for tests of atomicity.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::GraphError;

/// The step at which to fail, plus one; 0 when not armed.
#[derive(Debug, Default)]
pub(crate) struct Fault(AtomicUsize);

impl Fault {
    pub(crate) fn arm(&self, step: usize) {
        self.0.store(step.saturating_add(1), Ordering::SeqCst);
    }

    pub(crate) fn is_armed(&self) -> bool {
        self.0.load(Ordering::SeqCst) != 0
    }

    pub(crate) fn step(&self, number: usize) -> Result<(), GraphError> {
        let hit = self
            .0
            .compare_exchange(number + 1, 0, Ordering::SeqCst, Ordering::SeqCst)
            .is_ok();
        if hit {
            return Err(GraphError::Store {
                reason: format!("made to fail at step {number}"),
            });
        }
        Ok(())
    }
}
