//! Mermaid flow charts.

use std::fmt::{Display, Write};

use super::{FAULT, Scene, colours};
use crate::graph::Digraph;
use crate::topology::Topology;

/// The topology as a Mermaid flow chart: a subgraph for each component, fault lines dashed.
#[must_use]
pub fn to_mermaid<N, K>(graph: &Digraph<N>, topology: &Topology<N, K>) -> String
where
    N: Ord + Clone + Display,
    K: Display,
{
    let scene = Scene::new(graph, topology);
    let mut text = String::from("flowchart LR\n");
    let node = |v: u32| format!("n{v}[\"{}\"]\n", escaped(&scene.names[v as usize]));
    for (number, (id, kappa, members)) in scene.halos.iter().enumerate() {
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "  subgraph halo{number}[\"{} κ = {kappa}\"]",
            escaped(id)
        );
        for &v in members {
            text.push_str("    ");
            text.push_str(&node(v));
        }
        text.push_str("  end\n");
    }
    for v in (0..scene.names.len() as u32).filter(|&v| scene.halo_of[v as usize].is_none()) {
        text.push_str("  ");
        text.push_str(&node(v));
    }
    let mut dashed = Vec::new();
    for (i, &(s, t)) in scene.edges.iter().enumerate() {
        let fault = scene.faults.contains(&(s, t));
        let arrow = if fault { "-.->" } else { "-->" };
        let _ = writeln!(text, "  n{s} {arrow} n{t}");
        if fault {
            dashed.push(i.to_string());
        }
    }
    for number in 0..scene.halos.len() {
        let (fill, border) = colours(number);
        let _ = writeln!(text, "  style halo{number} fill:{fill},stroke:{border}");
    }
    if !dashed.is_empty() {
        let _ = writeln!(
            text,
            "  linkStyle {} stroke:{FAULT},stroke-width:2px",
            dashed.join(",")
        );
    }
    text
}

/// Text inside a quoted Mermaid label: what has a meaning there becomes an entity code.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        match c {
            '"' | '#' | '<' | '>' | '&' | '`' | ';' | '\\' => {
                let _ = write!(escaped, "#{};", u32::from(c));
            }
            c if c.is_control() => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    if escaped.trim().is_empty() {
        "#8203;".to_owned()
    } else {
        escaped
    }
}
