//! From places in the cleaned text to spans of the original.

use std::ops::Range;

use text_units::Cleaned;

use crate::report::Span;

/// Maps places; asked in about the order of the text, all together cost one pass over it.
pub(super) struct Places<'t> {
    original: &'t str,
    cleaned: &'t Cleaned,
    identity: bool,
    /// A byte of the original whose number in scalar values is known.
    byte: usize,
    scalar: usize,
}

impl<'t> Places<'t> {
    pub(super) fn new(original: &'t str, cleaned: &'t Cleaned) -> Self {
        Self {
            original,
            cleaned,
            identity: cleaned.is_identity(),
            byte: 0,
            scalar: 0,
        }
    }

    /// The span in the original of the bytes `start..end` of the cleaned text, whose first scalar
    /// value there is number `at`.
    pub(super) fn span(&mut self, start: u32, end: u32, at: u32) -> Span {
        let range = start as usize..end as usize;
        if self.identity {
            return self.place(range, at as usize);
        }
        let range = self.cleaned.original_range(range);
        let scalar = self.scalar_of(range.start);
        self.place(range, scalar)
    }

    fn place(&self, range: Range<usize>, scalar: usize) -> Span {
        Span {
            start: range.start,
            end: range.end,
            scalar_start: scalar,
            scalar_end: scalar + self.scalars(range.start, range.end),
        }
    }

    fn scalar_of(&mut self, byte: usize) -> usize {
        if byte >= self.byte {
            self.scalar += self.scalars(self.byte, byte);
        } else {
            self.scalar -= self.scalars(byte, self.byte);
        }
        self.byte = byte;
        self.scalar
    }

    fn scalars(&self, from: usize, to: usize) -> usize {
        let between = self.original.as_bytes().get(from..to);
        let starts = |byte: &&u8| **byte & 0xC0 != 0x80;
        between.unwrap_or_default().iter().filter(starts).count()
    }
}
