//! The page of a sealed answer.

use grounded_answer::{Outcome, SealedAnswer, Verification};
use maud::{Markup, html};

use crate::answer::{Links, Shape, answer, passages};
use crate::page::{figures, hash, page, section};
use crate::text::{Shown, short};
use crate::{ladder, limits, retrieval, run, topology, wisdom};

/// The page of a sealed answer, as one HTML file.
///
/// Self-contained: no script, nothing loaded, readable on paper, in the dark and on a phone.
/// Everything that comes from the question, the documents or the model is escaped; characters that
/// would steer the text's direction or hide in it are shown by number. The same answer gives the
/// same bytes. Time and size are linear in the answer.
#[must_use]
pub fn render(sealed: &SealedAnswer) -> String {
    build(sealed, None)
}

/// As [`render`], with what came of recomputing the answer.
///
/// `checked` is the result of [`grounded_answer::verify`]; `sealed` should be what was recomputed
/// there.
#[must_use]
pub fn render_checked(sealed: &SealedAnswer, checked: &Verification) -> String {
    build(sealed, Some(checked))
}

fn build(sealed: &SealedAnswer, checked: Option<&Verification>) -> String {
    let shape = Shape::from(sealed);
    let links = Links::new(&shape);
    let mut sections = vec![
        section("answer", "Answer", answer(&shape, &links)),
        section("label", "Label", ladder::ladder(&sealed.into())),
        section(
            "limits",
            "What could not be verified",
            limits::limits(sealed, checked),
        ),
        section("passages", "Passages", passages(&shape, &links)),
        section(
            "retrieval",
            "Retrieval",
            retrieval::retrieval(sealed.retrieval.as_ref()),
        ),
    ];
    if let Some(report) = &sealed.wisdom {
        let text = sealed.raw_answer.as_deref().unwrap_or_default();
        sections.push(section(
            "scores",
            "Scores of the argument",
            wisdom::wisdom(report, text),
        ));
    }
    if let Some(found) = &sealed.topology {
        sections.push(section(
            "topology",
            "Loops in the graph",
            topology::topology(found),
        ));
    }
    sections.push(section("run", "Sealed run", run::run(sealed)));
    sections.push(section("settings", "How it was made", made(sealed)));
    page("Sealed answer", &sealed.question, &head(sealed), &sections)
}

fn head(sealed: &SealedAnswer) -> Markup {
    let all = !sealed.claims.is_empty() && sealed.claims.iter().all(|c| c.supported);
    let (class, said) = match sealed.outcome {
        Outcome::Grounded if all => (
            "label good",
            "Answered; every claim is borne out by what it cites.",
        ),
        Outcome::Grounded if sealed.claims.is_empty() => {
            ("label warn", "Answered, with no claim to verify.")
        }
        Outcome::Grounded => ("label warn", "Answered; not every claim is borne out."),
        Outcome::Declined => ("label warn", "Declined: nothing near enough was found."),
        Outcome::Rejected => ("label warn", "Rejected before retrieval."),
        _ => ("label warn", "Ended in a way that this page does not know."),
    };
    html! {
        p { a class=(class) href="#label" { (Shown(&short(&sealed.label, 200))) } " " (said) }
        p.soft { "run " (hash(&sealed.run_dag_root.to_string())) }
    }
}

fn made(sealed: &SealedAnswer) -> Markup {
    let mode = sealed.settings.mode.wire_name();
    let hidden = html! { "unknown" };
    let model = &sealed.model;
    html! {
        (figures(&[
            ("Model", html! { (Shown(&model.model_id)) }),
            ("Revision", model.revision.as_deref().map_or_else(|| hidden.clone(), |r| html! { (Shown(r)) })),
            ("Quantization", model.quantization.as_deref().map_or_else(|| hidden.clone(), |q| html! { (Shown(q)) })),
            ("Citing by", html! { (mode) }),
            ("Verified by", html! { (sealed.verifier_method.map_or("nothing", |m| m.wire_name())) }),
            ("Verdict", html! { (sealed.audit_mode.map_or_else(|| "none".to_owned(), |m| m.to_string())) }),
            ("Language of the word lists", html! { (Shown(&sealed.preflight.classifier.language)) }),
            ("Schema", html! { (Shown(&sealed.schema_version)) }),
        ]))
        @if !sealed.feedback.is_empty() {
            h3 { "What the model was told about its previous answer" }
            ul { @for line in &sealed.feedback { li { (Shown(line)) } } }
        }
        @let added: Vec<&str> = sealed.preflight.prompt_contract.lines().collect();
        @if !added.is_empty() {
            h3 { "What preflight added to the prompt" }
            ul { @for line in added { li { (Shown(line)) } } }
        }
    }
}
