//! The lexical embedder: hashed words and character 4-grams. No weights, no download.
//!
//! It sees words, not meaning: a paraphrase without a common stem or 4-gram is far from its
//! original. Two passes: document frequencies are learned from the corpus, then frozen; every
//! vector after that depends on its own text alone.

use std::collections::BTreeMap;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use text_units::{Language, Stemmer, clean, words};

use super::function_words::is_function_word;
use super::{Embedder, Embedding, Fingerprint};
use crate::vector::SparseVector;
use crate::{Error, Progress, Shape, Stage, Vector};

/// Settings of a [`LexicalEmbedder`]. All of them enter its fingerprint.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LexicalConfig {
    /// The dimension is 2 to this power; 8 to 24, default 20.
    pub hash_bits: u32,
    /// Length of the character n-grams, in characters; 0 turns them off, default 4.
    pub ngram: usize,
    /// Weight of a character n-gram beside a word's 1; default 0.25.
    pub ngram_weight: f32,
    /// The stemmer's language; default English.
    pub language: Language,
}

impl Default for LexicalConfig {
    fn default() -> Self {
        Self {
            hash_bits: 20,
            ngram: 4,
            ngram_weight: 0.25,
            language: Language::English,
        }
    }
}

/// Sparse vectors of hashed words and character n-grams, with sublinear term weights and the
/// document frequencies of one corpus.
#[derive(Debug)]
pub struct LexicalEmbedder {
    config: LexicalConfig,
    documents: u32,
    /// `(feature, documents that have it)`, features rising.
    frequencies: Vec<(u32, u32)>,
    fingerprint: Fingerprint,
    stemmer: Stemmer,
}

/// The stored form of a [`LexicalEmbedder`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LexicalState {
    /// The settings.
    pub config: LexicalConfig,
    /// Documents that the frequencies were learned from.
    pub documents: u32,
    /// `(feature, documents that have it)`, features rising.
    pub frequencies: Vec<(u32, u32)>,
}

/// Learns the document frequencies of a [`LexicalEmbedder`] from texts that come in parts, so
/// that they need not be in memory together.
#[derive(Debug)]
pub struct LexicalLearner {
    config: LexicalConfig,
    table: Vec<u32>,
    documents: u32,
}

impl LexicalLearner {
    /// Has seen nothing.
    ///
    /// # Errors
    /// [`Error::InvalidSetting`] for a configuration out of range.
    pub fn new(config: LexicalConfig) -> Result<Self, Error> {
        check(&config)?;
        Ok(Self {
            table: vec![0; 1 << config.hash_bits],
            config,
            documents: 0,
        })
    }

    /// Counts the features of some texts, in parallel.
    pub fn observe(&mut self, texts: &[&str]) {
        for &(feature, _) in count_all(&self.config, texts, &mut |_| {}).iter().flatten() {
            if let Some(n) = self.table.get_mut(feature as usize) {
                *n = n.saturating_add(1);
            }
        }
        let seen = u32::try_from(texts.len()).unwrap_or(u32::MAX);
        self.documents = self.documents.saturating_add(seen);
    }

    /// The embedder: the same as [`LexicalEmbedder::learn`] gives for all the texts at once.
    #[must_use]
    pub fn finish(self) -> LexicalEmbedder {
        let frequencies = (0u32..).zip(self.table).filter(|&(_, n)| n > 0).collect();
        LexicalEmbedder::build(self.config, self.documents, frequencies)
    }
}

/// Features of a text: `(feature, occurrences)`, features rising.
type Counts = Vec<(u32, u32)>;

/// The lowest bit of a feature tells words (0) from n-grams (1), so that the two never collide.
const NGRAM_BIT: u32 = 1;

impl LexicalEmbedder {
    /// The model id of this embedder's fingerprint.
    pub const MODEL_ID: &'static str = "lexical-v1";

    /// First pass: learns document frequencies from a corpus.
    ///
    /// # Errors
    /// [`Error::InvalidSetting`] for a configuration out of range.
    pub fn learn(config: LexicalConfig, texts: &[&str]) -> Result<Self, Error> {
        check(&config)?;
        let counts = count_all(&config, texts, &mut |_| {});
        Ok(Self::from_counts(config, &counts))
    }

    /// Both passes over the same texts, counting their features once. Gives what
    /// [`learn`](Self::learn) and then
    /// [`embed_documents`](Embedder::embed_documents) would.
    ///
    /// # Errors
    /// [`Error::InvalidSetting`] for a configuration out of range.
    #[allow(clippy::type_complexity)]
    pub fn learn_and_embed(
        config: LexicalConfig,
        texts: &[&str],
        progress: &mut dyn FnMut(Progress),
    ) -> Result<(Self, Vec<Result<Embedding, Error>>), Error> {
        check(&config)?;
        let counts = count_all(&config, texts, progress);
        let model = Self::from_counts(config, &counts);
        let out = counts
            .into_par_iter()
            .enumerate()
            .map(|(i, c)| model.embedding(&c, &format!("text {i}")))
            .collect();
        Ok((model, out))
    }

    /// From a stored state.
    ///
    /// # Errors
    /// [`Error::InvalidSetting`] for a configuration out of range, or frequencies out of order.
    pub fn from_state(state: LexicalState) -> Result<Self, Error> {
        check(&state.config)?;
        let rising = state.frequencies.windows(2).all(|w| w[0].0 < w[1].0);
        let inside = state
            .frequencies
            .iter()
            .all(|&(f, n)| f < 1 << state.config.hash_bits && n <= state.documents);
        if !rising || !inside {
            return Err(Error::setting(
                "the table of document frequencies",
                "out of order or out of range",
                "features rising strictly, counts at most the number of documents",
            ));
        }
        Ok(Self::build(
            state.config,
            state.documents,
            state.frequencies,
        ))
    }

    /// What has to be stored to make this embedder again.
    #[must_use]
    pub fn state(&self) -> LexicalState {
        LexicalState {
            config: self.config.clone(),
            documents: self.documents,
            frequencies: self.frequencies.clone(),
        }
    }

    fn from_counts(config: LexicalConfig, counts: &[Counts]) -> Self {
        let mut table = vec![0u32; 1 << config.hash_bits];
        for &(feature, _) in counts.iter().flatten() {
            if let Some(n) = table.get_mut(feature as usize) {
                *n += 1;
            }
        }
        let frequencies = (0u32..).zip(table).filter(|&(_, n)| n > 0).collect();
        let documents = u32::try_from(counts.len()).unwrap_or(u32::MAX);
        Self::build(config, documents, frequencies)
    }

    fn build(config: LexicalConfig, documents: u32, frequencies: Vec<(u32, u32)>) -> Self {
        let mut hash = blake3::Hasher::new_derive_key("candor 2026 lexical document frequencies");
        hash.update(&documents.to_le_bytes());
        for &(feature, n) in &frequencies {
            hash.update(&feature.to_le_bytes());
            hash.update(&n.to_le_bytes());
        }
        let settings = BTreeMap::from([
            ("hash_bits".to_owned(), config.hash_bits.to_string()),
            ("ngram".to_owned(), config.ngram.to_string()),
            ("ngram_weight".to_owned(), config.ngram_weight.to_string()),
            (
                "language".to_owned(),
                format!("{:?}", config.language).to_lowercase(),
            ),
        ]);
        let fingerprint = Fingerprint {
            model_id: Self::MODEL_ID.to_owned(),
            shape: Shape::Sparse(1 << config.hash_bits),
            settings,
            learned: Some(hash.finalize().to_hex().to_string()),
        };
        let stemmer = Stemmer::new(config.language);
        Self {
            config,
            documents,
            frequencies,
            fingerprint,
            stemmer,
        }
    }

    /// Inverse document frequency as in BM25: ln(1 + (N − n + ½)/(n + ½)), never negative.
    fn idf(&self, feature: u32) -> f64 {
        let n = match self.frequencies.binary_search_by_key(&feature, |&(f, _)| f) {
            Ok(i) => self.frequencies.get(i).map_or(0, |&(_, n)| n),
            Err(_) => 0,
        };
        let (total, n) = (f64::from(self.documents), f64::from(n));
        libm::log(1.0 + (total - n + 0.5).max(0.0) / (n + 0.5))
    }

    fn embedding(&self, counts: &Counts, entry: &str) -> Result<Embedding, Error> {
        let tokens = counts.iter().map(|&(_, n)| n as usize).sum();
        let mut indices = Vec::with_capacity(counts.len());
        let mut values = Vec::with_capacity(counts.len());
        for &(feature, n) in counts {
            let share = if feature & NGRAM_BIT == 0 {
                1.0
            } else {
                f64::from(self.config.ngram_weight)
            };
            let weight = share * (1.0 + libm::log(f64::from(n))) * self.idf(feature);
            indices.push(feature);
            values.push(weight as f32);
        }
        let dimension = 1 << self.config.hash_bits;
        let vector = Vector::Sparse(SparseVector {
            dimension,
            indices,
            values,
        })
        .normalized(entry)
        .map_err(|_| Error::NothingToEmbed {
            entry: entry.to_owned(),
        })?;
        Ok(Embedding {
            vector,
            tokens,
            truncated_from: None,
        })
    }
}

impl Embedder for LexicalEmbedder {
    fn fingerprint(&self) -> &Fingerprint {
        &self.fingerprint
    }

    fn max_tokens(&self) -> Option<usize> {
        None
    }

    fn embed_documents_with(
        &self,
        texts: &[&str],
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Vec<Result<Embedding, Error>>, Error> {
        let counts = count_all(&self.config, texts, progress);
        Ok(counts
            .into_par_iter()
            .enumerate()
            .map(|(i, c)| self.embedding(&c, &format!("text {i}")))
            .collect())
    }

    fn embed_query(&self, text: &str) -> Result<Vector, Error> {
        let counts = count(&self.config, &self.stemmer, text);
        Ok(self.embedding(&counts, "query")?.vector)
    }
}

fn check(config: &LexicalConfig) -> Result<(), Error> {
    if !(8..=24).contains(&config.hash_bits) {
        return Err(Error::setting("hash_bits", config.hash_bits, "8 to 24"));
    }
    if config.ngram == 1 || config.ngram > 8 {
        return Err(Error::setting("ngram", config.ngram, "0 (off) or 2 to 8"));
    }
    if !(0.0..=1.0).contains(&config.ngram_weight) {
        return Err(Error::setting(
            "ngram_weight",
            config.ngram_weight,
            "0 to 1",
        ));
    }
    Ok(())
}

/// Texts between two calls of the progress callback.
const BATCH: usize = 2048;

fn count_all(
    config: &LexicalConfig,
    texts: &[&str],
    progress: &mut dyn FnMut(Progress),
) -> Vec<Counts> {
    let mut out = Vec::with_capacity(texts.len());
    for batch in texts.chunks(BATCH) {
        batch
            .par_iter()
            .map_init(
                || Stemmer::new(config.language),
                |stemmer, text| count(config, stemmer, text),
            )
            .collect_into_vec_append(&mut out);
        progress(Progress {
            stage: Stage::Embed,
            done: out.len(),
            total: Some(texts.len()),
        });
    }
    out
}

/// Appends a parallel iterator's items in their order.
trait CollectAppend<T> {
    fn collect_into_vec_append(self, out: &mut Vec<T>);
}

impl<T: Send, I: IndexedParallelIterator<Item = T>> CollectAppend<T> for I {
    fn collect_into_vec_append(self, out: &mut Vec<T>) {
        let mut batch = Vec::new();
        self.collect_into_vec(&mut batch);
        out.append(&mut batch);
    }
}

fn count(config: &LexicalConfig, stemmer: &Stemmer, text: &str) -> Counts {
    let mask = (1u32 << config.hash_bits) - 1;
    let cleaned = clean(text);
    let mut features = Vec::new();
    let mut chars: Vec<char> = Vec::new();
    let mut gram = String::new();
    for word in words(cleaned.text()) {
        let folded = word.folded();
        if is_function_word(&folded) {
            continue;
        }
        let stem = stemmer.stem(&folded);
        features.push(hash(stem.as_bytes()) & mask & !NGRAM_BIT);
        if config.ngram == 0 {
            continue;
        }
        chars.clear();
        chars.push('^');
        chars.extend(folded.chars());
        chars.push('$');
        for window in chars.windows(config.ngram) {
            gram.clear();
            gram.extend(window);
            features.push(hash(gram.as_bytes()) & mask | NGRAM_BIT);
        }
    }
    features.sort_unstable();
    let mut counts: Counts = Vec::new();
    for feature in features {
        match counts.last_mut() {
            Some((last, n)) if *last == feature => *n += 1,
            _ => counts.push((feature, 1)),
        }
    }
    counts.shrink_to_fit();
    counts
}

/// FNV-1a (64 bits), folded to 32.
fn hash(bytes: &[u8]) -> u32 {
    let mut h = 0xcbf2_9ce4_8422_2325u64;
    for &b in bytes {
        h = (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3);
    }
    (h ^ (h >> 32)) as u32
}
