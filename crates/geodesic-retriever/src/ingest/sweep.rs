//! Finding the sources below a folder, and what has changed since the last time.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::read::{Found, list, read_bytes};
use crate::{Error, IngestLog, Progress, ReadOptions, SkipReason, Skipped, Stage};

/// The digest that a source is begun under when its file is gone.
pub(super) const GONE: &str = "gone";

/// What a sweep found.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SweepReport {
    /// Files seen, the skipped ones included.
    pub files_seen: usize,
    /// Files that can be read.
    pub sources: usize,
    /// Their bytes.
    pub bytes: u64,
    /// Sources that are new, or whose bytes or settings changed.
    pub begun: usize,
    /// Sources of the log whose files are gone: their entries will be removed.
    pub gone: usize,
    /// Files that were skipped, in the order of their paths.
    pub skipped: Vec<Skipped>,
}

impl SweepReport {
    /// How often each reason for skipping occurred.
    #[must_use]
    pub fn reasons(&self) -> BTreeMap<&'static str, usize> {
        let mut counts = BTreeMap::new();
        for s in &self.skipped {
            *counts.entry(s.reason.name()).or_default() += 1;
        }
        counts
    }
}

/// Files read at a time, and records of the log looked at in one page.
const BATCH: usize = 256;

/// The digest of a source: of its bytes and of the settings that its entries depend on.
pub(super) fn digest(settings: &str, bytes: &[u8]) -> String {
    let mut hash = blake3::Hasher::new_derive_key("candor 2026 geodesic-retriever source");
    hash.update(&(settings.len() as u64).to_le_bytes());
    hash.update(settings.as_bytes());
    hash.update(bytes);
    hash.finalize().to_hex().to_string()
}

/// Enters a folder's files into the log.
pub(super) fn sweep(
    folder: &Path,
    read: &ReadOptions,
    settings: &str,
    log: &dyn IngestLog,
    progress: &mut dyn FnMut(Progress),
) -> Result<SweepReport, Error> {
    std::fs::read_dir(folder).map_err(|e| Error::io(folder, &e))?;
    let found = list(folder, read, progress);
    let mut report = SweepReport {
        files_seen: found.len(),
        ..SweepReport::default()
    };
    let mut sources = Vec::new();
    let mut done = 0;
    for batch in found.chunks(BATCH) {
        let look = |file: &Found| -> Result<(u64, String), SkipReason> {
            if file.id.contains('\0') {
                return Err(SkipReason::Malformed {
                    what: "U+0000 in its name".into(),
                });
            }
            let bytes = read_bytes(file, read)?;
            Ok((bytes.len() as u64, digest(settings, &bytes)))
        };
        let looks: Vec<_> = batch.par_iter().map(look).collect();
        for (file, look) in batch.iter().zip(looks) {
            match look {
                Ok((bytes, digest)) => {
                    report.bytes += bytes;
                    sources.push((file.id.clone(), digest));
                }
                Err(reason) => report.skipped.push(Skipped {
                    path: file.id.clone(),
                    reason,
                }),
            }
        }
        done += batch.len();
        progress(Progress {
            stage: Stage::Read,
            done,
            total: Some(found.len()),
        });
    }
    report.sources = sources.len();
    let there: BTreeSet<&str> = sources.iter().map(|(s, _)| s.as_str()).collect();
    let gone = vanished(log, &there)?;
    report.gone = gone.len();
    drop(there);
    sources.extend(gone);
    report.begun = log.begin_many(&sources)?.saturating_sub(report.gone);
    tracing::info!(
        sources = report.sources,
        begun = report.begun,
        gone = report.gone,
        skipped = report.skipped.len(),
        "folder swept"
    );
    Ok(report)
}

/// Sources of the log that a folder no longer holds.
fn vanished(log: &dyn IngestLog, there: &BTreeSet<&str>) -> Result<Vec<(String, String)>, Error> {
    let mut gone = Vec::new();
    let mut after: Option<String> = None;
    loop {
        let page = log.page(false, after.as_deref(), BATCH)?;
        let Some(last) = page.last() else {
            return Ok(gone);
        };
        after = Some(last.source.clone());
        let missing = page
            .into_iter()
            .filter(|r| !there.contains(r.source.as_str()));
        gone.extend(missing.map(|r| (r.source, GONE.to_owned())));
    }
}
