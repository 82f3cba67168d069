//! `retrieve audit`: does retrieval find what it should and decline what it should?

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use clap::Args;
use geodesic_retriever::{
    AnchorSet, AuditCase, AuditOptions, GateOptions, LabelSet, LexicalConfig, LexicalEmbedder,
    Passage, Progress, ReportCard, RetrieverOptions, SalientQuestions, ScaffoldPhrase, audit,
    cases_of, initialization_gate,
};
use serde_json::{Value, json};

use crate::cli::Failure;
use crate::embedders::EmbedderArgs;
use crate::stores;

/// Audits a store: a question from a passage of each document, hit@10 by document, grounded rate,
/// decline rate over questions from elsewhere. Nothing is written.
#[derive(Debug, Args)]
pub struct AuditArgs {
    #[arg(long)]
    store: PathBuf,
    #[command(flatten)]
    embedder: EmbedderArgs,
    /// Questions from elsewhere, `{id, text}` a line; at least 50.
    #[arg(long)]
    probes: Option<PathBuf>,
    /// Questions with known documents, `{id, text}` a line with --qrels, or with
    /// `expected: {sources: [...]}`; asked beside the generated ones.
    #[arg(long)]
    questions: Option<PathBuf>,
    /// `query<TAB>document<TAB>grade` a line.
    #[arg(long)]
    qrels: Option<PathBuf>,
    /// The most documents that questions are generated for.
    #[arg(long, default_value_t = 300)]
    documents: usize,
    /// Labelled phrases: the structure is checked too, for the report card.
    #[arg(long)]
    scaffold: Option<PathBuf>,
}

fn json_lines(path: &Path) -> Result<Vec<Value>, Failure> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let lines = text.lines().enumerate();
    let full = lines.filter(|(_, l)| !l.trim().is_empty());
    full.map(|(n, l)| {
        serde_json::from_str(l)
            .map_err(|e| format!("{}: line {}: {e}", path.display(), n + 1).into())
    })
    .collect()
}

/// A field by one of its names.
fn field<'v>(line: &'v Value, names: &[&str]) -> Option<&'v str> {
    names
        .iter()
        .find_map(|n| line.get(n))
        .and_then(Value::as_str)
}

/// The documents of each query that are judged relevant.
fn judged(path: &Path) -> Result<BTreeMap<String, BTreeSet<String>>, Failure> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let mut out = BTreeMap::<String, BTreeSet<String>>::new();
    for (n, line) in text.lines().enumerate() {
        let fields: Vec<&str> = line.split('\t').collect();
        let [query, document, grade] = fields[..] else {
            return Err(format!("{}: line {}: not three fields", path.display(), n + 1).into());
        };
        if grade.trim().parse::<f64>().is_ok_and(|g| g > 0.0) {
            let documents = out.entry(query.to_owned()).or_default();
            documents.insert(document.to_owned());
        }
    }
    Ok(out)
}

/// Questions whose documents are known and in the store. A record of a JSON-lines file may be
/// named by its own id.
fn known_cases(args: &AuditArgs, documents: &BTreeSet<String>) -> Result<Vec<AuditCase>, Failure> {
    let Some(path) = &args.questions else {
        return Ok(Vec::new());
    };
    let judged = args.qrels.as_deref().map(judged).transpose()?;
    let mut by_own_id = BTreeMap::<&str, &str>::new();
    for document in documents {
        let own = document.rsplit_once('#').map_or(document.as_str(), |d| d.1);
        by_own_id.insert(own, document);
    }
    let mut cases = Vec::new();
    for line in json_lines(path)? {
        let names = ["text", "question", "claim"];
        let question = field(&line, &names)
            .ok_or_else(|| format!("{}: a line without a question", path.display()))?;
        let wanted: BTreeSet<String> = match &judged {
            Some(judged) => {
                let id = field(&line, &["id"]).unwrap_or_default();
                judged.get(id).cloned().unwrap_or_default()
            }
            None => {
                let sources = line.pointer("/expected/sources").and_then(Value::as_array);
                let names = sources.into_iter().flatten().filter_map(Value::as_str);
                names.map(str::to_owned).collect()
            }
        };
        let known = wanted.iter().flat_map(|w| {
            let parts = documents.iter().filter(move |d| {
                d.strip_prefix(w.as_str())
                    .is_some_and(|r| r.is_empty() || r.starts_with('#'))
            });
            parts
                .map(String::as_str)
                .chain(by_own_id.get(w.as_str()).copied())
        });
        let documents: BTreeSet<String> = known.map(str::to_owned).collect();
        if !documents.is_empty() {
            cases.push(AuditCase {
                question: question.to_owned(),
                documents,
            });
        }
    }
    Ok(cases)
}

fn structure(path: &Path, args: &EmbedderArgs) -> Result<geodesic_retriever::GateReport, Failure> {
    let lines = json_lines(path)?.into_iter();
    let phrases: Result<Vec<ScaffoldPhrase>, _> = lines.map(serde_json::from_value).collect();
    let phrases = phrases.map_err(|e| format!("{}: {e}", path.display()))?;
    let texts: Vec<&str> = phrases.iter().map(|p| p.text.as_str()).collect();
    let labels = LabelSet::thirteen();
    let (anchors, vectors) = match args.load()? {
        Some(embedder) => AnchorSet::from_scaffold(labels, &phrases, embedder.as_ref())?,
        None => {
            let embedder = LexicalEmbedder::learn(LexicalConfig::default(), &texts)?;
            AnchorSet::from_scaffold(labels, &phrases, &embedder)?
        }
    };
    Ok(initialization_gate(
        &anchors,
        &vectors,
        &GateOptions::default(),
    ))
}

/// `retrieve audit`.
///
/// # Errors
/// What keeps the audit from being made.
pub fn run(args: &AuditArgs, progress: &mut dyn FnMut(Progress)) -> Result<Value, Failure> {
    let embedder = args.embedder.load()?;
    let retriever = stores::retriever(&args.store, embedder, RetrieverOptions::default())?;
    let mut passages: Vec<Passage> = Vec::new();
    let mut documents = BTreeSet::new();
    stores::passages(&args.store, &mut |p| {
        documents.insert(p.source_id.clone());
        passages.push(p);
    })?;
    let generator = SalientQuestions::default();
    let all = passages.into_iter().map(Ok);
    let (generated, without) = cases_of(all, &generator, args.documents)?;
    let probes: Vec<String> = match &args.probes {
        Some(path) => json_lines(path)?
            .iter()
            .filter_map(|l| field(l, &["text", "question"]).map(str::to_owned))
            .collect(),
        None => Vec::new(),
    };
    let options = AuditOptions::default();
    let report = audit(&retriever, &generated, &probes, &options, progress)?;
    let known = known_cases(args, &documents)?;
    let given = match args.questions {
        Some(_) => Some(audit(&retriever, &known, &[], &options, progress)?),
        None => None,
    };
    let gate = args.scaffold.as_deref();
    let gate = gate
        .map(|path| structure(path, &args.embedder))
        .transpose()?;
    let card = ReportCard::new(Some(&report), gate.as_ref());
    Ok(json!({
        "documents": documents.len(),
        "generator": geodesic_retriever::QuestionGenerator::id(&generator),
        "documents_without_question": without,
        "generated": report,
        "questions": given,
        "report_card": card,
    }))
}
