//! Index a folder, ask it, judge a retriever, calibrate its gate, check its geometry.
#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::collections::BTreeMap;
use std::error::Error;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use candor_examples::embedders::EmbedderArgs;
use clap::{Parser, Subcommand};
use geodesic_retriever::eval::{Judgements, ndcg_at, recall_at};
use geodesic_retriever::{
    AnchorSet, Calibration, CalibrationSample, ChunkOptions, Chunker, Corpus, DictionaryCount,
    Embedder, Embedding, EntryKind, EntryMeta, ExactIndex, Filter, GENERALIST, GateOptions,
    GeodesicRetriever, IndexEntry, LabelSet, LexicalConfig, LexicalEmbedder, LexicalState,
    Progress, ReadOptions, Retriever, RetrieverOptions, ScaffoldPhrase, Snapshot, VectorIndex,
    initialization_gate, read_folder,
};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Deserialize;
use serde_json::json;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Grounded retrieval with a gate that declines. JSON on stdout, everything else on stderr.
#[derive(Parser)]
#[command(name = "retrieve")]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Index a folder of .txt, .md, .jsonl and .html files.
    Index {
        folder: PathBuf,
        /// Where the index is written: a snapshot, or a SQLite file if it is named `.sqlite`.
        #[arg(long)]
        store: PathBuf,
        #[command(flatten)]
        embedder: EmbedderArgs,
        /// The most characters in a chunk.
        #[arg(long, default_value_t = 1000)]
        chunk: usize,
        /// Characters that a chunk shares with the one before.
        #[arg(long, default_value_t = 100)]
        overlap: usize,
    },
    Ingest(candor_examples::ingest::IngestArgs),
    Sweep(candor_examples::ingest::SweepArgs),
    Reset(candor_examples::ingest::ResetArgs),
    Audit(candor_examples::audit::AuditArgs),
    /// Ask an index.
    Query {
        text: String,
        #[arg(long)]
        store: PathBuf,
        #[command(flatten)]
        embedder: EmbedderArgs,
        /// Passages to show.
        #[arg(long, default_value_t = 8)]
        top: usize,
    },
    /// Judge an embedder on a collection with known answers.
    Eval {
        /// `{id, title?, text}` a line.
        #[arg(long)]
        corpus: PathBuf,
        /// `{id, text}` a line.
        #[arg(long)]
        queries: PathBuf,
        /// `query<TAB>document<TAB>grade` a line.
        #[arg(long)]
        qrels: PathBuf,
        /// Questions that the collection does not answer, `{id, text}` a line: how many of them
        /// are declined.
        #[arg(long)]
        probes: Option<PathBuf>,
        #[command(flatten)]
        embedder: EmbedderArgs,
    },
    /// Check the geometry: anchors from a scaffold, and the initialization gate.
    Gate {
        /// `{label, text}` a line.
        #[arg(long, default_value = "fixtures/scaffold/scaffold.jsonl")]
        scaffold: PathBuf,
        /// Checks whose failing is accepted.
        #[arg(long)]
        waive: Vec<String>,
        #[command(flatten)]
        embedder: EmbedderArgs,
    },
    /// Embed texts and say how long it took (not the vectors).
    Embed {
        /// `{id, text}` a line.
        texts: PathBuf,
        #[command(flatten)]
        embedder: EmbedderArgs,
    },
    /// Choose the gate's threshold for an index by split conformal prediction.
    Calibrate {
        #[arg(long)]
        store: PathBuf,
        /// Questions that the folder answers, `{id, text}` or `{id, question}` a line.
        #[arg(long)]
        questions: PathBuf,
        /// Questions from elsewhere.
        #[arg(long)]
        probes: PathBuf,
        /// The chance of answering a question from elsewhere that is accepted.
        #[arg(long, default_value_t = 0.1)]
        alpha: f64,
        /// The date to record.
        #[arg(long)]
        date: Option<String>,
        /// Only print the calibration; leave the store as it is.
        #[arg(long)]
        dry_run: bool,
        #[command(flatten)]
        embedder: EmbedderArgs,
    },
}

#[derive(Deserialize)]
struct Line {
    id: String,
    title: Option<String>,
    #[serde(alias = "question")]
    text: String,
}

fn main() -> ExitCode {
    match run(Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("retrieve: {e}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: Args) -> Result<()> {
    let value = match args.command {
        Command::Index {
            folder,
            store,
            embedder,
            chunk,
            overlap,
        } => {
            let sizes = ChunkOptions {
                max_size: chunk,
                overlap,
            };
            index(&folder, &store, &embedder, sizes)?
        }
        Command::Ingest(args) => with_bar(|tell| candor_examples::ingest::ingest(&args, tell))?,
        Command::Sweep(args) => candor_examples::ingest::sweep(&args)?,
        Command::Reset(args) => candor_examples::ingest::reset(&args)?,
        Command::Audit(args) => with_bar(|tell| candor_examples::audit::run(&args, tell))?,
        Command::Query {
            text,
            store,
            embedder,
            top,
        } => {
            let options = RetrieverOptions {
                window: top,
                fetch_k: top.max(50),
                ..Default::default()
            };
            let retriever = open(&store, &embedder, options)?;
            serde_json::to_value(retriever.retrieve(&text)?)?
        }
        Command::Eval {
            corpus,
            queries,
            qrels,
            probes,
            embedder,
        } => eval(&corpus, &queries, &qrels, probes.as_deref(), &embedder)?,
        Command::Gate {
            scaffold,
            waive,
            embedder,
        } => gate(&scaffold, waive, &embedder)?,
        Command::Embed { texts, embedder } => embed(&texts, &embedder)?,
        Command::Calibrate {
            store,
            questions,
            probes,
            alpha,
            date,
            dry_run,
            embedder,
        } => calibrate(&store, &questions, &probes, alpha, date, dry_run, &embedder)?,
    };
    let mut out = std::io::stdout().lock();
    serde_json::to_writer_pretty(&mut out, &value)?;
    writeln!(out)?;
    Ok(())
}

/// A progress bar on a terminal, silent elsewhere.
fn bar() -> (ProgressBar, impl FnMut(Progress)) {
    let bar = if std::io::stderr().is_terminal() {
        ProgressBar::new(0)
    } else {
        ProgressBar::hidden()
    };
    if let Ok(style) =
        ProgressStyle::with_template("{msg:8} [{bar:30}] {human_pos}/{human_len} {eta}")
    {
        bar.set_style(style);
    }
    let shown = bar.clone();
    let tell = move |p: Progress| {
        shown.set_message(format!("{:?}", p.stage).to_lowercase());
        shown.set_length(p.total.unwrap_or(p.done) as u64);
        shown.set_position(p.done as u64);
    };
    (bar, tell)
}

/// Runs something that reports how far it is.
fn with_bar<T>(work: impl FnOnce(&mut dyn FnMut(Progress)) -> Result<T>) -> Result<T> {
    let (bar, mut tell) = bar();
    let done = work(&mut tell);
    bar.finish_and_clear();
    done
}

type Vectors = Vec<std::result::Result<Embedding, geodesic_retriever::Error>>;

/// The embedder and its vectors of the texts; the lexical one is learned from them.
fn vectors(
    args: &EmbedderArgs,
    texts: &[&str],
    tell: &mut dyn FnMut(Progress),
) -> Result<(Arc<dyn Embedder>, Option<LexicalState>, Vectors)> {
    if let Some(embedder) = args.load()? {
        let vectors = embedder.embed_documents_with(texts, tell)?;
        return Ok((embedder, None, vectors));
    }
    let (embedder, vectors) =
        LexicalEmbedder::learn_and_embed(LexicalConfig::default(), texts, tell)?;
    let state = embedder.state();
    Ok((Arc::new(embedder), Some(state), vectors))
}

fn index(
    folder: &Path,
    store: &Path,
    args: &EmbedderArgs,
    sizes: ChunkOptions,
) -> Result<serde_json::Value> {
    let (bar, mut tell) = bar();
    let contents = read_folder(folder, &ReadOptions::default(), &mut tell)?;
    let report = contents.report;
    let corpus = Corpus::new(contents.documents, &Chunker::characters(sizes)?, &mut tell);
    let texts = corpus.embedding_texts();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let (embedder, lexical, vectors) = vectors(args, &texts, &mut tell)?;
    let index = ExactIndex::of_corpus(embedder.fingerprint(), &corpus, vectors)?;
    bar.finish_and_clear();
    let root = Some(corpus.root().to_owned());
    let calibration = Calibration::for_index(embedder.as_ref(), &index, root)?;
    let value = json!({
        "files_seen": report.files_seen,
        "files_read": report.files_read,
        "bytes_read": report.bytes_read,
        "skipped": report.reasons(),
        "documents": corpus.documents().len(),
        "chunks": corpus.len(),
        "entries": index.len()?,
        "corpus_root": corpus.root(),
        "fingerprint": index.fingerprint(),
        "calibration": calibration,
    });
    let snapshot = Snapshot {
        corpus,
        index,
        lexical,
        calibration,
    };
    candor_examples::stores::save(store, &snapshot)?;
    if !report.skipped.is_empty() {
        eprintln!("skipped {}: {}", report.skipped.len(), report.summary());
    }
    Ok(value)
}

fn open(store: &Path, args: &EmbedderArgs, options: RetrieverOptions) -> Result<GeodesicRetriever> {
    candor_examples::stores::retriever(store, args.load()?, options)
}

fn lines(path: &Path) -> Result<Vec<Line>> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let full = text
        .lines()
        .enumerate()
        .filter(|(_, l)| !l.trim().is_empty());
    full.map(|(n, l)| {
        serde_json::from_str(l)
            .map_err(|e| format!("{}: line {}: {e}", path.display(), n + 1).into())
    })
    .collect()
}

fn judgements(path: &Path) -> Result<BTreeMap<String, Judgements>> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let mut all = BTreeMap::<String, Judgements>::new();
    for (n, line) in text.lines().enumerate() {
        let fields: Vec<&str> = line.split('\t').collect();
        let [query, document, grade] = fields[..] else {
            return Err(format!("{}: line {}: not three fields", path.display(), n + 1).into());
        };
        match grade.trim().parse() {
            Ok(grade) => {
                all.entry(query.to_owned())
                    .or_default()
                    .insert(document.to_owned(), grade);
            }
            // The header that BEIR's files have.
            Err(_) if n == 0 => {}
            Err(e) => return Err(format!("{}: line {}: {e}", path.display(), n + 1).into()),
        }
    }
    Ok(all)
}

fn eval(
    corpus: &Path,
    queries: &Path,
    qrels: &Path,
    probes: Option<&Path>,
    args: &EmbedderArgs,
) -> Result<serde_json::Value> {
    let (documents, questions, judged) = (lines(corpus)?, lines(queries)?, judgements(qrels)?);
    let probes = probes.map(lines).transpose()?.unwrap_or_default();
    let texts: Vec<String> = documents
        .iter()
        .map(|d| {
            d.title
                .as_ref()
                .map_or_else(|| d.text.clone(), |t| format!("{t} {}", d.text))
        })
        .collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let (bar, mut tell) = bar();
    let (embedder, _, vectors) = vectors(args, &texts, &mut tell)?;
    bar.finish_and_clear();
    let mut index = ExactIndex::new(embedder.fingerprint().clone());
    let entry = |d: &Line, vector| IndexEntry {
        id: d.id.clone(),
        vector,
        meta: EntryMeta {
            cube: GENERALIST.into(),
            kind: EntryKind::Fact,
            parent: d.id.clone(),
        },
    };
    let entries = documents
        .iter()
        .zip(vectors)
        .filter_map(|(d, v)| Some(entry(d, v.ok()?.vector)));
    index.insert(entries.collect())?;
    let calibration = Calibration::for_index(embedder.as_ref(), &index, None)?;
    let best = |text: &str| -> Result<(f64, Vec<String>)> {
        let hits = index.search(&embedder.embed_query(text)?, 100, &Filter::default())?;
        let best = hits.first().map_or(0.0, |h| h.similarity.query_sim());
        Ok((best, hits.into_iter().map(|h| h.id).collect()))
    };
    let declined = |best: f64| !calibration.passes(best);
    let (mut ndcg, mut recall, mut n, mut refused) = (0.0, 0.0, 0usize, 0usize);
    let mut sims = Vec::new();
    for q in &questions {
        let Some(judged) = judged.get(&q.id) else {
            continue;
        };
        let (top, ids) = best(&q.text)?;
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        ndcg += ndcg_at(10, &ids, judged);
        recall += recall_at(100, &ids, judged);
        refused += usize::from(declined(top));
        n += 1;
        sims.push(top);
    }
    let mut value = json!({
        "ndcg_at_10": ndcg / n.max(1) as f64,
        "recall_at_100": recall / n.max(1) as f64,
        "declined": refused,
        "queries": n,
        "best_query_sim": quantiles(sims),
        "calibration": calibration,
    });
    if !probes.is_empty() {
        let tops: Vec<f64> = probes
            .iter()
            .map(|p| best(&p.text).map_or(0.0, |b| b.0))
            .collect();
        value["probes"] = json!(probes.len());
        value["probes_declined"] = json!(tops.iter().filter(|&&t| declined(t)).count());
        value["probes_best_query_sim"] = quantiles(tops);
    }
    Ok(value)
}

fn gate(scaffold: &Path, waived: Vec<String>, args: &EmbedderArgs) -> Result<serde_json::Value> {
    let text =
        std::fs::read_to_string(scaffold).map_err(|e| format!("{}: {e}", scaffold.display()))?;
    let phrases = text
        .lines()
        .filter(|l| !l.trim().is_empty())
        .map(serde_json::from_str);
    let phrases: Vec<ScaffoldPhrase> = phrases
        .collect::<std::result::Result<_, _>>()
        .map_err(|e| format!("{}: {e}", scaffold.display()))?;
    let embedder: Arc<dyn Embedder> = match args.load()? {
        Some(e) => e,
        None => {
            let texts: Vec<&str> = phrases.iter().map(|p| p.text.as_str()).collect();
            Arc::new(LexicalEmbedder::learn(LexicalConfig::default(), &texts)?)
        }
    };
    let (anchors, vectors) =
        AnchorSet::from_scaffold(LabelSet::thirteen(), &phrases, embedder.as_ref())?;
    let dictionary = DictionaryCount {
        identity: 0,
        scaffold: phrases.len(),
        held: vectors.len(),
        rejected: phrases.len() - vectors.len(),
    };
    let options = GateOptions {
        dictionary: Some(dictionary),
        waived,
        ..GateOptions::default()
    };
    let report = initialization_gate(&anchors, &vectors, &options).into_result()?;
    Ok(serde_json::to_value(report)?)
}

fn embed(texts: &Path, args: &EmbedderArgs) -> Result<serde_json::Value> {
    let texts = lines(texts)?;
    let texts: Vec<&str> = texts.iter().map(|l| l.text.as_str()).collect();
    let embedder: Arc<dyn Embedder> = match args.load()? {
        Some(e) => e,
        None => Arc::new(LexicalEmbedder::learn(LexicalConfig::default(), &texts)?),
    };
    let (bar, mut tell) = bar();
    let start = std::time::Instant::now();
    let found = embedder.embed_documents_with(&texts, &mut tell)?;
    let seconds = start.elapsed().as_secs_f64();
    bar.finish_and_clear();
    let embedded = found.iter().flatten().count();
    let tokens: usize = found.iter().flatten().map(|e| e.tokens).sum();
    let cut = found
        .iter()
        .flatten()
        .filter(|e| e.truncated_from.is_some())
        .count();
    Ok(
        json!({"texts": texts.len(), "embedded": embedded, "tokens": tokens, "truncated": cut,
        "seconds": seconds, "texts_per_second": embedded as f64 / seconds}),
    )
}

fn quantiles(mut values: Vec<f64>) -> serde_json::Value {
    values.sort_by(f64::total_cmp);
    let at = |q: f64| values.get(((values.len().max(1) - 1) as f64 * q) as usize);
    json!({"q00": at(0.0), "q05": at(0.05), "q25": at(0.25), "q50": at(0.5), "q75": at(0.75), "q90": at(0.9), "q95": at(0.95), "q100": at(1.0)})
}

fn calibrate(
    store: &Path,
    questions: &Path,
    probes: &Path,
    alpha: f64,
    date: Option<String>,
    dry_run: bool,
    args: &EmbedderArgs,
) -> Result<serde_json::Value> {
    let retriever = open(store, args, RetrieverOptions::default())?;
    let score = |path: &Path| -> Result<Vec<f64>> {
        let questions = lines(path)?;
        let best = |q: &Line| -> Result<f64> {
            Ok(retriever
                .retrieve(&q.text)?
                .figures()
                .best_query_sim
                .unwrap_or(0.0))
        };
        questions.iter().map(best).collect()
    };
    let sample = CalibrationSample {
        questions: score(questions)?,
        probes: score(probes)?,
    };
    let fingerprint = retriever.fingerprint().clone();
    let root = retriever.corpus_root();
    let calibration = Calibration::conformal(&sample, alpha, fingerprint, root, date)?;
    let share = |s: &[f64]| s.iter().filter(|&&x| !calibration.passes(x)).count();
    let value = json!({
        "calibration": calibration,
        "questions": sample.questions.len(),
        "questions_declined": share(&sample.questions),
        "probes": sample.probes.len(),
        "probes_declined": share(&sample.probes),
    });
    if !dry_run {
        candor_examples::stores::set_calibration(store, calibration)?;
    }
    Ok(value)
}
