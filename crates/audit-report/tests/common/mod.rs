//! Answers, deliberations and a reader of pages that the tests share.
#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::disallowed_methods,
    clippy::disallowed_types
)]

mod reader;

pub(crate) use reader::read;

use std::sync::Arc;

use audit_report::{Judged, render_verdicts};
use geodesic_retriever::{
    ChunkOptions, Chunker, Corpus, Document, GeodesicRetriever, RetrieverOptions,
};
use grounded_answer::claim_lattice::{self, AnswerMode, EvidenceMap, Passage, Policy, Verdict};
use grounded_answer::kappa_topology::{Digraph, Options, Topology, analyze};
use grounded_answer::{Answerer, CorpusSources, SealedAnswer, model_profile};
use knowledge_graph::{MemoryStore, Snapshot};
use knowledge_loop::{DeliberationReport, KnowledgeLoop, LoopConfig};
use language_agents::{Completion, agent_fn};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

const TOWER: &str = "The tower stands by the river. The tower is 96 metres tall. \
    It was built in 1931 by Anna Halden. Visitors may climb it in summer.";

/// An answer to a question about one document, as the given text makes it.
pub(crate) fn sealed(question: &str, answer: &str) -> SealedAnswer {
    let documents = vec![Document {
        id: "tower.txt".into(),
        title: "Tower".into(),
        text: TOWER.into(),
    }];
    let chunker = Chunker::characters(ChunkOptions::default()).unwrap();
    let corpus = Arc::new(Corpus::new(documents, &chunker, &mut |_| {}));
    let options = RetrieverOptions::default();
    let retriever = GeodesicRetriever::lexical(Arc::clone(&corpus), options, &mut |_| {}).unwrap();
    let text = answer.to_owned();
    let agent = agent_fn(move |_| Ok(Completion::new(text.clone())));
    Answerer::builder()
        .retriever(Arc::new(retriever))
        .sources(Arc::new(CorpusSources::new(corpus)))
        .agent(Arc::new(agent), model_profile("scripted"))
        .build()
        .unwrap()
        .ask_blocking(question)
        .unwrap()
}

/// An argued answer with scores, a claim that fails, and a topology.
pub(crate) fn rich() -> SealedAnswer {
    let mut answer = sealed(
        "How tall is the tower by the river?",
        "On the OBJ–SUB axis, OBJ measures, yet SUB reframes what OBJ measures: the tower is 96 metres tall. [E1]\n\
         The tower is 120 metres tall. [E1]\n\
         The tower was built in 1931. [E1]\n\
         The tower stands by the sea. [E9]",
    );
    assert!(answer.wisdom.is_some());
    answer.topology = Some(loops());
    answer.states = vec!["stale risk".to_owned()];
    answer
}

/// A graph's topology with one loop of κ = 1 and one of κ = 2.
pub(crate) fn loops() -> Topology<String> {
    let pairs = [
        ("sleep", "stress"),
        ("stress", "sleep"),
        ("a", "b"),
        ("b", "a"),
        ("a", "c"),
        ("c", "a"),
        ("b", "c"),
        ("c", "b"),
        ("sleep", "a"),
    ];
    let edges = pairs.map(|(s, t)| (s.to_owned(), t.to_owned()));
    analyze(&Digraph::from_edges(edges).unwrap(), &Options::default())
}

/// A deliberation over a loop of two.
pub(crate) fn deliberation() -> DeliberationReport {
    let graph = r#"{"nodes":[{"id":"sleep","content":"Poor sleep raises stress."},
        {"id":"stress","content":"Stress worsens sleep."}],
      "edges":[{"source":"sleep","target":"stress","edge_type":"causal"},
        {"source":"stress","target":"sleep","edge_type":"causal"}]}"#;
    let store = MemoryStore::from_snapshot(Snapshot::from_json(graph).unwrap()).unwrap();
    let agent = agent_fn(|_| {
        Ok(Completion::new(
            r#"{"conclusion":"Stress and sleep feed each other.","confidence":0.9,"reasoning":"Each node names the other."}"#,
        ))
    });
    KnowledgeLoop::new(Arc::new(store), Arc::new(agent), LoopConfig::default())
        .ask_blocking("What does stress do to sleep?", true)
        .unwrap()
        .deliberation
        .expect("a loop is deliberated")
}

/// Markup, script, direction controls, hidden characters and a word without end.
pub(crate) fn hostile() -> String {
    hostile_with(10_000)
}

/// The same with a word of so many letters.
pub(crate) fn hostile_with(letters: usize) -> String {
    let long = "w".repeat(letters);
    format!(
        "</title></style></script><script>alert(1)</script><img src=x onerror=alert(1)>\" onload=\"x' \
         </bdi></section><svg onload=alert(1)><!-- <![CDATA[ ]]> &amp; &#60; javascript:alert(1) \
         \u{202e}txt.exe\u{202c}\u{2066}\u{2069}\u{200f}\u{0}\u{1b}[31m\u{feff}\u{e0041} {long}"
    )
}

/// The value with every text in it replaced that may be any text.
pub(crate) fn poisoned<T: Serialize + DeserializeOwned>(value: &T, with: &str) -> T {
    let mut json = serde_json::to_value(value).unwrap();
    let mut paths = Vec::new();
    texts(&json, &mut String::new(), &mut paths);
    for path in paths {
        let mut tried = json.clone();
        *tried.pointer_mut(&path).unwrap() = Value::String(with.to_owned());
        if serde_json::from_value::<T>(tried.clone()).is_ok() {
            json = tried;
        }
    }
    serde_json::from_value(json).unwrap()
}

fn texts(value: &Value, path: &mut String, out: &mut Vec<String>) {
    let at = path.len();
    match value {
        Value::String(_) => out.push(path.clone()),
        Value::Array(items) => {
            for (i, item) in items.iter().enumerate() {
                path.push_str(&format!("/{i}"));
                texts(item, path, out);
                path.truncate(at);
            }
        }
        Value::Object(fields) => {
            for (name, item) in fields {
                path.push_str(&format!("/{}", name.replace('~', "~0").replace('/', "~1")));
                texts(item, path, out);
                path.truncate(at);
            }
        }
        _ => {}
    }
}

/// An answer with hostile text in every field that holds text.
pub(crate) fn poisoned_answer(with: &str) -> SealedAnswer {
    let mut a = rich();
    let text = || with.to_owned();
    a.schema_version = text();
    a.question = text();
    a.label = text();
    a.audit_line = text();
    a.answer = text();
    for claim in &mut a.claims {
        claim.text = text();
        claim.pointers.push(text());
        claim.frame = Some(text());
        for violation in &mut claim.violations {
            violation.tokens = vec![text(); 2];
            violation.pointers = vec![text(); 2];
        }
        for passage in &mut claim.passages {
            passage.pointer = text();
            passage.source = text();
            passage.title = text();
            passage.text = text();
            passage.bytes = 1..usize::MAX;
        }
    }
    a.violations = a.claims.iter().flat_map(|c| c.violations.clone()).collect();
    assert!(!a.violations.is_empty());
    a.states = vec![text()];
    a.feedback = vec![text()];
    a.raw_answer = Some(text());
    let evidence = poisoned(&a.evidence, with);
    a.evidence.extend(evidence);
    a.retrieval = Some(poisoned(a.retrieval.as_ref().unwrap(), with));
    a.retrieval.as_mut().unwrap().declined = Some(text());
    a.retrieval.as_mut().unwrap().figures.notes = vec![text()];
    a.topology = Some(poisoned(a.topology.as_ref().unwrap(), with));
    a.wisdom = Some(poisoned(a.wisdom.as_ref().unwrap(), with));
    a.model.model_id = text();
    a.model.revision = Some(text());
    a.model.quantization = Some(text());
    a.preflight.classifier.language = text();
    a.preflight.prompt_contract.reminder = Some(text());
    a
}

/// An answer of 200 claims over 500 passages.
pub(crate) fn large() -> SealedAnswer {
    let mut a = rich();
    let (claim, entry) = (a.claims[0].clone(), a.evidence[0].clone());
    a.evidence = (1..=500)
        .map(|n| {
            let mut entry = entry.clone();
            entry.pointer_id = format!("E{n}");
            entry
        })
        .collect();
    a.claims = (0..200)
        .map(|n| {
            let mut claim = claim.clone();
            claim.pointers = vec![format!("E{}", n * 2 + 1), format!("E{}", n * 2 + 2)];
            for passage in &mut claim.passages {
                passage.pointer = format!("E{}", n * 2 + 1);
            }
            claim
        })
        .collect();
    a
}

/// Cases as the example `verify` has them: question, passages with titles and ids, answer.
pub(crate) struct Case {
    pub(crate) id: String,
    pub(crate) question: String,
    pub(crate) answer: String,
    pub(crate) evidence: EvidenceMap,
}

impl Case {
    pub(crate) fn new(id: &str, question: &str, passage: [&str; 3], answer: &str) -> Self {
        let mut builder = EvidenceMap::builder(usize::MAX);
        let [source, title, text] = passage;
        builder.push(Passage::whole(source, title, text)).unwrap();
        Self {
            id: id.to_owned(),
            question: question.to_owned(),
            answer: answer.to_owned(),
            evidence: builder.build(),
        }
    }
}

/// The page of verdicts on the cases.
pub(crate) fn verdicts(cases: &[Case]) -> String {
    let policy = Policy::strict();
    let verdicts: Vec<Verdict> = cases
        .iter()
        .map(|c| {
            let mode = AnswerMode::Pointer;
            claim_lattice::verify(&c.question, &c.evidence, &c.answer, mode, &policy)
        })
        .collect();
    let judged: Vec<Judged<'_>> = cases
        .iter()
        .zip(&verdicts)
        .map(|(case, verdict)| Judged {
            id: &case.id,
            question: &case.question,
            answer: &case.answer,
            verdict,
            evidence: &case.evidence,
            policy: &policy,
        })
        .collect();
    render_verdicts(&judged)
}
