//! What the agent replied.
//!
//! The whole text is tried first, then what follows the reasoning, then the JSON objects in it
//! one by one, then prose with a stated confidence. Every repair is noted. What cannot be used
//! is a typed failure of the pass: nothing is completed, guessed or taken from the material.

mod prose;
mod scan;

use std::collections::BTreeSet;

use language_agents::FinishReason;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub(crate) use scan::conclusions_in;

/// A reply longer than this is not read.
pub const MAX_REPLY: usize = 1 << 20;

/// A repair that was made while a reply was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ParseNote {
    /// Reasoning around the answer was left out.
    ReasoningRemoved,
    /// The JSON object stood in other text or in a code fence.
    SurroundingText,
    /// An object that stands in the material was passed over.
    MaterialPassedOver,
    /// The reply was prose, not JSON.
    Prose,
    /// The confidence was text, not a number.
    ConfidenceAsText,
    /// The confidence was a percentage, or a number from 1 to 100 read as one.
    ConfidenceAsPercent,
    /// No confidence was stated: it counts as 0.
    ConfidenceMissing,
    /// The confidence was no number from 0 to 1 nor a percentage: it counts as 0.
    ConfidenceOutOfRange,
    /// An alias in `supports`, `contradicts` or `sources` stands for no node in view.
    UnknownAlias,
}

/// Why a reply can't be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[serde(tag = "failure", rename_all = "snake_case")]
#[non_exhaustive]
pub enum ParseFailure {
    /// There is nothing but reasoning or white space.
    #[error("the answer is empty")]
    Empty,
    /// The reply stops before its end.
    #[error("the answer is truncated: {reason}")]
    Truncated {
        /// How that shows.
        reason: String,
    },
    /// A filter of the provider cut the reply.
    #[error("the answer was cut by a content filter")]
    Filtered,
    /// Several different objects could be the answer.
    #[error("the answer is ambiguous: {candidates} different objects fit")]
    Ambiguous {
        /// How many.
        candidates: usize,
    },
    /// The reply repeats the prompt or what stands in the material.
    #[error("the answer repeats the prompt")]
    Echo,
    /// There is no conclusion in it.
    #[error("the answer holds no conclusion: {reason}")]
    NoConclusion {
        /// What there is instead.
        reason: String,
    },
    /// The reply is longer than is read.
    #[error("the answer has {bytes} bytes; at most {MAX_REPLY} are read")]
    TooLong {
        /// Its length.
        bytes: usize,
    },
}

/// A reply that was read.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Reply {
    /// What was concluded.
    pub conclusion: String,
    /// How sure, 0 to 1.
    pub confidence: f64,
    /// Why.
    pub reasoning: String,
    /// Aliases of nodes that the conclusion speaks for.
    pub supports: Vec<String>,
    /// Aliases of nodes that it speaks against.
    pub contradicts: Vec<String>,
    /// Whether the passes are said to contradict each other with no way to tell which is wrong.
    pub contradiction_stands: bool,
    /// Which assumption is said to be wrong.
    pub wrong_assumption: String,
    /// The repairs.
    pub notes: Vec<ParseNote>,
}

/// The form that is asked for. Unknown fields are passed over; a field that comes twice makes
/// the object unfit.
#[derive(Debug, Deserialize)]
pub(crate) struct Raw {
    pub(crate) conclusion: String,
    #[serde(default)]
    confidence: Option<Value>,
    #[serde(default)]
    reasoning: Option<Value>,
    #[serde(default)]
    supports: Option<Value>,
    #[serde(default)]
    contradicts: Option<Value>,
    #[serde(default)]
    contradiction_stands: Option<Value>,
    #[serde(default)]
    wrong_assumption: Option<Value>,
}

/// Reads a reply. `key` is the key of the prompt's fences; `material` are the untrusted texts of
/// the prompt, whose own JSON objects never count as the answer.
///
/// Linear in the reply and the material but for at most 64 attempts to read an object.
///
/// # Errors
/// [`ParseFailure`] when there is no usable conclusion.
pub fn parse_reply(
    text: &str,
    finish: FinishReason,
    key: &str,
    material: &[&str],
) -> Result<Reply, ParseFailure> {
    if text.len() > MAX_REPLY {
        return Err(ParseFailure::TooLong { bytes: text.len() });
    }
    match finish {
        FinishReason::Length => {
            return Err(ParseFailure::Truncated {
                reason: "the cap on tokens was reached".to_owned(),
            });
        }
        FinishReason::ContentFilter => return Err(ParseFailure::Filtered),
        _ => {}
    }
    let mut notes = BTreeSet::new();
    let whole = text.trim();
    let answer = if serde_json::from_str::<Raw>(whole).is_ok() {
        whole
    } else {
        let rest = scan::after_reasoning(whole);
        if rest.len() != whole.len() {
            notes.insert(ParseNote::ReasoningRemoved);
        }
        rest
    };
    if answer.is_empty() {
        return Err(ParseFailure::Empty);
    }
    if !key.is_empty() && answer.to_ascii_lowercase().contains(key) {
        return Err(ParseFailure::Echo);
    }
    let raw = match find_object(answer, material, &mut notes)? {
        Some(raw) => raw,
        None => return prose::read(answer, material, notes),
    };
    finish_reply(raw, notes)
}

/// The one object that fits and is not the material's.
fn find_object(
    answer: &str,
    material: &[&str],
    notes: &mut BTreeSet<ParseNote>,
) -> Result<Option<Raw>, ParseFailure> {
    let scan::Found {
        fitting,
        other,
        unclosed,
    } = scan::objects(answer);
    let foreign = conclusions_in(material);
    let had = fitting.len();
    let mut own: Vec<scan::Object> = Vec::new();
    for object in fitting {
        if foreign.contains(object.raw.conclusion.trim()) {
            notes.insert(ParseNote::MaterialPassedOver);
        } else if !own.iter().any(|o| o.value == object.value) {
            own.push(object);
        }
    }
    if own.len() > 1 {
        return Err(ParseFailure::Ambiguous {
            candidates: own.len(),
        });
    }
    if unclosed {
        return Err(ParseFailure::Truncated {
            reason: "a JSON object is not closed".to_owned(),
        });
    }
    match own.pop() {
        Some(object) => {
            if object.length != answer.len() {
                notes.insert(ParseNote::SurroundingText);
            }
            Ok(Some(object.raw))
        }
        None if had > 0 => Err(ParseFailure::Echo),
        None if other => Err(ParseFailure::NoConclusion {
            reason: "a JSON object without a text named conclusion".to_owned(),
        }),
        None => Ok(None),
    }
}

fn finish_reply(raw: Raw, mut notes: BTreeSet<ParseNote>) -> Result<Reply, ParseFailure> {
    let conclusion = raw.conclusion.trim().to_owned();
    if conclusion.is_empty() {
        return Err(ParseFailure::NoConclusion {
            reason: "its conclusion is an empty text".to_owned(),
        });
    }
    let confidence = match raw.confidence {
        None | Some(Value::Null) => {
            notes.insert(ParseNote::ConfidenceMissing);
            0.0
        }
        Some(Value::Number(number)) => {
            prose::in_range(number.as_f64().unwrap_or(f64::NAN), false, &mut notes)
        }
        Some(Value::String(text)) => {
            notes.insert(ParseNote::ConfidenceAsText);
            match prose::number_in(&text) {
                Some((value, percent)) => prose::in_range(value, percent, &mut notes),
                None => prose::in_range(f64::NAN, false, &mut notes),
            }
        }
        Some(_) => prose::in_range(f64::NAN, false, &mut notes),
    };
    Ok(Reply {
        conclusion,
        confidence,
        reasoning: as_text(raw.reasoning),
        supports: as_list(raw.supports),
        contradicts: as_list(raw.contradicts),
        contradiction_stands: is_yes(raw.contradiction_stands.as_ref()),
        wrong_assumption: as_text(raw.wrong_assumption),
        notes: notes.into_iter().collect(),
    })
}

fn as_text(value: Option<Value>) -> String {
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text,
        Some(other) => other.to_string(),
    }
}

fn as_list(value: Option<Value>) -> Vec<String> {
    match value {
        Some(Value::Array(items)) => items
            .into_iter()
            .filter_map(|item| match item {
                Value::String(text) => Some(text),
                _ => None,
            })
            .collect(),
        Some(Value::String(text)) => text
            .split([',', ' '])
            .filter(|t| !t.is_empty())
            .map(str::to_owned)
            .collect(),
        _ => Vec::new(),
    }
}

/// Whatever is not plainly a no counts as a contradiction that stands.
fn is_yes(value: Option<&Value>) -> bool {
    match value {
        None | Some(Value::Null | Value::Bool(false)) => false,
        Some(Value::String(text)) => {
            let text = text.trim().to_ascii_lowercase();
            !matches!(text.as_str(), "" | "false" | "no" | "none")
        }
        Some(_) => true,
    }
}

#[cfg(test)]
mod tests;
