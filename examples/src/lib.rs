//! The programs of Candor: each is an example.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod agents;
pub mod audit;
pub mod cli;
pub mod corpus;
pub mod embedders;
pub mod ingest;
pub mod stores;
