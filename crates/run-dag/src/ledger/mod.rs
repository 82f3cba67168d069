//! The ledger: sealed answers by cache key, with what became of them.

mod memory;
mod reclassify;
mod row;

pub use memory::MemoryLedger;
pub use reclassify::{Reclassified, Reclassifier, ReclassifyOutcome, ReclassifyReport, reclassify};
pub use row::{ChangeKind, FalsificationState, LedgerChange, LedgerRow};

use crate::audit::{AuditLog, NewEvent, Timestamp};
use crate::cache::CacheKey;
use crate::error::Result;
use crate::hash::RunRoot;
use crate::payload::clause;

/// Sealed answers. Object-safe and synchronous; shared between threads by reference.
///
/// # Laws
/// - A row is named by its run's root and does not change, but for its state and its absence.
/// - `lookup` sees live rows only; of several live rows under one key, the one inserted last.
/// - Every change and every refused burn is in `history`, in order, and stays there when the row is
///   gone. A change and its history entry are written as one step.
///
/// The module `conformance` (feature `conformance`) checks them on any implementation.
pub trait Ledger: Send + Sync {
    /// Adds a row as live. Adding the same row again changes nothing and returns `false`.
    ///
    /// # Errors
    /// [`Error::RowConflict`](crate::Error::RowConflict) when the root is there with other content;
    /// [`Error::NulInText`](crate::Error::NulInText); [`Error::Backend`](crate::Error::Backend).
    fn insert(&self, row: LedgerRow, at: Timestamp) -> Result<bool>;

    /// The live row under this key that was inserted last.
    ///
    /// # Errors
    /// [`Error::Backend`](crate::Error::Backend).
    fn lookup(&self, key: &CacheKey) -> Result<Option<LedgerRow>>;

    /// The row of this root, in whatever state, with its state.
    ///
    /// # Errors
    /// [`Error::Backend`](crate::Error::Backend).
    fn get(&self, root: &RunRoot) -> Result<Option<(LedgerRow, FalsificationState)>>;

    /// Up to `limit` rows in this state (or any), in order of insertion, after the row `after`.
    ///
    /// # Errors
    /// [`Error::NoSuchRow`](crate::Error::NoSuchRow) when `after` is not there;
    /// [`Error::Backend`](crate::Error::Backend).
    fn rows(
        &self,
        state: Option<FalsificationState>,
        after: Option<&RunRoot>,
        limit: usize,
    ) -> Result<Vec<LedgerRow>>;

    /// Changes a row's state, keeps the row, and writes the change to the history. Setting the state
    /// that it has is a change too.
    ///
    /// # Errors
    /// [`Error::NoSuchRow`](crate::Error::NoSuchRow); [`Error::Backend`](crate::Error::Backend).
    fn falsify(
        &self,
        root: &RunRoot,
        state: FalsificationState,
        reason: &str,
        at: Timestamp,
    ) -> Result<LedgerChange>;

    /// Removes a row. Refuses while other rows refer to it unless forced; either way it is in the
    /// history ([`ChangeKind::Burned`] or [`ChangeKind::BurnRefused`]).
    ///
    /// # Errors
    /// [`Error::RowReferenced`](crate::Error::RowReferenced) when refused;
    /// [`Error::NoSuchRow`](crate::Error::NoSuchRow); [`Error::Backend`](crate::Error::Backend).
    fn burn(
        &self,
        root: &RunRoot,
        force: bool,
        reason: &str,
        at: Timestamp,
    ) -> Result<LedgerChange>;

    /// Roots of the rows that refer to this one, sorted.
    ///
    /// # Errors
    /// [`Error::Backend`](crate::Error::Backend).
    fn referrers(&self, root: &RunRoot) -> Result<Vec<RunRoot>>;

    /// Changes of this root (or of all), in order.
    ///
    /// # Errors
    /// [`Error::Backend`](crate::Error::Backend).
    fn history(&self, root: Option<&RunRoot>) -> Result<Vec<LedgerChange>>;
}

/// The audit event of a ledger change.
///
/// # Errors
/// Only if the change cannot be committed, which no change gives cause for.
pub fn change_event(change: &LedgerChange) -> Result<NewEvent> {
    Ok(NewEvent {
        at: change.at,
        kind: change.change.event_kind().into(),
        detail: clause(change)?,
    })
}

/// A ledger whose changes also go to an audit log.
///
/// The ledger's own history is written with each change; the audit log gets it right after, a
/// refused burn included.
#[derive(Clone, Copy)]
pub struct AuditedLedger<'a> {
    ledger: &'a dyn Ledger,
    log: &'a dyn AuditLog,
}

impl std::fmt::Debug for AuditedLedger<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("AuditedLedger")
    }
}

impl<'a> AuditedLedger<'a> {
    /// The ledger with this log.
    #[must_use]
    pub fn new(ledger: &'a dyn Ledger, log: &'a dyn AuditLog) -> Self {
        Self { ledger, log }
    }

    /// [`Ledger::insert`], logged when the row is new.
    ///
    /// # Errors
    /// As [`Ledger::insert`] and [`AuditLog::append`].
    pub fn insert(&self, row: LedgerRow, at: Timestamp) -> Result<bool> {
        let root = row.root;
        let new = self.ledger.insert(row, at)?;
        if new {
            self.log_last(&root)?;
        }
        Ok(new)
    }

    /// [`Ledger::falsify`], logged.
    ///
    /// # Errors
    /// As [`Ledger::falsify`] and [`AuditLog::append`].
    pub fn falsify(
        &self,
        root: &RunRoot,
        state: FalsificationState,
        reason: &str,
        at: Timestamp,
    ) -> Result<LedgerChange> {
        let change = self.ledger.falsify(root, state, reason, at)?;
        self.log.append(change_event(&change)?)?;
        Ok(change)
    }

    /// [`Ledger::burn`], logged whether it was done or refused.
    ///
    /// # Errors
    /// As [`Ledger::burn`] and [`AuditLog::append`].
    pub fn burn(
        &self,
        root: &RunRoot,
        force: bool,
        reason: &str,
        at: Timestamp,
    ) -> Result<LedgerChange> {
        match self.ledger.burn(root, force, reason, at) {
            Ok(change) => {
                self.log.append(change_event(&change)?)?;
                Ok(change)
            }
            Err(refused @ crate::Error::RowReferenced { .. }) => {
                self.log_last(root)?;
                Err(refused)
            }
            Err(other) => Err(other),
        }
    }

    fn log_last(&self, root: &RunRoot) -> Result<()> {
        if let Some(change) = self.ledger.history(Some(root))?.last() {
            self.log.append(change_event(change)?)?;
        }
        Ok(())
    }
}
