//! Checkpoints and proofs against them.

use super::chain::LoggedEvent;
use crate::error::{Error, Result};
use crate::hash::{LogRoot, TreeHash};
use crate::tree::{LogTree, TreeHasher, verify_consistency, verify_inclusion};
use serde::{Deserialize, Serialize};

/// What a log commits to at one moment: its name, its size and its root.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Checkpoint {
    /// The log's name.
    pub origin: String,
    /// Number of events covered.
    pub size: u64,
    /// Root over their hashes.
    pub root: LogRoot,
}

/// That an event is in the log of a checkpoint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EventProof {
    /// The event.
    pub event: LoggedEvent,
    /// Size of the checkpoint it is proved against.
    pub size: u64,
    /// Inclusion path, from the leaf upwards.
    pub path: Vec<TreeHash>,
}

/// That one checkpoint's log is a prefix of another's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConsistencyProof {
    /// Size of the older checkpoint.
    pub old_size: u64,
    /// Size of the newer one.
    pub new_size: u64,
    /// The path.
    pub path: Vec<TreeHash>,
}

fn node(root: &LogRoot) -> TreeHash {
    TreeHash::from_bytes(*root.as_bytes())
}

impl Checkpoint {
    /// Verifies that an event was in the log when this checkpoint was made.
    ///
    /// # Errors
    /// [`Error::NewerThanCheckpoint`] for an event appended later; [`Error::Proof`] when the proof
    /// is for another size or does not verify.
    pub fn verify_event(&self, proof: &EventProof) -> Result<()> {
        let index = u64::try_from(proof.event.sequence.get()).map_err(|_| Error::Proof {
            reason: "the event's number is negative".into(),
        })?;
        if index >= self.size {
            return Err(Error::NewerThanCheckpoint {
                index,
                size: self.size,
            });
        }
        if proof.size != self.size {
            let reason = format!("it is for {} events, not {}", proof.size, self.size);
            return Err(Error::Proof { reason });
        }
        if proof.event.recomputed()? != proof.event.event_hash {
            return Err(Error::Proof {
                reason: "the event's contents give another hash".into(),
            });
        }
        let leaf = LogTree::leaf(proof.event.event_hash.as_bytes());
        verify_inclusion::<LogTree>(index, self.size, &leaf, &proof.path, &node(&self.root))
    }

    /// Verifies that `older` is a checkpoint of the same log at an earlier moment.
    ///
    /// # Errors
    /// [`Error::WrongOrigin`] for another log; [`Error::Proof`] when the proof is for other sizes or
    /// does not verify.
    pub fn verify_extends(&self, older: &Checkpoint, proof: &ConsistencyProof) -> Result<()> {
        if self.origin != older.origin {
            return Err(Error::WrongOrigin {
                found: older.origin.clone(),
                expected: self.origin.clone(),
            });
        }
        if (proof.old_size, proof.new_size) != (older.size, self.size) {
            return Err(Error::Proof {
                reason: "it is for checkpoints of other sizes".into(),
            });
        }
        let (old, new) = (node(&older.root), node(&self.root));
        verify_consistency::<LogTree>(older.size, self.size, &proof.path, &old, &new)
    }
}
