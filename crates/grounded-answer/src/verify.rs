//! Recomputing a sealed answer offline.

use std::collections::BTreeSet;

use geodesic_retriever::{RetrievedPassage, Retriever};
use language_agents::Agent;
use run_dag::{RetrievalPlan, RunRecord, RunRoot, Stage, StageKind, StagePayload, replay};
use serde::Serialize;

use crate::Error;
use crate::difference::differences;
use crate::pipeline::{Context, Earlier, Opened};
use crate::recorded::RecordedAnswer;
use crate::sealed::{Outcome, RetrievalReport, SealedAnswer};
use crate::sources::Sources;

/// Something that does not recompute.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Discrepancy {
    /// The stage or passage: `stage verify`, `passage E2 (tower.txt)`, `retrieval`, `label`.
    pub place: String,
    /// Where in the saved answer, as a path.
    pub path: String,
    /// What was saved, shortened.
    pub recorded: String,
    /// What comes out now, shortened.
    pub recomputed: String,
}

/// What came of recomputing a saved answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Verification {
    /// What does not match, the first place first. Empty: everything that was rechecked matches.
    pub discrepancies: Vec<Discrepancy>,
    /// What could not be rechecked, and why.
    pub not_rechecked: Vec<String>,
    /// The answer as it comes out now, where one does.
    #[serde(skip)]
    pub recomputed: Option<Box<SealedAnswer>>,
}

impl Verification {
    /// Whether all that was rechecked matches.
    #[must_use]
    pub fn matches(&self) -> bool {
        self.discrepancies.is_empty()
    }
}

/// What an auditor has at hand beside the documents.
#[derive(Clone, Copy, Default)]
pub struct AtHand<'a> {
    /// A retriever over the documents: with the same embedder, retrieval is run again.
    pub retriever: Option<&'a dyn Retriever>,
    /// The agent, where it always writes the same to the same prompt, as the extractive one does.
    pub agent: Option<&'a dyn Agent>,
}

/// Recomputes a saved answer: every hash of the run, documents and passages, retrieval, prompt,
/// parsing, verdict, rendering, scores and label. What is not at hand is taken as recorded and
/// named in [`Verification::not_rechecked`].
///
/// # Errors
/// Only a failure of a part at hand; what does not match is no error but a [`Discrepancy`].
pub fn verify(
    saved: &RecordedAnswer,
    sources: &dyn Sources,
    at_hand: AtHand<'_>,
) -> Result<Verification, Error> {
    let mut verification = Verification {
        discrepancies: Vec::new(),
        not_rechecked: Vec::new(),
        recomputed: None,
    };
    for mismatch in replay(&saved.parts.run)?.mismatches {
        verification.discrepancies.push(Discrepancy {
            place: format!("stage {}", mismatch.stage),
            path: format!("run.{}", mismatch.field),
            recorded: mismatch.recorded,
            recomputed: mismatch.recomputed,
        });
    }
    verification
        .discrepancies
        .extend(changed_passages(saved.passages(), sources));
    verification.discrepancies.extend(other_embedder(saved));
    match recompute(saved, sources, at_hand, &mut verification.not_rechecked)? {
        Ok(answer) => {
            verification
                .discrepancies
                .extend(differences(saved, &answer)?);
            verification.recomputed = Some(Box::new(answer));
        }
        Err(recomputed) => verification.discrepancies.push(Discrepancy {
            place: "outcome".to_owned(),
            path: "outcome".to_owned(),
            recorded: format!("{:?}", saved.outcome()).to_lowercase(),
            recomputed: recomputed.to_owned(),
        }),
    }
    let mut seen = BTreeSet::new();
    verification
        .discrepancies
        .retain(|d| seen.insert(d.path.clone()));
    Ok(verification)
}

/// The embedder that the figures name, where it is not the one that the plan commits.
fn other_embedder(saved: &RecordedAnswer) -> Option<Discrepancy> {
    let (figures, committed) = (saved.figures()?, committed_embedder(saved)?);
    (figures.model_id != committed).then(|| Discrepancy {
        place: "retrieval".to_owned(),
        path: "retrieval.figures.model_id".to_owned(),
        recorded: short(&figures.model_id),
        recomputed: committed.to_owned(),
    })
}

/// The model id of the embedder in the committed retrieval plan.
fn committed_embedder(saved: &RecordedAnswer) -> Option<&str> {
    let parameters = &plan(&saved.parts.run)?.parameters;
    parameters.get("embedder")?.get("model_id")?.as_str()
}

/// Recorded passages whose text no longer stands where it was cited.
pub(crate) fn changed_passages(
    passages: &[RetrievedPassage],
    sources: &dyn Sources,
) -> Vec<Discrepancy> {
    let changed = passages.iter().enumerate().filter_map(|(i, found)| {
        let p = &found.passage;
        let document = sources.document(&p.source_id);
        let there = document.and_then(|text| text.get(p.bytes.clone()));
        (there != Some(p.text.as_str())).then(|| Discrepancy {
            place: format!("passage {} ({})", i + 1, p.source_id),
            path: format!(
                "document {} bytes {}..{}",
                p.source_id, p.bytes.start, p.bytes.end
            ),
            recorded: short(&p.text),
            recomputed: match (document, there) {
                (None, _) => "the document is not there".to_owned(),
                (_, None) => "the document does not reach there".to_owned(),
                (_, Some(text)) => short(text),
            },
        })
    });
    changed.collect()
}

/// The answer as it comes out now, or in a word how the run ends now where that gives none.
fn recompute(
    saved: &RecordedAnswer,
    sources: &dyn Sources,
    at_hand: AtHand<'_>,
    not_rechecked: &mut Vec<String>,
) -> Result<Result<SealedAnswer, &'static str>, Error> {
    let parts = &saved.parts;
    if parts.source_root.is_none() {
        not_rechecked.push("document roots: the run was made without them".to_owned());
    }
    let context = Context {
        settings: &parts.settings,
        model: &parts.model,
        sources: parts.source_root.is_some().then_some(sources),
        earlier: Earlier {
            predecessor: predecessor(saved),
            feedback: &parts.feedback,
            draft: parts.draft.as_deref(),
            reclassified: parts.reclassified.as_ref(),
        },
    };
    let opened = context.open(&parts.question)?;
    if opened.preflight.is_rejected() {
        return Ok(Ok(opened.reject()?));
    }
    let Some(found) = search_again(saved, &opened, at_hand.retriever, not_rechecked)? else {
        return Ok(Err("not rejected"));
    };
    if !found.grounded {
        return Ok(Ok(opened.decline(found.plan, found.report)?));
    }
    if parts.topology.is_some() {
        not_rechecked.push("topology: the graph is not at hand; taken as recorded".to_owned());
    }
    let prepared = opened.prepare(found.plan, found.report, parts.topology.clone())?;
    let agent = at_hand.agent.filter(|_| parts.reclassified.is_none());
    let written = match (agent, parts.written()) {
        (Some(agent), _) => {
            futures::executor::block_on(agent.complete(prepared.prompt.clone()))?.into()
        }
        (None, Some(written)) => {
            not_rechecked.push("the model's text: taken as recorded".to_owned());
            written
        }
        (None, None) => return Ok(Err("answered, and no model's text is recorded")),
    };
    Ok(Ok(prepared.finish(written)?))
}

/// The run that was asked, polished or verified again, if one was.
fn predecessor(saved: &RecordedAnswer) -> Option<RunRoot> {
    match saved
        .parts
        .run
        .stage(&StageKind::Question)
        .map(Stage::payload)
    {
        Some(StagePayload::Question(payload)) => payload.predecessor,
        _ => None,
    }
}

/// The retrieval plan that a run commits.
pub(crate) fn plan(run: &RunRecord) -> Option<&RetrievalPlan> {
    match run.stage(&StageKind::Retrieval)?.payload() {
        StagePayload::Retrieval(payload) => Some(&payload.plan),
        _ => None,
    }
}

/// What retrieval found, now or as recorded.
struct Found {
    plan: RetrievalPlan,
    report: RetrievalReport,
    grounded: bool,
}

fn search_again(
    saved: &RecordedAnswer,
    opened: &Opened<'_>,
    retriever: Option<&dyn Retriever>,
    not_rechecked: &mut Vec<String>,
) -> Result<Option<Found>, Error> {
    let parts = &saved.parts;
    let (Some(report), Some(committed)) = (&parts.retrieval, plan(&parts.run)) else {
        return Ok(None);
    };
    let as_recorded = || Found {
        plan: committed.clone(),
        report: report.clone(),
        grounded: parts.outcome == Outcome::Grounded,
    };
    if parts.reclassified.is_some() {
        let note = "retrieval: an earlier run's, with passages found since; taken as recorded";
        not_rechecked.push(note.to_owned());
        return Ok(Some(as_recorded()));
    }
    let Some(retriever) = retriever else {
        not_rechecked.push("retrieval: no retriever at hand; taken as recorded".to_owned());
        return Ok(Some(as_recorded()));
    };
    let here = retriever.fingerprint().model_id.as_str();
    let made = committed_embedder(saved).unwrap_or(here);
    if made != here {
        not_rechecked.push(format!(
            "retrieval: made with the embedder {made}, at hand is {here}; taken as recorded"
        ));
        return Ok(Some(as_recorded()));
    }
    let outcome = retriever.retrieve(&opened.preflight.question)?;
    Ok(Some(Found {
        plan: opened.plan(retriever)?,
        grounded: outcome.is_grounded(),
        report: RetrievalReport::new(outcome),
    }))
}

/// At most 120 characters of a text, for showing.
pub(crate) fn short(text: &str) -> String {
    const MOST: usize = 120;
    match text.char_indices().nth(MOST) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}
