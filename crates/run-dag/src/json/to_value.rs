//! From any serializable structure to a [`Value`], refusing floating point at whatever depth.

use crate::error::{Error, Result, join};
use crate::number::SafeInt;
use crate::value::Value;
use serde::ser::{self, Serialize, SerializeMap, SerializeSeq, SerializeStruct};
use std::collections::BTreeMap;
use std::fmt;

/// The value of `value`, or what has no canonical encoding and where.
pub(crate) fn to_value<T: Serialize + ?Sized>(value: &T) -> Result<Value> {
    value.serialize(ToValue).map_err(|Refusal(error)| error)
}

/// An [`Error`] on its way up; each level puts its step before the path.
#[derive(Debug)]
struct Refusal(Error);

impl Refusal {
    fn under(self, step: &str) -> Self {
        Self(self.0.under(step))
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Refusal {}

impl ser::Error for Refusal {
    fn custom<M: fmt::Display>(message: M) -> Self {
        Self(Error::Uncommittable {
            path: "$".into(),
            reason: message.to_string(),
        })
    }
}

type Out<T> = std::result::Result<T, Refusal>;

struct ToValue;

fn float(found: &dyn fmt::Display) -> Refusal {
    Refusal(Error::Float {
        path: "$".into(),
        found: found.to_string(),
    })
}

/// `{variant: value}`, serde's form of an enum variant with content.
fn tagged(variant: &str, value: Value) -> Value {
    Value::Object(BTreeMap::from([(variant.to_owned(), value)]))
}

macro_rules! integers {
    ($($method:ident($type:ty) via $wide:ty;)*) => {$(
        fn $method(self, v: $type) -> Out<Value> {
            SafeInt::try_from(<$wide>::from(v)).map(Value::Int).map_err(Refusal)
        }
    )*};
}

impl ser::Serializer for ToValue {
    type Ok = Value;
    type Error = Refusal;
    type SerializeSeq = List;
    type SerializeTuple = List;
    type SerializeTupleStruct = List;
    type SerializeTupleVariant = List;
    type SerializeMap = Fields;
    type SerializeStruct = Fields;
    type SerializeStructVariant = Fields;

    integers! {
        serialize_i8(i8) via i64;
        serialize_i16(i16) via i64;
        serialize_i32(i32) via i64;
        serialize_i64(i64) via i64;
        serialize_u8(u8) via u64;
        serialize_u16(u16) via u64;
        serialize_u32(u32) via u64;
        serialize_u64(u64) via u64;
    }

    fn serialize_bool(self, v: bool) -> Out<Value> {
        Ok(Value::Bool(v))
    }
    fn serialize_f32(self, v: f32) -> Out<Value> {
        Err(float(&v))
    }
    fn serialize_f64(self, v: f64) -> Out<Value> {
        Err(float(&v))
    }
    fn serialize_char(self, v: char) -> Out<Value> {
        Ok(Value::Text(v.to_string()))
    }
    fn serialize_str(self, v: &str) -> Out<Value> {
        Ok(Value::Text(v.to_owned()))
    }
    fn serialize_bytes(self, v: &[u8]) -> Out<Value> {
        Ok(Value::List(
            v.iter().map(|&b| Value::Int(u32::from(b).into())).collect(),
        ))
    }
    fn serialize_none(self) -> Out<Value> {
        Ok(Value::Null)
    }
    fn serialize_some<T: Serialize + ?Sized>(self, v: &T) -> Out<Value> {
        v.serialize(self)
    }
    fn serialize_unit(self) -> Out<Value> {
        Ok(Value::Null)
    }
    fn serialize_unit_struct(self, _: &'static str) -> Out<Value> {
        Ok(Value::Null)
    }
    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Out<Value> {
        Ok(Value::Text(variant.to_owned()))
    }
    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, v: &T) -> Out<Value> {
        v.serialize(self)
    }
    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        v: &T,
    ) -> Out<Value> {
        let inner = v.serialize(self).map_err(|e| e.under(variant))?;
        Ok(tagged(variant, inner))
    }
    fn serialize_seq(self, _: Option<usize>) -> Out<List> {
        Ok(List {
            items: Vec::new(),
            variant: None,
        })
    }
    fn serialize_tuple(self, _: usize) -> Out<List> {
        self.serialize_seq(None)
    }
    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Out<List> {
        self.serialize_seq(None)
    }
    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Out<List> {
        Ok(List {
            items: Vec::new(),
            variant: Some(variant),
        })
    }
    fn serialize_map(self, _: Option<usize>) -> Out<Fields> {
        Ok(Fields {
            fields: BTreeMap::new(),
            key: None,
            variant: None,
        })
    }
    fn serialize_struct(self, _: &'static str, _: usize) -> Out<Fields> {
        self.serialize_map(None)
    }
    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Out<Fields> {
        Ok(Fields {
            fields: BTreeMap::new(),
            key: None,
            variant: Some(variant),
        })
    }
}

struct List {
    items: Vec<Value>,
    variant: Option<&'static str>,
}

impl List {
    fn push<T: Serialize + ?Sized>(&mut self, value: &T) -> Out<()> {
        let step = format!("[{}]", self.items.len());
        let path = self.variant.map_or(step.clone(), |v| join(v, &step));
        self.items
            .push(value.serialize(ToValue).map_err(|e| e.under(&path))?);
        Ok(())
    }

    fn close(self) -> Value {
        let list = Value::List(self.items);
        match self.variant {
            Some(variant) => tagged(variant, list),
            None => list,
        }
    }
}

impl SerializeSeq for List {
    type Ok = Value;
    type Error = Refusal;
    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Out<()> {
        self.push(value)
    }
    fn end(self) -> Out<Value> {
        Ok(self.close())
    }
}

impl ser::SerializeTuple for List {
    type Ok = Value;
    type Error = Refusal;
    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Out<()> {
        self.push(value)
    }
    fn end(self) -> Out<Value> {
        Ok(self.close())
    }
}

impl ser::SerializeTupleStruct for List {
    type Ok = Value;
    type Error = Refusal;
    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Out<()> {
        self.push(value)
    }
    fn end(self) -> Out<Value> {
        Ok(self.close())
    }
}

impl ser::SerializeTupleVariant for List {
    type Ok = Value;
    type Error = Refusal;
    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Out<()> {
        self.push(value)
    }
    fn end(self) -> Out<Value> {
        Ok(self.close())
    }
}

struct Fields {
    fields: BTreeMap<String, Value>,
    key: Option<String>,
    variant: Option<&'static str>,
}

impl Fields {
    fn set<T: Serialize + ?Sized>(&mut self, key: String, value: &T) -> Out<()> {
        let path = self.variant.map_or(key.clone(), |v| join(v, &key));
        let value = value.serialize(ToValue).map_err(|e| e.under(&path))?;
        if self.fields.contains_key(&key) {
            return Err(Refusal(Error::DuplicateKey {
                path: "$".into(),
                key,
            }));
        }
        self.fields.insert(key, value);
        Ok(())
    }

    fn close(self) -> Value {
        let object = Value::Object(self.fields);
        match self.variant {
            Some(variant) => tagged(variant, object),
            None => object,
        }
    }
}

impl SerializeMap for Fields {
    type Ok = Value;
    type Error = Refusal;
    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Out<()> {
        self.key = Some(match key.serialize(ToValue)? {
            Value::Text(text) => text,
            Value::Int(number) => number.to_string(),
            Value::Bool(flag) => flag.to_string(),
            other => {
                let reason = format!("a key must be text and is {}", other.type_name());
                return Err(Refusal(Error::Uncommittable {
                    path: "$".into(),
                    reason,
                }));
            }
        });
        Ok(())
    }
    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Out<()> {
        let key = self.key.take().unwrap_or_default();
        self.set(key, value)
    }
    fn end(self) -> Out<Value> {
        Ok(self.close())
    }
}

impl SerializeStruct for Fields {
    type Ok = Value;
    type Error = Refusal;
    fn serialize_field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Out<()> {
        self.set(key.to_owned(), value)
    }
    fn end(self) -> Out<Value> {
        Ok(self.close())
    }
}

impl ser::SerializeStructVariant for Fields {
    type Ok = Value;
    type Error = Refusal;
    fn serialize_field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Out<()> {
        self.set(key.to_owned(), value)
    }
    fn end(self) -> Out<Value> {
        Ok(self.close())
    }
}
