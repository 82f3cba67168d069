//! The record of ingestion.

use std::sync::Arc;

use geodesic_retriever::{
    Error as RetrieverError, IngestLog, IngestRecord, IngestStep, ingest_rules,
};

use crate::Error;
use crate::sql::{self, Database, Lock, Mode, Tx, before_nul, from_json, to_json, transact};

/// The record of ingestion of a store. Cheap to clone.
#[derive(Clone)]
pub struct StoredIngestLog {
    db: Arc<dyn Database>,
}

impl std::fmt::Debug for StoredIngestLog {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("StoredIngestLog")
    }
}

type Outcome<T> = Result<T, RetrieverError>;

pub(crate) fn record(tx: &mut dyn Tx, source: &str) -> Result<Option<IngestRecord>, Error> {
    if source.contains('\0') {
        return Ok(None);
    }
    let rows = tx.query(
        "SELECT body FROM ingest_records WHERE source = $1",
        &[source.into()],
    )?;
    rows.first().map(|row| from_json(row.text(0)?)).transpose()
}

pub(crate) fn put(tx: &mut dyn Tx, record: &IngestRecord) -> Result<(), Error> {
    tx.execute(
        "INSERT INTO ingest_records (source, step, body) VALUES ($1, $2, $3) \
         ON CONFLICT (source) DO UPDATE SET step = excluded.step, body = excluded.body",
        &[
            record.source.as_str().into(),
            record.step.as_str().into(),
            to_json(record)?.into(),
        ],
    )?;
    Ok(())
}

impl StoredIngestLog {
    pub(crate) fn new(db: Arc<dyn Database>) -> Self {
        Self { db }
    }

    fn read<T>(&self, work: impl FnMut(&mut dyn Tx) -> Result<T, Error>) -> Outcome<T> {
        Ok(transact(self.db.as_ref(), Mode::Read, work)?)
    }

    fn write<T>(&self, work: impl FnMut(&mut dyn Tx) -> Outcome<T>) -> Outcome<T> {
        transact(self.db.as_ref(), Mode::Write(Lock::Ingest), work)
    }
}

impl IngestLog for StoredIngestLog {
    fn get(&self, source: &str) -> Outcome<Option<IngestRecord>> {
        self.read(|tx| record(tx, source))
    }

    fn begin(&self, source: &str, digest: &str) -> Outcome<IngestRecord> {
        self.write(|tx| {
            let existing = record(tx, source)?;
            let (record, changed) = ingest_rules::begin(existing, source, digest)?;
            if changed {
                put(tx, &record)?;
            }
            Ok(record)
        })
    }

    fn begin_many(&self, sources: &[(String, String)]) -> Outcome<usize> {
        self.write(|tx| {
            let mut begun = 0;
            for (source, digest) in sources {
                let existing = record(tx, source)?;
                let (record, changed) = ingest_rules::begin(existing, source, digest)?;
                if changed {
                    put(tx, &record)?;
                    begun += 1;
                }
            }
            Ok(begun)
        })
    }

    fn advance(
        &self,
        source: &str,
        digest: &str,
        step: IngestStep,
        chunk_ids: Option<&[String]>,
    ) -> Outcome<bool> {
        self.write(|tx| {
            let mut record = record(tx, source)?;
            let changed = ingest_rules::advance(record.as_mut(), source, digest, step, chunk_ids)?;
            if let (true, Some(record)) = (changed, &record) {
                put(tx, record)?;
            }
            Ok(changed)
        })
    }

    fn fail(&self, source: &str, digest: &str, reason: &str) -> Outcome<()> {
        self.write(|tx| {
            let mut record = record(tx, source)?;
            ingest_rules::fail(record.as_mut(), source, digest, reason)?;
            record.iter().try_for_each(|r| Ok(put(tx, r)?))
        })
    }

    fn forget(&self, source: &str) -> Outcome<Option<IngestRecord>> {
        self.write(|tx| {
            let record = record(tx, source)?;
            if record.is_some() {
                tx.execute(
                    "DELETE FROM ingest_records WHERE source = $1",
                    &[source.into()],
                )?;
            }
            Ok(record)
        })
    }

    fn page(
        &self,
        unfinished: bool,
        after: Option<&str>,
        limit: usize,
    ) -> Outcome<Vec<IngestRecord>> {
        let open = if unfinished { "AND step <> 'done'" } else { "" };
        self.read(|tx| {
            let rows = match after {
                Some(after) => tx.query(
                    &format!(
                        "SELECT body FROM ingest_records WHERE source > $1 {open} \
                         ORDER BY source LIMIT $2"
                    ),
                    &[before_nul(after).into(), sql::limit(limit)],
                )?,
                None => tx.query(
                    &format!(
                        "SELECT body FROM ingest_records WHERE source <> '' {open} \
                         ORDER BY source LIMIT $1"
                    ),
                    &[sql::limit(limit)],
                )?,
            };
            rows.iter().map(|row| from_json(row.text(0)?)).collect()
        })
    }
}
