//! Checks 8 and 9 and the soft demotes: they cap the rung and leave the claim supported.

use super::claim_text::ClaimText;
use super::lattice::{Cited, Context};
use crate::codes::Code;
use crate::language::Class;
use crate::verdict::{ClaimVerdict, Violation};

/// The demotes of one claim.
pub(super) fn of_claim(cited: &Cited<'_>, context: &Context<'_>, verdict: &mut ClaimVerdict) {
    title_relevance(cited, context, verdict);
    subject_tokens(cited, context, verdict);
    lazy_anchor(cited, context, verdict);
    bare_name(cited, verdict);
    detail(cited, context, verdict);
}

/// Check 8: some cited source's title shares a stemmed content token with the claim. Sources
/// without a title say nothing here.
fn title_relevance(cited: &Cited<'_>, context: &Context<'_>, verdict: &mut ClaimVerdict) {
    let titled = cited.matches.iter().any(|m| {
        context
            .index
            .titles
            .get(m.passage)
            .is_some_and(|t| !t.tokens.is_empty())
    });
    if titled && cited.matches.iter().all(|m| m.title == 0) {
        verdict.push(Violation::new(Code::TitleMismatch).pointers(cited.pointers.clone()));
    }
}

/// Check 9: content tokens that question and claim share must appear in the cited text.
fn subject_tokens(cited: &Cited<'_>, context: &Context<'_>, verdict: &mut ClaimVerdict) {
    let missing: Vec<String> = cited
        .claim
        .slots
        .iter()
        .enumerate()
        .filter(|&(i, slot)| {
            cited.all >> i & 1 == 0 && context.question.slots.iter().any(|q| q.stem == slot.stem)
        })
        .map(|(i, _)| cited.claim.slot_text(i).to_owned())
        .collect();
    let count = u32::try_from(missing.len()).unwrap_or(u32::MAX);
    let threshold = u32::from(context.policy.subject_tokens_missing);
    if threshold > 0 && count >= threshold {
        verdict.push(
            Violation::new(Code::SubjectTokensAbsent)
                .pointers(cited.pointers.clone())
                .tokens(missing)
                .measured(count, threshold),
        );
    }
}

/// A passage that was offered and not cited covers the claim clearly better.
fn lazy_anchor(cited: &Cited<'_>, context: &Context<'_>, verdict: &mut ClaimVerdict) {
    let total = cited.claim.slots.len();
    if total == 0 {
        return;
    }
    let mut counts = vec![0_u32; context.index.len()];
    for slot in &cited.claim.slots {
        for &passage in context.index.holders(slot.stem) {
            if let Some(count) = counts.get_mut(passage as usize) {
                *count += 1;
            }
        }
    }
    let own = cited
        .matches
        .iter()
        .map(|m| m.all.count_ones())
        .max()
        .unwrap_or(0);
    let is_cited = |p: usize| cited.matches.iter().any(|m| m.passage == p);
    let Some((best, count)) = counts
        .iter()
        .enumerate()
        .filter(|&(p, _)| !is_cited(p))
        .rev()
        .max_by_key(|&(_, &c)| c)
    else {
        return;
    };
    let total = u32::try_from(total).unwrap_or(u32::MAX);
    let points = count.saturating_sub(own).saturating_mul(100) / total;
    let threshold = u32::from(context.policy.lazy_anchor_points);
    if threshold > 0 && *count > own && points >= threshold {
        let better = context.evidence.entries().get(best);
        verdict.push(
            Violation::new(Code::LazyAnchorDemoted)
                .pointers(better.map(|e| e.pointer_id.clone()).into_iter().collect())
                .measured(points, threshold),
        );
    }
}

/// Nothing but a name or a noun phrase: no word that could be its verb.
fn bare_name(cited: &Cited<'_>, verdict: &mut ClaimVerdict) {
    let claim = cited.claim;
    let named: usize = claim.names.iter().map(|n| n.tokens.len()).sum();
    let tokens = claim.prepared.tokens.len();
    let functional = (0..tokens)
        .filter(|&i| {
            let class = claim.class_of(i);
            class.has(Class::STOP) && is_article(claim.word(i))
        })
        .count();
    if tokens > 0 && (named + functional == tokens || tokens == 1) {
        verdict.push(
            Violation::new(Code::BareNameClaim)
                .tokens(vec![claim.prepared.text().chars().take(80).collect()]),
        );
    }
}

fn is_article(word: &str) -> bool {
    let lower = word.to_lowercase();
    matches!(
        lower.as_str(),
        "the"
            | "a"
            | "an"
            | "of"
            | "and"
            | "el"
            | "la"
            | "els"
            | "les"
            | "l'"
            | "un"
            | "una"
            | "de"
            | "d'"
            | "i"
    )
}

/// For the top rung the claim's words have to stand together.
fn detail(cited: &Cited<'_>, context: &Context<'_>, verdict: &mut ClaimVerdict) {
    let total = u64::try_from(cited.claim.content).unwrap_or(u64::MAX);
    let held = u64::from(cited.window.count_ones());
    let threshold = context.policy.detail_percent;
    if threshold > 0 && total > 0 && held * 100 < u64::from(threshold) * total {
        let percent = u32::try_from(held * 100 / total).unwrap_or(0);
        verdict.push(
            Violation::new(Code::DetailNotCovered)
                .pointers(cited.pointers.clone())
                .tokens(cited.claim.slot_texts(cited.claim.all() & !cited.window))
                .measured(percent, u32::from(threshold)),
        );
    }
}

/// Whether a claim holds a word of the question's subject.
pub(super) fn holds_subject(claim: &ClaimText, question: &ClaimText) -> bool {
    question.slots.iter().any(|q| {
        claim
            .slots
            .iter()
            .any(|s| s.stem == q.stem || s.root == q.root)
    })
}

/// The demotes of the answer as a whole.
pub(super) fn of_answer(
    claims: &[ClaimVerdict],
    context: &Context<'_>,
    subject_seen: bool,
) -> Vec<Violation> {
    let mut out = Vec::new();
    let count = u32::try_from(claims.len()).unwrap_or(u32::MAX);
    if count > context.policy.max_claims {
        out.push(Violation::new(Code::TooManyClaims).measured(count, context.policy.max_claims));
    }
    if !claims.is_empty() && !context.question.slots.is_empty() && !subject_seen {
        out.push(
            Violation::new(Code::DeflectionDetected)
                .tokens(context.question.slot_texts(context.question.all())),
        );
    }
    let lines = context.policy.format_collapsed_lines;
    if lines > 0 && count >= lines && claims.iter().all(|c| c.pointers().is_empty()) {
        out.push(Violation::new(Code::FormatCollapsed).measured(count, lines));
    }
    out
}
