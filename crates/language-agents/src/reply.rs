//! What joins a future to a thread that does the work: one result, and word of a drop.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

use crate::timer::lock;
use crate::{AgentError, Completion};

type Outcome = Result<Completion, AgentError>;

#[derive(Default)]
struct State {
    outcome: Option<Outcome>,
    waker: Option<Waker>,
    /// The future is gone: nobody waits.
    dropped: bool,
    /// What to do as soon as it is.
    on_drop: Option<Box<dyn FnOnce() + Send>>,
}

/// The working side. Dropped without a word (a panic), it reports that.
pub(crate) struct Reply {
    state: Arc<Mutex<State>>,
}

/// The waiting side: a future that ends with the outcome.
pub(crate) struct Pending {
    state: Arc<Mutex<State>>,
}

/// Both sides of one call.
pub(crate) fn reply() -> (Reply, Pending) {
    let state = Arc::new(Mutex::new(State::default()));
    let other = Arc::clone(&state);
    (Reply { state }, Pending { state: other })
}

impl Reply {
    /// Whether nobody waits any more.
    #[cfg_attr(not(feature = "gguf"), allow(dead_code))]
    pub(crate) fn is_dropped(&self) -> bool {
        lock(&self.state).dropped
    }

    /// Runs `action` as soon as the future is dropped, at once if it is already.
    #[cfg_attr(not(feature = "openai"), allow(dead_code))]
    pub(crate) fn on_drop(&self, action: impl FnOnce() + Send + 'static) {
        let mut state = lock(&self.state);
        if state.dropped {
            drop(state);
            action();
        } else {
            state.on_drop = Some(Box::new(action));
        }
    }

    /// Ends the call.
    pub(crate) fn send(self, outcome: Outcome) {
        self.end(outcome);
    }

    /// The first outcome counts.
    fn end(&self, outcome: Outcome) {
        let mut state = lock(&self.state);
        if state.outcome.is_none() && !state.dropped {
            state.outcome = Some(outcome);
        }
        // What was to be done on a drop is let go outside the lock.
        let action = state.on_drop.take();
        let waker = state.waker.take();
        drop(state);
        drop(action);
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

impl Drop for Reply {
    fn drop(&mut self) {
        self.end(Err(AgentError::Failed {
            reason: "the thread that did the work stopped before it had a result".to_owned(),
        }));
    }
}

impl Future for Pending {
    type Output = Outcome;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Outcome> {
        let mut state = lock(&self.state);
        if let Some(outcome) = state.outcome.take() {
            return Poll::Ready(outcome);
        }
        state.waker = Some(context.waker().clone());
        Poll::Pending
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        let action = {
            let mut state = lock(&self.state);
            state.dropped = true;
            state.on_drop.take()
        };
        if let Some(action) = action {
            action();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::executor::block_on;
    use std::sync::atomic::{AtomicU32, Ordering};

    #[test]
    fn an_outcome_crosses_threads() {
        let (reply, pending) = reply();
        let worker = std::thread::spawn(move || reply.send(Ok(Completion::new("x"))));
        assert_eq!(block_on(pending).unwrap().text, "x");
        worker.join().unwrap();
    }

    #[test]
    fn a_worker_that_dies_is_an_error_and_no_hang() {
        let (reply, pending) = reply();
        drop(reply);
        assert!(matches!(block_on(pending), Err(AgentError::Failed { .. })));
    }

    #[test]
    fn a_drop_is_told_once() {
        let told = Arc::new(AtomicU32::new(0));
        for late in [false, true] {
            let (reply, pending) = reply();
            let count = Arc::clone(&told);
            let action = move || {
                count.fetch_add(1, Ordering::SeqCst);
            };
            if late {
                drop(pending);
                reply.on_drop(action);
            } else {
                reply.on_drop(action);
                drop(pending);
            }
            assert!(reply.is_dropped());
        }
        assert_eq!(told.load(Ordering::SeqCst), 2);
        let (reply, pending) = reply();
        let count = Arc::clone(&told);
        reply.on_drop(move || {
            count.fetch_add(1, Ordering::SeqCst);
        });
        reply.send(Ok(Completion::new("x")));
        drop(pending);
        assert_eq!(told.load(Ordering::SeqCst), 2, "not after the end");
    }
}
