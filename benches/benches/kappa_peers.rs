//! kappa-topology beside its peers, as Markdown tables on standard output.
//!
//! Run by `benches/peers/kappa/speed.sh`, which builds LEMON's program and the Python
//! environment and names them in `KAPPA_LEMON`, `KAPPA_PYTHON` and `KAPPA_WORK`.
//! `KAPPA_ONLY=own` leaves the peers out; `KAPPA_TABLES` names what is wanted: any of `small` and
//! `large` (the two parts of the table of peers), `growth`, `bridges`.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    clippy::print_stderr
)]

#[path = "../../crates/kappa-topology/tests/families/mod.rs"]
mod families;

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use families::family;
use kappa_topology::{Digraph, Options, analyze};

/// Family, nodes, degree, whether the nodes are shuffled, the goal as a factor.
type Row = (&'static str, u32, u32, bool, u32);

const ROWS: &[Row] = &[
    ("random", 2_000, 10, false, 30),
    ("random", 20_000, 10, false, 30),
    ("regular", 2_000, 2, false, 30),
    ("regular", 2_000, 4, false, 30),
    ("regular", 2_000, 10, false, 30),
    ("regular", 2_000, 20, false, 10),
    ("regular", 2_000, 50, false, 10),
    ("random", 5_000, 40, false, 10),
    ("random", 1_000, 100, false, 10),
    ("regular", 1_000, 106, false, 10),
    ("blobs", 20_000, 8, false, 10),
    ("bridged halves", 20_000, 8, false, 10),
    ("two-way torus", 20_000, 0, true, 0),
    ("two-way circulant", 20_000, 8, true, 0),
    ("planted", 10_000, 8, false, 10),
    ("two-way ring", 10_000, 0, false, 10),
    ("two-way ring", 100_000, 0, false, 10),
    ("two-way grid", 100_000, 0, false, 30),
    ("attachment", 100_000, 5, false, 30),
    ("local", 100_000, 12, false, 30),
    ("random", 100_000, 10, false, 30),
    ("regular", 100_000, 8, false, 30),
    ("planted", 100_000, 8, false, 10),
    ("two-way grid", 100_000, 0, true, 30),
    ("two-way ring", 100_000, 0, true, 10),
];

/// From so many nodes on a row belongs to the part `large`.
const LARGE: u32 = 100_000;

/// LEMON gets so many seconds, Python so many.
const PATIENCE: (u32, u32) = (40, 60);

const GROWTH: &[(&str, u32)] = &[
    ("random", 10),
    ("regular", 8),
    ("local", 12),
    ("two-way grid", 0),
    ("two-way ring", 0),
    ("attachment", 5),
    ("planted", 8),
    ("blobs", 8),
    ("bridged halves", 8),
    ("two-way torus", 0),
    ("two-way circulant", 8),
    ("cycle", 0),
];

fn main() {
    let mut only: Vec<String> = std::env::args()
        .skip(1)
        .filter(|a| a != "--bench")
        .collect();
    only.dedup();
    let peers = Peers::from_environment();
    let tables = std::env::var("KAPPA_TABLES").unwrap_or("small large growth bridges".to_owned());
    let wanted = |name: &str| only.is_empty() || only.iter().any(|o| o == name);
    if tables.contains("small") {
        println!(
            "| graph | nodes | edges | κ | kappa-topology | LEMON Hao–Orlin | SageMath Gabow | igraph | petgraph SCC | best correct ÷ ours | goal |"
        );
        println!("| --- | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: |");
    }
    for row in ROWS.iter().filter(|row| wanted(row.0)) {
        if tables.contains(if row.1 < LARGE { "small" } else { "large" }) {
            println!("{}", compare(row, &peers));
        }
    }
    if tables.contains("growth") {
        println!(
            "\n| graph | κ | 10,000 | 100,000 | 1,000,000 | last ÷ middle | the same of a BFS | BFSs, 100,000 | BFSs, 1,000,000 |"
        );
        println!("| --- | --: | --: | --: | --: | --: | --: | --: | --: |");
        for &(name, d) in GROWTH.iter().filter(|row| wanted(row.0)) {
            println!("{}", growth(name, d));
        }
    }
    if tables.contains("bridges") {
        println!("\n| graph of κ = 1 | one BFS | analyze ÷ BFS | strong bridges | all ÷ BFS |");
        println!("| --- | --: | --: | --: | --: |");
        for name in ["cycle", "random", "bridged halves", "two-way tree"] {
            println!("{}", bridges(name));
        }
    }
}

fn make(name: &str, n: u32, d: u32, shuffle: bool) -> Digraph<u32> {
    let mut edges = (family(name).make)(n, d, 1);
    if shuffle {
        edges = families::shuffled(edges, n, 2);
    }
    Digraph::from_edges(edges).unwrap()
}

/// The least of up to five runs in milliseconds, and the last result. (The peers measure so too.)
fn least<T>(mut run: impl FnMut() -> T) -> (f64, T) {
    let (mut best, mut runs) = (f64::INFINITY, 0);
    let start = Instant::now();
    loop {
        let begin = Instant::now();
        let value = std::hint::black_box(run());
        best = best.min(begin.elapsed().as_secs_f64() * 1e3);
        runs += 1;
        if runs == 5 || start.elapsed() > Duration::from_secs(3) {
            return (best, value);
        }
    }
}

fn own(graph: &Digraph<u32>) -> (f64, u64) {
    let (ms, topology) = least(|| analyze(graph, &Options::default()));
    (ms, topology.max_kappa)
}

fn compare(&(name, n, d, shuffle, goal): &Row, peers: &Peers) -> String {
    let graph = make(name, n, d, shuffle);
    let (ms, kappa) = own(&graph);
    peers.write(&graph);
    let lemon = peers.lemon();
    let sage = peers.python("sage", PATIENCE.1);
    let igraph = if graph.node_count() <= 2_000 {
        peers.python("igraph", PATIENCE.1)
    } else {
        None
    };
    let petgraph = petgraph_components(&graph);
    let correct = [lemon, sage, igraph]
        .into_iter()
        .flatten()
        .filter(|p| p.0 == kappa);
    let best = correct.map(|p| p.1).min_by(f64::total_cmp);
    let cell = |peer: Option<(u64, f64)>| match peer {
        None => "–".to_owned(),
        Some((value, ms)) if value == kappa => figure(ms),
        Some((value, _)) => format!("wrong ({value})"),
    };
    let order = if shuffle { ", shuffled" } else { "" };
    let degree = if d > 0 {
        format!(", d = {d}")
    } else {
        String::new()
    };
    let ratio = best.map_or("–".to_owned(), |b| format!("{:.0}×", b / ms));
    let goal = if goal > 0 {
        format!("{goal}×")
    } else {
        "–".to_owned()
    };
    format!(
        "| {name}{degree}{order} | {} | {} | {kappa} | {} | {} | {} | {} | {} | {ratio} | {goal} |",
        graph.node_count(),
        graph.edge_count(),
        figure(ms),
        cell(lemon),
        cell(sage),
        cell(igraph),
        figure(petgraph),
    )
}

fn figure(ms: f64) -> String {
    if ms < 10.0 {
        format!("{ms:.2}")
    } else {
        format!("{ms:.0}")
    }
}

fn petgraph_components(graph: &Digraph<u32>) -> f64 {
    let edges = graph.edges().map(|(&s, &t)| (s, t));
    let graph = petgraph::graph::DiGraph::<(), ()>::from_edges(edges);
    // Kosaraju's, because petgraph's Tarjan recurses and overflows on long paths.
    least(|| petgraph::algo::kosaraju_scc(&graph).len()).0
}

fn growth(name: &str, d: u32) -> String {
    let mut rows = Vec::new();
    let mut kappa = 0;
    for n in [10_000, 100_000, 1_000_000] {
        let graph = make(name, n, d, false);
        let (ms, value) = own(&graph);
        kappa = value;
        let (bfs, _) = {
            let neighbours = neighbours(&graph);
            least(|| breadth_first(&neighbours))
        };
        rows.push((ms, bfs));
    }
    let [(small, _), (middle, middle_bfs), (last, last_bfs)] = rows[..] else {
        unreachable!("three sizes")
    };
    format!(
        "| {name} | {kappa} | {} | {} | {} | {:.1} | {:.1} | {:.1} | {:.1} |",
        figure(small),
        figure(middle),
        figure(last),
        last / middle,
        last_bfs / middle_bfs,
        middle / middle_bfs,
        last / last_bfs,
    )
}

/// The out-neighbours of each node; no family used here has gaps in its numbers.
fn neighbours(graph: &Digraph<u32>) -> Vec<Vec<u32>> {
    let mut rows = vec![Vec::new(); graph.node_count()];
    graph.edges().for_each(|(&s, &t)| rows[s as usize].push(t));
    rows
}

fn bridges(name: &str) -> String {
    let graph = make(name, 100_000, 8, false);
    let rows = neighbours(&graph);
    let (bfs, _) = least(|| breadth_first(&rows));
    let (ms, topology) = least(|| analyze(&graph, &Options::default()));
    let scc = topology.sccs.iter().find(|s| s.kappa == 1).expect("κ = 1");
    let (all, found) = least(|| scc.strong_bridges(&graph).unwrap().len());
    format!(
        "| {name} | {} | {:.1} | {found} in {} | {:.1} |",
        figure(bfs),
        ms / bfs,
        figure(all),
        (ms + all) / bfs
    )
}

fn breadth_first(rows: &[Vec<u32>]) -> usize {
    let mut met = vec![false; rows.len()];
    met[0] = true;
    let mut queue = vec![0u32];
    let mut head = 0;
    while let Some(&v) = queue.get(head) {
        head += 1;
        for &w in &rows[v as usize] {
            if !std::mem::replace(&mut met[w as usize], true) {
                queue.push(w);
            }
        }
    }
    queue.len()
}

struct Peers {
    lemon: Option<PathBuf>,
    python: Option<PathBuf>,
    script: PathBuf,
    file: PathBuf,
}

impl Peers {
    fn from_environment() -> Self {
        let path = |name: &str| std::env::var_os(name).map(PathBuf::from);
        let own_only = std::env::var("KAPPA_ONLY").is_ok_and(|v| v == "own");
        let here = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("peers/kappa");
        let work = path("KAPPA_WORK").unwrap_or_else(|| here.join(".work"));
        Self {
            lemon: path("KAPPA_LEMON").filter(|_| !own_only),
            python: path("KAPPA_PYTHON").filter(|_| !own_only),
            script: here.join("peers.py"),
            file: work.join("graph.txt"),
        }
    }

    fn write(&self, graph: &Digraph<u32>) {
        if self.lemon.is_none() && self.python.is_none() {
            return;
        }
        let mut text = format!("{} {}\n", graph.node_count(), graph.edge_count());
        // Peers number nodes from zero without gaps: shuffling may have left some.
        let place = |v: &u32| graph.nodes().binary_search(v).unwrap();
        for (s, t) in graph.edges() {
            let _ = writeln!(text, "{} {} 1", place(s), place(t));
        }
        std::fs::write(&self.file, text).unwrap();
    }

    fn lemon(&self) -> Option<(u64, f64)> {
        let input = std::fs::File::open(&self.file).ok()?;
        run(Command::new("timeout")
            .arg(PATIENCE.0.to_string())
            .arg(self.lemon.as_ref()?)
            .stdin(input))
    }

    fn python(&self, peer: &str, seconds: u32) -> Option<(u64, f64)> {
        let mut command = Command::new("timeout");
        command.arg(seconds.to_string()).arg(self.python.as_ref()?);
        run(command.arg(&self.script).arg(peer).arg(&self.file))
    }
}

/// The `value milliseconds` that a peer prints; `None` if it failed or took too long.
fn run(command: &mut Command) -> Option<(u64, f64)> {
    let output = command.stderr(Stdio::null()).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let (value, ms) = text.trim().split_once(' ')?;
    Some((value.parse().ok()?, ms.parse().ok()?))
}
