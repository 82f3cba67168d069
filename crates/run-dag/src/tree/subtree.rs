//! Proofs about a subtree `[start, end)` of a tree, as drafted for Merkle tree certificates
//! (draft-ietf-plants-merkle-tree-certs, "Subtrees"). With `start` 0 they are those of RFC 9162.

use super::{TreeHasher, verify_inclusion};
use crate::error::{Error, Result};

/// Whether `[start, end)` is a subtree: `start` is a multiple of the power of two at or above its size.
#[must_use]
pub fn is_subtree(start: u64, end: u64) -> bool {
    start < end
        && (end - start)
            .checked_next_power_of_two()
            .is_some_and(|size| start.is_multiple_of(size))
}

fn demand_subtree(start: u64, end: u64) -> Result<()> {
    if is_subtree(start, end) {
        return Ok(());
    }
    Err(Error::Proof {
        reason: format!("[{start}, {end}) is not a subtree"),
    })
}

/// Verifies that a leaf hash is at `index` (counted in the whole tree) in the subtree with this root.
///
/// # Errors
/// [`Error::Proof`] when the range is no subtree, or as [`verify_inclusion`].
pub fn verify_subtree_inclusion<H: TreeHasher>(
    index: u64,
    start: u64,
    end: u64,
    leaf: &H::Hash,
    path: &[H::Hash],
    subtree_root: &H::Hash,
) -> Result<()> {
    demand_subtree(start, end)?;
    let inside = index.checked_sub(start).ok_or(Error::OutOfTree {
        what: "leaf",
        index,
        size: end,
    })?;
    verify_inclusion::<H>(inside, end - start, leaf, path, subtree_root)
}

/// Verifies that the subtree `[start, end)` with `subtree_root` is part of the tree of `size`.
///
/// The empty range is part of every tree: its root is the empty tree's and its path is empty.
///
/// # Errors
/// [`Error::Proof`] when the range is no subtree of the tree, or the path has the wrong length or
/// gives another root.
pub fn verify_subtree_consistency<H: TreeHasher>(
    start: u64,
    end: u64,
    size: u64,
    path: &[H::Hash],
    subtree_root: &H::Hash,
    root: &H::Hash,
) -> Result<()> {
    if end > size {
        return Err(Error::OutOfTree {
            what: "size",
            index: end,
            size,
        });
    }
    if start == end && path.is_empty() && *subtree_root == H::empty() {
        return Ok(());
    }
    demand_subtree(start, end)?;
    let (mut first, mut node, mut last) = (start, end - 1, size - 1);
    // Climb to where the subtree's right edge leaves the edge of the whole tree.
    let at_edge = node == last;
    while first != node && (at_edge || node & 1 == 1) {
        first >>= 1;
        node >>= 1;
        last >>= 1;
    }
    let mut rest = path.iter();
    let seed = if first == node {
        subtree_root
    } else {
        rest.next().ok_or_else(too_short)?
    };
    let (mut small, mut large) = (seed.clone(), seed.clone());
    for sibling in rest {
        if last == 0 {
            return Err(Error::Proof {
                reason: "the path is longer than the tree is high".into(),
            });
        }
        if node & 1 == 1 || node == last {
            if first < node {
                small = H::node(sibling, &small);
            }
            large = H::node(sibling, &large);
            while node & 1 == 0 && node != 0 {
                first >>= 1;
                node >>= 1;
                last >>= 1;
            }
        } else {
            large = H::node(&large, sibling);
        }
        first >>= 1;
        node >>= 1;
        last >>= 1;
    }
    if last != 0 {
        return Err(too_short());
    }
    match (small == *subtree_root, large == *root) {
        (true, true) => Ok(()),
        (false, _) => Err(Error::Proof {
            reason: "the path gives another old root".into(),
        }),
        (true, false) => Err(Error::Proof {
            reason: "the path gives another new root".into(),
        }),
    }
}

fn too_short() -> Error {
    Error::Proof {
        reason: "the path ends below the root".into(),
    }
}
