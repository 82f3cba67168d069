//! Verifying stored answers again when sources have grown, without a model.

use super::{AuditedLedger, FalsificationState, Ledger, LedgerRow};
use crate::audit::{AuditLog, NewEvent, Timestamp};
use crate::error::{Error, Result};
use crate::hash::RunRoot;
use crate::payload::clause;
use serde::Serialize;

/// What a verifier says of a stored answer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reclassified {
    /// The verdict is as it was.
    Unchanged,
    /// Sealed anew: quote-mode answers against the larger sources, lattice answers with further
    /// evidence entries for their failed claims. The row's key tells under which policy.
    Sealed(Box<LedgerRow>),
}

/// Re-verifies one stored answer. Implemented by whoever owns the verifier; never calls a model.
pub trait Reclassifier {
    /// Verifies the row's answer against the sources as they are now.
    ///
    /// # Errors
    /// Whatever keeps the answer from being verified; that row is then reported as such.
    fn reverify(&self, row: &LedgerRow) -> Result<Reclassified>;
}

/// What became of one row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "outcome")]
#[non_exhaustive]
pub enum ReclassifyOutcome {
    /// The verdict is as it was.
    Unchanged,
    /// The label climbed: a new row stands, the old one is stale.
    Climbed {
        /// Root of the new row.
        to: RunRoot,
        /// Rung before.
        from_rung: u32,
        /// Rung after.
        to_rung: u32,
    },
    /// Under another policy a new record was made, whichever way the label went; the old row stays.
    NewPolicy {
        /// Root of the new row.
        to: RunRoot,
        /// Rung before.
        from_rung: u32,
        /// Rung after.
        to_rung: u32,
    },
    /// The same policy gave a lower rung: refused, the old row stands.
    DemotionRefused {
        /// Rung before.
        from_rung: u32,
        /// Rung proposed.
        to_rung: u32,
    },
    /// The answer could not be verified again.
    Failed {
        /// Why.
        error: String,
    },
}

/// One row and what became of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReclassifyReport {
    /// The row.
    pub root: RunRoot,
    /// What became of it.
    #[serde(flatten)]
    pub outcome: ReclassifyOutcome,
}

/// The rule: under one policy a record only climbs.
///
/// # Errors
/// [`Error::Demotion`] when the policy is the same and the rung lower.
fn demand_climb(old: &LedgerRow, new: &LedgerRow) -> Result<()> {
    let same_policy = old.key.governance_policy_hash == new.key.governance_policy_hash;
    if same_policy && new.rung < old.rung {
        return Err(Error::Demotion {
            root: old.root.to_hex(),
            from: old.rung,
            to: new.rung,
        });
    }
    Ok(())
}

/// Verifies every live row again and applies the rule; each change is logged.
///
/// A row that climbs becomes stale and a new row, which refers to it, stands in its place. A row of
/// the same rung is unchanged. Rows added on the way are not visited.
///
/// # Errors
/// [`Error::Backend`] when a store fails. What goes wrong with one answer is reported for that row
/// and does not stop the others.
pub fn reclassify(
    ledger: &dyn Ledger,
    log: &dyn AuditLog,
    verifier: &dyn Reclassifier,
    at: Timestamp,
) -> Result<Vec<ReclassifyReport>> {
    let audited = AuditedLedger::new(ledger, log);
    let rows = ledger.rows(Some(FalsificationState::Live), None, usize::MAX)?;
    let mut reports = Vec::with_capacity(rows.len());
    for row in rows {
        let outcome = match verifier.reverify(&row) {
            Ok(Reclassified::Unchanged) => ReclassifyOutcome::Unchanged,
            Ok(Reclassified::Sealed(new)) => settle(&audited, &row, *new, at)?,
            Err(error) => ReclassifyOutcome::Failed {
                error: error.to_string(),
            },
        };
        let report = ReclassifyReport {
            root: row.root,
            outcome,
        };
        if report.outcome != ReclassifyOutcome::Unchanged {
            log.append(NewEvent {
                at,
                kind: "reclassified".into(),
                detail: clause(&report)?,
            })?;
        }
        reports.push(report);
    }
    Ok(reports)
}

fn settle(
    audited: &AuditedLedger<'_>,
    old: &LedgerRow,
    mut new: LedgerRow,
    at: Timestamp,
) -> Result<ReclassifyOutcome> {
    let (from_rung, to_rung, to) = (old.rung, new.rung, new.root);
    match demand_climb(old, &new) {
        Err(Error::Demotion { .. }) => {
            return Ok(ReclassifyOutcome::DemotionRefused { from_rung, to_rung });
        }
        other => other?,
    }
    let same_policy = old.key.governance_policy_hash == new.key.governance_policy_hash;
    if new.root == old.root || (same_policy && to_rung == from_rung) {
        return Ok(ReclassifyOutcome::Unchanged);
    }
    if !new.refers_to.contains(&old.root) {
        new.refers_to.push(old.root);
    }
    match audited.insert(new, at) {
        Ok(_) => {}
        Err(error @ Error::Backend { .. }) => return Err(error),
        Err(error) => {
            return Ok(ReclassifyOutcome::Failed {
                error: error.to_string(),
            });
        }
    }
    if same_policy {
        audited.falsify(&old.root, FalsificationState::Stale, "reclassified", at)?;
        return Ok(ReclassifyOutcome::Climbed {
            to,
            from_rung,
            to_rung,
        });
    }
    Ok(ReclassifyOutcome::NewPolicy {
        to,
        from_rung,
        to_rung,
    })
}
