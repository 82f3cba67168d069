//! The run as a pure function: from what was asked, found and written to the sealed answer.
//!
//! Asking and verifying share these steps. Asking gets passages from a retriever and text from an
//! agent; verifying takes both as recorded; what follows is the same code, so that a sealed answer
//! recomputes or says where it does not.
//!
//! Here a run is opened, refused or declined; [`grounded`] finishes one that was answered, and
//! [`payloads`] is the form in which its parts are committed.

mod grounded;
mod payloads;

use std::collections::BTreeMap;

use claim_lattice::preflight::{
    CallOptions, CorpusInfo, EvidenceView, Lexicon, Preflight, QuestionState, after_retrieval,
    preflight,
};
use claim_lattice::{EvidenceMap, Location, Passage, Policy, Pushed, SourceRole};
use geodesic_retriever::{RetrievedPassage, Retriever};
use kappa_topology::Topology;
use run_dag::{
    BytesDigest, Clause, FinalLabelPayload, Gate, ModelProfile, PreflightPayload, QuestionPayload,
    RetrievalPayload, RetrievalPlan, RunBuilder, RunRoot, SafeInt, Shape, SourceRoot,
    SourceSummary,
};

use crate::prompt::{self, Parts, classify};
use crate::reclassify::Reclassification;
use crate::sealed::{Outcome, RetrievalReport, SCHEMA_VERSION, SealedAnswer};
use crate::settings::{exact, exact_clause};
use crate::sources::Sources;
use crate::{Error, Settings};
use payloads::micros;

/// The label of a run whose question was refused before retrieval.
pub const REJECTED: &str = "REJECTED";
/// The label of a run for which nothing near enough was found.
pub const DECLINED: &str = "DECLINED";

/// What a run is made under.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    pub(crate) settings: &'a Settings,
    pub(crate) model: &'a ModelProfile,
    pub(crate) sources: Option<&'a dyn Sources>,
    pub(crate) earlier: Earlier<'a>,
}

/// What a run owes to an earlier one.
#[derive(Clone, Copy, Default)]
pub(crate) struct Earlier<'a> {
    /// The run that this one asks again, polishes or verifies again.
    pub(crate) predecessor: Option<RunRoot>,
    /// What was wrong with its answer.
    pub(crate) feedback: &'a [String],
    /// Its answer, to be polished.
    pub(crate) draft: Option<&'a str>,
    /// What was found for its failed claims; no model is asked then.
    pub(crate) reclassified: Option<&'a Reclassification>,
}

/// A run after preflight.
pub(crate) struct Opened<'a> {
    context: Context<'a>,
    question: QuestionPayload,
    pub(crate) preflight: Preflight,
    payload: PreflightPayload,
    policy: Policy,
}

/// The evidence of a run.
struct Maps {
    /// What the model was shown, where that is not the whole.
    offered: Option<EvidenceMap>,
    whole: EvidenceMap,
    pointers: Vec<Option<String>>,
}

/// A run after retrieval, ready for the model.
pub(crate) struct Prepared<'a> {
    opened: Opened<'a>,
    retrieval: RetrievalReport,
    retrieval_payload: RetrievalPayload,
    state: QuestionState,
    topology: Option<Topology<String>>,
    evidence: EvidenceMap,
    /// The pointer of each passage, where the map has it.
    pointers: Vec<Option<String>>,
    pub(crate) prompt: language_agents::Prompt,
}

impl<'a> Context<'a> {
    /// Preflight.
    pub(crate) fn open(self, question: &str) -> Result<Opened<'a>, Error> {
        let titles = self.sources.map(Sources::titles).unwrap_or_default();
        let corpus = CorpusInfo {
            as_of: self.settings.corpus_as_of,
            asked_on: self.settings.asked_on,
            titles: &titles,
        };
        let call = CallOptions {
            mode: self.settings.mode,
            ..CallOptions::default()
        };
        let mut seen = preflight(
            question,
            &Lexicon::built_in(),
            &self.settings.preflight,
            &corpus,
            &call,
        );
        let refs = run_dag::PolicyRefs {
            governance_policy_hash: self.settings.governance()?.hash()?,
            model_profile_hash: self.model.hash()?,
        };
        seen.policy_refs.governance_policy_hash = Some(refs.governance_policy_hash.to_string());
        seen.policy_refs.model_profile_hash = Some(refs.model_profile_hash.to_string());
        let payload = PreflightPayload {
            classifier: exact_clause(&seen.classifier)?,
            answer_contract: exact_clause(&seen.answer_contract)?,
            prompt_contract: exact_clause(&seen.prompt_contract)?,
            evidence_contract: exact_clause(&seen.evidence_contract)?,
            policy_refs: refs,
        };
        let policy = self.settings.policy_for(&seen);
        let mut stage = QuestionPayload::new(question);
        if let Some(root) = self.earlier.predecessor {
            stage = stage.after(root);
        }
        Ok(Opened {
            context: self,
            question: stage,
            preflight: seen,
            payload,
            policy,
        })
    }
}

impl<'a> Opened<'a> {
    /// The run of a question that preflight refused.
    pub(crate) fn reject(self) -> Result<SealedAnswer, Error> {
        let reason = self.preflight.answer_contract.reject_reason;
        let reason = exact(&reason)?.as_str().unwrap_or("rejected").to_owned();
        let audit_line = format!("{REJECTED} · {}", reason.replace('_', " "));
        let mut run = RunBuilder::new(Shape::Reject);
        run.push(self.question.clone());
        run.push(self.payload.clone());
        run.push(FinalLabelPayload {
            label: REJECTED.to_owned(),
            audit_line: audit_line.clone(),
            reason: Some(reason),
        });
        let state = self.preflight.classifier.state.clone();
        let blank = self.blank(Outcome::Rejected, REJECTED, audit_line, &state);
        blank.sealed(run)
    }

    /// What only retrieval can tell: the payload, and the detectors that need passages.
    fn retrieved(
        &self,
        plan: RetrievalPlan,
        gate: Gate,
        retrieval: &RetrievalReport,
    ) -> Result<(RetrievalPayload, QuestionState), Error> {
        let views: Vec<EvidenceView<'_>> = retrieval
            .passages
            .iter()
            .map(|p| EvidenceView {
                id: &p.passage.entry_id,
                title: &p.passage.title,
                text: &p.passage.text,
                role: "primary",
            })
            .collect();
        let state = after_retrieval(&self.preflight, &Lexicon::built_in(), &views);
        let mut detectors = Clause::new();
        detectors.insert("false_premise".into(), exact(&state.false_premise)?);
        detectors.insert("out_of_corpus".into(), exact(&state.out_of_corpus)?);
        let root = self.context.sources.map(Sources::source_root);
        let found = self.summary(&retrieval.passages);
        Ok((
            RetrievalPayload::new(plan, found, root, gate, detectors)?,
            state,
        ))
    }

    /// Everything by which an operator can influence what is found.
    pub(crate) fn plan(&self, retriever: &dyn Retriever) -> Result<RetrievalPlan, Error> {
        let (options, calibration) = (retriever.options(), retriever.calibration());
        let mut parameters = Clause::new();
        parameters.insert("embedder".into(), exact(retriever.fingerprint())?);
        parameters.insert("threshold".into(), exact(&micros(calibration.threshold))?);
        parameters.insert("floor".into(), exact(&micros(calibration.floor))?);
        parameters.insert("per_parent".into(), exact(&options.per_parent)?);
        parameters.insert(
            "near_duplicate".into(),
            exact(&micros(options.near_duplicate))?,
        );
        parameters.insert("filter".into(), exact(&options.filter)?);
        Ok(RetrievalPlan {
            keywords: vec![self.preflight.question.clone()],
            top_k: u32::try_from(options.window).unwrap_or(u32::MAX),
            over_fetch: u32::try_from(options.fetch_k).unwrap_or(u32::MAX),
            max_context_chars: SafeInt::saturating(self.context.settings.char_budget),
            shards: vec!["default".to_owned()],
            parameters,
        })
    }

    /// What was found, by source in the order of first appearance.
    fn summary(&self, passages: &[RetrievedPassage]) -> Vec<SourceSummary> {
        let mut places: BTreeMap<&str, usize> = BTreeMap::new();
        let mut out: Vec<SourceSummary> = Vec::new();
        for found in passages {
            let id = found.passage.source_id.as_str();
            let place = *places.entry(id).or_insert_with(|| {
                out.push(SourceSummary {
                    source_id: id.to_owned(),
                    document_root: self.context.sources.and_then(|s| s.document_root(id)),
                    passages: Vec::new(),
                });
                out.len() - 1
            });
            if let Some(source) = out.get_mut(place) {
                source.passages.push(BytesDigest::of(&found.passage.text));
            }
        }
        out
    }

    /// The run of a question for which nothing near enough was found.
    pub(crate) fn decline(
        self,
        plan: RetrievalPlan,
        retrieval: RetrievalReport,
    ) -> Result<SealedAnswer, Error> {
        let (payload, state) = self.retrieved(plan, Gate::Declined, &retrieval)?;
        let why = retrieval.declined.clone().unwrap_or_default();
        // The similarity behind the decision is soft: it is shown, and not committed.
        let audit_line = format!("{DECLINED} · nothing near enough{}", state.tails());
        let mut run = RunBuilder::new(Shape::Decline);
        run.push(self.question.clone());
        run.push(self.payload.clone());
        run.push(payload);
        run.push(FinalLabelPayload {
            label: DECLINED.to_owned(),
            audit_line: audit_line.clone(),
            reason: Some("below the gate's threshold".to_owned()),
        });
        let mut blank = self.blank(Outcome::Declined, DECLINED, audit_line, &state);
        blank.answer = format!("Declined: {why}.");
        blank.retrieval = Some(retrieval);
        blank.sealed(run)
    }

    /// The evidence map and the prompt.
    pub(crate) fn prepare(
        self,
        plan: RetrievalPlan,
        retrieval: RetrievalReport,
        topology: Option<Topology<String>>,
    ) -> Result<Prepared<'a>, Error> {
        let (retrieval_payload, state) = self.retrieved(plan, Gate::Accepted, &retrieval)?;
        let Maps {
            offered,
            whole,
            pointers,
        } = self.maps(&retrieval.passages)?;
        let contract = &self.preflight.prompt_contract;
        let reminders: Vec<&str> = [&contract.reminder, &contract.cap, &contract.stale]
            .into_iter()
            .filter_map(|line| line.as_deref())
            .collect();
        let reminder = (!reminders.is_empty()).then(|| reminders.join("\n"));
        let cycles = classify(&self.preflight.question);
        let settings = self.context.settings;
        let prompt = prompt::build(&Parts {
            question: &self.preflight.question,
            mode: settings.mode,
            evidence: offered.as_ref().unwrap_or(&whole),
            frames: contract.frame_preamble.as_deref(),
            reminder: reminder.as_deref(),
            dialectical: settings
                .dialectical
                .map(|escope| (cycles.as_slice(), escope)),
            feedback: self.context.earlier.feedback,
            draft: self.context.earlier.draft,
            max_tokens: settings.max_tokens,
        });
        Ok(Prepared {
            opened: self,
            retrieval,
            retrieval_payload,
            state,
            topology,
            evidence: whole,
            pointers,
            prompt,
        })
    }

    /// The evidence: what fits the budget, then what was found afterwards, which the model never
    /// saw.
    fn maps(&self, passages: &[RetrievedPassage]) -> Result<Maps, Error> {
        let budget = self.context.settings.char_budget;
        let earlier = self.context.earlier.reclassified;
        let further = earlier.map_or(0, |r| r.further).min(passages.len());
        let (first, later) = passages.split_at(passages.len() - further);
        let more: usize = later.iter().map(|p| p.passage.text.chars().count()).sum();
        let mut offered = EvidenceMap::builder(budget);
        let mut whole = EvidenceMap::builder(budget.saturating_add(more));
        let mut pointers = Vec::with_capacity(passages.len());
        for found in first {
            pointers.push(match offered.push(self.passage(found))? {
                Pushed::Added(id) | Pushed::Duplicate(id) => {
                    whole.push(self.passage(found))?;
                    Some(id)
                }
                _ => None,
            });
        }
        for found in later {
            pointers.push(match whole.push(self.passage(found))? {
                Pushed::Added(id) | Pushed::Duplicate(id) => Some(id),
                _ => None,
            });
        }
        Ok(Maps {
            offered: (further > 0).then(|| offered.build()),
            whole: whole.build(),
            pointers,
        })
    }

    fn passage(&self, found: &RetrievedPassage) -> Passage {
        let p = &found.passage;
        let role = match p.meta.kind {
            geodesic_retriever::EntryKind::Response => SourceRole::Conclusion,
            _ => SourceRole::Primary,
        };
        let root = self
            .context
            .sources
            .and_then(|s| s.document_root(&p.source_id));
        Passage {
            source_id: p.source_id.clone(),
            title: p.title.clone(),
            source_role: role,
            text: p.text.clone(),
            location: Location {
                bytes: p.bytes.start as u64..p.bytes.end as u64,
                chars: p.chars.start as u64..p.chars.end as u64,
            },
            document_root: root.map(|r| r.to_string()),
        }
    }

    /// An answer without claims, to be filled in.
    fn blank(
        self,
        outcome: Outcome,
        label: &str,
        audit_line: String,
        state: &QuestionState,
    ) -> Blank {
        Blank {
            outcome,
            question: self.question.raw,
            label: label.to_owned(),
            audit_line,
            answer: String::new(),
            preflight: self.preflight,
            states: state
                .statuses()
                .into_iter()
                .map(|s| s.words().to_owned())
                .collect(),
            retrieval: None,
            feedback: self.context.earlier.feedback.to_vec(),
            draft: self.context.earlier.draft.map(str::to_owned),
            reclassified: self.context.earlier.reclassified.cloned(),
            source_root: self.context.sources.map(Sources::source_root),
            model: self.context.model.clone(),
            settings: self.context.settings.clone(),
        }
    }
}

/// A sealed answer without claims and before its run.
struct Blank {
    outcome: Outcome,
    question: String,
    label: String,
    audit_line: String,
    answer: String,
    preflight: Preflight,
    states: Vec<String>,
    retrieval: Option<RetrievalReport>,
    feedback: Vec<String>,
    draft: Option<String>,
    reclassified: Option<Reclassification>,
    source_root: Option<SourceRoot>,
    model: ModelProfile,
    settings: Settings,
}

impl Blank {
    fn sealed(self, run: RunBuilder) -> Result<SealedAnswer, Error> {
        let run = run.seal()?;
        let run_dag_root = run.run_dag_root();
        Ok(SealedAnswer {
            schema_version: SCHEMA_VERSION.to_owned(),
            outcome: self.outcome,
            question: self.question,
            label: self.label,
            audit_line: self.audit_line,
            answer: self.answer,
            claims: Vec::new(),
            violations: Vec::new(),
            notes: Vec::new(),
            audit_mode: None,
            verifier_method: None,
            preflight: self.preflight,
            states: self.states,
            retrieval: self.retrieval,
            topology: None,
            evidence: Vec::new(),
            raw_answer: None,
            broke_off: false,
            feedback: self.feedback,
            draft: self.draft,
            reclassified: self.reclassified,
            source_root: self.source_root,
            wisdom: None,
            model: self.model,
            settings: self.settings,
            run,
            run_dag_root,
        })
    }
}
