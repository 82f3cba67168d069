//! The labelled pairs of fixtures/claim-pairs: what each class catches.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    missing_docs
)]

use std::collections::BTreeMap;
use std::fmt::Write as _;

use claim_lattice::{AnswerMode, EvidenceMap, Language, Passage, Policy, Verdict, verify};

struct Pair {
    class: String,
    language: Language,
    supported: bool,
    claim: String,
    passage: String,
}

fn root() -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn pairs() -> Vec<Pair> {
    let path = root().join("fixtures/claim-pairs/pairs.tsv");
    let text = std::fs::read_to_string(path).unwrap();
    text.lines()
        .skip(1)
        .map(|line| {
            let fields: Vec<&str> = line.split('\t').collect();
            let [class, language, supported, claim, passage] = fields[..] else {
                panic!("five fields: {line}");
            };
            Pair {
                class: class.to_owned(),
                language: match language {
                    "english" => Language::English,
                    "catalan" => Language::Catalan,
                    other => panic!("a language: {other}"),
                },
                supported: supported == "yes",
                claim: claim.to_owned(),
                passage: passage.to_owned(),
            }
        })
        .collect()
}

fn judge(pair: &Pair, policy: &Policy) -> Verdict {
    let mut builder = EvidenceMap::builder(usize::MAX);
    builder
        .push(Passage::whole("s", "", &pair.passage))
        .unwrap();
    let answer = serde_json::json!({"claims": [{"text": pair.claim, "evidence_ids": ["E1"]}]});
    verify(
        "",
        &builder.build(),
        &answer.to_string(),
        AnswerMode::Json,
        policy,
    )
}

fn supported(verdict: &Verdict) -> bool {
    verdict
        .claims()
        .iter()
        .all(claim_lattice::ClaimVerdict::supported)
}

/// Of each class and language: supported pairs kept, others caught; by policy.
fn table() -> String {
    let mut rows: BTreeMap<(String, &str), [(u32, u32); 4]> = BTreeMap::new();
    for pair in &pairs() {
        let name = match pair.language {
            Language::Catalan => "Catalan",
            _ => "English",
        };
        let row = rows.entry((pair.class.clone(), name)).or_default();
        for (i, policy) in [Policy::seed(), Policy::strict()].into_iter().enumerate() {
            let said = supported(&judge(pair, &policy.with_language(pair.language.clone())));
            let cell = &mut row[2 * i + usize::from(!pair.supported)];
            cell.0 += u32::from(said == pair.supported);
            cell.1 += 1;
        }
    }
    let mut out = String::from(
        "| class | language | seed: kept | seed: caught | strict: kept | strict: caught |\n| --- | --- | --- | --- | --- | --- |\n",
    );
    for ((class, language), cells) in rows {
        let cell = |i: usize| format!("{} of {}", cells[i].0, cells[i].1);
        writeln!(
            out,
            "| {class} | {language} | {} | {} | {} | {} |",
            cell(0),
            cell(1),
            cell(2),
            cell(3)
        )
        .unwrap();
    }
    out
}

#[test]
fn the_set_covers_every_class_in_both_languages() {
    let all = pairs();
    assert!(all.len() >= 200, "{} pairs", all.len());
    for class in [
        "proper_nouns",
        "dates",
        "counts",
        "numbers",
        "modality",
        "negation",
        "comparatives",
        "ordinals",
        "quantifiers",
        "superlatives",
        "substitution",
        "roles",
        "coverage",
        "causes",
    ] {
        for language in [Language::English, Language::Catalan] {
            for supported in [true, false] {
                assert!(
                    all.iter().any(|p| p.class == class
                        && p.language == language
                        && p.supported == supported),
                    "{class} {language:?} {supported}"
                );
            }
        }
    }
}

#[test]
fn strict_agrees_with_the_labels() {
    let mut wrong = Vec::new();
    let all = pairs();
    for pair in &all {
        let verdict = judge(pair, &Policy::strict().with_language(pair.language.clone()));
        if supported(&verdict) != pair.supported {
            wrong.push(format!(
                "{} ({}): {} || {} -> {:?}",
                pair.class,
                pair.supported,
                pair.claim,
                pair.passage,
                verdict
                    .claims()
                    .iter()
                    .flat_map(claim_lattice::ClaimVerdict::violations)
                    .map(|v| (v.code, v.class, v.tokens.clone()))
                    .collect::<Vec<_>>()
            ));
        }
    }
    println!("{}", wrong.join("\n"));
    assert!(
        wrong.len() * 100 <= all.len() * 3,
        "{} of {} pairs judged otherwise",
        wrong.len(),
        all.len()
    );
}

#[test]
fn the_table_in_the_docs_is_what_is_measured() {
    let path = root().join("docs/claim-pairs.md");
    let wanted = format!(
        "# What each class catches\n\nMade by `CANDOR_WRITE_DOCS=1 cargo test -p claim-lattice --test pairs` over fixtures/claim-pairs. \"Kept\": pairs that people call supported and the verifier too. \"Caught\": pairs that they do not, and it does not either.\n\n{}",
        table()
    );
    if std::env::var_os("CANDOR_WRITE_DOCS").is_some() {
        std::fs::write(&path, &wanted).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(found.replace("\r\n", "\n"), wanted);
}
