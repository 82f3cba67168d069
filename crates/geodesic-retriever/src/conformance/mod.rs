//! The suites that every implementation of [`IngestLog`](crate::IngestLog),
//! [`VectorIndex`](crate::VectorIndex), [`DictionaryStore`](crate::DictionaryStore),
//! [`Validator`](crate::Validator) and [`QuestionGenerator`](crate::QuestionGenerator) must pass
//! (feature `conformance`).
//!
//! Each says in words what the implementation got wrong. [`vector_index_laws`] makes indexes as it
//! needs them; the others take an empty store.
//!
//! ```
//! use geodesic_retriever::{ExactIndex, MemoryIngestLog, Shape, conformance};
//!
//! conformance::ingest_log(&MemoryIngestLog::new()).unwrap();
//! for shape in [Shape::Dense(8), Shape::Sparse(64)] {
//!     conformance::vector_index(&mut ExactIndex::new(conformance::fingerprint(shape))).unwrap();
//! }
//! ```

mod dictionary;
mod ingest;
mod vectors;

pub use crate::index::conformance::vector_index_laws;
pub use dictionary::{
    dictionary_store, fill_dictionary, filled_dictionary, question_generator, setup, validator,
};
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
