//! Check 7, causes: what "why" is answered by, and what a claim says behind "because".

use super::base_anchors::miss;
use super::claim_text::Mask;
use super::lattice::{Cited, Context};
use crate::codes::AnchorClass;
use crate::index::Form;
use crate::language::Class;
use crate::verdict::ClaimVerdict;

pub(super) fn check(cited: &Cited<'_>, context: &Context<'_>, verdict: &mut ClaimVerdict) {
    if context.shape.cause {
        asked(cited, context, verdict);
    }
    if !context.policy.gate_by_question {
        stated(cited, verdict);
    }
}

/// "Why" is answered by a noun: a name, or a common noun of five letters or more.
fn asked(cited: &Cited<'_>, context: &Context<'_>, verdict: &mut ClaimVerdict) {
    let mut any = false;
    let mut found = false;
    let mut candidates = Vec::new();
    for (i, slot) in cited.claim.slots.iter().enumerate() {
        let text = cited.claim.slot_text(i);
        let long = text.chars().count() >= 5 && !slot.class.has(Class::WEAK_CAUSE);
        let asked = context.question.slots.iter().any(|s| s.stem == slot.stem);
        if !(slot.name || long) || asked || slot.number {
            continue;
        }
        any = true;
        found |= cited.all >> i & 1 == 1;
        candidates.push(text.to_owned());
    }
    if !any {
        return;
    }
    verdict.warrant_ran(AnchorClass::Causes);
    if !found {
        miss(verdict, cited, AnchorClass::Causes, candidates);
    }
}

/// The phrases that open a cause: English, then Catalan.
const OPENERS: [&[&str]; 12] = [
    &["because", "of"],
    &["because"],
    &["due", "to"],
    &["owing", "to"],
    &["thanks", "to"],
    &["caused", "by"],
    &["perquè"],
    &["a", "causa", "de"],
    &["a", "causa", "del"],
    &["degut", "a"],
    &["gràcies", "a"],
    &["per", "culpa", "de"],
];

/// A cause that the claim itself states has to be there: of the words behind "because", up to
/// the end of the clause, the evidence has one at least.
fn stated(cited: &Cited<'_>, verdict: &mut ClaimVerdict) {
    let claim = cited.claim;
    let tokens = claim.prepared.tokens.len();
    let mut at = 0;
    while at < tokens {
        let Some(opener) = opener(cited, at) else {
            at += 1;
            continue;
        };
        let from = at + opener;
        let end = (from..tokens)
            .find(|&i| i > from && ends_clause(cited, i))
            .unwrap_or(tokens);
        at = end.max(at + 1);
        let slots: Mask = (from..end)
            .filter_map(|i| claim.slot_of.get(i).copied().flatten())
            .fold(0, |mask, slot| mask | 1 << slot);
        if slots == 0 {
            continue;
        }
        verdict.warrant_ran(AnchorClass::Causes);
        if slots & cited.all == 0 {
            miss(verdict, cited, AnchorClass::Causes, claim.slot_texts(slots));
        }
    }
}

/// How many words the phrase has that opens a cause at a token.
fn opener(cited: &Cited<'_>, at: usize) -> Option<usize> {
    let class = cited.claim.class_of(at);
    if !class.has(Class(Class::STOP.0 | Class::LIGHT.0 | Class::CONJUNCTION.0)) {
        return None;
    }
    OPENERS
        .iter()
        .filter(|phrase| {
            phrase.iter().enumerate().all(|(i, w)| {
                let word = cited.claim.word(at + i);
                w.eq_ignore_ascii_case(word)
            })
        })
        .map(|phrase| phrase.len())
        .max()
}

fn ends_clause(cited: &Cited<'_>, token: usize) -> bool {
    cited
        .claim
        .prepared
        .tokens
        .get(token)
        .is_some_and(|t| t.form.has(Form::AFTER_BREAK) || t.form.has(Form::INITIAL))
}
