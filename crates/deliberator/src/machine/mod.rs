//! The state machine: no clock, no I/O, no runtime.

mod begin;
mod caps;
mod region;
mod replies;
mod rounds;
mod summary;

use std::collections::BTreeMap;

use kappa_topology::Topology;
use knowledge_graph::{Snapshot, Timestamp};
use language_agents::AgentError;
use serde::{Deserialize, Serialize};

use crate::error::DeliberationError;
use crate::escalation::EscalationRequest;
use crate::events::Event;
use crate::options::Options;
use crate::report::{PassRecord, RegionStatus};
use crate::step::{
    Answer, CompareRequest, PassRequest, RefreshRequest, Step, WriteRequest, Written,
};
use caps::Account;
use region::{Region, Stage};

/// A deliberation, step by step.
///
/// [`next`](Self::next) says what is wanted, [`answer`](Self::answer) tells how it went, until
/// the step is [`Step::Done`]. Everything is in the value: it serializes, so that it can be
/// stored half-way and resumed elsewhere.
///
/// Rounds of different components move together: a wave of passes is asked at once, and nothing
/// moves on before all of it is answered. What is asked, concluded and paid for therefore does
/// not depend on who finishes first.
///
/// ```
/// use deliberator::{Answer, Deliberation, Options, Step};
/// use knowledge_graph::{Snapshot, Timestamp};
/// use language_agents::Completion;
///
/// let graph = Snapshot::from_json(r#"{
///   "nodes": [{"id": "sleep", "content": "Poor sleep makes for stress."},
///             {"id": "stress", "content": "Stress makes for poor sleep."}],
///   "edges": [{"source": "sleep", "target": "stress", "edge_type": "causal"},
///             {"source": "stress", "target": "sleep", "edge_type": "causal"}]}"#)?;
/// let topology = graph.topology()?;
/// let mut run = Deliberation::new(topology, graph, "What keeps it going?", Options::default(),
///     Timestamp(0))?;
/// let report = loop {
///     match run.next() {
///         Step::Ask(passes) => for pass in passes {
///             let reply = r#"{"conclusion": "Each feeds the other.", "confidence": 0.9}"#;
///             run.answer(Answer::Pass { id: pass.id, result: Ok(Completion::new(reply)),
///                 duration_ms: None })?;
///         },
///         Step::Write(write) => run.answer(Answer::Written { scc_id: write.scc_id,
///             outcome: deliberator::Written::Applied { before: false } })?,
///         Step::Done(report) => break report,
///         other => unreachable!("{other:?}"),
///     }
/// };
/// assert!(report.converged);
/// assert_eq!(report.topology_change.effective_kappa_after, 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Deliberation {
    question: String,
    options: Options,
    now: Timestamp,
    topology: Topology<String>,
    /// The graph as it was read, with the nodes that were read again since.
    graph: Snapshot,
    regions: Vec<Region>,
    /// Where each component stands in the list.
    places: BTreeMap<String, usize>,
    /// The open passes: where each stands (component, place).
    open: BTreeMap<String, (usize, usize)>,
    account: Account,
    /// Whether no more may be asked.
    stopped: bool,
    events: Vec<Event>,
    duration_ms: Option<f64>,
}

impl Deliberation {
    /// What is wanted next; the same until it is answered.
    ///
    /// O(components), plus what it returns.
    #[must_use]
    pub fn next(&self) -> Step {
        let mut later: [Option<&Region>; 3] = [None; 3];
        for region in &self.regions {
            match &region.stage {
                Stage::Compare { pairs } => {
                    return Step::Compare(CompareRequest {
                        scc_id: region.scc.id.clone(),
                        pairs: region.texts_of(pairs),
                    });
                }
                Stage::Refresh => later[0] = later[0].or(Some(region)),
                Stage::Write { .. } => later[1] = later[1].or(Some(region)),
                Stage::Escalate(_) => later[2] = later[2].or(Some(region)),
                Stage::Focus | Stage::Reconcile | Stage::Done(_) => {}
            }
        }
        if let Some(region) = later.into_iter().flatten().next() {
            return self.single(region);
        }
        if self.open.is_empty() {
            return Step::Done(Box::new(self.report()));
        }
        Step::Ask(self.requests())
    }

    /// Whether nothing more is wanted: [`next`](Self::next) would be [`Step::Done`]. O(components).
    #[must_use]
    pub fn is_done(&self) -> bool {
        let done = |r: &Region| matches!(r.stage, Stage::Done(_));
        self.open.is_empty() && self.regions.iter().all(done)
    }

    fn single(&self, region: &Region) -> Step {
        let scc_id = region.scc.id.clone();
        match &region.stage {
            Stage::Write { batch, node_id, .. } => Step::Write(WriteRequest {
                scc_id,
                node_id: node_id.clone(),
                batch: (**batch).clone(),
            }),
            Stage::Escalate(escalation) => Step::Escalate(Box::new(EscalationRequest {
                scc_id,
                nodes: region.scc.nodes.clone(),
                question: self.question.clone(),
                escalation: escalation.clone(),
                best: region.best.clone(),
                tried: region.records().cloned().collect::<Vec<PassRecord>>(),
            })),
            _ => Step::Refresh(RefreshRequest {
                scc_id,
                nodes: region.scc.nodes.clone(),
            }),
        }
    }

    fn requests(&self) -> Vec<PassRequest> {
        // In order of components and passes, not of ids (where r10 comes before r2).
        let mut places: Vec<(usize, usize)> = self.open.values().copied().collect();
        places.sort_unstable();
        places
            .into_iter()
            .filter_map(|(region, pass)| {
                let region = self.regions.get(region)?;
                let record = &region.passes.get(pass)?.record;
                let budget = &region.scc.deliberation_budget;
                let timeout = self.options.pass_timeout_ms as f64 * budget.timeout_multiplier;
                Some(PassRequest {
                    id: record.id.clone(),
                    scc_id: region.scc.id.clone(),
                    prompt: record.prompt.clone(),
                    timeout_ms: timeout.round() as u64,
                    at_once: budget.agent_count.max(1),
                })
            })
            .collect()
    }

    /// Takes an answer.
    ///
    /// # Errors
    /// [`DeliberationError::NotOpen`] for an answer that nobody waits for; nothing changes then.
    pub fn answer(&mut self, answer: Answer) -> Result<(), DeliberationError> {
        match answer {
            Answer::Pass {
                id,
                result,
                duration_ms,
            } => {
                let Some((region, pass)) = self.open.remove(&id) else {
                    return Err(DeliberationError::NotOpen { what: id });
                };
                self.take_pass(region, pass, result, duration_ms);
                if self.open.is_empty() {
                    self.end_wave();
                }
                Ok(())
            }
            Answer::Similarities { scc_id, values } => {
                let fits = |s: &Stage| matches!(s, Stage::Compare { pairs } if pairs.len() == values.len());
                let region = self.find(&scc_id, fits)?;
                self.settle_agreement(region, &values);
                Ok(())
            }
            Answer::Refreshed { scc_id, graph } => {
                let region = self.find(&scc_id, |s| matches!(s, Stage::Refresh))?;
                self.take_refresh(region, graph);
                Ok(())
            }
            Answer::Written { scc_id, outcome } => {
                let region = self.find(&scc_id, |s| matches!(s, Stage::Write { .. }))?;
                self.take_written(region, outcome);
                Ok(())
            }
            Answer::Escalated { scc_id, result } => {
                let region = self.find(&scc_id, |s| matches!(s, Stage::Escalate(_)))?;
                if let Some(region) = self.regions.get_mut(region) {
                    if let Stage::Escalate(escalation) = &region.stage {
                        region.escalation = Some(escalation.clone());
                    }
                    region.error = result.err();
                    region.stage = Stage::Done(RegionStatus::Escalated);
                }
                Ok(())
            }
        }
    }

    fn find(
        &self,
        scc_id: &str,
        fits: impl Fn(&Stage) -> bool,
    ) -> Result<usize, DeliberationError> {
        self.places
            .get(scc_id)
            .copied()
            .filter(|place| self.regions.get(*place).is_some_and(|r| fits(&r.stage)))
            .ok_or_else(|| DeliberationError::NotOpen {
                what: scc_id.to_owned(),
            })
    }

    fn take_written(&mut self, index: usize, outcome: Written) {
        let Some(region) = self.regions.get_mut(index) else {
            return;
        };
        let Stage::Write { node_id, .. } = &region.stage else {
            return;
        };
        match outcome {
            Written::Applied { .. } => {
                let node_id = node_id.clone();
                self.events.push(Event::Crystallize {
                    node_id: node_id.clone(),
                    scc_id: region.scc.id.clone(),
                    kappa_before: region.scc.kappa,
                    conclusion_confidence: region.best.as_ref().map_or(0.0, |c| c.confidence),
                });
                region.node_id = Some(node_id);
                if let Stage::Write { batch, .. } = &mut region.stage {
                    region.written = Some(std::mem::take(batch));
                }
                region.stage = Stage::Done(RegionStatus::Converged);
            }
            Written::Conflict(conflict) => {
                region.error = Some(conflict_text(region, &conflict));
                region.stage = if region.refreshes < self.options.max_refreshes {
                    Stage::Refresh
                } else {
                    Stage::Done(RegionStatus::Failed)
                };
            }
            Written::Failed(reason) => {
                region.error = Some(format!("the conclusion could not be written: {reason}"));
                region.stage = Stage::Done(RegionStatus::Failed);
            }
        }
    }

    /// Forbids further calls: what is open may still be answered, but no pass follows it.
    /// Components that would need more are escalated as out of time.
    pub fn stop(&mut self) {
        self.stopped = true;
    }

    /// Answers every open pass with an error; with [`stop`](Self::stop) before it, how a run
    /// ends when its time is up.
    pub fn fail_open(&mut self, error: &AgentError) {
        let open: Vec<String> = self.open.keys().cloned().collect();
        for id in open {
            // Each of them is open, so that none is refused.
            let _ = self.answer(Answer::Pass {
                id,
                result: Err(error.clone()),
                duration_ms: None,
            });
        }
    }

    /// Says how long the run took, for the report.
    pub fn set_duration_ms(&mut self, duration_ms: f64) {
        self.duration_ms = Some(duration_ms);
    }

    /// Takes the events since the last call, in order.
    pub fn take_events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.events)
    }

    /// The question.
    #[must_use]
    pub fn question(&self) -> &str {
        &self.question
    }

    /// The nodes of all components that are deliberated, for a lock.
    #[must_use]
    pub fn nodes(&self) -> Vec<String> {
        let nodes = self
            .regions
            .iter()
            .flat_map(|r| r.scc.nodes.iter().cloned());
        nodes.collect()
    }
}

/// Both versions of what changed.
fn conflict_text(region: &Region, conflict: &knowledge_graph::Conflict) -> String {
    let found = conflict.found.as_ref();
    let read = found.and_then(|now| region.nodes.get(&now.id));
    match (read, found) {
        (Some(read), Some(now)) => format!(
            "{conflict}: it said {:?} and says {:?}",
            read.content, now.content
        ),
        _ => conflict.to_string(),
    }
}
