//! Dictionaries: what they hold, who may enter, who has to leave, how they are stored.

mod artifacts;
mod capacity;
mod dedup;
mod entry;
mod ingest_log;
mod memory;
mod prune;
mod store;
mod validate;

pub use artifacts::{
    ArtifactCatalogue, ArtifactClass, ArtifactFinding, ArtifactLevel, ArtifactPattern,
};
pub use capacity::Capacity;
pub use dedup::{DedupThresholds, Deduplicator, centre_of, centred_cosine};
pub use entry::{
    BASELINE, ChunkRecord, DictionaryEntry, DictionarySetup, DictionaryState, Fate, Op, Specialist,
};
pub use ingest_log::{IngestLog, IngestRecord, IngestStep, MemoryIngestLog, ingest_rules};
pub use memory::MemoryDictionary;
pub use prune::{LOW_CONFIDENCE, MONOLOGUE_SHARE, PruneKey, PruneTier, is_prunable};
pub use store::{DictionaryStore, Stray, dictionary_rules};
pub use validate::{
    AskModel, Candidate, RubricValidator, RuleValidator, ValidationRules, Validator, Verdict,
};
