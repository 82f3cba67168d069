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
    class: impl Fn(usize) -> Class,
    opens: impl Fn(usize, Class) -> bool,
    reach: usize,
) -> Vec<bool> {
    let mut out = vec![false; text.tokens.len()];
    let (mut left, mut content) = (0, 0);
    for (i, token) in text.tokens.iter().enumerate() {
        if token.form.has(Form::INITIAL) || token.form.has(Form::AFTER_BREAK) {
            left = 0;
        }
        if opens(i, class(i)) {
            (left, content) = (reach, 2);
            continue;
        }
        if left > 0 {
            if let Some(flag) = out.get_mut(i) {
                *flag = true;
            }
            // The first content word is what is denied, the second what it is said of.
            content -= u8::from(!class(i).has(Class::EMPTY));
            left = if content > 0 { left - 1 } else { 0 };
        }
    }
    out
}

fn lower(text: &Prepared, i: usize) -> String {
    super::claim_text::word(text, i).to_lowercase()
}

/// Whether a negation word denies: "not only" and "no fewer than" do not.
fn denies(text: &Prepared, i: usize, class: Class) -> bool {
    if !class.has(Class::NEGATION) {
        return false;
    }
    let next = lower(text, i + 1);
    !matches!(
        next.as_str(),
        "only"
            | "just"
            | "merely"
            | "fewer"
            | "less"
            | "until"
            | "necessarily"
            | "només"
            | "sols"
            | "menys"
    )
}

fn negated_tokens(text: &Prepared, class: impl Fn(usize) -> Class) -> Vec<bool> {
    scope(text, class, |i, c| denies(text, i, c), NEGATION_SCOPE)
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
    let negated = negated_tokens(&claim.prepared, |i| claim.class_of(i));
    slots_of(&negated, &claim.slot_of)
}

fn slots_of(flags: &[bool], slot_of: &[Option<u8>]) -> Mask {
    flags
        .iter()
        .zip(slot_of)
        .filter_map(|(&flag, slot)| slot.filter(|_| flag))
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
        let negated = negated_tokens(found.prepared, evidence_class(context, found.prepared));
        for hit in found.window_hits() {
            let slot = 1 << hit.slot;
            let denied = negated.get(hit.token).copied().unwrap_or_default();
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
    let only_denied = theirs.denied_of_it & !theirs.stated & !mine & !names;
    let only_stated = theirs.stated_of_it & !theirs.denied_of_it & mine & !names;
    // One denial in each can sit on neighbouring words: the same polarity over all.
    let both_deny = mine & !names != 0 && theirs.denied_of_it & !names != 0;
    if (only_denied | only_stated) != 0 && !both_deny {
        let tokens = cited.claim.slot_texts(only_denied | only_stated);
        miss(verdict, cited, AnchorClass::Negation, tokens);
    }
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
            evidence_class(context, text),
            |i, class| is_hedge(text, i, class),
            HEDGE_SCOPE,
        );
        for hit in found.window_hits() {
            if !flags.get(hit.token).copied().unwrap_or_default() {
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

/// The stem with a denying prefix, or without it: `inhabit` and `uninhabit`. What is left has to
/// be long enough to be a word of its own.
fn prefixed(stem: &str) -> impl Iterator<Item = String> + '_ {
    const DENYING: [&str; 8] = ["un", "in", "im", "il", "ir", "non", "dis", "des"];
    let long = stem.chars().count() >= 5;
    let with = DENYING
        .iter()
        .filter(move |_| long)
        .map(move |p| format!("{p}{stem}"));
    // "un-" and "non-" only: "in-" and "dis-" begin too many words that deny nothing.
    let without = ["un", "non"].iter().filter_map(move |p| {
        stem.strip_prefix(p)
            .filter(|rest| rest.chars().count() >= 5)
            .map(str::to_owned)
    });
    with.chain(without)
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
    for (i, slot) in claim.slots.iter().enumerate() {
        if cited.all >> i & 1 == 1 {
            continue;
        }
        let stem = overlay.stem_text(slot.stem);
        if !rivals && !slot.name {
            wanted.extend(
                prefixed(stem)
                    .filter_map(|s| context.index.vocabulary.stem_id(&s))
                    .map(|id| (id, i)),
            );
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
    if wanted.is_empty() {
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
        let negated = negated_tokens(found.prepared, evidence_class(context, found.prepared));
        for opposite in opposites {
            let theirs = negated.get(opposite.token).copied().unwrap_or_default();
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
