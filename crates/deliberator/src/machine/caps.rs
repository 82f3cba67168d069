//! What has been spent, and what is promised to open calls.

use language_agents::{AgentError, Completion, Prompt, token_bound};
use serde::{Deserialize, Serialize};

use crate::escalation::Reason;
use crate::options::Caps;

/// The account of a run. A call is charged with the most it can cost when it is asked and
/// settled when it is answered; a call that reports no tokens, or fails, stays charged in full.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct Account {
    pub(super) calls: u64,
    pub(super) tokens_in: u64,
    pub(super) tokens_out: u64,
    /// Tokens charged: settled ones as reported, open ones by their bound.
    charged: u64,
}

impl Account {
    /// Charges the calls, or says what is missing; all of them or none.
    pub(super) fn charge(&mut self, prompts: &[&Prompt], caps: &Caps) -> Result<(), Reason> {
        let calls = prompts.len() as u64;
        let left = caps.max_calls.saturating_sub(self.calls);
        if calls > left {
            return Err(exhausted("calls", calls, left));
        }
        let tokens = prompts
            .iter()
            .fold(0_u64, |sum, p| sum.saturating_add(token_bound(p)));
        let left = caps.max_tokens.saturating_sub(self.charged);
        if tokens > left {
            return Err(exhausted("tokens", tokens, left));
        }
        self.calls += calls;
        self.charged = self.charged.saturating_add(tokens);
        Ok(())
    }

    pub(super) fn settle(&mut self, prompt: &Prompt, result: &Result<Completion, AgentError>) {
        let Ok(done) = result else {
            return;
        };
        self.tokens_in = self.tokens_in.saturating_add(done.tokens_in);
        self.tokens_out = self.tokens_out.saturating_add(done.tokens_out);
        let used = done.tokens_in.saturating_add(done.tokens_out);
        if used > 0 {
            let bound = token_bound(prompt);
            self.charged = self.charged.saturating_sub(bound).saturating_add(used);
        }
    }
}

fn exhausted(resource: &str, needed: u64, left: u64) -> Reason {
    Reason::BudgetExhausted {
        resource: resource.to_owned(),
        needed,
        left,
    }
}
