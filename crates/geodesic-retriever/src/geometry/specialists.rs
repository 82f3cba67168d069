//! Anchors of specialists: inherited at depth 1, derived from their own entries deeper down.

use serde::{Deserialize, Serialize};

use super::AnchorSet;
use super::anchors::Frame;
use crate::{Error, Vector};

/// How a specialist's anchors are derived.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SpecialistOptions {
    /// Clusters, and so anchors; default 6.
    pub clusters: usize,
    /// Rounds at most; default 50.
    pub rounds: usize,
    /// Seed of the first centres.
    pub seed: u64,
    /// Entries below this a cluster fall back to the parent's anchors; default 5.
    pub min_entries_per_cluster: usize,
    /// Mean cosine of entries with their centre below this falls back; default 0.3.
    pub min_coherence: f64,
}

impl Default for SpecialistOptions {
    fn default() -> Self {
        Self {
            clusters: 6,
            rounds: 50,
            seed: 1,
            min_entries_per_cluster: 5,
            min_coherence: 0.3,
        }
    }
}

/// Where a specialist's anchors come from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "source")]
#[non_exhaustive]
pub enum AnchorSource {
    /// Depth 1: the parent's.
    InheritedAtDepthOne,
    /// Too few entries to cluster: the parent's.
    InheritedTooFewEntries {
        /// Entries there are.
        entries: usize,
        /// Entries needed.
        needed: usize,
    },
    /// Clusters too loose: the parent's.
    InheritedLowCoherence {
        /// Mean cosine of the entries with their centres.
        coherence: f64,
        /// What was needed.
        needed: f64,
    },
    /// Spherical k-means over the entries.
    Derived {
        /// Mean cosine of the entries with their centres.
        coherence: f64,
        /// Rounds until nothing moved.
        rounds: usize,
    },
}

/// A specialist's anchors and their origin.
#[derive(Debug, Clone, PartialEq)]
pub struct SpecialistAnchors {
    /// Unit vectors. The parent's, or one a cluster.
    pub anchors: Vec<Vector>,
    /// Where they come from, and why.
    pub source: AnchorSource,
}

/// The anchors of a specialist at a depth (1 for a child of the generalist).
///
/// Spherical k-means (Dhillon and Modha 2001) with seeded farthest-first centres; ties go to the
/// earlier centre, sums are in `f64` in the order of the entries. O(rounds · entries · clusters ·
/// dimension).
///
/// # Errors
/// [`Error::InvalidSetting`] for no clusters; a vector's own fault.
pub fn derive_specialist_anchors(
    parent: &AnchorSet,
    depth: usize,
    entries: &[&Vector],
    options: &SpecialistOptions,
) -> Result<SpecialistAnchors, Error> {
    if options.clusters == 0 {
        return Err(Error::setting("clusters", 0, "1 or more"));
    }
    for (i, v) in entries.iter().enumerate() {
        v.check(&format!("entry {i}"), parent.fingerprint.shape)?;
    }
    let inherit = |source| {
        Ok(SpecialistAnchors {
            anchors: parent.anchors.clone(),
            source,
        })
    };
    if depth <= 1 {
        return inherit(AnchorSource::InheritedAtDepthOne);
    }
    let needed = options.clusters * options.min_entries_per_cluster.max(1);
    if entries.len() < needed {
        let entries = entries.len();
        return inherit(AnchorSource::InheritedTooFewEntries { entries, needed });
    }
    let (anchors, coherence, rounds) = k_means(entries, options)?;
    if coherence < options.min_coherence {
        let needed = options.min_coherence;
        return inherit(AnchorSource::InheritedLowCoherence { coherence, needed });
    }
    Ok(SpecialistAnchors {
        anchors,
        source: AnchorSource::Derived { coherence, rounds },
    })
}

fn k_means(
    entries: &[&Vector],
    options: &SpecialistOptions,
) -> Result<(Vec<Vector>, f64, usize), Error> {
    let frame = Frame::of(entries.iter().copied());
    let mut centres = farthest_first(entries, options)?;
    let mut assigned = vec![usize::MAX; entries.len()];
    let mut rounds = 0;
    while rounds < options.rounds.max(1) {
        rounds += 1;
        let before = std::mem::take(&mut assigned);
        assigned = entries.iter().map(|v| nearest(&centres, v).0).collect();
        if assigned == before {
            break;
        }
        for (c, centre) in centres.iter_mut().enumerate() {
            let mut sum = vec![0.0; frame.len()];
            for (v, _) in entries.iter().zip(&assigned).filter(|(_, a)| **a == c) {
                frame.add(&mut sum, v, 1.0 / v.norm());
            }
            // A cluster that lost its entries, or whose entries cancel out, keeps its centre.
            if let Ok(moved) = frame.unit(&sum, "a cluster's centre") {
                *centre = moved;
            }
        }
    }
    let total: f64 = entries.iter().map(|v| nearest(&centres, v).1).sum();
    Ok((centres, total / entries.len() as f64, rounds))
}

/// The first centre by the seed, each next one the entry farthest from its nearest centre.
fn farthest_first(entries: &[&Vector], options: &SpecialistOptions) -> Result<Vec<Vector>, Error> {
    // One step of SplitMix64 spreads small seeds.
    let mut z = options.seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let first = (z ^ (z >> 27)) as usize % entries.len();
    let mut centres = Vec::new();
    let mut next = first;
    while centres.len() < options.clusters {
        let Some(v) = entries.get(next) else { break };
        centres.push((*v).clone().normalized("an entry")?);
        let cosines = entries.iter().map(|v| nearest(&centres, v).1);
        let farthest = cosines.enumerate().min_by(|a, b| a.1.total_cmp(&b.1));
        next = farthest.map_or(0, |f| f.0);
    }
    Ok(centres)
}

fn nearest(centres: &[Vector], v: &Vector) -> (usize, f64) {
    let mut best = (0, f64::NEG_INFINITY);
    for (i, c) in centres.iter().enumerate() {
        let cosine = c.similarity(v).cosine();
        if cosine > best.1 {
            best = (i, cosine);
        }
    }
    best
}
