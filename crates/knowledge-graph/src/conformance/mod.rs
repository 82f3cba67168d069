//! The cases that every [`GraphStore`] must pass (feature `conformance`).
//!
//! ```
//! use knowledge_graph::{MemoryStore, conformance};
//! let passed = conformance::run(&mut || Ok(Box::new(MemoryStore::new())))?;
//! assert_eq!(passed, conformance::CASES.len());
//! # Ok::<(), conformance::Violation>(())
//! ```

mod batches;
mod model;
mod reads;

use std::fmt::Debug;

use crate::{Edge, EdgeType, GraphError, GraphStore, Node, Timestamp};

/// A law of [`GraphStore`] that a store breaks.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("case {case}: {detail}")]
pub struct Violation {
    /// The name of the case.
    pub case: &'static str,
    /// What was expected and what was found.
    pub detail: String,
}

/// A case: it gets an empty store and says what was wrong.
pub type Case = fn(&dyn GraphStore) -> Result<(), String>;

/// All cases with their names.
pub const CASES: &[(&str, Case)] = &[
    ("nodes_come_back_bit_for_bit", reads::nodes_come_back),
    ("edges_come_back_bit_for_bit", reads::edges_come_back),
    ("text_is_bytes", reads::text_is_bytes),
    ("lists_are_in_byte_order", reads::byte_order),
    ("pages_cover_everything_once", reads::pages),
    ("neighbours_by_direction", reads::neighbours),
    ("edges_between_ids", reads::edges_between),
    ("nodes_by_ids_in_list_order", reads::nodes_by_ids),
    ("out_of_bounds_is_refused", batches::bounds),
    ("writes_change_what_they_say", batches::writes),
    ("revisions_count_puts_only", batches::revisions),
    ("removing_a_node_removes_its_edges", batches::removal),
    ("an_edge_needs_both_nodes", batches::endpoints),
    ("preconditions_show_what_was_found", batches::preconditions),
    ("a_failing_batch_changes_nothing", batches::atomic),
    ("a_batch_id_applies_once", batches::idempotent),
    ("writers_side_by_side_lose_nothing", batches::concurrent),
    ("random_batches_agree_with_the_model", model::random_batches),
];

/// Runs all cases, each on a fresh empty store, and returns how many passed.
///
/// # Errors
/// The first [`Violation`]; `make` may fail with a message, which is one too.
pub fn run(
    make: &mut dyn FnMut() -> Result<Box<dyn GraphStore>, String>,
) -> Result<usize, Violation> {
    for (case, check) in CASES {
        let outcome = make().and_then(|store| check(store.as_ref()));
        outcome.map_err(|detail| Violation { case, detail })?;
    }
    Ok(CASES.len())
}

fn ok<T>(result: Result<T, GraphError>) -> Result<T, String> {
    result.map_err(|error| format!("unexpected error: {error}"))
}

fn same<T: PartialEq + Debug>(what: &str, found: &T, expected: &T) -> Result<(), String> {
    if found == expected {
        Ok(())
    } else {
        Err(format!("{what}: found {found:?}, expected {expected:?}"))
    }
}

fn that(holds: bool, what: &str) -> Result<(), String> {
    if holds { Ok(()) } else { Err(what.to_owned()) }
}

const NOW: Timestamp = Timestamp(1_700_000_000_123);

fn node(id: &str) -> Node {
    Node::new(id, format!("content of {id}"), NOW)
}

fn edge(source: &str, target: &str, edge_type: EdgeType) -> Edge {
    Edge::new(source, target, edge_type, NOW)
}

fn put_nodes(store: &dyn GraphStore, ids: &[&str]) -> Result<(), String> {
    ids.iter().try_for_each(|id| ok(store.put_node(node(id))))
}
