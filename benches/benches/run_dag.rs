//! The speeds that run-dag promises, with `rs_merkle` and `ct-merkle` beside it.
//!
//! `cargo bench -p candor-benches --bench run_dag`; compare numbers of one run only.
#![allow(missing_docs, clippy::unwrap_used)]

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use run_dag::audit::{AuditLog, MemoryAuditLog, NewEvent, Timestamp};
use run_dag::tree::{LogTree, MerkleLog, TreeHasher, root_of_data, verify_inclusion};
use run_dag::*;
use std::hint::black_box;

const HUNDRED_MB: usize = 100_000_000;

/// Hashing a large payload against the `blake3` crate's own rate.
fn large_payload(c: &mut Criterion) {
    let bytes: Vec<u8> = (0..HUNDRED_MB).map(|i| (i % 251) as u8).collect();
    let mut group = c.benchmark_group("payload_100MB");
    group
        .throughput(Throughput::Bytes(HUNDRED_MB as u64))
        .sample_size(10);
    group.bench_function("blake3", |b| b.iter(|| blake3::hash(black_box(&bytes))));
    group.bench_function("run_dag", |b| b.iter(|| BytesDigest::of(black_box(&bytes))));
    group.finish();
}

fn entries(count: usize) -> Vec<EvidenceEntry> {
    let model = sample::evidence().remove(0);
    let entry = |i: usize| EvidenceEntry {
        pointer_id: format!("E{}", i + 1),
        ..model.clone()
    };
    (0..count).map(entry).collect()
}

/// A ten-stage lattice run with this many evidence entries, ready to seal.
fn lattice(count: usize) -> RunBuilder {
    let record = sample::run(&Shape::Lattice).unwrap();
    let mut run = RunBuilder::new(Shape::Lattice);
    let order = [
        StageKind::Question,
        StageKind::Preflight,
        StageKind::Retrieval,
        StageKind::EvidenceMap,
        StageKind::Prompt,
        StageKind::RawAnswer,
        StageKind::ParsedClaimLattice,
        StageKind::Verify,
        StageKind::Render,
        StageKind::FinalLabel,
    ];
    for kind in order {
        match record.stage(&kind).unwrap().payload() {
            StagePayload::EvidenceMap(_) => run.push_evidence_map(entries(count)).unwrap(),
            other => run.push(other.clone()),
        };
    }
    run
}

fn sealing(c: &mut Criterion) {
    let mut group = c.benchmark_group("seal");
    let ready = lattice(20);
    group.bench_function("lattice_10_stages_20_evidence", |b| {
        b.iter_batched(
            || ready.clone(),
            |run| run.seal().unwrap(),
            BatchSize::SmallInput,
        );
    });
    let record = lattice(20).seal().unwrap();
    group.bench_function("replay", |b| b.iter(|| replay(black_box(&record)).unwrap()));
    let text = record.to_canonical_json().unwrap();
    group.bench_function("read", |b| {
        b.iter(|| RunRecord::from_canonical_json(black_box(&text)).unwrap());
    });
    group.finish();
}

const TEN_MILLION: u64 = 10_000_000;

/// Verifying an inclusion proof in a log of ten million.
fn inclusion(c: &mut Criterion) {
    let log: MerkleLog<LogTree> = (0..TEN_MILLION)
        .map(|i| LogTree::leaf(&i.to_le_bytes()))
        .collect();
    let (index, root) = (6_543_210, log.root());
    let (leaf, path) = (
        *log.leaf(index).unwrap(),
        log.inclusion(index, TEN_MILLION).unwrap(),
    );
    let mut group = c.benchmark_group("inclusion_10M");
    group.bench_function("run_dag_verify", |b| {
        b.iter(|| {
            verify_inclusion::<LogTree>(index, TEN_MILLION, &leaf, black_box(&path), &root)
                .unwrap();
        });
    });
    group.bench_function("run_dag_prove", |b| {
        b.iter(|| log.inclusion(black_box(index), TEN_MILLION).unwrap());
    });
    group.finish();
}

const MILLION: u32 = 1_000_000;

/// A million audit events appended in memory: chain and tree.
fn appending(c: &mut Criterion) {
    let mut group = c.benchmark_group("audit_log");
    group.sample_size(10);
    group.bench_function("append_1M", |b| {
        b.iter_batched(
            || MemoryAuditLog::new("candor.example/bench"),
            |log| {
                for number in 0..MILLION {
                    let detail = Clause::from([("row".into(), number.into())]);
                    let at = Timestamp(number.into());
                    log.append(NewEvent {
                        at,
                        kind: "run_sealed".into(),
                        detail,
                    })
                    .unwrap();
                }
                log
            },
            BatchSize::PerIteration,
        );
    });
    group.finish();
}

const PEER_LEAVES: usize = 100_000;

/// Building a tree of 100,000 leaves and its root, and verifying a path in it. Peers hash with
/// SHA-256 (`rs_merkle` and `ct-merkle` as they come); `run_dag` with BLAKE3.
fn peers(c: &mut Criterion) {
    let data: Vec<[u8; 8]> = (0..PEER_LEAVES as u64).map(u64::to_le_bytes).collect();
    let mut group = c.benchmark_group("tree_100k");
    group.sample_size(10);
    group.bench_function("build/run_dag", |b| {
        b.iter(|| root_of_data::<LogTree, _>(&data))
    });
    group.bench_function("build_log/run_dag", |b| {
        b.iter(|| {
            let log: MerkleLog<LogTree> = data.iter().map(|d| LogTree::leaf(d)).collect();
            log.root()
        });
    });
    group.bench_function("build/rs_merkle", |b| {
        b.iter(|| rs_merkle_tree(&data).root().unwrap());
    });
    group.bench_function("build/ct_merkle", |b| {
        b.iter(|| ct_merkle_tree(&data).root())
    });

    let at = 54_321;
    let log: MerkleLog<LogTree> = data.iter().map(|d| LogTree::leaf(d)).collect();
    let (root, path) = (log.root(), log.inclusion(at, PEER_LEAVES as u64).unwrap());
    group.bench_function("verify/run_dag", |b| {
        b.iter(|| {
            let leaf = LogTree::leaf(&data[at as usize]);
            verify_inclusion::<LogTree>(at, PEER_LEAVES as u64, &leaf, &path, &root).unwrap();
        });
    });
    let tree = rs_merkle_tree(&data);
    let (root, proof) = (tree.root().unwrap(), tree.proof(&[at as usize]));
    group.bench_function("verify/rs_merkle", |b| {
        b.iter(|| {
            use rs_merkle::Hasher;
            let leaf = rs_merkle::algorithms::Sha256::hash(&data[at as usize]);
            assert!(proof.verify(root, &[at as usize], &[leaf], PEER_LEAVES));
        });
    });
    let tree = ct_merkle_tree(&data);
    let (root, proof) = (tree.root(), tree.prove_inclusion(at as usize));
    group.bench_function("verify/ct_merkle", |b| {
        b.iter(|| {
            root.verify_inclusion(&data[at as usize], at, &proof)
                .unwrap()
        });
    });
    group.finish();
}

fn rs_merkle_tree(data: &[[u8; 8]]) -> rs_merkle::MerkleTree<rs_merkle::algorithms::Sha256> {
    use rs_merkle::Hasher;
    let leaves: Vec<[u8; 32]> = data
        .iter()
        .map(|d| rs_merkle::algorithms::Sha256::hash(d))
        .collect();
    rs_merkle::MerkleTree::from_leaves(&leaves)
}

fn ct_merkle_tree(
    data: &[[u8; 8]],
) -> ct_merkle::mem_backed_tree::MemoryBackedTree<sha2::Sha256, [u8; 8]> {
    let mut tree = ct_merkle::mem_backed_tree::MemoryBackedTree::new();
    for leaf in data {
        tree.push(*leaf);
    }
    tree
}

criterion_group!(benches, large_payload, sealing, inclusion, appending, peers);
criterion_main!(benches);
