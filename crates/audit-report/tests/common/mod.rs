//! Answers, deliberations and a reader of pages that the tests share.
#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::disallowed_methods,
    clippy::disallowed_types
)]

use std::collections::BTreeSet;
use std::sync::Arc;

use geodesic_retriever::{
    ChunkOptions, Chunker, Corpus, Document, GeodesicRetriever, RetrieverOptions,
};
use grounded_answer::kappa_topology::{Digraph, Options, Topology, analyze};
use grounded_answer::{Answerer, CorpusSources, SealedAnswer, model_profile};
use html5gum::{Token, Tokenizer};
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
    let long = "w".repeat(10_000);
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

const TAGS: &[&str] = &[
    "a",
    "bdi",
    "blockquote",
    "body",
    "br",
    "circle",
    "code",
    "dd",
    "details",
    "div",
    "dl",
    "dt",
    "footer",
    "h1",
    "h2",
    "h3",
    "head",
    "header",
    "html",
    "li",
    "main",
    "mark",
    "meta",
    "nav",
    "ol",
    "p",
    "path",
    "pre",
    "rect",
    "section",
    "span",
    "strong",
    "style",
    "summary",
    "svg",
    "text",
    "title",
    "ul",
];
const ATTRIBUTES: &[&str] = &[
    "aria-current",
    "aria-hidden",
    "aria-label",
    "aria-labelledby",
    "charset",
    "class",
    "content",
    "cx",
    "cy",
    "d",
    "height",
    "href",
    "http-equiv",
    "id",
    "lang",
    "name",
    "open",
    "r",
    "reversed",
    "role",
    "rx",
    "stroke-dasharray",
    "stroke-width",
    "style",
    "tabindex",
    "text-anchor",
    "viewbox",
    "width",
    "x",
    "xmlns",
    "y",
];
const VOID: &[&str] = &["br", "meta"];

/// Reads a page as a browser's tokenizer does and refuses whatever our templates do not hold: other
/// tags and attributes, tags that do not close in order, links that lead elsewhere or nowhere.
/// Returns the text.
pub(crate) fn read(page: &str) -> String {
    let name = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let (mut open, mut text) = (Vec::new(), String::new());
    let (mut ids, mut links) = (BTreeSet::new(), BTreeSet::new());
    for token in Tokenizer::new(page) {
        let Ok(token) = token;
        match token {
            Token::StartTag(tag) => {
                let tag_name = name(&tag.name);
                assert!(TAGS.contains(&tag_name.as_str()), "a tag <{tag_name}>");
                for (key, value) in &tag.attributes {
                    let (key, value) = (name(key), name(value));
                    assert!(ATTRIBUTES.contains(&key.as_str()), "an attribute {key}");
                    match key.as_str() {
                        "id" => assert!(ids.insert(value.clone()), "the id {value} twice"),
                        "href" => {
                            let to = value.strip_prefix('#').expect("links stay on the page");
                            links.insert(to.to_owned());
                        }
                        "style" => assert!(value.starts_with("width:"), "a style {value}"),
                        _ => {}
                    }
                }
                if !VOID.contains(&tag_name.as_str()) {
                    open.push(tag_name);
                }
            }
            Token::EndTag(tag) => {
                let tag_name = name(&tag.name);
                assert_eq!(open.pop().as_deref(), Some(tag_name.as_str()), "tags nest");
            }
            Token::String(_) if open.last().is_some_and(|tag| tag == "style") => {}
            Token::String(run) => text.push_str(&name(&run)),
            Token::Comment(_) => panic!("a comment"),
            Token::Doctype(_) => {}
            Token::Error(error) => panic!("not well-formed: {error:?}"),
        }
    }
    assert!(open.is_empty(), "unclosed: {open:?}");
    let nowhere: Vec<_> = links.difference(&ids).collect();
    assert!(nowhere.is_empty(), "links to nowhere: {nowhere:?}");
    text
}
