//! What is known about a question: the findings of the detectors, and the audit line's tails.

use serde::{Deserialize, Serialize};

use super::contradiction::Contradiction;
use super::frames::FrameReading;
use super::premise::{FalsePremise, OutOfCorpus};
use super::temporal::StaleRisk;
use crate::ladder::AuditTail;

impl AuditTail {
    /// The tail as it stands in the audit line: "· false premise".
    #[must_use]
    pub fn tail(self) -> String {
        format!("\u{B7} {}", self.words())
    }
}

/// The findings of the detectors: three before retrieval, two after it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct QuestionState {
    /// Before retrieval: asks for what is newer than the corpus.
    pub stale_risk: Option<StaleRisk>,
    /// Before retrieval: asserts p and not p.
    pub contradiction: Option<Contradiction>,
    /// Before retrieval: the frames of the names in it.
    pub frames: FrameReading,
    /// After retrieval: presupposes what the evidence denies or lacks.
    pub false_premise: Option<FalsePremise>,
    /// After retrieval: nothing that it is about occurs in any passage.
    pub out_of_corpus: Option<OutOfCorpus>,
}

impl QuestionState {
    /// The statuses that hold, in the order of the audit line.
    #[must_use]
    pub fn statuses(&self) -> Vec<AuditTail> {
        [
            (self.false_premise.is_some(), AuditTail::FalsePremise),
            (self.contradiction.is_some(), AuditTail::Contradictory),
            (self.stale_risk.is_some(), AuditTail::StaleRisk),
            (self.out_of_corpus.is_some(), AuditTail::OutOfCorpus),
            (self.frames.ambiguous, AuditTail::FrameAmbiguous),
        ]
        .into_iter()
        .filter_map(|(holds, status)| holds.then_some(status))
        .collect()
    }

    /// The tails of the audit line, such as "· stale risk · frame ambiguous"; empty when no
    /// status holds.
    #[must_use]
    pub fn tails(&self) -> String {
        let tails: Vec<String> = self.statuses().into_iter().map(AuditTail::tail).collect();
        tails.join(" ")
    }
}
