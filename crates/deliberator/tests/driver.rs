//! The driver: time, concurrency, failures, cancellation, locks, conflicts (D4, D6, D8, D10).
#![cfg(feature = "driver")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use common::{NOW, complete, json, reply, ring, rings, store_of, stored};
use deliberator::driver::{Driver, RegionLocks, Similarity};
use deliberator::{
    AgentError, Agreement, BoxFuture, Completion, Event, Options, PassFailure, Prompt, Reason,
    RegionStatus, agent_fn, async_agent_fn,
};
use knowledge_graph::{Batch, GraphStore, ManualClock, MemoryStore, Node, Snapshot, Write};
use language_agents::{Backoff, ManualTimer, Retrying};
use tokio::sync::Notify;

fn sure() -> Result<Completion, AgentError> {
    Ok(Completion::new(reply("The loop sustains itself.", 0.95)).with_tokens(3, 2))
}

fn driver(agent: impl deliberator::Agent + 'static, store: &Arc<MemoryStore>) -> Driver {
    Driver::new(agent, Arc::clone(store)).with_clock(ManualClock::new(NOW))
}

async fn run(driver: &Driver, graph: &Snapshot, options: Options) -> deliberator::Report {
    let topology = graph.topology().unwrap();
    driver
        .deliberate(&topology, "What follows?", options)
        .await
        .unwrap()
}

/// D4: one silent pass; pass limit 50 ms, run limit 200 ms, 3 retries.
#[tokio::test(start_paused = true)]
async fn d4_a_silent_pass_does_not_hang_the_run() {
    let graph = ring(3);
    let store = Arc::new(store_of(&graph));
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&calls);
    let silent = async_agent_fn(move |_: Prompt| {
        let n = counted.fetch_add(1, Ordering::SeqCst);
        async move {
            if n % 2 == 1 {
                std::future::pending::<()>().await;
            }
            sure()
        }
    });
    // The pass limit is around the retries: they do not multiply it.
    let retrying = Retrying::new(silent, ManualTimer::new(), Backoff::default());
    let driver = driver(retrying, &store).with_run_limit(Some(Duration::from_millis(200)));
    // The multiplier of κ = 1 is 1.5.
    let options = Options {
        pass_timeout_ms: 34,
        ..Options::default()
    };
    let start = tokio::time::Instant::now();
    let report = run(&driver, &graph, options).await;
    assert!(
        start.elapsed() <= Duration::from_millis(201),
        "{:?}",
        start.elapsed()
    );
    let failed: Vec<_> = report
        .passes
        .iter()
        .filter_map(|p| match &p.outcome {
            Some(Err(PassFailure::Agent(AgentError::Timeout { after_ms }))) => Some(*after_ms),
            _ => None,
        })
        .collect();
    assert!(failed.contains(&51), "{failed:?}");
    assert!(
        report
            .passes
            .iter()
            .any(|p| matches!(p.outcome, Some(Ok(_)))),
        "the other passes are there"
    );
}

#[tokio::test(start_paused = true)]
async fn d4_the_run_limit_ends_everything_and_says_so() {
    let graph = rings(3);
    let store = Arc::new(store_of(&graph));
    let agent = async_agent_fn(|prompt: Prompt| async move {
        if prompt.user.contains("loop 1") {
            std::future::pending::<()>().await;
        }
        sure()
    });
    let driver = driver(agent, &store).with_run_limit(Some(Duration::from_millis(200)));
    let start = tokio::time::Instant::now();
    let report = run(&driver, &graph, Options::default()).await;
    assert_eq!(start.elapsed(), Duration::from_millis(200));
    let status: Vec<_> = report.regions.iter().map(|r| r.status).collect();
    assert_eq!(
        status,
        [
            RegionStatus::Converged,
            RegionStatus::Escalated,
            RegionStatus::Converged
        ]
    );
    assert_eq!(
        report.regions[1].escalation.as_ref().unwrap().reason,
        Reason::OutOfTime
    );
    assert_eq!(stored(&store).nodes.len(), 11, "the other two were written");
}

/// D6: failing, panicking and cancelled passes give their place back.
#[tokio::test(start_paused = true)]
async fn d6_a_failed_pass_gives_its_place_back() {
    for kind in ["fail", "panic", "time out"] {
        // Ten rings, two passes at once.
        let graph = rings(5);
        let store = Arc::new(store_of(&graph));
        let (now, most, calls) = (
            Arc::new(AtomicUsize::new(0)),
            Arc::new(AtomicUsize::new(0)),
            Arc::new(AtomicUsize::new(0)),
        );
        let (now2, most2, calls2) = (Arc::clone(&now), Arc::clone(&most), Arc::clone(&calls));
        struct Leave(Arc<AtomicUsize>);
        impl Drop for Leave {
            fn drop(&mut self) {
                self.0.fetch_sub(1, Ordering::SeqCst);
            }
        }
        let agent = async_agent_fn(move |_: Prompt| {
            let (now, most, calls) = (Arc::clone(&now2), Arc::clone(&most2), Arc::clone(&calls2));
            async move {
                let n = calls.fetch_add(1, Ordering::SeqCst);
                most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                let _leave = Leave(now);
                tokio::time::sleep(Duration::from_millis(5)).await;
                match (n, kind) {
                    (0 | 1, "fail") => Err(AgentError::Refused {
                        reason: "no".into(),
                    }),
                    (0 | 1, "panic") => panic!("on purpose"),
                    (0 | 1, _) => std::future::pending().await,
                    _ => sure(),
                }
            }
        });
        let driver = driver(agent, &store).with_at_once(2);
        let report = run(&driver, &graph, Options::default()).await;
        let first_wave = report
            .passes
            .iter()
            .filter(|p| p.round == 1 && p.id.contains("/f"));
        let (usable, failed): (Vec<_>, Vec<_>) =
            first_wave.partition(|p| matches!(p.outcome, Some(Ok(_))));
        assert_eq!((usable.len(), failed.len()), (8, 2), "{kind}");
        assert_eq!(most.load(Ordering::SeqCst), 2, "{kind}");
        assert!(report.converged, "{kind}");
    }
}

/// D8: passes that end in another order give the same report and the same graph.
#[tokio::test(start_paused = true)]
async fn d8_results_do_not_depend_on_who_finishes_first() {
    let mut seen: Option<(String, String)> = None;
    for delays in [[0_u64, 0, 0, 0], [40, 10, 30, 20], [5, 50, 1, 0]] {
        let mut graph = complete(3);
        graph.nodes.extend(rings(2).nodes);
        graph.edges.extend(rings(2).edges);
        let store = Arc::new(store_of(&graph));
        let agent = async_agent_fn(move |prompt: Prompt| async move {
            let n = prompt.user.len() + usize::from(prompt.user.contains("NOT"));
            let delay = delays[n % delays.len()];
            if delay > 0 {
                tokio::time::sleep(Duration::from_millis(delay)).await;
            }
            let words = ["alpha beta", "gamma delta", "one and the same"][n % 3];
            Ok(Completion::new(reply(words, 0.5 + (n % 5) as f64 / 10.0)).with_tokens(n as u64, 1))
        });
        let mut report = run(&driver(agent, &store), &graph, Options::default()).await;
        report.duration_ms = None;
        let bytes = (serde_json::to_string(&report).unwrap(), json(&store));
        match &seen {
            Some(first) => assert_eq!(&bytes, first),
            None => seen = Some(bytes),
        }
    }
}

/// D10: another writer commits a newer fact while the agents think.
#[tokio::test]
async fn d10_a_newer_fact_is_not_overwritten() {
    let graph = ring(3);
    let store = Arc::new(store_of(&graph));
    let (other, interfered) = (Arc::clone(&store), AtomicUsize::new(0));
    let agent = agent_fn(move |prompt: Prompt| {
        if interfered.fetch_add(1, Ordering::SeqCst) == 0 {
            other.put_node(Node::new("n01", "v2 of n01", NOW)).unwrap();
        }
        let version = if prompt.user.contains("v2 of n01") {
            "new"
        } else {
            "old"
        };
        Ok(Completion::new(reply(
            &format!("Concluded from the {version} text of it all."),
            0.9,
        )))
    });
    let untouched = store.node("n00").unwrap();
    let report = run(
        &driver(agent, &store),
        &graph,
        Options {
            agreement_threshold: 0.0,
            ..Options::default()
        },
    )
    .await;
    let region = &report.regions[0];
    assert_eq!(
        (region.status, region.refreshes),
        (RegionStatus::Converged, 1)
    );
    // It deliberated again on v2: every prompt of the second try that sees n01 sees v2.
    let second: Vec<_> = report
        .passes
        .iter()
        .filter(|p| p.id.starts_with("scc-0/v2/"))
        .collect();
    assert!(
        second
            .iter()
            .all(|p| !p.prompt.user.contains("content of n01"))
    );
    let written = store
        .node(region.node_id.as_ref().unwrap())
        .unwrap()
        .unwrap();
    assert!(!written.content.is_empty());
    assert_eq!(store.node("n01").unwrap().unwrap().content, "v2 of n01");
    assert_eq!(
        store.node("n00").unwrap(),
        untouched,
        "untouched nodes are not rewritten"
    );
}

#[tokio::test]
async fn d10_a_conflict_that_does_not_end_shows_both_versions() {
    let graph = ring(3);
    let store = Arc::new(store_of(&graph));
    let (other, count) = (Arc::clone(&store), AtomicUsize::new(0));
    let agent = agent_fn(move |_| {
        let n = count.fetch_add(1, Ordering::SeqCst);
        other
            .put_node(Node::new("n01", format!("version {n}"), NOW))
            .unwrap();
        sure()
    });
    let report = run(
        &driver(agent, &store),
        &graph,
        Options {
            max_refreshes: 1,
            ..Options::default()
        },
    )
    .await;
    let region = &report.regions[0];
    assert_eq!(region.status, RegionStatus::Failed);
    let error = region.error.as_ref().unwrap();
    assert!(
        error.contains("revision")
            && error.contains("it said \"version 1\" and says \"version 3\""),
        "{error}"
    );
    assert_eq!(report.response().status, "error");
    assert_eq!(stored(&store).nodes.len(), 3);
}

/// The relation that was cut is gone when the conclusion comes to be written.
#[tokio::test]
async fn d10_a_loop_that_is_no_more_is_not_concluded_about() {
    let graph = ring(3);
    let store = Arc::new(store_of(&graph));
    let other = Arc::clone(&store);
    let agent = agent_fn(move |_| {
        let gone = Write::RemoveEdge {
            id: "n02->n00#causal".into(),
        };
        other.apply(&Batch::new().write(gone)).unwrap();
        sure()
    });
    let report = run(&driver(agent, &store), &graph, Options::default()).await;
    let region = &report.regions[0];
    assert_eq!(region.status, RegionStatus::Failed);
    let error = region.error.as_ref().unwrap();
    assert!(
        error.contains("no longer one strongly connected component"),
        "{error}"
    );
    assert_eq!(stored(&store).nodes.len(), 3);
}

/// A run that was stepped by hand, stored and read back goes on in a driver.
#[tokio::test]
async fn a_stored_run_goes_on_in_a_driver() {
    let graph = ring(3);
    let store = Arc::new(store_of(&graph));
    let mut half = common::begin(&graph, Options::default());
    let deliberator::Step::Ask(requests) = half.next() else {
        panic!("no passes")
    };
    common::answer(&mut half, &requests[0], sure());
    let json = serde_json::to_string(&half).unwrap();
    let read: deliberator::Deliberation = serde_json::from_str(&json).unwrap();
    assert_eq!(read, half);
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&calls);
    let agent = agent_fn(move |_| {
        counted.fetch_add(1, Ordering::SeqCst);
        sure()
    });
    let report = driver(agent, &store).resume(read).await.unwrap();
    assert!(report.converged);
    assert_eq!((calls.load(Ordering::SeqCst), report.calls), (1, 2));
}

/// A store that fails at each step of the write in turn leaves the graph byte-identical.
#[tokio::test]
async fn a_store_that_fails_at_any_step_leaves_the_graph_byte_identical() {
    let graph = ring(3);
    let mut steps = 0;
    loop {
        let store = Arc::new(store_of(&graph));
        let before = json(&store);
        store.fail_next_apply_at(steps);
        let report = run(
            &driver(agent_fn(|_| sure()), &store),
            &graph,
            Options::default(),
        )
        .await;
        if store.is_fault_armed() {
            assert!(report.converged);
            break;
        }
        assert_eq!(report.regions[0].status, RegionStatus::Failed);
        assert!(
            report.regions[0]
                .error
                .as_ref()
                .unwrap()
                .contains("could not be written")
        );
        assert_eq!(json(&store), before, "after a failure at step {steps}");
        steps += 1;
    }
    assert_eq!(steps, 2 + 1 + 3, "preconditions, a node, three edges");
}

/// The future dropped after each number of polls: the graph is as it was or as it shall be.
#[test]
fn a_future_dropped_at_any_poll_writes_all_or_nothing() {
    let graph = ring(3);
    let (mut before, mut after) = (0, 0);
    for polls in 0..400 {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .unwrap();
        let store = Arc::new(store_of(&graph));
        let untouched = json(&store);
        let agent = async_agent_fn(|_: Prompt| async {
            tokio::task::yield_now().await;
            tokio::task::yield_now().await;
            sure()
        });
        let driver = driver(agent, &store);
        let topology = graph.topology().unwrap();
        let ended = runtime.block_on(async {
            let mut future =
                Box::pin(driver.deliberate(&topology, "What follows?", Options::default()));
            for _ in 0..polls {
                if futures::future::poll_immediate(future.as_mut())
                    .await
                    .is_some()
                {
                    return true;
                }
                tokio::task::yield_now().await;
                std::thread::sleep(Duration::from_micros(300));
            }
            false
        });
        // A write that was handed over ends on its own.
        runtime.shutdown_timeout(Duration::from_secs(5));
        let left = json(&store);
        if left == untouched {
            before += 1;
            assert!(!ended);
        } else {
            after += 1;
            let whole = stored(&store);
            assert_eq!((whole.nodes.len(), whole.edges.len()), (4, 6));
        }
        if ended {
            break;
        }
    }
    assert!(before > 3, "{before} dropped before the write");
    assert!(after >= 1, "{after} dropped after it");
}

/// Deliberations of overlapping regions run one after the other, others side by side.
#[tokio::test]
async fn overlapping_deliberations_take_turns() {
    let graph = ring(3);
    let store = Arc::new(store_of(&graph));
    let locks = Arc::new(RegionLocks::new());
    let gate = Arc::new(Notify::new());
    let started = Arc::new(AtomicUsize::new(0));
    let (gate2, started2) = (Arc::clone(&gate), Arc::clone(&started));
    let agent = async_agent_fn(move |_: Prompt| {
        let (gate, started) = (Arc::clone(&gate2), Arc::clone(&started2));
        async move {
            if started.fetch_add(1, Ordering::SeqCst) == 0 {
                gate.notified().await;
            }
            sure()
        }
    });
    let driver = driver(agent, &store).with_locks(Arc::clone(&locks));
    let (topology, one, two) = (graph.topology().unwrap(), driver.clone(), driver.clone());
    let other_topology = topology.clone();
    let first = tokio::spawn(async move {
        one.deliberate(&topology, "What follows?", Options::default())
            .await
    });
    while started.load(Ordering::SeqCst) == 0 {
        tokio::task::yield_now().await;
    }
    let second = tokio::spawn(async move {
        two.deliberate(&other_topology, "What follows?", Options::default())
            .await
    });
    // A region that shares no node does not wait.
    let _free = locks.lock(["elsewhere".to_owned()]).await;
    tokio::time::sleep(Duration::from_millis(20)).await;
    assert_eq!(started.load(Ordering::SeqCst), 1, "the second waits");
    gate.notify_one();
    assert!(first.await.unwrap().unwrap().converged);
    let second = second.await.unwrap().unwrap();
    assert_eq!(
        second.regions[0].status,
        RegionStatus::Reused,
        "it finds what the first wrote"
    );
    assert_eq!(second.calls, 0);
}

/// Waiting for a lock is part of the run and ends with it.
#[tokio::test(start_paused = true)]
async fn a_lock_that_is_never_given_back_does_not_hang_the_run() {
    let graph = ring(3);
    let store = Arc::new(store_of(&graph));
    let locks = Arc::new(RegionLocks::new());
    let _held = locks.lock(["n01".to_owned()]).await;
    let driver = driver(agent_fn(|_| sure()), &store)
        .with_locks(Arc::clone(&locks))
        .with_run_limit(Some(Duration::from_millis(200)));
    let topology = graph.topology().unwrap();
    let refused = driver.deliberate(&topology, "q", Options::default()).await;
    assert_eq!(
        refused,
        Err(deliberator::DeliberationError::Locked { after_ms: 200 })
    );
}

struct Alike(f64);

impl Similarity for Alike {
    fn compare<'a>(&'a self, pairs: &'a [(String, String)]) -> BoxFuture<'a, Option<Vec<f64>>> {
        Box::pin(async move { Some(vec![self.0; pairs.len()]) })
    }
}

#[tokio::test]
async fn similarity_may_come_from_elsewhere() {
    let graph = ring(3);
    for (alike, calls) in [(0.85, 2), (0.849, 3)] {
        let store = Arc::new(store_of(&graph));
        let agent =
            agent_fn(|p: Prompt| Ok(Completion::new(reply(&format!("w{}", p.user.len()), 0.9))));
        let driver = driver(agent, &store).with_similarity(Alike(alike));
        let options = Options {
            agreement: Agreement::External,
            ..Options::default()
        };
        assert_eq!(run(&driver, &graph, options).await.calls, calls);
    }
    // Nobody to ask: nothing agrees.
    let store = Arc::new(store_of(&graph));
    let options = Options {
        agreement: Agreement::External,
        ..Options::default()
    };
    assert_eq!(
        run(&driver(agent_fn(|_| sure()), &store), &graph, options)
            .await
            .calls,
        3
    );
}

#[tokio::test]
async fn escalation_reaches_its_receiver_and_its_error_is_reported() {
    let graph = ring(3);
    let store = Arc::new(store_of(&graph));
    let seen = Arc::new(Mutex::new(Vec::new()));
    let receiver = Arc::clone(&seen);
    let weak = agent_fn(|_| Ok(Completion::new(reply("Perhaps.", 0.2))));
    let driver = driver(weak, &store).on_escalation(move |request| {
        receiver.lock().unwrap().push(request.clone());
        Err("nobody is there".to_owned())
    });
    let report = run(&driver, &graph, Options::default()).await;
    let seen = seen.lock().unwrap();
    assert_eq!(seen.len(), 1);
    assert_eq!(seen[0].best.as_ref().unwrap().content, "Perhaps.");
    assert_eq!(seen[0].tried.len(), report.passes.len());
    assert_eq!(report.regions[0].error.as_deref(), Some("nobody is there"));
}

#[tokio::test]
async fn auto_deliberation_is_off_until_turned_on() {
    let graph = ring(3);
    let store = Arc::new(store_of(&graph));
    let driver = driver(agent_fn(|_| sure()), &store);
    let topology = graph.topology().unwrap();
    let off = driver
        .after_retrieval(&topology, "q", Options::default())
        .await
        .unwrap();
    assert!(off.is_none());
    let on = Options {
        auto_deliberate: true,
        ..Options::default()
    };
    let done = driver
        .after_retrieval(&topology, "q", on.clone())
        .await
        .unwrap();
    assert!(done.unwrap().converged);
    let line = common::graph(2, &[(0, 1)]).topology().unwrap();
    assert!(
        driver
            .after_retrieval(&line, "q", on)
            .await
            .unwrap()
            .is_none()
    );
}

/// The seed's telemetry: every event with its fields, typed and as `tracing` events.
#[tokio::test]
async fn telemetry_has_the_seeds_events() {
    let graph = ring(3);
    let store = Arc::new(store_of(&graph));
    let events = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&events);
    let driver = driver(agent_fn(|_| sure()), &store)
        .on_event(move |event| sink.lock().unwrap().push(event.clone()));
    let names = Arc::new(Mutex::new(Vec::new()));
    let subscriber = Names(Arc::clone(&names));
    let guard = tracing::subscriber::set_default(subscriber);
    run(&driver, &graph, Options::default()).await;
    drop(guard);
    let kinds: Vec<String> = events
        .lock()
        .unwrap()
        .iter()
        .map(|e| {
            serde_json::to_value(e).unwrap()["event"]
                .as_str()
                .unwrap()
                .to_owned()
        })
        .collect();
    assert_eq!(
        kinds,
        ["start", "focus", "focus", "reconcile", "crystallize"]
    );
    let expected = kinds
        .iter()
        .map(|k| format!("deliberator.{k}"))
        .collect::<Vec<_>>();
    let heard: Vec<String> = names
        .lock()
        .unwrap()
        .iter()
        .filter(|n| n.starts_with("deliberator"))
        .cloned()
        .collect();
    assert_eq!(heard, expected);
    let events = events.lock().unwrap();
    assert!(matches!(
        &events[0],
        Event::Start {
            scc_count: 1,
            max_kappa: 1,
            ..
        }
    ));
    assert!(matches!(
        &events[1],
        Event::Focus {
            kappa: 1,
            partition_count: 2,
            tokens_in: 3,
            tokens_out: 2,
            duration_ms: Some(_),
            ..
        }
    ));
    assert!(matches!(
        &events[3],
        Event::Reconcile {
            converged: true,
            fast_path: true,
            ..
        }
    ));
}

/// Notes the names of events.
struct Names(Arc<Mutex<Vec<String>>>);

impl tracing::Subscriber for Names {
    fn enabled(&self, _: &tracing::Metadata<'_>) -> bool {
        true
    }
    fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        tracing::span::Id::from_u64(1)
    }
    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}
    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}
    fn event(&self, event: &tracing::Event<'_>) {
        self.0
            .lock()
            .unwrap()
            .push(event.metadata().name().to_owned());
    }
    fn enter(&self, _: &tracing::span::Id) {}
    fn exit(&self, _: &tracing::span::Id) {}
}
