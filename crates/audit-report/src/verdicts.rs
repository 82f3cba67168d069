//! The page of answers that were verified without being asked for: no retrieval, no sealed run.

use grounded_answer::SealedClaim;
use grounded_answer::claim_lattice::{self, EvidenceMap, Policy, Verdict};
use maud::{Markup, html};

use crate::answer::{Links, Shape, answer, passages};
use crate::ladder::{Standing, ladder};
use crate::limits::of_claims;
use crate::page::{Section, figures, page, section};
use crate::text::{Shown, counted, short};

/// An answer, what it could cite, and the verdict on it.
#[derive(Debug, Clone, Copy)]
pub struct Judged<'a> {
    /// A name for it, for the page's contents; may be empty.
    pub id: &'a str,
    /// The question that was answered.
    pub question: &'a str,
    /// The answer as it came.
    pub answer: &'a str,
    /// What the verifier found.
    pub verdict: &'a Verdict,
    /// What the answer could cite.
    pub evidence: &'a EvidenceMap,
    /// The policy of the verdict.
    pub policy: &'a Policy,
}

/// The page of verdicts, each with its answer, as one HTML file; what [`render`](crate::render) says
/// holds here too, in the sum over the answers.
#[must_use]
pub fn render_verdicts(judged: &[Judged<'_>]) -> String {
    let mut sections: Vec<Section> = judged
        .iter()
        .enumerate()
        .map(|(n, one)| case(n, one))
        .collect();
    sections.push(section("limits", "What was not done", limits()));
    let title = counted(judged.len(), "verdict", "verdicts");
    page("Verified answers", &title, &head(judged), &sections)
}

fn head(judged: &[Judged<'_>]) -> Markup {
    let passing = judged.iter().filter(|one| one.verdict.passes()).count();
    html! {
        p { "In " (passing) " of " (counted(judged.len(), "answer", "answers"))
            " every claim is borne out by what it cites." }
    }
}

fn case(n: usize, one: &Judged<'_>) -> Section {
    let prefix = format!("v{}-", n + 1);
    let claims = claims(one);
    let shape = Shape {
        prefix: &prefix,
        answer: one.answer,
        raw: Some(one.answer),
        claims: &claims,
        evidence: one.evidence.entries(),
        violations: one.verdict.violations(),
        notes: one.verdict.notes(),
    };
    let links = Links::new(&shape);
    let label = one.verdict.label().to_string();
    let states: Vec<String> = one
        .verdict
        .tails()
        .iter()
        .map(|tail| tail.words().to_owned())
        .collect();
    let standing = Standing {
        label: &label,
        audit_line: one.verdict.audit_line(),
        method: Some(one.verdict.verifier_method()),
        states: &states,
    };
    let class = if one.verdict.passes() {
        "label good"
    } else {
        "label warn"
    };
    let title = match (one.id.trim(), one.question.trim()) {
        ("", "") => format!("Answer {}", n + 1),
        ("", question) => format!("{}. {}", n + 1, short(question, 300)),
        (id, question) => format!("{}: {}", short(id, 60), short(question, 300)),
    };
    let body = html! {
        p { span class=(class) { (label) } }
        (answer(&shape, &links))
        @let open = of_claims(&claims);
        @if !open.is_empty() {
            h3 { "What could not be verified" }
            ul { @for line in open { li { (line) } } }
        }
        h3 { "Label" }
        (ladder(&standing))
        h3 { "Passages" }
        (passages(&shape, &links))
        details { summary { "How it was verified" }
            (figures(&[
                ("Citing by", html! { (one.verdict.answer_mode().wire_name()) }),
                ("Verified by", html! { (one.verdict.verifier_method().wire_name()) }),
                ("Verdict", html! { (one.verdict.audit_mode().to_string()) }),
                ("Question", html! { (Shown(one.question)) }),
            ])) }
    };
    section(format!("v{}", n + 1), title, body)
}

/// The claims with the literal text that they cite.
fn claims(one: &Judged<'_>) -> Vec<SealedClaim> {
    let rendering = claim_lattice::render(one.verdict, one.evidence, one.policy);
    let pairs = one.verdict.claims().iter().zip(&rendering.claims);
    pairs
        .map(|(claim, rendered)| SealedClaim::new(claim, rendered))
        .collect()
}

fn limits() -> Markup {
    html! {
        ul {
            li { "Nothing was retrieved and no model was asked: answers and passages are taken as they were handed in." }
            li { "Nothing is sealed: this page is no record that can be recomputed. The same input gives the same verdicts." }
        }
    }
}
