//! The suites that every implementation of [`IngestLog`](crate::IngestLog) and
//! [`VectorIndex`](crate::VectorIndex) must pass (feature `conformance`).
//!
//! Each takes an empty store and says in words what it got wrong.
//!
//! ```
//! use geodesic_retriever::{ExactIndex, MemoryIngestLog, Shape, conformance};
//!
//! conformance::ingest_log(&MemoryIngestLog::new()).unwrap();
//! for shape in [Shape::Dense(8), Shape::Sparse(64)] {
//!     conformance::vector_index(&mut ExactIndex::new(conformance::fingerprint(shape))).unwrap();
//! }
//! ```

mod ingest;
mod vectors;

pub use ingest::ingest_log;
pub use vectors::{entry, fingerprint, vector, vector_index};

/// Nothing, or what the store got wrong.
pub type Outcome = Result<(), String>;

fn demand(holds: bool, what: &str) -> Outcome {
    if holds {
        Ok(())
    } else {
        Err(format!("does not hold: {what}"))
    }
}

fn word(error: impl std::fmt::Display) -> String {
    format!("unexpected error: {error}")
}
