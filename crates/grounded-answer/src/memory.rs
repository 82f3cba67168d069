//! The cache: sealed answers kept in a ledger, logged, and verified again before they are served.

use std::sync::Arc;

use run_dag::audit::{AuditLog, Timestamp};
use run_dag::ledger::{AuditedLedger, FalsificationState, Ledger, LedgerRow};
use run_dag::{CacheKey, QUESTION_CANONICALIZATION, conversation_hash, question_hash};

use crate::sealed::SCHEMA_VERSION;
use crate::{Answerer, AtHand, Error, RecordedAnswer, SealedAnswer, Settings, verify};

/// Where sealed answers are kept and every change to them is logged.
#[derive(Clone)]
pub struct Memory {
    ledger: Arc<dyn Ledger>,
    log: Arc<dyn AuditLog>,
    now: Arc<dyn Fn() -> Timestamp + Send + Sync>,
}

impl Memory {
    /// A ledger, the log of its changes and the clock by which they are dated.
    #[must_use]
    pub fn new(
        ledger: Arc<dyn Ledger>,
        log: Arc<dyn AuditLog>,
        now: Arc<dyn Fn() -> Timestamp + Send + Sync>,
    ) -> Self {
        Self { ledger, log, now }
    }

    /// The ledger.
    #[must_use]
    pub fn ledger(&self) -> &dyn Ledger {
        self.ledger.as_ref()
    }

    /// The log.
    #[must_use]
    pub fn log(&self) -> &dyn AuditLog {
        self.log.as_ref()
    }

    pub(crate) fn audited(&self) -> AuditedLedger<'_> {
        AuditedLedger::new(self.ledger.as_ref(), self.log.as_ref())
    }

    pub(crate) fn now(&self) -> Timestamp {
        (self.now)()
    }
}

impl Answerer {
    /// The key under which an answer to this question is kept, or none where the sources' root is
    /// not known: without it a kept answer could be stale.
    pub(crate) fn cache_key(
        &self,
        question: &str,
        settings: &Settings,
    ) -> Result<Option<CacheKey>, Error> {
        let Some(sources) = &self.sources else {
            return Ok(None);
        };
        Ok(Some(CacheKey {
            source_root: sources.source_root(),
            question_hash: question_hash(question),
            model_profile_hash: self.model.hash()?,
            conversation_hash: conversation_hash(&[])?,
            governance_policy_hash: settings.governance()?.hash()?,
            schema_version: SCHEMA_VERSION.to_owned(),
            canonicalization_version: QUESTION_CANONICALIZATION.to_owned(),
            chunking_version: CHUNKING_VERSION.to_owned(),
        }))
    }

    /// A kept answer that still recomputes. One that does not is marked as failed and not served.
    pub(crate) fn recall(
        &self,
        question: &str,
        settings: &Settings,
    ) -> Result<Option<SealedAnswer>, Error> {
        let (Some(memory), Some(sources)) = (&self.memory, &self.sources) else {
            return Ok(None);
        };
        let Some(key) = self.cache_key(question, settings)? else {
            return Ok(None);
        };
        let Some(row) = memory.ledger.lookup(&key)? else {
            return Ok(None);
        };
        let checked = RecordedAnswer::from_json(&row.answer).and_then(|saved| {
            let at_hand = AtHand {
                retriever: Some(self.retriever.as_ref()),
                agent: None,
            };
            verify(&saved, sources.as_ref(), at_hand)
        });
        let reason = match checked {
            Ok(result) if result.matches() => {
                return Ok(result.recomputed.map(|answer| *answer));
            }
            Ok(result) => result
                .discrepancies
                .first()
                .map_or_else(String::new, |d| d.place.clone()),
            Err(error) => error.to_string(),
        };
        let reason = format!("does not recompute: {reason}");
        memory
            .audited()
            .falsify(&row.root, FalsificationState::Failed, &reason, memory.now())?;
        Ok(None)
    }

    /// Keeps a sealed answer and logs that.
    pub(crate) fn keep(&self, sealed: &SealedAnswer) -> Result<(), Error> {
        let Some(memory) = &self.memory else {
            return Ok(());
        };
        let Some(key) = self.cache_key(&sealed.question, &sealed.settings)? else {
            return Ok(());
        };
        let row = ledger_row(sealed, key)?;
        let failed = memory
            .ledger
            .get(&row.root)?
            .is_some_and(|(known, state)| state == FalsificationState::Failed && known != row);
        if failed {
            // The same run has the same root: the row that no longer recomputed makes way.
            let reason = "replaced by an answer that recomputes";
            memory
                .audited()
                .burn(&row.root, true, reason, memory.now())?;
        }
        memory.audited().insert(row, memory.now())?;
        Ok(())
    }
}

/// The version of the chunking that passages come from.
const CHUNKING_VERSION: &str = "geodesic-retriever-chunks-1";

/// A sealed answer as a row of the ledger.
pub(crate) fn ledger_row(sealed: &SealedAnswer, key: CacheKey) -> Result<LedgerRow, Error> {
    let record = sealed.run.to_canonical_json()?;
    Ok(LedgerRow {
        root: sealed.run_dag_root,
        key,
        mode: sealed.settings.mode.wire_name().to_owned(),
        label: sealed.label.clone(),
        rung: sealed.rung(),
        answer: sealed.to_canonical_json()?,
        record: String::from_utf8_lossy(&record).into_owned(),
        refers_to: Vec::new(),
    })
}
