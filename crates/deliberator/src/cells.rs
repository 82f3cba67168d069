//! Decompose: cells from minimum cuts, and the passes of a round.

use std::collections::{BTreeMap, BTreeSet};

use kappa_topology::{DeliberationBudget, Edge, FaultLine};
use serde::{Deserialize, Serialize};

/// A part of a component that a pass reasons about, with what it may see across the cut.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cell {
    /// Its nodes, by id.
    pub nodes: Vec<String>,
    /// The edges of the cuts that have exactly one end in it, by their ends.
    pub boundary: Vec<Edge<String>>,
    /// The other ends of the boundary, by id: context, not part of the cell.
    pub context: Vec<String>,
}

/// What a pass takes for granted about an edge of the cut.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assumption {
    /// The edge.
    pub edge: Edge<String>,
    /// Whether it is taken to hold.
    pub holds: bool,
}

/// The cells that minimum cuts make: disjoint, covering every node of the component, at most
/// `max_cells` (at least 1) of them, in a fixed order.
///
/// One cut makes two cells, its source side first. Several cuts make their common refinement;
/// where that has more than `max_cells` cells the two smallest join until it has not.
#[must_use]
pub fn decompose(cuts: &[FaultLine<String>], max_cells: usize) -> Vec<Cell> {
    let mut groups: BTreeMap<Vec<bool>, BTreeSet<String>> = BTreeMap::new();
    let sides: Vec<BTreeSet<&String>> = cuts
        .iter()
        .map(|cut| cut.target_side.iter().collect())
        .collect();
    let Some(first) = cuts.first() else {
        return Vec::new();
    };
    for node in first.source_side.iter().chain(&first.target_side) {
        let place = sides.iter().map(|beyond| beyond.contains(node)).collect();
        groups.entry(place).or_default().insert(node.clone());
    }
    let mut parts: Vec<BTreeSet<String>> = groups.into_values().collect();
    while parts.len() > max_cells.max(1) {
        join_smallest(&mut parts);
    }
    parts.into_iter().map(|part| cell(part, cuts)).collect()
}

/// Joins the two smallest parts (the earlier among equals) at the place of the earlier one.
fn join_smallest(parts: &mut Vec<BTreeSet<String>>) {
    let mut order: Vec<usize> = (0..parts.len()).collect();
    order.sort_by_key(|&i| (parts.get(i).map_or(0, BTreeSet::len), i));
    if let [a, b, ..] = order.as_slice() {
        let joined = parts.remove(*a.max(b));
        if let Some(part) = parts.get_mut(*a.min(b)) {
            part.extend(joined);
        }
    }
}

fn cell(part: BTreeSet<String>, cuts: &[FaultLine<String>]) -> Cell {
    let crosses = |e: &&Edge<String>| part.contains(&e.source) != part.contains(&e.target);
    let boundary: BTreeSet<Edge<String>> = cuts
        .iter()
        .flat_map(|cut| &cut.edges)
        .filter(crosses)
        .cloned()
        .collect();
    let context: BTreeSet<String> = boundary
        .iter()
        .flat_map(|e| [&e.source, &e.target])
        .filter(|end| !part.contains(*end))
        .cloned()
        .collect();
    Cell {
        nodes: part.into_iter().collect(),
        boundary: boundary.into_iter().collect(),
        context: context.into_iter().collect(),
    }
}

/// A pass that is to be made: a cell (by its place) under an assignment of its boundary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Planned {
    pub cell: usize,
    pub assumptions: Vec<Assumption>,
}

/// The cuts of a round: two rounds on each cut (the second with every assumption swapped), then
/// on to the next cut.
pub(crate) fn cuts_of_round(
    cuts: &[FaultLine<String>],
    round: u32,
    at_once: usize,
) -> Vec<FaultLine<String>> {
    if cuts.is_empty() {
        return Vec::new();
    }
    let take = at_once.clamp(1, cuts.len());
    let start = (round as usize / 2) % cuts.len();
    (0..take)
        .filter_map(|i| cuts.get((start + i) % cuts.len()).cloned())
        .collect()
}

/// How many passes a round has: min(2 × fault-line edges, `max_iterations`).
#[must_use]
pub fn passes_per_round(fault_line_edges: usize, budget: &DeliberationBudget) -> usize {
    (2 * fault_line_edges).min(budget.max_iterations as usize)
}

/// The passes of a round: over the cells first, the assignment changing from pass to pass.
///
/// Pass 2p takes for granted that edge j of the cut holds unless bit j of p is set, pass 2p + 1
/// the opposite of that; odd rounds swap all of it. κ = 1, first round: (cell A, holds),
/// (cell B, does not hold); second round the other way round.
pub(crate) fn plan_round(
    cells: &[Cell],
    cuts: &[FaultLine<String>],
    round: u32,
    budget: &DeliberationBudget,
) -> Vec<Planned> {
    let edges: BTreeSet<&Edge<String>> = cuts.iter().flat_map(|cut| &cut.edges).collect();
    let count = passes_per_round(edges.len(), budget);
    (0..count)
        .filter_map(|pass| {
            let cell = pass % cells.len().max(1);
            let boundary = &cells.get(cell)?.boundary;
            let assumptions = edges
                .iter()
                .enumerate()
                .filter(|(_, edge)| boundary.contains(edge))
                .map(|(j, edge)| Assumption {
                    edge: (*edge).clone(),
                    holds: holds(pass, j, round),
                })
                .collect();
            Some(Planned { cell, assumptions })
        })
        .collect()
}

fn holds(pass: usize, edge: usize, round: u32) -> bool {
    let pattern = pass / 2;
    let broken = edge < usize::BITS as usize && (pattern >> edge) & 1 == 1;
    let swapped = (pass % 2 == 1) != (round % 2 == 1);
    broken == swapped
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(source: &[&str], target: &[&str], edges: &[(&str, &str)]) -> FaultLine<String> {
        let own = |list: &[&str]| list.iter().map(ToString::to_string).collect();
        FaultLine {
            edges: edges
                .iter()
                .map(|(s, t)| Edge {
                    source: (*s).to_owned(),
                    target: (*t).to_owned(),
                })
                .collect(),
            source_side: own(source),
            target_side: own(target),
        }
    }

    fn shape(planned: &[Planned]) -> Vec<(usize, Vec<bool>)> {
        planned
            .iter()
            .map(|p| (p.cell, p.assumptions.iter().map(|a| a.holds).collect()))
            .collect()
    }

    #[test]
    fn one_fault_line_makes_two_cells_and_two_passes_that_swap() {
        let cuts = [line(&["a", "b"], &["c", "d"], &[("b", "c")])];
        let cells = decompose(&cuts, 2);
        assert_eq!(cells.len(), 2);
        assert_eq!(cells[0].nodes, ["a", "b"]);
        assert_eq!(cells[0].context, ["c"]);
        assert_eq!(cells[1].context, ["b"]);
        let budget = DeliberationBudget::for_kappa(1);
        let round = |r| shape(&plan_round(&cells, &cuts, r, &budget));
        assert_eq!(round(0), [(0, vec![true]), (1, vec![false])]);
        assert_eq!(round(1), [(0, vec![false]), (1, vec![true])]);
    }

    #[test]
    fn two_fault_line_edges_make_three_different_passes() {
        let cuts = [line(&["a"], &["b", "c"], &[("a", "b"), ("a", "c")])];
        let cells = decompose(&cuts, 3);
        let budget = DeliberationBudget::for_kappa(2);
        assert_eq!(
            shape(&plan_round(&cells, &cuts, 0, &budget)),
            [
                (0, vec![true, true]),
                (1, vec![false, false]),
                (0, vec![false, true])
            ]
        );
    }

    #[test]
    fn two_cuts_at_once_refine_and_stay_bounded() {
        let cuts = [
            line(&["a", "b"], &["c", "d"], &[("b", "c")]),
            line(&["a", "c"], &["b", "d"], &[("a", "b")]),
        ];
        assert_eq!(decompose(&cuts, 4).len(), 4);
        let three = decompose(&cuts, 3);
        let nodes: Vec<_> = three.iter().map(|c| c.nodes.clone()).collect();
        assert_eq!(nodes, [vec!["a", "b"], vec!["c"], vec!["d"]]);
        assert_eq!(decompose(&[], 3), []);
    }
}
