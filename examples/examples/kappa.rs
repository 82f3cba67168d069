//! Exact κ of a digraph: components, fault lines, routing, budgets and pictures.
//!
//! `cargo run --release --example kappa -- FILE` reads an edge list (`source target [weight]` a
//! line, `#` comments, an optional header `n m`) or JSON and prints the canonical JSON.
#![allow(clippy::print_stderr)]

use std::fmt::Display;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use kappa_topology::{
    Digraph, EdgeKind, Limits, Options, Topology, Weight, analyze, analyze_weighted,
    parse_edge_list, to_dot, to_mermaid, to_svg,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Exact κ of a digraph, as canonical JSON.
#[derive(Parser)]
#[command(name = "kappa")]
struct Arguments {
    /// An edge list (`source target [weight]` a line, `#` comments, optional header `n m`) or
    /// JSON (`{"nodes": [..], "edges": [{"source", "target", "weight"?, "edge_type"?}]}`, or a
    /// list of edges); `-` reads standard input.
    file: PathBuf,
    /// Measure κ in weight: the minimum-weight cut, exact at six decimals.
    #[arg(long)]
    weighted: bool,
    /// Add up to N distinct minimum cuts of each component, and its strong bridges.
    #[arg(long, value_name = "N")]
    fault_lines: Option<usize>,
    /// Also write a picture to this file.
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Print Graphviz instead of JSON.
    #[arg(long, conflicts_with = "mermaid")]
    dot: bool,
    /// Print Mermaid instead of JSON.
    #[arg(long)]
    mermaid: bool,
    /// Print `analyze_ms=…` on standard error (reading and building excluded).
    #[arg(long)]
    time: bool,
}

type Failure = Box<dyn std::error::Error>;

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("kappa: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), Failure> {
    let text = read(arguments)?;
    if text
        .trim_start_matches('\u{feff}')
        .trim_start()
        .starts_with(['{', '['])
    {
        let input = JsonGraph::parse(&text)?;
        report(arguments, &input.graph()?)
    } else {
        let list = parse_edge_list(&text, Limits::default())?;
        let declared = list.declared_nodes()?;
        report(arguments, &list.graph(&declared)?)
    }
}

fn read(arguments: &Arguments) -> Result<String, Failure> {
    let name = arguments.file.display();
    let mut bytes = Vec::new();
    if arguments.file.as_os_str() == "-" {
        std::io::stdin().lock().read_to_end(&mut bytes)?;
    } else {
        bytes = std::fs::read(&arguments.file).map_err(|error| format!("{name}: {error}"))?;
    }
    String::from_utf8(bytes).map_err(|error| {
        let good = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = 1 + good.iter().filter(|&&b| b == b'\n').count();
        format!("{name}: line {line}: UTF-8 expected, found other bytes").into()
    })
}

fn report(arguments: &Arguments, graph: &Digraph<&str>) -> Result<(), Failure> {
    if let Some(note) = graph.note() {
        eprintln!("note: {note}");
    }
    let options = Options::default();
    let start = Instant::now();
    if arguments.weighted {
        let topology = analyze_weighted(graph, &options);
        show_time(arguments, start);
        write_all(arguments, graph, &topology)
    } else {
        let topology = analyze(graph, &options);
        show_time(arguments, start);
        write_all(arguments, graph, &topology)
    }
}

fn show_time(arguments: &Arguments, start: Instant) {
    if arguments.time {
        eprintln!("analyze_ms={:.3}", start.elapsed().as_secs_f64() * 1e3);
    }
}

fn write_all<K: Display + Serialize>(
    arguments: &Arguments,
    graph: &Digraph<&str>,
    topology: &Topology<&str, K>,
) -> Result<(), Failure> {
    if let Some(path) = &arguments.svg {
        std::fs::write(path, to_svg(graph, topology))
            .map_err(|error| format!("{}: {error}", path.display()))?;
    }
    let text = if arguments.dot {
        to_dot(graph, topology)
    } else if arguments.mermaid {
        to_mermaid(graph, topology)
    } else if let Some(limit) = arguments.fault_lines {
        with_fault_lines(graph, topology, limit)?
    } else {
        serde_json::to_string_pretty(topology)?
    };
    let mut out = std::io::stdout().lock();
    out.write_all(text.trim_end().as_bytes())?;
    out.write_all(b"\n")?;
    Ok(())
}

/// The canonical form, followed by a list of fault lines and strong bridges by component.
fn with_fault_lines<K: Serialize>(
    graph: &Digraph<&str>,
    topology: &Topology<&str, K>,
    limit: usize,
) -> Result<String, Failure> {
    #[derive(Serialize)]
    struct Extended<'a, K> {
        #[serde(flatten)]
        topology: &'a Topology<&'a str, K>,
        fault_lines: Vec<Value>,
    }
    let mut fault_lines = Vec::new();
    for scc in &topology.sccs {
        fault_lines.push(json!({
            "id": scc.id,
            "fault_lines": scc.fault_lines(graph, limit)?,
            "strong_bridges": scc.strong_bridges(graph)?,
        }));
    }
    Ok(serde_json::to_string_pretty(&Extended {
        topology,
        fault_lines,
    })?)
}

/// A graph as JSON, in the forms that knowledge graphs are exported in.
struct JsonGraph {
    nodes: Vec<String>,
    edges: Vec<JsonEdge>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Id {
    Text(String),
    Number(serde_json::Number),
    Node { id: Box<Id> },
}

impl Id {
    fn into_text(self) -> String {
        let mut id = self;
        loop {
            match id {
                Self::Text(text) => return text,
                Self::Number(number) => return number.to_string(),
                Self::Node { id: inner } => id = *inner,
            }
        }
    }
}

#[derive(Deserialize)]
struct JsonEdge {
    #[serde(deserialize_with = "id_text")]
    source: String,
    #[serde(deserialize_with = "id_text")]
    target: String,
    weight: Option<serde_json::Number>,
    edge_type: Option<EdgeKind>,
}

fn id_text<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let message = "a node id is a string, a number or an object with an `id`";
    Id::deserialize(deserializer)
        .map(Id::into_text)
        .map_err(|_| serde::de::Error::custom(message))
}

impl JsonGraph {
    fn parse(text: &str) -> Result<Self, Failure> {
        #[derive(Deserialize)]
        struct Full {
            #[serde(default)]
            nodes: Vec<Node>,
            edges: Vec<JsonEdge>,
        }
        #[derive(Deserialize)]
        struct Node(#[serde(deserialize_with = "id_text")] String);
        let text = text.trim_start_matches('\u{feff}');
        if text.trim_start().starts_with('[') {
            return Ok(Self {
                nodes: Vec::new(),
                edges: serde_json::from_str(text)?,
            });
        }
        let full: Full = serde_json::from_str(text)?;
        Ok(Self {
            nodes: full.nodes.into_iter().map(|n| n.0).collect(),
            edges: full.edges,
        })
    }

    fn graph(&self) -> Result<Digraph<&str>, Failure> {
        let mut builder = Digraph::builder();
        for node in &self.nodes {
            builder.node(node.as_str());
        }
        let mut left_out = 0usize;
        for (i, edge) in self.edges.iter().enumerate() {
            let (source, target) = (edge.source.as_str(), edge.target.as_str());
            if !edge.edge_type.is_none_or(EdgeKind::takes_part) {
                builder.node(source).node(target);
                left_out += 1;
                continue;
            }
            match &edge.weight {
                None => builder.edge(source, target),
                Some(number) => {
                    let weight: Weight = decimal(number)
                        .parse()
                        .map_err(|e| format!("edges[{i}].weight: {e}"))?;
                    builder.weighted_edge(source, target, weight)
                }
            };
        }
        if left_out > 0 {
            eprintln!("note: edges of a kind that takes no part in κ: {left_out}");
        }
        Ok(builder.build()?)
    }
}

/// A JSON number as a plain decimal: `1e-3` and `0.001` are one number.
fn decimal(number: &serde_json::Number) -> String {
    match number.as_u64() {
        Some(whole) => whole.to_string(),
        None => number
            .as_f64()
            .map_or_else(|| number.to_string(), |value| value.to_string()),
    }
}
