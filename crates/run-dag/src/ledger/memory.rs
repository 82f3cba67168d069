//! A ledger in memory.

use super::{ChangeKind, FalsificationState, Ledger, LedgerChange, LedgerRow};
use crate::audit::Timestamp;
use crate::cache::CacheKey;
use crate::error::{Error, Result};
use crate::hash::RunRoot;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A [`Ledger`] in memory.
#[derive(Debug, Default)]
pub struct MemoryLedger {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Rows by order of insertion.
    rows: BTreeMap<u64, (LedgerRow, FalsificationState)>,
    by_root: BTreeMap<RunRoot, u64>,
    by_key: BTreeMap<CacheKey, Vec<u64>>,
    referrers: BTreeMap<RunRoot, Vec<RunRoot>>,
    history: Vec<LedgerChange>,
    next: u64,
}

fn no_row(root: &RunRoot) -> Error {
    Error::NoSuchRow {
        root: root.to_hex(),
    }
}

fn demand_text(reason: &str) -> Result<()> {
    if reason.contains('\0') {
        Err(Error::NulInText { path: "reason" })
    } else {
        Ok(())
    }
}

impl State {
    fn note(
        &mut self,
        root: &RunRoot,
        change: ChangeKind,
        reason: &str,
        at: Timestamp,
    ) -> LedgerChange {
        let change = LedgerChange {
            root: *root,
            change,
            reason: reason.to_owned(),
            at,
        };
        self.history.push(change.clone());
        change
    }

    fn referrers(&self, root: &RunRoot) -> Vec<RunRoot> {
        self.referrers.get(root).cloned().unwrap_or_default()
    }

    fn remove(&mut self, root: &RunRoot) {
        let Some(place) = self.by_root.remove(root) else {
            return;
        };
        let Some((row, _)) = self.rows.remove(&place) else {
            return;
        };
        if let Some(places) = self.by_key.get_mut(&row.key) {
            places.retain(|p| *p != place);
        }
        for target in &row.refers_to {
            if let Some(referrers) = self.referrers.get_mut(target) {
                referrers.retain(|r| r != root);
            }
        }
    }
}

impl MemoryLedger {
    /// An empty ledger.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Ledger for MemoryLedger {
    fn insert(&self, row: LedgerRow, at: Timestamp) -> Result<bool> {
        row.validate()?;
        let mut state = self.state();
        if let Some((there, _)) = state.by_root.get(&row.root).and_then(|p| state.rows.get(p)) {
            let same = *there == row;
            return if same {
                Ok(false)
            } else {
                Err(Error::RowConflict {
                    root: row.root.to_hex(),
                })
            };
        }
        let place = state.next;
        state.next += 1;
        state.by_root.insert(row.root, place);
        state.by_key.entry(row.key.clone()).or_default().push(place);
        for target in &row.refers_to {
            let referrers = state.referrers.entry(*target).or_default();
            if let Err(at) = referrers.binary_search(&row.root) {
                referrers.insert(at, row.root);
            }
        }
        state.note(&row.root, ChangeKind::Inserted, "", at);
        state.rows.insert(place, (row, FalsificationState::Live));
        Ok(true)
    }

    fn lookup(&self, key: &CacheKey) -> Result<Option<LedgerRow>> {
        let state = self.state();
        let places = state.by_key.get(key).map_or(&[][..], Vec::as_slice);
        let live = places.iter().rev().filter_map(|p| state.rows.get(p));
        Ok(live
            .filter(|(_, s)| *s == FalsificationState::Live)
            .map(|(r, _)| r.clone())
            .next())
    }

    fn get(&self, root: &RunRoot) -> Result<Option<(LedgerRow, FalsificationState)>> {
        let state = self.state();
        Ok(state
            .by_root
            .get(root)
            .and_then(|p| state.rows.get(p))
            .cloned())
    }

    fn rows(
        &self,
        wanted: Option<FalsificationState>,
        after: Option<&RunRoot>,
        limit: usize,
    ) -> Result<Vec<LedgerRow>> {
        let state = self.state();
        let from = match after {
            Some(root) => state
                .by_root
                .get(root)
                .ok_or_else(|| no_row(root))?
                .saturating_add(1),
            None => 0,
        };
        let rows = state.rows.range(from..).map(|(_, row)| row);
        let wanted = rows.filter(|(_, s)| wanted.is_none_or(|w| w == *s));
        Ok(wanted.take(limit).map(|(r, _)| r.clone()).collect())
    }

    fn falsify(
        &self,
        root: &RunRoot,
        to: FalsificationState,
        reason: &str,
        at: Timestamp,
    ) -> Result<LedgerChange> {
        demand_text(reason)?;
        let mut state = self.state();
        let place = *state.by_root.get(root).ok_or_else(|| no_row(root))?;
        let Some((_, current)) = state.rows.get_mut(&place) else {
            return Err(no_row(root));
        };
        let from = std::mem::replace(current, to);
        Ok(state.note(root, ChangeKind::State { from, to }, reason, at))
    }

    fn burn(
        &self,
        root: &RunRoot,
        force: bool,
        reason: &str,
        at: Timestamp,
    ) -> Result<LedgerChange> {
        demand_text(reason)?;
        let mut state = self.state();
        if !state.by_root.contains_key(root) {
            return Err(no_row(root));
        }
        let count = state.referrers(root).len();
        let referrers = u32::try_from(count).unwrap_or(u32::MAX);
        if count > 0 && !force {
            state.note(root, ChangeKind::BurnRefused { referrers }, reason, at);
            return Err(Error::RowReferenced {
                root: root.to_hex(),
                referrers: count,
            });
        }
        state.remove(root);
        Ok(state.note(
            root,
            ChangeKind::Burned {
                forced: force,
                referrers,
            },
            reason,
            at,
        ))
    }

    fn referrers(&self, root: &RunRoot) -> Result<Vec<RunRoot>> {
        Ok(self.state().referrers(root))
    }

    fn history(&self, root: Option<&RunRoot>) -> Result<Vec<LedgerChange>> {
        let state = self.state();
        let wanted = state
            .history
            .iter()
            .filter(|c| root.is_none_or(|r| *r == c.root));
        Ok(wanted.cloned().collect())
    }
}
