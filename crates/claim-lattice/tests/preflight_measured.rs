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
    /// Whether it is one of the questions that nothing was tuned to.
    fresh: bool,
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
        .map(|line| {
            let columns: Vec<&str> = line.split('\t').collect();
            Row {
                set: columns[0].to_owned(),
                fresh: false,
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

fn rung_of(question: &str) -> String {
    let seen = ask(question, &CorpusInfo::default());
    let rung = seen.classifier.quantifier.quantifier_intensity;
    rung.intensity().to_string()
}

fn stale_of(question: &str) -> String {
    let corpus = CorpusInfo {
        as_of: Some(CivilDate {
            year: 2020,
            month: Some(6),
            day: None,
        }),
        asked_on: Some(CivilDate::day(2026, 1, 15)),
        titles: &[],
    };
    let state = ask(question, &corpus).classifier.state;
    yes(state.stale_risk.is_some(), "stale", "fresh")
}

fn contradiction_of(question: &str) -> String {
    let state = ask(question, &CorpusInfo::default()).classifier.state;
    yes(state.contradiction.is_some(), "contradictory", "sound")
}

fn frames_of(question: &str, titles: &[&str]) -> String {
    let corpus = CorpusInfo {
        titles,
        ..CorpusInfo::default()
    };
    let frames = ask(question, &corpus).classifier.state.frames;
    match (frames.ambiguous, frames.frames.is_empty()) {
        (true, _) => "ambiguous".to_owned(),
        (false, false) => "settled".to_owned(),
        (false, true) => "none".to_owned(),
    }
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

fn frames() -> Vec<Row> {
    table("frames.tsv", |c| {
        let titles: Vec<&str> = c[0].split('|').filter(|t| !t.is_empty()).collect();
        frames_of(c[1], &titles)
    })
}

fn cases(name: &str) -> Vec<serde_json::Value> {
    read(name)
        .lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .collect()
}

/// What a case with passages gives: the status, or `no`.
fn status_after(case: &serde_json::Value, set: &str) -> String {
    let (status, no) = match set {
        "false_premise" => (LogicalStatus::FalsePremise, "sound"),
        _ => (LogicalStatus::OutOfCorpus, "in_corpus"),
    };
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
    let seen = ask(case["question"].as_str().unwrap(), &CorpusInfo::default());
    let state = after_retrieval(&seen, &Lexicon::built_in(), &evidence);
    yes(state.statuses().contains(&status), set, no)
}

fn after(set: &str) -> Vec<Row> {
    let of_set = cases("after_retrieval.jsonl").into_iter();
    of_set
        .filter(|case| case["set"] == set)
        .map(|case| Row {
            set: set.to_owned(),
            fresh: false,
            expected: case["expected"].as_str().unwrap().to_owned(),
            got: status_after(&case, set),
            question: case["question"].as_str().unwrap().to_owned(),
        })
        .collect()
}

/// The fresh questions of a detector.
fn fresh(detector: &str) -> Vec<Row> {
    let of_set = cases("fresh.jsonl").into_iter();
    of_set
        .filter(|case| case["detector"] == detector)
        .map(|case| {
            let question = case["question"].as_str().unwrap();
            Row {
                set: detector.to_owned(),
                fresh: true,
                expected: case["expected"].as_str().unwrap().to_owned(),
                got: match detector {
                    "quantifier" => rung_of(question),
                    "temporal" => stale_of(question),
                    "contradiction" => contradiction_of(question),
                    "frames" => {
                        let titles = case["titles"].as_array().unwrap().iter();
                        let titles: Vec<&str> = titles.map(|t| t.as_str().unwrap()).collect();
                        frames_of(question, &titles)
                    }
                    set => status_after(&case, set),
                },
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

/// One line a class: precision and recall on the tuned and on the fresh questions.
fn lines(detector: &str, rows: &[Row], classes: &[&str], out: &mut String) {
    let number = |fresh| rows.iter().filter(|r| r.fresh == fresh).count();
    for class in classes {
        let (mut tuned, mut fresh) = (Counts::default(), Counts::default());
        for row in rows {
            let counts = if row.fresh { &mut fresh } else { &mut tuned };
            counts.add(row, class);
        }
        writeln!(
            out,
            "| {detector} {class} | {} | {} | {} | {} |",
            number(false),
            tuned.cells(),
            number(true),
            fresh.cells()
        )
        .unwrap();
    }
}

const RUNGS: [&str; 10] = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"];
const SHAPES: [&str; 10] = [
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

fn shown() -> (String, Vec<Row>) {
    let mut out = String::from(
        "| detector | tuned questions | precision | recall | fresh questions | precision | recall |\n\
         | --- | --- | --- | --- | --- | --- | --- |\n",
    );
    let with_fresh = |mut rows: Vec<Row>, detector: &str| {
        rows.extend(fresh(detector));
        rows
    };
    let measured: [(&str, Vec<Row>, &[&str]); 8] = [
        (
            "quantifier rung",
            with_fresh(table("quantifiers.tsv", |c| rung_of(c[0])), "quantifier"),
            &RUNGS,
        ),
        (
            "scope bound:",
            bounds(),
            &["count", "time", "place", "work"],
        ),
        ("shape:", shapes(), &SHAPES),
        (
            "temporal:",
            with_fresh(table("temporal.tsv", |c| stale_of(c[0])), "temporal"),
            &["stale"],
        ),
        (
            "contradiction:",
            with_fresh(
                table("contradiction.tsv", |c| contradiction_of(c[0])),
                "contradiction",
            ),
            &["contradictory"],
        ),
        (
            "frames:",
            with_fresh(frames(), "frames"),
            &["ambiguous", "settled"],
        ),
        (
            "after retrieval:",
            with_fresh(after("false_premise"), "false_premise"),
            &["false_premise"],
        ),
        (
            "after retrieval:",
            with_fresh(after("out_of_corpus"), "out_of_corpus"),
            &["out_of_corpus"],
        ),
    ];
    let mut all = Vec::new();
    for (detector, rows, classes) in measured {
        lines(detector, &rows, classes, &mut out);
        all.extend(rows);
    }
    (out, all)
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
            let fresh = if r.fresh { ", fresh" } else { "" };
            format!(
                "- {} (expected {}, got {}{fresh})",
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
    for row in rows.iter().filter(|r| !r.fresh) {
        let entry = sets.entry(&row.set).or_default();
        entry.0 += u32::from(row.expected == row.got);
        entry.1 += 1;
    }
    for (set, (right, all)) in sets {
        assert!(right * 10 >= all * 9, "{set}: {right} of {all}");
    }
}
