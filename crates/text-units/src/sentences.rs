//! Sentences: UAX #29 inside blocks of lines, with the dots of abbreviations told apart.

use std::borrow::Cow;
use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

use crate::abbreviations::{Class, class, is_starter};
use crate::blocks::{Block, BlockKind, blocks};
use crate::fold::fold;
use crate::markers::marker_run;
use crate::sentence_bounds::sentence_bounds;

/// A sentence of a text, without the white space around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sentence<'t> {
    /// The sentence as it stands in the text, block marker included.
    pub text: &'t str,
    /// Where it stands, in bytes.
    pub span: Range<usize>,
    /// What kind of block it stands in.
    pub kind: BlockKind,
    /// Bytes that the block's marker (`- `, `12. `, `## `, `> `) takes at its start, else 0.
    pub marker: usize,
}

impl<'t> Sentence<'t> {
    /// The sentence without the marker of its block.
    #[must_use]
    pub fn content(&self) -> &'t str {
        self.text.get(self.marker..).unwrap_or("")
    }

    /// Where [`content`](Self::content) stands, in bytes.
    #[must_use]
    pub fn content_span(&self) -> Range<usize> {
        self.span.start + self.marker..self.span.end
    }
}

/// The sentences of a text, in order. Every word of the text is in exactly one of them.
///
/// Boundaries are those of UAX #29 with these changes, because real text is wrapped, marked up
/// and full of abbreviations:
///
/// - Lines: a single line feed inside a paragraph is a space. A blank line, a heading, a list
///   item, a table row, a quotation mark in front of a line, a fence or a line of code starts
///   anew (see [`BlockKind`]); rows and lines of code are never split.
/// - Dots: no end after an abbreviation of the English and Catalan lists (`Dr.`, `e.g.`,
///   `núm. 3`, `p. ex.`), nor after initials and dotted acronyms (`J. S. Mill`, `U.S.`) unless
///   a word that usually opens sentences follows, nor after the number of an item.
/// - `?`, `!` or an ellipsis before a lower-case letter is no end; `…` counts as `...`.
/// - A number may open a sentence (`… in 1990. 12 people came.`), where UAX #29 would not break.
/// - Closing quotes and brackets stay with the sentence that they close, opening ones go with
///   the next.
/// - Citation markers (`[E1]`, `[3]`, `[E1, E2]`, `【4】`, `[^5]`) after the stop belong to the
///   sentence before them, also when they fill the next line alone. Markers at the start of a
///   line that goes on with text belong to what follows.
///
/// For the plain rules see [`sentences_uax29`]. Linear in the length of the text.
#[must_use]
pub fn sentences(text: &str) -> Vec<Sentence<'_>> {
    let mut out = Vec::new();
    for block in blocks(text) {
        split(text, &block, &mut out);
    }
    out
}

/// The sentences of a text by UAX #29 alone, white space included: they add up to the text.
pub fn sentences_uax29(text: &str) -> impl Iterator<Item = &str> {
    text.split_sentence_bounds()
}

/// Cuts one block into sentences.
fn split<'t>(text: &'t str, block: &Block, out: &mut Vec<Sentence<'t>>) {
    let Some(raw) = text.get(block.span.clone()) else {
        return;
    };
    let mut cuts = Vec::new();
    if !matches!(
        block.kind,
        BlockKind::TableRow | BlockKind::Code | BlockKind::Rule
    ) {
        find_cuts(raw, block.marker, &mut cuts);
    }
    cuts.push(raw.len());
    let mut from = 0;
    for cut in cuts {
        let Some(piece) = raw.get(from..cut) else {
            continue;
        };
        let start = block.span.start + from + (piece.len() - piece.trim_start().len());
        let trimmed = piece.trim();
        if !trimmed.is_empty() {
            out.push(Sentence {
                text: trimmed,
                span: start..start + trimmed.len(),
                kind: block.kind,
                marker: if from == 0 {
                    block.marker.min(trimmed.len())
                } else {
                    0
                },
            });
        }
        from = cut;
    }
}

/// The ends of sentences inside a block, ascending, without the block's own end.
fn find_cuts(raw: &str, marker: usize, cuts: &mut Vec<usize>) {
    // UAX #29 ends a sentence at every line feed; here a line feed is a space of the same length.
    let flat: Cow<'_, str> = if raw.contains(['\n', '\r']) {
        Cow::Owned(raw.replace(['\n', '\r'], " "))
    } else {
        Cow::Borrowed(raw)
    };
    let mut last = marker;
    let mut take = |at: usize| {
        if at > last
            && let Some(cut) = settle(raw, at)
            && cut > last
            && cut < raw.len()
        {
            cuts.push(cut);
            last = cut;
        }
    };
    let mut from = 0;
    let bounds = sentence_bounds(&flat);
    for at in bounds.into_iter().chain([flat.len()]) {
        let piece = flat.get(from..at).unwrap_or("");
        inner_candidates(piece).for_each(|offset| take(from + offset));
        if at < flat.len() {
            take(at);
        }
        from = at;
    }
}

/// Places inside a UAX #29 sentence where one of ours may end: a stop and a space before a
/// number, an ellipsis and a space before a capital.
fn inner_candidates(piece: &str) -> impl Iterator<Item = usize> {
    piece
        .match_indices(['.', '\u{2026}'])
        .filter_map(|(at, stop)| {
            let after = piece.get(at + stop.len()..)?;
            let rest = after.trim_start();
            let next = rest.chars().next()?;
            let opens = if stop == "." {
                next.is_numeric() && follows_word(piece.get(..at)?)
            } else {
                next.is_uppercase()
            };
            (rest.len() < after.len() && opens).then(|| piece.len() - rest.len())
        })
}

/// Whether a text ends in a word of three letters or more or in a year: what a stop before a
/// number can end.
fn follows_word(head: &str) -> bool {
    let run = |keep: fn(char) -> bool| head.chars().rev().take(4).take_while(|&c| keep(c)).count();
    run(char::is_lowercase) >= 3 || run(|c| c.is_ascii_digit()) >= 4
}

/// Where the sentence really ends, given a boundary of UAX #29; `None` if it does not end there.
fn settle(raw: &str, at: usize) -> Option<usize> {
    let head = raw.get(..at)?;
    let trimmed = head.trim_end();
    // UAX #29 lets an opening bracket close a sentence; it opens the next one.
    let before_openers = trimmed.trim_end_matches(is_opener);
    let moved = trimmed.len() == head.len()
        && before_openers.ends_with(|c| is_closer(c) || is_stop(c))
        && before_openers.len() < trimmed.len();
    let end = if moved { before_openers } else { trimmed };
    let core = end.trim_end_matches(is_closer);
    let end = end.len() + closing_emphasis(raw.get(end.len()..)?);
    let stop = core.chars().next_back()?;
    let after = end + marker_run(raw.get(end..)?);
    let cited = after > end;
    let rest = raw.get(after..)?.trim_start();
    let next = rest.chars().find(|&c| !is_opener(c) && !is_closer(c));
    let lower = next.is_some_and(char::is_lowercase);
    let ends = match stop {
        '.' => dot_ends(core, rest, cited) && (cited || !lower),
        '!' | '?' | '\u{2026}' => !lower,
        _ => true,
    };
    ends.then_some(after)
}

/// The length of the `*` and `_` that close an emphasis right behind a stop; UAX #29 would begin
/// the next sentence with them.
fn closing_emphasis(rest: &str) -> usize {
    let after = rest.trim_start_matches(['*', '_']);
    if after.is_empty() || after.starts_with(|c: char| c.is_whitespace() || is_closer(c)) {
        rest.len() - after.len()
    } else {
        0
    }
}

/// Whether the dot that `core` ends with ends a sentence when `rest` follows, after a citation
/// marker or not.
fn dot_ends(core: &str, rest: &str, cited: bool) -> bool {
    let Some(head) = core.strip_suffix('.') else {
        return true;
    };
    if head.ends_with('.') {
        return true;
    }
    let token = last_token(head);
    let folded = fold(token);
    if head.ends_with("p. ex") || head.ends_with("per ex") {
        return false;
    }
    let next_word = rest.trim_start_matches(|c| is_opener(c) || is_closer(c));
    // What is cited has been said: "… in plan B. [3]" ends, but "cf. [3]" and "Fig. [3]" do not.
    let opens = cited || next_word.is_empty() || opens_sentence(next_word);
    if is_initials(token) && (token.starts_with(char::is_uppercase) || class(&folded).is_none()) {
        return opens;
    }
    match class(&folded) {
        Some(Class::Title) => false,
        Some(Class::Number) => !cited && !is_number(next_word),
        Some(Class::Maybe) => opens,
        None => true,
    }
}

/// The token before a dot, at most 24 characters: as long as any abbreviation.
fn last_token(head: &str) -> &str {
    let mut start = head.len();
    for (taken, (at, c)) in head.char_indices().rev().enumerate() {
        if taken == 24 || c.is_whitespace() || is_opener(c) || is_closer(c) || is_dash(c) {
            break;
        }
        start = at;
    }
    head.get(start..).unwrap_or("")
}

/// `J`, `U.S`, `J.S`, `a. m` written together: single letters between dots.
fn is_initials(token: &str) -> bool {
    let dotted = token.contains('.');
    token.split('.').all(|part| {
        let mut chars = part.chars();
        chars
            .next()
            .is_some_and(|c| c.is_uppercase() || (dotted && c.is_alphabetic()))
            && chars.next().is_none()
    })
}

/// Whether a text begins with a digit or a Roman numeral.
fn is_number(text: &str) -> bool {
    if text.starts_with(|c: char| c.is_numeric()) {
        return true;
    }
    let word: &str = text
        .split(|c: char| !c.is_alphanumeric())
        .next()
        .unwrap_or("");
    !word.is_empty()
        && word.len() <= 15
        && word.bytes().all(|b| b"IVXLCDM".contains(&b))
        && word != "I"
}

/// Whether a text begins with a capitalised word of the list of sentence openers.
fn opens_sentence(text: &str) -> bool {
    if !text.starts_with(char::is_uppercase) {
        return false;
    }
    let word_end = text
        .find(|c: char| !c.is_alphabetic() && c != '\'' && c != '\u{2019}')
        .unwrap_or(text.len());
    let word = fold(text.get(..word_end).unwrap_or(""));
    is_starter(&word)
        || word
            .split_once('\'')
            .is_some_and(|(clitic, _)| is_starter(clitic) || matches!(clitic, "l" | "d" | "s"))
}

fn is_stop(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | '\u{2026}' | '\u{3002}')
}

fn is_dash(c: char) -> bool {
    matches!(c, '\u{2012}'..='\u{2015}')
}

fn is_opener(c: char) -> bool {
    matches!(
        c,
        '(' | '['
            | '{'
            | '\u{AB}'
            | '\u{201C}'
            | '\u{201E}'
            | '\u{2018}'
            | '\u{201A}'
            | '\u{3010}'
            | '\u{BF}'
            | '\u{A1}'
            | '*'
            | '_'
    )
}

fn is_closer(c: char) -> bool {
    matches!(
        c,
        ')' | ']' | '}' | '\u{BB}' | '\u{201D}' | '\u{2019}' | '"' | '\'' | '\u{3011}' | '*' | '_'
    )
}
