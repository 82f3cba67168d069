//! A question, split once and shared by all detectors.

use super::lexicon::Lexicon;
use super::pattern::Match;
use super::token::{ByteSpan, Token, tokenize};

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

    /// All matches of a section that no match of the mask section hides, and that are used
    /// rather than mentioned.
    pub(crate) fn used(&self, section: &str, mask: &str) -> Vec<Match> {
        let masks: Vec<Match> = self.lexicon.patterns(mask).find_all(&self.tokens).collect();
        self.lexicon
            .patterns(section)
            .find_all(&self.tokens)
            .filter(|&m| !self.is_mention(m) && !hidden(&masks, m))
            .collect()
    }
}

/// Whether one of the masks, which are in order of their start, hides a match. A mask reaches
/// at most as far back as a pattern is long, so only a few are looked at.
pub(crate) fn hidden(masks: &[Match], found: Match) -> bool {
    let end = masks.partition_point(|m| m.start <= found.start);
    masks
        .get(..end)
        .unwrap_or_default()
        .iter()
        .rev()
        .take_while(|m| m.start + 32 > found.start)
        .any(|m| m.hides(found))
}
