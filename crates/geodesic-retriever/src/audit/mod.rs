//! The retrieval audit: does retrieval find the document that a question was made from, and does
//! the gate decline what the dictionary does not cover? Read-only, never fed back.

mod questions;
mod report_card;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

pub use questions::{QuestionGenerator, SalientQuestions};
pub use report_card::{CardSection, ReportCard};

use crate::{Error, GeodesicRetriever, Passage, Progress, Retriever, Stage};

/// A question and the documents that answer it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditCase {
    /// The question.
    pub question: String,
    /// The documents; a hit is any one of them.
    pub documents: BTreeSet<String>,
}

/// How an audit is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditOptions {
    /// A hit is a document among the first this many; default 10.
    pub k: usize,
    /// With fewer probes, but more than none, there is no decline rate but an error; default 50.
    pub min_probes: usize,
    /// Misses listed in the report; default 20.
    pub misses_shown: usize,
}

impl Default for AuditOptions {
    fn default() -> Self {
        Self {
            k: 10,
            min_probes: 50,
            misses_shown: 20,
        }
    }
}

/// A question whose document was not found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditMiss {
    /// The question.
    pub question: String,
    /// The documents that answer it.
    pub documents: BTreeSet<String>,
    /// What was found first.
    pub found: Option<String>,
}

/// What an audit found. A rate over nothing is absent, not zero.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AuditReport {
    /// The embedder's model.
    pub model_id: String,
    /// The root of what was audited.
    pub corpus_root: Option<String>,
    /// The gate's threshold.
    pub threshold: f64,
    /// The `k` of hit@k.
    pub k: usize,
    /// Questions asked.
    pub questions: usize,
    /// Questions whose document is among the first `k`.
    pub hits: usize,
    /// Their share.
    pub hit_rate: Option<f64>,
    /// Questions that the gate answers.
    pub grounded: usize,
    /// Their share.
    pub grounded_rate: Option<f64>,
    /// Questions from elsewhere asked.
    pub probes: usize,
    /// Probes that the gate declines.
    pub declined: usize,
    /// Their share.
    pub decline_rate: Option<f64>,
    /// Some of the misses, in the order of the questions.
    pub misses: Vec<AuditMiss>,
}

/// One question for each document, made by a generator from the first of its passages that yields
/// one. At most `limit` documents: those with the
/// least digests of their ids, an even sample that is the same every time. Also gives how many
/// documents yielded no question.
///
/// # Errors
/// The generator's failure.
pub fn cases_of(
    passages: impl IntoIterator<Item = Result<Passage, Error>>,
    generator: &dyn QuestionGenerator,
    limit: usize,
) -> Result<(Vec<AuditCase>, usize), Error> {
    let mut chosen = std::collections::BTreeMap::<[u8; 32], (String, Option<String>)>::new();
    for passage in passages {
        let passage = passage?;
        let mut hash = blake3::Hasher::new_derive_key("candor 2026 geodesic-retriever audit");
        hash.update(passage.source_id.as_bytes());
        let key = *hash.finalize().as_bytes();
        let full = chosen.len() == limit;
        let late = full && chosen.last_key_value().is_none_or(|(last, _)| key > *last);
        let asked = chosen.get(&key).is_some_and(|(_, q)| q.is_some());
        if asked || late {
            continue;
        }
        let question = generator.question(&passage)?;
        chosen.insert(key, (passage.source_id, question));
        if chosen.len() > limit {
            chosen.pop_last();
        }
    }
    let mut without = 0;
    let mut cases = Vec::new();
    for (document, question) in chosen.into_values() {
        match question {
            Some(question) => cases.push(AuditCase {
                question,
                documents: BTreeSet::from([document]),
            }),
            None => without += 1,
        }
    }
    Ok((cases, without))
}

/// Audits a retriever (seed 003, "Audit is due"). Nothing is written, not even the retriever's
/// context buffer.
///
/// # Errors
/// [`Error::InvalidSetting`] for `k` = 0 or too few probes; the retriever's failure.
pub fn audit(
    retriever: &GeodesicRetriever,
    cases: &[AuditCase],
    probes: &[String],
    options: &AuditOptions,
    progress: &mut dyn FnMut(Progress),
) -> Result<AuditReport, Error> {
    if options.k == 0 {
        return Err(Error::setting("k", 0, "1 or more"));
    }
    if !probes.is_empty() && probes.len() < options.min_probes {
        let accepted = format!("at least {}, or none", options.min_probes);
        return Err(Error::setting(
            "the number of probes",
            probes.len(),
            accepted,
        ));
    }
    let mut report = AuditReport {
        model_id: retriever.fingerprint().model_id.clone(),
        corpus_root: retriever.corpus_root(),
        threshold: retriever.calibration().threshold,
        k: options.k,
        questions: cases.len(),
        hits: 0,
        hit_rate: None,
        grounded: 0,
        grounded_rate: None,
        probes: probes.len(),
        declined: 0,
        decline_rate: None,
        misses: Vec::new(),
    };
    let total = cases.len() + probes.len();
    let mut done = 0;
    let mut step = |done: &mut usize| {
        *done += 1;
        progress(Progress {
            stage: Stage::Audit,
            done: *done,
            total: Some(total),
        });
    };
    for case in cases {
        let look = retriever.look(&case.question, options.k)?;
        report.grounded += usize::from(look.grounded);
        if look.documents.iter().any(|d| case.documents.contains(d)) {
            report.hits += 1;
        } else if report.misses.len() < options.misses_shown {
            report.misses.push(AuditMiss {
                question: case.question.clone(),
                documents: case.documents.clone(),
                found: look.documents.first().cloned(),
            });
        }
        step(&mut done);
    }
    for probe in probes {
        let look = retriever.look(probe, 1)?;
        report.declined += usize::from(!look.grounded);
        step(&mut done);
    }
    let share = |n: usize, of: usize| (of > 0).then(|| n as f64 / of as f64);
    report.hit_rate = share(report.hits, cases.len());
    report.grounded_rate = share(report.grounded, cases.len());
    report.decline_rate = share(report.declined, probes.len());
    Ok(report)
}
