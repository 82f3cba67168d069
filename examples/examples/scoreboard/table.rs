//! The rows as a Markdown table.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use crate::rows::{MODES, Row};

/// Labels from the most that was checked to the least; a label that is not here comes last.
const LABELS: [&str; 12] = [
    "EVIDENCE-WARRANTED",
    "EVIDENCE-WARRANTED-PARTIAL",
    "ANCHOR-WARRANTED",
    "ANCHOR-WARRANTED-PARTIAL",
    "POINTER-LINKED",
    "POINTER-LINKED-PARTIAL",
    "STRICT",
    "HYBRID",
    "UNGROUNDED",
    "HONEST-REFUSAL",
    "DECLINED",
    "REJECTED",
];
const DIRECTIVES: [&str; 8] = ["d1", "d2", "d3", "d4", "d5", "d6", "d7", "d8"];

/// An agent in a mode.
pub(crate) type Group = (String, String);

/// The rows of each agent and mode.
pub(crate) fn groups(rows: &[Row]) -> Vec<(Group, Vec<&Row>)> {
    let mut groups: BTreeMap<(&str, usize, &str), Vec<&Row>> = BTreeMap::new();
    for row in rows {
        let mode = row.answer_mode.as_str();
        let place = MODES.iter().position(|m| m.wire_name() == mode);
        let place = place.unwrap_or(MODES.len());
        groups
            .entry((&row.agent, place, mode))
            .or_default()
            .push(row);
    }
    let named = groups.into_iter();
    named
        .map(|((agent, _, mode), rows)| ((agent.to_owned(), mode.to_owned()), rows))
        .collect()
}

/// The labels that occur, in the order of [`LABELS`].
pub(crate) fn labels<'r>(rows: impl Iterator<Item = &'r Row>) -> Vec<String> {
    let found: BTreeSet<&str> = rows.map(|row| row.label.as_str()).collect();
    let mut labels: Vec<&str> = found.into_iter().collect();
    labels.sort_by_key(|label| {
        LABELS
            .iter()
            .position(|l| l == label)
            .unwrap_or(LABELS.len())
    });
    labels.into_iter().map(ToOwned::to_owned).collect()
}

pub(crate) fn markdown(rows: &[Row]) -> String {
    let groups = groups(rows);
    let mut out = String::from("## Labels\n\nShare of runs, in percent.\n\n");
    let labels = labels(rows.iter());
    head(&mut out, &["agent", "mode", "runs"], &labels, "warrant ran");
    for ((agent, mode), rows) in &groups {
        let _ = write!(out, "| {agent} | {mode} | {} |", rows.len());
        for label in &labels {
            let count = rows.iter().filter(|row| row.label == *label).count();
            let _ = write!(out, " {} |", percent(count, rows.len()));
        }
        let fired = rows.iter().filter(|row| row.warrant_fired).count();
        let _ = writeln!(out, " {} |", percent(fired, rows.len()));
    }

    out.push_str(
        "\n## Directives\n\nHeld, of the runs on which a directive has something to say.\n\n",
    );
    let named: Vec<String> = DIRECTIVES.iter().map(|d| d.to_uppercase()).collect();
    head(&mut out, &["agent", "mode"], &named, "all held");
    for ((agent, mode), rows) in &groups {
        let _ = write!(out, "| {agent} | {mode} |");
        for directive in DIRECTIVES {
            let said = rows
                .iter()
                .filter_map(|row| row.directive_compliance.get(directive));
            let said: Vec<&bool> = said.collect();
            let held = said.iter().filter(|held| ***held).count();
            let _ = match said.len() {
                0 => write!(out, " – |"),
                of => write!(out, " {held}/{of} |"),
            };
        }
        let all = |row: &&&Row| row.directive_compliance.values().all(|held| *held);
        let _ = writeln!(out, " {}/{} |", rows.iter().filter(all).count(), rows.len());
    }
    out.push('\n');
    out.push_str(&statuses(&groups));
    out
}

/// What preflight and the detectors said.
fn statuses(groups: &[(Group, Vec<&Row>)]) -> String {
    let mut out =
        String::from("## Questions\n\nWhat was said of them before and after retrieval.\n\n");
    out.push_str("| agent | mode | questions | rejected | with a status | statuses |\n");
    out.push_str("| --- | --- | ---: | ---: | ---: | --- |\n");
    for ((agent, mode), rows) in groups {
        let ids: BTreeSet<&str> = rows.iter().map(|row| row.id.as_str()).collect();
        let rejected = rows.iter().filter(|row| row.label == "REJECTED").count();
        let with = rows
            .iter()
            .filter(|row| !row.logical_statuses.is_empty())
            .count();
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for status in rows.iter().flat_map(|row| &row.logical_statuses) {
            *counts.entry(status).or_default() += 1;
        }
        let counts: Vec<String> = counts.iter().map(|(s, n)| format!("{s} {n}")).collect();
        let _ = writeln!(
            out,
            "| {agent} | {mode} | {} | {rejected} | {with} | {} |",
            ids.len(),
            counts.join(", ")
        );
    }
    out
}

fn head(out: &mut String, first: &[&str], columns: &[String], last: &str) {
    let columns = columns.iter().map(String::as_str);
    let names: Vec<&str> = first.iter().copied().chain(columns).chain([last]).collect();
    let _ = writeln!(out, "| {} |", names.join(" | "));
    let rule: Vec<&str> = (0..names.len())
        .map(|i| if i < 2 { "---" } else { "---:" })
        .collect();
    let _ = writeln!(out, "| {} |", rule.join(" | "));
}

/// A share in percent with one decimal; `0` where there is none.
fn percent(count: usize, of: usize) -> String {
    match count {
        0 => "0".to_owned(),
        _ => format!("{:.1}", 100.0 * count as f64 / of.max(1) as f64),
    }
}
