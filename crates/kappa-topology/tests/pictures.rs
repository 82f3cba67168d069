//! Pictures: deterministic, well formed for any name, and no name hidden.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod families;

use kappa_topology::{Digraph, Options, analyze, to_dot, to_mermaid, to_svg};

fn number(tag: &str, name: &str) -> f64 {
    let start = tag.find(&format!(" {name}=\"")).unwrap() + name.len() + 3;
    tag[start..].split('"').next().unwrap().parse().unwrap()
}

/// The boxes of all nodes and badges, whose names must not be hidden.
fn boxes(svg: &str) -> Vec<[f64; 4]> {
    let tags = svg.split('<').filter(|t| t.starts_with("rect x"));
    let named = tags.filter(|t| t.contains("rx=\"8\"") || t.contains("rx=\"11\""));
    named
        .map(|t| ["x", "y", "width", "height"].map(|name| number(t, name)))
        .collect()
}

fn assert_nothing_overlaps(svg: &str, expected: usize) {
    let boxes = boxes(svg);
    assert_eq!(boxes.len(), expected);
    for (i, a) in boxes.iter().enumerate() {
        for b in &boxes[..i] {
            let apart = a[0] + a[2] <= b[0]
                || b[0] + b[2] <= a[0]
                || a[1] + a[3] <= b[1]
                || b[1] + b[3] <= a[1];
            assert!(apart, "{a:?} and {b:?} overlap");
        }
    }
}

#[test]
fn no_name_hides_another_in_any_family() {
    for family in families::FAMILIES {
        for n in [40, 100, 300] {
            let edges = (family.make)(n, 4, 1);
            let named = edges.iter().map(|(s, t)| {
                let name = |v: &u32| format!("{v}-{}", "x".repeat(*v as usize % 40));
                (name(s), name(t))
            });
            let graph = Digraph::from_edges(named).unwrap();
            let topology = analyze(&graph, &Options::default());
            let svg = to_svg(&graph, &topology);
            assert_nothing_overlaps(&svg, graph.node_count() + topology.scc_count);
            assert_eq!(
                svg.matches("stroke-dasharray").count(),
                1 + fault_edges(&topology)
            );
        }
    }
}

fn fault_edges(topology: &kappa_topology::Topology<String>) -> usize {
    topology.sccs.iter().map(|s| s.fault_line_edges.len()).sum()
}

#[test]
fn names_with_markup_are_escaped() {
    let name = "a\"<b>&#;`\\\n\u{1}]";
    let graph = Digraph::from_edges([(name, "x"), ("x", name), ("", "y")]).unwrap();
    let topology = analyze(&graph, &Options::default());
    let svg = to_svg(&graph, &topology);
    assert!(svg.contains("a&quot;&lt;b&gt;&amp;#;`\\  ]"));
    assert!(!svg.contains('\u{1}') && !svg.contains("<b>"));
    let dot = to_dot(&graph, &topology);
    assert!(dot.contains(r#"[label="a\"<b>&#;`\\\n ]"]"#), "{dot}");
    let mermaid = to_mermaid(&graph, &topology);
    assert!(
        mermaid.contains("[\"a#34;#60;b#62;#38;#35;#59;#96;#92;  ]\"]"),
        "{mermaid}"
    );
}

#[test]
fn the_three_forms_are_pinned() {
    let graph = Digraph::from_edges([("a", "b"), ("b", "a"), ("b", "c")]).unwrap();
    let topology = analyze(&graph, &Options::default());
    let mermaid = "flowchart LR\n  subgraph halo0[\"scc-0 κ = 1\"]\n    n0[\"a\"]\n    n1[\"b\"]\n  end\n  n2[\"c\"]\n  n0 --> n1\n  n1 -.-> n0\n  n1 --> n2\n  style halo0 fill:#dbeafe,stroke:#2563eb\n  linkStyle 1 stroke:#dc2626,stroke-width:2px\n";
    assert_eq!(to_mermaid(&graph, &topology), mermaid);
    let dot = to_dot(&graph, &topology);
    assert!(dot.contains("label=\"scc-0  κ = 1\";"));
    assert!(dot.contains("  n1 -> n0 [style=dashed, color=\"#dc2626\", penwidth=2];\n"));
    let svg = to_svg(&graph, &topology);
    assert!(svg.starts_with("<svg xmlns=") && svg.ends_with("</svg>\n"));
    assert!(svg.contains(">scc-0  κ = 1</text>"));
    assert_eq!(svg, to_svg(&graph, &topology));
}

#[test]
fn an_empty_graph_has_pictures() {
    let graph = Digraph::<String>::builder().build().unwrap();
    let topology = analyze(&graph, &Options::default());
    assert!(to_svg(&graph, &topology).ends_with("</svg>\n"));
    assert!(to_dot(&graph, &topology).ends_with("}\n"));
    assert_eq!(to_mermaid(&graph, &topology), "flowchart LR\n");
}
