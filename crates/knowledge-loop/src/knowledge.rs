//! The loop itself.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use deliberator::Report;
use deliberator::driver::Driver;
use kappa_topology::{Routing, Topology};
use knowledge_graph::{Clock, GraphStore, SystemClock, Timestamp};
use language_agents::Agent;
use serde::{Deserialize, Serialize};

use crate::recall::{Recall, recall};
use crate::{Error, LoopConfig, RouteRule};

/// Which way a question went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Route {
    /// Nothing circular stands in the way: one retrieval pass is enough.
    Fast,
    /// Circular and deliberated.
    Deliberated,
    /// Circular, and neither asked nor configured to be deliberated.
    NotAsked,
    /// Circular, and deliberated as often as the policy allows already.
    Capped,
}

/// What the loop gives back.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LoopAnswer {
    /// The question.
    pub question: String,
    /// Which way it went.
    pub route: Route,
    /// What it recalled; after a deliberation, what it recalls now.
    pub recall: Recall,
    /// Effective κ before.
    pub effective_kappa_before: u64,
    /// Effective κ after.
    pub effective_kappa_after: u64,
    /// The deliberation, where there was one.
    pub deliberation: Option<Report>,
}

/// Effective κ of what a question recalled, at a time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KappaReading {
    /// When.
    pub at: Timestamp,
    /// For which question.
    pub question: String,
    /// Effective κ.
    pub effective_kappa: u64,
}

/// Retrieval and deliberation over one graph.
pub struct KnowledgeLoop {
    store: Arc<dyn GraphStore>,
    driver: Driver,
    clock: Arc<dyn Clock>,
    config: LoopConfig,
    history: Mutex<History>,
}

/// The most readings of effective κ that are kept; older ones go first.
const READINGS: usize = 10_000;

#[derive(Default)]
struct History {
    /// When each region, by its sorted nodes, was deliberated within the window.
    regions: BTreeMap<Vec<String>, Vec<Timestamp>>,
    readings: Vec<KappaReading>,
}

impl std::fmt::Debug for KnowledgeLoop {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("KnowledgeLoop")
            .field("config", &self.config)
            .finish_non_exhaustive()
    }
}

impl KnowledgeLoop {
    /// A loop over a store, with an agent to deliberate, by the machine's clock.
    #[must_use]
    pub fn new(store: Arc<dyn GraphStore>, agent: Arc<dyn Agent>, config: LoopConfig) -> Self {
        Self::with_clock(store, agent, config, Arc::new(SystemClock))
    }

    /// The same by an injected clock.
    #[must_use]
    pub fn with_clock(
        store: Arc<dyn GraphStore>,
        agent: Arc<dyn Agent>,
        config: LoopConfig,
        clock: Arc<dyn Clock>,
    ) -> Self {
        let driver = Driver::new(agent, Arc::clone(&store)).with_clock(Arc::clone(&clock));
        Self {
            store,
            driver,
            clock,
            config,
            history: Mutex::default(),
        }
    }

    /// The store.
    #[must_use]
    pub fn store(&self) -> &Arc<dyn GraphStore> {
        &self.store
    }

    /// Recalls nodes for a question and analyses their topology. Reads, never writes.
    ///
    /// # Errors
    /// [`Error::EmptyQuestion`], or a failure of the store.
    pub fn recall(&self, question: &str) -> Result<Recall, Error> {
        let recalled = recall(self.store.as_ref(), question, &self.config.recall)?;
        let at = self.clock.now();
        let mut history = self.history.lock().unwrap_or_else(PoisonError::into_inner);
        if history.readings.len() >= READINGS {
            history.readings.remove(0);
        }
        history.readings.push(KappaReading {
            at,
            question: question.to_owned(),
            effective_kappa: recalled.effective_kappa,
        });
        Ok(recalled)
    }

    /// Effective κ of the questions so far, oldest first.
    #[must_use]
    pub fn readings(&self) -> Vec<KappaReading> {
        self.history
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .readings
            .clone()
    }

    /// Recall, route, and where that is configured, deliberate and recall again.
    ///
    /// # Errors
    /// As [`ask_to`](Self::ask_to).
    pub async fn ask(&self, question: &str) -> Result<LoopAnswer, Error> {
        self.ask_to(question, self.config.route == RouteRule::Always)
            .await
    }

    /// The same, the caller saying whether a circular region is deliberated now.
    ///
    /// # Errors
    /// [`Error::EmptyQuestion`], or a failure of the store or of the deliberation as a whole; an
    /// agent that fails or does not converge is part of the report.
    pub async fn ask_to(&self, question: &str, deliberate: bool) -> Result<LoopAnswer, Error> {
        let recalled = self.recall(question)?;
        let before = recalled.effective_kappa;
        let circular = recalled.effective_topology.routing == Routing::Deliberate;
        let allowed = deliberate && self.config.route != RouteRule::Never;
        let route = match (circular, allowed) {
            (false, _) => Route::Fast,
            (true, false) => Route::NotAsked,
            (true, true) if !self.admit(&recalled.topology) => Route::Capped,
            (true, true) => Route::Deliberated,
        };
        let mut answer = LoopAnswer {
            question: question.to_owned(),
            route,
            recall: recalled,
            effective_kappa_before: before,
            effective_kappa_after: before,
            deliberation: None,
        };
        if route == Route::Deliberated {
            let options = self.config.deliberate.clone();
            answer.deliberation = Some(
                self.driver
                    .deliberate(&answer.recall.topology, question, options)
                    .await?,
            );
            answer.recall = self.recall(question)?;
            answer.effective_kappa_after = answer.recall.effective_kappa;
        }
        Ok(answer)
    }

    /// [`ask_to`](Self::ask_to) on a runtime of its own.
    ///
    /// # Errors
    /// As [`ask_to`](Self::ask_to).
    pub fn ask_blocking(&self, question: &str, deliberate: bool) -> Result<LoopAnswer, Error> {
        runtime()?.block_on(self.ask_to(question, deliberate))
    }

    /// Deliberates a topology whatever the routing, within the policy.
    pub(crate) async fn deliberate(
        &self,
        topology: &Topology<String>,
        question: &str,
        write_back: bool,
    ) -> Result<Option<Report>, Error> {
        if !self.admit(topology) {
            return Ok(None);
        }
        let mut options = self.config.deliberate.clone();
        options.write_back &= write_back;
        Ok(Some(
            self.driver.deliberate(topology, question, options).await?,
        ))
    }

    /// Whether the policy lets these regions be deliberated now; counts them if it does.
    fn admit(&self, topology: &Topology<String>) -> bool {
        let policy = self.config.policy;
        let now = self.clock.now();
        let mut history = self.history.lock().unwrap_or_else(PoisonError::into_inner);
        history.regions.retain(|_, times| {
            times.retain(|at| now.since(*at) < policy.window_ms);
            !times.is_empty()
        });
        let so_far: usize = history.regions.values().map(Vec::len).sum();
        let regions: Vec<Vec<String>> = topology.sccs.iter().map(|s| s.nodes.clone()).collect();
        let spent = |nodes: &Vec<String>| history.regions.get(nodes).map_or(0, Vec::len);
        let per_region = usize::try_from(policy.per_region).unwrap_or(usize::MAX);
        let in_total = usize::try_from(policy.in_total).unwrap_or(usize::MAX);
        if so_far + regions.len() > in_total || regions.iter().any(|r| spent(r) >= per_region) {
            return false;
        }
        for region in regions {
            history.regions.entry(region).or_default().push(now);
        }
        true
    }
}

/// A runtime for callers that have none.
pub(crate) fn runtime() -> Result<tokio::runtime::Runtime, Error> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build();
    runtime.map_err(|e| {
        Error::Deliberation(deliberator::DeliberationError::Runtime {
            reason: e.to_string(),
        })
    })
}
