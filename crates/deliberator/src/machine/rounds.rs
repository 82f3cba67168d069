//! Rounds: focus, reconcile, converge, rotate or escalate.

use knowledge_graph::Snapshot;
use language_agents::{AgentError, Completion, lexical_similarity};

use super::Deliberation;
use super::region::{Pass, Region, Stage, cuts_of, same_component};
use super::replies::{
    last_failure, most_confident, read, remember_best, round_hash, tokens, usable_places,
};
use crate::crystallize::{Crystal, conclusion_id, crystallize};
use crate::escalation::{Escalation, Reason, Target};
use crate::events::Event;
use crate::options::Agreement;
use crate::parse::Reply;
use crate::report::{Conclusion, PassFailure, PassKind, RegionStatus};

impl Deliberation {
    /// Begins the next round of a component, if it is waiting for one and may.
    pub(super) fn start_round(&mut self, index: usize) {
        let Some(region) = self.regions.get_mut(index) else {
            return;
        };
        if self.stopped {
            self.escalate(index, escalation(Target::Deliberatic, Reason::OutOfTime));
            return;
        }
        region.round += 1;
        region.wave = region.passes.len();
        region.stage = Stage::Focus;
        region.contradiction = false;
        let (passes, cells) = region.plan(&self.question, &self.options);
        region.cell_count = cells;
        if let Err(reason) = self.ask(index, passes) {
            if let Some(region) = self.regions.get_mut(index) {
                region.round -= 1;
            }
            self.escalate(index, escalation(Target::Deliberatic, reason));
        }
    }

    /// Opens passes, all of them or none.
    fn ask(&mut self, index: usize, passes: Vec<Pass>) -> Result<(), Reason> {
        let prompts: Vec<_> = passes.iter().map(|p| &p.record.prompt).collect();
        self.account.charge(&prompts, &self.options.caps)?;
        if let Some(region) = self.regions.get_mut(index) {
            for pass in passes {
                let place = (index, region.passes.len());
                self.open.insert(pass.record.id.clone(), place);
                region.passes.push(pass);
            }
        }
        Ok(())
    }

    pub(super) fn take_pass(
        &mut self,
        index: usize,
        place: usize,
        result: Result<Completion, AgentError>,
        duration_ms: Option<f64>,
    ) {
        let Some(region) = self.regions.get_mut(index) else {
            return;
        };
        let cells = region.cell_count;
        let (scc_id, kappa) = (region.scc.id.clone(), region.scc.kappa);
        let Some(pass) = region.passes.get_mut(place) else {
            return;
        };
        self.account.settle(&pass.record.prompt, &result);
        let outcome = match &result {
            Ok(done) => read(pass, done),
            Err(error) => Err(PassFailure::Agent(error.clone())),
        };
        let usable = outcome.is_ok();
        pass.record.outcome = Some(outcome);
        pass.record.completion = result.ok();
        pass.duration_ms = duration_ms;
        if pass.record.kind == PassKind::Focus {
            let (tokens_in, tokens_out) = tokens(pass);
            self.events.push(Event::Focus {
                pass: pass.record.id.clone(),
                scc_id,
                kappa,
                partition_count: cells,
                duration_ms,
                usable,
                tokens_in,
                tokens_out,
            });
        }
    }

    /// All passes of the wave are answered: every component moves on, in order.
    pub(super) fn end_wave(&mut self) {
        for index in 0..self.regions.len() {
            match self.regions.get(index).map(|r| &r.stage) {
                Some(Stage::Focus) => self.end_focus(index),
                Some(Stage::Reconcile) => self.end_reconcile(index),
                _ => {}
            }
        }
    }

    fn end_focus(&mut self, index: usize) {
        let Some(region) = self.regions.get_mut(index) else {
            return;
        };
        let usable: Vec<usize> = usable_places(region);
        let all = region.focused().count();
        remember_best(region, &usable, all, &self.options);
        if usable.is_empty() {
            self.event_reconcile(index, false, 0.0, false);
            self.next_round(index);
            return;
        }
        if usable.len() < all {
            // A cell that nobody examined can't agree.
            self.start_reconcile(index);
            return;
        }
        let pairs: Vec<(usize, usize)> = usable
            .iter()
            .enumerate()
            .flat_map(|(n, a)| usable.iter().skip(n + 1).map(move |b| (*a, *b)))
            .collect();
        if self.options.agreement == Agreement::External && !pairs.is_empty() {
            region.stage = Stage::Compare { pairs };
            return;
        }
        let values: Vec<f64> = region
            .texts_of(&pairs)
            .iter()
            .map(|(a, b)| lexical_similarity(a, b))
            .collect();
        self.settle_agreement(index, &values);
    }

    /// The fast path when all pairs agree, the full path otherwise.
    pub(super) fn settle_agreement(&mut self, index: usize, values: &[f64]) {
        let threshold = self.options.agreement_threshold;
        // A similarity that is no number is no agreement.
        if !values.iter().all(|v| *v >= threshold) {
            self.start_reconcile(index);
            return;
        }
        let Some(region) = self.regions.get(index) else {
            return;
        };
        let usable = usable_places(region);
        let Some((reply, _)) = most_confident(region, &usable) else {
            self.next_round(index);
            return;
        };
        let hash = round_hash(region.focused());
        let confidence = reply.confidence;
        self.judge(index, &reply, confidence, true, hash);
    }

    fn start_reconcile(&mut self, index: usize) {
        if self.stopped {
            self.escalate(index, escalation(Target::Deliberatic, Reason::OutOfTime));
            return;
        }
        let Some(region) = self.regions.get_mut(index) else {
            return;
        };
        region.stage = Stage::Reconcile;
        let pass = region.reconciliation(&self.question, &self.options);
        if let Err(reason) = self.ask(index, vec![pass]) {
            self.escalate(index, escalation(Target::Deliberatic, reason));
        }
    }

    fn end_reconcile(&mut self, index: usize) {
        let Some(region) = self.regions.get(index) else {
            return;
        };
        let last = region.passes.last();
        let reply = last.and_then(|p| p.record.outcome.clone());
        let (Some(Ok(reply)), Some(pass)) = (reply, last) else {
            self.event_reconcile(index, false, 0.0, false);
            self.next_round(index);
            return;
        };
        let hash = round_hash(std::iter::once(pass));
        // What failed lowers what can be concluded: by the share of passes that did not.
        let all = region.focused().count().max(1);
        let confidence = reply.confidence * usable_places(region).len() as f64 / all as f64;
        self.judge(index, &reply, confidence, false, hash);
    }

    fn judge(&mut self, index: usize, reply: &Reply, confidence: f64, fast: bool, hash: String) {
        let Some(region) = self.regions.get_mut(index) else {
            return;
        };
        let threshold = region.scc.deliberation_budget.confidence_threshold;
        region.contradiction = reply.contradiction_stands;
        let converged = confidence >= threshold && !reply.contradiction_stands;
        let conclusion = Conclusion {
            content: reply.conclusion.clone(),
            confidence,
            source_scc_id: region.scc.id.clone(),
            source_kappa: region.scc.kappa,
            fault_lines_examined: region.examined(&self.options),
            iteration: region.round,
            converged,
        };
        let better = region
            .best
            .as_ref()
            .is_none_or(|b| confidence >= b.confidence);
        if converged || better {
            region.best = Some(conclusion.clone());
            region.reconcile_hash = Some(hash.clone());
        }
        self.event_reconcile(index, converged, confidence, fast);
        if converged {
            self.converge(index, reply, &conclusion, &hash);
        } else {
            self.next_round(index);
        }
    }

    fn converge(&mut self, index: usize, reply: &Reply, conclusion: &Conclusion, hash: &str) {
        let Some(region) = self.regions.get_mut(index) else {
            return;
        };
        if self.options.autonomy.forbids(&region.scc.nodes) {
            self.escalate(index, escalation(Target::Human, Reason::PolicyForbids));
            return;
        }
        let trusted = reply
            .contradicts
            .iter()
            .filter_map(|id| region.nodes.get(id))
            .find(|n| n.confidence >= self.options.trusted_confidence);
        if let Some(node) = trusted {
            let reason = Reason::ContradictsTrusted {
                node: node.id.clone(),
                confidence: node.confidence,
            };
            self.escalate(index, escalation(Target::Deliberatic, reason));
            return;
        }
        if !self.options.write_back {
            region.stage = Stage::Done(RegionStatus::Converged);
            return;
        }
        let id = conclusion_id(&conclusion.content, region.nodes.keys(), &self.question);
        let existing = region.existing.iter().find(|e| e.node.id == id);
        let supersedes: Vec<String> = region
            .existing
            .iter()
            .filter(|e| match e.stale {
                None => e.query.trim() == self.question.trim(),
                Some(crate::settled::Staleness::Superseded) => false,
                Some(_) => true,
            })
            .map(|e| e.node.id.clone())
            .collect();
        let (batch, node_id) = crystallize(&Crystal {
            conclusion,
            question: &self.question,
            sources: &region.nodes,
            edges: &region.edges,
            supports: &reply.supports,
            contradicts: &reply.contradicts,
            reconcile_hash: hash,
            existing: existing.map(|e| &e.node),
            supersedes: &supersedes,
            now: self.now,
        });
        region.stage = Stage::Write {
            batch: Box::new(batch),
            node_id,
        };
    }

    /// Another round, or the end of the rounds.
    fn next_round(&mut self, index: usize) {
        let Some(region) = self.regions.get(index) else {
            return;
        };
        let budget = &region.scc.deliberation_budget;
        if region.round < budget.max_iterations {
            self.start_round(index);
            return;
        }
        let rounds = region.round;
        let reason = match &region.best {
            None => Reason::NothingUsable {
                rounds,
                last: last_failure(region),
            },
            Some(_) if region.contradiction => Reason::ContradictionStands { rounds },
            Some(best) => Reason::BelowThreshold {
                rounds,
                confidence: best.confidence,
                threshold: budget.confidence_threshold,
            },
        };
        self.escalate(index, escalation(Target::Deliberatic, reason));
    }

    pub(super) fn escalate(&mut self, index: usize, escalation: Escalation) {
        let Some(region) = self.regions.get_mut(index) else {
            return;
        };
        if let Some(best) = &mut region.best {
            // Nothing that is handed over counts as settled.
            best.converged = best.converged && escalation.target == Target::Human;
        }
        self.events.push(Event::Escalate {
            scc_id: region.scc.id.clone(),
            reason: escalation.reason.clone(),
            target: escalation.target,
        });
        region.stage = Stage::Escalate(escalation);
    }

    /// The nodes were read again: the component begins anew, or has changed its shape.
    pub(super) fn take_refresh(&mut self, index: usize, graph: Result<Snapshot, String>) {
        let Some(region) = self.regions.get_mut(index) else {
            return;
        };
        let refreshed = graph.and_then(|g| refresh(region, g, &self.options));
        match refreshed {
            Ok(graph) => {
                let own = |id: &String| region.nodes.contains_key(id);
                self.graph.nodes.retain(|n| !own(&n.id));
                self.graph
                    .edges
                    .retain(|e| !(own(&e.source) && own(&e.target)));
                self.graph.nodes.extend(graph.nodes);
                self.graph.edges.extend(graph.edges);
                self.start_round(index);
            }
            Err(reason) => {
                region.error = Some(reason);
                region.stage = Stage::Done(RegionStatus::Failed);
            }
        }
    }

    fn event_reconcile(&mut self, index: usize, converged: bool, confidence: f64, fast: bool) {
        let Some(region) = self.regions.get(index) else {
            return;
        };
        let last = region
            .passes
            .last()
            .filter(|p| p.record.kind == PassKind::Reconcile && p.record.round == region.round);
        let (tokens_in, tokens_out) = last.map_or((0, 0), tokens);
        self.events.push(Event::Reconcile {
            scc_id: region.scc.id.clone(),
            round: region.round,
            converged,
            confidence,
            fast_path: fast,
            duration_ms: last.and_then(|p| p.duration_ms),
            tokens_in,
            tokens_out,
        });
    }
}

fn refresh(
    region: &mut Region,
    graph: Snapshot,
    options: &crate::options::Options,
) -> Result<Snapshot, String> {
    let mut nodes = std::collections::BTreeMap::new();
    for id in &region.scc.nodes {
        let node = graph.nodes.iter().find(|n| n.id == *id);
        let node = node.ok_or_else(|| format!("node {id:?} is gone"))?;
        nodes.insert(id.clone(), node.clone());
    }
    let mut edges = graph.edges.clone();
    edges.retain(|e| nodes.contains_key(&e.source) && nodes.contains_key(&e.target));
    edges.sort_by(|a, b| a.id.cmp(&b.id));
    let scc = same_component(&region.scc.id, &region.scc.nodes, &edges)?;
    region.cuts = cuts_of(&scc, &edges, options).map_err(|e| e.to_string())?;
    region.scc = scc;
    region.nodes = nodes;
    region.edges.clone_from(&edges);
    region.refreshes += 1;
    region.round = 0;
    region.best = None;
    region.reconcile_hash = None;
    region.error = None;
    let nodes = region.nodes.values().cloned().collect();
    Ok(Snapshot { nodes, edges })
}

fn escalation(target: Target, reason: Reason) -> Escalation {
    Escalation { target, reason }
}
