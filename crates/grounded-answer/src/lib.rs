//! Question to sealed answer: retrieve, verify, label, seal.
//!
//! A facade over the concerns of Candor and nothing more: the retriever decides whether anything is
//! near enough, the agent writes once, the verifier says what the answer may claim, and the run is
//! sealed so that an auditor can recompute it. See [`Answerer`] for a first answer, [`verify`] for
//! recomputing one that was saved.
//!
//! # Untrusted input
//! Questions are limited to [`MAX_QUESTION_BYTES`]. Passages and model text are untrusted: passages
//! stand between fences that cannot occur in them, model text goes through a total parser. A saved
//! answer is a [`RecordedAnswer`] until it has been verified again.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod answerer;
mod difference;
mod directives;
mod error;
mod memory;
mod pipeline;
mod polish;
pub mod prompt;
mod reclassify;
mod recorded;
mod reprompt;
mod rounds;
mod sealed;
mod settings;
mod sources;
mod topology;
mod verify;
mod written;

pub use answerer::{Answerer, AnswererBuilder, Clock, MAX_QUESTION_BYTES, model_profile};
pub use error::Error;
pub use memory::Memory;
pub use pipeline::{DECLINED, REJECTED};
pub use polish::lost_in_polish;
pub use reclassify::{Moved, Reclassification};
pub use recorded::RecordedAnswer;
pub use reprompt::Reprompt;
pub use rounds::Rounds;
pub use sealed::{
    Outcome, RetrievalReport, SCHEMA_VERSION, SealedAnswer, SealedClaim, SealedPassage,
};
pub use settings::Settings;
pub use sources::{CorpusSources, Sources};
pub use verify::{AtHand, Discrepancy, Verification, verify};

// The crates whose types one hands in or gets out, for those who do so without naming them in
// their own manifest.
pub use {
    claim_lattice, geodesic_retriever, kappa_topology, language_agents, run_dag, wisdom_score,
};
