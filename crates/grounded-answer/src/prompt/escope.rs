//! How dense an answer may be, and what is asked of it in return.

use serde::{Deserialize, Serialize};

/// The depth of a dialectical answer: how visible its scaffold is and which floors it must reach.
///
/// The floors are Candor's own (the seed names none).
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Escope {
    /// For a general reader: the scaffold stays out of sight.
    General,
    /// The middle way.
    #[default]
    Balanced,
    /// For a reader who knows the ontology: the whole scaffold shows.
    Focal,
}

impl Escope {
    /// The least 𝓦 that an answer must reach, in millionths.
    #[must_use]
    pub const fn wisdom_floor_micros(self) -> u32 {
        match self {
            Self::General => 500_000,
            Self::Balanced => 600_000,
            Self::Focal => 650_000,
        }
    }

    /// The least factual density 𝓕 that an answer must reach, in millionths.
    #[must_use]
    pub const fn factual_floor_micros(self) -> u32 {
        match self {
            Self::General => 150_000,
            Self::Balanced => 250_000,
            Self::Focal => 400_000,
        }
    }

    /// The least 𝓦 that an answer must reach, in [0, 1].
    #[must_use]
    pub fn wisdom_floor(self) -> f64 {
        f64::from(self.wisdom_floor_micros()) / 1e6
    }

    /// The least 𝓕 that an answer must reach, in [0, 1].
    #[must_use]
    pub fn factual_floor(self) -> f64 {
        f64::from(self.factual_floor_micros()) / 1e6
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floors_are_those_of_the_page() {
        let floors = [Escope::General, Escope::Balanced, Escope::Focal]
            .map(|e| (e.wisdom_floor(), e.factual_floor()));
        assert_eq!(floors, [(0.50, 0.15), (0.60, 0.25), (0.65, 0.40)]);
    }
}
