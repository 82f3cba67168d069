//! The page of a deliberation.

use knowledge_loop::DeliberationReport;
use knowledge_loop::deliberator::{PassKind, PassRecord, RegionReport, RegionStatus};
use maud::{Markup, html};

use crate::page::{bar, figures, page, section};
use crate::text::{Shown, counted};
use crate::topology::topology;

/// The page of a deliberation, as one HTML file; what [`render`](crate::render) says holds here too.
#[must_use]
pub fn render_deliberation(report: &DeliberationReport) -> String {
    let mut sections = vec![
        section("conclusions", "Conclusions", conclusions(report)),
        section("change", "What it changed", change(report)),
        section("before", "Loops before", topology(&report.topology_before)),
    ];
    if let Some(after) = &report.topology_after {
        sections.push(section("after", "Loops after", topology(after)));
    }
    sections.push(section("passes", "Passes", passes(&report.passes)));
    sections.push(section(
        "limits",
        "What could not be verified",
        limits(report),
    ));
    page("Deliberation", &report.query, &head(report), &sections)
}

fn head(report: &DeliberationReport) -> Markup {
    let (class, word) = match (report.converged, report.escalated) {
        (_, true) => ("label warn", "ESCALATED"),
        (true, false) => ("label good", "CONVERGED"),
        (false, false) => ("label warn", "NOT CONVERGED"),
    };
    html! {
        p { a class=(class) href="#conclusions" { (word) } " "
            (counted(report.regions.len(), "component", "components")) ", "
            (counted(report.iterations_used as usize, "round", "rounds")) " at most, "
            (counted(usize::try_from(report.calls).unwrap_or(usize::MAX), "call", "calls")) "." }
        @if let Some(reason) = &report.escalation_reason { p { "Handed on: " (Shown(reason)) } }
    }
}

fn conclusions(report: &DeliberationReport) -> Markup {
    html! {
        @if report.regions.is_empty() { p { "There was no loop to reason about." } }
        @for region in &report.regions { div.card { (one(region)) } }
    }
}

fn one(region: &RegionReport) -> Markup {
    let (class, status) = match region.status {
        RegionStatus::Converged => ("good", "✓ converged"),
        RegionStatus::Reused => ("good", "✓ a conclusion in the graph was still fresh"),
        RegionStatus::Escalated => ("warn", "handed on"),
        RegionStatus::Failed => ("bad", "✗ failed"),
        _ => ("warn", "ended otherwise"),
    };
    html! {
        h3 { (Shown(&region.scc_id)) ", κ = " (region.kappa) }
        p { strong class=(class) { (status) } " after " (counted(region.rounds as usize, "round", "rounds"))
            @if region.refreshes > 0 { ", begun anew " (region.refreshes) " times" } "." }
        @if let Some(conclusion) = &region.conclusion {
            blockquote { (Shown(&conclusion.content)) }
            p { "confidence " (bar(conclusion.confidence)) (format!(" {:.2}", conclusion.confidence)) }
        }
        @if let Some(escalation) = &region.escalation {
            p { "To " (escalation.target.as_str()) ": " (Shown(&escalation.reason.to_string())) "." }
        }
        @if let Some(error) = &region.error { p.bad { (Shown(error)) } }
        @if let Some(node) = &region.node_id { p { "node " code.hash { (Shown(node)) } } }
        @if let Some(replies) = &region.reconcile_hash { p { "replies " code.hash { (Shown(replies)) } } }
        details { summary { "Its nodes (" (region.nodes.len()) ")" }
            ul { @for node in region.nodes.iter().take(200) { li { (Shown(node)) } } } }
    }
}

fn change(report: &DeliberationReport) -> Markup {
    let c = &report.topology_change;
    html! {
        p { (Shown(&c.note)) }
        (figures(&[
            ("κ", html! { (c.kappa_before) " → " (c.kappa_after) }),
            ("Effective κ", html! { (c.effective_kappa_before) " → " (c.effective_kappa_after) }),
            ("Conclusions written", html! { (c.new_nodes_created) }),
            ("Tokens", html! { (report.tokens_in) " read, " (report.tokens_out) " written" }),
        ]))
    }
}

fn passes(passes: &[PassRecord]) -> Markup {
    html! {
        @if passes.is_empty() { p { "No agent was asked." } }
        @for one in passes { (pass(one)) }
    }
}

fn pass(pass: &PassRecord) -> Markup {
    let kind = match pass.kind {
        PassKind::Focus => "looks at one part",
        PassKind::Reconcile => "brings the round together",
        _ => "a further kind of pass",
    };
    html! {
        div.card {
            h3 { (Shown(&pass.id)) }
            p { "Round " (pass.round) ", " (kind) ": "
                @for (i, node) in pass.cell.iter().take(50).enumerate() { @if i > 0 { ", " } (Shown(node)) }
                @if pass.cell.len() > 50 { " and " (pass.cell.len() - 50) " more" } "." }
            @if !pass.assumptions.is_empty() { ul { @for a in &pass.assumptions {
                li { "taken " @if a.holds { "to hold" } @else { "not to hold" } ": "
                    (Shown(&a.edge.source)) " → " (Shown(&a.edge.target)) }
            } } }
            @match &pass.outcome {
                Some(Ok(reply)) => {
                    blockquote { (Shown(&reply.conclusion)) }
                    p { "confidence " (bar(reply.confidence)) (format!(" {:.2}", reply.confidence)) }
                    @if !reply.reasoning.is_empty() { p.text { (Shown(&reply.reasoning)) } }
                    @if reply.contradiction_stands { p.warn { "It says that a contradiction stands." } }
                    @if !reply.wrong_assumption.is_empty() { p { "Wrong assumption: " (Shown(&reply.wrong_assumption)) } }
                }
                Some(Err(failure)) => { p.bad { "✗ " (Shown(&failure.to_string())) } }
                None => { p.warn { "It has not come back." } }
            }
            details { summary { "What was asked" }
                pre tabindex="0" { (Shown(&pass.prompt.system)) "\n\n" (Shown(&pass.prompt.user)) } }
            @if let Some(completion) = &pass.completion {
                details { summary { "What came back" }
                    pre tabindex="0" { (Shown(&completion.text)) }
                    p.soft { (Shown(&completion.model_id)) } }
            }
        }
    }
}

fn limits(report: &DeliberationReport) -> Markup {
    let open = report
        .passes
        .iter()
        .filter(|p| !matches!(p.outcome, Some(Ok(_))))
        .count();
    html! {
        ul {
            li { "Whether a conclusion is true. It says what agents agreed on, and how sure they said they were." }
            li { "That the agents would reply the same again. Their replies are taken as recorded." }
            @if open > 0 { li { (counted(open, "pass", "passes")) " gave nothing that could be used." } }
            @if !report.converged { li { "That the question is settled: not every component converged." } }
            @if report.duration_ms.is_none() { li { "How long it took: nobody measured it." } }
        }
        @if let Some(ms) = report.duration_ms { p { "It took " (format!("{ms:.0}")) " ms." } }
        @if report.regions.iter().any(|r| r.reconcile_hash.is_some()) {
            p.soft { "The hash “replies” of a component binds the replies of the round that led to its conclusion." }
        }
    }
}
