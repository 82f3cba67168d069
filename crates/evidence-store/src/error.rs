//! The crate's one error enum.

use std::path::PathBuf;

/// Why a store could not be opened, read or written. Unless a variant says otherwise, nothing was
/// written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The file cannot be opened.
    #[error("{path}: cannot be opened as a store: {reason}", path = path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// What the system said, and what would be accepted.
        reason: String,
    },
    /// The file or its folder does not accept writes.
    #[error("the store is read-only ({reason}); open a copy in a folder that accepts writes")]
    ReadOnly {
        /// What the database said.
        reason: String,
    },
    /// There is no room left.
    #[error("no room left for the store ({reason}); make room and write again")]
    Full {
        /// What the database said.
        reason: String,
    },
    /// Another writer held the store for longer than the waiting time.
    #[error("another writer holds the store ({reason}); try again")]
    Busy {
        /// What the database said.
        reason: String,
    },
    /// The store was written by a later version of this crate.
    #[error("the store has schema version {found}; this program knows versions up to {known}")]
    Newer {
        /// The version found.
        found: i64,
        /// The last version known.
        known: i64,
    },
    /// What is stored is not what this crate writes.
    #[error("the store is damaged: {what}")]
    Damaged {
        /// Where and what.
        what: String,
    },
    /// The connection to the server broke. A batch with an id may be handed in again: if it had
    /// been committed it is not applied twice.
    #[error(
        "the connection to the database was lost ({reason}); whether the last write was committed is unknown, and a batch with an id may be handed in again"
    )]
    ConnectionLost {
        /// What the client said.
        reason: String,
    },
    /// The server cannot be used.
    #[error("the database server cannot be used: {reason}")]
    Server {
        /// What is missing, and what would be accepted.
        reason: String,
    },
    /// A text holds U+0000, which no store accepts.
    #[error("{what} holds U+0000; text without it is accepted")]
    Nul {
        /// Which text.
        what: String,
    },
    /// A name is out of its bounds.
    #[error("{what} cannot be {found:?}; accepted: {accepted}")]
    Name {
        /// What it names.
        what: &'static str,
        /// The name.
        found: String,
        /// What would be accepted.
        accepted: &'static str,
    },
    /// A line of an import is not what an export writes; nothing was imported.
    #[error("line {line}: {reason}")]
    Line {
        /// Its number, from 1.
        line: u64,
        /// What is wrong, and what would be accepted.
        reason: String,
    },
    /// An import needs a store that holds nothing.
    #[error("the store already holds {rows} rows; import into an empty one")]
    NotEmpty {
        /// How many rows it holds.
        rows: u64,
    },
    /// Reading an import or writing an export failed.
    #[error("reading or writing JSON lines: {0}")]
    Io(#[from] std::io::Error),
    /// The database refused a statement.
    #[error("{operation}: {reason}")]
    Database {
        /// What was being done.
        operation: &'static str,
        /// What the database said.
        reason: String,
    },
    /// Two transactions could not be put into an order; tried again before it is shown.
    #[error("the write collided with others each time it was tried ({reason}); try again")]
    Collision {
        /// What the database said.
        reason: String,
    },
    /// A part of the retriever refused something.
    #[error(transparent)]
    Retriever(#[from] geodesic_retriever::Error),
    /// A part of run-dag refused something.
    #[error(transparent)]
    RunDag(#[from] run_dag::Error),
    /// The graph refused something.
    #[error(transparent)]
    Graph(#[from] knowledge_graph::GraphError),
}

impl Error {
    pub(crate) fn damaged(what: impl Into<String>) -> Self {
        Self::Damaged { what: what.into() }
    }
}

/// The error as a [`knowledge_graph::GraphError`].
impl From<Error> for knowledge_graph::GraphError {
    fn from(error: Error) -> Self {
        match error {
            Error::Graph(inner) => inner,
            other => Self::Store {
                reason: other.to_string(),
            },
        }
    }
}

/// The error as a [`run_dag::Error`].
impl From<Error> for run_dag::Error {
    fn from(error: Error) -> Self {
        match error {
            Error::RunDag(inner) => inner,
            other => Self::backend("read or write", other),
        }
    }
}

/// The error as a [`geodesic_retriever::Error`].
impl From<Error> for geodesic_retriever::Error {
    fn from(error: Error) -> Self {
        match error {
            Error::Retriever(inner) => inner,
            other => Self::Backend {
                operation: "the store".into(),
                message: other.to_string(),
            },
        }
    }
}
