//! Verifying kept answers again when sources have grown: no model is asked, and labels only climb.

use std::borrow::Cow;

use claim_lattice::{
    AnswerMode, EvidenceMap, ParseOptions, ParsePolicy, Passage, Policy, parse, verify,
    write_claims,
};
use geodesic_retriever::{RetrievalOutcome, RetrievedPassage};
use run_dag::ledger::{LedgerRow, Reclassified, Reclassifier, ReclassifyReport, reclassify};
use serde::{Deserialize, Serialize};

use crate::memory::ledger_row;
use crate::pipeline::{Context, Earlier};
use crate::sources::Sources;
use crate::verify::{changed_passages, plan};
use crate::{Answerer, Error, Outcome, RecordedAnswer, SealedAnswer};

/// What was found for the failed claims of an earlier run.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reclassification {
    /// How many of the passages were found afterwards; they stand last, and the model never saw
    /// them.
    pub further: usize,
    /// The claims that are now held against another passage than the model cited.
    pub moved: Vec<Moved>,
}

/// A claim that is held against another passage.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Moved {
    /// The claim, by its place in the answer from 0.
    pub claim: usize,
    /// The passage, by its place among the passages from 0.
    pub passage: usize,
}

impl Reclassification {
    /// The answer with the moved pointers, in the documented form of its mode. Quotes have no
    /// pointers: they are looked for in all passages.
    pub(crate) fn moved_in<'r>(
        &self,
        raw: &'r str,
        mode: AnswerMode,
        policy: ParsePolicy,
        evidence: &EvidenceMap,
        pointers: &[Option<String>],
    ) -> Cow<'r, str> {
        if self.moved.is_empty() || mode == AnswerMode::Quote {
            return Cow::Borrowed(raw);
        }
        let options = ParseOptions {
            marker: evidence.marker().to_owned(),
            policy,
            ..ParseOptions::default()
        };
        let mut claims = parse(raw, mode, &options).claims;
        for moved in &self.moved {
            let pointer = pointers.get(moved.passage).and_then(Option::as_ref);
            if let (Some(claim), Some(id)) = (claims.get_mut(moved.claim), pointer) {
                claim.pointers = vec![claim_lattice::Pointer {
                    id: id.clone(),
                    span: claim.span.clone(),
                }];
            }
        }
        Cow::Owned(if mode == AnswerMode::Json {
            let claim = |c: &claim_lattice::Claim| {
                let ids: Vec<&str> = c.pointers.iter().map(|p| p.id.as_str()).collect();
                serde_json::json!({"text": c.text, "evidence_ids": ids})
            };
            let claims: Vec<_> = claims.iter().map(claim).collect();
            serde_json::json!({ "claims": claims }).to_string()
        } else {
            write_claims(&claims)
        })
    }
}

impl Answerer {
    /// Verifies every kept answer again against the sources and the retriever of this answerer,
    /// without asking a model.
    ///
    /// Quotes are looked for in what the sources return for them now. In the other modes each
    /// claim that failed is held against the passages that the sources now return for it; the first
    /// that bears it is added as a further entry of evidence. A label that climbs gives a new run,
    /// which names the old one; the old row is stale. Under the same policy nothing is ever
    /// demoted; under another `policy` a record of its own is made, whichever way the label goes.
    /// Every change is in the log.
    ///
    /// # Errors
    /// [`Error::Missing`] without a memory or sources; [`Error::Run`] if the ledger fails. What
    /// goes wrong with one answer is reported for that answer.
    pub fn reclassify(&self, policy: Option<&Policy>) -> Result<Vec<ReclassifyReport>, Error> {
        let memory = self.memory.as_ref().ok_or(Error::Missing("memory"))?;
        let sources = self.sources.as_deref().ok_or(Error::Missing("sources"))?;
        let again = Again {
            answerer: self,
            sources,
            policy,
        };
        let (ledger, log) = (memory.ledger(), memory.log());
        Ok(reclassify(ledger, log, &again, memory.now())?)
    }
}

struct Again<'a> {
    answerer: &'a Answerer,
    sources: &'a dyn Sources,
    policy: Option<&'a Policy>,
}

impl Reclassifier for Again<'_> {
    fn reverify(&self, row: &LedgerRow) -> run_dag::Result<Reclassified> {
        self.again(row)
            .map_err(|error| run_dag::Error::backend("verifying an answer again", error))
    }
}

impl Again<'_> {
    fn again(&self, row: &LedgerRow) -> Result<Reclassified, Error> {
        let mut saved = RecordedAnswer::from_json(&row.answer)?;
        if let Some(policy) = self.policy {
            saved.parts.settings.policy = policy.clone();
        }
        if saved.parts.outcome != Outcome::Grounded {
            return Ok(Reclassified::Unchanged);
        }
        if let Some(changed) = changed_passages(saved.passages(), self.sources).first() {
            let (place, now) = (&changed.place, &changed.recomputed);
            return Err(Error::Recorded(format!(
                "{place} does not stand there any more: {now}"
            )));
        }
        let found = saved.parts.reclassified.clone().unwrap_or_default();
        let before = self.run(&saved, row, &found)?;
        let (passages, found) = self.search(&saved, &before, found)?;
        if let Some(retrieval) = &mut saved.parts.retrieval {
            retrieval.passages = passages;
        }
        let now = self.run(&saved, row, &found)?;
        let mut key = row.key.clone();
        key.source_root = self.sources.source_root();
        key.governance_policy_hash = now.settings.governance()?.hash()?;
        let new = ledger_row(&now, key)?;
        let same_policy = new.key.governance_policy_hash == row.key.governance_policy_hash;
        if same_policy && new.rung == row.rung {
            return Ok(Reclassified::Unchanged);
        }
        Ok(Reclassified::Sealed(Box::new(new)))
    }

    /// The recorded run over the sources as they are now.
    fn run(
        &self,
        saved: &RecordedAnswer,
        row: &LedgerRow,
        found: &Reclassification,
    ) -> Result<SealedAnswer, Error> {
        let parts = &saved.parts;
        let context = Context {
            settings: &parts.settings,
            model: &parts.model,
            sources: Some(self.sources),
            earlier: Earlier {
                predecessor: Some(row.root),
                feedback: &parts.feedback,
                draft: parts.draft.as_deref(),
                reclassified: Some(found),
            },
        };
        let lacks = |part: &str| Error::Recorded(format!("it has no {part}"));
        let plan = plan(&parts.run).ok_or_else(|| lacks("retrieval plan"))?;
        let retrieval = parts.retrieval.clone().ok_or_else(|| lacks("passages"))?;
        let written = parts.written();
        let written = written.ok_or_else(|| lacks("text of the model"))?;
        context
            .open(&parts.question)?
            .prepare(plan.clone(), retrieval, parts.topology.clone())?
            .finish(written)
    }

    /// What the sources now return for the claims that fail.
    fn search(
        &self,
        saved: &RecordedAnswer,
        before: &SealedAnswer,
        mut found: Reclassification,
    ) -> Result<(Vec<RetrievedPassage>, Reclassification), Error> {
        let mut passages = saved.passages().to_vec();
        let quotes = saved.parts.settings.mode == AnswerMode::Quote;
        let failed = before.claims.iter().enumerate();
        for (claim, failed) in failed.filter(|(_, claim)| !claim.supported) {
            let outcome = self.answerer.retriever.retrieve(&failed.text)?;
            let RetrievalOutcome::Grounded { passages: new, .. } = outcome else {
                continue;
            };
            for passage in new {
                if quotes {
                    place_of(&mut passages, passage, &mut found.further);
                } else if self.bears(before, &passage, &failed.text)? {
                    let passage = place_of(&mut passages, passage, &mut found.further);
                    found.moved.retain(|moved| moved.claim != claim);
                    found.moved.push(Moved { claim, passage });
                    break;
                }
            }
        }
        found.moved.sort_by_key(|moved| moved.claim);
        Ok((passages, found))
    }

    /// Whether this passage alone bears a claim.
    fn bears(
        &self,
        before: &SealedAnswer,
        passage: &RetrievedPassage,
        claim: &str,
    ) -> Result<bool, Error> {
        let p = &passage.passage;
        let mut map = EvidenceMap::builder(usize::MAX);
        map.push(Passage::whole(&p.source_id, &p.title, &p.text))?;
        let answer = serde_json::json!({"claims": [{"text": claim, "evidence_ids": ["E1"]}]});
        let verdict = verify(
            &before.preflight.question,
            &map.build(),
            &answer.to_string(),
            AnswerMode::Json,
            &before.settings.policy_for(&before.preflight),
        );
        Ok(verdict.verified_claims().next().is_some())
    }
}

/// The place of a passage, which is added at the end if it is not there.
fn place_of(
    passages: &mut Vec<RetrievedPassage>,
    new: RetrievedPassage,
    further: &mut usize,
) -> usize {
    let same = |p: &RetrievedPassage| {
        (&p.passage.source_id, &p.passage.bytes) == (&new.passage.source_id, &new.passage.bytes)
    };
    if let Some(place) = passages.iter().position(same) {
        return place;
    }
    *further += 1;
    passages.push(new);
    passages.len() - 1
}
