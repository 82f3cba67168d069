//! The laws of [`VectorIndex`].

use std::collections::BTreeSet;

use super::{Outcome, demand, word};
use crate::{
    EntryKind, EntryMeta, Error, ExactIndex, Filter, Fingerprint, Hit, IndexEntry, Shape,
    SparseVector, Vector, VectorIndex,
};

/// A fingerprint for tests.
#[must_use]
pub fn fingerprint(shape: Shape) -> Fingerprint {
    Fingerprint {
        model_id: "conformance 'model'".into(),
        shape,
        settings: [("pooling".to_owned(), "mean; \"x\"".to_owned())].into(),
        learned: None,
    }
}

/// A vector drawn from a fixed sequence (Knuth's MMIX generator), the same for the same number.
#[must_use]
pub fn vector(shape: Shape, number: u64) -> Vector {
    let mut state = number.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(1);
    let mut next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((state >> 40) as f32 / (1u64 << 24) as f32) - 0.5
    };
    match shape {
        Shape::Dense(dimension) => {
            let mut values: Vec<f32> = (0..dimension).map(|_| next()).collect();
            if let Some(first) = values.first_mut() {
                *first += 0.01;
            }
            Vector::Dense(values)
        }
        Shape::Sparse(dimension) => {
            let mut indices: Vec<u32> = Vec::new();
            for i in 0..u32::try_from(dimension).unwrap_or(u32::MAX) {
                if next() > 0.2 {
                    indices.push(i);
                }
            }
            if indices.is_empty() {
                indices.push(0);
            }
            let values = indices.iter().map(|_| next() + 0.6).collect();
            Vector::Sparse(SparseVector {
                dimension,
                indices,
                values,
            })
        }
    }
}

/// An entry with the vector of this number.
#[must_use]
pub fn entry(shape: Shape, id: &str, number: u64) -> IndexEntry {
    let kinds = [EntryKind::Fact, EntryKind::Response, EntryKind::Identity];
    IndexEntry {
        id: id.to_owned(),
        vector: vector(shape, number),
        meta: EntryMeta {
            cube: if number.is_multiple_of(3) {
                "spec'ialist"
            } else {
                "generalist"
            }
            .into(),
            kind: kinds
                .get((number % 3) as usize)
                .copied()
                .unwrap_or_default(),
            parent: format!("doc \u{e9} {}", number % 5),
        },
    }
}

/// Checks an empty index against [`ExactIndex`]: what is stored, what is refused, what is found.
///
/// The index must be exact; an approximate one is judged by recall elsewhere.
///
/// # Errors
/// What the index got wrong.
pub fn vector_index(index: &mut dyn VectorIndex) -> Outcome {
    let shape = index.fingerprint().shape;
    demand(index.is_empty().map_err(word)?, "a new index is empty")?;
    demand(
        index
            .search(&vector(shape, 1), 5, &Filter::default())
            .map_err(word)?
            .is_empty(),
        "an empty index finds nothing",
    )?;
    storing(index, shape)?;
    refusals(index, shape)?;
    finding(index, shape)?;
    removing(index, shape)
}

const ODD: [&str; 7] = [
    "b",
    "B",
    "caf\u{e9}",
    "cafe\u{301}",
    "it's \"1\"; --",
    "%_\\",
    "\u{1f600} ",
];

fn storing(index: &mut dyn VectorIndex, shape: Shape) -> Outcome {
    let entries: Vec<IndexEntry> = ODD
        .iter()
        .zip(100..)
        .map(|(id, n)| entry(shape, id, n))
        .collect();
    index.insert(entries.clone()).map_err(word)?;
    demand(index.len().map_err(word)? == ODD.len(), "entries count")?;
    let mut sorted = ODD;
    sorted.sort_unstable();
    demand(
        index.ids().map_err(word)? == sorted,
        "ids come in the order of their bytes",
    )?;
    for wanted in entries {
        let found = index.get(&wanted.id).map_err(word)?;
        demand(found == Some(wanted), "an entry comes back bit for bit")?;
    }
    demand(
        index.get("none").map_err(word)?.is_none(),
        "what is not there is not found",
    )
}

fn refusals(index: &mut dyn VectorIndex, shape: Shape) -> Outcome {
    let before = index.ids().map_err(word)?;
    let good = entry(shape, "good", 7);
    let with = |id: &str, vector: Vector| IndexEntry {
        id: id.into(),
        vector,
        meta: good.meta.clone(),
    };
    let dimension = match shape {
        Shape::Dense(d) | Shape::Sparse(d) => d,
    };
    let scaled = |by: f32| match vector(shape, 3) {
        Vector::Dense(v) => Vector::Dense(v.iter().map(|x| x * by).collect()),
        Vector::Sparse(mut s) => {
            s.values.iter_mut().for_each(|x| *x *= by);
            Vector::Sparse(s)
        }
    };
    let wider = match shape {
        Shape::Dense(_) => Vector::Dense(vec![1.0; dimension + 1]),
        Shape::Sparse(_) => Vector::Sparse(SparseVector {
            dimension: dimension + 1,
            indices: vec![0],
            values: vec![1.0],
        }),
    };
    let other_form = match shape {
        Shape::Dense(_) => vector(Shape::Sparse(dimension), 1),
        Shape::Sparse(_) => Vector::Dense(vec![1.0; dimension]),
    };
    let refused = [
        with("x", scaled(f32::NAN)),
        with("x", scaled(f32::INFINITY)),
        with("x", scaled(0.0)),
        with("x", wider.clone()),
        with("x", other_form),
        with("b", vector(shape, 4)),
        with("good", vector(shape, 4)),
        with("a\0b", vector(shape, 4)),
    ];
    for (number, bad) in refused.into_iter().enumerate() {
        // U+0000 is for stores to refuse; memory may keep it.
        let nul = bad.id.contains('\0');
        let result = index.insert(vec![good.clone(), bad]);
        if nul && result.is_ok() {
            index.remove(&["good", "a\0b"]).map_err(word)?;
            continue;
        }
        demand(result.is_err(), &format!("bad entry {number} is refused"))?;
        demand(
            index.ids().map_err(word)? == before,
            "an insertion is whole or not at all",
        )?;
    }
    let duplicate = index.insert(vec![with("b", vector(shape, 4))]);
    demand(
        matches!(duplicate, Err(Error::DuplicateEntry { id }) if id == "b"),
        "an id is there once",
    )?;
    for query in [scaled(f32::NAN), scaled(0.0), wider] {
        demand(
            index.search(&query, 3, &Filter::default()).is_err(),
            "a query is checked",
        )?;
    }
    Ok(())
}

fn finding(index: &mut dyn VectorIndex, shape: Shape) -> Outcome {
    let mut model = ExactIndex::new(index.fingerprint().clone());
    for id in index.ids().map_err(word)? {
        let entry = index.get(&id).map_err(word)?.ok_or("an entry is gone")?;
        model.insert(vec![entry]).map_err(word)?;
    }
    let mut more: Vec<IndexEntry> = (0..60)
        .map(|n| entry(shape, &format!("e{n:02}"), n))
        .collect();
    // Ties: the same vector under several ids.
    more.extend(["tie-c", "tie-a", "tie-B"].map(|id| entry(shape, id, 12)));
    model.insert(more.clone()).map_err(word)?;
    index.insert(more).map_err(word)?;
    let only = |cubes: &[&str], kinds: &[EntryKind], parents: &[&str]| Filter {
        cubes: (!cubes.is_empty()).then(|| cubes.iter().map(|s| (*s).to_owned()).collect()),
        kinds: (!kinds.is_empty()).then(|| kinds.iter().copied().collect()),
        parents: (!parents.is_empty()).then(|| parents.iter().map(|s| (*s).to_owned()).collect()),
    };
    let filters = [
        Filter::default(),
        only(&["spec'ialist"], &[], &[]),
        only(&[], &[EntryKind::Fact, EntryKind::Identity], &[]),
        only(&["generalist"], &[EntryKind::Response], &["doc \u{e9} 1"]),
        only(&["nobody"], &[], &[]),
        Filter {
            cubes: Some(BTreeSet::new()),
            ..Filter::default()
        },
    ];
    for number in [12, 200, 201] {
        for filter in &filters {
            for k in [0, 1, 2, 5, 1_000] {
                let query = vector(shape, number);
                let found = index.search(&query, k, filter).map_err(word)?;
                let wanted = model.search(&query, k, filter).map_err(word)?;
                demand(
                    same_hits(&found, &wanted),
                    &format!(
                        "query {number}, k {k}, {filter:?}: found {found:?}, expected {wanted:?}"
                    ),
                )?;
            }
        }
    }
    Ok(())
}

fn same_hits(found: &[Hit], wanted: &[Hit]) -> bool {
    found == wanted
}

fn removing(index: &mut dyn VectorIndex, shape: Shape) -> Outcome {
    let query = vector(shape, 12);
    let before = index.len().map_err(word)?;
    let best = index.search(&query, 3, &Filter::default()).map_err(word)?;
    let mut gone: Vec<&str> = best.iter().map(|h| h.id.as_str()).collect();
    gone.extend(["not there", gone.first().copied().unwrap_or_default()]);
    demand(
        index.remove(&gone).map_err(word)? == 3,
        "removal counts what was there",
    )?;
    demand(
        index.remove(&gone).map_err(word)? == 0,
        "what is gone is gone",
    )?;
    let left = index
        .search(&query, before, &Filter::default())
        .map_err(word)?;
    demand(
        left.len() == before - 3,
        "a search gives k hits after removals",
    )?;
    demand(
        left.iter().all(|h| !gone.contains(&h.id.as_str())),
        "what was removed is not found",
    )?;
    let back = best.first().map(|h| h.id.clone()).unwrap_or_default();
    index.insert(vec![entry(shape, &back, 12)]).map_err(word)?;
    demand(
        index.get(&back).map_err(word)?.is_some(),
        "an id can come back",
    )
}
