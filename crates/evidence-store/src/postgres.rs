//! PostgreSQL with pgvector, through the blocking client.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use postgres::error::SqlState;
use postgres::types::{ToSql, Type};
use postgres::{Client, IsolationLevel, NoTls, Statement};

use crate::Error;
use crate::schema;
use crate::sql::{Database, Dialect, Lock, Mode, Row, Tx, Value};

/// Makes a connection: again whenever one was lost. For TLS, give your own.
pub type Connect = Box<dyn Fn() -> Result<Client, postgres::Error> + Send + Sync>;

/// How often a transaction that collided with another is tried.
const TRIES: usize = 10;

/// How many prepared statements are kept.
const STATEMENTS: usize = 256;

pub(crate) struct Postgres {
    connect: Connect,
    schema: String,
    session: Mutex<Option<Session>>,
}

struct Session {
    client: Client,
    statements: HashMap<String, Statement>,
}

/// The error of the client in our words.
fn error(operation: &'static str, e: &postgres::Error) -> Error {
    let reason = words(e);
    match e.code() {
        Some(&SqlState::T_R_SERIALIZATION_FAILURE | &SqlState::T_R_DEADLOCK_DETECTED) => {
            Error::Collision { reason }
        }
        Some(&SqlState::READ_ONLY_SQL_TRANSACTION) => Error::ReadOnly { reason },
        Some(&SqlState::DISK_FULL) => Error::Full { reason },
        Some(
            &SqlState::ADMIN_SHUTDOWN | &SqlState::CRASH_SHUTDOWN | &SqlState::CANNOT_CONNECT_NOW,
        ) => Error::ConnectionLost { reason },
        Some(code) if code.code().starts_with("08") => Error::ConnectionLost { reason },
        None if e.is_closed() || is_io(e) => Error::ConnectionLost { reason },
        _ => Error::Database { operation, reason },
    }
}

/// What the client says, and why.
fn words(e: &postgres::Error) -> String {
    use std::error::Error as _;
    match e.source() {
        Some(source) => format!("{e}: {source}"),
        None => e.to_string(),
    }
}

fn is_io(e: &postgres::Error) -> bool {
    use std::error::Error as _;
    e.source()
        .and_then(|source| source.downcast_ref::<std::io::Error>())
        .is_some()
}

/// Checks the name of a schema, which is the only name that is spliced into a statement.
fn check_schema(name: &str) -> Result<(), Error> {
    let mut letters = name.chars();
    let first = letters.next().is_some_and(|c| c.is_ascii_lowercase());
    let rest = letters.all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    if first && rest && name.len() <= 63 && !name.starts_with("pg_") {
        return Ok(());
    }
    Err(Error::Name {
        what: "a schema",
        found: name.chars().take(80).collect(),
        accepted: "1 to 63 of a-z, 0-9 and _, a letter first, not pg_…",
    })
}

/// A connector without TLS.
pub(crate) fn without_tls(settings: &str) -> Result<Connect, Error> {
    let config: postgres::Config =
        settings
            .parse()
            .map_err(|e: postgres::Error| Error::Server {
                reason: format!("the connection string is not understood: {e}"),
            })?;
    Ok(Box::new(move || config.connect(NoTls)))
}

impl Postgres {
    pub(crate) fn open(connect: Connect, schema: &str, version: i64) -> Result<Self, Error> {
        check_schema(schema)?;
        let store = Self {
            connect,
            schema: schema.to_owned(),
            session: Mutex::new(None),
        };
        let mut session = store.connected()?;
        store.set_up(&mut session, version)?;
        *store.lock() = Some(session);
        Ok(store)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Session>> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn connected(&self) -> Result<Session, Error> {
        let mut client = (self.connect)().map_err(|e| Error::Server { reason: words(&e) })?;
        let path = format!("SET search_path TO \"{}\", public", self.schema);
        client
            .batch_execute(&path)
            .map_err(|e| error("connecting", &e))?;
        Ok(Session {
            client,
            statements: HashMap::new(),
        })
    }

    fn set_up(&self, session: &mut Session, version: i64) -> Result<(), Error> {
        let fail = |e: postgres::Error| error("setting up the schema", &e);
        let mut transaction = session.client.transaction().map_err(fail)?;
        // Two programs that set up at once: the second waits. Engines without advisory locks take
        // the statement and do nothing; there the schema is set up by one program.
        transaction
            .query("SELECT pg_advisory_xact_lock(4932917)", &[])
            .map_err(fail)?;
        let encoding: String = transaction
            .query_one("SHOW server_encoding", &[])
            .and_then(|row| row.try_get(0))
            .map_err(fail)?;
        if !encoding.eq_ignore_ascii_case("utf8") {
            return Err(Error::Server {
                reason: format!("the database's encoding is {encoding}; UTF8 is needed"),
            });
        }
        let create = format!("CREATE SCHEMA IF NOT EXISTS \"{}\"", self.schema);
        transaction.batch_execute(&create).map_err(fail)?;
        // Where the type is there already (by an administrator, or built in) nothing is made.
        let there: Option<String> = transaction
            .query_one("SELECT to_regtype('vector')::text", &[])
            .and_then(|row| row.try_get(0))
            .map_err(fail)?;
        if there.is_none() {
            let vector = "CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA public";
            transaction
                .batch_execute(vector)
                .map_err(|e| Error::Server {
                    reason: format!("pgvector (extension \"vector\") is needed: {}", words(&e)),
                })?;
        }
        let mut tx = PostgresTx {
            transaction: &mut transaction,
            statements: &mut HashMap::new(),
            collided: false,
        };
        schema::migrate(&mut tx, version)?;
        for lock in Lock::ALL {
            tx.execute(
                "INSERT INTO candor_locks (name) VALUES ($1) ON CONFLICT (name) DO NOTHING",
                &[lock.as_str().into()],
            )?;
        }
        transaction.commit().map_err(fail)
    }
}

impl Database for Postgres {
    fn transact(&self, mode: Mode, work: &mut dyn FnMut(&mut dyn Tx) -> bool) -> Result<(), Error> {
        let mut guard = self.lock();
        let mut session = match guard.take() {
            Some(session) if !session.client.is_closed() => session,
            _ => self.connected()?,
        };
        let outcome = session.transact(mode, work);
        if !session.client.is_closed() {
            *guard = Some(session);
        }
        outcome
    }
}

impl Session {
    fn transact(
        &mut self,
        mode: Mode,
        work: &mut dyn FnMut(&mut dyn Tx) -> bool,
    ) -> Result<(), Error> {
        for attempt in 1.. {
            match self.attempt(mode, work) {
                Err(Error::Collision { .. }) if attempt < TRIES => {}
                outcome => return outcome,
            }
        }
        Ok(())
    }

    fn attempt(
        &mut self,
        mode: Mode,
        work: &mut dyn FnMut(&mut dyn Tx) -> bool,
    ) -> Result<(), Error> {
        let builder = self.client.build_transaction();
        let builder = match mode {
            Mode::Read => builder
                .isolation_level(IsolationLevel::RepeatableRead)
                .read_only(true),
            // What is read after the lock is what the last holder committed.
            Mode::Write(_) => builder.isolation_level(IsolationLevel::ReadCommitted),
        };
        let mut transaction = builder.start().map_err(|e| error("beginning", &e))?;
        let mut tx = PostgresTx {
            transaction: &mut transaction,
            statements: &mut self.statements,
            collided: false,
        };
        if let Mode::Write(lock) = mode {
            let sql = "SELECT name FROM candor_locks WHERE name = $1 FOR UPDATE";
            tx.query(sql, &[lock.as_str().into()])?;
        }
        let commit = work(&mut tx);
        if tx.collided {
            return Err(Error::Collision {
                reason: "within the transaction".into(),
            });
        }
        if commit {
            return transaction.commit().map_err(|e| error("committing", &e));
        }
        // The work says what was wrong; a connection that breaks here rolls back by itself.
        let _ = transaction.rollback();
        Ok(())
    }
}

struct PostgresTx<'a, 'b> {
    transaction: &'a mut postgres::Transaction<'b>,
    statements: &'a mut HashMap<String, Statement>,
    collided: bool,
}

fn parameters(values: &[Value]) -> Vec<&(dyn ToSql + Sync)> {
    values
        .iter()
        .map(|value| -> &(dyn ToSql + Sync) {
            match value {
                Value::Int(i) => i,
                Value::Real(x) => x,
                Value::Text(text) => text,
                Value::Bytes(bytes) => bytes,
            }
        })
        .collect()
}

fn read(row: &postgres::Row) -> Result<Row, Error> {
    let fail = |e: postgres::Error| error("reading", &e);
    let mut values = Vec::with_capacity(row.len());
    for (i, column) in row.columns().iter().enumerate() {
        values.push(match *column.type_() {
            Type::INT8 => Value::Int(row.try_get(i).map_err(fail)?),
            Type::FLOAT8 => Value::Real(row.try_get(i).map_err(fail)?),
            Type::BYTEA => Value::Bytes(row.try_get(i).map_err(fail)?),
            _ => Value::Text(row.try_get(i).map_err(fail)?),
        });
    }
    Ok(Row(values))
}

impl PostgresTx<'_, '_> {
    fn failed(&mut self, operation: &'static str, e: &postgres::Error) -> Error {
        let error = error(operation, e);
        self.collided |= matches!(error, Error::Collision { .. });
        error
    }

    fn statement(&mut self, sql: &str) -> Result<Statement, Error> {
        if let Some(statement) = self.statements.get(sql) {
            return Ok(statement.clone());
        }
        let prepared = self.transaction.prepare(sql);
        let statement = prepared.map_err(|e| self.failed("preparing a statement", &e))?;
        if self.statements.len() >= STATEMENTS {
            self.statements.clear();
        }
        self.statements.insert(sql.to_owned(), statement.clone());
        Ok(statement)
    }
}

impl Tx for PostgresTx<'_, '_> {
    fn dialect(&self) -> Dialect {
        Dialect::Postgres
    }

    fn execute(&mut self, sql: &str, values: &[Value]) -> Result<u64, Error> {
        let statement = self.statement(sql)?;
        let done = self.transaction.execute(&statement, &parameters(values));
        done.map_err(|e| self.failed("writing", &e))
    }

    fn query(&mut self, sql: &str, values: &[Value]) -> Result<Vec<Row>, Error> {
        let statement = self.statement(sql)?;
        let rows = self.transaction.query(&statement, &parameters(values));
        let rows = rows.map_err(|e| self.failed("reading", &e))?;
        rows.iter().map(read).collect()
    }

    fn script(&mut self, sql: &str) -> Result<(), Error> {
        let done = self.transaction.batch_execute(sql);
        done.map_err(|e| self.failed("changing the schema", &e))
    }
}
