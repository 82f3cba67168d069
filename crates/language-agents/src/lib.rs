//! The injectable [`Agent`] trait, its wrappers and the agents that need no model.
//!
//! An agent gets a [`Prompt`] and returns a [`Completion`] or a typed [`AgentError`]. The prompt
//! carries the text for a language model and, typed beside it, the evidence or graph nodes that
//! the text was built from, so that an agent without a model ([`Extractive`], [`Scripted`]) never
//! parses prose.
//!
//! Wrappers are agents over agents and compose: [`Retrying`], [`RateLimited`], [`Budgeted`],
//! [`Cassette`]. None of them needs a runtime: waiting goes through an injected [`Timer`].
//!
//! ```
//! use language_agents::{Agent, AgentError, Completion, Extractive, Prompt};
//!
//! let prompt = Prompt::new("How tall is the tower?").with_evidence(
//!     "E1",
//!     "Guide",
//!     "The tower stands by the river. The tower is 96 metres tall.",
//! );
//! let done = futures::executor::block_on(Extractive::new().complete(prompt))?;
//! assert_eq!(done.text, "The tower is 96 metres tall. [E1]");
//! # Ok::<(), AgentError>(())
//! ```
//!
//! # Adding an agent
//! An agent over a network or a local model is a module of its own behind a feature
//! (`src/openai/` behind `openai`, `src/gguf/` behind `gguf`) that implements [`Agent`] for one
//! type and adds nothing to this core. The seams it meets:
//! - What to send: [`Prompt::system`], [`Prompt::user`], [`Prompt::output_schema`] (a JSON Schema
//!   when structured output is wished) and [`Prompt::max_tokens`] (the cap on generated tokens;
//!   [`Budgeted`] relies on it being obeyed). [`Prompt::context`] may be ignored.
//! - What to return: the model's text as it came, the token counts as the server or tokenizer
//!   counted them, the model id, and [`FinishReason::Length`] when generation stopped at the cap
//!   (callers treat such text as truncated; the agent returns it, it does not judge it).
//! - Errors: a status 429 is [`AgentError::RateLimited`] with `retry_after_ms` when the server
//!   said one, a refusal [`AgentError::Refused`], a prompt longer than the model's context
//!   [`AgentError::PromptTooLong`], a reply outside the protocol [`AgentError::Malformed`],
//!   anything else on the way [`AgentError::Transport`]. [`AgentError::is_retryable`] is what
//!   [`Retrying`] asks. No error text may hold a key.
//! - Dropping the returned future must stop the work (blocking inference watches a flag that the
//!   drop sets).
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod agent;
mod budgeted;
mod cassette;
mod completion;
mod error;
mod extractive;
#[cfg(feature = "gguf")]
pub mod gguf;
mod lexical;
#[cfg(feature = "openai")]
pub mod openai;
mod prompt;
mod rate_limited;
#[cfg(any(feature = "gguf", feature = "openai"))]
mod reply;
mod retrying;
mod scripted;
mod timer;

pub use agent::{Agent, AgentFn, AsyncAgentFn, BoxFuture, agent_fn, async_agent_fn};
pub use budgeted::{Budgeted, Limits, Spent, token_bound};
pub use cassette::{Cassette, RecordedPrompt, Tape, TapeEntry, TapeError, TapeOutcome};
pub use completion::{Completion, FinishReason};
pub use error::AgentError;
pub use extractive::{Extract, Extractive, extract};
#[cfg(feature = "gguf")]
pub use gguf::{Gguf, GgufError, GgufOptions};
pub use lexical::{lexical_similarity, shared_stems};
#[cfg(feature = "openai")]
pub use openai::{OpenAi, OpenAiOptions};
pub use prompt::{AnswerMode, ContextItem, Prompt};
pub use rate_limited::RateLimited;
pub use retrying::{Backoff, Retrying};
pub use scripted::{Line, Script, Scripted};
pub use timer::{ManualTimer, SystemTimer, Timer};
