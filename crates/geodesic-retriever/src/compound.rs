//! Compound questions: a hook may split one, and the findings are blended.

use serde::{Deserialize, Serialize};
use text_units::sentences;

use crate::{Error, RetrievalOutcome, RetrievedPassage, Retriever};

/// A part of a compound question and what came of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct QuestionPart {
    /// The part.
    pub question: String,
    /// Its outcome.
    pub outcome: RetrievalOutcome,
}

/// What came of a compound question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CompoundOutcome {
    /// The parts, in their order; at least one.
    pub parts: Vec<QuestionPart>,
    /// The passages of the grounded parts by querySim, ties by id, each once with its greatest.
    /// A part that was declined adds none: another part cannot rescue it.
    pub passages: Vec<RetrievedPassage>,
}

/// Splits a question and retrieves for each part. `decompose` is a hook: a model may stand behind
/// it, [`split_questions`] is built in; when it gives nothing the question stays whole.
///
/// # Errors
/// The retriever's, for any part.
pub fn retrieve_compound(
    retriever: &dyn Retriever,
    question: &str,
    decompose: &dyn Fn(&str) -> Vec<String>,
) -> Result<CompoundOutcome, Error> {
    let mut questions = decompose(question);
    if questions.is_empty() {
        questions.push(question.to_owned());
    }
    let mut parts = Vec::with_capacity(questions.len());
    for question in questions {
        let outcome = retriever.retrieve(&question)?;
        parts.push(QuestionPart { question, outcome });
    }
    let mut passages: Vec<RetrievedPassage> = parts
        .iter()
        .flat_map(|p| p.outcome.passages())
        .cloned()
        .collect();
    passages.sort_by(|a, b| {
        let ids = || a.passage.entry_id.cmp(&b.passage.entry_id);
        b.query_sim.total_cmp(&a.query_sim).then_with(ids)
    });
    let mut seen = std::collections::BTreeSet::new();
    passages.retain(|p| seen.insert(p.passage.entry_id.clone()));
    Ok(CompoundOutcome { parts, passages })
}

/// The sentences of a question that ask, if there are several; otherwise the question as it is.
#[must_use]
pub fn split_questions(question: &str) -> Vec<String> {
    let asking: Vec<String> = sentences(question)
        .iter()
        .map(|s| s.text.trim())
        .filter(|s| s.ends_with('?'))
        .map(str::to_owned)
        .collect();
    if asking.len() < 2 {
        return vec![question.to_owned()];
    }
    asking
}
