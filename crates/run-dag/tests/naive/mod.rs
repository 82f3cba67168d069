//! The byte format of version 1 once more, from docs/run-dag-format.md alone: naive, recursive,
//! sharing no code with the crate.
#![allow(dead_code, unreachable_pub)]

use serde_json::Value;
use std::fmt::Write as _;

pub type Hash = [u8; 32];

pub fn dk(kind: &str, bytes: &[u8]) -> Hash {
    blake3::derive_key(&format!("candor run-dag 2026 {kind} v1"), bytes)
}

pub fn hex(hash: &[u8]) -> String {
    hash.iter().fold(String::new(), |mut out, byte| {
        write!(out, "{byte:02x}").unwrap();
        out
    })
}

/// Canonical JSON by hand: integers only.
pub fn canonical(value: &Value) -> Vec<u8> {
    fn text(out: &mut String, text: &str) {
        out.push('"');
        for c in text.chars() {
            match c {
                '"' => out.push_str("\\\""),
                '\\' => out.push_str("\\\\"),
                '\u{8}' => out.push_str("\\b"),
                '\u{9}' => out.push_str("\\t"),
                '\u{a}' => out.push_str("\\n"),
                '\u{c}' => out.push_str("\\f"),
                '\u{d}' => out.push_str("\\r"),
                c if c < ' ' => write!(out, "\\u{:04x}", c as u32).unwrap(),
                c => out.push(c),
            }
        }
        out.push('"');
    }
    fn put(out: &mut String, value: &Value) {
        match value {
            Value::String(s) => text(out, s),
            Value::Array(items) => {
                out.push('[');
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    put(out, item);
                }
                out.push(']');
            }
            Value::Object(fields) => {
                let mut keys: Vec<&String> = fields.keys().collect();
                keys.sort_by_key(|k| k.encode_utf16().collect::<Vec<u16>>());
                out.push('{');
                for (index, key) in keys.into_iter().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    text(out, key);
                    out.push(':');
                    put(out, &fields[key]);
                }
                out.push('}');
            }
            Value::Number(n) => write!(out, "{}", n.as_i64().unwrap()).unwrap(),
            other => write!(out, "{other}").unwrap(),
        }
    }
    let mut out = String::new();
    put(&mut out, value);
    out.into_bytes()
}

/// The root by the definition of RFC 9162 §2.1.
pub fn tree(kind: &str, leaves: &[Vec<u8>]) -> Hash {
    match leaves {
        [] => dk(&format!("{kind} tree empty"), b""),
        [leaf] => dk(&format!("{kind} tree leaf"), leaf),
        _ => {
            let mut k = 1;
            while k * 2 < leaves.len() {
                k *= 2;
            }
            let both = [tree(kind, &leaves[..k]), tree(kind, &leaves[k..])].concat();
            dk(&format!("{kind} tree node"), &both)
        }
    }
}

/// PATH(m, D_n) of RFC 9162 §2.1.3.1.
pub fn path(kind: &str, index: usize, leaves: &[Vec<u8>]) -> Vec<Hash> {
    if leaves.len() == 1 {
        return vec![];
    }
    let mut k = 1;
    while k * 2 < leaves.len() {
        k *= 2;
    }
    let (left, right) = leaves.split_at(k);
    let (mut below, beside) = if index < k {
        (path(kind, index, left), tree(kind, right))
    } else {
        (path(kind, index - k, right), tree(kind, left))
    };
    below.push(beside);
    below
}

/// SUBPROOF(m, D_n, b) of RFC 9162 §2.1.4.1.
pub fn subproof(kind: &str, m: usize, leaves: &[Vec<u8>], whole: bool) -> Vec<Hash> {
    if m == leaves.len() {
        return if whole {
            vec![]
        } else {
            vec![tree(kind, leaves)]
        };
    }
    let mut k = 1;
    while k * 2 < leaves.len() {
        k *= 2;
    }
    let (left, right) = leaves.split_at(k);
    let (mut below, beside) = if m <= k {
        (subproof(kind, m, left, whole), tree(kind, right))
    } else {
        (subproof(kind, m - k, right, false), tree(kind, left))
    };
    below.push(beside);
    below
}

pub fn stage_hash(kind: &str, payload: &Value, parents: &[Hash]) -> Hash {
    let mut bytes = (kind.len() as u64).to_le_bytes().to_vec();
    bytes.extend(kind.as_bytes());
    bytes.extend(dk("payload", &canonical(payload)));
    bytes.extend((parents.len() as u64).to_le_bytes());
    bytes.extend(parents.concat());
    dk("stage", &bytes)
}

/// A stage as a test makes it: kind, payload, parents by index into the stages before it.
pub struct Stage {
    pub kind: String,
    pub payload: Value,
    pub parents: Vec<usize>,
}

/// The stages' hashes in canonical order, and the root.
pub fn run(stages: &[Stage]) -> (Vec<Hash>, Hash) {
    let mut hashes: Vec<Hash> = Vec::new();
    let mut depths: Vec<usize> = Vec::new();
    for stage in stages {
        let parents: Vec<Hash> = stage.parents.iter().map(|&p| hashes[p]).collect();
        hashes.push(stage_hash(&stage.kind, &stage.payload, &parents));
        depths.push(
            stage
                .parents
                .iter()
                .map(|&p| depths[p] + 1)
                .max()
                .unwrap_or(0),
        );
    }
    let mut order: Vec<(usize, &[u8], Hash)> = Vec::new();
    for (index, stage) in stages.iter().enumerate() {
        order.push((depths[index], stage.kind.as_bytes(), hashes[index]));
    }
    order.sort();
    let ordered: Vec<Hash> = order.into_iter().map(|(_, _, hash)| hash).collect();
    let leaves: Vec<Vec<u8>> = ordered.iter().map(|h| h.to_vec()).collect();
    let root = tree("run", &leaves);
    (ordered, root)
}

/// Recomputes a whole record from its JSON; says what does not follow.
pub fn record(text: &[u8]) -> Result<Hash, String> {
    let value: Value = serde_json::from_slice(text).map_err(|e| e.to_string())?;
    if canonical(&value) != text {
        return Err("not canonical".into());
    }
    let mut stages = Vec::new();
    for stage in value["stages"].as_array().ok_or("no stages")? {
        let parents = stage["parents"].as_array().ok_or("no parents")?;
        stages.push(Stage {
            kind: stage["kind"].as_str().ok_or("no kind")?.to_owned(),
            payload: stage["payload"].clone(),
            parents: parents
                .iter()
                .map(|p| p.as_u64().unwrap() as usize)
                .collect(),
        });
    }
    let (hashes, root) = run(&stages);
    for (stage, hash) in value["stages"].as_array().unwrap().iter().zip(&hashes) {
        if stage["stage_hash"] != hex(hash) {
            return Err(format!("stage_hash of {}", stage["kind"]));
        }
        if stage["payload_hash"] != hex(&dk("payload", &canonical(&stage["payload"]))) {
            return Err(format!("payload_hash of {}", stage["kind"]));
        }
        let payload = &stage["payload"];
        if let Some(wanted) = payload.get("evidence_map_root") {
            let entries = value["evidence"].as_array().ok_or("no evidence")?;
            let leaves: Vec<Vec<u8>> = entries.iter().map(canonical).collect();
            if *wanted != hex(&tree("evidence", &leaves)) || payload["entries"] != entries.len() {
                return Err("evidence_map_root".into());
            }
        }
        if let Some(wanted) = payload.get("retrieval_plan_hash") {
            let plan = hex(&dk("retrieval plan", &canonical(&payload["plan"])));
            let sources = hex(&dk("sources summary", &canonical(&payload["sources"])));
            if *wanted != plan || payload["sources_summary_hash"] != sources {
                return Err("retrieval hashes".into());
            }
        }
        if let Some(wanted) = payload.get("question_hash") {
            let canonical = payload["canonical"].as_str().ok_or("no canonical form")?;
            if *wanted != hex(&dk("question", canonical.as_bytes())) {
                return Err("question_hash".into());
            }
        }
    }
    if value["run_dag_root"] != hex(&root) {
        return Err("run_dag_root".into());
    }
    Ok(root)
}

/// The event hashes of a log of this origin, from its bodies.
pub fn chain(origin: &str, bodies: &[Value]) -> Vec<Hash> {
    let mut previous = dk("log origin", origin.as_bytes());
    let mut hashes = Vec::new();
    for body in bodies {
        previous = dk("event", &[previous.to_vec(), canonical(body)].concat());
        hashes.push(previous);
    }
    hashes
}
