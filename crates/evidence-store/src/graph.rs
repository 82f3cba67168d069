//! The graph.

use std::collections::BTreeSet;
use std::sync::Arc;

use knowledge_graph::{
    Batch, Conflict, Direction, Edge, GraphError, GraphStore, MAX_COUNT, Node, Precondition,
    Receipt, Timestamp, Write, rules,
};

use crate::Error;
use crate::sql::{
    self, Database, Lock, Mode, Row, Tx, Value, before_nul, in_lists, parse_name, to_json, transact,
};

/// The graph of a store. Cheap to clone.
///
/// A look-up is one statement; a batch is one transaction, its writes a statement or two each.
#[derive(Clone)]
pub struct StoredGraph {
    db: Arc<dyn Database>,
}

impl std::fmt::Debug for StoredGraph {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("StoredGraph")
    }
}

const NODE: &str = "SELECT id, content, node_type, confidence, embedding, metadata, source, \
    access_count, created_at, updated_at, last_accessed_at, revision FROM graph_nodes";
const EDGE: &str = "SELECT id, source, target, edge_type, weight, metadata, created_at, \
    last_activated_at FROM graph_edges";
const PUT_NODE: &str = "INSERT INTO graph_nodes (id, content, node_type, confidence, embedding, \
    metadata, source, access_count, created_at, updated_at, last_accessed_at, revision) \
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) ON CONFLICT (id) DO UPDATE SET \
    content = excluded.content, node_type = excluded.node_type, confidence = excluded.confidence, \
    embedding = excluded.embedding, metadata = excluded.metadata, source = excluded.source, \
    access_count = excluded.access_count, created_at = excluded.created_at, \
    updated_at = excluded.updated_at, last_accessed_at = excluded.last_accessed_at, \
    revision = excluded.revision";
const PUT_EDGE: &str = "INSERT INTO graph_edges (id, source, target, edge_type, weight, metadata, \
    created_at, last_activated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) \
    ON CONFLICT (id) DO UPDATE SET source = excluded.source, target = excluded.target, \
    edge_type = excluded.edge_type, weight = excluded.weight, metadata = excluded.metadata, \
    created_at = excluded.created_at, last_activated_at = excluded.last_activated_at";

/// The bytes of a vector: `f32`, least significant byte first.
pub(crate) fn vector_bytes(vector: &[f32]) -> Vec<u8> {
    vector.iter().flat_map(|x| x.to_le_bytes()).collect()
}

pub(crate) fn vector_from(bytes: &[u8]) -> Result<Vec<f32>, Error> {
    let (numbers, rest) = bytes.as_chunks::<4>();
    if !rest.is_empty() {
        return Err(Error::damaged("a vector whose bytes are no multiple of 4"));
    }
    Ok(numbers.iter().map(|x| f32::from_le_bytes(*x)).collect())
}

/// A node out of a row of [`NODE`].
pub(crate) fn node_from(row: &Row) -> Result<Node, Error> {
    Ok(Node {
        id: row.text(0)?.to_owned(),
        content: row.text(1)?.to_owned(),
        node_type: parse_name(row.text(2)?)?,
        confidence: row.real(3)?,
        embedding: row.opt_bytes(4)?.map(vector_from).transpose()?,
        metadata: sql::from_json(row.text(5)?)?,
        source: row.opt_text(6)?.map(str::to_owned),
        access_count: row.count(7)?,
        created_at: Timestamp(row.int(8)?),
        updated_at: Timestamp(row.int(9)?),
        last_accessed_at: Timestamp(row.int(10)?),
        revision: row.count(11)?,
    })
}

fn count(value: u64) -> Value {
    Value::Int(i64::try_from(value.min(MAX_COUNT)).unwrap_or(i64::MAX))
}

fn node_values(node: &Node) -> Result<[Value; 12], Error> {
    Ok([
        node.id.as_str().into(),
        node.content.as_str().into(),
        node.node_type.as_str().into(),
        node.confidence.into(),
        Value::Bytes(node.embedding.as_deref().map(vector_bytes)),
        to_json(&node.metadata)?.into(),
        node.source.clone().into(),
        count(node.access_count),
        node.created_at.0.into(),
        node.updated_at.0.into(),
        node.last_accessed_at.0.into(),
        count(node.revision),
    ])
}

/// An edge out of a row of [`EDGE`].
pub(crate) fn edge_from(row: &Row) -> Result<Edge, Error> {
    Ok(Edge {
        id: row.text(0)?.to_owned(),
        source: row.text(1)?.to_owned(),
        target: row.text(2)?.to_owned(),
        edge_type: parse_name(row.text(3)?)?,
        weight: row.real(4)?,
        metadata: sql::from_json(row.text(5)?)?,
        created_at: Timestamp(row.int(6)?),
        last_activated_at: Timestamp(row.int(7)?),
    })
}

fn edge_values(edge: &Edge) -> Result<[Value; 8], Error> {
    Ok([
        edge.id.as_str().into(),
        edge.source.as_str().into(),
        edge.target.as_str().into(),
        edge.edge_type.as_str().into(),
        edge.weight.into(),
        to_json(&edge.metadata)?.into(),
        edge.created_at.0.into(),
        edge.last_activated_at.0.into(),
    ])
}

fn one_node(tx: &mut dyn Tx, id: &str) -> Result<Option<Node>, Error> {
    if id.contains('\0') {
        return Ok(None);
    }
    let rows = tx.query(&format!("{NODE} WHERE id = $1"), &[id.into()])?;
    rows.first().map(node_from).transpose()
}

fn one_edge(tx: &mut dyn Tx, id: &str) -> Result<Option<Edge>, Error> {
    if id.contains('\0') {
        return Ok(None);
    }
    let rows = tx.query(&format!("{EDGE} WHERE id = $1"), &[id.into()])?;
    rows.first().map(edge_from).transpose()
}

fn page(
    tx: &mut dyn Tx,
    select: &str,
    after: Option<&str>,
    limit: usize,
) -> Result<Vec<Row>, Error> {
    let limit = sql::limit(limit);
    match after {
        None => tx.query(&format!("{select} ORDER BY id LIMIT $1"), &[limit]),
        Some(after) => tx.query(
            &format!("{select} WHERE id > $1 ORDER BY id LIMIT $2"),
            &[before_nul(after).into(), limit],
        ),
    }
}

/// The distinct ids that a database can hold, in byte order.
fn sendable(ids: &[String]) -> BTreeSet<&str> {
    let ids = ids.iter().map(String::as_str);
    ids.filter(|id| !id.contains('\0')).collect()
}

impl StoredGraph {
    pub(crate) fn new(db: Arc<dyn Database>) -> Self {
        Self { db }
    }

    fn read<T>(&self, work: impl FnMut(&mut dyn Tx) -> Result<T, Error>) -> Result<T, GraphError> {
        Ok(transact(self.db.as_ref(), Mode::Read, work)?)
    }
}

impl GraphStore for StoredGraph {
    fn node(&self, id: &str) -> Result<Option<Node>, GraphError> {
        self.read(|tx| one_node(tx, id))
    }

    fn edge(&self, id: &str) -> Result<Option<Edge>, GraphError> {
        self.read(|tx| one_edge(tx, id))
    }

    fn neighbours(&self, id: &str, direction: Direction) -> Result<Vec<Edge>, GraphError> {
        if id.contains('\0') {
            return Ok(Vec::new());
        }
        let at = match direction {
            Direction::Outgoing => "source = $1",
            Direction::Incoming => "target = $1",
            Direction::Both => "source = $1 OR target = $1",
        };
        self.read(|tx| {
            let rows = tx.query(&format!("{EDGE} WHERE {at} ORDER BY id"), &[id.into()])?;
            rows.iter().map(edge_from).collect()
        })
    }

    fn edges_between(&self, ids: &[String]) -> Result<Vec<Edge>, GraphError> {
        let wanted = sendable(ids);
        let list: Vec<&str> = wanted.iter().copied().collect();
        self.read(|tx| {
            let mut found = Vec::new();
            in_lists(&list, 1, |names, values| {
                for row in tx.query(&format!("{EDGE} WHERE source IN ({names})"), &values)? {
                    if wanted.contains(row.text(2)?) {
                        found.push(edge_from(&row)?);
                    }
                }
                Ok(())
            })?;
            found.sort_by(|a, b| a.id.cmp(&b.id));
            Ok(found)
        })
    }

    fn node_page(&self, after: Option<&str>, limit: usize) -> Result<Vec<Node>, GraphError> {
        self.read(|tx| {
            let rows = page(tx, NODE, after, limit)?;
            rows.iter().map(node_from).collect()
        })
    }

    fn edge_page(&self, after: Option<&str>, limit: usize) -> Result<Vec<Edge>, GraphError> {
        self.read(|tx| {
            let rows = page(tx, EDGE, after, limit)?;
            rows.iter().map(edge_from).collect()
        })
    }

    fn apply(&self, batch: &Batch) -> Result<Receipt, GraphError> {
        batch.validate()?;
        let mode = Mode::Write(Lock::Graph);
        transact(self.db.as_ref(), mode, |tx| apply(tx, batch))
    }

    fn nodes(&self, ids: &[String]) -> Result<Vec<Node>, GraphError> {
        let list: Vec<&str> = sendable(ids).into_iter().collect();
        self.read(|tx| {
            let mut found = std::collections::BTreeMap::new();
            in_lists(&list, 1, |names, values| {
                for row in tx.query(&format!("{NODE} WHERE id IN ({names})"), &values)? {
                    let node = node_from(&row)?;
                    found.insert(node.id.clone(), node);
                }
                Ok(())
            })?;
            Ok(ids.iter().filter_map(|id| found.get(id)).cloned().collect())
        })
    }
}

fn apply(tx: &mut dyn Tx, batch: &Batch) -> Result<Receipt, GraphError> {
    let digest = batch.digest();
    if let Some(id) = &batch.id {
        let known = tx.query(
            "SELECT digest FROM graph_batches WHERE id = $1",
            &[id.as_str().into()],
        )?;
        if let Some(row) = known.first() {
            return if row.digest(0)? == digest {
                Ok(Receipt {
                    already_applied: true,
                })
            } else {
                Err(GraphError::BatchIdReused { id: id.clone() })
            };
        }
    }
    for precondition in &batch.preconditions {
        check(tx, precondition)?;
    }
    for write in &batch.writes {
        perform(tx, write)?;
    }
    if let Some(id) = &batch.id {
        tx.execute(
            "INSERT INTO graph_batches (id, digest) VALUES ($1, $2)",
            &[id.as_str().into(), (&digest).into()],
        )?;
    }
    Ok(Receipt {
        already_applied: false,
    })
}

fn check(tx: &mut dyn Tx, precondition: &Precondition) -> Result<(), GraphError> {
    let (holds, found) = match precondition {
        Precondition::NodeAbsent { id } => {
            let found = one_node(tx, id)?;
            (found.is_none(), found)
        }
        Precondition::NodeExists { id } => {
            let found = one_node(tx, id)?;
            (found.is_some(), found)
        }
        Precondition::NodeRevision { id, revision } => {
            let found = one_node(tx, id)?;
            let holds = found.as_ref().is_some_and(|n| n.revision == *revision);
            (holds, found)
        }
        Precondition::EdgeAbsent { id } => (one_edge(tx, id)?.is_none(), None),
        Precondition::EdgeExists { id } => (one_edge(tx, id)?.is_some(), None),
        other => return Err(unknown(&format!("{other:?}"))),
    };
    if holds {
        return Ok(());
    }
    let expected = precondition.clone();
    Err(Conflict { expected, found }.into())
}

fn unknown(what: &str) -> GraphError {
    GraphError::Invalid {
        what: what.chars().take(80).collect(),
        accepted: "a precondition or write that this store knows",
    }
}

fn put(tx: &mut dyn Tx, node: &Node) -> Result<(), GraphError> {
    tx.execute(PUT_NODE, &node_values(node)?)?;
    Ok(())
}

fn perform(tx: &mut dyn Tx, write: &Write) -> Result<(), GraphError> {
    match write {
        Write::PutNode { node } => {
            let existing = one_node(tx, &node.id)?;
            put(tx, &rules::put(existing.as_ref(), node.clone()))?;
        }
        Write::PutEdge { edge } => {
            for end in [&edge.source, &edge.target] {
                let sql = "SELECT id FROM graph_nodes WHERE id = $1";
                if tx.query(sql, &[end.as_str().into()])?.is_empty() {
                    return Err(missing("node", end, "putting an edge"));
                }
            }
            tx.execute(PUT_EDGE, &edge_values(edge)?)?;
        }
        Write::RemoveNode { id } => {
            let id: [Value; 1] = [id.as_str().into()];
            tx.execute("DELETE FROM graph_edges WHERE source = $1", &id)?;
            tx.execute("DELETE FROM graph_edges WHERE target = $1", &id)?;
            tx.execute("DELETE FROM graph_nodes WHERE id = $1", &id)?;
        }
        Write::RemoveEdge { id } => {
            tx.execute(
                "DELETE FROM graph_edges WHERE id = $1",
                &[id.as_str().into()],
            )?;
        }
        Write::AdjustConfidence {
            id,
            toward,
            rate,
            at,
        } => change(tx, id, "changing a confidence", |node| {
            rules::adjust(node, *toward, *rate, *at);
        })?,
        Write::Touch { id, at } => change(tx, id, "counting an access", |node| {
            rules::touch(node, *at);
        })?,
        Write::SetMetadata { id, key, value } => change(tx, id, "setting metadata", |node| {
            rules::set_metadata(node, key, value.as_ref());
        })?,
        Write::ActivateEdge { id, at } => {
            let Some(mut edge) = one_edge(tx, id)? else {
                return Err(missing("edge", id, "activating an edge"));
            };
            edge.last_activated_at = edge.last_activated_at.max(*at);
            tx.execute(PUT_EDGE, &edge_values(&edge)?)?;
        }
        other => return Err(unknown(&format!("{other:?}"))),
    }
    Ok(())
}

fn change(
    tx: &mut dyn Tx,
    id: &str,
    operation: &'static str,
    change: impl FnOnce(&mut Node),
) -> Result<(), GraphError> {
    let Some(mut node) = one_node(tx, id)? else {
        return Err(missing("node", id, operation));
    };
    change(&mut node);
    put(tx, &node)
}

fn missing(kind: &'static str, id: &str, operation: &'static str) -> GraphError {
    GraphError::Missing {
        kind,
        id: id.to_owned(),
        operation,
    }
}
