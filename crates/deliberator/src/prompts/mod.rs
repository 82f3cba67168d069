//! What the agent is told.
//!
//! A prompt has a fixed instruction (the system text and the end of the user text: constants)
//! and material that nobody vouches for: contents and ids of nodes, the question, what other
//! passes replied. The material cannot become instruction:
//! - it stands between fence lines that carry a key, a digest of the material itself, checked
//!   to occur nowhere in it;
//! - every line of it starts with `| `, whatever marks the line break, and characters that hide
//!   or reorder text are written out as escapes;
//! - outside the fences nodes have aliases (`N1`, `N2`), never ids.

mod fence;
mod write;

pub use write::{FOCUS_INSTRUCTION, FOCUS_SYSTEM, RECONCILE_INSTRUCTION, RECONCILE_SYSTEM};
pub(crate) use write::{Intermediate, Material, MaterialEdge, Sight, focus, reconcile};

use serde_json::{Value, json};

/// The JSON Schema of the reply to a focus prompt.
#[must_use]
pub fn focus_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "conclusion": {"type": "string", "minLength": 1},
            "confidence": {"type": "number", "minimum": 0, "maximum": 1},
            "reasoning": {"type": "string"},
            "supports": {"type": "array", "items": {"type": "string"}},
            "contradicts": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["conclusion", "confidence", "reasoning"],
        "additionalProperties": false,
    })
}

/// The JSON Schema of the reply to a reconciliation prompt.
#[must_use]
pub fn reconcile_schema() -> Value {
    let mut schema = focus_schema();
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        properties.insert("contradiction_stands".into(), json!({"type": "boolean"}));
        properties.insert("wrong_assumption".into(), json!({"type": "string"}));
    }
    schema["required"] = json!([
        "conclusion",
        "confidence",
        "reasoning",
        "contradiction_stands"
    ]);
    schema
}
