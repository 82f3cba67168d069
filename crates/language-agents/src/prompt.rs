//! What an agent is asked.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The form in which the answer is wished.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum AnswerMode {
    /// Prose whose sentences end in pointers: `Sentence. [E1]`.
    #[default]
    Pointer,
    /// `{"claims":[{"text":"…","evidence_ids":["E1"]}]}`.
    Json,
    /// Prose with verbatim quotations in quotation marks.
    Quote,
    /// A conclusion of a deliberation:
    /// `{"conclusion":"…","confidence":0.0,"reasoning":"…"}`.
    Conclusion,
}

/// Something a prompt was built from, typed, so that no agent needs to parse prose for it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum ContextItem {
    /// A passage that an answer may cite.
    Evidence {
        /// The pointer by which it is cited, `E1`.
        pointer: String,
        /// The title of its source.
        title: String,
        /// The passage.
        text: String,
    },
    /// A node of a knowledge graph.
    Node {
        /// The node's id.
        id: String,
        /// Its content.
        content: String,
        /// Its confidence, 0 to 1.
        confidence: f64,
        /// Whether it is only context: a neighbour across the cut, not part of the cell.
        boundary: bool,
    },
    /// A relation between two nodes.
    Relation {
        /// The node it starts at.
        source: String,
        /// The node it ends at.
        target: String,
        /// Its type, `causal`.
        relation: String,
        /// Its weight.
        weight: f64,
    },
    /// What is taken for granted about a relation.
    Assumption {
        /// The node it starts at.
        source: String,
        /// The node it ends at.
        target: String,
        /// Whether it is taken to hold.
        holds: bool,
    },
    /// What an earlier pass concluded.
    Conclusion {
        /// The id of the pass.
        pass: String,
        /// What it concluded.
        content: String,
        /// How sure it was, 0 to 1.
        confidence: f64,
    },
}

/// A question to an agent: the text for a model and, beside it, typed, what it was built from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Prompt {
    /// The standing instruction (the system message).
    pub system: String,
    /// The request itself (the user message), with all the context written out.
    pub user: String,
    /// A JSON Schema of the reply, where structured output is wished.
    pub output_schema: Option<Value>,
    /// The question alone, unchanged.
    pub question: String,
    /// The form in which the answer is wished.
    pub mode: AnswerMode,
    /// What the text was built from, in the order of the text.
    pub context: Vec<ContextItem>,
    /// At most so many tokens may be generated.
    pub max_tokens: u32,
}

impl Default for Prompt {
    fn default() -> Self {
        Self {
            system: String::new(),
            user: String::new(),
            output_schema: None,
            question: String::new(),
            mode: AnswerMode::default(),
            context: Vec::new(),
            max_tokens: Self::DEFAULT_MAX_TOKENS,
        }
    }
}

impl Prompt {
    /// The default cap on generated tokens.
    pub const DEFAULT_MAX_TOKENS: u32 = 512;

    /// A prompt whose user text is the question and nothing else.
    #[must_use]
    pub fn new(question: impl Into<String>) -> Self {
        let question = question.into();
        Self {
            user: question.clone(),
            question,
            ..Self::default()
        }
    }

    /// Sets the system text.
    #[must_use]
    pub fn with_system(mut self, system: impl Into<String>) -> Self {
        self.system = system.into();
        self
    }

    /// Sets the user text; the question stays as it is.
    #[must_use]
    pub fn with_user(mut self, user: impl Into<String>) -> Self {
        self.user = user.into();
        self
    }

    /// Sets the JSON Schema of the reply.
    #[must_use]
    pub fn with_schema(mut self, schema: Value) -> Self {
        self.output_schema = Some(schema);
        self
    }

    /// Sets the form of the answer.
    #[must_use]
    pub fn with_mode(mut self, mode: AnswerMode) -> Self {
        self.mode = mode;
        self
    }

    /// Sets the cap on generated tokens.
    #[must_use]
    pub fn with_max_tokens(mut self, max_tokens: u32) -> Self {
        self.max_tokens = max_tokens;
        self
    }

    /// Adds an item of context.
    #[must_use]
    pub fn with_context(mut self, item: ContextItem) -> Self {
        self.context.push(item);
        self
    }

    /// Adds a passage that may be cited by `pointer`.
    #[must_use]
    pub fn with_evidence(
        self,
        pointer: impl Into<String>,
        title: impl Into<String>,
        text: impl Into<String>,
    ) -> Self {
        self.with_context(ContextItem::Evidence {
            pointer: pointer.into(),
            title: title.into(),
            text: text.into(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prompts_round_trip_with_pinned_names() {
        let prompt =
            Prompt::new("q")
                .with_evidence("E1", "T", "x")
                .with_context(ContextItem::Node {
                    id: "n".into(),
                    content: "c".into(),
                    confidence: 0.5,
                    boundary: true,
                });
        let json = serde_json::to_string(&prompt).unwrap();
        assert_eq!(
            json,
            concat!(
                r#"{"system":"","user":"q","output_schema":null,"question":"q","mode":"pointer","#,
                r#""context":[{"kind":"evidence","pointer":"E1","title":"T","text":"x"},"#,
                r#"{"kind":"node","id":"n","content":"c","confidence":0.5,"boundary":true}],"#,
                r#""max_tokens":512}"#
            )
        );
        assert_eq!(serde_json::from_str::<Prompt>(&json).unwrap(), prompt);
    }
}
