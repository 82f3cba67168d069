//! Tests that need several of the crates at once.
