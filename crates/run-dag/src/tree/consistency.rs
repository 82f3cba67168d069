//! Consistency proofs (RFC 9162 §2.1.4).

use super::{TreeHasher, root, split, subtree};
use crate::error::{Error, Result};

/// The proof that the first `old` leaves are a prefix of `leaves` (RFC 9162 §2.1.4.1).
///
/// Empty when `old` equals the number of leaves.
///
/// # Errors
/// [`Error::OutOfTree`] when `old` is 0 (every tree extends the empty one: there is nothing to
/// prove) or more than there are leaves.
pub fn consistency_path<H: TreeHasher>(leaves: &[H::Hash], old: u64) -> Result<Vec<H::Hash>> {
    let size = leaves.len() as u64;
    if old == 0 || old > size {
        return Err(Error::OutOfTree {
            what: "size",
            index: old,
            size,
        });
    }
    let mut path = Vec::new();
    let (mut rest, mut old, mut whole) = (leaves, old, true);
    while old < rest.len() as u64 {
        let at = split(rest.len() as u64);
        let (left, right) = rest.split_at(usize::try_from(at).unwrap_or(rest.len()));
        if old <= at {
            path.push(root::<H>(right));
            rest = left;
        } else {
            path.push(root::<H>(left));
            rest = right;
            old -= at;
            whole = false;
        }
    }
    // Below the split path lies a subtree of the old tree: known to the verifier only if whole.
    if !whole {
        path.push(root::<H>(rest));
    }
    path.reverse();
    Ok(path)
}

/// Verifies that the tree of `old_size` leaves is a prefix of the tree of `new_size` (RFC 9162 §2.1.4.2).
///
/// # Errors
/// [`Error::OutOfTree`] when `old_size` is 0 or more than `new_size`; [`Error::Proof`] when the path
/// has the wrong length or gives another root.
pub fn verify_consistency<H: TreeHasher>(
    old_size: u64,
    new_size: u64,
    path: &[H::Hash],
    old_root: &H::Hash,
    new_root: &H::Hash,
) -> Result<()> {
    if old_size == 0 || old_size > new_size {
        return Err(Error::OutOfTree {
            what: "size",
            index: old_size,
            size: new_size,
        });
    }
    subtree::verify_subtree_consistency::<H>(0, old_size, new_size, path, old_root, new_root)
}
