//! The DAG as a picture: Graphviz DOT and Mermaid.

use crate::run::RunRecord;
use std::fmt::Write as _;

/// Name, first 12 digits of the hash and parents of each stage.
fn nodes(record: &RunRecord) -> impl Iterator<Item = (usize, String, String, &[usize])> {
    let stages = record
        .stage_names()
        .into_iter()
        .zip(record.stages())
        .enumerate();
    stages.map(|(index, (name, stage))| {
        let hash = stage.stage_hash().to_hex().chars().take(12).collect();
        (index, name, hash, stage.parents())
    })
}

/// The run's DAG in Graphviz DOT: a node a stage, an edge from each parent.
#[must_use]
pub fn dot(record: &RunRecord) -> String {
    let mut out = String::from("digraph run {\n  rankdir=TB;\n  node [shape=box];\n");
    let _ = writeln!(out, "  label=\"run_dag_root {}\";", record.run_dag_root());
    for (index, name, hash, parents) in nodes(record) {
        let _ = writeln!(out, "  s{index} [label=\"{name}\\n{hash}\"];");
        for parent in parents {
            let _ = writeln!(out, "  s{parent} -> s{index};");
        }
    }
    out.push_str("}\n");
    out
}

/// The run's DAG in Mermaid's flowchart syntax.
#[must_use]
pub fn mermaid(record: &RunRecord) -> String {
    let mut out = String::from("flowchart TD\n");
    for (index, name, hash, parents) in nodes(record) {
        // '#' starts a character entity in Mermaid.
        let name = name.replace('#', "#35;");
        let _ = writeln!(out, "  s{index}[\"{name}<br/>{hash}\"]");
        for parent in parents {
            let _ = writeln!(out, "  s{parent} --> s{index}");
        }
    }
    out
}
