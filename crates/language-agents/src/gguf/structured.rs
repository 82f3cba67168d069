//! Output in the form of a JSON Schema: what the schema fixes is written, what it leaves open the
//! model chooses.
//!
//! A plan is made of the part of JSON Schema that prompts here use: objects, whose required
//! properties are written in the order in which `required` names them (all, where it is not there);
//! arrays; strings; strings out
//! of an `enum`; numbers; truth values. Any other schema has no plan, and the text is free.

use serde_json::Value;

/// Items of an array whose schema sets no `maxItems`.
const MOST_ITEMS: usize = 8;
/// Digits before and after the point.
const DIGITS: usize = 6;
const DEEPEST: usize = 8;

/// What is written, piece by piece.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Plan {
    Object(Vec<(String, Plan)>),
    Array {
        item: Box<Plan>,
        least: usize,
        most: usize,
    },
    /// A string with no escape in it; whether it may be empty.
    Text {
        empty: bool,
    },
    /// One of these JSON texts.
    Choice(Vec<String>),
    Number {
        integer: bool,
    },
    /// A number from 0 to 1.
    Unit,
}

impl Plan {
    /// The plan for a schema, where it has one.
    pub(super) fn of(schema: &Value) -> Option<Self> {
        Self::at(schema, 0)
    }

    fn at(schema: &Value, depth: usize) -> Option<Self> {
        if depth > DEEPEST {
            return None;
        }
        let object = schema.as_object()?;
        if let Some(options) = object.get("enum") {
            let options = options.as_array()?;
            let texts: Vec<String> = options.iter().map(Value::to_string).collect();
            return (!texts.is_empty()).then_some(Self::Choice(texts));
        }
        Some(match object.get("type")?.as_str()? {
            "object" => {
                let properties = object.get("properties")?.as_object()?;
                let names: Vec<&str> = match object.get("required") {
                    None => properties.keys().map(String::as_str).collect(),
                    Some(names) => names.as_array()?.iter().filter_map(Value::as_str).collect(),
                };
                let parts = names.into_iter().map(|name| {
                    let plan = Self::at(properties.get(name)?, depth + 1)?;
                    Some((name.to_owned(), plan))
                });
                Self::Object(parts.collect::<Option<_>>()?)
            }
            "array" => {
                let count = |key: &str| object.get(key).and_then(Value::as_u64);
                let item = Self::at(object.get("items")?, depth + 1)?;
                let least = count("minItems").map_or(0, |n| n as usize);
                let most = count("maxItems").map_or(MOST_ITEMS, |n| n as usize);
                Self::Array {
                    item: Box::new(item),
                    least: least.min(most),
                    most,
                }
            }
            "string" => Self::Text {
                empty: object.get("minLength").and_then(Value::as_u64) == Some(0),
            },
            "number" => {
                let bound = |key: &str| object.get(key).and_then(Value::as_f64);
                if bound("minimum") == Some(0.0) && bound("maximum") == Some(1.0) {
                    Self::Unit
                } else {
                    Self::Number { integer: false }
                }
            }
            "integer" => Self::Number { integer: true },
            "boolean" => Self::Choice(vec!["true".to_owned(), "false".to_owned()]),
            _ => return None,
        })
    }
}

/// Why the writing stopped before its end.
pub(super) enum Stop {
    /// The cap on tokens.
    Full,
    /// An error of the model, the deadline.
    Failed(crate::AgentError),
}

/// What a plan is written with.
pub(super) trait Pen {
    /// Writes fixed text.
    fn write(&mut self, text: &str) -> Result<(), Stop>;

    /// The likeliest token among those whose bytes `allowed` lets pass; its bytes. Not yet written.
    fn likeliest(&mut self, allowed: &dyn Fn(&[u8]) -> bool) -> Result<Vec<u8>, Stop>;

    /// Writes the token that [`Pen::likeliest`] chose last.
    fn take(&mut self) -> Result<(), Stop>;
}

/// Writes a plan.
pub(super) fn write(plan: &Plan, pen: &mut dyn Pen) -> Result<(), Stop> {
    match plan {
        Plan::Object(parts) => {
            for (i, (name, part)) in parts.iter().enumerate() {
                let name = Value::String(name.clone());
                let before = if i == 0 { "{" } else { ", " };
                let quote = if matches!(part, Plan::Text { .. }) {
                    "\""
                } else {
                    ""
                };
                pen.write(&format!("{before}{name}: {quote}"))?;
                write(part, pen)?;
            }
            pen.write(if parts.is_empty() { "{}" } else { "}" })
        }
        Plan::Array { item, least, most } => array(item, *least, *most, pen),
        Plan::Text { empty } => text(*empty, pen),
        Plan::Choice(options) => choice(options, pen).map(|_| ()),
        Plan::Number { integer } => number(*integer, pen),
        Plan::Unit => unit(pen),
    }
}

fn array(item: &Plan, least: usize, most: usize, pen: &mut dyn Pen) -> Result<(), Stop> {
    pen.write("[")?;
    let opens = if matches!(item, Plan::Text { .. }) {
        "\""
    } else {
        ""
    };
    // A list of choices is a set: what was chosen is not chosen again.
    let mut left = match item {
        Plan::Choice(options) => Some(options.clone()),
        _ => None,
    };
    for i in 0..most {
        if left.as_ref().is_some_and(Vec::is_empty) {
            break;
        }
        if i >= least {
            let more: &[u8] = if i == 0 { b"\"{[0123456789tf" } else { b"," };
            let next = pen.likeliest(
                &|token| matches!(first(token), Some(b) if b == b']' || more.contains(&b)),
            )?;
            if first(&next) == Some(b']') {
                break;
            }
        }
        pen.write(&format!("{}{opens}", if i == 0 { "" } else { ", " }))?;
        match &mut left {
            None => write(item, pen)?,
            Some(options) => {
                let chosen = choice(options, pen)?;
                options.retain(|option| *option != chosen);
            }
        }
    }
    pen.write("]")
}

/// The first byte that is no blank.
fn first(token: &[u8]) -> Option<u8> {
    token.iter().copied().find(|b| !b.is_ascii_whitespace())
}

fn text(empty: bool, pen: &mut dyn Pen) -> Result<(), Stop> {
    let mut any = empty;
    loop {
        let next = pen.likeliest(&|token| {
            let plain = |b: &u8| *b >= 0x20 && *b != b'"' && *b != b'\\';
            let ends = any && token.first() == Some(&b'"');
            ends || (!token.is_empty() && token.iter().all(plain))
        })?;
        if next.first() == Some(&b'"') {
            return pen.write("\"");
        }
        any |= next.iter().any(|b| !b.is_ascii_whitespace());
        pen.take()?;
    }
}

fn choice(options: &[String], pen: &mut dyn Pen) -> Result<String, Stop> {
    let mut done = Vec::new();
    loop {
        let open = options.iter().filter(|o| o.as_bytes().starts_with(&done));
        let open: Vec<&String> = open.collect();
        if let [only] = open.as_slice() {
            pen.write(only.get(done.len()..).unwrap_or_default())?;
            return Ok((*only).clone());
        }
        // One option may begin another.
        if let Some(whole) = open.iter().find(|o| o.len() == done.len()) {
            return Ok((*whole).clone());
        }
        let next = pen.likeliest(&|token| {
            !token.is_empty()
                && open.iter().any(|o| {
                    let rest = o.as_bytes().get(done.len()..).unwrap_or_default();
                    rest.starts_with(token)
                })
        })?;
        done.extend(&next);
        pen.take()?;
    }
}

/// `0`, `1`, or `0.` and digits.
fn unit(pen: &mut dyn Pen) -> Result<(), Stop> {
    let next = pen.likeliest(&|token| token == b"0" || token == b"1")?;
    pen.take()?;
    if next == b"1" {
        return Ok(());
    }
    let next =
        pen.likeliest(&|token| token == b"." || matches!(first(token), Some(b',' | b'}' | b']')))?;
    if next != b"." {
        return Ok(());
    }
    pen.take()?;
    let mut part = 0;
    loop {
        let next = pen.likeliest(&|token| {
            let digits = !token.is_empty() && token.iter().all(u8::is_ascii_digit);
            (digits && part + token.len() <= DIGITS)
                || (part > 0 && matches!(first(token), Some(b',' | b'}' | b']')))
        })?;
        if !next.iter().all(u8::is_ascii_digit) {
            return Ok(());
        }
        part += next.len();
        pen.take()?;
    }
}

fn number(integer: bool, pen: &mut dyn Pen) -> Result<(), Stop> {
    let (mut whole, mut part, mut point) = (0, 0, false);
    loop {
        let next = pen.likeliest(&|token| {
            let digits = !token.is_empty() && token.iter().all(u8::is_ascii_digit);
            let room = if point { DIGITS - part } else { DIGITS - whole };
            let complete = whole > 0 && (!point || part > 0);
            // No zero in front of another digit, which JSON has not.
            let leads = whole > 0 || token == b"0" || token.first() != Some(&b'0');
            (digits && token.len() <= room && leads)
                || (token == b"." && !integer && !point && whole > 0)
                || (complete && matches!(first(token), Some(b',' | b'}' | b']')))
        })?;
        match next.as_slice() {
            b"." => point = true,
            digits if digits.iter().all(u8::is_ascii_digit) => {
                if point {
                    part += digits.len();
                } else {
                    // A leading zero stands alone.
                    whole = if digits == b"0" && whole == 0 {
                        DIGITS
                    } else {
                        whole + digits.len()
                    };
                }
            }
            _ => return Ok(()),
        }
        pen.take()?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    /// A pen whose model wants tokens in an order drawn by chance, out of a small vocabulary.
    struct Chance {
        order: Vec<usize>,
        at: usize,
        chosen: Vec<u8>,
        out: Vec<u8>,
        room: usize,
    }

    const TOKENS: &[&[u8]] = &[
        b"\"", b"\",", b"a", b" the", b"E", b"E1", b"1", b"2", b"0", b"00", b".", b"{", b"}", b"]",
        b"],", b", ", b"\\", b"\n", b"tr", b"ue", b"true", b"f", b"alse", b"\xc3", b"\xa9", b"",
        b"\"E",
    ];

    impl Pen for Chance {
        fn write(&mut self, text: &str) -> Result<(), Stop> {
            self.out.extend(text.as_bytes());
            Ok(())
        }

        fn likeliest(&mut self, allowed: &dyn Fn(&[u8]) -> bool) -> Result<Vec<u8>, Stop> {
            if self.out.len() > self.room {
                return Err(Stop::Full);
            }
            let start = self.order[self.at % self.order.len()];
            self.at += 1;
            let found = (0..TOKENS.len())
                .map(|i| TOKENS[(start + i) % TOKENS.len()])
                .find(|token| allowed(token));
            self.chosen = found.expect("some token is always allowed").to_vec();
            Ok(self.chosen.clone())
        }

        fn take(&mut self) -> Result<(), Stop> {
            self.out.extend(&self.chosen);
            Ok(())
        }
    }

    fn schema() -> Value {
        json!({"type": "object", "required": ["text", "ids", "n", "i", "b", "u", "list", "deep"], "properties": {
            "ids": {"type": "array", "minItems": 1, "items": {"enum": ["E1", "E12", "E2"]}},
            "text": {"type": "string"},
            "n": {"type": "number"}, "i": {"type": "integer"}, "b": {"type": "boolean"},
            "u": {"type": "number", "minimum": 0, "maximum": 1}, "optional": {"type": "string"},
            "list": {"type": "array", "items": {"type": "string"}, "maxItems": 2},
            "deep": {"type": "array", "items": {"type": "object", "properties": {"x": {"type": "number"}}}},
        }})
    }

    proptest! {
        /// Whatever the model wants, what is written is JSON in the schema's form.
        #[test]
        fn what_is_written_is_json_of_the_form(order in prop::collection::vec(0usize..26, 1..60)) {
            let plan = Plan::of(&schema()).unwrap();
            let mut pen = Chance { order, at: 0, chosen: vec![], out: vec![], room: 4000 };
            if write(&plan, &mut pen).is_ok() {
                let text = String::from_utf8_lossy(&pen.out);
                let value: Value = serde_json::from_str(&text)
                    .map_err(|e| TestCaseError::fail(format!("{e}: {text}")))?;
                prop_assert!(!value["text"].as_str().unwrap().trim().is_empty());
                let ids = value["ids"].as_array().unwrap();
                prop_assert!((1..=3).contains(&ids.len()), "{}", text);
                let mut distinct: Vec<&str> = ids.iter().map(|i| i.as_str().unwrap()).collect();
                distinct.sort_unstable();
                distinct.dedup();
                prop_assert_eq!(distinct.len(), ids.len());
                prop_assert!((0.0..=1.0).contains(&value["u"].as_f64().unwrap()), "{}", text);
                prop_assert!(value.get("optional").is_none());
                prop_assert!(value["n"].is_number() && value["b"].is_boolean());
                prop_assert!(value["i"].is_u64() && value["list"].as_array().unwrap().len() <= 2);
                prop_assert!(text.starts_with("{\"text\": \""), "in the order of `required`");
            }
        }
    }

    #[test]
    fn schemas_outside_the_part_have_no_plan() {
        for schema in [
            json!({"anyOf": [{"type": "string"}]}),
            json!({"type": ["string", "null"]}),
            json!({"type": "object"}),
            json!({"type": "array"}),
            json!({"enum": []}),
            json!(true),
            json!({"type": "object", "properties": {"a": {"$ref": "#"}}}),
        ] {
            assert_eq!(Plan::of(&schema), None, "{schema}");
        }
        let mut deep = json!({"type": "string"});
        for _ in 0..9 {
            deep = json!({"type": "array", "items": deep});
        }
        assert_eq!(Plan::of(&deep), None);
    }
}
