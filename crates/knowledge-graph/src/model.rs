//! Nodes and edges.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Timestamp;

/// Free data beside a node or an edge, in the order of its keys.
pub type Metadata = BTreeMap<String, Value>;

/// What kind of memory a node is.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum NodeType {
    /// Something that happened.
    Episodic,
    /// Something held to be so.
    #[default]
    Semantic,
    /// How something is done.
    Procedural,
}

impl NodeType {
    /// The name on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Episodic => "episodic",
            Self::Semantic => "semantic",
            Self::Procedural => "procedural",
        }
    }
}

/// A node of the graph.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Node {
    /// Its id: 1 to [`MAX_ID`](crate::MAX_ID) bytes, no U+0000.
    pub id: String,
    /// What it says; at most [`MAX_CONTENT`](crate::MAX_CONTENT) bytes, no U+0000.
    pub content: String,
    /// What kind of memory it is.
    #[serde(default)]
    pub node_type: NodeType,
    /// How far it is to be trusted, 0 to 1.
    #[serde(default = "half")]
    pub confidence: f64,
    /// Its vector, where it has one; finite numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub embedding: Option<Vec<f32>>,
    /// Free data.
    #[serde(default, skip_serializing_if = "Metadata::is_empty")]
    pub metadata: Metadata,
    /// Where it comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// How often it was accessed.
    #[serde(default)]
    pub access_count: u64,
    /// When it was made.
    #[serde(default)]
    pub created_at: Timestamp,
    /// When its content or confidence was last changed.
    #[serde(default)]
    pub updated_at: Timestamp,
    /// When it was last accessed.
    #[serde(default)]
    pub last_accessed_at: Timestamp,
    /// How often it was put: 1 when new. Set by the store, whatever a writer sends; changes of
    /// confidence, metadata and access do not count. Preconditions refer to it.
    #[serde(default)]
    pub revision: u64,
}

fn half() -> f64 {
    0.5
}

fn one() -> f64 {
    1.0
}

impl Node {
    /// A semantic node made now, with confidence 0.5.
    #[must_use]
    pub fn new(id: impl Into<String>, content: impl Into<String>, now: Timestamp) -> Self {
        Self {
            id: id.into(),
            content: content.into(),
            node_type: NodeType::Semantic,
            confidence: half(),
            embedding: None,
            metadata: Metadata::new(),
            source: None,
            access_count: 0,
            created_at: now,
            updated_at: now,
            last_accessed_at: now,
            revision: 0,
        }
    }

    /// Sets the confidence.
    #[must_use]
    pub fn with_confidence(mut self, confidence: f64) -> Self {
        self.confidence = confidence;
        self
    }

    /// Sets the type.
    #[must_use]
    pub fn with_type(mut self, node_type: NodeType) -> Self {
        self.node_type = node_type;
        self
    }
}

/// What an edge says of its two nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum EdgeType {
    /// The source brings the target about.
    Causal,
    /// The source comes before the target.
    Temporal,
    /// The two have to do with each other.
    Related,
    /// The source speaks against the target.
    Contradicts,
    /// The source speaks for the target.
    Supports,
    /// The source was concluded from the target.
    DerivedFrom,
}

impl EdgeType {
    /// The name on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Causal => "causal",
            Self::Temporal => "temporal",
            Self::Related => "related",
            Self::Contradicts => "contradicts",
            Self::Supports => "supports",
            Self::DerivedFrom => "derived_from",
        }
    }

    /// Whether it counts for κ: causal and temporal edges do.
    #[must_use]
    pub fn is_directed(self) -> bool {
        matches!(self, Self::Causal | Self::Temporal)
    }
}

/// An edge of the graph. Both its nodes must exist.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Edge {
    /// Its id. Empty only in a [`Snapshot`](crate::Snapshot) that is read, where it is filled in.
    #[serde(default)]
    pub id: String,
    /// The node it starts at.
    pub source: String,
    /// The node it ends at.
    pub target: String,
    /// What it says.
    pub edge_type: EdgeType,
    /// How strong it is: finite, not negative; 1 by default.
    #[serde(default = "one")]
    pub weight: f64,
    /// Free data.
    #[serde(default, skip_serializing_if = "Metadata::is_empty")]
    pub metadata: Metadata,
    /// When it was made.
    #[serde(default)]
    pub created_at: Timestamp,
    /// When it was last made use of.
    #[serde(default)]
    pub last_activated_at: Timestamp,
}

impl Edge {
    /// An edge of weight 1, made now, with the [derived id](Self::derived_id).
    #[must_use]
    pub fn new(
        source: impl Into<String>,
        target: impl Into<String>,
        edge_type: EdgeType,
        now: Timestamp,
    ) -> Self {
        let (source, target) = (source.into(), target.into());
        Self {
            id: Self::derived_id(&source, &target, edge_type),
            source,
            target,
            edge_type,
            weight: one(),
            metadata: Metadata::new(),
            created_at: now,
            last_activated_at: now,
        }
    }

    /// Sets the weight.
    #[must_use]
    pub fn with_weight(mut self, weight: f64) -> Self {
        self.weight = weight;
        self
    }

    /// The id of an edge that nobody named: `source->target#type` while that is short and can be
    /// read only one way, else a BLAKE3 digest of the three.
    #[must_use]
    pub fn derived_id(source: &str, target: &str, edge_type: EdgeType) -> String {
        let kind = edge_type.as_str();
        let plain = |id: &str| !id.contains("->") && !id.contains('#');
        if plain(source) && plain(target) && source.len() + target.len() <= 256 {
            return format!("{source}->{target}#{kind}");
        }
        let mut hasher = blake3::Hasher::new_derive_key("candor knowledge-graph edge id v1");
        for part in [source, target, kind] {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        format!("edge-{}", hasher.finalize().to_hex())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_on_the_wire_are_pinned() {
        let node = Node::new("a", "text", Timestamp(7)).with_type(NodeType::Episodic);
        assert_eq!(
            serde_json::to_string(&node).unwrap(),
            concat!(
                r#"{"id":"a","content":"text","node_type":"episodic","confidence":0.5,"#,
                r#""access_count":0,"created_at":7,"updated_at":7,"last_accessed_at":7,"#,
                r#""revision":0}"#
            )
        );
        let edge = Edge::new("a", "b", EdgeType::DerivedFrom, Timestamp(7)).with_weight(0.25);
        assert_eq!(
            serde_json::to_string(&edge).unwrap(),
            concat!(
                r#"{"id":"a->b#derived_from","source":"a","target":"b","edge_type":"derived_from","#,
                r#""weight":0.25,"created_at":7,"last_activated_at":7}"#
            )
        );
    }

    #[test]
    fn short_forms_read() {
        let node: Node = serde_json::from_str(r#"{"id":"a","content":"x"}"#).unwrap();
        assert_eq!(node, Node::new("a", "x", Timestamp(0)));
        let edge: Edge =
            serde_json::from_str(r#"{"source":"a","target":"b","edge_type":"causal"}"#).unwrap();
        assert!((edge.weight - 1.0).abs() < f64::EPSILON);
    }

    #[test]
    fn derived_ids_do_not_collide() {
        let causal = EdgeType::Causal;
        assert_ne!(
            Edge::derived_id("a->b", "c", causal),
            Edge::derived_id("a", "b->c", causal)
        );
    }
}
