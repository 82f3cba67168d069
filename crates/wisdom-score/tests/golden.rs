//! The deployed semantics against what the reference implementation computed for 1,500 texts.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout
)]

use std::io::Read;
use std::path::PathBuf;

use serde_json::{Value, json};
use wisdom_score::{Error, Options, QuadrantCount, Report, Scorer, Semantics};

/// The golden rows, or `None` where outside data is not at hand.
fn rows() -> Option<Vec<Value>> {
    let Some(data) = std::env::var_os("CANDOR_DATA") else {
        println!("skipped: CANDOR_DATA is not set, so the reference's scores are not at hand");
        return None;
    };
    let path = PathBuf::from(data).join("wisdom-golden/golden.jsonl.gz");
    let packed = std::fs::File::open(path).expect("golden.jsonl.gz in CANDOR_DATA");
    let mut lines = String::new();
    let mut unpacked = flate2::read::GzDecoder::new(packed);
    unpacked.read_to_string(&mut lines).unwrap();
    Some(
        lines
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect(),
    )
}

fn scorer(semantics: Semantics) -> Scorer {
    Scorer::new(Options {
        semantics,
        ..Options::default()
    })
    .unwrap()
}

fn counts(counts: &[QuadrantCount]) -> Value {
    let pairs = counts
        .iter()
        .map(|c| (c.quadrant.to_string(), json!(c.count)));
    Value::Object(pairs.collect())
}

/// The report in the words of the JavaScript reference.
fn as_js(r: &Report) -> Value {
    let c = &r.components;
    json!({
        "harmonic_score": r.harmonic_score,
        "n_quadrants": r.n_quadrants,
        "n_codes": r.codes.len(),
        "entropy": r.entropy,
        "normalized_entropy": r.normalized_entropy,
        "quadrant_counts": counts(&r.quadrant_counts),
        "coverage": c.coverage,
        "entropy_normalized": c.entropy_normalized,
        "dialectical_pair_density": c.dialectical_pair_density,
        "tension_density": c.tension_density,
        "tension_events": r.tension_events,
        "synthesis_anchoring": c.synthesis_anchoring,
        "axis_explicit": c.axis_explicit,
        "subordinating_synthesis": c.subordinating_synthesis,
        "wisdom_score": r.wisdom_score,
    })
}

/// The report in the words of the PHP reference.
fn as_php(r: &Report) -> Value {
    let (c, x) = (&r.components, &r.extras);
    let coverage = x.cycles.iter().map(|cycle| {
        let value = json!({
            "coverage": cycle.coverage,
            "hits": cycle.stations.len(),
            "total": 8,
            "stations_touched": cycle.stations,
        });
        (cycle.name.to_string(), value)
    });
    let coverage = Value::Object(coverage.collect());
    let names: Vec<&str> = x.cycles.iter().map(|cycle| cycle.name.as_str()).collect();
    json!({
        "n_codes": r.codes.len(),
        "harmonic_score": r.harmonic_score,
        "n_quadrants": r.n_quadrants,
        "entropy": r.entropy,
        "normalized_entropy": r.normalized_entropy,
        "quadrant_counts": counts(&r.quadrant_counts),
        "wisdom_score": r.wisdom_score,
        "wisdom_axis_explicit": c.axis_explicit,
        "wisdom_subord_synthesis": c.subordinating_synthesis,
        "wisdom_dialectical_pair": c.dialectical_pair_density,
        "wisdom_tension_density": c.tension_density,
        "wisdom_synthesis_anchor": c.synthesis_anchoring,
        "wisdom_mereological": c.mereological_coverage,
        "mereological_coverage": c.mereological_coverage,
        "mereological_relations": x.mereological_relations,
        "implicit_coverage": x.implicit_coverage,
        "implicit_distribution": counts(&x.implicit_distribution),
        "factual_density": x.factual_density,
        "causal_coverage": x.causal_coverage,
        "epistemic_coverage": x.epistemic_coverage,
        "tempeternal_coverage": x.tempeternal_coverage,
        "tempeternal_balance": x.tempeternal_balance,
        "solve_coagula_balance": x.solve_coagula_balance,
        "voltes_suggested": names,
        "voltes_coverage": if names.is_empty() { json!([]) } else { coverage },
        "path": x.path,
    })
}

/// Whether two values are equal, numbers by value: the reference prints `1`, we `1.0`.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(k, v)| b.get(k).is_some_and(|w| same(v, w)))
        }
        (a, b) => a == b,
    }
}

/// The fields in which two objects differ.
fn differences(theirs: &Value, ours: &Value) -> Vec<String> {
    let (Value::Object(theirs), Value::Object(ours)) = (theirs, ours) else {
        return vec![format!("{theirs} against {ours}")];
    };
    assert_eq!(
        theirs.keys().collect::<Vec<_>>().len(),
        ours.keys().collect::<Vec<_>>().len(),
        "every field of the reference is compared"
    );
    let pairs = theirs
        .iter()
        .map(|(k, v)| (k, v, ours.get(k).unwrap_or(&Value::Null)));
    let differ = pairs.filter(|(_, v, w)| !same(v, w));
    differ
        .map(|(k, v, w)| format!("{k}: {v} against our {w}"))
        .collect()
}

#[test]
fn javascript_is_reproduced_to_the_last_digit() {
    let Some(rows) = rows() else { return };
    assert_eq!(rows.len(), 1500);
    let scorer = scorer(Semantics::DeployedJs);
    let mut wrong = Vec::new();
    for row in &rows {
        let report = scorer.score(row["text"].as_str().unwrap()).unwrap();
        let differ = differences(&row["js"], &as_js(&report));
        if !differ.is_empty() {
            wrong.push(format!(
                "{} {}: {}",
                row["id"],
                row["kind"],
                differ.join("; ")
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} differ:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn php_is_reproduced_to_the_last_digit() {
    let Some(rows) = rows() else { return };
    let scorer = scorer(Semantics::DeployedPhp);
    let (mut wrong, mut thrown) = (Vec::new(), 0);
    for row in &rows {
        let report = scorer.score(row["text"].as_str().unwrap());
        let differ = match (row["php"].get("error"), report) {
            (None, Ok(report)) => differences(&row["php"], &as_php(&report)),
            (Some(error), Err(Error::ReferenceThrows { exception })) if error == exception => {
                thrown += 1;
                Vec::new()
            }
            (theirs, ours) => vec![format!("{theirs:?} against our {ours:?}")],
        };
        if !differ.is_empty() {
            wrong.push(format!(
                "{} {}: {}",
                row["id"],
                row["kind"],
                differ.join("; ")
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} differ:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert_eq!(thrown, 4, "the reference throws on four of the texts");
}
