//! Inclusion proofs (RFC 9162 §2.1.3).

use super::{TreeHasher, root, split};
use crate::error::{Error, Result};

/// The inclusion path of leaf `index`, from the leaf upwards (RFC 9162 §2.1.3.1).
///
/// Takes n − 1 node hashes; a [`MerkleLog`](super::MerkleLog) gives the same in log n.
///
/// # Errors
/// [`Error::OutOfTree`] when there is no such leaf.
pub fn inclusion_path<H: TreeHasher>(leaves: &[H::Hash], index: u64) -> Result<Vec<H::Hash>> {
    let size = leaves.len() as u64;
    if index >= size {
        return Err(Error::OutOfTree {
            what: "leaf",
            index,
            size,
        });
    }
    let mut path = Vec::new();
    let (mut rest, mut index) = (leaves, index);
    while rest.len() > 1 {
        let at = split(rest.len() as u64);
        let (left, right) = rest.split_at(usize::try_from(at).unwrap_or(rest.len()));
        if index < at {
            path.push(root::<H>(right));
            rest = left;
        } else {
            path.push(root::<H>(left));
            rest = right;
            index -= at;
        }
    }
    path.reverse();
    Ok(path)
}

/// The root that `path` gives for a leaf hash at `index` of a tree of `size` (RFC 9162 §2.1.3.2).
///
/// # Errors
/// [`Error::OutOfTree`] for an index outside the tree, [`Error::Proof`] for a path of wrong length.
pub fn root_from_inclusion<H: TreeHasher>(
    index: u64,
    size: u64,
    leaf: &H::Hash,
    path: &[H::Hash],
) -> Result<H::Hash> {
    if index >= size {
        return Err(Error::OutOfTree {
            what: "leaf",
            index,
            size,
        });
    }
    let (mut node, mut last) = (index, size - 1);
    let mut hash = leaf.clone();
    for sibling in path {
        if last == 0 {
            return Err(Error::Proof {
                reason: "the path is longer than the tree is high".into(),
            });
        }
        if node & 1 == 1 || node == last {
            hash = H::node(sibling, &hash);
            while node & 1 == 0 && node != 0 {
                node >>= 1;
                last >>= 1;
            }
        } else {
            hash = H::node(&hash, sibling);
        }
        node >>= 1;
        last >>= 1;
    }
    if last != 0 {
        return Err(Error::Proof {
            reason: "the path ends below the root".into(),
        });
    }
    Ok(hash)
}

/// Verifies that a leaf hash is at `index` in the tree of `size` with this root.
///
/// # Errors
/// As [`root_from_inclusion`]; [`Error::Proof`] when the path gives another root.
pub fn verify_inclusion<H: TreeHasher>(
    index: u64,
    size: u64,
    leaf: &H::Hash,
    path: &[H::Hash],
    root: &H::Hash,
) -> Result<()> {
    if root_from_inclusion::<H>(index, size, leaf, path)? == *root {
        return Ok(());
    }
    Err(Error::Proof {
        reason: format!("leaf {index} of {size} gives another root"),
    })
}
