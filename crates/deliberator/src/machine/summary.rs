//! The report.

use kappa_topology::Topology;
use knowledge_graph::{Batch, GraphStore, MemoryStore, Snapshot};

use super::Deliberation;
use super::region::{Region, Stage};
use crate::report::{RegionReport, RegionStatus, Report, TopologyChange};
use crate::settled::effective_topology;

impl Deliberation {
    /// The report of where the run stands; final once [`next`](Self::next) is
    /// [`Step::Done`](crate::Step::Done). As that step's report, without a copy of the passes.
    #[must_use]
    pub fn into_report(mut self) -> Report {
        let mut report = self.summary();
        let regions = self.regions.iter_mut();
        report.passes = regions
            .flat_map(|r| std::mem::take(&mut r.passes))
            .map(|pass| pass.record)
            .collect();
        report
    }

    pub(super) fn report(&self) -> Report {
        let mut report = self.summary();
        let records = self.regions.iter().flat_map(|r| r.records().cloned());
        report.passes = records.collect();
        report
    }

    /// The report without its passes.
    fn summary(&self) -> Report {
        let regions: Vec<RegionReport> = self.regions.iter().map(region_report).collect();
        let reasons: Vec<String> = regions
            .iter()
            .filter_map(|r| {
                let escalation = r.escalation.as_ref()?;
                let target = escalation.target.as_str();
                Some(format!("{} to {target}: {}", r.scc_id, escalation.reason))
            })
            .collect();
        let after = self.graph_after();
        let topology_after = after.as_ref().and_then(|g| g.topology().ok());
        let settled = |s: RegionStatus| matches!(s, RegionStatus::Converged | RegionStatus::Reused);
        Report {
            query: self.question.clone(),
            iterations_used: regions.iter().map(|r| r.rounds).max().unwrap_or(0),
            converged: regions.iter().all(|r| settled(r.status)),
            escalated: !reasons.is_empty(),
            escalation_reason: (!reasons.is_empty()).then(|| reasons.join("; ")),
            topology_change: self.change(after.as_ref(), topology_after.as_ref()),
            topology_before: self.topology.clone(),
            topology_after,
            duration_ms: self.duration_ms,
            calls: self.account.calls,
            tokens_in: self.account.tokens_in,
            tokens_out: self.account.tokens_out,
            passes: Vec::new(),
            regions,
        }
    }

    /// The graph with what was written, where anything was.
    fn graph_after(&self) -> Option<Snapshot> {
        if self.regions.iter().all(|r| r.written.is_none()) {
            return None;
        }
        let store = MemoryStore::from_snapshot(self.graph.clone()).ok()?;
        for batch in self.regions.iter().filter_map(|r| r.written.as_ref()) {
            let writes = Batch {
                preconditions: Vec::new(),
                ..(**batch).clone()
            };
            store.apply(&writes).ok()?;
        }
        Snapshot::of(&store).ok()
    }

    fn change(
        &self,
        after: Option<&Snapshot>,
        topology_after: Option<&Topology<String>>,
    ) -> TopologyChange {
        let effective = |graph: &Snapshot| effective_topology(graph).map(|t| t.max_kappa).ok();
        let kappa_before = self.topology.max_kappa;
        let before = effective(&self.graph).unwrap_or(kappa_before);
        let effective_after = after.and_then(effective).unwrap_or(before);
        let created = self.regions.iter().filter(|r| r.written.is_some()).count() as u64;
        TopologyChange {
            kappa_before,
            kappa_after: topology_after.map_or(kappa_before, |t| t.max_kappa),
            effective_kappa_before: before,
            effective_kappa_after: effective_after,
            new_nodes_created: created,
            note: note(created, before, effective_after),
        }
    }
}

fn note(created: u64, before: u64, after: u64) -> String {
    match created {
        0 => "Nothing was written; the graph is as it was.".to_owned(),
        _ if after < before => format!(
            "{created} conclusion node(s) added. κ of the graph does not change; for questions \
             that retrieve them, effective κ falls from {before} to {after}."
        ),
        _ => format!(
            "{created} conclusion node(s) added. κ of the graph does not change, and effective κ \
             stays at {after}: another loop remains."
        ),
    }
}

fn region_report(region: &Region) -> RegionReport {
    let status = match &region.stage {
        Stage::Done(status) => *status,
        _ => RegionStatus::Failed,
    };
    RegionReport {
        scc_id: region.scc.id.clone(),
        nodes: region.scc.nodes.clone(),
        kappa: region.scc.kappa,
        status,
        rounds: region.round,
        refreshes: region.refreshes,
        conclusion: region.best.clone(),
        escalation: region.escalation.clone(),
        node_id: region.node_id.clone(),
        reconcile_hash: region.reconcile_hash.clone(),
        error: region.error.clone(),
    }
}
