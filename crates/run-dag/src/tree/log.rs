//! An append-only tree in memory that answers for any of its sizes.

use super::{TreeHasher, root, split};
use crate::error::{Error, Result};

/// A growing tree: appends in amortised one node hash, proves at any size in O(log n) look-ups
/// and O(log n) node hashes. Keeps about two hashes a leaf.
#[derive(Clone, Debug)]
pub struct MerkleLog<H: TreeHasher> {
    /// `levels[k][i]` is the perfect subtree over leaves `i·2^k .. (i+1)·2^k`.
    levels: Vec<Vec<H::Hash>>,
}

impl<H: TreeHasher> Default for MerkleLog<H> {
    fn default() -> Self {
        Self { levels: Vec::new() }
    }
}

impl<H: TreeHasher> FromIterator<H::Hash> for MerkleLog<H> {
    fn from_iter<I: IntoIterator<Item = H::Hash>>(leaves: I) -> Self {
        let mut log = Self::default();
        for leaf in leaves {
            log.push(leaf);
        }
        log
    }
}

impl<H: TreeHasher> MerkleLog<H> {
    /// Number of leaves.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.levels.first().map_or(0, |leaves| leaves.len() as u64)
    }

    /// Whether there is no leaf.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Appends a leaf hash.
    pub fn push(&mut self, leaf: H::Hash) {
        let mut hash = leaf;
        for level in 0.. {
            if level == self.levels.len() {
                self.levels.push(Vec::new());
            }
            let Some(row) = self.levels.get_mut(level) else {
                return;
            };
            row.push(hash);
            hash = match row.as_slice() {
                [.., left, right] if row.len().is_multiple_of(2) => H::node(left, right),
                _ => return,
            };
        }
    }

    /// The leaf hash at `index`.
    #[must_use]
    pub fn leaf(&self, index: u64) -> Option<&H::Hash> {
        self.levels.first()?.get(usize::try_from(index).ok()?)
    }

    /// The root over the first `size` leaves.
    ///
    /// # Errors
    /// [`Error::OutOfTree`] when there are fewer.
    pub fn root_at(&self, size: u64) -> Result<H::Hash> {
        self.demand(size)?;
        Ok(self.range(0, size))
    }

    /// The root over all leaves.
    #[must_use]
    pub fn root(&self) -> H::Hash {
        self.range(0, self.len())
    }

    /// The inclusion path of leaf `index` in the tree of the first `size` leaves.
    ///
    /// # Errors
    /// [`Error::NewerThanCheckpoint`] when the leaf exists and is not among the first `size`;
    /// [`Error::OutOfTree`] when there are fewer leaves than asked for.
    pub fn inclusion(&self, index: u64, size: u64) -> Result<Vec<H::Hash>> {
        self.demand(size)?;
        if index >= self.len() {
            return Err(Error::OutOfTree {
                what: "leaf",
                index,
                size: self.len(),
            });
        }
        if index >= size {
            return Err(Error::NewerThanCheckpoint { index, size });
        }
        let mut path = Vec::new();
        let (mut start, mut end) = (0, size);
        while end - start > 1 {
            let middle = start + split(end - start);
            if index < middle {
                path.push(self.range(middle, end));
                end = middle;
            } else {
                path.push(self.range(start, middle));
                start = middle;
            }
        }
        path.reverse();
        Ok(path)
    }

    /// The proof that the first `old` leaves are a prefix of the first `new`.
    ///
    /// # Errors
    /// [`Error::OutOfTree`] when `old` is 0, above `new`, or `new` is above the number of leaves.
    pub fn consistency(&self, old: u64, new: u64) -> Result<Vec<H::Hash>> {
        self.demand(new)?;
        if old == 0 || old > new {
            return Err(Error::OutOfTree {
                what: "size",
                index: old,
                size: new,
            });
        }
        let mut path = Vec::new();
        let (mut start, mut end, mut whole) = (0, new, true);
        while old < end {
            let middle = start + split(end - start);
            if old <= middle {
                path.push(self.range(middle, end));
                end = middle;
            } else {
                path.push(self.range(start, middle));
                start = middle;
                whole = false;
            }
        }
        if !whole {
            path.push(self.range(start, end));
        }
        path.reverse();
        Ok(path)
    }

    fn demand(&self, size: u64) -> Result<()> {
        if size <= self.len() {
            return Ok(());
        }
        Err(Error::OutOfTree {
            what: "size",
            index: size,
            size: self.len(),
        })
    }

    /// Root over `start..end`, where `start` is a multiple of the power of two at or above the size.
    fn range(&self, start: u64, end: u64) -> H::Hash {
        let mut parts = Vec::new();
        let mut at = start;
        while at < end {
            let height = (end - at)
                .ilog2()
                .min(if at == 0 { 63 } else { at.trailing_zeros() });
            let row = self.levels.get(height as usize);
            let Some(hash) = row.and_then(|r| r.get(usize::try_from(at >> height).ok()?)) else {
                break;
            };
            parts.push(hash.clone());
            at += 1 << height;
        }
        let Some(mut right) = parts.pop() else {
            return root::<H>(&[]);
        };
        while let Some(left) = parts.pop() {
            right = H::node(&left, &right);
        }
        right
    }
}
