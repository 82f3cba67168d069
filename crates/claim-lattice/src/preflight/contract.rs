//! The five clauses of preflight: what is agreed on before retrieval.

use serde::{Deserialize, Serialize};

use super::contradiction::contradiction;
use super::corpus::{CivilDate, CorpusInfo, EvidenceView};
use super::frames::{FrameReading, frames};
use super::guard::{
    GuardDecisions, GuardOutcome, GuardPolicy, GuardResult, GuardSwitches, Levels, guard,
    take_markers,
};
use super::lexicon::{Lexicon, choose_language};
use super::premise::{false_premise, out_of_corpus, subject_tokens};
use super::quantifier::{QuantifierReading, classify};
use super::question::Question;
use super::shape::{QuestionShape, shape_of};
use super::state::QuestionState;
use super::temporal::stale_risk;
use crate::parse::AnswerMode;

/// Which detectors run. All do by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default)]
pub struct MetacognitionPolicy {
    /// Stale risk, before retrieval.
    pub stale_risk: bool,
    /// Contradiction, before retrieval.
    pub contradiction: bool,
    /// Reference frames, before retrieval.
    pub frames: bool,
    /// False premise, after retrieval.
    pub false_premise: bool,
    /// Out of corpus, after retrieval.
    pub out_of_corpus: bool,
    /// Whether a question that contradicts itself is rejected. Off by default.
    pub block_on_contradiction: bool,
}

impl Default for MetacognitionPolicy {
    fn default() -> Self {
        Self {
            stale_risk: true,
            contradiction: true,
            frames: true,
            false_premise: true,
            out_of_corpus: true,
            block_on_contradiction: false,
        }
    }
}

/// All switches of preflight that can change a run.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct PreflightPolicy {
    /// The guard against broad questions.
    pub guard: GuardPolicy,
    /// The detectors.
    pub metacognition: MetacognitionPolicy,
}

/// Hashes of what governs the run, as lower-case hexadecimal digits; made elsewhere.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PolicyRefs {
    /// Hash of the governance policy.
    pub governance_policy_hash: Option<String>,
    /// Hash of the model profile.
    pub model_profile_hash: Option<String>,
}

/// What one call adds to the policy.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct CallOptions {
    /// The answer mode.
    pub mode: AnswerMode,
    /// Switches of the level `process_default`.
    pub process_default: GuardSwitches,
    /// Switches of the level `call`.
    pub call: GuardSwitches,
    /// Hashes to be bound with the other clauses.
    pub policy_refs: PolicyRefs,
}

/// Clause 1: what was read from the question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClassifierClause {
    /// The language whose word lists were used.
    pub language: String,
    /// The question's shape.
    pub preflight_question_shape: QuestionShape,
    /// Its quantifier and bounds.
    pub quantifier: QuantifierReading,
    /// The findings of the detectors; those of after retrieval are empty here.
    pub state: QuestionState,
    /// Markers that were taken off the question.
    pub markers: Vec<String>,
}

/// Why a question is not asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RejectReason {
    /// It asks for too much.
    TooBroad,
    /// It asserts p and not p, and the policy blocks on that.
    Contradictory,
}

/// Clause 2: what the answer may be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerContract {
    /// The answer mode.
    pub answer_mode: AnswerMode,
    /// The strongest thing that the guard did.
    pub preflight_result: GuardResult,
    /// Why the question is not asked.
    pub reject_reason: Option<RejectReason>,
    /// The most claims that the answer may make, where that is capped.
    pub max_claims: Option<u32>,
    /// Whether the rendering groups the claims by frame.
    pub group_by_frame: bool,
    /// Which level decided on each action of the guard.
    pub decisions: GuardDecisions,
}

/// Clause 3: what is added to the prompt, in the question's language.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PromptContract {
    /// The reminder for a broad question.
    pub reminder: Option<String>,
    /// The cap in words.
    pub cap: Option<String>,
    /// The frames of the question's name.
    pub frame_preamble: Option<String>,
    /// The remark on stale risk.
    pub stale: Option<String>,
}

impl PromptContract {
    /// The additions in the order of the prompt.
    pub fn lines(&self) -> impl Iterator<Item = &str> {
        [&self.frame_preamble, &self.reminder, &self.cap, &self.stale]
            .into_iter()
            .filter_map(|line| line.as_deref())
    }
}

/// Clause 4: what the evidence will be held against.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EvidenceContract {
    /// Up to when the corpus reports.
    pub corpus_as_of: Option<CivilDate>,
    /// When the question was asked, where that is known.
    pub asked_on: Option<CivilDate>,
    /// Stems of what the question is about.
    pub subject_tokens: Vec<String>,
    /// Whether the false-premise detector runs after retrieval.
    pub checks_false_premise: bool,
    /// Whether the out-of-corpus detector runs after retrieval.
    pub checks_out_of_corpus: bool,
}

/// What is decided before retrieval, in five clauses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Preflight {
    /// What was read from the question.
    pub classifier: ClassifierClause,
    /// What the answer may be.
    pub answer_contract: AnswerContract,
    /// What is added to the prompt.
    pub prompt_contract: PromptContract,
    /// What the evidence will be held against.
    pub evidence_contract: EvidenceContract,
    /// Hashes of what governs the run.
    pub policy_refs: PolicyRefs,
    /// The question without its markers: what is asked, and what all spans refer to. It is
    /// committed by the question stage, so it is not part of the clauses on the wire.
    #[serde(skip)]
    pub question: String,
}

impl Preflight {
    /// Whether the question is not asked: the run ends here, with three stages.
    #[must_use]
    pub fn is_rejected(&self) -> bool {
        self.answer_contract.preflight_result == GuardResult::Reject
    }
}

/// Decides what can be decided before retrieval.
///
/// The language is the one whose function words the question has most of. Linear in the length
/// of the question and of the corpus' titles.
#[must_use]
pub fn preflight(
    question: &str,
    languages: &[&Lexicon],
    policy: &PreflightPolicy,
    corpus: &CorpusInfo<'_>,
    options: &CallOptions,
) -> Preflight {
    let (asked, marked, markers) = take_markers(question);
    let none = Lexicon::default();
    let lexicon = choose_language(asked, languages).unwrap_or(&none);
    let question = Question::new(asked, lexicon);
    let classifier = ClassifierClause {
        language: lexicon.name().to_owned(),
        preflight_question_shape: shape_of(&question),
        quantifier: classify(&question),
        state: state_before(&question, &policy.metacognition, corpus),
        markers,
    };
    let decisions = levels(policy, options, &classifier, marked).decisions();
    let outcome = guard(classifier.quantifier.demand, &policy.guard, &decisions);
    let answer_contract = answer_contract(&classifier, policy, options, decisions, outcome);
    let rejected = answer_contract.preflight_result == GuardResult::Reject;
    Preflight {
        prompt_contract: if rejected {
            PromptContract::default()
        } else {
            prompt_contract(&classifier, outcome, lexicon)
        },
        evidence_contract: EvidenceContract {
            corpus_as_of: corpus.as_of,
            asked_on: corpus.asked_on,
            subject_tokens: subject_tokens(&question),
            checks_false_premise: policy.metacognition.false_premise,
            checks_out_of_corpus: policy.metacognition.out_of_corpus,
        },
        classifier,
        answer_contract,
        policy_refs: options.policy_refs.clone(),
        question: asked.to_owned(),
    }
}

fn state_before(
    question: &Question<'_>,
    policy: &MetacognitionPolicy,
    corpus: &CorpusInfo<'_>,
) -> QuestionState {
    QuestionState {
        stale_risk: policy
            .stale_risk
            .then(|| stale_risk(question, corpus))
            .flatten(),
        contradiction: policy
            .contradiction
            .then(|| contradiction(question))
            .flatten(),
        frames: if policy.frames {
            frames(question, corpus)
        } else {
            FrameReading::default()
        },
        ..QuestionState::default()
    }
}

fn levels(
    policy: &PreflightPolicy,
    options: &CallOptions,
    classifier: &ClassifierClause,
    marked: GuardSwitches,
) -> Levels {
    let by_mode = policy.guard.by_mode.get(&options.mode);
    let by_shape = policy
        .guard
        .by_shape
        .get(&classifier.preflight_question_shape);
    let marked = if policy.guard.obey_question_markers {
        marked
    } else {
        GuardSwitches::INHERIT
    };
    Levels {
        switches: [
            options.process_default,
            policy.guard.switches,
            by_mode.copied().unwrap_or_default(),
            by_shape.copied().unwrap_or_default(),
            marked,
            options.call,
        ],
        lattice_mode: options.mode.is_lattice(),
    }
}

fn answer_contract(
    classifier: &ClassifierClause,
    policy: &PreflightPolicy,
    options: &CallOptions,
    decisions: GuardDecisions,
    outcome: GuardOutcome,
) -> AnswerContract {
    let blocked =
        policy.metacognition.block_on_contradiction && classifier.state.contradiction.is_some();
    let reject_reason = match (outcome.result, blocked) {
        (GuardResult::Reject, _) => Some(RejectReason::TooBroad),
        (_, true) => Some(RejectReason::Contradictory),
        _ => None,
    };
    let rejected = reject_reason.is_some();
    AnswerContract {
        answer_mode: options.mode,
        preflight_result: if rejected {
            GuardResult::Reject
        } else {
            outcome.result
        },
        reject_reason,
        max_claims: if rejected { None } else { outcome.max_claims },
        group_by_frame: classifier.state.frames.has_several(),
        decisions,
    }
}

fn prompt_contract(
    classifier: &ClassifierClause,
    outcome: GuardOutcome,
    lexicon: &Lexicon,
) -> PromptContract {
    PromptContract {
        reminder: outcome
            .remind
            .then(|| reminder(&classifier.quantifier, lexicon)),
        cap: outcome
            .max_claims
            .map(|max| lexicon.template("cap").replace("{max}", &max.to_string())),
        frame_preamble: preamble(&classifier.state.frames, lexicon),
        stale: classifier
            .state
            .stale_risk
            .is_some()
            .then(|| lexicon.template("stale").to_owned()),
    }
}

fn reminder(quantifier: &QuantifierReading, lexicon: &Lexicon) -> String {
    let token = quantifier
        .quantifier_matched_token
        .as_deref()
        .unwrap_or_default();
    match quantifier.scope_bound_hint.first() {
        Some(bound) => lexicon
            .template("reminder_bound")
            .replace("{token}", token)
            .replace("{bound}", &bound.text),
        None => lexicon.template("reminder").replace("{token}", token),
    }
}

fn preamble(reading: &FrameReading, lexicon: &Lexicon) -> Option<String> {
    if !reading.has_several() {
        return None;
    }
    let name = reading.name.as_deref().unwrap_or_default();
    let mut text = lexicon.template("preamble").replace("{name}", name);
    for frame in &reading.frames {
        text.push_str("\n- ");
        text.push_str(&frame.words(lexicon));
    }
    Some(text)
}

/// Adds what can only be decided once the passages are known: false premise and out of corpus.
///
/// `seen` is what [`preflight`] returned for the same question. Linear in the passages.
#[must_use]
pub fn after_retrieval(
    seen: &Preflight,
    languages: &[&Lexicon],
    evidence: &[EvidenceView<'_>],
) -> QuestionState {
    let none = Lexicon::default();
    let named = languages
        .iter()
        .find(|l| l.name() == seen.classifier.language);
    let question = Question::new(&seen.question, named.copied().unwrap_or(&none));
    let mut state = seen.classifier.state.clone();
    let contract = &seen.evidence_contract;
    state.out_of_corpus = contract
        .checks_out_of_corpus
        .then(|| out_of_corpus(&question, evidence))
        .flatten();
    state.false_premise = (contract.checks_false_premise && state.out_of_corpus.is_none())
        .then(|| false_premise(&question, evidence))
        .flatten();
    state
}
