//! What every store accepts and how every store changes a node, in one place.

use serde_json::Value;

use crate::{Batch, Edge, GraphError, Metadata, Node, Precondition, Timestamp, Write};

/// The longest id, in bytes.
pub const MAX_ID: usize = 1_024;
/// The longest content, in bytes.
pub const MAX_CONTENT: usize = 1 << 20;
/// The most writes, and the most preconditions, in a batch.
pub const MAX_BATCH: usize = 100_000;
/// The longest vector.
pub const MAX_EMBEDDING: usize = 16_384;
/// How deep metadata may nest.
pub const MAX_DEPTH: usize = 32;
/// The largest count and revision, in absolute value: what a signed 64-bit column holds.
pub const MAX_COUNT: u64 = i64::MAX as u64;

fn invalid(what: String, accepted: &'static str) -> GraphError {
    GraphError::Invalid { what, accepted }
}

/// Checks an id.
///
/// # Errors
/// [`GraphError::Invalid`] when it is empty, too long or holds U+0000.
pub fn check_id(id: &str) -> Result<(), GraphError> {
    if id.is_empty() || id.len() > MAX_ID || id.contains('\0') {
        let shown: String = id.chars().take(40).collect();
        return Err(invalid(
            format!("the id {shown:?} of {} bytes", id.len()),
            "1 to 1,024 bytes without U+0000",
        ));
    }
    Ok(())
}

fn check_text(text: &str, of: &str, id: &str) -> Result<(), GraphError> {
    if text.len() > MAX_CONTENT || text.contains('\0') {
        return Err(invalid(
            format!("the {of} of {id:?}, {} bytes", text.len()),
            "at most 1,048,576 bytes without U+0000",
        ));
    }
    Ok(())
}

fn check_share(value: f64, of: &str, id: &str) -> Result<(), GraphError> {
    if (0.0..=1.0).contains(&value) {
        Ok(())
    } else {
        Err(invalid(
            format!("the {of} {value} of {id:?}"),
            "a number from 0 to 1",
        ))
    }
}

fn check_value(value: &Value, depth: usize, id: &str) -> Result<(), GraphError> {
    if depth > MAX_DEPTH {
        return Err(invalid(
            format!("metadata of {id:?} that nests deeper than 32"),
            "at most 32 levels",
        ));
    }
    match value {
        Value::String(text) => check_text(text, "metadata", id),
        Value::Array(items) => items
            .iter()
            .try_for_each(|item| check_value(item, depth + 1, id)),
        Value::Object(entries) => entries.iter().try_for_each(|(key, item)| {
            check_text(key, "metadata", id)?;
            check_value(item, depth + 1, id)
        }),
        Value::Null | Value::Bool(_) | Value::Number(_) => Ok(()),
    }
}

fn check_metadata(metadata: &Metadata, id: &str) -> Result<(), GraphError> {
    metadata.iter().try_for_each(|(key, value)| {
        check_text(key, "metadata", id)?;
        check_value(value, 1, id)
    })
}

/// Checks a node.
///
/// # Errors
/// [`GraphError::Invalid`] with what is out of its bounds.
pub fn check_node(node: &Node) -> Result<(), GraphError> {
    check_id(&node.id)?;
    check_text(&node.content, "content", &node.id)?;
    check_share(node.confidence, "confidence", &node.id)?;
    check_metadata(&node.metadata, &node.id)?;
    if let Some(source) = &node.source {
        check_text(source, "source", &node.id)?;
    }
    if let Some(vector) = &node.embedding
        && (vector.is_empty()
            || vector.len() > MAX_EMBEDDING
            || !vector.iter().all(|x| x.is_finite()))
    {
        return Err(invalid(
            format!("the embedding of {:?}, {} numbers", node.id, vector.len()),
            "1 to 16,384 finite numbers",
        ));
    }
    if node.access_count > MAX_COUNT {
        return Err(invalid(
            format!("the access count of {:?}", node.id),
            "at most 9,223,372,036,854,775,807",
        ));
    }
    Ok(())
}

/// Checks an edge, except whether its nodes are there.
///
/// # Errors
/// [`GraphError::Invalid`] with what is out of its bounds.
pub fn check_edge(edge: &Edge) -> Result<(), GraphError> {
    check_id(&edge.id)?;
    check_id(&edge.source)?;
    check_id(&edge.target)?;
    check_metadata(&edge.metadata, &edge.id)?;
    if !edge.weight.is_finite() || edge.weight < 0.0 {
        return Err(invalid(
            format!("the weight {} of {:?}", edge.weight, edge.id),
            "a finite number that is not negative",
        ));
    }
    Ok(())
}

pub(crate) fn check_batch(batch: &Batch) -> Result<(), GraphError> {
    if let Some(id) = &batch.id {
        check_id(id)?;
    }
    if batch.writes.len() > MAX_BATCH || batch.preconditions.len() > MAX_BATCH {
        return Err(invalid(
            format!("a batch of {} writes", batch.writes.len()),
            "at most 100,000 writes and as many preconditions",
        ));
    }
    for precondition in &batch.preconditions {
        let (Precondition::NodeAbsent { id }
        | Precondition::NodeExists { id }
        | Precondition::NodeRevision { id, .. }
        | Precondition::EdgeAbsent { id }
        | Precondition::EdgeExists { id }) = precondition;
        check_id(id)?;
    }
    batch.writes.iter().try_for_each(check_write)
}

fn check_write(write: &Write) -> Result<(), GraphError> {
    match write {
        Write::PutNode { node } => check_node(node),
        Write::PutEdge { edge } => check_edge(edge),
        Write::AdjustConfidence {
            id, toward, rate, ..
        } => {
            check_id(id)?;
            check_share(*toward, "confidence to move to", id)?;
            check_share(*rate, "rate of a change of confidence", id)
        }
        Write::SetMetadata { id, key, value } => {
            check_id(id)?;
            check_text(key, "metadata", id)?;
            value.as_ref().map_or(Ok(()), |v| check_value(v, 1, id))
        }
        Write::RemoveNode { id }
        | Write::RemoveEdge { id }
        | Write::Touch { id, .. }
        | Write::ActivateEdge { id, .. } => check_id(id),
    }
}

/// The node as a store keeps it when `node` is put over `existing`: with the next revision.
#[must_use]
pub fn put(existing: Option<&Node>, mut node: Node) -> Node {
    node.revision = existing.map_or(1, |old| old.revision.saturating_add(1).min(MAX_COUNT));
    node
}

/// The confidence c after [`Write::AdjustConfidence`]: c + rate · (toward − c), within 0 and 1.
#[must_use]
pub fn adjusted(confidence: f64, toward: f64, rate: f64) -> f64 {
    (confidence + rate * (toward - confidence)).clamp(0.0, 1.0)
}

/// Applies [`Write::AdjustConfidence`] to a node.
pub fn adjust(node: &mut Node, toward: f64, rate: f64, at: Timestamp) {
    node.confidence = adjusted(node.confidence, toward, rate);
    node.updated_at = node.updated_at.max(at);
}

/// Applies [`Write::Touch`] to a node.
pub fn touch(node: &mut Node, at: Timestamp) {
    node.access_count = node.access_count.saturating_add(1).min(MAX_COUNT);
    node.last_accessed_at = node.last_accessed_at.max(at);
}

/// Applies [`Write::SetMetadata`] to a node.
pub fn set_metadata(node: &mut Node, key: &str, value: Option<&Value>) {
    match value {
        Some(value) => {
            node.metadata.insert(key.to_owned(), value.clone());
        }
        None => {
            node.metadata.remove(key);
        }
    }
}
