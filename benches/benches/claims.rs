//! Speeds of claim-lattice: answers over their own passages, answers over one shared map, one
//! short claim, and hostile answers of growing length.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

use std::fmt::Write as _;
use std::hint::black_box;

use claim_lattice::{AnswerMode, EvidenceMap, ParseOptions, Passage, Policy, parse, verify};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

/// A small deterministic generator (SplitMix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn word(&mut self) -> String {
        const HEADS: [&str; 24] = [
            "riv", "mount", "bridg", "harb", "lant", "orch", "cast", "mill", "vall", "ston",
            "gard", "mark", "tow", "fest", "sing", "paint", "writ", "harv", "ferr", "chap",
            "quarr", "vineyard", "station", "museum",
        ];
        const TAILS: [&str; 10] = ["er", "ing", "ed", "s", "or", "ment", "al", "y", "", "ation"];
        let head = HEADS[usize::try_from(self.next() % 24).unwrap()];
        let tail = TAILS[usize::try_from(self.next() % 10).unwrap()];
        format!("{head}{tail}")
    }

    fn sentence(&mut self) -> String {
        let mut out = String::from("The");
        for i in 0..10 {
            let link = if i % 3 == 2 { " of the " } else { " " };
            write!(out, "{link}{}", self.word()).unwrap();
        }
        write!(out, " in {}.", 1600 + self.next() % 400).unwrap();
        out
    }

    fn passage(&mut self) -> String {
        let mut out = String::new();
        while out.len() < 1_500 {
            out.push_str(&self.sentence());
            out.push(' ');
        }
        out.truncate(1_500);
        out
    }
}

fn passages(random: &mut Random) -> Vec<String> {
    (0..20).map(|_| random.passage()).collect()
}

fn map(passages: &[String]) -> EvidenceMap {
    let mut builder = EvidenceMap::builder(usize::MAX);
    for (i, text) in passages.iter().enumerate() {
        builder
            .push(Passage::whole(&format!("s{i}"), "The chapel", text))
            .unwrap();
    }
    builder.build()
}

fn answer(random: &mut Random, passages: &[String]) -> String {
    let mut out = String::new();
    for (i, text) in passages.iter().enumerate().take(8) {
        let sentence = text.split_inclusive('.').next().unwrap_or(text);
        let claim = if i % 2 == 0 {
            sentence.to_owned()
        } else {
            random.sentence()
        };
        writeln!(out, "{} [E{}]", claim.trim(), i + 1).unwrap();
    }
    out
}

fn claims(c: &mut Criterion) {
    let mut random = Random(7);
    let policy = Policy::strict();
    let question = "Which chapel stands at the harbour?";
    let own: Vec<(Vec<String>, String)> = (0..1_000)
        .map(|_| {
            let passages = passages(&mut random);
            let answer = answer(&mut random, &passages);
            (passages, answer)
        })
        .collect();
    let mut group = c.benchmark_group("claims");
    group.sample_size(10);
    group.bench_function(
        "1000 answers of 8 claims, own 20 passages of 1500 characters",
        |b| {
            b.iter(|| {
                for (passages, answer) in &own {
                    let map = map(passages);
                    black_box(verify(question, &map, answer, AnswerMode::Pointer, &policy));
                }
            });
        },
    );
    let shared = map(&own[0].0);
    let answers: Vec<String> = (0..1_000).map(|_| answer(&mut random, &own[0].0)).collect();
    group.bench_function("1000 answers of 8 claims, one shared map", |b| {
        b.iter(|| {
            for answer in &answers {
                black_box(verify(
                    question,
                    &shared,
                    answer,
                    AnswerMode::Pointer,
                    &policy,
                ));
            }
        });
    });
    let short = map(&["The old car in the yard is red.".to_owned()]);
    group.bench_function("a short claim, a short passage", |b| {
        b.iter(|| {
            black_box(verify(
                "",
                &short,
                "The car is red. [E1]",
                AnswerMode::Pointer,
                &policy,
            ))
        });
    });
    group.finish();

    let mut group = c.benchmark_group("hostile answers");
    group.sample_size(10);
    for size in [1_000_000_usize, 2_000_000, 4_000_000] {
        for (name, unit) in [
            ("brackets", "["),
            ("tags", "[E1]"),
            ("one line", "a b c d "),
            ("json", "{\"a\":["),
        ] {
            let text = unit.repeat(size / unit.len());
            group.throughput(Throughput::Bytes(size as u64));
            group.bench_function(format!("parse, {name}, {size} bytes"), |b| {
                b.iter(|| black_box(parse(&text, AnswerMode::Pointer, &ParseOptions::default())));
            });
        }
    }
    group.finish();
}

criterion_group!(benches, claims);
criterion_main!(benches);
