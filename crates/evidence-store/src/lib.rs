//! Durable stores for Candor: SQLite (embedded default) and PostgreSQL with pgvector.
#![forbid(unsafe_code)]
#![deny(missing_docs)]
