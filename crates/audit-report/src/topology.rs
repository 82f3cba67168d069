//! κ in pictures: each component with its fault line.

use std::collections::{BTreeMap, BTreeSet};

use grounded_answer::kappa_topology::{Scc, Topology};
use maud::{Markup, html};

use crate::text::{Shown, counted, short};

/// The most components that are shown one by one.
const MOST_COMPONENTS: usize = 50;
/// The most nodes on one side of a picture.
const MOST_NODES: usize = 12;
/// The most nodes that are listed by name.
const MOST_LISTED: usize = 100;

/// The section on the topology.
pub(crate) fn topology(topology: &Topology<String>) -> Markup {
    let beyond = topology.sccs.len().saturating_sub(MOST_COMPONENTS);
    html! {
        p {
            "Largest κ: " strong { (topology.max_kappa) } ". Route: " strong { (topology.routing.as_str()) } ". "
            (counted(topology.scc_count, "circular component", "circular components")) ", "
            (counted(topology.dag_nodes.len(), "node", "nodes")) " on no loop."
        }
        p.soft { "κ is the least number of edges whose removal ends a loop's hold: 0 asks for one pass, more asks for deliberation." }
        @for scc in topology.sccs.iter().take(MOST_COMPONENTS) { (component(scc)) }
        @if beyond > 0 { p { (beyond) " more components are not shown." } }
    }
}

fn component(scc: &Scc<String>) -> Markup {
    let nodes: Vec<&str> = scc
        .nodes
        .iter()
        .map(String::as_str)
        .take(MOST_LISTED)
        .collect();
    html! {
        div.card {
            h3 { (Shown(&scc.id)) ", κ = " (scc.kappa) ", " (counted(scc.nodes.len(), "node", "nodes")) }
            @if scc.fault_line_edges.is_empty() { p.soft { "No fault line was computed." } } @else {
                (picture(scc))
                p { "Fault line: removing "
                    @if scc.fault_line_edges.len() == 1 { "this edge" } @else { "these " (scc.fault_line_edges.len()) " edges" }
                    " ends the loop." }
                ul { @for edge in scc.fault_line_edges.iter().take(MOST_LISTED) {
                    li { (Shown(&edge.source)) " → " (Shown(&edge.target)) }
                } }
            }
            details {
                summary { "Its nodes" }
                ul { @for node in &nodes { li { (Shown(node)) } } }
                @if scc.nodes.len() > nodes.len() { p.soft { (scc.nodes.len() - nodes.len()) " more are not listed." } }
            }
        }
    }
}

/// The ends of the fault line on two sides, its edges between them. What else links the nodes is
/// not part of a sealed topology, so it is not drawn.
fn picture(scc: &Scc<String>) -> Markup {
    let sources: BTreeSet<&str> = scc
        .fault_line_edges
        .iter()
        .map(|e| e.source.as_str())
        .collect();
    let targets: BTreeSet<&str> = scc
        .fault_line_edges
        .iter()
        .map(|e| e.target.as_str())
        .collect();
    let place = |side: &BTreeSet<&str>| -> BTreeMap<String, usize> {
        let shown = side.iter().take(MOST_NODES).enumerate();
        shown.map(|(row, node)| ((*node).to_owned(), row)).collect()
    };
    let (left, right) = (place(&sources), place(&targets));
    let rows = left.len().max(right.len()).max(1);
    let height = rows * 40 + 20;
    let y = |row: &usize| row * 40 + 30;
    let said = format!(
        "Fault line of {} edges between {} and {} nodes; the list below names them.",
        scc.fault_line_edges.len(),
        sources.len(),
        targets.len()
    );
    html! {
        svg role="img" aria-label=(said) width="520" height=(height) viewBox=(format!("0 0 520 {height}")) xmlns="http://www.w3.org/2000/svg" {
            @for edge in &scc.fault_line_edges {
                @if let (Some(from), Some(to)) = (left.get(&edge.source), right.get(&edge.target)) {
                    path.fl stroke-width="2" stroke-dasharray="7 4" d=(format!("M190 {}L322 {}", y(from), y(to))) {}
                    path.fa d=(format!("M330 {0}l-10 -5v10z", y(to))) {}
                }
            }
            @for (side, x) in [(&left, 10), (&right, 330)] {
                @for (node, row) in side {
                    rect.nd x=(x) y=(y(row) - 14) width="180" height="28" rx="7" {}
                    text x=(x + 90) y=(y(row) + 5) text-anchor="middle" { (drawn(node)) }
                }
            }
        }
    }
}

/// A name as a picture holds it: short, without what is hidden or changes direction.
fn drawn(name: &str) -> String {
    let plain: String = name
        .chars()
        .take(200)
        .map(|c| {
            if c.is_ascii_graphic() || c == ' ' || c.is_alphanumeric() {
                c
            } else {
                '·'
            }
        })
        .collect();
    short(&plain, 20)
}
