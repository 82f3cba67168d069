//! JSON values that can be committed: no floating point, no duplicate keys.

use crate::error::{Error, Result};
use crate::json;
use crate::number::{Decimal, SafeInt};
use serde::de::{self, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BTreeMap;
use std::fmt;

/// A JSON value that has a canonical encoding.
///
/// There is no variant for floating point and no conversion from it: similarities and model
/// confidences cannot be committed by accident.
///
/// ```compile_fail
/// let soft = run_dag::Value::from(0.87_f64);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Value {
    /// `null`.
    #[default]
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// An integer within ±(2^53 − 1).
    Int(SafeInt),
    /// A text; decimals are texts too (see [`Decimal`]).
    Text(String),
    /// A list.
    List(Vec<Value>),
    /// An object; keys are distinct by construction.
    Object(BTreeMap<String, Value>),
}

impl Value {
    /// Reads JSON text strictly, with the default [`Limits`](crate::Limits).
    ///
    /// # Errors
    /// Syntax, floats, integers beyond 2^53 − 1, duplicate keys, lone surrogates, depth and size,
    /// each its own variant that names the path.
    pub fn from_json(text: &[u8]) -> Result<Self> {
        json::read(text, &crate::Limits::default())
    }

    /// Takes any serializable structure, refusing what has no canonical encoding.
    ///
    /// # Errors
    /// [`Error::Float`] for any `f32` or `f64` (NaN included), [`Error::IntegerOutOfRange`],
    /// [`Error::Uncommittable`] for keys that are not text; each names the path.
    pub fn from_serialize<T: Serialize + ?Sized>(value: &T) -> Result<Self> {
        json::to_value(value)
    }

    /// The canonical JSON (RFC 8785) of the value.
    ///
    /// # Errors
    /// [`Error::Uncommittable`] if the canonicalizer refuses, which no value here gives it cause for.
    pub fn to_canonical(&self) -> Result<Vec<u8>> {
        json::canonical(self)
    }

    /// The value at `key`, if this is an object that has it.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Value> {
        match self {
            Self::Object(fields) => fields.get(key),
            _ => None,
        }
    }

    /// The text, if this is one.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// What kind of value this is, for messages.
    #[must_use]
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "boolean",
            Self::Int(_) => "integer",
            Self::Text(_) => "text",
            Self::List(_) => "list",
            Self::Object(_) => "object",
        }
    }
}

macro_rules! from_value {
    ($($from:ty, $bound:ident => $to:expr;)*) => {$(
        impl From<$from> for Value {
            fn from($bound: $from) -> Self {
                $to
            }
        }
    )*};
}

from_value! {
    bool, v => Self::Bool(v);
    SafeInt, v => Self::Int(v);
    i32, v => Self::Int(v.into());
    u32, v => Self::Int(v.into());
    &str, v => Self::Text(v.to_owned());
    String, v => Self::Text(v);
    Decimal, v => Self::Text(v.as_str().to_owned());
    Vec<Value>, v => Self::List(v);
    BTreeMap<String, Value>, v => Self::Object(v);
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Int(value) => value.serialize(serializer),
            Self::Text(value) => serializer.serialize_str(value),
            Self::List(items) => serializer.collect_seq(items),
            Self::Object(fields) => serializer.collect_map(fields),
        }
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ValueVisitor)
    }
}

struct ValueVisitor;

impl ValueVisitor {
    fn int<E: de::Error>(value: Result<SafeInt>) -> Result<Value, E> {
        value.map(Value::Int).map_err(E::custom)
    }
}

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON without floating point")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        Value::deserialize(deserializer)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Value, E> {
        Self::int(SafeInt::try_from(value))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Value, E> {
        Self::int(SafeInt::try_from(value))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Value, E> {
        Err(E::custom(Error::Float {
            path: "$".into(),
            found: value.to_string(),
        }))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::Text(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::Text(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Value::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut fields = BTreeMap::new();
        while let Some((key, value)) = entries.next_entry::<String, Value>()? {
            if fields.contains_key(&key) {
                return Err(de::Error::custom(Error::DuplicateKey {
                    path: "$".into(),
                    key,
                }));
            }
            fields.insert(key, value);
        }
        Ok(Value::Object(fields))
    }
}
