//! Real markers: the answers of `cited-expertqa`.
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
use std::io::Read;

use claim_lattice::{AnswerMode, NoteKind, ParseOptions, parse};

fn answers() -> Option<Vec<String>> {
    let Some(data) = std::env::var_os("CANDOR_DATA") else {
        println!("skipped: CANDOR_DATA is not set, no outside data to read");
        return None;
    };
    let path = std::path::Path::new(&data).join("cited-expertqa/answers.jsonl.gz");
    let mut text = String::new();
    flate2::read::GzDecoder::new(std::fs::File::open(path).unwrap())
        .read_to_string(&mut text)
        .unwrap();
    Some(
        text.lines()
            .map(|l| {
                serde_json::from_str::<serde_json::Value>(l).unwrap()["answer"]
                    .as_str()
                    .unwrap()
                    .to_owned()
            })
            .collect(),
    )
}

/// Where `[n]` and lists of numbers stand, by a scan of its own: the ground the parser is held
/// to.
fn marks(answer: &str) -> Vec<(std::ops::Range<usize>, usize)> {
    let mut out = Vec::new();
    for (at, _) in answer.match_indices('[') {
        let tail = &answer[at + 1..];
        let Some(close) = tail.find(']') else {
            continue;
        };
        let inner = &tail[..close];
        let numbers: Vec<&str> = inner.split([',', ' ']).filter(|s| !s.is_empty()).collect();
        if !numbers.is_empty()
            && numbers
                .iter()
                .all(|n| n.bytes().all(|b| b.is_ascii_digit()))
        {
            out.push((at..at + close + 2, numbers.len()));
        }
    }
    out
}

#[test]
fn every_marker_is_with_a_claim_or_reported() {
    let Some(answers) = answers() else { return };
    assert_eq!(answers.len(), 479);
    let options = ParseOptions {
        marker: String::new(),
        ..ParseOptions::default()
    };
    let mut forms: BTreeMap<String, u32> = BTreeMap::new();
    for answer in &answers {
        let read = parse(answer, AnswerMode::Pointer, &options);
        let held = |span: &std::ops::Range<usize>| {
            read.claims.iter().any(|c| {
                c.span.start <= span.start
                    && span.end <= c.span.end
                    && c.pointers
                        .iter()
                        .any(|p| span.start <= p.span.start && p.span.end <= span.end)
            })
        };
        let reported = |span: &std::ops::Range<usize>| {
            read.notes.iter().any(|n| {
                matches!(
                    n.kind,
                    NoteKind::StrayPointer
                        | NoteKind::DuplicatePointer
                        | NoteKind::MalformedPointer
                        | NoteKind::Heading
                        | NoteKind::TableFrame
                ) && n.span.start <= span.end
                    && span.start <= n.span.end
            })
        };
        for (span, numbers) in marks(answer) {
            assert!(
                held(&span) || reported(&span),
                "{:?} in {answer}",
                &answer[span]
            );
            *forms
                .entry(format!("[{}]", vec!["n"; numbers.min(3)].join(",")))
                .or_default() += 1;
        }
        for claim in &read.claims {
            *forms
                .entry(format!(
                    "claims with {} pointers",
                    claim.pointers.len().min(4)
                ))
                .or_default() += 1;
        }
        for note in &read.notes {
            *forms.entry(format!("note {:?}", note.kind)).or_default() += 1;
        }
    }
    for (form, count) in &forms {
        println!("{form}: {count}");
    }
}
