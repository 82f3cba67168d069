//! Before the question is asked: how much it asks for, what is wrong with it, which frames its
//! names have, and what is therefore agreed on with prompt, answer and evidence.
//!
//! All of it is pure: text and policy in, typed results without floating point out, so that
//! run-dag can commit them. The word lists are data ([`Lexicon`]).
//!
//! ```
//! use claim_lattice::preflight::{preflight, CallOptions, CorpusInfo, GuardResult, Lexicon, PreflightPolicy};
//!
//! let seen = preflight(
//!     "List every single moon of Jupiter without exception.",
//!     &Lexicon::built_in(),
//!     &PreflightPolicy::default(),
//!     &CorpusInfo::default(),
//!     &CallOptions::default(),
//! );
//! assert_eq!(seen.classifier.quantifier.quantifier_intensity.intensity(), 9);
//! assert_eq!(seen.answer_contract.preflight_result, GuardResult::Reminder);
//! ```

mod contract;
mod contradiction;
mod corpus;
mod frames;
mod grouping;
mod guard;
mod lexicon;
mod pattern;
mod premise;
mod quantifier;
mod question;
mod scope;
mod shape;
mod state;
mod temporal;
mod token;

pub use crate::ladder::AuditTail as LogicalStatus;
pub use crate::parse::AnswerMode;
pub use contract::{
    AnswerContract, CallOptions, ClassifierClause, EvidenceContract, MetacognitionPolicy,
    PolicyRefs, Preflight, PreflightPolicy, PromptContract, RejectReason, after_retrieval,
    preflight,
};
pub use contradiction::{Contradiction, ContradictionForm};
pub use corpus::{CivilDate, CorpusInfo, EvidenceView};
pub use frames::{Frame, FrameKind, FrameReading, Medium};
pub use grouping::{FrameGroup, FrameMismatch, FramedClaim, frame_mismatches, group_claims};
pub use guard::{
    CapRule, GuardDecisions, GuardPolicy, GuardResult, GuardSwitches, Level, SwitchDecision,
};
pub use lexicon::{Lexicon, LexiconError, choose_language};
pub use premise::{FalsePremise, OutOfCorpus, PremiseFailure};
pub use quantifier::{NoSuchRung, QuantifierReading, Rung};
pub use scope::{BoundKind, ScopeBound};
pub use shape::{QuestionShape, question_shape};
pub use state::QuestionState;
pub use temporal::{StaleReason, StaleRisk};
pub use token::ByteSpan;
