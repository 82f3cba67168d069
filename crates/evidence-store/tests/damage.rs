//! Files that somebody changed: named, never a panic.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout
)]
#![cfg(feature = "sqlite")]

mod support;

use std::path::Path;

use evidence_store::Store;
use geodesic_retriever::{Filter, Shape, VectorIndex, conformance};
use knowledge_graph::{Direction, GraphStore, Node, Timestamp};
use run_dag::audit::AuditLog;
use run_dag::ledger::Ledger;

const SHAPE: Shape = Shape::Dense(4);

fn fill(store: &Store) {
    for number in 0..40 {
        let node = Node::new(format!("n{number}"), "x".repeat(200), Timestamp(1));
        store.graph().put_node(node).unwrap();
    }
    let log = store.audit_log("a").unwrap();
    run_dag::conformance::append_some(&log, 1, 5).unwrap();
    run_dag::conformance::ledger(&store.ledger()).unwrap();
    let mut index = store
        .vector_index("v", &conformance::fingerprint(SHAPE))
        .unwrap();
    let entries = (0..9).map(|n| conformance::entry(SHAPE, &format!("e{n}"), n));
    index.insert(entries.collect()).unwrap();
}

/// Each statement changes one thing behind the store's back; what is said must name it.
#[test]
fn what_was_changed_by_hand_is_named() {
    for (change, said) in [
        (
            "UPDATE audit_events SET body = replace(body, 'concurrent', 'forged') WHERE sequence = 2",
            "audit_events",
        ),
        (
            "UPDATE audit_events SET event_hash = zeroblob(32) WHERE sequence = 4",
            "audit_events",
        ),
        (
            "DELETE FROM audit_events WHERE sequence = 2",
            "audit_events",
        ),
        (
            "UPDATE ledger_rows SET body = replace(body, 'pointer', 'quote '), root = zeroblob(32) WHERE place = 1",
            "ledger_rows",
        ),
        ("UPDATE ledger_rows SET state = 'fine'", "ledger_rows"),
        (
            "UPDATE graph_nodes SET confidence = 7.0 WHERE id = 'n7'",
            "graph_nodes",
        ),
        (
            "UPDATE graph_nodes SET metadata = '{' WHERE id = 'n7'",
            "graph_nodes",
        ),
        (
            "UPDATE graph_nodes SET content = CAST(x'61ff' AS TEXT) WHERE id = 'n7'",
            "UTF-8",
        ),
        (
            "UPDATE vector_entries SET vector = x'00' WHERE id = 'e1'",
            "vector_entries",
        ),
        (
            "UPDATE vector_entries SET kind = 'none' WHERE id = 'e1'",
            "vector_entries",
        ),
    ] {
        let (folder, store) = support::file();
        fill(&store);
        assert_eq!(store.check().unwrap(), Vec::<String>::new());
        let file = rusqlite::Connection::open(folder.path().join("store.sqlite")).unwrap();
        let changed = file.execute(change, []).unwrap();
        assert!(changed > 0, "{change}");
        let found = match store.check() {
            Ok(wrong) => wrong.join("; "),
            Err(error) => error.to_string(),
        };
        assert!(found.contains(said), "{change}: {found:?}");
        if change.contains("body = replace(body, 'concurrent'") || change.contains("DELETE") {
            assert!(store.audit_log("a").unwrap().verify().is_err(), "{change}");
        }
    }
}

/// Reads everything; whatever comes of it, it is not a panic.
fn read_all(path: &Path) -> Result<bool, String> {
    let words = |e: &dyn std::fmt::Display| e.to_string();
    let store = Store::sqlite(path).map_err(|e| words(&e))?;
    let wrong = store.check().map_err(|e| words(&e))?;
    let graph = store.graph();
    graph.node_page(None, 100).map_err(|e| words(&e))?;
    graph
        .neighbours("n1", Direction::Both)
        .map_err(|e| words(&e))?;
    store.ledger().history(None).map_err(|e| words(&e))?;
    let log = store.audit_log("a").map_err(|e| words(&e))?;
    log.verify().map_err(|e| words(&e))?;
    let index = store
        .vector_index("v", &conformance::fingerprint(SHAPE))
        .map_err(|e| words(&e))?;
    index
        .search(&conformance::vector(SHAPE, 1), 3, &Filter::default())
        .map_err(|e| words(&e))?;
    Ok(wrong.is_empty())
}

#[test]
fn flipped_bits_and_cut_files_never_panic() {
    let (folder, store) = support::file();
    fill(&store);
    drop(store);
    let whole = std::fs::read(folder.path().join("store.sqlite")).unwrap();
    let path = folder.path().join("damaged.sqlite");
    let (mut noticed, mut unseen, mut state) = (0, 0, 99_u64);
    for round in 0..150 {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let place = (state >> 33) as usize % whole.len();
        let mut bytes = whole.clone();
        if round % 10 == 0 {
            bytes.truncate(place);
        } else {
            bytes[place] ^= 1 << (state % 8);
        }
        for beside in ["-wal", "-shm"] {
            let _ = std::fs::remove_file(folder.path().join(format!("damaged.sqlite{beside}")));
        }
        std::fs::write(&path, &bytes).unwrap();
        match read_all(&path) {
            Ok(true) => unseen += 1,
            Ok(false) | Err(_) => noticed += 1,
        }
    }
    println!("{noticed} of 150 noticed; {unseen} fell into free space or plain text");
    assert!(noticed > 10);
}
