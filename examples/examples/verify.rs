//! Verifies answers: cases as JSON lines on stdin, verdicts as JSON lines or as a page.
#![allow(missing_docs)]

use std::io::{BufRead, Write};

use claim_lattice::{
    AnswerMode, EvidenceMap, Language, Passage, Policy, Pushed, SourceRole, Verdict, render, verify,
};
use clap::Parser;
use serde::Deserialize;
use serde_json::json;

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
}

#[derive(Deserialize)]
struct Case {
    #[serde(default)]
    id: serde_json::Value,
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

fn main() -> std::process::ExitCode {
    let arguments = Arguments::parse();
    match run(&arguments) {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(message) => {
            let _ = writeln!(std::io::stderr().lock(), "verify: {message}");
            std::process::ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), String> {
    let mut out = std::io::stdout().lock();
    for (number, line) in std::io::stdin().lock().lines().enumerate() {
        let line = line.map_err(|e| format!("line {} cannot be read: {e}", number + 1))?;
        if line.trim().is_empty() {
            continue;
        }
        let case: Case = serde_json::from_str(&line)
            .map_err(|e| format!("line {} is no case: {e}", number + 1))?;
        let written = judge(&case, arguments.page)
            .map_err(|e| format!("line {} is no case: {e}", number + 1))?;
        match writeln!(out, "{written}") {
            Err(e) if e.kind() == std::io::ErrorKind::BrokenPipe => return Ok(()),
            other => other.map_err(|e| format!("stdout cannot be written: {e}"))?,
        }
    }
    Ok(())
}

fn judge(case: &Case, page: bool) -> Result<String, claim_lattice::Error> {
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
    let map = builder.build();
    let verdict = verify(&case.question, &map, &case.answer, case.mode, &policy);
    Ok(if page {
        let id = match &case.id {
            serde_json::Value::String(s) => s.clone(),
            other => other.to_string(),
        };
        let body = render(&verdict, &map, &policy).plain_text();
        format!("== {id}: {}\n{body}", case.question)
    } else {
        on_wire(&case.id, &verdict).to_string()
    })
}

fn on_wire(id: &serde_json::Value, verdict: &Verdict) -> serde_json::Value {
    let mut value = json!({ "id": id });
    if let (Some(object), Ok(serde_json::Value::Object(rest))) =
        (value.as_object_mut(), serde_json::to_value(verdict))
    {
        object.extend(rest);
    }
    value
}
