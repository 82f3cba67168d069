//! Every digraph on 2 to 5 nodes and every map on 2 to 7 points: κ equals enumeration, and the
//! known theorems hold.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod reference;

use kappa_topology::{Digraph, Options, Routing, Topology, analyze};
use reference::Masks;

fn analyzed(n: u32, edges: &[(u32, u32)]) -> Topology<u32> {
    let mut builder = Digraph::builder();
    for v in 0..n {
        builder.node(v);
    }
    for &(s, t) in edges {
        builder.edge(s, t);
    }
    analyze(&builder.build().unwrap(), &Options::default())
}

/// Compares one object with the reference; returns whether it has a cycle.
fn check(n: u32, edges: &[(u32, u32)]) -> bool {
    let topology = analyzed(n, edges);
    let masks = Masks::new(n as usize, edges);
    let components = masks.components();
    assert_eq!(topology.scc_count, components.len(), "{edges:?}");
    let mut largest = 0;
    for (scc, &component) in topology.sccs.iter().zip(&components) {
        let members: u32 = scc.nodes.iter().map(|v| 1 << v).sum();
        assert_eq!(members, component, "{edges:?}");
        let kappa = masks.kappa(component);
        assert_eq!(scc.kappa, u64::from(kappa), "{edges:?}");
        // κ > 0 ⟺ β₁ > 0 in a component of at least two nodes: both always hold.
        let beta = masks.across(component, component) + 1 - component.count_ones();
        assert!(kappa > 0 && beta > 0, "{edges:?}");
        assert_eq!(scc.fault_line_edges.len(), kappa as usize, "{edges:?}");
        let mut cut = masks.clone();
        for edge in &scc.fault_line_edges {
            assert!(
                cut.out[edge.source as usize] >> edge.target & 1 == 1,
                "{edges:?}"
            );
            cut.out[edge.source as usize] &= !(1 << edge.target);
        }
        assert!(!cut.components().contains(&component), "no cut: {edges:?}");
        largest = largest.max(scc.kappa);
    }
    assert_eq!(topology.max_kappa, largest);
    assert_eq!(
        topology.routing == Routing::Deliberate,
        !components.is_empty()
    );
    !components.is_empty()
}

#[test]
#[cfg_attr(
    debug_assertions,
    ignore = "release only: 1,926,351 graphs take minutes unoptimised"
)]
fn all_1_926_351_objects_agree_with_enumeration() {
    let mut objects = 0u32;
    for n in 2..=5u32 {
        let pairs: Vec<(u32, u32)> = (0..n)
            .flat_map(|s| (0..n).filter(move |&t| t != s).map(move |t| (s, t)))
            .collect();
        for mask in 0..1u32 << pairs.len() {
            let chosen: Vec<(u32, u32)> = (0..pairs.len())
                .filter(|i| mask >> i & 1 == 1)
                .map(|i| pairs[i])
                .collect();
            check(n, &chosen);
            objects += 1;
        }
    }
    assert_eq!(objects, 1_052_740);
    for n in 2..=7u32 {
        for code in 0..n.pow(n) {
            let map: Vec<u32> = (0..n).map(|i| code / n.pow(i) % n).collect();
            let edges: Vec<(u32, u32)> = (0..n).map(|v| (v, map[v as usize])).collect();
            let cyclic = check(n, &edges);
            assert_eq!(cyclic, has_orbit(&map), "{map:?}");
            objects += 1;
        }
    }
    assert_eq!(objects, 1_926_351);
}

/// Whether the map has a periodic orbit of period greater than one.
fn has_orbit(map: &[u32]) -> bool {
    (0..map.len() as u32).any(|v| {
        let mut w = map[v as usize];
        for _ in 0..map.len() {
            if w == v {
                return map[v as usize] != v;
            }
            w = map[w as usize];
        }
        false
    })
}

#[test]
fn all_digraphs_on_up_to_four_nodes_agree_with_enumeration() {
    for n in 2..=4u32 {
        let pairs: Vec<(u32, u32)> = (0..n)
            .flat_map(|s| (0..n).filter(move |&t| t != s).map(move |t| (s, t)))
            .collect();
        for mask in 0..1u32 << pairs.len() {
            let chosen: Vec<(u32, u32)> = (0..pairs.len())
                .filter(|i| mask >> i & 1 == 1)
                .map(|i| pairs[i])
                .collect();
            check(n, &chosen);
        }
    }
}
