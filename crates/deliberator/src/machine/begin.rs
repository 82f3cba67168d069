//! How a deliberation begins.

use std::collections::{BTreeMap, BTreeSet};

use kappa_topology::Topology;
use knowledge_graph::{Edge, Node, Snapshot, Timestamp};

use super::Deliberation;
use super::caps::Account;
use super::region::{Region, Stage};
use crate::error::DeliberationError;
use crate::escalation::{Escalation, Reason, Target};
use crate::events::Event;
use crate::options::Options;
use crate::report::{Conclusion, RegionStatus};
use crate::settled::{Settled, settled};

/// From this κ on a component counts as entangled (seed 001 §2.4, and the spec: more than 2).
const ENTANGLED: u64 = 3;

impl Deliberation {
    /// Begins a deliberation over every component of `topology` with κ > 0.
    ///
    /// `graph` holds every node of those components, the edges between them, and the
    /// conclusions about them that are known already (with the edges that speak against those).
    /// `now` is written into what is written.
    ///
    /// # Errors
    /// [`DeliberationError`] when the topology is not that of the graph, or an option is out of
    /// range.
    pub fn new(
        topology: Topology<String>,
        graph: Snapshot,
        question: impl Into<String>,
        options: Options,
        now: Timestamp,
    ) -> Result<Self, DeliberationError> {
        check(&options)?;
        let regions = regions(&topology, &graph, &options)?;
        let mut run = Self {
            question: question.into(),
            options,
            now,
            topology,
            graph,
            places: regions
                .iter()
                .enumerate()
                .map(|(place, region)| (region.scc.id.clone(), place))
                .collect(),
            regions,
            open: BTreeMap::new(),
            account: Account::default(),
            stopped: false,
            events: Vec::new(),
            duration_ms: None,
        };
        run.events.push(Event::Start {
            scc_count: run.regions.len(),
            query: run.question.clone(),
            max_kappa: run.topology.max_kappa,
        });
        run.send_entangled_on();
        for index in 0..run.regions.len() {
            if !run.reuse(index) {
                run.start_round(index);
            }
        }
        Ok(run)
    }

    /// Several entangled components of a task that can be split go to task decomposition.
    fn send_entangled_on(&mut self) {
        let components = self
            .regions
            .iter()
            .filter(|r| r.scc.kappa >= ENTANGLED)
            .count();
        if !self.options.decomposable || components < 2 {
            return;
        }
        for index in 0..self.regions.len() {
            if self
                .regions
                .get(index)
                .is_some_and(|r| r.scc.kappa >= ENTANGLED)
            {
                let reason = Reason::Entangled { components };
                self.escalate(
                    index,
                    Escalation {
                        target: Target::AgenTroMatic,
                        reason,
                    },
                );
            }
        }
    }

    /// Hands back a fresh conclusion to the same question, where there is one. True too when the
    /// component needs no round for another reason.
    fn reuse(&mut self, index: usize) -> bool {
        let question = self.question.trim();
        let Some(region) = self.regions.get_mut(index) else {
            return true;
        };
        if region.stage != Stage::Focus {
            return true;
        }
        if !self.options.reuse_fresh {
            return false;
        }
        let found = region
            .existing
            .iter()
            .find(|e| e.stale.is_none() && e.query.trim() == question);
        let Some(node) = found.map(|e| e.node.clone()) else {
            return false;
        };
        let text = |key: &str| node.metadata.get(key).and_then(|v| v.as_str());
        region.reconcile_hash = text("reconcile_hash").map(str::to_owned);
        region.best = Some(Conclusion {
            confidence: node.confidence,
            source_scc_id: region.scc.id.clone(),
            source_kappa: region.scc.kappa,
            fault_lines_examined: Vec::new(),
            iteration: node
                .metadata
                .get("iteration")
                .and_then(serde_json::Value::as_u64)
                .and_then(|n| u32::try_from(n).ok())
                .unwrap_or(0),
            converged: true,
            content: node.content,
        });
        region.node_id = Some(node.id);
        region.stage = Stage::Done(RegionStatus::Reused);
        true
    }
}

fn check(options: &Options) -> Result<(), DeliberationError> {
    let range = |option, holds: bool, accepted| {
        if holds {
            Ok(())
        } else {
            Err(DeliberationError::Option { option, accepted })
        }
    };
    range(
        "cuts_per_round",
        (1..=2).contains(&options.cuts_per_round),
        "1 or 2",
    )?;
    range(
        "agreement_threshold",
        (0.0..=1.0).contains(&options.agreement_threshold),
        "a number from 0 to 1",
    )?;
    range(
        "trusted_confidence",
        (0.0..=1.0).contains(&options.trusted_confidence),
        "a number from 0 to 1",
    )?;
    range(
        "max_reply_tokens",
        options.max_reply_tokens > 0,
        "at least 1",
    )
}

fn regions(
    topology: &Topology<String>,
    graph: &Snapshot,
    options: &Options,
) -> Result<Vec<Region>, DeliberationError> {
    let nodes: BTreeMap<&str, &Node> = graph.nodes.iter().map(|n| (n.id.as_str(), n)).collect();
    let sccs: Vec<_> = topology.sccs.iter().filter(|s| s.kappa > 0).collect();
    let mut ids = BTreeSet::new();
    if let Some(twice) = sccs.iter().find(|scc| !ids.insert(scc.id.as_str())) {
        return Err(DeliberationError::ForeignTopology {
            scc_id: twice.id.clone(),
            reason: "two components have this id".to_owned(),
        });
    }
    let place: BTreeMap<&str, usize> = sccs
        .iter()
        .enumerate()
        .flat_map(|(i, scc)| scc.nodes.iter().map(move |n| (n.as_str(), i)))
        .collect();
    let mut edges: Vec<Vec<Edge>> = vec![Vec::new(); sccs.len()];
    for edge in &graph.edges {
        let ends = (
            place.get(edge.source.as_str()),
            place.get(edge.target.as_str()),
        );
        if let (Some(a), Some(b)) = ends
            && a == b
            && let Some(list) = edges.get_mut(*a)
        {
            list.push(edge.clone());
        }
    }
    let mut known = conclusions_by_sources(graph, &nodes);
    sccs.into_iter()
        .zip(edges)
        .map(|(scc, mut edges)| {
            edges.sort_by(|a, b| a.id.cmp(&b.id));
            let mut own = BTreeMap::new();
            for id in &scc.nodes {
                let node =
                    nodes
                        .get(id.as_str())
                        .ok_or_else(|| DeliberationError::MissingNode {
                            scc_id: scc.id.clone(),
                            node: id.clone(),
                        })?;
                own.insert(id.clone(), (*node).clone());
            }
            let sources: BTreeSet<String> = scc.nodes.iter().cloned().collect();
            let existing = known.remove(&sources).unwrap_or_default();
            Region::new(scc.clone(), own, edges, existing, options)
        })
        .collect()
}

fn conclusions_by_sources(
    graph: &Snapshot,
    nodes: &BTreeMap<&str, &Node>,
) -> BTreeMap<BTreeSet<String>, Vec<(Settled, Node)>> {
    let mut known: BTreeMap<BTreeSet<String>, Vec<(Settled, Node)>> = BTreeMap::new();
    for conclusion in settled(graph) {
        if let Some(node) = nodes.get(conclusion.id.as_str()) {
            let sources = conclusion.sources.keys().cloned().collect();
            let entry = known.entry(sources).or_default();
            entry.push((conclusion, (*node).clone()));
        }
    }
    known
}
