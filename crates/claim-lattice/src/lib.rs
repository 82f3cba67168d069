//! Does each claim of an answer cite evidence that bears it? A deterministic verifier: no
//! model, no embeddings, no network, no clock. The same bytes in give the same verdict out.
//!
//! The model writes claims with pointers; the runtime owns the quoted text. [`verify`] decides
//! by set operations on text whether the passage a claim points to contains what the claim
//! hangs on, and a [`Verdict`] says exactly what was checked, never more.
//!
//! ```
//! use claim_lattice::{AnswerMode, EvidenceMap, Passage, Policy, verify};
//!
//! let mut builder = EvidenceMap::builder(claim_lattice::DEFAULT_CHAR_BUDGET);
//! builder.push(Passage::whole("w1", "Apple", "Steve Jobs co-founded Apple in 1976."))?;
//! let map = builder.build();
//! let answer = "Steve Jobs co-founded Apple. [E1]";
//! let verdict = verify("Who founded Apple?", &map, answer, AnswerMode::Pointer, &Policy::strict());
//! assert_eq!(verdict.label().to_string(), "EVIDENCE-WARRANTED");
//! # Ok::<(), claim_lattice::Error>(())
//! ```
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod codes;
pub mod directives;
mod error;
mod evidence;
mod index;
mod ladder;
mod language;
mod numbers;
mod parse;
mod policy;
pub mod preflight;
mod prose;
mod recorded;
mod render;
mod schema;
mod unverified;
mod verdict;
mod verify;

pub use codes::{AnchorClass, Code};
pub use directives::{Directive, DirectiveReport, directive_report};
pub use error::Error;
pub use evidence::{
    DEFAULT_CHAR_BUDGET, DEFAULT_MARKER, EvidenceEntry, EvidenceId, EvidenceMap,
    EvidenceMapBuilder, Location, Passage, Pushed, SourceRole,
};
pub use ladder::{AuditMode, AuditTail, Label, Rung, VerifierMethod};
pub use language::{CustomLanguage, Language, WORD_LISTS_VERSION, WordLists};
pub use parse::{
    AnswerMode, Claim, NoteKind, ParseNote, ParseOptions, Parsed, Pointer, finished, parse,
    write_claims,
};
pub use policy::{AnchorSwitches, EntityRule, Markup, ParsePolicy, Policy, ProsePolicy};
#[cfg(feature = "wikitext")]
pub use prose::strip_wikitext;
pub use prose::{CANONICALIZATION_VERSION, canonicalize};
pub use recorded::{RecordedClaim, RecordedVerdict, RecordedViolation};
pub use render::{RenderedClaim, RenderedPassage, Rendering, render};
pub use schema::json_schema;
pub use unverified::{UnverifiedSpan, unverified_spans};
pub use verdict::{
    ClaimVerdict, CoverageReport, EvidenceWindow, Verdict, VerifiedClaim, Violation,
};
pub use verify::verify;
