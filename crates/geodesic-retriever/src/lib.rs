//! Grounded retrieval by raw angular similarity, with a calibrated gate that declines when nothing is near enough.
#![forbid(unsafe_code)]
#![deny(missing_docs)]
