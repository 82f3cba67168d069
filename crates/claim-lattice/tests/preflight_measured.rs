//! Precision and recall of the detectors on `fixtures/preflight`, and the table in
//! `docs/preflight.md` that states them.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use claim_lattice::preflight::{
    CallOptions, CivilDate, CorpusInfo, EvidenceView, Lexicon, LogicalStatus, Preflight,
    PreflightPolicy, after_retrieval, preflight, question_shape,
};

/// A question of a fixture, what it should give and what it gives.
struct Row {
    set: String,
    held_out: bool,
    expected: String,
    got: String,
    question: String,
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(name: &str) -> String {
    fs::read_to_string(root().join("fixtures/preflight").join(name)).unwrap()
}

fn ask(question: &str, corpus: &CorpusInfo<'_>) -> Preflight {
    preflight(
        question,
        &Lexicon::built_in(),
        &PreflightPolicy::default(),
        corpus,
        &CallOptions::default(),
    )
}

/// The rows of a file of columns; `got` reads the columns behind the language.
fn table(name: &str, got: impl Fn(&[&str]) -> String) -> Vec<Row> {
    read(name)
        .lines()
        .filter(|l| !l.starts_with("# "))
        .enumerate()
        .map(|(i, line)| {
            let columns: Vec<&str> = line.split('\t').collect();
            Row {
                set: columns[0].to_owned(),
                held_out: i % 3 == 2,
                expected: columns[3].to_owned(),
                got: got(&columns[4..]),
                question: (*columns.last().unwrap()).to_owned(),
            }
        })
        .collect()
}

fn yes(holds: bool, yes: &str, no: &str) -> String {
    if holds { yes } else { no }.to_owned()
}

fn quantifiers() -> Vec<Row> {
    table("quantifiers.tsv", |c| {
        let seen = ask(c[0], &CorpusInfo::default());
        seen.classifier
            .quantifier
            .quantifier_intensity
            .intensity()
            .to_string()
    })
}

fn bounds() -> Vec<Row> {
    table("bounds.tsv", |c| {
        let seen = ask(c[0], &CorpusInfo::default());
        seen.classifier
            .quantifier
            .scope_bound_hint
            .first()
            .map_or("none".to_owned(), |b| {
                serde_json::to_value(b.kind)
                    .unwrap()
                    .as_str()
                    .unwrap()
                    .to_owned()
            })
    })
}

fn shapes() -> Vec<Row> {
    table("shapes.tsv", |c| {
        let shape = question_shape(c[0], &Lexicon::built_in());
        serde_json::to_value(shape)
            .unwrap()
            .as_str()
            .unwrap()
            .to_owned()
    })
}

fn temporal() -> Vec<Row> {
    let corpus = CorpusInfo {
        as_of: Some(CivilDate {
            year: 2020,
            month: Some(6),
            day: None,
        }),
        asked_on: Some(CivilDate::day(2026, 1, 15)),
        titles: &[],
    };
    table("temporal.tsv", |c| {
        yes(
            ask(c[0], &corpus).classifier.state.stale_risk.is_some(),
            "stale",
            "fresh",
        )
    })
}

fn contradiction() -> Vec<Row> {
    table("contradiction.tsv", |c| {
        let state = ask(c[0], &CorpusInfo::default()).classifier.state;
        yes(state.contradiction.is_some(), "contradictory", "sound")
    })
}

fn frames() -> Vec<Row> {
    table("frames.tsv", |c| {
        let titles: Vec<&str> = c[0].split('|').filter(|t| !t.is_empty()).collect();
        let corpus = CorpusInfo {
            titles: &titles,
            ..CorpusInfo::default()
        };
        let frames = ask(c[1], &corpus).classifier.state.frames;
        match (frames.ambiguous, frames.frames.is_empty()) {
            (true, _) => "ambiguous".to_owned(),
            (false, false) => "settled".to_owned(),
            (false, true) => "none".to_owned(),
        }
    })
}

fn after(set: &str, status: LogicalStatus, no: &str) -> Vec<Row> {
    let text = read("after_retrieval.jsonl");
    let cases = text
        .lines()
        .map(|l| serde_json::from_str::<serde_json::Value>(l).unwrap());
    cases
        .filter(|case| case["set"] == set)
        .enumerate()
        .map(|(i, case)| {
            let question = case["question"].as_str().unwrap();
            let evidence: Vec<EvidenceView<'_>> = case["evidence"]
                .as_array()
                .unwrap()
                .iter()
                .map(|e| EvidenceView {
                    id: "E1",
                    title: e["title"].as_str().unwrap(),
                    text: e["text"].as_str().unwrap(),
                    role: "primary",
                })
                .collect();
            let seen = ask(question, &CorpusInfo::default());
            let state = after_retrieval(&seen, &Lexicon::built_in(), &evidence);
            Row {
                set: set.to_owned(),
                held_out: i % 3 == 2,
                expected: case["expected"].as_str().unwrap().to_owned(),
                got: yes(state.statuses().contains(&status), set, no),
                question: question.to_owned(),
            }
        })
        .collect()
}

#[derive(Default)]
struct Counts {
    hit: u32,
    wrong: u32,
    missed: u32,
}

impl Counts {
    fn add(&mut self, row: &Row, class: &str) {
        match (row.expected == class, row.got == class) {
            (true, true) => self.hit += 1,
            (false, true) => self.wrong += 1,
            (true, false) => self.missed += 1,
            (false, false) => {}
        }
    }

    fn ratio(part: u32, rest: u32) -> String {
        if part + rest == 0 {
            return "–".to_owned();
        }
        format!("{:.2}", f64::from(part) / f64::from(part + rest))
    }

    fn cells(&self) -> String {
        format!(
            "{} | {}",
            Self::ratio(self.hit, self.wrong),
            Self::ratio(self.hit, self.missed)
        )
    }
}

/// One line a class: precision and recall on all questions and on the held-out third.
fn lines(detector: &str, rows: &[Row], classes: &[&str], out: &mut String) {
    for class in classes {
        let (mut all, mut held) = (Counts::default(), Counts::default());
        for row in rows {
            all.add(row, class);
            if row.held_out {
                held.add(row, class);
            }
        }
        writeln!(
            out,
            "| {detector} {class} | {} | {} | {} |",
            rows.len(),
            all.cells(),
            held.cells()
        )
        .unwrap();
    }
}

fn shown() -> (String, Vec<Row>) {
    let mut out = String::from(
        "| detector | questions | precision | recall | held-out precision | held-out recall |\n\
         | --- | --- | --- | --- | --- | --- |\n",
    );
    let rungs = quantifiers();
    lines(
        "quantifier rung",
        &rungs,
        &["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"],
        &mut out,
    );
    let bounds = bounds();
    lines(
        "scope bound:",
        &bounds,
        &["count", "time", "place", "work"],
        &mut out,
    );
    let shapes = shapes();
    let classes = [
        "how_many",
        "why",
        "date",
        "list",
        "relation",
        "place",
        "how",
        "definition",
        "comparison",
        "yes_no",
    ];
    lines("shape", &shapes, &classes, &mut out);
    let temporal = temporal();
    lines("temporal:", &temporal, &["stale"], &mut out);
    let contradiction = contradiction();
    lines(
        "contradiction:",
        &contradiction,
        &["contradictory"],
        &mut out,
    );
    let frames = frames();
    lines("frames:", &frames, &["ambiguous", "settled"], &mut out);
    let premise = after("false_premise", LogicalStatus::FalsePremise, "sound");
    lines("after retrieval:", &premise, &["false_premise"], &mut out);
    let outside = after("out_of_corpus", LogicalStatus::OutOfCorpus, "in_corpus");
    lines("after retrieval:", &outside, &["out_of_corpus"], &mut out);
    let all = [
        rungs,
        bounds,
        shapes,
        temporal,
        contradiction,
        frames,
        premise,
        outside,
    ];
    (out, all.into_iter().flatten().collect())
}

const BEGIN: &str = "<!-- measured: begin (made by the test preflight_measured) -->\n";
const END: &str = "<!-- measured: end -->";

#[test]
fn the_page_states_what_is_measured() {
    let (mut table, rows) = shown();
    let mut wrong: Vec<String> = rows
        .iter()
        .filter(|r| r.expected != r.got)
        .map(|r| {
            let held = if r.held_out { ", held out" } else { "" };
            format!(
                "- {} (expected {}, got {}{held})",
                r.question, r.expected, r.got
            )
        })
        .collect();
    wrong.sort();
    for line in &wrong {
        println!("{line}");
    }
    writeln!(
        table,
        "\nMissed or mistaken, of {} questions: {}.\n",
        rows.len(),
        wrong.len()
    )
    .unwrap();
    for line in wrong {
        writeln!(table, "{line}").unwrap();
    }
    let path = root().join("docs/preflight.md");
    let page = fs::read_to_string(&path).unwrap();
    let (before, rest) = page.split_once(BEGIN).expect("the page has the begin mark");
    let (_, after) = rest.split_once(END).expect("the page has the end mark");
    let current = format!("{before}{BEGIN}{table}{END}{after}");
    if std::env::var_os("CANDOR_BLESS").is_some() {
        fs::write(&path, &current).unwrap();
        return;
    }
    assert!(
        page == current,
        "docs/preflight.md is not current: run this test with CANDOR_BLESS=1"
    );
}

#[test]
fn each_rung_and_each_detector_has_thirty_questions() {
    let mut counts: BTreeMap<String, (u32, u32)> = BTreeMap::new();
    for file in [
        "quantifiers.tsv",
        "bounds.tsv",
        "temporal.tsv",
        "contradiction.tsv",
        "frames.tsv",
    ] {
        for line in read(file).lines().filter(|l| !l.starts_with("# ")) {
            let mut columns = line.split('\t');
            let key = format!("{file} {}", columns.next().unwrap());
            let count = counts.entry(key).or_default();
            match columns.next() {
                Some("near") => count.1 += 1,
                _ => count.0 += 1,
            }
        }
    }
    for line in read("after_retrieval.jsonl").lines() {
        let case: serde_json::Value = serde_json::from_str(line).unwrap();
        let count = counts
            .entry(case["set"].as_str().unwrap().to_owned())
            .or_default();
        if case["kind"] == "near" {
            count.1 += 1
        } else {
            count.0 += 1
        }
    }
    assert_eq!(counts.len(), 16, "ten rungs, bounds, five detectors");
    for (set, (hits, near)) in counts {
        assert!(
            hits + near >= 30 && near * 2 >= hits + near - 2,
            "{set}: {hits} and {near}"
        );
    }
}

/// A floor, so that a change of the word lists cannot quietly break a detector.
#[test]
fn no_detector_falls_under_nine_in_ten() {
    let (_, rows) = shown();
    let mut sets: BTreeMap<&str, (u32, u32)> = BTreeMap::new();
    for row in &rows {
        let entry = sets.entry(&row.set).or_default();
        entry.0 += u32::from(row.expected == row.got);
        entry.1 += 1;
    }
    for (set, (right, all)) in sets {
        assert!(right * 10 >= all * 9, "{set}: {right} of {all}");
    }
}
