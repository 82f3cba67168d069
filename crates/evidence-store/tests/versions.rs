//! Stores of every released version reopen. The files are committed in fixtures/evidence-store.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout
)]
#![cfg(feature = "sqlite")]

mod support;

use std::path::PathBuf;

use evidence_store::{Error, SqliteOptions, Store};
use geodesic_retriever::{IngestLog, Shape, VectorIndex};
use knowledge_graph::GraphStore;
use run_dag::audit::AuditLog;
use run_dag::ledger::Ledger;

fn fixtures() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/evidence-store")
}

/// What the fixtures hold, in every version.
fn holds_what_was_written(store: &Store, version: i64) {
    assert_eq!(store.schema_version().unwrap(), 3);
    assert_eq!(store.check().unwrap(), Vec::<String>::new());
    let graph = store.graph();
    let node = graph.node("fa\u{e7}ana").unwrap().unwrap();
    assert_eq!(node.content, "A fa\u{e7}ade; it's \"old\".");
    assert_eq!(node.embedding, Some(vec![0.1, -0.0, 1.0e-40]));
    assert_eq!(node.confidence.to_bits(), (0.1_f64 + 0.2).to_bits());
    assert_eq!(graph.edge_page(None, 10).unwrap().len(), 2);
    let log = store.audit_log("candor.example/fixture").unwrap();
    assert_eq!(log.len().unwrap(), 3);
    log.verify().unwrap();
    let row = run_dag::conformance::row(1, "who?", "strict", 1);
    assert_eq!(store.ledger().lookup(&row.key).unwrap(), Some(row));
    assert_eq!(store.ledger().history(None).unwrap().len(), 1);
    let record = store.ingest_log().get("notes/a.md").unwrap().unwrap();
    assert_eq!(record.chunk_ids, ["a#0", "a#1"]);
    let shape = Shape::Dense(4);
    let fingerprint = geodesic_retriever::conformance::fingerprint(shape);
    let mut index = store.vector_index("main", &fingerprint).unwrap();
    let entries = if version >= 2 { 3 } else { 0 };
    assert_eq!(index.len().unwrap(), entries);
    if version >= 3 {
        let dictionary = store.dictionary("ingested").unwrap();
        geodesic_retriever::conformance::filled_dictionary(&dictionary).unwrap();
    }
    // And it can be written to.
    let entry = geodesic_retriever::conformance::entry(shape, "new", 9);
    index.insert(vec![entry]).unwrap();
    run_dag::conformance::append_some(&log, 7, 2).unwrap();
    log.verify().unwrap();
    assert_eq!(store.check().unwrap(), Vec::<String>::new());
}

#[test]
fn every_version_of_a_file_reopens() {
    for version in 1..=3 {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store.sqlite");
        std::fs::copy(fixtures().join(format!("v{version}.sqlite")), &path).unwrap();
        holds_what_was_written(&Store::sqlite(&path).unwrap(), version);
        holds_again(&path);
    }
}

fn holds_again(path: &std::path::Path) {
    let store = Store::sqlite(path).unwrap();
    assert_eq!(store.graph().node_page(None, 10).unwrap().len(), 2);
}

/// The schemas as SQL, as each version made them on PostgreSQL.
#[cfg(feature = "postgres")]
#[test]
fn every_version_of_a_schema_reopens() {
    for version in 1..=3 {
        let Some(schema) = support::Schema::new() else {
            return;
        };
        let sql = fixtures().join(format!("v{version}.postgres.sql"));
        let sql = std::fs::read_to_string(sql).unwrap();
        let mut client = schema.client();
        client
            .batch_execute(&format!("CREATE SCHEMA \"{}\"", schema.name))
            .unwrap();
        client.batch_execute(&sql).unwrap();
        holds_what_was_written(&schema.open(), version);
        assert_eq!(schema.open().graph().node_page(None, 10).unwrap().len(), 2);
    }
}

#[test]
fn a_later_version_is_refused_and_left_alone() {
    let (folder, store) = support::file();
    drop(store);
    let path = folder.path().join("store.sqlite");
    let file = rusqlite::Connection::open(&path).unwrap();
    file.execute_batch("INSERT INTO candor_schema (version) VALUES (4)")
        .unwrap();
    drop(file);
    let before = std::fs::read(&path).unwrap();
    let refused = Store::sqlite(&path).unwrap_err();
    assert!(
        matches!(refused, Error::Newer { found: 4, known: 3 }),
        "{refused}"
    );
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

/// An older file is not migrated when it is opened for reading only, and says so.
#[test]
fn reading_only_does_not_migrate() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.sqlite");
    std::fs::copy(fixtures().join("v1.sqlite"), &path).unwrap();
    let mut options = SqliteOptions::default();
    options.read_only = true;
    let refused = Store::sqlite_with(&path, &options).unwrap_err().to_string();
    assert!(refused.contains("schema version 1"), "{refused}");
}
