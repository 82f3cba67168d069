//! JSON objects in a text.

use std::collections::BTreeSet;

use serde_json::{Deserializer, Value};

use super::Raw;

/// At most so many places are tried: what is noise stays cheap.
const ATTEMPTS: usize = 64;

pub(super) struct Object {
    pub(super) raw: Raw,
    pub(super) value: Value,
    /// Its length in bytes.
    pub(super) length: usize,
}

#[derive(Default)]
pub(super) struct Found {
    /// Objects with a conclusion, in order.
    pub(super) fitting: Vec<Object>,
    /// Whether there are other objects.
    pub(super) other: bool,
    /// Whether an object starts and the text ends within it.
    pub(super) unclosed: bool,
}

/// The outermost JSON objects of a text, the whole text first.
pub(super) fn objects(text: &str) -> Found {
    let mut found = Found::default();
    let mut rest = text;
    for _ in 0..ATTEMPTS {
        let Some(open) = rest.find('{') else {
            break;
        };
        rest = rest.get(open..).unwrap_or_default();
        let mut stream = Deserializer::from_str(rest).into_iter::<Value>();
        let skip = match stream.next() {
            Some(Ok(value)) => {
                let length = stream.byte_offset();
                let object = rest.get(..length).unwrap_or_default();
                match serde_json::from_str::<Raw>(object) {
                    Ok(raw) => found.fitting.push(Object { raw, value, length }),
                    Err(_) => found.other = true,
                }
                length
            }
            Some(Err(error)) if error.is_eof() && looks_like_object(rest) => {
                found.unclosed = true;
                break;
            }
            _ => 1,
        };
        rest = rest.get(skip..).unwrap_or_default();
    }
    found
}

/// Whether what follows a brace is a key, so that an end of text there is a broken object and
/// not a brace in prose.
fn looks_like_object(from_brace: &str) -> bool {
    let inside = from_brace.get(1..).unwrap_or_default().trim_start();
    inside.starts_with('"') || inside.is_empty()
}

/// The conclusions of the objects that stand in the material.
pub(crate) fn conclusions_in(material: &[&str]) -> BTreeSet<String> {
    let mut conclusions = BTreeSet::new();
    for text in material {
        if text.contains("conclusion") || text.contains('\\') {
            let found = objects(text).fitting.into_iter();
            conclusions.extend(found.map(|o| o.raw.conclusion.trim().to_owned()));
        }
    }
    conclusions
}

const TAGS: [&str; 4] = ["think", "thinking", "reasoning", "thought"];

/// The text after the reasoning: after the last closing tag; before an opening tag that is
/// never closed; else all of it.
pub(super) fn after_reasoning(text: &str) -> &str {
    let lower = text.to_ascii_lowercase();
    let after = TAGS
        .iter()
        .filter_map(|tag| {
            let close = format!("</{tag}>");
            lower.rfind(&close).map(|at| at + close.len())
        })
        .max()
        .unwrap_or(0);
    let (rest, rest_lower) = (
        text.get(after..).unwrap_or_default(),
        lower.get(after..).unwrap_or_default(),
    );
    let before = TAGS
        .iter()
        .filter_map(|tag| rest_lower.find(&format!("<{tag}>")))
        .min()
        .unwrap_or(rest.len());
    rest.get(..before).unwrap_or_default().trim()
}
