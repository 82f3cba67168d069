//! A component under deliberation.

use std::collections::BTreeMap;

use kappa_topology::{Digraph, FaultLine, Options as TopologyOptions, Scc, analyze};
use knowledge_graph::{Batch, Edge, Node};
use serde::{Deserialize, Serialize};

use crate::cells::{Cell, Planned, cuts_of_round, decompose, plan_round};
use crate::error::DeliberationError;
use crate::escalation::Escalation;
use crate::options::Options;
use crate::prompts::{Intermediate, Material, MaterialEdge, Sight, focus, reconcile};
use crate::report::{Conclusion, PassKind, PassRecord, RegionStatus};
use crate::settled::{Settled, Staleness};

/// Where a component stands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Stage {
    /// Its focused passes are open, or about to be.
    Focus,
    /// Its reconciliation is open.
    Reconcile,
    /// Pairs of its passes (by place) wait for a similarity.
    Compare {
        /// The pairs.
        pairs: Vec<(usize, usize)>,
    },
    /// Its nodes are to be read again.
    Refresh,
    /// Its conclusion is to be written.
    Write {
        /// The batch.
        batch: Box<Batch>,
        /// The conclusion's node.
        node_id: String,
    },
    /// It is to be handed over.
    Escalate(Escalation),
    /// Nothing more.
    Done(RegionStatus),
}

/// A pass with what its reply is read by.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Pass {
    pub(super) record: PassRecord,
    /// The key of its fences.
    pub(super) key: String,
    /// Which node each alias stands for.
    pub(super) aliases: BTreeMap<String, String>,
    pub(super) duration_ms: Option<f64>,
}

/// A conclusion about the component that is in the graph already.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Existing {
    pub(super) node: Node,
    pub(super) query: String,
    pub(super) stale: Option<Staleness>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Region {
    pub(super) scc: Scc<String>,
    pub(super) nodes: BTreeMap<String, Node>,
    /// The edges between its nodes, by id.
    pub(super) edges: Vec<Edge>,
    pub(super) cuts: Vec<FaultLine<String>>,
    pub(super) existing: Vec<Existing>,
    pub(super) stage: Stage,
    /// Rounds begun.
    pub(super) round: u32,
    pub(super) refreshes: u32,
    pub(super) passes: Vec<Pass>,
    /// Where the passes of the current round begin.
    pub(super) wave: usize,
    /// Cells of the current round.
    pub(super) cell_count: usize,
    /// The best conclusion so far.
    pub(super) best: Option<Conclusion>,
    pub(super) reconcile_hash: Option<String>,
    /// Whether the last round ended in a contradiction.
    pub(super) contradiction: bool,
    pub(super) escalation: Option<Escalation>,
    pub(super) node_id: Option<String>,
    pub(super) written: Option<Box<Batch>>,
    pub(super) error: Option<String>,
}

/// The minimum cuts that a component's rounds can use: a new one every second round.
pub(super) fn cuts_of(
    scc: &Scc<String>,
    edges: &[Edge],
    options: &Options,
) -> Result<Vec<FaultLine<String>>, DeliberationError> {
    let foreign = |reason: String| DeliberationError::ForeignTopology {
        scc_id: scc.id.clone(),
        reason,
    };
    let digraph = digraph_of(&scc.nodes, edges).map_err(foreign)?;
    if let Some(edge) = scc
        .fault_line_edges
        .iter()
        .find(|e| !digraph.has_edge(&e.source, &e.target))
    {
        let reason = format!("it has no edge {:?} -> {:?}", edge.source, edge.target);
        return Err(foreign(reason));
    }
    let rounds = scc.deliberation_budget.max_iterations as usize;
    let limit = rounds.div_ceil(2) + usize::from(options.cuts_per_round) - 1;
    let cuts = scc
        .fault_lines(&digraph, limit)
        .map_err(|e| foreign(e.to_string()))?;
    match cuts.first() {
        Some(cut) if cut.edges.len() as u64 == scc.kappa => Ok(cuts),
        _ => Err(foreign(format!(
            "its κ is said to be {} and is {}",
            scc.kappa,
            cuts.first().map_or(0, |c| c.edges.len())
        ))),
    }
}

fn digraph_of(nodes: &[String], edges: &[Edge]) -> Result<Digraph<String>, String> {
    let mut builder = Digraph::builder();
    for node in nodes {
        builder.node(node.clone());
    }
    for edge in edges {
        builder.edge_of_kind(
            edge.edge_type.into(),
            edge.source.clone(),
            edge.target.clone(),
        );
    }
    builder.build().map_err(|e| e.to_string())
}

/// The component with exactly these nodes as the edges make it now, under its old id.
pub(super) fn same_component(
    id: &str,
    nodes: &[String],
    edges: &[Edge],
) -> Result<Scc<String>, String> {
    let topology = analyze(&digraph_of(nodes, edges)?, &TopologyOptions::default());
    match topology.sccs.into_iter().next() {
        Some(mut scc) if scc.nodes == nodes => {
            id.clone_into(&mut scc.id);
            Ok(scc)
        }
        _ => Err("its nodes are no longer one strongly connected component".to_owned()),
    }
}

impl Region {
    pub(super) fn new(
        scc: Scc<String>,
        nodes: BTreeMap<String, Node>,
        edges: Vec<Edge>,
        existing: Vec<(Settled, Node)>,
        options: &Options,
    ) -> Result<Self, DeliberationError> {
        let cuts = cuts_of(&scc, &edges, options)?;
        let existing = existing
            .into_iter()
            .map(|(settled, node)| Existing {
                node,
                query: settled.query,
                stale: settled.stale,
            })
            .collect();
        Ok(Self {
            scc,
            nodes,
            edges,
            cuts,
            existing,
            stage: Stage::Focus,
            round: 0,
            refreshes: 0,
            passes: Vec::new(),
            wave: 0,
            cell_count: 0,
            best: None,
            reconcile_hash: None,
            contradiction: false,
            escalation: None,
            node_id: None,
            written: None,
            error: None,
        })
    }

    pub(super) fn records(&self) -> impl Iterator<Item = &PassRecord> {
        self.passes.iter().map(|p| &p.record)
    }

    /// The passes of the current round that look at cells.
    pub(super) fn focused(&self) -> impl Iterator<Item = &Pass> {
        self.passes
            .iter()
            .skip(self.wave)
            .filter(|p| p.record.kind == PassKind::Focus)
    }

    pub(super) fn texts_of(&self, pairs: &[(usize, usize)]) -> Vec<(String, String)> {
        let text = |place: usize| match self.passes.get(place).map(|p| &p.record.outcome) {
            Some(Some(Ok(reply))) => reply.conclusion.clone(),
            _ => String::new(),
        };
        pairs.iter().map(|(a, b)| (text(*a), text(*b))).collect()
    }

    fn pass_id(&self, name: &str) -> String {
        let scc = &self.scc.id;
        let round = self.round;
        match self.refreshes {
            0 => format!("{scc}/r{round}/{name}"),
            n => format!("{scc}/v{}/r{round}/{name}", n + 1),
        }
    }

    /// The cells and cuts of the current round (from 1).
    fn cells(&self, options: &Options) -> (Vec<Cell>, Vec<FaultLine<String>>) {
        let cuts = cuts_of_round(
            &self.cuts,
            self.round.saturating_sub(1),
            usize::from(options.cuts_per_round),
        );
        let most = self.scc.deliberation_budget.max_iterations as usize;
        (decompose(&cuts, most), cuts)
    }

    /// The passes of the current round, not yet part of it, and how many cells it has.
    pub(super) fn plan(&self, question: &str, options: &Options) -> (Vec<Pass>, usize) {
        let (cells, cuts) = self.cells(options);
        let budget = &self.scc.deliberation_budget;
        let planned = plan_round(&cells, &cuts, self.round.saturating_sub(1), budget);
        let passes = planned
            .into_iter()
            .enumerate()
            .filter_map(|(number, plan)| {
                let cell = cells.get(plan.cell)?;
                Some(self.focus_pass(number + 1, cell, plan, question, options))
            })
            .collect();
        (passes, cells.len())
    }

    fn focus_pass(
        &self,
        number: usize,
        cell: &Cell,
        plan: Planned,
        question: &str,
        options: &Options,
    ) -> Pass {
        let nodes = cell
            .nodes
            .iter()
            .map(|id| (id, false))
            .chain(cell.context.iter().map(|id| (id, true)))
            .filter_map(|(id, context)| Some((self.nodes.get(id)?, context)))
            .collect();
        let inside = |id: &String| cell.nodes.binary_search(id).is_ok();
        let crosses = |edge: &Edge| {
            edge.edge_type.is_directed()
                && cell
                    .boundary
                    .iter()
                    .any(|b| b.source == edge.source && b.target == edge.target)
        };
        let edges = self
            .edges
            .iter()
            .filter(|e| (inside(&e.source) && inside(&e.target)) || crosses(e));
        let material = Material {
            question,
            nodes,
            edges: edges.map(material_edge).collect(),
        };
        let (prompt, sight) = focus(&material, &plan.assumptions, options.max_reply_tokens);
        let record = PassRecord {
            id: self.pass_id(&format!("f{number}")),
            kind: PassKind::Focus,
            round: self.round,
            cell: cell.nodes.clone(),
            assumptions: plan.assumptions,
            prompt,
            completion: None,
            outcome: None,
        };
        pass(record, sight)
    }

    /// The reconciliation of the current round.
    pub(super) fn reconciliation(&self, question: &str, options: &Options) -> Pass {
        let material = Material {
            question,
            nodes: self.nodes.values().map(|n| (n, false)).collect(),
            edges: self.edges.iter().map(material_edge).collect(),
        };
        let said: Vec<Intermediate<'_>> = self.focused().map(intermediate).collect();
        let (prompt, sight) = reconcile(&material, &said, options.max_reply_tokens);
        let record = PassRecord {
            id: self.pass_id("reconcile"),
            kind: PassKind::Reconcile,
            round: self.round,
            cell: self.scc.nodes.clone(),
            assumptions: Vec::new(),
            prompt,
            completion: None,
            outcome: None,
        };
        pass(record, sight)
    }

    /// The edges of the cuts of the rounds so far, each once, in the order of the rounds.
    pub(super) fn examined(&self, options: &Options) -> Vec<kappa_topology::Edge<String>> {
        let mut examined = Vec::new();
        for round in 0..self.round {
            let at_once = usize::from(options.cuts_per_round);
            for edge in cuts_of_round(&self.cuts, round, at_once)
                .into_iter()
                .flat_map(|cut| cut.edges)
            {
                if !examined.contains(&edge) {
                    examined.push(edge);
                }
            }
        }
        examined
    }
}

fn pass(record: PassRecord, sight: Sight) -> Pass {
    Pass {
        record,
        key: sight.key,
        aliases: sight.aliases,
        duration_ms: None,
    }
}

fn material_edge(edge: &Edge) -> MaterialEdge {
    MaterialEdge {
        source: edge.source.clone(),
        target: edge.target.clone(),
        edge_type: edge.edge_type,
        weight: edge.weight,
    }
}

fn intermediate(pass: &Pass) -> Intermediate<'_> {
    let record = &pass.record;
    Intermediate {
        id: &record.id,
        cell: &record.cell,
        assumptions: &record.assumptions,
        outcome: match &record.outcome {
            Some(Ok(reply)) => Ok((&reply.conclusion, reply.confidence, &reply.reasoning)),
            Some(Err(failure)) => Err(failure_kind(failure).to_owned()),
            None => Err("no answer".to_owned()),
        },
    }
}

/// A failure in words of our own: what an agent says of its failure is untrusted too.
fn failure_kind(failure: &crate::report::PassFailure) -> &'static str {
    use crate::report::PassFailure;
    match failure {
        PassFailure::Agent(_) => "the agent did not answer",
        PassFailure::Reply(_) => "its reply could not be used",
    }
}
