//! The life of a conclusion: fresh, stale, superseded, grounded; and what it settles.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::{NOW, graph, ring, rings, run_to_end, says, store_of, stored};
use deliberator::{
    Deliberation, Options, Outcome, RegionStatus, Report, Staleness, effective_topology,
    record_outcome, settled,
};
use knowledge_graph::life_cycle::{DAY, Policy, SameContent, consolidate};
use knowledge_graph::{
    Batch, Edge, EdgeType, GraphStore, MemoryStore, Node, Snapshot, Timestamp, Write,
};

fn deliberate(store: &MemoryStore, question: &str, says_what: &str, now: Timestamp) -> Report {
    let graph = stored(store);
    let run = Deliberation::new(
        graph.topology().unwrap(),
        graph,
        question,
        Options::default(),
        now,
    );
    run_to_end(run.unwrap(), store, |_| says(says_what, 0.9))
}

fn stale(store: &MemoryStore) -> Vec<Option<Staleness>> {
    settled(&stored(store))
        .into_iter()
        .map(|c| c.stale)
        .collect()
}

#[test]
fn a_decayed_conclusion_is_superseded_by_the_next_deliberation() {
    let store = store_of(&ring(3));
    let first = deliberate(&store, "Why?", "First words.", NOW);
    assert_eq!(stale(&store), [None]);
    let later = NOW.plus(60 * DAY);
    consolidate(&store, &Policy::default(), &SameContent, later).unwrap();
    assert_eq!(stale(&store), [Some(Staleness::Decayed)]);
    assert_eq!(effective_topology(&stored(&store)).unwrap().max_kappa, 1);

    let second = deliberate(&store, "Why?", "Second words.", later);
    assert_eq!(second.regions[0].status, RegionStatus::Converged);
    let old = store
        .node(first.regions[0].node_id.as_ref().unwrap())
        .unwrap()
        .unwrap();
    assert_eq!(
        old.metadata["superseded_by"].as_str(),
        second.regions[0].node_id.as_deref(),
        "the old one is kept until pruned"
    );
    assert_eq!(effective_topology(&stored(&store)).unwrap().max_kappa, 0);
    // The same words again after a decay: the one node, as sure as before.
    let store = store_of(&ring(3));
    deliberate(&store, "Why?", "Same words.", NOW);
    consolidate(&store, &Policy::default(), &SameContent, later).unwrap();
    deliberate(&store, "Why?", "Same words.", later);
    assert_eq!(stale(&store), [None]);
}

#[test]
fn changed_or_missing_sources_and_contradictions_make_stale() {
    let changed = store_of(&ring(3));
    deliberate(&changed, "Why?", "Words.", NOW);
    changed
        .put_node(Node::new("n01", "something else now", NOW))
        .unwrap();
    assert_eq!(stale(&changed), [Some(Staleness::SourcesChanged)]);

    let gone = store_of(&ring(3));
    deliberate(&gone, "Why?", "Words.", NOW);
    gone.apply(&Batch::new().write(Write::RemoveNode { id: "n02".into() }))
        .unwrap();
    assert_eq!(stale(&gone), [Some(Staleness::SourcesChanged)]);

    let opposed = store_of(&ring(3));
    let report = deliberate(&opposed, "Why?", "Words.", NOW);
    let id = report.regions[0].node_id.clone().unwrap();
    opposed
        .put_node(Node::new("critic", "Not so.", NOW).with_confidence(0.5))
        .unwrap();
    opposed
        .put_edge(Edge::new("critic", id, EdgeType::Contradicts, NOW))
        .unwrap();
    assert_eq!(stale(&opposed), [Some(Staleness::Contradicted)]);
    let again = deliberate(&opposed, "Why?", "Better words.", NOW);
    assert_eq!(again.regions[0].status, RegionStatus::Converged);
    assert_eq!(stale(&opposed).iter().filter(|s| s.is_none()).count(), 1);
}

#[test]
fn another_question_is_deliberated_on_its_own() {
    let store = store_of(&ring(3));
    deliberate(&store, "Why?", "Words.", NOW);
    let other = deliberate(&store, "When?", "Other words.", NOW);
    assert_eq!(other.regions[0].status, RegionStatus::Converged);
    assert_eq!(stale(&store), [None, None], "both stay fresh");
    assert_eq!(effective_topology(&stored(&store)).unwrap().max_kappa, 0);
}

#[test]
fn a_loop_through_a_settled_one_still_counts() {
    // A ring of three settled, in a second ring with two more nodes: contracting leaves a loop.
    let mut two = ring(3);
    two.nodes.extend(graph(5, &[]).nodes.into_iter().skip(3));
    let store = store_of(&two);
    deliberate(&store, "Why?", "Words.", NOW);
    for (s, t) in [("n00", "n03"), ("n03", "n04"), ("n04", "n01")] {
        store
            .put_edge(Edge::new(s, t, EdgeType::Causal, NOW))
            .unwrap();
    }
    let effective = effective_topology(&stored(&store)).unwrap();
    assert_eq!((effective.max_kappa, effective.scc_count), (1, 1));
    assert_eq!(
        effective.sccs[0].nodes.len(),
        3,
        "the conclusion stands for its three sources"
    );
}

#[test]
fn conclusions_that_share_sources_contract_together() {
    let store = store_of(&rings(2));
    deliberate(&store, "Why?", "Words.", NOW);
    deliberate(&store, "When?", "Others.", NOW);
    let effective = effective_topology(&stored(&store)).unwrap();
    assert_eq!(effective.max_kappa, 0);
    // Conclusions over conclusions, even round in a circle, contract and end.
    let ids: Vec<String> = settled(&stored(&store)).into_iter().map(|c| c.id).collect();
    let mut graph: Snapshot = stored(&store);
    let digest = |g: &Snapshot, id: &str| {
        let node = g.nodes.iter().find(|n| n.id == id).unwrap();
        deliberator::content_digest(&node.content)
    };
    for (a, b) in [(0, 1), (1, 0)] {
        let other = digest(&graph, &ids[b]);
        let node = graph.nodes.iter_mut().find(|n| n.id == ids[a]).unwrap();
        node.metadata
            .insert("sources".into(), serde_json::json!({&ids[b]: other}));
    }
    assert!(effective_topology(&graph).is_ok());
}

#[test]
fn outcomes_move_confidence() {
    let store = store_of(&ring(3));
    let report = deliberate(&store, "Why?", "Words.", NOW);
    let id = report.regions[0].node_id.clone().unwrap();
    let confidence = || store.node(&id).unwrap().unwrap().confidence;
    store
        .apply(&record_outcome(&id, Outcome::Failure, 1.0, NOW))
        .unwrap();
    assert!((confidence() - 0.72).abs() < 1e-12);
    store
        .apply(&record_outcome(&id, Outcome::Success, 0.5, NOW))
        .unwrap();
    assert!((confidence() - (0.72 + 0.1 * 0.28)).abs() < 1e-12);
    let now = confidence();
    for weight in [f64::NAN, -3.0] {
        store
            .apply(&record_outcome(&id, Outcome::Failure, weight, NOW))
            .unwrap();
    }
    assert!((confidence() - now).abs() < 1e-12);
}
