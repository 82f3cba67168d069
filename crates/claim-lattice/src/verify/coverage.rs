//! Check 5: how much of a claim its evidence holds.

use super::claim_text::{ClaimText, Mask};
use super::lattice::{Cited, Context};
use crate::codes::Code;
use crate::policy::Policy;
use crate::verdict::{ClaimVerdict, CoverageReport, EvidenceWindow, Violation};

/// What a word weighs that is neither verb nor modifier; those weigh the policy's `verb_weight`
/// times [`PER_VERB_WEIGHT`].
const PLAIN: u64 = 8;
const PER_VERB_WEIGHT: u64 = 4;

/// By how much less a missing word of a short gap weighs.
const SHORT_GAP: u64 = 4;

/// However short its gaps are, so much of a claim has to be there, in percent: the share that
/// the base design asks for.
const LEAST_PERCENT: u64 = 30;

pub(super) fn check(cited: &Cited<'_>, context: &Context<'_>, verdict: &mut ClaimVerdict) {
    let policy = context.policy;
    let claim = cited.claim;
    let total = u32::try_from(claim.content).unwrap_or(u32::MAX);
    let report = CoverageReport {
        content_tokens: total,
        in_passages: cited.all.count_ones(),
        in_window: cited.window.count_ones(),
    };
    verdict.set_coverage(report, window_of(cited, context));
    let (found, mask) = if policy.coverage_in_window {
        (report.in_window, cited.window)
    } else {
        (report.in_passages, cited.all)
    };
    let few = total <= u32::from(policy.few_tokens);
    let enough = if few {
        found >= 1
    } else {
        Weights::new(claim, mask, policy).suffice(policy.coverage_percent)
    };
    // A claim of function words alone shares nothing that could be checked.
    if !enough || total == 0 {
        let percent = found.saturating_mul(100).checked_div(total).unwrap_or(0);
        verdict.push(
            Violation::new(Code::LowCoverage)
                .pointers(cited.pointers.clone())
                .tokens(claim.slot_texts(claim.all() & !mask))
                .measured(percent, u32::from(policy.coverage_percent)),
        );
    }
}

/// What the words of a claim weigh.
#[derive(Debug, Default, PartialEq, Eq)]
struct Weights {
    /// Those that the evidence holds.
    held: u64,
    /// Those that it lacks.
    missing: u64,
    /// The same, with the words of short gaps lessened.
    eased: u64,
}

impl Weights {
    /// Weighs each distinct word once, where it first stands. A gap is a row of words that the
    /// evidence lacks, function words between them left out: one as short as the policy's
    /// `gap_words` is what another wording leaves; a longer one is a detail that the evidence
    /// does not have. A claim of no more than twice as many content words has no short gaps.
    fn new(claim: &ClaimText, mask: Mask, policy: &Policy) -> Self {
        let mut out = Self::default();
        let short = match u32::from(policy.gap_words) {
            gap if claim.content > 2 * usize::from(policy.gap_words) => gap,
            _ => 0,
        };
        let (mut seen, mut gap, mut words): (Mask, u64, u32) = (0, 0, 0);
        for slot in claim.slot_of.iter().flatten() {
            let bit = 1 << slot;
            let weight = match claim.slots.get(usize::from(*slot)) {
                Some(s) if s.verb => u64::from(policy.verb_weight) * PER_VERB_WEIGHT,
                _ => PLAIN,
            };
            if mask & bit != 0 {
                out.close_gap(gap, words <= short);
                (gap, words) = (0, 0);
                out.held += if seen & bit == 0 { weight } else { 0 };
            } else if seen & bit == 0 {
                gap += weight;
                words += 1;
            }
            seen |= bit;
        }
        out.close_gap(gap, words <= short);
        let beyond = u64::try_from(claim.content - claim.slots.len()).unwrap_or(u64::MAX);
        out.close_gap(beyond.saturating_mul(PLAIN), false);
        out
    }

    fn close_gap(&mut self, weight: u64, short: bool) {
        self.missing = self.missing.saturating_add(weight);
        self.eased = self
            .eased
            .saturating_add(if short { weight / SHORT_GAP } else { weight });
    }

    fn suffice(&self, percent: u8) -> bool {
        let percent = u64::from(percent);
        let share = |missing: u64, percent: u64| {
            let whole = self.held.saturating_add(missing);
            whole > 0 && self.held.saturating_mul(100) >= whole.saturating_mul(percent)
        };
        share(self.eased, percent) && share(self.missing, percent.min(LEAST_PERCENT))
    }
}

fn window_of(cited: &Cited<'_>, context: &Context<'_>) -> Option<EvidenceWindow> {
    let best = cited.best()?;
    let entry = context.evidence.entries().get(best.passage)?;
    let window = best.widest();
    let first = best.prepared.sentences.get(window.start)?;
    let last = best.prepared.sentences.get(window.end.checked_sub(1)?)?;
    Some(EvidenceWindow {
        pointer: entry.pointer_id.clone(),
        bytes: best
            .prepared
            .cleaned
            .original_range(first.span.start..last.span.end),
    })
}
