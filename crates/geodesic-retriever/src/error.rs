//! The one error type of the crate.

use std::path::{Path, PathBuf};

/// What went wrong, where, and what would be accepted.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A text holds nothing that the embedder can see.
    #[error("{entry}: nothing to embed; a text needs at least one content word or number")]
    NothingToEmbed {
        /// The entry, or `query`.
        entry: String,
    },
    /// A vector holds NaN or an infinity.
    #[error(
        "{entry}: component {position} of the vector is not finite; only finite numbers are accepted"
    )]
    NonFinite {
        /// The entry, or `query`.
        entry: String,
        /// The first component that is not finite.
        position: usize,
    },
    /// A vector has no direction.
    #[error("{entry}: the vector is zero (norm below 1e-12), so it has no direction")]
    ZeroVector {
        /// The entry, or `query`.
        entry: String,
    },
    /// A sparse vector's indices are out of order or out of range.
    #[error(
        "{entry}: sparse indices must rise strictly, stay below {dimension} and match the values in number"
    )]
    MalformedSparse {
        /// The entry, or `query`.
        entry: String,
        /// The vector's dimension.
        dimension: usize,
    },
    /// A vector has another dimension or another form than its index.
    #[error("{entry}: {found} does not fit this index of {expected}")]
    ShapeMismatch {
        /// The entry, or `query`.
        entry: String,
        /// What the index holds, such as `768 dense dimensions`.
        expected: String,
        /// What was given.
        found: String,
    },
    /// An index, calibration or snapshot belongs to another model or other settings.
    #[error(
        "{what} was made with {field} = {expected}, and {found} is in use; use the same model and settings or index anew"
    )]
    ModelMismatch {
        /// What is bound to a model: an index, a calibration, a snapshot.
        what: String,
        /// The first field of the fingerprint that differs.
        field: String,
        /// The stored value.
        expected: String,
        /// The value in use.
        found: String,
    },
    /// An entry with this id is already in the index.
    #[error("entry {id} is already in the index; remove it first")]
    DuplicateEntry {
        /// The id.
        id: String,
    },
    /// An index names an entry that the passage store does not hold.
    #[error("entry {id} is in the index but not among the passages; rebuild the index")]
    MissingPassage {
        /// The id.
        id: String,
    },
    /// The question is empty or white space.
    #[error("the question is empty; ask in at least one word")]
    EmptyQuestion,
    /// The question is longer than the limit.
    #[error("the question has {bytes} bytes; at most {limit} are accepted")]
    QuestionTooLong {
        /// Its length.
        bytes: usize,
        /// The limit in force.
        limit: usize,
    },
    /// A setting is out of range.
    #[error("{what} cannot be {found}; accepted: {accepted}")]
    InvalidSetting {
        /// The setting.
        what: String,
        /// The value given.
        found: String,
        /// What would do.
        accepted: String,
    },
    /// A file or folder could not be read or written.
    #[error("{path}: {message}", path = path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        message: String,
        /// The kind of failure.
        kind: std::io::ErrorKind,
    },
    /// A folder holds nothing that can be indexed.
    #[error("{path}: no document to index ({skipped} files skipped{reasons})", path = path.display())]
    EmptyFolder {
        /// The folder.
        path: PathBuf,
        /// Files that were skipped.
        skipped: usize,
        /// Why, in words; empty, or `: 2 hidden, 1 binary`.
        reasons: String,
    },
    /// A file of ours does not carry what it should.
    #[error("{path}: damaged: {what}", path = path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// A model's file cannot be used.
    #[error("{path}: not usable as a model: {what}", path = path.display())]
    Model {
        /// The file or folder.
        path: PathBuf,
        /// What is wrong, and what would be accepted.
        what: String,
    },
    /// Computing an embedding failed.
    #[error("{model}: embedding failed: {what}")]
    Embedding {
        /// The model.
        model: String,
        /// What the back end said.
        what: String,
    },
    /// Too few probes for the bound that was asked for.
    #[error(
        "{probes} probes cannot support alpha = {alpha}; give at least {needed}, or a greater alpha"
    )]
    TooFewProbes {
        /// Probes given.
        probes: usize,
        /// The level asked for.
        alpha: f64,
        /// Probes that would support it.
        needed: usize,
    },
    /// A structural check of the initialization gate failed.
    #[error("initialization gate: {failed}")]
    Gate {
        /// The checks that failed, each with its figure.
        failed: String,
    },
    /// A report about a source under another digest than the recorded one.
    #[error(
        "{source_id}: ingestion under digest {digest} is not what is recorded ({recorded}); begin the source first",
        recorded = recorded.as_deref().unwrap_or("nothing")
    )]
    StaleIngest {
        /// The source.
        source_id: String,
        /// The digest of the report.
        digest: String,
        /// The digest that is recorded, if any.
        recorded: Option<String>,
    },
    /// Another writer changed the dictionary since it was read.
    #[error(
        "the dictionary is at generation {found}, not {expected}: another writer changed it; open it again"
    )]
    AnotherWriter {
        /// The generation that the change was made against.
        expected: u64,
        /// The store's generation.
        found: u64,
    },
    /// The store holds a dictionary that was made with another setup.
    #[error(
        "the store holds a dictionary of another setup; use its setup, or reset it, or give another store"
    )]
    OtherDictionary,
    /// A store behind one of the traits failed.
    #[error("{operation}: {message}")]
    Backend {
        /// What was being done.
        operation: String,
        /// What the store said.
        message: String,
    },
}

impl Error {
    pub(crate) fn io(path: &Path, e: &std::io::Error) -> Self {
        Self::Io {
            path: path.to_owned(),
            message: e.to_string(),
            kind: e.kind(),
        }
    }

    pub(crate) fn damaged(path: &Path, what: impl Into<String>) -> Self {
        Self::Damaged {
            path: path.to_owned(),
            what: what.into(),
        }
    }

    pub(crate) fn setting(
        what: impl Into<String>,
        found: impl ToString,
        accepted: impl Into<String>,
    ) -> Self {
        Self::InvalidSetting {
            what: what.into(),
            found: found.to_string(),
            accepted: accepted.into(),
        }
    }
}
