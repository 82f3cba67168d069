//! The trait and the closures that become agents.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use crate::{AgentError, Completion, Prompt};

/// A boxed future that may move between threads; the same type as `futures::future::BoxFuture`.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Whatever completes prompts: a language model, a person behind a form, a recorded tape.
///
/// Object-safe: callers hold `Arc<dyn Agent>` or `Box<dyn Agent>`, which are agents too.
pub trait Agent: Send + Sync {
    /// Completes one prompt.
    ///
    /// The future may be dropped at any point, which abandons the request.
    ///
    /// # Errors
    /// Any [`AgentError`]; which ones are worth another try says [`AgentError::is_retryable`].
    fn complete(&self, prompt: Prompt) -> BoxFuture<'_, Result<Completion, AgentError>>;
}

impl<A: Agent + ?Sized> Agent for &A {
    fn complete(&self, prompt: Prompt) -> BoxFuture<'_, Result<Completion, AgentError>> {
        (**self).complete(prompt)
    }
}

impl<A: Agent + ?Sized> Agent for Box<A> {
    fn complete(&self, prompt: Prompt) -> BoxFuture<'_, Result<Completion, AgentError>> {
        (**self).complete(prompt)
    }
}

impl<A: Agent + ?Sized> Agent for Arc<A> {
    fn complete(&self, prompt: Prompt) -> BoxFuture<'_, Result<Completion, AgentError>> {
        (**self).complete(prompt)
    }
}

/// An agent made of a closure that answers at once; see [`agent_fn`].
#[derive(Clone)]
pub struct AgentFn<F>(F);

impl<F> fmt::Debug for AgentFn<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AgentFn")
    }
}

/// Makes an agent of a closure that answers at once.
///
/// ```
/// use language_agents::{Completion, agent_fn};
/// let parrot = agent_fn(|prompt| Ok(Completion::new(prompt.user)));
/// # let _ = parrot;
/// ```
pub fn agent_fn<F>(complete: F) -> AgentFn<F>
where
    F: Fn(Prompt) -> Result<Completion, AgentError> + Send + Sync,
{
    AgentFn(complete)
}

impl<F> Agent for AgentFn<F>
where
    F: Fn(Prompt) -> Result<Completion, AgentError> + Send + Sync,
{
    fn complete(&self, prompt: Prompt) -> BoxFuture<'_, Result<Completion, AgentError>> {
        Box::pin(async move { (self.0)(prompt) })
    }
}

/// An agent made of an asynchronous closure; see [`async_agent_fn`].
#[derive(Clone)]
pub struct AsyncAgentFn<F>(F);

impl<F> fmt::Debug for AsyncAgentFn<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AsyncAgentFn")
    }
}

/// Makes an agent of a closure that returns a future. This is how any other client library
/// becomes an agent: no dependency on it is needed here.
///
/// ```
/// use language_agents::{Completion, async_agent_fn};
/// let agent = async_agent_fn(|prompt| async move {
///     // call a client of your own with prompt.system and prompt.user …
///     Ok(Completion::new(format!("{} words", prompt.user.split_whitespace().count())))
/// });
/// # let _ = agent;
/// ```
pub fn async_agent_fn<F, Fut>(complete: F) -> AsyncAgentFn<F>
where
    F: Fn(Prompt) -> Fut + Send + Sync,
    Fut: Future<Output = Result<Completion, AgentError>> + Send + 'static,
{
    AsyncAgentFn(complete)
}

impl<F, Fut> Agent for AsyncAgentFn<F>
where
    F: Fn(Prompt) -> Fut + Send + Sync,
    Fut: Future<Output = Result<Completion, AgentError>> + Send + 'static,
{
    fn complete(&self, prompt: Prompt) -> BoxFuture<'_, Result<Completion, AgentError>> {
        Box::pin((self.0)(prompt))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::executor::block_on;

    #[test]
    fn closures_and_pointers_are_agents() {
        let sync = agent_fn(|p| Ok(Completion::new(p.question)));
        let shared: Arc<dyn Agent> = Arc::new(sync);
        let boxed: Box<dyn Agent> = Box::new(shared.clone());
        assert_eq!(
            block_on(boxed.complete(Prompt::new("q"))).unwrap().text,
            "q"
        );
        let later =
            async_agent_fn(
                |p: Prompt| async move { Err(AgentError::Refused { reason: p.question }) },
            );
        assert_eq!(
            block_on(later.complete(Prompt::new("no"))),
            Err(AgentError::Refused {
                reason: "no".into()
            })
        );
    }
}
