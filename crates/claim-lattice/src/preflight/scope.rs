//! What bounds a question: a count, a time, a place, a work.

use serde::{Deserialize, Serialize};

use super::question::{Question, hidden};
use super::token::{ByteSpan, Token};

/// What a bound is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum BoundKind {
    /// A number of things: "the first three".
    Count,
    /// A time: "in 2019".
    Time,
    /// A place: "in Norway".
    Place,
    /// A work or document: "in the film".
    Work,
}

/// A bound of a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScopeBound {
    /// What it is made of.
    pub kind: BoundKind,
    /// The words of the question.
    pub text: String,
    /// Where they stand.
    pub span: ByteSpan,
    /// The number, for a count.
    pub count: Option<u64>,
}

const SECTIONS: [(&str, BoundKind); 4] = [
    ("bound.count", BoundKind::Count),
    ("bound.work", BoundKind::Work),
    ("bound.time", BoundKind::Time),
    ("bound.place", BoundKind::Place),
];

/// Years are no counts: "the 1994 election" bounds nothing to 1,994 things.
const LARGEST_COUNT: u64 = 999;

/// The number of a counted bound. A number inside a name ("the Thirty Years' War") counts
/// nothing.
fn counted(found: Option<&[Token]>) -> Option<u64> {
    let number = found?.iter().rev().find(|t| t.number.is_some())?;
    number.number.filter(|_| !number.is_name())
}

/// The bounds of a question, in order, none inside another.
pub(crate) fn scope_bounds(question: &Question<'_>) -> Vec<ScopeBound> {
    let tokens = &question.tokens;
    let masks: Vec<_> = question
        .lexicon
        .patterns("bound.mask")
        .find_all(tokens)
        .collect();
    let mut out = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let found = SECTIONS.iter().find_map(|&(section, kind)| {
            let m = question.lexicon.patterns(section).longest_at(tokens, at)?;
            let quoted = tokens.get(m.start).is_some_and(|t| t.quoted);
            if quoted || hidden(&masks, m) {
                return None;
            }
            let count = (kind == BoundKind::Count).then(|| counted(tokens.get(m.start..m.end)));
            match count {
                Some(None) => None,
                Some(Some(n)) if n == 0 || n > LARGEST_COUNT => None,
                Some(n) => Some((m, kind, n)),
                None => Some((m, kind, None)),
            }
        });
        if let Some((m, kind, count)) = found {
            out.push(ScopeBound {
                kind,
                text: question.matched(m),
                span: question.span(m),
                count,
            });
            at = m.end.max(at + 1);
        } else {
            at += 1;
        }
    }
    out
}
