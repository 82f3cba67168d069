//! wisdom-score: throughput of the canonical semantics with the full report, on one core.
//!
//! Beside it: the JavaScript reference reads 2 to 128 kB texts at a published 15 to 20 MB/s (one
//! process of Node 20), PHP at 0.2 to 3, and both are quadratic in longer ones. Here a 64 MB text
//! is to keep at least 1/1.2 of the rate of a 2 kB text of the same kind.

#![allow(missing_docs)]

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use wisdom_score::{Options, Scorer, Semantics};

const SMALL: usize = 2_000;
const LARGE: usize = 64_000_000;

const ENGLISH: &str = include_str!("../../fixtures/wisdom-texts/t2-en.txt");
const CATALAN: &str = include_str!("../../fixtures/wisdom-texts/t2-ca.txt");
const LIST: &str = include_str!("../../fixtures/wisdom-texts/t1-en.txt");

/// A text of about `bytes`, made of `piece` over and over.
fn text(piece: &str, bytes: usize) -> String {
    let mut text = piece.repeat(bytes.div_ceil(piece.len()));
    while !text.is_char_boundary(bytes.min(text.len())) {
        text.pop();
    }
    text.truncate(bytes);
    text
}

/// The kinds of text: a name and the piece it is made of.
fn kinds() -> Vec<(&'static str, String)> {
    vec![
        ("dialectical-en", ENGLISH.to_owned()),
        ("dialectical-ca", CATALAN.to_owned()),
        ("list-en", LIST.to_owned()),
        ("one-line", ENGLISH.replace('\n', " ")),
        ("all-codes", "FEN SUB OBJ NOU TEO PRA MON PLA ".to_owned()),
        (
            "all-markers",
            "yet however but while in tension with però ".to_owned(),
        ),
        (
            "codes-and-markers",
            "FEN yet NOU but OBJ while SUB integrates TEO ".to_owned(),
        ),
    ]
}

fn scorer(semantics: Semantics) -> Scorer {
    Scorer::new(Options {
        semantics,
        ..Options::default()
    })
    .unwrap_or_else(|error| unreachable!("the default ontology compiles: {error}"))
}

fn canonical(c: &mut Criterion) {
    let scorer = scorer(Semantics::Canonical);
    for (size, name) in [(SMALL, "2kB"), (LARGE, "64MB")] {
        let mut group = c.benchmark_group(format!("wisdom/canonical/{name}"));
        group.throughput(Throughput::Bytes(size as u64));
        group.warm_up_time(Duration::from_millis(300));
        group.measurement_time(Duration::from_secs(if size == SMALL { 2 } else { 6 }));
        group.sample_size(if size == SMALL { 50 } else { 10 });
        for (kind, piece) in kinds() {
            let text = text(&piece, size);
            group.bench_function(kind, |b| {
                b.iter(|| scorer.score(black_box(&text)));
            });
        }
        group.finish();
    }
}

fn deployed(c: &mut Criterion) {
    let mut group = c.benchmark_group("wisdom/deployed/32kB");
    group.throughput(Throughput::Bytes(32_000));
    group.warm_up_time(Duration::from_millis(300));
    group.measurement_time(Duration::from_secs(2));
    group.sample_size(20);
    let text = text(ENGLISH, 32_000);
    for (name, semantics) in [
        ("js", Semantics::DeployedJs),
        ("php", Semantics::DeployedPhp),
    ] {
        let scorer = scorer(semantics);
        group.bench_function(name, |b| b.iter(|| scorer.score(black_box(&text))));
    }
    group.finish();
}

criterion_group!(benches, canonical, deployed);
criterion_main!(benches);
