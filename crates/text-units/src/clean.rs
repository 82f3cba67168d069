//! Cleaning: default-ignorable characters removed, NFC, CRLF to LF; every position maps back.

use std::ops::Range;

use unicode_normalization::char::canonical_combining_class;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

use crate::ignorable::is_default_ignorable;

/// A cleaned text and the way back to the original.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cleaned {
    text: String,
    /// Where the two texts differ, ascending; between edits they are the same but for an offset.
    edits: Vec<Edit>,
    /// Length of the original, in bytes.
    original_len: usize,
}

/// A stretch of the original and what it became. Not both are empty.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Edit {
    cleaned: Range<usize>,
    original: Range<usize>,
}

impl Cleaned {
    /// The cleaned text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The cleaned text, by value.
    #[must_use]
    pub fn into_text(self) -> String {
        self.text
    }

    /// Whether cleaning changed nothing, so that positions are the same in both texts.
    #[must_use]
    pub fn is_identity(&self) -> bool {
        self.edits.is_empty()
    }

    /// The byte range of the original text that a byte range of the cleaned text came from.
    ///
    /// The answer always slices the original. A position inside a character, or inside a stretch
    /// that was rewritten (`e` and a combining accent that became `é`), widens to all of it;
    /// removed characters at either end are left out; positions past the end are clamped.
    /// For scalar values see [`ScalarIndex`](crate::ScalarIndex). Logarithmic in the number of
    /// edits.
    #[must_use]
    pub fn original_range(&self, range: Range<usize>) -> Range<usize> {
        let end = ceil_boundary(&self.text, range.end.min(self.text.len()));
        let start = floor_boundary(&self.text, range.start.min(end));
        if self.edits.is_empty() {
            return start..end;
        }
        let from = self.original_start(start);
        if start == end {
            return from..from;
        }
        from..self.original_end(end).max(from)
    }

    /// Maps the start of a range: behind what was removed there.
    fn original_start(&self, at: usize) -> usize {
        let after = self.edits.partition_point(|e| e.cleaned.start <= at);
        match after.checked_sub(1).and_then(|i| self.edits.get(i)) {
            None => at,
            Some(edit) if at < edit.cleaned.end => edit.original.start,
            Some(edit) => edit.original.end + (at - edit.cleaned.end),
        }
    }

    /// Maps the end of a range: in front of what was removed there.
    fn original_end(&self, at: usize) -> usize {
        let after = self.edits.partition_point(|e| e.cleaned.start < at);
        match after.checked_sub(1).and_then(|i| self.edits.get(i)) {
            None => at,
            Some(edit) if at < edit.cleaned.end => edit.original.end,
            Some(edit) => edit.original.end + (at - edit.cleaned.end),
        }
    }

    /// Length of the original text, in bytes.
    #[must_use]
    pub fn original_len(&self) -> usize {
        self.original_len
    }
}

/// Cleans a text: removes default-ignorable characters, normalizes to NFC, turns CRLF into LF.
///
/// The three steps are defined in this order, so `CR`, a zero-width space and `LF` are a CRLF
/// once the middle one is gone, and become one `LF`. So that cleaning twice is cleaning once,
/// a run of CRs in front of an LF goes as a whole (`CR CR LF`, what a file becomes when its line
/// ends were converted twice). A lone CR stays.
///
/// ```
/// let cleaned = text_units::clean("fac\u{327}ana\r\n");
/// assert_eq!(cleaned.text(), "façana\n");
/// assert_eq!(cleaned.original_range(0..7), 0..8);
/// ```
///
/// Linear in the length of the text; text that is clean already is only scanned and copied.
#[must_use]
pub fn clean(original: &str) -> Cleaned {
    let mut cleaned = Cleaned {
        text: String::new(),
        edits: Vec::new(),
        original_len: original.len(),
    };
    let Some(dirty) = first_suspect(original, 0) else {
        original.clone_into(&mut cleaned.text);
        return cleaned;
    };
    cleaned.text.reserve(original.len());
    let mut copied = 0;
    let mut suspect = Some(dirty);
    let mut no_line_end_before = 0;
    let mut scratch = String::new();
    while let Some(at) = suspect {
        let chunk = chunk_at(original, at.max(copied), copied, &mut no_line_end_before);
        cleaned
            .text
            .push_str(original.get(copied..chunk.start).unwrap_or(""));
        copied = chunk.end;
        if let Some(old) = original.get(chunk) {
            cleaned.rewrite(old, copied - old.len(), &mut scratch);
        }
        suspect = first_suspect(original, copied);
    }
    cleaned.text.push_str(original.get(copied..).unwrap_or(""));
    cleaned
}

impl Cleaned {
    /// Appends the cleaned form of `old`, which starts at `at` in the original.
    fn rewrite(&mut self, old: &str, at: usize, scratch: &mut String) {
        scratch.clear();
        if old.starts_with('\r') && old.ends_with('\n') {
            scratch.push('\n');
        } else {
            scratch.extend(old.chars().filter(|&c| !is_default_ignorable(c)).nfc());
        }
        let start = self.text.len();
        self.text.push_str(scratch);
        if scratch == old {
            return;
        }
        // Only what differs is an edit, so that positions around it stay exact.
        let head = common(old.chars(), scratch.chars());
        let tail = common(
            old.get(head..).unwrap_or("").chars().rev(),
            scratch.get(head..).unwrap_or("").chars().rev(),
        );
        let (head, tail) = if scratch == "\n" {
            (0, 0)
        } else {
            (head, tail)
        };
        self.edits.push(Edit {
            cleaned: start + head..self.text.len() - tail,
            original: at + head..at + old.len() - tail,
        });
    }
}

/// How many bytes two sequences of characters have in common at their start.
fn common(a: impl Iterator<Item = char>, b: impl Iterator<Item = char>) -> usize {
    a.zip(b)
        .take_while(|(x, y)| x == y)
        .map(|(x, _)| x.len_utf8())
        .sum()
}

/// The stretch around a suspect character that can be cleaned on its own: from the character in
/// front that it may combine with to the next character that starts afresh.
fn chunk_at(text: &str, at: usize, floor: usize, no_line_end_before: &mut usize) -> Range<usize> {
    let rest = text.get(at..).unwrap_or("");
    // A run of CRs that ends in no LF is looked at once, not once a CR.
    if rest.starts_with('\r') && at >= *no_line_end_before {
        let body = rest.trim_start_matches(|c| c == '\r' || is_default_ignorable(c));
        let stop = text.len() - body.len();
        if body.starts_with('\n') {
            return at..stop + 1;
        }
        *no_line_end_before = stop;
    }
    let start = text
        .get(floor..at)
        .and_then(|before| before.char_indices().next_back())
        .map_or(at, |(i, _)| floor + i);
    let mut chars = text.get(at..).unwrap_or("").char_indices();
    chars.next();
    let end = chars
        .find(|&(_, c)| starts_afresh(c))
        .map_or(text.len(), |(i, _)| at + i);
    start..end
}

/// Whether a character never combines with what stands before it, and stays.
fn starts_afresh(c: char) -> bool {
    let code = u32::from(c);
    // Below U+0300 nothing combines; only the soft hyphen is ignorable.
    if code < 0x300 {
        return code != 0xAD;
    }
    is_unchanged(c)
}

/// Whether NFC keeps a character as it is, whatever stands around it, and it is not ignorable.
fn is_unchanged(c: char) -> bool {
    canonical_combining_class(c) == 0
        && is_nfc_quick(std::iter::once(c)) == IsNormalized::Yes
        && !is_default_ignorable(c)
}

/// The first position from `from` on whose character may have to change: a CR in front of what
/// may become a line end, an ignorable character, one that NFC may touch.
fn first_suspect(text: &str, from: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = from;
    while let Some(&byte) = bytes.get(at) {
        // Eight ASCII bytes at a time, when none is a carriage return.
        if let Some(word) = bytes.get(at..).and_then(<[u8]>::first_chunk::<8>)
            && plain_ascii(u64::from_le_bytes(*word))
        {
            at += 8;
            continue;
        }
        at += match byte {
            b'\r' if cr_is_suspect(bytes, at) => return Some(at),
            0..0x80 => 1,
            // U+0080 to U+02FF.
            0xC2 if bytes.get(at + 1) == Some(&0xAD) => return Some(at),
            0xC2..0xCC => 2,
            // The dashes, quotation marks and bullets of U+2010 to U+2029 and U+2030 to U+203F.
            0xE2 if matches!(
                (bytes.get(at + 1), bytes.get(at + 2)),
                (Some(0x80), Some(0x90..=0xA9 | 0xB0..=0xBF))
            ) =>
            {
                3
            }
            _ => {
                let c = text.get(at..)?.chars().next()?;
                if !is_unchanged(c) {
                    return Some(at);
                }
                c.len_utf8()
            }
        };
    }
    None
}

/// Whether all eight bytes are ASCII and none is CR.
fn plain_ascii(word: u64) -> bool {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let cr = word ^ (ONES * 0x0D);
    (word | (cr.wrapping_sub(ONES) & !cr)) & HIGH == 0
}

/// A CR matters in front of LF, of another CR, and of a character that may be removed.
fn cr_is_suspect(bytes: &[u8], at: usize) -> bool {
    bytes
        .get(at + 1)
        .is_some_and(|&b| b == b'\n' || b == b'\r' || b >= 0x80)
}

fn floor_boundary(text: &str, at: usize) -> usize {
    (0..=at)
        .rev()
        .find(|&i| text.is_char_boundary(i))
        .unwrap_or(0)
}

fn ceil_boundary(text: &str, at: usize) -> usize {
    (at..text.len())
        .find(|&i| text.is_char_boundary(i))
        .unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decomposed_and_composed_are_the_same_text() {
        let cleaned = clean("fac\u{327}ana\r\nx");
        assert_eq!(cleaned.text(), "façana\nx");
        assert_eq!(cleaned.original_range(0..7), 0..8);
        assert_eq!(cleaned.original_range(7..8), 8..10);
        assert_eq!(cleaned.original_range(8..9), 10..11);
        assert_eq!(cleaned.original_range(2..3), 2..5);
        assert_eq!(cleaned.original_range(0..99), 0..11);
    }

    #[test]
    fn invisible_characters_go_and_positions_stay() {
        let cleaned = clean("a\u{200B}b");
        assert_eq!(cleaned.text(), "ab");
        assert_eq!(cleaned.original_range(0..1), 0..1);
        assert_eq!(cleaned.original_range(1..2), 4..5);
        assert_eq!(cleaned.original_range(0..2), 0..5);
        assert_eq!(cleaned.original_range(1..1), 4..4);
    }

    #[test]
    fn the_order_of_the_steps_shows_in_line_ends() {
        assert_eq!(clean("a\r\u{200B}\nb").text(), "a\nb");
        assert_eq!(clean("a\r\r\nb").text(), "a\nb");
        assert_eq!(clean("a\rb\r").text(), "a\rb\r");
        assert_eq!(clean("a\r\u{301}\n").text(), "a\r\u{301}\n");
        assert_eq!(clean("\u{FEFF}a").text(), "a");
    }

    #[test]
    fn clean_text_is_the_same_text() {
        for text in [
            "",
            "plain",
            "L’home va néixer a l’Eixample — sí.",
            "日本語",
            "हिन्दी",
            "a\rb",
        ] {
            let cleaned = clean(text);
            assert!(cleaned.is_identity(), "{text}");
            assert_eq!(cleaned.text(), text);
            assert_eq!(cleaned.original_range(0..usize::MAX), 0..text.len());
        }
    }
}
