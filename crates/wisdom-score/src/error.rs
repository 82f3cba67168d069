//! What can go wrong, one sentence each.

/// Why a scorer could not be made or a text could not be scored.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Custom weights are not a convex combination.
    #[error(
        "weights {values:?} sum to {sum}: accepted are eight finite weights, none negative, that sum to 1 within 1e-9"
    )]
    Weights {
        /// The weights as given, in the order of the components.
        values: [f64; 8],
        /// Their sum.
        sum: f64,
    },
    /// The text is longer than [`crate::Options::max_bytes`].
    #[error(
        "the text has {bytes} bytes: accepted are at most {limit} (Options::max_bytes, itself at most 2^32 - 1)"
    )]
    TextTooLong {
        /// Length of the text in bytes.
        bytes: usize,
        /// The limit in force.
        limit: usize,
    },
    /// The bytes are not UTF-8, which only the deployed semantics accept.
    #[error(
        "byte {at} is not UTF-8: accepted is UTF-8 text (only the deployed semantics take any bytes)"
    )]
    InvalidUtf8 {
        /// Offset of the first byte that does not continue valid UTF-8.
        at: usize,
    },
    /// The reference implementation throws on this text, so there is no score to reproduce.
    #[error(
        "the PHP reference throws on this text ({exception}): it cites two or more codes and ends in \"però\""
    )]
    ReferenceThrows {
        /// The reference's own message.
        exception: &'static str,
    },
    /// A part of an ontology names something that the ontology does not have.
    #[error("{part} names {name:?}, which is not {expected} of this ontology")]
    UnknownName {
        /// Which part of the ontology, such as `axis` or `mediator SIN`.
        part: String,
        /// The name that is not known.
        name: String,
        /// What it should have been.
        expected: &'static str,
    },
    /// A part of an ontology is defined twice.
    #[error("{part} {name:?} is defined twice: accepted is one definition of each")]
    Duplicate {
        /// What is defined twice.
        part: &'static str,
        /// Its name.
        name: String,
    },
    /// An ontology has too many or too few parts of a kind.
    #[error("the ontology has {count} {part}: accepted are {least} to {most}")]
    Count {
        /// Which parts.
        part: &'static str,
        /// How many there are.
        count: usize,
        /// Fewest accepted.
        least: usize,
        /// Most accepted.
        most: usize,
    },
    /// A code or phrase cannot be matched as whole tokens.
    #[error("{part} {text:?} cannot be matched: accepted is {expected}")]
    Unmatchable {
        /// What kind of entry.
        part: &'static str,
        /// The entry.
        text: String,
        /// What would be accepted.
        expected: &'static str,
    },
    /// The deployed semantics know the default ontology only.
    #[error(
        "the deployed semantics reproduce a reference that knows the default ontology only: a scorer with another ontology is canonical"
    )]
    DeployedOntology,
    /// A line of a built-in or user data table does not parse.
    #[error("line {line} of {table} has {found:?}: accepted is {expected}")]
    Table {
        /// Name of the table.
        table: &'static str,
        /// Line number, from 1.
        line: usize,
        /// What stands there.
        found: String,
        /// What would be accepted.
        expected: &'static str,
    },
    /// An evaluation was asked of data that cannot give it.
    #[error("{what}: accepted is {expected}")]
    Evaluation {
        /// What is wrong with the data.
        what: String,
        /// What would be accepted.
        expected: &'static str,
    },
}
