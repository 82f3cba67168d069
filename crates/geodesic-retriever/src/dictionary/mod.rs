//! The dictionary: what was ingested, from where.

mod ingest_log;

pub use ingest_log::{IngestLog, IngestRecord, IngestStep, MemoryIngestLog, ingest_rules};
