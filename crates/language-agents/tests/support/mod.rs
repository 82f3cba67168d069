//! A GGUF writer and a tiny model: two layers of noise over a vocabulary of bytes.

use std::path::PathBuf;

/// Metadata or a tensor, as bytes.
#[derive(Clone)]
pub(crate) struct Entry {
    pub(crate) name: String,
    pub(crate) kind: u32,
    pub(crate) bytes: Vec<u8>,
}

pub(crate) fn text(name: &str, value: &str) -> Entry {
    entry(name, 8, string(value))
}

pub(crate) fn number(name: &str, value: u32) -> Entry {
    entry(name, 4, value.to_le_bytes().to_vec())
}

pub(crate) fn float(name: &str, value: f32) -> Entry {
    entry(name, 6, value.to_le_bytes().to_vec())
}

pub(crate) fn texts(name: &str, values: &[String]) -> Entry {
    let mut bytes = 8_u32.to_le_bytes().to_vec();
    bytes.extend((values.len() as u64).to_le_bytes());
    values.iter().for_each(|v| bytes.extend(string(v)));
    entry(name, 9, bytes)
}

fn entry(name: &str, kind: u32, bytes: Vec<u8>) -> Entry {
    let name = name.to_owned();
    Entry { name, kind, bytes }
}

fn string(text: &str) -> Vec<u8> {
    let mut bytes = (text.len() as u64).to_le_bytes().to_vec();
    bytes.extend(text.as_bytes());
    bytes
}

/// A file in the making.
#[derive(Clone)]
pub(crate) struct Model {
    pub(crate) metadata: Vec<Entry>,
    /// Name, shape with rows last (the file's order), type, data.
    pub(crate) tensors: Vec<(String, Vec<u64>, u32, Vec<u8>)>,
}

pub(crate) const WIDTH: u64 = 64;
const INNER: u64 = 128;

/// Sound, and small enough for a debug build.
pub(crate) fn tiny() -> Model {
    let mut tokens: Vec<String> = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
        .map(String::from)
        .to_vec();
    let printable = |b: u8| matches!(b, 33..=126 | 161..=172 | 174..=255);
    let mut next = 256;
    for byte in 0..=u8::MAX {
        let c = if printable(byte) {
            char::from(byte)
        } else {
            next += 1;
            char::from_u32(next - 1).unwrap()
        };
        tokens.push(c.to_string());
    }
    tokens.extend(["th", "the"].map(String::from));
    let merges = ["t h", "th e"].map(String::from);
    let metadata = vec![
        text("general.architecture", "llama"),
        number("llama.block_count", 2),
        number("llama.context_length", 128),
        number("llama.embedding_length", WIDTH as u32),
        number("llama.feed_forward_length", INNER as u32),
        number("llama.attention.head_count", 4),
        number("llama.attention.head_count_kv", 2),
        float("llama.attention.layer_norm_rms_epsilon", 1e-5),
        text("tokenizer.ggml.model", "gpt2"),
        text("tokenizer.ggml.pre", "smollm"),
        texts("tokenizer.ggml.tokens", &tokens),
        texts("tokenizer.ggml.merges", &merges),
        number("tokenizer.ggml.eos_token_id", 2),
        text("tokenizer.chat_template", "<|im_start|>…<|im_end|>"),
    ];
    let mut noise = Noise(1);
    let mut tensors = vec![
        noise.plain("token_embd.weight", &[WIDTH, tokens.len() as u64]),
        noise.ones("output_norm.weight"),
    ];
    for layer in 0..2 {
        let name = |part: &str| format!("blk.{layer}.{part}.weight");
        tensors.push(noise.ones(&name("attn_norm")));
        tensors.push(noise.q4_1(&name("attn_q"), &[WIDTH, WIDTH]));
        tensors.push(noise.plain(&name("attn_k"), &[WIDTH, WIDTH / 2]));
        tensors.push(noise.plain(&name("attn_v"), &[WIDTH, WIDTH / 2]));
        tensors.push(noise.q4_1(&name("attn_output"), &[WIDTH, WIDTH]));
        tensors.push(noise.ones(&name("ffn_norm")));
        tensors.push(noise.q4_1(&name("ffn_gate"), &[WIDTH, INNER]));
        tensors.push(noise.q4_1(&name("ffn_up"), &[WIDTH, INNER]));
        tensors.push(noise.q4_1(&name("ffn_down"), &[INNER, WIDTH]));
    }
    Model { metadata, tensors }
}

struct Noise(u64);

type Tensor = (String, Vec<u64>, u32, Vec<u8>);

impl Noise {
    fn next(&mut self) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        self.0 >> 33
    }

    fn plain(&mut self, name: &str, shape: &[u64]) -> Tensor {
        let count = shape.iter().product::<u64>();
        let data = (0..count)
            .flat_map(|_| ((self.next() % 2001) as f32 / 1000.0 - 1.0).to_le_bytes())
            .collect();
        (name.to_owned(), shape.to_vec(), 0, data)
    }

    fn ones(&mut self, name: &str) -> Tensor {
        let data = (0..WIDTH).flat_map(|_| 1_f32.to_le_bytes()).collect();
        (name.to_owned(), vec![WIDTH], 0, data)
    }

    /// Blocks of 32: scale and minimum as f16, then 16 bytes of nibbles.
    fn q4_1(&mut self, name: &str, shape: &[u64]) -> Tensor {
        let blocks = shape.iter().product::<u64>() / 32;
        let mut data = Vec::new();
        for _ in 0..blocks {
            data.extend(0x2c00_u16.to_le_bytes()); // 0.0625
            data.extend(0xb800_u16.to_le_bytes()); // -0.5
            data.extend((0..16).map(|_| self.next() as u8));
        }
        (name.to_owned(), shape.to_vec(), 3, data)
    }
}

impl Model {
    /// Replaces, or with `None` removes, a metadata entry.
    pub(crate) fn set(mut self, name: &str, value: Option<Entry>) -> Self {
        self.metadata.retain(|e| e.name != name);
        self.metadata.extend(value);
        self
    }

    pub(crate) fn without_tensor(mut self, name: &str) -> Self {
        self.tensors.retain(|t| t.0 != name);
        self
    }

    /// The header and the data, and where the data begin.
    pub(crate) fn bytes(&self) -> (Vec<u8>, usize) {
        let mut out = b"GGUF".to_vec();
        out.extend(3_u32.to_le_bytes());
        out.extend((self.tensors.len() as u64).to_le_bytes());
        out.extend((self.metadata.len() as u64).to_le_bytes());
        for entry in &self.metadata {
            out.extend(string(&entry.name));
            out.extend(entry.kind.to_le_bytes());
            out.extend(&entry.bytes);
        }
        let mut data = Vec::new();
        for (name, shape, kind, bytes) in &self.tensors {
            out.extend(string(name));
            out.extend((shape.len() as u32).to_le_bytes());
            shape.iter().for_each(|n| out.extend(n.to_le_bytes()));
            out.extend(kind.to_le_bytes());
            out.extend((data.len() as u64).to_le_bytes());
            data.extend(bytes);
            data.resize(data.len().next_multiple_of(32), 0);
        }
        out.resize(out.len().next_multiple_of(32), 0);
        let start = out.len();
        out.extend(data);
        (out, start)
    }
}

/// A file in a folder of the test's own.
pub(crate) fn write(folder: &tempfile::TempDir, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}
