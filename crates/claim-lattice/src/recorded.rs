//! What is read back from disk: the record of a verdict, which proves nothing until the answer
//! is verified again.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::codes::{AnchorClass, Code};
use crate::ladder::{AuditMode, AuditTail, VerifierMethod};
use crate::parse::{AnswerMode, ParseNote};
use crate::verdict::{CoverageReport, EvidenceWindow, Verdict};

/// A violation as it was recorded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct RecordedViolation {
    pub code: Code,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim: Option<usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<AnchorClass>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pointers: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tokens: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threshold: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured: Option<u32>,
}

/// A claim's verdict as it was recorded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct RecordedClaim {
    pub text: String,
    pub span: Range<usize>,
    pub pointers: Vec<String>,
    pub supported: bool,
    pub pointer_linked: bool,
    pub warrant_fired: bool,
    pub warrant_classes: Vec<AnchorClass>,
    pub coverage: CoverageReport,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<EvidenceWindow>,
    pub violations: Vec<RecordedViolation>,
}

/// A verdict as it was recorded: the same bytes as [`Verdict`] on the wire.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct RecordedVerdict {
    pub label: String,
    pub audit_mode: AuditMode,
    pub verifier_method: VerifierMethod,
    pub answer_mode: AnswerMode,
    pub audit_line: String,
    pub tails: Vec<AuditTail>,
    pub claims: Vec<RecordedClaim>,
    pub violations: Vec<RecordedViolation>,
    pub notes: Vec<ParseNote>,
}

impl RecordedVerdict {
    /// Whether a verdict made anew says the same in every field.
    #[must_use]
    pub fn matches(&self, verdict: &Verdict) -> bool {
        *self == Self::from(verdict)
    }
}

impl From<&Verdict> for RecordedVerdict {
    fn from(verdict: &Verdict) -> Self {
        let violations = |list: &[crate::verdict::Violation]| {
            list.iter()
                .map(|v| RecordedViolation {
                    code: v.code,
                    claim: v.claim,
                    class: v.class,
                    pointers: v.pointers.clone(),
                    tokens: v.tokens.clone(),
                    threshold: v.threshold,
                    measured: v.measured,
                })
                .collect()
        };
        Self {
            label: verdict.label().to_string(),
            audit_mode: verdict.audit_mode(),
            verifier_method: verdict.verifier_method(),
            answer_mode: verdict.answer_mode(),
            audit_line: verdict.audit_line().to_owned(),
            tails: verdict.tails().to_vec(),
            claims: verdict
                .claims()
                .iter()
                .map(|c| RecordedClaim {
                    text: c.text().to_owned(),
                    span: c.span(),
                    pointers: c.pointers().to_vec(),
                    supported: c.supported(),
                    pointer_linked: c.pointer_linked(),
                    warrant_fired: c.warrant_fired(),
                    warrant_classes: c.warrant_classes().to_vec(),
                    coverage: c.coverage(),
                    window: c.window().cloned(),
                    violations: violations(c.violations()),
                })
                .collect(),
            violations: violations(verdict.violations()),
            notes: verdict.notes().to_vec(),
        }
    }
}
