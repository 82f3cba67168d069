//! Evidence maps: the passages an answer may point to, each under a name the model sees.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::error::Error;
use crate::index::IndexCell;

/// The budget that the facades use when the caller names none, in characters.
pub const DEFAULT_CHAR_BUDGET: usize = 24_000;

/// The marker in front of a pointer's number when the caller names none: `E1`, `E2`, …
pub const DEFAULT_MARKER: &str = "E";

/// BLAKE3's key-derivation context of [`EvidenceId`]; a change of the id's definition changes it.
const ID_CONTEXT: &str = "candor claim-lattice evidence-id v1";

/// What part a source plays. A policy lists the roles whose passages may bear a claim.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SourceRole {
    /// A source of the corpus itself.
    #[default]
    Primary,
    /// A source about a source: a review, a summary, an encyclopedia.
    Secondary,
    /// Handed in by the user who asks.
    UserSupplied,
    /// An earlier conclusion of the system.
    Conclusion,
    /// The output of a tool.
    Tool,
    /// Any other role, by its name.
    #[serde(untagged)]
    Other(String),
}

impl fmt::Display for SourceRole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Primary => "primary",
            Self::Secondary => "secondary",
            Self::UserSupplied => "user_supplied",
            Self::Conclusion => "conclusion",
            Self::Tool => "tool",
            Self::Other(name) => name,
        })
    }
}

/// Where a passage stands in its source.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Location {
    /// The byte range in the source's text (UTF-8).
    pub bytes: Range<u64>,
    /// The same range in characters (Unicode scalar values).
    pub chars: Range<u64>,
}

impl Location {
    /// The location of a text that is a whole source.
    #[must_use]
    pub fn whole(text: &str) -> Self {
        Self {
            bytes: 0..text.len() as u64,
            chars: 0..text.chars().count() as u64,
        }
    }

    fn is_range(&self) -> bool {
        self.bytes.start <= self.bytes.end
            && self.chars.start <= self.chars.end
            && self.chars.end - self.chars.start <= self.bytes.end - self.bytes.start
    }
}

/// The content address of a passage: BLAKE3 in key-derivation mode over the length-prefixed
/// source id, location and text. Written as 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EvidenceId([u8; 32]);

impl EvidenceId {
    /// The id of a passage.
    ///
    /// Hashed are, each with its length in bytes in front as a little-endian 64-bit number: the
    /// source id; the location as its four bounds (bytes, then characters; start, then end), 8
    /// bytes each; the text.
    #[must_use]
    pub fn of(source_id: &str, location: &Location, text: &str) -> Self {
        let mut hasher = blake3::Hasher::new_derive_key(ID_CONTEXT);
        let mut field = |bytes: &[u8]| {
            hasher.update(&(bytes.len() as u64).to_le_bytes());
            hasher.update(bytes);
        };
        let mut bounds = [0_u8; 32];
        let values = [
            location.bytes.start,
            location.bytes.end,
            location.chars.start,
            location.chars.end,
        ];
        for (slot, value) in bounds.chunks_exact_mut(8).zip(values) {
            slot.copy_from_slice(&value.to_le_bytes());
        }
        field(source_id.as_bytes());
        field(&bounds);
        field(text.as_bytes());
        Self(*hasher.finalize().as_bytes())
    }

    /// The 32 bytes of the id.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Reads an id from its 64 hexadecimal digits.
    ///
    /// # Errors
    /// [`Error::InvalidEvidenceId`] when the text is anything else.
    pub fn parse(text: &str) -> Result<Self, Error> {
        blake3::Hash::from_hex(text)
            .ok()
            .filter(|_| !text.bytes().any(|b| b.is_ascii_uppercase()))
            .map(|hash| Self(*hash.as_bytes()))
            .ok_or_else(|| Error::InvalidEvidenceId {
                text: text.chars().take(80).collect(),
            })
    }
}

impl fmt::Display for EvidenceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for byte in self.0 {
            write!(f, "{byte:02x}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for EvidenceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "EvidenceId({self})")
    }
}

impl Serialize for EvidenceId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for EvidenceId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).map_err(serde::de::Error::custom)
    }
}

/// A passage on its way into a map.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Passage {
    /// The source's id, unique in the corpus.
    pub source_id: String,
    /// The source's title; may be empty.
    #[serde(default)]
    pub title: String,
    /// The part the source plays.
    #[serde(default)]
    pub source_role: SourceRole,
    /// The passage, exactly as it stands in the source.
    pub text: String,
    /// Where it stands there.
    pub location: Location,
    /// The Merkle root (or another commitment) of the source document, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document_root: Option<String>,
}

impl Passage {
    /// A passage that is a whole source of its own.
    #[must_use]
    pub fn whole(source_id: &str, title: &str, text: &str) -> Self {
        Self {
            source_id: source_id.to_owned(),
            title: title.to_owned(),
            source_role: SourceRole::Primary,
            text: text.to_owned(),
            location: Location::whole(text),
            document_root: None,
        }
    }
}

/// An entry of a map: a passage under the name that the model sees.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EvidenceEntry {
    /// The name that the model sees: `E1`, `E2`, …
    pub pointer_id: String,
    /// The content address.
    pub evidence_id: EvidenceId,
    /// The source's id.
    pub source_id: String,
    /// The source's title.
    pub title: String,
    /// The part the source plays.
    pub source_role: SourceRole,
    /// The passage, exactly as it stands in the source.
    pub text: String,
    /// Where it stands there.
    pub location: Location,
    /// A commitment to the source document, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document_root: Option<String>,
}

/// What became of a passage that was offered to a map.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Pushed {
    /// It is in, under this pointer id.
    Added(String),
    /// The same passage was there already, under this pointer id.
    Duplicate(String),
    /// The remaining budget is smaller than the passage. Passages are never cut; shorter ones
    /// that come later may still fit.
    OverBudget,
}

/// Builds an [`EvidenceMap`] under a character budget.
#[derive(Debug, Clone)]
pub struct EvidenceMapBuilder {
    marker: String,
    budget: usize,
    used: usize,
    entries: Vec<EvidenceEntry>,
    seen: BTreeMap<EvidenceId, usize>,
    left_out: usize,
}

impl EvidenceMapBuilder {
    /// Changes the marker in front of a pointer's number: `E` (the default), or nothing for
    /// `[1]`. Also renames the entries that are in already.
    ///
    /// # Errors
    /// [`Error::InvalidMarker`] when it is not made of up to 8 ASCII letters.
    pub fn marker(mut self, marker: &str) -> Result<Self, Error> {
        if marker.len() > 8 || !marker.bytes().all(|b| b.is_ascii_alphabetic()) {
            return Err(Error::InvalidMarker {
                marker: marker.chars().take(80).collect(),
            });
        }
        marker.clone_into(&mut self.marker);
        for (i, entry) in self.entries.iter_mut().enumerate() {
            entry.pointer_id = format!("{marker}{}", i + 1);
        }
        Ok(self)
    }

    /// Offers a passage.
    ///
    /// # Errors
    /// [`Error::InvalidLocation`] when its location is not a range.
    pub fn push(&mut self, passage: Passage) -> Result<Pushed, Error> {
        if !passage.location.is_range() {
            return Err(Error::InvalidLocation {
                source_id: passage.source_id.chars().take(80).collect(),
            });
        }
        let evidence_id = EvidenceId::of(&passage.source_id, &passage.location, &passage.text);
        if let Some(entry) = self
            .seen
            .get(&evidence_id)
            .and_then(|&i| self.entries.get(i))
        {
            return Ok(Pushed::Duplicate(entry.pointer_id.clone()));
        }
        let chars = passage.text.chars().count();
        if chars > self.budget - self.used {
            self.left_out += 1;
            return Ok(Pushed::OverBudget);
        }
        self.used += chars;
        let pointer_id = format!("{}{}", self.marker, self.entries.len() + 1);
        self.seen.insert(evidence_id, self.entries.len());
        self.entries.push(EvidenceEntry {
            pointer_id: pointer_id.clone(),
            evidence_id,
            source_id: passage.source_id,
            title: passage.title,
            source_role: passage.source_role,
            text: passage.text,
            location: passage.location,
            document_root: passage.document_root,
        });
        Ok(Pushed::Added(pointer_id))
    }

    /// The map.
    #[must_use]
    pub fn build(self) -> EvidenceMap {
        EvidenceMap {
            marker: self.marker,
            entries: self.entries,
            left_out: self.left_out,
            index: IndexCell::default(),
        }
    }
}

/// The passages an answer may point to, in order.
#[derive(Debug, Clone)]
pub struct EvidenceMap {
    marker: String,
    entries: Vec<EvidenceEntry>,
    left_out: usize,
    /// The words of the passages, prepared at the first verification.
    pub(crate) index: IndexCell,
}

impl EvidenceMap {
    /// A builder that lets in at most `char_budget` characters of passage text in all
    /// (see [`DEFAULT_CHAR_BUDGET`]).
    #[must_use]
    pub fn builder(char_budget: usize) -> EvidenceMapBuilder {
        EvidenceMapBuilder {
            marker: DEFAULT_MARKER.to_owned(),
            budget: char_budget,
            used: 0,
            entries: Vec::new(),
            seen: BTreeMap::new(),
            left_out: 0,
        }
    }

    /// The entries, in order: the entry with number `n` stands at `n - 1`.
    #[must_use]
    pub fn entries(&self) -> &[EvidenceEntry] {
        &self.entries
    }

    /// The marker in front of a pointer's number.
    #[must_use]
    pub fn marker(&self) -> &str {
        &self.marker
    }

    /// How many passages did not fit into the budget.
    #[must_use]
    pub fn left_out(&self) -> usize {
        self.left_out
    }

    /// The entry a pointer id names. Exact: `e1` is not `E1`, `E01` is not `E1`.
    #[must_use]
    pub fn get(&self, pointer_id: &str) -> Option<&EvidenceEntry> {
        self.position(pointer_id).and_then(|i| self.entries.get(i))
    }

    pub(crate) fn position(&self, pointer_id: &str) -> Option<usize> {
        let digits = pointer_id.strip_prefix(self.marker.as_str())?;
        let canonical = digits.bytes().all(|b| b.is_ascii_digit()) && !digits.starts_with('0');
        let at = digits
            .parse::<usize>()
            .ok()
            .filter(|_| canonical)?
            .checked_sub(1)?;
        (at < self.entries.len()).then_some(at)
    }
}

impl PartialEq for EvidenceMap {
    fn eq(&self, other: &Self) -> bool {
        self.marker == other.marker
            && self.entries == other.entries
            && self.left_out == other.left_out
    }
}

impl Eq for EvidenceMap {}

impl Serialize for EvidenceMap {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        MapOnWire {
            marker: self.marker.clone(),
            entries: self.entries.clone(),
            left_out: self.left_out,
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for EvidenceMap {
    /// Reads a map back. Refused is a map whose entries are not named in order, or whose
    /// evidence ids do not belong to their passages.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        use serde::de::Error as _;
        let wire = MapOnWire::deserialize(deserializer)?;
        for (i, entry) in wire.entries.iter().enumerate() {
            let id = EvidenceId::of(&entry.source_id, &entry.location, &entry.text);
            if id != entry.evidence_id {
                return Err(D::Error::custom(format!(
                    "the evidence id of {} is not that of its passage",
                    entry.pointer_id
                )));
            }
            if entry.pointer_id != format!("{}{}", wire.marker, i + 1) {
                return Err(D::Error::custom(format!(
                    "entry {} is named {:?}: entries are numbered in order",
                    i + 1,
                    entry.pointer_id
                )));
            }
        }
        Ok(Self {
            marker: wire.marker,
            entries: wire.entries,
            left_out: wire.left_out,
            index: IndexCell::default(),
        })
    }
}

#[derive(Serialize, Deserialize)]
struct MapOnWire {
    marker: String,
    entries: Vec<EvidenceEntry>,
    left_out: usize,
}
