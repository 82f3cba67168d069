//! What a caller decides for a run, and its hash.

use claim_lattice::preflight::{CivilDate, Preflight, PreflightPolicy};
use claim_lattice::{AnswerMode, DEFAULT_CHAR_BUDGET, Language, Policy};
use run_dag::{Clause, GovernancePolicy, Value, clause};
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::prompt::Escope;
use crate::reprompt::Reprompt;

/// Everything that a caller decides for a run and that can change its answer or its label.
///
/// Travels with the sealed answer, so that an auditor can recompute the run; its hash
/// ([`governance`](Self::governance)) is committed by the preflight stage and partitions the cache.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// How the model is to cite.
    pub mode: AnswerMode,
    /// The verifier's switches.
    pub policy: Policy,
    /// Whether the word lists follow the language of the question (English or Catalan) instead of
    /// the policy's.
    pub language_of_question: bool,
    /// The switches of preflight.
    pub preflight: PreflightPolicy,
    /// The most characters of evidence that the model is shown.
    pub char_budget: usize,
    /// The most tokens that the model may write.
    pub max_tokens: u32,
    /// Whether an argued answer is asked for, and how dense.
    pub dialectical: Option<Escope>,
    /// When an argued answer is asked for again. Default: never, one shot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reprompt: Option<Reprompt>,
    /// Whether the model polishes its argued answer in a second pass.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub two_pass: bool,
    /// Up to when the corpus reports, where that is known.
    pub corpus_as_of: Option<CivilDate>,
    /// When the question is asked: from the caller's clock, or unknown.
    pub asked_on: Option<CivilDate>,
}

impl Default for Settings {
    /// Pointer mode under [`Policy::strict`].
    fn default() -> Self {
        Self {
            mode: AnswerMode::Pointer,
            policy: Policy::strict(),
            language_of_question: true,
            preflight: PreflightPolicy::default(),
            char_budget: DEFAULT_CHAR_BUDGET,
            max_tokens: language_agents::Prompt::DEFAULT_MAX_TOKENS,
            dialectical: None,
            reprompt: None,
            two_pass: false,
            corpus_as_of: None,
            asked_on: None,
        }
    }
}

impl Settings {
    /// The verifier's policy for a question: its language and its cap on claims applied.
    pub(crate) fn policy_for(&self, seen: &Preflight) -> Policy {
        let mut policy = self.policy.clone();
        if self.language_of_question && seen.classifier.language == "catalan" {
            policy.language = Language::Catalan;
        }
        if let Some(cap) = seen.answer_contract.max_claims {
            policy.max_claims = policy.max_claims.min(cap);
        }
        policy
    }

    /// The governance policy that run-dag hashes.
    ///
    /// Both structures are taken apart field by field: a new switch does not compile until it has
    /// been given a place in the hash.
    ///
    /// # Errors
    /// [`Error::Run`] if a switch has no exact form, which none has.
    pub fn governance(&self) -> Result<GovernancePolicy, Error> {
        let Self {
            mode,
            policy,
            language_of_question,
            preflight,
            char_budget,
            max_tokens,
            dialectical,
            reprompt,
            two_pass,
            // When a question is asked and how old the corpus is are facts, not policy; the
            // preflight stage commits them where they decide.
            corpus_as_of: _,
            asked_on: _,
        } = self;
        let Policy {
            parse,
            language,
            allowed_roles,
            tolerate_unknown_pointers,
            coverage_percent,
            coverage_in_window,
            window_sentences,
            few_tokens,
            pointer_cap,
            gate_by_question,
            anchors,
            subject_tokens_missing,
            max_claims,
            lazy_anchor_points,
            detail_percent,
            format_collapsed_lines,
            prose,
            verb_weight,
            gap_words,
        } = policy;
        let mut switches = Clause::new();
        let mut put = |name: &str, value: &dyn erased::Exact| -> Result<(), Error> {
            switches.insert(name.to_owned(), value.exact()?);
            Ok(())
        };
        put("mode", mode)?;
        put("language_of_question", language_of_question)?;
        put("preflight", preflight)?;
        put("char_budget", char_budget)?;
        put("max_tokens", max_tokens)?;
        put("dialectical", dialectical)?;
        // Absent where they are off, so that hashes made before there were these switches stand.
        if let Some(reprompt) = reprompt {
            put("reprompt", reprompt)?;
        }
        if *two_pass {
            put("two_pass", two_pass)?;
        }
        put("parse", parse)?;
        put("language", language)?;
        put("allowed_roles", allowed_roles)?;
        put("tolerate_unknown_pointers", tolerate_unknown_pointers)?;
        put("coverage_percent", coverage_percent)?;
        put("coverage_in_window", coverage_in_window)?;
        put("window_sentences", window_sentences)?;
        put("few_tokens", few_tokens)?;
        put("pointer_cap", pointer_cap)?;
        put("gate_by_question", gate_by_question)?;
        put("anchors", anchors)?;
        put("subject_tokens_missing", subject_tokens_missing)?;
        put("max_claims", max_claims)?;
        put("lazy_anchor_points", lazy_anchor_points)?;
        put("detail_percent", detail_percent)?;
        put("format_collapsed_lines", format_collapsed_lines)?;
        put("prose", prose)?;
        put("verb_weight", verb_weight)?;
        put("gap_words", gap_words)?;
        let name = if *policy == Policy::strict() {
            "strict"
        } else if *policy == Policy::seed() {
            "seed"
        } else {
            "custom"
        };
        Ok(GovernancePolicy {
            name: name.to_owned(),
            switches,
        })
    }
}

mod erased {
    //! Serializable values whose committed form is taken without naming their type.
    use run_dag::Value;

    use crate::Error;

    pub(super) trait Exact {
        fn exact(&self) -> Result<Value, Error>;
    }

    impl<T: serde::Serialize> Exact for T {
        fn exact(&self) -> Result<Value, Error> {
            Ok(Value::from_serialize(self)?)
        }
    }
}

/// The committed form of a value that serializes to an object.
pub(crate) fn exact_clause<T: Serialize>(value: &T) -> Result<Clause, Error> {
    Ok(clause(value)?)
}

/// The committed form of a value.
pub(crate) fn exact<T: Serialize>(value: &T) -> Result<Value, Error> {
    Ok(Value::from_serialize(value)?)
}
