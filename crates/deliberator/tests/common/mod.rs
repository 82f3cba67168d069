//! Graphs and agents that the tests share.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use deliberator::{
    AgentError, Answer, Completion, Deliberation, Options, PassRequest, Report, Step, Written,
};
use knowledge_graph::{Edge, EdgeType, GraphStore, MemoryStore, Node, Snapshot, Timestamp};

pub(crate) const NOW: Timestamp = Timestamp(1_700_000_000_000);

/// A graph of causal edges; node `i` is `n0i` and says `content of n0i`.
pub(crate) fn graph(nodes: usize, edges: &[(usize, usize)]) -> Snapshot {
    let id = |i: usize| format!("n{i:02}");
    Snapshot {
        nodes: (0..nodes)
            .map(|i| Node::new(id(i), format!("content of {}", id(i)), NOW))
            .collect(),
        edges: edges
            .iter()
            .map(|(s, t)| Edge::new(id(*s), id(*t), EdgeType::Causal, NOW))
            .collect(),
    }
}

/// A ring of `n` nodes: κ = 1.
pub(crate) fn ring(n: usize) -> Snapshot {
    let edges: Vec<_> = (0..n).map(|i| (i, (i + 1) % n)).collect();
    graph(n, &edges)
}

/// A two-way complete graph on `n` nodes: κ = n − 1.
pub(crate) fn complete(n: usize) -> Snapshot {
    let edges: Vec<_> = (0..n)
        .flat_map(|s| (0..n).filter(move |t| *t != s).map(move |t| (s, t)))
        .collect();
    graph(n, &edges)
}

/// `count` rings of three side by side.
pub(crate) fn rings(count: usize) -> Snapshot {
    let mut all = Snapshot::default();
    for c in 0..count {
        for i in 0..3 {
            let id = |i: usize| format!("c{c:04}-{i}");
            all.nodes
                .push(Node::new(id(i), format!("part {i} of loop {c}"), NOW));
            let edge = Edge::new(id(i), id((i + 1) % 3), EdgeType::Causal, NOW);
            all.edges.push(edge);
        }
    }
    all
}

pub(crate) fn business_loop() -> Snapshot {
    Snapshot::from_json(include_str!(
        "../../../../fixtures/deliberator/business-loop.json"
    ))
    .unwrap()
}

pub(crate) fn begin(graph: &Snapshot, options: Options) -> Deliberation {
    let topology = graph.topology().unwrap();
    let mut graph = graph.clone();
    // As a store that was filled from it counts.
    for node in &mut graph.nodes {
        node.revision = node.revision.max(1);
    }
    Deliberation::new(topology, graph, "What follows?", options, NOW).unwrap()
}

pub(crate) fn reply(conclusion: &str, confidence: f64) -> String {
    serde_json::json!({
        "conclusion": conclusion, "confidence": confidence, "reasoning": "it follows",
    })
    .to_string()
}

pub(crate) fn says(conclusion: &str, confidence: f64) -> Result<Completion, AgentError> {
    Ok(Completion::new(reply(conclusion, confidence)).with_tokens(10, 5))
}

pub(crate) fn is_reconcile(request: &PassRequest) -> bool {
    request.id.ends_with("reconcile")
}

pub(crate) fn answer(
    run: &mut Deliberation,
    request: &PassRequest,
    result: Result<Completion, AgentError>,
) {
    run.answer(Answer::Pass {
        id: request.id.clone(),
        result,
        duration_ms: None,
    })
    .unwrap();
}

/// Answers everything but passes: writes go to the store, refreshes come from it.
pub(crate) fn serve(run: &mut Deliberation, store: &dyn GraphStore, step: Step) {
    let answer = match step {
        Step::Write(write) => Answer::Written {
            scc_id: write.scc_id,
            outcome: match store.apply(&write.batch) {
                Ok(receipt) => Written::Applied {
                    before: receipt.already_applied,
                },
                Err(knowledge_graph::GraphError::Conflict(c)) => Written::Conflict(c),
                Err(e) => Written::Failed(e.to_string()),
            },
        },
        Step::Refresh(refresh) => Answer::Refreshed {
            scc_id: refresh.scc_id,
            graph: Snapshot::around(store, &refresh.nodes).map_err(|e| e.to_string()),
        },
        Step::Escalate(request) => Answer::Escalated {
            scc_id: request.scc_id,
            result: Ok(()),
        },
        Step::Compare(request) => Answer::Similarities {
            scc_id: request.scc_id,
            values: vec![0.0; request.pairs.len()],
        },
        other => panic!("not served: {other:?}"),
    };
    run.answer(answer).unwrap();
}

/// Runs to the end, passes one at a time in order.
pub(crate) fn run_to_end(
    mut run: Deliberation,
    store: &dyn GraphStore,
    mut agent: impl FnMut(&PassRequest) -> Result<Completion, AgentError>,
) -> Report {
    loop {
        match run.next() {
            Step::Done(report) => return *report,
            Step::Ask(requests) => {
                for request in requests {
                    let result = agent(&request);
                    answer(&mut run, &request, result);
                }
            }
            other => serve(&mut run, store, other),
        }
    }
}

pub(crate) fn store_of(graph: &Snapshot) -> MemoryStore {
    MemoryStore::from_snapshot(graph.clone()).unwrap()
}

/// The graph with revisions as a store counts them.
pub(crate) fn stored(store: &MemoryStore) -> Snapshot {
    Snapshot::of(store).unwrap()
}

pub(crate) fn json(store: &MemoryStore) -> String {
    Snapshot::of(store).unwrap().to_json().unwrap()
}
