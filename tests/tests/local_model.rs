//! The business loop with a real model in process: JSON graph, deliberation, conclusion or honest
//! escalation, second retrieval. SmolLM2-135M, as fixtures/fetch-models.sh brings it.
#![cfg(feature = "full-cpu")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout
)]

use std::path::Path;
use std::sync::Arc;

use deliberator::driver::Driver;
use deliberator::{Options, RegionStatus, effective_topology};
use knowledge_graph::{EdgeType, MemoryStore, NodeType, Snapshot};
use language_agents::gguf::GgufOptions;
use language_agents::{Cassette, Gguf, TapeOutcome};

const QUESTION: &str = "How does research and development affect market share?";

fn model() -> Option<Gguf> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures");
    let path = fixtures.join("models/smollm2/SmolLM2-135M-Instruct.Q4_1.gguf");
    if !path.exists() {
        println!(
            "skipped: {} is not there; fixtures/fetch-models.sh brings it",
            path.display()
        );
        return None;
    }
    let mut options = GgufOptions::default();
    options.repeat_penalty = 1.1;
    Some(Gguf::load(path, options).unwrap())
}

#[test]
#[cfg_attr(
    debug_assertions,
    ignore = "release only: a model of 135 million parameters"
)]
fn the_business_loop_with_a_real_model_ends_in_a_conclusion_or_says_why_not() {
    let Some(agent) = model() else { return };
    let json = include_str!("../../fixtures/deliberator/business-loop.json");
    let graph = Snapshot::from_json(json).unwrap();
    let store = Arc::new(MemoryStore::from_snapshot(graph).unwrap());
    let before = Snapshot::of(store.as_ref()).unwrap();
    let topology = before.topology().unwrap();
    assert_eq!(topology.max_kappa, 1);

    let tape = Arc::new(Cassette::record(agent));
    let driver = Driver::new(Arc::clone(&tape), Arc::clone(&store)).with_run_limit(None);
    let options = Options {
        pass_timeout_ms: 600_000,
        ..Options::default()
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    let run = driver.deliberate(&topology, QUESTION, options);
    let report = runtime.block_on(run).unwrap();
    for entry in tape.tape().entries {
        let TapeOutcome::Completion(done) = entry.outcome else {
            panic!("{:?}", entry.outcome);
        };
        println!(
            "{} in, {} out, {:?}: {}",
            done.tokens_in, done.tokens_out, done.finish, done.text
        );
    }
    println!(
        "{}",
        serde_json::to_string_pretty(&report.response()).unwrap()
    );

    let after = Snapshot::of(store.as_ref()).unwrap();
    let [region] = report.regions.as_slice() else {
        panic!("one loop, one region");
    };
    match &region.node_id {
        // What it concluded is in the graph, derived from the loop, and settles it.
        Some(id) => {
            assert_eq!(region.status, RegionStatus::Converged);
            let node = after.nodes.iter().find(|n| n.id == *id).unwrap();
            assert_eq!(node.node_type, NodeType::Semantic);
            assert_eq!(node.content, region.conclusion.as_ref().unwrap().content);
            let sources = after
                .edges
                .iter()
                .filter(|e| e.source == *id && e.edge_type == EdgeType::DerivedFrom);
            assert_eq!(sources.count(), region.nodes.len());
            assert_eq!(effective_topology(&after).unwrap().max_kappa, 0);
            println!("crystallized as {id}");
        }
        // Nothing was written, and the report says who has to go on and why.
        None => {
            assert_eq!(after, before);
            let escalation = region.escalation.as_ref().expect("an escalation");
            assert!(!escalation.reason.to_string().is_empty());
            println!("handed over: {}", escalation.reason);
        }
    }
    // Every reply that could not be used is told, none is passed over.
    assert_eq!(report.calls as usize, tape.tape().entries.len());
}
