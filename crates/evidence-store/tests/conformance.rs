//! One suite a trait, on memory, SQLite and PostgreSQL. (Memory is run here too, so that a suite
//! that accepts nothing is noticed.)
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout
)]
#![cfg(feature = "sqlite")]

mod support;

use evidence_store::Store;
use geodesic_retriever::{
    DictionaryStore, ExactIndex, MemoryDictionary, MemoryIngestLog, Shape, VectorIndex,
};
use knowledge_graph::{GraphStore, MemoryStore};
use run_dag::audit::MemoryAuditLog;
use run_dag::ledger::MemoryLedger;

const ORIGIN: &str = "candor.example/it's a log";

const SHAPES: [Shape; 3] = [Shape::Dense(5), Shape::Dense(300), Shape::Sparse(200)];

#[test]
fn memory_passes_every_suite() {
    let cases = knowledge_graph::conformance::run(&mut || Ok(Box::new(MemoryStore::new())));
    assert_eq!(cases.unwrap(), knowledge_graph::conformance::CASES.len());
    run_dag::conformance::audit_log(&MemoryAuditLog::new(ORIGIN)).unwrap();
    run_dag::conformance::ledger(&MemoryLedger::new()).unwrap();
    geodesic_retriever::conformance::ingest_log(&MemoryIngestLog::new()).unwrap();
    geodesic_retriever::conformance::dictionary_store(&MemoryDictionary::new()).unwrap();
    for shape in SHAPES {
        let fingerprint = geodesic_retriever::conformance::fingerprint(shape);
        let mut index = ExactIndex::new(fingerprint);
        geodesic_retriever::conformance::vector_index(&mut index).unwrap();
    }
}

/// Every suite on stores that `make` gives, the graph's each on a fresh one.
fn every_suite(make: &mut dyn FnMut() -> Store) {
    let mut graphs = || Ok(Box::new(make().graph()) as Box<dyn GraphStore>);
    let cases = knowledge_graph::conformance::run(&mut graphs).unwrap();
    assert_eq!(cases, knowledge_graph::conformance::CASES.len());

    let store = make();
    run_dag::conformance::ledger(&store.ledger()).unwrap();
    run_dag::conformance::audit_log(&store.audit_log(ORIGIN).unwrap()).unwrap();
    // A second log beside the first, by four writers, each with a handle of its own.
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let log = store.audit_log("another").unwrap();
            scope.spawn(move || run_dag::conformance::append_some(&log, writer, 25).unwrap());
        }
    });
    let another = store.audit_log("another").unwrap();
    run_dag::conformance::after_appends(&another, 4, 25).unwrap();
    geodesic_retriever::conformance::ingest_log(&store.ingest_log()).unwrap();
    let dictionaries = make();
    let dictionary = dictionaries.dictionary("d'").unwrap();
    geodesic_retriever::conformance::dictionary_store(&dictionary).unwrap();
    assert!(
        dictionaries
            .dictionary("second")
            .unwrap()
            .create(&geodesic_retriever::conformance::setup())
            .is_err(),
        "one dictionary a store, as there is one log"
    );
    assert_eq!(dictionaries.check().unwrap(), Vec::<String>::new());
    for (shape, name) in SHAPES.into_iter().zip(["a", "b'c", "d\\"]) {
        let fingerprint = geodesic_retriever::conformance::fingerprint(shape);
        let mut index = store.vector_index(name, &fingerprint).unwrap();
        geodesic_retriever::conformance::vector_index(&mut index).unwrap();
        assert!(index.len().unwrap() > 60);
        let other = Shape::Dense(6);
        let other = geodesic_retriever::conformance::fingerprint(other);
        assert!(store.vector_index(name, &other).is_err());
    }
    assert_eq!(store.check().unwrap(), Vec::<String>::new());
}

#[test]
fn sqlite_passes_every_suite() {
    let mut folders = Vec::new();
    every_suite(&mut || {
        let (folder, store) = support::file();
        folders.push(folder);
        store
    });
}

#[cfg(feature = "postgres")]
#[test]
fn postgres_passes_every_suite() {
    if support::postgres_settings().is_none() {
        return;
    }
    let mut schemas = Vec::new();
    every_suite(&mut || {
        let schema = support::Schema::new().unwrap();
        let store = schema.open();
        schemas.push(schema);
        store
    });
}

/// Two stores on one database are two connections: what one writes the other sees, and writers on
/// both lose nothing.
fn two_connections(one: &Store, two: &Store) {
    // R11: two handles, four threads, 25 events each: one line of 100.
    let logs = [one, two].map(|s| s.audit_log(ORIGIN).unwrap());
    std::thread::scope(|scope| {
        for (writer, log) in (0..).zip(logs.iter().cycle().take(4)) {
            scope.spawn(move || run_dag::conformance::append_some(log, writer, 25).unwrap());
        }
    });
    run_dag::conformance::after_appends(&logs[0], 4, 25).unwrap();

    let shape = Shape::Dense(12);
    let fingerprint = geodesic_retriever::conformance::fingerprint(shape);
    let mut first = one.vector_index("shared", &fingerprint).unwrap();
    let second = two.vector_index("shared", &fingerprint).unwrap();
    let query = geodesic_retriever::conformance::vector(shape, 1);
    for number in 0..3 {
        let entry = geodesic_retriever::conformance::entry(shape, &format!("e{number}"), number);
        first.insert(vec![entry]).unwrap();
        let hits = second.search(&query, 10, &Default::default()).unwrap();
        assert_eq!(
            hits.len() as u64,
            number + 1,
            "the other connection sees it"
        );
    }
}

#[test]
fn two_connections_to_one_file() {
    let (folder, one) = support::file();
    let two = Store::sqlite(folder.path().join("store.sqlite")).unwrap();
    two_connections(&one, &two);
}

#[cfg(feature = "postgres")]
#[test]
fn two_connections_to_one_server() {
    if let Some(schema) = support::Schema::new() {
        two_connections(&schema.open(), &schema.open());
    }
}

/// pgvector: wider than 2,000 dimensions is scanned exactly and says so; up to 2,000 an HNSW index
/// can be built, which misses little and misjudges nothing.
#[cfg(feature = "postgres")]
#[test]
fn pgvector_says_how_it_searches() {
    use evidence_store::SearchMethod;
    use geodesic_retriever::{Filter, IndexEntry, conformance};
    let Some(schema) = support::Schema::new() else {
        return;
    };
    let store = schema.open();
    let open = |name: &str, shape| {
        let fingerprint = conformance::fingerprint(shape);
        store.vector_index(name, &fingerprint).unwrap()
    };
    let sparse = open("sparse", Shape::Sparse(50));
    assert_eq!(sparse.search_method(), SearchMethod::InProcess);
    for (name, dimension) in [("wide", 2_001), ("wider", 16_001)] {
        let shape = Shape::Dense(dimension);
        let mut wide = open(name, shape);
        let expected = if dimension > 16_000 {
            SearchMethod::InProcess
        } else {
            SearchMethod::PgvectorScan
        };
        assert_eq!(wide.search_method(), expected);
        let refused = wide.build_hnsw().unwrap_err().to_string();
        assert!(
            refused.contains("at most 2000 dense dimensions"),
            "{refused}"
        );
        let entries = (0..3).map(|n| conformance::entry(shape, &format!("e{n}"), n));
        wide.insert(entries.collect()).unwrap();
        let query = conformance::vector(shape, 1);
        let best = wide.search(&query, 1, &Filter::default()).unwrap();
        assert_eq!(best[0].id, "e1");
    }

    let shape = Shape::Dense(24);
    let mut index = open("it's \\ an index", shape);
    let mut model = ExactIndex::new(index.fingerprint().clone());
    let entries: Vec<IndexEntry> = (0..1_500)
        .map(|n| conformance::entry(shape, &format!("e{n}"), n))
        .collect();
    model.insert(entries.clone()).unwrap();
    index.insert(entries).unwrap();
    index.build_hnsw().unwrap();
    index.build_hnsw().unwrap();
    assert_eq!(index.search_method(), SearchMethod::PgvectorHnsw);
    let (mut found, mut wanted) = (0, 0);
    for number in 5_000..5_040 {
        let query = conformance::vector(shape, number);
        let exact = model.search(&query, 10, &Filter::default()).unwrap();
        let near = index.search(&query, 10, &Filter::default()).unwrap();
        assert_eq!(near.len(), 10);
        wanted += exact.len();
        for hit in &near {
            let same = exact.iter().find(|e| e.id == hit.id);
            found += usize::from(same.is_some());
            assert!(same.is_none_or(|e| e.similarity == hit.similarity));
        }
    }
    let scans = "SELECT SUM(idx_scan)::bigint FROM pg_stat_user_indexes \
                 WHERE schemaname = $1 AND indexrelname LIKE 'vector_entries_hnsw_%'";
    let mut client = schema.client();
    let scanned = || {
        client
            .query_one(scans, &[&schema.name])
            .unwrap()
            .get::<_, i64>(0)
    };
    // The server counts a little later.
    let counted = std::iter::repeat_with(scanned).take(100).any(|n| {
        std::thread::sleep(std::time::Duration::from_millis(100));
        n > 0
    });
    assert!(counted, "the HNSW index was not used");
    let recall = found as f64 / wanted as f64;
    println!("recall@10 of the HNSW index: {recall:.3}");
    assert!(recall >= 0.95, "{recall}");
}
