//! The sealed run: stages, arrows, hashes.

use grounded_answer::SealedAnswer;
use grounded_answer::run_dag::Stage;
use maud::{Markup, html};

use crate::page::{figures, hash};
use crate::text::Shown;

/// The most stages that are drawn; all are listed.
const MOST_DRAWN: usize = 60;

/// The section on the run.
pub(crate) fn run(sealed: &SealedAnswer) -> Markup {
    let names = sealed.run.stage_names();
    html! {
        p { "Each hash binds its stage and, through its parents, all that led to it. A click selects a hash whole, ready to copy." }
        (figures(&[
            ("Root of the run", hash(&sealed.run_dag_root.to_string())),
            ("Root of the documents", match &sealed.source_root {
                Some(root) => hash(&root.to_string()),
                None => html! { "not committed" },
            }),
            ("Shape", html! { (Shown(&sealed.run.shape().to_string())) }),
            ("Evidence entries", html! { (sealed.run.evidence().len()) }),
        ]))
        (drawing(sealed.run.stages(), &names))
        ol.plain { @for (n, stage) in sealed.run.stages().iter().enumerate() {
            @let name = names.get(n).map_or("", String::as_str);
            li.card id=(format!("s{n}")) {
                h3 { (n + 1) ". " (Shown(name)) }
                p {
                    @if stage.parents().is_empty() { "Begins the run." } @else {
                        "Follows from "
                        @for (i, parent) in stage.parents().iter().enumerate() {
                            @if i > 0 { ", " }
                            a href=(format!("#s{parent}")) { (Shown(names.get(*parent).map_or("?", String::as_str))) }
                        }
                        "."
                    }
                }
                p { "stage " (hash(&stage.stage_hash().to_string())) br; "payload " (hash(&stage.payload_hash().to_string())) }
            }
        } }
    }
}

/// The stages in a column; an arrow to the next is straight, one that skips stages bows aside.
fn drawing(stages: &[Stage], names: &[String]) -> Markup {
    let shown = stages.len().min(MOST_DRAWN);
    let height = shown * 44 + 10;
    let top = |n: usize| n * 44 + 8;
    html! {
        svg role="img" aria-label="The stages and what each follows from; the list below says the same." width="420" height=(height) viewBox=(format!("0 0 420 {height}")) xmlns="http://www.w3.org/2000/svg" {
            @for (n, stage) in stages.iter().enumerate().take(shown) {
                @for parent in stage.parents().iter().copied().filter(|p| *p < n) {
                    @if parent + 1 == n {
                        path.ln d=(format!("M110 {}V{}", top(parent) + 28, top(n) - 5)) {}
                        path.la d=(format!("M110 {}l-5 -8h10z", top(n))) {}
                    } @else {
                        @let bow = 225 + ((n - parent) * 14).min(180);
                        @let (from, to) = (top(parent) + 14, top(n) + 14);
                        path.ln d=(format!("M210 {from}C{bow} {from} {bow} {to} 217 {to}")) {}
                        path.la d=(format!("M210 {to}l8 -5v10z")) {}
                    }
                }
                rect.nd x="10" y=(top(n)) width="200" height="28" rx="7" {}
                text x="110" y=(top(n) + 19) text-anchor="middle" { (names.get(n).map_or("", String::as_str).chars().take(24).collect::<String>()) }
            }
        }
        @if stages.len() > shown { p.soft { (stages.len() - shown) " more stages are listed below and not drawn." } }
    }
}
