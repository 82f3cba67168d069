//! Advisory locks on regions of a graph.

use std::collections::{BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

/// Locks on sets of nodes: deliberations of overlapping regions run one after the other, others
/// side by side.
///
/// A set is taken all at once, so that no two can wait for each other; and first come, first
/// served among those that overlap, so that nobody waits forever. (A lock keyed by a hash of
/// the whole set would miss regions that overlap without being equal.)
#[derive(Debug, Default)]
pub struct RegionLocks {
    state: Mutex<State>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct State {
    next: u64,
    /// Holders and those who wait, in the order in which they came.
    queue: VecDeque<(u64, BTreeSet<String>)>,
}

impl RegionLocks {
    /// No locks held.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Waits until no earlier holder or waiter has any of these nodes. Dropping the future gives
    /// up the place, dropping the guard gives up the lock.
    pub async fn lock(self: &Arc<Self>, nodes: impl IntoIterator<Item = String>) -> RegionGuard {
        let guard = RegionGuard {
            locks: Arc::clone(self),
            ticket: self.enqueue(nodes.into_iter().collect()),
        };
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            // Registered before looking, so that no change is missed.
            changed.as_mut().enable();
            if self.is_first(guard.ticket) {
                return guard;
            }
            changed.await;
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn enqueue(&self, nodes: BTreeSet<String>) -> u64 {
        let mut state = self.state();
        let ticket = state.next;
        state.next += 1;
        state.queue.push_back((ticket, nodes));
        ticket
    }

    fn is_first(&self, ticket: u64) -> bool {
        let state = self.state();
        let Some((_, own)) = state.queue.iter().find(|(t, _)| *t == ticket) else {
            return true;
        };
        let mut earlier = state.queue.iter().take_while(|(t, _)| *t != ticket);
        earlier.all(|(_, nodes)| nodes.is_disjoint(own))
    }
}

/// A held lock.
#[derive(Debug)]
pub struct RegionGuard {
    locks: Arc<RegionLocks>,
    ticket: u64,
}

impl Drop for RegionGuard {
    fn drop(&mut self) {
        self.locks.state().queue.retain(|(t, _)| *t != self.ticket);
        self.locks.changed.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::future::poll_immediate;

    fn set(nodes: &[&str]) -> Vec<String> {
        nodes.iter().map(ToString::to_string).collect()
    }

    #[tokio::test]
    async fn overlapping_regions_take_turns_and_others_do_not_wait() {
        let locks = Arc::new(RegionLocks::new());
        let first = locks.lock(set(&["a", "b"])).await;
        let second = locks.lock(set(&["b", "c"]));
        tokio::pin!(second);
        assert!(poll_immediate(second.as_mut()).await.is_none());
        // Disjoint from the holder, but overlapping with who came before: waits too.
        let third = locks.lock(set(&["c", "d"]));
        tokio::pin!(third);
        assert!(poll_immediate(third.as_mut()).await.is_none());
        let fourth = poll_immediate(std::pin::pin!(locks.lock(set(&["x"])))).await;
        assert!(fourth.is_some());
        drop(first);
        let second = second.await;
        assert!(poll_immediate(third.as_mut()).await.is_none());
        drop(second);
        let _third = third.await;
    }

    #[tokio::test]
    async fn who_gives_up_waiting_leaves_the_queue() {
        let locks = Arc::new(RegionLocks::new());
        let first = locks.lock(set(&["a"])).await;
        {
            let waiting = locks.lock(set(&["a", "b"]));
            tokio::pin!(waiting);
            assert!(poll_immediate(waiting.as_mut()).await.is_none());
        }
        assert!(
            poll_immediate(std::pin::pin!(locks.lock(set(&["b"]))))
                .await
                .is_some()
        );
        drop(first);
        assert!(locks.state().queue.is_empty());
    }
}
