//! The laws of [`VectorIndex`] as a suite that any implementation can run.

use std::collections::BTreeSet;

use super::{EntryKind, EntryMeta, ExactIndex, Filter, GENERALIST, IndexEntry, VectorIndex};
use crate::{Error, Fingerprint, Shape, SparseVector, Vector};

/// Runs every law on indexes that `make` opens empty for a space. An index that cannot hold a
/// shape may answer `None` and the laws of that shape are passed over.
///
/// # Errors
/// The first law that does not hold, in words.
pub fn vector_index_laws(
    make: &mut dyn FnMut(&Fingerprint) -> Option<Box<dyn VectorIndex>>,
) -> Result<(), String> {
    for shape in [Shape::Dense(24), Shape::Sparse(4096)] {
        let space = space(shape);
        let mut fresh = || make(&space);
        let Some(first) = fresh() else { continue };
        empty(first.as_ref())?;
        for law in [agrees_with_exact, refuses, removes, filters, breaks_ties] {
            if let Some(mut index) = fresh() {
                law(index.as_mut(), shape).map_err(|e| format!("{shape}: {e}"))?;
            }
        }
    }
    Ok(())
}

fn space(shape: Shape) -> Fingerprint {
    let settings = std::collections::BTreeMap::new();
    Fingerprint {
        model_id: "conformance".into(),
        shape,
        settings,
        learned: None,
    }
}

/// Deterministic numbers in [−1, 1).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f32 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 40) as f32 / (1u64 << 23) as f32 - 1.0
    }

    fn vector(&mut self, shape: Shape) -> Vector {
        match shape {
            Shape::Dense(d) => Vector::Dense((0..d).map(|_| self.next()).collect()),
            Shape::Sparse(dimension) => {
                let place = |x: f32| ((x + 1.0) / 2.0 * (dimension - 1) as f32) as u32;
                let indices: BTreeSet<u32> = (0..40).map(|_| place(self.next())).collect();
                let indices: Vec<u32> = indices.into_iter().collect();
                let values = indices.iter().map(|_| self.next() + 1.5).collect();
                Vector::Sparse(SparseVector {
                    dimension,
                    indices,
                    values,
                })
            }
        }
    }
}

fn meta(i: usize) -> EntryMeta {
    EntryMeta {
        cube: if i.is_multiple_of(10) {
            "law".into()
        } else {
            GENERALIST.into()
        },
        kind: if i.is_multiple_of(7) {
            EntryKind::Response
        } else {
            EntryKind::Fact
        },
        parent: format!("doc {}", i / 5),
    }
}

fn entries(n: usize, shape: Shape) -> Vec<IndexEntry> {
    let mut numbers = Numbers(11);
    let entry = |i| IndexEntry {
        id: format!("e{i:04}"),
        vector: numbers.vector(shape),
        meta: meta(i),
    };
    (0..n).map(entry).collect()
}

fn ensure(holds: bool, law: impl Into<String>) -> Result<(), String> {
    if holds { Ok(()) } else { Err(law.into()) }
}

fn said(e: Error) -> String {
    e.to_string()
}

fn empty(index: &dyn VectorIndex) -> Result<(), String> {
    ensure(index.is_empty().map_err(said)?, "a new index is empty")?;
    let query = Numbers(3).vector(index.fingerprint().shape);
    let hits = index.search(&query, 5, &Filter::default()).map_err(said)?;
    ensure(hits.is_empty(), "an empty index finds nothing")
}

fn agrees_with_exact(index: &mut dyn VectorIndex, shape: Shape) -> Result<(), String> {
    let all = entries(500, shape);
    let mut exact = ExactIndex::new(space(shape));
    exact.insert(all.clone()).map_err(said)?;
    index.insert(all.clone()).map_err(said)?;
    ensure(index.len().map_err(said)? == 500, "len counts the entries")?;
    ensure(
        index.ids() == exact.ids(),
        "ids come in the order of their bytes",
    )?;
    ensure(
        index.get("e0123").map_err(said)?.as_ref() == all.get(123),
        "get gives an entry back whole",
    )?;
    ensure(
        index.get("absent").map_err(said)?.is_none(),
        "get knows what is absent",
    )?;
    let mut numbers = Numbers(99);
    for _ in 0..20 {
        let query = numbers.vector(shape);
        for k in [0, 1, 10, 600] {
            let got = index.search(&query, k, &Filter::default()).map_err(said)?;
            let want = exact.search(&query, k, &Filter::default()).map_err(said)?;
            ensure(got == want, format!("search for {k} equals the exact one"))?;
        }
    }
    for e in all.iter().take(20) {
        let hits = index
            .search(&e.vector, 1, &Filter::default())
            .map_err(said)?;
        let exact_copy = hits
            .first()
            .is_some_and(|h| h.id == e.id && h.similarity.query_sim() == 1.0);
        ensure(exact_copy, "a stored vector finds itself at exactly 1")?;
    }
    Ok(())
}

fn refuses(index: &mut dyn VectorIndex, shape: Shape) -> Result<(), String> {
    let good = entries(3, shape);
    let bad = |values: [f32; 3]| match shape {
        Shape::Dense(d) => {
            let mut v = vec![0.0; d];
            v.iter_mut().zip(values).for_each(|(v, x)| *v = x);
            Vector::Dense(v)
        }
        Shape::Sparse(dimension) => Vector::Sparse(SparseVector {
            dimension,
            indices: vec![1, 2, 3],
            values: values.to_vec(),
        }),
    };
    let cases = [
        [f32::NAN, 0.0, 0.0],
        [f32::INFINITY, 0.0, 0.0],
        [0.0; 3],
        [1e-40, 0.0, 0.0],
    ];
    for values in cases {
        let vector = bad(values);
        let mut batch = good.clone();
        batch.push(IndexEntry {
            id: "bad".into(),
            vector: vector.clone(),
            meta: meta(0),
        });
        let refused = index.insert(batch);
        let named = refused
            .as_ref()
            .is_err_and(|e| e.to_string().contains("bad"));
        ensure(
            named,
            format!("{values:?} is refused at insertion, and the entry named"),
        )?;
        ensure(
            index.len().map_err(said)? == 0,
            "an insertion is whole or not at all",
        )?;
        let searched = index.search(&vector, 1, &Filter::default());
        ensure(
            searched.is_err(),
            format!("{values:?} is refused at search"),
        )?;
    }
    let short = Vector::Dense(vec![1.0; 3]);
    let e = index.insert(vec![IndexEntry {
        id: "short".into(),
        vector: short.clone(),
        meta: meta(0),
    }]);
    ensure(
        matches!(e, Err(Error::ShapeMismatch { .. })),
        "another shape is refused",
    )?;
    ensure(
        index.search(&short, 1, &Filter::default()).is_err(),
        "and so at search",
    )?;
    index.insert(good.clone()).map_err(said)?;
    let again = index.insert(good);
    ensure(
        matches!(again, Err(Error::DuplicateEntry { .. })),
        "an id is taken once",
    )
}

fn removes(index: &mut dyn VectorIndex, shape: Shape) -> Result<(), String> {
    let all = entries(300, shape);
    index.insert(all.clone()).map_err(said)?;
    let query = Numbers(5).vector(shape);
    let open = Filter::default();
    let before = index.search(&query, 20, &open).map_err(said)?;
    let top: Vec<&str> = before.iter().take(10).map(|h| h.id.as_str()).collect();
    let mut ids = top.clone();
    ids.push("absent");
    ensure(
        index.remove(&ids).map_err(said)? == 10,
        "remove counts what was there",
    )?;
    let after = index.search(&query, 10, &open).map_err(said)?;
    ensure(
        before.get(10..) == Some(&after[..]),
        "survivors move up, as many as asked for",
    )?;
    let back: Vec<IndexEntry> = all
        .into_iter()
        .filter(|e| top.contains(&e.id.as_str()))
        .collect();
    index.insert(back).map_err(said)?;
    ensure(
        index.search(&query, 20, &open).map_err(said)? == before,
        "what was removed can come back",
    )
}

fn filters(index: &mut dyn VectorIndex, shape: Shape) -> Result<(), String> {
    let all = entries(1000, shape);
    index.insert(all.clone()).map_err(said)?;
    let query = Numbers(8).vector(shape);
    let set = |s: &str| Some(BTreeSet::from([s.to_owned()]));
    for filter in [
        Filter {
            cubes: set("law"),
            ..Filter::default()
        },
        Filter {
            kinds: Some(BTreeSet::from([EntryKind::Response])),
            ..Filter::default()
        },
        Filter {
            parents: set("doc 3"),
            ..Filter::default()
        },
        Filter {
            cubes: set("law"),
            kinds: Some(BTreeSet::from([EntryKind::Response])),
            ..Filter::default()
        },
        Filter {
            cubes: set("absent"),
            ..Filter::default()
        },
    ] {
        let pass = all.iter().filter(|e| filter.passes(&e.meta)).count();
        for k in [3, 2000] {
            let hits = index.search(&query, k, &filter).map_err(said)?;
            ensure(
                hits.len() == pass.min(k),
                "a filter leaves k, where k pass it",
            )?;
            ensure(
                hits.iter().all(|h| filter.passes(&h.meta)),
                "and only what passes",
            )?;
        }
    }
    Ok(())
}

fn breaks_ties(index: &mut dyn VectorIndex, shape: Shape) -> Result<(), String> {
    let vector = Numbers(21).vector(shape);
    let ids = ["b", "a", "é", "Z", "aa"];
    let same = ids.map(|id| IndexEntry {
        id: id.into(),
        vector: vector.clone(),
        meta: meta(0),
    });
    index.insert(same.to_vec()).map_err(said)?;
    let hits = index.search(&vector, 5, &Filter::default()).map_err(said)?;
    let got: Vec<&str> = hits.iter().map(|h| h.id.as_str()).collect();
    ensure(
        got == ["Z", "a", "aa", "b", "é"],
        format!("ties by the bytes of the id, not {got:?}"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exact_index_keeps_the_laws() {
        vector_index_laws(&mut |space| Some(Box::new(ExactIndex::new(space.clone())))).unwrap();
    }
}
