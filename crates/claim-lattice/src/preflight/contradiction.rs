//! Before retrieval: does the question assert p and not p?

use serde::{Deserialize, Serialize};

use super::pattern::Match;
use super::question::{Question, hidden};
use super::token::{ByteSpan, Token};

/// In what way the question contradicts itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ContradictionForm {
    /// A phrase that contradicts itself: "square circle".
    Phrase,
    /// Two opposites are asserted of the same thing: "both alive and dead".
    Opposites,
    /// A word and its negation are joined: "is red and not red".
    AffirmedAndDenied,
    /// What the opening clause denies, the question takes as given: "Since X never went to Y,
    /// when did X go to Y?"
    GivenDenied,
}

/// A contradiction inside a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contradiction {
    /// In what way.
    pub form: ContradictionForm,
    /// The words from the first side to the second.
    pub matched: String,
    /// Where they stand in the question.
    pub span: ByteSpan,
}

/// How far apart the two sides of a conjunction may stand, in words.
const REACH: usize = 6;

/// Finds a contradiction. Linear in the length of the question.
pub(crate) fn contradiction(question: &Question<'_>) -> Option<Contradiction> {
    let masks: Vec<Match> = question
        .lexicon
        .patterns("contradiction.mask")
        .find_all(&question.tokens)
        .collect();
    let found = |form, m: Match| {
        Some(Contradiction {
            form,
            matched: question.matched(m),
            span: question.span(m),
        })
    };
    let explicit = question.lexicon.patterns("contradiction.explicit");
    if let Some(m) = explicit
        .find_all(&question.tokens)
        .find(|m| !question.is_mention(*m))
    {
        return found(ContradictionForm::Phrase, m);
    }
    if let Some(m) = opposites(question, &masks) {
        return found(ContradictionForm::Opposites, m);
    }
    if let Some(m) = affirmed_and_denied(question, &masks) {
        return found(ContradictionForm::AffirmedAndDenied, m);
    }
    given_denied(question).and_then(|m| found(ContradictionForm::GivenDenied, m))
}

fn is_and(question: &Question<'_>, token: &Token) -> bool {
    question.lexicon.has_word("conjunction", &token.folded)
}

/// "A and B" with opposite A and B as predicates: the second ends its clause, or the two are
/// said to hold at the same time. In front of a noun they name two groups ("married and
/// unmarried couples"), which is no contradiction.
fn opposites(question: &Question<'_>, masks: &[Match]) -> Option<Match> {
    let tokens = &question.tokens;
    let both = question.lexicon.patterns("contradiction.simultaneous");
    let at_once = both.find(tokens).is_some();
    (1..tokens.len().saturating_sub(1)).find_map(|at| {
        let conjunction = tokens.get(at)?;
        if !is_and(question, conjunction) || conjunction.quoted {
            return None;
        }
        let before = tokens.get(at - 1)?;
        let second = (at + 1..(at + 4).min(tokens.len())).find(|&i| {
            let word = tokens.get(i).map(|t| t.folded.as_str()).unwrap_or_default();
            question.lexicon.opposed(&before.folded, word)
        })?;
        let m = Match {
            start: at - 1,
            end: second + 1,
        };
        let between = tokens.get(at + 1..second)?;
        if between
            .iter()
            .any(|t| question.lexicon.is_content(&t.folded))
            || hidden(masks, m)
        {
            return None;
        }
        (at_once || ends_clause(question, second + 1)).then_some(m)
    })
}

/// Whether no content word follows directly: end of the question, a break, or a function word.
fn ends_clause(question: &Question<'_>, at: usize) -> bool {
    question.tokens.get(at).is_none_or(|t| {
        t.starts_sentence || t.after_break || !question.lexicon.is_content(&t.folded)
    })
}

/// "W and not W", with the same stem on both sides of a conjunction and a negation.
fn affirmed_and_denied(question: &Question<'_>, masks: &[Match]) -> Option<Match> {
    let tokens = &question.tokens;
    let lexicon = question.lexicon;
    (1..tokens.len()).find_map(|at| {
        let conjunction = tokens.get(at)?;
        if !is_and(question, conjunction) || conjunction.quoted {
            return None;
        }
        let limit = (at + 1 + REACH).min(tokens.len());
        let negation = (at + 1..limit.min(at + 4)).find(|&i| {
            tokens
                .get(i)
                .is_some_and(|t| lexicon.has_word("negation", &t.folded))
        })?;
        let denied = (negation + 1..limit)
            .find(|&i| tokens.get(i).is_some_and(|t| lexicon.is_content(&t.folded)))?;
        let stem = lexicon.stem(&tokens.get(denied)?.folded);
        let affirmed = (at.saturating_sub(REACH)..at).rev().find(|&i| {
            tokens
                .get(i)
                .is_some_and(|t| lexicon.is_content(&t.folded) && lexicon.stem(&t.folded) == stem)
        })?;
        let m = Match {
            start: affirmed,
            end: denied + 1,
        };
        let m_mask = Match {
            start: at,
            end: negation + 1,
        };
        let masked = masks
            .iter()
            .any(|k| k.start <= m_mask.start && m_mask.end <= k.end);
        (!masked).then_some(m)
    })
}

/// "Since X never went to Y, when did X go to Y?": an opening clause that denies what the rest
/// of the question takes as given.
fn given_denied(question: &Question<'_>) -> Option<Match> {
    let tokens = &question.tokens;
    let lexicon = question.lexicon;
    let opening = lexicon
        .patterns("contradiction.given")
        .longest_at(tokens, 0)?;
    let cut =
        (opening.end..tokens.len()).find(|&i| tokens.get(i).is_some_and(|t| t.after_break))?;
    let (given, asked) = (tokens.get(opening.end..cut)?, tokens.get(cut..)?);
    let denies = |part: &[Token]| {
        part.iter()
            .position(|t| lexicon.has_word("negation", &t.folded))
    };
    let (denied_at, other) = match (denies(given), denies(asked)) {
        (Some(at), None) => (given.get(at + 1..)?, asked),
        (None, Some(at)) => (asked.get(at + 1..)?, given),
        _ => return None,
    };
    let stems = |part: &[Token]| -> std::collections::BTreeSet<String> {
        part.iter()
            .filter(|t| lexicon.is_content(&t.folded))
            .map(|t| lexicon.stem(lexicon.base_form(&t.folded)))
            .collect()
    };
    let denied = stems(denied_at);
    let shared = stems(other);
    // The first content word behind the negation is what is denied; it must be taken as given,
    // together with everything else that was said about it.
    let first = denied_at.iter().find(|t| lexicon.is_content(&t.folded))?;
    let first = lexicon.stem(lexicon.base_form(&first.folded));
    // The same thing must be spoken of, by its name or by a pronoun.
    let denying = if denies(given).is_some() {
        given
    } else {
        asked
    };
    let about = stems(denying.get(..denies(denying)?)?);
    let pronoun = asked.iter().any(|t| lexicon.has_word("pronoun", &t.folded));
    let dropped = stems(asked).is_subset(&stems(given));
    let same = pronoun || dropped || about.iter().any(|s| shared.contains(s));
    let told_again = denied.iter().filter(|s| shared.contains(*s)).count() * 2 >= denied.len();
    let agree = same && told_again && shared.contains(&first);
    agree.then_some(Match {
        start: 0,
        end: tokens.len(),
    })
}
