//! The progress callback: it never falls, ends at the total, and changes no result.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod families;

use kappa_topology::{
    Digraph, Options, Progress, analyze, analyze_weighted, analyze_weighted_with_progress,
    analyze_with_progress,
};

fn check(seen: &[Progress], nodes: usize) {
    assert!(seen.windows(2).all(|p| p[0].done <= p[1].done));
    assert!(seen.iter().all(|p| p.total == 2 * nodes));
    assert_eq!(seen.last().map(|p| p.done), Some(2 * nodes));
}

#[test]
fn progress_rises_to_its_total_and_changes_nothing() {
    let options = Options::default();
    for name in ["regular", "planted", "two-way torus", "attachment", "cycle"] {
        let edges = (families::family(name).make)(5_000, 6, 1);
        let graph = Digraph::from_edges(edges).unwrap();
        let mut seen = Vec::new();
        let observed = analyze_with_progress(&graph, &options, &mut |p| seen.push(p));
        assert_eq!(observed, analyze(&graph, &options), "{name}");
        check(&seen, graph.node_count());
        if name == "regular" {
            assert!(
                seen.len() > 3,
                "one large component reports on its way: {seen:?}"
            );
        }
        seen.clear();
        let observed = analyze_weighted_with_progress(&graph, &options, &mut |p| seen.push(p));
        assert_eq!(observed, analyze_weighted(&graph, &options), "{name}");
        check(&seen, graph.node_count());
    }
}

#[test]
fn every_component_is_reported_and_single_nodes_are_not() {
    let edges = [(0, 1), (1, 0), (1, 2), (2, 3), (3, 4), (4, 3)];
    let graph = Digraph::from_edges(edges).unwrap();
    let mut seen = Vec::new();
    analyze_with_progress(&graph, &Options::default(), &mut |p| seen.push(p.done));
    assert_eq!(seen, [4, 8]);
}
