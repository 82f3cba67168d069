//! Verdicts: what the verifier decided, and why. Only the verifier makes them.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::codes::{AnchorClass, Code};
use crate::ladder::{AuditMode, AuditTail, Label, VerifierMethod};
use crate::parse::{AnswerMode, Claim, NoteKind, ParseNote};

/// What was found wrong, with all that the decision hung on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Violation {
    /// What it is.
    pub code: Code,
    /// The claim's number in the verdict, from 0; absent for the answer as a whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claim: Option<usize>,
    /// The anchor class, for `WARRANT_MISSING`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class: Option<AnchorClass>,
    /// The pointers involved.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pointers: Vec<String>,
    /// The tokens involved: what is missing, or what stands against it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tokens: Vec<String>,
    /// The policy's threshold, in the unit of that policy field.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threshold: Option<u32>,
    /// What was measured, in the same unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measured: Option<u32>,
}

impl Violation {
    pub(crate) fn new(code: Code) -> Self {
        Self {
            code,
            claim: None,
            class: None,
            pointers: Vec::new(),
            tokens: Vec::new(),
            threshold: None,
            measured: None,
        }
    }

    pub(crate) fn class(mut self, class: AnchorClass) -> Self {
        self.class = Some(class);
        self
    }

    pub(crate) fn pointers(mut self, pointers: Vec<String>) -> Self {
        self.pointers = pointers;
        self
    }

    pub(crate) fn tokens(mut self, tokens: Vec<String>) -> Self {
        self.tokens = tokens;
        self
    }

    pub(crate) fn measured(mut self, measured: u32, threshold: u32) -> Self {
        self.measured = Some(measured);
        self.threshold = Some(threshold);
        self
    }
}

/// How much of a claim stands in what it cites.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CoverageReport {
    /// The claim's distinct content tokens.
    pub content_tokens: u32,
    /// How many of them occur anywhere in the cited passages.
    pub in_passages: u32,
    /// How many occur in the best window of sentences.
    pub in_window: u32,
}

/// The verdict on one claim.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ClaimVerdict {
    text: String,
    span: Range<usize>,
    pointers: Vec<String>,
    supported: bool,
    pointer_linked: bool,
    warrant_fired: bool,
    warrant_classes: Vec<AnchorClass>,
    coverage: CoverageReport,
    #[serde(skip_serializing_if = "Option::is_none")]
    window: Option<EvidenceWindow>,
    violations: Vec<Violation>,
}

/// The sentences of a passage that cover a claim best.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EvidenceWindow {
    /// The pointer of the passage.
    pub pointer: String,
    /// Where the window stands in the passage, in bytes.
    pub bytes: Range<usize>,
}

impl ClaimVerdict {
    pub(crate) fn new(claim: &Claim) -> Self {
        Self {
            text: claim.text.clone(),
            span: claim.span.clone(),
            pointers: claim.pointers.iter().map(|p| p.id.clone()).collect(),
            supported: false,
            pointer_linked: false,
            warrant_fired: false,
            warrant_classes: Vec::new(),
            coverage: CoverageReport::default(),
            window: None,
            violations: Vec::new(),
        }
    }

    pub(crate) fn set_pointers(&mut self, pointers: Vec<String>) {
        self.pointers = pointers;
    }

    pub(crate) fn set_coverage(
        &mut self,
        coverage: CoverageReport,
        window: Option<EvidenceWindow>,
    ) {
        self.coverage = coverage;
        self.window = window;
    }

    pub(crate) fn warrant_ran(&mut self, class: AnchorClass) {
        self.warrant_fired = true;
        if !self.warrant_classes.contains(&class) {
            self.warrant_classes.push(class);
        }
    }

    pub(crate) fn push(&mut self, violation: Violation) {
        self.violations.push(violation);
    }

    /// Settles `supported` and `pointer_linked` by the violations.
    pub(crate) fn settle(&mut self, number: usize) {
        for violation in &mut self.violations {
            violation.claim = Some(number);
        }
        let hard = |v: &Violation| !v.code.is_demote() && !v.code.is_warrant();
        let linked = !self.violations.iter().any(hard);
        let warranted = !self.violations.iter().any(|v| v.code.is_warrant());
        self.supported = linked && warranted;
        self.pointer_linked = linked && !warranted;
    }

    /// Settles a span of free prose, which no checks but its strategy's apply to.
    pub(crate) fn settle_prose(&mut self, supported: bool) {
        self.supported = supported;
    }

    /// The claim's prose.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Where it stands in the answer, in bytes.
    #[must_use]
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// Its pointers, those beyond the cap trimmed.
    #[must_use]
    pub fn pointers(&self) -> &[String] {
        &self.pointers
    }

    /// Whether it passed checks 1 to 5, and 7 wherever it ran.
    #[must_use]
    pub fn supported(&self) -> bool {
        self.supported
    }

    /// Whether it passed checks 1 to 5 and failed 7.
    #[must_use]
    pub fn pointer_linked(&self) -> bool {
        self.pointer_linked
    }

    /// Whether check 7 ran, whatever its outcome.
    #[must_use]
    pub fn warrant_fired(&self) -> bool {
        self.warrant_fired
    }

    /// The anchor classes that ran, in the order in which they did.
    #[must_use]
    pub fn warrant_classes(&self) -> &[AnchorClass] {
        &self.warrant_classes
    }

    /// How much of it stands in what it cites.
    #[must_use]
    pub fn coverage(&self) -> CoverageReport {
        self.coverage
    }

    /// The sentences that cover it best.
    #[must_use]
    pub fn window(&self) -> Option<&EvidenceWindow> {
        self.window.as_ref()
    }

    /// What was found wrong, demotes included.
    #[must_use]
    pub fn violations(&self) -> &[Violation] {
        &self.violations
    }

    /// Whether anything caps its rung.
    #[must_use]
    pub fn demoted(&self) -> bool {
        self.violations.iter().any(|v| v.code.is_demote())
    }
}

/// A claim that the verifier found supported. Nothing else can make one:
///
/// ```compile_fail
/// let forged = claim_lattice::VerifiedClaim { claim: todo!() };
/// ```
///
/// and a verdict does not come back from the wire either:
///
/// ```compile_fail
/// let forged: claim_lattice::Verdict = serde_json::from_str("{}").unwrap();
/// ```
///
/// What is read back is a [`RecordedVerdict`](crate::RecordedVerdict), which has no such
/// claims until it is verified again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VerifiedClaim<'v> {
    claim: &'v ClaimVerdict,
}

impl<'v> VerifiedClaim<'v> {
    /// The claim.
    #[must_use]
    pub fn claim(&self) -> &'v ClaimVerdict {
        self.claim
    }
}

/// The verdict on an answer. It serializes and does not deserialize.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Verdict {
    label: Label,
    audit_mode: AuditMode,
    verifier_method: VerifierMethod,
    answer_mode: AnswerMode,
    audit_line: String,
    tails: Vec<AuditTail>,
    claims: Vec<ClaimVerdict>,
    violations: Vec<Violation>,
    notes: Vec<ParseNote>,
}

impl Verdict {
    pub(crate) fn new(
        label: Label,
        audit_mode: AuditMode,
        verifier_method: VerifierMethod,
        answer_mode: AnswerMode,
        claims: Vec<ClaimVerdict>,
        violations: Vec<Violation>,
        notes: Vec<ParseNote>,
    ) -> Self {
        let mut verdict = Self {
            label,
            audit_mode,
            verifier_method,
            answer_mode,
            audit_line: String::new(),
            tails: Vec::new(),
            claims,
            violations,
            notes,
        };
        verdict.write_audit_line();
        verdict
    }

    fn write_audit_line(&mut self) {
        let via = match (self.verifier_method, self.answer_mode) {
            (VerifierMethod::ClaimLattice, mode) => mode.wire_name(),
            (method, _) => method.wire_name(),
        };
        self.audit_line = format!("{} · via {via}", self.label);
        for tail in &self.tails {
            self.audit_line.push_str(" · ");
            self.audit_line.push_str(tail.words());
        }
    }

    /// The same verdict with what the preflight found in its audit line. Tails change no label.
    #[must_use]
    pub fn with_tails(mut self, tails: &[AuditTail]) -> Self {
        self.tails = tails.to_vec();
        self.tails.sort_unstable();
        self.tails.dedup();
        self.write_audit_line();
        self
    }

    /// The same verdict with the note that the model was cut off and that what stands in `span` of
    /// its answer was not read. The note changes no label.
    #[must_use]
    pub fn with_broken_off(mut self, span: std::ops::Range<usize>) -> Self {
        let kind = NoteKind::BrokeOff;
        self.notes.push(ParseNote { kind, span });
        self
    }

    /// The same verdict with a claim flagged as citing another reference frame than it states.
    /// A flag can only lower a label: EVIDENCE-WARRANTED becomes ANCHOR-WARRANTED. A claim
    /// number that the verdict does not have changes nothing.
    #[must_use]
    pub fn with_frame_mismatch(
        mut self,
        claim: usize,
        pointers: Vec<String>,
        tokens: Vec<String>,
    ) -> Self {
        if let Some(flagged) = self.claims.get_mut(claim) {
            let mut violation = Violation::new(Code::FrameMismatch)
                .pointers(pointers)
                .tokens(tokens);
            violation.claim = Some(claim);
            flagged.push(violation);
            if flagged.supported() {
                self.cap_rung();
            }
        }
        self
    }

    fn cap_rung(&mut self) {
        use crate::ladder::Rung;
        if let Label::Lattice { rung, .. } = &mut self.label {
            *rung = (*rung).min(Rung::AnchorWarranted);
        }
        self.write_audit_line();
    }

    /// The label.
    #[must_use]
    pub fn label(&self) -> Label {
        self.label
    }

    /// How much was verified.
    #[must_use]
    pub fn audit_mode(&self) -> AuditMode {
        self.audit_mode
    }

    /// What verified it.
    #[must_use]
    pub fn verifier_method(&self) -> VerifierMethod {
        self.verifier_method
    }

    /// How the answer was written.
    #[must_use]
    pub fn answer_mode(&self) -> AnswerMode {
        self.answer_mode
    }

    /// Label, method and tails in one line.
    #[must_use]
    pub fn audit_line(&self) -> &str {
        &self.audit_line
    }

    /// What the preflight added to the audit line.
    #[must_use]
    pub fn tails(&self) -> &[AuditTail] {
        &self.tails
    }

    /// The claims, in the answer's order.
    #[must_use]
    pub fn claims(&self) -> &[ClaimVerdict] {
        &self.claims
    }

    /// The claims that were found supported.
    pub fn verified_claims(&self) -> impl Iterator<Item = VerifiedClaim<'_>> {
        self.claims
            .iter()
            .filter(|c| c.supported)
            .map(|claim| VerifiedClaim { claim })
    }

    /// What was found wrong with the answer as a whole.
    #[must_use]
    pub fn violations(&self) -> &[Violation] {
        &self.violations
    }

    /// The parser's notes.
    #[must_use]
    pub fn notes(&self) -> &[ParseNote] {
        &self.notes
    }

    /// Whether nothing was there to verify. A gate does not pass such an answer by itself.
    #[must_use]
    pub fn no_claims(&self) -> bool {
        self.notes.iter().any(|n| n.kind == NoteKind::NoClaims)
    }

    /// The one gate for all uses: at least one claim, and every claim supported.
    #[must_use]
    pub fn passes(&self) -> bool {
        self.audit_mode == AuditMode::Strict && !self.claims.is_empty()
    }
}
