//! Hard caps on calls and tokens.

use std::fmt;
use std::sync::Mutex;

use serde::{Deserialize, Serialize};

use crate::timer::lock;
use crate::{Agent, AgentError, BoxFuture, Completion, Prompt};

/// Caps; `None` is no cap and has to be asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// At most so many calls.
    pub calls: Option<u64>,
    /// At most so many tokens, in and out together.
    pub tokens: Option<u64>,
}

/// What was spent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Spent {
    /// Calls that were started.
    pub calls: u64,
    /// Tokens read and written; a call that was dropped, failed or reported no tokens counts
    /// with all that was reserved for it.
    pub tokens: u64,
}

/// The most tokens that a call can cost: one for each byte of its text (no byte-level vocabulary
/// makes more), 64 for the frame a chat template puts around it, and the cap on what is written.
#[must_use]
pub fn token_bound(prompt: &Prompt) -> u64 {
    let mut schema = Count(0);
    if let Some(value) = &prompt.output_schema {
        // Counting never fails.
        let _ = serde_json::to_writer(&mut schema, value);
    }
    let bytes = prompt.system.len() + prompt.user.len() + schema.0;
    (bytes as u64)
        .saturating_add(64)
        .saturating_add(u64::from(prompt.max_tokens))
}

/// Counts the bytes that are written to it.
struct Count(usize);

impl std::io::Write for Count {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[derive(Debug, Default)]
struct Ledger {
    spent: Spent,
    reserved: u64,
}

/// An agent that never exceeds its caps, under concurrency too: each call reserves the most it
/// can cost before anything is sent, and gives back what it did not use.
///
/// The token cap holds as far as the agent inside obeys [`Prompt::max_tokens`]; one that writes
/// more than it may is charged for it, and no further call is let through.
pub struct Budgeted<A> {
    inner: A,
    limits: Limits,
    bound: fn(&Prompt) -> u64,
    ledger: Mutex<Ledger>,
}

impl<A: fmt::Debug> fmt::Debug for Budgeted<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Budgeted")
            .field("inner", &self.inner)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

impl<A: Agent> Budgeted<A> {
    /// Wraps an agent; calls are bounded by [`token_bound`].
    pub fn new(inner: A, limits: Limits) -> Self {
        Self::with_bound(inner, limits, token_bound)
    }

    /// Wraps an agent with a tighter bound on what a call can cost (from its tokenizer, say).
    pub fn with_bound(inner: A, limits: Limits, bound: fn(&Prompt) -> u64) -> Self {
        Self {
            inner,
            limits,
            bound,
            ledger: Mutex::default(),
        }
    }

    /// What was spent so far; running calls are not in it.
    pub fn spent(&self) -> Spent {
        lock(&self.ledger).spent
    }

    fn reserve(&self, tokens: u64) -> Result<Reservation<'_>, AgentError> {
        let mut ledger = lock(&self.ledger);
        if let Some(cap) = self.limits.calls
            && ledger.spent.calls >= cap
        {
            return Err(exhausted("calls", 1, 0));
        }
        if let Some(cap) = self.limits.tokens {
            let left = cap
                .saturating_sub(ledger.spent.tokens)
                .saturating_sub(ledger.reserved);
            if tokens > left {
                return Err(exhausted("tokens", tokens, left));
            }
        }
        ledger.spent.calls += 1;
        ledger.reserved = ledger.reserved.saturating_add(tokens);
        Ok(Reservation {
            ledger: &self.ledger,
            reserved: tokens,
            used: tokens,
        })
    }

    async fn run(&self, prompt: Prompt) -> Result<Completion, AgentError> {
        let mut reservation = self.reserve((self.bound)(&prompt))?;
        let result = self.inner.complete(prompt).await;
        if let Ok(done) = &result {
            let used = done.tokens_in.saturating_add(done.tokens_out);
            if used > 0 {
                reservation.used = used;
            }
        }
        result
    }
}

fn exhausted(resource: &str, needed: u64, left: u64) -> AgentError {
    AgentError::BudgetExhausted {
        resource: resource.to_owned(),
        needed,
        left,
    }
}

/// Turns into spending when dropped, however the call ended.
struct Reservation<'b> {
    ledger: &'b Mutex<Ledger>,
    reserved: u64,
    used: u64,
}

impl Drop for Reservation<'_> {
    fn drop(&mut self) {
        let mut ledger = lock(self.ledger);
        ledger.reserved = ledger.reserved.saturating_sub(self.reserved);
        ledger.spent.tokens = ledger.spent.tokens.saturating_add(self.used);
    }
}

impl<A: Agent> Agent for Budgeted<A> {
    fn complete(&self, prompt: Prompt) -> BoxFuture<'_, Result<Completion, AgentError>> {
        Box::pin(self.run(prompt))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{agent_fn, async_agent_fn};
    use futures::executor::block_on;
    use futures::future::{join_all, pending, poll_immediate};

    #[test]
    fn calls_are_capped_under_concurrency() {
        let agent = Budgeted::new(
            agent_fn(|_| Ok(Completion::new("x").with_tokens(1, 1))),
            Limits {
                calls: Some(3),
                tokens: None,
            },
        );
        let results = block_on(join_all((0..8).map(|_| agent.complete(Prompt::new("q")))));
        assert_eq!(results.iter().filter(|r| r.is_ok()).count(), 3);
        assert_eq!(agent.spent().calls, 3);
    }

    #[test]
    fn tokens_are_reserved_before_and_settled_after() {
        let prompt = Prompt::new("q").with_max_tokens(10);
        let each = token_bound(&prompt);
        let agent = Budgeted::new(
            agent_fn(|_| Ok(Completion::new("x").with_tokens(2, 3))),
            Limits {
                calls: None,
                tokens: Some(each + 5),
            },
        );
        assert!(block_on(agent.complete(prompt.clone())).is_ok());
        assert!(block_on(agent.complete(prompt.clone())).is_ok());
        assert_eq!(
            block_on(agent.complete(prompt)),
            Err(exhausted("tokens", each, each - 5))
        );
        assert_eq!(agent.spent().tokens, 10);
    }

    #[test]
    fn a_dropped_call_counts_in_full() {
        let prompt = Prompt::new("q");
        let each = token_bound(&prompt);
        let agent = Budgeted::new(
            async_agent_fn(|_| pending()),
            Limits {
                calls: None,
                tokens: Some(each),
            },
        );
        assert!(block_on(poll_immediate(agent.complete(prompt.clone()))).is_none());
        assert_eq!(
            agent.spent(),
            Spent {
                calls: 1,
                tokens: each
            }
        );
        assert!(block_on(agent.complete(prompt)).is_err());
    }
}
