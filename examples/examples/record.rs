//! Asks an agent every question of a set in every answer mode and keeps what it wrote, a JSON line
//! each, with the label that it got: recorded answers for `scoreboard`, and to be judged by people.
//!
//!     cargo run --release --features models --example record -- fixtures/corpus \
//!         fixtures/questions.jsonl --agent gguf:fixtures/models/smollm2/SmolLM2-135M-Instruct.Q4_1.gguf
#![forbid(unsafe_code)]

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use candor_examples::agents::AgentChoice;
use candor_examples::cli::{self, Failure};
use candor_examples::corpus;
use claim_lattice::AnswerMode;
use clap::{Parser, ValueEnum};
use geodesic_retriever::{GeodesicRetriever, RetrieverOptions};
use grounded_answer::{Answerer, CorpusSources, SealedAnswer, Settings, model_profile};
use language_agents::{Agent, Cassette, TapeOutcome};
use serde_json::{Value, json};

/// Record what an agent answers.
#[derive(Debug, Parser)]
#[command(name = "record")]
struct Args {
    /// The folder with the documents.
    folder: PathBuf,
    /// The questions: `{"id", "question"}` a line; `-` reads them from stdin.
    questions: PathBuf,
    /// Who writes: extractive, cassette:FILE, gguf:PATH or openai:URL,MODEL.
    #[arg(long, default_value = "extractive")]
    agent: AgentChoice,
    /// Only these questions.
    #[arg(long, value_delimiter = ',')]
    ids: Vec<String>,
    /// Only these modes.
    #[arg(
        long,
        value_enum,
        value_delimiter = ',',
        default_value = "pointer,json,quote"
    )]
    modes: Vec<Mode>,
    /// With the text of the passages that were offered, for whoever judges.
    #[arg(long)]
    passages: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Mode {
    Pointer,
    Json,
    Quote,
}

fn main() -> ExitCode {
    cli::run(|| record(&Args::parse()))
}

fn record(args: &Args) -> Result<(), Failure> {
    let questions = questions(args)?;
    let (agent, model) = args.agent.load()?;
    let mut progress = cli::progress();
    let corpus = corpus::open(&args.folder, &mut progress)?;
    let options = RetrieverOptions::default();
    let retriever = GeodesicRetriever::lexical(Arc::clone(&corpus), options, &mut progress)?;
    let retriever = Arc::new(retriever);
    let sources = Arc::new(CorpusSources::new(corpus));
    for (id, question) in &questions {
        for mode in &args.modes {
            let tape = Arc::new(Cassette::record(Arc::clone(&agent)));
            let mode = match mode {
                Mode::Pointer => AnswerMode::Pointer,
                Mode::Json => AnswerMode::Json,
                Mode::Quote => AnswerMode::Quote,
            };
            let answerer = Answerer::builder()
                .settings(Settings {
                    mode,
                    ..Settings::default()
                })
                .retriever(retriever.clone())
                .sources(sources.clone())
                .agent(tape.clone() as Arc<dyn Agent>, model_profile(&model))
                .build()?;
            let start = Instant::now();
            let sealed = answerer.ask_blocking(question);
            let ms = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
            let mut row = match &sealed {
                Ok(sealed) => row(sealed, args.passages)?,
                Err(error) => json!({ "error": error.to_string() }),
            };
            row["id"] = json!(id);
            row["question"] = json!(question);
            row["mode"] = serde_json::to_value(mode)?;
            row["calls"] = calls(&tape);
            cli::print(&serde_json::to_string(&row)?)?;
            cli::note(&format!("{id} {mode:?}: {ms} ms"));
        }
    }
    Ok(())
}

fn questions(args: &Args) -> Result<Vec<(String, String)>, Failure> {
    let text = if args.questions.as_os_str() == "-" {
        std::io::read_to_string(std::io::stdin())?
    } else {
        std::fs::read_to_string(&args.questions)
            .map_err(|e| format!("{}: {e}", args.questions.display()))?
    };
    let mut questions = Vec::new();
    for (number, line) in text
        .lines()
        .enumerate()
        .filter(|(_, l)| !l.trim().is_empty())
    {
        let value: Value = serde_json::from_str(line)
            .map_err(|e| format!("{}, line {}: {e}", args.questions.display(), number + 1))?;
        let (Some(id), Some(question)) = (value["id"].as_str(), value["question"].as_str()) else {
            let name = args.questions.display();
            return Err(format!("{name}, line {}: no id or question", number + 1).into());
        };
        if args.ids.is_empty() || args.ids.iter().any(|wanted| wanted == id) {
            questions.push((id.to_owned(), question.to_owned()));
        }
    }
    Ok(questions)
}

fn row(sealed: &SealedAnswer, passages: bool) -> Result<Value, Failure> {
    let claims: Vec<Value> = sealed
        .claims
        .iter()
        .map(|claim| {
            let violations: Vec<Value> = claim
                .violations
                .iter()
                .map(|v| json!({ "code": v.code.wire_name(), "tokens": v.tokens }))
                .collect();
            json!({
                "text": claim.text,
                "pointers": claim.pointers,
                "supported": claim.supported,
                "violations": violations,
            })
        })
        .collect();
    let mut row = json!({
        "outcome": sealed.outcome,
        "label": sealed.label,
        "audit_line": sealed.audit_line,
        "raw_answer": sealed.raw_answer,
        "claims": claims,
        "notes": sealed.notes,
        "violations": sealed.violations,
    });
    if passages {
        row["evidence"] = serde_json::to_value(&sealed.evidence)?;
        row["offered"] = serde_json::to_value(sealed.retrieval.as_ref().map(|r| &r.passages))?;
    }
    Ok(row)
}

/// What the agent said, call by call: the text as it came, tokens, model, or the error.
fn calls(tape: &Cassette) -> Value {
    let entries = tape.tape().entries;
    let calls = entries.iter().map(|entry| match &entry.outcome {
        TapeOutcome::Completion(done) => json!({ "completion": done }),
        TapeOutcome::Error(error) => json!({ "error": error }),
        _ => Value::Null,
    });
    calls.collect()
}
