//! Tokens a second of SmolLM2-135M: reading a prompt and writing, with the weights as the file
//! stores them (Q4_1) and encoded as Q8_0.
//!
//!     cargo bench -p language-agents --features gguf --bench gguf
#![allow(clippy::unwrap_used, missing_docs)]

use std::path::Path;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use futures::executor::block_on;
use language_agents::gguf::{GgufOptions, Weights};
use language_agents::{Agent, Gguf, Prompt};

fn speeds(c: &mut Criterion) {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let path = fixtures.join("models/smollm2/SmolLM2-135M-Instruct.Q4_1.gguf");
    if !path.exists() {
        return;
    }
    let mut group = c.benchmark_group("smollm2-135m");
    group
        .sample_size(10)
        .measurement_time(Duration::from_secs(12));
    for weights in [Weights::Fast, Weights::AsStored] {
        let mut options = GgufOptions::default();
        options.weights = weights;
        let agent = Gguf::load(&path, options).unwrap();
        let ask = |prompt: &Prompt| block_on(agent.complete(prompt.clone())).unwrap();
        let name = format!("{weights:?}");

        let long = "The Halden Bridge stands where the river is narrow. ".repeat(83);
        let long = Prompt::new(long).with_max_tokens(1);
        group.throughput(Throughput::Elements(ask(&long).tokens_in));
        group.bench_function(BenchmarkId::new("read", &name), |b| b.iter(|| ask(&long)));

        let short = Prompt::new("Write the numbers from 1 to 60.").with_max_tokens(64);
        group.throughput(Throughput::Elements(ask(&short).tokens_out));
        group.bench_function(BenchmarkId::new("write", &name), |b| b.iter(|| ask(&short)));
    }
    group.finish();
}

criterion_group!(benches, speeds);
criterion_main!(benches);
