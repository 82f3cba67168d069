//! Whether another entry already says the same.

use std::collections::{BTreeMap, HashMap};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::{EntryKind, Error, Similarity, SparseVector, Vector};

/// From which centred cosine on two entries say the same (seed 003, "Dictionary Management").
/// Facts are compared with facts, responses with responses.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct DedupThresholds {
    /// For facts; default 0.85.
    pub facts: f64,
    /// For responses; default 0.75.
    pub responses: f64,
}

impl Default for DedupThresholds {
    fn default() -> Self {
        Self {
            facts: 0.85,
            responses: 0.75,
        }
    }
}

impl DedupThresholds {
    /// Checks the numbers.
    ///
    /// # Errors
    /// [`Error::InvalidSetting`] for one outside (0, 1].
    pub fn check(&self) -> Result<(), Error> {
        for (what, x) in [("facts", self.facts), ("responses", self.responses)] {
            if !(x > 0.0 && x <= 1.0) {
                let what = format!("the dedup threshold of {what}");
                return Err(Error::setting(what, x, "above 0, at most 1"));
            }
        }
        Ok(())
    }
}

/// The mean of some vectors: what is subtracted before entries are compared with each other. None
/// of no vectors, or where they cancel out.
#[must_use]
pub fn centre_of(vectors: &[&Vector]) -> Option<Vector> {
    let n = vectors.len() as f64;
    let first = vectors.first()?;
    let centre = match first {
        Vector::Dense(v) => {
            let mut sum = vec![0f64; v.len()];
            for vector in vectors {
                if let Vector::Dense(v) = vector {
                    sum.iter_mut().zip(v).for_each(|(s, &x)| *s += f64::from(x));
                }
            }
            Vector::Dense(sum.into_iter().map(|s| (s / n) as f32).collect())
        }
        Vector::Sparse(s) => {
            let mut sum = BTreeMap::<u32, f64>::new();
            for vector in vectors {
                if let Vector::Sparse(s) = vector {
                    for (&i, &x) in s.indices.iter().zip(&s.values) {
                        *sum.entry(i).or_default() += f64::from(x);
                    }
                }
            }
            let (indices, values) = sum.into_iter().map(|(i, s)| (i, (s / n) as f32)).unzip();
            Vector::Sparse(SparseVector {
                dimension: s.dimension,
                indices,
                values,
            })
        }
    };
    (centre.norm() >= crate::MIN_NORM).then_some(centre)
}

/// The centred cosine of two vectors a, b around a centre m, without forming a − m:
/// (a·b − a·m − b·m + m·m) / (|a − m| |b − m|).
#[must_use]
pub fn centred_cosine(a: &Vector, b: &Vector, centre: Option<&Vector>) -> f64 {
    let frame = Centring::new(centre);
    frame.cosine(a.dot(b), &frame.place(a), &frame.place(b))
}

/// A centre with its square.
#[derive(Debug, Clone)]
struct Centring {
    centre: Option<Vector>,
    square: f64,
}

/// How a vector lies to the centre.
#[derive(Debug, Clone, Copy)]
struct Place {
    /// Its product with the centre.
    product: f64,
    /// Its distance from the centre.
    distance: f64,
}

impl Centring {
    fn new(centre: Option<&Vector>) -> Self {
        Self {
            square: centre.map_or(0.0, |c| c.dot(c)),
            centre: centre.cloned(),
        }
    }

    fn place(&self, v: &Vector) -> Place {
        let product = self.centre.as_ref().map_or(0.0, |c| c.dot(v));
        let square = v.dot(v) - 2.0 * product + self.square;
        Place {
            product,
            distance: square.max(0.0).sqrt(),
        }
    }

    fn cosine(&self, dot: f64, a: &Place, b: &Place) -> f64 {
        if a.distance < crate::MIN_NORM || b.distance < crate::MIN_NORM {
            return 0.0;
        }
        let dot = dot - a.product - b.product + self.square;
        Similarity::from_parts(dot, a.distance, b.distance).cosine()
    }
}

struct Slot {
    id: String,
    vector: Vector,
    place: Place,
}

/// Entries of one sort, and which of them is nearest to a vector, if near enough.
struct Pool {
    threshold: f64,
    centring: Centring,
    slots: Vec<Option<Slot>>,
    by_id: HashMap<String, u32>,
    /// Of sparse vectors, which slots have a feature among their first ones.
    postings: HashMap<u32, Vec<u32>>,
    /// The least and the greatest product with the centre that a slot ever had.
    products: (f64, f64),
}

/// Slots of the postings are cut for scalar products down to this share of the threshold.
const INDEXED_SHARE: f64 = 0.7;

/// Sums of squares are off by less than this.
const SLACK: f64 = 1e-6;

impl Pool {
    fn new(threshold: f64, centre: Option<&Vector>) -> Self {
        Self {
            threshold,
            centring: Centring::new(centre),
            slots: Vec::new(),
            by_id: HashMap::new(),
            postings: HashMap::new(),
            products: (f64::INFINITY, f64::NEG_INFINITY),
        }
    }

    /// The first features of a vector: rarest in the centre first, until what is left is shorter
    /// than `bound`. Two vectors that share none of them have a scalar product below `bound`
    /// times the greater of their lengths (prefix filtering: Bayardo, Ma and Srikant 2007).
    fn prefix(&self, vector: &SparseVector, bound: f64) -> Vec<u32> {
        let mean = |feature: u32| match &self.centring.centre {
            Some(Vector::Sparse(c)) => c
                .indices
                .binary_search(&feature)
                .ok()
                .and_then(|i| c.values.get(i))
                .map_or(0.0, |x| x.abs()),
            _ => 0.0,
        };
        let mut features: Vec<(f32, u32, f64)> = vector
            .indices
            .iter()
            .zip(&vector.values)
            .map(|(&i, &x)| (mean(i), i, f64::from(x) * f64::from(x)))
            .collect();
        features.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut left: f64 = features.iter().map(|f| f.2).sum();
        let mut prefix = Vec::new();
        for (_, feature, square) in features {
            if left + SLACK < bound * bound {
                break;
            }
            prefix.push(feature);
            left -= square;
        }
        prefix
    }

    /// The least scalar product that a slot near enough to `place` can have. For unit vectors the
    /// bound is concave in the slot's product with the centre, so that it is least at an end.
    fn least_product(&self, place: &Place) -> f64 {
        let mm = self.centring.square;
        let at = |product: f64| {
            let distance = (1.0 - 2.0 * product + mm).max(0.0).sqrt();
            self.threshold * place.distance * distance + product + place.product - mm
        };
        at(self.products.0).min(at(self.products.1)) - SLACK
    }

    fn candidates(&self, vector: &Vector, place: &Place) -> Option<Vec<u32>> {
        let Vector::Sparse(sparse) = vector else {
            return None;
        };
        let bound = self.least_product(place);
        // Slots were cut for less than this: only then does the filter miss nothing.
        if bound < INDEXED_SHARE * self.threshold {
            return None;
        }
        let prefix = self.prefix(sparse, bound);
        let lists = prefix.iter().filter_map(|f| self.postings.get(f));
        let mut found: Vec<u32> = lists.flatten().copied().collect();
        found.sort_unstable();
        found.dedup();
        Some(found)
    }

    fn nearest(&self, vector: &Vector, except: &str) -> Option<(String, f64)> {
        if self.by_id.is_empty() {
            return None;
        }
        let place = self.centring.place(vector);
        let judge = |slot: &Option<Slot>| {
            let slot = slot.as_ref().filter(|s| s.id != except)?;
            let dot = vector.dot(&slot.vector);
            let cosine = self.centring.cosine(dot, &place, &slot.place);
            (cosine >= self.threshold).then(|| (slot.id.clone(), cosine))
        };
        let better = |a: (String, f64), b: (String, f64)| {
            let first = a.1.total_cmp(&b.1).then_with(|| b.0.cmp(&a.0)).is_ge();
            if first { a } else { b }
        };
        match self.candidates(vector, &place) {
            Some(rows) => {
                let rows = rows.into_iter();
                rows.filter_map(|row| judge(self.slots.get(row as usize)?))
                    .reduce(better)
            }
            None => self.slots.par_iter().filter_map(judge).reduce_with(better),
        }
    }

    fn add(&mut self, id: &str, vector: &Vector) {
        self.remove(id);
        let place = self.centring.place(vector);
        self.products.0 = self.products.0.min(place.product);
        self.products.1 = self.products.1.max(place.product);
        let row = u32::try_from(self.slots.len()).unwrap_or(u32::MAX);
        if let Vector::Sparse(sparse) = vector {
            for feature in self.prefix(sparse, INDEXED_SHARE * self.threshold) {
                self.postings.entry(feature).or_default().push(row);
            }
        }
        self.by_id.insert(id.to_owned(), row);
        self.slots.push(Some(Slot {
            id: id.to_owned(),
            vector: vector.clone(),
            place,
        }));
    }

    fn remove(&mut self, id: &str) {
        if let Some(row) = self.by_id.remove(id)
            && let Some(slot) = self.slots.get_mut(row as usize)
        {
            *slot = None;
        }
        // Room is taken back once most of it is unused.
        if self.slots.len() > 1024 && self.by_id.len() * 3 < self.slots.len() {
            self.compact();
        }
    }

    fn compact(&mut self) {
        let slots = std::mem::take(&mut self.slots);
        self.postings.clear();
        self.by_id.clear();
        for slot in slots.into_iter().flatten() {
            self.add(&slot.id, &slot.vector);
        }
    }
}

/// Finds entries that say the same, by centred cosine: facts (and identity, scaffold) among
/// themselves, responses among themselves.
///
/// Dense vectors are compared with all entries, O(n · d); sparse ones with those that share one
/// of their rarest features, which misses none that reaches the threshold. Vectors are expected
/// to have unit length.
pub struct Deduplicator {
    facts: Pool,
    responses: Pool,
}

impl std::fmt::Debug for Deduplicator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Deduplicator")
            .field("facts", &self.facts.by_id.len())
            .field("responses", &self.responses.by_id.len())
            .finish()
    }
}

impl Deduplicator {
    /// Without entries.
    ///
    /// # Errors
    /// [`Error::InvalidSetting`] for a threshold outside (0, 1].
    pub fn new(thresholds: DedupThresholds, centre: Option<&Vector>) -> Result<Self, Error> {
        thresholds.check()?;
        Ok(Self {
            facts: Pool::new(thresholds.facts, centre),
            responses: Pool::new(thresholds.responses, centre),
        })
    }

    fn pool(&mut self, kind: EntryKind) -> &mut Pool {
        match kind {
            EntryKind::Response => &mut self.responses,
            _ => &mut self.facts,
        }
    }

    /// The entry that says the same as a vector of this kind, other than `except`: the nearest at
    /// or above the threshold, ties to the lesser id; with the centred cosine.
    #[must_use]
    pub fn duplicate_of(
        &self,
        kind: EntryKind,
        vector: &Vector,
        except: &str,
    ) -> Option<(String, f64)> {
        match kind {
            EntryKind::Response => self.responses.nearest(vector, except),
            _ => self.facts.nearest(vector, except),
        }
    }

    /// Adds an entry, in place of one with its id.
    pub fn add(&mut self, kind: EntryKind, id: &str, vector: &Vector) {
        self.pool(kind).add(id, vector);
    }

    /// Removes an entry of this kind.
    pub fn remove(&mut self, kind: EntryKind, id: &str) {
        self.pool(kind).remove(id);
    }
}
