//! Stage kinds.

use crate::error::{Error, Result};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::fmt;

/// The name of a caller's kind: `shape/kind`, each of 1 to 64 of `a-z 0-9 _ -`.
///
/// Names are ASCII, so that no two spellings of one name (composed and decomposed accents, say)
/// can stand for two stages; contents are never normalized.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CustomKind(String);

pub(crate) fn is_name(text: &str) -> bool {
    (1..=64).contains(&text.len())
        && text
            .bytes()
            .all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-'))
}

impl CustomKind {
    /// The kind `kind` of the shape `shape`.
    ///
    /// # Errors
    /// [`Error::UnknownStageKind`] when a part is not 1 to 64 of `a-z 0-9 _ -`.
    pub fn new(shape: &str, kind: &str) -> Result<Self> {
        Self::parse(&format!("{shape}/{kind}"))
    }

    /// Reads `shape/kind`.
    ///
    /// # Errors
    /// As [`CustomKind::new`].
    pub fn parse(text: &str) -> Result<Self> {
        match text.split_once('/') {
            Some((shape, kind)) if is_name(shape) && is_name(kind) => Ok(Self(text.to_owned())),
            _ => Err(Error::UnknownStageKind {
                path: "$".into(),
                kind: text.chars().take(140).collect(),
            }),
        }
    }

    /// `shape/kind`.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The shape's part.
    #[must_use]
    pub fn shape(&self) -> &str {
        self.0.split_once('/').map_or("", |(shape, _)| shape)
    }
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident = $text:literal;)*) => {
        /// What a stage is.
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum StageKind {
            $($(#[$doc])* $name,)*
            /// A kind of a caller's own shape.
            Custom(CustomKind),
        }

        impl StageKind {
            /// The built-in kinds.
            pub const BUILT_IN: &[StageKind] = &[$(StageKind::$name),*];

            /// The name on the wire and in hashes.
            #[must_use]
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$name => $text,)*
                    Self::Custom(kind) => kind.as_str(),
                }
            }

            /// Reads a kind's name.
            ///
            /// # Errors
            /// [`Error::UnknownStageKind`] for any other text.
            pub fn parse(text: &str) -> Result<Self> {
                match text {
                    $($text => Ok(Self::$name),)*
                    other => CustomKind::parse(other).map(Self::Custom),
                }
            }
        }
    };
}

kinds! {
    /// The question asked.
    Question = "question";
    /// What was decided before retrieval.
    Preflight = "preflight";
    /// What was looked for and found.
    Retrieval = "retrieval";
    /// κ of the retrieved subgraph, or of the graph deliberated on.
    Topology = "topology";
    /// The passages as text (quote mode).
    Context = "context";
    /// The passages as pointers (lattice mode).
    EvidenceMap = "evidence_map";
    /// The bytes sent to the model.
    Prompt = "prompt";
    /// The bytes that came back (quote mode).
    Answer = "answer";
    /// The bytes that came back (lattice mode).
    RawAnswer = "raw_answer";
    /// The claims found in them.
    ParsedClaimLattice = "parsed_claim_lattice";
    /// The verdict with its violations.
    Verify = "verify";
    /// Scores of the answer's structure.
    Wisdom = "wisdom";
    /// The text shown.
    Render = "render";
    /// One pass of a deliberation.
    Focus = "focus";
    /// One round's reconciliation.
    Reconcile = "reconcile";
    /// A deliberation's conclusions.
    Crystallize = "crystallize";
    /// A deliberation handed on.
    Escalate = "escalate";
    /// The label shown.
    FinalLabel = "final_label";
}

impl fmt::Display for StageKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for StageKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for StageKind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::parse(&String::deserialize(deserializer)?).map_err(de::Error::custom)
    }
}
