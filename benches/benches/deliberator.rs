//! What a deliberation costs beyond the agent's own time.
//!
//! Questions: how much does a pass cost with an agent that answers at once (goal: under 200 µs),
//! and how long do 1,000 components take side by side (goal: under 0.5 s)? Corpus: rings of
//! three nodes, κ = 1, agreeing replies: two passes, the fast path and one write each.
#![allow(clippy::unwrap_used, missing_docs)]

use std::hint::black_box;
use std::sync::Arc;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use deliberator::driver::Driver;
use deliberator::{Answer, Completion, Deliberation, Options, Step, Written, agent_fn};
use knowledge_graph::{Edge, EdgeType, MemoryStore, Node, Snapshot, Timestamp};

const NOW: Timestamp = Timestamp(0);
const REPLY: &str =
    r#"{"conclusion":"The loop sustains itself.","confidence":0.9,"reasoning":"It does."}"#;

fn rings(count: usize, size: usize) -> Snapshot {
    let mut graph = Snapshot::default();
    for ring in 0..count {
        let id = |i: usize| format!("c{ring:04}-{i}");
        for i in 0..size {
            let content = format!("Part {i} of loop {ring} drives the next part of it.");
            graph.nodes.push(Node::new(id(i), content, NOW));
            let next = id((i + 1) % size);
            graph
                .edges
                .push(Edge::new(id(i), next, EdgeType::Causal, NOW));
        }
    }
    graph
}

/// The machine alone, stepped by hand.
fn step_to_end(mut run: Deliberation) -> u64 {
    loop {
        match run.next() {
            Step::Ask(requests) => {
                for request in requests {
                    let result = Ok(Completion::new(REPLY).with_tokens(1, 1));
                    run.answer(Answer::Pass {
                        id: request.id,
                        result,
                        duration_ms: None,
                    })
                    .unwrap();
                }
            }
            Step::Write(write) => {
                let outcome = Written::Applied { before: false };
                run.answer(Answer::Written {
                    scc_id: write.scc_id,
                    outcome,
                })
                .unwrap();
            }
            Step::Done(report) => return report.calls,
            _ => unreachable!(),
        }
    }
}

fn one_component(c: &mut Criterion) {
    let graph = rings(1, 5);
    let topology = graph.topology().unwrap();
    let mut group = c.benchmark_group("one component of five nodes, two passes");
    group.throughput(Throughput::Elements(2));
    group.bench_function("state machine", |b| {
        b.iter_batched(
            || (topology.clone(), graph.clone()),
            |(topology, graph)| {
                let run =
                    Deliberation::new(topology, graph, "What follows?", Options::default(), NOW);
                black_box(step_to_end(run.unwrap()))
            },
            BatchSize::SmallInput,
        );
    });
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    group.bench_function("driver and store", |b| {
        b.iter_batched(
            || Arc::new(MemoryStore::from_snapshot(graph.clone()).unwrap()),
            |store| {
                let driver = Driver::new(agent_fn(|_| Ok(Completion::new(REPLY))), store);
                let report = runtime.block_on(driver.deliberate(
                    &topology,
                    "What follows?",
                    Options::default(),
                ));
                black_box(report.unwrap().calls)
            },
            BatchSize::SmallInput,
        );
    });
    group.finish();
}

fn many_components(c: &mut Criterion) {
    let graph = rings(1_000, 3);
    let topology = graph.topology().unwrap();
    let mut group = c.benchmark_group("1,000 components of three nodes, 2,000 passes");
    group
        .sample_size(10)
        .throughput(Throughput::Elements(2_000));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    for at_once in [16, 2_000] {
        group.bench_function(format!("driver and store, {at_once} at once"), |b| {
            b.iter_batched(
                || Arc::new(MemoryStore::from_snapshot(graph.clone()).unwrap()),
                |store| {
                    let driver = Driver::new(agent_fn(|_| Ok(Completion::new(REPLY))), store)
                        .with_at_once(at_once);
                    let report = runtime.block_on(driver.deliberate(
                        &topology,
                        "What follows?",
                        Options::default(),
                    ));
                    let report = report.unwrap();
                    assert!(report.converged);
                    black_box(report.calls)
                },
                BatchSize::LargeInput,
            );
        });
    }
    group.finish();
}

criterion_group!(benches, one_component, many_components);
criterion_main!(benches);
