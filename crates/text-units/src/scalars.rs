//! Byte positions as positions in scalar values, and back.

use std::ops::Range;

/// Bytes between two checkpoints.
const STEP: usize = 256;

/// Tells for a byte position of a text how many scalar values (`char`) stand before it, in
/// constant time after one pass. Text that is all ASCII needs no table.
///
/// ```
/// let index = text_units::ScalarIndex::new("façana");
/// assert_eq!(index.range(4..7), 3..6);
/// ```
#[derive(Debug, Clone)]
pub struct ScalarIndex<'t> {
    text: &'t str,
    /// Scalar values that begin before each multiple of [`STEP`]; empty for ASCII.
    checkpoints: Vec<usize>,
}

impl<'t> ScalarIndex<'t> {
    /// Indexes a text. Linear, one word of memory for each 256 bytes.
    #[must_use]
    pub fn new(text: &'t str) -> Self {
        let mut checkpoints = Vec::new();
        if !text.is_ascii() {
            checkpoints.reserve(text.len() / STEP + 1);
            let mut seen = 0;
            for chunk in text.as_bytes().chunks(STEP) {
                checkpoints.push(seen);
                seen += count(chunk);
            }
            checkpoints.push(seen);
        }
        Self { text, checkpoints }
    }

    /// The number of scalar values before a byte position; one inside a character counts that
    /// character, one past the end is the end.
    #[must_use]
    pub fn scalar(&self, byte: usize) -> usize {
        let byte = byte.min(self.text.len());
        let Some(&before) = self.checkpoints.get(byte / STEP) else {
            return byte;
        };
        let from = byte / STEP * STEP;
        before + self.text.as_bytes().get(from..byte).map_or(0, count)
    }

    /// A byte range as a range of scalar values.
    #[must_use]
    pub fn range(&self, bytes: Range<usize>) -> Range<usize> {
        self.scalar(bytes.start)..self.scalar(bytes.end)
    }

    /// The byte position of a scalar value; one past the end is the end.
    #[must_use]
    pub fn byte(&self, scalar: usize) -> usize {
        if self.checkpoints.is_empty() {
            return scalar.min(self.text.len());
        }
        let block = self
            .checkpoints
            .partition_point(|&seen| seen <= scalar)
            .saturating_sub(1);
        let mut seen = self.checkpoints.get(block).copied().unwrap_or(0);
        let from = block * STEP;
        for (i, &byte) in self.text.as_bytes().iter().enumerate().skip(from) {
            if !is_continuation(byte) {
                if seen == scalar {
                    return i;
                }
                seen += 1;
            }
        }
        self.text.len()
    }
}

fn is_continuation(byte: u8) -> bool {
    byte & 0xC0 == 0x80
}

/// The scalar values that begin in a stretch of UTF-8.
fn count(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&b| !is_continuation(b)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_counting_on_every_position() {
        for text in ["", "ascii only", &"ç·l🙏x".repeat(200), &"é".repeat(256)] {
            let index = ScalarIndex::new(text);
            for (n, (at, _)) in text.char_indices().enumerate() {
                assert_eq!((index.scalar(at), index.byte(n)), (n, at));
            }
            let chars = text.chars().count();
            assert_eq!(index.range(0..usize::MAX), 0..chars);
            assert_eq!(index.byte(chars), text.len());
            assert_eq!(index.byte(usize::MAX), text.len());
        }
    }
}
