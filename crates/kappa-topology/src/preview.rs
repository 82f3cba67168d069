//! What an edge would change, without touching the graph.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::graph::{Csr, Digraph};
use crate::subgraph::{Extractor, Subgraph};
use crate::{Error, scc, settle};

/// What adding or removing one edge would do to the component that it touches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Preview<N> {
    /// Nodes that were on no cycle would form a new component.
    pub creates_new_scc: bool,
    /// A component would gain nodes, or components would merge.
    pub enlarges_existing_scc: bool,
    /// A component would lose nodes or fall apart.
    pub shrinks_existing_scc: bool,
    /// The largest κ among the nodes that the change touches, before.
    pub kappa_before: u64,
    /// The same, after.
    pub kappa_after: u64,
    /// `kappa_after − kappa_before`.
    pub kappa_delta: i64,
    /// The nodes of the component that the change touches (after an addition, before a
    /// removal), ascending; empty if it touches none.
    pub nodes: Vec<N>,
    /// The same in words.
    pub sentence: String,
}

/// What the edge `source → target` would change if it were added. Unknown nodes count as
/// isolated ones, so nothing changes for them.
///
/// # Complexity
/// O(n + m) to find what is touched, then as [`crate::analyze`] for that part.
pub fn preview_edge<N: Ord + Clone>(graph: &Digraph<N>, source: &N, target: &N) -> Preview<N> {
    if source == target {
        return unchanged("A self-loop does not count for κ: nothing changes.");
    }
    if graph.has_edge(source, target) {
        return unchanged("The edge is there already: nothing changes.");
    }
    let (Some(s), Some(t)) = (graph.index_of(source), graph.index_of(target)) else {
        return unchanged("The edge closes no loop: nothing changes.");
    };
    let members = touched(graph, t, s);
    if members.is_empty() {
        return unchanged("The edge closes no loop: nothing changes.");
    }
    let before = Extractor::new().extract(&graph.out, &graph.inn, &members);
    let place = |v: u32| members.binary_search(&v).map_or(0, |i| i as u32);
    let after = edited(&before, |edges| {
        edges.insert((place(s), place(t)));
    });
    let (old, kappa_before) = loops_and_kappa(&before);
    let (_, kappa_after) = loops_and_kappa(&after);
    let enlarges = old.iter().any(|l| l.len() < members.len());
    let what = match (old.is_empty(), enlarges) {
        (true, _) => format!("The edge closes a new loop of {} nodes", members.len()),
        (_, true) => format!("The edge enlarges a component to {} nodes", members.len()),
        _ => format!(
            "The edge lies within a component of {} nodes",
            members.len()
        ),
    };
    let mut preview = describe(graph, &members, kappa_before, kappa_after, &what);
    preview.creates_new_scc = old.is_empty();
    preview.enlarges_existing_scc = enlarges;
    preview
}

/// What would change if the edge `source → target` were removed.
///
/// # Errors
/// [`Error::NoSuchEdge`] if it is not in the graph.
///
/// # Complexity
/// As [`preview_edge`].
pub fn preview_removal<N: Ord + Clone>(
    graph: &Digraph<N>,
    source: &N,
    target: &N,
) -> Result<Preview<N>, Error> {
    let (Some(s), Some(t)) = (graph.index_of(source), graph.index_of(target)) else {
        return Err(Error::NoSuchEdge);
    };
    if !graph.has_edge(source, target) {
        return Err(Error::NoSuchEdge);
    }
    let members = touched(graph, t, s);
    if members.is_empty() {
        return Ok(unchanged("The edge lies on no loop: nothing changes."));
    }
    let before = Extractor::new().extract(&graph.out, &graph.inn, &members);
    let place = |v: u32| members.binary_search(&v).map_or(0, |i| i as u32);
    let after = edited(&before, |edges| {
        edges.remove(&(place(s), place(t)));
    });
    let (_, kappa_before) = loops_and_kappa(&before);
    let (left, kappa_after) = loops_and_kappa(&after);
    let shrinks = left.first().is_none_or(|l| l.len() < members.len());
    let what = match left.len() {
        0 => format!(
            "Removing the edge opens the loop of {} nodes",
            members.len()
        ),
        _ if !shrinks => format!("The component of {} nodes stays whole", members.len()),
        1 => format!(
            "The component of {} nodes shrinks to {}",
            members.len(),
            left[0].len()
        ),
        parts => format!(
            "The component of {} nodes falls into {parts}",
            members.len()
        ),
    };
    let mut preview = describe(graph, &members, kappa_before, kappa_after, &what);
    preview.shrinks_existing_scc = shrinks;
    Ok(preview)
}

/// The nodes on some path from `from` to `to`, ascending; empty if there is no path.
fn touched<N>(graph: &Digraph<N>, from: u32, to: u32) -> Vec<u32> {
    let ahead = reach(&graph.out, from);
    if !ahead[to as usize] {
        return Vec::new();
    }
    let behind = reach(&graph.inn, to);
    (0..ahead.len() as u32)
        .filter(|&v| ahead[v as usize] && behind[v as usize])
        .collect()
}

fn reach(rows: &Csr, start: u32) -> Vec<bool> {
    let mut met = vec![false; rows.node_count()];
    met[start as usize] = true;
    let mut stack = vec![start];
    while let Some(v) = stack.pop() {
        for &w in rows.row(v) {
            if !met[w as usize] {
                met[w as usize] = true;
                stack.push(w);
            }
        }
    }
    met
}

/// A copy of the graph with its edges changed.
fn edited(
    graph: &Subgraph<'_>,
    change: impl FnOnce(&mut BTreeSet<(u32, u32)>),
) -> Subgraph<'static> {
    let n = graph.len() as u32;
    let all = (0..n).flat_map(|s| graph.out.row(s).iter().map(move |&t| (s, t)));
    let mut edges: BTreeSet<(u32, u32)> = all.collect();
    change(&mut edges);
    let mut out = Csr {
        starts: vec![0; n as usize + 1],
        ends: Vec::with_capacity(edges.len()),
    };
    for (s, t) in edges {
        out.starts[s as usize + 1] += 1;
        out.ends.push(t);
    }
    for v in 0..n as usize {
        out.starts[v + 1] += out.starts[v];
    }
    let inn = out.reversed();
    Subgraph {
        out: out.into(),
        inn: inn.into(),
    }
}

fn loops_and_kappa(graph: &Subgraph<'_>) -> (Vec<Vec<u32>>, u64) {
    let loops = scc::components(&graph.out, &graph.inn).loops;
    let mut extractor = Extractor::new();
    let kappas = loops.iter().map(|members| {
        let component = extractor.extract(&graph.out, &graph.inn, members);
        u64::from(settle::minimum_cut(&component).kappa)
    });
    let kappa = kappas.max().unwrap_or(0);
    (loops, kappa)
}

fn describe<N: Ord + Clone>(
    graph: &Digraph<N>,
    members: &[u32],
    before: u64,
    after: u64,
    what: &str,
) -> Preview<N> {
    let change = if before == after {
        format!("κ stays {before}")
    } else if before < after {
        format!("κ rises from {before} to {after}")
    } else {
        format!("κ falls from {before} to {after}")
    };
    Preview {
        creates_new_scc: false,
        enlarges_existing_scc: false,
        shrinks_existing_scc: false,
        kappa_before: before,
        kappa_after: after,
        // κ is below 2³², so neither conversion loses anything.
        kappa_delta: after as i64 - before as i64,
        nodes: members
            .iter()
            .map(|&v| graph.nodes[v as usize].clone())
            .collect(),
        sentence: format!("{what}; {change}."),
    }
}

fn unchanged<N>(sentence: &str) -> Preview<N> {
    Preview {
        creates_new_scc: false,
        enlarges_existing_scc: false,
        shrinks_existing_scc: false,
        kappa_before: 0,
        kappa_after: 0,
        kappa_delta: 0,
        nodes: Vec::new(),
        sentence: sentence.to_owned(),
    }
}
