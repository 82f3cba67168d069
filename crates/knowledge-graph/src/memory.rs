//! A store in memory.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use crate::{
    Batch, Conflict, Direction, Edge, GraphError, GraphStore, Node, Precondition, Receipt,
    Snapshot, Write, rules,
};

/// A graph in memory: the reference by which other stores are tested.
///
/// Reads take O(log n + what they return), a write O(log n); a batch that fails is undone write
/// by write.
#[derive(Debug, Default)]
pub struct MemoryStore {
    state: RwLock<State>,
    #[cfg(any(test, feature = "conformance"))]
    fault: crate::fault::Fault,
}

#[derive(Debug, Default)]
struct State {
    nodes: BTreeMap<String, Node>,
    edges: BTreeMap<String, Edge>,
    /// Edge ids by the node that they start at, and end at.
    outgoing: BTreeMap<String, BTreeSet<String>>,
    incoming: BTreeMap<String, BTreeSet<String>>,
    batches: BTreeMap<String, [u8; 32]>,
}

/// What a key held before a write.
enum Undo {
    Node(String, Option<Node>),
    Edge(String, Option<Edge>),
}

impl MemoryStore {
    /// An empty store.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A store with the nodes and edges of a snapshot; revisions start anew at 1.
    ///
    /// # Errors
    /// [`GraphError`] for the first node or edge that no store accepts.
    pub fn from_snapshot(snapshot: Snapshot) -> Result<Self, GraphError> {
        let store = Self::new();
        {
            let mut state = store.write();
            let mut undo = Vec::new();
            for node in snapshot.nodes {
                rules::check_node(&node)?;
                state.perform(&Write::PutNode { node }, &mut undo)?;
            }
            for edge in snapshot.edges {
                rules::check_edge(&edge)?;
                state.perform(&Write::PutEdge { edge }, &mut undo)?;
            }
        }
        Ok(store)
    }

    fn read(&self) -> RwLockReadGuard<'_, State> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, State> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes the next [`apply`](GraphStore::apply) fail: with `step` 0 before anything, with 1
    /// after the preconditions, with n + 1 after n writes, and so on up to just before the end.
    #[cfg(any(test, feature = "conformance"))]
    pub fn fail_next_apply_at(&self, step: usize) {
        self.fault.arm(step);
    }

    /// Whether a failure is still waiting for its step.
    #[cfg(any(test, feature = "conformance"))]
    pub fn is_fault_armed(&self) -> bool {
        self.fault.is_armed()
    }

    #[cfg(any(test, feature = "conformance"))]
    fn step(&self, number: usize) -> Result<(), GraphError> {
        self.fault.step(number)
    }

    #[cfg(not(any(test, feature = "conformance")))]
    #[expect(
        clippy::unused_self,
        clippy::unnecessary_wraps,
        reason = "the faulty twin uses both"
    )]
    fn step(&self, _number: usize) -> Result<(), GraphError> {
        Ok(())
    }

    fn perform_all(
        &self,
        state: &mut State,
        batch: &Batch,
        undo: &mut Vec<Undo>,
    ) -> Result<(), GraphError> {
        self.step(0)?;
        for precondition in &batch.preconditions {
            state.check(precondition)?;
        }
        self.step(1)?;
        for (number, write) in batch.writes.iter().enumerate() {
            state.perform(write, undo)?;
            self.step(number + 2)?;
        }
        Ok(())
    }
}

impl GraphStore for MemoryStore {
    fn node(&self, id: &str) -> Result<Option<Node>, GraphError> {
        Ok(self.read().nodes.get(id).cloned())
    }

    fn edge(&self, id: &str) -> Result<Option<Edge>, GraphError> {
        Ok(self.read().edges.get(id).cloned())
    }

    fn neighbours(&self, id: &str, direction: Direction) -> Result<Vec<Edge>, GraphError> {
        let state = self.read();
        let mut ids: BTreeSet<&String> = BTreeSet::new();
        if direction != Direction::Incoming {
            ids.extend(state.outgoing.get(id).into_iter().flatten());
        }
        if direction != Direction::Outgoing {
            ids.extend(state.incoming.get(id).into_iter().flatten());
        }
        Ok(state.edges_of(ids))
    }

    fn edges_between(&self, ids: &[String]) -> Result<Vec<Edge>, GraphError> {
        let state = self.read();
        let wanted: BTreeSet<&String> = ids.iter().collect();
        let found = wanted
            .iter()
            .filter_map(|id| state.outgoing.get(*id))
            .flatten()
            .filter(|edge| {
                let edge = state.edges.get(*edge);
                edge.is_some_and(|e| wanted.contains(&e.target))
            })
            .collect();
        Ok(state.edges_of(found))
    }

    fn node_page(&self, after: Option<&str>, limit: usize) -> Result<Vec<Node>, GraphError> {
        Ok(page(&self.read().nodes, after, limit))
    }

    fn edge_page(&self, after: Option<&str>, limit: usize) -> Result<Vec<Edge>, GraphError> {
        Ok(page(&self.read().edges, after, limit))
    }

    fn apply(&self, batch: &Batch) -> Result<Receipt, GraphError> {
        batch.validate()?;
        let mut state = self.write();
        let digest = batch.digest();
        if let Some(id) = &batch.id
            && let Some(known) = state.batches.get(id)
        {
            return if *known == digest {
                Ok(Receipt {
                    already_applied: true,
                })
            } else {
                Err(GraphError::BatchIdReused { id: id.clone() })
            };
        }
        let mut undo = Vec::new();
        if let Err(error) = self.perform_all(&mut state, batch, &mut undo) {
            while let Some(step) = undo.pop() {
                state.undo(step);
            }
            return Err(error);
        }
        if let Some(id) = &batch.id {
            state.batches.insert(id.clone(), digest);
        }
        Ok(Receipt {
            already_applied: false,
        })
    }
}

fn page<T: Clone>(all: &BTreeMap<String, T>, after: Option<&str>, limit: usize) -> Vec<T> {
    let start = after.map_or(Bound::Unbounded, Bound::Excluded);
    all.range::<str, _>((start, Bound::Unbounded))
        .take(limit)
        .map(|(_, item)| item.clone())
        .collect()
}

impl State {
    fn edges_of(&self, ids: BTreeSet<&String>) -> Vec<Edge> {
        ids.into_iter()
            .filter_map(|id| self.edges.get(id).cloned())
            .collect()
    }

    fn check(&self, precondition: &Precondition) -> Result<(), GraphError> {
        let (holds, found) = match precondition {
            Precondition::NodeAbsent { id } => {
                let found = self.nodes.get(id);
                (found.is_none(), found)
            }
            Precondition::NodeExists { id } => {
                let found = self.nodes.get(id);
                (found.is_some(), found)
            }
            Precondition::NodeRevision { id, revision } => {
                let found = self.nodes.get(id);
                (found.is_some_and(|n| n.revision == *revision), found)
            }
            Precondition::EdgeAbsent { id } => (!self.edges.contains_key(id), None),
            Precondition::EdgeExists { id } => (self.edges.contains_key(id), None),
        };
        if holds {
            return Ok(());
        }
        Err(Conflict {
            expected: precondition.clone(),
            found: found.cloned(),
        }
        .into())
    }

    fn perform(&mut self, write: &Write, undo: &mut Vec<Undo>) -> Result<(), GraphError> {
        match write {
            Write::PutNode { node } => {
                let put = rules::put(self.nodes.get(&node.id), node.clone());
                self.set_node(&node.id, Some(put), undo);
            }
            Write::PutEdge { edge } => {
                for end in [&edge.source, &edge.target] {
                    if !self.nodes.contains_key(end) {
                        return Err(missing("node", end, "putting an edge"));
                    }
                }
                self.set_edge(&edge.id, Some(edge.clone()), undo);
            }
            Write::RemoveNode { id } => {
                let mut at: BTreeSet<String> = self.outgoing.get(id).cloned().unwrap_or_default();
                at.extend(self.incoming.get(id).into_iter().flatten().cloned());
                for edge in at {
                    self.set_edge(&edge, None, undo);
                }
                self.set_node(id, None, undo);
            }
            Write::RemoveEdge { id } => self.set_edge(id, None, undo),
            Write::AdjustConfidence {
                id,
                toward,
                rate,
                at,
            } => self.change(id, "changing a confidence", undo, |node| {
                rules::adjust(node, *toward, *rate, *at);
            })?,
            Write::Touch { id, at } => self.change(id, "counting an access", undo, |node| {
                rules::touch(node, *at);
            })?,
            Write::SetMetadata { id, key, value } => {
                self.change(id, "setting metadata", undo, |node| {
                    rules::set_metadata(node, key, value.as_ref());
                })?;
            }
            Write::ActivateEdge { id, at } => {
                let Some(mut edge) = self.edges.get(id).cloned() else {
                    return Err(missing("edge", id, "activating an edge"));
                };
                edge.last_activated_at = edge.last_activated_at.max(*at);
                self.set_edge(id, Some(edge), undo);
            }
        }
        Ok(())
    }

    fn change(
        &mut self,
        id: &str,
        operation: &'static str,
        undo: &mut Vec<Undo>,
        change: impl FnOnce(&mut Node),
    ) -> Result<(), GraphError> {
        let Some(mut node) = self.nodes.get(id).cloned() else {
            return Err(missing("node", id, operation));
        };
        change(&mut node);
        self.set_node(id, Some(node), undo);
        Ok(())
    }

    fn set_node(&mut self, id: &str, node: Option<Node>, undo: &mut Vec<Undo>) {
        let before = match node {
            Some(node) => self.nodes.insert(id.to_owned(), node),
            None => self.nodes.remove(id),
        };
        undo.push(Undo::Node(id.to_owned(), before));
    }

    fn set_edge(&mut self, id: &str, edge: Option<Edge>, undo: &mut Vec<Undo>) {
        let before = self.replace_edge(id, edge);
        undo.push(Undo::Edge(id.to_owned(), before));
    }

    fn replace_edge(&mut self, id: &str, edge: Option<Edge>) -> Option<Edge> {
        let before = self.edges.remove(id);
        if let Some(old) = &before {
            unlink(&mut self.outgoing, &old.source, id);
            unlink(&mut self.incoming, &old.target, id);
        }
        if let Some(new) = edge {
            link(&mut self.outgoing, &new.source, id);
            link(&mut self.incoming, &new.target, id);
            self.edges.insert(id.to_owned(), new);
        }
        before
    }

    fn undo(&mut self, step: Undo) {
        match step {
            Undo::Node(id, Some(node)) => {
                self.nodes.insert(id, node);
            }
            Undo::Node(id, None) => {
                self.nodes.remove(&id);
            }
            Undo::Edge(id, edge) => {
                self.replace_edge(&id, edge);
            }
        }
    }
}

fn missing(kind: &'static str, id: &str, operation: &'static str) -> GraphError {
    GraphError::Missing {
        kind,
        id: id.to_owned(),
        operation,
    }
}

fn link(index: &mut BTreeMap<String, BTreeSet<String>>, node: &str, edge: &str) {
    index
        .entry(node.to_owned())
        .or_default()
        .insert(edge.to_owned());
}

fn unlink(index: &mut BTreeMap<String, BTreeSet<String>>, node: &str, edge: &str) {
    if let Some(edges) = index.get_mut(node) {
        edges.remove(edge);
        if edges.is_empty() {
            index.remove(node);
        }
    }
}
