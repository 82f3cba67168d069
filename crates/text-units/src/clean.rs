//! Cleaning: default-ignorable characters removed, NFC, CRLF to LF; every position maps back.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization;

/// A cleaned text and the way back to the original.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cleaned {
    text: String,
    /// `(start in the cleaned text, start in the original)` of each piece, in order, closed by
    /// the two lengths. Empty when nothing changed.
    pieces: Vec<(usize, usize)>,
}

impl Cleaned {
    /// The cleaned text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether cleaning changed nothing, so that positions are the same in both texts.
    #[must_use]
    pub fn is_identity(&self) -> bool {
        self.pieces.is_empty()
    }

    /// The byte range of the original text that a byte range of the cleaned text came from.
    ///
    /// The answer always slices the original: a position inside a piece that was rewritten
    /// widens to that piece. Positions past the end are clamped.
    #[must_use]
    pub fn original_range(&self, range: Range<usize>) -> Range<usize> {
        if self.pieces.is_empty() {
            let end = range.end.min(self.text.len());
            return range.start.min(end)..end;
        }
        let start = self.pieces.partition_point(|&(c, _)| c <= range.start);
        let start = start.saturating_sub(1);
        let end = self.pieces.partition_point(|&(c, _)| c < range.end);
        let at = |i: usize| {
            self.pieces
                .get(i)
                .or(self.pieces.last())
                .map_or(0, |&(_, o)| o)
        };
        let (s, e) = (at(start), at(end));
        s..e.max(s)
    }
}

/// Cleans a text: removes default-ignorable characters, normalizes to NFC, turns CRLF into LF.
///
/// Linear in the length of the text.
#[must_use]
pub fn clean(original: &str) -> Cleaned {
    if original.is_ascii() && !original.contains("\r\n") {
        return Cleaned {
            text: original.to_owned(),
            pieces: Vec::new(),
        };
    }
    let mut text = String::with_capacity(original.len());
    let mut pieces = Vec::new();
    let mut chars = original.char_indices().peekable();
    let mut run = String::new();
    while let Some((at, c)) = chars.next() {
        run.clear();
        if c == '\r' && chars.peek().is_some_and(|&(_, n)| n == '\n') {
            pieces.push((text.len(), at));
            chars.next();
            text.push('\n');
            continue;
        }
        pieces.push((text.len(), at));
        if !is_default_ignorable(c) {
            run.push(c);
        }
        while let Some(&(_, n)) = chars.peek() {
            if !is_default_ignorable(n) && !joins_previous(n) {
                break;
            }
            if !is_default_ignorable(n) {
                run.push(n);
            }
            chars.next();
        }
        text.extend(run.nfc());
    }
    pieces.push((text.len(), original.len()));
    if text == original {
        pieces.clear();
    }
    Cleaned { text, pieces }
}

/// Whether NFC may combine this character with what stands before it.
fn joins_previous(c: char) -> bool {
    unicode_normalization::char::canonical_combining_class(c) != 0
        || unicode_normalization::is_nfc_quick(std::iter::once(c))
            != unicode_normalization::IsNormalized::Yes
        || matches!(c, '\u{1161}'..='\u{1175}' | '\u{11A8}'..='\u{11C2}')
}

/// `Default_Ignorable_Code_Point` of the Unicode Character Database.
pub(crate) fn is_default_ignorable(c: char) -> bool {
    matches!(c,
        '\u{00AD}' | '\u{034F}' | '\u{061C}' | '\u{115F}'..='\u{1160}' | '\u{17B4}'..='\u{17B5}'
        | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}'
        | '\u{2060}'..='\u{206F}' | '\u{3164}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}'
        | '\u{FFA0}' | '\u{FFF0}'..='\u{FFF8}' | '\u{1BCA0}'..='\u{1BCA3}'
        | '\u{1D173}'..='\u{1D17A}' | '\u{E0000}'..='\u{E0FFF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decomposed_and_composed_are_the_same_text() {
        let cleaned = clean("fac\u{327}ana\r\nx");
        assert_eq!(cleaned.text(), "façana\nx");
        assert_eq!(cleaned.original_range(0..7), 0..8);
    }

    #[test]
    fn invisible_characters_go_and_positions_stay() {
        let cleaned = clean("a\u{200B}b");
        assert_eq!(cleaned.text(), "ab");
        assert_eq!(cleaned.original_range(1..2), 4..5);
    }
}
