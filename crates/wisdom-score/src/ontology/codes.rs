//! Codes by their bytes: an open-addressing table, because every capitalized token asks it.

use text_units::is_token_char;

use crate::error::Error;

/// Longest code in bytes: two machine words.
const LONGEST: usize = 16;

/// Finds a code by its bytes.
#[derive(Debug)]
pub(crate) struct CodeTable {
    slots: Vec<(u128, u16)>,
    /// Bit `n` is set if some code has `n` bytes.
    lengths: u32,
    /// Whether some code starts with this byte.
    pub(crate) starts: [bool; 256],
}

impl CodeTable {
    pub(crate) fn new<'c>(codes: impl ExactSizeIterator<Item = &'c str>) -> Result<Self, Error> {
        let size = (codes.len() * 4).next_power_of_two();
        let mut table = Self {
            slots: vec![(0, u16::MAX); size],
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
        if self.find(code.as_bytes()).is_some() {
            return Err(Error::Duplicate {
                part: "code",
                name: code.to_owned(),
            });
        }
        let key = pack(code.as_bytes());
        let mut at = self.slot(key);
        while let Some(slot) = self.slots.get_mut(at) {
            if slot.0 == 0 {
                *slot = (key, index);
                break;
            }
            at = (at + 1) % self.slots.len();
        }
        self.lengths |= 1 << code.len();
        self.starts[usize::from(first)] = true;
        Ok(())
    }

    fn slot(&self, key: u128) -> usize {
        let mixed = ((key >> 64) as u64 ^ key as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (mixed >> 32) as usize & (self.slots.len() - 1)
    }

    /// The index of the code that these bytes spell.
    pub(crate) fn find(&self, token: &[u8]) -> Option<u16> {
        if token.len() > LONGEST || self.lengths & (1 << token.len()) == 0 {
            return None;
        }
        let key = pack(token);
        let mut at = self.slot(key);
        loop {
            match self.slots.get(at) {
                Some(&(found, index)) if found == key => return Some(index),
                Some(&(0, _)) | None => return None,
                Some(_) => at = (at + 1) & (self.slots.len() - 1),
            }
        }
    }
}

/// At most 16 bytes as one number; no code holds a zero byte, so lengths do not collide.
fn pack(bytes: &[u8]) -> u128 {
    let mut key = [0; LONGEST];
    for (slot, byte) in key.iter_mut().zip(bytes) {
        *slot = *byte;
    }
    u128::from_le_bytes(key)
}
