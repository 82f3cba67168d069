//! Answers with pointers: checks 1 to 9 for each claim, then the label of the whole.

use super::claim_text::{ClaimText, MAX_SLOTS, Mask};
use super::matching::{Matcher, PassageMatch};
use super::{base_anchors, bearers, closed, coverage, demotes, further, roles, variants};
use crate::codes::Code;
use crate::evidence::EvidenceMap;
use crate::index::{Index, Overlay};
use crate::ladder::{AuditMode, Label, Rung, VerifierMethod};
use crate::language::{Lexicon, Shape};
use crate::parse::{AnswerMode, Claim, NoteKind, ParseNote, Parsed};
use crate::policy::Policy;
use crate::verdict::{ClaimVerdict, Verdict, Violation};

/// What all checks of an answer share.
pub(super) struct Context<'a> {
    pub(super) evidence: &'a EvidenceMap,
    pub(super) index: &'a Index,
    pub(super) lexicon: &'a Lexicon,
    pub(super) policy: &'a Policy,
    pub(super) shape: Shape,
    /// The stems of the question's content words.
    pub(super) question: ClaimText,
}

/// What the checks of one claim share.
pub(super) struct Cited<'a> {
    pub(super) claim: &'a ClaimText,
    pub(super) pointers: Vec<String>,
    pub(super) matches: Vec<PassageMatch<'a>>,
    /// What the cited passages hold in all, titles included.
    pub(super) all: Mask,
    /// What the best windows hold together.
    pub(super) window: Mask,
}

impl Cited<'_> {
    /// The match whose window holds most.
    pub(super) fn best(&self) -> Option<&PassageMatch<'_>> {
        self.matches
            .iter()
            .rev()
            .max_by_key(|m| m.window_mask.count_ones())
    }

    /// Whether a sentence of the evidence says nearly what the claim says around a token: it
    /// holds two thirds of the clause. Only then does a small word that it lacks tell the two
    /// apart.
    pub(super) fn restated(&self, token: usize) -> bool {
        let slots = &self.claim.slot_of;
        let behind = slots.iter().skip(token).take(MAX_SLOTS).flatten().next();
        let before = slots
            .iter()
            .take(token)
            .rev()
            .take(MAX_SLOTS)
            .flatten()
            .next();
        let Some(&slot) = behind.or(before) else {
            return false;
        };
        let clause = self.claim.clauses.iter().find(|c| *c >> slot & 1 == 1);
        clause.is_some_and(|&clause| self.matches.iter().any(|m| m.restates(clause)))
    }
}

pub(crate) fn verify(
    question: &str,
    evidence: &EvidenceMap,
    index: &Index,
    parsed: Parsed,
    mode: AnswerMode,
    policy: &Policy,
) -> Verdict {
    let lexicon = policy.language.lexicon();
    let mut overlay = Overlay::new(&index.vocabulary);
    let context = Context {
        evidence,
        index,
        lexicon,
        policy,
        shape: lexicon.shape(question),
        question: ClaimText::new(question, &mut overlay, lexicon),
    };
    let Parsed { claims, mut notes } = parsed;
    let refusals: Vec<bool> = claims
        .iter()
        .map(|c| c.pointers.is_empty() && lexicon.is_refusal(&c.text))
        .collect();
    let refused = refusals.iter().any(|&r| r);
    for (claim, _) in claims.iter().zip(&refusals).filter(|&(_, &r)| r) {
        notes.push(ParseNote {
            kind: NoteKind::Refusal,
            span: claim.span.clone(),
        });
    }
    let stated: Vec<&Claim> = claims
        .iter()
        .zip(&refusals)
        .filter_map(|(c, r)| (!r).then_some(c))
        .collect();
    if refused
        && stated
            .iter()
            .all(|c| c.pointers.is_empty() && !c.malformed_pointer)
    {
        let mode_of = AuditMode::Ungrounded;
        return Verdict::new(
            Label::HonestRefusal,
            mode_of,
            VerifierMethod::None,
            mode,
            Vec::new(),
            Vec::new(),
            notes,
        );
    }
    let mut matcher = Matcher::new(index);
    let mut verdicts = Vec::with_capacity(stated.len());
    let mut subject_seen = false;
    for (number, claim) in stated.iter().enumerate() {
        let text = ClaimText::new(&claim.text, &mut overlay, lexicon);
        subject_seen |= demotes::holds_subject(&text, &context.question);
        let mut verdict = ClaimVerdict::new(claim);
        check(claim, &text, &context, &mut matcher, &overlay, &mut verdict);
        verdict.settle(number);
        verdicts.push(verdict);
    }
    let violations = demotes::of_answer(&verdicts, &context, subject_seen);
    label(verdicts, violations, notes, mode)
}

/// Checks 1 to 9 of one claim, each adding what it finds wrong.
fn check(
    claim: &Claim,
    text: &ClaimText,
    context: &Context<'_>,
    matcher: &mut Matcher,
    overlay: &Overlay<'_>,
    verdict: &mut ClaimVerdict,
) {
    if claim.malformed_pointer {
        verdict.push(Violation::new(Code::MalformedPointer));
    } else if claim.pointers.is_empty() {
        verdict.push(Violation::new(Code::NoEvidencePointer));
    }
    if text.prepared.tokens.is_empty() {
        verdict.push(Violation::new(Code::EmptyClaim));
    }
    let passages = resolve(claim, context, verdict);
    if passages.is_empty() || text.prepared.tokens.is_empty() {
        return;
    }
    matcher.load(text, context.index, overlay, context.lexicon);
    let width = usize::from(context.policy.window_sentences).max(1);
    let matches: Vec<PassageMatch<'_>> = passages
        .iter()
        .filter_map(|&p| PassageMatch::new(p, context.index, matcher, text, width))
        .collect();
    let cited = Cited {
        claim: text,
        pointers: pointer_ids(&passages, context),
        all: matches.iter().fold(0, |mask, m| mask | m.all | m.title),
        window: matches.iter().fold(0, |mask, m| mask | m.window_mask),
        matches,
    };
    if cited.matches.iter().all(|m| m.prepared.tokens.is_empty()) {
        verdict.push(Violation::new(Code::EvidenceEmpty).pointers(cited.pointers.clone()));
        return;
    }
    let cited = variants::credit(cited, context);
    let cited = bearers::credit(cited, context);
    let cited = base_anchors::credit_names(cited, context);
    let cited = further::credit_denied_opposites(cited, context, overlay);
    coverage::check(&cited, context, verdict);
    base_anchors::check(&cited, context, verdict);
    closed::check(&cited, context, overlay, verdict);
    further::check(&cited, context, overlay, verdict);
    if context.policy.anchors.roles {
        roles::check(&cited, context, verdict);
    }
    demotes::of_claim(&cited, context, verdict);
}

fn pointer_ids(passages: &[usize], context: &Context<'_>) -> Vec<String> {
    passages
        .iter()
        .filter_map(|&p| context.evidence.entries().get(p))
        .map(|e| e.pointer_id.clone())
        .collect()
}

/// Checks 2, 3 and 6: the passages that the claim's pointers name.
fn resolve(claim: &Claim, context: &Context<'_>, verdict: &mut ClaimVerdict) -> Vec<usize> {
    let cap = usize::from(context.policy.pointer_cap);
    let kept = claim.pointers.get(..cap).unwrap_or(&claim.pointers);
    let mut unknown = Vec::new();
    let mut denied = Vec::new();
    let mut passages = Vec::new();
    for pointer in kept {
        let Some(at) = context.evidence.position(&pointer.id) else {
            unknown.push(pointer.id.clone());
            continue;
        };
        let Some(entry) = context.evidence.entries().get(at) else {
            continue;
        };
        if !context.policy.allowed_roles.contains(&entry.source_role) {
            denied.push(pointer.id.clone());
        } else if !passages.contains(&at) {
            passages.push(at);
        }
    }
    // A pointer beyond the cap is trimmed, but one that does not exist is still told.
    let beyond = claim.pointers.get(cap..).unwrap_or_default();
    unknown.extend(
        beyond
            .iter()
            .filter(|p| context.evidence.position(&p.id).is_none())
            .map(|p| p.id.clone()),
    );
    let tolerated = context.policy.tolerate_unknown_pointers && !passages.is_empty();
    if !unknown.is_empty() && !tolerated {
        verdict.push(Violation::new(Code::UnknownEvidence).pointers(unknown));
    }
    if !denied.is_empty() {
        verdict.push(Violation::new(Code::SourceRoleDenied).pointers(denied));
    }
    if claim.pointers.len() > cap {
        let count = u32::try_from(claim.pointers.len()).unwrap_or(u32::MAX);
        verdict.push(
            Violation::new(Code::PointerOverflowTrimmed)
                .pointers(beyond.iter().map(|p| p.id.clone()).collect())
                .measured(count, u32::from(context.policy.pointer_cap)),
        );
        verdict.set_pointers(kept.iter().map(|p| p.id.clone()).collect());
    }
    passages
}

/// The label of the whole answer.
fn label(
    claims: Vec<ClaimVerdict>,
    violations: Vec<Violation>,
    notes: Vec<ParseNote>,
    mode: AnswerMode,
) -> Verdict {
    let supported = claims.iter().filter(|c| c.supported()).count();
    let linked = claims.iter().filter(|c| c.pointer_linked()).count();
    let fired = claims.iter().any(ClaimVerdict::warrant_fired);
    let demoted = violations.iter().any(|v| v.code.is_demote())
        || claims.iter().any(|c| c.supported() && c.demoted());
    let rung = match (supported, linked) {
        (0, 0) => Rung::Ungrounded,
        (0, _) => Rung::PointerLinked,
        _ if !fired => Rung::PointerLinked,
        _ if demoted => Rung::AnchorWarranted,
        _ => Rung::EvidenceWarranted,
    };
    let reached = if supported > 0 { supported } else { linked };
    let audit_mode = match supported {
        0 => AuditMode::Ungrounded,
        n if n == claims.len() => AuditMode::Strict,
        _ => AuditMode::Hybrid,
    };
    let method = if rung == Rung::Ungrounded {
        VerifierMethod::None
    } else {
        VerifierMethod::ClaimLattice
    };
    let label = Label::Lattice {
        rung,
        partial: reached < claims.len(),
    };
    Verdict::new(label, audit_mode, method, mode, claims, violations, notes)
}
