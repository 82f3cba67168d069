//! JSON in and out: strict reading with paths, canonical writing (RFC 8785).

mod read;
mod to_value;
mod write;

pub(crate) use read::read;
pub(crate) use to_value::to_value;
pub(crate) use write::{canonical, put_integer, put_object, put_text};

use crate::error::{Error, Result, join};
use crate::value::Value;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Bounds on what is read or sealed. All are arguments; these are the defaults.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a whole record or proof. Default 64 MiB.
    pub max_record_bytes: usize,
    /// Bytes of one stage's canonical payload. Default 4 MiB; larger bytes belong in a digest.
    pub max_payload_bytes: usize,
    /// Nesting of lists and objects. Default 64.
    pub max_depth: usize,
    /// Stages of a run. Default 4,096.
    pub max_stages: usize,
    /// Evidence entries of a run. Default 65,536.
    pub max_evidence: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_record_bytes: 64 << 20,
            max_payload_bytes: 4 << 20,
            max_depth: 64,
            max_stages: 4_096,
            max_evidence: 65_536,
        }
    }
}

/// A typed structure out of a value; the error names the path below `at`.
pub(crate) fn typed<T: DeserializeOwned>(value: &Value, at: &str) -> Result<T> {
    let plain = serde_json::to_value(value).map_err(|e| Error::WrongType {
        path: at.to_owned(),
        reason: e.to_string(),
    })?;
    serde_path_to_error::deserialize(plain).map_err(|e| Error::WrongType {
        path: join(at, &e.path().to_string()),
        reason: e.into_inner().to_string(),
    })
}

/// Demands that `text` is the canonical JSON of `value`, as the maintained canonicalizer writes it.
pub(crate) fn demand_canonical<T: Serialize + ?Sized>(text: &[u8], value: &T) -> Result<()> {
    let canonical = serde_json_canonicalizer::to_vec(&value).map_err(|e| Error::Uncommittable {
        path: "$".into(),
        reason: e.to_string(),
    })?;
    if canonical == text {
        return Ok(());
    }
    let same = canonical
        .iter()
        .zip(text)
        .take_while(|(a, b)| a == b)
        .count();
    Err(Error::NotCanonical { offset: same })
}
