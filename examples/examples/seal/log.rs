//! An audit log in a file: one canonical event a line.

use crate::{Failure, bytes, line};
use clap::Subcommand;
use run_dag::audit::{
    AuditLog, Checkpoint, LogBreak, LoggedEvent, MemoryAuditLog, NewEvent, NoteSigner, Timestamp,
};
use run_dag::{Clause, Error, LogRoot, RunRecord, SafeInt, Value};
use serde_json::json;
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

#[derive(Subcommand)]
pub(crate) enum LogCommand {
    /// Append an event; the file is made if it is not there. Prints the event.
    Append {
        /// The log.
        file: PathBuf,
        /// What to log: a run record's file, a JSON object, or a text.
        detail: Option<String>,
        /// What happened. Default: `run_sealed` for a run record, else `note`.
        #[arg(long)]
        kind: Option<String>,
        /// When, in milliseconds since 1970-01-01 00:00 UTC. Default: now.
        #[arg(long)]
        at: Option<i64>,
        #[command(flatten)]
        origin: Origin,
    },
    /// Print the checkpoint over all events, or over the first SIZE.
    Checkpoint {
        /// The log.
        file: PathBuf,
        /// How many events it covers.
        #[arg(long)]
        size: Option<u64>,
        /// Sign it: a file with the 64 hexadecimal digits of an Ed25519 seed.
        #[arg(long, value_name = "FILE")]
        key: Option<PathBuf>,
        #[command(flatten)]
        origin: Origin,
    },
    /// Prove that the log extends an older checkpoint: a size, or a checkpoint's file.
    Consistency {
        /// The log.
        file: PathBuf,
        /// The older size, or the file of a checkpoint that was printed.
        old: String,
        /// The newer size. Default: all events.
        new: Option<u64>,
        #[command(flatten)]
        origin: Origin,
    },
    /// Recompute the chain; exit 1 naming the first break.
    Verify {
        /// The log.
        file: PathBuf,
        #[command(flatten)]
        origin: Origin,
    },
}

/// The log's name.
#[derive(clap::Args)]
pub(crate) struct Origin {
    /// The log's name, which the first event's hash covers.
    #[arg(long, default_value = "candor.example/log")]
    origin: String,
}

pub(crate) fn run(command: LogCommand) -> Result<(), Failure> {
    match command {
        LogCommand::Append {
            file,
            detail,
            kind,
            at,
            origin,
        } => append(&file, event(detail, kind, at)?, &origin.origin),
        LogCommand::Checkpoint {
            file,
            size,
            key,
            origin,
        } => {
            let checkpoint = open(&file, &origin.origin)?.checkpoint(size)?;
            match key {
                Some(key) => sign(&checkpoint, &key),
                None => line(&serde_json::to_value(&checkpoint)?),
            }
        }
        LogCommand::Consistency {
            file,
            old,
            new,
            origin,
        } => consistency(&open(&file, &origin.origin)?, &old, new),
        LogCommand::Verify { file, origin } => {
            let checkpoint = open(&file, &origin.origin)?.checkpoint(None)?;
            line(&json!({"verified": true, "events": checkpoint.size, "root": checkpoint.root}))
        }
    }
}

/// The log of a file's text, chain verified.
fn read(text: &str, origin: &str) -> Result<MemoryAuditLog, Failure> {
    let mut events = Vec::new();
    for row in text.split_inclusive('\n') {
        let sequence = events.len() as u64;
        let Some(row) = row.strip_suffix('\n') else {
            return Err(Error::LogBreak(LogBreak::Torn { sequence }).into());
        };
        let event = LoggedEvent::from_canonical_json(row.as_bytes());
        events.push(event.map_err(|e| format!("audit log: line {}: {e}", sequence + 1))?);
    }
    Ok(MemoryAuditLog::from_events(origin, events)?)
}

fn open(path: &Path, origin: &str) -> Result<MemoryAuditLog, Failure> {
    read(&String::from_utf8(bytes(path)?)?, origin)
}

/// What is to be logged.
fn event(
    detail: Option<String>,
    kind: Option<String>,
    at: Option<i64>,
) -> Result<NewEvent, Failure> {
    let (default_kind, detail) = match detail {
        None => ("note", Clause::new()),
        Some(text) if Path::new(&text).is_file() => {
            let record = RunRecord::from_canonical_json(&bytes(Path::new(&text))?)?;
            let root = record.run_dag_root().to_hex();
            (
                "run_sealed",
                Clause::from([("run_dag_root".into(), root.into())]),
            )
        }
        Some(text) if text.trim_start().starts_with('{') => {
            match Value::from_json(text.as_bytes())? {
                Value::Object(fields) => ("note", fields),
                other => {
                    return Err(format!("an object is accepted, not {}", other.type_name()).into());
                }
            }
        }
        Some(text) => ("note", Clause::from([("text".into(), text.into())])),
    };
    let at = match at {
        Some(at) => Timestamp::from_millis(at)?,
        None => Timestamp(now()?),
    };
    Ok(NewEvent {
        at,
        kind: kind.unwrap_or_else(|| default_kind.into()),
        detail,
    })
}

fn now() -> Result<SafeInt, Failure> {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH)?;
    Ok(SafeInt::try_from(u64::try_from(since.as_millis())?)?)
}

/// Reads the head and writes the event under one lock of the file, so that writers queue up.
fn append(path: &Path, event: NewEvent, origin: &str) -> Result<(), Failure> {
    let mut file: File = OpenOptions::new()
        .create(true)
        .read(true)
        .append(true)
        .open(path)
        .map_err(|e| format!("{}: {e}", path.display()))?;
    file.lock()?;
    let mut text = String::new();
    file.read_to_string(&mut text)?;
    let event = read(&text, origin)?.append(event)?;
    let mut row = event.to_canonical_json()?;
    row.push(b'\n');
    file.write_all(&row)?;
    file.sync_data()?;
    line(&serde_json::to_value(&event)?)
}

fn sign(checkpoint: &Checkpoint, key: &Path) -> Result<(), Failure> {
    let seed = String::from_utf8(bytes(key)?)?;
    // The seed is 32 bytes in hexadecimal digits, which is how digests are read too.
    let seed = *LogRoot::from_hex(seed.trim())
        .map_err(|_| "the key file holds the 64 lower-case hexadecimal digits of an Ed25519 seed")?
        .as_bytes();
    let signer = NoteSigner::from_seed(&checkpoint.origin, &seed)?;
    std::io::stdout()
        .lock()
        .write_all(checkpoint.sign(&[&signer])?.as_bytes())?;
    eprintln!("verifier key: {}", signer.verifier());
    Ok(())
}

fn consistency(log: &MemoryAuditLog, old: &str, new: Option<u64>) -> Result<(), Failure> {
    let older = match old.parse::<u64>() {
        Ok(size) => log.checkpoint(Some(size))?,
        Err(_) => serde_json::from_slice(&bytes(Path::new(old))?)?,
    };
    let newer = log.checkpoint(new)?;
    let proof = log.prove_consistency(older.size, newer.size)?;
    newer.verify_extends(&older, &proof)?;
    line(&json!({"consistent": true, "old": older, "new": newer, "proof": proof}))
}
