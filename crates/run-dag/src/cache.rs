//! The key under which an answer is cached.

use crate::error::Result;
use crate::hash::{
    self, CacheKeyHash, ConversationHash, GovernancePolicyHash, ModelProfileHash, QuestionHash,
    SourceRoot,
};
use crate::json::canonical;
use serde::{Deserialize, Serialize};

/// Eight dimensions; an answer is found only if all agree. Changing one makes old records miss,
/// never vanish.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CacheKey {
    /// Root over the sources searched.
    pub source_root: SourceRoot,
    /// The question, in canonical form.
    pub question_hash: QuestionHash,
    /// The model.
    pub model_profile_hash: ModelProfileHash,
    /// The conversation before the question.
    pub conversation_hash: ConversationHash,
    /// The policy.
    pub governance_policy_hash: GovernancePolicyHash,
    /// Version of the record's schema.
    pub schema_version: String,
    /// Version of the canonicalization of questions and texts.
    pub canonicalization_version: String,
    /// Version of the chunking of documents.
    pub chunking_version: String,
}

impl CacheKey {
    /// The key's hash: what a store indexes.
    ///
    /// # Errors
    /// Only if canonical JSON cannot be written, which no key gives cause for.
    pub fn hash(&self) -> Result<CacheKeyHash> {
        Ok(CacheKeyHash::from_bytes(
            hash::CACHE_KEY.digest(&canonical(self)?),
        ))
    }
}
