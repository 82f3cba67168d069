//! Canonical JSON (RFC 8785) of values without floating point.
//!
//! The maintained canonicalizer (`serde_json_canonicalizer`) parses every key again and boxes every
//! write; sealing and logging would miss their speeds by it. Without floats RFC 8785 is this page:
//! so bytes are written here, and every text that is read is compared with what the maintained
//! crate makes of it, so that the two must agree.

use crate::error::Result;
use crate::value::Value;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::Write as _;

/// The canonical JSON of a structure; refuses what has no canonical encoding.
pub(crate) fn canonical<T: Serialize + ?Sized>(value: &T) -> Result<Vec<u8>> {
    let mut out = Vec::with_capacity(256);
    put(&super::to_value(value)?, &mut out);
    Ok(out)
}

/// Appends the canonical JSON of a value; depth is bounded by what can be read or sealed.
pub(crate) fn put(value: &Value, out: &mut Vec<u8>) {
    match value {
        Value::Null => out.extend_from_slice(b"null"),
        Value::Bool(true) => out.extend_from_slice(b"true"),
        Value::Bool(false) => out.extend_from_slice(b"false"),
        Value::Int(number) => put_integer(number.get(), out),
        Value::Text(text) => put_text(text, out),
        Value::List(items) => {
            out.push(b'[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                put(item, out);
            }
            out.push(b']');
        }
        Value::Object(fields) => put_object(fields, out),
    }
}

/// Appends an integer. Writing to a vector does not fail.
pub(crate) fn put_integer(number: i64, out: &mut Vec<u8>) {
    let _ = write!(out, "{number}");
}

/// Appends an object, keys in order of their UTF-16 code units.
pub(crate) fn put_object(fields: &BTreeMap<String, Value>, out: &mut Vec<u8>) {
    out.push(b'{');
    // The map's order, that of UTF-8, departs from that of UTF-16 only where characters from U+E000
    // up stand beside such that need a surrogate pair.
    if fields.keys().all(|key| key.bytes().all(|b| b < 0xEE)) {
        put_fields(fields.iter(), out);
    } else {
        let mut sorted: Vec<(&String, &Value)> = fields.iter().collect();
        sorted.sort_by(|a, b| a.0.encode_utf16().cmp(b.0.encode_utf16()));
        put_fields(sorted.into_iter(), out);
    }
    out.push(b'}');
}

fn put_fields<'a>(fields: impl Iterator<Item = (&'a String, &'a Value)>, out: &mut Vec<u8>) {
    for (index, (key, value)) in fields.enumerate() {
        if index > 0 {
            out.push(b',');
        }
        put_text(key, out);
        out.push(b':');
        put(value, out);
    }
}

/// Appends a text: quotation mark, backslash and control characters escaped, nothing else.
pub(crate) fn put_text(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    let mut rest = text.as_bytes();
    while let Some(at) = rest
        .iter()
        .position(|&b| b < 0x20 || b == b'"' || b == b'\\')
    {
        let (plain, after) = rest.split_at(at);
        out.extend_from_slice(plain);
        let Some((&byte, after)) = after.split_first() else {
            break;
        };
        put_escape(byte, out);
        rest = after;
    }
    out.extend_from_slice(rest);
    out.push(b'"');
}

fn put_escape(byte: u8, out: &mut Vec<u8>) {
    match byte {
        b'"' => out.extend_from_slice(b"\\\""),
        b'\\' => out.extend_from_slice(b"\\\\"),
        0x08 => out.extend_from_slice(b"\\b"),
        0x09 => out.extend_from_slice(b"\\t"),
        0x0A => out.extend_from_slice(b"\\n"),
        0x0C => out.extend_from_slice(b"\\f"),
        0x0D => out.extend_from_slice(b"\\r"),
        control => {
            let _ = write!(out, "\\u{control:04x}");
        }
    }
}
