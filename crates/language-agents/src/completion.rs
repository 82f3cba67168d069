//! What an agent returns.

use serde::{Deserialize, Serialize};

/// Why generation ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FinishReason {
    /// The agent said all it had to say.
    #[default]
    Stop,
    /// The cap on generated tokens was reached: the text is truncated.
    Length,
    /// A filter of the provider cut the text.
    ContentFilter,
}

/// What an agent returns for a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Completion {
    /// The text as the agent wrote it, neither trimmed nor repaired.
    pub text: String,
    /// Tokens read, as the agent counts them; 0 when it does not count.
    pub tokens_in: u64,
    /// Tokens written, as the agent counts them; 0 when it does not count.
    pub tokens_out: u64,
    /// Which model wrote it, as exactly as the agent knows.
    pub model_id: String,
    /// Why generation ended.
    pub finish: FinishReason,
}

impl Completion {
    /// A completion with this text, no token counts and no model id, that ended by itself.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            ..Self::default()
        }
    }

    /// Sets the token counts.
    #[must_use]
    pub fn with_tokens(mut self, tokens_in: u64, tokens_out: u64) -> Self {
        self.tokens_in = tokens_in;
        self.tokens_out = tokens_out;
        self
    }

    /// Sets the model id.
    #[must_use]
    pub fn with_model(mut self, model_id: impl Into<String>) -> Self {
        self.model_id = model_id.into();
        self
    }

    /// Sets why generation ended.
    #[must_use]
    pub fn with_finish(mut self, finish: FinishReason) -> Self {
        self.finish = finish;
        self
    }
}
