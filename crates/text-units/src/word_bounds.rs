//! UAX #29 words, fast for what most text is made of.
//!
//! Text is taken in chunks that end behind ASCII white space. A chunk of ASCII, Latin letters up to
//! U+017F and common punctuation is split here by the same rules; any other goes to
//! unicode-segmentation. A property test holds the two together.

use unicode_segmentation::{UnicodeSegmentation, UnicodeWordIndices};

/// How far is looked ahead at once, in bytes.
const CHUNK: usize = 4096;

/// Whether a chunk may end at a position: behind white space that an ASCII character follows (a
/// mark could belong to the space).
fn may_end(bytes: &[u8], at: usize) -> bool {
    bytes.get(at).is_some_and(u8::is_ascii)
        && at
            .checked_sub(1)
            .and_then(|i| bytes.get(i))
            .is_some_and(|b| matches!(b, b' ' | b'\n' | b'\t'))
}

/// The `Word_Break` classes that matter here.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Letter,
    Digit,
    /// `ExtendNumLet`: the underscore.
    Underscore,
    /// `MidLetter`: joins letters.
    MidLetter,
    /// `MidNum`: joins digits.
    MidNumber,
    /// `MidNumLet` or `Single_Quote`: joins either.
    MidEither,
    Other,
    /// Not known here.
    Foreign,
}

/// The words of UAX #29 that hold a letter or a number, with their positions.
pub(crate) struct WordBounds<'t> {
    text: &'t str,
    at: usize,
    /// End of the chunk that is split here.
    chunk_end: usize,
    /// The words of a chunk that is not split here, and where that chunk starts.
    foreign: Option<(usize, UnicodeWordIndices<'t>)>,
}

impl<'t> WordBounds<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self {
            text,
            at: 0,
            chunk_end: 0,
            foreign: None,
        }
    }

    /// Finds the next chunk: as much as is known here, or one stretch that is not.
    fn open_chunk(&mut self) {
        let bytes = self.text.as_bytes();
        let start = self.at;
        let limit = (start + CHUNK).min(bytes.len());
        let mut end = start;
        let mut known = true;
        while end < limit && known {
            if let Some(eight) = bytes.get(end..).and_then(<[u8]>::first_chunk::<8>)
                && eight.is_ascii()
            {
                end += 8;
                continue;
            }
            let (class, width) = class_at(bytes, end);
            known = class != Class::Foreign;
            end += width;
        }
        if known && end >= bytes.len() {
            self.chunk_end = bytes.len();
            return;
        }
        // Back to the last place where a chunk may end.
        let stop = end.min(bytes.len());
        let back = (start + 1..stop).rev().find(|&i| may_end(bytes, i));
        if let Some(end) = back {
            self.chunk_end = end;
            return;
        }
        // None: the stretch up to the next such place is left to the tables.
        let end = (stop..bytes.len())
            .find(|&i| may_end(bytes, i))
            .unwrap_or(bytes.len());
        self.chunk_end = end;
        let chunk = self.text.get(start..end).unwrap_or("");
        self.foreign = Some((start, chunk.unicode_word_indices()));
        self.at = end;
    }

    /// The next word of a chunk that is split here.
    fn next_here(&mut self) -> Option<(usize, &'t str)> {
        let bytes = self.text.as_bytes();
        while self.at < self.chunk_end {
            let start = self.at;
            let (first, width) = class_at(bytes, start);
            self.at += width;
            let mut last = first;
            let mut counts = matches!(first, Class::Letter | Class::Digit);
            if !counts && first != Class::Underscore {
                continue;
            }
            while self.at < self.chunk_end {
                if last == Class::Letter && bytes.get(self.at).is_some_and(u8::is_ascii_alphabetic)
                {
                    self.at += 1;
                    continue;
                }
                let (class, width) = class_at(bytes, self.at);
                let over = match class {
                    Class::Letter | Class::Digit | Class::Underscore => 0,
                    Class::MidLetter | Class::MidNumber | Class::MidEither => {
                        let (next, next_width) = class_at(bytes, self.at + width);
                        let joins = next == last
                            && ((last == Class::Letter && class != Class::MidNumber)
                                || (last == Class::Digit && class != Class::MidLetter));
                        if !joins || self.at + width >= self.chunk_end {
                            break;
                        }
                        next_width
                    }
                    _ => break,
                };
                if over == 0 {
                    last = class;
                    counts |= class != Class::Underscore;
                }
                self.at += width + over;
            }
            if counts && let Some(word) = self.text.get(start..self.at) {
                return Some((start, word));
            }
        }
        None
    }
}

impl<'t> Iterator for WordBounds<'t> {
    type Item = (usize, &'t str);

    fn next(&mut self) -> Option<(usize, &'t str)> {
        loop {
            if let Some((start, words)) = &mut self.foreign {
                if let Some((at, word)) = words.next() {
                    return Some((*start + at, word));
                }
                self.foreign = None;
            }
            if let Some(found) = self.next_here() {
                return Some(found);
            }
            if self.at >= self.text.len() {
                return None;
            }
            self.open_chunk();
        }
    }
}

/// The class of the character at a position and its length in bytes; past the end `Other`.
fn class_at(bytes: &[u8], at: usize) -> (Class, usize) {
    let Some(&byte) = bytes.get(at) else {
        return (Class::Other, 1);
    };
    match byte {
        b'a'..=b'z' | b'A'..=b'Z' => (Class::Letter, 1),
        b'0'..=b'9' => (Class::Digit, 1),
        b'_' => (Class::Underscore, 1),
        b'.' | b'\'' => (Class::MidEither, 1),
        b',' | b';' => (Class::MidNumber, 1),
        b':' => (Class::MidLetter, 1),
        0..0x80 => (Class::Other, 1),
        0xC2 => match bytes.get(at + 1) {
            Some(0xB7) => (Class::MidLetter, 2),
            // Guillemets, degree, question and exclamation marks turned over, pound, section.
            Some(0xAB | 0xBB | 0xB0 | 0xBF | 0xA1 | 0xA3 | 0xA7) => (Class::Other, 2),
            _ => (Class::Foreign, 2),
        },
        0xC3 => match bytes.get(at + 1) {
            Some(0x97 | 0xB7) => (Class::Other, 2),
            _ => (Class::Letter, 2),
        },
        0xC4 | 0xC5 => (Class::Letter, 2),
        0xE2 if bytes.get(at + 1) == Some(&0x80) => match bytes.get(at + 2) {
            Some(0x98 | 0x99) => (Class::MidEither, 3),
            Some(0x93 | 0x94 | 0x9C | 0x9D | 0xA6) => (Class::Other, 3),
            _ => (Class::Foreign, 3),
        },
        _ => (Class::Foreign, 1),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn agree(text: &str) {
        let ours: Vec<_> = WordBounds::new(text).collect();
        let theirs: Vec<_> = text.unicode_word_indices().collect();
        assert_eq!(ours, theirs, "{text:?}");
    }

    #[test]
    fn every_character_known_here_has_its_unicode_class() {
        let all = (' '..'\u{180}').chain("’‘“”–—…«»·°".chars());
        for c in all {
            for (left, right) in [
                ("a", "a"),
                ("1", "1"),
                ("a", "1"),
                ("1", "a"),
                ("_", "a"),
                ("a", "_"),
                ("", ""),
            ] {
                agree(&format!(
                    "{left}{c}{right} {left}{c}{c}{right} {left}{c} {c}{right}"
                ));
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn the_two_splitters_agree(
            text in "([a-cA-C0-3_.,;:'’‘·çÉ \n\t-]|[a-z]{1,4}|\\PC|\u{301}|\u{200D}|\u{202F}|\r\n|א|\"){0,40}"
        ) {
            agree(&text);
        }
    }
}
