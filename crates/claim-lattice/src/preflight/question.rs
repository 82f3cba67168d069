//! A question, split once and shared by all detectors.

use super::lexicon::Lexicon;
use super::pattern::Match;
use super::token::{ByteSpan, Token, tokenize};

/// More words than any match has.
pub(crate) const LONGEST_MATCH: usize = 32;

/// A tokenized question in one language.
#[derive(Debug, Clone)]
pub(crate) struct Question<'q> {
    /// The question as it was asked.
    pub(crate) text: &'q str,
    /// Its tokens.
    pub(crate) tokens: Vec<Token>,
    /// The word lists of its language.
    pub(crate) lexicon: &'q Lexicon,
}

impl<'q> Question<'q> {
    /// Splits a question. Linear in its length.
    pub(crate) fn new(text: &'q str, lexicon: &'q Lexicon) -> Self {
        Self {
            text,
            tokens: tokenize(text, lexicon),
            lexicon,
        }
    }

    /// Where a match stands in the original question.
    pub(crate) fn span(&self, found: Match) -> ByteSpan {
        let start = self.tokens.get(found.start).map_or(0, |t| t.span.start);
        let end = found
            .end
            .checked_sub(1)
            .and_then(|last| self.tokens.get(last))
            .map_or(start, |t| t.span.end);
        ByteSpan { start, end }
    }

    /// The words of a match as they were asked.
    pub(crate) fn matched(&self, found: Match) -> String {
        self.span(found)
            .slice(self.text)
            .unwrap_or_default()
            .to_owned()
    }

    /// Whether a match only mentions a title: quoted, or capitalised inside the sentence, or
    /// opening it with two capitalised words behind.
    pub(crate) fn is_mention(&self, found: Match) -> bool {
        let Some(first) = self.tokens.get(found.start) else {
            return false;
        };
        if first.quoted {
            return true;
        }
        // "Els tres mosqueters": the article of a title is capitalised inside the sentence.
        let before = found
            .start
            .checked_sub(1)
            .and_then(|at| self.tokens.get(at));
        if before.is_some_and(|t| t.is_name() && self.lexicon.has_word("function", &t.folded)) {
            return true;
        }
        if !first.capitalised || !first.case_tells {
            return false;
        }
        if !first.starts_sentence {
            return true;
        }
        let behind = self.tokens.get(found.end..).unwrap_or_default();
        behind.len() > 2
            && behind
                .iter()
                .take(2)
                .all(|t| t.capitalised && !t.starts_sentence)
    }

    /// The matches of a section, in order.
    pub(crate) fn matches(&self, section: &str) -> Vec<Match> {
        self.lexicon
            .patterns(section)
            .find_all(&self.tokens)
            .collect()
    }

    /// The matches of a section that no mask overrules, and that are used rather than
    /// mentioned, in order.
    pub(crate) fn used(&self, section: &str, masks: &[Match]) -> Vec<Match> {
        self.lexicon
            .patterns(section)
            .find_all(&self.tokens)
            .filter(|&m| !self.is_mention(m) && !hidden(masks, m))
            .collect()
    }
}

/// Whether one of the masks, which are in order of their start, overrules a match. A match is at
/// most some thirty words long (16 elements, two gaps), so only a few masks are looked at.
pub(crate) fn hidden(masks: &[Match], found: Match) -> bool {
    let end = masks.partition_point(|m| m.start < found.end);
    masks
        .get(..end)
        .unwrap_or_default()
        .iter()
        .rev()
        .take_while(|m| m.start + LONGEST_MATCH > found.start)
        .any(|m| m.overrules(found))
}
