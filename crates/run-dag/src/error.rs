//! The crate's one error enum.

/// What was wrong, where, and what would be accepted.
///
/// `path` always names a place in the JSON at hand, in the form `stages[3].payload.entries`.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Bytes that are not JSON text.
    #[error("{path}: byte {offset} is not JSON: expected {expected}")]
    Syntax {
        /// Where in the document.
        path: String,
        /// Byte offset into the text.
        offset: usize,
        /// What would be accepted there.
        expected: &'static str,
    },
    /// A number with a fraction, an exponent or a negative zero.
    #[error(
        "{path}: {found} is a floating-point form; committed numbers are integers or decimal strings"
    )]
    Float {
        /// Where in the document.
        path: String,
        /// The number as found.
        found: String,
    },
    /// An integer beyond ±(2^53 − 1).
    #[error(
        "{path}: integer {found} is outside ±9007199254740991; write larger numbers as decimal strings"
    )]
    IntegerOutOfRange {
        /// Where in the document.
        path: String,
        /// The number as found.
        found: String,
    },
    /// A text that is not a decimal in canonical form.
    #[error(
        "{found:?} is not a canonical decimal: no exponent, no sign but '-', no leading or trailing zeros, no -0"
    )]
    Decimal {
        /// The text as found.
        found: String,
    },
    /// The same key twice in one object.
    #[error("{path}: key {key:?} occurs twice; each key may occur once")]
    DuplicateKey {
        /// Where in the document: the object.
        path: String,
        /// The key.
        key: String,
    },
    /// Half of a surrogate pair in an escape.
    #[error(
        "{path}: escape at byte {offset} is a lone surrogate; only whole characters are accepted"
    )]
    LoneSurrogate {
        /// Where in the document.
        path: String,
        /// Byte offset into the text.
        offset: usize,
    },
    /// Nesting beyond the limit.
    #[error("{path}: nested deeper than {limit} levels")]
    TooDeep {
        /// Where in the document.
        path: String,
        /// The limit in force.
        limit: usize,
    },
    /// More bytes or items than the limit.
    #[error("{path}: {size} exceeds the limit of {limit} {unit}")]
    Oversize {
        /// Where in the document.
        path: String,
        /// What was found.
        size: usize,
        /// The limit in force.
        limit: usize,
        /// What is counted: `bytes`, `stages`, ….
        unit: &'static str,
    },
    /// A value of another type or with other fields than the place demands.
    #[error("{path}: {reason}")]
    WrongType {
        /// Where in the document.
        path: String,
        /// What was expected and what was found.
        reason: String,
    },
    /// A data structure that has no canonical JSON (a map with keys that are not strings, say).
    #[error("{path}: cannot be committed: {reason}")]
    Uncommittable {
        /// Where in the structure.
        path: String,
        /// Why not.
        reason: String,
    },
    /// JSON of the right value in another spelling than the canonical one.
    #[error(
        "the text is not canonical JSON (RFC 8785): it departs from the canonical bytes at byte {offset}"
    )]
    NotCanonical {
        /// First byte at which the text departs.
        offset: usize,
    },
    /// A record, proof or event of a format that this version does not know.
    #[error("{path}: unknown format {found:?}; this version reads {accepted:?}")]
    UnknownFormat {
        /// Where in the document.
        path: String,
        /// The format named.
        found: String,
        /// The format accepted.
        accepted: &'static str,
    },
    /// A stage kind that no shape knows.
    #[error(
        "{path}: unknown stage kind {kind:?}; accepted are the built-in kinds and `shape/kind` in lower-case ASCII letters, digits, '_' and '-'"
    )]
    UnknownStageKind {
        /// Where in the document.
        path: String,
        /// The kind named.
        kind: String,
    },
    /// A digest that is not 64 lower-case hexadecimal digits.
    #[error("{found:?} is not a digest: 64 lower-case hexadecimal digits are accepted")]
    Digest {
        /// The text as found (shortened).
        found: String,
    },
    /// A shape that is none.
    #[error(
        "unknown shape {found:?}; accepted are quote, quote_legacy, lattice, lattice_legacy, reject, decline, deliberation and custom/NAME"
    )]
    UnknownShape {
        /// The text as found.
        found: String,
    },
    /// A stage missing, doubled or out of place.
    #[error("stage {stage}: {problem} for shape {shape}")]
    Shape {
        /// The shape's name.
        shape: String,
        /// The stage, as `kind` or `kind#ordinal`.
        stage: String,
        /// What is wrong and what would be accepted.
        problem: String,
    },
    /// A field that follows from others does not.
    #[error("stage {stage}: {field} is {found} and should be {expected}")]
    Derived {
        /// The stage.
        stage: String,
        /// The field.
        field: String,
        /// The value found.
        found: String,
        /// The value that follows from the rest.
        expected: String,
    },
    /// No stage of that name.
    #[error("the run has no stage {name:?}; it has {known}")]
    NoSuchStage {
        /// The name asked for.
        name: String,
        /// The names there are.
        known: String,
    },
    /// An index or size outside the tree.
    #[error("{what} {index} is outside a tree of {size} leaves")]
    OutOfTree {
        /// What was asked for: `leaf`, `size`, ….
        what: &'static str,
        /// The index asked for.
        index: u64,
        /// The tree's size.
        size: u64,
    },
    /// A leaf newer than the checkpoint it should be proved against.
    #[error("leaf {index} is newer than the checkpoint, which covers {size} leaves")]
    NewerThanCheckpoint {
        /// The leaf.
        index: u64,
        /// The checkpoint's size.
        size: u64,
    },
    /// A proof that does not prove.
    #[error("the proof does not verify: {reason}")]
    Proof {
        /// What failed.
        reason: String,
    },
    /// An entry of the audit log that breaks the chain.
    #[error("audit log: {0}")]
    LogBreak(crate::audit::LogBreak),
    /// A text that a store cannot keep.
    #[error("{path}: text holds U+0000, which no store accepts")]
    NulInText {
        /// The field.
        path: &'static str,
    },
    /// A row that is there already with other content.
    #[error("the ledger has a row for {root} with other content")]
    RowConflict {
        /// The run's root.
        root: String,
    },
    /// A row that is not there.
    #[error("the ledger has no row for {root}")]
    NoSuchRow {
        /// The run's root.
        root: String,
    },
    /// A row that others refer to.
    #[error(
        "row {root} is referred to by {referrers} other row(s); force the burn or burn those first"
    )]
    RowReferenced {
        /// The run's root.
        root: String,
        /// How many rows refer to it.
        referrers: usize,
    },
    /// A lower label under the same policy.
    #[error(
        "row {root}: rung {from} would fall to {to} under the same policy; a demotion needs a new policy"
    )]
    Demotion {
        /// The run's root.
        root: String,
        /// The rung it has.
        from: u32,
        /// The rung proposed.
        to: u32,
    },
    /// A log or store opened under another name than it was made with.
    #[error("the log's origin is {found:?}, not {expected:?}")]
    WrongOrigin {
        /// The origin found.
        found: String,
        /// The origin expected.
        expected: String,
    },
    /// A signed note or key that is malformed, of another key, or whose signature fails.
    #[error("signed note: {reason}")]
    Note {
        /// What is wrong.
        reason: String,
    },
    /// A store failed beneath the trait.
    #[error("store failed to {operation}: {source}")]
    Backend {
        /// What was being done.
        operation: &'static str,
        /// The store's own error.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

impl Error {
    /// Wraps a store's own error; for implementers of the traits of this crate.
    pub fn backend(
        operation: &'static str,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        Self::Backend {
            operation,
            source: source.into(),
        }
    }

    /// The same error with `prefix` put before its path, for errors that have one.
    pub(crate) fn under(mut self, prefix: &str) -> Self {
        if let Self::Syntax { path, .. }
        | Self::Float { path, .. }
        | Self::IntegerOutOfRange { path, .. }
        | Self::DuplicateKey { path, .. }
        | Self::LoneSurrogate { path, .. }
        | Self::TooDeep { path, .. }
        | Self::Oversize { path, .. }
        | Self::WrongType { path, .. }
        | Self::Uncommittable { path, .. }
        | Self::UnknownFormat { path, .. }
        | Self::UnknownStageKind { path, .. } = &mut self
        {
            *path = join(prefix, path);
        }
        self
    }
}

/// Joins two path parts: `a` + `b` = `a.b`, `a` + `[1]` = `a[1]`, with `$` for the document itself.
pub(crate) fn join(prefix: &str, path: &str) -> String {
    match (prefix, path) {
        ("$" | "", p) => p.to_owned(),
        (p, "$" | "" | ".") => p.to_owned(),
        (p, q) if q.starts_with('[') => format!("{p}{q}"),
        (p, q) => format!("{p}.{q}"),
    }
}

/// Results of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;
