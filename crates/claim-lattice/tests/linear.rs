//! Work and output grow with what is read, not with its square: hostile answers and passages.
//!
//! No clock: what is compared is how much is written out (claims, notes, violations, rendered
//! text) for an input and for one four times as long. The times are in
//! `benches/benches/claims.rs`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use claim_lattice::{AnswerMode, EvidenceMap, Passage, Policy, render, verify};

/// Pieces that hostile texts repeat.
const UNITS: [&str; 23] = [
    "[",
    "[(",
    "[E1]",
    "a [E1] ",
    "[E1](http",
    "see https://a.b/c?d=e [E1](http://x.y/z) ",
    "\"a ",
    "| a [E1] | b |\n",
    "1",
    "12 3.4 ",
    "first 1 ",
    "all not may ",
    "a\u{301}\u{302}",
    "\u{301}",
    "\u{202e}\u{5d0}\u{5d1} ",
    "Bob Smith, ",
    "Ann hit Bob. ",
    "x",
    "a b c d ",
    ".",
    "{\"a\":[",
    "Bob saw 3 cats. [E1] ",
    "The car is red. [E1]\n",
];

fn map(text: &str) -> EvidenceMap {
    let mut builder = EvidenceMap::builder(usize::MAX);
    builder.push(Passage::whole("s", "", text)).unwrap();
    builder.build()
}

/// How much is written out about an answer.
fn written(evidence: &EvidenceMap, answer: &str, mode: AnswerMode) -> usize {
    let policy = Policy::strict();
    let verdict = verify("Who saw the car?", evidence, answer, mode, &policy);
    let rendering = render(&verdict, evidence, &policy);
    serde_json::to_string(&verdict).unwrap().len()
        + rendering.plain_text().len()
        + rendering.markdown().len()
}

fn grows_linearly(what: &str, unit: &str, size: impl Fn(usize) -> usize) {
    let (short, long) = (size(1), size(4));
    assert!(
        long <= 5 * short + 4_096,
        "{what} of {unit:?}: {short} bytes out, {long} for four times the input"
    );
}

#[test]
fn hostile_answers_write_out_in_proportion() {
    let evidence = map("Ann saw the red car with Bob Smith on 3 May 1912.");
    for unit in UNITS {
        for mode in [AnswerMode::Pointer, AnswerMode::Json, AnswerMode::Quote] {
            grows_linearly("an answer", unit, |times| {
                let body = unit.repeat(times * 4_000 / unit.len());
                written(&evidence, &format!("a {body} b"), mode)
            });
        }
    }
}

#[test]
fn hostile_passages_write_out_in_proportion() {
    for unit in UNITS {
        grows_linearly("a passage", unit, |times| {
            let evidence = map(&unit.repeat(times * 4_000 / unit.len()));
            written(
                &evidence,
                "Ann saw Bob Smith and 12 first red cars. [E1]",
                AnswerMode::Pointer,
            )
        });
    }
}

#[test]
fn a_sentence_without_end_is_not_written_out_under_every_claim() {
    let evidence = map(&"the red car ".repeat(20_000));
    let answer = "The car is red. [E1]\n".repeat(50);
    let policy = Policy::strict();
    let verdict = verify("", &evidence, &answer, AnswerMode::Pointer, &policy);
    let rendering = render(&verdict, &evidence, &policy);
    assert_eq!(rendering.claims.len(), 50);
    assert!(rendering.plain_text().len() < 50 * 3_000);
    // And the window is still there.
    assert!(rendering.claims[0].passages[0].text.contains("red car"));
}
