//! What a store of graphs does.

use std::sync::Arc;

use crate::{Batch, Edge, GraphError, Node, Receipt};

/// Which edges at a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Those that start at it.
    Outgoing,
    /// Those that end at it.
    Incoming,
    /// Both; a self-loop once.
    Both,
}

/// A store of nodes and edges: synchronous, object-safe, safe to share.
///
/// The laws that the `conformance` suite checks:
/// - [`apply`](Self::apply) is all or nothing, and seen by readers all or not at all;
/// - a batch with an id is applied once: again with the same writes it does nothing, with other
///   writes it is [`GraphError::BatchIdReused`];
/// - what is listed comes in the byte order of ids;
/// - text comes back byte for byte (no normalisation, no collation), U+0000 is refused; numbers
///   come back bit for bit;
/// - removing a node removes the edges at it; an edge needs both its nodes.
///
/// The functions of [`rules`](crate::rules) say how single writes change a node, so that all
/// stores agree.
pub trait GraphStore: Send + Sync {
    /// The node with this id.
    ///
    /// # Errors
    /// [`GraphError::Store`] when the store fails.
    fn node(&self, id: &str) -> Result<Option<Node>, GraphError>;

    /// The edge with this id.
    ///
    /// # Errors
    /// [`GraphError::Store`] when the store fails.
    fn edge(&self, id: &str) -> Result<Option<Edge>, GraphError>;

    /// The edges at a node, by their ids; none when the node is not there.
    ///
    /// # Errors
    /// [`GraphError::Store`] when the store fails.
    fn neighbours(&self, id: &str, direction: Direction) -> Result<Vec<Edge>, GraphError>;

    /// The edges whose two ends are both among `ids`, by their ids; ids that are not there and
    /// repeated ids change nothing.
    ///
    /// # Errors
    /// [`GraphError::Store`] when the store fails.
    fn edges_between(&self, ids: &[String]) -> Result<Vec<Edge>, GraphError>;

    /// At most `limit` nodes with ids after `after` in byte order (from the first when `None`).
    ///
    /// # Errors
    /// [`GraphError::Store`] when the store fails.
    fn node_page(&self, after: Option<&str>, limit: usize) -> Result<Vec<Node>, GraphError>;

    /// At most `limit` edges with ids after `after` in byte order (from the first when `None`).
    ///
    /// # Errors
    /// [`GraphError::Store`] when the store fails.
    fn edge_page(&self, after: Option<&str>, limit: usize) -> Result<Vec<Edge>, GraphError>;

    /// Applies a batch: preconditions first, then the writes in order; all or nothing.
    ///
    /// The batch id is looked up before the preconditions: a batch that comes again does nothing
    /// even where its preconditions no longer hold.
    ///
    /// # Errors
    /// [`GraphError`]; after any of them the store is as it was.
    fn apply(&self, batch: &Batch) -> Result<Receipt, GraphError>;

    /// The nodes with these ids, in the order of the list, those that are not there left out.
    ///
    /// # Errors
    /// [`GraphError::Store`] when the store fails.
    fn nodes(&self, ids: &[String]) -> Result<Vec<Node>, GraphError> {
        let mut found = Vec::with_capacity(ids.len());
        for id in ids {
            found.extend(self.node(id)?);
        }
        Ok(found)
    }

    /// Puts one node.
    ///
    /// # Errors
    /// As [`apply`](Self::apply).
    fn put_node(&self, node: Node) -> Result<(), GraphError> {
        self.apply(&Batch::new().put_node(node)).map(|_| ())
    }

    /// Puts one edge.
    ///
    /// # Errors
    /// As [`apply`](Self::apply).
    fn put_edge(&self, edge: Edge) -> Result<(), GraphError> {
        self.apply(&Batch::new().put_edge(edge)).map(|_| ())
    }
}

macro_rules! forward {
    ($($pointer:ty),*) => {$(
        impl<S: GraphStore + ?Sized> GraphStore for $pointer {
            fn node(&self, id: &str) -> Result<Option<Node>, GraphError> {
                (**self).node(id)
            }
            fn edge(&self, id: &str) -> Result<Option<Edge>, GraphError> {
                (**self).edge(id)
            }
            fn neighbours(&self, id: &str, direction: Direction) -> Result<Vec<Edge>, GraphError> {
                (**self).neighbours(id, direction)
            }
            fn edges_between(&self, ids: &[String]) -> Result<Vec<Edge>, GraphError> {
                (**self).edges_between(ids)
            }
            fn node_page(&self, after: Option<&str>, limit: usize) -> Result<Vec<Node>, GraphError> {
                (**self).node_page(after, limit)
            }
            fn edge_page(&self, after: Option<&str>, limit: usize) -> Result<Vec<Edge>, GraphError> {
                (**self).edge_page(after, limit)
            }
            fn apply(&self, batch: &Batch) -> Result<Receipt, GraphError> {
                (**self).apply(batch)
            }
            fn nodes(&self, ids: &[String]) -> Result<Vec<Node>, GraphError> {
                (**self).nodes(ids)
            }
        }
    )*};
}

forward!(&S, Box<S>, Arc<S>);
