//! Searching in the server, by pgvector.

use geodesic_retriever::{ExactIndex, Filter, Hit, IndexEntry, Shape, Vector, VectorIndex};

use super::{
    ENTRY, MAX_PGVECTOR_INDEXED, Outcome, StoredIndex, entry_from, kind_name, pgvector_text,
};
use crate::Error;
use crate::sql::{self, Dialect, Lock, Mode, Tx, Value, transact};

/// How far pgvector's `f32` distances may be off.
const SLACK: f64 = 1e-4;

impl StoredIndex {
    /// Builds pgvector's HNSW index over this index's vectors and searches by it from now on.
    /// Takes minutes for millions of vectors; does nothing when it is there already.
    ///
    /// # Errors
    /// [`Error::Server`] where there is no pgvector or for more than [`MAX_PGVECTOR_INDEXED`]
    /// dimensions (those are scanned exactly) or sparse vectors; the database's failure.
    pub fn build_hnsw(&mut self) -> Result<(), Error> {
        let dimension = match (self.dialect, self.fingerprint.shape) {
            (Dialect::Postgres, Shape::Dense(d)) if d <= MAX_PGVECTOR_INDEXED => d,
            (_, shape) => {
                return Err(Error::Server {
                    reason: format!(
                        "an HNSW index over {shape} is not to be had here: it needs PostgreSQL and at most {MAX_PGVECTOR_INDEXED} dense dimensions; the exact search goes on"
                    ),
                });
            }
        };
        transact(self.db.as_ref(), Mode::Write(Lock::Vectors), |tx| {
            // A name of our own making and a number: nothing of the caller's is spliced in but
            // the index's name, as a quoted literal.
            let name = digest_of(tx, &self.name)?;
            let literal = self.name.replace('\'', "''").replace('\\', "\\\\");
            tx.script(&format!(
                "CREATE INDEX IF NOT EXISTS vector_entries_hnsw_{name} ON vector_entries \
                 USING hnsw ((embedding::vector({dimension})) vector_cosine_ops) \
                 WHERE index_name = E'{literal}'; ANALYZE vector_entries"
            ))
        })?;
        self.hnsw = true;
        Ok(())
    }

    pub(super) fn search_pgvector(
        &self,
        query: &Vector,
        k: usize,
        filter: &Filter,
    ) -> Outcome<Vec<Hit>> {
        let (Some(text), false) = (pgvector_text(query), k == 0) else {
            return Ok(Vec::new());
        };
        let Some((conditions, values)) = conditions(filter)? else {
            return Ok(Vec::new());
        };
        let entries = self.read(|tx| {
            if self.hnsw {
                let found = self.candidates(tx, &text, k, &conditions, &values)?;
                if found.len() >= k {
                    return Ok(found);
                }
            }
            self.nearest(tx, &text, k, &conditions, &values)
        })?;
        let mut model = ExactIndex::new(self.fingerprint.clone());
        model.insert(entries)?;
        model.search(query, k, &Filter::default())
    }

    /// Every entry as near as the `k` nearest, and those that `f32` may have put behind them.
    fn nearest(
        &self,
        tx: &mut dyn Tx,
        query: &str,
        k: usize,
        conditions: &str,
        filter: &[Value],
    ) -> Result<Vec<IndexEntry>, Error> {
        let mut values: Vec<Value> = vec![
            self.name.as_str().into(),
            query.into(),
            sql::limit(k),
            SLACK.into(),
        ];
        values.extend_from_slice(filter);
        let sql = format!(
            "WITH near AS MATERIALIZED (SELECT id, embedding <=> $2::text::vector AS distance \
             FROM vector_entries WHERE index_name = $1 {conditions}) \
             SELECT e.id, e.cube, e.kind, e.parent, e.vector FROM near JOIN vector_entries e \
             ON e.index_name = $1 AND e.id = near.id WHERE near.distance <= $4 + \
             (SELECT MAX(distance) FROM (SELECT distance FROM near ORDER BY distance LIMIT $3) top)"
        );
        self.entries(tx, &sql, &values)
    }

    /// What the HNSW index takes to be nearest: four times as many as asked for, 40 at least.
    fn candidates(
        &self,
        tx: &mut dyn Tx,
        query: &str,
        k: usize,
        conditions: &str,
        filter: &[Value],
    ) -> Result<Vec<IndexEntry>, Error> {
        let Shape::Dense(dimension) = self.fingerprint.shape else {
            return Ok(Vec::new());
        };
        let fetch = k.saturating_mul(4).clamp(40, 1_000);
        // Without sorting, the index's order is the planner's only way.
        tx.script(&format!(
            "SET LOCAL hnsw.ef_search = {fetch}; SET LOCAL enable_sort = off; \
             SET LOCAL plan_cache_mode = force_custom_plan"
        ))?;
        let mut values: Vec<Value> = vec![
            self.name.as_str().into(),
            query.into(),
            sql::limit(fetch.max(k)),
        ];
        // The parameters of the filter are numbered from 5.
        values.push(SLACK.into());
        values.extend_from_slice(filter);
        let sql = format!(
            "{ENTRY} AND $4::float8 > 0 {conditions} \
             ORDER BY embedding::vector({dimension}) <=> $2::text::vector({dimension}) LIMIT $3"
        );
        self.entries(tx, &sql, &values)
    }

    fn entries(
        &self,
        tx: &mut dyn Tx,
        sql: &str,
        values: &[Value],
    ) -> Result<Vec<IndexEntry>, Error> {
        let rows = tx.query(sql, values)?;
        let shape = self.fingerprint.shape;
        rows.iter().map(|row| entry_from(row, shape)).collect()
    }
}

/// A digest of an index's name, for a name of our own making.
fn digest_of(tx: &mut dyn Tx, name: &str) -> Result<String, Error> {
    let sql = "SELECT encode(sha256(convert_to($1::text, 'UTF8')), 'hex')";
    let rows = tx.query(sql, &[name.into()])?;
    let digest = rows.first().map_or(Ok(""), |row| row.text(0))?;
    Ok(digest.chars().take(24).collect())
}

/// A filter as conditions with parameters from `$5` on; `None` when nothing can pass.
fn conditions(filter: &Filter) -> Result<Option<(String, Vec<Value>)>, Error> {
    let kinds = match &filter.kinds {
        Some(kinds) => Some(
            kinds
                .iter()
                .map(|k| kind_name(*k))
                .collect::<Result<Vec<_>, _>>()?,
        ),
        None => None,
    };
    let texts = |set: &Option<std::collections::BTreeSet<String>>| {
        let set = set.as_ref()?;
        let sendable = set.iter().filter(|t| !t.contains('\0')).cloned();
        Some(sendable.collect::<Vec<String>>())
    };
    let (mut sql, mut values) = (String::new(), Vec::new());
    for (column, allowed) in [
        ("cube", texts(&filter.cubes)),
        ("kind", kinds),
        ("parent", texts(&filter.parents)),
    ] {
        let Some(mut allowed) = allowed else { continue };
        let Some(last) = allowed.last().cloned() else {
            return Ok(None);
        };
        allowed.resize(allowed.len().next_power_of_two(), last);
        let names = sql::placeholders(values.len() + 5, allowed.len());
        sql.push_str(&format!(" AND {column} IN ({names})"));
        values.extend(allowed.into_iter().map(Value::from));
    }
    Ok(Some((sql, values)))
}
