//! Exact and int8 search. With `SEARCH_PEERS` set to a folder made by `peers/search.py` it measures
//! on that folder's vectors and prints JSON lines for the script instead.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout
)]

use std::path::Path;
use std::time::Instant;

use criterion::{Criterion, Throughput};
use geodesic_retriever::{
    EntryMeta, ExactIndex, Filter, Fingerprint, IndexEntry, QuantizedIndex, Shape, Vector,
    VectorIndex,
};

fn space(dimension: usize) -> Fingerprint {
    Fingerprint {
        model_id: "bench".into(),
        shape: Shape::Dense(dimension),
        settings: Default::default(),
        learned: None,
    }
}

fn entry(i: usize, vector: Vec<f32>) -> IndexEntry {
    IndexEntry {
        id: format!("{i:07}"),
        vector: Vector::Dense(vector),
        meta: EntryMeta {
            cube: "c".into(),
            kind: Default::default(),
            parent: "p".into(),
        },
    }
}

/// Uniform components from a linear congruential generator.
struct Random(u64);

impl Random {
    fn vector(&mut self, dimension: usize) -> Vec<f32> {
        let next = |_| {
            self.0 = self
                .0
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (self.0 >> 40) as f32 / (1u64 << 24) as f32 - 0.5
        };
        (0..dimension).map(next).collect()
    }
}

fn criterion_benches() {
    let mut criterion = Criterion::default().configure_from_args();
    let (n, d) = (20_000, 384);
    let mut random = Random(1);
    let entries: Vec<IndexEntry> = (0..n).map(|i| entry(i, random.vector(d))).collect();
    let query = Vector::Dense(random.vector(d));
    let folder = tempfile::tempdir().unwrap();
    let mut exact = ExactIndex::new(space(d));
    let mut half = ExactIndex::half(space(d)).unwrap();
    let mut int8 = QuantizedIndex::create(&folder.path().join("originals.f32"), space(d)).unwrap();
    exact.insert(entries.clone()).unwrap();
    half.insert(entries.clone()).unwrap();
    int8.insert(entries).unwrap();
    let mut group = criterion.benchmark_group("search top 10 of 20,000 x 384");
    group.throughput(Throughput::Elements(n as u64));
    let indexes: [(&str, &dyn VectorIndex); 3] =
        [("f32", &exact), ("f16", &half), ("int8 rescored", &int8)];
    for (name, index) in indexes {
        group.bench_function(name, |b| {
            b.iter(|| index.search(&query, 10, &Filter::default()).unwrap());
        });
    }
    group.finish();
    criterion.final_summary();
}

fn vectors(path: &Path, dimension: usize) -> Vec<Vec<f32>> {
    let bytes = std::fs::read(path).unwrap();
    let row = |r: &[u8]| {
        r.as_chunks::<4>()
            .0
            .iter()
            .map(|b| f32::from_le_bytes(*b))
            .collect()
    };
    bytes.chunks(dimension * 4).map(row).collect()
}

fn resident_mb() -> f64 {
    status_mb("VmRSS")
}

/// A figure of `/proc/self/status`, in MiB.
fn status_mb(name: &str) -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|l| l.starts_with(name));
    let kb = line.and_then(|l| l.split_whitespace().nth(1)?.parse::<f64>().ok());
    kb.unwrap_or(0.0) / 1024.0
}

fn peers(folder: &Path) {
    let dimension: usize = std::env::var("SEARCH_DIMENSION").unwrap().parse().unwrap();
    let queries = vectors(&folder.join("query.f32"), dimension);
    let queries: Vec<Vector> = queries.into_iter().map(Vector::Dense).collect();
    let measure = |name: &str, index: &dyn VectorIndex, mb: f64| {
        let rounds = 3;
        let mut best = f64::INFINITY;
        let mut found = Vec::new();
        for _ in 0..rounds {
            let start = Instant::now();
            found = queries
                .iter()
                .map(|q| index.search(q, 10, &Filter::default()).unwrap())
                .collect();
            best = best.min(start.elapsed().as_secs_f64());
        }
        let ids: Vec<Vec<usize>> = found
            .iter()
            .map(|hits| hits.iter().map(|h| h.id.parse().unwrap()).collect())
            .collect();
        println!(
            "{{\"name\": \"{name}\", \"qps\": {}, \"resident_mb\": {mb}, \"found\": {ids:?}}}",
            queries.len() as f64 / best
        );
    };
    let base = || {
        let all = vectors(&folder.join("base.f32"), dimension);
        all.into_iter().enumerate().map(|(i, v)| entry(i, v))
    };
    let insert = |index: &mut dyn VectorIndex| {
        let before = resident_mb();
        let entries: Vec<IndexEntry> = base().collect();
        index.insert(entries).unwrap();
        resident_mb() - before
    };
    let file = folder.join("originals.f32");
    let mut int8 = QuantizedIndex::create(&file, space(dimension)).unwrap();
    let mb = insert(&mut int8);
    measure("candor int8", &int8, mb);
    drop(int8);
    let mut exact = ExactIndex::new(space(dimension));
    let mb = insert(&mut exact);
    measure("candor exact f32", &exact, mb);
    drop(exact);
    let mut half = ExactIndex::half(space(dimension)).unwrap();
    let mb = insert(&mut half);
    measure("candor exact f16", &half, mb);
}

/// One million vectors of 768 dimensions in int8: what is resident, the rest being on disk.
fn million(folder: &Path) {
    let (n, d, piece) = (1_000_000, 768, 20_000);
    let mut random = Random(3);
    let mut index = QuantizedIndex::create(&folder.join("originals.f32"), space(d)).unwrap();
    for from in (0..n).step_by(piece) {
        let entries = (from..from + piece).map(|i| entry(i, random.vector(d)));
        index.insert(entries.collect()).unwrap();
    }
    let query = Vector::Dense(random.vector(d));
    let start = Instant::now();
    index.search(&query, 10, &Filter::default()).unwrap();
    println!(
        "{{\"name\": \"candor int8, {n} x {d}\", \"resident_mib\": {:.0}, \"peak_mib\": {:.0}, \
         \"search_ms\": {:.1}}}",
        resident_mb(),
        status_mb("VmHWM"),
        start.elapsed().as_secs_f64() * 1000.0
    );
}

fn main() {
    match (
        std::env::var_os("SEARCH_PEERS"),
        std::env::var_os("SEARCH_MILLION"),
    ) {
        (Some(folder), _) => peers(Path::new(&folder)),
        (_, Some(folder)) => million(Path::new(&folder)),
        _ => criterion_benches(),
    }
}
