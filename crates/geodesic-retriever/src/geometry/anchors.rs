//! Anchors out of a scaffold of labelled phrases.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::LabelSet;
use crate::{Embedder, Error, Fingerprint, LabelAmplitude, SparseVector, Vector};

/// A phrase of a scaffold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScaffoldPhrase {
    /// The label's name.
    pub label: String,
    /// The phrase.
    pub text: String,
}

/// One direction for each label.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AnchorSet {
    /// The labels.
    pub labels: LabelSet,
    /// The space that the anchors live in.
    pub fingerprint: Fingerprint,
    /// Unit vectors, one a label; those of a pair are exact negatives of each other.
    pub anchors: Vec<Vector>,
}

impl AnchorSet {
    /// Derives the anchors (seed 003, "Approach B"): a centroid c for each label; for each pair
    /// normalize(c_a − c_b) and its exact negative; for the centre the normalized difference of
    /// its centroid and the mean of the others'.
    ///
    /// # Errors
    /// A failure of the embedder; [`Error::InvalidSetting`] if a label has no phrase or a
    /// phrase's label is unknown; [`Error::ZeroVector`] if two centroids coincide.
    pub fn from_scaffold(
        labels: LabelSet,
        scaffold: &[ScaffoldPhrase],
        embedder: &dyn Embedder,
    ) -> Result<(Self, Vec<(usize, Vector)>), Error> {
        labels.check()?;
        let texts: Vec<&str> = scaffold.iter().map(|p| p.text.as_str()).collect();
        let mut phrases = Vec::with_capacity(texts.len());
        for (phrase, embedding) in scaffold.iter().zip(embedder.embed_documents(&texts)?) {
            let label = labels.index(&phrase.label).ok_or_else(|| {
                Error::setting(
                    "a scaffold phrase's label",
                    &phrase.label,
                    "a label of the set",
                )
            })?;
            phrases.push((label, embedding?.vector));
        }
        let set = Self::from_vectors(labels, &phrases, embedder.fingerprint().clone())?;
        Ok((set, phrases))
    }

    /// As [`from_scaffold`](Self::from_scaffold), from phrases embedded before.
    ///
    /// # Errors
    /// The same, less the embedder's.
    pub fn from_vectors(
        labels: LabelSet,
        phrases: &[(usize, Vector)],
        fingerprint: Fingerprint,
    ) -> Result<Self, Error> {
        labels.check()?;
        let frame = Frame::of(phrases.iter().map(|(_, v)| v));
        let n = labels.labels.len();
        let mut centroids = vec![vec![0f64; frame.len()]; n];
        let mut counts = vec![0usize; n];
        for (label, vector) in phrases {
            if let (Some(c), Some(n)) = (centroids.get_mut(*label), counts.get_mut(*label)) {
                frame.add(c, vector, 1.0);
                *n += 1;
            }
        }
        for (i, (c, &n)) in centroids.iter_mut().zip(&counts).enumerate() {
            if n == 0 {
                let name = labels.labels.get(i).map_or("", |l| &l.name);
                return Err(Error::setting(
                    format!("phrases of label {name}"),
                    0,
                    "1 or more",
                ));
            }
            c.iter_mut().for_each(|x| *x /= n as f64);
        }
        let mut anchors = vec![Vector::Dense(Vec::new()); n];
        let mut set = |i: usize, v: Vector| {
            if let Some(slot) = anchors.get_mut(i) {
                *slot = v;
            }
        };
        let at = |i: usize| centroids.get(i).map_or(&[][..], Vec::as_slice);
        for &(a, b) in &labels.pairs {
            let difference: Vec<f64> = at(a).iter().zip(at(b)).map(|(x, y)| x - y).collect();
            let anchor = frame.unit(&difference, &format!("axis {a}–{b}"))?;
            set(b, negated(&anchor));
            set(a, anchor);
        }
        let mut rest = vec![0f64; frame.len()];
        for (i, c) in centroids
            .iter()
            .enumerate()
            .filter(|(i, _)| *i != labels.centre)
        {
            let _ = i;
            rest.iter_mut()
                .zip(c)
                .for_each(|(r, x)| *r += x / (n - 1) as f64);
        }
        let residual: Vec<f64> = at(labels.centre)
            .iter()
            .zip(&rest)
            .map(|(x, y)| x - y)
            .collect();
        set(labels.centre, frame.unit(&residual, "the centre's anchor")?);
        Ok(Self {
            labels,
            fingerprint,
            anchors,
        })
    }

    /// The amplitudes of a vector, one a label: 1 − θ/π to its anchor. Those of a pair add up to
    /// exactly 1: the greater is computed, the other is 1 minus it.
    #[must_use]
    pub fn amplitudes(&self, vector: &Vector) -> Vec<f64> {
        let mut out: Vec<f64> = self
            .anchors
            .iter()
            .map(|a| a.similarity(vector).query_sim())
            .collect();
        for &(a, b) in &self.labels.pairs {
            let (Some(&x), Some(&y)) = (out.get(a), out.get(b)) else {
                continue;
            };
            let (greater, lesser) = if x >= y { (a, b) } else { (b, a) };
            let complement = 1.0 - out.get(greater).copied().unwrap_or(0.5);
            if let Some(slot) = out.get_mut(lesser) {
                *slot = complement;
            }
        }
        out
    }

    /// The winner of amplitudes: the greatest, the first of equals.
    #[must_use]
    pub fn winner(amplitudes: &[f64]) -> Option<usize> {
        let best = amplitudes.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        amplitudes.iter().position(|&a| a == best)
    }

    /// The amplitudes with their labels' names.
    #[must_use]
    pub fn labelled(&self, amplitudes: &[f64]) -> Vec<LabelAmplitude> {
        let labels = self.labels.labels.iter();
        let one = |(l, &amplitude): (&super::Label, &f64)| LabelAmplitude {
            label: l.name.clone(),
            amplitude,
        };
        labels.zip(amplitudes).map(one).collect()
    }

    /// The Gram matrix of the anchors.
    #[must_use]
    pub fn gram(&self) -> Vec<Vec<f64>> {
        let row = |a: &Vector| {
            self.anchors
                .iter()
                .map(|b| a.similarity(b).cosine())
                .collect()
        };
        self.anchors.iter().map(row).collect()
    }

    /// The angles between the axes, in radians, pairs in order: what tells embedders apart.
    #[must_use]
    pub fn axis_angles(&self) -> Vec<f64> {
        let axes: Vec<&Vector> = self
            .labels
            .pairs
            .iter()
            .filter_map(|&(a, _)| self.anchors.get(a))
            .collect();
        let mut out = Vec::new();
        for (i, a) in axes.iter().enumerate() {
            out.extend(axes.iter().skip(i + 1).map(|b| a.similarity(b).geodesic()));
        }
        out
    }
}

fn negated(v: &Vector) -> Vector {
    match v {
        Vector::Dense(v) => Vector::Dense(v.iter().map(|x| -x).collect()),
        Vector::Sparse(s) => Vector::Sparse(SparseVector {
            values: s.values.iter().map(|x| -x).collect(),
            ..s.clone()
        }),
    }
}

/// The coordinates that occur in some vectors, so that sums over sparse ones stay small.
pub(crate) struct Frame {
    /// The indices of a sparse space; none for a dense one.
    sparse: Option<(usize, Vec<u32>)>,
    dense: usize,
}

impl Frame {
    pub(crate) fn of<'v>(vectors: impl Iterator<Item = &'v Vector>) -> Self {
        let (mut sparse, mut dense, mut indices) = (None, 0, BTreeSet::new());
        for v in vectors {
            match v {
                Vector::Dense(v) => dense = v.len(),
                Vector::Sparse(s) => {
                    sparse = Some(s.dimension);
                    indices.extend(s.indices.iter().copied());
                }
            }
        }
        Self {
            sparse: sparse.map(|d| (d, indices.into_iter().collect())),
            dense,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.sparse.as_ref().map_or(self.dense, |(_, i)| i.len())
    }

    /// Adds `scale · vector`; coordinates outside the frame are left out.
    pub(crate) fn add(&self, sum: &mut [f64], vector: &Vector, scale: f64) {
        match (vector, &self.sparse) {
            (Vector::Dense(v), _) => {
                sum.iter_mut()
                    .zip(v)
                    .for_each(|(s, &x)| *s += scale * f64::from(x));
            }
            (Vector::Sparse(v), Some((_, indices))) => {
                for (i, &x) in v.indices.iter().zip(&v.values) {
                    let place = indices.binary_search(i).ok();
                    if let Some(s) = place.and_then(|p| sum.get_mut(p)) {
                        *s += scale * f64::from(x);
                    }
                }
            }
            (Vector::Sparse(_), None) => {}
        }
    }

    /// The unit vector of a sum, back in the space.
    pub(crate) fn unit(&self, sum: &[f64], entry: &str) -> Result<Vector, Error> {
        let norm = sum.iter().map(|x| x * x).sum::<f64>().sqrt();
        if norm < crate::MIN_NORM {
            return Err(Error::ZeroVector {
                entry: entry.to_owned(),
            });
        }
        let values = sum.iter().map(|x| (x / norm) as f32);
        match &self.sparse {
            None => Vector::Dense(values.collect()),
            Some((dimension, indices)) => {
                let kept: Vec<(u32, f32)> = indices
                    .iter()
                    .copied()
                    .zip(values)
                    .filter(|&(_, x)| x != 0.0)
                    .collect();
                Vector::Sparse(SparseVector {
                    dimension: *dimension,
                    indices: kept.iter().map(|k| k.0).collect(),
                    values: kept.iter().map(|k| k.1).collect(),
                })
            }
        }
        .normalized(entry)
    }
}
