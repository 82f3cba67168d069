//! An agent that reads its replies from a script.

use std::sync::Mutex;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::timer::lock;
use crate::{Agent, AgentError, BoxFuture, Completion, Prompt, token_bound};

/// One line of a script.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum Line {
    /// Replies, as often as it fits, to prompts whose system or user text contains `match`.
    Matching {
        /// What the prompt must contain.
        #[serde(rename = "match")]
        pattern: String,
        /// The reply: a string as it is, any other JSON as its text.
        reply: Value,
    },
    /// Fails, as often as it fits, on prompts whose system or user text contains `match`.
    Failing {
        /// What the prompt must contain.
        #[serde(rename = "match")]
        pattern: String,
        /// The error.
        error: AgentError,
    },
    /// Replies once, in order: a string as it is, any other JSON as its text.
    Next(Value),
}

/// A list of [`Line`]s. Matching lines are tried first, in order; then the next plain reply is
/// used up.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Script(pub Vec<Line>);

/// An agent that replies from a [`Script`]: for tests, examples and demonstrations.
///
/// Token counts are the lengths in bytes divided by four, rounded up (no tokenizer is at hand).
/// Plain replies are handed out in the order in which [`Agent::complete`] is called.
#[derive(Debug)]
pub struct Scripted {
    lines: Vec<Line>,
    next: Mutex<usize>,
}

impl Scripted {
    /// An agent that follows a script.
    #[must_use]
    pub fn new(script: Script) -> Self {
        Self {
            lines: script.0,
            next: Mutex::new(0),
        }
    }

    /// An agent that gives these replies one after another.
    pub fn replies<I, S>(replies: I) -> Self
    where
        I: IntoIterator<Item = S>,
        S: Into<String>,
    {
        let lines = replies
            .into_iter()
            .map(|r| Line::Next(Value::String(r.into())));
        Self::new(Script(lines.collect()))
    }

    fn reply(&self, prompt: &Prompt) -> Result<Completion, AgentError> {
        let fits = |p: &str| prompt.system.contains(p) || prompt.user.contains(p);
        for line in &self.lines {
            match line {
                Line::Matching { pattern, reply } if fits(pattern) => {
                    return Ok(completion(prompt, reply));
                }
                Line::Failing { pattern, error } if fits(pattern) => return Err(error.clone()),
                _ => {}
            }
        }
        let mut next = lock(&self.next);
        while let Some(line) = self.lines.get(*next) {
            *next += 1;
            if let Line::Next(reply) = line {
                return Ok(completion(prompt, reply));
            }
        }
        Err(AgentError::NotRecorded {
            difference: "the script has no further reply and none that matches".to_owned(),
        })
    }
}

fn completion(prompt: &Prompt, reply: &Value) -> Completion {
    let text = match reply {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let tokens_in = token_bound(prompt)
        .saturating_sub(u64::from(prompt.max_tokens))
        .div_ceil(4);
    let tokens_out = (text.len() as u64).div_ceil(4);
    Completion::new(text)
        .with_tokens(tokens_in, tokens_out)
        .with_model("scripted")
}

impl Agent for Scripted {
    fn complete(&self, prompt: Prompt) -> BoxFuture<'_, Result<Completion, AgentError>> {
        let reply = self.reply(&prompt);
        Box::pin(std::future::ready(reply))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::executor::block_on;

    #[test]
    fn scripts_read_and_reply() {
        let script: Script = serde_json::from_str(
            r#"["first", {"confidence": 0.5}, {"match": "tower", "reply": "tall"},
                {"match": "fail", "error": {"error": "timeout", "after_ms": 5}}]"#,
        )
        .unwrap();
        let agent = Scripted::new(script);
        let ask = |q: &str| block_on(agent.complete(Prompt::new(q))).map(|c| c.text);
        assert_eq!(ask("the tower").unwrap(), "tall");
        assert_eq!(ask("a").unwrap(), "first");
        assert_eq!(ask("to fail"), Err(AgentError::Timeout { after_ms: 5 }));
        assert_eq!(ask("b").unwrap(), r#"{"confidence":0.5}"#);
        assert_eq!(ask("tower").unwrap(), "tall");
        assert!(matches!(ask("c"), Err(AgentError::NotRecorded { .. })));
    }
}
