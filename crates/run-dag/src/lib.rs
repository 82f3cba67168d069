//! Content-addressed run provenance: stages, roots, inclusion and consistency proofs, audit log, cache keys.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod audit;
mod cache;
#[cfg(feature = "conformance")]
pub mod conformance;
mod documents;
mod error;
pub mod export;
mod hash;
mod json;
mod kind;
pub mod ledger;
mod number;
mod payload;
mod policy;
mod run;
#[cfg(any(feature = "samples", test))]
pub mod sample;
mod shape;
pub mod tree;
mod value;

pub use cache::CacheKey;
pub use documents::{document_root, snapshot_root, source_root};
pub use error::{Error, Result};
pub use hash::*;
pub use json::Limits;
pub use kind::{CustomKind, StageKind};
pub use number::{Decimal, MAX_SAFE, SafeInt};
pub use payload::*;
pub use policy::{GovernancePolicy, ModelProfile, Turn, conversation_hash};
pub use run::*;
pub use shape::{CustomShape, CustomStage, Shape};
pub use value::Value;
