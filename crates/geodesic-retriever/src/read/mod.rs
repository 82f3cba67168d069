//! Reading a folder: files become documents.

mod folder;
mod formats;

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

pub(crate) use folder::{Found, list, parse, read_bytes};
pub use folder::{ReadOptions, read_folder};
pub use formats::{HtmlReader, JsonLinesReader, MarkdownReader, TextReader, built_in_readers};

/// A document: what chunks are cut from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Document {
    /// Its path below the folder, with `/`; a record of a JSON-lines file adds `#` and its id
    /// (or line number).
    pub id: String,
    /// The first heading, or the file's stem.
    pub title: String,
    /// The text. Positions in chunks count in it. For text and Markdown it is the file itself;
    /// for HTML the text without markup; for JSON lines the record's text.
    pub text: String,
}

/// Turns the bytes of a file into documents. Chosen by the file's extension.
pub trait Reader: Send + Sync {
    /// Extensions in lower case, without the dot; the empty one means files without extension.
    fn extensions(&self) -> &[&str];

    /// Reads a file. `id` is its path below the folder and `stem` its name without extension.
    ///
    /// # Errors
    /// The reason for which the file is skipped.
    fn read(&self, id: &str, stem: &str, bytes: &[u8]) -> Result<Parsed, SkipReason>;
}

/// What a reader made of a file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Parsed {
    /// The documents in it.
    pub documents: Vec<Document>,
    /// Parts that were passed over (a malformed line, say) and why.
    pub skipped: Vec<(String, SkipReason)>,
}

/// Why a file, or a part of one, was not read.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "reason")]
#[non_exhaustive]
pub enum SkipReason {
    /// Its name begins with a dot.
    Hidden,
    /// A symbolic link or something else that is not a plain file.
    NotAFile,
    /// No reader takes its extension.
    UnsupportedType {
        /// The extension, in lower case.
        extension: String,
    },
    /// It holds a zero byte.
    Binary,
    /// It is longer than the limit.
    TooLarge {
        /// Its length.
        bytes: u64,
        /// The limit in force.
        limit: u64,
    },
    /// It is not UTF-8.
    NotUtf8 {
        /// Where the first fault is.
        at: usize,
    },
    /// It holds nothing but white space.
    Empty,
    /// A record that cannot be read.
    Malformed {
        /// What is wrong with it.
        what: String,
    },
    /// The system refused it.
    Unreadable {
        /// What the system said.
        message: String,
    },
}

impl SkipReason {
    /// The reason in a word or two, for counting.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Hidden => "hidden",
            Self::NotAFile => "not a plain file",
            Self::UnsupportedType { .. } => "unsupported type",
            Self::Binary => "binary",
            Self::TooLarge { .. } => "too large",
            Self::NotUtf8 { .. } => "not UTF-8",
            Self::Empty => "empty",
            Self::Malformed { .. } => "malformed record",
            Self::Unreadable { .. } => "unreadable",
        }
    }
}

/// A file, or a part of one, that was not read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Skipped {
    /// Its path below the folder.
    pub path: String,
    /// Why.
    #[serde(flatten)]
    pub reason: SkipReason,
}

/// What was read and what was not.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ReadReport {
    /// Files seen, the skipped ones included. Hidden folders count once and are not entered.
    pub files_seen: usize,
    /// Files read.
    pub files_read: usize,
    /// Bytes of the files read.
    pub bytes_read: u64,
    /// Everything skipped, in the order of the paths.
    pub skipped: Vec<Skipped>,
}

impl ReadReport {
    /// How often each reason occurred.
    #[must_use]
    pub fn reasons(&self) -> BTreeMap<&'static str, usize> {
        let mut counts = BTreeMap::new();
        for s in &self.skipped {
            *counts.entry(s.reason.name()).or_default() += 1;
        }
        counts
    }

    /// The reasons in words: `12 hidden, 3 binary`; empty if nothing was skipped.
    #[must_use]
    pub fn summary(&self) -> String {
        let reasons = self.reasons();
        let parts: Vec<String> = reasons.iter().map(|(r, n)| format!("{n} {r}")).collect();
        parts.join(", ")
    }
}

/// A folder's documents, in the order of their ids, and the account of the reading.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FolderContents {
    /// The folder.
    pub root: PathBuf,
    /// The documents.
    pub documents: Vec<Document>,
    /// What was read and what was not.
    pub report: ReadReport,
}
