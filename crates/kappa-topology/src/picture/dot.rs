//! Graphviz.

use std::fmt::{Display, Write};

use super::{FAULT, Scene, colours};
use crate::graph::Digraph;
use crate::topology::Topology;

/// The topology as a Graphviz digraph: a cluster for each component, fault lines dashed.
#[must_use]
pub fn to_dot<N, K>(graph: &Digraph<N>, topology: &Topology<N, K>) -> String
where
    N: Ord + Clone + Display,
    K: Display,
{
    let scene = Scene::new(graph, topology);
    let mut text = String::from(
        "digraph topology {\n  rankdir=LR;\n  node [shape=box, style=\"rounded,filled\", fillcolor=white];\n",
    );
    let node = |v: u32| format!("n{v} [label={}];\n", quoted(&scene.names[v as usize]));
    for (number, (id, kappa, members)) in scene.halos.iter().enumerate() {
        let (fill, border) = colours(number);
        let label = quoted(&format!("{id}  κ = {kappa}"));
        // Writing to a String cannot fail.
        let _ = write!(
            text,
            "  subgraph cluster_{number} {{\n    label={label};\n    style=\"rounded,filled\";\n    fillcolor=\"{fill}\";\n    color=\"{border}\";\n"
        );
        for &v in members {
            text.push_str("    ");
            text.push_str(&node(v));
        }
        text.push_str("  }\n");
    }
    for v in (0..scene.names.len() as u32).filter(|&v| scene.halo_of[v as usize].is_none()) {
        text.push_str("  ");
        text.push_str(&node(v));
    }
    for &(s, t) in &scene.edges {
        let style = if scene.faults.contains(&(s, t)) {
            format!(" [style=dashed, color=\"{FAULT}\", penwidth=2]")
        } else {
            String::new()
        };
        let _ = writeln!(text, "  n{s} -> n{t}{style};");
    }
    text.push_str("}\n");
    text
}

/// A double-quoted Graphviz string; line breaks become escapes.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            c if c.is_control() => quoted.push(' '),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}
