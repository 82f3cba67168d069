//! Whether a polished answer still says what its draft said.

use claim_lattice::{AnswerMode, EvidenceMap, Passage, Policy, verify};

use crate::{Error, SealedAnswer, SealedClaim};

/// What the second pass lost, one sentence each; empty if every claim came through.
///
/// A supported claim of the draft came through if a supported claim of the polished answer cites
/// the same passages and bears it, by the same verifier under [`Policy::strict`]: its content,
/// names, numbers and polarity. A pointer that the draft did not cite is an addition, and a lower
/// label a loss. Takes the draft's claims times the polished ones that share their pointers.
///
/// # Errors
/// [`Error::Evidence`] if a claim cannot be made an entry of evidence, for which none gives cause.
pub fn lost_in_polish(draft: &SealedAnswer, polished: &SealedAnswer) -> Result<Vec<String>, Error> {
    let mut lost = Vec::new();
    for claim in draft.claims.iter().filter(|c| c.supported) {
        let mut kept = false;
        for other in polished.claims.iter().filter(|c| c.supported) {
            kept = kept || (same_pointers(claim, other) && bears(&other.text, &claim.text)?);
        }
        if !kept {
            lost.push(format!("not said any more: {:?}", claim.text));
        }
    }
    for claim in &polished.claims {
        let known = |p: &String| draft.claims.iter().any(|c| c.pointers.contains(p));
        if let Some(new) = claim.pointers.iter().find(|p| !known(p)) {
            lost.push(format!(
                "{new} was not cited in the draft: {:?}",
                claim.text
            ));
        }
    }
    if polished.rung() < draft.rung() {
        lost.push(format!(
            "the label fell from {} to {}",
            draft.label, polished.label
        ));
    }
    Ok(lost)
}

fn same_pointers(a: &SealedClaim, b: &SealedClaim) -> bool {
    let within =
        |a: &SealedClaim, b: &SealedClaim| a.pointers.iter().all(|p| b.pointers.contains(p));
    within(a, b) && within(b, a)
}

/// Whether one sentence bears another.
fn bears(evidence: &str, claim: &str) -> Result<bool, Error> {
    let mut map = EvidenceMap::builder(usize::MAX);
    map.push(Passage::whole("polished", "", evidence))?;
    let answer = serde_json::json!({"claims": [{"text": claim, "evidence_ids": ["E1"]}]});
    let verdict = verify(
        "",
        &map.build(),
        &answer.to_string(),
        AnswerMode::Json,
        &Policy::strict(),
    );
    Ok(verdict.verified_claims().next().is_some())
}
