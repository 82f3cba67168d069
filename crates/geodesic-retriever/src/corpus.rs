//! A folder's documents with their chunks: what an index's entries point into.

use std::collections::HashMap;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::{
    Chunk, Chunker, Document, EntryKind, EntryMeta, Error, GENERALIST, Passage, Progress, Stage,
};

/// Where passages are looked up by the ids that an index gives. Synchronous and object-safe.
pub trait PassageStore: Send + Sync {
    /// The passage of an entry, if it is there.
    ///
    /// # Errors
    /// [`Error::Backend`] if the store fails.
    fn passage(&self, entry_id: &str) -> Result<Option<Passage>, Error>;

    /// BLAKE3 root (hex) over all documents, for telling whether a calibration still fits.
    ///
    /// # Errors
    /// [`Error::Backend`] if the store fails.
    fn corpus_root(&self) -> Result<Option<String>, Error>;
}

/// Documents and their chunks, in memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Corpus {
    documents: Vec<Document>,
    /// `(document, chunk)`, documents in order, chunks in order of place.
    chunks: Vec<(u32, Chunk)>,
    root: String,
    #[serde(skip)]
    by_id: HashMap<String, u32>,
}

/// Documents cut between two calls of the progress callback.
const BATCH: usize = 256;

impl Corpus {
    /// Cuts documents into chunks, in parallel; the order is the documents'.
    pub fn new(
        documents: Vec<Document>,
        chunker: &Chunker,
        progress: &mut dyn FnMut(Progress),
    ) -> Self {
        let mut chunks = Vec::new();
        let mut done = 0;
        for batch in documents.chunks(BATCH) {
            let cut: Vec<Vec<Chunk>> = batch.par_iter().map(|d| chunker.chunks(d)).collect();
            for (i, of_document) in (done..).zip(cut) {
                let document = u32::try_from(i).unwrap_or(u32::MAX);
                chunks.extend(of_document.into_iter().map(|c| (document, c)));
            }
            done += batch.len();
            progress(Progress {
                stage: Stage::Chunk,
                done,
                total: Some(documents.len()),
            });
        }
        let root = root_of(&documents);
        let mut out = Self {
            documents,
            chunks,
            root,
            by_id: HashMap::new(),
        };
        out.reindex();
        out
    }

    /// Restores what is not stored.
    pub(crate) fn reindex(&mut self) {
        let ids = self.chunks.iter().map(|(_, c)| c.id.clone());
        self.by_id = ids.zip(0u32..).collect();
    }

    /// The documents.
    #[must_use]
    pub fn documents(&self) -> &[Document] {
        &self.documents
    }

    /// Chunks in all.
    #[must_use]
    pub fn len(&self) -> usize {
        self.chunks.len()
    }

    /// Whether there is no chunk.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.chunks.is_empty()
    }

    /// BLAKE3 root (hex) over the documents' ids, titles and texts.
    #[must_use]
    pub fn root(&self) -> &str {
        &self.root
    }

    /// The passages, in order.
    pub fn passages(&self) -> impl Iterator<Item = Passage> + '_ {
        (0..self.chunks.len()).filter_map(|i| self.nth(i))
    }

    /// The text that is embedded for each chunk: the document's title on a line of its own, then
    /// the chunk.
    #[must_use]
    pub fn embedding_texts(&self) -> Vec<String> {
        let text = |(document, chunk): &(u32, Chunk)| {
            let d = self.documents.get(*document as usize);
            d.map_or_else(String::new, |d| {
                let text = d.text.get(chunk.bytes.clone()).unwrap_or_default();
                format!("{}\n{text}", d.title)
            })
        };
        self.chunks.par_iter().map(text).collect()
    }

    /// What the index keeps of each chunk, in order: id and metadata.
    pub fn index_keys(&self) -> impl Iterator<Item = (&str, EntryMeta)> + '_ {
        self.chunks.iter().filter_map(|(document, chunk)| {
            let d = self.documents.get(*document as usize)?;
            Some((chunk.id.as_str(), meta_of(d)))
        })
    }

    fn nth(&self, i: usize) -> Option<Passage> {
        let (document, chunk) = self.chunks.get(i)?;
        let d = self.documents.get(*document as usize)?;
        Some(Passage {
            entry_id: chunk.id.clone(),
            source_id: d.id.clone(),
            title: d.title.clone(),
            text: d.text.get(chunk.bytes.clone())?.to_owned(),
            bytes: chunk.bytes.clone(),
            chars: chunk.chars.clone(),
            meta: meta_of(d),
        })
    }
}

impl<T: PassageStore + ?Sized> PassageStore for std::sync::Arc<T> {
    fn passage(&self, entry_id: &str) -> Result<Option<Passage>, Error> {
        (**self).passage(entry_id)
    }

    fn corpus_root(&self) -> Result<Option<String>, Error> {
        (**self).corpus_root()
    }
}

impl PassageStore for Corpus {
    fn passage(&self, entry_id: &str) -> Result<Option<Passage>, Error> {
        Ok(self.by_id.get(entry_id).and_then(|&i| self.nth(i as usize)))
    }

    fn corpus_root(&self) -> Result<Option<String>, Error> {
        Ok(Some(self.root.clone()))
    }
}

fn meta_of(document: &Document) -> EntryMeta {
    EntryMeta {
        cube: GENERALIST.to_owned(),
        kind: EntryKind::Fact,
        parent: document.id.clone(),
    }
}

fn root_of(documents: &[Document]) -> String {
    let mut hash = blake3::Hasher::new_derive_key("candor 2026 geodesic-retriever corpus root");
    for d in documents {
        for part in [&d.id, &d.title, &d.text] {
            hash.update(&(part.len() as u64).to_le_bytes());
            hash.update(part.as_bytes());
        }
    }
    hash.finalize().to_hex().to_string()
}
