//! Graphs as JSON documents.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use knowledge_graph::{GraphError, MemoryStore, Snapshot};
use proptest::prelude::*;

#[test]
fn the_short_form_reads_and_the_long_form_is_stable() {
    let short = r#"{"nodes":[{"id":"b","content":"B"},{"id":"a","content":"A","confidence":0.9}],
        "edges":[{"source":"a","target":"b","edge_type":"causal"},
                 {"source":"a","target":"b","edge_type":"causal","weight":0.5}]}"#;
    let graph = Snapshot::from_json(short).unwrap();
    assert_eq!(graph.nodes[0].id, "a");
    let ids: Vec<_> = graph.edges.iter().map(|e| e.id.as_str()).collect();
    assert_eq!(ids, ["a->b#causal", "a->b#causal#2"]);
    let json = graph.to_json().unwrap();
    assert_eq!(Snapshot::from_json(&json).unwrap().to_json().unwrap(), json);
    let store = MemoryStore::from_snapshot(graph).unwrap();
    assert_eq!(Snapshot::of(&store).unwrap().edges.len(), 2);
}

#[test]
fn what_is_no_graph_says_where() {
    for (json, part) in [
        ("[", "EOF"),
        (r#"{"nodes":[{"id":"a"}]}"#, "content"),
        (
            r#"{"nodes":[{"id":"a","content":""},{"id":"a","content":""}]}"#,
            "twice",
        ),
        (
            r#"{"nodes":[],"edges":[{"source":"a","target":"b","edge_type":"causal"}]}"#,
            "not there",
        ),
        (
            r#"{"nodes":[{"id":"a","content":""}],"edges":[{"source":"a","target":"a","edge_type":"x"}]}"#,
            "unknown variant",
        ),
        (r#"{"vertices":[]}"#, "vertices"),
    ] {
        match Snapshot::from_json(json) {
            Err(GraphError::Document { reason }) => assert!(reason.contains(part), "{reason}"),
            other => panic!("{json}: {other:?}"),
        }
    }
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in ".{0,200}") {
        let _ = Snapshot::from_json(&text);
    }
}
