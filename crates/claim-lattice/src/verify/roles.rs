//! Check 7, exchanged roles: the claim's two names stand on the other sides of its verb.

use super::base_anchors::miss;
use super::claim_text::{ClaimText, Mask, word};
use super::lattice::{Cited, Context};
use super::matching::PassageMatch;
use crate::codes::AnchorClass;
use crate::index::{Entries, Form, Prepared};
use crate::language::Class;
use crate::verdict::ClaimVerdict;

/// The most content words between two names that still stand around one verb.
const MAX_BETWEEN: usize = 2;

/// The most pairs of names that are looked at: a claim with more is none.
const MAX_PAIRS: usize = 64;

/// Two names of a claim with a verb between them.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Pair {
    /// The slot of the last word of the name that acts.
    agent: u8,
    /// The slot of the last word of the name that is acted upon.
    patient: u8,
    /// The slots between them.
    verbs: Mask,
}

pub(super) fn check(cited: &Cited<'_>, context: &Context<'_>, verdict: &mut ClaimVerdict) {
    let mut pairs = pairs(cited.claim);
    // The same two names around the same verb are one pair.
    pairs.sort_unstable();
    pairs.dedup();
    for pair in pairs.into_iter().take(MAX_PAIRS) {
        let orders: Vec<bool> = cited
            .matches
            .iter()
            .flat_map(|m| agent_first(m, context, &pair))
            .collect();
        if orders.is_empty() {
            continue;
        }
        verdict.warrant_ran(AnchorClass::Roles);
        if !orders.contains(&true) {
            let both = 1 << pair.agent | 1 << pair.patient;
            miss(
                verdict,
                cited,
                AnchorClass::Roles,
                cited.claim.slot_texts(both),
            );
        }
    }
}

/// Whether "by" stands right before a token: the name there acts.
fn behind_by(text: &Prepared, token: usize) -> bool {
    token
        .checked_sub(1)
        .is_some_and(|t| matches!(word(text, t), "by" | "per" | "pel"))
}

/// Words that hold both ways round.
fn is_mutual(word: &str) -> bool {
    let lower = word.to_lowercase();
    [
        "marri", "marry", "wed", "met", "meet", "fac", "play", "join", "and", "divorc", "border",
        "casa", "troba", "enfront",
    ]
    .iter()
    .any(|stem| lower.starts_with(stem))
}

fn pairs(claim: &ClaimText) -> Vec<Pair> {
    let mut out = Vec::new();
    for window in claim.names.windows(2) {
        let [first, second] = window else { continue };
        let (Some(&end), Some(&start), Some(&last)) = (
            first.tokens.last(),
            second.tokens.first(),
            second.tokens.last(),
        ) else {
            continue;
        };
        let between: Vec<usize> = (end + 1..start).collect();
        let broken = (end + 1..=start).any(|t| {
            claim
                .prepared
                .tokens
                .get(t)
                .is_some_and(|t| t.form.has(Form::AFTER_BREAK) || t.form.has(Form::INITIAL))
        });
        let verbs: Vec<u8> = between
            .iter()
            .filter_map(|&t| claim.slot_of.get(t).copied().flatten())
            .collect();
        let mutual = between
            .iter()
            .any(|&t| is_mutual(claim.word(t)) || claim.class_of(t).has(Class::CONJUNCTION));
        let (Some(Some(a)), Some(Some(b))) = (claim.slot_of.get(end), claim.slot_of.get(last))
        else {
            continue;
        };
        if broken || mutual || verbs.is_empty() || verbs.len() > MAX_BETWEEN || a == b {
            continue;
        }
        let passive = behind_by(&claim.prepared, start);
        let (agent, patient) = if passive { (*b, *a) } else { (*a, *b) };
        out.push(Pair {
            agent,
            patient,
            verbs: verbs.iter().fold(0, |mask, v| mask | 1 << v),
        });
    }
    out
}

/// For each place in the passage where the two names stand around the same verb: whether the
/// claim's agent is the agent there.
fn agent_first(found: &PassageMatch<'_>, context: &Context<'_>, pair: &Pair) -> Vec<bool> {
    let mut out = Vec::new();
    let names: Vec<(usize, u8)> = found
        .hits
        .iter()
        .filter(|h| h.slot == pair.agent || h.slot == pair.patient)
        .map(|h| (h.token, h.slot))
        .collect();
    for window in names.windows(2) {
        let &[(start, first), (end, second)] = window else {
            continue;
        };
        if first == second || found.prepared.sentence_of(start) != found.prepared.sentence_of(end) {
            continue;
        }
        let inner = start + 1..end;
        let verb = found
            .hits
            .iter()
            .any(|h| inner.contains(&h.token) && pair.verbs >> h.slot & 1 == 1);
        let content = inner
            .clone()
            .filter(|&t| {
                found.prepared.tokens.get(t).is_some_and(|t| {
                    !context
                        .index
                        .vocabulary
                        .entry(t.word)
                        .class
                        .has(Class::EMPTY)
                        && !t.form.has(Form::CAPITAL)
                })
            })
            .count();
        if !verb || content > MAX_BETWEEN {
            continue;
        }
        let passive = inner.clone().any(|t| behind_by(found.prepared, t + 1));
        let agent = if passive { second } else { first };
        out.push(agent == pair.agent);
    }
    out
}
