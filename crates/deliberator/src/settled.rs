//! Conclusions in the graph: whether they are fresh, and what they settle.

use std::collections::{BTreeMap, BTreeSet};

use kappa_topology::{DeliberationBudget, Digraph, Options, Topology, analyze};
use knowledge_graph::life_cycle::{DERIVED_BY, SUPERSEDED_BY};
use knowledge_graph::{EdgeType, GraphError, Metadata, Node, Snapshot};
use serde_json::{Map, Value};

/// What `derived_by` says of nodes that were written here.
pub const DELIBERATOR: &str = "deliberator";

/// A node that speaks against a conclusion counts from this confidence on.
const CONTRADICTS_FROM: f64 = 0.5;

/// The hard digest of a node's content, by which a conclusion knows that a source has changed.
#[must_use]
pub fn content_digest(content: &str) -> String {
    let mut hasher = blake3::Hasher::new_derive_key("candor deliberator source content v1");
    hasher.update(content.as_bytes());
    hasher.finalize().to_hex().to_string()
}

/// A conclusion node, read back from its metadata.
#[derive(Debug, Clone, PartialEq)]
pub struct Settled {
    /// The id of the conclusion node.
    pub id: String,
    /// The question that it answers.
    pub query: String,
    /// The nodes that it was concluded from, each with the digest of its content then.
    pub sources: BTreeMap<String, String>,
    /// κ of the component then.
    pub source_kappa: u64,
    /// Why it is stale; `None` when it is fresh.
    pub stale: Option<Staleness>,
}

/// Why a conclusion no longer settles what it was concluded from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Staleness {
    /// A newer conclusion took its place.
    Superseded,
    /// Its confidence is below the threshold of its component's κ.
    Decayed,
    /// A node of confidence 0.5 or more speaks against it.
    Contradicted,
    /// The content of a source has changed, or a source is gone.
    SourcesChanged,
}

/// The conclusions in a graph, by id. A source that is not part of `graph` counts as gone: hand
/// in the conclusions together with their sources.
#[must_use]
pub fn settled(graph: &Snapshot) -> Vec<Settled> {
    let nodes: BTreeMap<&str, &Node> = graph.nodes.iter().map(|n| (n.id.as_str(), n)).collect();
    let contradicted: BTreeSet<&str> = graph
        .edges
        .iter()
        .filter(|e| e.edge_type == EdgeType::Contradicts)
        .filter(|e| {
            let speaker = nodes.get(e.source.as_str());
            speaker.is_some_and(|n| n.confidence >= CONTRADICTS_FROM)
        })
        .map(|e| e.target.as_str())
        .collect();
    graph
        .nodes
        .iter()
        .filter_map(|node| read(node, &nodes, &contradicted))
        .collect()
}

fn read(
    node: &Node,
    nodes: &BTreeMap<&str, &Node>,
    contradicted: &BTreeSet<&str>,
) -> Option<Settled> {
    let meta = &node.metadata;
    if text(meta, DERIVED_BY)? != DELIBERATOR {
        return None;
    }
    let sources: BTreeMap<String, String> = meta
        .get("sources")?
        .as_object()?
        .iter()
        .filter_map(|(id, digest)| Some((id.clone(), digest.as_str()?.to_owned())))
        .collect();
    let source_kappa = meta.get("source_kappa")?.as_u64()?;
    let threshold = DeliberationBudget::for_kappa(source_kappa).confidence_threshold;
    let unchanged = sources.iter().all(|(id, digest)| {
        let source = nodes.get(id.as_str());
        source.is_some_and(|n| content_digest(&n.content) == *digest)
    });
    let stale = if meta.contains_key(SUPERSEDED_BY) {
        Some(Staleness::Superseded)
    } else if node.confidence < threshold {
        Some(Staleness::Decayed)
    } else if contradicted.contains(node.id.as_str()) {
        Some(Staleness::Contradicted)
    } else if !unchanged {
        Some(Staleness::SourcesChanged)
    } else {
        None
    };
    Some(Settled {
        id: node.id.clone(),
        query: text(meta, "query").unwrap_or_default(),
        sources,
        source_kappa,
        stale,
    })
}

fn text(meta: &Metadata, key: &str) -> Option<String> {
    meta.get(key)?.as_str().map(str::to_owned)
}

pub(crate) fn sources_value(sources: &BTreeMap<String, String>) -> Value {
    let map: Map<String, Value> = sources
        .iter()
        .map(|(id, digest)| (id.clone(), Value::String(digest.clone())))
        .collect();
    Value::Object(map)
}

/// The effective topology of a retrieved subgraph: every fresh conclusion in it takes the place
/// of its sources, so that the loop it settles no longer counts. κ of the graph itself does not
/// change. Conclusions that share a source are contracted together.
///
/// Hand in the subgraph with the conclusions that were retrieved and all their sources.
///
/// # Errors
/// [`GraphError::Topology`] past the limits of `kappa_topology`.
pub fn effective_topology(graph: &Snapshot) -> Result<Topology<String>, GraphError> {
    let mut stands_for: BTreeMap<String, String> = BTreeMap::new();
    for conclusion in settled(graph).into_iter().filter(|c| c.stale.is_none()) {
        let place = root(&stands_for, &conclusion.id);
        for source in conclusion.sources.keys() {
            let merged = root(&stands_for, source);
            if merged != place {
                stands_for.insert(merged, place.clone());
            }
        }
    }
    let mut builder = Digraph::builder();
    for node in &graph.nodes {
        builder.node(root(&stands_for, &node.id));
    }
    for edge in &graph.edges {
        let (s, t) = (
            root(&stands_for, &edge.source),
            root(&stands_for, &edge.target),
        );
        builder.edge_of_kind(edge.edge_type.into(), s, t);
    }
    let digraph = builder.build().map_err(|error| GraphError::Topology {
        reason: error.to_string(),
    })?;
    Ok(analyze(&digraph, &Options::default()))
}

/// What stands for a node at last. No chain loops: only a root is given another root.
fn root(stands_for: &BTreeMap<String, String>, id: &str) -> String {
    let mut at = id;
    while let Some(next) = stands_for.get(at) {
        at = next;
    }
    at.to_owned()
}
