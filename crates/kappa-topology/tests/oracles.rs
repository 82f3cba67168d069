//! κ against plain oracles on random graphs.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod reference;

use kappa_topology::{Digraph, Options, Weight, analyze, analyze_weighted};
use reference::{Masks, Random, minimum_cut_by_flows};

/// A ring plus random edges, in a scrambled order of nodes.
fn ring_with_chords(random: &mut Random, n: u64, chords: u64) -> Vec<(u32, u32)> {
    let mut order: Vec<u32> = (0..n as u32).collect();
    for i in (1..order.len()).rev() {
        order.swap(i, random.below(i as u64 + 1) as usize);
    }
    let mut edges: Vec<(u32, u32)> = (0..order.len())
        .map(|i| (order[i], order[(i + 1) % order.len()]))
        .collect();
    for _ in 0..chords {
        edges.push((random.below(n) as u32, random.below(n) as u32));
    }
    edges
}

/// Blobs of random edges, joined in a ring by few edges: κ below the least degree.
fn blobs(random: &mut Random, n: u64, count: u64, degree: u64, joins: u64) -> Vec<(u32, u32)> {
    let mut edges = Vec::new();
    let size = n / count;
    for b in 0..count {
        for v in b * size..(b + 1) * size {
            for _ in 0..degree {
                edges.push((v as u32, (b * size + random.below(size)) as u32));
                edges.push(((b * size + random.below(size)) as u32, v as u32));
            }
        }
        for _ in 0..joins {
            let to = (b + 1) % count * size + random.below(size);
            edges.push(((b * size + random.below(size)) as u32, to as u32));
        }
    }
    edges
}

fn check_small(n: u64, edges: &[(u32, u32)]) {
    let graph = Digraph::from_edges(edges.iter().copied()).unwrap();
    let topology = analyze(&graph, &Options::default());
    let masks = Masks::new(n as usize, edges);
    let expected: Vec<u64> = masks
        .components()
        .iter()
        .map(|&c| u64::from(masks.kappa(c)))
        .collect();
    let found: Vec<u64> = topology.sccs.iter().map(|s| s.kappa).collect();
    assert_eq!(found, expected, "{edges:?}");
    for (scc, &component) in topology.sccs.iter().zip(&masks.components()) {
        let cut: Vec<(u32, u32)> = scc
            .fault_line_edges
            .iter()
            .map(|e| (e.source, e.target))
            .collect();
        assert!(masks.minimum_cuts(component).contains(&cut), "{edges:?}");
    }
}

#[test]
fn small_components_agree_with_enumeration() {
    let mut random = Random(4);
    let rounds = if cfg!(debug_assertions) { 150 } else { 2_000 };
    for round in 0..rounds {
        let n = 2 + random.below(13);
        let chords = random.below(n * n + 1);
        check_small(n, &ring_with_chords(&mut random, n, chords));
        let (degree, joins) = (1 + round % 4, 1 + random.below(4));
        check_small(14, &blobs(&mut random, 14, 2, degree, joins));
    }
}

fn matrix(edges: &[(u32, u32, u64)], members: &[u32]) -> Vec<Vec<u64>> {
    let mut capacity = vec![vec![0; members.len()]; members.len()];
    for &(s, t, w) in edges {
        if let (Ok(s), Ok(t)) = (members.binary_search(&s), members.binary_search(&t))
            && s != t
        {
            capacity[s][t] += w;
        }
    }
    capacity
}

fn check_by_flows(edges: &[(u32, u32)], random: &mut Random) {
    let weighted: Vec<(u32, u32, u64)> = edges
        .iter()
        .map(|&(s, t)| (s, t, 1 + random.below(2_000_000)))
        .collect();
    let mut builder = Digraph::builder();
    for &(s, t, w) in &weighted {
        builder.weighted_edge(s, t, Weight::from_micros(w).unwrap());
    }
    let graph = builder.build().unwrap();
    let plain: Vec<(u32, u32, u64)> = graph.edges().map(|(&s, &t)| (s, t, 1)).collect();
    let topology = analyze(&graph, &Options::default());
    for scc in &topology.sccs {
        assert_eq!(
            scc.kappa,
            minimum_cut_by_flows(&matrix(&plain, &scc.nodes)),
            "{edges:?}"
        );
        assert_eq!(scc.fault_line_edges.len() as u64, scc.kappa);
    }
    for scc in &analyze_weighted(&graph, &Options::default()).sccs {
        let expected = minimum_cut_by_flows(&matrix(&weighted, &scc.nodes));
        assert_eq!(scc.kappa.micros(), expected, "{weighted:?}");
        let cut = scc.fault_line_edges.iter();
        let weight: u64 = cut
            .map(|e| graph.weight(&e.source, &e.target).unwrap().micros())
            .sum();
        assert_eq!(weight, expected, "{weighted:?}");
    }
}

#[test]
fn components_of_up_to_60_nodes_agree_with_flows() {
    let mut random = Random(5);
    let rounds = if cfg!(debug_assertions) { 4 } else { 100 };
    for round in 0..rounds {
        let n = 15 + random.below(46);
        let chords = random.below(n * 6);
        check_by_flows(&ring_with_chords(&mut random, n, chords), &mut random);
        let edges = blobs(&mut random, n, 2 + round % 4, 1 + round % 5, 1 + round % 3);
        check_by_flows(&edges, &mut random);
    }
}

#[test]
#[cfg_attr(debug_assertions, ignore = "release only: the plain oracle is slow")]
fn components_of_up_to_200_nodes_agree_with_flows() {
    let mut random = Random(6);
    for round in 0..12 {
        let n = 120 + random.below(81);
        let chords = random.below(n * 8);
        check_by_flows(&ring_with_chords(&mut random, n, chords), &mut random);
        let edges = blobs(&mut random, n, 2 + round % 4, 2 + round % 5, 1 + round % 4);
        check_by_flows(&edges, &mut random);
    }
}
