//! Merging what says the same.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::{DERIVED_BY, Policy, is_superseded, protected};
use crate::{Batch, Edge, EdgeType, GraphError, Node, Precondition, Snapshot, Timestamp, Write};

/// How alike two nodes are, 0 to 1.
pub trait NodeSimilarity: Send + Sync {
    /// How alike; symmetric.
    fn similarity(&self, a: &Node, b: &Node) -> f64;
}

/// The cosine of the embeddings where both nodes have one of the same length; else 1 for
/// contents that differ at most in white space and letter case, and 0 otherwise.
#[derive(Debug, Clone, Copy, Default)]
pub struct SameContent;

impl NodeSimilarity for SameContent {
    fn similarity(&self, a: &Node, b: &Node) -> f64 {
        match (&a.embedding, &b.embedding) {
            (Some(x), Some(y)) if x.len() == y.len() => cosine(x, y),
            _ if plain(&a.content) == plain(&b.content) => 1.0,
            _ => 0.0,
        }
    }
}

fn plain(text: &str) -> String {
    let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
    words.join(" ")
}

fn cosine(x: &[f32], y: &[f32]) -> f64 {
    let dot = |a: &[f32], b: &[f32]| -> f64 {
        a.iter()
            .zip(b)
            .map(|(p, q)| f64::from(*p) * f64::from(*q))
            .sum()
    };
    let norms = (dot(x, x) * dot(y, y)).sqrt();
    if norms > 0.0 {
        (dot(x, y) / norms).clamp(-1.0, 1.0)
    } else {
        0.0
    }
}

/// Merges near-duplicates of one type, and conclusions over the same nodes.
///
/// The node with the higher confidence stays (then the older, then the smaller id); it takes
/// over the other's edges and accesses. Between two nodes of a protected component nothing
/// merges; a node of one stays when it is like a node outside. Conclusions (`derived_by` in
/// their metadata) over the same nodes merge even when they say different things: the one that
/// stays then says all of it, a line each, and is as sure as the least sure. Each node takes
/// part in at most one merge a call.
///
/// Returns the batch and the pairs (merged away, stays).
///
/// # Errors
/// [`GraphError::Topology`] when the graph is too large to analyse.
pub fn merge(
    graph: &Snapshot,
    policy: &Policy,
    similarity: &dyn NodeSimilarity,
    now: Timestamp,
) -> Result<(Batch, Vec<(String, String)>), GraphError> {
    let protected = protected(graph, policy)?;
    let mut merger = Merger {
        graph,
        protected,
        busy: BTreeSet::new(),
        batch: Batch::new(),
        pairs: Vec::new(),
        now,
    };
    if policy.merge_conclusions {
        for group in conclusions_by_sources(graph) {
            if let [first, second, ..] = group.as_slice() {
                merger.merge(first, second, true);
            }
        }
    }
    let mut compared = 0;
    for (index, a) in graph.nodes.iter().enumerate() {
        for b in graph.nodes.iter().skip(index + 1) {
            if compared >= policy.max_pairs {
                return Ok(merger.finish());
            }
            let free = !merger.busy.contains(&a.id) && !merger.busy.contains(&b.id);
            let comparable = a.node_type == b.node_type && is_superseded(a) == is_superseded(b);
            if free && comparable {
                compared += 1;
                if similarity.similarity(a, b) >= policy.merge_at {
                    merger.merge(a, b, false);
                }
            }
        }
    }
    Ok(merger.finish())
}

/// Live conclusions in groups over the same nodes.
fn conclusions_by_sources(graph: &Snapshot) -> Vec<Vec<&Node>> {
    let mut sources: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for edge in &graph.edges {
        if edge.edge_type == EdgeType::DerivedFrom {
            sources
                .entry(&edge.source)
                .or_default()
                .insert(&edge.target);
        }
    }
    let mut groups: BTreeMap<&BTreeSet<&str>, Vec<&Node>> = BTreeMap::new();
    for node in &graph.nodes {
        if node.metadata.contains_key(DERIVED_BY)
            && !is_superseded(node)
            && let Some(of) = sources.get(node.id.as_str())
        {
            groups.entry(of).or_default().push(node);
        }
    }
    groups.into_values().filter(|g| g.len() > 1).collect()
}

struct Merger<'g> {
    graph: &'g Snapshot,
    protected: BTreeSet<String>,
    busy: BTreeSet<String>,
    batch: Batch,
    pairs: Vec<(String, String)>,
    now: Timestamp,
}

impl Merger<'_> {
    fn merge(&mut self, a: &Node, b: &Node, conclusions: bool) {
        let guarded = |n: &Node| self.protected.contains(&n.id);
        let (stays, goes) = match (guarded(a), guarded(b)) {
            (true, true) => return,
            (true, false) => (a, b),
            (false, true) => (b, a),
            (false, false) if prefer(a, b) => (a, b),
            (false, false) => (b, a),
        };
        for node in [stays, goes] {
            self.busy.insert(node.id.clone());
            self.batch.preconditions.push(Precondition::NodeRevision {
                id: node.id.clone(),
                revision: node.revision,
            });
        }
        let merged = merged_node(stays, goes, conclusions, self.now);
        self.batch.writes.push(Write::PutNode { node: merged });
        self.pairs.push((goes.id.clone(), stays.id.clone()));
    }

    /// The batch with the edges moved over and the merged nodes removed.
    fn finish(mut self) -> (Batch, Vec<(String, String)>) {
        let stands_for: BTreeMap<&str, &str> = self
            .pairs
            .iter()
            .map(|(goes, stays)| (goes.as_str(), stays.as_str()))
            .collect();
        let end = |id: &str| {
            stands_for
                .get(id)
                .map_or_else(|| id.to_owned(), ToString::to_string)
        };
        let mut known: BTreeSet<(String, String, EdgeType)> = BTreeSet::new();
        let mut moved = Vec::new();
        for edge in &self.graph.edges {
            let ends = (end(&edge.source), end(&edge.target), edge.edge_type);
            if ends.0 == edge.source && ends.1 == edge.target {
                known.insert(ends);
            } else {
                moved.push((edge, ends));
            }
        }
        // Edges that would become loops or doubles go with their node.
        for (edge, ends) in moved {
            if ends.0 != ends.1 && known.insert(ends.clone()) {
                let edge = Edge {
                    source: ends.0,
                    target: ends.1,
                    ..edge.clone()
                };
                self.batch.writes.push(Write::PutEdge { edge });
            }
        }
        for (goes, _) in &self.pairs {
            self.batch
                .writes
                .push(Write::RemoveNode { id: goes.clone() });
        }
        (self.batch, self.pairs)
    }
}

/// Whether `a` stays rather than `b`.
fn prefer(a: &Node, b: &Node) -> bool {
    b.confidence
        .total_cmp(&a.confidence)
        .then(a.created_at.cmp(&b.created_at))
        .then(a.id.cmp(&b.id))
        .is_le()
}

fn merged_node(stays: &Node, goes: &Node, conclusions: bool, now: Timestamp) -> Node {
    let mut node = stays.clone();
    node.access_count = stays.access_count.saturating_add(goes.access_count);
    node.last_accessed_at = stays.last_accessed_at.max(goes.last_accessed_at);
    node.updated_at = node.updated_at.max(now);
    if conclusions && plain(&stays.content) != plain(&goes.content) {
        node.content = format!("{}\n{}", stays.content, goes.content);
        node.embedding = None;
        node.confidence = stays.confidence.min(goes.confidence);
    }
    let mut from = match node.metadata.remove("merged_from") {
        Some(Value::Array(list)) => list,
        _ => Vec::new(),
    };
    from.push(Value::String(goes.id.clone()));
    node.metadata
        .insert("merged_from".to_owned(), Value::Array(from));
    node
}
