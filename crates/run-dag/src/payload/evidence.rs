//! Evidence: a tree over entries, so that one cited passage can be proved.

use super::BytesDigest;
use crate::error::Result;
use crate::hash::{DocumentRoot, EvidenceMapRoot, TreeHash};
use crate::json::canonical;
use crate::number::SafeInt;
use crate::tree::{EvidenceTree, TreeHasher, root};
use serde::{Deserialize, Serialize};

/// One passage that a pointer names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EvidenceEntry {
    /// What the model sees: `E1`, `E2`, ….
    pub pointer_id: String,
    /// The evidence's own id (content-addressed by whoever made the map).
    pub evidence_id: String,
    /// The source's id; its bytes are its identity.
    pub source_id: String,
    /// The source's title.
    pub title: Option<String>,
    /// The source's role: `primary`, `secondary`, ….
    pub source_role: String,
    /// The passage's bytes.
    pub text: BytesDigest,
    /// First byte of the passage in its source, where it is known.
    pub byte_start: Option<SafeInt>,
    /// First byte after it.
    pub byte_end: Option<SafeInt>,
    /// Root over the source's document, where it is known.
    pub document_root: Option<DocumentRoot>,
}

impl EvidenceEntry {
    /// The entry's leaf hash in the evidence tree: over its canonical JSON.
    ///
    /// # Errors
    /// Only if canonical JSON cannot be written, which no entry gives cause for.
    pub fn leaf_hash(&self) -> Result<TreeHash> {
        Ok(EvidenceTree::leaf(&canonical(self)?))
    }
}

/// The root over entries in pointer order.
///
/// # Errors
/// As [`EvidenceEntry::leaf_hash`].
pub fn evidence_map_root(entries: &[EvidenceEntry]) -> Result<EvidenceMapRoot> {
    let leaves = entries
        .iter()
        .map(EvidenceEntry::leaf_hash)
        .collect::<Result<Vec<_>>>()?;
    Ok(EvidenceMapRoot::from_bytes(
        *root::<EvidenceTree>(&leaves).as_bytes(),
    ))
}

/// The evidence map of lattice mode: the entries themselves stand beside the stages in the record,
/// so that a proof of one entry need not show the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EvidenceMapPayload {
    /// [`evidence_map_root`] of the entries.
    pub evidence_map_root: EvidenceMapRoot,
    /// Their number.
    pub entries: u32,
}

impl EvidenceMapPayload {
    /// The payload of these entries.
    ///
    /// # Errors
    /// As [`EvidenceEntry::leaf_hash`].
    pub fn of(entries: &[EvidenceEntry]) -> Result<Self> {
        Ok(Self {
            evidence_map_root: evidence_map_root(entries)?,
            entries: u32::try_from(entries.len()).unwrap_or(u32::MAX),
        })
    }
}

/// The context of quote mode: the text given to the model and the passages it was made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContextPayload {
    /// The context's exact bytes.
    pub context: BytesDigest,
    /// [`evidence_map_root`] of the passages.
    pub evidence_map_root: EvidenceMapRoot,
    /// Their number.
    pub entries: u32,
}

impl ContextPayload {
    /// The payload of this context made of these passages.
    ///
    /// # Errors
    /// As [`EvidenceEntry::leaf_hash`].
    pub fn of(context: impl AsRef<[u8]>, entries: &[EvidenceEntry]) -> Result<Self> {
        let map = EvidenceMapPayload::of(entries)?;
        Ok(Self {
            context: BytesDigest::of(context),
            evidence_map_root: map.evidence_map_root,
            entries: map.entries,
        })
    }
}
