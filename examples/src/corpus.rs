//! A folder as a corpus, with what was skipped said once.

use std::path::Path;
use std::sync::Arc;

use geodesic_retriever::{ChunkOptions, Chunker, Corpus, Progress, ReadOptions, read_folder};

use crate::cli::{Failure, note};

/// Reads a folder and cuts its documents into passages; says on stderr what was skipped and why.
///
/// # Errors
/// A folder that is not there or holds nothing that can be read.
pub fn open(folder: &Path, progress: &mut dyn FnMut(Progress)) -> Result<Arc<Corpus>, Failure> {
    let contents = read_folder(folder, &ReadOptions::default(), progress)?;
    let report = &contents.report;
    if !report.skipped.is_empty() {
        let (skipped, why) = (report.skipped.len(), report.summary());
        note(&format!(
            "skipped {skipped} of {} files: {why}",
            report.files_seen
        ));
    }
    if contents.documents.is_empty() {
        return Err(format!(
            "no document could be read in {}; a folder with .txt, .md, .html or .jsonl files is expected",
            folder.display()
        )
        .into());
    }
    let chunker = Chunker::characters(ChunkOptions::default())?;
    Ok(Arc::new(Corpus::new(
        contents.documents,
        &chunker,
        progress,
    )))
}
