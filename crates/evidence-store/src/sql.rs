//! What the two databases have in common: values, rows, transactions.
//!
//! Statements are constants of this crate with numbered parameters (`$1`, `$2` …); what a caller
//! gives is bound, never spliced in.

use crate::Error;

/// A value on its way into or out of a column.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Int(i64),
    Real(Option<f64>),
    Text(Option<String>),
    Bytes(Option<Vec<u8>>),
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}

/// SQLite turns −0.0 into 0.0 on its way to the disk, so −0.0 is kept as NULL.
impl From<f64> for Value {
    fn from(value: f64) -> Self {
        Self::Real((value != 0.0 || value.is_sign_positive()).then_some(value))
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Self {
        Self::Text(Some(value.to_owned()))
    }
}

impl From<String> for Value {
    fn from(value: String) -> Self {
        Self::Text(Some(value))
    }
}

impl From<Option<String>> for Value {
    fn from(value: Option<String>) -> Self {
        Self::Text(value)
    }
}

impl From<&[u8; 32]> for Value {
    fn from(value: &[u8; 32]) -> Self {
        Self::Bytes(Some(value.to_vec()))
    }
}

impl From<Vec<u8>> for Value {
    fn from(value: Vec<u8>) -> Self {
        Self::Bytes(Some(value))
    }
}

/// A row that was read.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Row(pub(crate) Vec<Value>);

impl Row {
    fn wrong(&self, column: usize, wanted: &str) -> Error {
        Error::damaged(format!(
            "column {column} holds {:?} where {wanted} is expected",
            self.0.get(column)
        ))
    }

    pub(crate) fn int(&self, column: usize) -> Result<i64, Error> {
        match self.0.get(column) {
            Some(Value::Int(value)) => Ok(*value),
            _ => Err(self.wrong(column, "an integer")),
        }
    }

    pub(crate) fn count(&self, column: usize) -> Result<u64, Error> {
        u64::try_from(self.int(column)?).map_err(|_| self.wrong(column, "a count"))
    }

    pub(crate) fn real(&self, column: usize) -> Result<f64, Error> {
        match self.0.get(column) {
            Some(Value::Real(value)) => Ok(value.unwrap_or(-0.0)),
            // How SQLite hands out NULL.
            Some(Value::Text(None) | Value::Bytes(None)) => Ok(-0.0),
            _ => Err(self.wrong(column, "a number")),
        }
    }

    pub(crate) fn text(&self, column: usize) -> Result<&str, Error> {
        self.opt_text(column)?
            .ok_or_else(|| self.wrong(column, "a text"))
    }

    pub(crate) fn opt_text(&self, column: usize) -> Result<Option<&str>, Error> {
        match self.0.get(column) {
            Some(Value::Text(value)) => Ok(value.as_deref()),
            _ => Err(self.wrong(column, "a text")),
        }
    }

    pub(crate) fn bytes(&self, column: usize) -> Result<&[u8], Error> {
        self.opt_bytes(column)?
            .ok_or_else(|| self.wrong(column, "bytes"))
    }

    pub(crate) fn opt_bytes(&self, column: usize) -> Result<Option<&[u8]>, Error> {
        match self.0.get(column) {
            Some(Value::Bytes(value)) => Ok(value.as_deref()),
            Some(Value::Text(None)) => Ok(None),
            _ => Err(self.wrong(column, "bytes")),
        }
    }

    pub(crate) fn digest(&self, column: usize) -> Result<[u8; 32], Error> {
        self.bytes(column)?
            .try_into()
            .map_err(|_| self.wrong(column, "a digest of 32 bytes"))
    }
}

/// The databases, where their statements differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    #[cfg(feature = "sqlite")]
    Sqlite,
    #[cfg(feature = "postgres")]
    Postgres,
}

/// A transaction under way.
pub(crate) trait Tx {
    fn dialect(&self) -> Dialect;
    fn execute(&mut self, sql: &str, values: &[Value]) -> Result<u64, Error>;
    fn query(&mut self, sql: &str, values: &[Value]) -> Result<Vec<Row>, Error>;
    /// Several statements without parameters.
    fn script(&mut self, sql: &str) -> Result<(), Error>;
}

/// What a transaction is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Sees one state of the store throughout.
    Read,
    /// Excludes all others that write under the same lock, in whatever process.
    Write(Lock),
}

/// What writers exclude each other on. SQLite has one lock for the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lock {
    Schema,
    Graph,
    Ledger,
    Audit,
    Ingest,
    Vectors,
}

impl Lock {
    /// All that are rows of `candor_locks`.
    #[cfg(feature = "postgres")]
    pub(crate) const ALL: [Self; 6] = [
        Self::Schema,
        Self::Graph,
        Self::Ledger,
        Self::Audit,
        Self::Ingest,
        Self::Vectors,
    ];

    #[cfg(feature = "postgres")]
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Schema => "schema",
            Self::Graph => "graph",
            Self::Ledger => "ledger",
            Self::Audit => "audit",
            Self::Ingest => "ingest",
            Self::Vectors => "vectors",
        }
    }
}

/// A database. `work` says whether to commit, and may be run again after a collision.
pub(crate) trait Database: Send + Sync {
    fn transact(&self, mode: Mode, work: &mut dyn FnMut(&mut dyn Tx) -> bool) -> Result<(), Error>;

    /// What the database's own check finds.
    fn check(&self) -> Result<Vec<String>, Error> {
        Ok(Vec::new())
    }
}

/// Runs `work` in a transaction that is committed when it succeeds.
pub(crate) fn transact<T, E: From<Error>>(
    db: &dyn Database,
    mode: Mode,
    mut work: impl FnMut(&mut dyn Tx) -> Result<T, E>,
) -> Result<T, E> {
    let mut outcome = None;
    db.transact(mode, &mut |tx| {
        let result = work(tx);
        let commit = result.is_ok();
        outcome = Some(result);
        commit
    })?;
    outcome.unwrap_or_else(|| Err(Error::damaged("a transaction was not run").into()))
}

/// A limit as the databases count.
pub(crate) fn limit(limit: usize) -> Value {
    Value::Int(i64::try_from(limit).unwrap_or(i64::MAX))
}

/// The place after which a list goes on: the ids after `text` are those after its part before
/// U+0000, since no id holds U+0000.
pub(crate) fn before_nul(text: &str) -> &str {
    text.split('\0').next().unwrap_or_default()
}

/// How many ids go into one statement.
const LIST: usize = 512;

/// Calls `each` with lists of parameters (`$from,$from+1,…`) that together name all of `ids`. The
/// lists have lengths that are powers of two, the last id repeated, so that few statements differ.
pub(crate) fn in_lists(
    ids: &[&str],
    from: usize,
    mut each: impl FnMut(&str, Vec<Value>) -> Result<(), Error>,
) -> Result<(), Error> {
    for part in ids.chunks(LIST) {
        let length = part.len().next_power_of_two();
        let mut values: Vec<Value> = part.iter().map(|id| (*id).into()).collect();
        if let Some(last) = values.last().cloned() {
            values.resize(length, last);
        }
        each(&placeholders(from, length), values)?;
    }
    Ok(())
}

/// `$from,$from+1,…`.
pub(crate) fn placeholders(from: usize, count: usize) -> String {
    let names: Vec<String> = (from..from + count).map(|n| format!("${n}")).collect();
    names.join(",")
}

/// Reads the name of a variant.
pub(crate) fn parse_name<T: serde::de::DeserializeOwned>(name: &str) -> Result<T, Error> {
    serde_json::from_value(serde_json::Value::String(name.to_owned()))
        .map_err(|e| Error::damaged(format!("{name:?}: {e}")))
}

/// Writes JSON.
pub(crate) fn to_json<T: serde::Serialize + ?Sized>(value: &T) -> Result<String, Error> {
    serde_json::to_string(value).map_err(|e| Error::damaged(e.to_string()))
}

/// Reads JSON that this crate wrote.
pub(crate) fn from_json<T: serde::de::DeserializeOwned>(json: &str) -> Result<T, Error> {
    serde_json::from_str(json).map_err(|e| {
        let shown: String = json.chars().take(60).collect();
        Error::damaged(format!("{shown:?}: {e}"))
    })
}
