//! `--agent`, the same in every example.

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use language_agents::{Agent, Cassette, Extractive, Tape, TapeOutcome};

use crate::cli::Failure;

/// Who writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AgentChoice {
    /// No model: evidence sentences that cover the question.
    Extractive,
    /// A recorded tape.
    Cassette(PathBuf),
    /// A local quantized model.
    Gguf(PathBuf),
    /// An OpenAI-compatible endpoint and its model.
    OpenAi {
        /// Base URL.
        url: String,
        /// Model.
        model: String,
    },
}

impl FromStr for AgentChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        const FORMS: &str = "extractive, cassette:FILE, gguf:PATH or openai:URL,MODEL";
        if text == "extractive" {
            return Ok(Self::Extractive);
        }
        match text.split_once(':') {
            Some(("cassette", file)) if !file.is_empty() => Ok(Self::Cassette(file.into())),
            Some(("gguf", path)) if !path.is_empty() => Ok(Self::Gguf(path.into())),
            Some(("openai", rest)) => match rest.rsplit_once(',') {
                Some((url, model)) if !url.is_empty() && !model.is_empty() => Ok(Self::OpenAi {
                    url: url.to_owned(),
                    model: model.to_owned(),
                }),
                _ => Err(format!("{text:?} names no URL and model; expected {FORMS}")),
            },
            _ => Err(format!("{text:?} is no agent; expected {FORMS}")),
        }
    }
}

impl AgentChoice {
    /// The agent and the id by which a run names its model.
    ///
    /// # Errors
    /// A tape or model that cannot be read, or a build without the feature.
    pub fn load(&self) -> Result<(Arc<dyn Agent>, String), Failure> {
        match self {
            Self::Extractive => Ok((Arc::new(Extractive::new()), Extractive::MODEL_ID.to_owned())),
            Self::Cassette(file) => {
                let tape = Tape::load(file)?;
                let recorded = tape.entries.iter().find_map(|entry| match &entry.outcome {
                    TapeOutcome::Completion(completion) => Some(completion.model_id.clone()),
                    _ => None,
                });
                let model = recorded.unwrap_or_else(|| "cassette".to_owned());
                Ok((Arc::new(Cassette::replay(tape)), model))
            }
            Self::Gguf(path) => gguf(path),
            Self::OpenAi { url, model } => openai(url, model),
        }
    }
}

#[cfg(feature = "models")]
fn gguf(path: &Path) -> Result<(Arc<dyn Agent>, String), Failure> {
    let mut options = language_agents::GgufOptions::default();
    // Small models repeat themselves to their cap without it.
    options.repeat_penalty = 1.1;
    let agent = language_agents::Gguf::load(path, options)?;
    let model = agent.model_id().to_owned();
    Ok((Arc::new(agent), model))
}

#[cfg(not(feature = "models"))]
fn gguf(_: &Path) -> Result<(Arc<dyn Agent>, String), Failure> {
    Err("--agent gguf: is not in this build; build with --features models".into())
}

/// The key is in `OPENAI_API_KEY`; without one none is sent. What may succeed a moment later is
/// tried again.
#[cfg(feature = "openai")]
fn openai(url: &str, model: &str) -> Result<(Arc<dyn Agent>, String), Failure> {
    use language_agents::openai::{KEY_VARIABLE, OpenAi, OpenAiOptions};
    use language_agents::{Backoff, Retrying, SystemTimer};
    let mut agent = OpenAi::new(url, model, OpenAiOptions::default())?;
    if std::env::var_os(KEY_VARIABLE).is_some_and(|key| !key.is_empty()) {
        agent = agent.with_key_from_env(KEY_VARIABLE)?;
    }
    let agent = Retrying::new(agent, SystemTimer::new(), Backoff::default());
    Ok((Arc::new(agent), model.to_owned()))
}

#[cfg(not(feature = "openai"))]
fn openai(_: &str, _: &str) -> Result<(Arc<dyn Agent>, String), Failure> {
    Err("--agent openai: is not in this build; build with --features openai".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_read_and_others_refused_in_words() {
        assert_eq!("extractive".parse(), Ok(AgentChoice::Extractive));
        let openai: AgentChoice = "openai:http://localhost:8080/v1,qwen".parse().unwrap();
        let expected = AgentChoice::OpenAi {
            url: "http://localhost:8080/v1".into(),
            model: "qwen".into(),
        };
        assert_eq!(openai, expected);
        assert!(
            "gguf:"
                .parse::<AgentChoice>()
                .unwrap_err()
                .contains("gguf:PATH")
        );
        assert!(
            "gpt"
                .parse::<AgentChoice>()
                .unwrap_err()
                .contains("extractive")
        );
    }
}
