//! Dictionaries that are ingested into.
//!
//! A cube is a corpus with its passages and an index of the same name: the generalist under the
//! dictionary's name, others under `name/cube`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use geodesic_retriever::{
    BASELINE, Calibration, Capacity, ChunkOptions, ChunkRecord, DedupThresholds, DictionaryEntry,
    DictionarySetup, DictionaryState, DictionaryStore, Error as RetrieverError, Fingerprint,
    GENERALIST, IndexEntry, IngestLog, LexicalState, Op, Passage, Specialist, Stray, Vector,
    dictionary_rules, ingest_rules,
};
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::ingest::{self, StoredIngestLog};
use crate::sql::{self, Database, Lock, Mode, Row, Tx, before_nul, from_json, to_json, transact};
use crate::vectors::{self, check_nul};

/// A dictionary of a store. Cheap to clone.
#[derive(Clone)]
pub struct StoredDictionary {
    db: Arc<dyn Database>,
    name: String,
    log: StoredIngestLog,
}

impl std::fmt::Debug for StoredDictionary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("StoredDictionary").field(&self.name).finish()
    }
}

type Outcome<T> = Result<T, RetrieverError>;

/// What of a setup is not kept in the tables of corpora and indexes.
#[derive(Serialize, Deserialize)]
struct Setup {
    chunking: ChunkOptions,
    capacity: Capacity,
    dedup: DedupThresholds,
    centre: Option<Vector>,
}

/// A passage with the validator's confidence, as the table of passages keeps it.
#[derive(Serialize, Deserialize)]
struct Body {
    #[serde(flatten)]
    passage: Passage,
    /// Absent in what a snapshot wrote.
    confidence: Option<f64>,
}

type Specialists = BTreeMap<String, Specialist>;

/// The corpus of a cube.
pub(crate) fn corpus_of(name: &str, cube: &str) -> String {
    if cube == GENERALIST {
        name.to_owned()
    } else {
        format!("{name}/{cube}")
    }
}

/// The specialists of a dictionary; none if it is no dictionary.
pub(crate) fn specialists(db: &Arc<dyn Database>, name: &str) -> Result<Vec<String>, Error> {
    transact(db.as_ref(), Mode::Read, |tx| {
        let found = header(tx, name)?;
        Ok(found.map_or_else(Vec::new, |h| h.specialists.into_keys().collect()))
    })
}

pub(crate) fn check_dictionary(row: &Row) -> Result<(), Error> {
    let setup: Setup = from_json(row.text(3)?)?;
    setup.dedup.check()?;
    let _: Specialists = from_json(row.text(4)?)?;
    row.count(1).map(drop)
}

pub(crate) fn check_chunk(row: &Row) -> Result<(), Error> {
    let record: ChunkRecord = from_json(row.text(2)?)?;
    if record.id != row.text(1)? {
        return Err(Error::damaged("an account of a chunk under another id"));
    }
    Ok(())
}

/// What changes about a dictionary, besides its entries.
struct Header {
    generation: u64,
    root: Option<String>,
    specialists: Specialists,
}

fn header(tx: &mut dyn Tx, name: &str) -> Result<Option<Header>, Error> {
    let rows = tx.query(
        "SELECT generation, root, specialists FROM dictionaries WHERE name = $1",
        &[name.into()],
    )?;
    let Some(row) = rows.first() else {
        return Ok(None);
    };
    Ok(Some(Header {
        generation: row.count(0)?,
        root: row.opt_text(1)?.map(str::to_owned),
        specialists: from_json(row.text(2)?)?,
    }))
}

fn state(tx: &mut dyn Tx, name: &str) -> Result<Option<DictionaryState>, Error> {
    let Some(header) = header(tx, name)? else {
        return Ok(None);
    };
    let missing = || Error::damaged(format!("the dictionary {name:?} has no corpus"));
    let corpus = crate::passages::corpus(tx, name)?.ok_or_else(missing)?;
    let calibration: Calibration = from_json(corpus.text(1)?)?;
    let lexical: Option<LexicalState> = corpus.opt_text(2)?.map(from_json).transpose()?;
    let fingerprint = vectors::fingerprint(tx, name)?.ok_or_else(missing)?;
    let rows = tx.query(
        "SELECT setup FROM dictionaries WHERE name = $1",
        &[name.into()],
    )?;
    let setup: Setup = from_json(rows.first().ok_or_else(missing)?.text(0)?)?;
    Ok(Some(DictionaryState {
        setup: DictionarySetup {
            fingerprint,
            lexical,
            calibration,
            chunking: setup.chunking,
            capacity: setup.capacity,
            dedup: setup.dedup,
            centre: setup.centre,
        },
        specialists: header.specialists,
        root: header.root,
        generation: header.generation,
    }))
}

/// Makes the rows that a cube's entries refer to.
fn declare(
    tx: &mut dyn Tx,
    corpus: &str,
    fingerprint: &Fingerprint,
    calibration: &str,
    lexical: Option<String>,
) -> Result<(), Error> {
    vectors::declare(tx, corpus, fingerprint)?;
    tx.execute(
        "INSERT INTO corpora (name, root, calibration, lexical) VALUES ($1, $2, $3, $4) \
         ON CONFLICT (name) DO NOTHING",
        &[corpus.into(), "".into(), calibration.into(), lexical.into()],
    )?;
    Ok(())
}

fn entry_from(row: &Row, fingerprint: &Fingerprint) -> Result<DictionaryEntry, Error> {
    let IndexEntry { vector, meta, .. } = vectors::entry_from(row, fingerprint.shape)?;
    let body: Body = from_json(row.text(5)?)?;
    let mut passage = body.passage;
    passage.meta = meta;
    Ok(DictionaryEntry {
        passage,
        vector,
        confidence: body.confidence.unwrap_or(1.0),
    })
}

const ENTRY: &str = "SELECT v.id, v.cube, v.kind, v.parent, v.vector, p.body FROM vector_entries v \
     JOIN passages p ON p.corpus = v.index_name AND p.id = v.id WHERE v.index_name = $1";

/// A commit under way.
struct Commit<'c> {
    name: &'c str,
    header: Header,
    fingerprint: Fingerprint,
    touched: BTreeSet<String>,
}

impl Commit<'_> {
    fn remove(&mut self, tx: &mut dyn Tx, corpus: String, id: &str) -> Result<(), Error> {
        let place = [corpus.as_str().into(), id.into()];
        tx.execute(
            "DELETE FROM vector_entries WHERE index_name = $1 AND id = $2",
            &place,
        )?;
        tx.execute("DELETE FROM passages WHERE corpus = $1 AND id = $2", &place)?;
        self.touched.insert(corpus);
        Ok(())
    }

    fn put(&mut self, tx: &mut dyn Tx, entry: &DictionaryEntry) -> Result<(), Error> {
        let passage = &entry.passage;
        let corpus = corpus_of(self.name, &passage.meta.cube);
        if passage.meta.cube == BASELINE {
            self.open(tx, &corpus)?;
        }
        self.remove(tx, corpus.clone(), &passage.entry_id)?;
        let body = to_json(&Body {
            passage: passage.clone(),
            confidence: Some(entry.confidence),
        })?;
        tx.execute(
            "INSERT INTO passages (corpus, id, body) VALUES ($1, $2, $3)",
            &[
                corpus.as_str().into(),
                passage.entry_id.as_str().into(),
                body.into(),
            ],
        )?;
        let entry = IndexEntry {
            id: passage.entry_id.clone(),
            vector: entry.vector.clone(),
            meta: passage.meta.clone(),
        };
        vectors::insert_entry(tx, &corpus, &entry)
    }

    fn open(&self, tx: &mut dyn Tx, corpus: &str) -> Result<(), Error> {
        let Some(own) = crate::passages::corpus(tx, self.name)? else {
            return Err(Error::damaged("a dictionary without a corpus"));
        };
        let calibration = own.text(1)?.to_owned();
        declare(tx, corpus, &self.fingerprint, &calibration, None)
    }

    fn clear(&mut self, tx: &mut dyn Tx, cube: &str) -> Result<(), Error> {
        let corpus = corpus_of(self.name, cube);
        let name = [corpus.as_str().into()];
        tx.execute("DELETE FROM vector_entries WHERE index_name = $1", &name)?;
        tx.execute("DELETE FROM passages WHERE corpus = $1", &name)?;
        if cube == GENERALIST {
            self.touched.insert(corpus);
            return Ok(());
        }
        tx.execute("DELETE FROM vector_indexes WHERE name = $1", &name)?;
        tx.execute("DELETE FROM corpora WHERE name = $1", &name)?;
        self.touched.remove(&corpus);
        self.header.specialists.remove(cube);
        Ok(())
    }

    fn apply(&mut self, tx: &mut dyn Tx, op: &Op) -> Outcome<()> {
        match op {
            Op::Put { entry } => self.put(tx, entry)?,
            Op::Remove { cube, id } => {
                if !cube.contains('\0') && !id.contains('\0') {
                    self.remove(tx, corpus_of(self.name, cube), id)?;
                }
            }
            Op::Record { record } => {
                let body = to_json(record)?;
                check_nul("the account of a chunk", &body)?;
                tx.execute(
                    "INSERT INTO dictionary_chunks (dictionary, id, body) VALUES ($1, $2, $3) \
                     ON CONFLICT (dictionary, id) DO UPDATE SET body = excluded.body",
                    &[self.name.into(), record.id.as_str().into(), body.into()],
                )?;
            }
            Op::ForgetRecord { id } => {
                if !id.contains('\0') {
                    tx.execute(
                        "DELETE FROM dictionary_chunks WHERE dictionary = $1 AND id = $2",
                        &[self.name.into(), id.as_str().into()],
                    )?;
                }
            }
            Op::AddSpecialist { specialist } => {
                self.open(tx, &corpus_of(self.name, &specialist.name))?;
                let name = specialist.name.clone();
                self.header.specialists.insert(name, specialist.clone());
            }
            Op::ClearCube { cube } => self.clear(tx, cube)?,
            Op::SetCalibration { calibration } => {
                tx.execute(
                    "UPDATE corpora SET calibration = $2 WHERE name = $1",
                    &[self.name.into(), to_json(calibration)?.into()],
                )?;
            }
            Op::SetRoot { root } => {
                tx.execute(
                    "UPDATE corpora SET root = $2 WHERE name = $1",
                    &[self.name.into(), root.as_deref().unwrap_or("").into()],
                )?;
                self.header.root.clone_from(root);
            }
            _ => return log_change(tx, self.name, op),
        }
        Ok(())
    }
}

fn log_change(tx: &mut dyn Tx, name: &str, op: &Op) -> Outcome<()> {
    match op {
        Op::Advance {
            source,
            digest,
            step,
            chunk_ids,
        } => {
            let mut record = ingest::record(tx, source)?;
            let ids = chunk_ids.as_deref();
            if ingest_rules::advance(record.as_mut(), source, digest, *step, ids)?
                && let Some(record) = &record
            {
                ingest::put(tx, record)?;
            }
        }
        Op::Reopen { source } => {
            let mut record = ingest::record(tx, source)?;
            ingest_rules::reopen(record.as_mut());
            if let Some(record) = &record {
                ingest::put(tx, record)?;
            }
        }
        Op::ForgetSource { source } => {
            if !source.contains('\0') {
                tx.execute(
                    "DELETE FROM ingest_records WHERE source = $1",
                    &[source.as_str().into()],
                )?;
            }
        }
        Op::ForgetAll => {
            tx.execute("DELETE FROM ingest_records", &[])?;
            tx.execute(
                "DELETE FROM dictionary_chunks WHERE dictionary = $1",
                &[name.into()],
            )?;
        }
        other => {
            return Err(RetrieverError::Backend {
                operation: "changing a dictionary".into(),
                message: format!("this store does not know the change {other:?}"),
            });
        }
    }
    Ok(())
}

/// The log's and the vectors' rows are both changed: on a server the second lock is taken too,
/// always after the first.
fn lock_vectors(tx: &mut dyn Tx) -> Result<(), Error> {
    #[cfg(feature = "postgres")]
    if tx.dialect() == sql::Dialect::Postgres {
        tx.query(
            "SELECT name FROM candor_locks WHERE name = 'vectors' FOR UPDATE",
            &[],
        )?;
    }
    #[cfg(not(feature = "postgres"))]
    let _ = tx;
    Ok(())
}

impl StoredDictionary {
    pub(crate) fn new(db: Arc<dyn Database>, name: &str) -> Result<Self, Error> {
        check_nul("the name of a dictionary", name)?;
        Ok(Self {
            log: StoredIngestLog::new(db.clone()),
            db,
            name: name.to_owned(),
        })
    }

    fn read<T>(&self, work: impl FnMut(&mut dyn Tx) -> Result<T, Error>) -> Outcome<T> {
        Ok(transact(self.db.as_ref(), Mode::Read, work)?)
    }

    fn half(&self, tx: &mut dyn Tx, cube: &str, found: &mut Vec<Stray>) -> Result<(), Error> {
        let corpus = corpus_of(&self.name, cube);
        for (half, query) in [
            (
                "passage",
                "SELECT p.id FROM passages p LEFT JOIN vector_entries v \
                 ON v.index_name = p.corpus AND v.id = p.id \
                 WHERE p.corpus = $1 AND v.id IS NULL ORDER BY p.id",
            ),
            (
                "vector",
                "SELECT v.id FROM vector_entries v LEFT JOIN passages p \
                 ON p.corpus = v.index_name AND p.id = v.id \
                 WHERE v.index_name = $1 AND p.id IS NULL ORDER BY v.id",
            ),
        ] {
            for row in tx.query(query, &[corpus.as_str().into()])? {
                found.push(Stray {
                    cube: cube.to_owned(),
                    id: row.text(0)?.to_owned(),
                    half: half.to_owned(),
                });
            }
        }
        Ok(())
    }
}

impl DictionaryStore for StoredDictionary {
    fn state(&self) -> Outcome<Option<DictionaryState>> {
        self.read(|tx| state(tx, &self.name))
    }

    fn create(&self, setup: &DictionarySetup) -> Outcome<DictionaryState> {
        dictionary_rules::check_setup(setup)?;
        transact(self.db.as_ref(), Mode::Write(Lock::Ingest), |tx| {
            lock_vectors(tx)?;
            if let Some(there) = state(tx, &self.name)? {
                if !there.setup.same_dictionary(setup) {
                    return Err(RetrieverError::OtherDictionary);
                }
                return Ok(there);
            }
            // The log is one: a second dictionary would take the first one's sources for its own.
            let others = tx.query("SELECT name FROM dictionaries", &[])?;
            if !others.is_empty() || crate::passages::corpus(tx, &self.name)?.is_some() {
                return Err(RetrieverError::OtherDictionary);
            }
            let lexical = setup.lexical.as_ref().map(to_json).transpose()?;
            let calibration = to_json(&setup.calibration)?;
            declare(tx, &self.name, &setup.fingerprint, &calibration, lexical)?;
            let body = to_json(&Setup {
                chunking: setup.chunking,
                capacity: setup.capacity,
                dedup: setup.dedup,
                centre: setup.centre.clone(),
            })?;
            tx.execute(
                "INSERT INTO dictionaries (name, generation, root, setup, specialists) \
                 VALUES ($1, 0, NULL, $2, $3)",
                &[self.name.as_str().into(), body.into(), "{}".into()],
            )?;
            Ok(DictionaryState {
                setup: setup.clone(),
                specialists: BTreeMap::new(),
                root: None,
                generation: 0,
            })
        })
    }

    fn commit(&self, generation: u64, ops: &[Op]) -> Outcome<u64> {
        transact(self.db.as_ref(), Mode::Write(Lock::Ingest), |tx| {
            lock_vectors(tx)?;
            let header = header(tx, &self.name)?.ok_or_else(dictionary_rules::not_created)?;
            dictionary_rules::check_generation(generation, header.generation)?;
            let fingerprint = vectors::fingerprint(tx, &self.name)?
                .ok_or_else(|| Error::damaged("a dictionary without an index"))?;
            let mut cubes = dictionary_rules::cubes(header.specialists.keys());
            for op in ops {
                dictionary_rules::check_op(op, &mut cubes, &fingerprint)?;
            }
            let mut commit = Commit {
                name: &self.name,
                header,
                fingerprint,
                touched: BTreeSet::new(),
            };
            for op in ops {
                commit.apply(tx, op)?;
            }
            for corpus in &commit.touched {
                vectors::count_change(tx, corpus)?;
            }
            let next = generation + 1;
            let number = i64::try_from(next).map_err(|_| Error::damaged("too many commits"))?;
            tx.execute(
                "UPDATE dictionaries SET generation = $2, root = $3, specialists = $4 \
                 WHERE name = $1",
                &[
                    self.name.as_str().into(),
                    number.into(),
                    commit.header.root.clone().into(),
                    to_json(&commit.header.specialists)?.into(),
                ],
            )?;
            Ok(next)
        })
    }

    fn entries(
        &self,
        cube: &str,
        after: Option<&str>,
        limit: usize,
    ) -> Outcome<Vec<DictionaryEntry>> {
        if cube.contains('\0') {
            return Ok(Vec::new());
        }
        let corpus = corpus_of(&self.name, cube);
        self.read(|tx| {
            let Some(fingerprint) = vectors::fingerprint(tx, &corpus)? else {
                return Ok(Vec::new());
            };
            // No id is empty: all come after the empty one.
            let rows = tx.query(
                &format!("{ENTRY} AND v.id > $2 ORDER BY v.id LIMIT $3"),
                &[
                    corpus.as_str().into(),
                    before_nul(after.unwrap_or_default()).into(),
                    sql::limit(limit),
                ],
            )?;
            rows.iter()
                .map(|row| entry_from(row, &fingerprint))
                .collect()
        })
    }

    fn entry(&self, cube: &str, id: &str) -> Outcome<Option<DictionaryEntry>> {
        if cube.contains('\0') || id.contains('\0') {
            return Ok(None);
        }
        let corpus = corpus_of(&self.name, cube);
        self.read(|tx| {
            let Some(fingerprint) = vectors::fingerprint(tx, &corpus)? else {
                return Ok(None);
            };
            let rows = tx.query(
                &format!("{ENTRY} AND v.id = $2"),
                &[corpus.as_str().into(), id.into()],
            )?;
            let row = rows.first();
            row.map(|row| entry_from(row, &fingerprint)).transpose()
        })
    }

    fn record(&self, id: &str) -> Outcome<Option<ChunkRecord>> {
        if id.contains('\0') {
            return Ok(None);
        }
        self.read(|tx| {
            let rows = tx.query(
                "SELECT body FROM dictionary_chunks WHERE dictionary = $1 AND id = $2",
                &[self.name.as_str().into(), id.into()],
            )?;
            rows.first().map(|row| from_json(row.text(0)?)).transpose()
        })
    }

    fn records(&self, after: Option<&str>, limit: usize) -> Outcome<Vec<ChunkRecord>> {
        self.read(|tx| {
            let rows = tx.query(
                "SELECT body FROM dictionary_chunks WHERE dictionary = $1 AND id > $2 \
                 ORDER BY id LIMIT $3",
                &[
                    self.name.as_str().into(),
                    before_nul(after.unwrap_or_default()).into(),
                    sql::limit(limit),
                ],
            )?;
            rows.iter().map(|row| from_json(row.text(0)?)).collect()
        })
    }

    fn strays(&self) -> Outcome<Vec<Stray>> {
        self.read(|tx| {
            let Some(header) = header(tx, &self.name)? else {
                return Ok(Vec::new());
            };
            let mut found = Vec::new();
            for cube in dictionary_rules::cubes(header.specialists.keys()) {
                self.half(tx, &cube, &mut found)?;
            }
            found.sort();
            Ok(found)
        })
    }

    fn log(&self) -> &dyn IngestLog {
        &self.log
    }
}
