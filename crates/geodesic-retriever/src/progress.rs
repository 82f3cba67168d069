//! Progress of long work.

use serde::{Deserialize, Serialize};

/// A step of a long piece of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Stage {
    /// Listing a folder's files.
    List,
    /// Reading files.
    Read,
    /// Cutting documents into chunks.
    Chunk,
    /// Embedding chunks.
    Embed,
    /// Inserting vectors into an index.
    Insert,
    /// Asking questions of an audit.
    Audit,
}

/// How far a stage has come. Told to a callback on the calling thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// The stage.
    pub stage: Stage,
    /// Items done.
    pub done: usize,
    /// Items in all, where that is known.
    pub total: Option<usize>,
}
