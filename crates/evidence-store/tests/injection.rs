//! No text of a caller's is ever read as a statement: hostile texts through every text field.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout
)]
#![cfg(feature = "sqlite")]

mod support;

use std::sync::atomic::{AtomicU64, Ordering};

use evidence_store::Store;
use geodesic_retriever::{
    EntryKind, EntryMeta, Filter, IndexEntry, IngestLog, IngestStep, PassageStore, Shape,
    VectorIndex, conformance,
};
use knowledge_graph::{Batch, Direction, Edge, EdgeType, GraphStore, Node, Timestamp};
use proptest::prelude::*;
use run_dag::audit::{AuditLog, NewEvent};
use run_dag::ledger::{FalsificationState, Ledger};
use serde_json::json;

const NOW: Timestamp = Timestamp(1);

static CASE: AtomicU64 = AtomicU64::new(0);

fn hostile() -> impl Strategy<Value = String> {
    let known = prop::sample::select(vec![
        "'; DROP TABLE graph_nodes; --",
        "\"; DROP TABLE ledger_rows; --",
        "') OR 1=1 --",
        "' UNION SELECT body FROM ledger_rows --",
        "$1",
        "?1",
        ":id",
        "@id",
        "\\'; DELETE FROM audit_events; --",
        "E'\\''",
        "$$; DROP SCHEMA public CASCADE; $$",
        "/* x */",
        "%",
        "_",
        "NULL",
        "\u{2019}; --",
        "a\u{301}",
        "\r\n",
        "{text}",
    ]);
    let text = prop_oneof![
        known.clone().prop_map(str::to_owned),
        "[^\\x00]{1,40}",
        (known, "[^\\x00]{0,12}").prop_map(|(a, b)| format!("{b}{a}{b}")),
    ];
    text.prop_filter("empty", |t| !t.is_empty())
}

/// Writes the texts into every field that takes one, reads them back, and sees that nothing else
/// changed.
fn through_every_field(store: &Store, a: &str, b: &str) -> Result<(), TestCaseError> {
    let graph = store.graph();
    let canary = Node::new("canary", "stays", NOW);
    graph.put_node(canary.clone()).unwrap();
    let (x, y) = (format!("x{a}"), format!("y{b}"));
    let mut node = Node::new(x.clone(), b, NOW);
    node.source = Some(a.to_owned());
    node.metadata.insert(a.to_owned(), json!({ b: a }));
    let edge = Edge {
        id: format!("{a}{b}"),
        ..Edge::new(x.clone(), y.clone(), EdgeType::Causal, NOW)
    };
    // The same pair may come again, and is then another batch.
    let number = CASE.fetch_add(1, Ordering::Relaxed);
    let batch = Batch::once(format!("{a}/{b}/{number}"))
        .put_node(node)
        .put_node(Node::new(y.clone(), a, NOW))
        .put_edge(edge.clone());
    graph.apply(&batch).unwrap();
    prop_assert!(graph.apply(&batch).unwrap().already_applied);
    let found = graph.node(&x).unwrap().unwrap();
    prop_assert_eq!(
        (&found.content, &found.source),
        (&b.to_owned(), &Some(a.to_owned()))
    );
    prop_assert_eq!(found.metadata.get(a), Some(&json!({ b: a })));
    prop_assert_eq!(graph.edge(&edge.id).unwrap(), Some(edge.clone()));
    prop_assert!(
        graph
            .neighbours(&x, Direction::Both)
            .unwrap()
            .contains(&edge)
    );
    let between = graph.edges_between(&[x.clone(), y.clone()]).unwrap();
    prop_assert!(between.contains(&edge));
    let page = graph.node_page(Some(a), 1_000).unwrap();
    prop_assert!(page.iter().all(|n| n.id.as_str() > a));

    let (ledger, at) = (store.ledger(), run_dag::audit::Timestamp::default());
    let mut row = run_dag::conformance::row(7, a, b, 1);
    row.root = run_dag::RunRoot::from_bytes(*batch.digest().as_slice().first_chunk().unwrap());
    for text in [&mut row.mode, &mut row.answer, &mut row.key.schema_version] {
        *text = a.to_owned();
    }
    for text in [
        &mut row.label,
        &mut row.record,
        &mut row.key.chunking_version,
    ] {
        *text = b.to_owned();
    }
    ledger.insert(row.clone(), at).unwrap();
    prop_assert_eq!(ledger.lookup(&row.key).unwrap(), Some(row.clone()));
    let change = ledger
        .falsify(&row.root, FalsificationState::Stale, b, at)
        .unwrap();
    let history = ledger.history(Some(&row.root)).unwrap();
    prop_assert_eq!(history.last(), Some(&change));

    let log = store.audit_log(a).unwrap();
    let event = NewEvent {
        at,
        kind: b.to_owned(),
        detail: [(a.to_owned(), run_dag::Value::from(b))].into(),
    };
    let logged = log.append(event).unwrap();
    let place = u64::try_from(logged.sequence.get()).unwrap();
    prop_assert_eq!(log.events(place, 1).unwrap(), vec![logged]);
    log.verify().unwrap();

    let (ingest, ids) = (store.ingest_log(), [b.to_owned(), a.to_owned()]);
    ingest.begin(a, b).unwrap();
    ingest
        .advance(a, b, IngestStep::Chunked, Some(&ids))
        .unwrap();
    ingest.fail(a, b, b).unwrap();
    let record = ingest.get(a).unwrap().unwrap();
    prop_assert_eq!(
        (record.digest.as_str(), record.failure.as_deref()),
        (b, Some(b))
    );
    ingest.forget(a).unwrap();

    let shape = Shape::Dense(4);
    let mut fingerprint = conformance::fingerprint(shape);
    fingerprint.model_id = b.to_owned();
    fingerprint.settings.insert(a.to_owned(), b.to_owned());
    let name = format!("{a}\u{1}{b}");
    let mut index = store.vector_index(&name, &fingerprint).unwrap();
    let entry = IndexEntry {
        id: a.to_owned(),
        vector: conformance::vector(shape, 3),
        meta: EntryMeta {
            cube: b.to_owned(),
            kind: EntryKind::Fact,
            parent: a.to_owned(),
        },
    };
    index.remove(&[a]).unwrap();
    index.insert(vec![entry.clone()]).unwrap();
    prop_assert_eq!(index.get(a).unwrap(), Some(entry));
    let only = |text: &str| Some([text.to_owned()].into());
    let filter = Filter {
        cubes: only(b),
        parents: only(a),
        ..Filter::default()
    };
    prop_assert_eq!(
        index
            .search(&conformance::vector(shape, 3), 5, &filter)
            .unwrap()
            .len(),
        1
    );
    prop_assert_eq!(store.passages(a).unwrap().corpus_root().unwrap(), None);

    let now = graph.node("canary").unwrap().map(|n| n.content);
    prop_assert_eq!(now, Some(canary.content));
    Ok(())
}

fn run(store: &Store, cases: u32) {
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig {
        cases,
        failure_persistence: None,
        ..ProptestConfig::default()
    });
    runner
        .run(&(hostile(), hostile()), |(a, b)| {
            through_every_field(store, &a, &b)
        })
        .unwrap();
    assert_eq!(store.check().unwrap(), Vec::<String>::new());
}

#[test]
fn texts_are_never_statements_on_sqlite() {
    let (_folder, store) = support::file();
    run(&store, 96);
}

#[cfg(feature = "postgres")]
#[test]
fn texts_are_never_statements_on_postgres() {
    if let Some(schema) = support::Schema::new() {
        run(&schema.open(), 48);
    }
}

/// The one name that is spliced into statements takes no other letters.
#[cfg(feature = "postgres")]
#[test]
fn a_schema_name_is_checked() {
    let Some(settings) = support::postgres_settings() else {
        return;
    };
    for name in [
        "",
        "a\"; DROP SCHEMA public; --",
        "A",
        "1a",
        "a b",
        "pg_x",
        "\u{e9}",
        &"a".repeat(64),
    ] {
        let refused = Store::postgres(&settings, name).unwrap_err();
        assert!(
            matches!(refused, evidence_store::Error::Name { .. }),
            "{name}: {refused}"
        );
    }
    let refused =
        Store::postgres("host=127.0.0.1 port=1 user=x connect_timeout=2", "a").unwrap_err();
    println!("no server: {refused}");
    assert!(Store::postgres("not a connection string", "a").is_err());
}
