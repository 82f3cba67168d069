//! Deliberation over the circular regions of a knowledge graph.
//!
//! Where κ > 0, fault lines become prompt boundaries: a region is cut along them, an agent
//! reasons about each part with only that part in view, what comes back is reconciled, and a
//! conclusion is written to the graph, so that the next question finds settled knowledge.
//! Convergence is not guaranteed; a bounded cost, a trace and an honest escalation are.
//!
//! - [`Deliberation`] is the loop as a pure, serializable state machine: step it yourself, or
//! - `driver::Driver` (feature `driver`, on tokio) runs it with concurrency, time limits,
//!   locks and a store.
//! - [`estimate`] says what it will cost, [`effective_topology`] what conclusions settle,
//!   [`tool_schema`] how to offer it as a tool, [`eval`] whether it helps.
//!
//! The agent trait is [`language_agents`]', re-exported.
//!
//! # Untrusted input
//! Node contents, ids, the question and every reply are untrusted. Contents can't become
//! instruction or pass for a reply (see [`parse_reply`] and the fences in `docs/deliberator.md`);
//! they can still be false, and an agent can still believe them.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod cells;
mod cost;
mod crystallize;
#[cfg(feature = "driver")]
pub mod driver;
mod error;
mod escalation;
pub mod eval;
mod events;
mod machine;
mod options;
mod outcome;
mod parse;
mod prompts;
mod report;
mod schema;
mod settled;
mod step;

pub use cells::{Assumption, Cell, decompose, passes_per_round};
pub use cost::{Amount, Estimate, Prices, REPLY_TOKENS, TEMPLATE_TOKENS, estimate};
pub use crystallize::conclusion_id;
pub use error::DeliberationError;
pub use escalation::{Escalation, EscalationRequest, Reason, Target};
pub use events::Event;
pub use machine::Deliberation;
pub use options::{Agreement, Autonomy, Caps, Options};
pub use outcome::{LEARNING_RATE, Outcome, record_outcome};
pub use parse::{MAX_REPLY, ParseFailure, ParseNote, Reply, parse_reply};
pub use prompts::{
    FOCUS_INSTRUCTION, FOCUS_SYSTEM, RECONCILE_INSTRUCTION, RECONCILE_SYSTEM, focus_schema,
    reconcile_schema,
};
pub use report::{
    Conclusion, DeliberateResponse, DeliberationSummary, PassFailure, PassKind, PassRecord,
    RegionReport, RegionStatus, Report, TopologyChange,
};
pub use schema::{Tool, tool_schema};
pub use settled::{DELIBERATOR, Settled, Staleness, content_digest, effective_topology, settled};
pub use step::{Answer, CompareRequest, PassRequest, RefreshRequest, Step, WriteRequest, Written};

pub use language_agents::{
    Agent, AgentError, BoxFuture, Completion, ContextItem, Prompt, agent_fn, async_agent_fn,
};
