//! What is read and what is written, a line each.

use std::collections::BTreeMap;
use std::path::Path;

use candor_examples::cli::Failure;
use claim_lattice::directives::Compliance;
use claim_lattice::{AnswerMode, VerifierMethod};
use grounded_answer::SealedAnswer;
use language_agents::FinishReason;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The three answer modes, in the order of the table.
pub(crate) const MODES: [AnswerMode; 3] =
    [AnswerMode::Pointer, AnswerMode::Json, AnswerMode::Quote];

/// A question of the set.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Question {
    pub(crate) id: String,
    pub(crate) question: String,
}

/// What an agent wrote once; no text where it was not asked (declined or rejected).
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(from = "Line")]
pub(crate) struct Recorded {
    pub(crate) id: String,
    pub(crate) mode: String,
    pub(crate) agent: String,
    pub(crate) text: Option<String>,
    /// Why the agent stopped.
    #[serde(default, skip_serializing_if = "said_all")]
    pub(crate) finish: FinishReason,
}

fn said_all(finish: &FinishReason) -> bool {
    *finish == FinishReason::Stop
}

/// A line of this program, or of the example `record`, which keeps each call of the agent.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Line {
    Calls {
        id: String,
        mode: String,
        calls: Vec<Call>,
    },
    Text {
        id: String,
        mode: String,
        agent: String,
        text: Option<String>,
        #[serde(default)]
        finish: FinishReason,
    },
}

#[derive(Debug, Deserialize)]
struct Call {
    completion: Completion,
}

#[derive(Debug, Deserialize)]
struct Completion {
    model_id: String,
    text: String,
    #[serde(default)]
    finish: FinishReason,
}

impl From<Line> for Recorded {
    fn from(line: Line) -> Self {
        match line {
            Line::Text {
                id,
                mode,
                agent,
                text,
                finish,
            } => Self {
                id,
                mode,
                agent,
                text,
                finish,
            },
            Line::Calls { id, mode, calls } => {
                let last = calls.into_iter().next_back().map(|call| call.completion);
                let finish = last.as_ref().map(|c| c.finish).unwrap_or_default();
                let (agent, text) = last.map(|c| (c.model_id, c.text)).unzip();
                let agent = agent.unwrap_or_else(|| "not asked".to_owned());
                // The digest of the file tells the model apart; the table names it.
                let agent = agent.split(' ').next().unwrap_or_default().to_owned();
                Self {
                    id,
                    mode,
                    agent,
                    text,
                    finish,
                }
            }
        }
    }
}

/// One run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Row {
    pub(crate) id: String,
    pub(crate) agent: String,
    pub(crate) repeat: u32,
    pub(crate) answer_mode: String,
    pub(crate) verifier_method: String,
    pub(crate) label: String,
    /// Whether an anchor class ran on any claim.
    pub(crate) warrant_fired: bool,
    pub(crate) quantifier_intensity: Value,
    pub(crate) quantifier_matched_token: Value,
    pub(crate) scope_bound_hint: Value,
    pub(crate) preflight_result: Value,
    pub(crate) preflight_question_shape: Value,
    pub(crate) logical_statuses: Vec<String>,
    /// Held or broken, by directive; one that has nothing to say is absent.
    pub(crate) directive_compliance: BTreeMap<String, bool>,
    pub(crate) run_dag_root: String,
}

impl Row {
    pub(crate) fn of(
        id: &str,
        agent: &str,
        repeat: u32,
        sealed: &SealedAnswer,
    ) -> Result<Self, Failure> {
        let report = sealed.directives()?;
        let applicable = report
            .iter()
            .filter(|(_, finding)| finding.compliance != Compliance::NotApplicable);
        let directive_compliance = applicable
            .map(|(directive, finding)| {
                let held = finding.compliance == Compliance::Held;
                (directive.wire_name().to_owned(), held)
            })
            .collect();
        let preflight = serde_json::to_value(&sealed.preflight)?;
        let quantifier = &preflight["classifier"]["quantifier"];
        let states = sealed.states.iter();
        Ok(Self {
            id: id.to_owned(),
            agent: agent.to_owned(),
            repeat,
            answer_mode: sealed.settings.mode.wire_name().to_owned(),
            verifier_method: sealed
                .verifier_method
                .map_or("none", VerifierMethod::wire_name)
                .to_owned(),
            label: sealed.label.clone(),
            warrant_fired: sealed.claims.iter().any(|claim| claim.warrant_fired),
            quantifier_intensity: quantifier["quantifier_intensity"].clone(),
            quantifier_matched_token: quantifier["quantifier_matched_token"].clone(),
            scope_bound_hint: quantifier["scope_bound_hint"].clone(),
            preflight_result: preflight["answer_contract"]["preflight_result"].clone(),
            preflight_question_shape: preflight["classifier"]["preflight_question_shape"].clone(),
            logical_statuses: states.map(|s| s.replace(' ', "_")).collect(),
            directive_compliance,
            run_dag_root: sealed.run_dag_root.to_string(),
        })
    }
}

/// Reads JSON lines; a line that does not read is named.
pub(crate) fn read<T: DeserializeOwned>(file: &Path) -> Result<Vec<T>, Failure> {
    let text = std::fs::read_to_string(file).map_err(|e| format!("{}: {e}", file.display()))?;
    let lines = text.lines().enumerate();
    let filled = lines.filter(|(_, line)| !line.trim().is_empty());
    filled
        .map(|(i, line)| {
            serde_json::from_str(line)
                .map_err(|e| format!("{}, line {}: {e}", file.display(), i + 1).into())
        })
        .collect()
}
