//! The asynchronous driver: it owns the agent, the concurrency, the time limits, the locks and
//! the store; the [`Deliberation`] owns the thinking.
//!
//! Dropping the future of a run stops all its passes. A write has then either been handed to
//! the store, and is applied all or nothing on a blocking thread, or never happens.

mod locks;
mod passes;
mod tell;

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use kappa_topology::{Routing, Topology};
use knowledge_graph::{Clock, Direction, EdgeType, GraphError, GraphStore, Snapshot, SystemClock};
use language_agents::{Agent, BoxFuture};
use tokio::time::Instant;

pub use locks::{RegionGuard, RegionLocks};

use crate::error::DeliberationError;
use crate::escalation::EscalationRequest;
use crate::events::Event;
use crate::machine::Deliberation;
use crate::options::Options;
use crate::report::Report;
use crate::step::{Answer, Step, Written};

/// How alike two texts are, from −1 to 1: for embeddings, through the retriever, say.
pub trait Similarity: Send + Sync {
    /// The similarity of each pair, in order; on failure none, and then nothing agrees.
    fn compare<'a>(&'a self, pairs: &'a [(String, String)]) -> BoxFuture<'a, Option<Vec<f64>>>;
}

/// Receives escalations. Its error is reported, not swallowed.
pub type OnEscalation = dyn Fn(&EscalationRequest) -> Result<(), String> + Send + Sync;
/// Receives events as they happen.
pub type OnEvent = dyn Fn(&Event) + Send + Sync;

/// Runs deliberations; cheap to clone.
#[derive(Clone)]
pub struct Driver {
    agent: Arc<dyn Agent>,
    store: Arc<dyn GraphStore>,
    similarity: Option<Arc<dyn Similarity>>,
    locks: Arc<RegionLocks>,
    clock: Arc<dyn Clock>,
    on_escalation: Option<Arc<OnEscalation>>,
    on_event: Option<Arc<OnEvent>>,
    run_limit: Option<Duration>,
    at_once: usize,
}

impl fmt::Debug for Driver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Driver")
            .field("run_limit", &self.run_limit)
            .field("at_once", &self.at_once)
            .finish_non_exhaustive()
    }
}

impl Driver {
    /// The time that a run may take unless another is set: 10 minutes.
    pub const DEFAULT_RUN_LIMIT: Duration = Duration::from_secs(600);
    /// The passes that run at once over all components unless another number is set.
    pub const DEFAULT_AT_ONCE: usize = 16;

    /// A driver with the machine's clock, locks of its own, a run limit of 10 minutes and at
    /// most 16 passes at once.
    pub fn new(agent: impl Agent + 'static, store: impl GraphStore + 'static) -> Self {
        Self {
            agent: Arc::new(agent),
            store: Arc::new(store),
            similarity: None,
            locks: Arc::new(RegionLocks::new()),
            clock: Arc::new(SystemClock),
            on_escalation: None,
            on_event: None,
            run_limit: Some(Self::DEFAULT_RUN_LIMIT),
            at_once: Self::DEFAULT_AT_ONCE,
        }
    }

    /// Sets who compares texts for [`Agreement::External`](crate::Agreement::External).
    #[must_use]
    pub fn with_similarity(mut self, similarity: impl Similarity + 'static) -> Self {
        self.similarity = Some(Arc::new(similarity));
        self
    }

    /// Shares locks with other drivers over the same graph.
    #[must_use]
    pub fn with_locks(mut self, locks: Arc<RegionLocks>) -> Self {
        self.locks = locks;
        self
    }

    /// Sets the clock whose time is written into conclusions.
    #[must_use]
    pub fn with_clock(mut self, clock: impl Clock + 'static) -> Self {
        self.clock = Arc::new(clock);
        self
    }

    /// Sets who receives escalations. It is called on the task of the run.
    #[must_use]
    pub fn on_escalation(
        mut self,
        receive: impl Fn(&EscalationRequest) -> Result<(), String> + Send + Sync + 'static,
    ) -> Self {
        self.on_escalation = Some(Arc::new(receive));
        self
    }

    /// Sets who receives events. It is called on the task of the run.
    #[must_use]
    pub fn on_event(mut self, receive: impl Fn(&Event) + Send + Sync + 'static) -> Self {
        self.on_event = Some(Arc::new(receive));
        self
    }

    /// Sets how long a run may take, all its passes and retries together. When it is up, what is
    /// open fails with a timeout and the report is made of the rest. `None` is no limit.
    #[must_use]
    pub fn with_run_limit(mut self, limit: Option<Duration>) -> Self {
        self.run_limit = limit;
        self
    }

    /// Sets how many passes run at once over all components (at least 1).
    #[must_use]
    pub fn with_at_once(mut self, at_once: usize) -> Self {
        self.at_once = at_once.max(1);
        self
    }

    /// Deliberates every component of `topology` with κ > 0: waits for the lock on their nodes,
    /// reads them and what is known about them, and runs.
    ///
    /// # Errors
    /// [`DeliberationError`] when the graph can't be read or is not that of the topology, or when
    /// the lock is not to be had within the run limit. What goes wrong later is in the report.
    pub async fn deliberate(
        &self,
        topology: &Topology<String>,
        question: &str,
        options: Options,
    ) -> Result<Report, DeliberationError> {
        let start = Instant::now();
        let nodes: Vec<String> = looped(topology).cloned().collect();
        let _guard = self.lock(nodes.clone(), start).await?;
        let store = Arc::clone(&self.store);
        let graph = blocking(move || gather(store.as_ref(), &nodes)).await??;
        let now = self.clock.now();
        let run = Deliberation::new(topology.clone(), graph, question, options, now)?;
        self.finish(run, start).await
    }

    /// Deliberates after a retrieval, if that is turned on
    /// ([`Options::auto_deliberate`], off by default) and the topology asks for it.
    ///
    /// # Errors
    /// As [`deliberate`](Self::deliberate).
    pub async fn after_retrieval(
        &self,
        topology: &Topology<String>,
        question: &str,
        options: Options,
    ) -> Result<Option<Report>, DeliberationError> {
        if !options.auto_deliberate || topology.routing != Routing::Deliberate {
            return Ok(None);
        }
        self.deliberate(topology, question, options).await.map(Some)
    }

    /// Runs a deliberation from wherever it stands, one that was stored half-way, say. Takes the
    /// lock on its nodes.
    ///
    /// # Errors
    /// [`DeliberationError::Locked`] when the lock is not to be had within the run limit,
    /// [`DeliberationError::Runtime`] when the runtime is shut down meanwhile.
    pub async fn resume(&self, run: Deliberation) -> Result<Report, DeliberationError> {
        let start = Instant::now();
        let _guard = self.lock(run.nodes(), start).await?;
        self.finish(run, start).await
    }

    /// When the run must end, and its limit in milliseconds.
    fn deadline(&self, start: Instant) -> Option<(Instant, u64)> {
        let limit = self.run_limit?;
        let ms = u64::try_from(limit.as_millis()).unwrap_or(u64::MAX);
        Some((start.checked_add(limit)?, ms))
    }

    /// Waits for the lock, at most as long as the run may take.
    async fn lock(
        &self,
        nodes: Vec<String>,
        start: Instant,
    ) -> Result<RegionGuard, DeliberationError> {
        let lock = self.locks.lock(nodes);
        match self.deadline(start) {
            None => Ok(lock.await),
            Some((at, after_ms)) => tokio::time::timeout_at(at, lock)
                .await
                .map_err(|_| DeliberationError::Locked { after_ms }),
        }
    }

    /// The similarities, where somebody gives them in time.
    async fn compare(
        &self,
        pairs: &[(String, String)],
        deadline: Option<(Instant, u64)>,
    ) -> Option<Vec<f64>> {
        let compared = self.similarity.as_ref()?.compare(pairs);
        let values = match deadline {
            None => compared.await,
            Some((at, _)) => tokio::time::timeout_at(at, compared).await.ok().flatten(),
        };
        values.filter(|v| v.len() == pairs.len())
    }

    async fn finish(
        &self,
        mut run: Deliberation,
        start: Instant,
    ) -> Result<Report, DeliberationError> {
        let deadline = self.deadline(start);
        loop {
            self.tell(&mut run);
            if run.is_done() {
                let mut report = run.into_report();
                report.duration_ms = Some(start.elapsed().as_secs_f64() * 1e3);
                return Ok(report);
            }
            match run.next() {
                Step::Ask(requests) => {
                    let agent = self.agent.as_ref();
                    let tell = |run: &mut Deliberation| self.tell(run);
                    passes::run_wave(agent, requests, self.at_once, deadline, &mut run, tell)
                        .await?;
                }
                Step::Compare(request) => {
                    let values = self.compare(&request.pairs, deadline).await;
                    run.answer(Answer::Similarities {
                        scc_id: request.scc_id,
                        // What nobody compared does not agree.
                        values: values.unwrap_or_else(|| vec![f64::NAN; request.pairs.len()]),
                    })?;
                }
                Step::Refresh(request) => {
                    let store = Arc::clone(&self.store);
                    let graph =
                        blocking(move || Snapshot::around(store.as_ref(), &request.nodes)).await?;
                    run.answer(Answer::Refreshed {
                        scc_id: request.scc_id,
                        graph: graph.map_err(|e| e.to_string()),
                    })?;
                }
                Step::Write(request) => {
                    let store = Arc::clone(&self.store);
                    let outcome = blocking(move || store.apply(&request.batch)).await?;
                    run.answer(Answer::Written {
                        scc_id: request.scc_id,
                        outcome: match outcome {
                            Ok(receipt) => Written::Applied {
                                before: receipt.already_applied,
                            },
                            Err(GraphError::Conflict(conflict)) => Written::Conflict(conflict),
                            Err(error) => Written::Failed(error.to_string()),
                        },
                    })?;
                }
                Step::Escalate(request) => {
                    let result = match &self.on_escalation {
                        Some(receive) => receive(&request),
                        None => Ok(()),
                    };
                    run.answer(Answer::Escalated {
                        scc_id: request.scc_id,
                        result,
                    })?;
                }
                Step::Done(report) => return Ok(*report),
            }
        }
    }

    fn tell(&self, run: &mut Deliberation) {
        for event in run.take_events() {
            tell::trace(&event);
            if let Some(receive) = &self.on_event {
                receive(&event);
            }
        }
    }
}

fn looped(topology: &Topology<String>) -> impl Iterator<Item = &String> {
    let sccs = topology.sccs.iter().filter(|scc| scc.kappa > 0);
    sccs.flat_map(|scc| &scc.nodes)
}

/// Runs a store's work on a blocking thread.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, DeliberationError> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|error| DeliberationError::Runtime {
            reason: error.to_string(),
        })
}

/// The nodes, the conclusions that were derived from any of them with all their sources, the
/// nodes that speak against those conclusions, and the edges between all of these.
///
/// # Errors
/// [`GraphError`] when the store fails.
pub fn gather(store: &dyn GraphStore, nodes: &[String]) -> Result<Snapshot, GraphError> {
    let mut ids: BTreeSet<String> = nodes.iter().cloned().collect();
    let mut conclusions = BTreeSet::new();
    for id in nodes {
        for edge in store.neighbours(id, Direction::Incoming)? {
            if edge.edge_type == EdgeType::DerivedFrom {
                conclusions.insert(edge.source);
            }
        }
    }
    for id in &conclusions {
        for edge in store.neighbours(id, Direction::Both)? {
            match edge.edge_type {
                EdgeType::DerivedFrom if edge.source == *id => ids.insert(edge.target),
                EdgeType::Contradicts if edge.target == *id => ids.insert(edge.source),
                _ => false,
            };
        }
    }
    ids.extend(conclusions);
    let ids: Vec<String> = ids.into_iter().collect();
    Snapshot::around(store, &ids)
}
