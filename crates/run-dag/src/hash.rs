//! Digests as distinct types, and the BLAKE3 contexts that keep kinds of object apart.

use crate::error::{Error, Result};
use blake3::hazmat::{ContextKey, HasherExt, hash_derive_key_context};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser};
use std::fmt;
use std::sync::LazyLock;

/// Length of every digest in bytes.
pub const DIGEST_LEN: usize = 32;

/// A BLAKE3 `derive_key` context with its key computed once.
#[derive(Debug)]
pub(crate) struct Context {
    key: LazyLock<ContextKey>,
}

impl Context {
    /// A hasher in this context.
    pub(crate) fn hasher(&self) -> blake3::Hasher {
        blake3::Hasher::new_from_context_key(&self.key)
    }

    /// The digest of `data` in this context.
    pub(crate) fn digest(&self, data: &[u8]) -> [u8; DIGEST_LEN] {
        let mut hasher = self.hasher();
        hasher.update(data);
        *hasher.finalize().as_bytes()
    }
}

macro_rules! contexts {
    ($($name:ident = $text:literal;)*) => {
        $(pub(crate) static $name: Context =
            Context { key: LazyLock::new(|| hash_derive_key_context($text)) };)*

        /// Every `derive_key` context of format version 1, in the order of `docs/run-dag-format.md`.
        pub const CONTEXTS: &[&str] = &[$($text),*];
    };
}

contexts! {
    PAYLOAD = "candor run-dag 2026 payload v1";
    STAGE = "candor run-dag 2026 stage v1";
    QUESTION = "candor run-dag 2026 question v1";
    CONVERSATION = "candor run-dag 2026 conversation v1";
    GOVERNANCE_POLICY = "candor run-dag 2026 governance policy v1";
    MODEL_PROFILE = "candor run-dag 2026 model profile v1";
    RETRIEVAL_PLAN = "candor run-dag 2026 retrieval plan v1";
    SOURCES_SUMMARY = "candor run-dag 2026 sources summary v1";
    CACHE_KEY = "candor run-dag 2026 cache key v1";
    LOG_ORIGIN = "candor run-dag 2026 log origin v1";
    EVENT = "candor run-dag 2026 event v1";
    RUN_LEAF = "candor run-dag 2026 run tree leaf v1";
    RUN_NODE = "candor run-dag 2026 run tree node v1";
    RUN_EMPTY = "candor run-dag 2026 run tree empty v1";
    EVIDENCE_LEAF = "candor run-dag 2026 evidence tree leaf v1";
    EVIDENCE_NODE = "candor run-dag 2026 evidence tree node v1";
    EVIDENCE_EMPTY = "candor run-dag 2026 evidence tree empty v1";
    DOCUMENT_LEAF = "candor run-dag 2026 document tree leaf v1";
    DOCUMENT_NODE = "candor run-dag 2026 document tree node v1";
    DOCUMENT_EMPTY = "candor run-dag 2026 document tree empty v1";
    SOURCE_LEAF = "candor run-dag 2026 source tree leaf v1";
    SOURCE_NODE = "candor run-dag 2026 source tree node v1";
    SOURCE_EMPTY = "candor run-dag 2026 source tree empty v1";
    SNAPSHOT_LEAF = "candor run-dag 2026 snapshot tree leaf v1";
    SNAPSHOT_NODE = "candor run-dag 2026 snapshot tree node v1";
    SNAPSHOT_EMPTY = "candor run-dag 2026 snapshot tree empty v1";
    LOG_LEAF = "candor run-dag 2026 log tree leaf v1";
    LOG_NODE = "candor run-dag 2026 log tree node v1";
    LOG_EMPTY = "candor run-dag 2026 log tree empty v1";
}

const HEX: &[u8; 16] = b"0123456789abcdef";

/// Lower-case hexadecimal digits of 32 bytes.
fn encode_hex(bytes: &[u8; DIGEST_LEN]) -> [u8; 2 * DIGEST_LEN] {
    let mut out = [0u8; 2 * DIGEST_LEN];
    for (pair, byte) in out.chunks_exact_mut(2).zip(bytes) {
        if let [high, low] = pair {
            *high = HEX.get(usize::from(byte >> 4)).copied().unwrap_or(b'0');
            *low = HEX.get(usize::from(byte & 15)).copied().unwrap_or(b'0');
        }
    }
    out
}

fn nibble(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    }
}

/// Reads exactly 64 lower-case hexadecimal digits.
fn decode_hex(text: &str) -> Option<[u8; DIGEST_LEN]> {
    let digits = text.as_bytes();
    if digits.len() != 2 * DIGEST_LEN {
        return None;
    }
    let mut out = [0u8; DIGEST_LEN];
    for (byte, pair) in out.iter_mut().zip(digits.chunks_exact(2)) {
        let [high, low] = pair else { return None };
        *byte = (nibble(*high)? << 4) | nibble(*low)?;
    }
    Some(out)
}

macro_rules! digest_types {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        ///
        /// Written as 64 lower-case hexadecimal digits; no other spelling is read.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name([u8; DIGEST_LEN]);

        impl $name {
            /// The digest with these bytes.
            #[must_use]
            pub const fn from_bytes(bytes: [u8; DIGEST_LEN]) -> Self {
                Self(bytes)
            }

            /// The digest's bytes.
            #[must_use]
            pub const fn as_bytes(&self) -> &[u8; DIGEST_LEN] {
                &self.0
            }

            /// The digest as 64 lower-case hexadecimal digits.
            #[must_use]
            pub fn to_hex(&self) -> String {
                encode_hex(&self.0).iter().copied().map(char::from).collect()
            }

            /// Reads 64 lower-case hexadecimal digits.
            ///
            /// # Errors
            /// [`Error::Digest`] for anything else, upper-case digits included.
            pub fn from_hex(text: &str) -> Result<Self> {
                decode_hex(text)
                    .map(Self)
                    .ok_or_else(|| Error::Digest { found: text.chars().take(80).collect() })
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.to_hex())
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self.to_hex())
            }
        }

        impl std::str::FromStr for $name {
            type Err = Error;
            fn from_str(text: &str) -> Result<Self> {
                Self::from_hex(text)
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let digits = encode_hex(&self.0);
                serializer.serialize_str(std::str::from_utf8(&digits).map_err(ser::Error::custom)?)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
                Self::from_hex(&text).map_err(de::Error::custom)
            }
        }
    )*};
}

digest_types! {
    /// Plain BLAKE3 of bytes (no context), so that `b3sum` gives the same.
    ContentDigest;
    /// Plain SHA-256 of bytes, for consumers that know no BLAKE3.
    Sha256Digest;
    /// Hash of a stage's payload: BLAKE3 `derive_key` over its canonical JSON.
    PayloadHash;
    /// Hash of a stage: kind, payload hash and the parents' hashes in order.
    StageHash;
    /// Root over the stages of a run: its `run_dag_root`.
    RunRoot;
    /// Hash of a question's canonical form.
    QuestionHash;
    /// Hash of the conversation that precedes a question.
    ConversationHash;
    /// Hash of a [`GovernancePolicy`](crate::GovernancePolicy).
    GovernancePolicyHash;
    /// Hash of a [`ModelProfile`](crate::ModelProfile).
    ModelProfileHash;
    /// Hash of a [`RetrievalPlan`](crate::RetrievalPlan).
    RetrievalPlanHash;
    /// Hash of what a retrieval found, in order.
    SourcesSummaryHash;
    /// Hash of a [`CacheKey`](crate::CacheKey).
    CacheKeyHash;
    /// Root over the evidence entries of a run, in pointer order.
    EvidenceMapRoot;
    /// Root over the chunks of one document.
    DocumentRoot;
    /// Root over the sorted distinct document roots of one or several sources.
    SourceRoot;
    /// Root over the sorted distinct source roots of a corpus.
    SnapshotRoot;
    /// Hash of an audit event: the previous event's hash and the canonical body.
    EventHash;
    /// Root over the event hashes of an audit log.
    LogRoot;
    /// A node of a tree, as it occurs in proofs.
    TreeHash;
}

impl ContentDigest {
    /// Plain BLAKE3 of `bytes`, at the `blake3` crate's own rate.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(*blake3::hash(bytes).as_bytes())
    }
}

impl Sha256Digest {
    /// Plain SHA-256 of `bytes`.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        use sha2::Digest as _;
        Self(sha2::Sha256::digest(bytes).into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_read_back_and_refuse_other_spellings() {
        let digest = ContentDigest::of(b"candor");
        let hex = digest.to_hex();
        assert_eq!(ContentDigest::from_hex(&hex).unwrap(), digest);
        for other in [
            hex.to_uppercase(),
            format!(" {hex}"),
            hex[..63].to_owned(),
            "é".repeat(32),
        ] {
            assert!(matches!(
                ContentDigest::from_hex(&other),
                Err(Error::Digest { .. })
            ));
        }
        assert_eq!(
            serde_json::to_string(&digest).unwrap(),
            format!("\"{hex}\"")
        );
    }

    #[test]
    fn contexts_are_distinct_and_separate() {
        let mut texts = CONTEXTS.to_vec();
        texts.sort_unstable();
        texts.dedup();
        assert_eq!(texts.len(), CONTEXTS.len());
        assert_eq!(
            STAGE.digest(b"x"),
            blake3::derive_key("candor run-dag 2026 stage v1", b"x")
        );
        assert_ne!(STAGE.digest(b"x"), PAYLOAD.digest(b"x"));
    }
}
