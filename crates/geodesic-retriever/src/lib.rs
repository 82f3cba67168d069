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
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod audit;
mod built_in;
mod calibration;
mod chunk;
mod compound;
mod conformal;
#[cfg(feature = "conformance")]
pub mod conformance;
mod corpus;
mod dictionary;
mod embed;
mod error;
pub mod eval;
mod events;
mod forward;
mod geometry;
mod index;
mod ingest;
mod progress;
mod read;
mod retriever;
mod similarity;
mod snapshot;
mod supervisor;
mod vector;

pub use audit::{
    AuditCase, AuditMiss, AuditOptions, AuditReport, CardSection, QuestionGenerator, ReportCard,
    SalientQuestions, audit, cases_of,
};
pub use built_in::{SHIPPED_ALPHA, shipped_probes};
pub use calibration::{Bands, Calibration, CalibrationMethod, MatchBand};
pub use chunk::{Chunk, ChunkOptions, Chunker, chunk_id};
pub use compound::{CompoundOutcome, QuestionPart, retrieve_compound, split_questions};
pub use conformal::CalibrationSample;
pub use corpus::{Corpus, PassageStore};
pub use dictionary::{
    ArtifactCatalogue, ArtifactClass, ArtifactFinding, ArtifactLevel, ArtifactPattern, AskModel,
    BASELINE, Candidate, Capacity, ChunkRecord, DedupThresholds, Deduplicator, DictionaryEntry,
    DictionarySetup, DictionaryState, DictionaryStore, Fate, IngestLog, IngestRecord, IngestStep,
    LOW_CONFIDENCE, MONOLOGUE_SHARE, MemoryDictionary, MemoryIngestLog, Op, PruneKey, PruneTier,
    RubricValidator, RuleValidator, Specialist, Stray, ValidationRules, Validator, Verdict,
    centre_of, centred_cosine, dictionary_rules, ingest_rules, is_prunable,
};
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
pub use embed::{Embedder, Embedding, Fingerprint, LexicalConfig, LexicalEmbedder, LexicalLearner};
pub use error::Error;
pub use events::{Anomaly, DictionaryChange, Event, EventSink, Events, MetricSnapshot};
pub use forward::{GeodesicRetriever, Look, SessionState};
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
pub use ingest::{
    ArtifactSweep, CENTRE_SAMPLE, DensityOptions, DrainReport, Executor, ExecutorOptions,
    FailedSource, MaintenanceOptions, MalformedName, MalformedSpecialist, OrphanSweep, PurgedEntry,
    ResetMode, ShutdownReport, SpawnReport, SpecialistProposal, Survey, SweepReport,
    malformed_name, survey,
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
pub use supervisor::{
    Clock, Monitor, MonitorOptions, Supervisor, SupervisorOptions, SupervisorState, Tick,
};
pub use vector::{MIN_NORM, Shape, SparseVector, Vector};
