//! The business loop, end to end: JSON graph, retrieval, deliberation from a cassette,
//! crystallized conclusion, second retrieval on the fast path.
#![cfg(feature = "driver")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::path::PathBuf;
use std::sync::Arc;

use common::{NOW, business_loop, store_of, stored};
use deliberator::driver::Driver;
use deliberator::{Options, RegionStatus, effective_topology};
use kappa_topology::Routing;
use knowledge_graph::{Direction, GraphStore, ManualClock, MemoryStore, Snapshot};
use language_agents::{Cassette, Scripted, Tape, lexical_similarity};

const QUESTION: &str = "How does research and development affect market share?";

fn cassette_path() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../fixtures/deliberator/business-loop.cassette.json")
}

/// The three nodes that are closest to the question, and what is one hop from them.
fn retrieve(store: &MemoryStore) -> (Vec<String>, Snapshot) {
    let mut ranked: Vec<(f64, String)> = stored(store)
        .nodes
        .into_iter()
        .map(|n| (lexical_similarity(&n.content, QUESTION), n.id))
        .collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let hits: Vec<String> = ranked.into_iter().take(3).map(|(_, id)| id).collect();
    let mut near: Vec<String> = hits.clone();
    for id in &hits {
        for edge in store.neighbours(id, Direction::Both).unwrap() {
            near.extend([edge.source, edge.target]);
        }
    }
    (hits, Snapshot::around(store, &near).unwrap())
}

/// The replies that were recorded; see the fixture's README.
fn author() -> Scripted {
    let reply = |text: &str, confidence: f64| {
        serde_json::json!({
            "conclusion": text, "confidence": confidence,
            "reasoning": "It follows from the nodes in view and the assumption.",
            "supports": [], "contradicts": [],
        })
        .to_string()
    };
    Scripted::replies([
        reply("While quality wins market share, spending on research pays back through revenue.", 0.8),
        format!(
            "<think>The assumption fails here…</think>\n```json\n{}\n```\nHope this helps!",
            reply("Without that link, research and development only costs revenue.", 0.6)
        ),
        serde_json::json!({
            "conclusion": "Research and development raises market share through product quality, \
                with a delay of two to three quarters, as long as revenue pays for it.",
            "confidence": "84%",
            "reasoning": "The passes differ only in whether quality wins share; the evidence says it does.",
            "supports": ["N3"], "contradicts": [], "contradiction_stands": false,
            "wrong_assumption": "that product quality does not win market share",
        })
        .to_string(),
    ])
}

#[tokio::test]
async fn from_json_graph_to_second_retrieval_with_a_cassette() {
    let store = Arc::new(store_of(&business_loop()));
    let (_, first) = retrieve(&store);
    let topology = effective_topology(&first).unwrap();
    assert_eq!(
        (topology.routing, topology.max_kappa),
        (Routing::Deliberate, 1)
    );

    let recording = std::env::var("CANDOR_RECORD").is_ok();
    let cassette = Arc::new(if recording {
        Cassette::record(author())
    } else {
        Cassette::replay(Tape::load(cassette_path()).unwrap())
    });
    let driver =
        Driver::new(Arc::clone(&cassette), Arc::clone(&store)).with_clock(ManualClock::new(NOW));
    let whole = stored(&store).topology().unwrap();
    let report = driver
        .deliberate(&whole, QUESTION, Options::default())
        .await
        .unwrap();
    if recording {
        cassette.tape().save(cassette_path()).unwrap();
    }
    assert_eq!(cassette.unplayed(), 0);
    assert!(report.converged, "{report:#?}");
    assert_eq!((report.calls, report.iterations_used), (3, 1));
    let conclusion = report.conclusions().next().unwrap();
    assert!((conclusion.confidence - 0.84).abs() < 1e-12);
    assert_eq!(conclusion.fault_lines_examined.len(), 1);
    let change = &report.topology_change;
    assert_eq!((change.kappa_before, change.kappa_after), (1, 1));
    assert_eq!(
        (change.effective_kappa_before, change.effective_kappa_after),
        (1, 0)
    );

    let (hits, second) = retrieve(&store);
    assert_eq!(Some(&hits[0]), report.regions[0].node_id.as_ref());
    let topology = effective_topology(&second).unwrap();
    assert_eq!((topology.routing, topology.max_kappa), (Routing::Fast, 0));
    let again = driver
        .deliberate(
            &stored(&store).topology().unwrap(),
            QUESTION,
            Options::default(),
        )
        .await
        .unwrap();
    assert_eq!(
        (again.regions[0].status, again.calls),
        (RegionStatus::Reused, 0)
    );
}
