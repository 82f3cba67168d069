//! The scores of an argued answer: components as bars, with the places that made them.

use grounded_answer::wisdom_score::{Component, Event, Label, Report};
use maud::{Markup, html};

use crate::page::{bar, figures};
use crate::text::{Shown, listed, short};

/// The most places that a component shows.
const MOST_EVENTS: usize = 20;

/// The section on the scores. `text` is what was scored.
pub(crate) fn wisdom(report: &Report, text: &str) -> Markup {
    let codes: Vec<&str> = report.codes.iter().map(Label::as_str).collect();
    html! {
        p { "These numbers read the form of the answer. They say nothing about whether it is true." }
        (figures(&[
            ("𝓦, wisdom score", html! { (bar(report.wisdom_score)) (format!(" {:.6}", report.wisdom_score)) }),
            ("𝓗, harmonic score", html! { (bar(report.harmonic_score)) (format!(" {:.6}", report.harmonic_score)) }),
            ("Codes cited", html! { (report.codes.len()) " distinct, " (report.mentions) " mentions: " (Shown(&listed(&codes, 40))) }),
            ("Words", html! { (report.words) }),
        ]))
        h3 { "Components" }
        ul.plain { @for (component, weight) in Component::ALL.into_iter().zip(report.weights.values()) {
            li.card { (one(report, component, *weight, text)) }
        } }
        @if !report.feedback.is_empty() {
            h3 { "What is missing" }
            ul { @for sentence in &report.feedback { li { (Shown(sentence)) } } }
        }
    }
}

fn one(report: &Report, component: Component, weight: f64, text: &str) -> Markup {
    let value = report.components.get(component);
    let events: Vec<&Event> = report
        .events
        .iter()
        .filter(|e| e.component == component)
        .collect();
    html! {
        p {
            strong { (name(component)) } br;
            (bar(value)) (format!(" {value:.3}, weight {weight:.2}"))
        }
        @if !events.is_empty() {
            details {
                summary { "What made it (" (events.len()) ")" }
                ul { @for event in events.iter().take(MOST_EVENTS) { li { (fired(event, text)) } } }
                @if events.len() > MOST_EVENTS { p.soft { (events.len() - MOST_EVENTS) " more are not shown." } }
            }
        }
    }
}

fn fired(event: &Event, text: &str) -> Markup {
    let codes: Vec<&str> = event.codes.iter().map(|c| c.code.as_str()).collect();
    html! {
        @match text.get(event.span.bytes()) {
            Some(words) => { mark { (Shown(&short(words, 200))) } }
            None => { (Shown(event.term.as_str())) }
        }
        @if !codes.is_empty() { " with " (Shown(&listed(&codes, 8))) }
        span.soft { " (bytes " (event.span.start) "–" (event.span.end) ")" }
    }
}

fn name(component: Component) -> &'static str {
    match component {
        Component::Coverage => "Quadrants touched",
        Component::EntropyNormalized => "Evenness over the quadrants",
        Component::DialecticalPairDensity => "Axes whose poles meet",
        Component::TensionDensity => "Tension between codes",
        Component::SynthesisAnchoring => "Mediators with what they mediate",
        Component::AxisExplicit => "Opening names an axis",
        Component::SubordinatingSynthesis => "Synthesis by mediation",
        Component::MereologicalCoverage => "Part–whole relations touched",
    }
}
