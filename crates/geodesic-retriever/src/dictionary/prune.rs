//! Which entries make room first.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};
use text_units::{Language, fold, is_stop_word, sentences, words};

use crate::EntryKind;

/// The tiers, worst first: entries of an earlier tier go before any of a later one (seed 003,
/// "Tiered pruning").
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum PruneTier {
    /// It speaks of the system itself: prompts, models, being an assistant.
    MetaContamination,
    /// At least half of its sentences ask.
    Question,
    /// The validator's confidence in it is below [`LOW_CONFIDENCE`].
    LowConfidence,
    /// It thinks aloud, or says "I" in at least [`MONOLOGUE_SHARE`] of its sentences.
    Monologue,
    /// All the rest: the shortest first.
    Shortest,
}

impl PruneTier {
    /// All tiers, in order.
    pub const ALL: [Self; 5] = [
        Self::MetaContamination,
        Self::Question,
        Self::LowConfidence,
        Self::Monologue,
        Self::Shortest,
    ];

    /// The tier's name on the wire.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::MetaContamination => "meta_contamination",
            Self::Question => "question",
            Self::LowConfidence => "low_confidence",
            Self::Monologue => "monologue",
            Self::Shortest => "shortest",
        }
    }

    /// The first tier that a text falls in.
    #[must_use]
    pub fn of(text: &str, confidence: f64) -> Self {
        let folded = fold(text);
        if META.iter().any(|phrase| has_phrase(&folded, phrase)) {
            return Self::MetaContamination;
        }
        let sentences = sentences(text);
        let asking = sentences
            .iter()
            .filter(|s| s.text.trim_end_matches(CLOSING).ends_with('?'))
            .count();
        if asking > 0 && 2 * asking >= sentences.len() {
            return Self::Question;
        }
        // Not a number is no confidence either.
        if confidence.is_nan() || confidence < LOW_CONFIDENCE {
            return Self::LowConfidence;
        }
        let alone = |s: &text_units::Sentence<'_>| {
            let folded = fold(s.text);
            words(s.text).any(|w| FIRST_PERSON.contains(&w.folded().as_ref()))
                || THINKING.iter().any(|phrase| has_phrase(&folded, phrase))
        };
        let personal = sentences.iter().filter(|s| alone(s)).count();
        let aloud = THINKING.iter().any(|p| folded.trim_start().starts_with(p));
        if aloud || (personal > 0 && personal as f64 >= MONOLOGUE_SHARE * sentences.len() as f64) {
            return Self::Monologue;
        }
        Self::Shortest
    }
}

impl std::fmt::Display for PruneTier {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// Entries below this confidence are pruned before those of the later tiers.
pub const LOW_CONFIDENCE: f64 = 0.5;

/// The share of sentences in the first person from which a text is a monologue.
pub const MONOLOGUE_SHARE: f64 = 0.5;

const CLOSING: &[char] = &[' ', '\n', '\t', '"', '\'', '”', '’', ')', '»'];

/// Phrases of a system speaking of itself, folded; English and Catalan.
const META: &[&str] = &[
    "as an ai",
    "as a language model",
    "as a large language model",
    "i am an ai",
    "i'm an ai",
    "my training data",
    "my knowledge cutoff",
    "system prompt",
    "the user asked",
    "the user is asking",
    "the user wants",
    "in my dictionary",
    "this dictionary entry",
    "com a model de llenguatge",
    "com a ia",
    "soc una ia",
    "les meves dades d'entrenament",
    "l'usuari pregunta",
    "l'usuari demana",
];

const FIRST_PERSON: &[&str] = &["i", "i'm", "i've", "i'd", "i'll", "me", "jo", "em"];

/// Openings of thinking aloud, folded.
const THINKING: &[&str] = &[
    "let me think",
    "let me see",
    "let's see",
    "hmm",
    "wait,",
    "okay, so",
    "i think",
    "i wonder",
    "i guess",
    "a veure",
    "deixa'm pensar",
    "em sembla que",
    "crec que",
];

/// Whether a folded text holds a folded phrase as whole words.
fn has_phrase(text: &str, phrase: &str) -> bool {
    let mut from = 0;
    while let Some(found) = text.get(from..).and_then(|t| t.find(phrase)) {
        let (start, end) = (from + found, from + found + phrase.len());
        let before = text.get(..start).and_then(|t| t.chars().next_back());
        let after = text.get(end..).and_then(|t| t.chars().next());
        let apart = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
        let closed = !phrase.ends_with(char::is_alphanumeric) || apart(after);
        if apart(before) && closed {
            return true;
        }
        from = end;
    }
    false
}

/// An entry's place in the order of pruning: what compares least goes first.
#[derive(Debug, Clone, PartialEq)]
pub struct PruneKey {
    /// The tier.
    pub tier: PruneTier,
    /// Within the tier of low confidence, the confidence; elsewhere 0.
    pub confidence: f64,
    /// The text's length in characters.
    pub length: usize,
    /// The entry: the last tie-break, in the order of bytes.
    pub id: String,
}

impl PruneKey {
    /// The key of an entry.
    #[must_use]
    pub fn new(id: &str, text: &str, confidence: f64) -> Self {
        let tier = PruneTier::of(text, confidence);
        let within = if tier == PruneTier::LowConfidence {
            confidence
        } else {
            0.0
        };
        Self {
            tier,
            confidence: within,
            length: text.chars().count(),
            id: id.to_owned(),
        }
    }
}

impl Eq for PruneKey {}

impl PartialOrd for PruneKey {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for PruneKey {
    fn cmp(&self, other: &Self) -> Ordering {
        self.tier
            .cmp(&other.tier)
            .then_with(|| self.confidence.total_cmp(&other.confidence))
            .then_with(|| self.length.cmp(&other.length))
            .then_with(|| self.id.cmp(&other.id))
    }
}

/// Whether entries of a kind may be pruned: who the system is and what anchors are made from
/// stay.
#[must_use]
pub fn is_prunable(kind: EntryKind) -> bool {
    matches!(kind, EntryKind::Fact | EntryKind::Response)
}

/// The share of a text's words that carry meaning, in [0, 1]; 0 without words.
pub(crate) fn content_share(text: &str) -> f64 {
    let (mut all, mut content) = (0usize, 0usize);
    for word in words(text) {
        let folded = word.folded();
        all += 1;
        let stop =
            is_stop_word(&folded, Language::English) || is_stop_word(&folded, Language::Catalan);
        content += usize::from(!stop);
    }
    content as f64 / all.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_tier_has_its_texts() {
        for (text, confidence, tier) in [
            (
                "As an AI, I cannot say how bridges are built.",
                0.9,
                PruneTier::MetaContamination,
            ),
            (
                "Com a model de llenguatge no ho sé pas.",
                0.9,
                PruneTier::MetaContamination,
            ),
            ("How long is the bridge?", 0.9, PruneTier::Question),
            ("It is long. But how long is it?", 0.9, PruneTier::Question),
            (
                "It is long. It is old. But how long is it?",
                0.9,
                PruneTier::Shortest,
            ),
            ("The bridge is long.", 0.499, PruneTier::LowConfidence),
            ("The bridge is long.", 0.5, PruneTier::Shortest),
            ("The bridge is long.", f64::NAN, PruneTier::LowConfidence),
            ("Hmm, this bridge may be old.", 0.9, PruneTier::Monologue),
            (
                "I walked over it. The bridge is long.",
                0.9,
                PruneTier::Monologue,
            ),
            (
                "I walked over it. The bridge is long. It is old.",
                0.9,
                PruneTier::Shortest,
            ),
            ("The bridge was an aid to trade.", 0.9, PruneTier::Shortest),
        ] {
            assert_eq!(PruneTier::of(text, confidence), tier, "{text}");
        }
    }

    #[test]
    fn keys_order_by_tier_then_confidence_then_length_then_id() {
        let key = |id: &str, text: &str, c| PruneKey::new(id, text, c);
        let mut keys = [
            key("f", "A statement that is rather long.", 0.9),
            key("e", "A short one.", 0.9),
            key("d", "A short one.", 0.9),
            key("c", "Doubtful and long, as it goes on.", 0.1),
            key("b", "Doubtful.", 0.2),
            key("a", "Is it?", 0.9),
            key("z", "As an AI I know.", 0.9),
        ];
        keys.sort();
        let ids: Vec<&str> = keys.iter().map(|k| k.id.as_str()).collect();
        assert_eq!(ids, ["z", "a", "c", "b", "d", "e", "f"]);
    }
}
