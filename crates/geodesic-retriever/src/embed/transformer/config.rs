//! What a sentence-transformers folder says about its model.

use serde::{Deserialize, Serialize};

use super::super::model_folder::ModelFolder;
use crate::Error;

/// How token vectors become one vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Pooling {
    /// The mean over the tokens.
    Mean,
    /// The first token's vector.
    Cls,
    /// The greatest value of each component.
    Max,
}

/// What is put before a text. Empty for plain models; an already prefixed text is left alone.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Prompts {
    /// Before a question, such as `search_query: `.
    pub query: String,
    /// Before a document, such as `search_document: `.
    pub document: String,
}

impl Prompts {
    /// The prefixes of nomic-embed-text for retrieval.
    #[must_use]
    pub fn nomic_search() -> Self {
        Self {
            query: "search_query: ".into(),
            document: "search_document: ".into(),
        }
    }

    /// One prefix for both sides: nomic's `clustering` or `classification`.
    #[must_use]
    pub fn nomic_task(task: &str) -> Self {
        Self {
            query: format!("{task}: "),
            document: format!("{task}: "),
        }
    }
}

/// Which architecture a folder holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Family {
    Bert,
    Nomic,
}

/// The numbers of an encoder.
#[derive(Debug, Clone)]
pub(crate) struct EncoderConfig {
    pub(crate) family: Family,
    pub(crate) hidden: usize,
    pub(crate) layers: usize,
    pub(crate) heads: usize,
    pub(crate) intermediate: usize,
    pub(crate) positions: usize,
    pub(crate) vocabulary: usize,
    pub(crate) epsilon: f32,
    pub(crate) rotary_base: f32,
}

#[derive(Deserialize)]
struct Raw {
    model_type: Option<String>,
    #[serde(alias = "n_embd")]
    hidden_size: usize,
    #[serde(alias = "n_layer")]
    num_hidden_layers: usize,
    #[serde(alias = "n_head")]
    num_attention_heads: usize,
    #[serde(alias = "n_inner")]
    intermediate_size: Option<usize>,
    #[serde(alias = "max_trained_positions")]
    max_position_embeddings: Option<usize>,
    vocab_size: usize,
    #[serde(alias = "layer_norm_epsilon")]
    layer_norm_eps: Option<f64>,
    #[serde(alias = "activation_function")]
    hidden_act: Option<String>,
    position_embedding_type: Option<String>,
    rotary_emb_base: Option<f32>,
    rotary_emb_fraction: Option<f32>,
    rotary_emb_interleaved: Option<bool>,
    rope_parameters: Option<Rope>,
    prenorm: Option<bool>,
    qkv_proj_bias: Option<bool>,
    mlp_fc1_bias: Option<bool>,
}

#[derive(Deserialize)]
struct Rope {
    rope_theta: f32,
}

impl EncoderConfig {
    pub(crate) fn load(folder: &ModelFolder, family: Family) -> Result<Self, Error> {
        let raw: Raw = folder.json("config.json")?;
        let bad = |what: String| folder.unusable("config.json", what);
        let model_type = raw.model_type.unwrap_or_default();
        let fits = match family {
            Family::Bert => model_type == "bert",
            Family::Nomic => model_type == "nomic_bert",
        };
        if !fits {
            let wanted = if family == Family::Bert {
                "bert"
            } else {
                "nomic_bert"
            };
            return Err(bad(format!(
                "model_type is {model_type:?}; this loader takes {wanted:?}"
            )));
        }
        let act = raw.hidden_act.unwrap_or_default();
        let known = match family {
            Family::Bert => {
                act == "gelu"
                    && raw
                        .position_embedding_type
                        .as_deref()
                        .is_none_or(|p| p == "absolute")
            }
            Family::Nomic => {
                (act == "swiglu" || act == "silu")
                    && raw.rotary_emb_fraction.is_none_or(|f| f == 1.0)
                    && !raw.rotary_emb_interleaved.unwrap_or(false)
                    && !raw.prenorm.unwrap_or(false)
                    && !raw.qkv_proj_bias.unwrap_or(false)
                    && !raw.mlp_fc1_bias.unwrap_or(false)
            }
        };
        if !known {
            return Err(bad(format!(
                "activation {act:?} or its position embedding is not supported"
            )));
        }
        let (hidden, heads) = (raw.hidden_size, raw.num_attention_heads);
        if hidden == 0 || heads == 0 || hidden % heads != 0 || (hidden / heads) % 2 != 0 {
            return Err(bad(format!(
                "{heads} heads do not divide a hidden size of {hidden}"
            )));
        }
        let default_positions = if family == Family::Bert { 512 } else { 2048 };
        Ok(Self {
            family,
            hidden,
            heads,
            layers: raw.num_hidden_layers,
            intermediate: raw.intermediate_size.unwrap_or(4 * hidden),
            // 0 stands for "not trained with absolute positions" in nomic's own configuration.
            positions: raw
                .max_position_embeddings
                .filter(|&p| p > 0)
                .unwrap_or(default_positions),
            vocabulary: raw.vocab_size,
            epsilon: raw.layer_norm_eps.unwrap_or(1e-12) as f32,
            rotary_base: raw
                .rope_parameters
                .map(|r| r.rope_theta)
                .or(raw.rotary_emb_base)
                .unwrap_or(1000.0),
        })
    }
}

/// What the folder says beside the encoder: pooling, maximum length, prompts.
#[derive(Debug, Clone)]
pub(crate) struct SentenceConfig {
    pub(crate) pooling: Pooling,
    pub(crate) max_tokens: Option<usize>,
    pub(crate) prompts: Prompts,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct RawPooling {
    pooling_mode_cls_token: bool,
    pooling_mode_mean_tokens: bool,
    pooling_mode_max_tokens: bool,
    pooling_mode_mean_sqrt_len_tokens: bool,
}

#[derive(Deserialize)]
struct Module {
    path: String,
    r#type: String,
}

#[derive(Deserialize)]
struct RawSentence {
    max_seq_length: Option<usize>,
}

#[derive(Deserialize)]
struct RawPrompts {
    #[serde(default)]
    prompts: std::collections::BTreeMap<String, String>,
}

impl SentenceConfig {
    pub(crate) fn load(folder: &ModelFolder) -> Result<Self, Error> {
        let modules: Vec<Module> = folder.json_if_there("modules.json")?.unwrap_or_default();
        let mut pooling_path = "1_Pooling".to_owned();
        for module in &modules {
            match module.r#type.rsplit('.').next().unwrap_or_default() {
                "Transformer" | "Normalize" => {}
                "Pooling" => pooling_path.clone_from(&module.path),
                other => {
                    let what = format!(
                        "module {other} is not supported; Transformer, Pooling and Normalize are"
                    );
                    return Err(folder.unusable("modules.json", what));
                }
            }
        }
        let name = format!("{pooling_path}/config.json");
        let pooling = match folder.json_if_there::<RawPooling>(&name)? {
            None => Pooling::Mean,
            Some(p) => pooling_of(&p).ok_or_else(|| {
                folder.unusable(
                    &name,
                    "the pooling must be exactly one of cls, mean and max",
                )
            })?,
        };
        let sentence: Option<RawSentence> = folder.json_if_there("sentence_bert_config.json")?;
        let prompts: Option<RawPrompts> =
            folder.json_if_there("config_sentence_transformers.json")?;
        let prompts = prompts.map(|p| p.prompts).unwrap_or_default();
        let prompt = |names: &[&str]| {
            names
                .iter()
                .find_map(|n| prompts.get(*n))
                .cloned()
                .unwrap_or_default()
        };
        Ok(Self {
            pooling,
            max_tokens: sentence.and_then(|s| s.max_seq_length),
            prompts: Prompts {
                query: prompt(&["query", "search_query"]),
                document: prompt(&["document", "passage", "search_document"]),
            },
        })
    }
}

fn pooling_of(p: &RawPooling) -> Option<Pooling> {
    match (
        p.pooling_mode_cls_token,
        p.pooling_mode_mean_tokens,
        p.pooling_mode_max_tokens,
        p.pooling_mode_mean_sqrt_len_tokens,
    ) {
        (true, false, false, false) => Some(Pooling::Cls),
        (false, true, false, false) => Some(Pooling::Mean),
        (false, false, true, false) => Some(Pooling::Max),
        _ => None,
    }
}
