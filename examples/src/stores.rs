//! `--store FILE`: a snapshot file, or by its extension a SQLite file of evidence-store.

use std::path::Path;

use evidence_store::{SqliteOptions, Store};
use geodesic_retriever::{
    Calibration, DictionaryStore, Embedder, GENERALIST, GeodesicRetriever, Passage,
    RetrieverOptions, Snapshot,
};

use crate::cli::Failure;

/// The name that the examples keep a folder's corpus under.
pub const CORPUS: &str = "main";

/// Whether a store is a SQLite file: by its extension, `.sqlite`, `.sqlite3` or `.db`.
#[must_use]
pub fn is_sqlite(path: &Path) -> bool {
    let extension = path.extension().and_then(|e| e.to_str());
    extension.is_some_and(|e| ["sqlite", "sqlite3", "db"].contains(&e))
}

/// Opens a SQLite file that is there; nothing is written to it.
///
/// # Errors
/// The store's own.
pub fn read_only(path: &Path) -> Result<Store, Failure> {
    let mut options = SqliteOptions::default();
    options.read_only = true;
    Ok(Store::sqlite_with(path, &options)?)
}

/// Saves a snapshot in either kind of store.
///
/// # Errors
/// The store's own.
pub fn save(path: &Path, snapshot: &Snapshot) -> Result<(), Failure> {
    if is_sqlite(path) {
        Store::sqlite(path)?.save_snapshot(CORPUS, snapshot, &mut |_| {})?;
    } else {
        snapshot.save(path)?;
    }
    Ok(())
}

/// A retriever over either kind of store. A SQLite file is opened for reading only.
///
/// # Errors
/// The store's own, or that nothing was indexed into it.
pub fn retriever(
    path: &Path,
    embedder: Option<std::sync::Arc<dyn Embedder>>,
    options: RetrieverOptions,
) -> Result<GeodesicRetriever, Failure> {
    if !is_sqlite(path) {
        return Ok(Snapshot::load(path)?.into_retriever(embedder, options)?);
    }
    let found = read_only(path)?.retriever(CORPUS, embedder, options)?;
    let words = || {
        format!(
            "{}: nothing is indexed; run index or ingest",
            path.display()
        )
    };
    found.ok_or_else(|| words().into())
}

/// Hands every passage of a store to `each`.
///
/// # Errors
/// The store's own.
pub fn passages(path: &Path, each: &mut dyn FnMut(Passage)) -> Result<(), Failure> {
    if !is_sqlite(path) {
        Snapshot::load(path)?.corpus.passages().for_each(each);
        return Ok(());
    }
    let dictionary = read_only(path)?.dictionary(CORPUS)?;
    let mut after: Option<String> = None;
    loop {
        let page = dictionary.entries(GENERALIST, after.as_deref(), 512)?;
        let Some(last) = page.last() else {
            return Ok(());
        };
        after = Some(last.passage.entry_id.clone());
        page.into_iter().for_each(|e| each(e.passage));
    }
}

/// Writes a calibration into either kind of store.
///
/// # Errors
/// The store's own.
pub fn set_calibration(path: &Path, calibration: Calibration) -> Result<(), Failure> {
    if is_sqlite(path) {
        if !Store::sqlite(path)?.set_calibration(CORPUS, &calibration)? {
            return Err(format!("{}: nothing is indexed", path.display()).into());
        }
        return Ok(());
    }
    let mut snapshot = Snapshot::load(path)?;
    snapshot.calibration = calibration;
    Ok(snapshot.save(path)?)
}
