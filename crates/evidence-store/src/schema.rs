//! The tables, and how one version becomes the next.

use crate::Error;
use crate::sql::{Dialect, Tx, Value};

/// The version that this crate writes.
pub(crate) const VERSION: i64 = 3;

/// A table as exports see it: its columns, and those that order its rows.
pub(crate) struct Table {
    pub(crate) name: &'static str,
    pub(crate) columns: &'static [(&'static str, Kind)],
    pub(crate) key: &'static str,
}

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Int,
    Real,
    Text,
    /// A text that may be absent.
    OptText,
    Bytes,
    /// Bytes that may be absent.
    OptBytes,
}

use Kind::{Bytes, Int, OptBytes, OptText, Real, Text};

/// All tables, in an order in which rows can be inserted.
pub(crate) const TABLES: &[Table] = &[
    Table {
        name: "graph_nodes",
        columns: &[
            ("id", Text),
            ("content", Text),
            ("node_type", Text),
            ("confidence", Real),
            ("embedding", OptBytes),
            ("metadata", Text),
            ("source", OptText),
            ("access_count", Int),
            ("created_at", Int),
            ("updated_at", Int),
            ("last_accessed_at", Int),
            ("revision", Int),
        ],
        key: "id",
    },
    Table {
        name: "graph_edges",
        columns: &[
            ("id", Text),
            ("source", Text),
            ("target", Text),
            ("edge_type", Text),
            ("weight", Real),
            ("metadata", Text),
            ("created_at", Int),
            ("last_activated_at", Int),
        ],
        key: "id",
    },
    Table {
        name: "graph_batches",
        columns: &[("id", Text), ("digest", Bytes)],
        key: "id",
    },
    Table {
        name: "ledger_rows",
        columns: &[
            ("place", Int),
            ("root", Bytes),
            ("key_hash", Bytes),
            ("state", Text),
            ("body", Text),
        ],
        key: "place",
    },
    Table {
        name: "ledger_references",
        columns: &[("target", Bytes), ("referrer", Bytes)],
        key: "target, referrer",
    },
    Table {
        name: "ledger_history",
        columns: &[("place", Int), ("root", Bytes), ("body", Text)],
        key: "place",
    },
    Table {
        name: "audit_logs",
        columns: &[("origin", Text)],
        key: "origin",
    },
    Table {
        name: "audit_events",
        columns: &[
            ("origin", Text),
            ("sequence", Int),
            ("event_hash", Bytes),
            ("body", Text),
        ],
        key: "origin, sequence",
    },
    Table {
        name: "ingest_records",
        columns: &[("source", Text), ("step", Text), ("body", Text)],
        key: "source",
    },
    Table {
        name: "vector_indexes",
        columns: &[("name", Text), ("fingerprint", Text), ("changes", Int)],
        key: "name",
    },
    Table {
        name: "vector_entries",
        columns: &[
            ("index_name", Text),
            ("id", Text),
            ("cube", Text),
            ("kind", Text),
            ("parent", Text),
            ("vector", Bytes),
        ],
        key: "index_name, id",
    },
    Table {
        name: "corpora",
        columns: &[
            ("name", Text),
            ("root", Text),
            ("calibration", Text),
            ("lexical", OptText),
        ],
        key: "name",
    },
    Table {
        name: "passages",
        columns: &[("corpus", Text), ("id", Text), ("body", Text)],
        key: "corpus, id",
    },
    Table {
        name: "dictionaries",
        columns: &[
            ("name", Text),
            ("generation", Int),
            ("root", OptText),
            ("setup", Text),
            ("specialists", Text),
        ],
        key: "name",
    },
    Table {
        name: "dictionary_chunks",
        columns: &[("dictionary", Text), ("id", Text), ("body", Text)],
        key: "dictionary, id",
    },
];

/// Before all versions.
pub(crate) const PREPARE: &str = "
CREATE TABLE IF NOT EXISTS candor_schema (version {int} PRIMARY KEY){end};
CREATE TABLE IF NOT EXISTS candor_locks (name {text} PRIMARY KEY){end};
";

/// Version 1: graph, ledger, audit log, record of ingestion.
const V1: &str = "
CREATE TABLE graph_nodes (
  id {text} PRIMARY KEY, content {text} NOT NULL, node_type {text} NOT NULL,
  confidence {real}, embedding {bytes}, metadata {text} NOT NULL, source {text},
  access_count {int} NOT NULL, created_at {int} NOT NULL, updated_at {int} NOT NULL,
  last_accessed_at {int} NOT NULL, revision {int} NOT NULL){end};
CREATE TABLE graph_edges (
  id {text} PRIMARY KEY, source {text} NOT NULL REFERENCES graph_nodes (id),
  target {text} NOT NULL REFERENCES graph_nodes (id), edge_type {text} NOT NULL,
  weight {real}, metadata {text} NOT NULL, created_at {int} NOT NULL,
  last_activated_at {int} NOT NULL){end};
CREATE INDEX graph_edges_by_source ON graph_edges (source, id);
CREATE INDEX graph_edges_by_target ON graph_edges (target, id);
CREATE TABLE graph_batches (id {text} PRIMARY KEY, digest {bytes} NOT NULL){end};
CREATE TABLE ledger_rows (
  place {int} PRIMARY KEY, root {bytes} NOT NULL UNIQUE, key_hash {bytes} NOT NULL,
  state {text} NOT NULL, body {text} NOT NULL){end};
CREATE INDEX ledger_rows_by_key ON ledger_rows (key_hash, state, place);
CREATE TABLE ledger_references (
  target {bytes} NOT NULL, referrer {bytes} NOT NULL, PRIMARY KEY (target, referrer)){end};
CREATE INDEX ledger_references_by_referrer ON ledger_references (referrer);
CREATE TABLE ledger_history (
  place {int} PRIMARY KEY, root {bytes} NOT NULL, body {text} NOT NULL){end};
CREATE INDEX ledger_history_by_root ON ledger_history (root, place);
CREATE TABLE audit_logs (origin {text} PRIMARY KEY){end};
CREATE TABLE audit_events (
  origin {text} NOT NULL REFERENCES audit_logs (origin), sequence {int} NOT NULL,
  event_hash {bytes} NOT NULL, body {text} NOT NULL, PRIMARY KEY (origin, sequence)){end};
CREATE TABLE ingest_records (source {text} PRIMARY KEY, step {text} NOT NULL, body {text} NOT NULL){end};
";

/// Version 2: vectors, passages.
const V2: &str = "
CREATE TABLE vector_indexes (
  name {text} PRIMARY KEY, fingerprint {text} NOT NULL, changes {int} NOT NULL){end};
CREATE TABLE vector_entries (
  index_name {text} NOT NULL REFERENCES vector_indexes (name), id {text} NOT NULL,
  cube {text} NOT NULL, kind {text} NOT NULL, parent {text} NOT NULL, vector {bytes} NOT NULL,
  {embedding}PRIMARY KEY (index_name, id)){end};
CREATE TABLE corpora (
  name {text} PRIMARY KEY, root {text} NOT NULL, calibration {text} NOT NULL, lexical {text}){end};
CREATE TABLE passages (
  corpus {text} NOT NULL REFERENCES corpora (name), id {text} NOT NULL, body {text} NOT NULL,
  PRIMARY KEY (corpus, id)){end};
";

/// Version 3: dictionaries that are ingested into.
const V3: &str = "
CREATE TABLE dictionaries (
  name {text} PRIMARY KEY REFERENCES corpora (name), generation {int} NOT NULL, root {text},
  setup {text} NOT NULL, specialists {text} NOT NULL){end};
CREATE TABLE dictionary_chunks (
  dictionary {text} NOT NULL REFERENCES dictionaries (name), id {text} NOT NULL,
  body {text} NOT NULL, PRIMARY KEY (dictionary, id)){end};
";

pub(crate) const STEPS: [&str; VERSION as usize] = [V1, V2, V3];

/// The statements of a step.
pub(crate) fn statements(template: &str, dialect: Dialect) -> String {
    let replacements: [(&str, &str); 6] = match dialect {
        #[cfg(feature = "sqlite")]
        Dialect::Sqlite => [
            ("{text}", "TEXT"),
            ("{int}", "INTEGER"),
            ("{real}", "REAL"),
            ("{bytes}", "BLOB"),
            ("{embedding}", ""),
            ("{end}", " STRICT"),
        ],
        #[cfg(feature = "postgres")]
        Dialect::Postgres => [
            ("{text}", "TEXT COLLATE \"C\""),
            ("{int}", "BIGINT"),
            ("{real}", "DOUBLE PRECISION"),
            ("{bytes}", "BYTEA"),
            ("{embedding}", "embedding vector, "),
            ("{end}", ""),
        ],
    };
    replacements
        .iter()
        .fold(template.to_owned(), |sql, (from, to)| sql.replace(from, to))
}

/// Brings an open store to version `to`; the caller holds whatever lock keeps others from doing
/// the same.
pub(crate) fn migrate(tx: &mut dyn Tx, to: i64) -> Result<(), Error> {
    tx.script(&statements(PREPARE, tx.dialect()))?;
    let found = version(tx)?;
    if found > VERSION {
        return Err(Error::Newer {
            found,
            known: VERSION,
        });
    }
    for (step, next) in STEPS.iter().zip(1i64..) {
        if next > found && next <= to {
            tracing::info!(version = next, "migrating the store");
            tx.script(&statements(step, tx.dialect()))?;
            tx.execute(
                "INSERT INTO candor_schema (version) VALUES ($1)",
                &[Value::Int(next)],
            )?;
        }
    }
    Ok(())
}

/// The version of a store that has the version table; 0 when it is new.
pub(crate) fn version(tx: &mut dyn Tx) -> Result<i64, Error> {
    let rows = tx.query("SELECT COALESCE(MAX(version), 0) FROM candor_schema", &[])?;
    rows.first().map_or(Ok(0), |row| row.int(0))
}
