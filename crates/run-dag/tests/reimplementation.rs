//! The naive re-implementation and the crate agree on random runs, trees and logs.
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

use common::Random;
use run_dag::audit::{AuditLog, MemoryAuditLog, NewEvent, Timestamp};
use run_dag::tree::*;
use run_dag::*;

/// A random value, depth-bounded, with the letters and keys that ordering and escaping trip over.
fn value(random: &mut Random, depth: u32) -> Value {
    const TEXTS: &[&str] = &[
        "",
        "plain",
        "caf\u{e9}",
        "cafe\u{301}",
        "\u{1f600}",
        "\u{e000}",
        "\u{ffff}",
        "\"\\/",
        "\u{0}\u{1}\u{8}\t\n\u{c}\r\u{1f}\u{7f}\u{2028}",
        "0.5",
        "\u{10000}z",
    ];
    let text = |random: &mut Random| TEXTS[random.below(TEXTS.len() as u64) as usize];
    match random.below(if depth == 0 { 4 } else { 6 }) {
        0 => Value::Null,
        1 => Value::Bool(random.below(2) == 1),
        2 => {
            let wide = (random.next() >> 10) as i64;
            let signed = if random.below(2) == 0 { wide } else { -wide };
            Value::Int(SafeInt::try_from(signed % MAX_SAFE).unwrap())
        }
        3 => text(random).into(),
        4 => Value::List(
            (0..random.below(4))
                .map(|_| value(random, depth - 1))
                .collect(),
        ),
        _ => Value::Object(clause_of(random, depth - 1)),
    }
}

fn clause_of(random: &mut Random, depth: u32) -> Clause {
    const KEYS: &[&str] = &[
        "a",
        "b",
        "",
        "A",
        "aa",
        "\u{e9}",
        "\u{e000}",
        "\u{1f600}",
        "z",
        "10",
        "9",
    ];
    (0..random.below(6))
        .map(|_| {
            let key = KEYS[random.below(KEYS.len() as u64) as usize].to_owned();
            (key, value(random, depth))
        })
        .collect()
}

fn plain(value: &Value) -> serde_json::Value {
    serde_json::to_value(value).unwrap()
}

#[test]
fn a_thousand_random_runs() {
    let mut random = Random(5);
    for round in 0..1_000 {
        let count = 1 + random.below(24) as usize;
        let mut builder = RunBuilder::new(Shape::Custom("fuzz".into()));
        let (mut ids, mut stages): (Vec<StageId>, Vec<naive::Stage>) = (vec![], vec![]);
        for index in 0..count {
            let kind = format!("fuzz/k{}", random.below(3));
            let mut payload = clause_of(&mut random, 3);
            payload.insert("place".into(), Value::Int(SafeInt::saturating(index)));
            let parents: Vec<usize> = (0..index)
                .filter(|_| random.below(index as u64 + 1) < 2)
                .collect();
            let above: Vec<StageId> = parents.iter().map(|&p| ids[p]).collect();
            stages.push(naive::Stage {
                kind: kind.clone(),
                payload: plain(&Value::Object(payload.clone())),
                parents,
            });
            let kind = CustomKind::parse(&kind).unwrap();
            ids.push(builder.push_after(StagePayload::Custom(kind, payload), &above));
        }
        let record = builder.seal().unwrap();
        let (hashes, root) = naive::run(&stages);
        let sealed: Vec<naive::Hash> = record
            .stages()
            .iter()
            .map(|s| *s.stage_hash().as_bytes())
            .collect();
        assert_eq!(sealed, hashes, "round {round}");
        assert_eq!(record.run_dag_root().as_bytes(), &root, "round {round}");
        let text = record.to_canonical_json().unwrap();
        assert_eq!(naive::record(&text), Ok(root), "round {round}");
        assert_eq!(RunRecord::from_canonical_json(&text).unwrap(), record);
        assert!(replay(&record).unwrap().is_clean());
        let names = record.stage_names();
        let at = random.below(count as u64) as usize;
        let proof = prove(&record, &names[at]).unwrap();
        proof.check().unwrap();
        let leaves: Vec<Vec<u8>> = hashes.iter().map(|h| h.to_vec()).collect();
        let path: Vec<naive::Hash> = proof.path.iter().map(|h| *h.as_bytes()).collect();
        assert_eq!(path, naive::path("run", at, &leaves));
    }
}

#[test]
fn a_thousand_random_trees() {
    let mut random = Random(11);
    for round in 0..1_000 {
        let size = random.below(70) as usize;
        let data: Vec<Vec<u8>> = (0..size)
            .map(|_| (0..random.below(90)).map(|_| random.next() as u8).collect())
            .collect();
        let root = root_of_data::<LogTree, _>(&data);
        assert_eq!(root.as_bytes(), &naive::tree("log", &data), "round {round}");
        assert_eq!(
            document_root(&data).as_bytes(),
            &naive::tree("document", &data)
        );
        let leaves: Vec<TreeHash> = data.iter().map(|d| LogTree::leaf(d)).collect();
        let log: MerkleLog<LogTree> = leaves.iter().copied().collect();
        assert_eq!(log.root(), root);
        if size == 0 {
            continue;
        }
        let bytes = |path: Vec<TreeHash>| -> Vec<naive::Hash> {
            path.iter().map(|h| *h.as_bytes()).collect()
        };
        let at = random.below(size as u64);
        let wanted = naive::path("log", at as usize, &data);
        assert_eq!(
            bytes(inclusion_path::<LogTree>(&leaves, at).unwrap()),
            wanted
        );
        assert_eq!(bytes(log.inclusion(at, size as u64).unwrap()), wanted);
        let old = 1 + at;
        let wanted = naive::subproof("log", old as usize, &data, true);
        assert_eq!(
            bytes(consistency_path::<LogTree>(&leaves, old).unwrap()),
            wanted
        );
        assert_eq!(bytes(log.consistency(old, size as u64).unwrap()), wanted);
    }
}

#[test]
fn sample_runs_of_every_shape() {
    let shapes = Shape::BUILT_IN
        .iter()
        .cloned()
        .chain([Shape::Custom("review".into())]);
    for shape in shapes {
        let record = sample::run(&shape).unwrap();
        let text = record.to_canonical_json().unwrap();
        assert_eq!(
            naive::record(&text),
            Ok(*record.run_dag_root().as_bytes()),
            "{shape}"
        );
    }
}

#[test]
fn hashes_of_policies_keys_and_corpora() {
    let mut random = Random(17);
    for _ in 0..200 {
        let policy = GovernancePolicy {
            name: "p".into(),
            switches: clause_of(&mut random, 2),
        };
        let text = naive::canonical(&serde_json::to_value(&policy).unwrap());
        let wanted = naive::dk("governance policy", &text);
        assert_eq!(policy.hash().unwrap().as_bytes(), &wanted);
        let model = ModelProfile {
            model_id: "m".into(),
            revision: None,
            quantization: Some("q8_0".into()),
            sampling: clause_of(&mut random, 2),
        };
        let text = naive::canonical(&serde_json::to_value(&model).unwrap());
        assert_eq!(
            model.hash().unwrap().as_bytes(),
            &naive::dk("model profile", &text)
        );
        let mut documents: Vec<Vec<u8>> = (0..random.below(6))
            .map(|_| random.next().to_le_bytes().repeat(4))
            .collect();
        let roots: Vec<DocumentRoot> = documents
            .iter()
            .map(|d| DocumentRoot::from_bytes(d.as_slice().try_into().unwrap()))
            .collect();
        documents.sort();
        documents.dedup();
        let source = source_root(roots);
        assert_eq!(source.as_bytes(), &naive::tree("source", &documents));
        let corpus = snapshot_root([source]);
        assert_eq!(
            corpus.as_bytes(),
            &naive::tree("snapshot", &[source.as_bytes().to_vec()])
        );
    }
    let turns = [Turn {
        role: "user".into(),
        text: "hi".into(),
    }];
    let text = br#"[{"role":"user","text":"hi"}]"#;
    let wanted = naive::dk("conversation", text);
    assert_eq!(conversation_hash(&turns).unwrap().as_bytes(), &wanted);
    let key = conformance::row(1, "who?", "strict", 0).key;
    let text = naive::canonical(&serde_json::to_value(&key).unwrap());
    assert_eq!(
        key.hash().unwrap().as_bytes(),
        &naive::dk("cache key", &text)
    );
}

#[test]
fn audit_logs() {
    let mut random = Random(23);
    let origin = "candor.example/naive";
    let log = MemoryAuditLog::new(origin);
    let mut bodies = Vec::new();
    for sequence in 0..200u32 {
        let detail = clause_of(&mut random, 2);
        let has_nul = serde_json::to_string(&detail).unwrap().contains("\\u0000");
        let detail = if has_nul { Clause::new() } else { detail };
        let at = random.below(1 << 40);
        bodies.push(serde_json::json!({
            "at": at, "detail": detail, "kind": "k", "sequence": sequence,
        }));
        let at = Timestamp(SafeInt::try_from(at).unwrap());
        log.append(NewEvent {
            at,
            kind: "k".into(),
            detail,
        })
        .unwrap();
    }
    let hashes = naive::chain(origin, &bodies);
    let logged: Vec<naive::Hash> = log
        .event_hashes(0, 1_000)
        .unwrap()
        .iter()
        .map(|h| *h.as_bytes())
        .collect();
    assert_eq!(logged, hashes);
    let leaves: Vec<Vec<u8>> = hashes.iter().map(|h| h.to_vec()).collect();
    for size in [0, 1, 2, 3, 7, 64, 199, 200] {
        let root = log.checkpoint(Some(size as u64)).unwrap().root;
        assert_eq!(root.as_bytes(), &naive::tree("log", &leaves[..size]));
    }
}

/// The contexts on the page are those of the crate, neither more nor fewer.
#[test]
fn the_page_lists_every_context() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/run-dag-format.md");
    let page = std::fs::read_to_string(page).unwrap();
    let listed: std::collections::BTreeSet<&str> = page
        .split('`')
        .filter(|t| t.starts_with("candor run-dag 2026 "))
        .collect();
    let known: std::collections::BTreeSet<&str> = CONTEXTS.iter().copied().collect();
    assert_eq!(listed, known);
}
