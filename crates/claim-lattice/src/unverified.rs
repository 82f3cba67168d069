//! What answers said that the corpus cannot ground: what to ingest next.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::codes::Code;
use crate::verdict::Verdict;

/// A span that answers said and no passage bore.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnverifiedSpan {
    /// The span, as it was first written.
    pub text: String,
    /// In how many verdicts it occurs.
    pub runs: u32,
    /// How often it occurs in all.
    pub occurrences: u32,
    /// The codes that it failed by, each once.
    pub codes: Vec<Code>,
}

/// The spans of claims that were not supported, over many runs: most runs first, then most
/// occurrences, then by text. Spans are the same when their words are.
///
/// `O(n log n)` in the number of claims.
#[must_use]
pub fn unverified_spans<'v>(
    verdicts: impl IntoIterator<Item = &'v Verdict>,
) -> Vec<UnverifiedSpan> {
    let mut found: BTreeMap<String, (UnverifiedSpan, usize)> = BTreeMap::new();
    for (run, verdict) in verdicts.into_iter().enumerate() {
        for claim in verdict.claims().iter().filter(|c| !c.supported()) {
            let key: Vec<String> = text_units::words(claim.text())
                .map(|w| w.folded().into_owned())
                .collect();
            let (span, last_run) = found.entry(key.join(" ")).or_insert_with(|| {
                let span = UnverifiedSpan {
                    text: claim.text().to_owned(),
                    runs: 0,
                    occurrences: 0,
                    codes: Vec::new(),
                };
                (span, usize::MAX)
            });
            span.occurrences = span.occurrences.saturating_add(1);
            if *last_run != run {
                span.runs = span.runs.saturating_add(1);
                *last_run = run;
            }
            for violation in claim.violations() {
                if !violation.code.is_demote() && !span.codes.contains(&violation.code) {
                    span.codes.push(violation.code);
                }
            }
        }
    }
    let mut spans: Vec<UnverifiedSpan> = found.into_values().map(|(span, _)| span).collect();
    for span in &mut spans {
        span.codes.sort_unstable();
    }
    spans.sort_by(|a, b| {
        (b.runs, b.occurrences)
            .cmp(&(a.runs, a.occurrences))
            .then_with(|| a.text.cmp(&b.text))
    });
    spans
}
