//! Vectors in blocks of memory, by row.

#[cfg(feature = "quantized")]
use half::{f16, slice::HalfFloatSliceExt};

use crate::{SparseVector, Vector};

#[derive(Debug, Clone)]
pub(super) enum Rows {
    Dense {
        dimension: usize,
        values: Vec<f32>,
    },
    /// Unit vectors, rounded to half precision.
    #[cfg(feature = "quantized")]
    Half {
        dimension: usize,
        values: Vec<f16>,
    },
    Sparse {
        dimension: usize,
        starts: Vec<usize>,
        indices: Vec<u32>,
        values: Vec<f32>,
    },
}

impl Rows {
    pub(super) fn push(&mut self, vector: Vector) {
        match (self, vector) {
            (Self::Dense { values, .. }, Vector::Dense(v)) => values.extend_from_slice(&v),
            #[cfg(feature = "quantized")]
            (Self::Half { values, .. }, Vector::Dense(v)) => {
                values.extend(v.iter().map(|&x| f16::from_f32(x)));
            }
            (
                Self::Sparse {
                    starts,
                    indices,
                    values,
                    ..
                },
                Vector::Sparse(v),
            ) => {
                indices.extend_from_slice(&v.indices);
                values.extend_from_slice(&v.values);
                starts.push(indices.len());
            }
            // The shape was checked before.
            _ => {}
        }
    }

    /// A dense row, by way of the buffer where it is not stored in `f32`.
    pub(super) fn dense<'a>(&'a self, row: usize, buffer: &'a mut Vec<f32>) -> Option<&'a [f32]> {
        match self {
            Self::Dense { dimension, values } => values.get(row * dimension..(row + 1) * dimension),
            #[cfg(feature = "quantized")]
            Self::Half { dimension, values } => {
                let row = values.get(row * dimension..(row + 1) * dimension)?;
                buffer.resize(row.len(), 0.0);
                row.convert_to_f32_slice(buffer);
                Some(buffer)
            }
            Self::Sparse { .. } => {
                buffer.clear();
                None
            }
        }
    }

    pub(super) fn vector(&self, row: usize) -> Option<Vector> {
        match self {
            Self::Dense { dimension, values } => values
                .get(row * dimension..(row + 1) * dimension)
                .map(|v| Vector::Dense(v.to_vec())),
            #[cfg(feature = "quantized")]
            Self::Half { .. } => {
                let mut buffer = Vec::new();
                self.dense(row, &mut buffer)?;
                Some(Vector::Dense(buffer))
            }
            Self::Sparse {
                dimension,
                starts,
                indices,
                values,
            } => {
                let range = *starts.get(row)?..*starts.get(row + 1)?;
                Some(Vector::Sparse(SparseVector {
                    dimension: *dimension,
                    indices: indices.get(range.clone())?.to_vec(),
                    values: values.get(range)?.to_vec(),
                }))
            }
        }
    }

    pub(super) fn retain(&mut self, keep: &[bool]) {
        match self {
            Self::Dense { dimension, values } => retain_rows(values, *dimension, keep),
            #[cfg(feature = "quantized")]
            Self::Half { dimension, values } => retain_rows(values, *dimension, keep),
            Self::Sparse {
                starts,
                indices,
                values,
                ..
            } => {
                let old = std::mem::replace(starts, vec![0]);
                let mut mask = Vec::with_capacity(indices.len());
                let mut end = 0;
                for (w, &k) in old.windows(2).zip(keep) {
                    mask.extend(std::iter::repeat_n(k, w[1] - w[0]));
                    if k {
                        end += w[1] - w[0];
                        starts.push(end);
                    }
                }
                retain(indices, &mask);
                retain(values, &mask);
            }
        }
    }
}

pub(super) fn retain<T>(items: &mut Vec<T>, keep: &[bool]) {
    let mut keep = keep.iter();
    items.retain(|_| keep.next().copied().unwrap_or(false));
}

fn retain_rows<T>(values: &mut Vec<T>, dimension: usize, keep: &[bool]) {
    let mut at = 0;
    values.retain(|_| {
        at += 1;
        keep.get((at - 1) / dimension.max(1))
            .copied()
            .unwrap_or(false)
    });
}

#[cfg(all(test, feature = "quantized"))]
mod tests {
    use crate::{
        EntryMeta, ExactIndex, Filter, Fingerprint, IndexEntry, Shape, Vector, VectorIndex,
    };

    #[test]
    fn half_precision_finds_what_single_precision_finds() {
        let space = Fingerprint {
            model_id: "r".into(),
            shape: Shape::Dense(96),
            settings: Default::default(),
            learned: None,
        };
        let mut state = 5u64;
        // Lengths far beyond what f16 could hold.
        let mut vector = |scale: f32| {
            let next = |_| {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                scale * ((state >> 40) as f32 / (1u64 << 24) as f32 - 0.5)
            };
            Vector::Dense((0..96).map(next).collect())
        };
        let meta = EntryMeta {
            cube: "c".into(),
            kind: Default::default(),
            parent: "p".into(),
        };
        let entries: Vec<IndexEntry> = (0..2000)
            .map(|i| IndexEntry {
                id: format!("{i:04}"),
                vector: vector(if i % 2 == 0 { 1e-6 } else { 1e6 }),
                meta: meta.clone(),
            })
            .collect();
        let mut single = ExactIndex::new(space.clone());
        let mut half = ExactIndex::half(space.clone()).unwrap();
        single.insert(entries.clone()).unwrap();
        half.insert(entries.clone()).unwrap();
        assert_eq!(half.remove(&["0003", "1999"]).unwrap(), 2);
        assert_eq!(single.remove(&["0003", "1999"]).unwrap(), 2);
        let (mut found, mut worst) = (0, 0f64);
        for _ in 0..50 {
            let query = vector(1.0);
            let want = single.search(&query, 10, &Filter::default()).unwrap();
            let got = half.search(&query, 10, &Filter::default()).unwrap();
            for hit in &want {
                if let Some(same) = got.iter().find(|g| g.id == hit.id) {
                    found += 1;
                    let off = same.similarity.cosine() - hit.similarity.cosine();
                    worst = worst.max(off.abs());
                }
            }
        }
        assert!(found >= 495, "{found} of 500");
        assert!(worst < 1e-3, "{worst}");
        // What is judged is what is stored.
        let stored = half.get("0000").unwrap().unwrap();
        let hit = half.search(&stored.vector, 1, &Filter::default()).unwrap();
        assert_eq!(
            (hit[0].id.as_str(), hit[0].similarity.query_sim()),
            ("0000", 1.0)
        );
        let sparse = Fingerprint {
            shape: Shape::Sparse(8),
            ..space
        };
        assert!(ExactIndex::half(sparse).is_err());
    }
}
