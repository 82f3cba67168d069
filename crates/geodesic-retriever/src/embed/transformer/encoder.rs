//! The encoder: BERT and NomicBERT, post-norm, over candle's matrix products.
//!
//! Two paths. On a CPU in f32 the sequences of a batch lie end to end, so that no padding is
//! computed, and the kernels of this crate do what surrounds the matrix products. On any other
//! device or type the batch is padded and masked, and candle's own operators do all.

use std::collections::HashMap;

use candle_core::{
    CpuStorage, CustomOp1, D, DType, Device, InplaceOp1, InplaceOp2, Layout, Result, Shape, Tensor,
};

use super::config::{EncoderConfig, Family};
use super::kernels::{self, Heads, Norm, Rotary};

/// Weights by name, with the names of the family's older forms resolved.
pub(crate) struct Weights {
    tensors: HashMap<String, Tensor>,
}

/// A tensor that is missing or has another shape.
pub(crate) struct Misfit(pub(crate) String);

impl Weights {
    /// Takes off `bert.`, `model.`, `nomic_bert.` in front; `gamma` and `beta` are `weight` and
    /// `bias`.
    pub(crate) fn new(tensors: HashMap<String, Tensor>) -> Self {
        let tensors = tensors.into_iter().map(|(name, tensor)| {
            let mut name = name.as_str();
            for prefix in ["model.", "bert.", "nomic_bert."] {
                name = name.strip_prefix(prefix).unwrap_or(name);
            }
            let name = match name.rsplit_once('.') {
                Some((head, "gamma")) => format!("{head}.weight"),
                Some((head, "beta")) => format!("{head}.bias"),
                _ => name.to_owned(),
            };
            (name, tensor)
        });
        Self {
            tensors: tensors.collect(),
        }
    }

    fn get(&self, name: &str, shape: &[usize]) -> std::result::Result<Tensor, Misfit> {
        let tensor = self
            .tensors
            .get(name)
            .ok_or_else(|| Misfit(format!("tensor {name} is missing")))?;
        if tensor.dims() != shape {
            let found = tensor.dims();
            return Err(Misfit(format!(
                "tensor {name} has shape {found:?}, not {shape:?}"
            )));
        }
        Ok(tensor.clone())
    }
}

/// A linear map, weight `[out, in]`.
#[derive(Debug, Clone)]
struct Linear {
    weight: Tensor,
    bias: Option<Tensor>,
    bias_values: Option<Vec<f32>>,
}

impl Linear {
    fn new(weight: Tensor, bias: Option<Tensor>) -> Result<Self> {
        let bias_values = bias.as_ref().map(values).transpose()?;
        Ok(Self {
            weight,
            bias,
            bias_values,
        })
    }

    /// Without the bias, which the next kernel adds.
    fn product(&self, rows: &Tensor) -> Result<Tensor> {
        rows.matmul(&self.weight.t()?)
    }

    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let (b, l, h) = x.dims3()?;
        let y = x.reshape((b * l, h))?.matmul(&self.weight.t()?)?;
        let y = match &self.bias {
            Some(bias) => y.broadcast_add(bias)?,
            None => y,
        };
        y.reshape((b, l, ()))
    }
}

#[derive(Debug, Clone)]
struct LayerNorm {
    weight: Tensor,
    bias: Tensor,
    kernel: Norm,
}

impl LayerNorm {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        candle_nn::ops::layer_norm(
            &x.contiguous()?,
            &self.weight,
            &self.bias,
            self.kernel.epsilon,
        )
    }
}

#[derive(Debug, Clone)]
struct Layer {
    qkv: Linear,
    out: Linear,
    norm1: LayerNorm,
    /// BERT: the up projection. Nomic: `[up; gate]`.
    up: Linear,
    down: Linear,
    norm2: LayerNorm,
}

/// An encoder with its weights.
#[derive(Debug)]
pub(crate) struct Encoder {
    config: EncoderConfig,
    words: Tensor,
    /// Position rows plus the first token type's row; Nomic has only the latter.
    positions: Tensor,
    norm: LayerNorm,
    layers: Vec<Layer>,
    rotary: Option<Rotary>,
    device: Device,
    dtype: DType,
}

fn values(t: &Tensor) -> Result<Vec<f32>> {
    t.to_dtype(DType::F32)?.flatten_all()?.to_vec1()
}

/// Loading fails by a tensor or by the back end.
pub(crate) enum LoadError {
    Misfit(String),
    Backend(candle_core::Error),
}

impl From<Misfit> for LoadError {
    fn from(m: Misfit) -> Self {
        Self::Misfit(m.0)
    }
}

impl From<candle_core::Error> for LoadError {
    fn from(e: candle_core::Error) -> Self {
        Self::Backend(e)
    }
}

/// Names of a layer's tensors in one family.
struct Loader<'w> {
    weights: &'w Weights,
    device: &'w Device,
    dtype: DType,
    epsilon: f32,
}

impl Loader<'_> {
    fn tensor(&self, name: &str, shape: &[usize]) -> std::result::Result<Tensor, LoadError> {
        let tensor = self.weights.get(name, shape)?;
        // One value that is not finite makes the sum so.
        let sum = tensor.to_dtype(DType::F32)?.abs()?.sum_all()?;
        if !sum.to_scalar::<f32>()?.is_finite() {
            return Err(Misfit(format!("tensor {name} holds a value that is not finite")).into());
        }
        Ok(tensor.to_device(self.device)?.to_dtype(self.dtype)?)
    }

    fn linear(
        &self,
        name: &str,
        out: usize,
        input: usize,
        bias: bool,
    ) -> std::result::Result<Linear, LoadError> {
        let weight = self.tensor(&format!("{name}.weight"), &[out, input])?;
        let bias = if bias {
            Some(self.tensor(&format!("{name}.bias"), &[out])?)
        } else {
            None
        };
        Ok(Linear::new(weight, bias)?)
    }

    fn stack(
        &self,
        names: &[String],
        out: usize,
        input: usize,
        bias: bool,
    ) -> std::result::Result<Linear, LoadError> {
        let parts: Vec<Linear> = names
            .iter()
            .map(|n| self.linear(n, out, input, bias))
            .collect::<std::result::Result<_, _>>()?;
        let weights: Vec<&Tensor> = parts.iter().map(|p| &p.weight).collect();
        let biases: Vec<&Tensor> = parts.iter().filter_map(|p| p.bias.as_ref()).collect();
        let bias = if bias {
            Some(Tensor::cat(&biases, 0)?)
        } else {
            None
        };
        Ok(Linear::new(Tensor::cat(&weights, 0)?, bias)?)
    }

    fn norm(&self, name: &str, width: usize) -> std::result::Result<LayerNorm, LoadError> {
        let weight = self.tensor(&format!("{name}.weight"), &[width])?;
        let bias = self.tensor(&format!("{name}.bias"), &[width])?;
        let kernel = Norm {
            weight: values(&weight)?,
            bias: values(&bias)?,
            epsilon: self.epsilon,
        };
        Ok(LayerNorm {
            weight,
            bias,
            kernel,
        })
    }

    fn bert_layer(&self, c: &EncoderConfig, i: usize) -> std::result::Result<Layer, LoadError> {
        let p = format!("encoder.layer.{i}");
        let qkv = ["query", "key", "value"].map(|n| format!("{p}.attention.self.{n}"));
        Ok(Layer {
            qkv: self.stack(&qkv, c.hidden, c.hidden, true)?,
            out: self.linear(
                &format!("{p}.attention.output.dense"),
                c.hidden,
                c.hidden,
                true,
            )?,
            norm1: self.norm(&format!("{p}.attention.output.LayerNorm"), c.hidden)?,
            up: self.linear(
                &format!("{p}.intermediate.dense"),
                c.intermediate,
                c.hidden,
                true,
            )?,
            down: self.linear(&format!("{p}.output.dense"), c.hidden, c.intermediate, true)?,
            norm2: self.norm(&format!("{p}.output.LayerNorm"), c.hidden)?,
        })
    }

    fn nomic_layer(&self, c: &EncoderConfig, i: usize) -> std::result::Result<Layer, LoadError> {
        let p = format!("encoder.layers.{i}");
        let mlp = ["fc11", "fc12"].map(|n| format!("{p}.mlp.{n}"));
        Ok(Layer {
            qkv: self.linear(&format!("{p}.attn.Wqkv"), 3 * c.hidden, c.hidden, false)?,
            out: self.linear(&format!("{p}.attn.out_proj"), c.hidden, c.hidden, false)?,
            norm1: self.norm(&format!("{p}.norm1"), c.hidden)?,
            up: self.stack(&mlp, c.intermediate, c.hidden, false)?,
            down: self.linear(&format!("{p}.mlp.fc2"), c.hidden, c.intermediate, false)?,
            norm2: self.norm(&format!("{p}.norm2"), c.hidden)?,
        })
    }
}

impl Encoder {
    pub(crate) fn load(
        config: EncoderConfig,
        weights: &Weights,
        device: &Device,
        dtype: DType,
    ) -> std::result::Result<Self, LoadError> {
        let c = &config;
        let loader = Loader {
            weights,
            device,
            dtype,
            epsilon: c.epsilon,
        };
        let words = loader.tensor(
            "embeddings.word_embeddings.weight",
            &[c.vocabulary, c.hidden],
        )?;
        let kinds = loader.tensor("embeddings.token_type_embeddings.weight", &[2, c.hidden])?;
        let kind = kinds.narrow(0, 0, 1)?;
        let (positions, norm) = match c.family {
            Family::Bert => {
                let name = "embeddings.position_embeddings.weight";
                let positions = loader.tensor(name, &[c.positions, c.hidden])?;
                (
                    positions.broadcast_add(&kind)?,
                    loader.norm("embeddings.LayerNorm", c.hidden)?,
                )
            }
            Family::Nomic => (kind, loader.norm("emb_ln", c.hidden)?),
        };
        let layers = (0..c.layers)
            .map(|i| match c.family {
                Family::Bert => loader.bert_layer(c, i),
                Family::Nomic => loader.nomic_layer(c, i),
            })
            .collect::<std::result::Result<_, _>>()?;
        let rotary = (c.family == Family::Nomic)
            .then(|| Rotary::new(c.rotary_base, c.hidden / c.heads, c.positions));
        Ok(Self {
            words,
            positions,
            norm,
            layers,
            rotary,
            device: device.clone(),
            dtype,
            config,
        })
    }

    pub(crate) fn hidden(&self) -> usize {
        self.config.hidden
    }

    /// Whether the path without padding serves.
    fn packed(&self) -> bool {
        self.device.is_cpu() && self.dtype == DType::F32
    }

    /// The last layer's token vectors of each sequence, `[tokens, hidden]` each, in f32.
    pub(crate) fn forward(&self, sequences: &[&[u32]]) -> Result<Vec<Vec<f32>>> {
        if self.packed() {
            self.forward_packed(sequences)
        } else {
            self.forward_padded(sequences)
        }
    }

    fn heads(&self) -> Heads {
        Heads {
            count: self.config.heads,
            size: self.config.hidden / self.config.heads,
        }
    }

    fn forward_packed(&self, sequences: &[&[u32]]) -> Result<Vec<Vec<f32>>> {
        let lengths: Vec<usize> = sequences.iter().map(|s| s.len()).collect();
        let ids: Vec<u32> = sequences.concat();
        let total = ids.len();
        let places: Vec<u32> = match self.config.family {
            Family::Bert => lengths.iter().flat_map(|&l| 0..l as u32).collect(),
            Family::Nomic => vec![0; total],
        };
        let x = self
            .words
            .index_select(&Tensor::from_vec(ids, total, &self.device)?, 0)?;
        let places = self
            .positions
            .index_select(&Tensor::from_vec(places, total, &self.device)?, 0)?;
        let norm = |norm: &LayerNorm, bias: Option<&Vec<f32>>| AddNorm {
            norm: norm.kernel.clone(),
            bias: bias.cloned(),
        };
        x.inplace_op2(&places, &norm(&self.norm, None))?;
        let mut x = x;
        for layer in &self.layers {
            let attention = Attention {
                bias: layer.qkv.bias_values.as_deref(),
                lengths: &lengths,
                heads: self.heads(),
                rotary: self.rotary.as_ref(),
            };
            let a = layer.qkv.product(&x)?.apply_op1_no_bwd(&attention)?;
            let a = layer.out.product(&a)?;
            a.inplace_op2(&x, &norm(&layer.norm1, layer.out.bias_values.as_ref()))?;
            let m = layer.up.product(&a)?;
            let m = match self.config.family {
                Family::Bert => {
                    m.inplace_op1(&BiasGelu {
                        bias: layer.up.bias_values.as_deref(),
                        width: self.config.intermediate,
                    })?;
                    m
                }
                Family::Nomic => m.apply_op1_no_bwd(&SwiGlu {
                    width: self.config.intermediate,
                })?,
            };
            let m = layer.down.product(&m)?;
            m.inplace_op2(&a, &norm(&layer.norm2, layer.down.bias_values.as_ref()))?;
            x = m;
        }
        let all: Vec<f32> = x.flatten_all()?.to_vec1()?;
        let mut rest = all.as_slice();
        let mut out = Vec::with_capacity(lengths.len());
        for length in lengths {
            let Some((head, tail)) = rest.split_at_checked(length * self.config.hidden) else {
                break;
            };
            out.push(head.to_vec());
            rest = tail;
        }
        Ok(out)
    }

    fn forward_padded(&self, sequences: &[&[u32]]) -> Result<Vec<Vec<f32>>> {
        let (b, l) = (
            sequences.len(),
            sequences.iter().map(|s| s.len()).max().unwrap_or(0),
        );
        let mut ids = Vec::with_capacity(b * l);
        let mut mask = Vec::with_capacity(b * l);
        for s in sequences {
            ids.extend_from_slice(s);
            ids.extend(std::iter::repeat_n(0, l - s.len()));
            mask.extend((0..l).map(|i| if i < s.len() { 0f32 } else { -1e9 }));
        }
        let mask = Tensor::from_vec(mask, (b, 1, 1, l), &self.device)?;
        let ids = Tensor::from_vec(ids, b * l, &self.device)?;
        let x = self
            .words
            .index_select(&ids, 0)?
            .reshape((b, l, self.config.hidden))?;
        let places = match self.config.family {
            Family::Bert => self.positions.narrow(0, 0, l)?,
            Family::Nomic => self.positions.clone(),
        };
        let mut x = self.norm.forward(&x.broadcast_add(&places)?)?;
        for layer in &self.layers {
            let a = layer
                .out
                .forward(&self.attend(&layer.qkv.forward(&x)?, &mask, l)?)?;
            let a = layer.norm1.forward(&(a + &x)?)?;
            let m = layer.up.forward(&a)?;
            let m = match self.config.family {
                Family::Bert => m.gelu_erf()?,
                Family::Nomic => {
                    let w = self.config.intermediate;
                    (m.narrow(D::Minus1, 0, w)? * m.narrow(D::Minus1, w, w)?.silu()?)?
                }
            };
            x = layer.norm2.forward(&(layer.down.forward(&m)? + &a)?)?;
        }
        let x = x.to_dtype(DType::F32)?;
        let rows = sequences.iter().enumerate();
        rows.map(|(i, s)| x.get(i)?.narrow(0, 0, s.len())?.flatten_all()?.to_vec1())
            .collect()
    }

    /// Masked attention in candle's operators; the softmax runs in f32, where the mask fits.
    fn attend(&self, qkv: &Tensor, mask: &Tensor, length: usize) -> Result<Tensor> {
        let (b, l, _) = qkv.dims3()?;
        let heads = self.heads();
        let split = qkv.reshape((b, l, 3, heads.count, heads.size))?;
        let part = |i: usize| {
            split
                .narrow(2, i, 1)?
                .squeeze(2)?
                .transpose(1, 2)?
                .contiguous()
        };
        let (mut q, mut k, v) = (part(0)?, part(1)?, part(2)?);
        if let Some(rotary) = &self.rotary {
            (q, k) = (
                self.rotate(&q, rotary, length)?,
                self.rotate(&k, rotary, length)?,
            );
        }
        let scores =
            (q.matmul(&k.transpose(2, 3)?)?.to_dtype(DType::F32)? / (heads.size as f64).sqrt())?;
        let p = candle_nn::ops::softmax_last_dim(&scores.broadcast_add(mask)?)?;
        let y = p.to_dtype(v.dtype())?.matmul(&v)?;
        y.transpose(1, 2)?
            .contiguous()?
            .reshape((b, l, heads.count * heads.size))
    }

    fn rotate(&self, x: &Tensor, rotary: &Rotary, length: usize) -> Result<Tensor> {
        let half = self.heads().size / 2;
        let table = |sine: bool| {
            let row = |p| {
                if sine {
                    rotary.row(p).1
                } else {
                    rotary.row(p).0
                }
            };
            let values: Vec<f32> = (0..length).flat_map(|p| row(p).to_vec()).collect();
            Tensor::from_vec(values, (1, 1, length, half), &self.device)
        };
        let (cos, sin) = (table(false)?, table(true)?);
        let f = x.to_dtype(DType::F32)?;
        let (a, b) = (f.narrow(3, 0, half)?, f.narrow(3, half, half)?);
        let first = (a.broadcast_mul(&cos)? - b.broadcast_mul(&sin)?)?;
        let second = (b.broadcast_mul(&cos)? + a.broadcast_mul(&sin)?)?;
        Tensor::cat(&[first, second], 3)?.to_dtype(x.dtype())
    }
}

fn slice<'s>(storage: &'s CpuStorage, layout: &Layout) -> Result<&'s [f32]> {
    let values = storage.as_slice::<f32>()?;
    let range = layout.contiguous_offsets();
    range
        .and_then(|(from, to)| values.get(from..to))
        .ok_or_else(|| candle_core::Error::msg("the kernel takes contiguous f32 rows"))
}

fn slice_mut<'s>(storage: &'s mut CpuStorage, layout: &Layout) -> Result<&'s mut [f32]> {
    let wrong = || candle_core::Error::msg("the kernel takes contiguous f32 rows");
    let CpuStorage::F32(values) = storage else {
        return Err(wrong());
    };
    let range = layout.contiguous_offsets();
    range
        .and_then(|(from, to)| values.get_mut(from..to))
        .ok_or_else(wrong)
}

struct Attention<'a> {
    bias: Option<&'a [f32]>,
    lengths: &'a [usize],
    heads: Heads,
    rotary: Option<&'a Rotary>,
}

impl CustomOp1 for Attention<'_> {
    fn name(&self) -> &'static str {
        "packed-attention"
    }

    fn cpu_fwd(&self, storage: &CpuStorage, layout: &Layout) -> Result<(CpuStorage, Shape)> {
        let qkv = slice(storage, layout)?;
        let out = kernels::attention(qkv, self.bias, self.lengths, self.heads, self.rotary);
        let width = self.heads.count * self.heads.size;
        let shape = Shape::from((out.len() / width, width));
        Ok((CpuStorage::F32(out), shape))
    }
}

struct SwiGlu {
    width: usize,
}

impl CustomOp1 for SwiGlu {
    fn name(&self) -> &'static str {
        "swiglu"
    }

    fn cpu_fwd(&self, storage: &CpuStorage, layout: &Layout) -> Result<(CpuStorage, Shape)> {
        let out = kernels::swiglu(slice(storage, layout)?, self.width);
        let shape = Shape::from((out.len() / self.width, self.width));
        Ok((CpuStorage::F32(out), shape))
    }
}

struct BiasGelu<'a> {
    bias: Option<&'a [f32]>,
    width: usize,
}

impl InplaceOp1 for BiasGelu<'_> {
    fn name(&self) -> &'static str {
        "bias-gelu"
    }

    fn cpu_fwd(&self, storage: &mut CpuStorage, layout: &Layout) -> Result<()> {
        kernels::bias_gelu(slice_mut(storage, layout)?, self.bias, self.width);
        Ok(())
    }
}

struct AddNorm {
    norm: Norm,
    bias: Option<Vec<f32>>,
}

impl InplaceOp2 for AddNorm {
    fn name(&self) -> &'static str {
        "add-norm"
    }

    fn cpu_fwd(
        &self,
        s1: &mut CpuStorage,
        l1: &Layout,
        s2: &CpuStorage,
        l2: &Layout,
    ) -> Result<()> {
        let residual = slice(s2, l2)?;
        kernels::add_norm(
            slice_mut(s1, l1)?,
            self.bias.as_deref(),
            Some(residual),
            &self.norm,
        );
        Ok(())
    }
}
