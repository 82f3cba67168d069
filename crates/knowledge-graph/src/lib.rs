//! Nodes, edges, an atomic graph store trait, an in-memory store and the confidence life cycle.
#![forbid(unsafe_code)]
#![deny(missing_docs)]
