//! κ equals LEMON's Hao–Orlin on generated graphs of all families up to 2,000 nodes.
//!
//! LEMON's values are kept in `fixtures/kappa-lemon/table.tsv`, so that the test runs without
//! LEMON; `benches/peers/kappa/lemon-table.sh` makes them anew. The graphs are made here from
//! family, size, degree and seed.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout
)]

mod families;

use std::fmt::Write as _;

use families::{FAMILIES, Family, Random, family};
use kappa_topology::{Digraph, Options, Weight, analyze, analyze_weighted};

const TABLE: &str = include_str!("../../../fixtures/kappa-lemon/table.tsv");

/// Sizes, degrees and seeds of the table, in order.
fn plan() -> Vec<(&'static Family, u32, u32, u64)> {
    let mut rows = Vec::new();
    let mut random = Random(2026);
    for round in 0..165u64 {
        for family in FAMILIES {
            let most = [60, 200, 600, 2_000][(round % 4) as usize];
            let n = (most / 3 + random.below(most - most / 3)).max(40);
            let d = 3 + random.below(if round % 5 == 0 { 24 } else { 8 });
            rows.push((family, n, d, round));
        }
    }
    rows
}

/// The graph with pseudo-random weights, which only the weighted comparison reads.
fn graph(family: &Family, n: u32, d: u32, seed: u64) -> Digraph<u32> {
    let mut random = Random(seed ^ 0x5eed);
    let mut edges = (family.make)(n, d, seed);
    if seed % 2 == 1 {
        edges = families::shuffled(edges, n, seed);
    }
    let mut builder = Digraph::builder();
    for (s, t) in edges {
        let weight = 1 + u64::from(random.below(1_000_000));
        builder.weighted_edge(s, t, Weight::from_micros(weight).unwrap());
    }
    builder.build().unwrap()
}

#[test]
#[cfg_attr(
    debug_assertions,
    ignore = "release only: more than 2,000 graphs of up to 2,000 nodes"
)]
fn kappa_equals_lemon_on_more_than_2000_graphs() {
    let plan = plan();
    let lines: Vec<&str> = TABLE.lines().filter(|l| !l.starts_with('#')).collect();
    assert_eq!(lines.len(), plan.len());
    assert!(plan.len() >= 2_000);
    for (line, (expected_family, n, d, seed)) in lines.iter().zip(plan) {
        let fields: Vec<&str> = line.split('\t').collect();
        let family = family(fields[0]);
        assert_eq!(
            [fields[0], fields[1], fields[2], fields[3]],
            [
                expected_family.name,
                &n.to_string(),
                &d.to_string(),
                &seed.to_string()
            ]
        );
        let graph = graph(family, n, d, seed);
        let kappa = analyze(&graph, &Options::default()).max_kappa;
        assert_eq!(kappa.to_string(), fields[4], "{line}");
        let weighted = analyze_weighted(&graph, &Options::default()).max_kappa;
        assert_eq!(weighted.micros().to_string(), fields[5], "{line}");
    }
}

/// Writes the graphs of the table for `lemon.cpp`: first all with unit weights, then all
/// weighted; and the table's first four columns.
#[test]
#[ignore = "writes files for benches/peers/kappa/lemon-table.sh, which runs it"]
fn write_graphs() {
    let folder = std::path::PathBuf::from(std::env::var("KAPPA_GRAPHS").unwrap());
    let (mut plain, mut weighted, mut rows) = (String::new(), String::new(), String::new());
    for (family, n, d, seed) in plan() {
        let graph = graph(family, n, d, seed);
        let head = format!("{} {}\n", graph.node_count(), graph.edge_count());
        plain.push_str(&head);
        weighted.push_str(&head);
        for (s, t) in graph.edges() {
            let place = |v: &u32| graph.nodes().binary_search(v).unwrap();
            let weight = graph.weight(s, t).unwrap().micros();
            writeln!(plain, "{} {} 1", place(s), place(t)).unwrap();
            writeln!(weighted, "{} {} {weight}", place(s), place(t)).unwrap();
        }
        writeln!(rows, "{}\t{n}\t{d}\t{seed}", family.name).unwrap();
    }
    std::fs::write(folder.join("plain.txt"), plain).unwrap();
    std::fs::write(folder.join("weighted.txt"), weighted).unwrap();
    std::fs::write(folder.join("rows.tsv"), rows).unwrap();
}
