//! Decay, reinforcement and contradiction.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{COUNTED, Policy};
use crate::{Batch, EdgeType, Node, Snapshot, Timestamp, Write};

/// Lowers the confidence of idle nodes: c · 2^(−t / half-life), t counted from the end of the
/// grace after the last access, or from the last change of confidence when that is later. How
/// often this runs does not matter, because exponential decay composes.
///
/// Returns the batch and the ids of the nodes in it.
#[must_use]
pub fn decay(graph: &Snapshot, policy: &Policy, now: Timestamp) -> (Batch, Vec<String>) {
    let mut batch = Batch::new();
    let mut ids = Vec::new();
    for node in &graph.nodes {
        let rate = decay_rate(node, policy, now);
        if rate > 0.0 && node.confidence > 0.0 {
            ids.push(node.id.clone());
            batch.writes.push(Write::AdjustConfidence {
                id: node.id.clone(),
                toward: 0.0,
                rate,
                at: now,
            });
        }
    }
    (batch, ids)
}

fn decay_rate(node: &Node, policy: &Policy, now: Timestamp) -> f64 {
    if policy.half_life_ms == 0 {
        return 0.0;
    }
    let from = node
        .last_accessed_at
        .plus(policy.grace_ms)
        .max(node.updated_at);
    let idle = now.since(from) as f64 / policy.half_life_ms as f64;
    (1.0 - (-idle).exp2()).clamp(0.0, 1.0)
}

/// The writes for one access to a node: it is counted, and its confidence moves toward 1.
#[must_use]
pub fn reinforcement(id: &str, policy: &Policy, now: Timestamp) -> Batch {
    Batch::new()
        .write(Write::Touch {
            id: id.to_owned(),
            at: now,
        })
        .write(Write::AdjustConfidence {
            id: id.to_owned(),
            toward: 1.0,
            rate: policy.reinforcement.clamp(0.0, 1.0),
            at: now,
        })
}

/// Lowers the confidence of nodes that a `contradicts` edge speaks against, once an edge: by
/// the policy's rate × the edge's weight (at most 1) × the confidence of the node that speaks.
/// The edge is marked as counted.
///
/// Returns the batch and the ids of the nodes in it, each once.
#[must_use]
pub fn contradiction(graph: &Snapshot, policy: &Policy, now: Timestamp) -> (Batch, Vec<String>) {
    let confidence: BTreeMap<&str, f64> = graph
        .nodes
        .iter()
        .map(|node| (node.id.as_str(), node.confidence))
        .collect();
    let mut batch = Batch::new();
    let mut ids: Vec<String> = Vec::new();
    for edge in &graph.edges {
        let counted = edge.metadata.get(COUNTED) == Some(&Value::Bool(true));
        if edge.edge_type != EdgeType::Contradicts || counted {
            continue;
        }
        let Some(speaker) = confidence.get(edge.source.as_str()) else {
            continue;
        };
        let rate = policy.contradiction * edge.weight.min(1.0) * speaker;
        let mut marked = edge.clone();
        marked
            .metadata
            .insert(COUNTED.to_owned(), Value::Bool(true));
        batch = batch.put_edge(marked).write(Write::AdjustConfidence {
            id: edge.target.clone(),
            toward: 0.0,
            rate: rate.clamp(0.0, 1.0),
            at: now,
        });
        if !ids.contains(&edge.target) {
            ids.push(edge.target.clone());
        }
    }
    (batch, ids)
}
