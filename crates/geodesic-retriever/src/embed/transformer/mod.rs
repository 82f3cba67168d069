//! Embedders on candle: the BERT family and NomicBERT.

mod config;
mod encoder;
mod kernels;

use std::collections::BTreeMap;
use std::path::Path;

use candle_core::{DType, Device as CandleDevice};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use tokenizers::Tokenizer;

use self::config::{EncoderConfig, Family, SentenceConfig};
use self::encoder::{Encoder, LoadError, Weights};
use super::model_folder::ModelFolder;
use super::{Embedder, Embedding, Fingerprint, has_content};
use crate::{Error, Progress, Shape, Stage, Vector};

pub use self::config::{Pooling, Prompts};

/// Where a model runs.
#[derive(Debug, Clone)]
pub struct Device(CandleDevice);

impl Device {
    /// The CPU.
    #[must_use]
    pub fn cpu() -> Self {
        Self(CandleDevice::Cpu)
    }

    /// The first GPU that was built in (features `cuda`, `metal`) and answers, else the CPU, with
    /// a warning if one was built in.
    #[must_use]
    pub fn best() -> Self {
        let found = if cfg!(feature = "cuda") {
            CandleDevice::new_cuda(0)
        } else if cfg!(feature = "metal") {
            CandleDevice::new_metal(0)
        } else {
            return Self::cpu();
        };
        found.map_or_else(
            |e| {
                tracing::warn!("no GPU ({e}); using the CPU");
                Self::cpu()
            },
            Self,
        )
    }
}

/// Floating-point type of weights and activations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Precision {
    /// 32 bits: the reference, and the fast path on a CPU.
    #[default]
    F32,
    /// 16 bits.
    F16,
    /// 16 bits with the exponent of 32.
    Bf16,
}

/// How a transformer is loaded.
#[derive(Debug, Clone)]
pub struct TransformerOptions {
    /// Where it runs; default the CPU.
    pub device: Device,
    /// Its numbers; default f32.
    pub precision: Precision,
    /// Its id in fingerprints; default the folder's name.
    pub model_id: Option<String>,
    /// What is put before texts; default what the folder says, for Nomic
    /// [`Prompts::nomic_search`].
    pub prompts: Option<Prompts>,
    /// The most tokens of a text; default what the folder says. Longer texts are cut there and
    /// the embedding says so.
    pub max_tokens: Option<usize>,
    /// Matryoshka: cut to 512, 256, 128 or 64 dimensions after a layer normalization. Only for
    /// models trained for it (nomic-embed-text-v1.5, whose configuration does not tell it from
    /// v1: asking for it says that the model is one).
    pub matryoshka: Option<usize>,
}

impl Default for TransformerOptions {
    fn default() -> Self {
        Self {
            device: Device::cpu(),
            precision: Precision::F32,
            model_id: None,
            prompts: None,
            max_tokens: None,
            matryoshka: None,
        }
    }
}

/// Tokens in one batch. Batches are made from texts sorted by length and depend on the texts
/// alone.
const BATCH_TOKENS: usize = 2048;

#[derive(Debug)]
struct Transformer {
    encoder: Encoder,
    tokenizer: Tokenizer,
    sentence: SentenceConfig,
    max_tokens: usize,
    dimension: usize,
    matryoshka: Option<usize>,
    fingerprint: Fingerprint,
}

/// MiniLM, BGE, E5, GTE and other models of the BERT family, from a sentence-transformers folder.
#[derive(Debug)]
pub struct BertEmbedder(Transformer);

/// nomic-embed-text v1 and v1.5, from a folder.
#[derive(Debug)]
pub struct NomicEmbedder(Transformer);

impl BertEmbedder {
    /// Loads `config.json`, `tokenizer.json`, `model.safetensors` and, where they are there,
    /// `modules.json`, `1_Pooling/config.json`, `sentence_bert_config.json` and
    /// `config_sentence_transformers.json` from a folder. Never goes to the network.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::Damaged`] or [`Error::Model`] naming the file;
    /// [`Error::InvalidSetting`] for a dimension that the model was not trained for.
    pub fn load(folder: &Path, options: &TransformerOptions) -> Result<Self, Error> {
        if let Some(d) = options.matryoshka {
            return Err(Error::setting("matryoshka", d, "none for a BERT model"));
        }
        Transformer::load(folder, options, Family::Bert).map(Self)
    }
}

impl NomicEmbedder {
    /// Loads `config.json`, `tokenizer.json` and `model.safetensors` from a folder. Never goes to
    /// the network.
    ///
    /// # Errors
    /// As [`BertEmbedder::load`].
    pub fn load(folder: &Path, options: &TransformerOptions) -> Result<Self, Error> {
        Transformer::load(folder, options, Family::Nomic).map(Self)
    }
}

/// What became of the text at a place in the batch.
type Placed = (usize, Result<Embedding, Error>);

impl Transformer {
    fn load(path: &Path, options: &TransformerOptions, family: Family) -> Result<Self, Error> {
        let folder = ModelFolder::open(path)?;
        let config = EncoderConfig::load(&folder, family)?;
        let mut sentence = SentenceConfig::load(&folder)?;
        if let Some(prompts) = &options.prompts {
            sentence.prompts = prompts.clone();
        } else if family == Family::Nomic {
            sentence.prompts = Prompts::nomic_search();
        }
        let (tokenizer, tokenizer_digest) = folder.tokenizer()?;
        let hidden = config.hidden;
        let dimension = match options.matryoshka {
            Some(d) if [512, 256, 128, 64].contains(&d) && d < hidden => d,
            Some(d) => {
                return Err(Error::setting(
                    "matryoshka",
                    d,
                    "512, 256, 128 or 64, below the model's dimension",
                ));
            }
            None => hidden,
        };
        let limit = config.positions;
        let max_tokens = options
            .max_tokens
            .or(sentence.max_tokens)
            .unwrap_or(limit)
            .min(limit);
        if max_tokens < 3 {
            return Err(Error::setting(
                "max_tokens",
                max_tokens,
                format!("3 to {limit}"),
            ));
        }
        let dtype = match options.precision {
            Precision::F32 => DType::F32,
            Precision::F16 => DType::F16,
            Precision::Bf16 => DType::BF16,
        };
        let (bytes, digest) = folder.read("model.safetensors")?;
        let unusable = |what: String| folder.unusable("model.safetensors", what);
        let tensors = candle_core::safetensors::load_buffer(&bytes, &CandleDevice::Cpu)
            .map_err(|e| unusable(e.to_string()))?;
        drop(bytes);
        let encoder = Encoder::load(config, &Weights::new(tensors), &options.device.0, dtype)
            .map_err(|e| match e {
                LoadError::Misfit(what) => unusable(what),
                LoadError::Backend(e) => unusable(e.to_string()),
            })?;
        let setting = |name: &str, value: String| (name.to_owned(), value);
        let settings = BTreeMap::from([
            setting("weights", digest),
            setting("tokenizer", tokenizer_digest),
            setting("pooling", format!("{:?}", sentence.pooling).to_lowercase()),
            setting("query_prefix", sentence.prompts.query.clone()),
            setting("document_prefix", sentence.prompts.document.clone()),
            setting("max_tokens", max_tokens.to_string()),
            setting(
                "precision",
                format!("{:?}", options.precision).to_lowercase(),
            ),
            setting(
                "matryoshka",
                options.matryoshka.map_or("none".into(), |d| d.to_string()),
            ),
        ]);
        let fingerprint = Fingerprint {
            model_id: options.model_id.clone().unwrap_or_else(|| folder.name()),
            shape: Shape::Dense(dimension),
            settings,
            learned: None,
        };
        let matryoshka = options.matryoshka;
        Ok(Self {
            encoder,
            tokenizer,
            sentence,
            max_tokens,
            dimension,
            matryoshka,
            fingerprint,
        })
    }

    fn failed(&self, what: impl ToString) -> Error {
        Error::Embedding {
            model: self.fingerprint.model_id.clone(),
            what: what.to_string(),
        }
    }

    /// The token ids of a text, cut at the maximum with the closing token kept, and how many
    /// there were.
    fn tokenize(&self, text: &str, prefix: &str) -> Result<(Vec<u32>, usize), Error> {
        let prefixed = if text.starts_with(prefix) {
            text.to_owned()
        } else {
            format!("{prefix}{text}")
        };
        let encoding = self
            .tokenizer
            .encode_fast(prefixed, true)
            .map_err(|e| self.failed(e))?;
        let mut ids = encoding.get_ids().to_vec();
        let count = ids.len();
        if count > self.max_tokens {
            let last = ids.pop();
            ids.truncate(self.max_tokens - 1);
            ids.extend(last);
        }
        Ok((ids, count))
    }

    /// One text's vector out of its tokens' vectors.
    fn pool(&self, tokens: &[f32], entry: &str) -> Result<Vector, Error> {
        let hidden = self.encoder_width(tokens);
        let mut vector = vec![0f32; hidden];
        let rows = tokens.chunks_exact(hidden);
        let n = rows.len() as f32;
        match self.sentence.pooling {
            Pooling::Cls => vector.iter_mut().zip(tokens).for_each(|(v, x)| *v = *x),
            Pooling::Mean => {
                for row in rows {
                    vector.iter_mut().zip(row).for_each(|(v, x)| *v += x);
                }
                vector.iter_mut().for_each(|v| *v /= n);
            }
            Pooling::Max => {
                vector.fill(f32::NEG_INFINITY);
                for row in rows {
                    vector.iter_mut().zip(row).for_each(|(v, x)| *v = v.max(*x));
                }
            }
        }
        if self.matryoshka.is_some() {
            layer_norm(&mut vector);
            vector.truncate(self.dimension);
        }
        Vector::Dense(vector).normalized(entry)
    }

    fn encoder_width(&self, tokens: &[f32]) -> usize {
        self.encoder.hidden().min(tokens.len().max(1))
    }

    fn embed_batch(&self, batch: &[&Tokenized]) -> Result<Vec<Placed>, Error> {
        let sequences: Vec<&[u32]> = batch.iter().map(|t| t.ids.as_slice()).collect();
        let tokens = self
            .encoder
            .forward(&sequences)
            .map_err(|e| self.failed(e))?;
        let pooled = batch.iter().zip(tokens).map(|(t, tokens)| {
            let embedding = self
                .pool(&tokens, &format!("text {}", t.place))
                .map(|vector| Embedding {
                    vector,
                    tokens: t.ids.len(),
                    truncated_from: (t.count > t.ids.len()).then_some(t.count),
                });
            (t.place, embedding)
        });
        Ok(pooled.collect())
    }

    fn embed(
        &self,
        texts: &[&str],
        prefix: &str,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Vec<Result<Embedding, Error>>, Error> {
        let nothing = |place: usize| Error::NothingToEmbed {
            entry: format!("text {place}"),
        };
        let mut out: Vec<Result<Embedding, Error>> =
            (0..texts.len()).map(|i| Err(nothing(i))).collect();
        let mut tokenized: Vec<Tokenized> = texts
            .par_iter()
            .enumerate()
            .filter(|(_, text)| has_content(text))
            .map(|(place, text)| {
                self.tokenize(text, prefix)
                    .map(|(ids, count)| Tokenized { place, ids, count })
            })
            .collect::<Result<_, Error>>()?;
        tokenized.sort_by_key(|t| (std::cmp::Reverse(t.ids.len()), t.place));
        let batches = batches(&tokenized);
        // Between two groups the caller hears how far it has come.
        let mut done = texts.len() - tokenized.len();
        for group in batches.chunks(GROUP) {
            let embedded: Vec<_> = group
                .par_iter()
                .map(|b| self.embed_batch(b))
                .collect::<Result<_, Error>>()?;
            for (place, embedding) in embedded.into_iter().flatten() {
                done += 1;
                if let Some(slot) = out.get_mut(place) {
                    *slot = embedding;
                }
            }
            progress(Progress {
                stage: Stage::Embed,
                done,
                total: Some(texts.len()),
            });
        }
        Ok(out)
    }
}

/// Batches between two calls of the progress callback.
const GROUP: usize = 16;

struct Tokenized {
    place: usize,
    ids: Vec<u32>,
    count: usize,
}

/// Cuts texts, sorted by length, into batches of about [`BATCH_TOKENS`].
fn batches(sorted: &[Tokenized]) -> Vec<Vec<&Tokenized>> {
    let mut out: Vec<Vec<&Tokenized>> = Vec::new();
    let mut tokens = usize::MAX;
    for t in sorted {
        if tokens.saturating_add(t.ids.len()) > BATCH_TOKENS {
            out.push(Vec::new());
            tokens = 0;
        }
        tokens += t.ids.len();
        if let Some(batch) = out.last_mut() {
            batch.push(t);
        }
    }
    out
}

/// Layer normalization without scale and shift, as nomic's Matryoshka recipe has it.
fn layer_norm(vector: &mut [f32]) {
    let n = vector.len() as f64;
    let mean = vector.iter().map(|&x| f64::from(x)).sum::<f64>() / n;
    let variance = vector
        .iter()
        .map(|&x| (f64::from(x) - mean).powi(2))
        .sum::<f64>()
        / n;
    for x in vector {
        *x = ((f64::from(*x) - mean) / (variance + 1e-5).sqrt()) as f32;
    }
}

macro_rules! embedder {
    ($name:ident) => {
        impl Embedder for $name {
            fn fingerprint(&self) -> &Fingerprint {
                &self.0.fingerprint
            }

            fn max_tokens(&self) -> Option<usize> {
                Some(self.0.max_tokens)
            }

            fn embed_documents_with(
                &self,
                texts: &[&str],
                progress: &mut dyn FnMut(Progress),
            ) -> Result<Vec<Result<Embedding, Error>>, Error> {
                self.0
                    .embed(texts, &self.0.sentence.prompts.document, progress)
            }

            fn embed_query(&self, text: &str) -> Result<Vector, Error> {
                let mut found =
                    self.0
                        .embed(&[text], &self.0.sentence.prompts.query, &mut |_| {})?;
                let nothing = || {
                    Err(Error::NothingToEmbed {
                        entry: "query".into(),
                    })
                };
                let embedding = found.pop().unwrap_or_else(nothing);
                Ok(embedding
                    .map_err(|e| match e {
                        Error::NothingToEmbed { .. } => Error::NothingToEmbed {
                            entry: "query".into(),
                        },
                        e => e,
                    })?
                    .vector)
            }
        }
    };
}

embedder!(BertEmbedder);
embedder!(NomicEmbedder);
