//! Criterion benchmarks and comparisons with peers.
