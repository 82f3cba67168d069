//! How many entries a cube may hold.

use serde::{Deserialize, Serialize};

use crate::Error;

/// The most entries in a cube, and the most responses among them: half (seed 003, "Dictionary
/// Management").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "usize", into = "usize")]
pub struct Capacity(usize);

const GIB: u64 = 1 << 30;

impl Capacity {
    /// The tiers: memory below this many bytes, and what a cube may then hold. Above the last one
    /// it is [`Capacity::LARGEST`].
    pub const TIERS: [(u64, usize); 4] = [
        (4 * GIB, 5_000),
        (8 * GIB, 10_000),
        (16 * GIB, 20_000),
        (32 * GIB, 35_000),
    ];
    /// The highest tier.
    pub const LARGEST: usize = 50_000;

    /// Of this many entries.
    ///
    /// # Errors
    /// [`Error::InvalidSetting`] for none.
    pub fn new(entries: usize) -> Result<Self, Error> {
        if entries == 0 {
            return Err(Error::setting("capacity", 0, "1 or more entries"));
        }
        Ok(Self(entries))
    }

    /// The tier for a machine with this much memory, in bytes. The seed grades by the memory of a
    /// graphics card; here it is whatever memory the caller sets aside.
    #[must_use]
    pub fn for_memory(bytes: u64) -> Self {
        let tier = Self::TIERS.iter().find(|(below, _)| bytes < *below);
        Self(tier.map_or(Self::LARGEST, |(_, entries)| *entries))
    }

    /// The most entries.
    #[must_use]
    pub fn entries(self) -> usize {
        self.0
    }

    /// The most responses: half of the entries, rounded down.
    #[must_use]
    pub fn responses(self) -> usize {
        self.0 / 2
    }
}

impl Default for Capacity {
    /// The lowest tier.
    fn default() -> Self {
        Self::for_memory(0)
    }
}

impl TryFrom<usize> for Capacity {
    type Error = Error;

    fn try_from(entries: usize) -> Result<Self, Error> {
        Self::new(entries)
    }
}

impl From<Capacity> for usize {
    fn from(capacity: Capacity) -> Self {
        capacity.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiers_change_at_their_boundaries() {
        for ((below, entries), next) in
            Capacity::TIERS
                .iter()
                .zip([10_000, 20_000, 35_000, Capacity::LARGEST])
        {
            assert_eq!(Capacity::for_memory(below - 1).entries(), *entries);
            assert_eq!(Capacity::for_memory(*below).entries(), next);
        }
        assert_eq!(Capacity::for_memory(0).entries(), 5_000);
        assert_eq!(Capacity::for_memory(u64::MAX).entries(), 50_000);
    }

    #[test]
    fn half_is_rounded_down_and_none_is_refused() {
        assert_eq!(Capacity::new(5).unwrap().responses(), 2);
        assert_eq!(Capacity::new(1).unwrap().responses(), 0);
        assert!(Capacity::new(0).is_err());
        assert!(serde_json::from_str::<Capacity>("0").is_err());
        assert_eq!(serde_json::to_string(&Capacity::default()).unwrap(), "5000");
    }
}
