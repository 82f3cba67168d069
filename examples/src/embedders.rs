//! `--embedder` and `--model`, the same in every example.

use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, ValueEnum};
use geodesic_retriever::{Embedder, Error};

/// The embedders of the examples.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum EmbedderKind {
    /// Hashed words and character 4-grams; nothing to download.
    Lexical,
    /// Static token vectors from a folder.
    Static,
    /// A BERT-family sentence transformer from a folder.
    Bert,
    /// nomic-embed-text from a folder.
    Nomic,
}

/// Which embedder to use.
#[derive(Debug, Clone, Args)]
pub struct EmbedderArgs {
    /// How text becomes vectors.
    #[arg(long, value_enum, default_value = "lexical")]
    pub embedder: EmbedderKind,
    /// The model's folder, for all embedders but lexical.
    #[arg(long)]
    pub model: Option<PathBuf>,
}

impl EmbedderArgs {
    /// Loads the embedder; `None` stands for the lexical one, which is learned from the corpus.
    ///
    /// # Errors
    /// The model's fault, a missing `--model`, or a build without the feature `models`.
    pub fn load(&self) -> Result<Option<Arc<dyn Embedder>>, Error> {
        if self.embedder == EmbedderKind::Lexical {
            return Ok(None);
        }
        let model = self.model.as_deref().ok_or_else(|| Error::InvalidSetting {
            what: "--model".into(),
            found: "absent".into(),
            accepted: "the model's folder (fixtures/fetch-models.sh brings two)".into(),
        })?;
        load(self.embedder, model).map(Some)
    }
}

#[cfg(feature = "models")]
fn load(kind: EmbedderKind, model: &std::path::Path) -> Result<Arc<dyn Embedder>, Error> {
    use geodesic_retriever::{
        BertEmbedder, Device, NomicEmbedder, StaticEmbedder, TransformerOptions,
    };
    let options = TransformerOptions {
        device: Device::best(),
        ..Default::default()
    };
    Ok(match kind {
        EmbedderKind::Bert => Arc::new(BertEmbedder::load(model, &options)?),
        EmbedderKind::Nomic => Arc::new(NomicEmbedder::load(model, &options)?),
        EmbedderKind::Lexical | EmbedderKind::Static => {
            Arc::new(StaticEmbedder::load(model, None)?)
        }
    })
}

#[cfg(not(feature = "models"))]
fn load(kind: EmbedderKind, _: &std::path::Path) -> Result<Arc<dyn Embedder>, Error> {
    let name = kind
        .to_possible_value()
        .map_or_else(String::new, |v| v.get_name().to_owned());
    Err(Error::InvalidSetting {
        what: "--embedder".into(),
        found: name,
        accepted: "lexical in this build; build with --features models for the others".into(),
    })
}
