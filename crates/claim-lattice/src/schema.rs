//! The JSON Schema of JSON answers.

/// The JSON Schema (draft 2020-12) of what a model may write in
/// [`AnswerMode::Json`](crate::AnswerMode::Json), for grammar-constrained decoding.
///
/// With the pointer ids of a map, ids are limited to them: a model decoded under the schema
/// cannot name evidence that is not there.
#[must_use]
pub fn json_schema(pointer_ids: &[&str]) -> String {
    let items = if pointer_ids.is_empty() {
        r#"{"type":"string"}"#.to_owned()
    } else {
        let ids: Vec<String> = pointer_ids.iter().map(|id| quoted(id)).collect();
        format!(r#"{{"type":"string","enum":[{}]}}"#, ids.join(","))
    };
    format!(
        r#"{{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{{"claims":{{"type":"array","items":{{"type":"object","properties":{{"text":{{"type":"string","minLength":1}},"evidence_ids":{{"type":"array","items":{items},"minItems":1}}}},"required":["text","evidence_ids"],"additionalProperties":false}}}}}},"required":["claims"],"additionalProperties":false}}"#
    )
}

fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if c.is_control() => out.push_str(&format!("\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_is_json_and_limits_ids() {
        let open: serde_json::Value = serde_json::from_str(&json_schema(&[])).unwrap();
        assert_eq!(open["required"][0], "claims");
        let closed: serde_json::Value =
            serde_json::from_str(&json_schema(&["E1", "E\"2"])).unwrap();
        let item = &closed["properties"]["claims"]["items"]["properties"]["evidence_ids"]["items"];
        assert_eq!(item["enum"][1], "E\"2");
    }
}
