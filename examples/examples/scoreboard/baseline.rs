//! This run against an earlier one.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::rows::Row;
use crate::table::{groups, labels};

/// Differences below this many points are noise.
const NOISE_FLOOR: f64 = 5.0;

/// Label rates that moved, and how many did not.
pub(crate) fn markdown(before: &[Row], now: &[Row]) -> String {
    let mut out = String::from("\n## Against the baseline\n\n");
    let earlier: BTreeMap<_, _> = groups(before).into_iter().collect();
    let (mut lines, mut quiet) = (String::new(), 0);
    for (group, rows) in groups(now) {
        let Some(base) = earlier.get(&group) else {
            let _ = writeln!(out, "{} in {}: not in the baseline.\n", group.0, group.1);
            continue;
        };
        for label in labels(base.iter().chain(&rows).copied()) {
            let (a, b) = (rates(base, &label), rates(&rows, &label));
            let moved = b.mean - a.mean;
            if moved.abs() < NOISE_FLOOR || moved.abs() <= a.spread.max(b.spread) {
                quiet += 1;
                continue;
            }
            let _ = writeln!(
                lines,
                "| {} | {} | {label} | {:.1} ± {:.1} | {:.1} ± {:.1} | {moved:+.1} |",
                group.0,
                group.1,
                a.mean,
                a.spread / 2.0,
                b.mean,
                b.spread / 2.0
            );
        }
    }
    if lines.is_empty() {
        let _ = writeln!(
            out,
            "No rate moved by {NOISE_FLOOR} points or more beyond its repeats ({quiet} compared)."
        );
        return out;
    }
    out.push_str("| agent | mode | label | before | now | points |\n| --- | --- | --- | ---: | ---: | ---: |\n");
    out.push_str(&lines);
    let _ = writeln!(
        out,
        "\n{quiet} other rates moved by less than {NOISE_FLOOR} points or no more than their repeats do."
    );
    out
}

/// A label's rate over the repeats, in percent, and the distance of its extremes.
struct Rates {
    mean: f64,
    spread: f64,
}

fn rates(rows: &[&Row], label: &str) -> Rates {
    let mut repeats: BTreeMap<u32, (usize, usize)> = BTreeMap::new();
    for row in rows {
        let (count, of) = repeats.entry(row.repeat).or_default();
        *count += usize::from(row.label == label);
        *of += 1;
    }
    let shares: Vec<f64> = repeats
        .values()
        .map(|(count, of)| 100.0 * *count as f64 / (*of).max(1) as f64)
        .collect();
    let most = shares.iter().copied().fold(0.0, f64::max);
    let least = shares.iter().copied().fold(100.0, f64::min);
    Rates {
        mean: shares.iter().sum::<f64>() / shares.len().max(1) as f64,
        spread: (most - least).max(0.0),
    }
}
