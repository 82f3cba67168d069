//! Durable stores for Candor: SQLite (embedded default) and PostgreSQL with pgvector.
//!
//! One [`Store`] holds a knowledge graph, a ledger of sealed answers, audit logs, a record of
//! ingestion, indexes of vectors and passages; each is had as a handle that implements the trait
//! of its crate.
//!
//! ```
//! # #[cfg(feature = "sqlite")]
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use evidence_store::Store;
//! use knowledge_graph::{GraphStore, Node, Timestamp};
//!
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("evidence.sqlite");
//! let now = Timestamp(1_700_000_000_000);
//! Store::sqlite(&path)?.graph().put_node(Node::new("rain", "Rain fills it.", now))?;
//!
//! // Another day, another process.
//! let graph = Store::sqlite(&path)?.graph();
//! assert_eq!(graph.node("rain")?.map(|n| n.content), Some("Rain fills it.".into()));
//! # Ok(())
//! # }
//! # #[cfg(not(feature = "sqlite"))]
//! # fn main() {}
//! ```
//!
//! # Durability
//! A write that returned is on the disk: SQLite runs with a write-ahead log and
//! `synchronous = FULL`, PostgreSQL as its server is set up (`synchronous_commit = on` by
//! default). Every write is one transaction.
//!
//! # Text
//! No U+0000; byte order, never the database's collation; no normalisation.
//!
//! # Threads
//! A store and its handles are shared by reference; each store has one connection, so that calls
//! wait for one another. Open a second store for a second connection. The PostgreSQL client blocks
//! and must not be called from within an asynchronous task: use a blocking thread.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod audit;
mod check;
mod dictionary;
mod error;
mod graph;
mod ingest;
mod jsonl;
mod ledger;
mod passages;
#[cfg(feature = "postgres")]
mod postgres;
mod progress;
mod schema;
mod sql;
#[cfg(feature = "sqlite")]
mod sqlite;
mod vectors;

use std::io::{BufRead, Write};
use std::sync::Arc;

use geodesic_retriever::{Embedder, Fingerprint, GeodesicRetriever, RetrieverOptions, Snapshot};

pub use audit::StoredAuditLog;
pub use dictionary::StoredDictionary;
pub use error::Error;
pub use graph::StoredGraph;
pub use ingest::StoredIngestLog;
pub use ledger::StoredLedger;
pub use passages::StoredPassages;
#[cfg(feature = "postgres")]
pub use postgres::Connect;
pub use progress::Progress;
#[cfg(feature = "sqlite")]
pub use sqlite::SqliteOptions;
pub use vectors::{MAX_PGVECTOR, MAX_PGVECTOR_INDEXED, SearchMethod, StoredIndex};

use sql::{Database, Lock, Mode, transact};

/// A durable store. Cheap to clone; clones share one connection.
#[derive(Clone)]
pub struct Store {
    db: Arc<dyn Database>,
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Store")
    }
}

impl Store {
    /// Opens a SQLite file, made if it is not there and brought to the current schema if it is
    /// older.
    ///
    /// # Errors
    /// [`Error::Open`] for a file that is not ours or cannot be opened, [`Error::ReadOnly`],
    /// [`Error::Newer`], [`Error::Busy`], [`Error::Full`], [`Error::Damaged`].
    #[cfg(feature = "sqlite")]
    pub fn sqlite(path: impl AsRef<std::path::Path>) -> Result<Self, Error> {
        Self::sqlite_with(path, &SqliteOptions::default())
    }

    /// Opens a SQLite file with options.
    ///
    /// # Errors
    /// As [`sqlite`](Self::sqlite).
    #[cfg(feature = "sqlite")]
    pub fn sqlite_with(
        path: impl AsRef<std::path::Path>,
        options: &SqliteOptions,
    ) -> Result<Self, Error> {
        Self::sqlite_at(path.as_ref(), options, schema::VERSION)
    }

    #[cfg(feature = "sqlite")]
    fn sqlite_at(
        path: &std::path::Path,
        options: &SqliteOptions,
        version: i64,
    ) -> Result<Self, Error> {
        Ok(Self {
            db: Arc::new(sqlite::Sqlite::open(path, options, version)?),
        })
    }

    /// Connects to a PostgreSQL with pgvector, without TLS, and uses the tables in `schema` (made
    /// if it is not there). `settings` as for libpq: `host=… port=… user=… dbname=…`, or a URL.
    ///
    /// # Errors
    /// [`Error::Server`] when it cannot be reached or used, [`Error::Name`] for the schema's name,
    /// [`Error::Newer`].
    #[cfg(feature = "postgres")]
    pub fn postgres(settings: &str, schema: &str) -> Result<Self, Error> {
        Self::postgres_with(postgres::without_tls(settings)?, schema)
    }

    /// Connects by a function of your own, which is called again when a connection was lost: for
    /// TLS, credentials that change, several servers.
    ///
    /// # Errors
    /// As [`postgres`](Self::postgres).
    #[cfg(feature = "postgres")]
    pub fn postgres_with(connect: Connect, schema: &str) -> Result<Self, Error> {
        Self::postgres_at(connect, schema, schema::VERSION)
    }

    #[cfg(feature = "postgres")]
    fn postgres_at(connect: Connect, schema: &str, version: i64) -> Result<Self, Error> {
        Ok(Self {
            db: Arc::new(postgres::Postgres::open(connect, schema, version)?),
        })
    }

    /// The knowledge graph.
    #[must_use]
    pub fn graph(&self) -> StoredGraph {
        StoredGraph::new(self.db.clone())
    }

    /// The ledger.
    #[must_use]
    pub fn ledger(&self) -> StoredLedger {
        StoredLedger::new(self.db.clone())
    }

    /// The audit log of this origin, empty if it is not there yet.
    ///
    /// # Errors
    /// [`Error::Nul`].
    pub fn audit_log(&self, origin: &str) -> Result<StoredAuditLog, Error> {
        StoredAuditLog::new(self.db.clone(), origin)
    }

    /// The record of ingestion.
    #[must_use]
    pub fn ingest_log(&self) -> StoredIngestLog {
        StoredIngestLog::new(self.db.clone())
    }

    /// The index of this name, empty if it is not there yet.
    ///
    /// # Errors
    /// [`Error::Retriever`] with a `ModelMismatch` when it was made for another space.
    pub fn vector_index(
        &self,
        name: &str,
        fingerprint: &Fingerprint,
    ) -> Result<StoredIndex, Error> {
        StoredIndex::open(self.db.clone(), name, fingerprint)
    }

    /// The passages of a corpus that was saved.
    ///
    /// # Errors
    /// [`Error::Nul`].
    pub fn passages(&self, corpus: &str) -> Result<StoredPassages, Error> {
        StoredPassages::new(self.db.clone(), corpus)
    }

    /// The dictionary of this name, for an [`Executor`](geodesic_retriever::Executor) to ingest
    /// into; nothing is made before it is created. Its log is [`ingest_log`](Self::ingest_log), so
    /// that a store has one dictionary that is ingested into, beside any number of snapshots.
    ///
    /// # Errors
    /// [`Error::Nul`].
    pub fn dictionary(&self, name: &str) -> Result<StoredDictionary, Error> {
        StoredDictionary::new(self.db.clone(), name)
    }

    /// Sets the calibration of a saved snapshot or a dictionary; whether there is one of this
    /// name.
    ///
    /// # Errors
    /// [`Error::Retriever`] for a calibration out of range or of another model.
    pub fn set_calibration(
        &self,
        name: &str,
        calibration: &geodesic_retriever::Calibration,
    ) -> Result<bool, Error> {
        passages::set_calibration(self.db.as_ref(), name, calibration)
    }

    /// Saves a retriever's snapshot (passages, vectors, calibration, what the lexical embedder
    /// learned) under a name, in place of what was there, all or nothing.
    ///
    /// # Errors
    /// [`Error::Nul`] for texts with U+0000; the store's failure.
    pub fn save_snapshot(
        &self,
        name: &str,
        snapshot: &Snapshot,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<(), Error> {
        passages::save(self.db.as_ref(), name, snapshot, progress)
    }

    /// A retriever over a saved snapshot, which reads from this store; `None` when none was saved
    /// under this name. `embedder` is not needed if it was the lexical one.
    ///
    /// # Errors
    /// [`Error::Retriever`] if the embedder is another than the one that made the snapshot, or is
    /// needed and absent.
    pub fn retriever(
        &self,
        name: &str,
        embedder: Option<Arc<dyn Embedder>>,
        options: RetrieverOptions,
    ) -> Result<Option<GeodesicRetriever>, Error> {
        passages::load(&self.db, name, embedder, options)
    }

    /// Writes everything as JSON lines and says how many rows there were. One state of the store,
    /// whatever is written meanwhile; the same contents give the same bytes on both databases.
    ///
    /// # Errors
    /// [`Error::Io`]; the store's failure.
    pub fn export(
        &self,
        out: &mut dyn Write,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<u64, Error> {
        transact(self.db.as_ref(), Mode::Read, |tx| {
            jsonl::export(tx, out, progress)
        })
    }

    /// Reads an export into this store, which must be empty; all or nothing. Every row is checked.
    ///
    /// # Errors
    /// [`Error::NotEmpty`]; [`Error::Line`] with the first line that is not an export's;
    /// [`Error::Io`]; the store's failure.
    pub fn import(
        &self,
        input: &mut dyn BufRead,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<u64, Error> {
        let mut begun = false;
        transact(self.db.as_ref(), Mode::Write(Lock::Schema), |tx| {
            // What was read cannot be read again.
            if std::mem::replace(&mut begun, true) {
                return Err(Error::Collision {
                    reason: "during an import".into(),
                });
            }
            #[cfg(feature = "postgres")]
            if tx.dialect() == sql::Dialect::Postgres {
                tx.query(
                    "SELECT name FROM candor_locks ORDER BY name FOR UPDATE",
                    &[],
                )?;
            }
            jsonl::import(tx, input, progress)
        })
    }

    /// Checks the store: the database's own check (SQLite's `integrity_check` and
    /// `foreign_key_check`; PostgreSQL's server keeps its own checks), then every row as an import
    /// would check it, the chains of the audit logs included. Says what is wrong; empty when all
    /// is well. Reads everything.
    ///
    /// # Errors
    /// The store's failure.
    pub fn check(&self) -> Result<Vec<String>, Error> {
        let mut wrong = self.db.check()?;
        transact(self.db.as_ref(), Mode::Read, |tx| {
            let mut checker = check::Checker::default();
            for table in schema::TABLES {
                jsonl::scan(tx, table, &mut |row| {
                    if let Err(error) = checker.check(table, row) {
                        wrong.push(format!("{}: {error}", table.name));
                    }
                    Ok(())
                })?;
            }
            Ok::<_, Error>(())
        })?;
        Ok(wrong)
    }

    /// The version of the schema.
    ///
    /// # Errors
    /// The store's failure.
    pub fn schema_version(&self) -> Result<i64, Error> {
        transact(self.db.as_ref(), Mode::Read, schema::version)
    }
}

#[cfg(all(test, feature = "sqlite", feature = "postgres"))]
mod fixture;
