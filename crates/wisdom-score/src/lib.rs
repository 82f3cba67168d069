//! Harmonic and wisdom scores of an argumentative text that cites ontology codes: numbers and
//! reasons, no model.
//!
//! Does a text relate its poles, or only list them? [`Scorer::score`] answers with 𝓗, 𝓦, the
//! eight components behind it, the events behind those, and a sentence for each thing that is
//! missing. 𝓦 is a filter, not a judge: it reads form, and a fluent text in dialectical form with
//! nothing to say scores well.
//!
//! ```
//! use wisdom_score::{Options, RepromptPolicy, Scorer};
//!
//! let scorer = Scorer::new(Options::default())?;
//! let report = scorer.score("On the OBJ–SUB axis, OBJ measures, yet SUB reframes what it measures.")?;
//! assert_eq!(report.components.axis_explicit, 1.0);
//! assert_eq!(report.components.dialectical_pair_density, 0.25);
//! assert!(report.feedback.iter().any(|s| s.contains("TEO and PRA never meet in one paragraph")));
//! assert!(!report.reprompt_reasons(&RepromptPolicy::default()).is_empty());
//! # Ok::<(), wisdom_score::Error>(())
//! ```
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod canonical;
mod deployed;
mod error;
pub mod evaluation;
mod feedback;
mod label;
mod missing;
mod number;
mod ontology;
mod options;
mod report;
mod reprompt;
mod scorer;

pub use error::Error;
pub use label::Label;
pub use missing::{Missing, Unanchored};
pub use ontology::{
    CodeSpec, CycleSpec, FrameSpec, GroupsSpec, LanguageSpec, MediatorSpec, Ontology, OntologySpec,
    RelationSpec,
};
pub use options::{Composite, FeedbackLanguage, Options, Semantics, Weights};
pub use report::{
    CodeMention, Component, Components, CyclePresence, Event, Extras, Note, QuadrantCount, Report,
    Span,
};
pub use reprompt::{RepromptPolicy, RepromptReason};
pub use scorer::Scorer;
