//! Trees of the shape of RFC 6962 and RFC 9162, generic over the hash.
//!
//! A tree over n leaves splits at the largest power of two below n; leaves and inner nodes are
//! hashed in separate domains and no leaf is ever doubled, so no two leaf lists share a root.

mod consistency;
mod inclusion;
mod log;
mod subtree;

pub use consistency::{consistency_path, verify_consistency};
pub use inclusion::{inclusion_path, root_from_inclusion, verify_inclusion};
pub use log::MerkleLog;
pub use subtree::{is_subtree, verify_subtree_consistency, verify_subtree_inclusion};

use crate::hash::{self, TreeHash};

/// A hash function with separate domains for leaves, inner nodes and the empty tree.
pub trait TreeHasher {
    /// A node of the tree.
    type Hash: Clone + PartialEq + std::fmt::Debug;

    /// Root of the tree without leaves.
    fn empty() -> Self::Hash;

    /// Hash of a leaf with this data.
    fn leaf(data: &[u8]) -> Self::Hash;

    /// Hash of an inner node with these children.
    fn node(left: &Self::Hash, right: &Self::Hash) -> Self::Hash;
}

macro_rules! trees {
    ($($(#[$doc:meta])* $name:ident: $leaf:ident, $node:ident, $empty:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name {}

        impl TreeHasher for $name {
            type Hash = TreeHash;

            fn empty() -> TreeHash {
                TreeHash::from_bytes(hash::$empty.digest(b""))
            }

            fn leaf(data: &[u8]) -> TreeHash {
                TreeHash::from_bytes(hash::$leaf.digest(data))
            }

            fn node(left: &TreeHash, right: &TreeHash) -> TreeHash {
                let mut both = [0u8; 64];
                let (first, second) = both.split_at_mut(32);
                first.copy_from_slice(left.as_bytes());
                second.copy_from_slice(right.as_bytes());
                TreeHash::from_bytes(hash::$node.digest(&both))
            }
        }
    )*};
}

trees! {
    /// Stages of a run: leaf data is the stage hash.
    RunTree: RUN_LEAF, RUN_NODE, RUN_EMPTY;
    /// Evidence entries of a run: leaf data is the entry's canonical JSON.
    EvidenceTree: EVIDENCE_LEAF, EVIDENCE_NODE, EVIDENCE_EMPTY;
    /// Chunks of a document: leaf data is the chunk's bytes.
    DocumentTree: DOCUMENT_LEAF, DOCUMENT_NODE, DOCUMENT_EMPTY;
    /// Documents of a source: leaf data is the document root.
    SourceTree: SOURCE_LEAF, SOURCE_NODE, SOURCE_EMPTY;
    /// Sources of a corpus: leaf data is the source root.
    SnapshotTree: SNAPSHOT_LEAF, SNAPSHOT_NODE, SNAPSHOT_EMPTY;
    /// Events of an audit log: leaf data is the event hash.
    LogTree: LOG_LEAF, LOG_NODE, LOG_EMPTY;
}

/// The largest power of two below `n`, for n ≥ 2.
pub(crate) const fn split(n: u64) -> u64 {
    match n {
        0 | 1 => 0,
        _ => 1 << (63 - (n - 1).leading_zeros()),
    }
}

/// Root over leaf hashes in order (RFC 9162 §2.1.1). One pass, n − 1 node hashes, log n memory.
#[must_use]
pub fn root<H: TreeHasher>(leaves: &[H::Hash]) -> H::Hash {
    // Perfect subtrees by falling size, as a binary counter.
    let mut stack: Vec<(u32, H::Hash)> = Vec::new();
    for leaf in leaves {
        let mut height = 0;
        let mut hash = leaf.clone();
        while let Some((_, left)) = stack.pop_if(|(top, _)| *top == height) {
            hash = H::node(&left, &hash);
            height += 1;
        }
        stack.push((height, hash));
    }
    let Some((_, mut right)) = stack.pop() else {
        return H::empty();
    };
    while let Some((_, left)) = stack.pop() {
        right = H::node(&left, &right);
    }
    right
}

/// Root over leaf data in order.
#[must_use]
pub fn root_of_data<H: TreeHasher, D: AsRef<[u8]>>(data: &[D]) -> H::Hash {
    let leaves: Vec<H::Hash> = data.iter().map(|d| H::leaf(d.as_ref())).collect();
    root::<H>(&leaves)
}
