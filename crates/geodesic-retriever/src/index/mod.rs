//! Indexes: which entries are nearest to a vector.

#[cfg(any(test, feature = "conformance"))]
pub(crate) mod conformance;
mod exact;
#[cfg(feature = "quantized")]
mod quantized;
mod rows;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::{Error, Fingerprint, Similarity, Vector};

pub use exact::ExactIndex;
#[cfg(feature = "quantized")]
pub use quantized::QuantizedIndex;

/// What an entry is.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum EntryKind {
    /// A passage of a source document.
    #[default]
    Fact,
    /// Something that the system said before.
    Response,
    /// Who the system is.
    Identity,
    /// A labelled phrase that anchors are made from.
    Scaffold,
}

/// What an index knows of an entry besides its vector: what it can be filtered by.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct EntryMeta {
    /// The dictionary that the entry belongs to: `generalist` or a specialist's name.
    pub cube: String,
    /// What it is.
    pub kind: EntryKind,
    /// The document that it is a part of.
    pub parent: String,
}

/// The name of the first dictionary.
pub const GENERALIST: &str = "generalist";

/// An entry on its way into an index.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct IndexEntry {
    /// Unique in its index. Ties in similarity are broken by its bytes.
    pub id: String,
    /// Its vector, of any length but zero.
    pub vector: Vector,
    /// What it can be filtered by.
    pub meta: EntryMeta,
}

/// Which entries a search looks at. The default lets all pass; conditions are joined by "and".
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Filter {
    /// Only entries of these dictionaries.
    pub cubes: Option<BTreeSet<String>>,
    /// Only entries of these kinds.
    pub kinds: Option<BTreeSet<EntryKind>>,
    /// Only parts of these documents.
    pub parents: Option<BTreeSet<String>>,
}

impl Filter {
    /// Whether an entry passes.
    #[must_use]
    pub fn passes(&self, meta: &EntryMeta) -> bool {
        self.cubes.as_ref().is_none_or(|c| c.contains(&meta.cube))
            && self.kinds.as_ref().is_none_or(|k| k.contains(&meta.kind))
            && self
                .parents
                .as_ref()
                .is_none_or(|p| p.contains(&meta.parent))
    }

    /// Whether every entry passes.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.cubes.is_none() && self.kinds.is_none() && self.parents.is_none()
    }
}

/// An entry that a search found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Hit {
    /// The entry.
    pub id: String,
    /// How near it is to the query.
    pub similarity: Similarity,
    /// What it can be filtered by.
    pub meta: EntryMeta,
}

/// The order of results: greater querySim first, ties by the bytes of the id. No other term.
#[must_use]
pub fn rank(a: &Hit, b: &Hit) -> std::cmp::Ordering {
    let (x, y) = (a.similarity.query_sim(), b.similarity.query_sim());
    y.total_cmp(&x).then_with(|| a.id.cmp(&b.id))
}

/// A store of vectors that finds the nearest ones. Synchronous and object-safe.
///
/// Laws, checked by the suite behind the feature `conformance`:
/// - every vector is checked ([`Vector::check`]) at insertion and at search;
/// - an insertion is whole or not at all: if one entry is refused none is stored;
/// - hits come in the order of [`rank`], with similarities computed in `f64` from the stored
///   vectors (an approximate index may miss entries, never misjudge them);
/// - a search gives `k` hits whenever `k` entries pass the filter, whatever was removed.
pub trait VectorIndex: Send + Sync {
    /// The space that its vectors live in.
    fn fingerprint(&self) -> &Fingerprint;

    /// Entries in it.
    ///
    /// # Errors
    /// [`Error::Backend`] if the store fails.
    fn len(&self) -> Result<usize, Error>;

    /// Whether there is none.
    ///
    /// # Errors
    /// As [`len`](Self::len).
    fn is_empty(&self) -> Result<bool, Error> {
        Ok(self.len()? == 0)
    }

    /// Inserts entries, all or none.
    ///
    /// # Errors
    /// The vector's fault, [`Error::DuplicateEntry`], or the store's failure.
    fn insert(&mut self, entries: Vec<IndexEntry>) -> Result<(), Error>;

    /// Removes entries and says how many there were; unknown ids are passed over.
    ///
    /// # Errors
    /// [`Error::Backend`] if the store fails.
    fn remove(&mut self, ids: &[&str]) -> Result<usize, Error>;

    /// An entry, if it is there.
    ///
    /// # Errors
    /// [`Error::Backend`] if the store fails.
    fn get(&self, id: &str) -> Result<Option<IndexEntry>, Error>;

    /// All ids, in the order of their bytes.
    ///
    /// # Errors
    /// [`Error::Backend`] if the store fails.
    fn ids(&self) -> Result<Vec<String>, Error>;

    /// The `k` nearest entries that pass the filter, in the order of [`rank`].
    ///
    /// # Errors
    /// The vector's fault, or the store's failure.
    fn search(&self, query: &Vector, k: usize, filter: &Filter) -> Result<Vec<Hit>, Error>;
}
