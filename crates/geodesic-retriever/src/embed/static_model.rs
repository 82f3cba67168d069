//! Static token vectors (Model2Vec): the weighted mean of the tokens' rows, no transformer.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use half::f16;
use rayon::prelude::*;
use safetensors::{Dtype, SafeTensors};
use serde::Deserialize;
use tokenizers::Tokenizer;

use super::model_folder::ModelFolder;
use super::{Embedder, Embedding, Fingerprint, has_content};
use crate::{Error, Progress, Shape, Stage, Vector};

/// Model2Vec-style embedder: each token has a fixed vector.
///
/// Vectors are those of the package `model2vec`: a text is cut to `max_length` tokens and to as
/// many times the median token length in characters, the unknown token is dropped (by the id that
/// the tokenizer's model gives it, which need not be the token called `<unk>`), and the weighted
/// mean of the rest is scaled to unit length.
#[derive(Debug)]
pub struct StaticEmbedder {
    tokenizer: Tokenizer,
    dimension: usize,
    rows: Vec<f32>,
    /// Row of each token; the identity where the model has none.
    mapping: Option<Vec<u32>>,
    /// Weight of each token; 1 where the model has none.
    weights: Option<Vec<f32>>,
    unknown: Option<u32>,
    max_tokens: usize,
    max_chars: usize,
    fingerprint: Fingerprint,
}

/// What of `config.json` changes the vectors.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Config {
    max_length: Option<usize>,
}

/// The part of `tokenizer.json` that names the unknown token: by id in Unigram models, by text in
/// the others.
#[derive(Deserialize)]
struct TokenizerFile {
    model: TokenizerModel,
}

#[derive(Deserialize)]
struct TokenizerModel {
    unk_id: Option<u32>,
    unk_token: Option<String>,
}

/// The most tokens of a text where `config.json` names no `max_length`.
const MAX_TOKENS: usize = 512;

impl StaticEmbedder {
    /// Loads `model.safetensors` (tensor `embeddings`, optionally `mapping` and `weights`) and
    /// `tokenizer.json` from a folder. Never goes to the network.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::Damaged`] or [`Error::Model`] naming the file.
    pub fn load(path: &Path, model_id: Option<&str>) -> Result<Self, Error> {
        let folder = ModelFolder::open(path)?;
        let config: Config = folder.json_if_there("config.json")?.unwrap_or_default();
        let max_tokens = config.max_length.unwrap_or(MAX_TOKENS);
        let (tokenizer, tokenizer_digest) = folder.tokenizer()?;
        let unknown = {
            let file: TokenizerFile = folder.json("tokenizer.json")?;
            let by_text = file.model.unk_token.as_deref();
            file.model
                .unk_id
                .or_else(|| by_text.and_then(|t| tokenizer.token_to_id(t)))
        };
        let (bytes, digest) = folder.read("model.safetensors")?;
        let bad = |what: String| folder.unusable("model.safetensors", what);
        let tensors = SafeTensors::deserialize(&bytes).map_err(|e| bad(e.to_string()))?;
        let embeddings = tensors
            .tensor("embeddings")
            .map_err(|_| bad("tensor embeddings is missing".into()))?;
        let &[count, dimension] = embeddings.shape() else {
            return Err(bad(format!(
                "embeddings has shape {:?}, not two dimensions",
                embeddings.shape()
            )));
        };
        if dimension == 0 {
            return Err(bad("embeddings has no columns".into()));
        }
        let rows = floats(embeddings.dtype(), embeddings.data()).ok_or_else(|| {
            bad(format!(
                "embeddings of type {:?} are not supported",
                embeddings.dtype()
            ))
        })?;
        if let Some(i) = rows.iter().position(|x| !x.is_finite()) {
            return Err(bad(format!(
                "embeddings: row {} holds a value that is not finite",
                i / dimension
            )));
        }
        let mapping = match tensors.tensor("mapping") {
            Err(_) => None,
            Ok(t) => {
                let m = integers(t.dtype(), t.data()).ok_or_else(|| {
                    bad(format!("mapping of type {:?} is not supported", t.dtype()))
                })?;
                if let Some(&row) = m.iter().find(|&&r| r as usize >= count) {
                    return Err(bad(format!("mapping names row {row} of {count}")));
                }
                Some(m)
            }
        };
        let weights = match tensors.tensor("weights") {
            Err(_) => None,
            Ok(t) => Some(
                floats(t.dtype(), t.data())
                    .filter(|w| w.iter().all(|x| x.is_finite()))
                    .ok_or_else(|| bad("weights are not finite floating-point numbers".into()))?,
            ),
        };
        let settings = BTreeMap::from([
            ("weights".to_owned(), digest),
            ("tokenizer".to_owned(), tokenizer_digest),
            ("max_tokens".to_owned(), max_tokens.to_string()),
        ]);
        let fingerprint = Fingerprint {
            model_id: model_id.map_or_else(|| folder.name(), str::to_owned),
            shape: Shape::Dense(dimension),
            settings,
            learned: None,
        };
        let tokenizer_vocab = tokenizer.get_vocab(true);
        Ok(Self {
            tokenizer,
            dimension,
            rows,
            mapping,
            weights,
            unknown,
            max_tokens,
            max_chars: max_tokens.saturating_mul(median_token_length(&tokenizer_vocab)),
            fingerprint,
        })
    }

    fn embed_one(&self, text: &str, entry: &str) -> Result<Embedding, Error> {
        let nothing = || Error::NothingToEmbed {
            entry: entry.to_owned(),
        };
        if !has_content(text) {
            return Err(nothing());
        }
        let encoding = self
            .tokenizer
            .encode_fast(prefix(text, self.max_chars), false)
            .map_err(|e| Error::Embedding {
                model: self.fingerprint.model_id.clone(),
                what: e.to_string(),
            })?;
        let all = encoding.get_ids();
        let seen = all.get(..self.max_tokens).unwrap_or(all);
        let cut = seen.len() < all.len() || prefix(text, self.max_chars).len() < text.len();
        let known = seen.iter().filter(|id| Some(**id) != self.unknown);
        let ids: Vec<u32> = known.copied().collect();
        let mut sum = vec![0f64; self.dimension];
        for &id in &ids {
            let row = match &self.mapping {
                Some(m) => m.get(id as usize).copied(),
                None => Some(id),
            };
            let from = row.map(|r| r as usize * self.dimension);
            let Some(row) = from.and_then(|f| self.rows.get(f..f + self.dimension)) else {
                continue;
            };
            let weight = self
                .weights
                .as_ref()
                .map_or(1.0, |w| w.get(id as usize).copied().unwrap_or(0.0));
            for (s, &x) in sum.iter_mut().zip(row) {
                *s += f64::from(weight) * f64::from(x);
            }
        }
        let vector = Vector::Dense(sum.into_iter().map(|x| x as f32).collect());
        let vector = vector.normalized(entry).map_err(|_| nothing())?;
        Ok(Embedding {
            vector,
            tokens: ids.len(),
            truncated_from: cut.then_some(all.len()),
        })
    }
}

/// The first `chars` characters.
fn prefix(text: &str, chars: usize) -> &str {
    let end = text
        .char_indices()
        .nth(chars)
        .map_or(text.len(), |(i, _)| i);
    text.get(..end).unwrap_or(text)
}

/// The median length of the vocabulary's tokens in characters, rounded down: Model2Vec cuts a text
/// to as many characters a token before it tokenizes.
fn median_token_length(vocabulary: &HashMap<String, u32>) -> usize {
    let mut lengths: Vec<usize> = vocabulary.keys().map(|t| t.chars().count()).collect();
    lengths.sort_unstable();
    let half = lengths.len() / 2;
    let at = |i: usize| lengths.get(i).copied().unwrap_or(0);
    let median = if lengths.len().is_multiple_of(2) {
        usize::midpoint(at(half.saturating_sub(1)), at(half))
    } else {
        at(half)
    };
    median.max(1)
}

fn floats(dtype: Dtype, data: &[u8]) -> Option<Vec<f32>> {
    Some(match dtype {
        Dtype::F32 => data
            .as_chunks::<4>()
            .0
            .iter()
            .map(|b| f32::from_le_bytes(*b))
            .collect(),
        Dtype::F64 => data
            .as_chunks::<8>()
            .0
            .iter()
            .map(|b| f64::from_le_bytes(*b) as f32)
            .collect(),
        Dtype::F16 => data
            .as_chunks::<2>()
            .0
            .iter()
            .map(|b| f16::from_le_bytes(*b).to_f32())
            .collect(),
        Dtype::I8 => data.iter().map(|&b| f32::from(b as i8)).collect(),
        _ => return None,
    })
}

fn integers(dtype: Dtype, data: &[u8]) -> Option<Vec<u32>> {
    match dtype {
        Dtype::I32 => data
            .as_chunks::<4>()
            .0
            .iter()
            .map(|b| u32::try_from(i32::from_le_bytes(*b)).ok())
            .collect(),
        Dtype::I64 => data
            .as_chunks::<8>()
            .0
            .iter()
            .map(|b| u32::try_from(i64::from_le_bytes(*b)).ok())
            .collect(),
        _ => None,
    }
}

/// Texts between two calls of the progress callback.
const BATCH: usize = 4096;

impl Embedder for StaticEmbedder {
    fn fingerprint(&self) -> &Fingerprint {
        &self.fingerprint
    }

    fn max_tokens(&self) -> Option<usize> {
        Some(self.max_tokens)
    }

    fn embed_documents_with(
        &self,
        texts: &[&str],
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Vec<Result<Embedding, Error>>, Error> {
        let mut out = Vec::with_capacity(texts.len());
        for batch in texts.chunks(BATCH) {
            let first = out.len();
            let entry = |i: usize| format!("text {}", first + i);
            let embedded: Vec<_> = batch
                .par_iter()
                .enumerate()
                .map(|(i, t)| self.embed_one(t, &entry(i)))
                .collect();
            out.extend(embedded);
            progress(Progress {
                stage: Stage::Embed,
                done: out.len(),
                total: Some(texts.len()),
            });
        }
        Ok(out)
    }

    fn embed_query(&self, text: &str) -> Result<Vector, Error> {
        Ok(self.embed_one(text, "query")?.vector)
    }
}
