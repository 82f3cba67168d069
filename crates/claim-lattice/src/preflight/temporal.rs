//! Before retrieval: does the question ask for what is current beyond the corpus' date?

use serde::{Deserialize, Serialize};

use super::corpus::{CivilDate, CorpusInfo};
use super::question::Question;
use super::token::ByteSpan;

/// Why an answer from the corpus may be stale.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StaleReason {
    /// Asks what is current, and nobody said how old the corpus is or when the question is asked.
    DateUnknown,
    /// Asks what is current, and the corpus ends before the day of the question.
    CorpusOlder,
    /// Names a year after the corpus ends.
    YearBeyondCorpus,
}

/// A sign of stale risk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StaleRisk {
    /// Why.
    pub reason: StaleReason,
    /// The words that ask for it.
    pub matched: String,
    /// Where they stand in the question.
    pub span: ByteSpan,
}

/// Finds the first sign of stale risk.
pub(crate) fn stale_risk(question: &Question<'_>, corpus: &CorpusInfo<'_>) -> Option<StaleRisk> {
    beyond(question, corpus.as_of).or_else(|| asks_current(question, corpus))
}

fn asks_current(question: &Question<'_>, corpus: &CorpusInfo<'_>) -> Option<StaleRisk> {
    let masks = question.matches("temporal.mask");
    let found = *question.used("temporal.current", &masks).first()?;
    let reason = match (corpus.as_of, corpus.asked_on) {
        (Some(as_of), Some(asked)) if as_of.is_before(asked) => StaleReason::CorpusOlder,
        (Some(_), Some(_)) => return None,
        _ => StaleReason::DateUnknown,
    };
    Some(StaleRisk {
        reason,
        matched: question.matched(found),
        span: question.span(found),
    })
}

/// A year later than the corpus, as four digits that are no count.
fn beyond(question: &Question<'_>, as_of: Option<CivilDate>) -> Option<StaleRisk> {
    let last = i64::from(as_of?.year);
    let token = question.tokens.iter().find(|t| {
        let year = t.number.and_then(|n| i64::try_from(n).ok());
        t.folded.len() == 4 && !t.quoted && year.is_some_and(|y| y > last && y < 2200)
    })?;
    Some(StaleRisk {
        reason: StaleReason::YearBeyondCorpus,
        matched: token
            .span
            .slice(question.text)
            .unwrap_or_default()
            .to_owned(),
        span: token.span,
    })
}
