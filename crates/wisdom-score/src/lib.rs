//! Harmonic and wisdom scores of an argumentative text that cites ontology codes: numbers and reasons, no model.
#![forbid(unsafe_code)]
#![deny(missing_docs)]
