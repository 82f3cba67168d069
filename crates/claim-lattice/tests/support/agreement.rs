//! Agreement with people: sets of labelled claims, and what the verifier makes of them.

use std::io::Read;
use std::path::Path;

use claim_lattice::{AnswerMode, EvidenceMap, Label, Passage, Policy, Rung, Verdict, verify};
use serde_json::Value;

/// A claim that people labelled.
pub struct Labelled {
    pub question: String,
    pub claim: String,
    pub title: String,
    pub evidence: String,
    pub supported: bool,
}

fn lines(path: &Path) -> Vec<Value> {
    let mut text = String::new();
    let file = std::fs::File::open(path).expect("the data file is there");
    if path.extension().is_some_and(|e| e == "gz") {
        flate2::read::GzDecoder::new(file)
            .read_to_string(&mut text)
            .expect("gzip");
    } else {
        std::io::BufReader::new(file)
            .read_to_string(&mut text)
            .expect("text");
    }
    text.lines()
        .filter(|l| !l.trim().is_empty())
        .map(|l| serde_json::from_str(l).expect("a JSON line"))
        .collect()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// `[3]` and the like, gone.
fn without_markers(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(open) = rest.find('[') {
        let tail = &rest[open..];
        let close = tail.find(']').filter(|&c| {
            c > 1
                && tail[1..c]
                    .chars()
                    .all(|c| c.is_ascii_digit() || " ,^".contains(c))
        });
        match close {
            Some(c) => {
                out.push_str(rest[..open].trim_end());
                rest = &tail[c + 1..];
            }
            None => {
                out.push_str(&rest[..=open]);
                rest = &rest[open + 1..];
            }
        }
    }
    out.push_str(rest);
    out
}

/// ExpertQA: claims whose evidence has passage text, Complete against Incomplete.
pub fn expertqa(data: &Path) -> Vec<Labelled> {
    let mut out = Vec::new();
    for answer in lines(&data.join("cited-expertqa/answers.jsonl.gz")) {
        for claim in answer["claims"].as_array().into_iter().flatten() {
            let supported = match claim["support"].as_str() {
                Some("Complete") => true,
                Some("Incomplete") => false,
                _ => continue,
            };
            let passages: Vec<String> = claim["evidence"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(|e| {
                    e.as_str()?
                        .split_once("\n\n")
                        .map(|(_, p)| p.trim().to_owned())
                })
                .filter(|p| !p.is_empty())
                .collect();
            if passages.is_empty() {
                continue;
            }
            out.push(Labelled {
                question: text(&answer["question"]),
                claim: without_markers(&text(&claim["claim_string"])),
                title: String::new(),
                evidence: passages.join("\n\n"),
                supported,
            });
        }
    }
    out
}

/// Fool Me Twice: gold evidence with the page's title in front.
pub fn fm2(data: &Path) -> Vec<Labelled> {
    let mut out = Vec::new();
    for split in ["dev", "test"] {
        for claim in lines(&data.join(format!("claims-fm2/{split}.jsonl.gz"))) {
            let gold: Vec<String> = claim["gold_evidence"]
                .as_array()
                .into_iter()
                .flatten()
                .map(|e| text(&e["text"]).trim().to_owned())
                .collect();
            let page = text(&claim["wikipedia_page"]);
            out.push(Labelled {
                question: String::new(),
                claim: text(&claim["text"]),
                evidence: format!("{page}. {}", gold.join(" ")),
                title: String::new(),
                supported: claim["label"] == "SUPPORTS",
            });
        }
    }
    out
}

fn abstracts(data: &Path) -> std::collections::BTreeMap<String, Value> {
    lines(&data.join("ret-scifact/corpus.jsonl.gz"))
        .into_iter()
        .map(|d| (text(&d["id"]), d))
        .collect()
}

fn train(data: &Path) -> Vec<Value> {
    lines(&data.join("ret-scifact/claims_train.jsonl"))
}

/// The title of an abstract and those of its sentences whose number is wanted.
fn passage(doc: &Value, wanted: impl Fn(u64) -> bool) -> String {
    let chosen: Vec<String> = (0_u64..)
        .zip(doc["sentences"].as_array().into_iter().flatten())
        .filter(|(n, _)| wanted(*n))
        .map(|(_, s)| text(s).trim().to_owned())
        .collect();
    format!("{} {}", text(&doc["title"]), chosen.join(" "))
}

/// SciFact's train split, first cut: the sentences that people chose, the abstract's title in
/// front, SUPPORT against CONTRADICT. Used while the rules were written.
pub fn scifact(data: &Path) -> Vec<Labelled> {
    let corpus = abstracts(data);
    let mut out = Vec::new();
    for claim in train(data) {
        for set in claim["evidence"].as_array().into_iter().flatten() {
            let chosen: Vec<u64> = set["sentences"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(Value::as_u64)
                .collect();
            let doc = &corpus[set["doc_id"].as_str().unwrap_or_default()];
            out.push(Labelled {
                question: String::new(),
                claim: text(&claim["claim"]),
                evidence: passage(doc, |n| chosen.contains(&n)),
                title: String::new(),
                supported: set["label"] == "SUPPORT",
            });
        }
    }
    out
}

/// SciFact's train split, second cut: whole abstracts, those that support the claim against
/// those that were cited for it and say neither yes nor no. Used while the rules were written.
pub fn scifact_silent(data: &Path) -> Vec<Labelled> {
    let corpus = abstracts(data);
    let mut out = Vec::new();
    for claim in train(data) {
        let sets = claim["evidence"].as_array().cloned().unwrap_or_default();
        let supporting = sets
            .iter()
            .filter(|s| s["label"] == "SUPPORT")
            .map(|s| text(&s["doc_id"]));
        let silent = claim["cited_doc_ids"]
            .as_array()
            .into_iter()
            .flatten()
            .filter(|_| sets.is_empty())
            .map(text);
        let documents: std::collections::BTreeSet<String> = supporting.chain(silent).collect();
        for doc in documents.iter().filter_map(|id| corpus.get(id)) {
            out.push(Labelled {
                question: String::new(),
                claim: text(&claim["claim"]),
                evidence: passage(doc, |_| true),
                title: String::new(),
                supported: !sets.is_empty(),
            });
        }
    }
    out
}

/// The verdict on one labelled claim: one sentence, one pointer to its joined passages.
pub fn verdict(case: &Labelled, policy: &Policy) -> Verdict {
    let mut builder = EvidenceMap::builder(usize::MAX);
    builder
        .push(Passage::whole("source", &case.title, &case.evidence))
        .expect("a whole passage");
    let answer = serde_json::json!({
        "claims": [{"text": case.claim, "evidence_ids": ["E1"]}]
    });
    verify(
        &case.question,
        &builder.build(),
        &answer.to_string(),
        AnswerMode::Json,
        policy,
    )
}

/// Counts of a binary decision.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    pub true_positive: u32,
    pub false_positive: u32,
    pub false_negative: u32,
    pub true_negative: u32,
}

impl Counts {
    pub fn add(&mut self, said: bool, is: bool) {
        match (said, is) {
            (true, true) => self.true_positive += 1,
            (true, false) => self.false_positive += 1,
            (false, true) => self.false_negative += 1,
            (false, false) => self.true_negative += 1,
        }
    }

    /// Those of another set beside these.
    pub fn extend(&mut self, other: Self) {
        self.true_positive += other.true_positive;
        self.false_positive += other.false_positive;
        self.false_negative += other.false_negative;
        self.true_negative += other.true_negative;
    }

    pub fn precision(&self) -> f64 {
        ratio(self.true_positive, self.true_positive + self.false_positive)
    }

    pub fn recall(&self) -> f64 {
        ratio(self.true_positive, self.true_positive + self.false_negative)
    }

    pub fn macro_f1(&self) -> f64 {
        let f1 = |tp: u32, wrong: u32| {
            if tp == 0 {
                0.0
            } else {
                2.0 * f64::from(tp) / (2.0 * f64::from(tp) + f64::from(wrong))
            }
        };
        let wrong = self.false_positive + self.false_negative;
        f1(self.true_positive, wrong).midpoint(f1(self.true_negative, wrong))
    }
}

fn ratio(a: u32, b: u32) -> f64 {
    if b == 0 {
        0.0
    } else {
        f64::from(a) / f64::from(b)
    }
}

/// What the verifier makes of a set: "supported", and at or above each rung.
pub struct Agreement {
    pub supported: Counts,
    pub pointer_linked: Counts,
    pub anchor_warranted: Counts,
    pub evidence_warranted: Counts,
}

pub fn measure(cases: &[Labelled], policy: &Policy) -> Agreement {
    let mut out = Agreement {
        supported: Counts::default(),
        pointer_linked: Counts::default(),
        anchor_warranted: Counts::default(),
        evidence_warranted: Counts::default(),
    };
    for case in cases {
        let verdict = verdict(case, policy);
        let rung = match verdict.label() {
            Label::Lattice { rung, .. } => rung,
            _ => Rung::Ungrounded,
        };
        let supported = verdict
            .claims()
            .iter()
            .any(claim_lattice::ClaimVerdict::supported);
        out.supported.add(supported, case.supported);
        out.pointer_linked
            .add(rung >= Rung::PointerLinked, case.supported);
        out.anchor_warranted
            .add(rung >= Rung::AnchorWarranted, case.supported);
        out.evidence_warranted
            .add(rung >= Rung::EvidenceWarranted, case.supported);
    }
    out
}

/// For each class of anchor: of the claims that fail by it and by nothing else, how many people
/// call unsupported (caught) and supported (lost).
pub fn alone(
    cases: &[Labelled],
    policy: &Policy,
) -> std::collections::BTreeMap<String, (u32, u32)> {
    let mut out = std::collections::BTreeMap::new();
    for case in cases {
        let verdict = verdict(case, policy);
        for claim in verdict.claims() {
            let mut names: Vec<String> = claim
                .violations()
                .iter()
                .filter(|v| !v.code.is_demote())
                .map(|v| match v.class {
                    Some(class) => format!("{class:?}"),
                    None => v.code.wire_name().to_owned(),
                })
                .collect();
            names.dedup();
            if let [only] = names.as_slice() {
                let counts: &mut (u32, u32) = out.entry(only.clone()).or_default();
                if case.supported {
                    counts.1 += 1;
                } else {
                    counts.0 += 1;
                }
            }
        }
    }
    out
}
