//! The state machine stepped by many processes: after every answer the whole of it goes through
//! a file into another process.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::path::Path;
use std::process::Command;

use common::{complete, rings, run_to_end, serve, store_of};
use deliberator::{Answer, Completion, Deliberation, Options, PassRequest, Report, Step};
use knowledge_graph::{MemoryStore, Snapshot};
use serde::{Deserialize, Serialize};

/// All there is between two steps.
#[derive(Serialize, Deserialize)]
struct Kept {
    run: Deliberation,
    graph: Snapshot,
    report: Option<Report>,
}

fn agent(request: &PassRequest) -> Result<Completion, deliberator::AgentError> {
    let n = request.prompt.user.len() + request.id.len();
    match n % 5 {
        0 => Err(deliberator::AgentError::Refused {
            reason: "no".into(),
        }),
        1 => common::says("one and the same", 0.1 + 0.2),
        2 => common::says(&format!("different {n}"), 0.7),
        _ => common::says("one and the same", 0.123_456_789_012_345_67 + 0.8),
    }
}

/// One answer, then away with it.
fn one_step(kept: &mut Kept) {
    // The graph comes back as it was written, but for revisions, which start anew.
    let store = MemoryStore::from_snapshot(kept.graph.clone()).unwrap();
    match kept.run.next() {
        Step::Done(report) => kept.report = Some(*report),
        Step::Ask(requests) => {
            let request = requests.last().unwrap();
            kept.run
                .answer(Answer::Pass {
                    id: request.id.clone(),
                    result: agent(request),
                    duration_ms: None,
                })
                .unwrap();
        }
        other => serve(&mut kept.run, &store, other),
    }
    kept.graph = Snapshot::of(&store).unwrap();
}

/// Not a test of its own: the other process of the test below, which sets the variable.
#[test]
fn child_process_makes_one_step() {
    let Ok(path) = std::env::var("CANDOR_STEP_FILE") else {
        return;
    };
    let mut kept: Kept = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    one_step(&mut kept);
    std::fs::write(&path, serde_json::to_string(&kept).unwrap()).unwrap();
}

fn in_another_process(path: &Path) {
    let done = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child_process_makes_one_step"])
        .env("CANDOR_STEP_FILE", path)
        .output()
        .unwrap();
    assert!(
        done.status.success(),
        "{}",
        String::from_utf8_lossy(&done.stdout)
    );
}

#[test]
fn stepping_in_other_processes_gives_the_same_report() {
    let mut graph = complete(3);
    graph.nodes.extend(rings(2).nodes);
    graph.edges.extend(rings(2).edges);
    let options = Options::default();
    let store = store_of(&graph);
    let uninterrupted = run_to_end(common::begin(&graph, options.clone()), &store, agent);
    assert!(uninterrupted.calls >= 9);

    let path = std::env::temp_dir().join(format!("candor-step-{}.json", std::process::id()));
    let kept = Kept {
        run: common::begin(&graph, options),
        graph: common::stored(&store_of(&graph)),
        report: None,
    };
    std::fs::write(&path, serde_json::to_string(&kept).unwrap()).unwrap();
    let mut steps = 0;
    let last: Kept = loop {
        in_another_process(&path);
        steps += 1;
        let kept: Kept = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        if kept.report.is_some() {
            break kept;
        }
        assert!(steps < 200);
    };
    std::fs::remove_file(&path).unwrap();
    assert!(steps > 10, "{steps} steps");
    let bytes = |r: &Report| serde_json::to_string(r).unwrap();
    assert_eq!(bytes(&last.report.unwrap()), bytes(&uninterrupted));
    assert_eq!(last.graph.to_json().unwrap(), common::json(&store));
}
