//! The example `retrieve`, through the program that people run.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr
)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .unwrap()
        .to_owned()
}

fn run(args: &[&str]) -> Output {
    let mut dir = std::env::current_exe().unwrap();
    dir.pop();
    dir.pop();
    let program = dir
        .join("examples")
        .join(format!("retrieve{}", std::env::consts::EXE_SUFFIX));
    assert!(
        program.exists(),
        "{} is not built; run the whole package's tests",
        program.display()
    );
    Command::new(program)
        .current_dir(root())
        .args(args)
        .output()
        .unwrap()
}

fn json(args: &[&str]) -> Value {
    let output = run(args);
    assert!(
        output.status.success(),
        "{args:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Status 1, nothing on stdout and one line on stderr.
fn fails(args: &[&str]) -> String {
    let output = run(args);
    assert_eq!(output.status.code(), Some(1), "{args:?}");
    assert!(output.stdout.is_empty());
    let line = String::from_utf8(output.stderr).unwrap();
    assert_eq!(line.trim_end().lines().count(), 1, "{line}");
    line
}

fn write(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn index_query_and_calibrate_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("index.candor");
    let store = store.to_str().unwrap();
    let made = json(&["index", "fixtures/corpus", "--store", store]);
    assert_eq!(made["entries"], made["chunks"]);
    assert_eq!(made["calibration"]["how"]["method"], "built_in");

    let found = json(&["query", "How long is the Halden bridge?", "--store", store]);
    assert_eq!(found["outcome"], "grounded");
    let first = &found["passages"][0];
    assert!(
        first["source_id"].as_str().unwrap().contains("halden")
            || first["passage"]["source_id"]
                .as_str()
                .unwrap()
                .contains("halden")
    );
    let away = [
        "query",
        "Who won the chess world cup in 1988?",
        "--store",
        store,
    ];
    assert_eq!(json(&away)["outcome"], "declined");

    let questions = "fixtures/questions.jsonl";
    let probes = "fixtures/probes/probes.jsonl";
    let mut args = vec![
        "calibrate",
        "--store",
        store,
        "--questions",
        questions,
        "--probes",
        probes,
        "--alpha",
        "0.05",
        "--date",
        "2026-01-01",
        "--dry-run",
    ];
    let before = std::fs::read(store).unwrap();
    let dry = json(&args);
    assert_eq!(
        std::fs::read(store).unwrap(),
        before,
        "a dry run writes nothing"
    );
    assert_eq!(dry["calibration"]["how"]["method"], "conformal");
    assert_eq!(dry["probes"], 110);
    // At alpha 0.05 at most 5 of 110 probes pass: ceil(111 * 0.95) = 106 are at or below.
    assert!(dry["probes_declined"].as_u64().unwrap() >= 106);
    args.pop();
    let saved = json(&args);
    assert_eq!(saved, dry);
    let after = json(&["query", "How long is the Halden bridge?", "--store", store]);
    assert_eq!(
        after["figures"]["threshold"],
        dry["calibration"]["threshold"]
    );
    // Too few probes for the level: an error that says how many are needed.
    let few = write(
        folder.path(),
        "few.jsonl",
        "{\"id\": \"1\", \"text\": \"How tall is a giraffe?\"}\n",
    );
    let line = fails(&[
        "calibrate",
        "--store",
        store,
        "--questions",
        questions,
        "--probes",
        &few,
        "--alpha",
        "0.1",
    ]);
    assert!(line.contains("at least 9"), "{line}");
}

#[test]
fn damaged_and_missing_stores_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(
        folder.path(),
        "broken.candor",
        "candor-geodesic1 and no more",
    );
    assert!(fails(&["query", "x", "--store", &path]).contains("broken.candor"));
    let absent = folder.path().join("absent.candor");
    let line = fails(&["query", "x", "--store", absent.to_str().unwrap()]);
    assert!(line.contains("absent.candor"), "{line}");
    let empty = folder.path().join("empty");
    std::fs::create_dir(&empty).unwrap();
    let line = fails(&["index", empty.to_str().unwrap(), "--store", &path]);
    assert!(line.contains("no document"), "{line}");
}

#[test]
fn eval_gives_the_figures_of_a_small_collection() {
    let folder = tempfile::tempdir().unwrap();
    let docs =
        "{\"id\": \"a\", \"title\": \"Tides\", \"text\": \"The moon raises tides in harbours.\"}
{\"id\": \"b\", \"text\": \"Sourdough bread rises by wild yeast.\"}\n";
    let queries = "{\"id\": \"1\", \"text\": \"what raises tides\"}
{\"id\": \"2\", \"text\": \"yeast in sourdough\"}
{\"id\": \"3\", \"text\": \"not judged\"}\n";
    let qrels = "query-id\tcorpus-id\tscore\n1\ta\t1\n2\ta\t1\n";
    let (docs, queries, qrels) = (
        write(folder.path(), "docs.jsonl", docs),
        write(folder.path(), "queries.jsonl", queries),
        write(folder.path(), "qrels.tsv", qrels),
    );
    let all = [
        "eval",
        "--corpus",
        &docs,
        "--queries",
        &queries,
        "--qrels",
        &qrels,
    ];
    let value = json(&all);
    // Right at rank 1, and at rank 2 (1 / log2 3 = 0.6309).
    let ndcg = value["ndcg_at_10"].as_f64().unwrap();
    assert!((ndcg - (1.0 + 0.630_929_753_571_457_5) / 2.0).abs() < 1e-9);
    assert_eq!(value["recall_at_100"], 1.0);
    assert_eq!(value["queries"], 2);
    assert!(value["declined"].is_u64());
    let torn = write(folder.path(), "torn.tsv", "1\ta\n");
    let line = fails(&[
        "eval",
        "--corpus",
        &docs,
        "--queries",
        &queries,
        "--qrels",
        &torn,
    ]);
    assert!(line.contains("torn.tsv: line 1"), "{line}");
}

#[test]
fn gate_reports_its_checks_and_fails_on_a_bad_scaffold() {
    let report = json(&["gate"]);
    let checks = report["checks"].as_array().unwrap();
    assert!(checks.len() >= 6, "{report}");
    assert!(checks.iter().all(|c| c["passed"] == true), "{report}");
    let folder = tempfile::tempdir().unwrap();
    let line = "{\"label\": \"knowing\", \"text\": \"alone\"}\n";
    let bad = write(folder.path(), "one.jsonl", line);
    fails(&["gate", "--scaffold", &bad]);
}

#[test]
fn embed_says_how_many_and_how_fast() {
    let value = json(&["embed", "fixtures/probes/probes.jsonl"]);
    assert_eq!(value["texts"], 110);
    assert!(value["texts_per_second"].as_f64().unwrap() > 0.0);
}

#[cfg(feature = "models")]
#[test]
fn other_embedders_index_and_answer_with_a_gate() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("index.candor");
    let store = store.to_str().unwrap();
    // Random weights, so that only the way is checked: no calibration ships, the index gets one.
    let nomic = [
        "--embedder",
        "nomic",
        "--model",
        "fixtures/embedders/nomic-tiny",
    ];
    let made = json(&[&["index", "fixtures/corpus", "--store", store], &nomic[..]].concat());
    assert_eq!(made["calibration"]["how"]["method"], "probes");
    assert!(made["calibration"]["threshold"].as_f64().unwrap() < 1.0);
    json(
        &[
            &["query", "How long is the Halden bridge?", "--store", store],
            &nomic[..],
        ]
        .concat(),
    );
    // Another model on that index is an error.
    for (kind, model, method, answers) in [
        ("bert", "fixtures/models/all-MiniLM-L6-v2", "built_in", true),
        ("static", "fixtures/models/static", "probes", false),
    ] {
        if !root().join(model).join(".complete").exists() {
            eprintln!("skipped: {model} is not there (fixtures/fetch-models.sh brings it)");
            continue;
        }
        let embedder = ["--embedder", kind, "--model", model];
        let question = ["query", "How long is the Halden bridge?", "--store", store];
        assert!(fails(&[&question[..], &embedder[..]].concat()).contains("nomic-tiny"));
        let own = folder.path().join(format!("{kind}.candor"));
        let own = own.to_str().unwrap();
        let made = json(&[&["index", "fixtures/corpus", "--store", own], &embedder[..]].concat());
        assert_eq!(made["calibration"]["how"]["method"], method);
        let question = ["query", "How long is the Halden bridge?", "--store", own];
        let found = json(&[&question[..], &embedder[..]].concat());
        if answers {
            assert_eq!(found["outcome"], "grounded");
        }
        let away = [
            "query",
            "How many strings does a cello have?",
            "--store",
            own,
        ];
        let found = json(&[&away[..], &embedder[..]].concat());
        assert_eq!(found["outcome"], "declined", "{kind}");
    }
}

#[cfg(not(feature = "models"))]
#[test]
fn an_embedder_that_is_not_built_in_says_which_feature_to_add() {
    let line = fails(&["gate", "--embedder", "bert", "--model", "x"]);
    assert!(line.contains("--features models"), "{line}");
}
