//! Pictures of a topology as deterministic text: Graphviz, Mermaid, SVG.
//!
//! Each takes the graph and its topology; components are shown as halos with their κ, the
//! edges of their fault lines dashed.

mod dot;
mod layout;
mod mermaid;
mod svg;

use std::collections::BTreeSet;
use std::fmt::Display;

use crate::graph::Digraph;
use crate::topology::Topology;

pub use dot::to_dot;
pub use mermaid::to_mermaid;
pub use svg::to_svg;

/// What all three draw: names, components and edges by position in the graph.
struct Scene {
    names: Vec<String>,
    /// `(id, κ, members)` of each component.
    halos: Vec<(String, String, Vec<u32>)>,
    /// The component of each node, if it has one.
    halo_of: Vec<Option<u32>>,
    edges: Vec<(u32, u32)>,
    faults: BTreeSet<(u32, u32)>,
}

impl Scene {
    /// Nodes and edges of the topology that the graph does not know are left out.
    fn new<N, K>(graph: &Digraph<N>, topology: &Topology<N, K>) -> Self
    where
        N: Ord + Clone + Display,
        K: Display,
    {
        let mut scene = Self {
            names: graph.nodes().iter().map(ToString::to_string).collect(),
            halos: Vec::new(),
            halo_of: vec![None; graph.node_count()],
            edges: Vec::with_capacity(graph.edge_count()),
            faults: BTreeSet::new(),
        };
        for (number, scc) in topology.sccs.iter().enumerate() {
            let members: Vec<u32> = scc.nodes.iter().filter_map(|n| graph.index_of(n)).collect();
            for &v in &members {
                scene.halo_of[v as usize] = Some(number as u32);
            }
            scene
                .halos
                .push((scc.id.clone(), scc.kappa.to_string(), members));
            for edge in &scc.fault_line_edges {
                let ends = (graph.index_of(&edge.source), graph.index_of(&edge.target));
                if let (Some(s), Some(t)) = ends {
                    scene.faults.insert((s, t));
                }
            }
        }
        for s in 0..graph.node_count() as u32 {
            scene.edges.extend(graph.out.row(s).iter().map(|&t| (s, t)));
        }
        scene
    }
}

/// The colours of halos, in turn: fill and border.
const COLOURS: [(&str, &str); 6] = [
    ("#dbeafe", "#2563eb"),
    ("#dcfce7", "#15803d"),
    ("#fef3c7", "#b45309"),
    ("#ede9fe", "#6d28d9"),
    ("#ccfbf1", "#0f766e"),
    ("#fce7f3", "#9d174d"),
];

/// The colour of a fault line.
const FAULT: &str = "#dc2626";

/// The colours of the component with this number.
fn colours(number: usize) -> (&'static str, &'static str) {
    COLOURS[number % COLOURS.len()]
}
