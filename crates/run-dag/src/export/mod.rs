//! A run in other people's formats.

mod graph;
mod in_toto;
mod prov;

pub use graph::{dot, mermaid};
pub use in_toto::{PREDICATE_TYPE, STATEMENT_TYPE, in_toto};
pub use prov::prov_json;
