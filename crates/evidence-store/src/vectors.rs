//! Indexes of vectors.

#[cfg(feature = "postgres")]
mod pgvector;

use std::sync::{Arc, Mutex, PoisonError};

use geodesic_retriever::{
    EntryKind, EntryMeta, Error as RetrieverError, ExactIndex, Filter, Fingerprint, Hit,
    IndexEntry, Shape, SparseVector, Vector, VectorIndex,
};

use crate::Error;
use crate::graph::{vector_bytes, vector_from};
use crate::sql::{
    Database, Dialect, Lock, Mode, Row, Tx, Value, from_json, in_lists, parse_name, to_json,
    transact,
};

/// How an index finds the nearest entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SearchMethod {
    /// All vectors are kept in memory beside the store, read again after another writer changed
    /// them, and compared one by one. SQLite; sparse vectors; more than
    /// [`MAX_PGVECTOR`] dimensions.
    InProcess,
    /// pgvector compares all vectors in the server; the nearest are judged again in `f64`. Exact.
    PgvectorScan,
    /// pgvector's HNSW index finds candidates, which are judged in `f64`: it may miss entries,
    /// never misjudge them.
    PgvectorHnsw,
}

/// The most dimensions that pgvector's indexes take; wider vectors are scanned exactly.
pub const MAX_PGVECTOR_INDEXED: usize = 2_000;
/// The most dimensions that pgvector's type `vector` holds.
pub const MAX_PGVECTOR: usize = 16_000;

/// An index of a store, named. What it returns is exact, unless an HNSW index was asked for.
pub struct StoredIndex {
    db: Arc<dyn Database>,
    dialect: Dialect,
    name: String,
    fingerprint: Fingerprint,
    #[cfg(feature = "postgres")]
    hnsw: bool,
    cache: Mutex<Option<(i64, Arc<ExactIndex>)>>,
}

impl std::fmt::Debug for StoredIndex {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StoredIndex")
            .field("name", &self.name)
            .field("fingerprint", &self.fingerprint)
            .finish_non_exhaustive()
    }
}

type Outcome<T> = Result<T, RetrieverError>;

const ENTRY: &str =
    "SELECT id, cube, kind, parent, vector FROM vector_entries WHERE index_name = $1";

pub(crate) fn check_nul(what: &str, text: &str) -> Result<(), Error> {
    if text.contains('\0') {
        return Err(Error::Nul { what: what.into() });
    }
    Ok(())
}

fn kind_name(kind: EntryKind) -> Result<String, Error> {
    Ok(to_json(&kind)?.trim_matches('"').to_owned())
}

/// The bytes of a vector: dense as `f32`; sparse as indices (`u32`), then values (`f32`), as many
/// of each; least significant byte first.
fn encode(vector: &Vector) -> Vec<u8> {
    match vector {
        Vector::Dense(values) => vector_bytes(values),
        Vector::Sparse(sparse) => {
            let indices = sparse.indices.iter().flat_map(|i| i.to_le_bytes());
            indices.chain(vector_bytes(&sparse.values)).collect()
        }
    }
}

fn decode(bytes: &[u8], shape: Shape) -> Result<Vector, Error> {
    match shape {
        Shape::Dense(_) => Ok(Vector::Dense(vector_from(bytes)?)),
        Shape::Sparse(dimension) => {
            let (indices, values) = bytes
                .split_at_checked(bytes.len() / 2)
                .ok_or_else(|| Error::damaged("a sparse vector"))?;
            let (indices, _) = indices.as_chunks::<4>();
            Ok(Vector::Sparse(SparseVector {
                dimension,
                indices: indices.iter().map(|i| u32::from_le_bytes(*i)).collect(),
                values: vector_from(values)?,
            }))
        }
    }
}

/// An entry out of a row of [`ENTRY`].
pub(crate) fn entry_from(row: &Row, shape: Shape) -> Result<IndexEntry, Error> {
    Ok(IndexEntry {
        id: row.text(0)?.to_owned(),
        meta: EntryMeta {
            cube: row.text(1)?.to_owned(),
            kind: parse_name(row.text(2)?)?,
            parent: row.text(3)?.to_owned(),
        },
        vector: decode(row.bytes(4)?, shape)?,
    })
}

/// pgvector's text form of a vector, where it can hold it.
#[cfg(feature = "postgres")]
fn pgvector_text(vector: &Vector) -> Option<String> {
    match vector {
        Vector::Dense(values) if values.len() <= MAX_PGVECTOR => {
            let numbers: Vec<String> = values.iter().map(ToString::to_string).collect();
            Some(format!("[{}]", numbers.join(",")))
        }
        _ => None,
    }
}

/// Writes an entry; the caller has checked it.
pub(crate) fn insert_entry(tx: &mut dyn Tx, index: &str, entry: &IndexEntry) -> Result<(), Error> {
    let values: [Value; 6] = [
        index.into(),
        entry.id.as_str().into(),
        entry.meta.cube.as_str().into(),
        kind_name(entry.meta.kind)?.into(),
        entry.meta.parent.as_str().into(),
        encode(&entry.vector).into(),
    ];
    match tx.dialect() {
        #[cfg(feature = "sqlite")]
        Dialect::Sqlite => tx.execute(
            "INSERT INTO vector_entries (index_name, id, cube, kind, parent, vector) \
             VALUES ($1, $2, $3, $4, $5, $6)",
            &values,
        )?,
        #[cfg(feature = "postgres")]
        Dialect::Postgres => {
            let mut values = values.to_vec();
            values.push(pgvector_text(&entry.vector).into());
            tx.execute(
                "INSERT INTO vector_entries (index_name, id, cube, kind, parent, vector, \
                 embedding) VALUES ($1, $2, $3, $4, $5, $6, $7::text::vector)",
                &values,
            )?
        }
    };
    Ok(())
}

/// Checks an entry against an index's shape and the rules for text.
pub(crate) fn check_entry(entry: &IndexEntry, shape: Shape) -> Outcome<()> {
    entry.vector.check(&entry.id, shape)?;
    for text in [&entry.id, &entry.meta.cube, &entry.meta.parent] {
        check_nul("an entry", text)?;
    }
    Ok(())
}

/// Writes the row of an index that is not there yet; refuses one of another space.
pub(crate) fn declare(tx: &mut dyn Tx, name: &str, wanted: &Fingerprint) -> Result<(), Error> {
    match fingerprint(tx, name)? {
        Some(found) => Ok(found.check(&format!("the index {name:?}"), wanted)?),
        None => {
            let json = to_json(wanted)?;
            check_nul("a fingerprint", &json)?;
            tx.execute(
                "INSERT INTO vector_indexes (name, fingerprint, changes) VALUES ($1, $2, 0)",
                &[name.into(), json.into()],
            )?;
            Ok(())
        }
    }
}

/// The fingerprint of a stored index.
pub(crate) fn fingerprint(tx: &mut dyn Tx, name: &str) -> Result<Option<Fingerprint>, Error> {
    let rows = tx.query(
        "SELECT fingerprint FROM vector_indexes WHERE name = $1",
        &[name.into()],
    )?;
    rows.first().map(|row| from_json(row.text(0)?)).transpose()
}

fn changes(tx: &mut dyn Tx, name: &str) -> Result<i64, Error> {
    let rows = tx.query(
        "SELECT changes FROM vector_indexes WHERE name = $1",
        &[name.into()],
    )?;
    rows.first().map_or(Ok(-1), |row| row.int(0))
}

pub(crate) fn count_change(tx: &mut dyn Tx, name: &str) -> Result<(), Error> {
    tx.execute(
        "UPDATE vector_indexes SET changes = changes + 1 WHERE name = $1",
        &[name.into()],
    )?;
    Ok(())
}

/// Removes all entries of an index.
pub(crate) fn clear(tx: &mut dyn Tx, name: &str) -> Result<(), Error> {
    tx.execute(
        "DELETE FROM vector_entries WHERE index_name = $1",
        &[name.into()],
    )?;
    count_change(tx, name)
}

impl StoredIndex {
    pub(crate) fn open(
        db: Arc<dyn Database>,
        name: &str,
        wanted: &Fingerprint,
    ) -> Result<Self, Error> {
        check_nul("the name of an index", name)?;
        let look = |tx: &mut dyn Tx| Ok::<_, Error>((fingerprint(tx, name)?, tx.dialect()));
        let (found, dialect) = transact(db.as_ref(), Mode::Read, look)?;
        match found {
            Some(found) => found.check(&format!("the index {name:?}"), wanted)?,
            None => transact(db.as_ref(), Mode::Write(Lock::Vectors), |tx| {
                declare(tx, name, wanted)
            })?,
        }
        Ok(Self {
            db,
            dialect,
            name: name.to_owned(),
            fingerprint: wanted.clone(),
            #[cfg(feature = "postgres")]
            hnsw: false,
            cache: Mutex::new(None),
        })
    }

    /// How this index searches.
    #[must_use]
    pub fn search_method(&self) -> SearchMethod {
        match (self.dialect, self.fingerprint.shape) {
            #[cfg(feature = "postgres")]
            (Dialect::Postgres, Shape::Dense(d)) if d <= MAX_PGVECTOR => {
                if self.hnsw {
                    SearchMethod::PgvectorHnsw
                } else {
                    SearchMethod::PgvectorScan
                }
            }
            _ => SearchMethod::InProcess,
        }
    }

    fn read<T>(&self, work: impl FnMut(&mut dyn Tx) -> Result<T, Error>) -> Result<T, Error> {
        transact(self.db.as_ref(), Mode::Read, work)
    }

    fn write<T>(&self, work: impl FnMut(&mut dyn Tx) -> Outcome<T>) -> Outcome<T> {
        transact(self.db.as_ref(), Mode::Write(Lock::Vectors), work)
    }

    /// The entries in memory, as they stand in the store now.
    fn in_process(&self) -> Result<Arc<ExactIndex>, Error> {
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        let known = cache.as_ref().map(|(n, _)| *n);
        let fresh = self.read(|tx| {
            let now = changes(tx, &self.name)?;
            if known == Some(now) {
                return Ok(None);
            }
            let rows = tx.query(
                &format!("{ENTRY} ORDER BY id"),
                &[self.name.as_str().into()],
            )?;
            let shape = self.fingerprint.shape;
            let entries: Result<Vec<IndexEntry>, Error> =
                rows.iter().map(|row| entry_from(row, shape)).collect();
            Ok(Some((now, entries?)))
        })?;
        if let Some((now, entries)) = fresh {
            let mut index = ExactIndex::new(self.fingerprint.clone());
            index.insert(entries)?;
            *cache = Some((now, Arc::new(index)));
        }
        match cache.as_ref() {
            Some((_, index)) => Ok(index.clone()),
            None => Err(Error::damaged("an index that could not be read")),
        }
    }
}

impl VectorIndex for StoredIndex {
    fn fingerprint(&self) -> &Fingerprint {
        &self.fingerprint
    }

    fn len(&self) -> Outcome<usize> {
        let sql = "SELECT COUNT(*) FROM vector_entries WHERE index_name = $1";
        let count = self.read(|tx| {
            let rows = tx.query(sql, &[self.name.as_str().into()])?;
            rows.first().map_or(Ok(0), |row| row.count(0))
        })?;
        Ok(usize::try_from(count).unwrap_or(usize::MAX))
    }

    fn insert(&mut self, entries: Vec<IndexEntry>) -> Outcome<()> {
        for entry in &entries {
            check_entry(entry, self.fingerprint.shape)?;
        }
        self.write(|tx| {
            for entry in &entries {
                let there = tx.query(
                    "SELECT id FROM vector_entries WHERE index_name = $1 AND id = $2",
                    &[self.name.as_str().into(), entry.id.as_str().into()],
                )?;
                if !there.is_empty() {
                    let id = entry.id.clone();
                    return Err(RetrieverError::DuplicateEntry { id });
                }
                insert_entry(tx, &self.name, entry)?;
            }
            Ok(count_change(tx, &self.name)?)
        })
    }

    fn remove(&mut self, ids: &[&str]) -> Outcome<usize> {
        let ids: Vec<&str> = ids
            .iter()
            .copied()
            .filter(|id| !id.contains('\0'))
            .collect();
        let removed = self.write(|tx| {
            let mut removed = 0;
            in_lists(&ids, 2, |names, mut values| {
                values.insert(0, self.name.as_str().into());
                removed += tx.execute(
                    &format!(
                        "DELETE FROM vector_entries WHERE index_name = $1 AND id IN ({names})"
                    ),
                    &values,
                )?;
                Ok(())
            })?;
            count_change(tx, &self.name)?;
            Ok(removed)
        })?;
        Ok(usize::try_from(removed).unwrap_or(usize::MAX))
    }

    fn get(&self, id: &str) -> Outcome<Option<IndexEntry>> {
        if id.contains('\0') {
            return Ok(None);
        }
        Ok(self.read(|tx| {
            let rows = tx.query(
                &format!("{ENTRY} AND id = $2"),
                &[self.name.as_str().into(), id.into()],
            )?;
            let shape = self.fingerprint.shape;
            rows.first().map(|row| entry_from(row, shape)).transpose()
        })?)
    }

    fn ids(&self) -> Outcome<Vec<String>> {
        let sql = "SELECT id FROM vector_entries WHERE index_name = $1 ORDER BY id";
        Ok(self.read(|tx| {
            let rows = tx.query(sql, &[self.name.as_str().into()])?;
            rows.iter().map(|row| Ok(row.text(0)?.to_owned())).collect()
        })?)
    }

    fn search(&self, query: &Vector, k: usize, filter: &Filter) -> Outcome<Vec<Hit>> {
        query.check("query", self.fingerprint.shape)?;
        match self.search_method() {
            SearchMethod::InProcess => self.in_process()?.search(query, k, filter),
            #[cfg(feature = "postgres")]
            _ => self.search_pgvector(query, k, filter),
            #[cfg(not(feature = "postgres"))]
            _ => self.in_process()?.search(query, k, filter),
        }
    }
}
