//! Content-addressed run provenance: stages, roots, inclusion and consistency proofs, audit log, cache keys.
#![forbid(unsafe_code)]
#![deny(missing_docs)]
