//! κ of the part of a graph that a retrieval touched.

use std::collections::BTreeSet;

use geodesic_retriever::RetrievedPassage;
use kappa_topology::Topology;
use knowledge_graph::{GraphStore, Snapshot};

use crate::Error;

/// Analyses the nodes whose ids are the passages' documents or entries, with the causal and
/// temporal edges between them.
///
/// # Errors
/// [`Error::Graph`] if the store fails.
pub(crate) fn retrieved_topology(
    graph: &dyn GraphStore,
    passages: &[RetrievedPassage],
) -> Result<Topology<String>, Error> {
    let ids: BTreeSet<String> = passages
        .iter()
        .flat_map(|p| [p.passage.source_id.clone(), p.passage.entry_id.clone()])
        .collect();
    let ids: Vec<String> = ids.into_iter().collect();
    Ok(Snapshot::around(graph, &ids)?.topology()?)
}
