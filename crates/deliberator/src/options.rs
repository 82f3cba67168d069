//! What a caller may choose.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

/// Hard caps of a run. They are never exceeded: a call is made only when the most it can cost
/// still fits (see [`language_agents::token_bound`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Caps {
    /// At most so many calls of the agent.
    pub max_calls: u64,
    /// At most so many tokens, read and written together, as far as the agent obeys the cap on
    /// written tokens that comes with each prompt.
    pub max_tokens: u64,
}

impl Default for Caps {
    /// 10,000 calls and 20,000,000 tokens: a guard against runaways, not a budget.
    fn default() -> Self {
        Self {
            max_calls: 10_000,
            max_tokens: 20_000_000,
        }
    }
}

/// Where the similarity of two conclusions comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Agreement {
    /// [`language_agents::lexical_similarity`], computed inside.
    #[default]
    Lexical,
    /// Asked for by [`Step::Compare`](crate::Step::Compare): embeddings, say.
    External,
}

/// What may be concluded without a person.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Autonomy {
    /// Everything.
    #[default]
    Full,
    /// Nothing about these nodes: a conclusion over any of them goes to a person.
    Except(BTreeSet<String>),
    /// Nothing: every conclusion goes to a person.
    None,
}

impl Autonomy {
    pub(crate) fn forbids(&self, nodes: &[String]) -> bool {
        match self {
            Self::Full => false,
            Self::Except(forbidden) => nodes.iter().any(|n| forbidden.contains(n)),
            Self::None => true,
        }
    }
}

/// The choices of a deliberation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// Whether conclusions are written to the graph.
    pub write_back: bool,
    /// Minimum cuts taken at once: 1, or 2 for cells that are their common refinement.
    pub cuts_per_round: u8,
    /// Where the similarity of conclusions comes from.
    pub agreement: Agreement,
    /// Two conclusions agree from this similarity on (seed 001 §3.1.2: 0.85).
    pub agreement_threshold: f64,
    /// Hard caps on calls and tokens.
    pub caps: Caps,
    /// The cap on tokens that each prompt sets for its reply.
    pub max_reply_tokens: u32,
    /// The time for a pass before the budget's multiplier, in milliseconds (seed 001 §3.1.3:
    /// 30 s).
    pub pass_timeout_ms: u64,
    /// Whether a fresh conclusion over the same component and the same question is handed back
    /// instead of deliberating again.
    pub reuse_fresh: bool,
    /// Whether the task can be split: several components with κ > 2 then go to task
    /// decomposition at once.
    pub decomposable: bool,
    /// What may be concluded without a person.
    pub autonomy: Autonomy,
    /// A conclusion against a node of at least this confidence is not written but escalated.
    pub trusted_confidence: f64,
    /// How often a region is deliberated anew because its nodes changed meanwhile.
    pub max_refreshes: u32,
    /// Whether `Driver::after_retrieval` (feature `driver`) deliberates.
    pub auto_deliberate: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            write_back: true,
            cuts_per_round: 1,
            agreement: Agreement::Lexical,
            agreement_threshold: 0.85,
            caps: Caps::default(),
            max_reply_tokens: 512,
            pass_timeout_ms: 30_000,
            reuse_fresh: true,
            decomposable: false,
            autonomy: Autonomy::Full,
            trusted_confidence: 0.9,
            max_refreshes: 2,
            auto_deliberate: false,
        }
    }
}
