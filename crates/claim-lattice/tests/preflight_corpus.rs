//! Preflight over the shared fixture corpus: no false alarm on questions that it answers.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

use std::fs;
use std::path::PathBuf;

use claim_lattice::preflight::{
    CallOptions, CivilDate, CorpusInfo, EvidenceView, Lexicon, PreflightPolicy, Rung,
    after_retrieval, preflight,
};
use serde_json::Value;

struct Source {
    id: String,
    title: String,
    text: String,
}

fn fixtures() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures")
}

fn lines(path: PathBuf) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    text.lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .collect()
}

/// The documents of the corpus: a file, or a line of a JSON Lines file, each under the file's name.
fn corpus() -> Vec<Source> {
    let mut paths: Vec<PathBuf> = fs::read_dir(fixtures().join("corpus"))
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    paths.sort();
    let mut out = Vec::new();
    for path in paths {
        let id = path.file_name().unwrap().to_string_lossy().into_owned();
        if id.ends_with(".jsonl") {
            out.extend(lines(path).into_iter().map(|doc| Source {
                id: id.clone(),
                title: doc["title"].as_str().unwrap_or_default().to_owned(),
                text: doc["text"].as_str().unwrap().to_owned(),
            }));
        } else {
            let text = fs::read_to_string(&path).unwrap();
            let title = text.lines().next().unwrap_or_default();
            let title = title.trim_start_matches("# ").to_owned();
            out.push(Source { id, title, text });
        }
    }
    out
}

/// The tails of each question over the sources that answer it (all, where none is named).
#[test]
fn questions_that_the_corpus_answers_raise_no_false_alarm() {
    let sources = corpus();
    let titles: Vec<&str> = sources.iter().map(|s| s.title.as_str()).collect();
    let known = CorpusInfo {
        as_of: Some(CivilDate::year(2026)),
        asked_on: None,
        titles: &titles,
    };
    let mut wrong = Vec::new();
    for case in lines(fixtures().join("questions.jsonl")) {
        let (question, expected) = (case["question"].as_str().unwrap(), &case["expected"]);
        let policy = PreflightPolicy::default();
        let options = CallOptions::default();
        let seen = preflight(question, &Lexicon::built_in(), &policy, &known, &options);
        let language = case["language"].as_str().unwrap();
        if seen.classifier.language != language {
            wrong.push(format!("{question}: read as {}", seen.classifier.language));
        }
        let exhaustive = seen.classifier.quantifier.demand == Rung::Exhaustive;
        if exhaustive != (expected["outcome"] == "rejected") {
            wrong.push(format!(
                "{question}: demand {:?}",
                seen.classifier.quantifier.demand
            ));
        }
        if expected["outcome"] != "grounded" {
            continue;
        }
        let named = expected["sources"].as_array();
        let is_source = |s: &&Source| named.is_none_or(|n| n.iter().any(|id| id == s.id.as_str()));
        let evidence: Vec<EvidenceView<'_>> = sources
            .iter()
            .filter(is_source)
            .map(|s| EvidenceView {
                id: &s.id,
                title: &s.title,
                text: &s.text,
                role: "primary",
            })
            .collect();
        let state = after_retrieval(&seen, &Lexicon::built_in(), &evidence);
        let tails: Vec<&str> = state.statuses().iter().map(|s| s.words()).collect();
        let wanted: Vec<&str> = expected["tail"].as_str().into_iter().collect();
        if tails != wanted {
            wrong.push(format!("{question}: {tails:?} instead of {wanted:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
