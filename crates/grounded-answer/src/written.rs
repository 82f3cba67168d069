//! What a model wrote, and whether it came to the end of it.

use claim_lattice::{AnswerMode, finished};
use language_agents::{Completion, FinishReason};

/// The text of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Written {
    /// As it came.
    pub(crate) text: String,
    /// Whether a cap of tokens or a filter cut it off.
    pub(crate) broke_off: bool,
}

impl Written {
    /// What is read of it: a sentence that was cut off is no claim.
    pub(crate) fn read(&self, mode: AnswerMode) -> &str {
        if self.broke_off {
            finished(&self.text, mode)
        } else {
            &self.text
        }
    }
}

impl From<Completion> for Written {
    fn from(completion: Completion) -> Self {
        Self {
            broke_off: completion.finish != FinishReason::Stop,
            text: completion.text,
        }
    }
}
