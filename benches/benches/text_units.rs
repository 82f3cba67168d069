//! The splitter beside plain unicode-segmentation, and cleaning beside copying.
#![allow(missing_docs)]

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use text_units::{Language, Stemmer, clean, content_words, sentences, words};
use unicode_segmentation::UnicodeSegmentation;

/// Catalan prose of the fixtures, and English of the fixtures where outside data is missing.
const CATALAN: &str = include_str!("../../fixtures/corpus/montserrat.md");
const ENGLISH: &str = include_str!("../../fixtures/corpus/penicillin.txt");

fn all(c: &mut Criterion) {
    for (name, sample, language) in [
        ("english", ENGLISH, Language::English),
        ("catalan", CATALAN, Language::Catalan),
    ] {
        let text = sample.repeat(1_000_000 / sample.len());
        let stemmer = Stemmer::new(language);
        let mut group = c.benchmark_group(format!("text_units/{name}"));
        group.sample_size(10);
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function("copy", |b| b.iter(|| black_box(&text).clone()));
        group.bench_function("clean", |b| b.iter(|| clean(black_box(&text))));
        group.bench_function("words", |b| b.iter(|| words(black_box(&text)).count()));
        group.bench_function("words_unicode_segmentation", |b| {
            b.iter(|| black_box(&text).unicode_word_indices().count());
        });
        group.bench_function("sentences", |b| {
            b.iter(|| sentences(black_box(&text)).len())
        });
        group.bench_function("sentences_unicode_segmentation", |b| {
            b.iter(|| black_box(&text).split_sentence_bounds().count());
        });
        group.bench_function("content_words", |b| {
            b.iter(|| content_words(black_box(&text), &stemmer).count());
        });
        group.finish();
    }
}

criterion_group!(benches, all);
criterion_main!(benches);
