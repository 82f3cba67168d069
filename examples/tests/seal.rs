//! Sealed runs and logs, through the built program.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

fn fixture(name: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let file: PathBuf = root.join("fixtures/run-dag").join(name);
    file.to_str().unwrap().to_owned()
}

fn seal(args: &[&str]) -> Output {
    let mut dir = std::env::current_exe().unwrap();
    dir.pop();
    dir.pop();
    let name = format!("seal{}", std::env::consts::EXE_SUFFIX);
    let program = dir.join("examples").join(name);
    assert!(program.exists(), "run the whole package's tests");
    Command::new(program).args(args).output().unwrap()
}

fn bytes(args: &[&str]) -> Vec<u8> {
    let output = seal(args);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{args:?}: {errors}");
    output.stdout
}

fn json(args: &[&str]) -> Value {
    serde_json::from_slice(&bytes(args)).unwrap()
}

/// Status 1 and one line on stderr, which holds `needle`.
fn refused(args: &[&str], needle: &str) {
    let output = seal(args);
    assert_eq!(output.status.code(), Some(1), "{args:?}");
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(errors.lines().count(), 1, "{errors}");
    assert!(errors.contains(needle), "{errors}");
}

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let file = self.0.path().join(name);
        fs::write(&file, content).unwrap();
        file.to_str().unwrap().to_owned()
    }
}

#[test]
fn a_committed_run_has_the_root_that_it_had() {
    let run = fixture("v1-lattice.json");
    let root = json(&["root", &run]);
    let recorded: Value = serde_json::from_slice(&fs::read(&run).unwrap()).unwrap();
    assert_eq!(root["run_dag_root"], recorded["run_dag_root"]);
    assert_eq!(root["stages"].as_array().unwrap().len(), 10);
    assert!(seal(&["verify", &run]).status.success());
}

#[test]
fn a_changed_stage_fails_by_name() {
    let folder = Folder::new();
    let text = fs::read_to_string(fixture("v1-lattice.json")).unwrap();
    let recorded: Value = serde_json::from_str(&text).unwrap();
    let label = recorded["stages"][9]["payload"]["label"].as_str().unwrap();
    let changed = text.replacen(&format!("\"label\":\"{label}\""), "\"label\":\"STRICT\"", 1);
    assert_ne!(text, changed);
    refused(
        &["verify", &folder.file("run.json", changed)],
        "final_label",
    );
}

#[test]
fn a_proof_holds_alone_and_only_for_its_root() {
    let folder = Folder::new();
    let run = fixture("v1-lattice.json");
    let root = json(&["root", &run])["run_dag_root"]
        .as_str()
        .unwrap()
        .to_owned();
    for part in ["verify", "final_label", "evidence:E1"] {
        let text = bytes(&["prove", &run, part]);
        let proof = folder.file("proof.json", &text);
        assert!(
            seal(&["check", &proof, "--root", &root]).status.success(),
            "{part}"
        );
        let other = "0".repeat(64);
        assert_eq!(
            seal(&["check", &proof, "--root", &other]).status.code(),
            Some(1)
        );
        // One digit of the stage's own hash; the number of stages is not committed (see StageProof).
        let mut damaged = text.clone();
        let digit = String::from_utf8(text).unwrap().find("stage_hash").unwrap() + 13;
        damaged[digit] = if damaged[digit] == b'0' { b'1' } else { b'0' };
        assert_eq!(
            seal(&["check", &folder.file("bad.json", damaged)])
                .status
                .code(),
            Some(1),
            "{part}"
        );
    }
    refused(&["prove", &run, "no_such_stage"], "no_such_stage");
}

#[test]
fn two_runs_differ_where_they_do() {
    let (a, b) = (fixture("v1-lattice.json"), fixture("v1-lattice-full.json"));
    let same = json(&["diff", &a, &a]);
    let other = json(&["diff", &a, &b]);
    assert_ne!(same, other);
    assert!(same["first_divergence"].is_null(), "{same}");
    assert!(!other["first_divergence"].is_null(), "{other}");
}

#[test]
fn exports_name_the_run() {
    let run = fixture("v1-lattice.json");
    let root = json(&["root", &run])["run_dag_root"]
        .as_str()
        .unwrap()
        .to_owned();
    let statement = json(&["attest", &run]);
    assert_eq!(statement["_type"], "https://in-toto.io/Statement/v1");
    assert!(statement.to_string().contains(&root));
    assert!(json(&["attest", &run, "--format", "prov"])["entity"].is_object());
    assert!(bytes(&["attest", &run, "--format", "dot"]).starts_with(b"digraph"));
    assert!(
        String::from_utf8(bytes(&["attest", &run, "--format", "mermaid"]))
            .unwrap()
            .contains("final_label")
    );
}

#[test]
fn every_sample_verifies() {
    let folder = Folder::new();
    for shape in [
        "quote",
        "lattice",
        "reject",
        "decline",
        "deliberation",
        "quote_legacy",
        "lattice_legacy",
    ] {
        let run = folder.file("run.json", bytes(&["sample", shape]));
        assert!(seal(&["verify", &run]).status.success(), "{shape}");
    }
    refused(&["sample", "round"], "round");
}

#[test]
fn other_spellings_are_refused_with_the_way_out() {
    let folder = Folder::new();
    let text = fs::read_to_string(fixture("v1-lattice.json")).unwrap();
    let spaced = folder.file("run.json", format!(" {text}"));
    refused(&["root", &spaced], "seal extract");
    assert_eq!(bytes(&["extract", &spaced]), text.trim_end().as_bytes());
    refused(&["root", "nowhere.json"], "nowhere.json");
}
