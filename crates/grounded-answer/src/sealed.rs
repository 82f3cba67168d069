//! What comes out: an answer with its evidence, its label and its sealed run.

use std::ops::Range;

use claim_lattice::preflight::Preflight;
use claim_lattice::{
    AnchorClass, AuditMode, ClaimVerdict, CoverageReport, EvidenceEntry, ParseNote, RenderedClaim,
    RenderedPassage, VerifierMethod, Violation,
};
use geodesic_retriever::{DeclineReason, RetrievalFigures, RetrievalOutcome, RetrievedPassage};
use kappa_topology::Topology;
use run_dag::{ModelProfile, RunRecord, RunRoot, SourceRoot};
use serde::{Deserialize, Serialize};
use wisdom_score::Report;

use crate::{Error, Reclassification, Settings};

/// The version of the sealed answer's JSON.
pub const SCHEMA_VERSION: &str = "candor-sealed-answer-1";

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Outcome {
    /// The gate let the question through and the agent answered; the label says what was checked.
    Grounded,
    /// Nothing near enough was found.
    Declined,
    /// The question was refused before retrieval.
    Rejected,
}

/// A literal passage under a claim.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SealedPassage {
    /// The pointer by which the claim cites it.
    pub pointer: String,
    /// The document.
    pub source: String,
    /// The document's title.
    pub title: String,
    /// What stands there, literally.
    pub text: String,
    /// Where it stands within the cited evidence, in bytes.
    pub bytes: Range<usize>,
}

/// A claim of the answer and what the verifier found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SealedClaim {
    /// The claim without its pointers.
    pub text: String,
    /// What it cites.
    pub pointers: Vec<String>,
    /// Whether what it cites bears it, as far as was checked.
    pub supported: bool,
    /// Whether an anchor class ran on it.
    pub warrant_fired: bool,
    /// The anchor classes that ran.
    pub warrant_classes: Vec<AnchorClass>,
    /// How much of it the cited text holds.
    pub coverage: CoverageReport,
    /// What was wrong with it.
    pub violations: Vec<Violation>,
    /// What it cites, literally.
    pub passages: Vec<SealedPassage>,
    /// The frame under which it is shown, where the question has several.
    pub frame: Option<String>,
}

impl SealedClaim {
    /// A claim as the verifier judged it, with what it cites as it was rendered; under no frame.
    #[must_use]
    pub fn new(claim: &ClaimVerdict, rendered: &RenderedClaim) -> Self {
        let passage = |p: &RenderedPassage| SealedPassage {
            pointer: p.pointer.clone(),
            source: p.source_id.clone(),
            title: p.title.clone(),
            text: p.text.clone(),
            bytes: p.bytes.clone(),
        };
        Self {
            text: claim.text().to_owned(),
            pointers: claim.pointers().to_vec(),
            supported: claim.supported(),
            warrant_fired: claim.warrant_fired(),
            warrant_classes: claim.warrant_classes().to_vec(),
            coverage: claim.coverage(),
            violations: claim.violations().to_vec(),
            passages: rendered.passages.iter().map(passage).collect(),
            frame: None,
        }
    }
}

/// What retrieval did, with every figure (similarities rounded to 6 decimals).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RetrievalReport {
    /// Why the question was declined, in words.
    pub declined: Option<String>,
    /// The same, typed.
    pub reason: Option<DeclineReason>,
    /// The figures behind the decision.
    pub figures: RetrievalFigures,
    /// The passages found: the prompt window, or what was nearest all the same.
    pub passages: Vec<RetrievedPassage>,
}

impl RetrievalReport {
    /// The report of an outcome.
    #[must_use]
    pub fn new(outcome: RetrievalOutcome) -> Self {
        let (declined, reason, passages, figures) = match outcome {
            RetrievalOutcome::Grounded { passages, figures } => (None, None, passages, figures),
            RetrievalOutcome::Declined {
                reason,
                nearest,
                figures,
            } => (
                Some(reason.to_string()),
                Some(rounded_reason(reason)),
                nearest,
                figures,
            ),
        };
        Self {
            declined,
            reason,
            figures: rounded_figures(figures),
            passages: passages.into_iter().map(rounded_passage).collect(),
        }
    }
}

/// Rounds for display: half away from zero at 6 decimals.
#[must_use]
pub(crate) fn round6(value: f64) -> f64 {
    // `f64::round` goes half away from zero.
    (value * 1e6).round() / 1e6
}

fn rounded_passage(mut passage: RetrievedPassage) -> RetrievedPassage {
    passage.query_sim = round6(passage.query_sim);
    passage.cosine = round6(passage.cosine);
    passage
}

fn rounded_reason(reason: DeclineReason) -> DeclineReason {
    match reason {
        DeclineReason::BelowThreshold { best, threshold } => DeclineReason::BelowThreshold {
            best: round6(best),
            threshold: round6(threshold),
        },
        other => other,
    }
}

fn rounded_figures(mut figures: RetrievalFigures) -> RetrievalFigures {
    figures.best_query_sim = figures.best_query_sim.map(round6);
    figures.floor = round6(figures.floor);
    figures.threshold = round6(figures.threshold);
    for label in &mut figures.amplitudes {
        label.amplitude = round6(label.amplitude);
    }
    figures
}

/// A question's answer, sealed.
///
/// Serializes and does not deserialize: what is read back is a
/// [`RecordedAnswer`](crate::RecordedAnswer) until it has been verified again.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SealedAnswer {
    /// [`SCHEMA_VERSION`].
    pub schema_version: String,
    /// How the run ended.
    pub outcome: Outcome,
    /// The question as asked.
    pub question: String,
    /// The label: what was checked, never more.
    pub label: String,
    /// The label with how it came about and what else should be known.
    pub audit_line: String,
    /// The answer as it is shown.
    pub answer: String,
    /// The claims in it.
    pub claims: Vec<SealedClaim>,
    /// Violations of the answer as a whole.
    pub violations: Vec<Violation>,
    /// What the parser noted.
    pub notes: Vec<ParseNote>,
    /// The verdict in one word; none where nothing was verified.
    pub audit_mode: Option<AuditMode>,
    /// How it was verified.
    pub verifier_method: Option<VerifierMethod>,
    /// What was decided before retrieval.
    pub preflight: Preflight,
    /// The findings of the detectors, those of after retrieval included, in words.
    pub states: Vec<String>,
    /// What retrieval did.
    pub retrieval: Option<RetrievalReport>,
    /// κ of the retrieved part of the graph, where a graph was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topology: Option<Topology<String>>,
    /// The passages that the model could cite.
    pub evidence: Vec<EvidenceEntry>,
    /// The model's text as it came.
    pub raw_answer: Option<String>,
    /// Whether the model was cut off, by its cap of tokens or by a filter: what it did not finish is
    /// not read.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub broke_off: bool,
    /// What the model was told about its previous answer, where this run asks again.
    pub feedback: Vec<String>,
    /// The draft that the model was given to polish, where this run is a second pass.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub draft: Option<String>,
    /// What was found for the failed claims of an earlier run, where this run verifies it again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reclassified: Option<Reclassification>,
    /// Root over all documents that were searched, where it is known.
    pub source_root: Option<SourceRoot>,
    /// The scores of the answer, where it cites codes of the ontology.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wisdom: Option<Report>,
    /// The model.
    pub model: ModelProfile,
    /// What the caller decided.
    pub settings: Settings,
    /// The run.
    pub run: RunRecord,
    /// Its root.
    pub run_dag_root: RunRoot,
}

impl SealedAnswer {
    /// The label's place on its ladder, from 0 (nothing borne out) upwards; what may only climb
    /// when sources grow. A partial label stands below the whole one of the same rung.
    #[must_use]
    pub fn rung(&self) -> u32 {
        const LADDER: [&str; 5] = [
            "POINTER-LINKED",
            "ANCHOR-WARRANTED",
            "EVIDENCE-WARRANTED",
            "HYBRID",
            "STRICT",
        ];
        let (name, whole) = match self.label.strip_suffix("-PARTIAL") {
            Some(name) => (name, 0),
            None => (self.label.as_str(), 1),
        };
        let place = LADDER.iter().position(|rung| *rung == name);
        place.map_or(0, |place| {
            u32::try_from(2 * place)
                .unwrap_or(u32::MAX)
                .saturating_add(1 + whole)
        })
    }

    /// The answer as one line of canonical JSON (RFC 8785): what is saved and compared.
    ///
    /// # Errors
    /// [`Error::Recorded`] if it cannot be written, which nothing in it gives cause for.
    pub fn to_canonical_json(&self) -> Result<String, Error> {
        serde_json_canonicalizer::to_string(self).map_err(|e| Error::Recorded(e.to_string()))
    }
}
