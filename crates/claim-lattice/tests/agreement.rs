//! Agreement with people on outside sets: makes docs/agreement.md and holds it to what is
//! measured.
#![allow(
    unreachable_pub,
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    missing_docs
)]

#[path = "support/agreement.rs"]
mod agreement;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use agreement::{Counts, Labelled};
use claim_lattice::Policy;

fn data() -> Option<PathBuf> {
    let folder = std::env::var_os("CANDOR_DATA").map(PathBuf::from);
    if folder.is_none() {
        println!("skipped: CANDOR_DATA is not set, no outside data to read");
    }
    folder
}

fn policies() -> [(&'static str, Policy); 3] {
    [
        ("seed", Policy::seed()),
        ("strict", Policy::strict()),
        ("balanced", Policy::balanced()),
    ]
}

fn row(out: &mut String, head: &str, counts: Counts) {
    writeln!(
        out,
        "| {head} | {:.1} | {:.1} | {:.1} | {} / {} / {} / {} |",
        100.0 * counts.precision(),
        100.0 * counts.recall(),
        100.0 * counts.macro_f1(),
        counts.true_positive,
        counts.false_positive,
        counts.false_negative,
        counts.true_negative,
    )
    .unwrap();
}

fn section(out: &mut String, title: &str, cases: &[Labelled]) {
    writeln!(out, "\n## {title}\n").unwrap();
    let yes = cases.iter().filter(|c| c.supported).count();
    writeln!(
        out,
        "{} claims, {yes} of them labelled supported.\n",
        cases.len()
    )
    .unwrap();
    out.push_str("| policy and rung | precision | recall | macro-F1 | TP / FP / FN / TN |\n| --- | --- | --- | --- | --- |\n");
    for (name, policy) in policies() {
        let measured = agreement::measure(cases, &policy);
        row(out, &format!("{name}, supported"), measured.supported);
        row(
            out,
            &format!("{name}, POINTER-LINKED or above"),
            measured.pointer_linked,
        );
        row(
            out,
            &format!("{name}, ANCHOR-WARRANTED or above"),
            measured.anchor_warranted,
        );
        row(
            out,
            &format!("{name}, EVIDENCE-WARRANTED"),
            measured.evidence_warranted,
        );
    }
    out.push_str("\nClaims that fail under `balanced` by one check alone:\n\n| check | people call it unsupported (caught) | supported (lost) |\n| --- | --- | --- |\n");
    for (check, (caught, lost)) in agreement::alone(cases, &Policy::balanced()) {
        writeln!(out, "| {check} | {caught} | {lost} |").unwrap();
    }
}

/// How the thresholds were chosen: on both cuts of the development set.
fn sweep(out: &mut String, against: &[Labelled], silent: &[Labelled]) {
    out.push_str("\n## Thresholds on the development set\n\n`gap_words` 2 and 0; macro-F1 on the first cut, on the second, and their mean; precision and recall of the top rung on both cuts together.\n\n| gap | coverage | detail | against | silent | mean | top rung: precision | recall |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n");
    for (gap, coverage, detail) in [
        (0, 60, 85),
        (0, 50, 85),
        (0, 40, 85),
        (2, 70, 85),
        (2, 65, 85),
        (2, 60, 95),
        (2, 60, 90),
        (2, 60, 85),
        (2, 60, 80),
        (2, 60, 75),
        (2, 50, 75),
        (2, 40, 75),
    ] {
        let policy = Policy {
            coverage_percent: coverage,
            detail_percent: detail,
            gap_words: gap,
            ..Policy::strict()
        };
        let cuts = [against, silent].map(|cases| agreement::measure(cases, &policy));
        let [first, second] = [0, 1].map(|i| 100.0 * cuts[i].supported.macro_f1());
        let mut top = cuts[0].evidence_warranted;
        top.extend(cuts[1].evidence_warranted);
        writeln!(
            out,
            "| {gap} | {coverage} | {detail} | {first:.1} | {second:.1} | {:.1} | {:.1} | {:.1} |",
            f64::midpoint(first, second),
            100.0 * top.precision(),
            100.0 * top.recall(),
        )
        .unwrap();
    }
}

fn page(data: &Path) -> String {
    let mut out = String::from(include_str!("support/agreement-head.md"));
    section(&mut out, "ExpertQA (reporting)", &agreement::expertqa(data));
    section(&mut out, "Fool Me Twice (reporting)", &agreement::fm2(data));
    let against = agreement::scifact(data);
    let silent = agreement::scifact_silent(data);
    section(
        &mut out,
        "SciFact, train split: supported or contradicted (development)",
        &against,
    );
    section(
        &mut out,
        "SciFact, train split: supported or silent (development)",
        &silent,
    );
    sweep(&mut out, &against, &silent);
    out
}

#[test]
#[cfg_attr(
    debug_assertions,
    ignore = "release only: some thirty thousand verdicts over long passages"
)]
fn the_figures_in_the_docs_are_what_is_measured() {
    let Some(data) = data() else { return };
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/agreement.md");
    let wanted = page(&data);
    if std::env::var_os("CANDOR_WRITE_DOCS").is_some() {
        std::fs::write(&path, &wanted).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(found.replace("\r\n", "\n"), wanted);
}

#[test]
fn the_sets_are_read_whole() {
    let Some(data) = data() else { return };
    assert_eq!(agreement::expertqa(&data).len(), 1_574);
    assert_eq!(agreement::fm2(&data).len(), 2_549);
}
