//! What could not be verified.

use grounded_answer::{Outcome, SealedAnswer, SealedClaim, Verification};
use maud::{Markup, html};

use crate::text::{Shown, counted};

/// The limits of this very answer, in words; what a recomputation found, where one was made.
pub(crate) fn limits(sealed: &SealedAnswer, checked: Option<&Verification>) -> Markup {
    html! {
        ul { @for one in of(sealed) { li { (one) } } }
        @match checked {
            None => p { "This page shows the answer as it was sealed. It is no proof by itself: recompute the saved answer against the documents." },
            Some(checked) => (recomputed(checked)),
        }
    }
}

/// What a verdict on these claims leaves open.
pub(crate) fn of_claims(claims: &[SealedClaim]) -> Vec<String> {
    let mut out = Vec::new();
    let open = claims.iter().filter(|c| !c.supported).count();
    if open > 0 {
        let of = counted(claims.len(), "claim", "claims");
        out.push(format!("{open} of {of} not borne out by what is cited."));
    }
    let unchecked = claims
        .iter()
        .filter(|c| c.supported && !c.warrant_fired)
        .count();
    if unchecked > 0 {
        let count = counted(unchecked, "claim", "claims");
        out.push(format!(
            "{count} borne out held no name, number, date or the like that could be checked beyond shared words."
        ));
    }
    if !claims.is_empty() {
        out.push("Whether a cited passage means what the claim says. Words are checked, not meaning, and not whether the documents are right.".to_owned());
    }
    out
}

fn of(sealed: &SealedAnswer) -> Vec<String> {
    let mut out = of_claims(&sealed.claims);
    if sealed.raw_answer.is_some() {
        out.push(
            "That the model would write the same again. Its text is taken as recorded.".to_owned(),
        );
    }
    if sealed.outcome != Outcome::Rejected && sealed.source_root.is_none() {
        out.push("Which documents were searched: their root was not committed.".to_owned());
    }
    if sealed.topology.is_some() {
        out.push("The graph behind κ: only what was found in it is sealed.".to_owned());
    }
    match sealed.outcome {
        Outcome::Declined => out.push(
            "Whether the documents answer the question after all: that nothing near enough was found rests on a calibrated threshold.".to_owned(),
        ),
        Outcome::Rejected => out.push("Anything about the answer: there is none.".to_owned()),
        _ => {}
    }
    out
}

fn recomputed(checked: &Verification) -> Markup {
    html! {
        h3 { "Recomputed" }
        @if checked.matches() {
            p { strong.good { "✓ All that was recomputed matches." } }
        } @else {
            p { strong.bad { "✗ " (counted(checked.discrepancies.len(), "place does", "places do")) " not match." } }
            ul { @for one in checked.discrepancies.iter().take(200) {
                li { strong { (Shown(&one.place)) } ", " (Shown(&one.path)) ": saved " (Shown(&one.recorded)) ", now " (Shown(&one.recomputed)) }
            } }
        }
        @if !checked.not_rechecked.is_empty() {
            p { "Taken as recorded:" }
            ul { @for one in &checked.not_rechecked { li { (Shown(one)) } } }
        }
    }
}
