//! What can go wrong between a prompt and a completion.

use serde::{Deserialize, Serialize};

/// Why a prompt was not completed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[serde(tag = "error", rename_all = "snake_case")]
#[non_exhaustive]
pub enum AgentError {
    /// No answer within the time allowed.
    #[error("no answer from the agent within {after_ms} ms")]
    Timeout {
        /// The time allowed, in milliseconds.
        after_ms: u64,
    },
    /// The provider asks to slow down.
    #[error("the agent is rate limited{}", retry_after_ms.map(|ms| format!("; it asks to wait {ms} ms")).unwrap_or_default())]
    RateLimited {
        /// How long it asks to wait, in milliseconds, where it says so.
        retry_after_ms: Option<u64>,
    },
    /// The agent or its provider declined to answer this prompt.
    #[error("the agent refused the prompt: {reason}")]
    Refused {
        /// What it said.
        reason: String,
    },
    /// The reply is not what the protocol or the output schema asks for.
    #[error("the agent's reply is malformed: {reason}")]
    Malformed {
        /// What was wrong.
        reason: String,
    },
    /// The reply stops before its end.
    #[error("the agent's reply is truncated: {reason}")]
    Truncated {
        /// How that shows.
        reason: String,
    },
    /// The prompt does not fit the model's context.
    #[error("the prompt has {tokens} tokens and the model takes at most {limit}")]
    PromptTooLong {
        /// Tokens of the prompt.
        tokens: u64,
        /// Tokens that fit.
        limit: u64,
    },
    /// The request or the reply was lost on its way, or the server failed.
    #[error("the agent could not be reached: {reason}")]
    Transport {
        /// What the transport said; never a key or a header.
        reason: String,
    },
    /// The agent can't work as configured: no model file, no key, an unknown model.
    #[error("the agent is not usable as configured: {reason}")]
    Configuration {
        /// What is missing or wrong, and what would be accepted.
        reason: String,
    },
    /// The budget has no room left for this call; nothing was sent.
    #[error("the budget does not allow this call: {needed} {resource} needed, {left} left")]
    BudgetExhausted {
        /// `calls` or `tokens`.
        resource: String,
        /// What the call could need at most.
        needed: u64,
        /// What is left and not reserved.
        left: u64,
    },
    /// A tape or a script has no reply for this prompt.
    #[error("no recorded reply for this prompt: {difference}")]
    NotRecorded {
        /// Where the prompt first differs from the nearest recorded one.
        difference: String,
    },
    /// The agent failed in a way of its own, or panicked.
    #[error("the agent failed: {reason}")]
    Failed {
        /// What it said.
        reason: String,
    },
}

impl AgentError {
    /// Whether the same prompt may succeed when tried again later: a timeout, a rate limit, a
    /// malformed or truncated reply, a lost transport.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        matches!(
            self,
            Self::Timeout { .. }
                | Self::RateLimited { .. }
                | Self::Malformed { .. }
                | Self::Truncated { .. }
                | Self::Transport { .. }
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_round_trip_with_pinned_names() {
        let error = AgentError::RateLimited {
            retry_after_ms: Some(1500),
        };
        let json = serde_json::to_string(&error).unwrap();
        assert_eq!(json, r#"{"error":"rate_limited","retry_after_ms":1500}"#);
        assert_eq!(serde_json::from_str::<AgentError>(&json).unwrap(), error);
        assert_eq!(
            error.to_string(),
            "the agent is rate limited; it asks to wait 1500 ms"
        );
        assert!(error.is_retryable());
        assert!(!AgentError::Refused { reason: "x".into() }.is_retryable());
    }
}
