//! Fault lines, strong bridges, previews: against their definitions.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod reference;

use std::collections::BTreeSet;

use kappa_topology::{
    Digraph, Edge, Options, Scc, analyze, bending_edge, preview_edge, preview_removal,
};
use reference::{Masks, Random};

fn random_edges(random: &mut Random, n: u64, count: u64) -> Vec<(u32, u32)> {
    let mut edges: Vec<(u32, u32)> = (0..n).map(|v| (v as u32, ((v + 1) % n) as u32)).collect();
    edges.extend((0..count).map(|_| (random.below(n) as u32, random.below(n) as u32)));
    edges
}

fn pairs(edges: &[Edge<u32>]) -> Vec<(u32, u32)> {
    edges.iter().map(|e| (e.source, e.target)).collect()
}

fn check_fault_lines(edges: &[(u32, u32)], n: u64) {
    let graph = Digraph::from_edges(edges.iter().copied()).unwrap();
    let masks = Masks::new(n as usize, edges);
    let topology = analyze(&graph, &Options::default());
    for (scc, &component) in topology.sccs.iter().zip(&masks.components()) {
        let expected = masks.minimum_cuts(component);
        let lines = scc.fault_lines(&graph, usize::MAX).unwrap();
        let found: BTreeSet<Vec<(u32, u32)>> = lines.iter().map(|l| pairs(&l.edges)).collect();
        assert_eq!(found.len(), lines.len(), "a cut came twice: {edges:?}");
        assert_eq!(found, expected, "{edges:?}");
        assert_eq!(lines[0].edges, scc.fault_line_edges);
        for line in &lines {
            let mask = |side: &[u32]| side.iter().map(|v| 1u32 << v).sum::<u32>();
            let (a, b) = (mask(&line.source_side), mask(&line.target_side));
            assert_eq!((a | b, a & b), (component, 0));
            assert_eq!(u64::from(masks.across(a, b)), scc.kappa);
        }
        let some = scc.fault_lines(&graph, 2).unwrap();
        assert_eq!(some[..], lines[..some.len()]);
        check_bridges(scc, &graph, &expected);
    }
}

fn check_bridges(scc: &Scc<u32>, graph: &Digraph<u32>, cuts: &BTreeSet<Vec<(u32, u32)>>) {
    let bridges = pairs(&scc.strong_bridges(graph).unwrap());
    let single: Vec<(u32, u32)> = cuts.iter().filter(|c| c.len() == 1).map(|c| c[0]).collect();
    assert_eq!(bridges, single);
    let in_cuts: BTreeSet<(u32, u32)> = cuts.iter().flatten().copied().collect();
    let unbending = pairs(&scc.unbending_edges(graph, usize::MAX).unwrap());
    assert_eq!(unbending, in_cuts.into_iter().collect::<Vec<_>>());
}

#[test]
fn fault_lines_are_all_minimum_cuts_each_once() {
    let mut random = Random(11);
    let rounds = if cfg!(debug_assertions) { 100 } else { 3_000 };
    for _ in 0..rounds {
        let n = 2 + random.below(9);
        let count = random.below(n * n + 1);
        check_fault_lines(&random_edges(&mut random, n, count), n);
    }
}

#[test]
fn a_planted_cut_is_found_below_the_least_degree() {
    // Two complete graphs on five nodes, joined by two edges one way and five the other.
    let mut edges = Vec::new();
    for v in 0..10u32 {
        for w in 0..10u32 {
            if v != w && v / 5 == w / 5 {
                edges.push((v, w));
            }
        }
    }
    edges.extend([(0, 5), (1, 6)]);
    edges.extend((0..5).map(|i| (5 + i, i)));
    check_fault_lines(&edges, 10);
    let graph = Digraph::from_edges(edges).unwrap();
    let topology = analyze(&graph, &Options::default());
    assert_eq!(pairs(&topology.sccs[0].fault_line_edges), [(0, 5), (1, 6)]);
    let line = &topology.sccs[0].fault_lines(&graph, 5).unwrap()[0];
    assert_eq!(line.source_side, [0, 1, 2, 3, 4]);
    assert_eq!(line.target_side, [5, 6, 7, 8, 9]);
}

#[test]
fn a_two_way_ring_has_a_cut_for_every_arc() {
    let n = 7u32;
    let edges = (0..n).flat_map(|v| [(v, (v + 1) % n), ((v + 1) % n, v)]);
    let graph = Digraph::from_edges(edges).unwrap();
    let topology = analyze(&graph, &Options::default());
    let lines = topology.sccs[0].fault_lines(&graph, 1_000).unwrap();
    assert_eq!(lines.len(), (n * (n - 1)) as usize);
}

/// The largest κ of the components that meet `nodes`.
fn kappa_at(graph: &Digraph<u32>, nodes: &[u32]) -> u64 {
    let topology = analyze(graph, &Options::default());
    let met = topology
        .sccs
        .iter()
        .filter(|s| s.nodes.iter().any(|v| nodes.contains(v)));
    met.map(|s| s.kappa).max().unwrap_or(0)
}

#[test]
fn previews_say_what_a_fresh_analysis_says() {
    let mut random = Random(12);
    for _ in 0..200 {
        let n = 2 + random.below(9);
        let edges: Vec<(u32, u32)> = (0..random.below(2 * n + 1))
            .map(|_| (random.below(n) as u32, random.below(n) as u32))
            .collect();
        let mut builder = Digraph::builder();
        (0..n as u32).for_each(|v| {
            builder.node(v);
        });
        edges.iter().for_each(|&(s, t)| {
            builder.edge(s, t);
        });
        let graph = builder.clone().build().unwrap();
        let before = analyze(&graph, &Options::default());
        for s in 0..n as u32 {
            for t in 0..n as u32 {
                let mut edited = builder.clone();
                edited.edge(s, t);
                let after = edited.build().unwrap();
                let preview = preview_edge(&graph, &s, &t);
                let fresh = analyze(&after, &Options::default());
                assert_eq!(preview.kappa_before, kappa_at(&graph, &preview.nodes));
                assert_eq!(preview.kappa_after, kappa_at(&after, &preview.nodes));
                let old = preview.kappa_before as i64;
                assert_eq!(preview.kappa_delta, preview.kappa_after as i64 - old);
                let loops = |t: &kappa_topology::Topology<u32>| -> Vec<Vec<u32>> {
                    t.sccs.iter().map(|s| s.nodes.clone()).collect()
                };
                let changed = loops(&before) != loops(&fresh);
                let said = preview.creates_new_scc || preview.enlarges_existing_scc;
                assert_eq!(changed, said, "{edges:?} + {s}→{t}");
                assert_eq!(preview.creates_new_scc, fresh.scc_count > before.scc_count);
                let removal = preview_removal(&after, &s, &t);
                if s == t {
                    assert!(removal.is_err());
                } else if !graph.has_edge(&s, &t) {
                    let removal = removal.unwrap();
                    assert_eq!(removal.kappa_delta, -preview.kappa_delta);
                    assert_eq!(removal.shrinks_existing_scc, said);
                }
            }
        }
    }
}

#[test]
fn a_bending_edge_closes_a_loop() {
    let graph = Digraph::from_edges([("a", "b"), ("b", "c"), ("c", "b")]).unwrap();
    let edge = bending_edge(&graph, &"a").unwrap();
    assert_eq!((edge.source, edge.target), ("b", "a"));
    assert!(preview_edge(&graph, &"b", &"a").enlarges_existing_scc);
    assert_eq!(bending_edge(&graph, &"c"), None);
    assert_eq!(bending_edge(&graph, &"z"), None);
}

#[test]
fn a_component_is_refused_by_another_graph() {
    let graph = Digraph::from_edges([(1, 2), (2, 1)]).unwrap();
    let other = Digraph::from_edges([(1, 2), (2, 3), (3, 1)]).unwrap();
    let topology = analyze(&graph, &Options::default());
    assert!(topology.sccs[0].fault_lines(&other, 1).is_err());
    assert!(topology.sccs[0].strong_bridges(&graph).is_ok());
}
