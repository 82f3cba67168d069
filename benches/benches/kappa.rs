//! κ on the shared graph families, and on a graph of the size of a retrieval.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

#[path = "../../crates/kappa-topology/tests/families/mod.rs"]
mod families;

use criterion::{Criterion, criterion_group, criterion_main};
use kappa_topology::{Digraph, Options, analyze, analyze_weighted};

fn retrieval(c: &mut Criterion) {
    // 50 nodes, 200 edges, ids as a knowledge graph has them.
    let edges = (families::family("random").make)(50, 4, 1);
    let named = edges
        .iter()
        .map(|&(s, t)| (format!("node-{s}"), format!("node-{t}")));
    let graph = Digraph::from_edges(named).unwrap();
    c.bench_function("retrieval subgraph, 50 nodes", |b| {
        b.iter(|| analyze(&graph, &Options::default()));
    });
}

fn by_family(c: &mut Criterion) {
    let mut group = c.benchmark_group("10,000 nodes");
    group.sample_size(10);
    for family in families::FAMILIES {
        let graph = Digraph::from_edges((family.make)(10_000, 8, 1)).unwrap();
        group.bench_function(family.name, |b| {
            b.iter(|| analyze(&graph, &Options::default()))
        });
        group.bench_function(format!("{}, weighted", family.name), |b| {
            b.iter(|| analyze_weighted(&graph, &Options::default()));
        });
    }
    group.finish();
}

criterion_group!(benches, retrieval, by_family);
criterion_main!(benches);
