//! Confidence over time, forgetting and merging.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeSet;

use knowledge_graph::life_cycle::{
    Consolidation, DAY, DERIVED_BY, Policy, SUPERSEDED_BY, SameContent, consolidate, decay,
    reinforcement,
};
use knowledge_graph::{Edge, EdgeType, GraphStore, MemoryStore, Node, Snapshot, Timestamp};
use proptest::prelude::*;
use serde_json::json;

const T0: Timestamp = Timestamp(0);

fn store(nodes: Vec<Node>, edges: &[(&str, &str, EdgeType)]) -> MemoryStore {
    let edges = edges
        .iter()
        .map(|(s, t, kind)| Edge::new(*s, *t, *kind, T0))
        .collect();
    MemoryStore::from_snapshot(Snapshot { nodes, edges }).unwrap()
}

fn run(store: &MemoryStore, days: u64) -> Consolidation {
    consolidate(store, &Policy::default(), &SameContent, T0.plus(days * DAY)).unwrap()
}

fn confidence(store: &MemoryStore, id: &str) -> f64 {
    store.node(id).unwrap().unwrap().confidence
}

#[test]
fn idle_confidence_halves_in_a_half_life_after_the_grace() {
    let store = store(vec![Node::new("a", "A", T0).with_confidence(0.8)], &[]);
    assert!(run(&store, 7).decayed.is_empty());
    run(&store, 37);
    assert!((confidence(&store, "a") - 0.4).abs() < 1e-12);
    run(&store, 67);
    assert!((confidence(&store, "a") - 0.2).abs() < 1e-12);
}

proptest! {
    #[test]
    fn decay_does_not_depend_on_how_often_it_runs(stops in prop::collection::btree_set(1_u64..200, 0..12)) {
        let policy = Policy::default();
        let end = 200;
        let all_at_once = store(vec![Node::new("a", "A", T0).with_confidence(0.9)], &[]);
        let in_steps = store(vec![Node::new("a", "A", T0).with_confidence(0.9)], &[]);
        for day in stops.into_iter().chain([end]) {
            let (batch, _) = decay(&Snapshot::of(&in_steps).unwrap(), &policy, T0.plus(day * DAY));
            in_steps.apply(&batch).unwrap();
        }
        let (batch, _) = decay(&Snapshot::of(&all_at_once).unwrap(), &policy, T0.plus(end * DAY));
        all_at_once.apply(&batch).unwrap();
        prop_assert!((confidence(&in_steps, "a") - confidence(&all_at_once, "a")).abs() < 1e-12);
    }

    /// Whatever the graph, consolidation removes no node of a loop and leaves κ as it was.
    #[test]
    fn protected_components_keep_their_nodes(
        edges in prop::collection::btree_set((0_u8..9, 0_u8..9), 0..25),
        same in prop::collection::vec(0_u8..3, 9),
    ) {
        let nodes: Vec<Node> = (0..9)
            .map(|i| Node::new(format!("n{i}"), format!("text {}", same[i]), T0).with_confidence(0.2))
            .collect();
        let edges: Vec<Edge> = edges
            .into_iter()
            .map(|(s, t)| Edge::new(format!("n{s}"), format!("n{t}"), EdgeType::Causal, T0))
            .collect();
        let before = Snapshot { nodes, edges };
        let looped = before.topology().unwrap();
        let store = MemoryStore::from_snapshot(before).unwrap();
        run(&store, 5_000);
        let left: BTreeSet<String> = Snapshot::of(&store).unwrap().nodes.into_iter().map(|n| n.id).collect();
        for scc in &looped.sccs {
            prop_assert!(scc.nodes.iter().all(|n| left.contains(n)));
        }
        prop_assert!(Snapshot::of(&store).unwrap().topology().unwrap().max_kappa >= looped.max_kappa);
    }
}

#[test]
fn accesses_keep_a_node_alive() {
    let store = store(vec![Node::new("a", "A", T0), Node::new("b", "B", T0)], &[]);
    for day in (0..400).step_by(5) {
        let now = T0.plus(day * DAY);
        store
            .apply(&reinforcement("a", &Policy::default(), now))
            .unwrap();
    }
    let done = run(&store, 400);
    assert_eq!(done.pruned, ["b"]);
    assert!(confidence(&store, "a") > 0.9);
    assert_eq!(store.node("a").unwrap().unwrap().access_count, 80);
}

#[test]
fn a_contradiction_lowers_once() {
    let strong = Node::new("strong", "S", T0).with_confidence(0.8);
    let claim = Node::new("claim", "C", T0).with_confidence(0.9);
    let store = store(
        vec![strong, claim],
        &[("strong", "claim", EdgeType::Contradicts)],
    );
    assert_eq!(run(&store, 1).contradicted, ["claim"]);
    assert!((confidence(&store, "claim") - 0.9 * (1.0 - 0.4)).abs() < 1e-12);
    assert!(run(&store, 2).contradicted.is_empty());
    assert!((confidence(&store, "claim") - 0.54).abs() < 1e-12);
}

#[test]
fn pruning_spares_loops_and_forgets_the_rest() {
    let nodes = ["a", "b", "lone"].map(|id| Node::new(id, id, T0)).to_vec();
    let edges = [
        ("a", "b", EdgeType::Causal),
        ("b", "a", EdgeType::Causal),
        ("b", "lone", EdgeType::Causal),
    ];
    let store = store(nodes, &edges);
    assert_eq!(run(&store, 1_000).pruned, ["lone"]);
    let left = Snapshot::of(&store).unwrap();
    assert_eq!(left.nodes.len(), 2);
    assert_eq!(left.edges.len(), 2);
}

#[test]
fn superseded_conclusions_go_when_idle() {
    let mut old = Node::new("old", "was so", T0).with_confidence(0.95);
    old.metadata.insert(SUPERSEDED_BY.into(), json!("new"));
    let store = store(vec![old], &[]);
    assert!(run(&store, 10).pruned.is_empty());
    assert_eq!(run(&store, 100).pruned, ["old"]);
}

#[test]
fn near_duplicates_merge_and_edges_move() {
    let mut low = Node::new("low", "Rain  fills the lake.", T0).with_confidence(0.3);
    low.access_count = 4;
    let high = Node::new("high", "rain fills the lake.", T0).with_confidence(0.7);
    let other = Node::new("other", "Something else.", T0);
    let store = store(
        vec![low, high, other],
        &[
            ("low", "other", EdgeType::Supports),
            ("high", "other", EdgeType::Supports),
            ("other", "low", EdgeType::Related),
            ("low", "high", EdgeType::Related),
        ],
    );
    let done = run(&store, 1);
    assert_eq!(done.merged, [("low".to_owned(), "high".to_owned())]);
    let left = Snapshot::of(&store).unwrap();
    assert_eq!(left.nodes.len(), 2);
    let ends: Vec<_> = left
        .edges
        .iter()
        .map(|e| (e.source.as_str(), e.target.as_str(), e.edge_type))
        .collect();
    assert_eq!(
        ends,
        [
            ("high", "other", EdgeType::Supports),
            ("other", "high", EdgeType::Related)
        ]
    );
    let high = store.node("high").unwrap().unwrap();
    assert_eq!(high.access_count, 4);
    assert_eq!(high.metadata["merged_from"], json!(["low"]));
}

#[test]
fn conclusions_over_the_same_component_merge() {
    let conclusion = |id: &str, text: &str, confidence: f64| {
        let mut node = Node::new(id, text, T0).with_confidence(confidence);
        node.metadata
            .insert(DERIVED_BY.into(), json!("deliberator"));
        node
    };
    let store = store(
        vec![
            Node::new("a", "A", T0),
            Node::new("b", "B", T0),
            conclusion("c1", "One thing.", 0.9),
            conclusion("c2", "Another thing.", 0.8),
            conclusion("c3", "Only of a.", 0.8),
        ],
        &[
            ("a", "b", EdgeType::Causal),
            ("b", "a", EdgeType::Causal),
            ("c1", "a", EdgeType::DerivedFrom),
            ("c1", "b", EdgeType::DerivedFrom),
            ("c2", "a", EdgeType::DerivedFrom),
            ("c2", "b", EdgeType::DerivedFrom),
            ("c3", "a", EdgeType::DerivedFrom),
        ],
    );
    let done = run(&store, 1);
    assert_eq!(done.merged, [("c2".to_owned(), "c1".to_owned())]);
    let merged = store.node("c1").unwrap().unwrap();
    assert_eq!(merged.content, "One thing.\nAnother thing.");
    assert!((merged.confidence - 0.8).abs() < 1e-12);
    assert!(store.node("c3").unwrap().is_some());
}
