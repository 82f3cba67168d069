//! The first words of all phrases, by hash: most tokens of a text are none of them, and a miss
//! here is cheaper than to start a walk through the trie.

/// Bits of the filter in front of the table: 4 kB, which stay in the nearest cache.
const BITS: usize = 1 << 15;

/// The first eight bytes of a token and its length.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Packed {
    pub(crate) head: u64,
    pub(crate) length: usize,
}

impl Packed {
    /// The token in `start..end`.
    #[inline]
    pub(crate) fn of(bytes: &[u8], start: usize, end: usize) -> Self {
        let length = end - start;
        let head = match bytes.get(start..start + 8) {
            Some(&[a, b, c, d, e, f, g, h]) => {
                let head = u64::from_le_bytes([a, b, c, d, e, f, g, h]);
                if length < 8 {
                    head & ((1 << (8 * length)) - 1)
                } else {
                    head
                }
            }
            _ => {
                let token = bytes.get(start..end).unwrap_or_default();
                let head = token.iter().take(8).rev();
                head.fold(0, |head, byte| head << 8 | u64::from(*byte))
            }
        };
        Self { head, length }
    }

    /// The head with capitals as small letters, in the same way for phrases and texts.
    #[inline]
    fn folded(self) -> u64 {
        self.head | 0x2020_2020_2020_2020
    }

    #[inline]
    fn hash(self) -> u64 {
        (self.folded() ^ self.length as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32
    }
}

/// A first word of at most eight bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Word {
    folded: u64,
    length: usize,
    /// The state where it ends, with its mark if phrases end there too.
    pub(super) state: u16,
    /// Whether some phrase goes on after it.
    pub(super) longer: bool,
}

/// The filter and the table.
#[derive(Debug)]
pub(super) struct FirstWords {
    bits: Vec<u64>,
    slots: Vec<Option<Word>>,
}

impl FirstWords {
    pub(super) fn new(phrases: usize) -> Self {
        Self {
            bits: vec![0; BITS / 64],
            slots: vec![None; (phrases * 2 + 2).next_power_of_two()],
        }
    }

    /// Whether a phrase may begin with this token; no phrase is missed.
    #[inline]
    pub(super) fn may_hold(&self, token: Packed) -> bool {
        let bit = token.hash() as usize % BITS;
        let word = self.bits.get(bit / 64).copied().unwrap_or(0);
        word & (1 << (bit % 64)) != 0
    }

    /// The first word that a token of at most eight bytes is.
    #[inline]
    pub(super) fn find(&self, token: Packed) -> Option<&Word> {
        let mut at = self.slot(token);
        while let Some(Some(word)) = self.slots.get(at) {
            if word.folded == token.folded() && word.length == token.length {
                return Some(word);
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
        None
    }

    fn slot(&self, token: Packed) -> usize {
        token.hash() as usize & (self.slots.len() - 1)
    }

    /// Remembers the first word of a phrase, which ends in `state`.
    pub(super) fn admit(&mut self, phrase: &[u8], state: u16) {
        let word = |byte: &&u8| is_word_byte(**byte) || !byte.is_ascii();
        let end = phrase.iter().take_while(word).count();
        let token = Packed::of(phrase, 0, end);
        let bit = token.hash() as usize % BITS;
        if let Some(word) = self.bits.get_mut(bit / 64) {
            *word |= 1 << (bit % 64);
        }
        let longer = end < phrase.len();
        let mut at = self.slot(token);
        while let Some(slot) = self.slots.get_mut(at) {
            match slot {
                Some(word) if word.folded == token.folded() && word.length == end => {
                    word.longer |= longer;
                    return;
                }
                Some(_) => at = (at + 1) & (self.slots.len() - 1),
                None => {
                    *slot = Some(Word {
                        folded: token.folded(),
                        length: end,
                        state,
                        longer,
                    });
                    return;
                }
            }
        }
    }
}

/// Whether an ASCII byte belongs to a token.
#[inline]
pub(crate) fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// How many ASCII token bytes a text goes on with from `at`, eight at a time.
#[inline]
pub(crate) fn word_bytes(bytes: &[u8], at: usize) -> usize {
    let mut end = at;
    while let Some(&[a, b, c, d, e, f, g, h]) = bytes.get(end..end + 8) {
        let eight = u64::from_le_bytes([a, b, c, d, e, f, g, h]);
        let outside = !token_mask(eight) & HIGH;
        if outside != 0 {
            return end + (outside.trailing_zeros() / 8) as usize;
        }
        end += 8;
    }
    while bytes.get(end).is_some_and(|byte| is_word_byte(*byte)) {
        end += 1;
    }
    end
}

const LOW: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;

/// The high bit of each byte that is an ASCII letter, digit or underscore.
#[inline]
fn token_mask(eight: u64) -> u64 {
    let seven = eight & !HIGH;
    // Adding to seven bits carries into the eighth from a bound on, and never farther.
    let from = |bytes: u64, bound: u8| bytes + LOW * u64::from(0x80 - bound);
    let small = seven | (0x20 * LOW);
    let letters = from(small, b'a') & !from(small, b'z' + 1);
    let digits = from(seven, b'0') & !from(seven, b'9' + 1);
    let underscore = from(seven, b'_') & !from(seven, b'_' + 1);
    (letters | digits | underscore) & !eight & HIGH
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eight_at_a_time_agrees_with_one_at_a_time() {
        for byte in 0..=u8::MAX {
            for place in 0..8 {
                let mut bytes = [b'x'; 17];
                bytes[place] = byte;
                let one = bytes.iter().take_while(|b| is_word_byte(**b)).count();
                assert_eq!(word_bytes(&bytes, 0), one, "{byte} at {place}");
            }
        }
    }

    #[test]
    fn packing_does_not_depend_on_what_follows() {
        let text = b"However, SUB";
        let folded = |p: Packed| (p.folded(), p.length);
        assert_eq!(
            folded(Packed::of(text, 0, 7)),
            folded(Packed::of(b"however", 0, 7))
        );
        assert_eq!(Packed::of(text, 9, 12).head, Packed::of(b"SUB", 0, 3).head);
    }
}
