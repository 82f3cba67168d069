//! Check 7, classes whose words must be there themselves: numbers with units, ordinals,
//! quantifiers, superlatives.

use std::collections::BTreeMap;

use super::base_anchors::{check_quantities, miss};
use super::claim_text::{ClaimText, word};
use super::lattice::{Cited, Context};
use crate::codes::AnchorClass;
use crate::index::{Entries, Form, Overlay, Prepared, WordEntry};
use crate::language::Class;
use crate::numbers::{Sort, Unit};
use crate::verdict::ClaimVerdict;

pub(super) fn check(
    cited: &Cited<'_>,
    context: &Context<'_>,
    overlay: &Overlay<'_>,
    verdict: &mut ClaimVerdict,
) {
    let on = context.policy.anchors;
    if on.numbers {
        check_quantities(
            cited,
            context,
            AnchorClass::Numbers,
            |q| q.sort == Sort::Cardinal && q.unit != Unit::None,
            verdict,
        );
    }
    if on.ordinals {
        ordinals(cited, context, verdict);
    }
    if on.quantifiers {
        quantifiers(cited, context, verdict);
    }
    if on.superlatives {
        superlatives(cited, context, overlay, verdict);
    }
}

/// The tokens of all cited passages and their titles, with what is known of each.
fn evidence_tokens<'a>(
    cited: &'a Cited<'_>,
    context: &'a Context<'_>,
) -> impl Iterator<Item = (&'a Prepared, usize, WordEntry)> {
    cited
        .matches
        .iter()
        .flat_map(|m| std::iter::once(m.prepared).chain(context.index.titles.get(m.passage)))
        .flat_map(move |text| {
            text.tokens
                .iter()
                .enumerate()
                .map(move |(i, t)| (text, i, context.index.vocabulary.entry(t.word)))
        })
}

/// Each ordinal of the claim, by value: `third` is `3rd` and not `second`.
fn ordinals(cited: &Cited<'_>, context: &Context<'_>, verdict: &mut ClaimVerdict) {
    let claim = cited.claim;
    let mut missing = Vec::new();
    let mut known: BTreeMap<u64, bool> = BTreeMap::new();
    for i in 0..claim.prepared.tokens.len() {
        if !claim.class_of(i).has(Class::ORDINAL) || claim.in_quantity(i) || enumerates(claim, i) {
            continue;
        }
        verdict.warrant_ran(AnchorClass::Ordinals);
        let value = claim.value_of(i);
        let held = *known.entry(value).or_insert_with(|| {
            evidence_tokens(cited, context)
                .any(|(_, _, e)| e.class.has(Class::ORDINAL) && e.value == value)
        });
        if !held {
            missing.push(claim.word(i).to_owned());
        }
    }
    if !missing.is_empty() {
        miss(verdict, cited, AnchorClass::Ordinals, missing);
    }
}

/// "First, ..." counts the statements of the text, not what they are about.
fn enumerates(claim: &ClaimText, token: usize) -> bool {
    let form = |i: usize, wanted: Form| {
        claim
            .prepared
            .tokens
            .get(i)
            .is_some_and(|t| t.form.has(wanted))
    };
    form(token, Form::INITIAL) && form(token + 1, Form::AFTER_BREAK)
}

/// What has to stand in the evidence for a quantifier of a claim.
fn bearers(class: Class) -> Option<Class> {
    if class.has(Class::EXCLUSIVE) {
        return Some(Class::EXCLUSIVE);
    }
    if class.has(Class::UNIVERSAL) {
        return Some(Class::UNIVERSAL);
    }
    if class.has(Class::MAJORITY) {
        return Some(Class(
            Class::MAJORITY.0 | Class::UNIVERSAL.0 | Class::SUPERLATIVE.0,
        ));
    }
    None
}

/// "All", "only" and "most" are borne by their own kind alone.
fn quantifiers(cited: &Cited<'_>, context: &Context<'_>, verdict: &mut ClaimVerdict) {
    let claim = cited.claim;
    let mut missing = Vec::new();
    let mut known: BTreeMap<u32, bool> = BTreeMap::new();
    for i in 0..claim.prepared.tokens.len() {
        let Some(wanted) = bearers(claim.class_of(i)) else {
            continue;
        };
        // "Not only" and "not all" take the quantifier back; "un de cada cinc" is a number.
        let taken_back = i
            .checked_sub(1)
            .is_some_and(|p| claim.class_of(p).has(Class::NEGATION));
        if taken_back || claim.in_quantity(i) {
            continue;
        }
        verdict.warrant_ran(AnchorClass::Quantifiers);
        let held = *known.entry(wanted.0).or_insert_with(|| {
            evidence_tokens(cited, context).any(|(_, _, e)| e.class.has(wanted))
        });
        if !held && cited.restated(i) {
            missing.push(claim.word(i).to_owned());
        }
    }
    if !missing.is_empty() {
        miss(verdict, cited, AnchorClass::Quantifiers, missing);
    }
}

/// Each superlative of the claim has to be there: itself, a synonym, or "most" with its base.
fn superlatives(
    cited: &Cited<'_>,
    context: &Context<'_>,
    overlay: &Overlay<'_>,
    verdict: &mut ClaimVerdict,
) {
    let claim = cited.claim;
    let mut missing = Vec::new();
    let mut known: BTreeMap<(u32, u32), bool> = BTreeMap::new();
    for (i, token) in claim.prepared.tokens.iter().enumerate() {
        let class = claim.class_of(i);
        let name = token.form.has(Form::CAPITAL) && !token.form.has(Form::INITIAL);
        if !class.has(Class::SUPERLATIVE) || class.has(Class::MAJORITY) || name {
            continue;
        }
        verdict.warrant_ran(AnchorClass::Superlatives);
        let stem = overlay.entry(token.word).stem;
        let synonyms = context
            .lexicon
            .relations(overlay.stem_text(stem))
            .map_or(&[][..], |r| &r.synonyms);
        let held = *known.entry((stem, token.word)).or_insert_with(|| {
            evidence_tokens(cited, context).any(|(text, t, e)| {
                e.stem == stem
                    || e.class.has(Class::SUPERLATIVE)
                        && synonyms.iter().any(|s| **s == *overlay.stem_text(e.stem))
                    || is_base_of(word(text, t), claim.word(i))
            })
        });
        if !held && cited.restated(i) {
            missing.push(claim.word(i).to_owned());
        }
    }
    if !missing.is_empty() {
        miss(verdict, cited, AnchorClass::Superlatives, missing);
    }
}

/// `popular` after "most" for `most popular` is met by the word itself; `fast` never bears
/// `fastest`, but `fastest-growing` and `Fastest` do.
fn is_base_of(evidence: &str, claim: &str) -> bool {
    evidence.len() == claim.len() && evidence.eq_ignore_ascii_case(claim)
}
