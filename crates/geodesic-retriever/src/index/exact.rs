//! Exact search over vectors in memory.

use std::cmp::Ordering;
use std::collections::HashMap;

use rayon::prelude::*;

use super::rows::{Rows, retain};
use super::{EntryMeta, Filter, Hit, IndexEntry, VectorIndex, rank};
use crate::vector::dot_f64;
use crate::{Corpus, Embedding, Error, Fingerprint, Shape, Similarity, SparseVector, Vector};

/// Compares a query with every entry: O(n · d) dense, O(stored components) sparse.
///
/// Dense rows lie in one block of `f32`; candidates are found by `f32` sums over a fixed number
/// of accumulators and judged by `f64` sums. Sparse rows lie in one block of indices and one of
/// values and are judged in `f64` at once.
#[derive(Debug, Clone)]
pub struct ExactIndex {
    fingerprint: Fingerprint,
    ids: Vec<String>,
    metas: Vec<EntryMeta>,
    norms: Vec<f64>,
    positions: HashMap<String, u32>,
    rows: Rows,
}

/// Rows scanned by one task. Fixed, so that the work is cut the same way on any machine.
const BLOCK: usize = 4096;

/// `f32` sums over unit vectors are off by less than this (d ≤ 4096); entries this close to the
/// last candidate are judged in `f64` too.
const SLACK: f32 = 1e-4;

impl ExactIndex {
    /// An empty index of a space.
    #[must_use]
    pub fn new(fingerprint: Fingerprint) -> Self {
        let rows = match fingerprint.shape {
            Shape::Dense(dimension) => Rows::Dense {
                dimension,
                values: Vec::new(),
            },
            Shape::Sparse(dimension) => Rows::Sparse {
                dimension,
                starts: vec![0],
                indices: Vec::new(),
                values: Vec::new(),
            },
        };
        Self {
            fingerprint,
            ids: Vec::new(),
            metas: Vec::new(),
            norms: Vec::new(),
            positions: HashMap::new(),
            rows,
        }
    }

    /// An empty index that keeps dense vectors at unit length in `f16`: half the memory, cosines
    /// off by some 1e-4 of those of the originals, which are not kept. Similarities are computed
    /// in `f64` from what is stored.
    ///
    /// # Errors
    /// [`Error::InvalidSetting`] for a sparse space.
    #[cfg(feature = "quantized")]
    pub fn half(fingerprint: Fingerprint) -> Result<Self, Error> {
        let Shape::Dense(dimension) = fingerprint.shape else {
            let shape = fingerprint.shape;
            return Err(Error::setting("the space of an f16 index", shape, "dense"));
        };
        let values = Vec::new();
        Ok(Self {
            rows: Rows::Half { dimension, values },
            ..Self::new(fingerprint)
        })
    }

    /// Stores a checked vector and the norm of what is stored.
    fn push(&mut self, vector: Vector, row: u32) {
        #[cfg(feature = "quantized")]
        if matches!(self.rows, Rows::Half { .. }) {
            // Unit length first: f16 ends at 65,504.
            self.rows
                .push(vector.clone().normalized("").unwrap_or(vector));
            let stored = self.rows.vector(row as usize);
            self.norms.push(stored.map_or(1.0, |v| v.norm()));
            return;
        }
        let _ = row;
        self.norms.push(vector.norm());
        self.rows.push(vector);
    }

    /// An index over a corpus's chunks, given the embeddings of its
    /// [`embedding_texts`](Corpus::embedding_texts). Chunks without content are left out.
    ///
    /// # Errors
    /// A failed embedding's own error, or a vector's fault.
    pub fn of_corpus(
        fingerprint: &Fingerprint,
        corpus: &Corpus,
        embeddings: Vec<Result<Embedding, Error>>,
    ) -> Result<Self, Error> {
        let mut entries = Vec::with_capacity(embeddings.len());
        for ((id, meta), embedding) in corpus.index_keys().zip(embeddings) {
            match embedding {
                Ok(e) => entries.push(IndexEntry {
                    id: id.to_owned(),
                    vector: e.vector,
                    meta,
                }),
                Err(Error::NothingToEmbed { .. }) => {}
                Err(e) => return Err(e),
            }
        }
        let mut index = Self::new(fingerprint.clone());
        index.insert(entries)?;
        Ok(index)
    }

    /// All entries, in the order of insertion.
    pub fn entries(&self) -> impl Iterator<Item = IndexEntry> + '_ {
        (0..self.ids.len()).filter_map(|row| self.entry(row))
    }

    fn entry(&self, row: usize) -> Option<IndexEntry> {
        Some(IndexEntry {
            id: self.ids.get(row)?.clone(),
            vector: self.rows.vector(row)?,
            meta: self.metas.get(row)?.clone(),
        })
    }

    fn hit(&self, row: usize, similarity: Similarity) -> Option<Hit> {
        Some(Hit {
            id: self.ids.get(row)?.clone(),
            similarity,
            meta: self.metas.get(row)?.clone(),
        })
    }

    fn passes(&self, filter: &Filter, row: usize) -> bool {
        filter.is_open() || self.metas.get(row).is_some_and(|m| filter.passes(m))
    }

    fn compare(&self, a: &Scored, b: &Scored) -> Ordering {
        let ids = || self.ids.get(a.row).cmp(&self.ids.get(b.row));
        b.score.total_cmp(&a.score).then_with(ids)
    }

    /// The best `k` by score, ties by id.
    fn best(&self, mut scored: Vec<Scored>, k: usize) -> Vec<Scored> {
        if scored.len() > k && k > 0 {
            scored.select_nth_unstable_by(k - 1, |a, b| self.compare(a, b));
            scored.truncate(k);
        }
        scored.truncate(k);
        scored.sort_unstable_by(|a, b| self.compare(a, b));
        scored
    }

    fn blocks(&self) -> impl IndexedParallelIterator<Item = std::ops::Range<usize>> {
        let n = self.ids.len();
        (0..n.div_ceil(BLOCK))
            .into_par_iter()
            .map(move |b| b * BLOCK..(b * BLOCK + BLOCK).min(n))
    }

    fn search_dense(&self, query: &[f32], norm: f64, k: usize, filter: &Filter) -> Vec<Scored> {
        let unit: Vec<f32> = query
            .iter()
            .map(|&x| (f64::from(x) / norm) as f32)
            .collect();
        let coarse: Vec<Vec<(f32, usize)>> = self
            .blocks()
            .map(|block| {
                let mut top = Threshold::new(k);
                let mut buffer = Vec::new();
                for row in block {
                    let Some(v) = self.rows.dense(row, &mut buffer) else {
                        break;
                    };
                    if !self.passes(filter, row) {
                        continue;
                    }
                    let scale = self.norms.get(row).map_or(1.0, |&n| n as f32);
                    top.push(dot_f32(&unit, v) / scale, row);
                }
                top.within_slack()
            })
            .collect();
        let mut top = Threshold::new(k);
        for (score, row) in coarse.into_iter().flatten() {
            top.push(score, row);
        }
        let mut buffer = Vec::new();
        let scored = top
            .within_slack()
            .into_iter()
            .filter_map(|(_, row)| {
                let v = self.rows.dense(row, &mut buffer)?;
                let stored = self.norms.get(row)?;
                let similarity = Similarity::from_parts(dot_f64(query, v), norm, *stored);
                Some(Scored {
                    score: similarity.query_sim(),
                    similarity,
                    row,
                })
            })
            .collect();
        self.best(scored, k)
    }

    fn search_sparse(
        &self,
        query: &SparseVector,
        norm: f64,
        k: usize,
        filter: &Filter,
    ) -> Vec<Scored> {
        let Rows::Sparse {
            starts,
            indices,
            values,
            ..
        } = &self.rows
        else {
            return Vec::new();
        };
        let lookup = Lookup::new(query);
        let scored: Vec<Vec<Scored>> = self
            .blocks()
            .map(|block| {
                let mut found = Vec::new();
                for row in block {
                    let (Some(&from), Some(&to), Some(&stored)) =
                        (starts.get(row), starts.get(row + 1), self.norms.get(row))
                    else {
                        break;
                    };
                    if !self.passes(filter, row) {
                        continue;
                    }
                    let (Some(i), Some(v)) = (indices.get(from..to), values.get(from..to)) else {
                        break;
                    };
                    let similarity = Similarity::from_parts(lookup.dot(i, v), norm, stored);
                    found.push(Scored {
                        score: similarity.query_sim(),
                        similarity,
                        row,
                    });
                }
                self.best(found, k)
            })
            .collect();
        self.best(scored.into_iter().flatten().collect(), k)
    }
}

impl VectorIndex for ExactIndex {
    fn fingerprint(&self) -> &Fingerprint {
        &self.fingerprint
    }

    fn len(&self) -> Result<usize, Error> {
        Ok(self.ids.len())
    }

    fn insert(&mut self, entries: Vec<IndexEntry>) -> Result<(), Error> {
        let mut new = HashMap::with_capacity(entries.len());
        for e in &entries {
            e.vector.check(&e.id, self.fingerprint.shape)?;
            if self.positions.contains_key(&e.id) || new.insert(e.id.as_str(), ()).is_some() {
                return Err(Error::DuplicateEntry { id: e.id.clone() });
            }
        }
        drop(new);
        for e in entries {
            let row = u32::try_from(self.ids.len())
                .map_err(|_| Error::setting("the number of entries", "2^32", "fewer"))?;
            self.push(e.vector, row);
            self.positions.insert(e.id.clone(), row);
            self.ids.push(e.id);
            self.metas.push(e.meta);
        }
        Ok(())
    }

    fn remove(&mut self, ids: &[&str]) -> Result<usize, Error> {
        let mut keep = vec![true; self.ids.len()];
        let mut removed = 0;
        for id in ids {
            let row = self.positions.remove(*id);
            if let Some(k) = row.and_then(|r| keep.get_mut(r as usize)) {
                *k = false;
                removed += 1;
            }
        }
        if removed == 0 {
            return Ok(0);
        }
        self.rows.retain(&keep);
        retain(&mut self.ids, &keep);
        retain(&mut self.metas, &keep);
        retain(&mut self.norms, &keep);
        self.positions = self.ids.iter().cloned().zip(0u32..).collect();
        Ok(removed)
    }

    fn get(&self, id: &str) -> Result<Option<IndexEntry>, Error> {
        Ok(self
            .positions
            .get(id)
            .and_then(|&row| self.entry(row as usize)))
    }

    fn ids(&self) -> Result<Vec<String>, Error> {
        let mut ids = self.ids.clone();
        ids.sort_unstable();
        Ok(ids)
    }

    fn search(&self, query: &Vector, k: usize, filter: &Filter) -> Result<Vec<Hit>, Error> {
        query.check("query", self.fingerprint.shape)?;
        let norm = query.norm();
        let scored = match query {
            Vector::Dense(q) => self.search_dense(q, norm, k, filter),
            Vector::Sparse(q) => self.search_sparse(q, norm, k, filter),
        };
        let mut hits: Vec<Hit> = scored
            .iter()
            .filter_map(|s| self.hit(s.row, s.similarity))
            .collect();
        hits.sort_by(rank);
        Ok(hits)
    }
}

struct Scored {
    score: f64,
    similarity: Similarity,
    row: usize,
}

/// Keeps what may belong to the best `k` by an inexact score.
struct Threshold {
    k: usize,
    kept: Vec<(f32, usize)>,
    bar: f32,
}

impl Threshold {
    fn new(k: usize) -> Self {
        Self {
            k,
            kept: Vec::new(),
            bar: f32::NEG_INFINITY,
        }
    }

    fn push(&mut self, score: f32, row: usize) {
        if score < self.bar {
            return;
        }
        self.kept.push((score, row));
        if self.kept.len() >= 4 * self.k.max(16) {
            self.shrink();
        }
    }

    fn shrink(&mut self) {
        if self.k == 0 {
            self.kept.clear();
        } else if self.kept.len() > self.k {
            let (_, kth, _) = self
                .kept
                .select_nth_unstable_by(self.k - 1, |a, b| b.0.total_cmp(&a.0));
            self.bar = kth.0 - SLACK;
            let bar = self.bar;
            self.kept.retain(|&(s, _)| s >= bar);
        }
    }

    fn within_slack(mut self) -> Vec<(f32, usize)> {
        self.shrink();
        self.kept
    }
}

/// A query's components by index: open addressing, twice as many slots as components or more.
struct Lookup {
    slots: Vec<(u32, f32)>,
    mask: usize,
}

const EMPTY: u32 = u32::MAX;

impl Lookup {
    fn new(query: &SparseVector) -> Self {
        let size = (query.indices.len() * 4).next_power_of_two().max(16);
        let mut out = Self {
            slots: vec![(EMPTY, 0.0); size],
            mask: size - 1,
        };
        for (&i, &v) in query.indices.iter().zip(&query.values) {
            let mut at = out.start(i);
            while out.slots.get(at).is_some_and(|s| s.0 != EMPTY) {
                at = (at + 1) & out.mask;
            }
            if let Some(slot) = out.slots.get_mut(at) {
                *slot = (i, v);
            }
        }
        out
    }

    fn start(&self, i: u32) -> usize {
        (i.wrapping_mul(0x9e37_79b1) >> 7) as usize & self.mask
    }

    fn dot(&self, indices: &[u32], values: &[f32]) -> f64 {
        let mut sum = 0.0;
        for (&i, &v) in indices.iter().zip(values) {
            let mut at = self.start(i);
            while let Some(&(index, weight)) = self.slots.get(at) {
                if index == i {
                    sum += f64::from(weight) * f64::from(v);
                    break;
                }
                if index == EMPTY {
                    break;
                }
                at = (at + 1) & self.mask;
            }
        }
        sum
    }
}

/// Scalar product in `f32` over 32 accumulators, which the compiler turns into vector code; the
/// order of the sums is fixed.
fn dot_f32(a: &[f32], b: &[f32]) -> f32 {
    const LANES: usize = 32;
    let mut sums = [0f32; LANES];
    let (a_blocks, a_rest) = a.as_chunks::<LANES>();
    let (b_blocks, b_rest) = b.as_chunks::<LANES>();
    for (x, y) in a_blocks.iter().zip(b_blocks) {
        for lane in 0..LANES {
            sums[lane] += x[lane] * y[lane];
        }
    }
    let rest: f32 = a_rest.iter().zip(b_rest).map(|(x, y)| x * y).sum();
    sums.iter().sum::<f32>() + rest
}
