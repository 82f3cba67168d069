//! Deduplication: thresholds at their boundaries, the filter for sparse vectors against a plain
//! scan, centring.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use geodesic_retriever::{
    DedupThresholds, Deduplicator, EntryKind, SparseVector, Vector, centre_of, centred_cosine,
};
use proptest::prelude::*;

const FACT: EntryKind = EntryKind::Fact;
const RESPONSE: EntryKind = EntryKind::Response;

/// Two unit vectors in the plane with about this cosine.
fn at(cosine: f64) -> Vector {
    Vector::Dense(vec![cosine as f32, (1.0 - cosine * cosine).sqrt() as f32])
        .normalized("v")
        .unwrap()
}

#[test]
fn facts_at_0_85_and_responses_at_0_75() {
    let first = at(1.0);
    for (kind, threshold) in [(FACT, 0.85), (RESPONSE, 0.75)] {
        let mut dedup = Deduplicator::new(DedupThresholds::default(), None).unwrap();
        dedup.add(kind, "a", &first);
        assert!(
            dedup
                .duplicate_of(kind, &at(threshold + 1e-4), "")
                .is_some()
        );
        assert!(
            dedup
                .duplicate_of(kind, &at(threshold - 1e-4), "")
                .is_none()
        );
        let other = if kind == FACT { RESPONSE } else { FACT };
        assert!(dedup.duplicate_of(other, &first, "").is_none(), "apart");
    }
}

/// At the threshold to the last bit it is a duplicate; one bit above, it is not.
#[test]
fn the_boundary_belongs_to_the_duplicates() {
    let centre = Vector::Dense(vec![0.2, 0.1]);
    let (a, b) = (at(1.0), at(0.9));
    let cosine = centred_cosine(&a, &b, Some(&centre));
    for (threshold, expected) in [(cosine, true), (cosine.next_up(), false)] {
        let thresholds = DedupThresholds {
            facts: threshold,
            responses: threshold,
        };
        let mut dedup = Deduplicator::new(thresholds, Some(&centre)).unwrap();
        for kind in [FACT, RESPONSE] {
            dedup.add(kind, "a", &a);
            let found = dedup.duplicate_of(kind, &b, "");
            assert_eq!(found.is_some(), expected);
            assert!(found.is_none_or(|f| f == ("a".to_owned(), cosine)));
        }
    }
}

#[test]
fn thresholds_out_of_range_are_refused() {
    for facts in [0.0, -0.1, 1.01, f64::NAN] {
        let thresholds = DedupThresholds {
            facts,
            responses: 0.75,
        };
        assert!(Deduplicator::new(thresholds, None).is_err(), "{facts}");
    }
    let thresholds = DedupThresholds {
        facts: 1.0,
        responses: 1.0,
    };
    let mut dedup = Deduplicator::new(thresholds, None).unwrap();
    dedup.add(FACT, "a", &at(0.3));
    assert!(dedup.duplicate_of(FACT, &at(0.3), "").is_some(), "a copy");
    assert!(dedup.duplicate_of(FACT, &at(0.3), "a").is_none(), "itself");
}

/// What all texts share is no likeness: subtracting the mean tells apart what a common part made
/// alike.
#[test]
fn centring_takes_away_what_all_share() {
    let v = |x: f32, y: f32| Vector::Dense(vec![3.0, x, y]).normalized("v").unwrap();
    let (a, b) = (v(1.0, 0.0), v(0.0, 1.0));
    let centre = centre_of(&[&a, &b, &v(-1.0, 0.0), &v(0.0, -1.0)]).unwrap();
    assert!(centred_cosine(&a, &b, None) > 0.89);
    assert!(centred_cosine(&a, &b, Some(&centre)).abs() < 1e-6);
    assert_eq!(centre_of(&[]), None);
    let opposite = Vector::Dense(vec![-1.0, 0.0]);
    assert_eq!(centre_of(&[&at(1.0), &opposite]), None, "they cancel out");
}

fn sparse(features: &[(u32, f32)]) -> Option<Vector> {
    let mut map = std::collections::BTreeMap::new();
    for &(i, x) in features {
        map.insert(i, x);
    }
    let (indices, values) = map.into_iter().unzip();
    let vector = Vector::Sparse(SparseVector {
        dimension: 64,
        indices,
        values,
    });
    vector.normalized("v").ok()
}

/// A vector and something near it.
fn near() -> impl Strategy<Value = (Vector, Vector)> {
    let features = prop::collection::vec((0u32..64, 0.05f32..1.0), 3..24);
    let change = prop::collection::vec((0u32..64, 0.05f32..0.6), 0..5);
    (features, change).prop_filter_map("no direction", |(features, change)| {
        let mut changed = features.clone();
        changed.extend(change);
        Some((sparse(&features)?, sparse(&changed)?))
    })
}

/// The nearest at or above the threshold by a plain scan.
fn scan(
    held: &[(String, Vector)],
    query: &Vector,
    centre: Option<&Vector>,
    threshold: f64,
) -> Option<(String, f64)> {
    let mut best: Option<(String, f64)> = None;
    for (id, vector) in held {
        let cosine = centred_cosine(query, vector, centre);
        let better = best
            .as_ref()
            .is_none_or(|(b, c)| cosine > *c || (cosine == *c && id < b));
        if cosine >= threshold && better {
            best = Some((id.clone(), cosine));
        }
    }
    best
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// The filter for sparse vectors misses nothing and finds the nearest, with and without a
    /// centre, after removals too.
    #[test]
    fn the_filter_finds_what_a_scan_finds(
        pairs in prop::collection::vec(near(), 2..30),
        centred in any::<bool>(),
        threshold in prop::sample::select(vec![0.5, 0.75, 0.85, 0.95]),
        removed in 0usize..5,
    ) {
        let all: Vec<&Vector> = pairs.iter().map(|p| &p.0).collect();
        let centre = if centred { centre_of(&all) } else { None };
        let thresholds = DedupThresholds { facts: threshold, responses: threshold };
        let mut dedup = Deduplicator::new(thresholds, centre.as_ref()).unwrap();
        let mut held = Vec::new();
        for (n, (first, _)) in pairs.iter().enumerate() {
            dedup.add(FACT, &format!("e{n:02}"), first);
            held.push((format!("e{n:02}"), first.clone()));
        }
        for _ in 0..removed.min(held.len() - 1) {
            let (id, _) = held.remove(held.len() / 2);
            dedup.remove(FACT, &id);
        }
        for (_, second) in &pairs {
            let found = dedup.duplicate_of(FACT, second, "");
            prop_assert_eq!(found, scan(&held, second, centre.as_ref(), threshold));
        }
    }
}

/// Thousands come and go: room is taken back, and nothing is lost over it.
#[test]
fn entries_come_and_go() {
    let one = |n: u32| sparse(&[(n % 61, 1.0), (n % 59, 0.7), (n % 53, 0.4)]).unwrap();
    let thresholds = DedupThresholds {
        facts: 0.999,
        responses: 0.999,
    };
    let mut dedup = Deduplicator::new(thresholds, None).unwrap();
    for n in 0..5_000 {
        dedup.add(FACT, &n.to_string(), &one(n));
        if n >= 100 {
            dedup.remove(FACT, &(n - 100).to_string());
        }
    }
    assert!(dedup.duplicate_of(FACT, &one(4_950), "").is_some());
    let held = (4_900..5_000).map(one);
    let gone = (0..4_900).map(one).find(|v| {
        held.clone()
            .all(|h| centred_cosine(&h, v, None) < thresholds.facts)
    });
    assert_eq!(dedup.duplicate_of(FACT, &gone.unwrap(), ""), None);
}
