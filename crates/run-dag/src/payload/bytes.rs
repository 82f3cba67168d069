//! Large bytes, committed by digest and length.

use crate::hash::{ContentDigest, Sha256Digest};
use crate::number::SafeInt;
use serde::{Deserialize, Serialize};

/// The exact bytes of a prompt, a text or a document, by their digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BytesDigest {
    /// Plain BLAKE3 of the bytes.
    pub blake3: ContentDigest,
    /// Their number.
    pub length: SafeInt,
}

impl BytesDigest {
    /// The digest of these bytes.
    #[must_use]
    pub fn of(bytes: impl AsRef<[u8]>) -> Self {
        let bytes = bytes.as_ref();
        Self {
            blake3: ContentDigest::of(bytes),
            length: SafeInt::saturating(bytes.len()),
        }
    }

    /// Whether these are the bytes.
    #[must_use]
    pub fn matches(&self, bytes: impl AsRef<[u8]>) -> bool {
        *self == Self::of(bytes)
    }
}

/// The exact bytes of an answer, by BLAKE3 and, for consumers that know no BLAKE3, by SHA-256.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnswerDigest {
    /// Plain BLAKE3 of the bytes.
    pub blake3: ContentDigest,
    /// Plain SHA-256 of the bytes.
    pub sha256: Sha256Digest,
    /// Their number.
    pub length: SafeInt,
}

impl AnswerDigest {
    /// The digests of these bytes.
    #[must_use]
    pub fn of(bytes: impl AsRef<[u8]>) -> Self {
        let bytes = bytes.as_ref();
        Self {
            blake3: ContentDigest::of(bytes),
            sha256: Sha256Digest::of(bytes),
            length: SafeInt::saturating(bytes.len()),
        }
    }

    /// Whether these are the bytes.
    #[must_use]
    pub fn matches(&self, bytes: impl AsRef<[u8]>) -> bool {
        *self == Self::of(bytes)
    }
}
