//! Logits against llama.cpp, and slices against single tokens.

use std::path::Path;

use super::*;

fn open() -> Option<(Llama, Vocabulary)> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let path = fixtures.join("models/smollm2/SmolLM2-135M-Instruct.Q4_1.gguf");
    if !path.exists() {
        println!("skipped: {} is not there", path.display());
        return None;
    }
    let mut file = GgufFile::open(&path).unwrap();
    let (sizes, vocabulary) = (Sizes::of(&file).unwrap(), Vocabulary::of(&file).unwrap());
    let count = vocabulary.len();
    let model = Llama::load(&mut file, sizes, count, Weights::Fast, &Device::Cpu).unwrap();
    Some((model, vocabulary))
}

fn logits(model: &Llama, tokens: &[u32], slices: &[usize]) -> Vec<f32> {
    let mut memory = model.memory(tokens.len()).unwrap();
    let (mut rest, mut last) = (tokens, None);
    for n in slices {
        let (now, later) = rest.split_at((*n).min(rest.len()));
        rest = later;
        if !now.is_empty() {
            last = model.read(now, &mut memory, &mut || true).unwrap();
        }
    }
    last.unwrap()
}

/// llama.cpp multiplies 8-bit roundings of the activations with Q4_1 weights; here the prompt is
/// multiplied in f32. So logits differ by the rounding, some tenths at most of values around 30.
#[test]
#[cfg_attr(
    debug_assertions,
    ignore = "release only: a model of 135 million parameters"
)]
fn logits_are_llama_cpps_up_to_its_rounding() {
    let Some((model, vocabulary)) = open() else {
        return;
    };
    let golden = include_str!("../../../../fixtures/language-agents/smollm2-golden.json");
    let golden: serde_json::Value = serde_json::from_str(golden).unwrap();
    let (mut sum, mut count, mut worst) = (0.0, 0, 0.0_f64);
    for chat in golden["chats"].as_array().unwrap() {
        let text = |key: &str| chat[key].as_str().unwrap();
        let tokens = vocabulary.chat(text("system"), text("user")).unwrap();
        let ours = logits(&model, &tokens, &[tokens.len()]);
        for pair in chat["top"].as_array().unwrap() {
            let token = pair[0].as_u64().unwrap() as usize;
            let difference = (f64::from(ours[token]) - pair[1].as_f64().unwrap()).abs();
            worst = worst.max(difference);
            sum += difference;
            count += 1;
        }
    }
    let mean = sum / f64::from(count);
    println!("{count} logits differ by {mean:.3} in the mean, {worst:.3} at most");
    assert!(mean < 0.25 && worst < 1.0, "{mean} {worst}");
}

#[test]
#[cfg_attr(
    debug_assertions,
    ignore = "release only: a model of 135 million parameters"
)]
fn slices_and_single_tokens_read_alike() {
    let Some((model, vocabulary)) = open() else {
        return;
    };
    let question = "How tall is the bridge? ".repeat(60);
    let tokens = vocabulary.chat("Answer.", &question).unwrap();
    assert!(tokens.len() > 300);
    let whole = logits(&model, &tokens, &[tokens.len()]);
    let singles = vec![1; 8];
    let mut sliced = vec![100, 200, tokens.len() - 308];
    sliced.extend(singles);
    let parts = logits(&model, &tokens, &sliced);
    let worst = whole
        .iter()
        .zip(&parts)
        .map(|(a, b)| (a - b).abs())
        .fold(0.0, f32::max);
    println!("worst difference {worst}");
    assert!(worst < 1.0, "{worst}");
    let again = logits(&model, &tokens, &sliced);
    assert!(parts == again, "the same bits every time");
}
