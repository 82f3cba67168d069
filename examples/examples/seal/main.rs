//! Sealed runs on the command line: root, verify, prove, check, diff, attest, and an audit log.
//!
//! `cargo run --release --example seal -- sample lattice > run.json` makes a record to play with.
//! Records and proofs are written in their canonical bytes, without a final newline: that is the
//! only spelling in which they are read again.
#![allow(clippy::print_stderr)]

mod log;

use clap::{Parser, Subcommand, ValueEnum};
use run_dag::{
    Error, Proof, RunRecord, Shape, diff, export, prove, prove_evidence, replay, sample,
};
use serde_json::{Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Whatever ends the program with one line.
pub(crate) type Failure = Box<dyn std::error::Error>;

/// Sealed runs: recompute, prove, compare and export them; keep an audit log.
#[derive(Parser)]
#[command(name = "seal")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Print a run's recomputed root and its stages.
    Root {
        /// A run record in canonical JSON.
        run: PathBuf,
    },
    /// Recompute everything in a run record; exit 1 if anything does not match.
    Verify {
        /// A run record in canonical JSON.
        run: PathBuf,
    },
    /// Print a self-contained proof of one stage, or of one passage with `evidence:E2`.
    Prove {
        /// A run record in canonical JSON.
        run: PathBuf,
        /// A stage's name (`verify`, `focus#2`), or `evidence:POINTER`.
        stage: String,
    },
    /// Check a proof, and that it is about the root given if one is.
    Check {
        /// A proof in canonical JSON.
        proof: PathBuf,
        /// The root that the proof must be about.
        #[arg(long)]
        root: Option<String>,
    },
    /// Compare two runs stage by stage.
    Diff {
        /// A run record in canonical JSON.
        a: PathBuf,
        /// Another.
        b: PathBuf,
    },
    /// Print the run as an in-toto Statement, or in another format.
    Attest {
        /// A run record in canonical JSON.
        run: PathBuf,
        /// The format.
        #[arg(long, value_enum, default_value_t = Format::InToto)]
        format: Format,
    },
    /// Print, in canonical JSON, the record in any JSON that holds one (as it is, or as `run`).
    Extract {
        /// A record in any spelling, or an answer of the example `ask`.
        file: PathBuf,
    },
    /// Keep an audit log in a file, an event a line.
    #[command(subcommand)]
    Log(log::LogCommand),
    /// Print a run record to play with.
    Sample {
        /// quote, lattice, reject, decline, deliberation, quote_legacy, lattice_legacy, custom/review.
        shape: String,
    },
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    /// in-toto Statement v1.
    InToto,
    /// W3C PROV-JSON.
    Prov,
    /// Graphviz DOT.
    Dot,
    /// Mermaid.
    Mermaid,
}

fn main() -> ExitCode {
    match run(Arguments::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("seal: {}", error.to_string().replace('\n', " "));
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> Result<(), Failure> {
    match command {
        Command::Root { run } => root(&record(&run)?),
        Command::Verify { run } => verify(&record(&run)?),
        Command::Prove { run, stage } => put(&proof_of(&sound(&run)?, &stage)?),
        Command::Check { proof, root } => check(&proof, root.as_deref()),
        Command::Diff { a, b } => line(&serde_json::to_value(diff(&record(&a)?, &record(&b)?)?)?),
        Command::Attest { run, format } => attest(&sound(&run)?, format),
        Command::Extract { file } => extract(&file),
        Command::Log(command) => log::run(command),
        Command::Sample { shape } => {
            put(&sample::run(&Shape::parse(&shape)?)?.to_canonical_json()?)
        }
    }
}

/// Bytes to standard output, as they are.
fn put(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    out.write_all(bytes)?;
    Ok(out.flush()?)
}

/// JSON to standard output, on a line.
pub(crate) fn line(value: &Value) -> Result<(), Failure> {
    put(format!("{value}\n").as_bytes())
}

/// A file's bytes; the error names the file.
pub(crate) fn bytes(path: &Path) -> Result<Vec<u8>, Failure> {
    std::fs::read(path).map_err(|e| format!("{}: {e}", path.display()).into())
}

fn record(path: &Path) -> Result<RunRecord, Failure> {
    let text = bytes(path)?;
    RunRecord::from_canonical_json(&text).map_err(|e| {
        let hint = match e {
            Error::NotCanonical { .. } => "; `seal extract FILE` writes the canonical bytes",
            _ => "",
        };
        format!("{}: {e}{hint}", path.display()).into()
    })
}

/// A record whose hashes all follow from its contents.
fn sound(path: &Path) -> Result<RunRecord, Failure> {
    let record = record(path)?;
    demand_match(&record)?;
    Ok(record)
}

fn demand_match(record: &RunRecord) -> Result<(), Failure> {
    let replay = replay(record)?;
    match replay.mismatches.as_slice() {
        [] => Ok(()),
        [first, rest @ ..] => Err(format!(
            "does not match: stage {}, {}: recorded {}, recomputed {} ({} more)",
            first.stage,
            first.field,
            first.recorded,
            first.recomputed,
            rest.len()
        )
        .into()),
    }
}

fn root(record: &RunRecord) -> Result<(), Failure> {
    let names = record.stage_names();
    let stages: Vec<Value> = record
        .stages()
        .iter()
        .zip(&names)
        .map(|(stage, name)| {
            let parents: Vec<&String> = stage
                .parents()
                .iter()
                .filter_map(|&p| names.get(p))
                .collect();
            json!({
                "name": name,
                "kind": stage.kind(),
                "parents": parents,
                "payload_hash": stage.payload_hash(),
                "stage_hash": stage.stage_hash(),
            })
        })
        .collect();
    demand_match(record)?;
    line(&json!({
        "run_dag_root": record.run_dag_root(),
        "shape": record.shape(),
        "stages": stages,
    }))
}

fn verify(record: &RunRecord) -> Result<(), Failure> {
    let replay = replay(record)?;
    line(&json!({
        "verified": replay.is_clean(),
        "run_dag_root": record.run_dag_root(),
        "recomputed_root": replay.recomputed_root,
        "shape": record.shape(),
        "stages": record.stages().len(),
        "mismatches": replay.mismatches,
    }))?;
    demand_match(record)
}

fn proof_of(record: &RunRecord, stage: &str) -> Result<Vec<u8>, Failure> {
    let proof = match stage.strip_prefix("evidence:") {
        Some(pointer) => Proof::Evidence(Box::new(prove_evidence(record, pointer)?)),
        None => Proof::Stage(Box::new(prove(record, stage)?)),
    };
    Ok(proof.to_canonical_json()?)
}

fn check(path: &Path, root: Option<&str>) -> Result<(), Failure> {
    let proof = Proof::from_canonical_json(&bytes(path)?)?;
    proof.check()?;
    let found = proof.run_dag_root().to_hex();
    if let Some(root) = root.filter(|r| *r != found) {
        return Err(format!("the proof is about the run {found}, not {root}").into());
    }
    let stage = match &proof {
        Proof::Stage(p) => json!({"stage": p.kind}),
        Proof::Evidence(p) => json!({"stage": p.stage.kind, "evidence": p.entry.pointer_id}),
        _ => json!({}),
    };
    line(&json!({"holds": true, "run_dag_root": found, "proves": stage}))
}

fn attest(record: &RunRecord, format: Format) -> Result<(), Failure> {
    match format {
        Format::InToto => line(&serde_json::to_value(export::in_toto(record)?)?),
        Format::Prov => line(&serde_json::to_value(export::prov_json(record))?),
        Format::Dot => put(export::dot(record).as_bytes()),
        Format::Mermaid => put(export::mermaid(record).as_bytes()),
    }
}

fn extract(path: &Path) -> Result<(), Failure> {
    let value: Value = serde_json::from_slice(&bytes(path)?)?;
    let inner = match value.get("run") {
        Some(run) => run.clone(),
        None => value,
    };
    let record: RunRecord = serde_json::from_value(inner)?;
    put(&record.to_canonical_json()?)
}
