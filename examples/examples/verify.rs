//! Verifies answers: cases as JSON lines on stdin, verdicts as JSON lines or as a page.
#![allow(missing_docs)]

use std::io::{BufRead, ErrorKind, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use audit_report::{Judged, render_verdicts};
use candor_examples::cli::{self, Failure};
use claim_lattice::{
    AnswerMode, EvidenceMap, Language, Passage, Policy, Pushed, SourceRole, Verdict, render, verify,
};
use clap::Parser;
use serde::Deserialize;
use serde_json::{Value, json};

/// Does each claim of an answer cite evidence that bears it?
///
/// Reads cases as JSON lines on stdin: {"id", "question", "evidence": [{"text", "title",
/// "source_id", "source_role"}], "answer", "mode": "pointer"|"json"|"quote",
/// "policy": "seed"|"strict", "marker": "E"|"", "language": "english"|"catalan"}.
#[derive(Parser)]
#[command(name = "verify")]
struct Arguments {
    /// A readable page in place of JSON lines
    #[arg(long)]
    page: bool,
    /// Write the verdicts as one self-contained HTML page, too
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

#[derive(Deserialize)]
struct Case {
    #[serde(default)]
    id: Value,
    #[serde(default)]
    question: String,
    evidence: Vec<Evidence>,
    answer: String,
    #[serde(default)]
    mode: AnswerMode,
    #[serde(default)]
    policy: PolicyName,
    marker: Option<String>,
    language: Option<Language>,
}

#[derive(Deserialize)]
struct Evidence {
    text: String,
    #[serde(default)]
    title: String,
    source_id: Option<String>,
    #[serde(default)]
    source_role: SourceRole,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "snake_case")]
enum PolicyName {
    Seed,
    #[default]
    Strict,
}

/// A case with what the verifier made of it.
struct Judgement {
    id: String,
    case: Case,
    evidence: EvidenceMap,
    policy: Policy,
    verdict: Verdict,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    cli::run(|| run(&arguments))
}

fn run(arguments: &Arguments) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    let mut kept = Vec::new();
    for (number, line) in std::io::stdin().lock().lines().enumerate() {
        let line = line.map_err(|e| format!("line {} cannot be read: {e}", number + 1))?;
        if line.trim().is_empty() {
            continue;
        }
        let case: Case = serde_json::from_str(&line)
            .map_err(|e| format!("line {} is no case: {e}", number + 1))?;
        let judged = judge(case).map_err(|e| format!("line {} is no case: {e}", number + 1))?;
        let written = if arguments.page {
            on_page(&judged)
        } else {
            on_wire(&judged).to_string()
        };
        if arguments.html.is_some() {
            kept.push(judged);
        }
        match writeln!(out, "{written}") {
            // A reader that has gone away wants no more verdicts.
            Err(e) if e.kind() == ErrorKind::BrokenPipe => break,
            other => other.map_err(|e| format!("stdout cannot be written: {e}"))?,
        }
    }
    if let Some(file) = &arguments.html {
        let judged: Vec<Judged<'_>> = kept.iter().map(for_html).collect();
        cli::write_page(file, &render_verdicts(&judged))?;
    }
    Ok(())
}

fn judge(case: Case) -> Result<Judgement, claim_lattice::Error> {
    let mut builder = EvidenceMap::builder(usize::MAX);
    if let Some(marker) = &case.marker {
        builder = builder.marker(marker)?;
    }
    for (i, evidence) in case.evidence.iter().enumerate() {
        let source = evidence
            .source_id
            .clone()
            .unwrap_or_else(|| format!("evidence-{}", i + 1));
        let mut passage = Passage::whole(&source, &evidence.title, &evidence.text);
        passage.source_role = evidence.source_role.clone();
        // A case numbers its evidence by place: the same passage twice keeps both numbers.
        if let Pushed::Duplicate(_) = builder.push(passage.clone())? {
            passage.source_id = format!("{source}#{}", i + 1);
            builder.push(passage)?;
        }
    }
    let mut policy = match case.policy {
        PolicyName::Seed => Policy::seed(),
        PolicyName::Strict => Policy::strict(),
    };
    if let Some(language) = &case.language {
        policy = policy.with_language(language.clone());
    }
    let evidence = builder.build();
    let verdict = verify(&case.question, &evidence, &case.answer, case.mode, &policy);
    let id = match &case.id {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    };
    Ok(Judgement {
        id,
        case,
        evidence,
        policy,
        verdict,
    })
}

fn on_page(judged: &Judgement) -> String {
    let body = render(&judged.verdict, &judged.evidence, &judged.policy).plain_text();
    format!("== {}: {}\n{body}", judged.id, judged.case.question)
}

fn on_wire(judged: &Judgement) -> Value {
    let mut value = json!({ "id": judged.case.id });
    if let (Some(object), Ok(Value::Object(rest))) =
        (value.as_object_mut(), serde_json::to_value(&judged.verdict))
    {
        object.extend(rest);
    }
    value
}

fn for_html(judged: &Judgement) -> Judged<'_> {
    Judged {
        id: &judged.id,
        question: &judged.case.question,
        answer: &judged.case.answer,
        verdict: &judged.verdict,
        evidence: &judged.evidence,
        policy: &judged.policy,
    }
}
