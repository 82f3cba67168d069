//! Arrows point one way: which crate of the workspace may depend on which.
//!
//! The table is the one of docs/ARCHITECTURE.md, and this is the only place where it is code.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::{BTreeMap, BTreeSet};

use cargo_metadata::{DependencyKind, MetadataCommand};

/// Each crate with the crates of ours that it may depend on.
const ARROWS: &[(&str, &[&str])] = &[
    ("text-units", &[]),
    ("wisdom-score", &["text-units"]),
    ("claim-lattice", &["text-units"]),
    ("run-dag", &[]),
    ("kappa-topology", &[]),
    ("knowledge-graph", &["kappa-topology"]),
    ("language-agents", &["text-units"]),
    (
        "deliberator",
        &["kappa-topology", "knowledge-graph", "language-agents"],
    ),
    ("geodesic-retriever", &["text-units"]),
    // The crates whose storage traits it implements.
    (
        "evidence-store",
        &["geodesic-retriever", "knowledge-graph", "run-dag"],
    ),
    (
        "grounded-answer",
        &[
            "claim-lattice",
            "deliberator",
            "geodesic-retriever",
            "kappa-topology",
            "knowledge-graph",
            "language-agents",
            "run-dag",
            "text-units",
            "wisdom-score",
        ],
    ),
    (
        "knowledge-loop",
        &[
            "deliberator",
            "geodesic-retriever",
            "kappa-topology",
            "knowledge-graph",
            "language-agents",
            "run-dag",
        ],
    ),
    ("audit-report", &["grounded-answer", "knowledge-loop"]),
];

/// Packages that nothing may depend on, and that may depend on all: programs, tests, benchmarks.
const OUTERMOST: &[&str] = &["candor-benches", "candor-examples", "candor-tests"];

/// What decides what an answer may claim, or recomputes it.
const VERIFIES: &[&str] = &["claim-lattice", "run-dag", "text-units", "wisdom-score"];

/// What generates text, and what holds such a thing.
const GENERATES: &[&str] = &[
    "audit-report",
    "deliberator",
    "grounded-answer",
    "knowledge-loop",
    "language-agents",
];

type Arrows = BTreeMap<String, BTreeSet<String>>;

/// The arrows of the workspace as cargo sees them: normal and build dependencies, optional ones
/// too.
fn arrows() -> Arrows {
    let metadata = MetadataCommand::new()
        .no_deps()
        .exec()
        .expect("cargo metadata runs");
    let ours: BTreeSet<String> = metadata
        .packages
        .iter()
        .map(|p| p.name.to_string())
        .collect();
    metadata
        .packages
        .iter()
        .map(|package| {
            let to = package
                .dependencies
                .iter()
                .filter(|d| d.kind != DependencyKind::Development && ours.contains(&d.name))
                .map(|d| d.name.clone());
            (package.name.to_string(), to.collect())
        })
        .collect()
}

/// Everything that can be reached from a crate.
fn reach<'a>(arrows: &'a Arrows, from: &'a str) -> BTreeSet<&'a str> {
    let mut seen = BTreeSet::new();
    let mut open = vec![from];
    while let Some(at) = open.pop() {
        for next in arrows.get(at).into_iter().flatten() {
            if seen.insert(next.as_str()) {
                open.push(next);
            }
        }
    }
    seen
}

#[test]
fn every_arrow_is_in_the_table() {
    let table: BTreeMap<&str, &[&str]> = ARROWS.iter().copied().collect();
    let mut wrong = Vec::new();
    for (from, targets) in arrows() {
        for to in targets {
            if OUTERMOST.contains(&to.as_str()) {
                wrong.push(format!("{from} -> {to}: nothing may depend on {to}"));
            } else if !OUTERMOST.contains(&from.as_str())
                && !table
                    .get(from.as_str())
                    .is_some_and(|allowed| allowed.contains(&to.as_str()))
            {
                wrong.push(format!("{from} -> {to}: {from} may not depend on {to}"));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "arrows that the table of docs/ARCHITECTURE.md does not allow:\n{}",
        wrong.join("\n")
    );
}

#[test]
fn the_table_names_the_crates_of_the_workspace() {
    let found: BTreeSet<String> = arrows()
        .into_keys()
        .filter(|name| !OUTERMOST.contains(&name.as_str()))
        .collect();
    let listed: BTreeSet<String> = ARROWS.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(
        found, listed,
        "crates of the workspace (left) and of the table (right)"
    );
}

#[test]
fn nothing_that_verifies_reaches_anything_that_generates() {
    let arrows = arrows();
    for from in VERIFIES {
        let reached = reach(&arrows, from);
        for to in GENERATES {
            assert!(
                !reached.contains(to),
                "{from} verifies and reaches {to}, which generates"
            );
        }
    }
}

#[test]
fn the_table_itself_points_one_way() {
    let table: Arrows = ARROWS
        .iter()
        .map(|(from, to)| {
            (
                (*from).to_owned(),
                to.iter().map(|t| (*t).to_owned()).collect(),
            )
        })
        .collect();
    for (from, _) in ARROWS {
        assert!(
            !reach(&table, from).contains(from),
            "{from} can be reached from itself"
        );
    }
}
