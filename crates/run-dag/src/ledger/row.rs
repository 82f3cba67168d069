//! Rows of the ledger and what happens to them.

use crate::audit::Timestamp;
use crate::cache::CacheKey;
use crate::error::{Error, Result};
use crate::hash::RunRoot;
use serde::{Deserialize, Serialize};

/// A sealed answer as the ledger keeps it. Rows do not change: an answer that climbs is a new row
/// that refers to the old one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LedgerRow {
    /// The run's root: the row's name.
    pub root: RunRoot,
    /// What it answers.
    pub key: CacheKey,
    /// Answer mode: `pointer`, `json`, `quote`.
    pub mode: String,
    /// The label shown.
    pub label: String,
    /// The label's place on its ladder, from 0: what may only climb under one policy.
    pub rung: u32,
    /// The sealed answer, as the caller's JSON text; the ledger does not look inside.
    pub answer: String,
    /// The run's record, as its canonical JSON.
    pub record: String,
    /// Rows that this one refers to: a predecessor asked again, an answer reclassified.
    pub refers_to: Vec<RunRoot>,
}

impl LedgerRow {
    /// Refuses what no store accepts.
    ///
    /// # Errors
    /// [`Error::NulInText`] when a text holds U+0000.
    pub fn validate(&self) -> Result<()> {
        let texts = [
            ("mode", &self.mode),
            ("label", &self.label),
            ("answer", &self.answer),
            ("record", &self.record),
            ("schema_version", &self.key.schema_version),
            (
                "canonicalization_version",
                &self.key.canonicalization_version,
            ),
            ("chunking_version", &self.key.chunking_version),
        ];
        match texts.iter().find(|(_, text)| text.contains('\0')) {
            Some((path, _)) => Err(Error::NulInText { path }),
            None => Ok(()),
        }
    }
}

/// What became of a row. Look-ups see live rows only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FalsificationState {
    /// It stands.
    Live,
    /// It was shown to be wrong.
    Failed,
    /// Something newer stands in its place.
    Stale,
    /// It is held back until someone has looked.
    Quarantined,
}

impl FalsificationState {
    /// The name on the wire and in stores.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Live => "live",
            Self::Failed => "failed",
            Self::Stale => "stale",
            Self::Quarantined => "quarantined",
        }
    }

    /// Reads a state's name.
    ///
    /// # Errors
    /// [`Error::WrongType`] for any other text.
    pub fn parse(text: &str) -> Result<Self> {
        [Self::Live, Self::Failed, Self::Stale, Self::Quarantined]
            .into_iter()
            .find(|s| s.as_str() == text)
            .ok_or_else(|| Error::WrongType {
                path: "falsification_state".into(),
                reason: format!("{text:?} is none of live, failed, stale, quarantined"),
            })
    }
}

/// What happened to a row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "type")]
#[non_exhaustive]
pub enum ChangeKind {
    /// It was added.
    Inserted,
    /// Its state changed.
    State {
        /// The state before.
        from: FalsificationState,
        /// The state after.
        to: FalsificationState,
    },
    /// It was removed.
    Burned {
        /// Whether rows that refer to it were overridden.
        forced: bool,
        /// How many rows referred to it.
        referrers: u32,
    },
    /// Its removal was refused.
    BurnRefused {
        /// How many rows refer to it.
        referrers: u32,
    },
}

impl ChangeKind {
    /// The audit event's kind.
    #[must_use]
    pub fn event_kind(&self) -> &'static str {
        match self {
            Self::Inserted => "ledger_inserted",
            Self::State { .. } => "ledger_state_changed",
            Self::Burned { .. } => "ledger_burned",
            Self::BurnRefused { .. } => "ledger_burn_refused",
        }
    }
}

/// One entry of a ledger's history.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LedgerChange {
    /// The row.
    pub root: RunRoot,
    /// What happened.
    pub change: ChangeKind,
    /// Why, in the caller's words.
    pub reason: String,
    /// When.
    pub at: Timestamp,
}
