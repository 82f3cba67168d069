//! The forward pass (seed 003): embed, label, search, admit, window, gate.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::{Calibration, EntryMeta, Error, Filter, Fingerprint, MatchBand};

/// A passage: an entry's text and where it comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Passage {
    /// The entry's id.
    pub entry_id: String,
    /// The document's id.
    pub source_id: String,
    /// The document's title.
    pub title: String,
    /// The text.
    pub text: String,
    /// Where it stands in the document's text, in bytes.
    pub bytes: Range<usize>,
    /// Where it stands in the document's text, in characters.
    pub chars: Range<usize>,
    /// Dictionary, kind and parent document.
    pub meta: EntryMeta,
}

/// A passage with its similarity to the question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RetrievedPassage {
    /// 1 − θ/π: the only score, and what orders the passages.
    pub query_sim: f64,
    /// The cosine that it comes from.
    pub cosine: f64,
    /// The passage.
    #[serde(flatten)]
    pub passage: Passage,
}

/// A label's share in a question: routing information, never a score.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LabelAmplitude {
    /// The label.
    pub label: String,
    /// 1 − θ/π between the question and the label's anchor.
    pub amplitude: f64,
}

/// Every figure that the gate's decision rests on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RetrievalFigures {
    /// The embedder's model.
    pub model_id: String,
    /// Entries in the index.
    pub entries: usize,
    /// Candidates that the search gave.
    pub candidates: usize,
    /// Candidates at or above the floor.
    pub admitted: usize,
    /// The greatest querySim; none without candidates.
    pub best_query_sim: Option<f64>,
    /// The admission floor.
    pub floor: f64,
    /// The gate's threshold, which the best must exceed.
    pub threshold: f64,
    /// The band of the best.
    pub band: MatchBand,
    /// The seed's suggestion for that band.
    pub suggested_action: String,
    /// Passages left out of the window as near-duplicates of a better one.
    pub near_duplicates: usize,
    /// Passages left out of the window because their document had its share.
    pub over_parent_limit: usize,
    /// The labels' amplitudes, where the retriever has anchors.
    pub amplitudes: Vec<LabelAmplitude>,
    /// The label with the greatest amplitude.
    pub winner: Option<String>,
    /// What the reader should know: a drifted corpus, a truncated question.
    pub notes: Vec<String>,
}

/// Why a question was declined.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "reason")]
#[non_exhaustive]
pub enum DeclineReason {
    /// The index has no entry.
    EmptyDictionary,
    /// No entry passes the filter.
    NothingPassesFilter,
    /// The question holds no content that the embedder can see.
    NoContent,
    /// The best entry is not near enough.
    BelowThreshold {
        /// Its querySim.
        best: f64,
        /// What it had to exceed.
        threshold: f64,
    },
}

impl std::fmt::Display for DeclineReason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::EmptyDictionary => write!(f, "the dictionary is empty"),
            Self::NothingPassesFilter => write!(f, "no entry passes the filter"),
            Self::NoContent => write!(f, "the question holds no content word"),
            Self::BelowThreshold { best, threshold } => write!(
                f,
                "the nearest passage has similarity {best:.6}, not above the threshold {threshold:.6}"
            ),
        }
    }
}

/// What came of a question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "outcome")]
pub enum RetrievalOutcome {
    /// Passages near enough to answer from.
    Grounded {
        /// The prompt window, nearest first. Never empty.
        passages: Vec<RetrievedPassage>,
        /// The figures.
        figures: RetrievalFigures,
    },
    /// Nothing near enough.
    Declined {
        /// Why.
        reason: DeclineReason,
        /// What was nearest all the same: for showing, not for answering from.
        nearest: Vec<RetrievedPassage>,
        /// The figures.
        figures: RetrievalFigures,
    },
}

impl RetrievalOutcome {
    /// The figures.
    #[must_use]
    pub fn figures(&self) -> &RetrievalFigures {
        match self {
            Self::Grounded { figures, .. } | Self::Declined { figures, .. } => figures,
        }
    }

    /// Whether the gate answered.
    #[must_use]
    pub fn is_grounded(&self) -> bool {
        matches!(self, Self::Grounded { .. })
    }

    /// The passages to answer from; empty when declined.
    #[must_use]
    pub fn passages(&self) -> &[RetrievedPassage] {
        match self {
            Self::Grounded { passages, .. } => passages,
            Self::Declined { .. } => &[],
        }
    }
}

/// What facades take: a question goes in, passages or a decline come out. Object-safe.
pub trait Retriever: Send + Sync {
    /// Retrieves for a question.
    ///
    /// # Errors
    /// [`Error::EmptyQuestion`], [`Error::QuestionTooLong`], or a failure of the embedder or of
    /// a store. That nothing fits is not an error but [`RetrievalOutcome::Declined`].
    fn retrieve(&self, question: &str) -> Result<RetrievalOutcome, Error>;

    /// The embedder's space.
    fn fingerprint(&self) -> &Fingerprint;

    /// The numbers that the gate goes by.
    fn calibration(&self) -> &Calibration;

    /// The settings of the forward pass: what an operator can influence the findings by.
    fn options(&self) -> &RetrieverOptions;

    /// BLAKE3 root (hex) over the documents, where they are known.
    fn corpus_root(&self) -> Option<String>;
}

/// Settings of the forward pass.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RetrieverOptions {
    /// Candidates that the search fetches (`RERANK_FETCH_K` of the seed); default 50.
    pub fetch_k: usize,
    /// The most passages in the prompt window; default 8.
    pub window: usize,
    /// The most passages of one document in the window; default 3.
    pub per_parent: usize,
    /// A passage whose cosine with a better one reaches this is left out; default 0.95.
    pub near_duplicate: f64,
    /// The longest question, in bytes; default 65,536.
    pub max_question_bytes: usize,
    /// Questions kept in the context buffer; default 16.
    pub context_buffer: usize,
    /// Which entries are searched.
    pub filter: Filter,
}

impl Default for RetrieverOptions {
    fn default() -> Self {
        Self {
            fetch_k: 50,
            window: 8,
            per_parent: 3,
            near_duplicate: 0.95,
            max_question_bytes: 65_536,
            context_buffer: 16,
            filter: Filter::default(),
        }
    }
}
