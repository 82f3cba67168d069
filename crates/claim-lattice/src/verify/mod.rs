//! The verifier: nine checks, further anchor classes, demotes, and the ladder.

mod base_anchors;
mod bearers;
mod causes;
mod claim_text;
mod closed;
mod coverage;
mod demotes;
mod further;
mod lattice;
mod matching;
mod roles;
mod variants;

pub(crate) use claim_text::names;
pub(crate) use lattice::verify as verify_claims;

use crate::evidence::EvidenceMap;
use crate::parse::{AnswerMode, ParseOptions, parse};
use crate::policy::Policy;
use crate::prose;
use crate::verdict::Verdict;

/// Verifies an answer against the evidence it was written from.
///
/// A pure function of its arguments: no model, no clock, no randomness; the same bytes in give
/// the same verdict out. Total: any answer text yields a verdict. Linear in the length of the
/// answer, and in the length of each passage times the claims that cite it.
///
/// Texts are compared after [`text_units::clean`]; positions in the verdict are those of the
/// texts as they were handed in.
#[must_use]
pub fn verify(
    question: &str,
    evidence: &EvidenceMap,
    answer: &str,
    mode: AnswerMode,
    policy: &Policy,
) -> Verdict {
    let options = ParseOptions {
        marker: evidence.marker().to_owned(),
        policy: policy.parse,
        ..ParseOptions::default()
    };
    let parsed = parse(answer, mode, &options);
    evidence
        .index
        .with(evidence.entries(), &policy.language, |index| {
            if mode == AnswerMode::Quote {
                prose::verify(question, evidence, index, answer, parsed, policy)
            } else {
                lattice::verify(question, evidence, index, parsed, mode, policy)
            }
        })
}
