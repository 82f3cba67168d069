//! What is known about a question: the findings of the detectors, and the audit line's tails.

use serde::{Deserialize, Serialize};

use super::contradiction::Contradiction;
use super::frames::FrameReading;
use super::premise::{FalsePremise, OutOfCorpus};
use super::temporal::StaleRisk;

/// A property of a question, in the order of the audit line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum LogicalStatus {
    /// Presupposes what the evidence denies or lacks.
    FalsePremise,
    /// Asserts p and not p.
    Contradictory,
    /// Asks for what is newer than the corpus.
    StaleRisk,
    /// Nothing that the question is about occurs in any passage.
    OutOfCorpus,
    /// The name in the question stands for several things.
    FrameAmbiguous,
}

impl LogicalStatus {
    /// The status as words: "false premise".
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

    /// The tail of the audit line: "· false premise".
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
    pub fn statuses(&self) -> Vec<LogicalStatus> {
        [
            (self.false_premise.is_some(), LogicalStatus::FalsePremise),
            (self.contradiction.is_some(), LogicalStatus::Contradictory),
            (self.stale_risk.is_some(), LogicalStatus::StaleRisk),
            (self.out_of_corpus.is_some(), LogicalStatus::OutOfCorpus),
            (self.frames.ambiguous, LogicalStatus::FrameAmbiguous),
        ]
        .into_iter()
        .filter_map(|(holds, status)| holds.then_some(status))
        .collect()
    }

    /// The tails of the audit line, such as "· stale risk · frame ambiguous"; empty when no
    /// status holds.
    #[must_use]
    pub fn tails(&self) -> String {
        let tails: Vec<String> = self
            .statuses()
            .into_iter()
            .map(LogicalStatus::tail)
            .collect();
        tails.join(" ")
    }
}
