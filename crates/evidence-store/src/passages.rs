//! Passages, and all else that a retriever over one corpus needs.

use std::sync::Arc;

use geodesic_retriever::{
    Calibration, Embedder, Error as RetrieverError, GeodesicRetriever, LexicalEmbedder,
    LexicalState, Passage, PassageStore, RetrieverOptions, Snapshot, VectorIndex,
};

use crate::Error;
use crate::sql::{Database, Lock, Mode, Row, Tx, from_json, to_json, transact};
use crate::vectors::{self, StoredIndex, check_nul};

/// The passages of one corpus of a store, looked up by entry id. Cheap to clone.
#[derive(Clone)]
pub struct StoredPassages {
    db: Arc<dyn Database>,
    corpus: String,
}

impl std::fmt::Debug for StoredPassages {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("StoredPassages").field(&self.corpus).finish()
    }
}

impl StoredPassages {
    pub(crate) fn new(db: Arc<dyn Database>, corpus: &str) -> Result<Self, Error> {
        check_nul("the name of a corpus", corpus)?;
        Ok(Self {
            db,
            corpus: corpus.to_owned(),
        })
    }
}

impl PassageStore for StoredPassages {
    fn passage(&self, entry_id: &str) -> Result<Option<Passage>, RetrieverError> {
        if entry_id.contains('\0') {
            return Ok(None);
        }
        let found = transact(self.db.as_ref(), Mode::Read, |tx| {
            let rows = tx.query(
                "SELECT body FROM passages WHERE corpus = $1 AND id = $2",
                &[self.corpus.as_str().into(), entry_id.into()],
            )?;
            rows.first().map(|row| from_json(row.text(0)?)).transpose()
        });
        Ok(found?)
    }

    fn corpus_root(&self) -> Result<Option<String>, RetrieverError> {
        let found: Result<_, Error> = transact(self.db.as_ref(), Mode::Read, |tx| {
            let row = corpus(tx, &self.corpus)?;
            // Empty while a dictionary is being ingested into.
            let root = row
                .map(|row| Ok::<_, Error>(row.text(0)?.to_owned()))
                .transpose()?;
            Ok(root.filter(|root| !root.is_empty()))
        });
        Ok(found?)
    }
}

pub(crate) fn corpus(tx: &mut dyn Tx, name: &str) -> Result<Option<Row>, Error> {
    let rows = tx.query(
        "SELECT root, calibration, lexical FROM corpora WHERE name = $1",
        &[name.into()],
    )?;
    Ok(rows.into_iter().next())
}

/// Writes a snapshot in place of the one of this name, in one transaction.
pub(crate) fn save(
    db: &dyn Database,
    name: &str,
    snapshot: &Snapshot,
    progress: &mut dyn FnMut(crate::Progress),
) -> Result<(), Error> {
    check_nul("the name of a corpus", name)?;
    let shape = snapshot.index.fingerprint().shape;
    let total = (snapshot.corpus.len() + snapshot.index.len()?) as u64;
    transact(db, Mode::Write(Lock::Vectors), |tx| {
        let there = tx.query(
            "SELECT name FROM dictionaries WHERE name = $1",
            &[name.into()],
        )?;
        if !there.is_empty() {
            return Err(Error::Retriever(RetrieverError::InvalidSetting {
                what: "the name of a snapshot".into(),
                found: format!("{name:?}"),
                accepted: "a name that no dictionary has; this one is ingested into".into(),
            }));
        }
        tx.execute("DELETE FROM passages WHERE corpus = $1", &[name.into()])?;
        vectors::clear(tx, name)?;
        tx.execute(
            "UPDATE vector_indexes SET fingerprint = $2 WHERE name = $1",
            &[name.into(), to_json(snapshot.index.fingerprint())?.into()],
        )?;
        vectors::declare(tx, name, snapshot.index.fingerprint())?;
        let lexical = snapshot.lexical.as_ref().map(to_json).transpose()?;
        tx.execute(
            "INSERT INTO corpora (name, root, calibration, lexical) VALUES ($1, $2, $3, $4) \
             ON CONFLICT (name) DO UPDATE SET root = excluded.root, \
             calibration = excluded.calibration, lexical = excluded.lexical",
            &[
                name.into(),
                snapshot.corpus.root().into(),
                to_json(&snapshot.calibration)?.into(),
                lexical.into(),
            ],
        )?;
        let mut steps = crate::progress::Steps::new(Some(total), progress);
        for passage in snapshot.corpus.passages() {
            insert_passage(tx, name, &passage)?;
            steps.step();
        }
        for entry in snapshot.index.entries() {
            vectors::check_entry(&entry, shape)?;
            vectors::insert_entry(tx, name, &entry)?;
            steps.step();
        }
        steps.finish();
        Ok(())
    })
}

pub(crate) fn insert_passage(
    tx: &mut dyn Tx,
    corpus: &str,
    passage: &Passage,
) -> Result<(), Error> {
    for text in [
        &passage.entry_id,
        &passage.source_id,
        &passage.title,
        &passage.text,
    ] {
        check_nul("a passage", text)?;
    }
    tx.execute(
        "INSERT INTO passages (corpus, id, body) VALUES ($1, $2, $3)",
        &[
            corpus.into(),
            passage.entry_id.as_str().into(),
            to_json(passage)?.into(),
        ],
    )?;
    Ok(())
}

/// A retriever over a saved snapshot, reading from the store; `None` when there is none.
pub(crate) fn load(
    db: &Arc<dyn Database>,
    name: &str,
    embedder: Option<Arc<dyn Embedder>>,
    options: RetrieverOptions,
) -> Result<Option<GeodesicRetriever>, Error> {
    check_nul("the name of a corpus", name)?;
    let found = transact(db.as_ref(), Mode::Read, |tx| {
        let Some(row) = corpus(tx, name)? else {
            return Ok(None);
        };
        let calibration: Calibration = from_json(row.text(1)?)?;
        let lexical: Option<LexicalState> = row.opt_text(2)?.map(from_json).transpose()?;
        let fingerprint = vectors::fingerprint(tx, name)?
            .ok_or_else(|| Error::damaged(format!("the corpus {name:?} has no index")))?;
        Ok::<_, Error>(Some((calibration, lexical, fingerprint)))
    })?;
    let Some((calibration, lexical, fingerprint)) = found else {
        return Ok(None);
    };
    let embedder: Arc<dyn Embedder> = match (embedder, lexical) {
        (Some(embedder), _) => embedder,
        (None, Some(state)) => Arc::new(LexicalEmbedder::from_state(state)?),
        (None, None) => {
            return Err(Error::Retriever(RetrieverError::InvalidSetting {
                what: "the embedder".into(),
                found: "absent".into(),
                accepted: format!("model {}", fingerprint.model_id),
            }));
        }
    };
    let index = Box::new(StoredIndex::open(db.clone(), name, &fingerprint)?);
    let passages = Box::new(StoredPassages::new(db.clone(), name)?);
    let mut retriever = GeodesicRetriever::new(embedder, index, passages, calibration, options)?;
    for specialist in crate::dictionary::specialists(db, name)? {
        let name = crate::dictionary::corpus_of(name, &specialist);
        let index = Box::new(StoredIndex::open(db.clone(), &name, &fingerprint)?);
        let passages = Box::new(StoredPassages::new(db.clone(), &name)?);
        retriever.add_specialist(index, passages)?;
    }
    Ok(Some(retriever))
}

/// Sets the calibration of a corpus; whether there is one of this name.
pub(crate) fn set_calibration(
    db: &dyn Database,
    name: &str,
    calibration: &Calibration,
) -> Result<bool, Error> {
    check_nul("the name of a corpus", name)?;
    calibration.check()?;
    transact(db, Mode::Write(Lock::Vectors), |tx| {
        let Some(fingerprint) = vectors::fingerprint(tx, name)? else {
            return Ok(false);
        };
        calibration.fits(&fingerprint, None)?;
        let changed = tx.execute(
            "UPDATE corpora SET calibration = $2 WHERE name = $1",
            &[name.into(), to_json(calibration)?.into()],
        )?;
        Ok(changed > 0)
    })
}
