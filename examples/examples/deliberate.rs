//! Deliberation over the loops of a knowledge graph.
//!
//! `cargo run --release --example deliberate -- GRAPH.json QUESTION` reads
//! `{"nodes": [{"id", "content", "confidence"?, "node_type"?}], "edges": [{"source", "target",
//! "edge_type", "weight"?}]}`, deliberates every loop, and prints the report as JSON with the
//! changed graph.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use candor_examples::agents::AgentChoice;
use candor_examples::cli::{self, Failure};
use clap::Parser;
use deliberator::driver::Driver;
use deliberator::{Agent, Caps, DeliberateResponse, Event, Options, Report, estimate};
use indicatif::ProgressBar;
use kappa_topology::{Digraph, analyze, to_svg};
use knowledge_graph::{EdgeType, MemoryStore, Snapshot};
use language_agents::{Cassette, Script, Scripted};
use serde::Serialize;

/// Deliberates the loops of a knowledge graph and prints the report as JSON.
#[derive(Parser)]
#[command(name = "deliberate")]
struct Arguments {
    /// The graph: {"nodes": [{"id", "content", "confidence"?, "node_type"?}],
    /// "edges": [{"source", "target", "edge_type", "weight"?}]}.
    graph: PathBuf,
    /// The question.
    question: String,
    /// Who reasons: extractive, scripted:FILE, cassette:FILE, gguf:PATH or openai:URL,MODEL.
    /// A script is a JSON list of replies, or of {"match", "reply"} tried in order on the prompt.
    #[arg(long, default_value = "extractive", value_name = "AGENT")]
    agent: String,
    /// Record every call of the agent to this file, for cassette:FILE.
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Conclude without writing to the graph.
    #[arg(long)]
    no_write_back: bool,
    /// Write the graph before and after as a picture.
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Write the deliberation as one self-contained HTML page, too.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Print a readable page instead of JSON.
    #[arg(long)]
    page: bool,
    /// Take two minimum cuts at once.
    #[arg(long)]
    two_cuts: bool,
    /// At most so many calls of the agent.
    #[arg(long, default_value_t = Caps::default().max_calls)]
    max_calls: u64,
    /// At most so many tokens, read and written together.
    #[arg(long, default_value_t = Caps::default().max_tokens)]
    max_tokens: u64,
    /// At most so many seconds for the whole run.
    #[arg(long, default_value_t = 600)]
    time_limit: u64,
    /// Seconds for a pass, before the budget's multiplier.
    #[arg(long, default_value_t = 30)]
    pass_limit: u64,
}

/// The report with the graph, where that changed.
#[derive(Serialize)]
struct Output {
    #[serde(flatten)]
    response: DeliberateResponse,
    #[serde(skip_serializing_if = "Option::is_none")]
    graph: Option<Snapshot>,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    cli::run(|| run(&arguments))
}

fn run(arguments: &Arguments) -> Result<(), Failure> {
    let before = read_graph(&arguments.graph)?;
    let store = Arc::new(MemoryStore::from_snapshot(before)?);
    let before = Snapshot::of(store.as_ref())?;
    let agent = agent(&arguments.agent)?;
    let cassette = arguments
        .record
        .as_ref()
        .map(|_| Arc::new(Cassette::record(Arc::clone(&agent))));
    let agent: Arc<dyn Agent> = match &cassette {
        Some(cassette) => Arc::clone(cassette) as Arc<dyn Agent>,
        None => agent,
    };
    let report = deliberate(arguments, agent, &store, &before)?;
    if let (Some(path), Some(cassette)) = (&arguments.record, &cassette) {
        cassette.tape().save(path)?;
    }
    let after = Snapshot::of(store.as_ref())?;
    if let Some(path) = &arguments.svg {
        let picture = side_by_side(&picture(&before)?, &picture(&after)?);
        std::fs::write(path, picture).map_err(|e| format!("{}: {e}", path.display()))?;
    }
    if let Some(path) = &arguments.html {
        cli::write_page(path, &audit_report::render_deliberation(&report))?;
    }
    let text = if arguments.page {
        page(&report)?
    } else {
        serde_json::to_string_pretty(&Output {
            response: report.response(),
            graph: (after != before).then_some(after),
        })?
    };
    cli::print(&text)?;
    match report.regions.iter().find_map(failure) {
        Some(reason) => Err(reason.into()),
        None => Ok(()),
    }
}

fn failure(region: &deliberator::RegionReport) -> Option<String> {
    let failed = region.status == deliberator::RegionStatus::Failed;
    let reason = region.error.as_deref().unwrap_or("unknown");
    failed.then(|| format!("{}: {reason}", region.scc_id))
}

fn read_graph(path: &Path) -> Result<Snapshot, Failure> {
    let name = path.display();
    let json = std::fs::read_to_string(path).map_err(|error| format!("{name}: {error}"))?;
    let json = json.trim_start_matches('\u{feff}');
    Ok(Snapshot::from_json(json).map_err(|error| format!("{name}: {error}"))?)
}

/// A script, or one of the agents that every example has.
fn agent(choice: &str) -> Result<Arc<dyn Agent>, Failure> {
    let Some(file) = choice.strip_prefix("scripted:") else {
        let choice: AgentChoice = choice
            .parse()
            .map_err(|error: String| format!("{error}, or scripted:FILE"))?;
        return Ok(choice.load()?.0);
    };
    let json = std::fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
    let script: Script = serde_json::from_str(&json)
        .map_err(|error| format!("{file}: a script is a JSON list of replies: {error}"))?;
    Ok(Arc::new(Scripted::new(script)))
}

fn deliberate(
    arguments: &Arguments,
    agent: Arc<dyn Agent>,
    store: &Arc<MemoryStore>,
    graph: &Snapshot,
) -> Result<Report, Failure> {
    let topology = graph.topology()?;
    let options = Options {
        write_back: !arguments.no_write_back,
        cuts_per_round: if arguments.two_cuts { 2 } else { 1 },
        caps: Caps {
            max_calls: arguments.max_calls,
            max_tokens: arguments.max_tokens,
        },
        pass_timeout_ms: arguments.pass_limit.saturating_mul(1_000),
        ..Options::default()
    };
    let most = estimate(&topology, 0).all_rounds.calls;
    // Hidden by itself where standard error is no terminal.
    let bar = ProgressBar::new(most);
    let shown = bar.clone();
    let driver = Driver::new(agent, Arc::clone(store))
        .with_run_limit(Some(Duration::from_secs(arguments.time_limit)))
        .on_event(move |event| {
            if matches!(event, Event::Focus { .. } | Event::Reconcile { .. }) {
                shown.inc(1);
            }
        });
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()?;
    let report = runtime.block_on(driver.deliberate(&topology, &arguments.question, options));
    bar.finish_and_clear();
    Ok(report?)
}

/// The report for people.
fn page(report: &Report) -> Result<String, std::fmt::Error> {
    let mut out = String::new();
    writeln!(out, "{}\n", report.query)?;
    if report.regions.is_empty() {
        writeln!(out, "There is no loop: one retrieval pass is enough.")?;
    }
    for region in &report.regions {
        let nodes = region.nodes.join(", ");
        writeln!(out, "{} (κ = {}): {nodes}", region.scc_id, region.kappa)?;
        if let Some(conclusion) = &region.conclusion {
            writeln!(out, "  {}", conclusion.content.replace('\n', "\n  "))?;
            let state = if conclusion.converged {
                "converged"
            } else {
                "not converged"
            };
            writeln!(out, "  confidence {:.2}, {state}", conclusion.confidence)?;
        }
        if let Some(escalation) = &region.escalation {
            writeln!(
                out,
                "  handed over to {}: {}",
                escalation.target.as_str(),
                escalation.reason
            )?;
        }
        if let Some(id) = &region.node_id {
            writeln!(out, "  in the graph as {id}")?;
        }
        writeln!(out)?;
    }
    let change = &report.topology_change;
    writeln!(out, "{}", change.note)?;
    write!(
        out,
        "{} calls, {} tokens read, {} written",
        report.calls, report.tokens_in, report.tokens_out
    )?;
    Ok(out)
}

/// The graph as a picture, conclusions with the nodes that they were derived from.
fn picture(graph: &Snapshot) -> Result<String, Failure> {
    let mut builder = Digraph::builder();
    for node in &graph.nodes {
        builder.node(node.id.clone());
    }
    let shown = |kind: EdgeType| kind.is_directed() || kind == EdgeType::DerivedFrom;
    let ends: BTreeSet<(&String, &String)> = graph
        .edges
        .iter()
        .filter(|e| shown(e.edge_type))
        .map(|e| (&e.source, &e.target))
        .collect();
    for (source, target) in ends {
        builder.edge(source.clone(), target.clone());
    }
    let digraph = builder.build()?;
    // Conclusions lie on no loop, so that their edges change no component.
    let topology = analyze(&digraph, &kappa_topology::Options::default());
    Ok(to_svg(&digraph, &topology))
}

/// Two pictures in one, the first on the left.
fn side_by_side(left: &str, right: &str) -> String {
    let size = |svg: &str, name: &str| -> f64 {
        let found = svg.split_once(&format!(" {name}=\"")).map(|(_, rest)| rest);
        let number = found.and_then(|rest| rest.split('"').next());
        number.and_then(|n| n.parse().ok()).unwrap_or(600.0)
    };
    let (a, b) = (size(left, "width"), size(right, "width"));
    let height = size(left, "height").max(size(right, "height"));
    let gap = 24.0;
    let placed = |svg: &str, x: f64| {
        let body = svg.find("<svg").map_or(svg, |at| &svg[at..]);
        body.replacen("<svg", &format!("<svg x=\"{x}\" y=\"0\""), 1)
    };
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{height}\" \
         viewBox=\"0 0 {w} {height}\">\n{}\n{}\n</svg>\n",
        placed(left, 0.0),
        placed(right, a + gap),
        w = a + gap + b
    )
}
