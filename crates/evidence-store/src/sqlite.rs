//! SQLite: one file, in process.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, ErrorCode, OpenFlags, ToSql, params_from_iter};

use crate::Error;
use crate::schema;
use crate::sql::{Database, Dialect, Mode, Row, Tx, Value};

/// How a file is opened.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SqliteOptions {
    /// How long a write waits for another process's write; 30 seconds by default.
    pub busy_timeout: Duration,
    /// The most pages of 4,096 bytes that the file may grow to; no limit of its own by default.
    pub max_pages: Option<u32>,
    /// Opens an existing file for reading only; every write is then refused. Also opens files in
    /// folders that accept no writes.
    pub read_only: bool,
}

impl Default for SqliteOptions {
    fn default() -> Self {
        Self {
            busy_timeout: Duration::from_secs(30),
            max_pages: None,
            read_only: false,
        }
    }
}

/// Marks a file as ours: `Cndr`.
const APPLICATION_ID: i64 = 0x436e_6472;

pub(crate) struct Sqlite {
    connection: Mutex<Connection>,
}

fn error(operation: &'static str, e: &rusqlite::Error) -> Error {
    let reason = e.to_string();
    match e.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Error::Busy { reason },
        Some(ErrorCode::ReadOnly) => Error::ReadOnly { reason },
        Some(ErrorCode::DiskFull) => Error::Full { reason },
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Error::damaged(reason),
        _ => Error::Database { operation, reason },
    }
}

fn open_connection(path: &Path, options: &SqliteOptions) -> Result<Connection, rusqlite::Error> {
    if !options.read_only {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        return Connection::open_with_flags(path, flags);
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let first = Connection::open_with_flags(path, flags)?;
    let readable = first.query_row("SELECT count(*) FROM sqlite_master", [], |_| Ok(()));
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    match (readable, path.to_str()) {
        // A folder without writes has no place for the shared index of the write-ahead log. With
        // no log there is nothing to share: the file alone is the whole store.
        (Err(_), Some(name)) if !Path::new(&log).exists() => {
            let name = name
                .replace('%', "%25")
                .replace('?', "%3f")
                .replace('#', "%23");
            Connection::open_with_flags(
                format!("file:{name}?immutable=1"),
                flags | OpenFlags::SQLITE_OPEN_URI,
            )
        }
        _ => Ok(first),
    }
}

impl Sqlite {
    pub(crate) fn open(path: &Path, options: &SqliteOptions, version: i64) -> Result<Self, Error> {
        let unusable = |reason: String| Error::Open {
            path: PathBuf::from(path),
            reason,
        };
        let connection = open_connection(path, options).map_err(|e| unusable(e.to_string()))?;
        let prepare = || -> Result<(i64, i64), rusqlite::Error> {
            connection.busy_timeout(options.busy_timeout)?;
            connection.set_prepared_statement_cache_capacity(128);
            let id = connection.query_row("PRAGMA application_id", [], |r| r.get(0))?;
            let tables =
                connection.query_row("SELECT count(*) FROM sqlite_master", [], |r| r.get(0))?;
            Ok((id, tables))
        };
        let (id, tables) = prepare().map_err(|e| match error("opening", &e) {
            kept @ (Error::Busy { .. } | Error::ReadOnly { .. }) => kept,
            // The file is there, but what goes beside it cannot be made.
            Error::Database { reason, .. }
                if e.sqlite_error_code() == Some(ErrorCode::CannotOpen) && path.is_file() =>
            {
                Error::ReadOnly {
                    reason: format!("{}: {reason}", path.display()),
                }
            }
            other => unusable(other.to_string()),
        })?;
        if id != APPLICATION_ID && (tables > 0 || options.read_only) {
            let reason = "it is a SQLite file of another program; give a new or one of ours";
            return Err(unusable(reason.to_owned()));
        }
        let store = Self {
            connection: Mutex::new(connection),
        };
        if options.read_only {
            let found = crate::sql::transact(&store, Mode::Read, schema::version)?;
            if found != schema::VERSION {
                return Err(unusable(format!(
                    "it has schema version {found}, and opening it for reading only cannot bring it to {}",
                    schema::VERSION
                )));
            }
        } else {
            store.set_up(options, version)?;
        }
        Ok(store)
    }

    fn set_up(&self, options: &SqliteOptions, version: i64) -> Result<(), Error> {
        {
            let connection = self.lock();
            let configure = || -> Result<String, rusqlite::Error> {
                let mode: String =
                    connection.query_row("PRAGMA journal_mode = WAL", [], |r| r.get(0))?;
                connection.pragma_update(None, "synchronous", "FULL")?;
                connection.pragma_update(None, "foreign_keys", true)?;
                if let Some(pages) = options.max_pages {
                    connection.query_row(
                        &format!("PRAGMA max_page_count = {pages}"),
                        [],
                        |_| Ok(()),
                    )?;
                }
                Ok(mode)
            };
            let mode = configure().map_err(|e| error("opening the store", &e))?;
            if mode != "wal" {
                let reason = format!("its journal mode is {mode}; a write-ahead log is needed");
                return Err(Error::ReadOnly { reason });
            }
        }
        let lock = crate::sql::Lock::Schema;
        crate::sql::transact(self, Mode::Write(lock), |tx| {
            tx.script(&format!("PRAGMA application_id = {APPLICATION_ID}"))?;
            schema::migrate(tx, version)
        })
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Connection> {
        self.connection
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Database for Sqlite {
    fn transact(&self, mode: Mode, work: &mut dyn FnMut(&mut dyn Tx) -> bool) -> Result<(), Error> {
        let connection = self.lock();
        // Left by a panic of whoever held the lock before.
        if !connection.is_autocommit() {
            run(&connection, "rolling back", "ROLLBACK")?;
        }
        let begin = match mode {
            Mode::Read => "BEGIN",
            Mode::Write(_) => "BEGIN IMMEDIATE",
        };
        run(&connection, "beginning a transaction", begin)?;
        let commit = work(&mut SqliteTx(&connection));
        let outcome = if commit {
            run(&connection, "committing", "COMMIT")
        } else {
            Ok(())
        };
        // A full disk may have rolled it back already.
        if !connection.is_autocommit() {
            let undone = run(&connection, "rolling back", "ROLLBACK");
            return outcome.and(undone);
        }
        outcome
    }

    /// `PRAGMA integrity_check` and `PRAGMA foreign_key_check`.
    fn check(&self) -> Result<Vec<String>, Error> {
        let connection = self.lock();
        let list = |sql: &str| -> Result<Vec<String>, rusqlite::Error> {
            let mut statement = connection.prepare(sql)?;
            let rows = statement.query_map([], |row| row.get::<_, String>(0))?;
            rows.collect()
        };
        let mut found = list("PRAGMA integrity_check").map_err(|e| error("checking", &e))?;
        found.retain(|line| line != "ok");
        let orphans = list("PRAGMA foreign_key_check").map_err(|e| error("checking", &e))?;
        found.extend(orphans.into_iter().map(|t| format!("orphan in {t}")));
        Ok(found)
    }
}

fn run(connection: &Connection, operation: &'static str, sql: &str) -> Result<(), Error> {
    connection
        .execute_batch(sql)
        .map_err(|e| error(operation, &e))
}

struct SqliteTx<'a>(&'a Connection);

impl ToSql for Value {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        let value = match self {
            Self::Int(i) => ValueRef::Integer(*i),
            Self::Real(Some(x)) => ValueRef::Real(*x),
            Self::Text(Some(text)) => ValueRef::Text(text.as_bytes()),
            Self::Bytes(Some(bytes)) => ValueRef::Blob(bytes),
            Self::Real(None) | Self::Text(None) | Self::Bytes(None) => ValueRef::Null,
        };
        Ok(ToSqlOutput::Borrowed(value))
    }
}

fn read(value: ValueRef<'_>) -> Result<Value, Error> {
    Ok(match value {
        ValueRef::Null => Value::Text(None),
        ValueRef::Integer(i) => Value::Int(i),
        ValueRef::Real(x) => Value::Real(Some(x)),
        ValueRef::Blob(bytes) => Value::Bytes(Some(bytes.to_vec())),
        ValueRef::Text(bytes) => {
            let text = std::str::from_utf8(bytes)
                .map_err(|_| Error::damaged("a text that is not UTF-8"))?;
            Value::Text(Some(text.to_owned()))
        }
    })
}

impl Tx for SqliteTx<'_> {
    fn dialect(&self) -> Dialect {
        Dialect::Sqlite
    }

    fn execute(&mut self, sql: &str, values: &[Value]) -> Result<u64, Error> {
        let fail = |e: rusqlite::Error| error("writing", &e);
        let mut statement = self
            .0
            .prepare_cached(&sql.replace('$', "?"))
            .map_err(fail)?;
        let changed = statement.execute(params_from_iter(values)).map_err(fail)?;
        Ok(changed as u64)
    }

    fn query(&mut self, sql: &str, values: &[Value]) -> Result<Vec<Row>, Error> {
        let fail = |e: rusqlite::Error| error("reading", &e);
        let mut statement = self
            .0
            .prepare_cached(&sql.replace('$', "?"))
            .map_err(fail)?;
        let columns = statement.column_count();
        let mut rows = statement.query(params_from_iter(values)).map_err(fail)?;
        let mut found = Vec::new();
        while let Some(row) = rows.next().map_err(fail)? {
            let mut values = Vec::with_capacity(columns);
            for column in 0..columns {
                values.push(read(row.get_ref(column).map_err(fail)?)?);
            }
            found.push(Row(values));
        }
        Ok(found)
    }

    fn script(&mut self, sql: &str) -> Result<(), Error> {
        run(self.0, "changing the schema", sql)
    }
}
