//! Forgetting.

use super::{Policy, is_superseded, protected};
use crate::{Batch, GraphError, Node, Precondition, Snapshot, Timestamp, Write};

/// Removes nodes that are low, hardly used and long idle, and superseded conclusions that are
/// long idle; never a node of a component that the policy protects.
///
/// Returns the batch and the ids of the nodes in it.
///
/// # Errors
/// [`GraphError::Topology`] when the graph is too large to analyse.
pub fn prune(
    graph: &Snapshot,
    policy: &Policy,
    now: Timestamp,
) -> Result<(Batch, Vec<String>), GraphError> {
    let protected = protected(graph, policy)?;
    let mut batch = Batch::new();
    let mut ids = Vec::new();
    for node in &graph.nodes {
        if protected.contains(&node.id) || !forgettable(node, policy, now) {
            continue;
        }
        ids.push(node.id.clone());
        batch = batch
            .require(Precondition::NodeRevision {
                id: node.id.clone(),
                revision: node.revision,
            })
            .write(Write::RemoveNode {
                id: node.id.clone(),
            });
    }
    Ok((batch, ids))
}

fn forgettable(node: &Node, policy: &Policy, now: Timestamp) -> bool {
    let idle = now.since(node.last_accessed_at) >= policy.prune_idle_ms;
    let low = node.confidence < policy.prune_below && node.access_count <= policy.prune_accesses;
    idle && (low || is_superseded(node))
}
