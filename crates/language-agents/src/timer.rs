//! Waiting, injected.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use crate::BoxFuture;

/// A monotonic clock and a way to wait, so that wrappers need neither a runtime nor real time.
pub trait Timer: Send + Sync {
    /// The time since an origin of the timer's own; never goes back.
    fn now(&self) -> Duration;

    /// Waits.
    fn sleep(&self, duration: Duration) -> BoxFuture<'_, ()>;
}

impl<T: Timer + ?Sized> Timer for Arc<T> {
    fn now(&self) -> Duration {
        (**self).now()
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'_, ()> {
        (**self).sleep(duration)
    }
}

/// Real time, on any executor: each wait parks a thread of its own, which ends with the wait or
/// as soon as the future is dropped. Programs with a runtime pass that runtime's timer instead.
#[derive(Debug, Clone, Copy)]
pub struct SystemTimer {
    origin: Instant,
}

impl SystemTimer {
    /// A timer whose origin is now.
    #[must_use]
    pub fn new() -> Self {
        Self {
            origin: Instant::now(),
        }
    }
}

impl Default for SystemTimer {
    fn default() -> Self {
        Self::new()
    }
}

impl Timer for SystemTimer {
    fn now(&self) -> Duration {
        self.origin.elapsed()
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'_, ()> {
        Box::pin(Sleep {
            until: Instant::now().checked_add(duration),
            shared: Arc::new(Shared::default()),
            started: false,
        })
    }
}

#[derive(Default)]
struct Shared {
    state: Mutex<SleepState>,
    changed: Condvar,
}

#[derive(Default)]
struct SleepState {
    waker: Option<Waker>,
    done: bool,
    dropped: bool,
}

struct Sleep {
    /// None when the wait is longer than the clock can count: it never ends.
    until: Option<Instant>,
    shared: Arc<Shared>,
    started: bool,
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let Some(until) = self.until else {
            return Poll::Pending;
        };
        if Instant::now() >= until {
            return Poll::Ready(());
        }
        {
            let mut state = lock(&self.shared.state);
            if state.done {
                return Poll::Ready(());
            }
            state.waker = Some(context.waker().clone());
        }
        if !self.started {
            self.started = true;
            let shared = Arc::clone(&self.shared);
            let parked = std::thread::Builder::new()
                .name("sleep".into())
                .spawn(move || park(&shared, until));
            // Without a thread the caller's executor polls again at once: slow, but it ends.
            if parked.is_err() {
                self.started = false;
                context.waker().wake_by_ref();
            }
        }
        Poll::Pending
    }
}

fn park(shared: &Shared, until: Instant) {
    let mut state = lock(&shared.state);
    while !state.dropped {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            state.done = true;
            if let Some(waker) = state.waker.take() {
                waker.wake();
            }
            return;
        }
        state = shared
            .changed
            .wait_timeout(state, left)
            .unwrap_or_else(PoisonError::into_inner)
            .0;
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        lock(&self.shared.state).dropped = true;
        self.shared.changed.notify_all();
    }
}

/// Simulated time for tests: a wait moves the clock forward and ends at once.
#[derive(Debug, Default)]
pub struct ManualTimer {
    state: Mutex<(Duration, Vec<Duration>)>,
}

impl ManualTimer {
    /// A timer that shows zero.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Moves the clock forward.
    pub fn advance(&self, by: Duration) {
        let mut state = lock(&self.state);
        state.0 = state.0.saturating_add(by);
    }

    /// The waits asked for so far, in order.
    #[must_use]
    pub fn waits(&self) -> Vec<Duration> {
        lock(&self.state).1.clone()
    }
}

impl Timer for ManualTimer {
    fn now(&self) -> Duration {
        lock(&self.state).0
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            let mut state = lock(&self.state);
            state.0 = state.0.saturating_add(duration);
            state.1.push(duration);
        })
    }
}

/// Locks; a panic of another holder does not spoil plain data.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::executor::block_on;

    #[test]
    fn a_real_wait_takes_its_time() {
        let timer = SystemTimer::new();
        let before = timer.now();
        block_on(timer.sleep(Duration::from_millis(20)));
        assert!(timer.now() - before >= Duration::from_millis(20));
        drop(timer.sleep(Duration::MAX));
    }

    #[test]
    fn a_simulated_wait_only_moves_the_clock() {
        let timer = ManualTimer::new();
        block_on(timer.sleep(Duration::from_secs(3600)));
        assert_eq!(timer.now(), Duration::from_secs(3600));
        assert_eq!(timer.waits(), [Duration::from_secs(3600)]);
    }
}
