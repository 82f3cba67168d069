//! Properties: trees of every size up to 300, second preimages, values, questions.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::print_stdout
)]

mod common;
mod naive;

use common::{Random, Sha256Tree};
use proptest::prelude::*;
use run_dag::tree::*;
use run_dag::*;
use std::collections::BTreeSet;

const SIZES: u64 = 300;

fn leaves(count: u64) -> Vec<TreeHash> {
    (0..count)
        .map(|i| LogTree::leaf(&i.to_le_bytes()))
        .collect()
}

/// Every leaf of every size up to 300 has a path that verifies there and nowhere near.
#[test]
fn inclusion_for_every_leaf_of_every_size() {
    let all = leaves(SIZES);
    let log: MerkleLog<LogTree> = all.iter().copied().collect();
    let mut proofs = 0;
    for size in 1..=SIZES {
        let root = log.root_at(size).unwrap();
        // The path from the stored log, checked against the slice for a part of the sizes.
        for index in 0..size {
            let path = log.inclusion(index, size).unwrap();
            let leaf = &all[index as usize];
            verify_inclusion::<LogTree>(index, size, leaf, &path, &root).unwrap();
            proofs += 1;
            if index % 37 == 0 {
                let slice = &all[..size as usize];
                assert_eq!(inclusion_path::<LogTree>(slice, index).unwrap(), path);
                let other = &all[(index as usize + 1) % all.len()];
                assert!(verify_inclusion::<LogTree>(index, size, other, &path, &root).is_err());
                let beside = (index + 1) % size;
                if beside != index {
                    let moved = verify_inclusion::<LogTree>(beside, size, leaf, &path, &root);
                    assert!(moved.is_err(), "{index} of {size}");
                }
                for cut in 0..path.len() {
                    let short = [&path[..cut], &path[cut + 1..]].concat();
                    assert!(verify_inclusion::<LogTree>(index, size, leaf, &short, &root).is_err());
                    let mut bent = path.clone();
                    bent[cut] = LogTree::leaf(b"bent");
                    assert!(verify_inclusion::<LogTree>(index, size, leaf, &bent, &root).is_err());
                }
                let mut long = path.clone();
                long.push(root);
                assert!(verify_inclusion::<LogTree>(index, size, leaf, &long, &root).is_err());
            }
        }
        assert!(log.inclusion(size, size).is_err());
    }
    assert_eq!(proofs, 300 * 301 / 2);
}

/// Every pair of sizes up to 300 has a consistency proof that verifies, and bent ones do not.
#[test]
fn consistency_for_every_pair_of_sizes() {
    let log: MerkleLog<LogTree> = leaves(SIZES).into_iter().collect();
    let roots: Vec<TreeHash> = (0..=SIZES).map(|n| log.root_at(n).unwrap()).collect();
    for new in 1..=SIZES {
        let new_root = &roots[new as usize];
        for old in 1..=new {
            let old_root = &roots[old as usize];
            let path = log.consistency(old, new).unwrap();
            verify_consistency::<LogTree>(old, new, &path, old_root, new_root).unwrap();
            if (old * 31 + new) % 97 != 0 {
                continue;
            }
            for cut in 0..path.len() {
                let short = [&path[..cut], &path[cut + 1..]].concat();
                let cut_out = verify_consistency::<LogTree>(old, new, &short, old_root, new_root);
                assert!(cut_out.is_err(), "{old} {new} {cut}");
                let mut bent = path.clone();
                bent[cut] = LogTree::leaf(b"bent");
                let bent = verify_consistency::<LogTree>(old, new, &bent, old_root, new_root);
                assert!(bent.is_err(), "{old} {new} {cut}");
            }
            let other = &roots[(old as usize).saturating_sub(1)];
            assert!(verify_consistency::<LogTree>(old, new, &path, other, new_root).is_err());
            let swapped = verify_consistency::<LogTree>(old, new, &path, new_root, old_root);
            assert_eq!(swapped.is_err(), old != new);
        }
        assert!(log.consistency(0, new).is_err());
        assert!(log.consistency(new + 1, new).is_err());
    }
}

/// Every subtree of every size up to 64 is consistent, with paths made by the definition.
#[test]
fn subtrees_by_definition() {
    let all = leaves(64);
    for size in 1..=64u64 {
        let whole = root::<LogTree>(&all[..size as usize]);
        for start in 0..size {
            for end in start + 1..=size {
                let part = &all[start as usize..end as usize];
                let part_root = root::<LogTree>(part);
                if !is_subtree(start, end) {
                    let empty: &[TreeHash] = &[];
                    let wrong = verify_subtree_consistency::<LogTree>(
                        start, end, size, empty, &part_root, &whole,
                    );
                    assert!(wrong.is_err());
                    continue;
                }
                let path = subtree_path(&all[..size as usize], start, end, true);
                verify_subtree_consistency::<LogTree>(start, end, size, &path, &part_root, &whole)
                    .unwrap_or_else(|e| panic!("[{start}, {end}) of {size}: {e}"));
                for index in start..end {
                    let path = inclusion_path::<LogTree>(part, index - start).unwrap();
                    let leaf = &all[index as usize];
                    verify_subtree_inclusion::<LogTree>(index, start, end, leaf, &path, &part_root)
                        .unwrap();
                }
            }
        }
    }
}

/// SUBTREE_SUBPROOF by its recursive definition.
fn subtree_path(leaves: &[TreeHash], start: u64, end: u64, known: bool) -> Vec<TreeHash> {
    let size = leaves.len() as u64;
    if start == 0 && end == size {
        return if known {
            vec![]
        } else {
            vec![root::<LogTree>(leaves)]
        };
    }
    let mut k = 1;
    while k * 2 < size {
        k *= 2;
    }
    let (left, right) = leaves.split_at(k as usize);
    if end <= k {
        let mut path = subtree_path(left, start, end, known);
        path.push(root::<LogTree>(right));
        path
    } else if k <= start {
        let mut path = subtree_path(right, start - k, end - k, known);
        path.push(root::<LogTree>(left));
        path
    } else {
        let mut path = subtree_path(right, 0, end - k, false);
        path.push(root::<LogTree>(left));
        path
    }
}

/// Tries at second preimages: an inner node passed off as a leaf, by hash or by encoding; a last
/// leaf doubled; a leaf dropped. None verifies, none gives the root again.
#[test]
fn second_preimages_never_verify() {
    let mut tries = 0u32;
    for size in 2..=64u64 {
        let data: Vec<Vec<u8>> = (0..size).map(|i| i.to_le_bytes().to_vec()).collect();
        let all: Vec<TreeHash> = data.iter().map(|d| LogTree::leaf(d)).collect();
        let whole = root::<LogTree>(&all);
        let mut doubled = data.clone();
        doubled.push(data[data.len() - 1].clone());
        assert_ne!(root_of_data::<LogTree, _>(&doubled), whole);
        assert_ne!(root_of_data::<LogTree, _>(&data[..data.len() - 1]), whole);
        for index in 0..size {
            let path = inclusion_path::<LogTree>(&all, index).unwrap();
            // Climb the path; at each height pass the node there off as a leaf of a smaller tree.
            let mut node = all[index as usize];
            for (height, sibling) in path.iter().enumerate() {
                for (left, right) in [(node, *sibling), (*sibling, node)] {
                    let encoding = [&left.as_bytes()[..], right.as_bytes()].concat();
                    let as_leaf = LogTree::leaf(&encoding);
                    let rest = &path[height + 1..];
                    for small in 1..=size {
                        for place in [
                            0,
                            small - 1,
                            index.min(small - 1),
                            (index >> (height + 1)).min(small - 1),
                        ] {
                            let got =
                                verify_inclusion::<LogTree>(place, small, &as_leaf, rest, &whole);
                            assert!(got.is_err());
                            tries += 1;
                        }
                    }
                    assert_ne!(as_leaf, LogTree::node(&left, &right));
                }
                let up = root_from_inclusion::<LogTree>(0, 2, &node, &[*sibling]).unwrap();
                node = up;
            }
        }
    }
    assert!(tries > 100_000, "{tries}");
}

/// Over all lists of up to 6 leaves of two kinds, and of trees of every kind: no two share a root.
#[test]
fn no_two_leaf_lists_share_a_root() {
    let mut roots = BTreeSet::new();
    let mut lists = 0;
    for length in 0..=6u32 {
        for bits in 0..2u32.pow(length) {
            let data: Vec<Vec<u8>> = (0..length).map(|i| vec![(bits >> i) as u8 & 1]).collect();
            roots.insert(*root_of_data::<RunTree, _>(&data).as_bytes());
            roots.insert(*root_of_data::<EvidenceTree, _>(&data).as_bytes());
            roots.insert(*root_of_data::<DocumentTree, _>(&data).as_bytes());
            roots.insert(*root_of_data::<SourceTree, _>(&data).as_bytes());
            roots.insert(*root_of_data::<SnapshotTree, _>(&data).as_bytes());
            roots.insert(*root_of_data::<LogTree, _>(&data).as_bytes());
            lists += 6;
        }
    }
    assert_eq!(roots.len(), lists);
}

/// The shape does not depend on the hash: SHA-256 and BLAKE3 paths have the same lengths.
#[test]
fn the_shape_is_the_same_for_every_hash() {
    for size in 1..=SIZES {
        let blake = leaves(size);
        let sha: Vec<Vec<u8>> = (0..size)
            .map(|i| Sha256Tree::leaf(&i.to_le_bytes()))
            .collect();
        let at = size / 2;
        assert_eq!(
            inclusion_path::<LogTree>(&blake, at).unwrap().len(),
            inclusion_path::<Sha256Tree>(&sha, at).unwrap().len()
        );
    }
}

fn arbitrary_value() -> impl Strategy<Value = run_dag::Value> {
    use run_dag::Value;
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        (-MAX_SAFE..=MAX_SAFE).prop_map(|n| Value::Int(SafeInt::try_from(n).unwrap())),
        any::<String>().prop_map(Value::Text),
    ];
    leaf.prop_recursive(4, 32, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::List),
            prop::collection::btree_map(any::<String>(), inner, 0..6).prop_map(Value::Object),
        ]
    })
}

proptest! {
    #[test]
    fn values_read_back_from_their_canonical_bytes(value in arbitrary_value()) {
        let text = value.to_canonical().unwrap();
        prop_assert_eq!(&run_dag::Value::from_json(&text).unwrap(), &value);
        prop_assert_eq!(&run_dag::Value::from_serialize(&value).unwrap(), &value);
        let plain: serde_json::Value = serde_json::from_slice(&text).unwrap();
        prop_assert_eq!(naive::canonical(&plain), text);
    }

    /// The strict reader against serde_json: what it accepts, the other reads as the same value;
    /// what it refuses as syntax, the other refuses too.
    #[test]
    fn the_reader_agrees_with_serde_json(text in r#"[\[\]{}:,"\\u0-9a-fA-F.eE+\- ntrlsd/\n]{0,40}"#) {
        let theirs = serde_json::from_str::<serde_json::Value>(&text);
        match (run_dag::Value::from_json(text.as_bytes()), theirs) {
            (Ok(ours), Ok(theirs)) => prop_assert_eq!(serde_json::to_value(&ours).unwrap(), theirs),
            (Ok(ours), Err(error)) => prop_assert!(false, "{ours:?} {error}"),
            (Err(Error::Syntax { .. }), Ok(theirs)) => prop_assert!(false, "{text:?} {theirs:?}"),
            _ => {}
        }
    }

    #[test]
    fn the_reader_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = run_dag::Value::from_json(&bytes);
        let _ = RunRecord::from_canonical_json(&bytes);
        let _ = Proof::from_canonical_json(&bytes);
    }

    #[test]
    fn canonical_questions_are_fixed_points(raw in any::<String>(), words in "([Tt]he |a |an |[.?!,;:…？ ]|[a-zé]{1,4} ){0,8}") {
        for text in [raw, words] {
            let canonical = canonical_question(&text);
            prop_assert_eq!(canonical_question(&canonical), canonical.clone());
            prop_assert_eq!(question_hash(&canonical), question_hash(&text));
        }
    }

    #[test]
    fn decimals_have_one_text(millionths in any::<i64>(), zeros in 0usize..4) {
        let decimal = Decimal::from_millionths(millionths);
        prop_assert_eq!(&Decimal::new(decimal.as_str()).unwrap(), &decimal);
        let padded = match decimal.as_str().contains('.') {
            true => format!("{decimal}{}", "0".repeat(zeros)),
            false => format!("{decimal}.{}", "0".repeat(zeros + 1)),
        };
        prop_assert_eq!(&Decimal::from_plain(&padded).unwrap(), &decimal);
        prop_assert_eq!(Decimal::new(&padded).is_ok(), padded == decimal.as_str());
    }
}

/// Any change of any part of a run changes its root.
#[test]
fn every_part_of_a_run_moves_the_root() {
    let mut random = Random(3);
    let mut roots = BTreeSet::new();
    let mut count = 0;
    for policy in ["strict", "seed"] {
        for optional in [false, true] {
            roots.insert(
                sample::lattice(Shape::Lattice, policy, optional)
                    .unwrap()
                    .run_dag_root(),
            );
            count += 1;
        }
    }
    let question = QuestionPayload::new(sample::QUESTION);
    let predecessor = RunRoot::from_bytes([random.below(255) as u8; 32]);
    for question in [
        question.clone(),
        question.after(predecessor),
        QuestionPayload::new("Why?"),
    ] {
        let mut run = RunBuilder::new(Shape::Reject);
        run.push(question);
        run.push(sample::preflight("strict", 9).unwrap());
        run.push(FinalLabelPayload {
            label: "REJECTED".into(),
            audit_line: "".into(),
            reason: None,
        });
        roots.insert(run.seal().unwrap().run_dag_root());
        count += 1;
    }
    assert_eq!(roots.len(), count);
}

proptest! {
    /// What is written here is what the maintained canonicalizer writes.
    #[test]
    fn canonical_bytes_are_those_of_the_maintained_crate(value in arbitrary_value()) {
        let theirs = serde_json_canonicalizer::to_vec(&value).unwrap();
        prop_assert_eq!(value.to_canonical().unwrap(), theirs);
    }
}
