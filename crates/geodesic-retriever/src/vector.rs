//! Vectors, dense and sparse, and the similarity between them.

use serde::{Deserialize, Serialize};

use crate::Error;
use crate::similarity::Similarity;

/// Vectors shorter than this have no usable direction and are refused.
pub const MIN_NORM: f64 = 1e-12;

/// A vector in an embedder's space.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Vector {
    /// One component for each dimension.
    Dense(Vec<f32>),
    /// Only the components that are not zero.
    Sparse(SparseVector),
}

/// A sparse vector: strictly rising indices and their values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SparseVector {
    /// The dimension of the space.
    pub dimension: usize,
    /// Where the components stand, strictly rising, each below `dimension`.
    pub indices: Vec<u32>,
    /// The components, as many as `indices`.
    pub values: Vec<f32>,
}

/// The form and dimension of the vectors of a space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// Dense vectors of this many dimensions.
    Dense(usize),
    /// Sparse vectors in a space of this many dimensions.
    Sparse(usize),
}

impl std::fmt::Display for Shape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Dense(d) => write!(f, "{d} dense dimensions"),
            Self::Sparse(d) => write!(f, "{d} sparse dimensions"),
        }
    }
}

impl Vector {
    /// Form and dimension.
    #[must_use]
    pub fn shape(&self) -> Shape {
        match self {
            Self::Dense(v) => Shape::Dense(v.len()),
            Self::Sparse(s) => Shape::Sparse(s.dimension),
        }
    }

    /// The Euclidean norm, summed in `f64` in the order of the components.
    #[must_use]
    pub fn norm(&self) -> f64 {
        let values = match self {
            Self::Dense(v) => v,
            Self::Sparse(s) => &s.values,
        };
        values
            .iter()
            .map(|&x| f64::from(x) * f64::from(x))
            .sum::<f64>()
            .sqrt()
    }

    /// Checks that the vector may enter an index of this shape. `entry` names it in the error.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`], [`Error::MalformedSparse`], [`Error::NonFinite`] and, below
    /// [`MIN_NORM`], [`Error::ZeroVector`].
    pub fn check(&self, entry: &str, shape: Shape) -> Result<(), Error> {
        if self.shape() != shape {
            return Err(Error::ShapeMismatch {
                entry: entry.to_owned(),
                expected: shape.to_string(),
                found: self.shape().to_string(),
            });
        }
        let values = match self {
            Self::Dense(v) => v,
            Self::Sparse(s) => {
                let rising = s.indices.windows(2).all(|w| w[0] < w[1]);
                let inside = s.indices.last().is_none_or(|&i| (i as usize) < s.dimension);
                if !rising || !inside || s.indices.len() != s.values.len() {
                    return Err(Error::MalformedSparse {
                        entry: entry.to_owned(),
                        dimension: s.dimension,
                    });
                }
                &s.values
            }
        };
        if let Some(position) = values.iter().position(|x| !x.is_finite()) {
            return Err(Error::NonFinite {
                entry: entry.to_owned(),
                position,
            });
        }
        if self.norm() < MIN_NORM {
            return Err(Error::ZeroVector {
                entry: entry.to_owned(),
            });
        }
        Ok(())
    }

    /// The vector scaled to unit length. The scale is computed in `f64`.
    ///
    /// # Errors
    /// As [`check`](Self::check), `entry` naming the vector.
    pub fn normalized(mut self, entry: &str) -> Result<Self, Error> {
        self.check(entry, self.shape())?;
        let norm = self.norm();
        let values = match &mut self {
            Self::Dense(v) => v,
            Self::Sparse(s) => &mut s.values,
        };
        for x in values {
            *x = (f64::from(*x) / norm) as f32;
        }
        Ok(self)
    }

    /// The scalar product in `f64`, summed in the order of the components. Vectors of different
    /// forms or dimensions have no common component: 0.
    #[must_use]
    pub fn dot(&self, other: &Self) -> f64 {
        match (self, other) {
            (Self::Dense(a), Self::Dense(b)) => dot_f64(a, b),
            (Self::Sparse(a), Self::Sparse(b)) => a.dot(b),
            _ => 0.0,
        }
    }

    /// The similarity of two vectors. A vector compared with itself gives a cosine of exactly 1.
    #[must_use]
    pub fn similarity(&self, other: &Self) -> Similarity {
        Similarity::from_parts(self.dot(other), self.norm(), other.norm())
    }
}

impl SparseVector {
    fn dot(&self, other: &Self) -> f64 {
        let (mut i, mut j, mut sum) = (0, 0, 0.0);
        while let (Some(&a), Some(&b)) = (self.indices.get(i), other.indices.get(j)) {
            match a.cmp(&b) {
                std::cmp::Ordering::Less => i += 1,
                std::cmp::Ordering::Greater => j += 1,
                std::cmp::Ordering::Equal => {
                    let (x, y) = (self.values.get(i), other.values.get(j));
                    sum += x.map_or(0.0, |&x| f64::from(x)) * y.map_or(0.0, |&y| f64::from(y));
                    i += 1;
                    j += 1;
                }
            }
        }
        sum
    }
}

/// Scalar product in `f64`, in the order of the components.
pub(crate) fn dot_f64(a: &[f32], b: &[f32]) -> f64 {
    a.iter()
        .zip(b)
        .map(|(&x, &y)| f64::from(x) * f64::from(y))
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vector_is_exactly_similar_to_itself() {
        let mut state = 1u64;
        for _ in 0..1000 {
            let v: Vec<f32> = (0..64)
                .map(|_| {
                    state = state
                        .wrapping_mul(6_364_136_223_846_793_005)
                        .wrapping_add(1);
                    ((state >> 40) as f32 / (1u64 << 24) as f32) - 0.5
                })
                .collect();
            let v = Vector::Dense(v).normalized("v").unwrap();
            let s = v.similarity(&v);
            assert_eq!(s.cosine(), 1.0);
            assert_eq!(s.query_sim(), 1.0);
        }
    }

    #[test]
    fn vectors_without_a_direction_are_refused() {
        for (bad, zero) in [
            ([f32::NAN, 0.0, 0.0], false),
            ([f32::INFINITY, 0.0, 0.0], false),
            ([0.0, 0.0, 0.0], true),
            ([1e-40, 0.0, 0.0], true),
        ] {
            let e = Vector::Dense(bad.to_vec())
                .check("doc 7", Shape::Dense(3))
                .unwrap_err();
            assert_eq!(matches!(e, Error::ZeroVector { .. }), zero);
            assert!(e.to_string().starts_with("doc 7: "));
        }
    }

    #[test]
    fn malformed_sparse_vectors_are_refused() {
        for (indices, values) in [
            (vec![2, 1], vec![1.0, 1.0]),
            (vec![1, 1], vec![1.0, 1.0]),
            (vec![1, 8], vec![1.0, 1.0]),
            (vec![1], vec![1.0, 1.0]),
        ] {
            let v = Vector::Sparse(SparseVector {
                dimension: 8,
                indices,
                values,
            });
            assert!(matches!(
                v.check("x", Shape::Sparse(8)),
                Err(Error::MalformedSparse { .. })
            ));
        }
    }
}
