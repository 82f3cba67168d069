//! A whole graph as data.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::{Edge, GraphError, GraphStore, Node};

/// All nodes and edges of a graph, or of a part of it, as plain data.
///
/// Reads the short form too: a node needs `id` and `content`, an edge `source`, `target` and
/// `edge_type`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Snapshot {
    /// The nodes, by id.
    #[serde(default)]
    pub nodes: Vec<Node>,
    /// The edges, by id.
    #[serde(default)]
    pub edges: Vec<Edge>,
}

impl Snapshot {
    /// Reads a graph from JSON. Edges without an id get the [derived one](Edge::derived_id),
    /// with `#2`, `#3` … behind it where edges are parallel.
    ///
    /// # Errors
    /// [`GraphError::Document`] for JSON that is no graph, a node id that comes twice, or an edge
    /// at a node that is not there.
    pub fn from_json(json: &str) -> Result<Self, GraphError> {
        let document = |reason: String| GraphError::Document { reason };
        let mut graph: Self =
            serde_json::from_str(json).map_err(|error| document(error.to_string()))?;
        graph.name_edges();
        let mut ids = BTreeSet::new();
        for node in &graph.nodes {
            if !ids.insert(node.id.as_str()) {
                return Err(document(format!("the node id {:?} comes twice", node.id)));
            }
        }
        let mut names = BTreeSet::new();
        for edge in &graph.edges {
            if !names.insert(edge.id.as_str()) {
                return Err(document(format!("the edge id {:?} comes twice", edge.id)));
            }
            for end in [&edge.source, &edge.target] {
                if !ids.contains(end.as_str()) {
                    return Err(document(format!(
                        "the edge {:?} is at node {end:?}, which is not there",
                        edge.id
                    )));
                }
            }
        }
        graph.nodes.sort_by(|a, b| a.id.cmp(&b.id));
        graph.edges.sort_by(|a, b| a.id.cmp(&b.id));
        Ok(graph)
    }

    fn name_edges(&mut self) {
        let mut taken: BTreeSet<String> = self
            .edges
            .iter()
            .filter(|e| !e.id.is_empty())
            .map(|e| e.id.clone())
            .collect();
        for edge in self.edges.iter_mut().filter(|e| e.id.is_empty()) {
            let base = Edge::derived_id(&edge.source, &edge.target, edge.edge_type);
            let mut id = base.clone();
            let mut copy = 1_usize;
            while !taken.insert(id.clone()) {
                copy += 1;
                id = format!("{base}#{copy}");
            }
            edge.id = id;
        }
    }

    /// The graph as readable JSON with a final line break.
    ///
    /// # Errors
    /// [`GraphError::Document`], which no graph that a store accepts gives.
    pub fn to_json(&self) -> Result<String, GraphError> {
        let mut json = serde_json::to_string_pretty(self).map_err(|e| GraphError::Document {
            reason: e.to_string(),
        })?;
        json.push('\n');
        Ok(json)
    }

    /// Everything that a store holds.
    ///
    /// # Errors
    /// [`GraphError::Store`] when the store fails.
    pub fn of(store: &dyn GraphStore) -> Result<Self, GraphError> {
        const PAGE: usize = 1_000;
        let mut all = Self::default();
        loop {
            let page = store.node_page(all.nodes.last().map(|n| n.id.as_str()), PAGE)?;
            if page.is_empty() {
                break;
            }
            all.nodes.extend(page);
        }
        loop {
            let page = store.edge_page(all.edges.last().map(|e| e.id.as_str()), PAGE)?;
            if page.is_empty() {
                break;
            }
            all.edges.extend(page);
        }
        Ok(all)
    }

    /// The nodes with these ids and the edges between them.
    ///
    /// # Errors
    /// [`GraphError::Store`] when the store fails.
    pub fn around(store: &dyn GraphStore, ids: &[String]) -> Result<Self, GraphError> {
        let sorted: Vec<String> = ids
            .iter()
            .cloned()
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect();
        Ok(Self {
            nodes: store.nodes(&sorted)?,
            edges: store.edges_between(&sorted)?,
        })
    }
}
