//! A first look at a folder, before a dictionary is made of it.

use std::collections::BTreeMap;
use std::path::Path;

use rayon::prelude::*;

use crate::read::{Found, list, parse, read_bytes};
use crate::{Chunker, Error, Progress, ReadOptions, Stage};

/// Chunks that a centre is the mean of.
pub const CENTRE_SAMPLE: usize = 1_000;

/// What a survey saw.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Survey {
    /// Files that gave a document.
    pub files: usize,
    /// Their chunks.
    pub chunks: usize,
    /// The texts to embed of up to [`CENTRE_SAMPLE`] chunks: those with the least ids, which are
    /// digests, so that the sample is even and depends on nothing but the folder.
    pub sample: Vec<String>,
}

/// Files read between two calls of `each`.
const BATCH: usize = 64;

/// Reads a folder and hands the texts that would be embedded to `each`, in parts, in the order of
/// the files: what a [`LexicalLearner`](crate::LexicalLearner) learns from.
///
/// # Errors
/// [`Error::Io`] if the folder cannot be read. A file that cannot be read is passed over.
pub fn survey(
    folder: &Path,
    read: &ReadOptions,
    chunker: &Chunker,
    each: &mut dyn FnMut(&[&str]),
    progress: &mut dyn FnMut(Progress),
) -> Result<Survey, Error> {
    std::fs::read_dir(folder).map_err(|e| Error::io(folder, &e))?;
    let found = list(folder, read, progress);
    let mut out = Survey::default();
    let mut sample = BTreeMap::<String, String>::new();
    let mut done = 0;
    for batch in found.chunks(BATCH) {
        let texts: Vec<Vec<(String, String)>> = batch
            .par_iter()
            .map(|file| texts_of(file, read, chunker))
            .collect();
        out.files += texts.iter().filter(|t| !t.is_empty()).count();
        let all: Vec<&str> = texts.iter().flatten().map(|(_, t)| t.as_str()).collect();
        out.chunks += all.len();
        each(&all);
        for (id, text) in texts.into_iter().flatten() {
            sample.insert(id, text);
            if sample.len() > CENTRE_SAMPLE {
                sample.pop_last();
            }
        }
        done += batch.len();
        progress(Progress {
            stage: Stage::Read,
            done,
            total: Some(found.len()),
        });
    }
    out.sample = sample.into_values().collect();
    Ok(out)
}

fn texts_of(file: &Found, read: &ReadOptions, chunker: &Chunker) -> Vec<(String, String)> {
    let Ok(parsed) = read_bytes(file, read).and_then(|bytes| parse(file, &bytes, read)) else {
        return Vec::new();
    };
    let documents = parsed.documents.iter();
    let of = |d: &crate::Document| {
        let chunks = chunker.chunks(d).into_iter();
        let text = |c: crate::Chunk| {
            let text = d.text.get(c.bytes.clone()).unwrap_or_default();
            (c.id, embedding_text(&d.title, text))
        };
        chunks.map(text).collect::<Vec<_>>()
    };
    documents.flat_map(of).collect()
}

/// What is embedded of a chunk: its document's title on a line of its own, then the chunk.
pub(super) fn embedding_text(title: &str, text: &str) -> String {
    format!("{title}\n{text}")
}
