//! From places in the cleaned text to spans of the original.

use text_units::Cleaned;

use crate::report::Span;

/// Maps places; asked in about the order of the text, all together cost one pass over it.
pub(super) struct Places<'t> {
    original: &'t str,
    cleaned: &'t Cleaned,
    /// A byte of the original whose number in scalar values is known.
    byte: usize,
    scalar: usize,
}

impl<'t> Places<'t> {
    pub(super) fn new(original: &'t str, cleaned: &'t Cleaned) -> Self {
        Self {
            original,
            cleaned,
            byte: 0,
            scalar: 0,
        }
    }

    /// The span in the original of the bytes `start..end` of the cleaned text, whose first scalar
    /// value there is number `at`.
    pub(super) fn span(&mut self, start: u32, end: u32, at: u32) -> Span {
        let range = self.cleaned.original_range(start as usize..end as usize);
        let scalar_start = if self.cleaned.is_identity() {
            at as usize
        } else {
            self.scalar_of(range.start)
        };
        Span {
            start: range.start,
            end: range.end,
            scalar_start,
            scalar_end: scalar_start + self.scalars(range.start, range.end),
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
        let between = self.original.get(from..to).unwrap_or_default();
        between.chars().count()
    }
}
