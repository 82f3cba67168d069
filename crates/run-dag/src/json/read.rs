//! A strict reader of JSON text (RFC 8259 with the restrictions of RFC 7493 and of this crate).
//!
//! General readers either accept what must be refused here (a duplicate key, a float) or refuse it
//! without saying where, so the reader is this crate's own; a test holds it against `serde_json`.

use super::Limits;
use crate::error::{Error, Result};
use crate::number::SafeInt;
use crate::value::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Reads one JSON value that fills `text`.
pub(crate) fn read(text: &[u8], limits: &Limits) -> Result<Value> {
    if text.len() > limits.max_record_bytes {
        return Err(Error::Oversize {
            path: "$".into(),
            size: text.len(),
            limit: limits.max_record_bytes,
            unit: "bytes",
        });
    }
    let source = std::str::from_utf8(text).map_err(|e| Error::Syntax {
        path: "$".into(),
        offset: e.valid_up_to(),
        expected: "UTF-8",
    })?;
    let mut reader = Reader {
        source,
        at: 0,
        path: Vec::new(),
        max_depth: limits.max_depth,
    };
    reader.space();
    let value = reader.value()?;
    reader.space();
    if reader.at < source.len() {
        return Err(reader.syntax("the end of the text"));
    }
    Ok(value)
}

enum Step {
    Key(String),
    Index(usize),
}

struct Reader<'a> {
    source: &'a str,
    at: usize,
    path: Vec<Step>,
    max_depth: usize,
}

impl Reader<'_> {
    fn path(&self) -> String {
        let mut out = String::new();
        for step in &self.path {
            let written = match step {
                Step::Key(key) if out.is_empty() => write!(out, "{key}"),
                Step::Key(key) => write!(out, ".{key}"),
                Step::Index(index) => write!(out, "[{index}]"),
            };
            if written.is_err() {
                break;
            }
        }
        if out.is_empty() { "$".into() } else { out }
    }

    fn syntax(&self, expected: &'static str) -> Error {
        Error::Syntax {
            path: self.path(),
            offset: self.at,
            expected,
        }
    }

    fn peek(&self) -> Option<u8> {
        self.source.as_bytes().get(self.at).copied()
    }

    fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        if found {
            self.at += 1;
        }
        found
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.at += 1;
        }
    }

    /// One value; recursion is bounded by `max_depth`.
    fn value(&mut self) -> Result<Value> {
        match self.peek() {
            Some(b'n') => self.word("null", Value::Null),
            Some(b't') => self.word("true", Value::Bool(true)),
            Some(b'f') => self.word("false", Value::Bool(false)),
            Some(b'"') => self.string().map(Value::Text),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b'[') => self.list(),
            Some(b'{') => self.object(),
            _ => Err(self.syntax("a value")),
        }
    }

    fn word(&mut self, word: &'static str, value: Value) -> Result<Value> {
        if self
            .source
            .as_bytes()
            .get(self.at..)
            .is_some_and(|rest| rest.starts_with(word.as_bytes()))
        {
            self.at += word.len();
            return Ok(value);
        }
        Err(self.syntax(word))
    }

    fn enter(&mut self, step: Step) -> Result<()> {
        if self.path.len() >= self.max_depth {
            return Err(Error::TooDeep {
                path: self.path(),
                limit: self.max_depth,
            });
        }
        self.path.push(step);
        Ok(())
    }

    fn list(&mut self) -> Result<Value> {
        self.at += 1;
        let mut items = Vec::new();
        self.space();
        if self.take(b']') {
            return Ok(Value::List(items));
        }
        loop {
            self.space();
            self.enter(Step::Index(items.len()))?;
            items.push(self.value()?);
            self.path.pop();
            self.space();
            if self.take(b']') {
                return Ok(Value::List(items));
            }
            if !self.take(b',') {
                return Err(self.syntax("',' or ']'"));
            }
        }
    }

    fn object(&mut self) -> Result<Value> {
        self.at += 1;
        let mut fields = BTreeMap::new();
        self.space();
        if self.take(b'}') {
            return Ok(Value::Object(fields));
        }
        loop {
            self.space();
            if self.peek() != Some(b'"') {
                return Err(self.syntax("a key in quotation marks"));
            }
            let key = self.string()?;
            if fields.contains_key(&key) {
                return Err(Error::DuplicateKey {
                    path: self.path(),
                    key,
                });
            }
            self.space();
            if !self.take(b':') {
                return Err(self.syntax("':'"));
            }
            self.space();
            self.enter(Step::Key(key))?;
            let value = self.value()?;
            if let Some(Step::Key(key)) = self.path.pop() {
                fields.insert(key, value);
            }
            self.space();
            if self.take(b'}') {
                return Ok(Value::Object(fields));
            }
            if !self.take(b',') {
                return Err(self.syntax("',' or '}'"));
            }
        }
    }

    fn number(&mut self) -> Result<Value> {
        let start = self.at;
        let negative = self.take(b'-');
        let digits = self.digits();
        let leading_zero =
            digits > 1 && self.source.as_bytes().get(self.at - digits) == Some(&b'0');
        if digits == 0 || leading_zero {
            return Err(self.syntax("digits without a leading zero"));
        }
        let mut float = false;
        if self.take(b'.') {
            float = true;
            if self.digits() == 0 {
                return Err(self.syntax("digits after the point"));
            }
        }
        if self.take(b'e') || self.take(b'E') {
            float = true;
            if !self.take(b'-') {
                self.take(b'+');
            }
            if self.digits() == 0 {
                return Err(self.syntax("digits of the exponent"));
            }
        }
        let token = self.source.get(start..self.at).unwrap_or_default();
        let found = || token.chars().take(80).collect::<String>();
        if float || (negative && token == "-0") {
            return Err(Error::Float {
                path: self.path(),
                found: found(),
            });
        }
        token
            .parse::<i64>()
            .ok()
            .and_then(|v| SafeInt::try_from(v).ok())
            .map(Value::Int)
            .ok_or_else(|| Error::IntegerOutOfRange {
                path: self.path(),
                found: found(),
            })
    }

    fn digits(&mut self) -> usize {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        self.at - start
    }

    fn string(&mut self) -> Result<String> {
        self.at += 1;
        let mut out = String::new();
        loop {
            let start = self.at;
            while matches!(self.peek(), Some(b) if b != b'"' && b != b'\\' && b >= 0x20) {
                self.at += 1;
            }
            out.push_str(self.source.get(start..self.at).unwrap_or_default());
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(out);
                }
                Some(b'\\') => out.push(self.escape()?),
                _ => {
                    return Err(self.syntax("a closing quotation mark, control characters escaped"));
                }
            }
        }
    }

    fn escape(&mut self) -> Result<char> {
        let start = self.at;
        self.at += 1;
        let letter = self.peek();
        self.at += 1;
        match letter {
            Some(b'"') => Ok('"'),
            Some(b'\\') => Ok('\\'),
            Some(b'/') => Ok('/'),
            Some(b'b') => Ok('\u{8}'),
            Some(b'f') => Ok('\u{c}'),
            Some(b'n') => Ok('\n'),
            Some(b'r') => Ok('\r'),
            Some(b't') => Ok('\t'),
            Some(b'u') => self.unicode(start),
            _ => {
                self.at = start;
                Err(self.syntax("one of the escapes \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u"))
            }
        }
    }

    fn unicode(&mut self, start: usize) -> Result<char> {
        let lone = |reader: &Self| Error::LoneSurrogate {
            path: reader.path(),
            offset: start,
        };
        let high = self.hex4()?;
        if (0xDC00..0xE000).contains(&high) {
            return Err(lone(self));
        }
        if !(0xD800..0xDC00).contains(&high) {
            return char::from_u32(high).ok_or_else(|| lone(self));
        }
        if !(self.take(b'\\') && self.take(b'u')) {
            return Err(lone(self));
        }
        let low = self.hex4()?;
        if !(0xDC00..0xE000).contains(&low) {
            return Err(lone(self));
        }
        char::from_u32(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00)).ok_or_else(|| lone(self))
    }

    fn hex4(&mut self) -> Result<u32> {
        let digits = self
            .source
            .as_bytes()
            .get(self.at..self.at + 4)
            .unwrap_or_default();
        if digits.len() != 4 || !digits.iter().all(u8::is_ascii_hexdigit) {
            return Err(self.syntax("four hexadecimal digits"));
        }
        self.at += 4;
        Ok(digits.iter().fold(0, |sum, &d| {
            sum * 16 + char::from(d).to_digit(16).unwrap_or_default()
        }))
    }
}
