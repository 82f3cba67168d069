//! The run as a pure function: from what was asked, found and written to the sealed answer.
//!
//! Asking and verifying share these steps. Asking gets passages from a retriever and text from an
//! agent; verifying takes both as recorded; what follows is the same code, so that a sealed answer
//! recomputes or says where it does not.

use std::collections::BTreeMap;

use claim_lattice::preflight::{
    CallOptions, CorpusInfo, EvidenceView, FramedClaim, Lexicon, LogicalStatus, Preflight,
    QuestionState, after_retrieval, frame_mismatches, group_claims, preflight,
};
use claim_lattice::{
    AnswerMode, AuditTail, EvidenceEntry, EvidenceMap, Language, Location, Passage, Policy,
    Rendering, SourceRole, Verdict, render, verify,
};
use geodesic_retriever::{RetrievedPassage, Retriever};
use kappa_topology::Topology;
use run_dag::{
    BytesDigest, ClaimVerdict, Clause, Decimal, FinalLabelPayload, Gate, ModelProfile, ParsedClaim,
    ParsedClaimLatticePayload, PreflightPayload, PromptPayload, QuestionPayload, RenderPayload,
    RetrievalPayload, RetrievalPlan, RunBuilder, RunRoot, SafeInt, Shape, SourceRoot,
    SourceSummary, TopologyComponent, TopologyPayload, VerifyPayload, ViolationRecord,
    WisdomPayload,
};
use wisdom_score::{Report, Scorer};

use crate::prompt::{self, Parts, TEMPLATE_VERSION, classify};
use crate::sealed::{
    Outcome, RetrievalReport, SCHEMA_VERSION, SealedAnswer, SealedClaim, SealedPassage,
};
use crate::settings::{exact, exact_clause};
use crate::sources::Sources;
use crate::{Error, Settings};

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
    /// The run that this one asks again, and what was wrong with its answer.
    pub(crate) predecessor: Option<RunRoot>,
    pub(crate) feedback: &'a [String],
}

/// A run after preflight.
pub(crate) struct Opened<'a> {
    context: Context<'a>,
    question: QuestionPayload,
    pub(crate) preflight: Preflight,
    payload: PreflightPayload,
    policy: Policy,
}

/// A run after retrieval, ready for the model.
pub(crate) struct Prepared<'a> {
    opened: Opened<'a>,
    retrieval: RetrievalReport,
    retrieval_payload: RetrievalPayload,
    state: QuestionState,
    topology: Option<Topology<String>>,
    evidence: EvidenceMap,
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
        let mut policy = self.settings.policy.clone();
        if self.settings.language_of_question && seen.classifier.language == "catalan" {
            policy.language = Language::Catalan;
        }
        if let Some(cap) = seen.answer_contract.max_claims {
            policy.max_claims = policy.max_claims.min(cap);
        }
        let mut stage = QuestionPayload::new(question);
        if let Some(root) = self.predecessor {
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
        let mut map = EvidenceMap::builder(self.context.settings.char_budget);
        for found in &retrieval.passages {
            map.push(self.passage(found))?;
        }
        let evidence = map.build();
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
            evidence: &evidence,
            frames: contract.frame_preamble.as_deref(),
            reminder: reminder.as_deref(),
            dialectical: settings
                .dialectical
                .map(|escope| (cycles.as_slice(), escope)),
            feedback: self.context.feedback,
            max_tokens: settings.max_tokens,
        });
        Ok(Prepared {
            opened: self,
            retrieval,
            retrieval_payload,
            state,
            topology,
            evidence,
            prompt,
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
            feedback: self.context.feedback.to_vec(),
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
            feedback: self.feedback,
            source_root: self.source_root,
            wisdom: None,
            model: self.model,
            settings: self.settings,
            run,
            run_dag_root,
        })
    }
}

impl Prepared<'_> {
    /// The mode in which the answer is read.
    fn mode(&self) -> AnswerMode {
        self.opened.context.settings.mode
    }

    /// Parses, verifies, renders, scores and seals what the model wrote.
    pub(crate) fn finish(self, raw: String) -> Result<SealedAnswer, Error> {
        let policy = &self.opened.policy;
        let question = self.opened.preflight.question.as_str();
        let verdict = verify(question, &self.evidence, &raw, self.mode(), policy);
        let verdict = self.flag_frames(verdict).with_tails(&tails(&self.state));
        let rendering = render(&verdict, &self.evidence, policy);
        let headings = self.headings(&verdict);
        let answer = match self.mode() {
            AnswerMode::Quote => raw.clone(),
            _ => shown(&rendering, &headings, &raw),
        };
        let wisdom = score(&raw)?;
        let claims = sealed_claims(&verdict, &rendering, &headings);
        let run = self.stages(&verdict, &raw, &answer, wisdom.as_ref())?;
        let Self {
            opened,
            retrieval,
            state,
            topology,
            evidence,
            ..
        } = self;
        let label = verdict.label().to_string();
        let audit_line = verdict.audit_line().to_owned();
        let mut blank = opened.blank(Outcome::Grounded, &label, audit_line, &state);
        blank.answer = answer;
        blank.retrieval = Some(retrieval);
        let mut sealed = blank.sealed(run)?;
        sealed.claims = claims;
        sealed.violations = verdict.violations().to_vec();
        sealed.notes = verdict.notes().to_vec();
        sealed.audit_mode = Some(verdict.audit_mode());
        sealed.verifier_method = Some(verdict.verifier_method());
        sealed.topology = topology;
        sealed.evidence = evidence.entries().to_vec();
        sealed.raw_answer = Some(raw);
        sealed.wisdom = wisdom;
        Ok(sealed)
    }

    fn stages(
        &self,
        verdict: &Verdict,
        raw: &str,
        answer: &str,
        wisdom: Option<&Report>,
    ) -> Result<RunBuilder, Error> {
        let lattice = self.mode() != AnswerMode::Quote;
        let mut run = RunBuilder::new(if lattice {
            Shape::Lattice
        } else {
            Shape::Quote
        });
        run.push(self.opened.question.clone());
        run.push(self.opened.payload.clone());
        run.push(self.retrieval_payload.clone());
        if let Some(topology) = &self.topology {
            run.push(topology_payload(topology)?);
        }
        let entries = committed(self.evidence.entries())?;
        if lattice {
            run.push_evidence_map(entries)?;
        } else {
            run.push_context(&self.prompt.user, entries)?;
        }
        run.push(PromptPayload::of(
            TEMPLATE_VERSION,
            prompt_bytes(&self.prompt)?,
        ));
        if lattice {
            run.push_raw_answer(raw);
            run.push(parsed(verdict)?);
        } else {
            run.push_answer(raw);
        }
        run.push(verify_payload(verdict)?);
        if let Some(report) = wisdom {
            run.push(wisdom_payload(report)?);
        }
        if lattice {
            run.push(RenderPayload::of("plain", answer));
        }
        run.push(FinalLabelPayload {
            label: verdict.label().to_string(),
            audit_line: verdict.audit_line().to_owned(),
            reason: None,
        });
        Ok(run)
    }

    /// Flags claims that cite another frame than they state.
    fn flag_frames(&self, verdict: Verdict) -> Verdict {
        let reading = &self.opened.preflight.classifier.state.frames;
        if !reading.has_several() {
            return verdict;
        }
        let cited = self.cited(&verdict);
        let claims = framed(&verdict, &cited);
        let found = frame_mismatches(reading, &claims, self.lexicon());
        found.into_iter().fold(verdict, |verdict, m| {
            verdict.with_frame_mismatch(m.claim, vec![m.evidence_id], m.cues)
        })
    }

    /// The heading of each claim's frame, where the answer groups its claims.
    fn headings(&self, verdict: &Verdict) -> Vec<Option<String>> {
        let mut out = vec![None; verdict.claims().len()];
        let preflight = &self.opened.preflight;
        let reading = &preflight.classifier.state.frames;
        if !preflight.answer_contract.group_by_frame {
            return out;
        }
        let cited = self.cited(verdict);
        for group in group_claims(reading, &framed(verdict, &cited), self.lexicon()) {
            for claim in group.claims {
                if let Some(slot) = out.get_mut(claim) {
                    *slot = Some(group.heading.clone());
                }
            }
        }
        out
    }

    /// The passages that each claim cites.
    fn cited<'e>(&'e self, verdict: &Verdict) -> Vec<Vec<EvidenceView<'e>>> {
        let view = |pointer: &String| {
            let entry = self.evidence.get(pointer)?;
            Some(EvidenceView {
                id: &entry.pointer_id,
                title: &entry.title,
                text: &entry.text,
                role: "primary",
            })
        };
        verdict
            .claims()
            .iter()
            .map(|c| c.pointers().iter().filter_map(view).collect())
            .collect()
    }

    fn lexicon(&self) -> &'static Lexicon {
        if self.opened.preflight.classifier.language == "catalan" {
            Lexicon::catalan()
        } else {
            Lexicon::english()
        }
    }
}

fn framed<'c>(verdict: &'c Verdict, cited: &'c [Vec<EvidenceView<'c>>]) -> Vec<FramedClaim<'c>> {
    let pairs = verdict.claims().iter().zip(cited);
    pairs
        .map(|(claim, cited)| FramedClaim {
            text: claim.text(),
            cited,
        })
        .collect()
}

fn tails(state: &QuestionState) -> Vec<AuditTail> {
    let tail = |status: LogicalStatus| match status {
        LogicalStatus::FalsePremise => Some(AuditTail::FalsePremise),
        LogicalStatus::Contradictory => Some(AuditTail::Contradictory),
        LogicalStatus::StaleRisk => Some(AuditTail::StaleRisk),
        LogicalStatus::OutOfCorpus => Some(AuditTail::OutOfCorpus),
        LogicalStatus::FrameAmbiguous => Some(AuditTail::FrameAmbiguous),
        _ => None,
    };
    state.statuses().into_iter().filter_map(tail).collect()
}

/// The answer as it is shown: the claims with their pointers, under the headings of their frames;
/// the model's own words where it made no claim.
fn shown(rendering: &Rendering, headings: &[Option<String>], raw: &str) -> String {
    if rendering.claims.is_empty() {
        return raw.trim().to_owned();
    }
    let line = |claim: &claim_lattice::RenderedClaim| {
        let pointers = claim.pointers.join(",");
        if pointers.is_empty() {
            claim.text.clone()
        } else {
            format!("{} [{pointers}]", claim.text)
        }
    };
    let mut groups: Vec<&Option<String>> = Vec::new();
    for heading in headings {
        if !groups.contains(&heading) {
            groups.push(heading);
        }
    }
    let mut out = Vec::new();
    for group in groups {
        if let Some(heading) = group {
            out.push(heading.clone());
        }
        let claims = rendering
            .claims
            .iter()
            .zip(headings)
            .filter(|(_, h)| *h == group);
        out.extend(claims.map(|(claim, _)| line(claim)));
    }
    out.join("\n")
}

fn sealed_claims(
    verdict: &Verdict,
    rendering: &Rendering,
    headings: &[Option<String>],
) -> Vec<SealedClaim> {
    let rendered = rendering.claims.iter().zip(headings);
    verdict
        .claims()
        .iter()
        .zip(rendered)
        .map(|(claim, (rendered, frame))| SealedClaim {
            text: claim.text().to_owned(),
            pointers: claim.pointers().to_vec(),
            supported: claim.supported(),
            warrant_fired: claim.warrant_fired(),
            warrant_classes: claim.warrant_classes().to_vec(),
            coverage: claim.coverage(),
            violations: claim.violations().to_vec(),
            passages: rendered
                .passages
                .iter()
                .map(|p| SealedPassage {
                    pointer: p.pointer.clone(),
                    source: p.source_id.clone(),
                    title: p.title.clone(),
                    text: p.text.clone(),
                    bytes: p.bytes.clone(),
                })
                .collect(),
            frame: frame.clone(),
        })
        .collect()
}

/// 𝓗, 𝓦 and the rest, where the text cites codes of the ontology.
fn score(text: &str) -> Result<Option<Report>, Error> {
    let scorer = Scorer::new(wisdom_score::Options::default())?;
    if !scorer.cites_codes(text) {
        return Ok(None);
    }
    Ok(Some(scorer.score(text)?))
}

/// A soft number as the exact decimal under which it is shown.
pub(crate) fn micros(value: f64) -> Decimal {
    // In range: similarities and thresholds lie in [-1, 1], scores in [0, 1].
    #[allow(clippy::cast_possible_truncation)]
    let millionths = (value * 1e6).round() as i64;
    Decimal::from_millionths(millionths)
}

/// The entries of the evidence map as the run commits them.
pub(crate) fn committed(entries: &[EvidenceEntry]) -> Result<Vec<run_dag::EvidenceEntry>, Error> {
    entries
        .iter()
        .map(|e| {
            let place = |at: u64| usize::try_from(at).ok().map(SafeInt::saturating);
            Ok(run_dag::EvidenceEntry {
                pointer_id: e.pointer_id.clone(),
                evidence_id: e.evidence_id.to_string(),
                source_id: e.source_id.clone(),
                title: (!e.title.is_empty()).then(|| e.title.clone()),
                source_role: exact(&e.source_role)?
                    .as_str()
                    .unwrap_or_default()
                    .to_owned(),
                text: BytesDigest::of(&e.text),
                byte_start: place(e.location.bytes.start),
                byte_end: place(e.location.bytes.end),
                document_root: e.document_root.as_deref().map(str::parse).transpose()?,
            })
        })
        .collect()
}

/// The bytes that stand for a prompt: its parts as canonical JSON.
fn prompt_bytes(prompt: &language_agents::Prompt) -> Result<Vec<u8>, Error> {
    let parts = serde_json::json!({
        "system": prompt.system,
        "user": prompt.user,
        "output_schema": prompt.output_schema,
        "max_tokens": prompt.max_tokens,
    });
    serde_json_canonicalizer::to_vec(&parts).map_err(|e| Error::Recorded(e.to_string()))
}

fn topology_payload(topology: &Topology<String>) -> Result<TopologyPayload, Error> {
    let text =
        serde_json_canonicalizer::to_vec(topology).map_err(|e| Error::Recorded(e.to_string()))?;
    let component = |scc: &kappa_topology::Scc<String>| TopologyComponent {
        id: scc.id.clone(),
        nodes: u32::try_from(scc.nodes.len()).unwrap_or(u32::MAX),
        kappa: i64::try_from(scc.kappa)
            .ok()
            .map(|k| Decimal::from_millionths(k.saturating_mul(1_000_000))),
    };
    Ok(TopologyPayload {
        graph: BytesDigest::of(text),
        components: topology.sccs.iter().map(component).collect(),
        route: exact(&topology.routing)?
            .as_str()
            .unwrap_or_default()
            .to_owned(),
        details: Clause::new(),
    })
}

fn parsed(verdict: &Verdict) -> Result<ParsedClaimLatticePayload, Error> {
    Ok(ParsedClaimLatticePayload {
        claims: verdict
            .claims()
            .iter()
            .map(|c| ParsedClaim {
                text: c.text().to_owned(),
                pointers: c.pointers().to_vec(),
            })
            .collect(),
        notes: verdict
            .notes()
            .iter()
            .map(exact)
            .collect::<Result<_, _>>()?,
    })
}

fn violation(v: &claim_lattice::Violation) -> Result<ViolationRecord, Error> {
    let mut detail = exact_clause(v)?;
    detail.remove("code");
    Ok(ViolationRecord {
        code: v.code.wire_name().to_owned(),
        detail,
    })
}

fn verify_payload(verdict: &Verdict) -> Result<VerifyPayload, Error> {
    let name = |value| -> Result<String, Error> {
        Ok(run_dag::Value::as_str(&value)
            .unwrap_or_default()
            .to_lowercase())
    };
    Ok(VerifyPayload {
        audit_mode: name(exact(&verdict.audit_mode())?)?,
        verifier_method: verdict.verifier_method().wire_name().to_owned(),
        claims: verdict
            .claims()
            .iter()
            .map(|c| {
                Ok(ClaimVerdict {
                    supported: c.supported(),
                    warrant_fired: c.warrant_fired(),
                    violations: c
                        .violations()
                        .iter()
                        .map(violation)
                        .collect::<Result<_, Error>>()?,
                })
            })
            .collect::<Result<_, Error>>()?,
        violations: verdict
            .violations()
            .iter()
            .map(violation)
            .collect::<Result<_, _>>()?,
        notes: verdict
            .notes()
            .iter()
            .map(exact)
            .collect::<Result<_, _>>()?,
    })
}

fn wisdom_payload(report: &Report) -> Result<WisdomPayload, Error> {
    let mut scores = BTreeMap::new();
    scores.insert("harmonic_score".to_owned(), micros(report.harmonic_score));
    scores.insert("wisdom_score".to_owned(), micros(report.wisdom_score));
    for component in wisdom_score::Component::ALL {
        scores.insert(
            component.name().to_owned(),
            micros(report.components.get(component)),
        );
    }
    let mut details = Clause::new();
    details.insert("codes".into(), exact(&report.codes)?);
    details.insert("feedback".into(), exact(&report.feedback)?);
    Ok(WisdomPayload {
        semantics: exact(&report.semantics)?
            .as_str()
            .unwrap_or_default()
            .to_owned(),
        composite: "v3".to_owned(),
        scores,
        details,
    })
}
