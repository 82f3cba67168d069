//! The account of a run of the executor.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Fate, Skipped};

/// A source that could not be ingested; it stays unfinished and is tried again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailedSource {
    /// The source.
    pub source: String,
    /// Why.
    pub reason: String,
}

/// What the executor did.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct DrainReport {
    /// Sources brought to their end.
    pub sources: usize,
    /// Of these, sources whose files were gone.
    pub gone: usize,
    /// Chunks looked at.
    pub chunks: usize,
    /// Chunks that entered the dictionary or were in it.
    pub held: usize,
    /// Chunks that the validator refused, by its first reason.
    pub rejected: BTreeMap<String, usize>,
    /// Chunks in which the embedder sees nothing.
    pub nothing_to_embed: usize,
    /// Chunks that another entry makes superfluous.
    pub duplicates: usize,
    /// Entries that had to make room, by tier. They count as held before.
    pub pruned: BTreeMap<String, usize>,
    /// Entries removed because their source changed or is gone.
    pub superseded: usize,
    /// Sources opened again because the entry that made theirs a duplicate was removed.
    pub reopened: usize,
    /// Sources that failed.
    pub failed: Vec<FailedSource>,
    /// Parts of files that readers passed over.
    pub skipped: Vec<Skipped>,
}

impl DrainReport {
    pub(super) fn count(&mut self, fate: &Fate) {
        match fate {
            Fate::Held => self.held += 1,
            Fate::Rejected { reasons } => {
                let first = reasons.first().cloned().unwrap_or_default();
                *self.rejected.entry(first).or_default() += 1;
            }
            Fate::NothingToEmbed => self.nothing_to_embed += 1,
            Fate::Duplicate { .. } => self.duplicates += 1,
            Fate::Pruned { tier } => {
                *self.pruned.entry(tier.name().to_owned()).or_default() += 1;
            }
            Fate::Validated | Fate::Purged { .. } => {}
        }
    }

    /// Adds the account of another run.
    pub fn merge(&mut self, other: Self) {
        self.sources += other.sources;
        self.gone += other.gone;
        self.chunks += other.chunks;
        self.held += other.held;
        self.nothing_to_embed += other.nothing_to_embed;
        self.duplicates += other.duplicates;
        self.superseded += other.superseded;
        self.reopened += other.reopened;
        for (mine, theirs) in [
            (&mut self.rejected, other.rejected),
            (&mut self.pruned, other.pruned),
        ] {
            for (key, n) in theirs {
                *mine.entry(key).or_default() += n;
            }
        }
        self.failed.extend(other.failed);
        self.skipped.extend(other.skipped);
    }
}
