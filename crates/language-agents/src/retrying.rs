//! Trying again, with growing pauses.

use std::time::Duration;

use crate::{Agent, AgentError, BoxFuture, Completion, Prompt, Timer};

/// How long to wait between tries: `first`, then `factor` times as long each time, up to
/// `longest`. No jitter: the same run waits the same.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Backoff {
    /// Tries in all, at least 1.
    pub attempts: u32,
    /// The pause after the first failure.
    pub first: Duration,
    /// How much longer each further pause is.
    pub factor: f64,
    /// No pause is longer.
    pub longest: Duration,
    /// No new try starts after so much time since the first (tries and pauses together).
    pub within: Duration,
}

impl Default for Backoff {
    /// 3 tries, 0.5 s, then 1 s; nothing new after 60 s.
    fn default() -> Self {
        Self {
            attempts: 3,
            first: Duration::from_millis(500),
            factor: 2.0,
            longest: Duration::from_secs(20),
            within: Duration::from_secs(60),
        }
    }
}

impl Backoff {
    /// The pause after failure number `failed` (from 1), before what the provider asks for.
    #[must_use]
    pub fn pause(&self, failed: u32) -> Duration {
        let mut pause = self.first;
        for _ in 1..failed.min(64) {
            let grown = pause.as_secs_f64() * self.factor.max(1.0);
            pause = Duration::try_from_secs_f64(grown).unwrap_or(self.longest);
            if pause >= self.longest {
                break;
            }
        }
        pause.min(self.longest)
    }
}

/// An agent that tries again when an error [is retryable](AgentError::is_retryable).
///
/// A provider's `retry_after` is respected when it is longer than the pause. All tries live
/// inside whatever limit the caller puts around the one future: retries never multiply it.
#[derive(Debug, Clone)]
pub struct Retrying<A, T> {
    inner: A,
    timer: T,
    backoff: Backoff,
}

impl<A: Agent, T: Timer> Retrying<A, T> {
    /// Wraps an agent.
    pub fn new(inner: A, timer: T, backoff: Backoff) -> Self {
        Self {
            inner,
            timer,
            backoff,
        }
    }

    async fn run(&self, prompt: Prompt) -> Result<Completion, AgentError> {
        let start = self.timer.now();
        let mut failed = 0;
        loop {
            let error = match self.inner.complete(prompt.clone()).await {
                Ok(completion) => return Ok(completion),
                Err(error) => error,
            };
            failed += 1;
            if !error.is_retryable() || failed >= self.backoff.attempts {
                return Err(error);
            }
            let mut pause = self.backoff.pause(failed);
            if let AgentError::RateLimited {
                retry_after_ms: Some(ms),
            } = error
            {
                pause = pause.max(Duration::from_millis(ms));
            }
            let spent = self.timer.now().saturating_sub(start);
            if spent.saturating_add(pause) > self.backoff.within {
                return Err(error);
            }
            self.timer.sleep(pause).await;
        }
    }
}

impl<A: Agent, T: Timer> Agent for Retrying<A, T> {
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
    use std::sync::atomic::{AtomicU32, Ordering};

    fn failing(times: u32, error: AgentError) -> impl Agent {
        let calls = AtomicU32::new(0);
        agent_fn(move |_| {
            if calls.fetch_add(1, Ordering::SeqCst) < times {
                Err(error.clone())
            } else {
                Ok(Completion::new("ok"))
            }
        })
    }

    #[test]
    fn pauses_grow_and_the_answer_comes() {
        let timer = Arc::new(ManualTimer::new());
        let lost = AgentError::Transport { reason: "x".into() };
        let agent = Retrying::new(failing(2, lost), timer.clone(), Backoff::default());
        assert_eq!(
            block_on(agent.complete(Prompt::new("q"))).unwrap().text,
            "ok"
        );
        assert_eq!(
            timer.waits(),
            [Duration::from_millis(500), Duration::from_millis(1000)]
        );
    }

    #[test]
    fn the_providers_wish_is_respected_and_the_limit_too() {
        let timer = Arc::new(ManualTimer::new());
        let slow = |ms| AgentError::RateLimited {
            retry_after_ms: Some(ms),
        };
        let agent = Retrying::new(failing(1, slow(7_000)), timer.clone(), Backoff::default());
        assert!(block_on(agent.complete(Prompt::new("q"))).is_ok());
        assert_eq!(timer.waits(), [Duration::from_secs(7)]);
        let agent = Retrying::new(failing(1, slow(70_000)), timer.clone(), Backoff::default());
        assert_eq!(
            block_on(agent.complete(Prompt::new("q"))),
            Err(slow(70_000))
        );
        assert_eq!(timer.waits().len(), 1, "no wait past the limit");
    }

    #[test]
    fn a_refusal_is_not_tried_again() {
        let timer = Arc::new(ManualTimer::new());
        let no = AgentError::Refused { reason: "x".into() };
        let agent = Retrying::new(failing(1, no.clone()), timer.clone(), Backoff::default());
        assert_eq!(block_on(agent.complete(Prompt::new("q"))), Err(no));
        assert!(timer.waits().is_empty());
    }
}
