//! The business loop through the facade: recall, route, deliberate, write back, recall again.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::sync::Arc;

use knowledge_graph::{GraphStore, ManualClock, MemoryStore, Snapshot, Timestamp};
use knowledge_loop::{
    DeliberationPolicy, Error, KnowledgeLoop, LoopConfig, Route, RouteRule, seal_deliberation,
};
use language_agents::{Agent, Completion, agent_fn};
use serde_json::json;

const QUESTION: &str = "How does market share feed back into revenue?";

fn store() -> Arc<MemoryStore> {
    let text = include_str!("../../../fixtures/deliberator/business-loop.json");
    Arc::new(MemoryStore::from_snapshot(Snapshot::from_json(text).unwrap()).unwrap())
}

fn agent() -> Arc<dyn Agent> {
    Arc::new(agent_fn(|_| {
        let reply = json!({
            "conclusion": "Market share and revenue feed each other through research and quality.",
            "confidence": 0.93,
            "reasoning": "each step raises the next",
        });
        Ok(Completion::new(reply.to_string()).with_tokens(10, 5))
    }))
}

fn knowledge(store: Arc<MemoryStore>, config: LoopConfig) -> (KnowledgeLoop, Arc<ManualClock>) {
    let clock = Arc::new(ManualClock::new(Timestamp(1_000)));
    let shared: Arc<dyn knowledge_graph::Clock> = clock.clone();
    (
        KnowledgeLoop::with_clock(store, agent(), config, shared),
        clock,
    )
}

#[test]
fn the_second_question_takes_the_fast_path() {
    let (knowledge, _) = knowledge(store(), LoopConfig::default());
    let first = knowledge.ask_blocking(QUESTION, true).unwrap();
    assert_eq!(first.route, Route::Deliberated);
    assert_eq!(
        (first.effective_kappa_before, first.effective_kappa_after),
        (1, 0)
    );
    let report = first.deliberation.as_ref().unwrap();
    assert!(report.converged && !report.escalated);
    let conclusion = first
        .recall
        .nodes
        .iter()
        .find(|n| n.content.contains("feed each other"));
    assert!(
        conclusion.is_some(),
        "the next retrieval sees the conclusion"
    );

    let second = knowledge.ask_blocking(QUESTION, true).unwrap();
    assert_eq!(second.route, Route::Fast);
    assert!(second.deliberation.is_none());
    let readings: Vec<u64> = knowledge
        .readings()
        .iter()
        .map(|r| r.effective_kappa)
        .collect();
    assert_eq!(readings, [1, 0, 0]);

    let runs = seal_deliberation(report).unwrap();
    assert_eq!(runs.len(), 1);
    assert!(run_dag::replay(&runs[0]).unwrap().is_clean());
}

#[test]
fn nothing_is_deliberated_unless_asked_or_configured() {
    let store = store();
    let (quiet, _) = knowledge(store.clone(), LoopConfig::default());
    let before = Snapshot::of(store.as_ref()).unwrap();
    assert_eq!(
        quiet.ask_blocking(QUESTION, false).unwrap().route,
        Route::NotAsked
    );
    assert_eq!(
        Snapshot::of(store.as_ref()).unwrap(),
        before,
        "asking writes nothing"
    );
    let never = LoopConfig {
        route: RouteRule::Never,
        ..LoopConfig::default()
    };
    let (never, _) = knowledge(store, never);
    assert_eq!(
        never.ask_blocking(QUESTION, true).unwrap().route,
        Route::NotAsked
    );
}

#[test]
fn the_policy_caps_a_region_within_its_window() {
    let policy = DeliberationPolicy {
        per_region: 1,
        in_total: 5,
        window_ms: 60_000,
    };
    let mut config = LoopConfig {
        policy,
        ..LoopConfig::default()
    };
    // Without write-back the loop stays circular, so only the policy holds the second one back.
    config.deliberate.write_back = false;
    let (knowledge, clock) = knowledge(store(), config);
    assert_eq!(
        knowledge.ask_blocking(QUESTION, true).unwrap().route,
        Route::Deliberated
    );
    assert_eq!(
        knowledge.ask_blocking(QUESTION, true).unwrap().route,
        Route::Capped
    );
    clock.set(Timestamp(61_001));
    assert_eq!(
        knowledge.ask_blocking(QUESTION, true).unwrap().route,
        Route::Deliberated
    );
}

#[test]
fn tools_serve_their_schemas_and_refuse_the_rest_in_words() {
    let (knowledge, _) = knowledge(store(), LoopConfig::default());
    let call = |tool: &str, input| futures::executor::block_on(knowledge.handle(tool, &input));
    let topology = call("analyze_topology", json!({"query": QUESTION})).unwrap();
    assert_eq!(topology["max_kappa"], 1);
    let names: Vec<String> = KnowledgeLoop::tools().into_iter().map(|t| t.name).collect();
    assert_eq!(names, ["deliberate", "analyze_topology"]);
    assert!(matches!(
        call("forget", json!({})),
        Err(Error::NoSuchTool(_))
    ));
    let error = call("deliberate", json!({"queri": "x"}))
        .unwrap_err()
        .to_string();
    assert!(error.contains("queri"), "{error}");
    let error = call("analyze_topology", json!({})).unwrap_err().to_string();
    assert!(
        error.contains("query") && error.contains("node_ids"),
        "{error}"
    );
    assert!(matches!(knowledge.recall("  "), Err(Error::EmptyQuestion)));
}

#[test]
fn the_deliberate_tool_answers_as_its_schema_says() {
    let (knowledge, _) = knowledge(store(), LoopConfig::default());
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    let answer = runtime
        .block_on(knowledge.handle("deliberate", &json!({"query": QUESTION})))
        .unwrap();
    assert_eq!(answer["status"], "ok");
    assert_eq!(answer["deliberation"]["converged"], true);
    assert!(knowledge.store().node_page(None, 100).unwrap().len() > 5);
}
