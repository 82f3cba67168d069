//! Where two sealed answers differ, as stages and passages.

use serde_json::Value;

use crate::Error;
use crate::recorded::RecordedAnswer;
use crate::sealed::SealedAnswer;
use crate::verify::{Discrepancy, short};

/// The most differences that are reported; one change can run through every later hash.
const MOST: usize = 64;

/// Every place where the saved answer is not the recomputed one.
pub(crate) fn differences(
    saved: &RecordedAnswer,
    now: &SealedAnswer,
) -> Result<Vec<Discrepancy>, Error> {
    // By way of the canonical text, as the saved one came: there is one spelling of a number there.
    let now = serde_json::from_str(&now.to_canonical_json()?)
        .map_err(|e| Error::Recorded(e.to_string()))?;
    let mut paths = Vec::new();
    compare(
        &mut String::new(),
        Some(&saved.whole),
        Some(&now),
        &mut paths,
    );
    let found = paths
        .into_iter()
        .map(|(path, recorded, recomputed)| Discrepancy {
            place: place(&path, saved),
            path,
            recorded: shown(recorded),
            recomputed: shown(recomputed),
        });
    Ok(found.collect())
}

type Difference<'v> = (String, Option<&'v Value>, Option<&'v Value>);

fn compare<'v>(
    path: &mut String,
    a: Option<&'v Value>,
    b: Option<&'v Value>,
    out: &mut Vec<Difference<'v>>,
) {
    if out.len() >= MOST || a == b {
        return;
    }
    let length = path.len();
    match (a, b) {
        (Some(Value::Object(x)), Some(Value::Object(y))) => {
            let only_new = y.keys().filter(|k| !x.contains_key(*k));
            for key in x.keys().chain(only_new) {
                if !path.is_empty() {
                    path.push('.');
                }
                path.push_str(key);
                compare(path, x.get(key), y.get(key), out);
                path.truncate(length);
            }
        }
        (Some(Value::Array(x)), Some(Value::Array(y))) => {
            for i in 0..x.len().max(y.len()) {
                path.push_str(&format!("[{i}]"));
                compare(path, x.get(i), y.get(i), out);
                path.truncate(length);
            }
        }
        _ => out.push((path.clone(), a, b)),
    }
}

fn shown(value: Option<&Value>) -> String {
    match value {
        None => "nothing".to_owned(),
        Some(Value::String(text)) => short(text),
        Some(other) => short(&other.to_string()),
    }
}

/// The stage or passage that a path lies in.
fn place(path: &str, saved: &RecordedAnswer) -> String {
    let index = |prefix: &str| -> Option<usize> {
        path.strip_prefix(prefix)?.split(']').next()?.parse().ok()
    };
    if let Some(stage) = index("run.stages[") {
        let names = saved.parts.run.stage_names();
        return names
            .get(stage)
            .map_or_else(|| "run".to_owned(), |n| format!("stage {n}"));
    }
    if let Some(passage) = index("retrieval.passages[") {
        let source = saved
            .passages()
            .get(passage)
            .map(|p| p.passage.source_id.as_str());
        return format!("passage {} ({})", passage + 1, source.unwrap_or("new"));
    }
    if let Some(entry) = index("evidence[") {
        return format!("passage E{}", entry + 1);
    }
    if let Some(claim) = index("claims[") {
        return format!("claim {}", claim + 1);
    }
    path.split(['.', '[']).next().unwrap_or(path).to_owned()
}
