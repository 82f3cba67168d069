//! What is read back from disk: recorded, until it has been verified again.

use geodesic_retriever::{RetrievalFigures, RetrievedPassage};
use run_dag::{ModelProfile, RunRecord, RunRoot, SourceRoot};
use serde::Deserialize;
use serde_json::Value;

use crate::sealed::{Outcome, RetrievalReport, SCHEMA_VERSION};
use crate::written::Written;
use crate::{Error, Reclassification, Settings};

/// A sealed answer as it was saved. Nothing in it is to be trusted until
/// [`verify`](crate::verify) has recomputed it.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedAnswer {
    pub(crate) whole: Value,
    pub(crate) parts: Parts,
}

/// The parts from which the rest is recomputed. What is not here is output.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(crate) struct Parts {
    pub(crate) outcome: Outcome,
    pub(crate) question: String,
    pub(crate) label: String,
    pub(crate) audit_line: String,
    pub(crate) answer: String,
    pub(crate) retrieval: Option<RetrievalReport>,
    #[serde(default)]
    pub(crate) topology: Option<kappa_topology::Topology<String>>,
    pub(crate) raw_answer: Option<String>,
    #[serde(default)]
    pub(crate) broke_off: bool,
    pub(crate) feedback: Vec<String>,
    #[serde(default)]
    pub(crate) draft: Option<String>,
    #[serde(default)]
    pub(crate) reclassified: Option<Reclassification>,
    pub(crate) source_root: Option<SourceRoot>,
    pub(crate) model: ModelProfile,
    pub(crate) settings: Settings,
    pub(crate) run: RunRecord,
    pub(crate) run_dag_root: RunRoot,
}

impl Parts {
    /// What the model is said to have written.
    pub(crate) fn written(&self) -> Option<Written> {
        let text = self.raw_answer.clone()?;
        Some(Written {
            text,
            broke_off: self.broke_off,
        })
    }
}

impl RecordedAnswer {
    /// Reads one line of canonical JSON, as [`to_canonical_json`] writes it (a line feed at the end
    /// is taken).
    ///
    /// [`to_canonical_json`]: crate::SealedAnswer::to_canonical_json
    ///
    /// # Errors
    /// [`Error::Recorded`] if it is not JSON, not canonical (another spelling of the same value is
    /// another file), of another version, or lacks a part; the run record's own refusals say which
    /// stage they are about.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        let refused = |what: String| Error::Recorded(what);
        let line = text.strip_suffix('\n').unwrap_or(text);
        let whole: Value =
            serde_json::from_str(line).map_err(|e| refused(format!("not JSON: {e}")))?;
        let canonical = serde_json_canonicalizer::to_string(&whole)
            .map_err(|e| refused(format!("no canonical form: {e}")))?;
        if canonical != line {
            let at = canonical
                .bytes()
                .zip(line.bytes())
                .take_while(|(a, b)| a == b)
                .count();
            return Err(refused(format!(
                "byte {at} is not what canonical JSON has there; the file was changed since it was saved"
            )));
        }
        let version = whole.get("schema_version").and_then(Value::as_str);
        if version != Some(SCHEMA_VERSION) {
            let found = version
                .unwrap_or("none")
                .chars()
                .take(80)
                .collect::<String>();
            return Err(refused(format!(
                "schema version {found:?}; {SCHEMA_VERSION:?} is read"
            )));
        }
        let parts = Parts::deserialize(&whole)
            .map_err(|e| refused(format!("a part does not read: {e}")))?;
        Ok(Self { whole, parts })
    }

    /// The question as it was asked.
    #[must_use]
    pub fn question(&self) -> &str {
        &self.parts.question
    }

    /// How the run is said to have ended.
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        self.parts.outcome
    }

    /// The label that was recorded.
    #[must_use]
    pub fn label(&self) -> &str {
        &self.parts.label
    }

    /// The audit line that was recorded.
    #[must_use]
    pub fn audit_line(&self) -> &str {
        &self.parts.audit_line
    }

    /// The answer that was recorded.
    #[must_use]
    pub fn answer(&self) -> &str {
        &self.parts.answer
    }

    /// The settings that were recorded.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.parts.settings
    }

    /// The model that was recorded.
    #[must_use]
    pub fn model(&self) -> &ModelProfile {
        &self.parts.model
    }

    /// The run that was recorded.
    #[must_use]
    pub fn run(&self) -> &RunRecord {
        &self.parts.run
    }

    /// The root that was recorded.
    #[must_use]
    pub fn run_dag_root(&self) -> RunRoot {
        self.parts.run_dag_root
    }

    /// The passages that were recorded, cited or not.
    #[must_use]
    pub fn passages(&self) -> &[RetrievedPassage] {
        self.parts.retrieval.as_ref().map_or(&[], |r| &r.passages)
    }

    /// The retrieval figures that were recorded.
    #[must_use]
    pub fn figures(&self) -> Option<&RetrievalFigures> {
        self.parts.retrieval.as_ref().map(|r| &r.figures)
    }
}
