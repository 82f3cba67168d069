//! Properties over arbitrary graphs.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod reference;

use kappa_topology::{Digraph, LiveTopology, Options, analyze, analyze_weighted};
use proptest::prelude::*;
use reference::Masks;

fn edges(n: u32, most: usize) -> impl Strategy<Value = Vec<(u32, u32)>> {
    prop::collection::vec((0..n, 0..n), 0..most)
}

#[derive(Debug, Clone)]
enum Step {
    Insert(u32, u32),
    Remove(u32, u32),
    InsertNode(u32),
    RemoveNode(u32),
}

fn steps(n: u32) -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        6 => (0..n, 0..n).prop_map(|(s, t)| Step::Insert(s, t)),
        3 => (0..n, 0..n).prop_map(|(s, t)| Step::Remove(s, t)),
        1 => (0..n).prop_map(Step::InsertNode),
        1 => (0..n).prop_map(Step::RemoveNode),
    ];
    prop::collection::vec(step, 1..60)
}

proptest! {
    #[test]
    fn kappa_equals_enumeration(edges in edges(14, 70)) {
        let graph = Digraph::from_edges(edges.iter().copied()).unwrap();
        let topology = analyze(&graph, &Options::default());
        let masks = Masks::new(14, &edges);
        let expected: Vec<u64> =
            masks.components().iter().map(|&c| u64::from(masks.kappa(c))).collect();
        let found: Vec<u64> = topology.sccs.iter().map(|s| s.kappa).collect();
        prop_assert_eq!(found, expected);
        let weighted = analyze_weighted(&graph, &Options::default());
        prop_assert_eq!(weighted.scc_count, topology.scc_count);
    }

    #[test]
    fn a_live_topology_equals_a_fresh_analysis(start in edges(9, 20), steps in steps(9)) {
        let graph = Digraph::from_edges(start).unwrap();
        let mut live = LiveTopology::from_graph(&graph);
        for step in steps {
            match step {
                Step::Insert(s, t) => {
                    let changed = live.insert_edge(s, t).unwrap();
                    prop_assert_eq!(live.has_edge(&s, &t), s != t);
                    prop_assert!(!changed || s != t);
                }
                Step::Remove(s, t) => {
                    let there = live.has_edge(&s, &t);
                    prop_assert_eq!(live.remove_edge(&s, &t).unwrap(), there);
                }
                Step::InsertNode(v) => { live.insert_node(v); }
                Step::RemoveNode(v) => { live.remove_node(&v).unwrap(); }
            }
            let fresh = analyze(&live.graph().unwrap(), &Options::default());
            prop_assert_eq!(live.topology(), fresh);
        }
    }

    #[test]
    fn every_edge_list_is_read_or_refused_with_a_line(text in "\\PC{0,40}(\n\\PC{0,20}){0,6}") {
        match kappa_topology::parse_edge_list(&text, kappa_topology::Limits::default()) {
            Ok(list) => {
                if let Ok(declared) = list.declared_nodes() {
                    let graph = list.graph(&declared).unwrap();
                    analyze(&graph, &Options::default());
                }
            }
            Err(error) => prop_assert!(error.to_string().starts_with("line ")),
        }
    }
}
