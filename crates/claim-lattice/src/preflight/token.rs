//! A text as the detectors see it: folded tokens with the marks that stand between them.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use text_units::{Cleaned, clean, words};

use super::lexicon::Lexicon;

/// A byte range of the original question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ByteSpan {
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl ByteSpan {
    /// The text that the span covers, if it slices `text`.
    #[must_use]
    pub fn slice(self, text: &str) -> Option<&str> {
        text.get(self.start..self.end)
    }
}

impl From<Range<usize>> for ByteSpan {
    fn from(range: Range<usize>) -> Self {
        Self {
            start: range.start,
            end: range.end,
        }
    }
}

/// A word with what the detectors ask of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Token {
    /// The form in which words are compared.
    pub(crate) folded: String,
    /// Where the word stands in the original text.
    pub(crate) span: ByteSpan,
    /// Whether it begins with an upper-case letter.
    pub(crate) capitalised: bool,
    /// Whether it stands between quotation marks or asterisks: mentioned, not used.
    pub(crate) quoted: bool,
    /// Whether it opens a sentence.
    pub(crate) starts_sentence: bool,
    /// Whether a comma, semicolon, colon, dash or bracket stands in front.
    pub(crate) after_break: bool,
    /// Its value, when it is a number of digits or a number word.
    pub(crate) number: Option<u64>,
    /// Whether upper case tells anything in this text (not in a headline or a shout).
    pub(crate) case_tells: bool,
}

impl Token {
    /// Whether it looks like part of a name: capitalised inside a sentence, or quoted.
    pub(crate) fn is_name(&self) -> bool {
        self.quoted || (self.capitalised && self.case_tells && !self.starts_sentence)
    }
}

/// Splits a text into tokens. Linear in its length.
pub(crate) fn tokenize(text: &str, lexicon: &Lexicon) -> Vec<Token> {
    let cleaned = clean(text);
    let mut tokens = raw_tokens(&cleaned, lexicon);
    // A headline or an all-capitals question: three long words or more, all of them upper case.
    let long = || {
        tokens
            .iter()
            .filter(|t| t.folded.chars().count() > 3 && t.number.is_none())
    };
    if long().count() > 2 && long().all(|t| t.capitalised) {
        for token in &mut tokens {
            token.case_tells = false;
        }
    }
    tokens
}

fn raw_tokens(cleaned: &Cleaned, lexicon: &Lexicon) -> Vec<Token> {
    let text = cleaned.text();
    let mut marks = Marks::default();
    let mut tokens = Vec::new();
    let mut at = 0;
    for word in words(text) {
        let gap = marks.read(text.get(at..word.span.start).unwrap_or_default());
        at = word.span.end;
        let folded = word.folded().into_owned();
        let number = number_of(&folded, lexicon);
        tokens.push(Token {
            span: cleaned.original_range(word.span).into(),
            capitalised: word.text.chars().next().is_some_and(char::is_uppercase),
            quoted: marks.is_open(),
            starts_sentence: tokens.is_empty() || gap.ends_sentence,
            after_break: gap.breaks,
            number,
            folded,
            case_tells: true,
        });
    }
    marks.read(text.get(at..).unwrap_or_default());
    // A quotation mark that never closes quotes nothing.
    if let Some(from) = marks.open_from(tokens.len()) {
        for token in tokens.iter_mut().skip(from) {
            token.quoted = false;
        }
    }
    tokens
}

fn number_of(folded: &str, lexicon: &Lexicon) -> Option<u64> {
    if folded.bytes().all(|b| b.is_ascii_digit()) {
        folded.parse().ok()
    } else {
        lexicon.number(folded)
    }
}

/// What stands between two words.
struct Gap {
    ends_sentence: bool,
    breaks: bool,
}

/// Which quotation is open.
#[derive(Default)]
struct Marks {
    open: Option<char>,
    opened_at: usize,
    words: usize,
}

impl Marks {
    fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// The token from which an unclosed quotation runs.
    fn open_from(&self, tokens: usize) -> Option<usize> {
        self.open.map(|_| self.opened_at.min(tokens))
    }

    fn read(&mut self, gap: &str) -> Gap {
        let mut out = Gap {
            ends_sentence: false,
            breaks: false,
        };
        for c in gap.chars() {
            match (self.open, c) {
                (Some(close), c) if c == close => self.open = None,
                (None, '"') => self.start('"'),
                (None, '\u{201C}') => self.start('\u{201D}'),
                (None, '\u{AB}') => self.start('\u{BB}'),
                (None, '*') => self.start('*'),
                (_, '.' | '?' | '!' | '\u{2026}' | '\n') => out.ends_sentence = true,
                (_, ',' | ';' | ':' | '\u{2013}' | '\u{2014}' | '(' | ')') => out.breaks = true,
                _ => {}
            }
        }
        self.words += 1;
        out
    }

    fn start(&mut self, close: char) {
        self.open = Some(close);
        self.opened_at = self.words;
    }
}
