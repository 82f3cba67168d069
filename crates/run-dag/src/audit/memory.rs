//! A log in memory.

use super::chain::{LoggedEvent, NewEvent, origin_hash};
use super::checkpoint::{Checkpoint, ConsistencyProof, EventProof};
use super::{AuditLog, Verifier};
use crate::error::{Error, Result};
use crate::hash::LogRoot;
use crate::tree::{LogTree, MerkleLog, TreeHasher};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// An [`AuditLog`] in memory; proofs take O(log n).
#[derive(Debug)]
pub struct MemoryAuditLog {
    origin: String,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    events: Vec<LoggedEvent>,
    tree: MerkleLog<LogTree>,
}

impl MemoryAuditLog {
    /// An empty log of this name.
    #[must_use]
    pub fn new(origin: impl Into<String>) -> Self {
        Self {
            origin: origin.into(),
            state: Mutex::default(),
        }
    }

    /// A log that holds these events already.
    ///
    /// # Errors
    /// [`Error::LogBreak`] when they are not a chain from this origin.
    pub fn from_events(origin: impl Into<String>, events: Vec<LoggedEvent>) -> Result<Self> {
        let origin = origin.into();
        let mut verifier = Verifier::new(&origin);
        let mut tree = MerkleLog::default();
        for event in &events {
            verifier.next(event)?;
            tree.push(LogTree::leaf(event.event_hash.as_bytes()));
        }
        Ok(Self {
            origin,
            state: Mutex::new(State { events, tree }),
        })
    }

    /// The state; a panic elsewhere while it was locked cannot have left it half written, since an
    /// event is complete before it is pushed.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl AuditLog for MemoryAuditLog {
    fn origin(&self) -> Result<String> {
        Ok(self.origin.clone())
    }

    fn append(&self, event: NewEvent) -> Result<LoggedEvent> {
        let mut state = self.state();
        let previous = state
            .events
            .last()
            .map_or_else(|| origin_hash(&self.origin), |e| e.event_hash);
        let logged = LoggedEvent::following(previous, state.events.len() as u64, event)?;
        state.tree.push(LogTree::leaf(logged.event_hash.as_bytes()));
        state.events.push(logged.clone());
        Ok(logged)
    }

    fn len(&self) -> Result<u64> {
        Ok(self.state().events.len() as u64)
    }

    fn events(&self, from: u64, limit: usize) -> Result<Vec<LoggedEvent>> {
        let from = usize::try_from(from).unwrap_or(usize::MAX);
        Ok(self
            .state()
            .events
            .iter()
            .skip(from)
            .take(limit)
            .cloned()
            .collect())
    }

    fn checkpoint(&self, size: Option<u64>) -> Result<Checkpoint> {
        let state = self.state();
        let size = size.unwrap_or_else(|| state.tree.len());
        let root = LogRoot::from_bytes(*state.tree.root_at(size)?.as_bytes());
        Ok(Checkpoint {
            origin: self.origin.clone(),
            size,
            root,
        })
    }

    fn prove_event(&self, sequence: u64, size: u64) -> Result<EventProof> {
        let state = self.state();
        let path = state.tree.inclusion(sequence, size)?;
        let place = usize::try_from(sequence).ok();
        let event = place.and_then(|i| state.events.get(i)).cloned();
        let event = event.ok_or(Error::OutOfTree {
            what: "leaf",
            index: sequence,
            size,
        })?;
        Ok(EventProof { event, size, path })
    }

    fn prove_consistency(&self, old: u64, new: u64) -> Result<ConsistencyProof> {
        let path = self.state().tree.consistency(old, new)?;
        Ok(ConsistencyProof {
            old_size: old,
            new_size: new,
            path,
        })
    }
}
