//! The label's ladder, and what its rungs say.

use grounded_answer::SealedAnswer;
use grounded_answer::claim_lattice::VerifierMethod;
use maud::{Markup, html};

use crate::text::Shown;
use crate::words;

type Rung = (&'static str, &'static str);

/// For answers with pointers, lowest first.
const POINTERS: [Rung; 5] = [
    ("UNGROUNDED", "No claim cites anything that was verified."),
    (
        "POINTER-LINKED",
        "Pointers, sources' roles and places are in order; a name, number, date or the like was not found in the cited text, or nothing of the kind was there to check.",
    ),
    (
        "ANCHOR-WARRANTED",
        "Wherever a name, number, date or the like was checked it stands in the cited text; something else lowers the rung.",
    ),
    (
        "EVIDENCE-WARRANTED",
        "Every check passed and nothing lowers the rung. The cited text holds the claim's words; whether it means the same is for the reader.",
    ),
    (
        "ENTAILMENT-VERIFIED",
        "That the cited text implies the claim. Never given here: words are checked, not meaning.",
    ),
];

/// For free prose, lowest first.
const PROSE: [Rung; 3] = [
    ("UNGROUNDED", "None of it was found in the sources."),
    ("HYBRID", "Some of it was found in the sources."),
    ("STRICT", "All of it was found in the sources."),
];

/// Labels that stand on no ladder.
const APART: [Rung; 3] = [
    (
        "HONEST-REFUSAL",
        "The answer says that the sources do not answer. There was nothing to verify.",
    ),
    (
        "DECLINED",
        "Nothing near enough to the question was found, so no model was asked.",
    ),
    (
        "REJECTED",
        "The question was refused before anything was looked for.",
    ),
];

/// A label and what goes with it.
#[derive(Clone, Copy)]
pub(crate) struct Standing<'a> {
    pub(crate) label: &'a str,
    pub(crate) audit_line: &'a str,
    pub(crate) method: Option<VerifierMethod>,
    pub(crate) states: &'a [String],
}

impl<'a> From<&'a SealedAnswer> for Standing<'a> {
    fn from(sealed: &'a SealedAnswer) -> Self {
        Self {
            label: &sealed.label,
            audit_line: &sealed.audit_line,
            method: sealed.verifier_method,
            states: &sealed.states,
        }
    }
}

/// The ladder with the rung reached, and the tails.
pub(crate) fn ladder(standing: &Standing<'_>) -> Markup {
    let (name, partial) = match standing.label.strip_suffix("-PARTIAL") {
        Some(name) => (name, true),
        None => (standing.label, false),
    };
    let pointers = standing
        .method
        .is_none_or(|m| m.wire_name() == "claim_lattice");
    let rungs: &[Rung] = if pointers { &POINTERS } else { &PROSE };
    let on_ladder = rungs.iter().any(|(rung, _)| *rung == name);
    html! {
        p { (Shown(standing.audit_line)) }
        @if on_ladder {
            p.soft { "From the highest rung to the lowest. A label says what was checked, never more." }
            ol.steps reversed {
                @for (rung, meaning) in rungs.iter().rev() {
                    @if *rung == name {
                        li aria-current="step" {
                            strong { (standing.label) } " – reached. " (meaning)
                            @if partial { " Partial: this holds for the claims that are borne out; others stand below it." }
                        }
                    } @else { li { strong { (rung) } ". " (meaning) } }
                }
            }
        } @else if let Some((_, meaning)) = APART.iter().find(|(apart, _)| *apart == name) {
            p { strong { (name) } ". " (meaning) " This label stands on no ladder." }
        } @else {
            p { strong { (Shown(standing.label)) } ". This label is not known to the page." }
        }
        (tails(standing.states))
    }
}

fn tails(states: &[String]) -> Markup {
    html! {
        @if !states.is_empty() {
            h3 { "What else should be known about the question" }
            ul { @for state in states {
                @let words = state.replace('_', " ");
                li {
                    strong { (Shown(&words)) }
                    @if let Some(meaning) = words::tail(&words) { ". " (meaning) }
                }
            } }
        }
    }
}
