//! The policy and the model that a run was made under.

use crate::error::Result;
use crate::hash::{self, ConversationHash, GovernancePolicyHash, ModelProfileHash};
use crate::json::canonical;
use crate::payload::Clause;
use serde::{Deserialize, Serialize};

/// Every switch of the verifier that can change a verdict. Its hash partitions the cache.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GovernancePolicy {
    /// The policy's name: `strict`, `seed`, ….
    pub name: String,
    /// The switches by name; thresholds as integers or decimal texts.
    pub switches: Clause,
}

impl GovernancePolicy {
    /// The policy's hash.
    ///
    /// # Errors
    /// Only if canonical JSON cannot be written, which no policy gives cause for.
    pub fn hash(&self) -> Result<GovernancePolicyHash> {
        Ok(GovernancePolicyHash::from_bytes(
            hash::GOVERNANCE_POLICY.digest(&canonical(self)?),
        ))
    }
}

/// The model and how it was sampled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelProfile {
    /// The model's id.
    pub model_id: String,
    /// Its revision, if it has one.
    pub revision: Option<String>,
    /// Its quantization, if any.
    pub quantization: Option<String>,
    /// Sampling parameters; fractions as decimal texts (`"0.7"`).
    pub sampling: Clause,
}

impl ModelProfile {
    /// The profile's hash.
    ///
    /// # Errors
    /// Only if canonical JSON cannot be written, which no profile gives cause for.
    pub fn hash(&self) -> Result<ModelProfileHash> {
        Ok(ModelProfileHash::from_bytes(
            hash::MODEL_PROFILE.digest(&canonical(self)?),
        ))
    }
}

/// One turn of a conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Turn {
    /// Who spoke.
    pub role: String,
    /// What was said.
    pub text: String,
}

/// The hash of the turns before a question; of no turns when it opens the conversation.
///
/// # Errors
/// Only if canonical JSON cannot be written, which no turn gives cause for.
pub fn conversation_hash(turns: &[Turn]) -> Result<ConversationHash> {
    Ok(ConversationHash::from_bytes(
        hash::CONVERSATION.digest(&canonical(turns)?),
    ))
}
