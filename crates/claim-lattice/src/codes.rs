//! The codes of violations and the classes of anchors.

use serde::{Deserialize, Serialize};

/// The codes of violations and demotes, as they stand on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[non_exhaustive]
pub enum Code {
    /// Check 1: something like a pointer stood there and could not be read.
    MalformedPointer,
    /// Check 1: prose without a pointer.
    NoEvidencePointer,
    /// Check 2: a pointer that the map does not have.
    UnknownEvidence,
    /// Check 3: the source's role is not on the policy's list.
    SourceRoleDenied,
    /// Check 4: pointers without prose.
    EmptyClaim,
    /// Checks 2 and 5: the cited passage holds no words.
    EvidenceEmpty,
    /// Check 5: too few of the claim's content tokens occur in the cited text.
    LowCoverage,
    /// Free prose: the span stands in no source.
    SpanNotFound,
    /// Check 6: more pointers than the cap; the further ones were trimmed. A demote.
    PointerOverflowTrimmed,
    /// Check 7: an anchor of the claim is not borne; see the class.
    WarrantMissing,
    /// Check 7: the only number that could bear the claim can be read in two ways.
    NotComparable,
    /// Check 8: no cited title shares a word with the claim. A demote.
    TitleMismatch,
    /// Check 9: words that question and claim share are missing in the cited text. A demote.
    SubjectTokensAbsent,
    /// Another offered passage covers the claim clearly better. A demote.
    LazyAnchorDemoted,
    /// More claims than the policy's cap. A demote.
    TooManyClaims,
    /// Nothing but a name or a noun phrase. A demote.
    BareNameClaim,
    /// No claim holds any word of the question's subject. A demote.
    DeflectionDetected,
    /// Many lines of prose and not one pointer. A demote.
    FormatCollapsed,
    /// Check 5 passed, but not all of the claim's words stand together. A demote.
    DetailNotCovered,
    /// The claim states one reference frame and cites another.
    FrameMismatch,
}

impl Code {
    /// Whether the code only caps the rung and leaves the claim supported.
    #[must_use]
    pub fn is_demote(self) -> bool {
        matches!(
            self,
            Self::PointerOverflowTrimmed
                | Self::TitleMismatch
                | Self::SubjectTokensAbsent
                | Self::LazyAnchorDemoted
                | Self::TooManyClaims
                | Self::BareNameClaim
                | Self::DeflectionDetected
                | Self::FormatCollapsed
                | Self::DetailNotCovered
                | Self::FrameMismatch
        )
    }

    /// Whether the code belongs to check 7: the claim is not supported but pointer-linked.
    #[must_use]
    pub fn is_warrant(self) -> bool {
        matches!(self, Self::WarrantMissing | Self::NotComparable)
    }

    /// The name on the wire.
    #[must_use]
    pub fn wire_name(self) -> &'static str {
        match self {
            Self::MalformedPointer => "MALFORMED_POINTER",
            Self::NoEvidencePointer => "NO_EVIDENCE_POINTER",
            Self::UnknownEvidence => "UNKNOWN_EVIDENCE",
            Self::SourceRoleDenied => "SOURCE_ROLE_DENIED",
            Self::EmptyClaim => "EMPTY_CLAIM",
            Self::EvidenceEmpty => "EVIDENCE_EMPTY",
            Self::LowCoverage => "LOW_COVERAGE",
            Self::SpanNotFound => "SPAN_NOT_FOUND",
            Self::PointerOverflowTrimmed => "POINTER_OVERFLOW_TRIMMED",
            Self::WarrantMissing => "WARRANT_MISSING",
            Self::NotComparable => "NOT_COMPARABLE",
            Self::TitleMismatch => "TITLE_MISMATCH",
            Self::SubjectTokensAbsent => "SUBJECT_TOKENS_ABSENT",
            Self::LazyAnchorDemoted => "LAZY_ANCHOR_DEMOTED",
            Self::TooManyClaims => "TOO_MANY_CLAIMS",
            Self::BareNameClaim => "BARE_NAME_CLAIM",
            Self::DeflectionDetected => "DEFLECTION_DETECTED",
            Self::FormatCollapsed => "FORMAT_COLLAPSED",
            Self::DetailNotCovered => "DETAIL_NOT_COVERED",
            Self::FrameMismatch => "FRAME_MISMATCH",
        }
    }
}

/// The classes of anchors that a warrant can hang on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum AnchorClass {
    /// Names.
    ProperNouns,
    /// Years and months.
    Dates,
    /// The items of a list.
    EntityList,
    /// Counts.
    Counts,
    /// What a "why" is answered with.
    Causes,
    /// A possibility is not a fact.
    Modality,
    /// Numbers with units.
    Numbers,
    /// Affirmed here, denied there.
    Negation,
    /// Opposite directions or opposite words.
    Comparatives,
    /// `first`, `second`, …
    Ordinals,
    /// `all`, `only`, `most`, …
    Quantifiers,
    /// `largest`, `oldest`, …
    Superlatives,
    /// Another member of the same closed family stands in the word's place.
    Substitution,
    /// The names stand in exchanged roles.
    Roles,
}
