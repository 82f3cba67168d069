//! The parser of answers: any string in, claims and typed notes out, each with its byte span.

mod blocks;
mod json;
mod markers;
mod prose;
mod truncated;

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::evidence::DEFAULT_MARKER;
use crate::policy::ParsePolicy;

pub use truncated::finished;

/// What the model was asked to write.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum AnswerMode {
    /// Prose with pointers: `Steve Jobs co-founded Apple. [E1]`.
    #[default]
    Pointer,
    /// JSON by [`json_schema`](crate::json_schema).
    Json,
    /// Free prose with quotation marks.
    Quote,
}

impl AnswerMode {
    /// The name in audit lines: `claim_lattice_pointer`, `claim_lattice` or `quote`.
    #[must_use]
    pub fn wire_name(self) -> &'static str {
        match self {
            Self::Pointer => "claim_lattice_pointer",
            Self::Json => "claim_lattice",
            Self::Quote => "quote",
        }
    }
}

/// A pointer of a claim.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Pointer {
    /// The pointer id: marker and number (`E1`), or whatever string the JSON had.
    pub id: String,
    /// Where it stands in the answer, in bytes; an id out of a range has the range's span.
    pub span: Range<usize>,
}

/// A claim as the model wrote it, nothing checked.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Claim {
    /// The prose without pointers, list marks and table bars; white space is single spaces.
    pub text: String,
    /// Where it stands in the answer, in bytes, from its first to its last character.
    pub span: Range<usize>,
    /// Its pointers, each id once, in order.
    pub pointers: Vec<Pointer>,
    /// Whether something like a pointer stood there that could not be read.
    pub malformed_pointer: bool,
}

/// What the parser saw beside claims.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ParseNote {
    /// What it is.
    pub kind: NoteKind,
    /// Where it stands in the answer, in bytes.
    pub span: Range<usize>,
}

/// The kinds of [`ParseNote`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum NoteKind {
    /// Pointers in round, lenticular or full-width brackets.
    BracketStyle,
    /// The marker in the other case, or full-width letters.
    MarkerStyle,
    /// Digits of another script.
    DigitStyle,
    /// A separator other than the comma.
    SeparatorStyle,
    /// A range, written out.
    RangeExpanded,
    /// A range whose end has fewer digits than its start (`E12-4`), written out.
    RangeAbbreviated,
    /// A range that runs backwards, or over more ids than [`ParseOptions::max_range`].
    MalformedRange,
    /// Something like a pointer that cannot be read.
    MalformedPointer,
    /// The same id twice on one claim.
    DuplicatePointer,
    /// Pointers before their claim.
    LeadingPointer,
    /// Pointers in the middle of their sentence.
    InnerPointer,
    /// Pointers on a line of their own, read with the claim above.
    PointerOnOwnLine,
    /// Pointers that no claim stands near.
    StrayPointer,
    /// A pointer's decoration, such as the source after a dagger, dropped.
    PointerDecoration,
    /// A list mark, dropped.
    ListMark,
    /// A heading; no claim.
    Heading,
    /// A table's header or rule; no claim.
    TableFrame,
    /// A table row, read as one claim.
    TableRow,
    /// The fence of a code block; what it holds is read.
    CodeFence,
    /// A line that introduces others ("These are:"); no claim.
    LeadIn,
    /// JSON found inside a code fence.
    JsonInFence,
    /// JSON found behind or between prose.
    JsonInProse,
    /// JSON that ends before it is closed: complete claims are read, the rest is not.
    JsonTruncated,
    /// JSON that holds something else than the schema says.
    JsonShape,
    /// No JSON where JSON was asked for; read as prose.
    JsonMissing,
    /// JSON where prose was asked for; read as JSON.
    JsonUnasked,
    /// A quotation mark that nothing closes.
    UnpairedQuote,
    /// Nothing in the answer is a claim.
    NoClaims,
    /// The answer says that the sources do not answer.
    Refusal,
    /// The model was cut off here: what it did not finish is not read ([`finished`]).
    BrokeOff,
}

/// Options of [`parse`].
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ParseOptions {
    /// What stands in front of a pointer's number; empty for `[1]`.
    pub marker: String,
    /// How tolerant the parser is.
    pub policy: ParsePolicy,
    /// The most ids that one range may stand for.
    pub max_range: u32,
}

impl Default for ParseOptions {
    fn default() -> Self {
        Self {
            marker: DEFAULT_MARKER.to_owned(),
            policy: ParsePolicy::Lenient,
            max_range: 64,
        }
    }
}

/// What [`parse`] found.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Parsed {
    /// The claims, in order.
    pub claims: Vec<Claim>,
    /// What else was seen, in order of position.
    pub notes: Vec<ParseNote>,
}

impl Parsed {
    fn note(&mut self, kind: NoteKind, span: Range<usize>) {
        self.notes.push(ParseNote { kind, span });
    }
}

/// Reads the claims of an answer. Total and linear in the length of the answer.
///
/// In [`AnswerMode::Quote`] sentences are claims and brackets are left alone.
///
/// ```
/// use claim_lattice::{AnswerMode, ParseOptions, parse};
///
/// let read = parse("Sales rose. [E1][E2]", AnswerMode::Pointer, &ParseOptions::default());
/// assert_eq!(read.claims[0].text, "Sales rose.");
/// assert_eq!(read.claims[0].pointers[1].id, "E2");
/// ```
#[must_use]
pub fn parse(answer: &str, mode: AnswerMode, options: &ParseOptions) -> Parsed {
    let mut parsed = match mode {
        AnswerMode::Json => json::parse_json(answer, options),
        AnswerMode::Pointer => prose::parse_pointers(answer, options),
        AnswerMode::Quote => prose::parse_plain(answer),
    };
    if parsed.claims.is_empty() {
        parsed.note(NoteKind::NoClaims, 0..answer.len());
    }
    parsed
        .notes
        .sort_by_key(|n| (n.span.start, n.span.end, n.kind));
    parsed
}

/// Writes claims as pointer prose, one a line, so that [`parse`] gives them back: text, a
/// space, and the pointers in one pair of brackets.
#[must_use]
pub fn write_claims(claims: &[Claim]) -> String {
    let mut out = String::new();
    for claim in claims {
        out.push_str(&claim.text);
        if !claim.pointers.is_empty() {
            let ids: Vec<&str> = claim.pointers.iter().map(|p| p.id.as_str()).collect();
            out.push_str(" [");
            out.push_str(&ids.join(","));
            out.push(']');
        }
        out.push('\n');
    }
    out
}
