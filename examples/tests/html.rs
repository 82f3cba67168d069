//! `--html` of `ask`, `deliberate` and `verify`: a file that holds everything and trusts nothing.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "../../crates/audit-report/tests/common/reader.rs"]
mod reader;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::json;

/// Markup, script, a reference elsewhere, a direction control and a word without end.
const HOSTILE: &str = "</bdi></section><script>alert(1)</script><img src=//evil.example/x onerror=alert(1)> \
     <a href=\"https://evil.example\">E1</a> \u{202e}fdp.exe\u{202c}";

/// An example, built by the same `cargo test` beside this test.
fn example(name: &str) -> Command {
    let exe = std::env::current_exe().unwrap();
    let folder = exe.ancestors().nth(2).unwrap().join("examples");
    let mut command = Command::new(folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX)));
    command.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap());
    command
}

/// Runs the command with `--html` and a stdin; gives the page and what stood on stdout.
fn page(command: &mut Command, folder: &Path, stdin: &str) -> (String, String) {
    let file = folder.join("page.html");
    let output = fed(command.arg("--html").arg(&file), stdin);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{stderr}");
    assert!(
        stderr.contains(&format!("page: {}", file.display())),
        "{stderr}"
    );
    (
        fs::read_to_string(&file).unwrap(),
        String::from_utf8(output.stdout).unwrap(),
    )
}

fn fed(command: &mut Command, stdin: &str) -> Output {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the example is built by the package's tests");
    child
        .stdin
        .take()
        .unwrap()
        .write_all(stdin.as_bytes())
        .unwrap();
    child.wait_with_output().unwrap()
}

/// Reads the page as a browser's tokenizer does: no tag, attribute or link that is not ours. Gives its
/// text, in which what was fed in as markup stands as text.
fn contained(page: &str) -> String {
    assert!(page.starts_with("<!DOCTYPE html>"));
    assert!(
        page.contains("default-src 'none'"),
        "a policy forbids loading and running"
    );
    assert!(
        !page.contains('\u{202e}'),
        "direction controls are shown by number"
    );
    for what in ["<script", "<link", "<img", "<iframe", "url(", "@import"] {
        assert!(!page.contains(what), "{what}");
    }
    let text = reader::read(page);
    assert!(text.contains("<script>alert(1)</script>"), "{text}");
    assert!(text.contains("U+202E"), "{text}");
    text
}

fn folder_with(name: &str, text: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let documents = folder.path().join("documents");
    fs::create_dir(&documents).unwrap();
    fs::write(documents.join(name), text).unwrap();
    (folder, documents)
}

#[test]
fn ask_writes_a_page_that_trusts_nothing() {
    let long = "w".repeat(10_000);
    let text = format!("The tower by the river is 96 metres tall. {HOSTILE} {long}\n");
    let (folder, documents) = folder_with("tower.txt", &text);
    let question = format!("How tall is the tower by the river? {HOSTILE}");
    let mut ask = example("ask");
    ask.arg(&documents).arg(&question).arg("--json");
    let (page, stdout) = page(&mut ask, folder.path(), "");
    let said: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    let text = contained(&page);
    for field in ["label", "run_dag_root"] {
        assert!(text.contains(said[field].as_str().unwrap()), "{field}");
    }
}

#[test]
fn a_recheck_writes_what_it_found() {
    let (folder, documents) =
        folder_with("tower.txt", "The tower by the river is 96 metres tall.\n");
    let question = format!("How tall is the tower by the river? {HOSTILE}");
    let output = fed(
        example("ask").arg(&documents).arg(&question).arg("--json"),
        "",
    );
    let saved = folder.path().join("answer.json");
    fs::write(&saved, output.stdout).unwrap();
    let mut recheck = example("ask");
    recheck.arg("--recheck").arg(&saved).arg(&documents);
    let (page, _) = page(&mut recheck, folder.path(), "");
    assert!(contained(&page).contains("All that was recomputed matches."));
}

#[test]
fn verify_writes_all_verdicts_on_one_page() {
    let case = |id: &str, answer: &str| {
        json!({"id": id, "question": "Who founded Apple?", "answer": answer, "evidence": [
            {"text": format!("Steve Jobs co-founded Apple in 1976. {HOSTILE}"), "title": HOSTILE, "source_id": HOSTILE}]})
    };
    let good = case("first", "Steve Jobs co-founded Apple. [E1]");
    let bad = case(
        HOSTILE,
        &format!("Apple was founded in 1985. [E1]\n{HOSTILE} [E7]"),
    );
    let folder = tempfile::tempdir().unwrap();
    let (page, stdout) = page(
        &mut example("verify"),
        folder.path(),
        &format!("{good}\n{bad}\n"),
    );
    assert_eq!(
        stdout.lines().count(),
        2,
        "the verdicts are on stdout all the same"
    );
    let text = contained(&page);
    assert!(text.contains("first: Who founded Apple?"), "{text}");
    assert!(text.contains("In 1 of 2 answers"), "{text}");
}

#[test]
fn deliberate_writes_the_deliberation() {
    let folder = tempfile::tempdir().unwrap();
    let graph = json!({
        "nodes": [{"id": "sleep", "content": format!("Poor sleep raises stress. {HOSTILE}")},
            {"id": HOSTILE, "content": "Stress worsens sleep."}],
        "edges": [{"source": "sleep", "target": HOSTILE, "edge_type": "causal"},
            {"source": HOSTILE, "target": "sleep", "edge_type": "causal"}]});
    let reply = json!({"conclusion": format!("They feed each other. {HOSTILE}"), "confidence": 0.9, "reasoning": HOSTILE}).to_string();
    let (graph_file, script) = (
        folder.path().join("graph.json"),
        folder.path().join("script.json"),
    );
    fs::write(&graph_file, graph.to_string()).unwrap();
    fs::write(
        &script,
        json!([reply, reply, reply, reply, reply, reply]).to_string(),
    )
    .unwrap();
    let mut deliberate = example("deliberate");
    deliberate
        .arg(&graph_file)
        .arg(format!("What does stress do to sleep? {HOSTILE}"))
        .arg(format!("--agent=scripted:{}", script.display()));
    let (page, stdout) = page(&mut deliberate, folder.path(), "");
    let said: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(said["status"], "ok", "{stdout}");
    assert!(contained(&page).contains("They feed each other."));
}

#[test]
fn a_page_that_cannot_be_written_is_one_line_and_status_1() {
    let output = fed(
        example("verify").args(["--html", "/nonexistent/page.html"]),
        "",
    );
    assert_eq!(output.status.code(), Some(1));
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
    assert!(stderr.contains("/nonexistent/page.html"), "{stderr}");
}
