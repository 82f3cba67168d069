//! The agent without a model: it picks sentences and cites them.

mod select;
mod sentences;

pub use select::{Extract, extract};
pub(crate) use select::{is_function_word, language_of};

use serde_json::json;

use crate::{
    Agent, AgentError, AnswerMode, BoxFuture, Completion, ContextItem, Prompt, token_bound,
};
use text_units::Language;

/// Answers with the evidence sentences that together best cover the question, each verbatim and
/// cited, or with an honest refusal where no sentence bears on it.
///
/// Sentences and questions meet as stems weighted by their rarity in the evidence (inverse
/// document frequency over its sentences); sentences are taken greedily, each for what it covers
/// beyond those before it. Works in English and Catalan, whichever the question's function words
/// show. Deterministic; reads only [`Prompt::context`] and [`Prompt::question`].
#[derive(Debug, Clone, Copy)]
pub struct Extractive {
    max_claims: usize,
}

impl Default for Extractive {
    fn default() -> Self {
        Self::new()
    }
}

impl Extractive {
    /// Its model id in completions.
    pub const MODEL_ID: &'static str = "extractive";

    /// An agent that makes at most three claims.
    #[must_use]
    pub fn new() -> Self {
        Self { max_claims: 3 }
    }

    /// Sets how many claims it makes at most (at least 1).
    #[must_use]
    pub fn with_max_claims(mut self, max_claims: usize) -> Self {
        self.max_claims = max_claims.max(1);
        self
    }

    fn answer(&self, prompt: &Prompt) -> String {
        let passages = passages(prompt);
        let quotes = prompt.mode == AnswerMode::Quote;
        // A conclusion states its own confidence: it may rest on little, and says how little.
        let bearing = prompt.mode != AnswerMode::Conclusion;
        let found = select::choose(&prompt.question, &passages, self.max_claims, bearing);
        let found: Vec<Extract> = found
            .into_iter()
            .filter(|e| !quotes || !e.sentence.contains(['"', '“', '”', '«', '»']))
            .collect();
        match prompt.mode {
            AnswerMode::Json => {
                let claims: Vec<_> = found
                    .iter()
                    .map(|e| json!({"text": e.sentence, "evidence_ids": [e.pointer]}))
                    .collect();
                json!({ "claims": claims }).to_string()
            }
            AnswerMode::Conclusion => conclusion(&found).to_string(),
            AnswerMode::Pointer | AnswerMode::Quote => prose(&prompt.question, &found, quotes),
        }
    }
}

/// What may be cited: evidence where there is any, else the nodes and conclusions in view.
fn passages(prompt: &Prompt) -> Vec<(&str, &str)> {
    let evidence: Vec<(&str, &str)> = prompt
        .context
        .iter()
        .filter_map(|item| match item {
            ContextItem::Evidence { pointer, text, .. } => Some((pointer.as_str(), text.as_str())),
            _ => None,
        })
        .collect();
    if !evidence.is_empty() {
        return evidence;
    }
    prompt
        .context
        .iter()
        .filter_map(|item| match item {
            ContextItem::Node { id, content, .. } => Some((id.as_str(), content.as_str())),
            ContextItem::Conclusion { pass, content, .. } => {
                Some((pass.as_str(), content.as_str()))
            }
            _ => None,
        })
        .collect()
}

fn prose(question: &str, found: &[Extract], quotes: bool) -> String {
    if found.is_empty() {
        return refusal(question).to_owned();
    }
    let mut out = String::new();
    for extract in found {
        if !out.is_empty() {
            out.push('\n');
        }
        let (sentence, pointer) = (&extract.sentence, &extract.pointer);
        out.push_str(&if quotes {
            format!("\"{sentence}\" [{pointer}]")
        } else {
            format!("{sentence} [{pointer}]")
        });
    }
    out
}

/// The refusal, in the language of the question.
fn refusal(question: &str) -> &'static str {
    match language_of(question) {
        Language::Catalan => "Les fonts no permeten respondre a aquesta pregunta.",
        _ => "The sources do not answer this question.",
    }
}

/// The conclusion form: the best sentences as they are; the confidence is half of what they cover
/// of the question, because an agent that quotes has not reasoned.
fn conclusion(found: &[Extract]) -> serde_json::Value {
    if found.is_empty() {
        return json!({
            "conclusion": "Nothing in view bears on the question.",
            "confidence": 0.0,
            "reasoning": "No sentence shares a word with the question.",
            "sources": [],
        });
    }
    let text: Vec<&str> = found.iter().map(|e| e.sentence.as_str()).collect();
    let sources: Vec<&str> = found.iter().map(|e| e.pointer.as_str()).collect();
    let covered: f64 = found.iter().map(|e| e.covers).sum();
    json!({
        "conclusion": text.join(" "),
        "confidence": (covered.clamp(0.0, 1.0) * 50.0).round() / 100.0,
        "reasoning": "Sentences taken verbatim; the confidence is half the share of the question that they cover.",
        "sources": sources,
    })
}

impl Agent for Extractive {
    fn complete(&self, prompt: Prompt) -> BoxFuture<'_, Result<Completion, AgentError>> {
        Box::pin(async move {
            let text = self.answer(&prompt);
            // No tokenizer is at hand: a quarter of the bytes is the usual rough count.
            let read = token_bound(&prompt).saturating_sub(u64::from(prompt.max_tokens));
            let written = (text.len() as u64).div_ceil(4);
            Ok(Completion::new(text)
                .with_tokens(read.div_ceil(4), written)
                .with_model(Self::MODEL_ID))
        })
    }
}

#[cfg(test)]
mod tests;
