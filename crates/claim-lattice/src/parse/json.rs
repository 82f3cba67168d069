//! JSON answers: a reader that knows where everything stands and never fails as a whole.

use std::ops::Range;

use super::markers::scan;
use super::prose::{parse_pointers, push_pointer, tidy};
use super::{Claim, NoteKind, ParseOptions, Parsed, Pointer};
use crate::policy::ParsePolicy;

/// How deep values may nest; what is deeper is no claim list.
const MAX_DEPTH: usize = 16;

/// Reads a JSON answer; where there is none, the prose (with a note saying so).
pub(super) fn parse_json(answer: &str, options: &ParseOptions) -> Parsed {
    if let Some(parsed) = find(answer, options) {
        return parsed;
    }
    let mut parsed = if options.policy == ParsePolicy::Lenient {
        parse_pointers(answer, options)
    } else {
        Parsed::default()
    };
    parsed.note(NoteKind::JsonMissing, 0..answer.len());
    parsed
}

/// The first JSON object in the text that holds a claim list.
///
/// Every `{` is tried once and the work in all is bounded by the depth limit times the length:
/// an attempt that reached the end of the text ends the search.
pub(super) fn find(answer: &str, options: &ParseOptions) -> Option<Parsed> {
    let strict = options.policy == ParsePolicy::Strict;
    let bytes = answer.as_bytes();
    let mut at = 0;
    while let Some(step) = bytes.get(at..)?.iter().position(|&b| b == b'{') {
        let start = at + step;
        if strict && !answer.get(..start)?.trim().is_empty() {
            return None;
        }
        let mut scanner = Scanner::new(answer, start);
        let value = scanner.value(0);
        if let Some(list) = value.as_ref().and_then(claim_list) {
            if strict && (scanner.truncated || !answer.get(scanner.at..)?.trim().is_empty()) {
                return None;
            }
            return Some(read_claims(
                answer,
                list,
                start..scanner.at,
                &scanner,
                options,
            ));
        }
        if scanner.truncated {
            return None;
        }
        at = start + 1;
    }
    None
}

fn claim_list(value: &Value) -> Option<&[Value]> {
    let Kind::Object(fields) = &value.kind else {
        return None;
    };
    match &fields.iter().find(|(key, _)| key == "claims")?.1.kind {
        Kind::Array(items) => Some(items),
        _ => None,
    }
}

fn read_claims(
    answer: &str,
    items: &[Value],
    span: Range<usize>,
    scanner: &Scanner<'_>,
    options: &ParseOptions,
) -> Parsed {
    let mut parsed = Parsed::default();
    let before = answer.get(..span.start).unwrap_or_default();
    let after = answer.get(span.end..).unwrap_or_default();
    if before.contains("```") {
        parsed.note(NoteKind::JsonInFence, span.clone());
    } else if !before.trim().is_empty() || !after.trim().is_empty() {
        parsed.note(NoteKind::JsonInProse, span.clone());
    }
    if scanner.truncated {
        parsed.note(NoteKind::JsonTruncated, span);
    }
    for item in items {
        match read_claim(item, &mut parsed, options) {
            Some(claim) => parsed.claims.push(claim),
            None => parsed.note(NoteKind::JsonShape, item.span.clone()),
        }
    }
    parsed
}

fn read_claim(item: &Value, parsed: &mut Parsed, options: &ParseOptions) -> Option<Claim> {
    let Kind::Object(fields) = &item.kind else {
        return None;
    };
    if !item.closed {
        return None;
    }
    let mut claim = Claim {
        text: String::new(),
        span: item.span.clone(),
        pointers: Vec::new(),
        malformed_pointer: false,
    };
    let mut has_text = false;
    for (key, value) in fields {
        match (key.as_str(), &value.kind) {
            ("text", Kind::Text(text)) => {
                has_text = true;
                claim.text = claim_text(text, value, &mut claim, parsed, options);
            }
            ("evidence_ids", Kind::Array(ids)) => {
                for id in ids {
                    read_id(id, &mut claim, parsed, options);
                }
            }
            ("evidence_ids", Kind::Text(_)) => {
                parsed.note(NoteKind::JsonShape, value.span.clone());
                read_id(value, &mut claim, parsed, options);
            }
            _ => parsed.note(NoteKind::JsonShape, value.span.clone()),
        }
    }
    has_text.then_some(claim)
}

/// The text of a claim; pointers that the model wrote into it as well are taken out.
fn claim_text(
    text: &str,
    value: &Value,
    claim: &mut Claim,
    parsed: &mut Parsed,
    options: &ParseOptions,
) -> String {
    let groups = scan(text, 0, options);
    if groups.is_empty() {
        return tidy(text);
    }
    parsed.note(NoteKind::InnerPointer, value.span.clone());
    let mut out = String::new();
    let mut at = 0;
    for group in groups {
        out.push_str(text.get(at..group.span.start).unwrap_or_default());
        at = group.span.end;
        claim.malformed_pointer |= group.malformed;
        for pointer in group.pointers {
            let placed = Pointer {
                id: pointer.id,
                span: value.span.clone(),
            };
            push_pointer(&mut claim.pointers, &placed);
        }
    }
    out.push_str(text.get(at..).unwrap_or_default());
    tidy(&out).replace(" .", ".")
}

fn read_id(value: &Value, claim: &mut Claim, parsed: &mut Parsed, options: &ParseOptions) {
    let Kind::Text(text) = &value.kind else {
        claim.malformed_pointer = true;
        parsed.note(NoteKind::MalformedPointer, value.span.clone());
        return;
    };
    let mut ids = Vec::new();
    let bracketed = if text.trim_start().starts_with('[') {
        text.clone()
    } else {
        format!("[{text}]")
    };
    let groups = scan(&bracketed, 0, options);
    let plain = text
        .strip_prefix(options.marker.as_str())
        .is_some_and(|d| !d.is_empty() && d.bytes().all(|b| b.is_ascii_digit()));
    if plain || options.policy == ParsePolicy::Strict || groups.is_empty() {
        ids.push(text.clone());
    } else {
        for group in groups {
            claim.malformed_pointer |= group.malformed;
            for note in group.notes {
                parsed.note(note.kind, value.span.clone());
            }
            ids.extend(group.pointers.into_iter().map(|p| p.id));
        }
    }
    for id in ids {
        let pointer = Pointer {
            id,
            span: value.span.clone(),
        };
        if !push_pointer(&mut claim.pointers, &pointer) {
            parsed.note(NoteKind::DuplicatePointer, value.span.clone());
        }
    }
}

#[derive(Debug)]
enum Kind {
    Object(Vec<(String, Value)>),
    Array(Vec<Value>),
    Text(String),
    Other,
}

#[derive(Debug)]
struct Value {
    kind: Kind,
    span: Range<usize>,
    /// Whether the value ended as it should; `false` where the text ran out inside it.
    closed: bool,
}

struct Scanner<'a> {
    text: &'a str,
    at: usize,
    /// Whether the text ran out inside a value.
    truncated: bool,
}

impl<'a> Scanner<'a> {
    fn new(text: &'a str, at: usize) -> Self {
        Self {
            text,
            at,
            truncated: false,
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while self.peek().is_some_and(|b| b.is_ascii_whitespace()) {
            self.at += 1;
        }
    }

    fn value(&mut self, depth: usize) -> Option<Value> {
        self.skip_space();
        let start = self.at;
        if depth > MAX_DEPTH {
            return None;
        }
        let kind = match self.peek() {
            Some(b'{') => self.object(depth)?,
            Some(b'[') => self.array(depth)?,
            Some(b'"') => Kind::Text(self.string()?),
            Some(_) => self.word()?,
            None => {
                self.truncated = true;
                return None;
            }
        };
        Some(Value {
            kind,
            span: start..self.at,
            closed: !self.truncated,
        })
    }

    fn object(&mut self, depth: usize) -> Option<Kind> {
        self.at += 1;
        let mut fields = Vec::new();
        loop {
            self.skip_space();
            match self.peek() {
                Some(b'}') => {
                    self.at += 1;
                    return Some(Kind::Object(fields));
                }
                Some(b',') if !fields.is_empty() => self.at += 1,
                Some(b'"') => {
                    let key = self.string()?;
                    self.skip_space();
                    if self.truncated {
                        return Some(Kind::Object(fields));
                    }
                    if self.peek() != Some(b':') {
                        self.truncated = self.peek().is_none();
                        return None;
                    }
                    self.at += 1;
                    match self.value(depth + 1) {
                        Some(value) => fields.push((key, value)),
                        None if self.truncated => {}
                        None => return None,
                    }
                    if self.truncated {
                        return Some(Kind::Object(fields));
                    }
                }
                Some(_) => return None,
                None => {
                    self.truncated = true;
                    return Some(Kind::Object(fields));
                }
            }
        }
    }

    fn array(&mut self, depth: usize) -> Option<Kind> {
        self.at += 1;
        let mut items = Vec::new();
        loop {
            self.skip_space();
            match self.peek() {
                Some(b']') => {
                    self.at += 1;
                    return Some(Kind::Array(items));
                }
                Some(b',') if !items.is_empty() => self.at += 1,
                Some(_) => {
                    match self.value(depth + 1) {
                        Some(value) => items.push(value),
                        None if self.truncated => {}
                        None => return None,
                    }
                    if self.truncated {
                        return Some(Kind::Array(items));
                    }
                }
                None => {
                    self.truncated = true;
                    return Some(Kind::Array(items));
                }
            }
        }
    }

    fn word(&mut self) -> Option<Kind> {
        let start = self.at;
        while self
            .peek()
            .is_some_and(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'+' | b'.'))
        {
            self.at += 1;
        }
        (self.at > start).then_some(Kind::Other)
    }

    fn string(&mut self) -> Option<String> {
        self.at += 1;
        let mut out = String::new();
        let mut plain = self.at;
        loop {
            match self.peek() {
                Some(b'"') => {
                    out.push_str(self.text.get(plain..self.at)?);
                    self.at += 1;
                    return Some(out);
                }
                Some(b'\\') => {
                    out.push_str(self.text.get(plain..self.at)?);
                    self.at += 1;
                    out.push(self.escape()?);
                    plain = self.at;
                }
                Some(_) => self.at += 1,
                None => {
                    self.truncated = true;
                    out.push_str(self.text.get(plain..self.at)?);
                    return Some(out);
                }
            }
        }
    }

    fn escape(&mut self) -> Option<char> {
        let Some(c) = self.text.get(self.at..)?.chars().next() else {
            self.truncated = true;
            return None;
        };
        self.at += c.len_utf8();
        Some(match c {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'b' => '\u{8}',
            'f' => '\u{c}',
            'u' => return self.unicode(),
            other => other,
        })
    }

    fn unicode(&mut self) -> Option<char> {
        let first = self.hex4()?;
        if !(0xD800..0xE000).contains(&first) {
            return char::from_u32(first);
        }
        let paired = first < 0xDC00 && self.text.get(self.at..)?.starts_with("\\u");
        if !paired {
            return Some(char::REPLACEMENT_CHARACTER);
        }
        self.at += 2;
        let second = self.hex4()?;
        if !(0xDC00..0xE000).contains(&second) {
            return Some(char::REPLACEMENT_CHARACTER);
        }
        char::from_u32(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00))
    }

    fn hex4(&mut self) -> Option<u32> {
        let digits = self.text.get(self.at..self.at + 4)?;
        let value = digits
            .bytes()
            .all(|b| b.is_ascii_hexdigit())
            .then(|| u32::from_str_radix(digits, 16).ok())??;
        self.at += 4;
        Some(value)
    }
}
