//! Does each claim of an answer cite evidence that bears it? A deterministic verifier: no model, no embeddings, no network.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod preflight;
