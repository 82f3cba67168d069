//! What the stages bind. No type here has a field for floating point.

mod after;
mod before;
mod bytes;
mod deliberation;
mod evidence;
mod question;

pub use after::*;
pub use before::*;
pub use bytes::*;
pub use deliberation::*;
pub use evidence::*;
pub use question::*;

use crate::error::{Error, Result};
use crate::json::typed;
use crate::kind::{CustomKind, StageKind};
use crate::value::Value;
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;

/// An open object of committed values.
pub type Clause = BTreeMap<String, Value>;

/// [`Value::from_serialize`] for a structure that must become an object.
///
/// # Errors
/// As [`Value::from_serialize`]; [`Error::WrongType`] when it becomes something else.
pub fn clause<T: Serialize + ?Sized>(value: &T) -> Result<Clause> {
    match Value::from_serialize(value)? {
        Value::Object(fields) => Ok(fields),
        other => Err(Error::WrongType {
            path: "$".into(),
            reason: format!("expected an object and found {}", other.type_name()),
        }),
    }
}

macro_rules! payloads {
    ($($kind:ident($type:ty);)*) => {
        /// A stage's payload, by its kind.
        ///
        /// Serializes as the payload alone; the kind stands beside it in the record.
        #[derive(Clone, Debug, PartialEq)]
        #[non_exhaustive]
        #[allow(clippy::large_enum_variant)]
        pub enum StagePayload {
            $(#[doc = concat!("Payload of ", stringify!($kind), ".")] $kind($type),)*
            /// Payload of a caller's kind.
            Custom(CustomKind, Clause),
        }

        impl StagePayload {
            /// The stage kind.
            #[must_use]
            pub fn kind(&self) -> StageKind {
                match self {
                    $(Self::$kind(_) => StageKind::$kind,)*
                    Self::Custom(kind, _) => StageKind::Custom(kind.clone()),
                }
            }

            /// The payload of a stage of this kind; errors name the path below `at`.
            pub(crate) fn read(kind: &StageKind, value: &Value, at: &str) -> Result<Self> {
                match kind {
                    $(StageKind::$kind => typed(value, at).map(Self::$kind),)*
                    StageKind::Custom(name) => Ok(Self::Custom(name.clone(), typed(value, at)?)),
                }
            }
        }

        impl Serialize for StagePayload {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self {
                    $(Self::$kind(payload) => payload.serialize(serializer),)*
                    Self::Custom(_, payload) => payload.serialize(serializer),
                }
            }
        }
    };
}

payloads! {
    Question(QuestionPayload);
    Preflight(PreflightPayload);
    Retrieval(RetrievalPayload);
    Topology(TopologyPayload);
    Context(ContextPayload);
    EvidenceMap(EvidenceMapPayload);
    Prompt(PromptPayload);
    Answer(AnswerPayload);
    RawAnswer(AnswerPayload);
    ParsedClaimLattice(ParsedClaimLatticePayload);
    Verify(VerifyPayload);
    Wisdom(WisdomPayload);
    Render(RenderPayload);
    Focus(FocusPayload);
    Reconcile(ReconcilePayload);
    Crystallize(CrystallizePayload);
    Escalate(EscalatePayload);
    FinalLabel(FinalLabelPayload);
}

macro_rules! into_payload {
    ($($kind:ident($type:ty);)*) => {$(
        impl From<$type> for StagePayload {
            fn from(payload: $type) -> Self {
                Self::$kind(payload)
            }
        }
    )*};
}

into_payload! {
    Question(QuestionPayload);
    Preflight(PreflightPayload);
    Retrieval(RetrievalPayload);
    Topology(TopologyPayload);
    Context(ContextPayload);
    EvidenceMap(EvidenceMapPayload);
    Prompt(PromptPayload);
    ParsedClaimLattice(ParsedClaimLatticePayload);
    Verify(VerifyPayload);
    Wisdom(WisdomPayload);
    Render(RenderPayload);
    Focus(FocusPayload);
    Reconcile(ReconcilePayload);
    Crystallize(CrystallizePayload);
    Escalate(EscalatePayload);
    FinalLabel(FinalLabelPayload);
}

impl StagePayload {
    /// Fields that follow from other fields and do not: name, found, expected.
    pub(crate) fn underived(&self) -> Result<Vec<(&'static str, String, String)>> {
        let mut wrong = Vec::new();
        let mut demand = |field, found: String, expected: String| {
            if found != expected {
                wrong.push((field, found, expected));
            }
        };
        match self {
            Self::Question(p) => {
                demand("canonical", p.canonical.clone(), canonical_question(&p.raw));
                demand(
                    "question_hash",
                    p.question_hash.to_hex(),
                    question_hash(&p.raw).to_hex(),
                );
            }
            Self::Retrieval(p) => {
                let plan = p.plan.hash()?.to_hex();
                demand("retrieval_plan_hash", p.retrieval_plan_hash.to_hex(), plan);
                let sources = sources_summary_hash(&p.sources)?.to_hex();
                demand(
                    "sources_summary_hash",
                    p.sources_summary_hash.to_hex(),
                    sources,
                );
            }
            _ => {}
        }
        Ok(wrong)
    }

    /// The evidence root and count that this payload commits, if it is the kind that does.
    pub(crate) fn evidence(&self) -> Option<EvidenceMapPayload> {
        match self {
            Self::EvidenceMap(p) => Some(*p),
            Self::Context(p) => Some(EvidenceMapPayload {
                evidence_map_root: p.evidence_map_root,
                entries: p.entries,
            }),
            _ => None,
        }
    }
}
