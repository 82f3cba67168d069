//! Slowing down before the provider has to say so.

use std::sync::Mutex;
use std::time::Duration;

use crate::timer::lock;
use crate::{Agent, AgentError, BoxFuture, Completion, Prompt, Timer};

/// An agent that starts at most so many requests in a period, and holds the others back.
///
/// The rule is the generic cell rate algorithm (a leaky bucket that keeps one number): requests
/// are `period / requests` apart, after a burst of up to `burst` at once. A reply of
/// [`AgentError::RateLimited`] with a time pushes every later request back by it.
/// A request that is dropped while it waits keeps its place: the rate is never exceeded.
#[derive(Debug)]
pub struct RateLimited<A, T> {
    inner: A,
    timer: T,
    interval: Duration,
    tolerance: Duration,
    /// When the next request would be due at the even rate.
    due: Mutex<Duration>,
}

impl<A: Agent, T: Timer> RateLimited<A, T> {
    /// At most `requests` (at least 1) in each `period`, evenly spaced after a first `burst`
    /// (at least 1).
    pub fn new(inner: A, timer: T, requests: u32, period: Duration, burst: u32) -> Self {
        let interval = period / requests.max(1);
        Self {
            inner,
            timer,
            interval,
            tolerance: interval.saturating_mul(burst.max(1) - 1),
            due: Mutex::new(Duration::ZERO),
        }
    }

    /// Takes the next place and says how long it is until then.
    fn take_place(&self) -> Duration {
        let now = self.timer.now();
        let mut due = lock(&self.due);
        let start = due.saturating_sub(self.tolerance).max(now);
        *due = (*due).max(now).saturating_add(self.interval);
        start.saturating_sub(now)
    }

    async fn run(&self, prompt: Prompt) -> Result<Completion, AgentError> {
        let wait = self.take_place();
        if !wait.is_zero() {
            self.timer.sleep(wait).await;
        }
        let result = self.inner.complete(prompt).await;
        if let Err(AgentError::RateLimited {
            retry_after_ms: Some(ms),
        }) = result
        {
            let until = self.timer.now().saturating_add(Duration::from_millis(ms));
            let mut due = lock(&self.due);
            *due = (*due).max(until.saturating_add(self.tolerance));
        }
        result
    }
}

impl<A: Agent, T: Timer> Agent for RateLimited<A, T> {
    fn complete(&self, prompt: Prompt) -> BoxFuture<'_, Result<Completion, AgentError>> {
        Box::pin(self.run(prompt))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ManualTimer, agent_fn};
    use futures::executor::block_on;
    use std::sync::Arc;

    #[test]
    fn a_burst_then_an_even_rate() {
        let timer = Arc::new(ManualTimer::new());
        let agent = RateLimited::new(
            agent_fn(|_| Ok(Completion::new(""))),
            timer.clone(),
            10,
            Duration::from_secs(1),
            3,
        );
        let mut starts = Vec::new();
        for _ in 0..6 {
            block_on(agent.complete(Prompt::new("q"))).unwrap();
            starts.push(timer.now().as_millis());
        }
        assert_eq!(starts, [0, 0, 0, 100, 200, 300]);
    }

    #[test]
    fn a_rate_limit_holds_back_the_next() {
        let timer = Arc::new(ManualTimer::new());
        let agent = RateLimited::new(
            agent_fn(|_| {
                Err(AgentError::RateLimited {
                    retry_after_ms: Some(5_000),
                })
            }),
            timer.clone(),
            1_000,
            Duration::from_secs(1),
            10,
        );
        let _ = block_on(agent.complete(Prompt::new("q")));
        let _ = block_on(agent.complete(Prompt::new("q")));
        assert_eq!(timer.waits(), [Duration::from_secs(5)]);
    }
}
