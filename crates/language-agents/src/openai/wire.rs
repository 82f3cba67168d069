//! The JSON of the chat protocol, both ways.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{OpenAiOptions, TokenLimit};
use crate::{AgentError, Completion, FinishReason, Prompt};

/// The body of a request; `structured` says whether a schema is passed on.
pub(super) fn request(
    model: &str,
    prompt: &Prompt,
    options: &OpenAiOptions,
    structured: bool,
) -> Value {
    let mut body = Map::new();
    let mut set = |key: &str, value: Value| body.insert(key.to_owned(), value);
    set("model", json!(model));
    let system =
        (!prompt.system.is_empty()).then(|| json!({"role": "system", "content": prompt.system}));
    let user = json!({"role": "user", "content": prompt.user});
    set("messages", system.into_iter().chain([user]).collect());
    let limit = match options.token_limit {
        TokenLimit::MaxTokens => "max_tokens",
        TokenLimit::MaxCompletionTokens => "max_completion_tokens",
    };
    set(limit, json!(prompt.max_tokens));
    if let Some(temperature) = options.temperature {
        set("temperature", json!(temperature));
    }
    if let Some(seed) = options.seed {
        set("seed", json!(seed));
    }
    set("stream", json!(options.stream));
    if options.stream {
        set("stream_options", json!({"include_usage": true}));
    }
    if let (true, Some(schema)) = (structured, &prompt.output_schema) {
        let schema = json!({"name": "reply", "strict": is_strict(schema), "schema": schema});
        set(
            "response_format",
            json!({"type": "json_schema", "json_schema": schema}),
        );
    }
    Value::Object(body)
}

/// Whether a schema keeps to what the protocol's strict mode asks for: objects name all their
/// properties as required and allow no others.
fn is_strict(schema: &Value) -> bool {
    let Some(object) = schema.as_object() else {
        return false;
    };
    let closed = object.get("additionalProperties") == Some(&Value::Bool(false));
    let properties = object.get("properties").and_then(Value::as_object);
    let required: Vec<&str> = object
        .get("required")
        .and_then(Value::as_array)
        .map(|names| names.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default();
    let parts_are = |properties: &Map<String, Value>| {
        closed
            && properties
                .keys()
                .all(|name| required.contains(&name.as_str()))
            && properties.values().all(is_strict)
    };
    let is_object = object.get("type") == Some(&json!("object"));
    match properties {
        Some(properties) => parts_are(properties),
        None => !is_object && object.get("items").is_none_or(is_strict),
    }
}

#[derive(Deserialize)]
struct Reply {
    #[serde(default)]
    choices: Vec<Choice>,
    #[serde(default)]
    usage: Option<Usage>,
    #[serde(default)]
    model: Option<String>,
    #[serde(default)]
    error: Option<Value>,
}

#[derive(Deserialize)]
struct Choice {
    /// The whole message of a reply, or a stream's next part of it.
    #[serde(default, alias = "delta")]
    message: Option<Message>,
    #[serde(default)]
    finish_reason: Option<String>,
}

#[derive(Deserialize, Default)]
struct Message {
    #[serde(default)]
    content: Option<String>,
    #[serde(default)]
    refusal: Option<String>,
}

#[derive(Deserialize, Clone, Copy)]
struct Usage {
    #[serde(default)]
    prompt_tokens: u64,
    #[serde(default)]
    completion_tokens: u64,
}

/// A reply in the making: one JSON document, or a stream's many.
#[derive(Default)]
pub(super) struct Assembly {
    text: String,
    refusal: String,
    has_text: bool,
    finish: Option<String>,
    usage: Option<Usage>,
    model: Option<String>,
    ended: bool,
}

impl Assembly {
    /// Takes a document. `[DONE]` ends a stream.
    pub(super) fn take(&mut self, data: &[u8]) -> Result<(), AgentError> {
        let text = std::str::from_utf8(data)
            .map_err(|e| malformed(format!("not UTF-8 after {} bytes", e.valid_up_to())))?;
        if text.trim() == "[DONE]" {
            self.ended = true;
            return Ok(());
        }
        // The parser's message holds a position and no text of the server's.
        let reply: Reply = serde_json::from_str(text).map_err(|e| {
            malformed(format!(
                "no JSON of a chat reply (line {}, column {})",
                e.line(),
                e.column()
            ))
        })?;
        if let Some(error) = reply.error.filter(|e| !e.is_null()) {
            return Err(AgentError::Failed {
                reason: format!("the server says {}", message(&error)),
            });
        }
        self.usage = reply.usage.or(self.usage);
        if self.model.is_none() {
            self.model = reply.model;
        }
        // One choice was asked for; others are not read.
        let Some(choice) = reply.choices.into_iter().next() else {
            return Ok(());
        };
        let message = choice.message.unwrap_or_default();
        if let Some(content) = message.content {
            self.has_text = true;
            self.text.push_str(&content);
        }
        if let Some(refusal) = message.refusal {
            self.refusal.push_str(&refusal);
        }
        self.finish = choice.finish_reason.or(self.finish.take());
        Ok(())
    }

    /// Whether the stream has said its `[DONE]`.
    pub(super) fn has_ended(&self) -> bool {
        self.ended
    }

    /// The completion. A stream that stops without a reason is truncated.
    pub(super) fn complete(self, model: &str, streamed: bool) -> Result<Completion, AgentError> {
        if !self.refusal.is_empty() {
            return Err(AgentError::Refused {
                reason: clip(&self.refusal),
            });
        }
        if streamed && self.finish.is_none() && !self.ended {
            return Err(AgentError::Truncated {
                reason: "the stream ends without a finish reason".to_owned(),
            });
        }
        if !self.has_text {
            return Err(malformed("no message with text in it".to_owned()));
        }
        let finish = match self.finish.as_deref() {
            Some("length") => FinishReason::Length,
            Some("content_filter") => FinishReason::ContentFilter,
            _ => FinishReason::Stop,
        };
        let (tokens_in, tokens_out) = self
            .usage
            .map_or((0, 0), |u| (u.prompt_tokens, u.completion_tokens));
        let answered = self.model.filter(|m| !m.is_empty());
        Ok(Completion::new(self.text)
            .with_tokens(tokens_in, tokens_out)
            .with_model(answered.unwrap_or_else(|| model.to_owned()))
            .with_finish(finish))
    }
}

fn malformed(reason: String) -> AgentError {
    AgentError::Malformed { reason }
}

/// What an error document says, in one short line without control characters.
pub(super) fn message(error: &Value) -> String {
    let said = ["message", "detail", "error"]
        .iter()
        .find_map(|key| error.get(key).and_then(Value::as_str))
        .or_else(|| error.as_str())
        .unwrap_or("nothing that can be read");
    clip(said)
}

fn clip(text: &str) -> String {
    const LONGEST: usize = 300;
    let mut line: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .take(LONGEST)
        .collect();
    if text.chars().nth(LONGEST).is_some() {
        line.push('…');
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strict_is_claimed_only_for_schemas_that_keep_to_it() {
        let open = json!({"type": "object", "properties": {"a": {"type": "string"}}});
        let closed = json!({"type": "object", "properties": {"a": {"type": "string"}},
            "required": ["a"], "additionalProperties": false});
        let inside = json!({"type": "object", "properties": {"a": open},
            "required": ["a"], "additionalProperties": false});
        let list = json!({"type": "array", "items": closed});
        assert!(!is_strict(&open) && is_strict(&closed) && !is_strict(&inside) && is_strict(&list));
        assert!(!is_strict(&json!({"type": "object"})) && !is_strict(&json!(true)));
    }

    #[test]
    fn the_request_is_the_protocols() {
        let prompt = Prompt::new("q").with_system("s").with_max_tokens(7);
        let mut options = OpenAiOptions {
            stream: false,
            ..OpenAiOptions::default()
        };
        assert_eq!(
            request("m", &prompt, &options, true),
            json!({"max_tokens": 7, "messages": [{"content": "s", "role": "system"},
                {"content": "q", "role": "user"}], "model": "m", "stream": false, "temperature": 0.0})
        );
        options.stream = true;
        options.token_limit = TokenLimit::MaxCompletionTokens;
        options.temperature = None;
        options.seed = Some(3);
        let prompt = Prompt::new("q").with_schema(json!({"type": "object"}));
        let body = request("m", &prompt, &options, true);
        assert_eq!(body["max_completion_tokens"], 512);
        assert_eq!(body["seed"], 3);
        assert_eq!(body["stream_options"]["include_usage"], true);
        assert_eq!(body["response_format"]["json_schema"]["strict"], false);
        assert!(body.get("temperature").is_none() && body.get("max_tokens").is_none());
        assert!(
            request("m", &prompt, &options, false)
                .get("response_format")
                .is_none()
        );
    }

    #[test]
    fn error_texts_are_short_lines() {
        assert_eq!(message(&json!({"message": "a\nb"})), "a b");
        assert_eq!(message(&json!("x".repeat(400))).chars().count(), 301);
        assert_eq!(message(&json!({"code": 1})), "nothing that can be read");
    }
}
