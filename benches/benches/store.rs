//! Rates of the stores: batches and look-ups on memory, SQLite and PostgreSQL; vector search by
//! pgvector beside the exact index. PostgreSQL is left out, and that said, when `CANDOR_POSTGRES`
//! is not set (`fixtures/postgres.sh start` prints it).
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stderr
)]

use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use evidence_store::{Store, StoredIndex};
use geodesic_retriever::{ExactIndex, Filter, Shape, VectorIndex, conformance};
use knowledge_graph::{Batch, Direction, Edge, EdgeType, GraphStore, MemoryStore, Node, Timestamp};
use run_dag::audit::AuditLog;
use run_dag::ledger::Ledger;

const NOW: Timestamp = Timestamp(1_700_000_000_000);
const NODES: u64 = 10_000;
const VECTORS: u64 = 10_000;
const DIMENSION: usize = 384;

/// A conclusion as the deliberator writes it: a node and edges to nine others.
fn batch(number: u64) -> Batch {
    let id = format!("conclusion/{number}");
    let node = Node::new(id.clone(), "What the nine say together. ".repeat(8), NOW);
    (0..9).fold(Batch::once(id.clone()).put_node(node), |batch, i| {
        let target = format!("n{}", (number * 31 + i * 97) % NODES);
        batch.put_edge(Edge::new(id.clone(), target, EdgeType::DerivedFrom, NOW))
    })
}

fn fill(graph: &dyn GraphStore) {
    for part in 0..NODES / 1_000 {
        let numbers = part * 1_000..(part + 1) * 1_000;
        let nodes = numbers.fold(Batch::new(), |batch, n| {
            batch.put_node(Node::new(format!("n{n}"), "A fact of some length.", NOW))
        });
        graph.apply(&nodes).unwrap();
    }
}

struct Stores {
    _folder: tempfile::TempDir,
    sqlite: Store,
    postgres: Option<Store>,
}

fn stores() -> Stores {
    let folder = tempfile::tempdir().unwrap();
    let sqlite = Store::sqlite(folder.path().join("bench.sqlite")).unwrap();
    let settings = std::env::var("CANDOR_POSTGRES").ok();
    if settings.is_none() {
        eprintln!("PostgreSQL skipped: CANDOR_POSTGRES is not set");
    }
    let schema = format!("bench_{}", std::process::id());
    Stores {
        _folder: folder,
        sqlite,
        postgres: settings.map(|s| Store::postgres(&s, &schema).unwrap()),
    }
}

fn graphs(c: &mut Criterion) {
    let stores = stores();
    let memory = MemoryStore::new();
    let (sqlite, postgres) = (
        stores.sqlite.graph(),
        stores.postgres.as_ref().map(Store::graph),
    );
    let mut all: Vec<(&str, &dyn GraphStore)> = vec![("memory", &memory), ("sqlite", &sqlite)];
    if let Some(graph) = &postgres {
        all.push(("postgres", graph));
    }
    let mut group = c.benchmark_group("store");
    group.throughput(Throughput::Elements(1));
    for (name, graph) in all {
        fill(graph);
        let mut number = 0;
        group.bench_function(BenchmarkId::new("batch of 10 writes", name), |b| {
            b.iter(|| {
                number += 1;
                graph.apply(black_box(&batch(number))).unwrap()
            });
        });
        let mut place = 0;
        group.bench_function(BenchmarkId::new("look-up of a node", name), |b| {
            b.iter(|| {
                place = (place + 7_919) % NODES;
                graph
                    .node(black_box(&format!("n{place}")))
                    .unwrap()
                    .unwrap()
            });
        });
        group.bench_function(BenchmarkId::new("neighbours of a node", name), |b| {
            b.iter(|| {
                let id = format!("conclusion/{}", 1 + place % number.max(1));
                place += 1;
                graph.neighbours(black_box(&id), Direction::Both).unwrap()
            });
        });
    }
    group.finish();
}

fn logs(c: &mut Criterion) {
    let stores = stores();
    let mut all = vec![("sqlite", &stores.sqlite)];
    all.extend(stores.postgres.as_ref().map(|s| ("postgres", s)));
    let mut group = c.benchmark_group("store");
    group.throughput(Throughput::Elements(1));
    for (name, store) in all {
        let log = store.audit_log("bench").unwrap();
        group.bench_function(BenchmarkId::new("audit event", name), |b| {
            b.iter(|| run_dag::conformance::append_some(&log, 1, 1).unwrap());
        });
        assert!(log.len().unwrap() > 0);
        let ledger = store.ledger();
        let row = run_dag::conformance::row(1, "who?", "strict", 1);
        ledger
            .insert(row.clone(), run_dag::audit::Timestamp::default())
            .unwrap();
        group.bench_function(BenchmarkId::new("ledger look-up", name), |b| {
            b.iter(|| ledger.lookup(black_box(&row.key)).unwrap().unwrap());
        });
    }
    group.finish();
}

fn vectors(c: &mut Criterion) {
    let stores = stores();
    let shape = Shape::Dense(DIMENSION);
    let fingerprint = conformance::fingerprint(shape);
    let entries = || -> Vec<_> {
        let entry = |n| conformance::entry(shape, &format!("e{n}"), n);
        (0..VECTORS).map(entry).collect()
    };
    let mut exact = ExactIndex::new(fingerprint.clone());
    exact.insert(entries()).unwrap();
    let open = |store: &Store| -> StoredIndex {
        let mut index = store.vector_index("bench", &fingerprint).unwrap();
        index.insert(entries()).unwrap();
        index
    };
    let sqlite = open(&stores.sqlite);
    let scan = stores.postgres.as_ref().map(open);
    let hnsw = stores.postgres.as_ref().map(|store| {
        let mut index = store.vector_index("bench", &fingerprint).unwrap();
        index.build_hnsw().unwrap();
        index
    });
    let mut all: Vec<(&str, &dyn VectorIndex)> = vec![("exact index", &exact), ("sqlite", &sqlite)];
    if let (Some(scan), Some(hnsw)) = (&scan, &hnsw) {
        all.push(("pgvector scan", scan));
        all.push(("pgvector hnsw", hnsw));
    }
    let mut group = c.benchmark_group("top 10 of 10,000 x 384");
    group.throughput(Throughput::Elements(1));
    for (name, index) in all {
        let mut number = VECTORS;
        group.bench_function(name, |b| {
            b.iter(|| {
                number += 1;
                let query = conformance::vector(shape, number);
                let hits = index.search(&query, 10, &Filter::default()).unwrap();
                assert_eq!(hits.len(), 10);
                hits
            });
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(2));
    targets = graphs, logs, vectors
}
criterion_main!(benches);
