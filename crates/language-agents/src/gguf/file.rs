//! Reading a GGUF header with bounds on everything that the file says about itself.
//!
//! The format: <https://github.com/ggml-org/ggml/blob/master/docs/gguf.md>, versions 2 and 3,
//! little endian. candle has a reader too; it divides by an alignment of zero, multiplies
//! dimensions unchecked and keeps arrays as one enum an element, so a damaged file may stop a
//! program or fill its memory. Here each length is held against the bytes that are left.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use candle_core::Device;
use candle_core::quantized::{GgmlDType, QStorage, QTensor};

use super::GgufError;

const MAX_ENTRIES: u64 = 1 << 16;
const MAX_STRING: u64 = 1 << 24;
const MAX_DIMENSIONS: u32 = 4;
const DEFAULT_ALIGNMENT: u64 = 32;

/// A metadata value; what no model here needs is read over.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Unsigned(u64),
    Signed(i64),
    Float(f64),
    Bool(bool),
    Text(String),
    Texts(Vec<String>),
    Other,
}

/// Where a tensor lies.
#[derive(Debug, Clone)]
pub(super) struct TensorInfo {
    /// Rows first: the reverse of the file's order.
    pub(super) shape: Vec<usize>,
    pub(super) dtype: GgmlDType,
    start: u64,
    bytes: u64,
}

/// An open file whose header has been read.
#[derive(Debug)]
pub(super) struct GgufFile {
    pub(super) path: String,
    pub(super) metadata: BTreeMap<String, Value>,
    pub(super) tensors: BTreeMap<String, TensorInfo>,
    file: BufReader<File>,
}

impl GgufFile {
    pub(super) fn open(path: &Path) -> Result<Self, GgufError> {
        let name = path.display().to_string();
        let io = |source| GgufError::File {
            path: name.clone(),
            source,
        };
        let file = File::open(path).map_err(io)?;
        let found = file.metadata().map_err(io)?;
        if !found.is_file() {
            return Err(io(std::io::Error::other("it is not a regular file")));
        }
        let mut reader = Reader {
            path: name.clone(),
            size: found.len(),
            at: 0,
            file: BufReader::new(file),
        };
        let (metadata, tensors) = reader.header()?;
        Ok(Self {
            path: name,
            metadata,
            tensors,
            file: reader.file,
        })
    }

    /// Reads a tensor as it is stored.
    pub(super) fn tensor(&mut self, name: &str, device: &Device) -> Result<QTensor, GgufError> {
        let Some(info) = self.tensors.get(name) else {
            return Err(self.missing(format!("the tensor {name}")));
        };
        let io = |source| GgufError::File {
            path: self.path.clone(),
            source,
        };
        // The length was held against the file's when the header was read.
        let mut data = vec![0_u8; usize::try_from(info.bytes).unwrap_or(0)];
        self.file.seek(SeekFrom::Start(info.start)).map_err(io)?;
        self.file.read_exact(&mut data).map_err(io)?;
        QStorage::from_data(data.into(), device, info.dtype)
            .and_then(|storage| QTensor::new(storage, info.shape.as_slice()))
            .map_err(|e| self.model(format!("{name}: {e}")))
    }

    pub(super) fn missing(&self, what: impl Into<String>) -> GgufError {
        GgufError::Missing {
            path: self.path.clone(),
            what: what.into(),
        }
    }

    pub(super) fn unsupported(&self, what: &str, found: String, accepted: &str) -> GgufError {
        GgufError::Unsupported {
            path: self.path.clone(),
            what: what.to_owned(),
            found,
            accepted: accepted.to_owned(),
        }
    }

    pub(super) fn model(&self, reason: String) -> GgufError {
        GgufError::Model {
            path: self.path.clone(),
            reason,
        }
    }

    fn wrong_type(&self, key: &str, wanted: &str) -> GgufError {
        self.unsupported(&format!("the type of {key}"), "another".to_owned(), wanted)
    }

    pub(super) fn text(&self, key: &str) -> Result<Option<&str>, GgufError> {
        match self.metadata.get(key) {
            None => Ok(None),
            Some(Value::Text(text)) => Ok(Some(text)),
            Some(_) => Err(self.wrong_type(key, "a string")),
        }
    }

    pub(super) fn texts(&self, key: &str) -> Result<&[String], GgufError> {
        match self.metadata.get(key) {
            None => Err(self.missing(format!("the key {key}"))),
            Some(Value::Texts(texts)) => Ok(texts),
            Some(_) => Err(self.wrong_type(key, "an array of strings")),
        }
    }

    pub(super) fn unsigned(&self, key: &str) -> Result<Option<u64>, GgufError> {
        match self.metadata.get(key) {
            None => Ok(None),
            Some(Value::Unsigned(n)) => Ok(Some(*n)),
            Some(Value::Signed(n)) if *n >= 0 => Ok(Some(n.unsigned_abs())),
            Some(_) => Err(self.wrong_type(key, "a whole number, not negative")),
        }
    }

    pub(super) fn float(&self, key: &str) -> Result<Option<f64>, GgufError> {
        match self.metadata.get(key) {
            None => Ok(None),
            Some(Value::Float(x)) => Ok(Some(*x)),
            Some(_) => Err(self.wrong_type(key, "a floating point number")),
        }
    }

    pub(super) fn bool(&self, key: &str) -> Result<Option<bool>, GgufError> {
        match self.metadata.get(key) {
            None => Ok(None),
            Some(Value::Bool(b)) => Ok(Some(*b)),
            Some(_) => Err(self.wrong_type(key, "true or false")),
        }
    }
}

type Tables = (BTreeMap<String, Value>, BTreeMap<String, TensorInfo>);

/// A tensor's name, shape, type and place after the header.
type Declared = (String, Vec<usize>, GgmlDType, u64);

struct Reader {
    path: String,
    size: u64,
    at: u64,
    file: BufReader<File>,
}

impl Reader {
    fn damaged(&self, what: impl Into<String>) -> GgufError {
        GgufError::Damaged {
            path: self.path.clone(),
            at: self.at,
            what: what.into(),
        }
    }

    /// Fails where so many bytes are not left.
    fn room(&self, bytes: u64, what: &str) -> Result<(), GgufError> {
        let needed = self.at.saturating_add(bytes);
        if needed <= self.size {
            return Ok(());
        }
        Err(GgufError::Truncated {
            path: self.path.clone(),
            what: what.to_owned(),
            needed,
            size: self.size,
        })
    }

    fn io(&self, source: std::io::Error) -> GgufError {
        GgufError::File {
            path: self.path.clone(),
            source,
        }
    }

    fn array<const N: usize>(&mut self, what: &str) -> Result<[u8; N], GgufError> {
        self.room(N as u64, what)?;
        let mut bytes = [0; N];
        self.file.read_exact(&mut bytes).map_err(|e| self.io(e))?;
        self.at += N as u64;
        Ok(bytes)
    }

    fn u32(&mut self, what: &str) -> Result<u32, GgufError> {
        self.array(what).map(u32::from_le_bytes)
    }

    fn u64(&mut self, what: &str) -> Result<u64, GgufError> {
        self.array(what).map(u64::from_le_bytes)
    }

    fn string(&mut self, what: &str) -> Result<String, GgufError> {
        let length = self.u64(what)?;
        if length > MAX_STRING {
            return Err(self.damaged(format!("{what} has {length} bytes, at most {MAX_STRING}")));
        }
        self.room(length, what)?;
        let mut bytes = vec![0; usize::try_from(length).unwrap_or(0)];
        self.file.read_exact(&mut bytes).map_err(|e| self.io(e))?;
        self.at += length;
        String::from_utf8(bytes).map_err(|_| self.damaged(format!("{what} is not UTF-8")))
    }

    fn header(&mut self) -> Result<Tables, GgufError> {
        if self.size < 4 || self.array::<4>("the magic number")? != *b"GGUF" {
            return Err(GgufError::NotGguf {
                path: self.path.clone(),
            });
        }
        let version = self.u32("the version")?;
        if !(2..=3).contains(&version) {
            return Err(GgufError::Unsupported {
                path: self.path.clone(),
                what: "the version of the format".to_owned(),
                found: version.to_string(),
                accepted: "2 or 3, little endian".to_owned(),
            });
        }
        let tensors = self.count("tensors")?;
        let entries = self.count("metadata entries")?;
        let mut metadata = BTreeMap::new();
        for _ in 0..entries {
            let key = self.string("a metadata key")?;
            let kind = self.u32(&key)?;
            let value = self.value(kind, &key)?;
            if metadata.insert(key.clone(), value).is_some() {
                return Err(self.damaged(format!("the key {key} is there twice")));
            }
        }
        let declared: Vec<Declared> = (0..tensors)
            .map(|_| self.declared())
            .collect::<Result<_, _>>()?;
        let alignment = match metadata.get("general.alignment") {
            None => DEFAULT_ALIGNMENT,
            Some(Value::Unsigned(n)) if n.is_power_of_two() && *n <= 1 << 20 => *n,
            Some(other) => {
                return Err(self.damaged(format!(
                    "general.alignment is {other:?}, a power of two is expected"
                )));
            }
        };
        let start = self.at.next_multiple_of(alignment);
        let tensors = self.placed(declared, start)?;
        Ok((metadata, tensors))
    }

    fn count(&mut self, what: &str) -> Result<u64, GgufError> {
        let count = self.u64(what)?;
        if count > MAX_ENTRIES {
            return Err(self.damaged(format!("{count} {what}, at most {MAX_ENTRIES}")));
        }
        Ok(count)
    }

    fn value(&mut self, kind: u32, key: &str) -> Result<Value, GgufError> {
        Ok(match kind {
            0 => Value::Unsigned(u64::from(u8::from_le_bytes(self.array(key)?))),
            1 => Value::Signed(i64::from(i8::from_le_bytes(self.array(key)?))),
            2 => Value::Unsigned(u64::from(u16::from_le_bytes(self.array(key)?))),
            3 => Value::Signed(i64::from(i16::from_le_bytes(self.array(key)?))),
            4 => Value::Unsigned(u64::from(self.u32(key)?)),
            5 => Value::Signed(i64::from(i32::from_le_bytes(self.array(key)?))),
            6 => Value::Float(f64::from(f32::from_le_bytes(self.array(key)?))),
            7 => match self.array(key)? {
                [0] => Value::Bool(false),
                [1] => Value::Bool(true),
                [other] => return Err(self.damaged(format!("{key}: {other} is no truth value"))),
            },
            8 => Value::Text(self.string(key)?),
            9 => self.list(key)?,
            10 => Value::Unsigned(self.u64(key)?),
            11 => Value::Signed(i64::from_le_bytes(self.array(key)?)),
            12 => Value::Float(f64::from_le_bytes(self.array(key)?)),
            other => return Err(self.damaged(format!("{key}: {other} is no type of value"))),
        })
    }

    fn list(&mut self, key: &str) -> Result<Value, GgufError> {
        let kind = self.u32(key)?;
        let length = self.u64(key)?;
        // The fewest bytes that an element can take.
        let width = match kind {
            0 | 1 | 7 => 1,
            2 | 3 => 2,
            4..=6 => 4,
            8 | 10..=12 => 8,
            other => {
                return Err(self.damaged(format!("{key}: an array of type {other} is not read")));
            }
        };
        let bytes = length.saturating_mul(width);
        self.room(bytes, key)?;
        if kind != 8 {
            let to = self.at + bytes;
            self.file
                .seek(SeekFrom::Start(to))
                .map_err(|e| self.io(e))?;
            self.at = to;
            return Ok(Value::Other);
        }
        let mut texts = Vec::new();
        for _ in 0..length {
            texts.push(self.string(key)?);
        }
        Ok(Value::Texts(texts))
    }

    fn declared(&mut self) -> Result<Declared, GgufError> {
        let name = self.string("a tensor's name")?;
        let dimensions = self.u32(&name)?;
        if dimensions == 0 || dimensions > MAX_DIMENSIONS {
            return Err(self.damaged(format!(
                "the tensor {name} has {dimensions} dimensions, 1 to {MAX_DIMENSIONS} are expected"
            )));
        }
        let mut shape = Vec::new();
        for _ in 0..dimensions {
            let length = self.u64(&name)?;
            match usize::try_from(length) {
                Ok(length) if length > 0 => shape.push(length),
                _ => return Err(self.damaged(format!("the tensor {name} is {length} long"))),
            }
        }
        shape.reverse();
        let kind = self.u32(&name)?;
        let Some(dtype) = dtype(kind) else {
            return Err(GgufError::Unsupported {
                path: self.path.clone(),
                what: format!("the type of the tensor {name}"),
                found: format!("number {kind}"),
                accepted: "F32, F16, BF16, Q4_0, Q4_1, Q5_0, Q5_1, Q8_0 or Q2_K to Q6_K".to_owned(),
            });
        };
        let offset = self.u64(&name)?;
        Ok((name, shape, dtype, offset))
    }

    /// Holds each tensor's bytes against the file.
    fn placed(
        &self,
        declared: Vec<Declared>,
        start: u64,
    ) -> Result<BTreeMap<String, TensorInfo>, GgufError> {
        let mut tensors = BTreeMap::new();
        for (name, shape, dtype, offset) in declared {
            let elements = shape
                .iter()
                .try_fold(1_u64, |product, n| product.checked_mul(*n as u64));
            let (block, width) = (dtype.block_size() as u64, dtype.type_size() as u64);
            let row = shape.last().copied().unwrap_or(0) as u64;
            if !row.is_multiple_of(block) {
                return Err(self.damaged(format!(
                    "a row of the tensor {name} has {row} numbers, blocks of {dtype:?} have {block}"
                )));
            }
            let bytes = elements.and_then(|n| (n / block).checked_mul(width));
            let from = start.checked_add(offset);
            let end = from.zip(bytes).and_then(|(a, b)| a.checked_add(b));
            let (Some(from), Some(bytes), Some(end)) = (from, bytes, end) else {
                return Err(self.damaged(format!("the tensor {name} has no size: {shape:?}")));
            };
            if end > self.size {
                return Err(GgufError::Truncated {
                    path: self.path.clone(),
                    what: format!("the tensor {name}"),
                    needed: end,
                    size: self.size,
                });
            }
            let info = TensorInfo {
                shape,
                dtype,
                start: from,
                bytes,
            };
            if tensors.insert(name.clone(), info).is_some() {
                return Err(self.damaged(format!("the tensor {name} is there twice")));
            }
        }
        Ok(tensors)
    }
}

/// The types that candle computes with, by their numbers in the format.
fn dtype(kind: u32) -> Option<GgmlDType> {
    Some(match kind {
        0 => GgmlDType::F32,
        1 => GgmlDType::F16,
        2 => GgmlDType::Q4_0,
        3 => GgmlDType::Q4_1,
        6 => GgmlDType::Q5_0,
        7 => GgmlDType::Q5_1,
        8 => GgmlDType::Q8_0,
        10 => GgmlDType::Q2K,
        11 => GgmlDType::Q3K,
        12 => GgmlDType::Q4K,
        13 => GgmlDType::Q5K,
        14 => GgmlDType::Q6K,
        30 => GgmlDType::BF16,
        _ => return None,
    })
}
