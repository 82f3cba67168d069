//! Labels: a ladder whose rungs name what was checked.

use std::fmt;

use serde::{Deserialize, Serialize, Serializer};

/// How much of an answer was verified.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum AuditMode {
    /// Nothing.
    Ungrounded,
    /// Some of it.
    Hybrid,
    /// Every claim.
    Strict,
}

impl fmt::Display for AuditMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ungrounded => "UNGROUNDED",
            Self::Hybrid => "HYBRID",
            Self::Strict => "STRICT",
        })
    }
}

/// What verified an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum VerifierMethod {
    /// Quotations found verbatim.
    Quote,
    /// Sentences found verbatim.
    Span,
    /// Capitalised phrases found.
    Entity,
    /// Content tokens found.
    Paraphrase,
    /// Pointers, by the nine checks.
    ClaimLattice,
    /// Nothing did.
    None,
}

impl VerifierMethod {
    /// The name on the wire.
    #[must_use]
    pub fn wire_name(self) -> &'static str {
        match self {
            Self::Quote => "quote",
            Self::Span => "span",
            Self::Entity => "entity",
            Self::Paraphrase => "paraphrase",
            Self::ClaimLattice => "claim_lattice",
            Self::None => "none",
        }
    }
}

/// A rung of the ladder for answers with pointers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING-KEBAB-CASE")]
pub enum Rung {
    /// No claim has a pointer that was verified.
    Ungrounded,
    /// Pointers, roles and spans were verified; a warrant failed, or none applied.
    PointerLinked,
    /// The warrant passed wherever it ran; something was demoted.
    AnchorWarranted,
    /// The warrant passed wherever it ran and nothing was demoted.
    EvidenceWarranted,
    /// Reserved: this crate checks words, not entailment, and never gives it.
    EntailmentVerified,
}

impl fmt::Display for Rung {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ungrounded => "UNGROUNDED",
            Self::PointerLinked => "POINTER-LINKED",
            Self::AnchorWarranted => "ANCHOR-WARRANTED",
            Self::EvidenceWarranted => "EVIDENCE-WARRANTED",
            Self::EntailmentVerified => "ENTAILMENT-VERIFIED",
        })
    }
}

/// The label of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Label {
    /// An answer with pointers.
    Lattice {
        /// The rung.
        rung: Rung,
        /// Whether some claims stand below it.
        partial: bool,
    },
    /// Free prose.
    Prose(AuditMode),
    /// The answer says that the sources do not answer; nothing was there to verify.
    HonestRefusal,
}

impl Label {
    /// The display name that earlier versions of the design used for answers with pointers.
    #[must_use]
    pub fn legacy_name(self) -> &'static str {
        match self {
            Self::Lattice {
                rung: Rung::Ungrounded,
                ..
            }
            | Self::Prose(AuditMode::Ungrounded) => "UNGROUNDED",
            Self::Lattice { partial: false, .. } => "EVIDENCE-LINKED",
            Self::Lattice { partial: true, .. } => "EVIDENCE-LINKED-PARTIAL",
            Self::Prose(AuditMode::Strict) => "STRICT",
            Self::Prose(AuditMode::Hybrid) => "HYBRID",
            Self::HonestRefusal => "HONEST-REFUSAL",
        }
    }
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lattice { rung, partial } => {
                write!(f, "{rung}")?;
                if *partial && *rung != Rung::Ungrounded {
                    f.write_str("-PARTIAL")?;
                }
                Ok(())
            }
            Self::Prose(mode) => write!(f, "{mode}"),
            Self::HonestRefusal => f.write_str("HONEST-REFUSAL"),
        }
    }
}

impl Serialize for Label {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// What the preflight adds to an audit line, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum AuditTail {
    /// The question presupposes what the evidence denies or lacks.
    FalsePremise,
    /// The question asserts something and its opposite.
    Contradictory,
    /// The question asks for what is newer than the corpus.
    StaleRisk,
    /// No source holds what the question is about.
    OutOfCorpus,
    /// The question can be read in more than one frame.
    FrameAmbiguous,
}

impl AuditTail {
    /// The words in the audit line.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::FalsePremise => "false premise",
            Self::Contradictory => "contradictory",
            Self::StaleRisk => "stale risk",
            Self::OutOfCorpus => "out of corpus",
            Self::FrameAmbiguous => "frame ambiguous",
        }
    }
}
