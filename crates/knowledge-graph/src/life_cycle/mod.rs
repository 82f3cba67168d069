//! How confidence fades, grows and is forgotten (consolidation).
//!
//! Seed 001 §4.2 names the parts: idle decay, reinforcement on access, contradiction lowers,
//! pruning of what is old, low and unused, merging of near-duplicates; here they also mind κ.
//! Every part is a plain function from a [`Snapshot`] to a [`Batch`]; [`consolidate`] runs them
//! in order over a store. Time is an argument, never read.

mod confidence;
mod merge;
mod prune;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

pub use confidence::{contradiction, decay, reinforcement};
pub use merge::{NodeSimilarity, SameContent, merge};
pub use prune::prune;

use crate::{Batch, GraphError, GraphStore, Node, Snapshot, Timestamp};

/// Milliseconds in a day.
pub const DAY: u64 = 86_400_000;

/// The key of a node's metadata that says which program concluded it.
pub const DERIVED_BY: &str = "derived_by";
/// The key of a node's metadata that says which node took its place.
pub const SUPERSEDED_BY: &str = "superseded_by";
/// The key of an edge's metadata that says that its contradiction has been counted.
pub const COUNTED: &str = "counted";

/// What the life cycle does, and how fast.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Policy {
    /// How long after its last access a node keeps its confidence, in milliseconds.
    pub grace_ms: u64,
    /// After that, how long until an idle node's confidence is halved, in milliseconds; 0 turns
    /// decay off.
    pub half_life_ms: u64,
    /// How far an access moves confidence toward 1, 0 to 1.
    pub reinforcement: f64,
    /// How far a contradiction of weight 1 by a node of confidence 1 moves confidence toward 0.
    pub contradiction: f64,
    /// A node is pruned only when its confidence is below this …
    pub prune_below: f64,
    /// … and it was accessed at most so often …
    pub prune_accesses: u64,
    /// … and was not accessed for so long, in milliseconds.
    pub prune_idle_ms: u64,
    /// Components with at least this κ lose no node, by pruning or by merging; 0 protects none.
    pub protect_kappa: u64,
    /// Two nodes of one type merge when they are at least this alike.
    pub merge_at: f64,
    /// Whether conclusions over the same nodes merge into one.
    pub merge_conclusions: bool,
    /// At most so many pairs are compared for merging, in the order of ids.
    pub max_pairs: usize,
}

impl Default for Policy {
    /// A week of grace, a half-life of 30 days, pruning below 0.1 after 90 idle days and at most
    /// one access, every loop protected. The seed gives no figures: these are ours.
    fn default() -> Self {
        Self {
            grace_ms: 7 * DAY,
            half_life_ms: 30 * DAY,
            reinforcement: 0.05,
            contradiction: 0.5,
            prune_below: 0.1,
            prune_accesses: 1,
            prune_idle_ms: 90 * DAY,
            protect_kappa: 1,
            merge_at: 0.95,
            merge_conclusions: true,
            max_pairs: 1_000_000,
        }
    }
}

/// What a consolidation did.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Consolidation {
    /// Nodes whose confidence decayed.
    pub decayed: Vec<String>,
    /// Nodes whose confidence was lowered by a contradiction.
    pub contradicted: Vec<String>,
    /// Nodes that were merged away, each with the node that stands for it now.
    pub merged: Vec<(String, String)>,
    /// Nodes that were pruned.
    pub pruned: Vec<String>,
}

/// Runs the whole life cycle once over a store: decay, contradictions, merging, pruning, each
/// one batch. A batch requires that what it removes was not put again meanwhile.
///
/// Needs the whole graph in memory. O(n log n + m) and the pairs compared.
///
/// # Errors
/// [`GraphError`] of the store or the topology; batches that were applied before stay.
pub fn consolidate(
    store: &dyn GraphStore,
    policy: &Policy,
    similarity: &dyn NodeSimilarity,
    now: Timestamp,
) -> Result<Consolidation, GraphError> {
    let mut done = Consolidation::default();
    let (batch, ids) = decay(&Snapshot::of(store)?, policy, now);
    apply(store, &batch)?;
    done.decayed = ids;
    let (batch, ids) = contradiction(&Snapshot::of(store)?, policy, now);
    apply(store, &batch)?;
    done.contradicted = ids;
    let (batch, pairs) = merge(&Snapshot::of(store)?, policy, similarity, now)?;
    apply(store, &batch)?;
    done.merged = pairs;
    let (batch, ids) = prune(&Snapshot::of(store)?, policy, now)?;
    apply(store, &batch)?;
    done.pruned = ids;
    Ok(done)
}

fn apply(store: &dyn GraphStore, batch: &Batch) -> Result<(), GraphError> {
    if batch.writes.is_empty() {
        return Ok(());
    }
    store.apply(batch).map(|_| ())
}

/// The nodes of components that the policy protects.
fn protected(graph: &Snapshot, policy: &Policy) -> Result<BTreeSet<String>, GraphError> {
    if policy.protect_kappa == 0 {
        return Ok(BTreeSet::new());
    }
    let topology = graph.topology()?;
    let kept = topology
        .sccs
        .into_iter()
        .filter(|scc| scc.kappa >= policy.protect_kappa)
        .flat_map(|scc| scc.nodes);
    Ok(kept.collect())
}

fn is_superseded(node: &Node) -> bool {
    node.metadata.contains_key(SUPERSEDED_BY)
}
