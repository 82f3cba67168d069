//! Search over int8 codes in memory, rescored from the f32 originals in a file.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

use super::{EntryMeta, Filter, Hit, IndexEntry, VectorIndex, rank};
use crate::{Error, Fingerprint, Shape, Vector};

/// Dense vectors as int8 codes (one scale a vector), originals on disk.
///
/// A search scans the codes, then reads the originals of the best candidates and judges them in
/// `f64`, so that similarities are exact and only the choice of candidates is approximate. In
/// memory: a byte a component and some 40 bytes an entry besides its id.
///
/// The file of originals belongs to the open index; it is made anew by
/// [`create`](Self::create) and is no interchange format.
#[derive(Debug)]
pub struct QuantizedIndex {
    fingerprint: Fingerprint,
    dimension: usize,
    path: PathBuf,
    originals: Mutex<File>,
    codes: Vec<i8>,
    scales: Vec<f32>,
    ids: Vec<Box<str>>,
    /// Place of each row's original in the file.
    places: Vec<u32>,
    /// Rows in the order of their ids' bytes.
    by_id: Vec<u32>,
    metas: Vec<u32>,
    distinct: Vec<EntryMeta>,
    known: HashMap<EntryMeta, u32>,
    written: u32,
}

/// Rows scanned by one task.
const BLOCK: usize = 8192;

impl QuantizedIndex {
    /// An empty index with its file of originals, which is made or emptied.
    ///
    /// # Errors
    /// [`Error::InvalidSetting`] for a sparse space or no dimensions, [`Error::Io`] naming the
    /// file.
    pub fn create(path: &Path, fingerprint: Fingerprint) -> Result<Self, Error> {
        let dimension = match fingerprint.shape {
            Shape::Dense(d) if d > 0 => d,
            shape => return Err(Error::setting("the space of an int8 index", shape, "dense")),
        };
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(true)
            .open(path)
            .map_err(|e| Error::io(path, &e))?;
        Ok(Self {
            fingerprint,
            dimension,
            path: path.to_owned(),
            originals: Mutex::new(file),
            codes: Vec::new(),
            scales: Vec::new(),
            ids: Vec::new(),
            places: Vec::new(),
            by_id: Vec::new(),
            metas: Vec::new(),
            distinct: Vec::new(),
            known: HashMap::new(),
            written: 0,
        })
    }

    fn find(&self, id: &str) -> Option<usize> {
        let at = self.by_id.binary_search_by(|&row| {
            self.ids
                .get(row as usize)
                .map_or("", |i| i.as_ref())
                .cmp(id)
        });
        at.ok()
            .and_then(|p| self.by_id.get(p))
            .map(|&row| row as usize)
    }

    fn meta(&self, row: usize) -> Option<&EntryMeta> {
        self.metas
            .get(row)
            .and_then(|&m| self.distinct.get(m as usize))
    }

    fn intern(&mut self, meta: EntryMeta) -> u32 {
        if let Some(&m) = self.known.get(&meta) {
            return m;
        }
        let m = u32::try_from(self.distinct.len()).unwrap_or(u32::MAX);
        self.distinct.push(meta.clone());
        self.known.insert(meta, m);
        m
    }

    fn original(&self, row: usize) -> Result<Vector, Error> {
        let place = self.places.get(row).copied().unwrap_or(0);
        let mut bytes = vec![0; self.dimension * 4];
        let mut file = self
            .originals
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(u64::from(place) * bytes.len() as u64))
            .and_then(|_| file.read_exact(&mut bytes))
            .map_err(|e| Error::damaged(&self.path, format!("the original of row {row}: {e}")))?;
        let values = bytes
            .as_chunks::<4>()
            .0
            .iter()
            .map(|b| f32::from_le_bytes(*b));
        let vector = Vector::Dense(values.collect());
        let id = self.ids.get(row).map_or("", |id| id.as_ref());
        vector
            .check(id, self.fingerprint.shape)
            .map_err(|e| Error::damaged(&self.path, e.to_string()))?;
        Ok(vector)
    }

    /// Candidates by the codes, best first.
    fn candidates(&self, query: &[f32], n: usize, filter: &Filter) -> Vec<usize> {
        let (codes, _) = quantize(query);
        let query: Vec<i16> = codes.into_iter().map(i16::from).collect();
        let rows = self.ids.len();
        let best: Vec<Vec<(f32, usize)>> = (0..rows.div_ceil(BLOCK))
            .into_par_iter()
            .map(|b| {
                let block = b * BLOCK..(b * BLOCK + BLOCK).min(rows);
                let at = block.start * self.dimension..block.end * self.dimension;
                let mut products = vec![0; block.len()];
                Arch::new().dispatch(Scan {
                    codes: self.codes.get(at).unwrap_or_default(),
                    query: &query,
                    products: &mut products,
                });
                let scales = self.scales.get(block.clone()).unwrap_or_default();
                // Rows rise, so that one which only equals the worst kept loses its tie.
                let mut bar = f32::NEG_INFINITY;
                let mut found = Vec::new();
                for ((row, product), scale) in block.zip(products).zip(scales) {
                    let score = product as f32 * scale;
                    let passes =
                        || filter.is_open() || self.meta(row).is_some_and(|m| filter.passes(m));
                    if score > bar && passes() {
                        found.push((score, row));
                        if found.len() >= n.saturating_mul(4) {
                            found = top(found, n);
                            bar = found.last().map_or(bar, |worst| worst.0);
                        }
                    }
                }
                top(found, n)
            })
            .collect();
        top(best.into_iter().flatten().collect(), n)
            .into_iter()
            .map(|(_, row)| row)
            .collect()
    }

    fn sort_ids(&mut self) {
        let mut rows: Vec<u32> = (0..u32::try_from(self.ids.len()).unwrap_or(u32::MAX)).collect();
        rows.sort_unstable_by(|&a, &b| self.ids.get(a as usize).cmp(&self.ids.get(b as usize)));
        self.by_id = rows;
    }
}

/// The products of a query with rows of codes. The loops stand inside `with_simd`, which is always
/// inlined where the widest instructions are on; in a large closure they ran three times slower.
struct Scan<'a> {
    codes: &'a [i8],
    query: &'a [i16],
    products: &'a mut [i32],
}

impl WithSimd for Scan<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) {
        let rows = self.codes.chunks_exact(self.query.len().max(1));
        for (product, row) in self.products.iter_mut().zip(rows) {
            *product = dot(row, self.query);
        }
    }
}

/// The best `n`, ties by row.
fn top(mut found: Vec<(f32, usize)>, n: usize) -> Vec<(f32, usize)> {
    let order = |a: &(f32, usize), b: &(f32, usize)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
    if n == 0 {
        found.clear();
    } else if found.len() > n {
        found.select_nth_unstable_by(n - 1, order);
        found.truncate(n);
    }
    found.sort_unstable_by(order);
    found
}

/// Sum of products, in `i32`: 127 · 127 · d stays below 2^31 for d < 133,000.
#[inline(always)]
fn dot(a: &[i8], b: &[i16]) -> i32 {
    a.iter()
        .zip(b)
        .map(|(&x, &y)| i32::from(i16::from(x)) * i32::from(y))
        .sum()
}

/// Codes in −127..127 and the scale that turns their products with another unit vector's codes
/// into something that ranks like cosines.
fn quantize(vector: &[f32]) -> (Vec<i8>, f32) {
    let max = vector
        .iter()
        .fold(0f32, |m, x| m.max(x.abs()))
        .max(f32::MIN_POSITIVE);
    let codes = vector
        .iter()
        .map(|x| (x / max * 127.0).round() as i8)
        .collect();
    let norm = vector
        .iter()
        .map(|&x| f64::from(x) * f64::from(x))
        .sum::<f64>()
        .sqrt();
    (codes, (f64::from(max) / norm) as f32)
}

impl VectorIndex for QuantizedIndex {
    fn fingerprint(&self) -> &Fingerprint {
        &self.fingerprint
    }

    fn len(&self) -> Result<usize, Error> {
        Ok(self.ids.len())
    }

    fn insert(&mut self, entries: Vec<IndexEntry>) -> Result<(), Error> {
        let mut new = std::collections::HashSet::with_capacity(entries.len());
        for e in &entries {
            e.vector.check(&e.id, self.fingerprint.shape)?;
            if self.find(&e.id).is_some() || !new.insert(e.id.as_str()) {
                return Err(Error::DuplicateEntry { id: e.id.clone() });
            }
        }
        drop(new);
        let width = self.dimension as u64 * 4;
        {
            let mut file = self
                .originals
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            let write = |file: &mut File| -> std::io::Result<()> {
                file.seek(SeekFrom::Start(u64::from(self.written) * width))?;
                let mut out = BufWriter::new(file);
                for e in &entries {
                    if let Vector::Dense(v) = &e.vector {
                        for x in v {
                            out.write_all(&x.to_le_bytes())?;
                        }
                    }
                }
                out.flush()
            };
            write(&mut file).map_err(|e| Error::io(&self.path, &e))?;
        }
        for e in entries {
            let Vector::Dense(v) = &e.vector else {
                continue;
            };
            let (codes, scale) = quantize(v);
            self.codes.extend(codes);
            self.scales.push(scale);
            self.ids.push(e.id.into_boxed_str());
            self.places.push(self.written);
            self.written = self.written.checked_add(1).ok_or_else(|| {
                Error::setting("the number of rows ever written", "2^32", "fewer")
            })?;
            let meta = self.intern(e.meta);
            self.metas.push(meta);
        }
        self.sort_ids();
        Ok(())
    }

    fn remove(&mut self, ids: &[&str]) -> Result<usize, Error> {
        let mut keep = vec![true; self.ids.len()];
        for id in ids {
            if let Some(k) = self.find(id).and_then(|row| keep.get_mut(row)) {
                *k = false;
            }
        }
        let removed = keep.iter().filter(|k| !**k).count();
        if removed > 0 {
            let d = self.dimension;
            let mut to = 0;
            for (row, _) in keep.iter().enumerate().filter(|(_, k)| **k) {
                self.codes.copy_within(row * d..(row + 1) * d, to * d);
                to += 1;
            }
            self.codes.truncate(to * d);
            super::rows::retain(&mut self.scales, &keep);
            super::rows::retain(&mut self.ids, &keep);
            super::rows::retain(&mut self.places, &keep);
            super::rows::retain(&mut self.metas, &keep);
            self.sort_ids();
        }
        Ok(removed)
    }

    fn get(&self, id: &str) -> Result<Option<IndexEntry>, Error> {
        let Some(row) = self.find(id) else {
            return Ok(None);
        };
        let Some(meta) = self.meta(row) else {
            return Ok(None);
        };
        Ok(Some(IndexEntry {
            id: id.to_owned(),
            vector: self.original(row)?,
            meta: meta.clone(),
        }))
    }

    fn ids(&self) -> Result<Vec<String>, Error> {
        let id = |&row: &u32| self.ids.get(row as usize).map(ToString::to_string);
        Ok(self.by_id.iter().filter_map(id).collect())
    }

    fn search(&self, query: &Vector, k: usize, filter: &Filter) -> Result<Vec<Hit>, Error> {
        query.check("query", self.fingerprint.shape)?;
        let Vector::Dense(values) = query else {
            return Ok(Vec::new());
        };
        if k == 0 {
            return Ok(Vec::new());
        }
        let rows = self.candidates(values, k.saturating_mul(4).saturating_add(32), filter);
        let mut hits = Vec::with_capacity(rows.len());
        for row in rows {
            let (Some(id), Some(meta)) = (self.ids.get(row), self.meta(row)) else {
                continue;
            };
            let similarity = self.original(row)?.similarity(query);
            hits.push(Hit {
                id: id.to_string(),
                similarity,
                meta: meta.clone(),
            });
        }
        hits.sort_by(rank);
        hits.truncate(k);
        Ok(hits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ExactIndex;
    use crate::index::conformance::vector_index_laws;

    #[test]
    fn the_int8_index_keeps_the_laws_on_small_sets() {
        let folder = tempfile::tempdir().unwrap();
        let mut n = 0;
        vector_index_laws(&mut |space| {
            n += 1;
            let path = folder.path().join(format!("{n}.f32"));
            QuantizedIndex::create(&path, space.clone())
                .ok()
                .map(|i| Box::new(i) as _)
        })
        .unwrap();
    }

    #[test]
    fn recall_against_exact_is_99_in_100() {
        let folder = tempfile::tempdir().unwrap();
        let space = Fingerprint {
            model_id: "r".into(),
            shape: Shape::Dense(128),
            settings: Default::default(),
            learned: None,
        };
        let mut state = 9u64;
        let mut vector = || {
            let next = |_| {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                (state >> 40) as f32 / (1u64 << 24) as f32 - 0.5
            };
            Vector::Dense((0..128).map(next).collect())
        };
        let meta = EntryMeta {
            cube: "c".into(),
            kind: Default::default(),
            parent: "p".into(),
        };
        let entries: Vec<IndexEntry> = (0..3000)
            .map(|i| IndexEntry {
                id: format!("{i}"),
                vector: vector(),
                meta: meta.clone(),
            })
            .collect();
        let mut exact = ExactIndex::new(space.clone());
        exact.insert(entries.clone()).unwrap();
        let mut int8 = QuantizedIndex::create(&folder.path().join("o.f32"), space).unwrap();
        int8.insert(entries).unwrap();
        let mut found = 0;
        for _ in 0..50 {
            let q = vector();
            let want = exact.search(&q, 10, &Filter::default()).unwrap();
            let got = int8.search(&q, 10, &Filter::default()).unwrap();
            found += want.iter().filter(|w| got.contains(w)).count();
        }
        assert!(found >= 495, "{found} of 500");
    }

    #[test]
    fn a_cut_file_of_originals_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("originals.f32");
        let space = Fingerprint {
            model_id: "r".into(),
            shape: Shape::Dense(2),
            settings: Default::default(),
            learned: None,
        };
        let mut index = QuantizedIndex::create(&path, space).unwrap();
        let meta = EntryMeta {
            cube: "c".into(),
            kind: Default::default(),
            parent: "p".into(),
        };
        let vector = Vector::Dense(vec![1.0, 2.0]);
        index
            .insert(vec![IndexEntry {
                id: "a".into(),
                vector: vector.clone(),
                meta,
            }])
            .unwrap();
        File::options()
            .write(true)
            .open(&path)
            .unwrap()
            .set_len(3)
            .unwrap();
        let names_it = |index: &QuantizedIndex| {
            let e = index.search(&vector, 1, &Filter::default()).unwrap_err();
            assert!(e.to_string().contains("originals.f32"), "{e}");
            e.to_string()
        };
        names_it(&index);
        for bad in [[f32::NAN, 1.0], [f32::INFINITY, 1.0], [0.0, 0.0]] {
            std::fs::write(&path, bad.map(f32::to_le_bytes).concat()).unwrap();
            assert!(names_it(&index).contains("damaged: a: "));
        }
    }
}
