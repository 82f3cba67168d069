//! The store in memory under the suite, and the suite against stores that break its laws.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use knowledge_graph::{
    Batch, Direction, Edge, EdgeType, GraphError, GraphStore, MemoryStore, Node, Receipt, Snapshot,
    Timestamp, Write, conformance,
};

#[test]
fn the_memory_store_conforms() {
    let passed = conformance::run(&mut || Ok(Box::new(MemoryStore::new()))).unwrap();
    assert_eq!(passed, conformance::CASES.len());
}

/// A store that applies writes one by one: not atomic.
struct Piecemeal(MemoryStore);

impl GraphStore for Piecemeal {
    fn node(&self, id: &str) -> Result<Option<Node>, GraphError> {
        self.0.node(id)
    }
    fn edge(&self, id: &str) -> Result<Option<Edge>, GraphError> {
        self.0.edge(id)
    }
    fn neighbours(&self, id: &str, direction: Direction) -> Result<Vec<Edge>, GraphError> {
        self.0.neighbours(id, direction)
    }
    fn edges_between(&self, ids: &[String]) -> Result<Vec<Edge>, GraphError> {
        self.0.edges_between(ids)
    }
    fn node_page(&self, after: Option<&str>, limit: usize) -> Result<Vec<Node>, GraphError> {
        self.0.node_page(after, limit)
    }
    fn edge_page(&self, after: Option<&str>, limit: usize) -> Result<Vec<Edge>, GraphError> {
        self.0.edge_page(after, limit)
    }
    fn apply(&self, batch: &Batch) -> Result<Receipt, GraphError> {
        let head = Batch {
            id: batch.id.clone(),
            preconditions: batch.preconditions.clone(),
            writes: Vec::new(),
        };
        let receipt = self.0.apply(&head)?;
        for write in &batch.writes {
            self.0.apply(&Batch::new().write(write.clone()))?;
        }
        Ok(receipt)
    }
}

#[test]
fn the_suite_finds_a_store_that_is_not_atomic() {
    let found = conformance::run(&mut || Ok(Box::new(Piecemeal(MemoryStore::new()))));
    assert_eq!(found.unwrap_err().case, "a_failing_batch_changes_nothing");
}

#[test]
fn a_failure_at_any_step_leaves_the_store_byte_identical() {
    let now = Timestamp(5);
    let store = MemoryStore::new();
    for id in ["a", "b", "c"] {
        store.put_node(Node::new(id, id, now)).unwrap();
    }
    store
        .put_edge(Edge::new("a", "b", EdgeType::Causal, now))
        .unwrap();
    let before = Snapshot::of(&store).unwrap().to_json().unwrap();
    let batch = Batch::once("x")
        .put_node(Node::new("a", "changed", now))
        .put_node(Node::new("d", "new", now))
        .put_edge(Edge::new("d", "a", EdgeType::DerivedFrom, now))
        .write(Write::RemoveNode { id: "b".into() })
        .write(Write::Touch {
            id: "c".into(),
            at: now,
        });
    let mut steps = 0;
    loop {
        store.fail_next_apply_at(steps);
        let result = store.apply(&batch);
        if store.is_fault_armed() {
            assert!(!result.unwrap().already_applied);
            break;
        }
        assert!(matches!(result, Err(GraphError::Store { .. })));
        let after = Snapshot::of(&store).unwrap().to_json().unwrap();
        assert_eq!(after, before, "after a failure at step {steps}");
        steps += 1;
    }
    assert_eq!(steps, batch.writes.len() + 2);
}
