//! The main job: index a folder, ask a question, get an answer whose claims are linked to passages,
//! labelled by what was checked, and sealed.
//!
//!     cargo run --release --example ask -- fixtures/corpus "How tall is the Halden Bridge?"
#![forbid(unsafe_code)]

use std::fmt::Write as _;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use candor_examples::agents::AgentChoice;
use candor_examples::cli::{self, Failure};
use candor_examples::corpus;
use candor_examples::embedders::EmbedderArgs;
use claim_lattice::AnswerMode;
use claim_lattice::preflight::Rung;
use clap::{Parser, ValueEnum};
use evidence_store::Store;
use geodesic_retriever::{Corpus, GeodesicRetriever, RetrieverOptions};
use grounded_answer::{
    Answerer, AtHand, CorpusSources, Memory, Outcome, RecordedAnswer, SealedAnswer, Settings,
    model_profile, verify,
};
use language_agents::{Agent, Extractive};
use run_dag::audit::Timestamp;

/// Ask a folder a question.
#[derive(Debug, Parser)]
#[command(name = "ask")]
struct Args {
    /// The folder with .txt, .md, .html or .jsonl files (hidden files and binaries are skipped).
    folder: PathBuf,
    /// The question; `-` reads it from stdin.
    #[arg(required_unless_present = "recheck", conflicts_with = "recheck")]
    question: Option<String>,
    /// Print the sealed answer as one line of canonical JSON.
    #[arg(long)]
    json: bool,
    /// Write the answer as one self-contained HTML page, too.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// How the answer cites.
    #[arg(long, value_enum, default_value = "pointer")]
    mode: Mode,
    /// Who writes: extractive, cassette:FILE, gguf:PATH or openai:URL,MODEL.
    #[arg(long, default_value = "extractive")]
    agent: AgentChoice,
    /// Keep answers in this SQLite file: a question asked before under the same policy, model and
    /// documents is answered from there, after its answer has been verified again.
    #[arg(long, value_name = "FILE.sqlite", conflicts_with = "recheck")]
    store: Option<PathBuf>,
    /// Refuse questions that ask for everything without a bound.
    #[arg(long)]
    reject_broad: bool,
    #[command(flatten)]
    embedder: EmbedderArgs,
    /// Recompute a saved answer instead of asking; says what does not match.
    #[arg(long, value_name = "FILE.json")]
    recheck: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Mode {
    Pointer,
    Json,
    Quote,
}

impl From<Mode> for AnswerMode {
    fn from(mode: Mode) -> Self {
        match mode {
            Mode::Pointer => Self::Pointer,
            Mode::Json => Self::Json,
            Mode::Quote => Self::Quote,
        }
    }
}

fn main() -> ExitCode {
    let args = Args::parse();
    cli::run(|| match &args.recheck {
        Some(file) => recheck(&args, file),
        None => ask(&args),
    })
}

fn ask(args: &Args) -> Result<(), Failure> {
    let question = match args.question.as_deref() {
        Some("-") => read_question()?,
        given => given.unwrap_or_default().to_owned(),
    };
    let question = question.as_str();
    if question.trim().is_empty() {
        return Err(grounded_answer::Error::EmptyQuestion.into());
    }
    let (bytes, limit) = (question.len(), grounded_answer::MAX_QUESTION_BYTES);
    if bytes > limit {
        return Err(grounded_answer::Error::QuestionTooLong { bytes, limit }.into());
    }
    let (agent, model) = args.agent.load()?;
    let (corpus, retriever) = index(args)?;
    let mut settings = Settings {
        mode: args.mode.into(),
        ..Settings::default()
    };
    if args.reject_broad {
        settings.preflight.guard.reject_at = Some(Rung::Exhaustive);
    }
    let mut answerer = Answerer::builder().settings(settings);
    if let Some(file) = &args.store {
        answerer = answerer.memory(memory(file)?);
    }
    let answerer = answerer
        .retriever(Arc::new(retriever))
        .sources(Arc::new(CorpusSources::new(corpus)))
        .agent(agent, model_profile(&model))
        .build()?;
    let sealed = answerer.ask_blocking(question)?;
    if let Some(file) = &args.html {
        cli::write_page(file, &audit_report::render(&sealed))?;
    }
    if args.json {
        cli::print(&sealed.to_canonical_json()?)
    } else {
        cli::print(&page(&sealed))
    }
}

/// A question from stdin, one byte past the limit at most.
fn read_question() -> Result<String, Failure> {
    let mut text = Vec::new();
    let most = grounded_answer::MAX_QUESTION_BYTES as u64 + 1;
    std::io::stdin().lock().take(most).read_to_end(&mut text)?;
    String::from_utf8(text).map_err(|_| "the question on stdin is not UTF-8".into())
}

/// Ledger and audit log in one SQLite file, dated by the machine's clock.
fn memory(file: &Path) -> Result<Memory, Failure> {
    let store = Store::sqlite(file).map_err(|e| format!("{}: {e}", file.display()))?;
    let now = || {
        let since = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        let millis = i64::try_from(since.as_millis()).unwrap_or_default();
        Timestamp::from_millis(millis).unwrap_or_default()
    };
    let log = store.audit_log("candor.ask")?;
    Ok(Memory::new(
        Arc::new(store.ledger()),
        Arc::new(log),
        Arc::new(now),
    ))
}

fn index(args: &Args) -> Result<(Arc<Corpus>, GeodesicRetriever), Failure> {
    let embedder = args.embedder.load()?;
    let mut progress = cli::progress();
    let corpus = corpus::open(&args.folder, &mut progress)?;
    let options = RetrieverOptions::default();
    let shared = Arc::clone(&corpus);
    let retriever = match embedder {
        None => GeodesicRetriever::lexical(shared, options, &mut progress)?,
        Some(embedder) => GeodesicRetriever::index(embedder, shared, options, &mut progress)?,
    };
    Ok((corpus, retriever))
}

fn recheck(args: &Args, file: &Path) -> Result<(), Failure> {
    let text = std::fs::read(file).map_err(|e| format!("{}: {e}", file.display()))?;
    let text = String::from_utf8(text).map_err(|e| {
        format!(
            "{}: not UTF-8 at byte {}",
            file.display(),
            e.utf8_error().valid_up_to()
        )
    })?;
    let saved = RecordedAnswer::from_json(&text).map_err(|e| format!("{}: {e}", file.display()))?;
    let (corpus, retriever) = index(args)?;
    let sources = CorpusSources::new(corpus);
    let extractive = Extractive::new();
    let same_agent = saved.model() == &model_profile(Extractive::MODEL_ID);
    let at_hand = AtHand {
        retriever: Some(&retriever),
        agent: same_agent.then_some(&extractive as &dyn Agent),
    };
    let result = verify(&saved, &sources, at_hand)?;
    if let (Some(file), Some(now)) = (&args.html, &result.recomputed) {
        cli::write_page(file, &audit_report::render_checked(now, &result))?;
    }
    for what in &result.not_rechecked {
        cli::note(&format!("not rechecked: {what}"));
    }
    let Some(first) = result.discrepancies.first() else {
        return cli::print(&format!(
            "matches: {} {}",
            saved.run_dag_root(),
            saved.audit_line()
        ));
    };
    let mut places: Vec<&str> = result
        .discrepancies
        .iter()
        .map(|d| d.place.as_str())
        .collect();
    places.dedup();
    Err(format!(
        "does not match: {} (first at {}: saved {:?}, now {:?})",
        places.join(", "),
        first.path,
        first.recorded,
        first.recomputed
    )
    .into())
}

/// The answer for a terminal.
fn page(sealed: &SealedAnswer) -> String {
    let mut out = format!("{}\n\n", sealed.question.trim());
    if sealed.claims.is_empty() {
        let _ = writeln!(out, "{}\n", sealed.answer);
    }
    let mut frame = &None;
    for claim in &sealed.claims {
        if claim.frame != *frame {
            frame = &claim.frame;
            let _ = writeln!(out, "{}\n", frame.as_deref().unwrap_or_default());
        }
        let mark = if claim.supported { '✓' } else { '✗' };
        let _ = writeln!(out, "{mark} {} [{}]", claim.text, claim.pointers.join(","));
        for violation in &claim.violations {
            let tokens = violation.tokens.join(", ");
            let _ = writeln!(out, "    {} {tokens}", violation.code.wire_name());
        }
        for passage in &claim.passages {
            let quoted = passage
                .text
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" ");
            let _ = writeln!(
                out,
                "    {} {}: “{quoted}”",
                passage.pointer, passage.source
            );
        }
        out.push('\n');
    }
    let _ = writeln!(out, "{}", sealed.audit_line);
    if let Some(retrieval) = &sealed.retrieval {
        let f = &retrieval.figures;
        let best = f
            .best_query_sim
            .map_or_else(|| "none".to_owned(), |s| format!("{s:.6}"));
        let _ = writeln!(
            out,
            "similarity {best}, threshold {:.6}, {} passages searched, {} offered",
            f.threshold,
            f.entries,
            if sealed.outcome == Outcome::Grounded {
                retrieval.passages.len()
            } else {
                0
            },
        );
    }
    let _ = write!(out, "run {}", sealed.run_dag_root);
    out
}
