//! How far each source has come on its way into a dictionary, so that ingestion can resume.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};

use crate::Error;

/// The steps of a source, in order. A source may skip steps, never go back under one digest.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum IngestStep {
    /// A sweep found it.
    #[default]
    Swept,
    /// It was cut; the ids of its chunks are known.
    Chunked,
    /// Its chunks were validated; the ids are those that passed.
    Validated,
    /// Its chunks were embedded.
    Embedded,
    /// Its chunks are in the index, and what earlier contents left there is gone.
    Inserted,
    /// Its chunks were copied to the specialists: nothing is left to do.
    Done,
}

impl IngestStep {
    /// All steps, in order.
    pub const ALL: [Self; 6] = [
        Self::Swept,
        Self::Chunked,
        Self::Validated,
        Self::Embedded,
        Self::Inserted,
        Self::Done,
    ];

    /// The name on the wire and in stores.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Swept => "swept",
            Self::Chunked => "chunked",
            Self::Validated => "validated",
            Self::Embedded => "embedded",
            Self::Inserted => "inserted",
            Self::Done => "done",
        }
    }
}

/// What the log knows of a source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IngestRecord {
    /// The source, such as a file's path below the folder that is swept.
    pub source: String,
    /// Digest of whatever makes it necessary to ingest it anew: its bytes, and the settings of
    /// chunker and embedder.
    pub digest: String,
    /// The last step that is complete.
    pub step: IngestStep,
    /// The entries that it gives, in the order given.
    pub chunk_ids: Vec<String>,
    /// Entries of earlier contents that may still be in the index, sorted. Whoever reports
    /// [`IngestStep::Inserted`] has removed them (those that are not in `chunk_ids`).
    pub superseded: Vec<String>,
    /// Why the step after `step` failed, if it did. The next step that succeeds clears it.
    pub failure: Option<String>,
}

/// A record of ingestion. Synchronous and object-safe; shared between threads by reference.
///
/// Laws, checked by the suite behind the feature `conformance`:
/// - [`begin`](Self::begin) under the digest that is recorded changes nothing, so that a second
///   sweep resumes where the first one stopped; under another digest it starts the source anew and
///   keeps its former entries in [`IngestRecord::superseded`];
/// - [`advance`](Self::advance) to a step at or behind the recorded one changes nothing;
/// - a write under a digest that is not the recorded one is refused, so that a slow worker cannot
///   overwrite what a later sweep began;
/// - a write is whole or not at all; records are listed in the byte order of their sources; text
///   comes back byte for byte, U+0000 is refused.
pub trait IngestLog: Send + Sync {
    /// The record of a source.
    ///
    /// # Errors
    /// [`Error::Backend`] if the store fails.
    fn get(&self, source: &str) -> Result<Option<IngestRecord>, Error>;

    /// Begins a source, or takes it up again; returns its record as it now stands.
    ///
    /// # Errors
    /// [`Error::InvalidSetting`] for an empty source or digest or U+0000; the store's failure.
    fn begin(&self, source: &str, digest: &str) -> Result<IngestRecord, Error>;

    /// Begins sources in order, as [`begin`](Self::begin) does each, and says how many records
    /// changed. A store that can makes one write of it; a failure may leave some begun.
    ///
    /// # Errors
    /// As [`begin`](Self::begin).
    fn begin_many(&self, sources: &[(String, String)]) -> Result<usize, Error> {
        let mut changed = 0;
        for (source, digest) in sources {
            let before = self.get(source)?;
            changed += usize::from(before.as_ref() != Some(&self.begin(source, digest)?));
        }
        Ok(changed)
    }

    /// Reports a step as complete, with the source's chunk ids where the step settles them, and
    /// says whether anything changed. [`IngestStep::Inserted`] and later empty `superseded`.
    ///
    /// # Errors
    /// [`Error::StaleIngest`] for a source that was not begun under this digest;
    /// [`Error::InvalidSetting`] for ids with U+0000; the store's failure.
    fn advance(
        &self,
        source: &str,
        digest: &str,
        step: IngestStep,
        chunk_ids: Option<&[String]>,
    ) -> Result<bool, Error>;

    /// Reports that the step after the recorded one failed, and why. The step stays.
    ///
    /// # Errors
    /// As [`advance`](Self::advance).
    fn fail(&self, source: &str, digest: &str, reason: &str) -> Result<(), Error>;

    /// Forgets a source whose entries were removed, and returns what was known of it.
    ///
    /// # Errors
    /// [`Error::Backend`] if the store fails.
    fn forget(&self, source: &str) -> Result<Option<IngestRecord>, Error>;

    /// At most `limit` records with sources after `after` in byte order (from the first when
    /// `None`); with `unfinished`, only those that are not [`IngestStep::Done`].
    ///
    /// # Errors
    /// [`Error::Backend`] if the store fails.
    fn page(
        &self,
        unfinished: bool,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<IngestRecord>, Error>;
}

/// How every log checks its input and changes a record, in one place, so that all agree.
pub mod ingest_rules {
    use super::{IngestRecord, IngestStep};
    use crate::Error;

    /// Checks a text.
    ///
    /// # Errors
    /// [`Error::InvalidSetting`] when it holds U+0000, or is empty where it may not be.
    pub fn check_text(what: &str, text: &str, may_be_empty: bool) -> Result<(), Error> {
        if text.contains('\0') || (text.is_empty() && !may_be_empty) {
            let shown: String = text.chars().take(40).collect();
            let accepted = if may_be_empty {
                "text without U+0000"
            } else {
                "at least one character, none of them U+0000"
            };
            return Err(Error::setting(what, format!("{shown:?}"), accepted));
        }
        Ok(())
    }

    /// The record after [`begin`](super::IngestLog::begin), and whether it differs from before.
    ///
    /// # Errors
    /// [`Error::InvalidSetting`].
    pub fn begin(
        existing: Option<IngestRecord>,
        source: &str,
        digest: &str,
    ) -> Result<(IngestRecord, bool), Error> {
        check_text("a source", source, false)?;
        check_text("a digest", digest, false)?;
        let mut superseded = Vec::new();
        if let Some(old) = existing {
            if old.digest == digest {
                return Ok((old, false));
            }
            superseded = old.superseded;
            superseded.extend(old.chunk_ids);
            superseded.sort_unstable();
            superseded.dedup();
        }
        let record = IngestRecord {
            source: source.to_owned(),
            digest: digest.to_owned(),
            step: IngestStep::Swept,
            chunk_ids: Vec::new(),
            superseded,
            failure: None,
        };
        Ok((record, true))
    }

    /// Changes a record as [`advance`](super::IngestLog::advance) does; whether it changed.
    ///
    /// # Errors
    /// [`Error::StaleIngest`], [`Error::InvalidSetting`].
    pub fn advance(
        record: Option<&mut IngestRecord>,
        source: &str,
        digest: &str,
        step: IngestStep,
        chunk_ids: Option<&[String]>,
    ) -> Result<bool, Error> {
        for id in chunk_ids.unwrap_or_default() {
            check_text("a chunk id", id, false)?;
        }
        let record = current(record, source, digest)?;
        if step <= record.step {
            return Ok(false);
        }
        record.step = step;
        record.failure = None;
        if let Some(ids) = chunk_ids {
            record.chunk_ids = ids.to_vec();
        }
        if step >= IngestStep::Inserted {
            record.superseded.clear();
        }
        Ok(true)
    }

    /// Starts a record anew under the digest that it has: what it gave is superseded until it
    /// gives it again.
    pub fn reopen(record: Option<&mut IngestRecord>) {
        if let Some(record) = record {
            record.superseded.append(&mut record.chunk_ids);
            record.superseded.sort_unstable();
            record.superseded.dedup();
            record.step = IngestStep::Swept;
            record.failure = None;
        }
    }

    /// Changes a record as [`fail`](super::IngestLog::fail) does.
    ///
    /// # Errors
    /// [`Error::StaleIngest`], [`Error::InvalidSetting`].
    pub fn fail(
        record: Option<&mut IngestRecord>,
        source: &str,
        digest: &str,
        reason: &str,
    ) -> Result<(), Error> {
        check_text("a reason", reason, true)?;
        current(record, source, digest)?.failure = Some(reason.to_owned());
        Ok(())
    }

    fn current<'a>(
        record: Option<&'a mut IngestRecord>,
        source: &str,
        digest: &str,
    ) -> Result<&'a mut IngestRecord, Error> {
        match record {
            Some(record) if record.digest == digest => Ok(record),
            other => Err(Error::StaleIngest {
                source_id: source.to_owned(),
                digest: digest.to_owned(),
                recorded: other.map(|r| r.digest.clone()),
            }),
        }
    }
}

/// An [`IngestLog`] in memory.
#[derive(Debug, Default)]
pub struct MemoryIngestLog {
    records: Mutex<BTreeMap<String, IngestRecord>>,
}

impl MemoryIngestLog {
    /// An empty log.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    pub(super) fn records(&self) -> MutexGuard<'_, BTreeMap<String, IngestRecord>> {
        self.records.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl IngestLog for MemoryIngestLog {
    fn get(&self, source: &str) -> Result<Option<IngestRecord>, Error> {
        Ok(self.records().get(source).cloned())
    }

    fn begin(&self, source: &str, digest: &str) -> Result<IngestRecord, Error> {
        let mut records = self.records();
        let (record, changed) = ingest_rules::begin(records.get(source).cloned(), source, digest)?;
        if changed {
            records.insert(source.to_owned(), record.clone());
        }
        Ok(record)
    }

    fn advance(
        &self,
        source: &str,
        digest: &str,
        step: IngestStep,
        chunk_ids: Option<&[String]>,
    ) -> Result<bool, Error> {
        let mut records = self.records();
        ingest_rules::advance(records.get_mut(source), source, digest, step, chunk_ids)
    }

    fn fail(&self, source: &str, digest: &str, reason: &str) -> Result<(), Error> {
        ingest_rules::fail(self.records().get_mut(source), source, digest, reason)
    }

    fn forget(&self, source: &str) -> Result<Option<IngestRecord>, Error> {
        Ok(self.records().remove(source))
    }

    fn page(
        &self,
        unfinished: bool,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<IngestRecord>, Error> {
        let start = after.map_or(Bound::Unbounded, Bound::Excluded);
        Ok(self
            .records()
            .range::<str, _>((start, Bound::Unbounded))
            .map(|(_, record)| record)
            .filter(|r| !unfinished || r.step < IngestStep::Done)
            .take(limit)
            .cloned()
            .collect())
    }
}
