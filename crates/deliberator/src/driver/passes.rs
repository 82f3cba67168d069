//! A wave of passes: concurrency, time limits, failures.

use std::collections::{BTreeMap, VecDeque};
use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures::future::FutureExt;
use futures::stream::{FuturesUnordered, StreamExt};
use language_agents::{Agent, AgentError, Completion};
use tokio::time::Instant;

use crate::machine::Deliberation;
use crate::step::{Answer, PassRequest};

/// A pass that has ended.
struct Ended {
    id: String,
    scc_id: String,
    result: Result<Completion, AgentError>,
    duration_ms: f64,
}

/// One pass: never longer than its time, never a panic.
async fn make(agent: &dyn Agent, request: PassRequest) -> Ended {
    let start = Instant::now();
    let timeout = Duration::from_millis(request.timeout_ms);
    // The call is made inside, so that a panic before the first poll is caught too.
    let call = AssertUnwindSafe(async { agent.complete(request.prompt).await }).catch_unwind();
    let result = match tokio::time::timeout(timeout, call).await {
        Ok(Ok(result)) => result,
        Ok(Err(panic)) => Err(AgentError::Failed {
            reason: format!("it panicked: {}", panic_text(panic.as_ref())),
        }),
        Err(_) => Err(AgentError::Timeout {
            after_ms: request.timeout_ms,
        }),
    };
    Ended {
        id: request.id,
        scc_id: request.scc_id,
        result,
        duration_ms: start.elapsed().as_secs_f64() * 1e3,
    }
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(ToString::to_string);
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no message".to_owned())
}

/// The passes that wait, by component, and how many of each run.
struct Queue {
    waiting: BTreeMap<String, VecDeque<PassRequest>>,
    running: BTreeMap<String, u32>,
    /// Components in the order in which they may start their next pass.
    order: VecDeque<String>,
}

impl Queue {
    fn new(requests: Vec<PassRequest>) -> Self {
        let mut queue = Self {
            waiting: BTreeMap::new(),
            running: BTreeMap::new(),
            order: VecDeque::new(),
        };
        for request in requests {
            let list = queue.waiting.entry(request.scc_id.clone()).or_default();
            if list.len() < request.at_once as usize {
                queue.order.push_back(request.scc_id.clone());
            }
            list.push_back(request);
        }
        queue
    }

    /// The next pass that may start.
    fn start(&mut self) -> Option<PassRequest> {
        while let Some(scc_id) = self.order.pop_front() {
            let running = self.running.entry(scc_id.clone()).or_default();
            if let Some(list) = self.waiting.get_mut(&scc_id)
                && list.front().is_some_and(|r| *running < r.at_once)
                && let Some(request) = list.pop_front()
            {
                *running += 1;
                return Some(request);
            }
        }
        None
    }

    /// A pass has ended, however it did: its place is free.
    fn end(&mut self, scc_id: &str) {
        if let Some(running) = self.running.get_mut(scc_id) {
            *running = running.saturating_sub(1);
        }
        self.order.push_back(scc_id.to_owned());
    }
}

/// Makes a wave of passes and answers each as it ends; at `deadline` whatever is open fails and
/// nothing more is asked. Dropping the future drops every running pass.
pub(super) async fn run_wave(
    agent: &dyn Agent,
    requests: Vec<PassRequest>,
    at_once: usize,
    deadline: Option<(Instant, u64)>,
    run: &mut Deliberation,
    mut after_each: impl FnMut(&mut Deliberation),
) -> Result<(), crate::DeliberationError> {
    let mut queue = Queue::new(requests);
    let mut running = FuturesUnordered::new();
    loop {
        while running.len() < at_once {
            match queue.start() {
                Some(request) => running.push(make(agent, request)),
                None => break,
            }
        }
        let ended = match deadline {
            Some((at, limit_ms)) => match tokio::time::timeout_at(at, running.next()).await {
                Ok(ended) => ended,
                Err(_) => {
                    drop(running);
                    run.stop();
                    run.fail_open(&AgentError::Timeout { after_ms: limit_ms });
                    after_each(run);
                    return Ok(());
                }
            },
            None => running.next().await,
        };
        let Some(ended) = ended else {
            return Ok(());
        };
        queue.end(&ended.scc_id);
        run.answer(Answer::Pass {
            id: ended.id,
            result: ended.result,
            duration_ms: Some(ended.duration_ms),
        })?;
        after_each(run);
    }
}
