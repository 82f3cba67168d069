//! Codes by their bytes: an open-addressing table, because every capitalized token asks it.

use text_units::is_token_char;

use super::words::Packed;
use crate::error::Error;

/// Longest code in bytes: two machine words.
const LONGEST: usize = 16;

/// Finds a code by its bytes.
#[derive(Debug)]
pub(crate) struct CodeTable {
    slots: Vec<([u64; 2], u16)>,
    /// Bit `n` is set if some code has `n` bytes.
    lengths: u32,
    /// Whether some code starts with this byte.
    pub(crate) starts: [bool; 256],
}

impl CodeTable {
    pub(crate) fn new<'c>(codes: impl ExactSizeIterator<Item = &'c str>) -> Result<Self, Error> {
        let size = (codes.len() * 4).next_power_of_two();
        let mut table = Self {
            slots: vec![([0; 2], u16::MAX); size],
            lengths: 0,
            starts: [false; 256],
        };
        for (index, code) in codes.enumerate() {
            table.insert(code, u16::try_from(index).unwrap_or(u16::MAX))?;
        }
        Ok(table)
    }

    fn insert(&mut self, code: &str, index: u16) -> Result<(), Error> {
        let whole = !code.is_empty() && code.len() <= LONGEST && code.chars().all(is_token_char);
        let Some(&first) = code.as_bytes().first().filter(|_| whole) else {
            return Err(Error::Unmatchable {
                part: "code",
                text: code.to_owned(),
                expected: "1 to 16 bytes of letters, digits and underscores",
            });
        };
        if self.find_str(code).is_some() {
            return Err(Error::Duplicate {
                part: "code",
                name: code.to_owned(),
            });
        }
        let bytes = code.as_bytes();
        let key = key(Packed::of(bytes, 0, bytes.len()), bytes);
        let mut at = self.slot(key);
        while let Some(slot) = self.slots.get_mut(at) {
            if slot.0 == [0; 2] {
                *slot = (key, index);
                break;
            }
            at = (at + 1) % self.slots.len();
        }
        self.lengths |= 1 << code.len();
        self.starts[usize::from(first)] = true;
        Ok(())
    }

    fn slot(&self, key: [u64; 2]) -> usize {
        let mixed = (key[0] ^ key[1]).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (mixed >> 32) as usize & (self.slots.len() - 1)
    }

    /// The index of the code that a token spells.
    pub(crate) fn find_str(&self, token: &str) -> Option<u16> {
        let bytes = token.as_bytes();
        self.find(Packed::of(bytes, 0, bytes.len()), bytes)
    }

    /// The same for a token that is packed already; `token` are its bytes.
    #[inline]
    pub(crate) fn find(&self, packed: Packed, token: &[u8]) -> Option<u16> {
        if packed.length > LONGEST || self.lengths & (1 << packed.length) == 0 {
            return None;
        }
        let key = key(packed, token);
        let mut at = self.slot(key);
        loop {
            match self.slots.get(at) {
                Some(&(found, index)) if found == key => return Some(index),
                Some(&([0, 0], _)) | None => return None,
                Some(_) => at = (at + 1) & (self.slots.len() - 1),
            }
        }
    }
}

/// At most 16 bytes as two numbers; no code holds a zero byte, so lengths do not collide.
#[inline]
fn key(packed: Packed, token: &[u8]) -> [u64; 2] {
    let tail = match token.len() {
        0..=8 => 0,
        length => Packed::of(token, 8, length).head,
    };
    [packed.head, tail]
}
