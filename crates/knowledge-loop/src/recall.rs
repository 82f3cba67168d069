//! Recall: similarity over the nodes' contents, then along edges with decay.

use std::collections::BTreeMap;

use geodesic_retriever::{
    Embedder, EntryKind, EntryMeta, ExactIndex, Filter, GENERALIST, IndexEntry, LexicalConfig,
    LexicalEmbedder, VectorIndex,
};
use kappa_topology::Topology;
use knowledge_graph::{Direction, GraphStore, Node, Snapshot};
use serde::{Deserialize, Serialize};

use crate::{Error, RecallOptions};

/// A node that a question recalled.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RecalledNode {
    /// The node.
    pub id: String,
    /// Its content.
    pub content: String,
    /// querySim of the nearest seed node, times the decay for each hop from it.
    pub score: f64,
    /// Edges between it and that seed node.
    pub hops: u32,
}

/// What a question recalled, and what its topology calls for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Recall {
    /// The nodes, greatest score first, equal ones by id.
    pub nodes: Vec<RecalledNode>,
    /// The topology of the recalled part of the graph.
    pub topology: Topology<String>,
    /// The same with fresh conclusions standing for what they settle.
    pub effective_topology: Topology<String>,
    /// The greatest κ of the latter.
    pub effective_kappa: u64,
}

/// Recalls nodes for a question: the nearest by the lexical embedder, then their neighbours.
///
/// Linear in the graph: the embedder's frequencies are those of the graph as it is now, so that a
/// conclusion written a moment ago is found.
pub(crate) fn recall(
    store: &dyn GraphStore,
    question: &str,
    options: &RecallOptions,
) -> Result<Recall, Error> {
    if question.trim().is_empty() {
        return Err(Error::EmptyQuestion);
    }
    let all = all_nodes(store)?;
    let mut reached = seeds(&all, question, options)?;
    spread(store, &mut reached, options)?;
    let contents: BTreeMap<&str, &str> = all
        .iter()
        .map(|n| (n.id.as_str(), n.content.as_str()))
        .collect();
    let mut nodes: Vec<RecalledNode> = reached
        .into_iter()
        .map(|(id, (score, hops))| RecalledNode {
            content: contents
                .get(id.as_str())
                .copied()
                .unwrap_or_default()
                .to_owned(),
            id,
            score,
            hops,
        })
        .collect();
    nodes.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.id.cmp(&b.id)));
    nodes.truncate(options.limit);
    let ids: Vec<String> = nodes.iter().map(|n| n.id.clone()).collect();
    analyzed(store, nodes, &ids)
}

/// The topology of named nodes, with the conclusions over them.
pub(crate) fn analyzed(
    store: &dyn GraphStore,
    nodes: Vec<RecalledNode>,
    ids: &[String],
) -> Result<Recall, Error> {
    let topology = Snapshot::around(store, ids)?.topology()?;
    let effective = deliberator::effective_topology(&deliberator::driver::gather(store, ids)?)?;
    Ok(Recall {
        nodes,
        topology,
        effective_kappa: effective.max_kappa,
        effective_topology: effective,
    })
}

fn all_nodes(store: &dyn GraphStore) -> Result<Vec<Node>, Error> {
    const PAGE: usize = 1_024;
    let mut all: Vec<Node> = Vec::new();
    loop {
        let after = all.last().map(|n| n.id.clone());
        let page = store.node_page(after.as_deref(), PAGE)?;
        if page.is_empty() {
            return Ok(all);
        }
        all.extend(page);
    }
}

fn seeds(
    all: &[Node],
    question: &str,
    options: &RecallOptions,
) -> Result<BTreeMap<String, (f64, u32)>, Error> {
    let texts: Vec<&str> = all.iter().map(|n| n.content.as_str()).collect();
    let (embedder, embeddings) =
        LexicalEmbedder::learn_and_embed(LexicalConfig::default(), &texts, &mut |_| {})?;
    let mut index = ExactIndex::new(embedder.fingerprint().clone());
    let entries = all.iter().zip(embeddings).filter_map(|(node, embedding)| {
        // Content without a word in it has no vector, and nothing can be near it.
        let embedding = embedding.ok()?;
        let meta = EntryMeta {
            cube: GENERALIST.to_owned(),
            kind: EntryKind::Fact,
            parent: node.id.clone(),
        };
        Some(IndexEntry {
            id: node.id.clone(),
            vector: embedding.vector,
            meta,
        })
    });
    index.insert(entries.collect())?;
    let Ok(query) = embedder.embed_query(question) else {
        return Ok(BTreeMap::new());
    };
    let hits = index.search(&query, options.seeds, &Filter::default())?;
    let near = hits
        .into_iter()
        .map(|hit| (hit.id, (hit.similarity.query_sim(), 0)));
    Ok(near
        .filter(|(_, (score, _))| *score > options.floor)
        .collect())
}

/// Follows edges both ways, hop by hop; a node keeps the best score that reaches it.
fn spread(
    store: &dyn GraphStore,
    reached: &mut BTreeMap<String, (f64, u32)>,
    options: &RecallOptions,
) -> Result<(), Error> {
    let mut frontier: Vec<(String, f64)> = reached
        .iter()
        .map(|(id, (score, _))| (id.clone(), *score))
        .collect();
    for hop in 1..=options.hops {
        let mut next: BTreeMap<String, f64> = BTreeMap::new();
        for (id, score) in &frontier {
            for direction in [Direction::Outgoing, Direction::Incoming] {
                for edge in store.neighbours(id, direction)? {
                    let other = if edge.source == *id {
                        edge.target
                    } else {
                        edge.source
                    };
                    let score = score * options.decay;
                    if reached.get(&other).is_none_or(|(known, _)| *known < score) {
                        let best = next.entry(other).or_insert(score);
                        *best = best.max(score);
                    }
                }
            }
        }
        reached.extend(next.iter().map(|(id, score)| (id.clone(), (*score, hop))));
        frontier = next.into_iter().collect();
    }
    Ok(())
}
