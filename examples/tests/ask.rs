//! The main job, end to end, through the program that people run.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .unwrap()
        .to_owned()
}

fn corpus() -> PathBuf {
    root().join("fixtures/corpus")
}

/// The example, built by the same `cargo test` beside this test.
fn ask() -> Command {
    let mut dir = std::env::current_exe().unwrap();
    dir.pop();
    dir.pop();
    let program = dir
        .join("examples")
        .join(format!("ask{}", std::env::consts::EXE_SUFFIX));
    assert!(
        program.exists(),
        "{} is not built; run the whole package's tests",
        program.display()
    );
    let mut command = Command::new(program);
    command.current_dir(root());
    command
}

fn run(args: &[&str]) -> Output {
    ask().args(args).output().unwrap()
}

fn json(folder: &Path, question: &str, more: &[&str]) -> Value {
    let output = ask()
        .arg(folder)
        .arg(question)
        .arg("--json")
        .args(more)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{question}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Status 1 and one line on stderr that holds `needle`.
fn refused(output: &Output, needle: &str) {
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(output.stdout.is_empty());
    let lines: Vec<&str> = stderr
        .lines()
        .filter(|l| l.starts_with("error: "))
        .collect();
    assert_eq!(lines.len(), 1, "{stderr}");
    assert!(lines[0].contains(needle), "{needle:?} not in {stderr}");
}

fn copy_corpus(to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(corpus()).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}

/// The fixture questions: every decline and rejection is right, and at least nine in ten answers
/// cite a right source with the right words (the extractive agent has no model).
#[test]
fn fixture_questions_end_as_expected() {
    let lines = fs::read_to_string(root().join("fixtures/questions.jsonl")).unwrap();
    let (mut grounded, mut right, mut wrong) = (0, 0, Vec::new());
    for line in lines.lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        let question = row["question"].as_str().unwrap();
        let expected = &row["expected"];
        let wanted = expected["outcome"].as_str().unwrap();
        let more: &[&str] = if wanted == "rejected" {
            &["--reject-broad"]
        } else {
            &[]
        };
        let answer = json(&corpus(), question, more);
        let also = expected["also"].as_array().cloned().unwrap_or_default();
        let outcome = answer["outcome"].as_str().unwrap();
        let fits = outcome == wanted || also.iter().any(|a| a == outcome);
        assert!(answer["run_dag_root"].as_str().unwrap().len() == 64);
        if wanted == "grounded" {
            grounded += 1;
            if fits && (outcome != "grounded" || cites(&answer, expected)) {
                right += 1;
            } else {
                wrong.push(format!("{}: {question}", row["id"]));
            }
        } else {
            assert!(fits, "{question}: {outcome}, expected {wanted}");
        }
    }
    assert!(
        right * 10 >= grounded * 9,
        "{right} of {grounded} right; wrong: {wrong:#?}"
    );
}

fn cites(answer: &Value, expected: &Value) -> bool {
    let passages: Vec<&Value> = answer["claims"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|c| c["passages"].as_array().unwrap())
        .collect();
    let cited: BTreeSet<&str> = passages
        .iter()
        .map(|p| p["source"].as_str().unwrap())
        .collect();
    let text: String = passages
        .iter()
        .map(|p| p["text"].as_str().unwrap())
        .collect();
    let files: BTreeSet<&str> = cited.iter().map(|s| s.split('#').next().unwrap()).collect();
    let sources = expected["sources"].as_array().cloned().unwrap_or_default();
    let source = sources.is_empty()
        || sources.iter().any(|s| {
            let s = s.as_str().unwrap();
            files.contains(s) || cited.contains(s)
        });
    let contains = expected["contains"].as_array().cloned().unwrap_or_default();
    source && contains.iter().all(|c| text.contains(c.as_str().unwrap()))
}

const QUESTION: &str = "When did the Halden Bridge open?";

#[test]
fn same_question_same_bytes_whatever_the_thread_count() {
    let once = |threads: &str| {
        let mut command = ask();
        command
            .env("RAYON_NUM_THREADS", threads)
            .arg(corpus())
            .arg(QUESTION)
            .arg("--json");
        command.output().unwrap().stdout
    };
    let first = once("1");
    assert!(!first.is_empty());
    assert_eq!(first, once("1"));
    assert_eq!(first, once("2"));
    assert_eq!(first, once("7"));
}

#[test]
fn an_unchanged_answer_matches_in_every_mode() {
    let dir = tempfile::tempdir().unwrap();
    for mode in ["pointer", "json", "quote"] {
        let file = dir.path().join(mode);
        let saved = ask()
            .arg(corpus())
            .args([QUESTION, "--json", "--mode", mode])
            .output()
            .unwrap();
        fs::write(&file, saved.stdout).unwrap();
        let output = ask()
            .arg("--recheck")
            .arg(&file)
            .arg(corpus())
            .output()
            .unwrap();
        let stdout = String::from_utf8_lossy(&output.stdout);
        assert!(
            output.status.success() && stdout.starts_with("matches"),
            "{mode}: {output:?}"
        );
    }
}

#[test]
fn a_changed_byte_of_the_file_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("answer.json");
    let saved = run(&["fixtures/corpus", QUESTION, "--json"]).stdout;
    for at in (0..saved.len() - 1).step_by(saved.len() / 150) {
        let mut bytes = saved.clone();
        bytes[at] = if bytes[at] == b'a' { b'b' } else { b'a' };
        if bytes == saved {
            continue;
        }
        fs::write(&file, &bytes).unwrap();
        let output = ask()
            .arg("--recheck")
            .arg(&file)
            .arg(corpus())
            .output()
            .unwrap();
        assert_eq!(
            output.status.code(),
            Some(1),
            "byte {at} survived: {output:?}"
        );
    }
    let text = String::from_utf8(saved).unwrap();
    let forged = text.replacen("\"supported\":true", "\"supported\":false", 1);
    assert_ne!(forged, text);
    fs::write(&file, forged).unwrap();
    let output = ask()
        .arg("--recheck")
        .arg(&file)
        .arg(corpus())
        .output()
        .unwrap();
    refused(&output, "does not match: claim 1");
}

#[test]
fn a_changed_byte_of_a_cited_document_names_the_passage() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("corpus");
    copy_corpus(&folder);
    let saved = ask()
        .arg(&folder)
        .args([QUESTION, "--json"])
        .output()
        .unwrap()
        .stdout;
    let answer: Value = serde_json::from_slice(&saved).unwrap();
    let source = answer["claims"][0]["passages"][0]["source"]
        .as_str()
        .unwrap();
    let quoted = answer["claims"][0]["passages"][0]["text"].as_str().unwrap();
    let file = dir.path().join("answer.json");
    fs::write(&file, &saved).unwrap();
    let document = folder.join(source);
    let text = fs::read_to_string(&document).unwrap();
    assert!(text.contains(quoted));
    fs::write(&document, text.replacen("193", "194", 1)).unwrap();
    let output = ask()
        .arg("--recheck")
        .arg(&file)
        .arg(&folder)
        .output()
        .unwrap();
    refused(&output, &format!("({source})"));
}

#[test]
fn a_question_about_nothing_in_the_folder_is_declined_with_its_figures_and_sealed() {
    let question = "Which team won the 2018 football world cup final?";
    let answer = json(&corpus(), question, &[]);
    assert_eq!(answer["outcome"], "declined");
    let figures = &answer["retrieval"]["figures"];
    let best = figures["best_query_sim"].as_f64().unwrap();
    assert!(best <= figures["threshold"].as_f64().unwrap());
    assert_eq!(answer["run"]["shape"], "decline");
    assert_eq!(answer["run"]["stages"].as_array().unwrap().len(), 4);
    let page = run(&["fixtures/corpus", question]);
    let page = String::from_utf8(page.stdout).unwrap();
    assert!(
        page.contains("DECLINED") && page.contains("threshold"),
        "{page}"
    );
}

#[test]
fn a_broad_question_can_be_rejected_and_is_sealed_with_three_stages() {
    let answer = json(
        &corpus(),
        "Tell me everything about all the documents without exception.",
        &["--reject-broad"],
    );
    assert_eq!(answer["outcome"], "rejected");
    assert_eq!(answer["run"]["shape"], "reject");
    assert_eq!(answer["run"]["stages"].as_array().unwrap().len(), 3);
}

#[test]
fn bad_input_gets_one_clear_line() {
    let dir = tempfile::tempdir().unwrap();
    let empty = dir.path().join("empty");
    fs::create_dir(&empty).unwrap();
    refused(&run(&["no/such/folder", QUESTION]), "no/such/folder");
    refused(&run(&[empty.to_str().unwrap(), QUESTION]), "no document");
    refused(&run(&["README.md", QUESTION]), "README.md");
    refused(&run(&["fixtures/corpus", "  \n "]), "question is empty");
    refused(
        &run(&["fixtures/corpus", QUESTION, "--agent", "gguf:no-such.gguf"]),
        // Without the feature the line says how to build with it, with it what is missing.
        if cfg!(feature = "models") {
            "no-such.gguf"
        } else {
            "--features"
        },
    );
    refused(
        &run(&["fixtures/corpus", QUESTION, "--embedder", "bert"]),
        "--model",
    );
    refused(
        &run(&["--recheck", "no/such.json", "fixtures/corpus"]),
        "no/such.json",
    );
    let garbage = dir.path().join("garbage.json");
    fs::write(&garbage, [0xff, 0xfe, 0x00]).unwrap();
    refused(
        &run(&["--recheck", garbage.to_str().unwrap(), "fixtures/corpus"]),
        "UTF-8",
    );
}

/// A question of 1 MB does not fit the argument list of every system: it is read from stdin.
#[test]
fn a_question_past_the_limit_is_refused_in_one_line() {
    let long = "why ".repeat(25_000);
    refused(&run(&["fixtures/corpus", &long]), "at most 65536");
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(file.path(), "why ".repeat(250_000)).unwrap();
    let stdin = fs::File::open(file.path()).unwrap();
    let output = ask()
        .args(["fixtures/corpus", "-"])
        .stdin(stdin)
        .output()
        .unwrap();
    refused(&output, "at most 65536");
}

#[test]
fn a_stored_answer_is_served_again_as_it_was() {
    let dir = tempfile::tempdir().unwrap();
    let store = dir.path().join("answers.sqlite");
    let store = store.to_str().unwrap();
    let once = || run(&["fixtures/corpus", QUESTION, "--json", "--store", store]);
    let first = once();
    assert!(first.status.success(), "{first:?}");
    assert_eq!(first.stdout, once().stdout);
    assert_eq!(
        first.stdout,
        run(&["fixtures/corpus", QUESTION, "--json"]).stdout
    );
    fs::write(dir.path().join("broken.sqlite"), "no database").unwrap();
    let broken = dir.path().join("broken.sqlite");
    let output = run(&[
        "fixtures/corpus",
        QUESTION,
        "--store",
        broken.to_str().unwrap(),
    ]);
    refused(&output, "broken.sqlite");
}

#[test]
fn what_cannot_be_read_is_skipped_and_said() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("mixed");
    copy_corpus(&folder);
    fs::write(folder.join("latin1.txt"), b"caf\xe9 del mar").unwrap();
    fs::write(folder.join("photo.txt"), b"\x89PNG\x00\x00").unwrap();
    fs::write(folder.join(".hidden.txt"), "secret").unwrap();
    fs::write(folder.join("blob.gz"), b"\x1f\x8b\x08").unwrap();
    // Sparse: 200 MB by length, nothing on disk.
    fs::File::create(folder.join("huge.txt"))
        .unwrap()
        .set_len(200 << 20)
        .unwrap();
    let output = ask()
        .arg(&folder)
        .args([QUESTION, "--json"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("skipped 5 of"), "{stderr}");
    for why in [
        "1 binary",
        "1 hidden",
        "1 not UTF-8",
        "1 too large",
        "1 unsupported type",
    ] {
        assert!(stderr.contains(why), "{why} not in {stderr}");
    }
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answer["outcome"], "grounded");
}
