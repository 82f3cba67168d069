//! A deliberation as a run of run-dag: ids, assignments and digests of texts; the confidences are
//! soft and stay out, and the label says that what was concluded is the agent's report.

use std::collections::BTreeMap;

use deliberator::{PassKind, PassRecord, Report};
use language_agents::Prompt;
use run_dag::{
    AGENT_REPORTED, BytesDigest, Clause, ConclusionRecord, CrystallizePayload, Decimal,
    EscalatePayload, FinalLabelPayload, FocusPayload, QuestionPayload, ReconcilePayload,
    RunBuilder, RunRecord, Shape, TopologyComponent, TopologyPayload,
};

use crate::Error;

/// Seals what was done in each region that was deliberated: one run a region, in the report's
/// order. A region whose conclusion was reused, or that made no pass, has none.
///
/// # Errors
/// [`Error::Run`] if the passes do not make the shape of a deliberation.
pub fn seal_deliberation(report: &Report) -> Result<Vec<RunRecord>, Error> {
    let mut runs = Vec::new();
    for region in &report.regions {
        let inside = |p: &&PassRecord| p.cell.iter().all(|n| region.nodes.contains(n));
        let mut rounds: BTreeMap<u32, Vec<&PassRecord>> = BTreeMap::new();
        for pass in report.passes.iter().filter(inside) {
            rounds.entry(pass.round).or_default().push(pass);
        }
        if rounds.is_empty() {
            continue;
        }
        let mut run = RunBuilder::new(Shape::Deliberation);
        run.push(QuestionPayload::new(&report.query));
        run.push(topology_stage(report)?);
        let last = rounds.keys().next_back().copied();
        for (round, passes) in &rounds {
            let closes = Some(*round) == last && region.escalation.is_none();
            push_round(&mut run, &region.scc_id, *round, passes, closes);
        }
        let conclusions = conclusions(region);
        let reason = region
            .escalation
            .as_ref()
            .map(|e| e.reason.to_string())
            .or(region.error.clone());
        if region.escalation.is_some() || region.conclusion.is_none() {
            let reason = reason.clone().unwrap_or_else(|| "no conclusion".to_owned());
            run.push(EscalatePayload {
                reason,
                conclusions,
            });
        } else {
            run.push(CrystallizePayload {
                conclusions,
                written_back: region.node_id.is_some(),
            });
        }
        run.push(FinalLabelPayload {
            label: AGENT_REPORTED.to_owned(),
            audit_line: format!("{AGENT_REPORTED} · {} rounds", region.rounds),
            reason,
        });
        runs.push(run.seal()?);
    }
    Ok(runs)
}

/// The passes of a round and its reconciliation. Where the passes agreed, none was asked for: the
/// stage then commits an empty prompt and no reply.
fn push_round(
    run: &mut RunBuilder,
    region: &str,
    round: u32,
    passes: &[&PassRecord],
    closes: bool,
) {
    let mut ids = Vec::new();
    for pass in passes.iter().filter(|p| p.kind == PassKind::Focus) {
        ids.push(pass.id.clone());
        run.push(FocusPayload {
            pass_id: pass.id.clone(),
            round,
            component: region.to_owned(),
            nodes: pass.cell.clone(),
            prompt: prompt_digest(&pass.prompt),
            reply: reply_digest(pass),
            status: status(pass).to_owned(),
        });
    }
    let reconcile = passes.iter().find(|p| p.kind == PassKind::Reconcile);
    run.push(ReconcilePayload {
        round,
        passes: ids,
        prompt: reconcile.map_or_else(|| BytesDigest::of(""), |p| prompt_digest(&p.prompt)),
        reply: reconcile.and_then(|p| reply_digest(p)),
        converged: closes,
    });
}

fn prompt_digest(prompt: &Prompt) -> BytesDigest {
    BytesDigest::of(format!("{}\u{1e}{}", prompt.system, prompt.user))
}

fn reply_digest(pass: &PassRecord) -> Option<BytesDigest> {
    pass.completion.as_ref().map(|c| BytesDigest::of(&c.text))
}

fn status(pass: &PassRecord) -> &'static str {
    match &pass.outcome {
        Some(Ok(_)) => "completed",
        Some(Err(_)) => "failed",
        None => "open",
    }
}

fn conclusions(region: &deliberator::RegionReport) -> Vec<ConclusionRecord> {
    let record = region.conclusion.as_ref().map(|c| ConclusionRecord {
        id: region
            .node_id
            .clone()
            .unwrap_or_else(|| region.scc_id.clone()),
        component: region.scc_id.clone(),
        content: BytesDigest::of(&c.content),
    });
    record.into_iter().collect()
}

fn topology_stage(report: &Report) -> Result<TopologyPayload, Error> {
    let topology = &report.topology_before;
    // The budget's multiplier is a fraction, so the schema is committed as text, not as a payload.
    let graph = serde_json_canonicalizer::to_vec(topology).map_err(|e| Error::Topology {
        reason: e.to_string(),
    })?;
    let component = |scc: &kappa_topology::Scc<String>| TopologyComponent {
        id: scc.id.clone(),
        nodes: u32::try_from(scc.nodes.len()).unwrap_or(u32::MAX),
        kappa: i64::try_from(scc.kappa)
            .ok()
            .map(|k| Decimal::from_millionths(k.saturating_mul(1_000_000))),
    };
    Ok(TopologyPayload {
        graph: BytesDigest::of(graph),
        components: topology.sccs.iter().map(component).collect(),
        route: "deliberate".to_owned(),
        details: Clause::new(),
    })
}
