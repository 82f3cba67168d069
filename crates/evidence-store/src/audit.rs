//! The audit log.

use std::sync::Arc;

use run_dag::EventHash;
use run_dag::audit::{AuditLog, LoggedEvent, NewEvent, origin_hash};

use crate::Error;
use crate::sql::{self, Database, Lock, Mode, Tx, Value, transact};

/// One audit log of a store, named by its origin. Cheap to clone.
///
/// Appending is one transaction; checkpoints and proofs read the event hashes up to their size.
#[derive(Clone)]
pub struct StoredAuditLog {
    db: Arc<dyn Database>,
    origin: String,
}

impl std::fmt::Debug for StoredAuditLog {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("StoredAuditLog").field(&self.origin).finish()
    }
}

type Outcome<T> = Result<T, run_dag::Error>;

/// Events inserted by one statement.
const ROWS: usize = 64;

/// Reads the number and hash of the last event; before the first it is −1 and the origin's hash.
fn head(tx: &mut dyn Tx, origin: &str) -> Result<(i64, EventHash), Error> {
    let rows = tx.query(
        "SELECT sequence, event_hash FROM audit_events WHERE origin = $1 \
         ORDER BY sequence DESC LIMIT 1",
        &[origin.into()],
    )?;
    match rows.first() {
        Some(row) => Ok((row.int(0)?, EventHash::from_bytes(row.digest(1)?))),
        None => Ok((-1, origin_hash(origin))),
    }
}

fn append(tx: &mut dyn Tx, origin: &str, events: &[NewEvent]) -> Outcome<Vec<LoggedEvent>> {
    tx.execute(
        "INSERT INTO audit_logs (origin) VALUES ($1) ON CONFLICT (origin) DO NOTHING",
        &[origin.into()],
    )?;
    let (last, mut previous) = head(tx, origin)?;
    let mut logged = Vec::with_capacity(events.len());
    for (sequence, event) in (last + 1..).zip(events) {
        let number = u64::try_from(sequence)
            .map_err(|_| Error::damaged("an event with a negative number"))?;
        let event = LoggedEvent::following(previous, number, event.clone())?;
        previous = event.event_hash;
        logged.push(event);
    }
    for part in logged.chunks(ROWS) {
        insert(tx, origin, part)?;
    }
    Ok(logged)
}

fn insert(tx: &mut dyn Tx, origin: &str, events: &[LoggedEvent]) -> Outcome<()> {
    let mut values: Vec<Value> = Vec::with_capacity(events.len() * 4);
    let mut places = Vec::with_capacity(events.len());
    for event in events {
        places.push(format!("({})", sql::placeholders(values.len() + 1, 4)));
        let body = String::from_utf8(event.to_canonical_json()?)
            .map_err(|_| Error::damaged("an event that is not UTF-8"))?;
        values.extend([
            origin.into(),
            event.sequence.get().into(),
            event.event_hash.as_bytes().into(),
            body.into(),
        ]);
    }
    let statement = format!(
        "INSERT INTO audit_events (origin, sequence, event_hash, body) VALUES {}",
        places.join(",")
    );
    tx.execute(&statement, &values)?;
    Ok(())
}

impl StoredAuditLog {
    pub(crate) fn new(db: Arc<dyn Database>, origin: &str) -> Result<Self, Error> {
        if origin.contains('\0') {
            return Err(Error::Nul {
                what: "the origin of an audit log".into(),
            });
        }
        Ok(Self {
            db,
            origin: origin.to_owned(),
        })
    }

    fn read<T>(&self, work: impl FnMut(&mut dyn Tx) -> Outcome<T>) -> Outcome<T> {
        transact(self.db.as_ref(), Mode::Read, work)
    }

    fn page(&self, column: &str, from: u64, limit: usize) -> Outcome<Vec<sql::Row>> {
        let Ok(from) = i64::try_from(from) else {
            return Ok(Vec::new());
        };
        self.read(|tx| {
            Ok(tx.query(
                &format!(
                    "SELECT {column} FROM audit_events WHERE origin = $1 AND sequence >= $2 \
                     ORDER BY sequence LIMIT $3"
                ),
                &[self.origin.as_str().into(), from.into(), sql::limit(limit)],
            )?)
        })
    }
}

impl AuditLog for StoredAuditLog {
    fn origin(&self) -> Outcome<String> {
        Ok(self.origin.clone())
    }

    fn append(&self, event: NewEvent) -> Outcome<LoggedEvent> {
        let logged = self.append_all(vec![event])?.pop();
        logged.ok_or_else(|| Error::damaged("an event that was not appended").into())
    }

    /// All or none, in one transaction.
    fn append_all(&self, events: Vec<NewEvent>) -> Outcome<Vec<LoggedEvent>> {
        for event in &events {
            event.validate()?;
        }
        let mode = Mode::Write(Lock::Audit);
        transact(self.db.as_ref(), mode, |tx| {
            append(tx, &self.origin, &events)
        })
    }

    fn len(&self) -> Outcome<u64> {
        self.read(|tx| {
            let (last, _) = head(tx, &self.origin)?;
            Ok(u64::try_from(last + 1).unwrap_or(0))
        })
    }

    fn events(&self, from: u64, limit: usize) -> Outcome<Vec<LoggedEvent>> {
        let rows = self.page("body", from, limit)?;
        rows.iter()
            .map(|row| LoggedEvent::from_canonical_json(row.text(0)?.as_bytes()))
            .collect()
    }

    fn event_hashes(&self, from: u64, limit: usize) -> Outcome<Vec<EventHash>> {
        let rows = self.page("event_hash", from, limit)?;
        rows.iter()
            .map(|row| Ok(EventHash::from_bytes(row.digest(0)?)))
            .collect()
    }
}
