//! The replies of a round: read, ranked, hashed.

use language_agents::{Completion, ContextItem};

use super::region::{Pass, Region};
use crate::crystallize::digest;
use crate::options::Options;
use crate::parse::{ParseNote, Reply, parse_reply};
use crate::report::{Conclusion, PassFailure, PassKind};

pub(super) fn tokens(pass: &Pass) -> (u64, u64) {
    let done = pass.record.completion.as_ref();
    done.map_or((0, 0), |c| (c.tokens_in, c.tokens_out))
}

/// The places of the round's focused passes that concluded something.
pub(super) fn usable_places(region: &Region) -> Vec<usize> {
    region
        .passes
        .iter()
        .enumerate()
        .skip(region.wave)
        .filter(|(_, p)| p.record.kind == PassKind::Focus)
        .filter(|(_, p)| matches!(p.record.outcome, Some(Ok(_))))
        .map(|(place, _)| place)
        .collect()
}

/// The most confident reply, the first among equals.
pub(super) fn most_confident(region: &Region, usable: &[usize]) -> Option<(Reply, usize)> {
    let mut best: Option<(&Reply, usize)> = None;
    for place in usable {
        if let Some(Some(Ok(reply))) = region.passes.get(*place).map(|p| &p.record.outcome)
            && best.is_none_or(|(b, _)| reply.confidence > b.confidence)
        {
            best = Some((reply, *place));
        }
    }
    best.map(|(reply, place)| (reply.clone(), place))
}

/// Keeps the best of a round's intermediates, in case nothing better comes: as far as the share
/// of passes that concluded anything supports it.
pub(super) fn remember_best(region: &mut Region, usable: &[usize], all: usize, options: &Options) {
    let Some((reply, place)) = most_confident(region, usable) else {
        return;
    };
    let confidence = reply.confidence * usable.len() as f64 / all.max(1) as f64;
    if region
        .best
        .as_ref()
        .is_some_and(|b| b.confidence >= confidence)
    {
        return;
    }
    region.reconcile_hash = region
        .passes
        .get(place)
        .map(|p| round_hash(std::iter::once(p)));
    region.best = Some(Conclusion {
        content: reply.conclusion,
        confidence,
        source_scc_id: region.scc.id.clone(),
        source_kappa: region.scc.kappa,
        fault_lines_examined: region.examined(options),
        iteration: region.round,
        converged: false,
    });
}

/// The hash of a reconcile stage: what was asked and replied, byte for byte.
pub(super) fn round_hash<'p>(passes: impl Iterator<Item = &'p Pass>) -> String {
    let mut parts = Vec::new();
    for pass in passes {
        let record = &pass.record;
        parts.push(record.prompt.system.as_str());
        parts.push(record.prompt.user.as_str());
        parts.push(record.completion.as_ref().map_or("", |c| c.text.as_str()));
    }
    digest("candor deliberator reconcile v1", &parts)
}

pub(super) fn last_failure(region: &Region) -> String {
    region
        .passes
        .iter()
        .rev()
        .find_map(|p| match &p.record.outcome {
            Some(Err(failure)) => Some(failure.to_string()),
            _ => None,
        })
        .unwrap_or_else(|| "no reply".to_owned())
}

/// Reads a reply and turns aliases into ids; what stands for no node in view is left out.
pub(super) fn read(pass: &Pass, done: &Completion) -> Result<Reply, PassFailure> {
    let material: Vec<&str> = pass
        .record
        .prompt
        .context
        .iter()
        .filter_map(|item| match item {
            ContextItem::Node { content, .. } => Some(content.as_str()),
            _ => None,
        })
        .collect();
    let mut reply =
        parse_reply(&done.text, done.finish, &pass.key, &material).map_err(PassFailure::Reply)?;
    let mut unknown = false;
    for list in [&mut reply.supports, &mut reply.contradicts] {
        let mut ids: Vec<String> = Vec::new();
        for name in list.iter() {
            let by_id = || pass.aliases.values().find(|id| *id == name);
            match pass.aliases.get(name).or_else(by_id) {
                Some(id) if !ids.contains(id) => ids.push(id.clone()),
                Some(_) => {}
                None => unknown = true,
            }
        }
        ids.sort();
        *list = ids;
    }
    if unknown {
        reply.notes.push(ParseNote::UnknownAlias);
    }
    Ok(reply)
}
