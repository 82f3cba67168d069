//! What retrieval did: figures, bands, passages with their similarities.

use grounded_answer::RetrievalReport;
use grounded_answer::geodesic_retriever::{LabelAmplitude, MatchBand, RetrievalFigures};
use maud::{Markup, html};

use crate::page::{bar, figures};
use crate::text::{Prose, Shown};

const BANDS: [(MatchBand, &str, &str); 5] = [
    (MatchBand::Strong, "strong", "well covered"),
    (MatchBand::Match, "match", "related"),
    (MatchBand::Partial, "partial", "vaguely related"),
    (MatchBand::Unknown, "unknown", "nothing related"),
    (MatchBand::Empty, "empty", "there is no entry"),
];

/// The section on retrieval.
pub(crate) fn retrieval(report: Option<&RetrievalReport>) -> Markup {
    let Some(report) = report else {
        return html! { p { "Nothing was looked for." } };
    };
    let f = &report.figures;
    html! {
        @if let Some(why) = &report.declined {
            p { strong.warn { "Declined: " } (Shown(why)) "." }
        }
        (scale(f))
        (figures(&rows(f)))
        h3 { "Band of the nearest passage" }
        ol.steps { @for (band, name, meaning) in BANDS {
            @if band == f.band {
                li aria-current="step" { strong { (name) } ": " (meaning) ". Suggested: " (Shown(&f.suggested_action)) "." }
            } @else { li { (name) ": " (meaning) } }
        } }
        @if !f.notes.is_empty() { ul { @for note in &f.notes { li { (Shown(note)) } } } }
        (found(report))
        @if !f.amplitudes.is_empty() { (amplitudes(&f.amplitudes, f.winner.as_deref())) }
    }
}

fn rows(f: &RetrievalFigures) -> Vec<(&'static str, Markup)> {
    let best = f
        .best_query_sim
        .map_or_else(|| "none".to_owned(), |s| format!("{s:.6}"));
    vec![
        ("Nearest passage", html! { (best) }),
        (
            "Threshold to exceed",
            html! { (format!("{:.6}", f.threshold)) },
        ),
        ("Admission floor", html! { (format!("{:.6}", f.floor)) }),
        ("Entries searched", html! { (f.entries) }),
        (
            "Candidates, admitted",
            html! { (f.candidates) ", " (f.admitted) },
        ),
        (
            "Left out",
            html! { (f.near_duplicates) " near-duplicates, " (f.over_parent_limit) " beyond a document's share" },
        ),
        ("Embedder", html! { (Shown(&f.model_id)) }),
    ]
}

/// Floor, threshold and best on one line from 0 to 1.
fn scale(f: &RetrievalFigures) -> Markup {
    let x = |value: f64| {
        let inside = if value.is_finite() {
            value.clamp(0.0, 1.0)
        } else {
            0.0
        };
        format!("{:.1}", 10.0 + inside * 480.0)
    };
    let best = f.best_query_sim.filter(|b| b.is_finite());
    let said = match best {
        Some(best) => format!(
            "Similarity from 0 to 1: the nearest passage at {best:.3}, the threshold at {:.3}, the floor at {:.3}.",
            f.threshold, f.floor
        ),
        None => format!(
            "Similarity from 0 to 1: no passage; the threshold at {:.3}.",
            f.threshold
        ),
    };
    html! {
        svg.scale role="img" aria-label=(said) viewBox="0 0 500 78" xmlns="http://www.w3.org/2000/svg" {
            path.ln d="M10 40H490M10 35V45M490 35V45" {}
            @let floor = x(f.floor);
            path.ln stroke-dasharray="3 3" d=(format!("M{floor} 28V52")) {}
            @let threshold = x(f.threshold);
            path.fl stroke-width="2.5" d=(format!("M{threshold} 24V56")) {}
            text x=(threshold) y="72" text-anchor="middle" { "threshold" }
            @if let Some(best) = best {
                circle.bd cx=(x(best)) cy="40" r="6" {}
                text x=(x(best.clamp(0.08, 0.92))) y="18" text-anchor="middle" { "nearest" }
            }
        }
    }
}

fn found(report: &RetrievalReport) -> Markup {
    html! {
        @if !report.passages.is_empty() {
            details {
                summary { "Passages found (" (report.passages.len()) ")"
                    @if report.declined.is_some() { ", for showing, not for answering from" } }
                ol { @for one in &report.passages {
                    li {
                        (format!("{:.6} ", one.query_sim)) (bar(one.query_sim)) " "
                        (Shown(&one.passage.source_id)) ", bytes "
                        (one.passage.bytes.start) "–" (one.passage.bytes.end)
                        @if report.declined.is_some() { blockquote { (Prose(&one.passage.text)) } }
                    }
                } }
            }
        }
    }
}

fn amplitudes(labels: &[LabelAmplitude], winner: Option<&str>) -> Markup {
    html! {
        details {
            summary { "Labels of the question (routing, never a score)" }
            ul.plain { @for one in labels {
                li {
                    (bar(one.amplitude)) (format!(" {:.6} ", one.amplitude)) (Shown(&one.label))
                    @if winner == Some(one.label.as_str()) { strong { " winner" } }
                }
            } }
        }
    }
}
