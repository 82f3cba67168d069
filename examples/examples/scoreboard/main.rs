//! Label rates of a question set by answer mode, with the directives, as a Markdown table.
//!
//!     cargo run --release --example scoreboard -- fixtures/questions.jsonl
//!
//! Answers are written by an agent, or played back from recorded ones, so that a real model's
//! answers are scored without the model.
#![forbid(unsafe_code)]

mod baseline;
mod rows;
mod table;

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use candor_examples::agents::AgentChoice;
use candor_examples::cli::{self, Failure};
use candor_examples::corpus;
use claim_lattice::AnswerMode;
use clap::Parser;
use geodesic_retriever::{GeodesicRetriever, RetrieverOptions};
use grounded_answer::{Answerer, CorpusSources, SealedAnswer, Settings, model_profile};
use language_agents::{Agent, AgentError, Completion, FinishReason, agent_fn};

use rows::{Question, Recorded, Row};

/// Score a question set.
#[derive(Debug, Parser)]
#[command(name = "scoreboard")]
struct Args {
    /// Questions as JSON lines: {"id", "question"}; other members are not read.
    questions: PathBuf,
    /// The documents to answer from.
    #[arg(long, default_value = "fixtures/corpus", value_name = "FOLDER")]
    corpus: PathBuf,
    /// Recorded answers as JSON lines: {"id", "mode", "agent", "text"}, without text where the agent
    /// was not asked; several for one question, mode and agent are repeats. Without: `--agent` writes. May be given more than once.
    #[arg(long, value_name = "FILE.jsonl")]
    answers: Vec<PathBuf>,
    /// Who writes where there are no recorded answers: extractive, cassette:FILE, gguf:PATH or
    /// openai:URL,MODEL.
    #[arg(long, default_value = "extractive", conflicts_with = "answers")]
    agent: AgentChoice,
    /// How often `--agent` answers each question.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100))]
    repeats: u32,
    /// The most tokens that `--agent` may write.
    #[arg(long, value_name = "TOKENS")]
    max_tokens: Option<u32>,
    /// Keep what `--agent` wrote in this file, in the form that `--answers` reads.
    #[arg(long, value_name = "FILE.jsonl", conflicts_with = "answers")]
    record: Option<PathBuf>,
    /// Write one JSON row a run to this file.
    #[arg(long, value_name = "FILE.jsonl")]
    rows: Option<PathBuf>,
    /// Compare with the rows of an earlier run. Differences under 5 points, or within the spread of
    /// the repeats, are noise.
    #[arg(long, value_name = "ROWS.jsonl")]
    baseline: Option<PathBuf>,
    /// Print the rows instead of the table.
    #[arg(long)]
    json: bool,
}

fn main() -> ExitCode {
    let args = Args::parse();
    cli::run(|| scoreboard(&args))
}

fn scoreboard(args: &Args) -> Result<(), Failure> {
    let questions: Vec<Question> = rows::read(&args.questions)?;
    if questions.is_empty() {
        return Err(format!(
            "{}: no question in it; JSON lines with id and question are expected",
            args.questions.display()
        )
        .into());
    }
    let bench = Bench::open(&args.corpus)?;
    let rows = if args.answers.is_empty() {
        live(args, &bench, &questions)?
    } else {
        played_back(args, &bench, &questions)?
    };
    if let Some(file) = &args.rows {
        write_lines(file, &rows)?;
    }
    if args.json {
        for row in &rows {
            cli::print(&serde_json::to_string(row)?)?;
        }
        return Ok(());
    }
    let mut page = table::markdown(&rows);
    if let Some(file) = &args.baseline {
        page.push_str(&baseline::markdown(&rows::read(file)?, &rows));
    }
    cli::print(page.trim_end())
}

/// The documents, indexed once.
struct Bench {
    retriever: Arc<GeodesicRetriever>,
    sources: Arc<CorpusSources>,
}

impl Bench {
    fn open(folder: &Path) -> Result<Self, Failure> {
        let mut progress = cli::progress();
        let corpus = corpus::open(folder, &mut progress)?;
        let options = RetrieverOptions::default();
        let retriever = GeodesicRetriever::lexical(Arc::clone(&corpus), options, &mut progress)?;
        Ok(Self {
            retriever: Arc::new(retriever),
            sources: Arc::new(CorpusSources::new(corpus)),
        })
    }

    fn ask(
        &self,
        question: &str,
        mode: AnswerMode,
        max_tokens: Option<u32>,
        agent: Arc<dyn Agent>,
        model: &str,
    ) -> Result<SealedAnswer, Failure> {
        let mut settings = Settings {
            mode,
            ..Settings::default()
        };
        settings.max_tokens = max_tokens.unwrap_or(settings.max_tokens);
        let answerer = Answerer::builder()
            .settings(settings)
            .retriever(self.retriever.clone())
            .sources(self.sources.clone())
            .agent(agent, model_profile(model));
        Ok(answerer.build()?.ask_blocking(question)?)
    }
}

/// Every question, in every mode, by an agent.
fn live(args: &Args, bench: &Bench, questions: &[Question]) -> Result<Vec<Row>, Failure> {
    let (agent, model) = args.agent.load()?;
    let mut record = match &args.record {
        Some(file) => Some(std::fs::File::create(file).map_err(named(file))?),
        None => None,
    };
    let mut rows = Vec::new();
    for question in questions {
        for mode in rows::MODES {
            for repeat in 0..args.repeats {
                let sealed = bench.ask(
                    &question.question,
                    mode,
                    args.max_tokens,
                    Arc::clone(&agent),
                    &model,
                )?;
                if let Some(file) = &mut record {
                    let line = Recorded {
                        id: question.id.clone(),
                        mode: mode_name(mode).to_owned(),
                        agent: model.clone(),
                        text: sealed.raw_answer.clone(),
                        finish: if sealed.broke_off {
                            FinishReason::Length
                        } else {
                            FinishReason::Stop
                        },
                    };
                    writeln!(file, "{}", serde_json::to_string(&line)?)?;
                }
                rows.push(Row::of(&question.id, &model, repeat, &sealed)?);
            }
        }
    }
    Ok(rows)
}

/// Every recorded answer, played back; in the order of the questions.
fn played_back(args: &Args, bench: &Bench, questions: &[Question]) -> Result<Vec<Row>, Failure> {
    let mut recorded: BTreeMap<String, Vec<Recorded>> = BTreeMap::new();
    for file in &args.answers {
        for answer in rows::read::<Recorded>(file)? {
            recorded.entry(answer.id.clone()).or_default().push(answer);
        }
    }
    let mut rows = Vec::new();
    for question in questions {
        let mut seen: BTreeMap<(String, String), u32> = BTreeMap::new();
        for answer in recorded.remove(&question.id).unwrap_or_default() {
            let mode = mode_of(&answer.mode)?;
            let (text, finish) = (answer.text.clone(), answer.finish);
            let agent = agent_fn(move |_| {
                let text = text.as_deref().ok_or_else(|| AgentError::Refused {
                    reason: "the recorded run never asked its agent".to_owned(),
                })?;
                Ok(Completion::new(text).with_finish(finish))
            });
            let sealed = bench.ask(
                &question.question,
                mode,
                None,
                Arc::new(agent),
                &answer.agent,
            )?;
            let repeat = seen.entry((answer.agent.clone(), answer.mode)).or_default();
            rows.push(Row::of(&question.id, &answer.agent, *repeat, &sealed)?);
            *repeat += 1;
        }
    }
    if let Some(id) = recorded.keys().next() {
        return Err(format!(
            "the answers name question {id:?}, which is not in {}",
            args.questions.display()
        )
        .into());
    }
    Ok(rows)
}

fn mode_name(mode: AnswerMode) -> &'static str {
    match mode {
        AnswerMode::Json => "json",
        AnswerMode::Quote => "quote",
        _ => "pointer",
    }
}

fn mode_of(name: &str) -> Result<AnswerMode, Failure> {
    let mut modes = rows::MODES.into_iter();
    let mode = modes.find(|mode| mode_name(*mode) == name);
    mode.ok_or_else(|| format!("{name:?} is no mode; pointer, json or quote is expected").into())
}

fn named(file: &Path) -> impl Fn(std::io::Error) -> String + '_ {
    move |error| format!("{}: {error}", file.display())
}

fn write_lines(file: &Path, rows: &[Row]) -> Result<(), Failure> {
    let mut text = String::new();
    for row in rows {
        text.push_str(&serde_json::to_string(row)?);
        text.push('\n');
    }
    Ok(std::fs::write(file, text).map_err(named(file))?)
}
