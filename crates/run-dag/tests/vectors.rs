//! Official vectors: BLAKE3, RFC 8785 (JCS), RFC 6962 trees and proofs.
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

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use blake3::hazmat::{HasherExt, hash_derive_key_context};
use common::{Sha256Tree, data};
use run_dag::tree::*;
use run_dag::{ContentDigest, Error, Value};
use std::io::Read as _;

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

fn unhex(text: &str) -> Vec<u8> {
    let digits: Vec<char> = text.chars().filter(|c| !c.is_whitespace()).collect();
    digits
        .chunks(2)
        .map(|pair| u8::from_str_radix(&pair.iter().collect::<String>(), 16).unwrap())
        .collect()
}

#[test]
fn blake3_vectors() {
    let Some(folder) = data("vec-blake3") else {
        return;
    };
    let text = std::fs::read_to_string(folder.join("test_vectors.json")).unwrap();
    let vectors: serde_json::Value = serde_json::from_str(&text).unwrap();
    let key: [u8; 32] = vectors["key"]
        .as_str()
        .unwrap()
        .as_bytes()
        .try_into()
        .unwrap();
    let context = vectors["context_string"].as_str().unwrap();
    let cases = vectors["cases"].as_array().unwrap();
    for case in cases {
        let length = usize::try_from(case["input_len"].as_u64().unwrap()).unwrap();
        let input: Vec<u8> = (0..length)
            .map(|i| u8::try_from(i % 251).unwrap())
            .collect();
        let wanted = |field: &str| case[field].as_str().unwrap();
        let extended = |hasher: &mut blake3::Hasher| {
            let mut out = [0u8; 131];
            hasher.update(&input).finalize_xof().fill(&mut out);
            hex(&out)
        };
        assert_eq!(extended(&mut blake3::Hasher::new()), wanted("hash"));
        assert_eq!(
            extended(&mut blake3::Hasher::new_keyed(&key)),
            wanted("keyed_hash")
        );
        // As the crate does it: the context's key once, then hashers from it.
        let prepared = hash_derive_key_context(context);
        let mut hasher = blake3::Hasher::new_from_context_key(&prepared);
        assert_eq!(extended(&mut hasher), wanted("derive_key"));
        assert_eq!(ContentDigest::of(&input).to_hex(), wanted("hash")[..64]);
    }
    assert_eq!(cases.len(), 35);
}

#[test]
fn jcs_vectors() {
    let Some(folder) = data("vec-jcs") else {
        return;
    };
    let mut integral = 0;
    for name in [
        "arrays",
        "french",
        "structures",
        "unicode",
        "values",
        "weird",
    ] {
        let read = |part: &str, end: &str| {
            std::fs::read(folder.join(part).join(format!("{name}.{end}"))).unwrap()
        };
        let (input, output) = (read("input", "json"), read("output", "json"));
        assert_eq!(
            unhex(std::str::from_utf8(&read("outhex", "txt")).unwrap()),
            output,
            "{name}"
        );
        // The canonicalizer that this crate uses, floats included.
        let value: serde_json::Value = serde_json::from_slice(&input).unwrap();
        assert_eq!(
            serde_json_canonicalizer::to_vec(&value).unwrap(),
            output,
            "{name}"
        );
        // This crate's own way in and out, which refuses the vectors that hold floats.
        match Value::from_json(&input) {
            Ok(value) => {
                assert_eq!(value.to_canonical().unwrap(), output, "{name}");
                integral += 1;
            }
            Err(Error::Float { path, .. }) => {
                assert!(
                    ["structures", "values", "arrays"].contains(&name),
                    "{name} {path}"
                );
            }
            Err(other) => panic!("{name}: {other}"),
        }
    }
    assert!(integral >= 3, "{integral}");
}

#[test]
fn jcs_numbers() {
    let Some(folder) = data("vec-jcs") else {
        return;
    };
    let packed = std::fs::File::open(folder.join("es6testfile10k.txt.gz")).unwrap();
    let mut text = String::new();
    flate2::read::GzDecoder::new(packed)
        .read_to_string(&mut text)
        .unwrap();
    let mut lines = 0;
    for line in text.lines() {
        let (bits, wanted) = line.split_once(',').unwrap();
        let number = f64::from_bits(u64::from_str_radix(bits, 16).unwrap());
        let written = serde_json_canonicalizer::to_string(&number).unwrap();
        assert_eq!(written, wanted, "{bits}");
        // None of them has a way into what this crate commits.
        assert!(matches!(
            Value::from_serialize(&number),
            Err(Error::Float { .. })
        ));
        lines += 1;
    }
    assert_eq!(lines, 10_000);
}

fn lines(folder: &std::path::Path, file: &str) -> Vec<serde_json::Value> {
    let text = std::fs::read_to_string(folder.join(file)).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// The vectors hold placeholders of other lengths than a hash, so this instance takes any bytes.
fn bytes(text: &serde_json::Value) -> Vec<u8> {
    STANDARD.decode(text.as_str().unwrap()).unwrap()
}

/// A leaf hash has 32 bytes; in this crate's own trees its type says so.
fn leaf(text: &serde_json::Value) -> run_dag::Result<Vec<u8>> {
    let hash = bytes(text);
    let wrong = || Error::Proof {
        reason: "a leaf hash has 32 bytes".into(),
    };
    if hash.len() == 32 {
        Ok(hash)
    } else {
        Err(wrong())
    }
}

fn path(case: &serde_json::Value) -> Vec<Vec<u8>> {
    case["proof"]
        .as_array()
        .unwrap_or(&Vec::new())
        .iter()
        .map(bytes)
        .collect()
}

/// Runs each case of a file; gives how many had to pass and how many to fail.
fn check(
    file: &str,
    verify: impl Fn(&serde_json::Value) -> run_dag::Result<()>,
) -> Option<(usize, usize)> {
    let folder = data("vec-merkle")?;
    let (mut passed, mut failed) = (0, 0);
    for case in lines(&folder, file) {
        let wrong = case["wantErr"].as_bool().unwrap();
        let outcome = verify(&case);
        assert_eq!(
            outcome.is_err(),
            wrong,
            "{} {}: {outcome:?}",
            case["file"],
            case["desc"]
        );
        if wrong { failed += 1 } else { passed += 1 }
    }
    println!("{file}: {passed} accepted, {failed} refused");
    Some((passed, failed))
}

fn number(case: &serde_json::Value, field: &str) -> u64 {
    case[field].as_u64().unwrap()
}

#[test]
fn merkle_inclusion_vectors() {
    let counts = check("inclusion.jsonl", |case| {
        let (leaf, root) = (leaf(&case["leafHash"])?, bytes(&case["root"]));
        let (index, size) = (number(case, "leafIdx"), number(case, "treeSize"));
        verify_inclusion::<Sha256Tree>(index, size, &leaf, &path(case), &root)
    });
    assert!(
        counts.is_none_or(|(yes, no)| yes > 5 && yes + no == 98),
        "{counts:?}"
    );
}

#[test]
fn merkle_consistency_vectors() {
    let counts = check("consistency.jsonl", |case| {
        let (old, new) = (number(case, "size1"), number(case, "size2"));
        let (old_root, new_root) = (bytes(&case["root1"]), bytes(&case["root2"]));
        verify_consistency::<Sha256Tree>(old, new, &path(case), &old_root, &new_root)
    });
    assert!(
        counts.is_none_or(|(yes, no)| yes > 5 && yes + no == 98),
        "{counts:?}"
    );
}

#[test]
fn merkle_subtree_inclusion_vectors() {
    let counts = check("subtreeinclusion.jsonl", |case| {
        let (leaf, root) = (leaf(&case["leafHash"])?, bytes(&case["root"]));
        let (start, end) = (number(case, "start"), number(case, "end"));
        let index = number(case, "leafIdx");
        verify_subtree_inclusion::<Sha256Tree>(index, start, end, &leaf, &path(case), &root)
    });
    assert!(
        counts.is_none_or(|(yes, no)| yes > 5 && yes + no == 204),
        "{counts:?}"
    );
}

#[test]
fn merkle_subtree_consistency_vectors() {
    let counts = check("subtreeconsistency.jsonl", |case| {
        let (start, end, size) = (
            number(case, "start"),
            number(case, "end"),
            number(case, "size"),
        );
        let (part, whole) = (bytes(&case["root1"]), bytes(&case["root2"]));
        verify_subtree_consistency::<Sha256Tree>(start, end, size, &path(case), &part, &whole)
    });
    assert!(
        counts.is_none_or(|(yes, no)| yes > 5 && yes + no == 118),
        "{counts:?}"
    );
}

#[test]
fn merkle_root_vectors() {
    let Some(folder) = data("vec-merkle") else {
        return;
    };
    let text = std::fs::read_to_string(folder.join("rfc6962_roots.json")).unwrap();
    let vectors: serde_json::Value = serde_json::from_str(&text).unwrap();
    let list = |field: &str| -> Vec<Vec<u8>> {
        vectors[field]
            .as_array()
            .unwrap()
            .iter()
            .map(|t| unhex(t.as_str().unwrap()))
            .collect()
    };
    let (inputs, roots) = (list("leaf_inputs_hex"), list("root_by_tree_size_hex"));
    assert_eq!(roots.len(), 9);
    let mut log = MerkleLog::<Sha256Tree>::default();
    for (size, root) in roots.iter().enumerate() {
        assert_eq!(
            &root_of_data::<Sha256Tree, _>(&inputs[..size]),
            root,
            "{size}"
        );
        assert_eq!(&log.root(), root, "{size}");
        if let Some(input) = inputs.get(size) {
            log.push(Sha256Tree::leaf(input));
        }
    }
}
