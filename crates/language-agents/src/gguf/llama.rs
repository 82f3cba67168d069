//! The Llama architecture over quantized tensors: grouped-query attention, rotary positions over
//! neighbouring pairs, SwiGLU, RMS norms before each block. Reference: llama.cpp's `llama` graph,
//! against which the tests hold tokens and logits.

use candle_core::quantized::{GgmlDType, QMatMul, QTensor};
use candle_core::{Device, Module, Result, Tensor};
use candle_nn::ops::{rms_norm, silu, softmax_last_dim};
use candle_nn::rotary_emb::rope_i;

use super::file::GgufFile;
use super::{GgufError, Weights};

/// From so many rows on, a product with the weights as f32 costs less than one row by row.
const WIDE: usize = 24;
/// Slices in which a prompt is read.
const SLICE: usize = 256;

/// The sizes of a model, checked.
#[derive(Debug, Clone)]
pub(super) struct Sizes {
    layers: usize,
    width: usize,
    inner: usize,
    heads: usize,
    kv_heads: usize,
    head: usize,
    epsilon: f32,
    rope_base: f64,
    /// Tokens that the model was trained to see at once.
    pub(super) context: usize,
}

impl Sizes {
    pub(super) fn of(file: &GgufFile) -> std::result::Result<Self, GgufError> {
        match file.text("general.architecture")? {
            Some("llama") => {}
            Some(other) => {
                return Err(file.unsupported("general.architecture", other.to_owned(), "llama"));
            }
            None => return Err(file.missing("the key general.architecture")),
        }
        let size = |key: &str, most: u64| -> std::result::Result<usize, GgufError> {
            let key = format!("llama.{key}");
            let found = file
                .unsigned(&key)?
                .ok_or_else(|| file.missing(format!("the key {key}")))?;
            if found == 0 || found > most {
                return Err(file.unsupported(&key, found.to_string(), &format!("1 to {most}")));
            }
            Ok(usize::try_from(found).unwrap_or(0))
        };
        let heads = size("attention.head_count", 1 << 12)?;
        let width = size("embedding_length", 1 << 20)?;
        let kv_heads = match file.metadata.get("llama.attention.head_count_kv") {
            None => heads,
            Some(_) => size("attention.head_count_kv", 1 << 12)?,
        };
        if !heads.is_multiple_of(kv_heads) || !width.is_multiple_of(2 * heads) {
            return Err(file.unsupported(
                "the division of the embedding into heads",
                format!("{width} by {heads} heads with {kv_heads} for keys"),
                "heads of an even width, a multiple of those for keys",
            ));
        }
        let head = width / heads;
        for key in [
            "rope.dimension_count",
            "attention.key_length",
            "attention.value_length",
        ] {
            let key = format!("llama.{key}");
            if let Some(found) = file.unsigned(&key)?
                && found != head as u64
            {
                return Err(file.unsupported(&key, found.to_string(), &head.to_string()));
            }
        }
        if let Some(scaling) = file.text("llama.rope.scaling.type")?
            && scaling != "none"
        {
            return Err(file.unsupported("llama.rope.scaling.type", scaling.to_owned(), "none"));
        }
        let epsilon = file
            .float("llama.attention.layer_norm_rms_epsilon")?
            .ok_or_else(|| file.missing("the key llama.attention.layer_norm_rms_epsilon"))?;
        let rope_base = file.float("llama.rope.freq_base")?.unwrap_or(10_000.0);
        for (key, x) in [
            ("the epsilon of the norms", epsilon),
            ("llama.rope.freq_base", rope_base),
        ] {
            if !x.is_finite() || x <= 0.0 {
                return Err(file.unsupported(key, x.to_string(), "a positive number"));
            }
        }
        Ok(Self {
            layers: size("block_count", 1 << 10)?,
            width,
            inner: size("feed_forward_length", 1 << 20)?,
            heads,
            kv_heads,
            head,
            epsilon: epsilon as f32,
            rope_base,
            context: size("context_length", 1 << 30)?,
        })
    }
}

/// A matrix product with quantized weights, `rows × in → rows × out`.
#[derive(Debug)]
struct Linear {
    weights: QMatMul,
}

impl Linear {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        if let QMatMul::QTensor(weights) = &self.weights
            && x.dim(0)? >= WIDE
        {
            return x.matmul(&weights.dequantize(x.device())?.t()?);
        }
        self.weights.forward(x)
    }
}

#[derive(Debug)]
struct Layer {
    attention_norm: Tensor,
    q: Linear,
    k: Linear,
    v: Linear,
    output: Linear,
    mlp_norm: Tensor,
    gate: Linear,
    up: Linear,
    down: Linear,
}

/// A model, shared by all that it writes.
#[derive(Debug)]
pub(super) struct Llama {
    sizes: Sizes,
    embedding: std::sync::Arc<QTensor>,
    layers: Vec<Layer>,
    norm: Tensor,
    output: Linear,
    device: Device,
}

/// The keys and values of what has been read so far.
#[derive(Debug)]
pub(super) struct Memory {
    /// Keys and values, a pair a layer, each `kv_heads × room × head`.
    layers: Vec<(Tensor, Tensor)>,
    cos: Tensor,
    sin: Tensor,
    read: usize,
}

/// Takes tensors out of a file, each once, each of the size that the model needs.
struct Source<'a> {
    file: &'a mut GgufFile,
    weights: Weights,
    device: &'a Device,
}

impl Source<'_> {
    fn take(&mut self, name: &str, shape: &[usize]) -> std::result::Result<QTensor, GgufError> {
        let tensor = self.file.tensor(name, self.device)?;
        if tensor.shape().dims() != shape {
            let found = format!("{:?}", tensor.shape().dims());
            return Err(self.file.unsupported(
                &format!("the shape of the tensor {name}"),
                found,
                &format!("{shape:?}"),
            ));
        }
        self.file.tensors.remove(name);
        // candle has no x86 kernel for these; as Q8_0 they take twice the memory and a third of
        // the time.
        let slow = matches!(
            tensor.dtype(),
            GgmlDType::Q4_1 | GgmlDType::Q5_0 | GgmlDType::Q5_1
        );
        if !slow || self.weights == Weights::AsStored {
            return Ok(tensor);
        }
        tensor
            .dequantize(&Device::Cpu)
            .and_then(|x| QTensor::quantize_onto(&x, GgmlDType::Q8_0, self.device))
            .map_err(|e| self.file.model(format!("{name}: {e}")))
    }

    fn linear(
        &mut self,
        name: &str,
        out: usize,
        inputs: usize,
    ) -> std::result::Result<Linear, GgufError> {
        let tensor = self.take(name, &[out, inputs])?;
        let weights = QMatMul::from_qtensor(tensor).map_err(|e| self.file.model(e.to_string()))?;
        Ok(Linear { weights })
    }

    fn norm(&mut self, name: &str, width: usize) -> std::result::Result<Tensor, GgufError> {
        let tensor = self.take(name, &[width])?;
        tensor
            .dequantize(self.device)
            .map_err(|e| self.file.model(format!("{name}: {e}")))
    }
}

impl Llama {
    /// Takes the tensors of a model with so many tokens in its vocabulary out of a file.
    pub(super) fn load(
        file: &mut GgufFile,
        sizes: Sizes,
        vocabulary: usize,
        weights: Weights,
        device: &Device,
    ) -> std::result::Result<Self, GgufError> {
        let Sizes {
            width,
            inner,
            heads,
            kv_heads,
            head,
            ..
        } = sizes;
        let mut source = Source {
            file,
            weights,
            device,
        };
        let embedding = source.take("token_embd.weight", &[vocabulary, width])?;
        let embedding = std::sync::Arc::new(embedding);
        let output = if source.file.tensors.contains_key("output.weight") {
            source.linear("output.weight", vocabulary, width)?
        } else {
            // Tied: the embedding is the output, too.
            let weights = QMatMul::from_arc(std::sync::Arc::clone(&embedding))
                .map_err(|e| source.file.model(e.to_string()))?;
            Linear { weights }
        };
        let norm = source.norm("output_norm.weight", width)?;
        let mut layers = Vec::new();
        for i in 0..sizes.layers {
            let name = |part: &str| format!("blk.{i}.{part}.weight");
            layers.push(Layer {
                attention_norm: source.norm(&name("attn_norm"), width)?,
                q: source.linear(&name("attn_q"), heads * head, width)?,
                k: source.linear(&name("attn_k"), kv_heads * head, width)?,
                v: source.linear(&name("attn_v"), kv_heads * head, width)?,
                output: source.linear(&name("attn_output"), width, heads * head)?,
                mlp_norm: source.norm(&name("ffn_norm"), width)?,
                gate: source.linear(&name("ffn_gate"), inner, width)?,
                up: source.linear(&name("ffn_up"), inner, width)?,
                down: source.linear(&name("ffn_down"), width, inner)?,
            });
        }
        // A tensor that nothing reads (a bias, an expert) would mean another model than this one.
        if let Some(name) = source.file.tensors.keys().next() {
            let found = format!("also {name}");
            return Err(source.file.unsupported(
                "the list of tensors",
                found,
                "a plain Llama model's",
            ));
        }
        Ok(Self {
            sizes,
            embedding,
            layers,
            norm,
            output,
            device: device.clone(),
        })
    }

    /// Room for so many tokens.
    pub(super) fn memory(&self, room: usize) -> Result<Memory> {
        let Sizes {
            kv_heads,
            head,
            rope_base,
            ..
        } = self.sizes;
        let zeros = || {
            Tensor::zeros(
                (kv_heads, room, head),
                candle_core::DType::F32,
                &self.device,
            )
        };
        let layers = (0..self.layers.len())
            .map(|_| Ok((zeros()?, zeros()?)))
            .collect::<Result<_>>()?;
        let half = head / 2;
        let mut angles = Vec::with_capacity(room * half);
        for position in 0..room {
            for pair in 0..half {
                let turn = rope_base.powf(-2.0 * pair as f64 / head as f64);
                angles.push((position as f64 * turn) as f32);
            }
        }
        let angles = Tensor::from_vec(angles, (room, half), &self.device)?;
        Ok(Memory {
            layers,
            cos: angles.cos()?,
            sin: angles.sin()?,
            read: 0,
        })
    }

    /// Reads tokens after what `memory` holds; the logits of what follows the last of them.
    /// `go_on` is asked before each layer; at its first no the answer is `None`.
    pub(super) fn read(
        &self,
        tokens: &[u32],
        memory: &mut Memory,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Result<Option<Vec<f32>>> {
        let mut last = None;
        for slice in tokens.chunks(SLICE) {
            let Some(x) = self.layers(slice, memory, go_on)? else {
                return Ok(None);
            };
            last = Some(x);
        }
        let Some(x) = last else {
            return Ok(None);
        };
        let row = x.narrow(0, x.dim(0)?.saturating_sub(1), 1)?.contiguous()?;
        let row = rms_norm(&row, &self.norm, self.sizes.epsilon)?;
        let logits = self.output.forward(&row)?;
        Ok(Some(logits.flatten_all()?.to_vec1()?))
    }

    fn layers(
        &self,
        tokens: &[u32],
        memory: &mut Memory,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Result<Option<Tensor>> {
        let (start, count) = (memory.read, tokens.len());
        let ids = Tensor::new(tokens, &self.device)?;
        let mut x = self.embedding.embedding(&ids)?;
        let mask = (count > 1)
            .then(|| causal(count, start, &self.device))
            .transpose()?;
        let turn = (
            memory.cos.narrow(0, start, count)?,
            memory.sin.narrow(0, start, count)?,
        );
        for (layer, kept) in self.layers.iter().zip(&memory.layers) {
            if !go_on() {
                return Ok(None);
            }
            let normed = rms_norm(&x, &layer.attention_norm, self.sizes.epsilon)?;
            x = (x + self.attend(layer, &normed, kept, &turn, mask.as_ref(), start)?)?;
            let normed = rms_norm(&x, &layer.mlp_norm, self.sizes.epsilon)?;
            let gated = (silu(&layer.gate.forward(&normed)?)? * layer.up.forward(&normed)?)?;
            x = (x + layer.down.forward(&gated)?)?;
        }
        memory.read += count;
        Ok(Some(x))
    }

    fn attend(
        &self,
        layer: &Layer,
        x: &Tensor,
        (keys, values): &(Tensor, Tensor),
        (cos, sin): &(Tensor, Tensor),
        mask: Option<&Tensor>,
        start: usize,
    ) -> Result<Tensor> {
        let Sizes {
            heads,
            kv_heads,
            head,
            ..
        } = self.sizes;
        let count = x.dim(0)?;
        let by_head = |x: Tensor, heads: usize| {
            x.reshape((count, heads, head))?
                .transpose(0, 1)?
                .contiguous()
        };
        let turned = |x: Tensor| rope_i(&x.unsqueeze(0)?, cos, sin)?.squeeze(0);
        let q = turned(by_head(layer.q.forward(x)?, heads)?)?;
        let k = turned(by_head(layer.k.forward(x)?, kv_heads)?)?;
        let v = by_head(layer.v.forward(x)?, kv_heads)?;
        keys.slice_set(&k, 1, start)?;
        values.slice_set(&v, 1, start)?;
        let seen = start + count;
        let (k, v) = (keys.narrow(1, 0, seen)?, values.narrow(1, 0, seen)?);
        // The query heads of a group stand one below the other against their one key head, so that
        // no key is copied.
        let group = heads / kv_heads;
        let q = q.reshape((kv_heads, group * count, head))?;
        let scores = (q.matmul(&k.transpose(1, 2)?)? * (1.0 / (head as f64).sqrt()))?;
        let scores = match mask {
            None => scores,
            Some(mask) => scores
                .reshape((heads, count, seen))?
                .broadcast_add(mask)?
                .reshape((kv_heads, group * count, seen))?,
        };
        let mixed = softmax_last_dim(&scores)?.matmul(&v)?;
        let mixed = mixed.reshape((heads, count, head))?.transpose(0, 1)?;
        layer
            .output
            .forward(&mixed.contiguous()?.reshape((count, heads * head))?)
    }
}

/// `count × (start + count)`: 0 where a token may look, −∞ where that is its future.
fn causal(count: usize, start: usize, device: &Device) -> Result<Tensor> {
    let seen = start + count;
    let mut mask = vec![0_f32; count * seen];
    for (row, line) in mask.chunks_mut(seen).enumerate() {
        for cell in line.iter_mut().skip(start + row + 1) {
            *cell = f32::NEG_INFINITY;
        }
    }
    Tensor::from_vec(mask, (count, seen), device)
}
