//! Crystallize: one batch that writes a conclusion, or nothing.

use std::collections::BTreeMap;

use knowledge_graph::life_cycle::{COUNTED, DERIVED_BY, SUPERSEDED_BY};
use knowledge_graph::{Batch, Edge, EdgeType, Node, NodeType, Precondition, Timestamp, Write};
use language_agents::shared_stems;
use serde_json::{Value, json};

use crate::report::Conclusion;
use crate::settled::{DELIBERATOR, content_digest, sources_value};

/// How far a conclusion that speaks against a node lowers its confidence, times its own.
const CONTRADICTION_RATE: f64 = 0.5;

/// All that goes into the batch.
pub(crate) struct Crystal<'c> {
    pub conclusion: &'c Conclusion,
    pub question: &'c str,
    /// The nodes of the component, as they were read.
    pub sources: &'c BTreeMap<String, Node>,
    /// The edges between them, as they were read.
    pub edges: &'c [Edge],
    pub supports: &'c [String],
    pub contradicts: &'c [String],
    pub reconcile_hash: &'c str,
    /// A node that is there already under the conclusion's id.
    pub existing: Option<&'c Node>,
    /// Conclusions that it takes the place of.
    pub supersedes: &'c [String],
    pub now: Timestamp,
}

/// The id of a conclusion: a digest of its content, its sources and its question alone.
#[must_use]
pub fn conclusion_id<'s>(
    content: &str,
    sources: impl IntoIterator<Item = &'s String>,
    question: &str,
) -> String {
    let mut sources: Vec<&str> = sources.into_iter().map(String::as_str).collect();
    sources.sort_unstable();
    sources.dedup();
    let mut parts = vec![content, question];
    parts.extend(sources);
    format!(
        "conclusion-{}",
        digest("candor deliberator conclusion v1", &parts)
    )
}

/// The first 32 hexadecimal digits of BLAKE3 over the length-prefixed parts.
pub(crate) fn digest(context: &str, parts: &[&str]) -> String {
    let mut hasher = blake3::Hasher::new_derive_key(context);
    hasher.update(&(parts.len() as u64).to_le_bytes());
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    hasher.finalize().to_hex().chars().take(32).collect()
}

/// The batch, and the id of the node that it writes.
pub(crate) fn crystallize(crystal: &Crystal<'_>) -> (Batch, String) {
    let id = conclusion_id(
        &crystal.conclusion.content,
        crystal.sources.keys(),
        crystal.question,
    );
    let state = crystal
        .existing
        .map_or_else(|| "new".to_owned(), |n| format!("{}", n.updated_at.0));
    let batch_id = digest(
        "candor deliberator batch v1",
        &[&id, crystal.reconcile_hash, &state],
    );
    let mut batch = Batch::once(format!("crystallize-{batch_id}"));
    for source in crystal.sources.values() {
        batch = batch.require(Precondition::NodeRevision {
            id: source.id.clone(),
            revision: source.revision,
        });
    }
    // What was reasoned about must still be there: the relations that were cut.
    let examined = &crystal.conclusion.fault_lines_examined;
    for edge in crystal.edges {
        let ends = |cut: &kappa_topology::Edge<String>| {
            cut.source == edge.source && cut.target == edge.target
        };
        if edge.edge_type.is_directed() && examined.iter().any(ends) {
            batch = batch.require(Precondition::EdgeExists {
                id: edge.id.clone(),
            });
        }
    }
    batch = batch.put_node(node(crystal, &id));
    for (source, weight) in contributions(&crystal.conclusion.content, crystal.sources) {
        let edge = Edge::new(&id, source, EdgeType::DerivedFrom, crystal.now);
        batch = batch.put_edge(edge.with_weight(weight));
    }
    for target in crystal.supports {
        batch = batch.put_edge(Edge::new(&id, target, EdgeType::Supports, crystal.now));
    }
    for target in crystal.contradicts {
        let mut edge = Edge::new(&id, target, EdgeType::Contradicts, crystal.now);
        edge.metadata.insert(COUNTED.to_owned(), json!(true));
        batch = batch.put_edge(edge);
        // A conclusion that is reached again has been counted.
        if crystal.existing.is_none() {
            batch = batch.write(Write::AdjustConfidence {
                id: target.clone(),
                toward: 0.0,
                rate: (CONTRADICTION_RATE * crystal.conclusion.confidence).clamp(0.0, 1.0),
                at: crystal.now,
            });
        }
    }
    for old in crystal.supersedes.iter().filter(|old| **old != id) {
        batch = batch
            .require(Precondition::NodeExists { id: old.clone() })
            .write(Write::SetMetadata {
                id: old.clone(),
                key: SUPERSEDED_BY.to_owned(),
                value: Some(Value::String(id.clone())),
            });
    }
    (batch, id)
}

fn node(crystal: &Crystal<'_>, id: &str) -> Node {
    let conclusion = crystal.conclusion;
    let mut node = Node::new(id, conclusion.content.clone(), crystal.now)
        .with_type(NodeType::Semantic)
        .with_confidence(conclusion.confidence);
    node.source = Some(DELIBERATOR.to_owned());
    if let Some(existing) = crystal.existing {
        node.created_at = existing.created_at;
        node.access_count = existing.access_count;
    }
    let digests: BTreeMap<String, String> = crystal
        .sources
        .values()
        .map(|n| (n.id.clone(), content_digest(&n.content)))
        .collect();
    let lines: Vec<String> = conclusion
        .fault_lines_examined
        .iter()
        .map(|e| format!("{}→{}", e.source, e.target))
        .collect();
    for (key, value) in [
        (DERIVED_BY, json!(DELIBERATOR)),
        ("source_scc", json!(conclusion.source_scc_id)),
        ("source_kappa", json!(conclusion.source_kappa)),
        ("fault_lines_examined", json!(lines)),
        ("iteration", json!(conclusion.iteration)),
        ("query", json!(crystal.question)),
        ("reconcile_hash", json!(crystal.reconcile_hash)),
        ("sources", sources_value(&digests)),
    ] {
        node.metadata.insert(key.to_owned(), value);
    }
    node
}

/// The share of each source in a conclusion, by id, 1 in all: one part each, and one more for
/// every stem that it shares with the conclusion.
pub(crate) fn contributions<'n>(
    content: &str,
    sources: &'n BTreeMap<String, Node>,
) -> Vec<(&'n str, f64)> {
    let shared = shared_stems(content, sources.values().map(|n| n.content.as_str()));
    let parts: Vec<(&str, usize)> = sources
        .values()
        .zip(shared)
        .map(|(n, shared)| (n.id.as_str(), 1 + shared))
        .collect();
    let total: usize = parts.iter().map(|(_, p)| p).sum();
    parts
        .into_iter()
        .map(|(id, part)| (id, part as f64 / total.max(1) as f64))
        .collect()
}
