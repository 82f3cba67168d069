//! The documents behind the passages: their roots, and whether a passage still stands where it was
//! cited.

use std::collections::BTreeMap;
use std::sync::Arc;

use geodesic_retriever::Corpus;
use run_dag::{DocumentRoot, SourceRoot, document_root, source_root};

/// What the run commits about the documents that were searched, and what an auditor reads again.
/// Object-safe.
pub trait Sources: Send + Sync {
    /// The text of a document, if it is there.
    fn document(&self, source_id: &str) -> Option<&str>;

    /// The root over a document's chunks, if it is there.
    fn document_root(&self, source_id: &str) -> Option<DocumentRoot>;

    /// The root over all documents that are searched.
    fn source_root(&self) -> SourceRoot;

    /// The documents' titles, sorted: names that stand for several things show there.
    fn titles(&self) -> Vec<&str>;
}

/// The documents of a [`Corpus`], with their roots.
#[derive(Debug, Clone)]
pub struct CorpusSources {
    corpus: Arc<Corpus>,
    places: BTreeMap<String, usize>,
    roots: BTreeMap<String, DocumentRoot>,
    root: SourceRoot,
}

impl CorpusSources {
    /// Hashes every chunk of a corpus once.
    #[must_use]
    pub fn new(corpus: Arc<Corpus>) -> Self {
        let mut chunks: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for passage in corpus.passages() {
            chunks
                .entry(passage.source_id)
                .or_default()
                .push(passage.text);
        }
        let roots: BTreeMap<String, DocumentRoot> = chunks
            .into_iter()
            .map(|(id, chunks)| (id, document_root(&chunks)))
            .collect();
        let places = corpus
            .documents()
            .iter()
            .enumerate()
            .map(|(i, d)| (d.id.clone(), i))
            .collect();
        let root = source_root(roots.values().copied());
        Self {
            corpus,
            places,
            roots,
            root,
        }
    }
}

impl Sources for CorpusSources {
    fn document(&self, source_id: &str) -> Option<&str> {
        let place = *self.places.get(source_id)?;
        self.corpus.documents().get(place).map(|d| d.text.as_str())
    }

    fn document_root(&self, source_id: &str) -> Option<DocumentRoot> {
        self.roots.get(source_id).copied()
    }

    fn source_root(&self) -> SourceRoot {
        self.root
    }

    fn titles(&self) -> Vec<&str> {
        let mut titles: Vec<&str> = self
            .corpus
            .documents()
            .iter()
            .map(|d| d.title.as_str())
            .collect();
        titles.sort_unstable();
        titles.dedup();
        titles
    }
}
