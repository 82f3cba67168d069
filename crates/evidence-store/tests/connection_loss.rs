//! A connection that breaks in the middle of a batch leaves all of it or nothing.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout
)]
#![cfg(all(feature = "sqlite", feature = "postgres"))]

mod support;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use evidence_store::Store;
use knowledge_graph::{Batch, GraphError, GraphStore, Node, Timestamp};
use run_dag::audit::AuditLog;

const NODES: usize = 60;

fn batch(number: usize) -> Batch {
    let name = |node: usize| format!("{number:04}/{node:03}");
    (0..NODES).fold(Batch::once(format!("batch {number}")), |batch, node| {
        batch.put_node(Node::new(name(node), "x", Timestamp(1)))
    })
}

/// Another session ends the store's again and again, at moments that wander through the batches.
#[test]
fn a_broken_connection_leaves_all_or_nothing() {
    let Some(schema) = support::Schema::new() else {
        return;
    };
    let application = schema.name.clone();
    let settings = format!("{} application_name={application}", schema.settings);
    let store = Store::postgres(&settings, &schema.name).unwrap();
    let stop = AtomicBool::new(false);
    let (mut lost, mut applied_twice) = (0, 0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut client = schema.client();
            let mut millis = 1;
            while !stop.load(Ordering::Relaxed) {
                millis = (millis * 7 + 3) % 61;
                std::thread::sleep(Duration::from_millis(millis));
                let sql = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
                           WHERE application_name = $1";
                client.query(sql, &[&application]).unwrap();
            }
        });
        let mut number = 0;
        while number < 40 || (lost < 5 && number < 2_000) {
            match store.graph().apply(&batch(number)) {
                Ok(receipt) => {
                    applied_twice += usize::from(receipt.already_applied);
                    number += 1;
                }
                Err(GraphError::Store { reason }) => {
                    assert!(
                        reason.contains("connection to the database was lost")
                            || reason.contains("cannot be used"),
                        "{reason}"
                    );
                    lost += 1;
                    // As the error says: hand it in again.
                }
                Err(other) => panic!("{other}"),
            }
        }
        stop.store(true, Ordering::Relaxed);
        println!(
            "{number} batches; the connection was lost {lost} times within one, {applied_twice} of those had been committed"
        );
        let nodes = schema.open().graph().node_page(None, usize::MAX).unwrap();
        assert_eq!(nodes.len(), number * NODES, "all or nothing");
    });
    assert!(lost > 0, "no connection was lost: the test shows nothing");
    assert_eq!(schema.open().check().unwrap(), Vec::<String>::new());
}

/// Ended while it waits for another's lock: the batch is not applied, and the store connects anew.
#[test]
fn ended_while_waiting_for_a_lock() {
    let Some(schema) = support::Schema::new() else {
        return;
    };
    let settings = format!("{} application_name={}", schema.settings, schema.name);
    let store = Store::postgres(&settings, &schema.name).unwrap();
    let mut other = schema.client();
    let mut held = other.transaction().unwrap();
    held.execute(
        "SELECT name FROM candor_locks WHERE name = 'graph' FOR UPDATE",
        &[],
    )
    .unwrap();
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| store.graph().apply(&batch(0)));
        let mut watcher = schema.client();
        loop {
            std::thread::sleep(Duration::from_millis(20));
            let sql = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
                       WHERE application_name = $1 AND wait_event_type = 'Lock'";
            if !watcher.query(sql, &[&schema.name]).unwrap().is_empty() {
                break;
            }
        }
        let outcome = waiting.join().unwrap();
        assert!(
            matches!(outcome, Err(GraphError::Store { .. })),
            "{outcome:?}"
        );
    });
    held.rollback().unwrap();
    assert_eq!(store.graph().node_page(None, 10).unwrap(), Vec::new());
    let receipt = store.graph().apply(&batch(0)).unwrap();
    assert!(!receipt.already_applied);
    // Other parts of the store came back with it.
    assert_eq!(store.audit_log("x").unwrap().len().unwrap(), 0);
}
