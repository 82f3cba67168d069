//! The walk over a folder.

use std::fmt;
use std::io::Read;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use walkdir::WalkDir;

use super::{
    Document, FolderContents, Parsed, ReadReport, Reader, SkipReason, Skipped, built_in_readers,
};
use crate::{Error, Progress, Stage};

/// How a folder is read.
pub struct ReadOptions {
    /// Files longer than this are skipped; default 64 MiB.
    pub max_file_bytes: u64,
    /// The readers, tried in order by extension; default [`built_in_readers`].
    pub readers: Vec<Box<dyn Reader>>,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            max_file_bytes: 64 << 20,
            readers: built_in_readers(),
        }
    }
}

impl fmt::Debug for ReadOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReadOptions")
            .field("max_file_bytes", &self.max_file_bytes)
            .field("readers", &self.readers.len())
            .finish()
    }
}

/// A file to read, or the reason not to.
pub(crate) struct Found {
    pub(crate) id: String,
    pub(crate) path: PathBuf,
    pub(crate) skip: Option<SkipReason>,
}

/// Files read between two calls of the progress callback.
const BATCH: usize = 256;

/// Reads every file below a folder that a reader takes, in the order of the paths' bytes.
///
/// Symbolic links are not followed; hidden files and folders are passed over. Files are read in
/// parallel, and the result is the same whatever the number of threads. `progress` is called on
/// the calling thread.
///
/// # Errors
/// [`Error::Io`] if the folder itself cannot be read, [`Error::EmptyFolder`] if no document came
/// out of it. A file that cannot be read is skipped and reported, never an error.
pub fn read_folder(
    folder: &Path,
    options: &ReadOptions,
    progress: &mut dyn FnMut(Progress),
) -> Result<FolderContents, Error> {
    std::fs::read_dir(folder).map_err(|e| Error::io(folder, &e))?;
    let found = list(folder, options, progress);
    let mut report = ReadReport {
        files_seen: found.len(),
        ..ReadReport::default()
    };
    let mut documents: Vec<Document> = Vec::new();
    let mut done = 0;
    for batch in found.chunks(BATCH) {
        let read: Vec<Result<(Parsed, u64), SkipReason>> =
            batch.par_iter().map(|f| read_one(f, options)).collect();
        for (file, result) in batch.iter().zip(read) {
            match result {
                Ok((parsed, bytes)) => {
                    report.files_read += 1;
                    report.bytes_read += bytes;
                    documents.extend(parsed.documents);
                    let parts = parsed.skipped.into_iter();
                    report
                        .skipped
                        .extend(parts.map(|(path, reason)| Skipped { path, reason }));
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
    if documents.is_empty() {
        let summary = report.summary();
        return Err(Error::EmptyFolder {
            path: folder.to_owned(),
            skipped: report.skipped.len(),
            reasons: if summary.is_empty() {
                summary
            } else {
                format!(": {summary}")
            },
        });
    }
    documents.sort_by(|a, b| a.id.cmp(&b.id));
    tracing::debug!(
        files = report.files_read,
        documents = documents.len(),
        "folder read"
    );
    Ok(FolderContents {
        root: folder.to_owned(),
        documents,
        report,
    })
}

/// The files below a folder, in the order of their ids.
pub(crate) fn list(
    folder: &Path,
    options: &ReadOptions,
    progress: &mut dyn FnMut(Progress),
) -> Vec<Found> {
    let mut found = Vec::new();
    let mut walk = WalkDir::new(folder).min_depth(1).into_iter();
    while let Some(next) = walk.next() {
        let entry = match next {
            Ok(entry) => entry,
            Err(e) => {
                let path = e.path().unwrap_or(folder).to_owned();
                let message = e
                    .io_error()
                    .map_or_else(|| e.to_string(), ToString::to_string);
                let skip = Some(SkipReason::Unreadable { message });
                found.push(Found {
                    id: id_of(folder, &path),
                    path,
                    skip,
                });
                continue;
            }
        };
        let hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
        let is_dir = entry.file_type().is_dir();
        if is_dir && !hidden {
            continue;
        }
        let skip = if hidden {
            if is_dir {
                walk.skip_current_dir();
            }
            Some(SkipReason::Hidden)
        } else {
            unfit(&entry, options)
        };
        let path = entry.into_path();
        found.push(Found {
            id: id_of(folder, &path),
            path,
            skip,
        });
        if found.len().is_multiple_of(4096) {
            progress(Progress {
                stage: Stage::List,
                done: found.len(),
                total: None,
            });
        }
    }
    found.sort_by(|a, b| a.id.cmp(&b.id));
    progress(Progress {
        stage: Stage::List,
        done: found.len(),
        total: Some(found.len()),
    });
    found
}

fn unfit(entry: &walkdir::DirEntry, options: &ReadOptions) -> Option<SkipReason> {
    if !entry.file_type().is_file() {
        return Some(SkipReason::NotAFile);
    }
    let extension = extension_of(entry.path());
    if reader_for(options, &extension).is_none() {
        return Some(SkipReason::UnsupportedType { extension });
    }
    match entry.metadata() {
        Ok(m) if m.len() > options.max_file_bytes => Some(SkipReason::TooLarge {
            bytes: m.len(),
            limit: options.max_file_bytes,
        }),
        Ok(_) => None,
        Err(e) => Some(SkipReason::Unreadable {
            message: e.to_string(),
        }),
    }
}

fn read_one(file: &Found, options: &ReadOptions) -> Result<(Parsed, u64), SkipReason> {
    let bytes = read_bytes(file, options)?;
    let parsed = parse(file, &bytes, options)?;
    Ok((parsed, bytes.len() as u64))
}

/// The bytes of a file that is text.
pub(crate) fn read_bytes(file: &Found, options: &ReadOptions) -> Result<Vec<u8>, SkipReason> {
    if let Some(reason) = &file.skip {
        return Err(reason.clone());
    }
    let bytes = bounded_read(&file.path, options.max_file_bytes)?;
    if bytes.contains(&0) {
        return Err(SkipReason::Binary);
    }
    Ok(bytes)
}

/// The documents in a file's bytes.
pub(crate) fn parse(
    file: &Found,
    bytes: &[u8],
    options: &ReadOptions,
) -> Result<Parsed, SkipReason> {
    let extension = extension_of(&file.path);
    let Some(reader) = reader_for(options, &extension) else {
        return Err(SkipReason::UnsupportedType { extension });
    };
    let stem = file
        .path
        .file_stem()
        .map_or_else(String::new, |s| s.to_string_lossy().into_owned());
    reader.read(&file.id, &stem, bytes)
}

/// Reads a file that may have grown since it was listed.
fn bounded_read(path: &Path, limit: u64) -> Result<Vec<u8>, SkipReason> {
    let unreadable = |e: std::io::Error| SkipReason::Unreadable {
        message: e.to_string(),
    };
    let file = std::fs::File::open(path).map_err(unreadable)?;
    let mut bytes = Vec::new();
    file.take(limit.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(unreadable)?;
    let length = bytes.len() as u64;
    if length > limit {
        return Err(SkipReason::TooLarge {
            bytes: length,
            limit,
        });
    }
    Ok(bytes)
}

fn reader_for<'o>(options: &'o ReadOptions, extension: &str) -> Option<&'o dyn Reader> {
    let mut readers = options.readers.iter();
    readers
        .find(|r| r.extensions().contains(&extension))
        .map(AsRef::as_ref)
}

fn extension_of(path: &Path) -> String {
    path.extension()
        .map_or_else(String::new, |e| e.to_string_lossy().to_lowercase())
}

/// The path below the folder, parts joined by `/`.
fn id_of(folder: &Path, path: &Path) -> String {
    let below = path.strip_prefix(folder).unwrap_or(path);
    let parts: Vec<_> = below.iter().map(|p| p.to_string_lossy()).collect();
    parts.join("/")
}
