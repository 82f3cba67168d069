//! Signed checkpoints, diff and exports.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::print_stdout
)]

use run_dag::audit::*;
use run_dag::*;

/// The example of the signed-note specification, with its published key.
#[test]
fn the_specifications_own_note_opens() {
    let key = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";
    let note = "If you think cryptography is the answer to your problem,\n\
                then you don't know what your problem is.\n\n\
                \u{2014} PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n";
    let verifier = NoteVerifier::parse(key).unwrap();
    assert_eq!(verifier.to_string(), key);
    let (text, names) = open_note(note, std::slice::from_ref(&verifier)).unwrap();
    assert!(text.ends_with("problem is.\n"));
    assert_eq!(names, ["PeterNeumann"]);
    let changed = note.replace("your problem is", "our problem is");
    assert!(open_note(&changed, &[verifier]).is_err());
}

#[test]
fn signed_checkpoints_hold_a_log_to_its_word() {
    let origin = "candor.example/signed";
    let log = MemoryAuditLog::new(origin);
    conformance::append_some(&log, 0, 5).unwrap();
    let signer = NoteSigner::from_seed(origin, &[1; 32]).unwrap();
    let witness = NoteSigner::from_seed("witness.example", &[2; 32]).unwrap();
    let early = log.checkpoint(None).unwrap();
    let note = early.sign(&[&signer, &witness]).unwrap();
    let known = [NoteVerifier::parse(&signer.verifier().to_string()).unwrap()];
    let (opened, names) = Checkpoint::open(&note, &known).unwrap();
    assert_eq!(opened, early);
    assert_eq!(names, [origin], "an unknown signature is passed over");
    conformance::append_some(&log, 1, 8).unwrap();
    let late = log.checkpoint(None).unwrap();
    let proof = log.prove_consistency(5, 13).unwrap();
    late.verify_extends(&opened, &proof).unwrap();
    // Another history of the same length does not extend it.
    let other = MemoryAuditLog::new(origin);
    conformance::append_some(&other, 7, 13).unwrap();
    let proof = other.prove_consistency(5, 13).unwrap();
    let forged = other
        .checkpoint(None)
        .unwrap()
        .verify_extends(&opened, &proof);
    assert!(matches!(forged, Err(Error::Proof { .. })));
    let elsewhere = Checkpoint {
        origin: "other.example".into(),
        ..late
    };
    assert!(matches!(
        elsewhere.verify_extends(&opened, &proof),
        Err(Error::WrongOrigin { .. })
    ));
}

#[test]
fn malformed_notes_and_keys_are_refused() {
    let signer = NoteSigner::from_seed("a.example", &[1; 32]).unwrap();
    let known = [signer.verifier()];
    let good = sign_note("text\n", &[&signer]).unwrap();
    open_note(&good, &known).unwrap();
    let bad = [
        "",
        "text\n",
        "text\n\n",
        &good[..good.len() - 1],
        &good.replace('\u{2014}', "-"),
        &good.replace("\n\n", "\n"),
        &good.replace("text", "te\u{1}xt"),
        &format!("{good}more\n"),
        &format!("{good}\n"),
    ];
    for note in bad {
        assert!(
            matches!(open_note(note, &known), Err(Error::Note { .. })),
            "{note:?}"
        );
    }
    assert!(sign_note("no newline", &[&signer]).is_err());
    assert!(sign_note("text\n", &[]).is_err());
    let stranger = NoteSigner::from_seed("a.example", &[2; 32]).unwrap();
    assert!(open_note(&good, &[stranger.verifier()]).is_err());
    let key = signer.verifier().to_string();
    for bad in [
        "",
        "a",
        "a+b",
        &key.replace("a.example", "b.example"),
        &format!("{key}A"),
    ] {
        assert!(NoteVerifier::parse(bad).is_err(), "{bad:?}");
    }
    for name in ["", "a b", "a+b", "a\n"] {
        assert!(NoteSigner::from_seed(name, &[1; 32]).is_err());
    }
    for text in [
        "",
        "o\n1\n",
        "o\n01\nAAAA\n",
        "o\n-1\nAAAA\n",
        "\n1\n",
        "o\n1\nAAAA",
    ] {
        assert!(Checkpoint::from_text(text).is_err(), "{text:?}");
    }
    assert!(
        !format!("{signer:?}").contains("1, 1"),
        "a secret key is not shown"
    );
}

#[test]
fn diff_names_the_first_divergence_and_its_inputs() {
    let strict = sample::lattice(Shape::Lattice, "strict", false).unwrap();
    let seed = sample::lattice(Shape::Lattice, "seed", false).unwrap();
    let same = diff(&strict, &strict).unwrap();
    assert!(same.same && same.first_divergence.is_none());
    assert!(same.stages.iter().all(|s| s.status == StageStatus::Same));
    // Same question, answer and verdict under different policies: the roots differ, in preflight.
    let found = diff(&strict, &seed).unwrap();
    assert!(!found.same);
    let first = found.first_divergence.unwrap();
    assert_eq!(first.stage, "preflight");
    assert_eq!(first.status, StageStatus::Changed);
    assert_eq!(first.paths, ["policy_refs.governance_policy_hash"]);
    assert_eq!(first.inputs, Vec::<String>::new());
    let verify = found.stages.iter().find(|s| s.stage == "verify").unwrap();
    assert_eq!(verify.status, StageStatus::Inherited);
    assert_eq!(
        verify.inputs,
        ["preflight", "evidence_map", "parsed_claim_lattice"]
    );
    // Optional stages are in one run only.
    let full = sample::lattice(Shape::Lattice, "strict", true).unwrap();
    let more = diff(&strict, &full).unwrap();
    let only: Vec<&str> = more
        .stages
        .iter()
        .filter(|s| s.status == StageStatus::OnlyInB)
        .map(|s| s.stage.as_str())
        .collect();
    assert_eq!(only, ["topology", "wisdom"]);
    assert_eq!(more.first_divergence.unwrap().stage, "topology");
    let fewer = diff(&full, &strict).unwrap();
    assert_eq!(fewer.first_divergence.unwrap().status, StageStatus::OnlyInA);
}

fn json(value: &Value) -> serde_json::Value {
    serde_json::to_value(value).unwrap()
}

#[test]
fn in_toto_statements_have_subjects_with_both_digests() {
    let record = sample::run(&Shape::Lattice).unwrap();
    let statement = json(&export::in_toto(&record).unwrap());
    assert_eq!(statement["_type"], "https://in-toto.io/Statement/v1");
    assert_eq!(statement["predicateType"], export::PREDICATE_TYPE);
    assert_eq!(
        statement["predicate"]["run_dag_root"],
        record.run_dag_root().to_hex()
    );
    assert_eq!(
        statement["predicate"]["stages"].as_array().unwrap().len(),
        10
    );
    let subjects = statement["subject"].as_array().unwrap();
    let names: Vec<&str> = subjects
        .iter()
        .map(|s| s["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["answer", "rendered_answer", "run_record"]);
    let answer = sample::RAW_ANSWER.as_bytes();
    assert_eq!(
        subjects[0]["digest"]["blake3"],
        ContentDigest::of(answer).to_hex()
    );
    assert_eq!(
        subjects[0]["digest"]["sha256"],
        Sha256Digest::of(answer).to_hex()
    );
    let record = sample::run(&Shape::Reject).unwrap();
    let statement = json(&export::in_toto(&record).unwrap());
    let bytes = record.to_canonical_json().unwrap();
    assert_eq!(statement["subject"][0]["name"], "run_record");
    assert_eq!(
        statement["subject"][0]["digest"]["sha256"],
        Sha256Digest::of(&bytes).to_hex()
    );
}

#[test]
fn prov_names_every_stage_and_link() {
    for shape in Shape::BUILT_IN {
        let record = sample::run(shape).unwrap();
        let prov = json(&export::prov_json(&record));
        let size = |key: &str| prov[key].as_object().map_or(0, serde_json::Map::len);
        let links: usize = record.stages().iter().map(|s| s.parents().len()).sum();
        assert_eq!(size("entity"), record.stages().len(), "{shape}");
        assert_eq!(size("activity"), record.stages().len());
        assert_eq!(size("wasGeneratedBy"), record.stages().len());
        assert_eq!((size("used"), size("wasDerivedFrom")), (links, links));
        for link in prov["wasDerivedFrom"].as_object().unwrap().values() {
            for end in ["prov:generatedEntity", "prov:usedEntity"] {
                assert!(prov["entity"].get(link[end].as_str().unwrap()).is_some());
            }
        }
        assert!(
            prov["prefix"]["run"]
                .as_str()
                .unwrap()
                .contains(&record.run_dag_root().to_hex())
        );
    }
}

#[test]
fn pictures_have_a_node_a_stage_and_an_edge_a_link() {
    let record = sample::run(&Shape::Deliberation).unwrap();
    let links: usize = record.stages().iter().map(|s| s.parents().len()).sum();
    let dot = export::dot(&record);
    assert_eq!(dot.matches(" -> ").count(), links);
    assert_eq!(dot.matches("[label=").count(), record.stages().len());
    assert!(dot.starts_with("digraph run {\n") && dot.ends_with("}\n"));
    assert!(dot.contains(&record.run_dag_root().to_hex()));
    let mermaid = export::mermaid(&record);
    assert_eq!(mermaid.matches(" --> ").count(), links);
    assert!(mermaid.contains("focus#35;2"));
}
