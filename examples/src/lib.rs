//! The programs of Candor: each is an example.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod embedders;
