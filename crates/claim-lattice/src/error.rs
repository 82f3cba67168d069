//! The errors of this crate.

use thiserror::Error;

/// What can be refused before verification starts. Verification itself is total: every answer
/// text yields a verdict.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Error {
    /// A pointer marker holds something else than ASCII letters.
    #[error(
        "the pointer marker {marker:?} is not accepted: up to 8 ASCII letters are, or nothing at all for [1]"
    )]
    InvalidMarker {
        /// The marker as it was given.
        marker: String,
    },
    /// A location ends before it starts, or its character range is longer than its byte range.
    #[error(
        "the location of a passage of source {source_id:?} is not a range: start must not exceed end, and characters must not exceed bytes"
    )]
    InvalidLocation {
        /// The source whose passage it is.
        source_id: String,
    },
    /// A text is no evidence id.
    #[error("{text:?} is no evidence id: 64 lower-case hexadecimal digits are")]
    InvalidEvidenceId {
        /// The text as it was given.
        text: String,
    },
    /// A language's word list holds a word that no text can contain.
    #[error(
        "the word list {list} holds {word:?}: entries are single lower-case words without white space"
    )]
    InvalidWord {
        /// The list's name.
        list: &'static str,
        /// The entry.
        word: String,
    },
}
