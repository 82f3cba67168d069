//! Tampering: every byte of a sealed run of each shape, and of proofs, flipped in turn.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::print_stdout
)]

use run_dag::audit::{AuditLog, Checkpoint, LoggedEvent, MemoryAuditLog, NoteSigner};
use run_dag::*;

fn shapes() -> Vec<RunRecord> {
    let shapes = Shape::BUILT_IN
        .iter()
        .cloned()
        .chain([Shape::Custom("review".into())]);
    let mut records: Vec<RunRecord> = shapes.map(|s| sample::run(&s).unwrap()).collect();
    records.push(sample::lattice(Shape::Lattice, "strict", true).unwrap());
    records
}

/// The changes tried on each byte. In release: each bit, all bits, and two bits that turn a digit
/// or letter into another; a debug build, fifty times slower at it, flips one bit of every byte.
const FLIPS: &[u8] = if cfg!(debug_assertions) {
    &[1]
} else {
    &[1, 2, 4, 8, 16, 32, 64, 128, 255, 33]
};
/// In a debug build cuts and insertions are tried at every ninth place.
const STEP: usize = if cfg!(debug_assertions) { 9 } else { 1 };

/// Where a flip ended.
#[derive(Debug, PartialEq)]
enum Fate {
    Refused,
    Named,
    Survived,
}

fn fate(text: &[u8], original: &RunRecord) -> Fate {
    let Ok(record) = RunRecord::from_canonical_json(text) else {
        return Fate::Refused;
    };
    let replay = replay(&record).unwrap();
    // Either the contents give another root, or a recorded hash is no longer what they give.
    let moved = replay.recomputed_root != original.run_dag_root();
    let hash_touched =
        record.run_dag_root() != original.run_dag_root()
            || record.stages().iter().zip(original.stages()).any(|(a, b)| {
                a.stage_hash() != b.stage_hash() || a.payload_hash() != b.payload_hash()
            })
            || record.evidence() != original.evidence();
    if !replay.is_clean() && (moved || hash_touched) {
        Fate::Named
    } else {
        Fate::Survived
    }
}

#[test]
fn every_flip_of_every_byte_is_refused_or_named() {
    for original in shapes() {
        let text = original.to_canonical_json().unwrap();
        let (mut refused, mut named, mut survivors) = (0, 0, Vec::new());
        for at in 0..text.len() {
            for &flip in FLIPS {
                let mut changed = text.clone();
                changed[at] ^= flip;
                match fate(&changed, &original) {
                    Fate::Refused => refused += 1,
                    Fate::Named => named += 1,
                    Fate::Survived => survivors.push((at, flip)),
                }
            }
        }
        println!(
            "{}: {} bytes, {refused} refused, {named} named, {} survivors",
            original.shape(),
            text.len(),
            survivors.len()
        );
        assert_eq!(survivors, [], "{}", original.shape());
        assert!(named > 0 && refused > 0);
    }
}

#[test]
fn every_cut_and_every_insertion_is_refused_or_named() {
    for original in shapes() {
        let text = original.to_canonical_json().unwrap();
        for at in (0..text.len()).step_by(STEP) {
            assert_eq!(fate(&text[..at], &original), Fate::Refused);
            for byte in *b" \n0a\"" {
                let mut longer = text.clone();
                longer.insert(at, byte);
                assert_ne!(fate(&longer, &original), Fate::Survived, "{at} {byte}");
            }
        }
        let mut newline = text.clone();
        newline.push(b'\n');
        assert_eq!(fate(&newline, &original), Fate::Refused);
    }
}

fn without_size(proof: Proof) -> Proof {
    match proof {
        Proof::Stage(mut stage) => {
            stage.tree_size = 0;
            Proof::Stage(stage)
        }
        Proof::Evidence(mut evidence) => {
            evidence.stage.tree_size = 0;
            Proof::Evidence(evidence)
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_flip_in_a_proof_fails() {
    let record = sample::lattice(Shape::Lattice, "strict", true).unwrap();
    let stage = Proof::Stage(Box::new(prove(&record, "verify").unwrap()));
    let evidence = Proof::Evidence(Box::new(prove_evidence(&record, "E2").unwrap()));
    for proof in [stage, evidence] {
        proof.check().unwrap();
        let text = proof.to_canonical_json().unwrap();
        assert_eq!(Proof::from_canonical_json(&text).unwrap(), proof);
        for at in 0..text.len() {
            for &flip in FLIPS {
                let mut changed = text.clone();
                changed[at] ^= flip;
                let Ok(read) = Proof::from_canonical_json(&changed) else {
                    continue;
                };
                if read.check().is_ok() && read.run_dag_root() == record.run_dag_root() {
                    // A root commits its tree's leaves and not their number (RFC 9162 leaves that
                    // to the checkpoint): all that such a proof claims is unchanged.
                    assert_eq!(
                        without_size(read),
                        without_size(proof.clone()),
                        "{at} {flip}"
                    );
                }
            }
        }
    }
}

#[test]
fn every_flip_in_a_log_breaks_it() {
    let origin = "candor.example/log";
    let log = MemoryAuditLog::new(origin);
    conformance::append_some(&log, 0, 4).unwrap();
    let events = log.events(0, 9).unwrap();
    for (place, event) in events.iter().enumerate() {
        let line = event.to_canonical_json().unwrap();
        for at in 0..line.len() {
            for &flip in FLIPS {
                let mut changed = line.clone();
                changed[at] ^= flip;
                let Ok(event) = LoggedEvent::from_canonical_json(&changed) else {
                    continue;
                };
                let mut events = events.clone();
                events[place] = event;
                assert!(
                    audit::verify_events(origin, &events).is_err(),
                    "{place} {at} {flip}"
                );
            }
        }
    }
}

#[test]
fn every_flip_in_a_signed_checkpoint_fails() {
    let log = MemoryAuditLog::new("candor.example/log");
    conformance::append_some(&log, 0, 4).unwrap();
    let signer = NoteSigner::from_seed("candor.example/log", &[7; 32]).unwrap();
    let note = log.checkpoint(None).unwrap().sign(&[&signer]).unwrap();
    let known = [signer.verifier()];
    assert!(Checkpoint::open(&note, &known).is_ok());
    for at in 0..note.len() {
        for &flip in FLIPS {
            let mut changed = note.clone().into_bytes();
            changed[at] ^= flip;
            let Ok(changed) = String::from_utf8(changed) else {
                continue;
            };
            assert!(
                Checkpoint::open(&changed, &known).is_err(),
                "{at} {flip}\n{changed}"
            );
        }
    }
}
