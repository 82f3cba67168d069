//! What the model was asked, what came back, and what was decided about it.

use super::{AnswerDigest, BytesDigest, Clause};
use crate::number::Decimal;
use crate::value::Value;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The exact bytes sent to the model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PromptPayload {
    /// The prompt template's name and version.
    pub template: String,
    /// The prompt's bytes.
    pub prompt: BytesDigest,
}

impl PromptPayload {
    /// The payload of this prompt made with this template.
    #[must_use]
    pub fn of(template: impl Into<String>, prompt: impl AsRef<[u8]>) -> Self {
        Self {
            template: template.into(),
            prompt: BytesDigest::of(prompt),
        }
    }
}

/// The exact bytes that came back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnswerPayload {
    /// The answer's bytes.
    pub answer: AnswerDigest,
}

impl AnswerPayload {
    /// The payload of this answer.
    #[must_use]
    pub fn of(answer: impl AsRef<[u8]>) -> Self {
        Self {
            answer: AnswerDigest::of(answer),
        }
    }
}

/// One claim as parsed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ParsedClaim {
    /// The claim's text without its pointers.
    pub text: String,
    /// The pointers, in order.
    pub pointers: Vec<String>,
}

/// The claims found in an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ParsedClaimLatticePayload {
    /// The claims, in order.
    pub claims: Vec<ParsedClaim>,
    /// The parser's notes.
    pub notes: Vec<Value>,
}

/// A violation of a check, by code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ViolationRecord {
    /// The code: `UNKNOWN_EVIDENCE`, `LOW_COVERAGE`, ….
    pub code: String,
    /// What is needed to understand it: tokens, thresholds (integers or decimal texts).
    pub detail: Clause,
}

/// The verdict on one claim.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClaimVerdict {
    /// Whether the cited evidence bears it, as far as was checked.
    pub supported: bool,
    /// Whether the anchor warrant ran on it.
    pub warrant_fired: bool,
    /// What it violated.
    pub violations: Vec<ViolationRecord>,
}

/// The verdict with its violations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VerifyPayload {
    /// `strict`, `hybrid` or `ungrounded`.
    pub audit_mode: String,
    /// `quote`, `span`, `entity`, `paraphrase`, `claim_lattice` or `none`.
    pub verifier_method: String,
    /// One verdict a claim, in the claims' order.
    pub claims: Vec<ClaimVerdict>,
    /// Violations and demotes of the answer as a whole.
    pub violations: Vec<ViolationRecord>,
    /// The verifier's notes.
    pub notes: Vec<Value>,
}

/// The text shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RenderPayload {
    /// The form: `plain`, `markdown`, ….
    pub format: String,
    /// The text's bytes.
    pub text: AnswerDigest,
}

impl RenderPayload {
    /// The payload of this text in this form.
    #[must_use]
    pub fn of(format: impl Into<String>, text: impl AsRef<[u8]>) -> Self {
        Self {
            format: format.into(),
            text: AnswerDigest::of(text),
        }
    }
}

/// The label that a deliberation carries: what its agents report, nobody has checked.
pub const AGENT_REPORTED: &str = "agent-reported";

/// The label shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FinalLabelPayload {
    /// The label.
    pub label: String,
    /// The line shown under the answer.
    pub audit_line: String,
    /// Why the run ended as it did, where it is not the verdict that says so.
    pub reason: Option<String>,
}

/// Scores of an answer's structure, as exact decimals.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WisdomPayload {
    /// Which definition of the scores was used.
    pub semantics: String,
    /// Which composite was used.
    pub composite: String,
    /// The scores by name.
    pub scores: BTreeMap<String, Decimal>,
    /// All else that is exact: codes found, feedback given, ….
    pub details: Clause,
}
