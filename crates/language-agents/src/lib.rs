//! The injectable Agent trait, its wrappers and the extractive agent; OpenAI-compatible endpoints and local GGUF behind features.
#![forbid(unsafe_code)]
#![deny(missing_docs)]
