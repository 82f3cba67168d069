//! The scoreboard, through the built program.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};

fn root() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.parent().unwrap().to_owned()
}

fn scoreboard(args: &[&str]) -> Output {
    let mut dir = std::env::current_exe().unwrap();
    dir.pop();
    dir.pop();
    let name = format!("scoreboard{}", std::env::consts::EXE_SUFFIX);
    let program = dir.join("examples").join(name);
    assert!(program.exists(), "run the whole package's tests");
    let mut command = Command::new(program);
    command.current_dir(root()).args(args).output().unwrap()
}

fn stdout(output: &Output) -> String {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn lines(values: &[Value]) -> String {
    values.iter().map(|value| format!("{value}\n")).collect()
}

/// Answers to one question in pointer mode, `true` ones borne out by the corpus.
fn set(dir: &Path, borne: &[bool]) -> (String, String) {
    let (mut questions, mut answers) = (Vec::new(), Vec::new());
    for (i, borne) in borne.iter().enumerate() {
        let id = format!("q{i}");
        questions.push(json!({"id": id, "question": "How many days of annual leave does every employee have?"}));
        let text = if *borne {
            "Every employee has 26 days of annual leave. [E1]"
        } else {
            "Every employee has 99 days of annual leave. [E1]"
        };
        answers.push(json!({"id": id, "mode": "pointer", "agent": "test", "text": text}));
    }
    let write = |name: &str, values: &[Value]| {
        let file = dir.join(name);
        fs::write(&file, lines(values)).unwrap();
        file.to_str().unwrap().to_owned()
    };
    (
        write("questions.jsonl", &questions),
        write("answers.jsonl", &answers),
    )
}

fn rows(questions: &str, answers: &str) -> Vec<Value> {
    let output = scoreboard(&[questions, "--answers", answers, "--json"]);
    let text = stdout(&output);
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn a_row_says_what_was_asked_checked_and_sealed() {
    let dir = tempfile::tempdir().unwrap();
    let (questions, answers) = set(dir.path(), &[true, false]);
    let rows = rows(&questions, &answers);
    assert_eq!(rows.len(), 2);
    let members = [
        "answer_mode",
        "verifier_method",
        "label",
        "warrant_fired",
        "quantifier_intensity",
        "quantifier_matched_token",
        "scope_bound_hint",
        "preflight_result",
        "preflight_question_shape",
        "logical_statuses",
        "directive_compliance",
        "run_dag_root",
    ];
    for member in members {
        assert!(
            rows[0].get(member).is_some_and(|v| !v.is_null()),
            "{member}"
        );
    }
    assert_eq!(rows[0]["quantifier_matched_token"], "every");
    assert_eq!(rows[0]["preflight_question_shape"], "how_many");
    assert!(rows[0]["label"].as_str().unwrap().ends_with("WARRANTED"));
    assert!(!rows[1]["label"].as_str().unwrap().ends_with("WARRANTED"));
    assert_eq!(
        rows[0]["directive_compliance"].as_object().unwrap().len(),
        8
    );
    assert_ne!(rows[0]["run_dag_root"], rows[1]["run_dag_root"]);
}

#[test]
fn five_points_count_and_less_is_noise() {
    for (runs, counts) in [(20, true), (21, false)] {
        let dir = tempfile::tempdir().unwrap();
        let (questions, answers) = set(dir.path(), &vec![true; runs]);
        let mut earlier = rows(&questions, &answers);
        earlier[0]["label"] = "UNGROUNDED".into();
        let baseline = dir.path().join("rows.jsonl");
        fs::write(&baseline, lines(&earlier)).unwrap();
        let baseline = baseline.to_str().unwrap();
        let page = stdout(&scoreboard(&[
            &questions,
            "--answers",
            &answers,
            "--baseline",
            baseline,
        ]));
        assert_eq!(page.contains("| +5.0 |"), counts, "{page}");
        assert_eq!(page.contains("No rate moved"), !counts, "{page}");
    }
}

#[test]
fn what_differs_between_repeats_is_noise_too() {
    let dir = tempfile::tempdir().unwrap();
    let (questions, answers) = set(dir.path(), &[true; 4]);
    let once = rows(&questions, &answers);
    // Before: in one of two repeats nothing held. Now: everything holds, in both.
    let mut earlier = once.clone();
    for row in &once {
        let mut row = row.clone();
        row["repeat"] = 1.into();
        row["label"] = "UNGROUNDED".into();
        earlier.push(row);
    }
    let baseline = dir.path().join("rows.jsonl");
    fs::write(&baseline, lines(&earlier)).unwrap();
    let baseline = baseline.to_str().unwrap();
    let page = stdout(&scoreboard(&[
        &questions,
        "--answers",
        &answers,
        "--baseline",
        baseline,
    ]));
    assert!(page.contains("No rate moved"), "{page}");
}

#[test]
fn recorded_answers_give_the_rows_of_the_agent_that_wrote_them() {
    let dir = tempfile::tempdir().unwrap();
    let all = fs::read_to_string(root().join("fixtures/questions.jsonl")).unwrap();
    let few: Vec<&str> = all.lines().step_by(12).collect();
    let questions = dir.path().join("questions.jsonl");
    fs::write(&questions, few.join("\n")).unwrap();
    let questions = questions.to_str().unwrap();
    let record = dir.path().join("answers.jsonl");
    let record = record.to_str().unwrap();
    let live = stdout(&scoreboard(&[questions, "--record", record, "--json"]));
    let played = stdout(&scoreboard(&[questions, "--answers", record, "--json"]));
    let sorted = |text: &str| {
        let mut lines: Vec<String> = text.lines().map(ToOwned::to_owned).collect();
        lines.sort();
        lines
    };
    assert_eq!(sorted(&live).len(), 3 * few.len());
    assert_eq!(sorted(&live), sorted(&played));
}

#[test]
fn bad_input_gets_one_line() {
    let dir = tempfile::tempdir().unwrap();
    let (questions, _) = set(dir.path(), &[true]);
    let write = |name: &str, text: &str| {
        let file = dir.path().join(name);
        fs::write(&file, text).unwrap();
        file.to_str().unwrap().to_owned()
    };
    let unknown = json!({"id": "q9", "mode": "pointer", "agent": "a", "text": "x"});
    let mode = json!({"id": "q0", "mode": "prose", "agent": "a", "text": "x"});
    for (args, needle) in [
        (vec![write("none.jsonl", "")], "no question"),
        (vec![write("bad.jsonl", "{\"id\": 1")], "line 1"),
        (
            vec![
                questions.clone(),
                "--answers".into(),
                write("a.jsonl", &unknown.to_string()),
            ],
            "\"q9\"",
        ),
        (
            vec![
                questions.clone(),
                "--answers".into(),
                write("m.jsonl", &mode.to_string()),
            ],
            "pointer, json or quote",
        ),
        (
            vec![
                questions.clone(),
                "--baseline".into(),
                "nowhere.jsonl".into(),
            ],
            "nowhere.jsonl",
        ),
    ] {
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let output = scoreboard(&args);
        assert_eq!(output.status.code(), Some(1), "{args:?}");
        let errors = String::from_utf8(output.stderr).unwrap();
        let line = errors.lines().last().unwrap();
        assert!(
            line.starts_with("error: ") && line.contains(needle),
            "{errors}"
        );
    }
}
