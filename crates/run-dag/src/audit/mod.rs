//! The audit log: a hash chain that is also a tree.
//!
//! Each event's hash covers the hash before it, so no event can be changed, removed or inserted
//! without breaking every later hash; and the event hashes are the leaves of a tree, so that
//! checkpoints (size, root) can be compared and events proved without the whole log.

pub(crate) mod chain;
mod checkpoint;
mod memory;
#[cfg(feature = "sign")]
mod note;

pub(crate) use chain::Verifier;
pub use chain::{LogBreak, LoggedEvent, NewEvent, Timestamp, origin_hash, verify_events};
pub use checkpoint::{Checkpoint, ConsistencyProof, EventProof};
pub use memory::MemoryAuditLog;
#[cfg(feature = "sign")]
pub use note::{NoteSigner, NoteVerifier, open_note, sign_note};

use crate::error::{Error, Result};
use crate::hash::{EventHash, LogRoot};
use crate::tree::{LogTree, MerkleLog, TreeHasher};

/// An append-only log of events. Object-safe and synchronous; shared between threads by reference.
///
/// A store has to give four things: its origin, an append, its length and its events in order. The
/// rest is computed from these, and may be overridden by what is faster.
///
/// # Laws
/// - `append` reads the head and writes the event as one step under a lock that all writers of the
///   store share, whatever process they live in; two events never name the same predecessor.
/// - An event that was returned by `append` is durable to the degree the store promises, and is
///   returned unchanged by every later `events`.
/// - Events are numbered from 0 without gaps.
///
/// The module `conformance` (feature `conformance`) checks them on any implementation.
pub trait AuditLog: Send + Sync {
    /// The log's name, fixed when it was made; the first event's hash covers it.
    ///
    /// # Errors
    /// [`Error::Backend`] when the store fails.
    fn origin(&self) -> Result<String>;

    /// Appends an event after the current head, atomically.
    ///
    /// # Errors
    /// [`Error::NulInText`] for texts that no store accepts; [`Error::Backend`] when the store fails.
    fn append(&self, event: NewEvent) -> Result<LoggedEvent>;

    /// Number of events.
    ///
    /// # Errors
    /// [`Error::Backend`] when the store fails.
    fn len(&self) -> Result<u64>;

    /// Up to `limit` events from number `from` on, in order.
    ///
    /// # Errors
    /// [`Error::Backend`] when the store fails.
    fn events(&self, from: u64, limit: usize) -> Result<Vec<LoggedEvent>>;

    /// Appends several events after one another. Stores may do it in one transaction.
    ///
    /// # Errors
    /// As [`AuditLog::append`]; what was appended before the error stays.
    fn append_all(&self, events: Vec<NewEvent>) -> Result<Vec<LoggedEvent>> {
        events.into_iter().map(|event| self.append(event)).collect()
    }

    /// Whether there is no event.
    ///
    /// # Errors
    /// As [`AuditLog::len`].
    fn is_empty(&self) -> Result<bool> {
        Ok(self.len()? == 0)
    }

    /// Event hashes from number `from` on, in order.
    ///
    /// # Errors
    /// As [`AuditLog::events`].
    fn event_hashes(&self, from: u64, limit: usize) -> Result<Vec<EventHash>> {
        Ok(self
            .events(from, limit)?
            .into_iter()
            .map(|e| e.event_hash)
            .collect())
    }

    /// The checkpoint over the first `size` events, or over all.
    ///
    /// # Errors
    /// [`Error::OutOfTree`] when there are fewer; [`Error::Backend`] when the store fails.
    fn checkpoint(&self, size: Option<u64>) -> Result<Checkpoint> {
        let size = match size {
            Some(size) => size,
            None => self.len()?,
        };
        let root = LogRoot::from_bytes(*tree(self, size)?.root().as_bytes());
        Ok(Checkpoint {
            origin: self.origin()?,
            size,
            root,
        })
    }

    /// Proves event `sequence` against the checkpoint of `size` events.
    ///
    /// # Errors
    /// [`Error::NewerThanCheckpoint`] when the event is not among the first `size`;
    /// [`Error::OutOfTree`] when there are fewer events than asked for.
    fn prove_event(&self, sequence: u64, size: u64) -> Result<EventProof> {
        if sequence >= size && sequence < self.len()? {
            return Err(Error::NewerThanCheckpoint {
                index: sequence,
                size,
            });
        }
        let path = tree(self, size)?.inclusion(sequence, size)?;
        let event = self.events(sequence, 1)?.into_iter().next();
        let event = event.ok_or(Error::OutOfTree {
            what: "leaf",
            index: sequence,
            size,
        })?;
        Ok(EventProof { event, size, path })
    }

    /// Proves that the checkpoint of `old` events is a prefix of that of `new`.
    ///
    /// # Errors
    /// [`Error::OutOfTree`] when `old` is 0 or above `new`, or there are fewer than `new` events.
    fn prove_consistency(&self, old: u64, new: u64) -> Result<ConsistencyProof> {
        let path = tree(self, new)?.consistency(old, new)?;
        Ok(ConsistencyProof {
            old_size: old,
            new_size: new,
            path,
        })
    }

    /// Recomputes the chain; the outer result is for stores that cannot be read.
    ///
    /// # Errors
    /// [`Error::LogBreak`] for the first break; [`Error::Backend`] when the store fails.
    fn verify(&self) -> Result<()> {
        let mut verifier = chain::Verifier::new(&self.origin()?);
        let mut from = 0;
        loop {
            let page = self.events(from, PAGE)?;
            if page.is_empty() {
                break;
            }
            from += page.len() as u64;
            for event in &page {
                verifier.next(event)?;
            }
        }
        if verifier.count() == self.len()? {
            return Ok(());
        }
        Err(Error::LogBreak(LogBreak::Missing {
            sequence: verifier.count(),
        }))
    }
}

/// How many events are read at a time.
const PAGE: usize = 4_096;

/// The tree over the first `size` events of a log.
fn tree<L: AuditLog + ?Sized>(log: &L, size: u64) -> Result<MerkleLog<LogTree>> {
    let mut tree = MerkleLog::default();
    while tree.len() < size {
        let want = usize::try_from(size - tree.len()).unwrap_or(PAGE).min(PAGE);
        let page = log.event_hashes(tree.len(), want)?;
        if page.is_empty() {
            return Err(Error::OutOfTree {
                what: "size",
                index: size,
                size: tree.len(),
            });
        }
        for hash in page {
            tree.push(LogTree::leaf(hash.as_bytes()));
        }
    }
    Ok(tree)
}
