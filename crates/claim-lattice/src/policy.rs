//! Policies: every threshold and switch of the verifier, in one value that can be hashed.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::evidence::SourceRole;
use crate::language::Language;

/// How tolerant the parser is. Neither guesses an id that is not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ParsePolicy {
    /// Only the documented forms: `[E1]`, `[E1,E2]`, `[E1][E2]`, and bare JSON.
    Strict,
    /// The forms that real models write too; each repair is recorded as a note.
    #[default]
    Lenient,
}

/// Which anchor classes run beside the five of the base design, each a switch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[allow(clippy::struct_excessive_bools)]
pub struct AnchorSwitches {
    /// A claim states what its evidence only holds possible.
    pub modality: bool,
    /// Numbers with their units.
    pub numbers: bool,
    /// Claim and evidence differ in negation.
    pub negation: bool,
    /// Claim and evidence state opposite directions ("rose", "fell") or opposite words.
    pub comparatives: bool,
    /// Ordinals: `third` is neither `second` nor absent.
    pub ordinals: bool,
    /// Quantifiers: "all" is not borne by "some", "only" and "never" must be there.
    pub quantifiers: bool,
    /// Superlatives must be there.
    pub superlatives: bool,
    /// A content word of the claim that the evidence lacks while a rival of the same small
    /// closed family (tenor and alto, north and south) stands in its place.
    pub substitution: bool,
    /// The claim's names stand in the evidence in exchanged roles.
    pub roles: bool,
}

impl AnchorSwitches {
    /// All on.
    #[must_use]
    pub const fn all() -> Self {
        Self {
            modality: true,
            numbers: true,
            negation: true,
            comparatives: true,
            ordinals: true,
            quantifiers: true,
            superlatives: true,
            substitution: true,
            roles: true,
        }
    }

    /// All off.
    #[must_use]
    pub const fn none() -> Self {
        Self {
            modality: false,
            numbers: false,
            negation: false,
            comparatives: false,
            ordinals: false,
            quantifiers: false,
            superlatives: false,
            substitution: false,
            roles: false,
        }
    }
}

/// When capitalised phrases found in a source pass in free prose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum EntityRule {
    /// Enough of them stand close together in one source.
    #[default]
    Proximity,
    /// Every one of them stands in one source.
    Strict,
}

/// The thresholds of the four free-prose strategies.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ProsePolicy {
    /// The version of the canonicalization that both sides go through; see
    /// [`CANONICALIZATION_VERSION`](crate::CANONICALIZATION_VERSION).
    pub canonicalization: u32,
    /// How passages are marked up.
    pub markup: Markup,
    /// When entities pass.
    pub entity_rule: EntityRule,
    /// How many entities have to stand close together (proximity rule).
    pub proximity_entities: u32,
    /// How close, in characters.
    pub proximity_chars: u32,
    /// The fewest content tokens of a sentence that the paraphrase strategy looks at.
    pub paraphrase_min_tokens: u32,
    /// The fewest letters of a token that counts there.
    pub paraphrase_min_letters: u32,
    /// The share of them that has to be in the source, in percent.
    pub paraphrase_percent: u8,
    /// Whether such a sentence must also stand the checks of a claim that cites the source: words
    /// that are all there do not bear a sentence that denies them or changes a number.
    ///
    /// A policy that was written down before this rule has it off.
    #[serde(default)]
    pub paraphrase_warrant: bool,
}

/// How a text is marked up; the marks go before texts are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Markup {
    /// None.
    #[default]
    Plain,
    /// Markdown: emphasis, links, headings, list marks, code marks.
    Markdown,
    /// MediaWiki's markup. Only with the feature `wikitext`; without it texts stay as they are.
    Wikitext,
}

impl Default for ProsePolicy {
    fn default() -> Self {
        Self {
            canonicalization: crate::CANONICALIZATION_VERSION,
            markup: Markup::Markdown,
            entity_rule: EntityRule::Proximity,
            proximity_entities: 3,
            proximity_chars: 300,
            paraphrase_min_tokens: 4,
            paraphrase_min_letters: 4,
            paraphrase_percent: 85,
            paraphrase_warrant: true,
        }
    }
}

/// Every threshold and switch of the verifier. Percentages are whole numbers, so that no
/// verdict hangs on a rounding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(clippy::struct_excessive_bools)]
pub struct Policy {
    /// How tolerant the parser is.
    pub parse: ParsePolicy,
    /// The word lists.
    pub language: Language,
    /// The roles whose passages may bear a claim (check 3).
    pub allowed_roles: BTreeSet<SourceRole>,
    /// Whether a claim that names an unknown pointer may still stand on its other pointers.
    pub tolerate_unknown_pointers: bool,
    /// The share of a claim's content tokens that has to occur in the cited text, in percent
    /// (check 5).
    pub coverage_percent: u8,
    /// Whether that share has to be reached inside the best window of sentences.
    pub coverage_in_window: bool,
    /// What a word that looks like a verb or a modifier weighs in coverage, where others (names,
    /// numbers, nouns) weigh 2: the same thing is said with other verbs more often than with
    /// other nouns. The opposites of verbs and modifiers are looked for whatever they weigh.
    pub verb_weight: u8,
    /// The longest row of content words that the evidence lacks and that still counts as another
    /// wording of what it says: each of them weighs a quarter. The words of a longer row, a
    /// detail that the evidence does not have, weigh in full. 0 makes no difference between
    /// the two.
    ///
    /// A policy that was written down before this rule has 0.
    #[serde(default)]
    pub gap_words: u8,
    /// Sentences a window.
    pub window_sentences: u8,
    /// A claim of at most this many content tokens needs only one of them (check 5).
    pub few_tokens: u8,
    /// The most pointers a claim may carry (check 6); further ones are trimmed.
    pub pointer_cap: u8,
    /// Whether the five base anchor classes wait for a question of their shape (check 7).
    pub gate_by_question: bool,
    /// The further anchor classes.
    pub anchors: AnchorSwitches,
    /// From how many missing subject tokens check 9 fires.
    pub subject_tokens_missing: u8,
    /// The most claims before `TOO_MANY_CLAIMS`.
    pub max_claims: u32,
    /// How much better, in percentage points of coverage, another passage has to be for
    /// `LAZY_ANCHOR_DEMOTED`.
    pub lazy_anchor_points: u8,
    /// The share of content tokens that has to be in the best window for a claim to reach the
    /// top rung, in percent; 0 asks for nothing beyond check 5.
    pub detail_percent: u8,
    /// From how many prose lines without one pointer on `FORMAT_COLLAPSED` fires.
    pub format_collapsed_lines: u32,
    /// The free-prose strategies.
    pub prose: ProsePolicy,
}

impl Policy {
    /// The default: every anchor of a claim must be found whatever the question's shape, and
    /// coverage 60 % inside the best window of two sentences.
    #[must_use]
    pub fn strict() -> Self {
        Self {
            coverage_percent: 60,
            coverage_in_window: true,
            verb_weight: 1,
            gap_words: 2,
            gate_by_question: false,
            anchors: AnchorSwitches::all(),
            detail_percent: 85,
            prose: ProsePolicy::default(),
            ..Self::seed()
        }
    }

    /// The base design: anchor classes gated by the question's shape, coverage 30 % anywhere
    /// in the cited text, none of the further classes.
    #[must_use]
    pub fn seed() -> Self {
        Self {
            parse: ParsePolicy::Lenient,
            language: Language::English,
            allowed_roles: [
                SourceRole::Primary,
                SourceRole::Secondary,
                SourceRole::UserSupplied,
            ]
            .into(),
            tolerate_unknown_pointers: false,
            coverage_percent: 30,
            coverage_in_window: false,
            verb_weight: 2,
            gap_words: 0,
            window_sentences: 2,
            few_tokens: 3,
            pointer_cap: 2,
            gate_by_question: true,
            anchors: AnchorSwitches::none(),
            subject_tokens_missing: 3,
            max_claims: 12,
            lazy_anchor_points: 30,
            detail_percent: 0,
            format_collapsed_lines: 5,
            prose: ProsePolicy {
                paraphrase_warrant: false,
                ..ProsePolicy::default()
            },
        }
    }

    /// All anchors of [`Policy::strict`] over less coverage, 50 % inside the best windows, and a
    /// top rung that asks for less: fewer paraphrases are lost, and more of what is silent is let
    /// through (docs/agreement.md has both).
    #[must_use]
    pub fn balanced() -> Self {
        Self {
            coverage_percent: 50,
            detail_percent: 75,
            ..Self::strict()
        }
    }

    /// The same policy with the word lists of another language.
    #[must_use]
    pub fn with_language(mut self, language: Language) -> Self {
        self.language = language;
        self
    }
}

impl Default for Policy {
    fn default() -> Self {
        Self::strict()
    }
}
