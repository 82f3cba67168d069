//! The canonical order of a run's stages, and the root over it.

use crate::error::{Error, Result};
use crate::hash::{self, PayloadHash, RunRoot, StageHash, TreeHash};
use crate::kind::StageKind;
use crate::tree::{RunTree, TreeHasher, root};

/// Hash of a stage: length-prefixed kind, payload hash, number of parents, their hashes in order.
pub(crate) fn stage_hash(
    kind: &StageKind,
    payload: &PayloadHash,
    parents: &[StageHash],
) -> StageHash {
    let name = kind.as_str().as_bytes();
    let mut hasher = hash::STAGE.hasher();
    hasher.update(&(name.len() as u64).to_le_bytes());
    hasher.update(name);
    hasher.update(payload.as_bytes());
    hasher.update(&(parents.len() as u64).to_le_bytes());
    for parent in parents {
        hasher.update(parent.as_bytes());
    }
    StageHash::from_bytes(*hasher.finalize().as_bytes())
}

/// Hash of a payload's canonical JSON.
pub(crate) fn payload_hash(canonical: &[u8]) -> PayloadHash {
    PayloadHash::from_bytes(hash::PAYLOAD.digest(canonical))
}

/// What the order looks at.
pub(crate) struct Placed<'a> {
    pub(crate) kind: &'a StageKind,
    pub(crate) parents: &'a [usize],
    pub(crate) hash: StageHash,
}

/// Each stage's depth: 0 without parents, else one more than its deepest parent.
///
/// Parents must stand before their children; one that does not counts as depth 0.
fn depths(stages: &[Placed<'_>]) -> Vec<usize> {
    let mut depths: Vec<usize> = Vec::with_capacity(stages.len());
    for stage in stages {
        let deepest = stage.parents.iter().filter_map(|&p| depths.get(p)).max();
        depths.push(deepest.map_or(0, |d| d + 1));
    }
    depths
}

/// The canonical order: by depth, then kind (bytes), then stage hash. Topological, and the same
/// whatever order the stages were given in.
pub(crate) fn canonical_order(stages: &[Placed<'_>]) -> Vec<usize> {
    let depths = depths(stages);
    let mut order: Vec<usize> = (0..stages.len()).collect();
    order.sort_by_key(|&i| {
        (
            depths.get(i).copied(),
            stages.get(i).map(|s| (s.kind.as_str(), s.hash)),
        )
    });
    order
}

/// Two stages with one hash are one stage twice.
pub(crate) fn demand_distinct(shape: &str, stages: &[Placed<'_>]) -> Result<()> {
    let mut hashes: Vec<StageHash> = stages.iter().map(|s| s.hash).collect();
    hashes.sort_unstable();
    let twin = hashes.windows(2).find_map(|pair| match pair {
        [a, b] if a == b => stages.iter().find(|s| s.hash == *a),
        _ => None,
    });
    match twin {
        Some(stage) => Err(Error::Shape {
            shape: shape.to_owned(),
            stage: stage.kind.to_string(),
            problem: "doubled: the same payload with the same parents occurs twice".into(),
        }),
        None => Ok(()),
    }
}

/// Leaf hashes of stages in canonical order.
pub(crate) fn run_leaves(hashes: impl IntoIterator<Item = StageHash>) -> Vec<TreeHash> {
    hashes
        .into_iter()
        .map(|h| RunTree::leaf(h.as_bytes()))
        .collect()
}

/// The root over stages in canonical order.
pub(crate) fn run_root(hashes: impl IntoIterator<Item = StageHash>) -> RunRoot {
    RunRoot::from_bytes(*root::<RunTree>(&run_leaves(hashes)).as_bytes())
}
