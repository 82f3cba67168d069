//! Check 7, classes that compare what claim and evidence do with the same words: modality,
//! negation, opposites, families, roles.

use super::base_anchors::miss;
use super::claim_text::Mask;
use super::lattice::{Cited, Context};
use super::matching::PassageMatch;
use crate::codes::AnchorClass;
use crate::index::{Entries, Form, Overlay, Prepared};
use crate::language::Class;
use crate::verdict::ClaimVerdict;

/// How many words behind a negation it reaches.
const NEGATION_SCOPE: usize = 6;
/// How many words behind a hedge it reaches.
const HEDGE_SCOPE: usize = 5;

pub(super) fn check(
    cited: &Cited<'_>,
    context: &Context<'_>,
    overlay: &Overlay<'_>,
    verdict: &mut ClaimVerdict,
) {
    let on = context.policy.anchors;
    if on.modality {
        modality(cited, context, verdict);
    }
    if on.negation {
        negation(cited, context, verdict);
    }
    if on.comparatives {
        opposites(cited, context, overlay, verdict);
    }
    if on.substitution {
        substitution(cited, context, overlay, verdict);
    }
}

/// Which tokens of a text stand behind a word of a class, in the same clause and near it, up to
/// the second content word.
fn scope(
    text: &Prepared,
    sentences: &[usize],
    class: impl Fn(usize) -> Class,
    opens: impl Fn(usize, Class) -> bool,
    reach: usize,
) -> Reached {
    let mut out = Reached::default();
    let tokens = sentences
        .iter()
        .filter_map(|&s| text.sentences.get(s))
        .flat_map(|s| s.tokens.clone());
    let (mut left, mut content) = (0, 0);
    for i in tokens {
        let Some(token) = text.tokens.get(i) else {
            continue;
        };
        if token.form.has(Form::INITIAL) || token.form.has(Form::AFTER_BREAK) {
            left = 0;
        }
        let class = class(i);
        if opens(i, class) {
            (left, content) = (reach, 2);
            continue;
        }
        if left > 0 {
            out.tokens.push(i);
            // The first content word is what is denied, the second what it is said of.
            content -= u8::from(!class.has(Class::EMPTY));
            left = if content > 0 { left - 1 } else { 0 };
        }
    }
    out
}

/// The tokens that negations or hedges reach, ascending.
#[derive(Default)]
struct Reached {
    tokens: Vec<usize>,
}

impl Reached {
    fn has(&self, token: usize) -> bool {
        self.tokens.binary_search(&token).is_ok()
    }
}

/// Whether a word is one of a list, whatever its case.
fn is_any(word: &str, list: &[&str]) -> bool {
    list.iter().any(|w| {
        w.len() == word.len()
            && w.bytes()
                .zip(word.bytes())
                .all(|(a, b)| a == b.to_ascii_lowercase())
    })
}

/// Words that take a denial right before them back.
const NO_DENIAL: [&str; 10] = [
    "only",
    "just",
    "merely",
    "fewer",
    "less",
    "until",
    "necessarily",
    "només",
    "sols",
    "menys",
];

/// Whether a negation word denies: "not only" and "no fewer than" do not.
fn denies(text: &Prepared, i: usize, class: Class) -> bool {
    if !class.has(Class::NEGATION) {
        return false;
    }
    !is_any(super::claim_text::word(text, i + 1), &NO_DENIAL)
}

fn negated_tokens(text: &Prepared, sentences: &[usize], class: impl Fn(usize) -> Class) -> Reached {
    scope(
        text,
        sentences,
        class,
        |i, c| denies(text, i, c),
        NEGATION_SCOPE,
    )
}

fn evidence_class<'a>(
    context: &'a Context<'_>,
    text: &'a Prepared,
) -> impl Fn(usize) -> Class + 'a {
    move |i| {
        text.tokens
            .get(i)
            .map(|t| context.index.vocabulary.entry(t.word).class)
            .unwrap_or_default()
    }
}

/// The slots of a claim that its own negations reach.
fn denied_slots(cited: &Cited<'_>) -> Mask {
    let claim = cited.claim;
    let whole: Vec<usize> = (0..claim.prepared.sentences.len()).collect();
    negated_tokens(&claim.prepared, &whole, |i| claim.class_of(i))
        .tokens
        .into_iter()
        .filter_map(|t| claim.slot_of.get(t).copied().flatten())
        .fold(0, |mask, slot| mask | 1 << slot)
}

fn name_slots(cited: &Cited<'_>) -> Mask {
    cited
        .claim
        .slots
        .iter()
        .enumerate()
        .filter(|(_, s)| s.name || s.number)
        .fold(0, |mask, (i, _)| mask | 1 << i)
}

/// What the window does with the claim's slots.
#[derive(Default)]
struct Polarity {
    /// Stated anywhere in the window.
    stated: Mask,
    /// Stated in a sentence that speaks of the claim.
    stated_of_it: Mask,
    /// Denied in a sentence that speaks of the claim.
    denied_of_it: Mask,
}

impl Polarity {
    fn add(&mut self, found: &PassageMatch<'_>, context: &Context<'_>) {
        let negated = negated_tokens(
            found.prepared,
            &found.window_sentences(),
            evidence_class(context, found.prepared),
        );
        for hit in found.window_hits() {
            let slot = 1 << hit.slot;
            let denied = negated.has(hit.token);
            let of_it = found.speaks_of(found.prepared.sentence_of(hit.token));
            self.stated |= if denied { 0 } else { slot };
            self.stated_of_it |= if denied || !of_it { 0 } else { slot };
            self.denied_of_it |= if denied && of_it { slot } else { 0 };
        }
    }
}

/// A word that the claim states and the evidence only denies, or the other way round.
fn negation(cited: &Cited<'_>, context: &Context<'_>, verdict: &mut ClaimVerdict) {
    let mine = denied_slots(cited);
    let names = name_slots(cited);
    let mut theirs = Polarity::default();
    for found in &cited.matches {
        theirs.add(found, context);
    }
    if mine == 0 && theirs.denied_of_it == 0 {
        return;
    }
    verdict.warrant_ran(AnchorClass::Negation);
    let mut only_denied = theirs.denied_of_it & !theirs.stated & !mine & !names;
    if only_denied != 0 {
        only_denied &= !stated_anywhere(cited, context);
    }
    let only_stated = theirs.stated_of_it & !theirs.denied_of_it & mine & !names;
    // One denial in each can sit on neighbouring words: the same polarity over all.
    let both_deny = mine & !names != 0 && theirs.denied_of_it & !names != 0;
    if (only_denied | only_stated) != 0 && !both_deny && !softly_denied(cited, mine != 0) {
        let tokens = cited.claim.slot_texts(only_denied | only_stated);
        miss(verdict, cited, AnchorClass::Negation, tokens);
    }
}

/// Whether the side that does not say "not" denies by its verb or adverb instead: "avoid",
/// "rarely", "instead". Such words excuse a difference and never make one.
fn softly_denied(cited: &Cited<'_>, claim_denies: bool) -> bool {
    const SOFT: [&str; 34] = [
        "avoid",
        "avoided",
        "avoiding",
        "absence",
        "absent",
        "rarely",
        "seldom",
        "unlikely",
        "little",
        "prevent",
        "prevents",
        "prevented",
        "prohibited",
        "forbidden",
        "impossible",
        "insufficient",
        "inadequate",
        "instead",
        "rather",
        "against",
        "except",
        "excluded",
        "evita",
        "evitar",
        "absència",
        "rarament",
        "poc",
        "prohibit",
        "prohibida",
        "impossible",
        "insuficient",
        "contra",
        "excepte",
        "enlloc",
    ];
    let soft = |text: &Prepared, i: usize| is_any(super::claim_text::word(text, i), &SOFT);
    if !claim_denies {
        let claim = &cited.claim.prepared;
        return (0..claim.tokens.len()).any(|i| soft(claim, i));
    }
    cited.matches.iter().any(|m| {
        m.window_sentences()
            .into_iter()
            .filter(|&s| m.aligned(s))
            .filter_map(|s| m.prepared.sentences.get(s))
            .any(|s| s.tokens.clone().any(|i| soft(m.prepared, i)))
    })
}

/// The slots that a cited passage states in any of its sentences.
fn stated_anywhere(cited: &Cited<'_>, context: &Context<'_>) -> Mask {
    let mut out = 0;
    for found in &cited.matches {
        let whole: Vec<usize> = (0..found.prepared.sentences.len()).collect();
        let negated = negated_tokens(
            found.prepared,
            &whole,
            evidence_class(context, found.prepared),
        );
        for hit in &found.hits {
            out |= if negated.has(hit.token) {
                0
            } else {
                1 << hit.slot
            };
        }
    }
    out
}

/// The evidence holds possible what the claim states.
fn modality(cited: &Cited<'_>, context: &Context<'_>, verdict: &mut ClaimVerdict) {
    let claim = cited.claim;
    let is_hedge = |text: &Prepared, i: usize, class: Class| {
        let month = class.has(Class::MONTH)
            && text
                .tokens
                .get(i)
                .is_some_and(|t| t.form.has(Form::CAPITAL) && !t.form.has(Form::INITIAL));
        (class.has(Class::HEDGE) || class.has(Class::UNREAL)) && !month
    };
    let own = (0..claim.prepared.tokens.len()).any(|i| {
        let class = claim.class_of(i);
        class.has(Class::ABILITY) || is_hedge(&claim.prepared, i, class)
    });
    let names = name_slots(cited);
    let (mut firm, mut hedged) = (0, 0);
    for found in &cited.matches {
        let text = found.prepared;
        let flags = scope(
            text,
            &found.window_sentences(),
            evidence_class(context, text),
            |i, class| is_hedge(text, i, class),
            HEDGE_SCOPE,
        );
        for hit in found.window_hits() {
            if !flags.has(hit.token) {
                firm |= 1 << hit.slot;
            } else if found.speaks_of(text.sentence_of(hit.token)) {
                hedged |= 1 << hit.slot;
            }
        }
    }
    if hedged == 0 && !own {
        return;
    }
    verdict.warrant_ran(AnchorClass::Modality);
    let weak = hedged & !firm & !names;
    if weak != 0 && !own {
        miss(
            verdict,
            cited,
            AnchorClass::Modality,
            cited.claim.slot_texts(weak),
        );
    }
}

/// A token of a window whose stem stands in a relation to an unmet slot of the claim.
struct Opposite {
    slot: usize,
    token: usize,
}

/// Whether one stem is the other with a denying prefix: `inhabit` and `uninhabit`. What is left
/// has to be long enough to be a word of its own. `claim` may have any of the prefixes added;
/// taken away are `un` and `non` alone, since `in` and `dis` begin too many words that deny
/// nothing.
fn denies_by_prefix(claim: &str, evidence: &str) -> bool {
    const ADDED: [&str; 8] = ["un", "in", "im", "il", "ir", "non", "dis", "des"];
    let word = |rest: &str| rest.len() >= 5 && rest.chars().count() >= 5;
    if evidence.len() > claim.len() {
        evidence
            .strip_suffix(claim)
            .is_some_and(|prefix| ADDED.contains(&prefix))
            && word(claim)
    } else {
        claim
            .strip_suffix(evidence)
            .is_some_and(|prefix| matches!(prefix, "un" | "non"))
            && word(evidence)
    }
}

/// Opposites (or rivals) of unmet slots in the sentences that hold at least half of what the
/// window holds.
fn related(
    cited: &Cited<'_>,
    context: &Context<'_>,
    overlay: &Overlay<'_>,
    found: &PassageMatch<'_>,
    rivals: bool,
) -> Vec<Opposite> {
    let claim = cited.claim;
    let mut wanted: Vec<(u32, usize)> = Vec::new();
    let mut bare: Vec<(&str, usize)> = Vec::new();
    for (i, slot) in claim.slots.iter().enumerate() {
        if cited.all >> i & 1 == 1 {
            continue;
        }
        let stem = overlay.stem_text(slot.stem);
        if !rivals && !slot.name {
            bare.push((stem, i));
        }
        let Some(relations) = context.lexicon.relations(stem) else {
            continue;
        };
        let list = if rivals {
            &relations.rivals
        } else {
            &relations.antonyms
        };
        for stem in list {
            if let Some(id) = context.index.vocabulary.stem_id(stem)
                && !claim.slots.iter().any(|s| s.stem == id)
            {
                wanted.push((id, i));
            }
        }
    }
    if wanted.is_empty() && bare.is_empty() {
        return Vec::new();
    }
    let mut out = Vec::new();
    for sentence in found.window_sentences() {
        let Some(bounds) = found.prepared.sentences.get(sentence) else {
            continue;
        };
        if !found.aligned(sentence) {
            continue;
        }
        for token in bounds.tokens.clone() {
            let Some(stem) = found
                .prepared
                .tokens
                .get(token)
                .map(|t| context.index.vocabulary.entry(t.word).stem)
            else {
                continue;
            };
            for &(id, slot) in &wanted {
                if id == stem {
                    out.push(Opposite { slot, token });
                }
            }
            let text = overlay.stem_text(stem);
            for &(claim, slot) in &bare {
                if denies_by_prefix(claim, text) {
                    out.push(Opposite { slot, token });
                }
            }
        }
    }
    out
}

/// `was not successful` bears `failed`: an opposite that the evidence denies (or that stands
/// where the claim itself denies) counts as the word.
pub(super) fn credit_denied_opposites<'a>(
    mut cited: Cited<'a>,
    context: &Context<'_>,
    overlay: &Overlay<'_>,
) -> Cited<'a> {
    if !context.policy.anchors.comparatives {
        return cited;
    }
    let mine = denied_slots(&cited);
    let mut credit: Mask = 0;
    for found in &cited.matches {
        let opposites = related(&cited, context, overlay, found, false);
        if opposites.is_empty() {
            continue;
        }
        let negated = negated_tokens(
            found.prepared,
            &found.window_sentences(),
            evidence_class(context, found.prepared),
        );
        for opposite in opposites {
            let theirs = negated.has(opposite.token);
            if theirs != (mine >> opposite.slot & 1 == 1) {
                credit |= 1 << opposite.slot;
            }
        }
    }
    cited.all |= credit;
    cited.window |= credit;
    cited
}

/// The claim's word is missing and its opposite stands there, affirmed alike.
fn opposites(
    cited: &Cited<'_>,
    context: &Context<'_>,
    overlay: &Overlay<'_>,
    verdict: &mut ClaimVerdict,
) {
    let mut against: Mask = 0;
    for found in &cited.matches {
        for opposite in related(cited, context, overlay, found, false) {
            against |= 1 << opposite.slot;
        }
    }
    let has_opposite = cited.claim.slots.iter().any(|s| {
        context
            .lexicon
            .relations(overlay.stem_text(s.stem))
            .is_some_and(|r| !r.antonyms.is_empty())
    });
    if has_opposite || against != 0 {
        verdict.warrant_ran(AnchorClass::Comparatives);
    }
    if against != 0 {
        miss(
            verdict,
            cited,
            AnchorClass::Comparatives,
            cited.claim.slot_texts(against),
        );
    }
}

/// The claim's word is missing and another member of its closed family stands there.
fn substitution(
    cited: &Cited<'_>,
    context: &Context<'_>,
    overlay: &Overlay<'_>,
    verdict: &mut ClaimVerdict,
) {
    let in_family = cited.claim.slots.iter().any(|s| {
        context
            .lexicon
            .relations(overlay.stem_text(s.stem))
            .is_some_and(|r| !r.rivals.is_empty())
    });
    if !in_family {
        return;
    }
    verdict.warrant_ran(AnchorClass::Substitution);
    let mut against: Mask = 0;
    for found in &cited.matches {
        for rival in related(cited, context, overlay, found, true) {
            against |= 1 << rival.slot;
        }
    }
    if against != 0 {
        miss(
            verdict,
            cited,
            AnchorClass::Substitution,
            cited.claim.slot_texts(against),
        );
    }
}
