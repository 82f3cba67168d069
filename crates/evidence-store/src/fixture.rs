//! Writes the committed stores of each version, in fixtures/evidence-store.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::fmt::Write as _;
use std::path::PathBuf;

use geodesic_retriever::{IngestLog, IngestStep, Shape, VectorIndex, conformance};
use knowledge_graph::{Batch, Edge, EdgeType, GraphStore, Node, Timestamp};
use run_dag::ledger::Ledger;

use crate::sql::{Mode, Value, transact};
use crate::{SqliteOptions, Store, jsonl, postgres, schema};

fn fill(store: &Store, version: i64) {
    let now = Timestamp(1_700_000_000_000);
    let mut node = Node::new("fa\u{e7}ana", "A fa\u{e7}ade; it's \"old\".", now);
    node.embedding = Some(vec![0.1, -0.0, 1.0e-40]);
    node.confidence = 0.1 + 0.2;
    node.metadata
        .insert("k".into(), serde_json::json!([1.5, null, "x"]));
    let batch = Batch::once("first")
        .put_node(node)
        .put_node(Node::new("b", "two", now).with_confidence(-0.0))
        .put_edge(Edge::new("fa\u{e7}ana", "b", EdgeType::Supports, now))
        .put_edge(Edge::new("b", "fa\u{e7}ana", EdgeType::Contradicts, now).with_weight(0.25));
    store.graph().apply(&batch).unwrap();
    let log = store.audit_log("candor.example/fixture").unwrap();
    run_dag::conformance::append_some(&log, 1, 3).unwrap();
    let mut row = run_dag::conformance::row(1, "who?", "strict", 1);
    row.refers_to.clear();
    let at = run_dag::audit::Timestamp::default();
    store.ledger().insert(row, at).unwrap();
    let (ingest, ids) = (store.ingest_log(), ["a#0".to_owned(), "a#1".to_owned()]);
    ingest.begin("notes/a.md", "d").unwrap();
    ingest
        .advance("notes/a.md", "d", IngestStep::Done, Some(&ids))
        .unwrap();
    if version >= 2 {
        let shape = Shape::Dense(4);
        let fingerprint = conformance::fingerprint(shape);
        let mut index = store.vector_index("main", &fingerprint).unwrap();
        let entries = (0..3).map(|n| conformance::entry(shape, &format!("e{n}"), n));
        index.insert(entries.collect()).unwrap();
    }
    if version >= 3 {
        let dictionary = store.dictionary("ingested").unwrap();
        conformance::fill_dictionary(&dictionary).unwrap();
    }
}

fn literal(value: &Value) -> String {
    match value {
        Value::Int(i) => i.to_string(),
        Value::Real(Some(x)) => format!("{x:?}"),
        Value::Text(Some(text)) => format!("'{}'", text.replace('\'', "''")),
        Value::Bytes(Some(bytes)) => {
            let digits: String = bytes.iter().map(|b| format!("{b:02x}")).collect();
            format!("'\\x{digits}'")
        }
        Value::Real(None) | Value::Text(None) | Value::Bytes(None) => "NULL".into(),
    }
}

/// The statements that make the PostgreSQL schema of a version and its rows.
fn as_sql(store: &Store, version: i64) -> String {
    let mut sql = schema::statements(schema::PREPARE, crate::sql::Dialect::Postgres);
    for (step, number) in schema::STEPS.iter().zip(1..=version) {
        sql += &schema::statements(step, crate::sql::Dialect::Postgres);
        writeln!(
            sql,
            "INSERT INTO candor_schema (version) VALUES ({number});"
        )
        .unwrap();
    }
    transact(store.db.as_ref(), Mode::Read, |tx| {
        for table in schema::TABLES {
            let later = table.name.starts_with("vector") || table.name.starts_with("pass");
            if version < 2 && (later || table.name == "corpora") {
                continue;
            }
            if version < 3 && table.name.starts_with("dictionar") {
                continue;
            }
            jsonl::scan(tx, table, &mut |row| {
                let columns: Vec<&str> = table.columns.iter().map(|(name, _)| *name).collect();
                let values: Vec<String> = row.0.iter().map(literal).collect();
                let (columns, values) = (columns.join(", "), values.join(", "));
                let name = table.name;
                writeln!(sql, "INSERT INTO {name} ({columns}) VALUES ({values});").unwrap();
                Ok(())
            })?;
        }
        Ok::<_, crate::Error>(())
    })
    .unwrap();
    if version >= 2 {
        // As insertion writes it.
        sql += "UPDATE vector_entries SET embedding = '[1,0,0,0]';\n";
    }
    sql
}

/// Set `CANDOR_WRITE_FIXTURES=1` and run this alone when a version is released.
#[test]
fn stores_of_each_version_are_written() {
    let Ok(settings) = std::env::var("CANDOR_POSTGRES") else {
        println!("skipped: CANDOR_POSTGRES is not set");
        return;
    };
    let write = std::env::var("CANDOR_WRITE_FIXTURES").is_ok();
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/evidence-store");
    for version in 1..=schema::VERSION {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("store.sqlite");
        let options = SqliteOptions::default();
        fill(
            &Store::sqlite_at(&path, &options, version).unwrap(),
            version,
        );
        // Closed: the log is in the file.
        assert_eq!(std::fs::read_dir(scratch.path()).unwrap().count(), 1);

        // The older versions are written to by this program before they are opened by it.
        let name = format!("fixture_{}_{version}", std::process::id());
        let connect = postgres::without_tls(&settings).unwrap();
        let server = Store::postgres_at(connect, &name, version).unwrap();
        fill(&server, version);
        let sql = as_sql(&server, version);
        let mut client = ::postgres::Client::connect(&settings, ::postgres::NoTls).unwrap();
        client
            .batch_execute(&format!("DROP SCHEMA {name} CASCADE"))
            .unwrap();
        let place = folder.join(format!("v{version}.postgres.sql"));
        if write {
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::copy(&path, folder.join(format!("v{version}.sqlite"))).unwrap();
            std::fs::write(&place, &sql).unwrap();
        }
        // Released versions do not change.
        assert_eq!(
            std::fs::read_to_string(&place).unwrap(),
            sql,
            "version {version}"
        );
    }
}
