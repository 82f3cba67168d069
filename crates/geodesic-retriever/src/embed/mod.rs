//! Embedders: text becomes vectors.

mod function_words;
pub(crate) mod lexical;
#[cfg(feature = "tokenizer")]
pub(crate) mod model_folder;
#[cfg(feature = "static")]
mod static_model;
#[cfg(feature = "transformer")]
mod transformer;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Error, Progress, Shape, Vector};

pub use lexical::{LexicalConfig, LexicalEmbedder, LexicalLearner};
#[cfg(feature = "static")]
pub use static_model::StaticEmbedder;
#[cfg(feature = "bert")]
pub use transformer::BertEmbedder;
#[cfg(feature = "nomic")]
pub use transformer::NomicEmbedder;
#[cfg(feature = "transformer")]
pub use transformer::{Device, Pooling, Precision, Prompts, TransformerOptions};

/// What identifies the space that an embedder's vectors live in.
///
/// Two vectors may be compared only if their fingerprints are equal. It is stored with every
/// index, snapshot and calibration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fingerprint {
    /// The model, such as `lexical-v1` or `all-MiniLM-L6-v2`.
    pub model_id: String,
    /// Form and dimension of its vectors.
    pub shape: Shape,
    /// Whatever else changes the vectors: pooling, prefixes, truncation, weights' digest.
    pub settings: BTreeMap<String, String>,
    /// BLAKE3 digest (hex) of what was learned from a corpus; none for a pretrained model.
    pub learned: Option<String>,
}

impl Fingerprint {
    /// Checks that `found` is the same space. `what` names the thing that was stored.
    ///
    /// # Errors
    /// [`Error::ModelMismatch`] with the first field that differs.
    pub fn check(&self, what: &str, found: &Self) -> Result<(), Error> {
        self.check_model(what, found)?;
        let show = |l: &Option<String>| l.clone().unwrap_or_else(|| "none".to_owned());
        mismatch(what, "learned", &show(&self.learned), &show(&found.learned))
    }

    /// As [`check`](Self::check), leaving out what was learned from the corpus: what a
    /// calibration needs, which survives a changed corpus (with a warning).
    ///
    /// # Errors
    /// [`Error::ModelMismatch`] with the first field that differs.
    pub fn check_model(&self, what: &str, found: &Self) -> Result<(), Error> {
        mismatch(what, "model_id", &self.model_id, &found.model_id)?;
        mismatch(
            what,
            "shape",
            &self.shape.to_string(),
            &found.shape.to_string(),
        )?;
        let keys = self.settings.keys().chain(found.settings.keys());
        for key in keys {
            let show = |f: &Self| {
                f.settings
                    .get(key)
                    .cloned()
                    .unwrap_or_else(|| "unset".into())
            };
            mismatch(what, key, &show(self), &show(found))?;
        }
        Ok(())
    }
}

fn mismatch(what: &str, field: &str, expected: &str, found: &str) -> Result<(), Error> {
    if expected == found {
        return Ok(());
    }
    Err(Error::ModelMismatch {
        what: what.to_owned(),
        field: field.to_owned(),
        expected: expected.to_owned(),
        found: found.to_owned(),
    })
}

/// A document's vector and what happened to its text on the way.
#[derive(Debug, Clone, PartialEq)]
pub struct Embedding {
    /// The vector, of unit length.
    pub vector: Vector,
    /// Tokens that the model saw (features, for the lexical embedder).
    pub tokens: usize,
    /// Set when the text was cut: the number of tokens it had.
    pub truncated_from: Option<usize>,
}

/// Turns text into unit vectors.
///
/// Object-safe. A vector depends on its own text only, never on what else is in the batch
/// (beyond the last bits of floating point, for transformers).
pub trait Embedder: Send + Sync {
    /// What identifies this embedder's space.
    fn fingerprint(&self) -> &Fingerprint;

    /// The most tokens of a text that are looked at; `None` means all.
    fn max_tokens(&self) -> Option<usize>;

    /// Embeds documents, each with its own result, in the order given.
    ///
    /// `progress` is called between batches, from the calling thread.
    ///
    /// # Errors
    /// The outer error is the model failing as a whole. The inner one is a text that cannot be
    /// embedded ([`Error::NothingToEmbed`]); the others keep their places.
    fn embed_documents_with(
        &self,
        texts: &[&str],
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Vec<Result<Embedding, Error>>, Error>;

    /// Embeds a question.
    ///
    /// # Errors
    /// [`Error::NothingToEmbed`] for a text without content; otherwise the model failing.
    fn embed_query(&self, text: &str) -> Result<Vector, Error>;

    /// [`embed_documents_with`](Self::embed_documents_with) without progress.
    ///
    /// # Errors
    /// The same.
    fn embed_documents(&self, texts: &[&str]) -> Result<Vec<Result<Embedding, Error>>, Error> {
        self.embed_documents_with(texts, &mut |_| {})
    }

    /// Form and dimension of the vectors.
    fn shape(&self) -> Shape {
        self.fingerprint().shape
    }

    /// The dimension of the space.
    fn dimension(&self) -> usize {
        match self.shape() {
            Shape::Dense(d) | Shape::Sparse(d) => d,
        }
    }
}

/// Whether a text holds anything but white space and invisible characters.
#[cfg(feature = "tokenizer")]
pub(crate) fn has_content(text: &str) -> bool {
    !text_units::clean(text).text().trim().is_empty()
}
