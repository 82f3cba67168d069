//! One self-contained HTML page out of a sealed answer or a deliberation.
//!
//! A page holds what a reader needs to judge an answer: each claim with the passage it cites, the
//! label on its ladder, every violation in words, the figures of retrieval, the scores of an argued
//! answer with the places that made them, loops and fault lines, the sealed run with its hashes, and
//! what could not be verified. It loads nothing and runs nothing.
//!
//! # Untrusted input
//! Questions, documents, model text, ids and names are all taken for hostile: everything goes through
//! escaping templates, direction controls and unseen characters are shown by number, and a content
//! policy forbids whatever might slip through.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod answer;
mod deliberation;
mod ladder;
mod limits;
mod page;
mod retrieval;
mod run;
mod sealed;
mod text;
mod topology;
mod verdicts;
mod wisdom;
mod words;

pub use deliberation::render_deliberation;
pub use sealed::{render, render_checked};
pub use verdicts::{Judged, render_verdicts};
