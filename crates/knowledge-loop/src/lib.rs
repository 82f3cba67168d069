//! Retrieve, route by edge connectivity, deliberate, write back, retrieve again.
#![forbid(unsafe_code)]
#![deny(missing_docs)]
