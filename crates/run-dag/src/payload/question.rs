//! The question stage.

use crate::hash::{self, ConversationHash, QuestionHash, RunRoot};
use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization;

/// Version of [`canonical_question`]; part of the [`CacheKey`](crate::CacheKey).
pub const QUESTION_CANONICALIZATION: &str = "candor question canonicalization v1";

/// The question as asked, and the form of it that is compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QuestionPayload {
    /// The text as asked.
    pub raw: String,
    /// [`canonical_question`] of it.
    pub canonical: String,
    /// [`question_hash`] of the canonical form.
    pub question_hash: QuestionHash,
    /// The conversation before it, if any.
    pub conversation_hash: Option<ConversationHash>,
    /// Root of the run that this one asks again, if any.
    pub predecessor: Option<RunRoot>,
}

impl QuestionPayload {
    /// The payload of a question that opens a conversation.
    #[must_use]
    pub fn new(raw: &str) -> Self {
        let canonical = canonical_question(raw);
        Self {
            raw: raw.to_owned(),
            question_hash: hash_canonical(&canonical),
            canonical,
            conversation_hash: None,
            predecessor: None,
        }
    }

    /// The same question, asked again after the run with this root.
    #[must_use]
    pub fn after(mut self, predecessor: RunRoot) -> Self {
        self.predecessor = Some(predecessor);
        self
    }

    /// The same question within a conversation.
    #[must_use]
    pub fn within(mut self, conversation: ConversationHash) -> Self {
        self.conversation_hash = Some(conversation);
        self
    }
}

const TRAILING: &[char] = &[
    '.', '?', '!', ',', ';', ':', '…', '．', '？', '！', '，', '；', '：', '。',
];

/// The canonical form of a question.
///
/// NFC; white space collapsed and trimmed; lower case; trailing `. ? ! , ; :`, their full-width
/// forms (with the ideographic full stop) and `…` stripped; stand-alone `the`, `a`, `an` dropped.
/// Repeated until nothing changes, so the function is idempotent.
#[must_use]
pub fn canonical_question(raw: &str) -> String {
    let mut text = pass(raw);
    loop {
        let next = pass(&text);
        if next == text {
            return text;
        }
        text = next;
    }
}

fn pass(text: &str) -> String {
    let lower = text
        .nfc()
        .collect::<String>()
        .to_lowercase()
        .nfc()
        .collect::<String>();
    let bare = lower.trim_end_matches(|c: char| c.is_whitespace() || TRAILING.contains(&c));
    let words: Vec<&str> = bare
        .split_whitespace()
        .filter(|w| !matches!(*w, "the" | "a" | "an"))
        .collect();
    words.join(" ")
}

fn hash_canonical(canonical: &str) -> QuestionHash {
    QuestionHash::from_bytes(hash::QUESTION.digest(canonical.as_bytes()))
}

/// The hash over the canonical form of a question: two spellings of one question share it.
#[must_use]
pub fn question_hash(raw: &str) -> QuestionHash {
    hash_canonical(&canonical_question(raw))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_question_share_the_form() {
        for raw in [
            "Who founded the Apple?",
            "  who\u{a0}founded\n Apple ?! ",
            "WHO FOUNDED AN APPLE…",
            "who founded apple？",
            "who founded a apple.,;:",
            "who founded apple ．！，；：。",
        ] {
            assert_eq!(canonical_question(raw), "who founded apple", "{raw:?}");
        }
        assert_eq!(question_hash("Caf\u{e9}?"), question_hash("cafe\u{301}"));
        assert_ne!(
            question_hash("is 2.5 above 25"),
            question_hash("is 25 above 25")
        );
        assert_eq!(
            canonical_question("then another theatre"),
            "then another theatre"
        );
        assert_eq!(canonical_question("foo a, the?"), "foo");
    }
}
