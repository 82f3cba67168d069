//! Cosine, geodesic distance and querySim (seed 003, "Geometry").

use serde::{Deserialize, Serialize};

/// The similarity of two directions, held as the clamped cosine.
///
/// The direction of the measure is fixed by this type: greater is nearer, always. Ordering is by
/// [`query_sim`](Self::query_sim), which is monotone in the cosine.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Similarity(f64);

impl Similarity {
    /// From a scalar product and two norms, both positive. The cosine is clamped to [−1, 1];
    /// what is not a number counts as orthogonal.
    #[must_use]
    pub fn from_parts(dot: f64, norm_a: f64, norm_b: f64) -> Self {
        // The product of equal norms is the square again, so that a vector and its exact copy
        // come out at 1 to the last bit.
        let scale = if norm_a == norm_b {
            norm_a * norm_a
        } else {
            norm_a * norm_b
        };
        let cos = dot / scale;
        // Norms are square roots: a copy's quotient may miss 1 by a few units in the last place.
        if (cos - 1.0).abs() <= 4.0 * f64::EPSILON {
            return Self(1.0);
        }
        Self::from_cosine(cos)
    }

    /// From a cosine, clamped to [−1, 1]; NaN counts as 0.
    #[must_use]
    pub fn from_cosine(cosine: f64) -> Self {
        if cosine.is_nan() {
            return Self(0.0);
        }
        Self(cosine.clamp(-1.0, 1.0))
    }

    /// The cosine, in [−1, 1].
    #[must_use]
    pub fn cosine(self) -> f64 {
        self.0
    }

    /// The geodesic distance θ = arccos(cosine), in radians, in [0, π].
    #[must_use]
    pub fn geodesic(self) -> f64 {
        libm::acos(self.0)
    }

    /// 1 − θ/π, in [0, 1]: the one score that orders results.
    #[must_use]
    pub fn query_sim(self) -> f64 {
        1.0 - self.geodesic() / std::f64::consts::PI
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cosines_are_clamped_and_never_nan() {
        assert_eq!(Similarity::from_cosine(1.000_000_1).query_sim(), 1.0);
        assert_eq!(Similarity::from_cosine(-1.000_000_1).query_sim(), 0.0);
        assert_eq!(Similarity::from_cosine(f64::NAN).cosine(), 0.0);
        assert!((Similarity::from_cosine(0.0).query_sim() - 0.5).abs() < 1e-15);
    }
}
