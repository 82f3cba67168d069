//! Question to sealed answer: retrieve, verify, label, seal.
#![forbid(unsafe_code)]
#![deny(missing_docs)]
