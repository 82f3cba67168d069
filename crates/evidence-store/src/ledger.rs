//! The ledger.

use std::sync::Arc;

use run_dag::audit::Timestamp;
use run_dag::ledger::{ChangeKind, FalsificationState, Ledger, LedgerChange, LedgerRow};
use run_dag::{CacheKey, RunRoot};

use crate::Error;
use crate::sql::{self, Database, Lock, Mode, Row, Tx, Value, from_json, to_json, transact};

/// The ledger of a store. Cheap to clone.
#[derive(Clone)]
pub struct StoredLedger {
    db: Arc<dyn Database>,
}

impl std::fmt::Debug for StoredLedger {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("StoredLedger")
    }
}

type Outcome<T> = Result<T, run_dag::Error>;

fn no_row(root: &RunRoot) -> run_dag::Error {
    run_dag::Error::NoSuchRow {
        root: root.to_hex(),
    }
}

fn demand_text(reason: &str) -> Outcome<()> {
    if reason.contains('\0') {
        return Err(run_dag::Error::NulInText { path: "reason" });
    }
    Ok(())
}

fn key(root: &RunRoot) -> Value {
    root.as_bytes().into()
}

/// A row of the ledger out of a row that holds its body in column 0 and its root in column 1.
fn row_from(row: &Row) -> Result<LedgerRow, Error> {
    let body: LedgerRow = from_json(row.text(0)?)?;
    if *body.root.as_bytes() != row.digest(1)? {
        return Err(Error::damaged(format!(
            "the ledger row {} under another root",
            body.root
        )));
    }
    Ok(body)
}

struct Stored {
    place: i64,
    state: FalsificationState,
    row: LedgerRow,
}

fn stored(tx: &mut dyn Tx, root: &RunRoot) -> Outcome<Option<Stored>> {
    let rows = tx.query(
        "SELECT body, root, state, place FROM ledger_rows WHERE root = $1",
        &[key(root)],
    )?;
    let Some(found) = rows.first() else {
        return Ok(None);
    };
    Ok(Some(Stored {
        place: found.int(3)?,
        state: FalsificationState::parse(found.text(2)?)?,
        row: row_from(found)?,
    }))
}

fn next_place(tx: &mut dyn Tx, table: &str) -> Result<Value, Error> {
    let rows = tx.query(
        &format!("SELECT COALESCE(MAX(place), -1) + 1 FROM {table}"),
        &[],
    )?;
    Ok(Value::Int(rows.first().map_or(Ok(0), |row| row.int(0))?))
}

fn note(
    tx: &mut dyn Tx,
    root: &RunRoot,
    change: ChangeKind,
    reason: &str,
    at: Timestamp,
) -> Result<LedgerChange, Error> {
    let change = LedgerChange {
        root: *root,
        change,
        reason: reason.to_owned(),
        at,
    };
    let place = next_place(tx, "ledger_history")?;
    tx.execute(
        "INSERT INTO ledger_history (place, root, body) VALUES ($1, $2, $3)",
        &[place, key(root), to_json(&change)?.into()],
    )?;
    Ok(change)
}

fn referrers(tx: &mut dyn Tx, root: &RunRoot) -> Result<Vec<RunRoot>, Error> {
    let rows = tx.query(
        "SELECT referrer FROM ledger_references WHERE target = $1 ORDER BY referrer",
        &[key(root)],
    )?;
    rows.iter()
        .map(|row| row.digest(0).map(RunRoot::from_bytes))
        .collect()
}

fn add(tx: &mut dyn Tx, row: &LedgerRow) -> Outcome<()> {
    let place = next_place(tx, "ledger_rows")?;
    let hash = row.key.hash()?;
    tx.execute(
        "INSERT INTO ledger_rows (place, root, key_hash, state, body) VALUES ($1, $2, $3, $4, $5)",
        &[
            place,
            key(&row.root),
            hash.as_bytes().into(),
            FalsificationState::Live.as_str().into(),
            to_json(row)?.into(),
        ],
    )?;
    for target in &row.refers_to {
        tx.execute(
            "INSERT INTO ledger_references (target, referrer) VALUES ($1, $2) \
             ON CONFLICT (target, referrer) DO NOTHING",
            &[key(target), key(&row.root)],
        )?;
    }
    Ok(())
}

impl StoredLedger {
    pub(crate) fn new(db: Arc<dyn Database>) -> Self {
        Self { db }
    }

    fn read<T>(&self, work: impl FnMut(&mut dyn Tx) -> Outcome<T>) -> Outcome<T> {
        transact(self.db.as_ref(), Mode::Read, work)
    }

    fn write<T>(&self, work: impl FnMut(&mut dyn Tx) -> Outcome<T>) -> Outcome<T> {
        transact(self.db.as_ref(), Mode::Write(Lock::Ledger), work)
    }
}

impl Ledger for StoredLedger {
    fn insert(&self, row: LedgerRow, at: Timestamp) -> Outcome<bool> {
        row.validate()?;
        self.write(|tx| {
            if let Some(there) = stored(tx, &row.root)? {
                return if there.row == row {
                    Ok(false)
                } else {
                    Err(run_dag::Error::RowConflict {
                        root: row.root.to_hex(),
                    })
                };
            }
            add(tx, &row)?;
            note(tx, &row.root, ChangeKind::Inserted, "", at)?;
            Ok(true)
        })
    }

    fn lookup(&self, wanted: &CacheKey) -> Outcome<Option<LedgerRow>> {
        let hash = wanted.hash()?;
        self.read(|tx| {
            let rows = tx.query(
                "SELECT body, root FROM ledger_rows WHERE key_hash = $1 AND state = $2 \
                 ORDER BY place DESC LIMIT 1",
                &[
                    hash.as_bytes().into(),
                    FalsificationState::Live.as_str().into(),
                ],
            )?;
            Ok(rows.first().map(row_from).transpose()?)
        })
    }

    fn get(&self, root: &RunRoot) -> Outcome<Option<(LedgerRow, FalsificationState)>> {
        self.read(|tx| Ok(stored(tx, root)?.map(|s| (s.row, s.state))))
    }

    fn rows(
        &self,
        state: Option<FalsificationState>,
        after: Option<&RunRoot>,
        limit: usize,
    ) -> Outcome<Vec<LedgerRow>> {
        self.read(|tx| {
            let from = match after {
                Some(root) => stored(tx, root)?.ok_or_else(|| no_row(root))?.place,
                None => -1,
            };
            let select = "SELECT body, root FROM ledger_rows WHERE place > $1";
            let rows = match state {
                Some(state) => tx.query(
                    &format!("{select} AND state = $2 ORDER BY place LIMIT $3"),
                    &[from.into(), state.as_str().into(), sql::limit(limit)],
                )?,
                None => tx.query(
                    &format!("{select} ORDER BY place LIMIT $2"),
                    &[from.into(), sql::limit(limit)],
                )?,
            };
            Ok(rows.iter().map(row_from).collect::<Result<_, _>>()?)
        })
    }

    fn falsify(
        &self,
        root: &RunRoot,
        to: FalsificationState,
        reason: &str,
        at: Timestamp,
    ) -> Outcome<LedgerChange> {
        demand_text(reason)?;
        self.write(|tx| {
            let from = stored(tx, root)?.ok_or_else(|| no_row(root))?.state;
            tx.execute(
                "UPDATE ledger_rows SET state = $1 WHERE root = $2",
                &[to.as_str().into(), key(root)],
            )?;
            Ok(note(tx, root, ChangeKind::State { from, to }, reason, at)?)
        })
    }

    fn burn(
        &self,
        root: &RunRoot,
        force: bool,
        reason: &str,
        at: Timestamp,
    ) -> Outcome<LedgerChange> {
        demand_text(reason)?;
        // A refusal is committed too: it is in the history.
        self.write(|tx| {
            if stored(tx, root)?.is_none() {
                return Err(no_row(root));
            }
            let count = referrers(tx, root)?.len();
            let referrers = u32::try_from(count).unwrap_or(u32::MAX);
            if count > 0 && !force {
                note(tx, root, ChangeKind::BurnRefused { referrers }, reason, at)?;
                return Ok(Err(run_dag::Error::RowReferenced {
                    root: root.to_hex(),
                    referrers: count,
                }));
            }
            tx.execute("DELETE FROM ledger_rows WHERE root = $1", &[key(root)])?;
            tx.execute(
                "DELETE FROM ledger_references WHERE referrer = $1",
                &[key(root)],
            )?;
            let burned = ChangeKind::Burned {
                forced: force,
                referrers,
            };
            Ok(Ok(note(tx, root, burned, reason, at)?))
        })?
    }

    fn referrers(&self, root: &RunRoot) -> Outcome<Vec<RunRoot>> {
        self.read(|tx| Ok(referrers(tx, root)?))
    }

    fn history(&self, root: Option<&RunRoot>) -> Outcome<Vec<LedgerChange>> {
        self.read(|tx| {
            let select = "SELECT body FROM ledger_history";
            let rows = match root {
                Some(root) => tx.query(
                    &format!("{select} WHERE root = $1 ORDER BY place"),
                    &[key(root)],
                )?,
                None => tx.query(&format!("{select} ORDER BY place"), &[])?,
            };
            Ok(rows
                .iter()
                .map(|row| from_json(row.text(0)?))
                .collect::<Result<_, Error>>()?)
        })
    }
}
