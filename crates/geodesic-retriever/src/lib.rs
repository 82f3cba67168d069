//! Grounded retrieval by raw angular similarity, with a calibrated gate that declines when nothing
//! is near enough.
//!
//! Similarity is the ranking: `finalScore = querySim = 1 − θ/π`, and no other term enters.
//! Amplitudes are routing labels. A query changes nothing but a context buffer and winner counts.
//!
//! ```
//! use geodesic_retriever::{
//!     ChunkOptions, Chunker, Corpus, Document, GeodesicRetriever, Retriever, RetrieverOptions,
//! };
//!
//! # fn main() -> Result<(), geodesic_retriever::Error> {
//! let document = |id: &str, text: &str| Document {
//!     id: id.into(),
//!     title: id.into(),
//!     text: text.into(),
//! };
//! let documents = vec![
//!     document("tides.txt", "The moon's gravity raises two tides a day in most harbours."),
//!     document("bread.txt", "Sourdough bread rises by wild yeast and lactic bacteria."),
//! ];
//! let chunker = Chunker::characters(ChunkOptions::default())?;
//! let corpus = Corpus::new(documents, &chunker, &mut |_| {});
//! let options = RetrieverOptions::default();
//! let retriever = GeodesicRetriever::lexical(corpus, options, &mut |_| {})?;
//!
//! let outcome = retriever.retrieve("What raises the tides in a harbour?")?;
//! assert_eq!(outcome.passages()[0].passage.source_id, "tides.txt");
//! assert!(!retriever.retrieve("Who won the chess final?")?.is_grounded());
//! # Ok(())
//! # }
//! ```
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod calibration;
mod chunk;
mod conformal;
#[cfg(feature = "conformance")]
pub mod conformance;
mod corpus;
mod dictionary;
mod embed;
mod error;
pub mod eval;
mod forward;
mod geometry;
mod index;
mod progress;
mod read;
mod retriever;
mod similarity;
mod snapshot;
mod vector;

pub use calibration::{Bands, Calibration, CalibrationMethod, MatchBand};
pub use chunk::{Chunk, ChunkOptions, Chunker, chunk_id};
pub use conformal::CalibrationSample;
pub use corpus::{Corpus, PassageStore};
pub use dictionary::{IngestLog, IngestRecord, IngestStep, MemoryIngestLog, ingest_rules};
#[cfg(feature = "bert")]
pub use embed::BertEmbedder;
#[cfg(feature = "nomic")]
pub use embed::NomicEmbedder;
#[cfg(feature = "static")]
pub use embed::StaticEmbedder;
pub use embed::lexical::LexicalState;
#[cfg(feature = "tokenizer")]
pub use embed::model_folder::{DIGESTS, seal_model_folder};
#[cfg(feature = "transformer")]
pub use embed::{Device, Pooling, Precision, Prompts, TransformerOptions};
pub use embed::{Embedder, Embedding, Fingerprint, LexicalConfig, LexicalEmbedder};
pub use error::Error;
pub use forward::{GeodesicRetriever, SessionState};
pub use geometry::{
    AnchorSet, AnchorSource, DictionaryCount, GateCheck, GateOptions, GateReport, Label, LabelSet,
    Ring, ScaffoldPhrase, SpecialistAnchors, SpecialistOptions, Topology,
    derive_specialist_anchors, initialization_gate, walk,
};
#[cfg(feature = "quantized")]
pub use index::QuantizedIndex;
pub use index::{
    EntryKind, EntryMeta, ExactIndex, Filter, GENERALIST, Hit, IndexEntry, VectorIndex, rank,
};
pub use progress::{Progress, Stage};
pub use read::{
    Document, FolderContents, HtmlReader, JsonLinesReader, MarkdownReader, Parsed, ReadOptions,
    ReadReport, Reader, SkipReason, Skipped, TextReader, built_in_readers, read_folder,
};
pub use retriever::{
    DeclineReason, LabelAmplitude, Passage, RetrievalFigures, RetrievalOutcome, RetrievedPassage,
    Retriever, RetrieverOptions,
};
pub use similarity::Similarity;
pub use snapshot::Snapshot;
pub use vector::{MIN_NORM, Shape, SparseVector, Vector};
