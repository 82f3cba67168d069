//! Scores texts: 𝓗, 𝓦, components, events and feedback as JSON.
#![allow(clippy::print_stderr)]

use std::io::{self, BufRead, BufWriter, Read, Write};
use std::process::ExitCode;

use clap::{Parser, ValueEnum};
use serde::{Deserialize, Serialize};
use wisdom_score::{Composite, FeedbackLanguage, Options, Report, Scorer, Semantics};

/// Scores a text on stdin and prints its report as JSON.
///
/// With --jsonl, stdin holds JSON lines `{"id": …, "text": "…"}`, and each answer is a line.
#[derive(Parser)]
#[command(name = "score", version)]
struct Arguments {
    /// Read JSON lines `{id, text}` and answer with JSON lines.
    #[arg(long)]
    jsonl: bool,
    /// Which definitions the components follow.
    #[arg(long, value_enum, default_value_t = SemanticsArgument::Canonical)]
    semantics: SemanticsArgument,
    /// How the components are weighed: v3, or v2 for deployed-js, unless given.
    #[arg(long, value_enum)]
    composite: Option<CompositeArgument>,
    /// The language of the feedback sentences.
    #[arg(long, value_enum, default_value_t = FeedbackArgument::En)]
    feedback: FeedbackArgument,
}

#[derive(Clone, Copy, ValueEnum)]
enum SemanticsArgument {
    Canonical,
    DeployedJs,
    DeployedPhp,
}

#[derive(Clone, Copy, ValueEnum)]
enum CompositeArgument {
    V1,
    V2,
    V3,
}

#[derive(Clone, Copy, ValueEnum)]
enum FeedbackArgument {
    En,
    Ca,
}

/// A line of input.
#[derive(Deserialize)]
struct Case {
    #[serde(default)]
    id: serde_json::Value,
    text: String,
}

/// A line of output.
#[derive(Serialize)]
struct Answer {
    #[serde(skip_serializing_if = "serde_json::Value::is_null")]
    id: serde_json::Value,
    #[serde(flatten)]
    outcome: Outcome,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Outcome {
    Scored(Box<Report>),
    /// Only in JSON lines: the reference throws on this text.
    Failed {
        error: String,
    },
}

impl Arguments {
    fn options(&self) -> Options {
        Options {
            semantics: match self.semantics {
                SemanticsArgument::Canonical => Semantics::Canonical,
                SemanticsArgument::DeployedJs => Semantics::DeployedJs,
                SemanticsArgument::DeployedPhp => Semantics::DeployedPhp,
            },
            composite: self.composite.map(|composite| match composite {
                CompositeArgument::V1 => Composite::V1,
                CompositeArgument::V2 => Composite::V2,
                CompositeArgument::V3 => Composite::V3,
            }),
            feedback: match self.feedback {
                FeedbackArgument::En => FeedbackLanguage::English,
                FeedbackArgument::Ca => FeedbackLanguage::Catalan,
            },
            ..Options::default()
        }
    }
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("score: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), Box<dyn std::error::Error>> {
    let scorer = Scorer::new(arguments.options())?;
    let mut out = BufWriter::new(io::stdout().lock());
    if arguments.jsonl {
        score_lines(&scorer, &mut out)?;
    } else {
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes)?;
        let report = scorer.score_bytes(&bytes)?;
        serde_json::to_writer_pretty(&mut out, &report)?;
        writeln!(out)?;
    }
    Ok(out.flush()?)
}

fn score_lines(scorer: &Scorer, out: &mut impl Write) -> Result<(), Box<dyn std::error::Error>> {
    for (number, line) in io::stdin().lock().lines().enumerate() {
        let line = line?;
        if line.trim().is_empty() {
            continue;
        }
        let case: Case =
            serde_json::from_str(&line).map_err(|error| format!("line {}: {error}", number + 1))?;
        let outcome = match scorer.score(&case.text) {
            Ok(report) => Outcome::Scored(Box::new(report)),
            Err(error) => Outcome::Failed {
                error: error.to_string(),
            },
        };
        let id = case.id;
        serde_json::to_writer(&mut *out, &Answer { id, outcome })?;
        writeln!(out)?;
    }
    Ok(())
}
