//! `retrieve ingest`, `sweep` and `reset`: a dictionary that is kept current with a folder.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use clap::{Args, ValueEnum};
use evidence_store::Store;
use geodesic_retriever::{
    AnchorSet, Calibration, Capacity, ChunkOptions, Chunker, DedupThresholds, DensityOptions,
    DictionarySetup, DictionaryStore, Embedder, EntryKind, EntryMeta, ExactIndex, Executor,
    ExecutorOptions, GENERALIST, IndexEntry, LabelSet, LexicalConfig, LexicalEmbedder,
    LexicalLearner, MaintenanceOptions, Progress, ReadOptions, ResetMode, RuleValidator,
    ScaffoldPhrase, SessionState, SpecialistOptions, VectorIndex, centre_of, survey,
};
use serde_json::{Value, json};

use crate::cli::Failure;
use crate::embedders::EmbedderArgs;
use crate::stores::{CORPUS, is_sqlite};

/// Takes a folder into a dictionary, or brings the dictionary up to date with it. Resumes where a
/// run before stopped, however it stopped.
#[derive(Debug, Args)]
pub struct IngestArgs {
    folder: PathBuf,
    /// A SQLite file (.sqlite), made if it is not there.
    #[arg(long)]
    store: PathBuf,
    #[command(flatten)]
    embedder: EmbedderArgs,
    /// The most entries; by default a tier by this machine's memory, 5,000 to 50,000.
    #[arg(long)]
    capacity: Option<usize>,
    /// The most characters in a chunk.
    #[arg(long, default_value_t = 1000)]
    chunk: usize,
    /// Characters that a chunk shares with the one before.
    #[arg(long, default_value_t = 100)]
    overlap: usize,
    /// Sources committed together.
    #[arg(long, default_value_t = 16)]
    batch: usize,
    /// Labelled phrases, `{label, text}` a line: entries are labelled and specialists proposed.
    #[arg(long)]
    scaffold: Option<PathBuf>,
    /// Spawn the proposed specialist of this label; needs --scaffold.
    #[arg(long)]
    spawn: Vec<String>,
    /// Save what is there in the end as the baseline.
    #[arg(long)]
    baseline: bool,
}

/// The three sweeps of a shutdown: malformed specialists, artifacts, orphans. A dry run unless
/// --apply is given.
#[derive(Debug, Args)]
pub struct SweepArgs {
    #[arg(long)]
    store: PathBuf,
    #[command(flatten)]
    embedder: EmbedderArgs,
    /// Where removed entries are archived as JSON lines.
    #[arg(long, default_value = "archive")]
    archive: PathBuf,
    /// The archive's name: the time, such as 2026-11-30T22:00:00Z.
    #[arg(long)]
    stamp: String,
    /// Remove what was found.
    #[arg(long)]
    apply: bool,
    /// Take entries of malformed specialists out of the other cubes too.
    #[arg(long)]
    propagate: bool,
}

/// How far to go back.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Mode {
    /// Nothing is left.
    Full,
    /// The baseline is left.
    Baseline,
}

/// Empties a dictionary, or brings it back to its baseline.
#[derive(Debug, Args)]
pub struct ResetArgs {
    #[arg(long)]
    store: PathBuf,
    #[command(flatten)]
    embedder: EmbedderArgs,
    #[arg(long, value_enum)]
    mode: Mode,
}

/// A figure of `/proc`, in bytes; none where there is none.
fn proc_bytes(file: &str, name: &str) -> Option<u64> {
    let text = std::fs::read_to_string(file).ok()?;
    let line = text.lines().find_map(|l| l.strip_prefix(name))?;
    let kib: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kib * 1024)
}

fn need_sqlite(path: &Path) -> Result<(), Failure> {
    if is_sqlite(path) {
        return Ok(());
    }
    Err(format!(
        "{}: a dictionary needs a SQLite file (.sqlite)",
        path.display()
    )
    .into())
}

/// What a new dictionary is made with, and its embedder.
fn new_setup(
    args: &IngestArgs,
    sizes: ChunkOptions,
    progress: &mut dyn FnMut(Progress),
) -> Result<(DictionarySetup, Arc<dyn Embedder>), Failure> {
    let chunker = Chunker::characters(sizes)?;
    let read = ReadOptions::default();
    let (embedder, lexical, sample): (Arc<dyn Embedder>, _, _) = match args.embedder.load()? {
        Some(embedder) => {
            let seen = survey(&args.folder, &read, &chunker, &mut |_| {}, progress)?;
            (embedder, None, seen.sample)
        }
        None => {
            let mut learner = LexicalLearner::new(LexicalConfig::default())?;
            let mut learn = |texts: &[&str]| learner.observe(texts);
            let seen = survey(&args.folder, &read, &chunker, &mut learn, progress)?;
            let embedder = learner.finish();
            let state = embedder.state();
            (Arc::new(embedder), Some(state), seen.sample)
        }
    };
    let texts: Vec<&str> = sample.iter().map(String::as_str).collect();
    let found = embedder.embed_documents_with(&texts, progress)?;
    let vectors: Vec<_> = found.into_iter().flatten().map(|e| e.vector).collect();
    let centre = centre_of(&vectors.iter().collect::<Vec<_>>());
    // Where no calibration ships with the model, it is made on the sample.
    let mut sampled = ExactIndex::new(embedder.fingerprint().clone());
    let entries = vectors
        .into_iter()
        .enumerate()
        .map(|(i, vector)| IndexEntry {
            id: i.to_string(),
            vector,
            meta: EntryMeta {
                cube: GENERALIST.to_owned(),
                kind: EntryKind::Fact,
                parent: i.to_string(),
            },
        });
    sampled.insert(entries.collect())?;
    let calibration = Calibration::for_index(embedder.as_ref(), &sampled, None)?;
    let memory = proc_bytes("/proc/meminfo", "MemTotal").unwrap_or(0);
    let capacity = match args.capacity {
        Some(entries) => Capacity::new(entries)?,
        None => Capacity::for_memory(memory),
    };
    let setup = DictionarySetup {
        fingerprint: embedder.fingerprint().clone(),
        lexical,
        calibration,
        chunking: sizes,
        capacity,
        dedup: DedupThresholds::default(),
        centre,
    };
    Ok((setup, embedder))
}

/// The embedder of a dictionary that is there.
fn stored_embedder(
    setup: &DictionarySetup,
    args: &EmbedderArgs,
) -> Result<Arc<dyn Embedder>, Failure> {
    if let Some(embedder) = args.load()? {
        return Ok(embedder);
    }
    let state = setup.lexical.clone().ok_or_else(|| {
        let model = &setup.fingerprint.model_id;
        format!("the dictionary was made with {model}; give --embedder and --model")
    })?;
    Ok(Arc::new(LexicalEmbedder::from_state(state)?))
}

fn executor(
    store: Arc<dyn DictionaryStore>,
    setup: &DictionarySetup,
    embedder: Arc<dyn Embedder>,
    batch: usize,
) -> Result<Executor, Failure> {
    let options = ExecutorOptions {
        batch,
        ..ExecutorOptions::default()
    };
    Ok(Executor::open(
        store,
        setup,
        embedder,
        Chunker::characters(setup.chunking)?,
        Box::new(RuleValidator::default()),
        options,
    )?)
}

fn existing(path: &Path, args: &EmbedderArgs) -> Result<Executor, Failure> {
    need_sqlite(path)?;
    if !path.exists() {
        return Err(format!("{}: no such file", path.display()).into());
    }
    let store = Arc::new(Store::sqlite(path)?.dictionary(CORPUS)?);
    let state = store
        .state()?
        .ok_or_else(|| format!("{}: no dictionary; run ingest", path.display()))?;
    let embedder = stored_embedder(&state.setup, args)?;
    executor(store, &state.setup, embedder, 16)
}

fn scaffold(path: &Path) -> Result<Vec<ScaffoldPhrase>, Failure> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let lines = text.lines().filter(|l| !l.trim().is_empty());
    let phrases: Result<_, _> = lines.map(serde_json::from_str).collect();
    phrases.map_err(|e| format!("{}: {e}", path.display()).into())
}

/// `retrieve ingest`.
///
/// # Errors
/// What keeps the folder from being ingested.
pub fn ingest(args: &IngestArgs, progress: &mut dyn FnMut(Progress)) -> Result<Value, Failure> {
    need_sqlite(&args.store)?;
    let start = Instant::now();
    let store = Arc::new(Store::sqlite(&args.store)?.dictionary(CORPUS)?);
    let (setup, embedder) = match store.state()? {
        Some(state) => {
            let embedder = stored_embedder(&state.setup, &args.embedder)?;
            (state.setup, embedder)
        }
        None => {
            let sizes = ChunkOptions {
                max_size: args.chunk,
                overlap: args.overlap,
            };
            new_setup(args, sizes, progress)?
        }
    };
    let mut executor = executor(store, &setup, embedder.clone(), args.batch)?;
    if let Some(path) = &args.scaffold {
        let phrases = scaffold(path)?;
        let labels = LabelSet::thirteen();
        let (anchors, _) = AnchorSet::from_scaffold(labels, &phrases, embedder.as_ref())?;
        executor.set_anchors(anchors)?;
    }
    let prepared = start.elapsed().as_secs_f64();
    let swept = executor.sweep(&args.folder, progress)?;
    let swept_at = start.elapsed().as_secs_f64();
    let report = executor.drain(&args.folder, progress)?;
    let drained = start.elapsed().as_secs_f64() - swept_at;
    let specialists = specialists(&mut executor, args)?;
    if args.baseline {
        executor.save_baseline()?;
    }
    let seconds = start.elapsed().as_secs_f64();
    let skipped_parts = report.skipped.len();
    Ok(json!({
        "files_seen": swept.files_seen,
        "sources": swept.sources,
        "bytes": swept.bytes,
        "begun": swept.begun,
        "gone": swept.gone,
        "skipped": swept.reasons(),
        "done": report.sources,
        "chunks": report.chunks,
        "held": report.held,
        "rejected": report.rejected,
        "nothing_to_embed": report.nothing_to_embed,
        "duplicates": report.duplicates,
        "pruned": report.pruned,
        "superseded": report.superseded,
        "reopened": report.reopened,
        "failed": report.failed,
        "skipped_parts": skipped_parts,
        "entries": executor.len(GENERALIST),
        "capacity": setup.capacity.entries(),
        "specialists": specialists,
        "root": executor.state().root,
        "seconds": {
            "prepare": prepared,
            "sweep": swept_at - prepared,
            "work": drained,
            "all": seconds,
        },
        "files_per_second": report.sources as f64 / seconds,
        "chunks_per_second": report.chunks as f64 / seconds,
        "megabytes_per_second": swept.bytes as f64 / 1e6 / seconds,
        "peak_megabytes": proc_bytes("/proc/self/status", "VmHWM").map(|b| b as f64 / 1e6),
    }))
}

/// What specialists are there, proposed, spawned.
fn specialists(executor: &mut Executor, args: &IngestArgs) -> Result<Value, Failure> {
    if args.scaffold.is_none() {
        if !args.spawn.is_empty() {
            return Err("--spawn needs --scaffold".into());
        }
        return Ok(json!({"there": executor.state().specialists.keys().collect::<Vec<_>>()}));
    }
    let nobody = SessionState::default();
    let proposals = executor.proposals(GENERALIST, &nobody, &DensityOptions::default())?;
    let mut spawned = Vec::new();
    for label in &args.spawn {
        let proposal = proposals.iter().find(|p| p.specialist.label == *label);
        let proposal = proposal.ok_or_else(|| format!("no specialist is proposed for {label}"))?;
        spawned.push(executor.spawn(&proposal.specialist, &SpecialistOptions::default())?);
    }
    let there: Vec<&String> = executor.state().specialists.keys().collect();
    Ok(json!({"there": there, "proposed": proposals, "spawned": spawned}))
}

/// `retrieve sweep`.
///
/// # Errors
/// What keeps the sweeps from being made.
pub fn sweep(args: &SweepArgs) -> Result<Value, Failure> {
    let mut executor = existing(&args.store, &args.embedder)?;
    let mut options = MaintenanceOptions::new(&args.archive, &args.stamp);
    options.dry_run = !args.apply;
    options.propagate = args.propagate;
    Ok(serde_json::to_value(executor.shutdown(&options)?)?)
}

/// `retrieve reset`.
///
/// # Errors
/// What keeps the dictionary from being reset.
pub fn reset(args: &ResetArgs) -> Result<Value, Failure> {
    let mut executor = existing(&args.store, &args.embedder)?;
    executor.reset(match args.mode {
        Mode::Full => ResetMode::Full,
        Mode::Baseline => ResetMode::Baseline,
    })?;
    Ok(json!({"entries": executor.len(GENERALIST), "root": executor.state().root}))
}
