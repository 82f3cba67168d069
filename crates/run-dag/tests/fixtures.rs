//! Sealed fixtures of format version 1 open again, and the script in docs/ checks proofs.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::print_stdout
)]

mod common;
mod naive;

use common::fixtures;
use run_dag::audit::*;
use run_dag::*;
use std::path::{Path, PathBuf};
use std::process::Command;

const ORIGIN: &str = "candor.example/fixture-log";

fn signer() -> NoteSigner {
    NoteSigner::from_seed("candor.example/fixture-key", &[42; 32]).unwrap()
}

/// What version 1 writes, by file name.
fn written() -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    for shape in Shape::BUILT_IN
        .iter()
        .cloned()
        .chain([Shape::Custom("review".into())])
    {
        let name = format!("v1-{}.json", shape.name().replace('/', "-"));
        files.push((
            name,
            sample::run(&shape).unwrap().to_canonical_json().unwrap(),
        ));
    }
    let full = sample::lattice(Shape::Lattice, "strict", true).unwrap();
    files.push((
        "v1-lattice-full.json".into(),
        full.to_canonical_json().unwrap(),
    ));
    let stage = Proof::Stage(Box::new(prove(&full, "verify").unwrap()));
    files.push((
        "v1-proof-stage.json".into(),
        stage.to_canonical_json().unwrap(),
    ));
    let evidence = Proof::Evidence(Box::new(prove_evidence(&full, "E2").unwrap()));
    files.push((
        "v1-proof-evidence.json".into(),
        evidence.to_canonical_json().unwrap(),
    ));
    let log = MemoryAuditLog::new(ORIGIN);
    conformance::append_some(&log, 1, 7).unwrap();
    let mut lines = Vec::new();
    for event in log.events(0, 9).unwrap() {
        lines.extend(event.to_canonical_json().unwrap());
        lines.push(b'\n');
    }
    files.push(("v1-log.jsonl".into(), lines));
    let note = log.checkpoint(None).unwrap().sign(&[&signer()]).unwrap();
    files.push(("v1-checkpoint.txt".into(), note.into_bytes()));
    files
}

/// The committed bytes are what is written today: field names and hashes are pinned. To make them
/// anew after adding a fixture: `WRITE_FIXTURES=1 cargo test -p run-dag --test fixtures`.
#[test]
fn committed_bytes_are_what_is_written() {
    for (name, bytes) in written() {
        let path = fixtures().join(&name);
        if std::env::var_os("WRITE_FIXTURES").is_some() {
            std::fs::create_dir_all(fixtures()).unwrap();
            std::fs::write(&path, &bytes).unwrap();
        }
        let committed = std::fs::read(&path).unwrap();
        assert!(committed == bytes, "{name} is written differently now");
    }
}

#[test]
fn committed_records_open_and_replay() {
    let mut opened = 0;
    for (name, _) in written() {
        let text = std::fs::read(fixtures().join(&name)).unwrap();
        if name.contains("proof") {
            Proof::from_canonical_json(&text).unwrap().check().unwrap();
        } else if name.ends_with(".json") {
            let record = RunRecord::from_canonical_json(&text).unwrap();
            assert!(replay(&record).unwrap().is_clean(), "{name}");
            assert_eq!(
                naive::record(&text),
                Ok(*record.run_dag_root().as_bytes()),
                "{name}"
            );
            opened += 1;
        }
    }
    assert_eq!(opened, 9);
    let review = std::fs::read(fixtures().join("v1-custom-review.json")).unwrap();
    let review = RunRecord::from_canonical_json(&review).unwrap();
    review.check_custom(&sample::review_shape()).unwrap();
}

#[test]
fn committed_log_and_checkpoint_open() {
    let text = std::fs::read_to_string(fixtures().join("v1-log.jsonl")).unwrap();
    let events: Vec<LoggedEvent> = text
        .lines()
        .map(|l| LoggedEvent::from_canonical_json(l.as_bytes()).unwrap())
        .collect();
    let log = MemoryAuditLog::from_events(ORIGIN, events).unwrap();
    let note = std::fs::read_to_string(fixtures().join("v1-checkpoint.txt")).unwrap();
    let (checkpoint, names) = Checkpoint::open(&note, &[signer().verifier()]).unwrap();
    assert_eq!(checkpoint, log.checkpoint(None).unwrap());
    assert_eq!(names, ["candor.example/fixture-key"]);
}

/// A Python with the package `blake3`: the one named, the project's own, or any.
fn python() -> Option<PathBuf> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/.venv/bin/python");
    let named = std::env::var_os("CANDOR_PYTHON").map(PathBuf::from);
    let found = named
        .into_iter()
        .chain([own, "python3".into()])
        .find(|python| {
            let probe = Command::new(python).args(["-c", "import blake3"]).output();
            probe.is_ok_and(|out| out.status.success())
        });
    if found.is_none() {
        println!("skipped: no Python with the package blake3 (pip install blake3)");
    }
    found
}

fn script() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/run-dag-check.py")
}

#[test]
fn the_script_is_short_and_needs_only_blake3() {
    let text = std::fs::read_to_string(script()).unwrap();
    assert!(text.lines().count() < 60, "{} lines", text.lines().count());
    let imports: Vec<&str> = text.lines().filter(|l| l.contains("import ")).collect();
    assert_eq!(imports, ["import json, sys", "from blake3 import blake3"]);
}

#[test]
fn the_script_checks_proofs_and_refuses_changed_ones() {
    let Some(python) = python() else { return };
    let run = |file: &Path, root: &str| {
        let out = Command::new(&python)
            .arg(script())
            .arg(file)
            .arg(root)
            .output()
            .unwrap();
        (
            out.status.success(),
            String::from_utf8_lossy(&out.stdout).trim().to_owned(),
        )
    };
    let folder = std::env::temp_dir().join(format!("run-dag-check-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (mut held, mut refused) = (0, 0);
    for shape in Shape::BUILT_IN {
        let record = sample::run(shape).unwrap();
        let root = record.run_dag_root().to_hex();
        let name = record.stage_names().last().cloned().unwrap();
        let mut proofs = vec![Proof::Stage(Box::new(prove(&record, &name).unwrap()))];
        if !record.evidence().is_empty() {
            proofs.push(Proof::Evidence(Box::new(
                prove_evidence(&record, "E2").unwrap(),
            )));
        }
        for proof in proofs {
            let file = folder.join("proof.json");
            let text = proof.to_canonical_json().unwrap();
            std::fs::write(&file, &text).unwrap();
            assert_eq!(run(&file, &root), (true, root.clone()), "{shape}");
            assert!(!run(&file, &"0".repeat(64)).0, "another root");
            held += 1;
            for at in (7..text.len()).step_by(text.len() / 6) {
                let mut changed = text.clone();
                changed[at] ^= 1;
                std::fs::write(&file, &changed).unwrap();
                let rust = Proof::from_canonical_json(&changed).is_ok_and(|p| p.check().is_ok());
                assert!(!rust);
                assert!(!run(&file, &root).0, "{shape} {at}");
                refused += 1;
            }
        }
    }
    std::fs::remove_dir_all(&folder).unwrap();
    println!("the script accepted {held} proofs and refused {refused} changed ones");
    assert!(held == 11 && refused >= 60, "{held} {refused}");
}

#[test]
fn the_script_agrees_on_odd_letters() {
    let Some(python) = python() else { return };
    let shape = CustomShape {
        name: "odd".into(),
        stages: vec![CustomStage {
            kind: "text".into(),
            min: 1,
            max: 1,
            parents: vec![],
        }],
    };
    let kind = shape.kind("text").unwrap();
    let mut run = RunBuilder::custom(shape);
    let odd = "\u{1f600}\u{e000}\u{7f}\u{2028}\"\\/\u{1}\u{8}\t\n\u{c}\r caf\u{e9} cafe\u{301}";
    let keys = ["\u{1f600}", "\u{e000}", "z", "", "\u{e9}", "\n"];
    let payload = keys.iter().map(|k| ((*k).to_owned(), odd.into())).collect();
    run.push(StagePayload::Custom(kind, payload));
    let record = run.seal().unwrap();
    let proof = Proof::Stage(Box::new(prove(&record, "odd/text").unwrap()));
    let file = std::env::temp_dir().join(format!("run-dag-odd-{}.json", std::process::id()));
    std::fs::write(&file, proof.to_canonical_json().unwrap()).unwrap();
    let out = Command::new(&python)
        .arg(script())
        .arg(&file)
        .output()
        .unwrap();
    std::fs::remove_file(&file).unwrap();
    assert_eq!(
        String::from_utf8_lossy(&out.stdout).trim(),
        record.run_dag_root().to_hex()
    );
}
