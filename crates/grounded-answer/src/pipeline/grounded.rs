//! A run that was answered: parsed, verified, rendered, scored and sealed.

use std::borrow::Cow;

use claim_lattice::directives::{DirectiveReport, RunFacts, directive_report};
use claim_lattice::preflight::{
    EvidenceView, FramedClaim, Lexicon, LogicalStatus, QuestionState, frame_mismatches,
    group_claims,
};
use claim_lattice::{AnswerMode, AuditTail, Rendering, Verdict, render, verify};
use run_dag::{FinalLabelPayload, PromptPayload, RenderPayload, RunBuilder, RunRecord, Shape};
use wisdom_score::{Report, Scorer};

use super::Prepared;
use super::payloads::{
    committed, parsed, prompt_bytes, topology_payload, verify_payload, wisdom_payload,
};
use crate::prompt::TEMPLATE_VERSION;
use crate::sealed::{Outcome, SealedAnswer, SealedClaim};
use crate::written::Written;
use crate::{Error, directives};

impl Prepared<'_> {
    /// The mode in which the answer is read.
    fn mode(&self) -> AnswerMode {
        self.opened.context.settings.mode
    }

    /// Parses, verifies, renders, scores and seals what the model wrote.
    pub(crate) fn finish(self, written: Written) -> Result<SealedAnswer, Error> {
        let verdict = self.verdict(&written);
        let rendering = render(&verdict, &self.evidence, &self.opened.policy);
        let headings = self.headings(&verdict);
        let text = written.read(self.mode());
        let answer = match self.mode() {
            AnswerMode::Quote => text.to_owned(),
            _ => shown(&rendering, &headings, text),
        };
        let wisdom = score(text)?;
        let claims = sealed_claims(&verdict, &rendering, &headings);
        let run = self.stages(&verdict, &written.text, &answer, wisdom.as_ref())?;
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
        sealed.raw_answer = Some(written.text);
        sealed.broke_off = written.broke_off;
        sealed.wisdom = wisdom;
        Ok(sealed)
    }

    /// The answer as it is read: what the model finished, with the pointers that were moved since.
    fn read<'r>(&self, written: &'r Written) -> Cow<'r, str> {
        let text = written.read(self.mode());
        match self.opened.context.earlier.reclassified {
            Some(found) => {
                let parse = self.opened.policy.parse;
                found.moved_in(text, self.mode(), parse, &self.evidence, &self.pointers)
            }
            None => Cow::Borrowed(text),
        }
    }

    fn verdict(&self, written: &Written) -> Verdict {
        let policy = &self.opened.policy;
        let question = self.opened.preflight.question.as_str();
        let text = self.read(written);
        let verdict = verify(question, &self.evidence, &text, self.mode(), policy);
        let verdict = if written.broke_off {
            let from = written.read(self.mode()).len();
            verdict.with_broken_off(from..written.text.len())
        } else {
            verdict
        };
        self.flag_frames(verdict).with_tails(&tails(&self.state))
    }

    /// The eight directives held against this run, whose record is `run`.
    pub(crate) fn directives(&self, written: &Written, run: &RunRecord) -> DirectiveReport {
        let text = self.read(written);
        let verdict = self.verdict(written);
        let rendering = render(&verdict, &self.evidence, &self.opened.policy);
        let earlier = &self.opened.context.earlier;
        // A run asks its model once, and one that verifies again asks none.
        let calls = u64::from(earlier.reclassified.is_none());
        let steps = directives::steps(earlier);
        let bound = directives::Bound::of(run);
        directive_report(&RunFacts {
            question: &self.opened.question.raw,
            preflight: Some(&self.opened.preflight),
            answer_mode: self.mode(),
            answer: Some(&text),
            evidence: Some(&self.evidence),
            policy: &self.opened.policy,
            verdict: Some(&verdict),
            rendering: Some(&rendering),
            model_calls_before_verify: calls,
            model_calls_at_label: calls,
            bound: bound.hashes(),
            steps: &steps,
        })
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
            frame: frame.clone(),
            ..SealedClaim::new(claim, rendered)
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
