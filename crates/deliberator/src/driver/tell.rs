//! Events as `tracing` events, named as in seed 001 §3.5.

use tracing::info;

use crate::events::Event;

pub(super) fn trace(event: &Event) {
    match event {
        Event::Start {
            scc_count,
            query,
            max_kappa,
        } => info!(name: "deliberator.start", scc_count, query, max_kappa, "deliberator.start"),
        Event::Focus {
            pass,
            scc_id,
            kappa,
            partition_count,
            duration_ms,
            usable,
            tokens_in,
            tokens_out,
        } => info!(
            name: "deliberator.focus",
            pass, scc_id, kappa, partition_count, duration_ms, usable, tokens_in, tokens_out,
            "deliberator.focus"
        ),
        Event::Reconcile {
            scc_id,
            round,
            converged,
            confidence,
            fast_path,
            duration_ms,
            tokens_in,
            tokens_out,
        } => info!(
            name: "deliberator.reconcile",
            scc_id, round, converged, confidence, fast_path, duration_ms, tokens_in, tokens_out,
            "deliberator.reconcile"
        ),
        Event::Crystallize {
            node_id,
            scc_id,
            kappa_before,
            conclusion_confidence,
        } => info!(
            name: "deliberator.crystallize",
            node_id, scc_id, kappa_before, conclusion_confidence,
            "deliberator.crystallize"
        ),
        Event::Escalate {
            scc_id,
            reason,
            target,
        } => info!(
            name: "deliberator.escalate",
            scc_id, %reason, target = target.as_str(),
            "deliberator.escalate"
        ),
    }
}
