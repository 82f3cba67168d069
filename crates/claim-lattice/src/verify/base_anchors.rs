//! Check 7, the five base classes: names, dates, lists, counts, causes.

use std::collections::{BTreeMap, BTreeSet};

use super::claim_text::{ClaimText, Mask, Name, word};
use super::lattice::{Cited, Context};
use super::{bearers, causes};
use crate::codes::{AnchorClass, Code};
use crate::index::{Entries, Form, Prepared};
use crate::language::Class;
use crate::numbers::{Comparison, Quantity, Sort, Unit};
use crate::verdict::{ClaimVerdict, Violation};

pub(super) fn check(cited: &Cited<'_>, context: &Context<'_>, verdict: &mut ClaimVerdict) {
    proper_nouns(cited, context, verdict);
    dates(cited, context, verdict);
    entity_list(cited, context, verdict);
    counts(cited, context, verdict);
    causes::check(cited, context, verdict);
}

/// Records a failed anchor.
pub(super) fn miss(
    verdict: &mut ClaimVerdict,
    cited: &Cited<'_>,
    class: AnchorClass,
    tokens: Vec<String>,
) {
    verdict.push(
        Violation::new(Code::WarrantMissing)
            .class(class)
            .pointers(cited.pointers.clone())
            .tokens(tokens),
    );
}

fn name_text(cited: &Cited<'_>, name: &Name) -> String {
    let words: Vec<&str> = name.tokens.iter().map(|&t| cited.claim.word(t)).collect();
    words.join(" ")
}

fn proper_nouns(cited: &Cited<'_>, context: &Context<'_>, verdict: &mut ClaimVerdict) {
    let gated = context.policy.gate_by_question;
    if cited.claim.names.is_empty() || gated && !context.shape.relation {
        return;
    }
    verdict.warrant_ran(AnchorClass::ProperNouns);
    let missing = missing_names(cited, context, gated);
    if !missing.is_empty() {
        miss(verdict, cited, AnchorClass::ProperNouns, missing);
    }
}

/// Gated: all names when none is found at all, otherwise nothing. Ungated: each that is missing.
fn missing_names(cited: &Cited<'_>, context: &Context<'_>, gated: bool) -> Vec<String> {
    let names = &cited.claim.names;
    // The same name twice is looked for once.
    let mut known: BTreeMap<(Mask, Option<u8>), bool> = BTreeMap::new();
    let missing: Vec<String> = names
        .iter()
        .filter(|n| {
            let last = n.tokens.last().and_then(|&t| slot_at(cited, t));
            !*known
                .entry((name_mask(cited, n), last))
                .or_insert_with(|| name_found(cited, context, n))
        })
        .map(|n| name_text(cited, n))
        .collect();
    if gated && missing.len() < names.len() {
        return Vec::new();
    }
    missing
}

fn slot_at(cited: &Cited<'_>, token: usize) -> Option<u8> {
    cited.claim.slot_of.get(token).copied().flatten()
}

fn name_mask(cited: &Cited<'_>, name: &Name) -> Mask {
    name.tokens
        .iter()
        .filter_map(|&t| slot_at(cited, t))
        .fold(0, |mask, slot| mask | 1 << slot)
}

/// A name that is found by its last word or its initials counts with all its words.
pub(super) fn credit_names<'a>(mut cited: Cited<'a>, context: &Context<'_>) -> Cited<'a> {
    let mut credit = 0;
    let mut seen = BTreeSet::new();
    for name in &cited.claim.names {
        let slots = name_mask(&cited, name);
        let last = name.tokens.last().and_then(|&t| slot_at(&cited, t));
        if slots & !cited.all != 0
            && seen.insert((slots, last))
            && name_found(&cited, context, name)
        {
            credit |= slots;
        }
    }
    cited.all |= credit;
    cited.window |= credit;
    cited
}

/// A name is found when each of its words is; when its last word is, and no other first name
/// stands before it in the evidence; or by its initials.
fn name_found(cited: &Cited<'_>, context: &Context<'_>, name: &Name) -> bool {
    let held = |token: &usize| matches!(cited.claim.slot_of.get(*token), Some(Some(slot)) if cited.all >> slot & 1 == 1);
    if name.tokens.iter().all(held) {
        return true;
    }
    let texts = || {
        cited.matches.iter().flat_map(|m| {
            let title = context.index.titles.get(m.passage);
            std::iter::once(m.prepared).chain(title)
        })
    };
    if texts().any(|text| initials_meet(cited, name, text)) {
        return true;
    }
    let (Some(last), true) = (name.tokens.last(), name.tokens.len() > 1) else {
        return false;
    };
    // "the Amazon River" is "the Amazon": what says of what kind it is may be left out.
    let generic = |token: &usize| is_generic(cited.claim.word(*token));
    if name.tokens.iter().any(|t| !generic(t)) && name.tokens.iter().all(|t| generic(t) || held(t))
    {
        return true;
    }
    held(last) && stands_alone(cited, context, *last)
}

/// Words that say of what kind a named thing is.
fn is_generic(word: &str) -> bool {
    const GENERIC: [&str; 48] = [
        "river",
        "lake",
        "mount",
        "mountain",
        "mountains",
        "sea",
        "ocean",
        "island",
        "islands",
        "valley",
        "desert",
        "city",
        "county",
        "state",
        "province",
        "kingdom",
        "republic",
        "empire",
        "university",
        "college",
        "school",
        "company",
        "corporation",
        "inc",
        "ltd",
        "group",
        "foundation",
        "association",
        "society",
        "party",
        "act",
        "treaty",
        "war",
        "church",
        "prize",
        "award",
        "dr",
        "mr",
        "mrs",
        "professor",
        "president",
        "sir",
        "riu",
        "llac",
        "universitat",
        "ciutat",
        "partit",
        "guerra",
    ];
    let lower = word.to_lowercase();
    GENERIC.contains(&lower.as_str())
}

/// Whether the evidence has the name's last word somewhere with no other first name in front of
/// it: `Lincoln` and `President Lincoln` bear "Abraham Lincoln", `Mary Lincoln` does not.
fn stands_alone(cited: &Cited<'_>, context: &Context<'_>, last: usize) -> bool {
    let wanted = cited.claim.word(last).to_lowercase();
    let foreign = |text: &Prepared, before: usize| {
        text.tokens.get(before).is_some_and(|b| {
            let class = context.index.vocabulary.entry(b.word).class;
            b.form.has(Form::CAPITAL) && !class.has(Class::STOP) && !is_generic(word(text, before))
        })
    };
    let mut seen = false;
    let alone = cited.matches.iter().any(|m| {
        let text = m.prepared;
        text.tokens.iter().enumerate().any(|(i, token)| {
            let this = word(text, i);
            let same = this.eq_ignore_ascii_case(&wanted)
                || !this.is_ascii() && this.to_lowercase() == wanted;
            if !same {
                return false;
            }
            seen = true;
            let joined = !token.form.has(Form::AFTER_BREAK) && !token.form.has(Form::INITIAL);
            let named = joined && token.form.has(Form::CAPITAL);
            !named || i.checked_sub(1).is_none_or(|before| !foreign(text, before))
        })
    });
    // Where the word is met in another form, nothing stands in front of it.
    alone || !seen
}

/// `USA` in the claim and `United States of America` in the evidence, or the other way round.
fn initials_meet(cited: &Cited<'_>, name: &Name, text: &Prepared) -> bool {
    let caps = |i: usize| {
        text.tokens
            .get(i)
            .is_some_and(|t| t.form.has(Form::CAPITAL))
    };
    if let [only] = name.tokens.as_slice() {
        let short = cited.claim.word(*only);
        let letters: Vec<char> = short.chars().collect();
        if letters.len() < 2 || !letters.iter().all(|c| c.is_uppercase()) {
            return false;
        }
        return (0..text.tokens.len()).filter(|&i| caps(i)).any(|start| {
            let mut at = start;
            letters.iter().all(|letter| {
                while at < text.tokens.len() && !caps(at) && at > start && at < start + 8 {
                    at += 1;
                }
                let meets = caps(at) && word(text, at).starts_with(*letter);
                at += 1;
                meets
            })
        });
    }
    let initials: String = name
        .tokens
        .iter()
        .filter_map(|&t| cited.claim.word(t).chars().next())
        .collect();
    text.tokens
        .iter()
        .enumerate()
        .any(|(i, t)| t.form.has(Form::ALL_CAPS) && word(text, i) == initials)
}

/// How the cited passages bear a quantity of the claim.
pub(super) fn borne(cited: &Cited<'_>, context: &Context<'_>, mine: &Quantity) -> Comparison {
    let mut outcome = Comparison::Different;
    let mut counted_same = false;
    let mut counted_other = false;
    for found in &cited.matches {
        let title = context.index.titles.get(found.passage);
        for text in std::iter::once(found.prepared).chain(title) {
            for theirs in text.quantities(&context.index.vocabulary) {
                let comparison = mine.borne_by(theirs);
                let same_noun = mine.counted.is_some() && mine.counted == theirs.counted;
                match comparison {
                    Comparison::Same => {
                        outcome = Comparison::Same;
                        counted_same |=
                            same_noun || mine.counted.is_none() || theirs.counted.is_none();
                    }
                    Comparison::NotComparable if outcome == Comparison::Different => {
                        outcome = Comparison::NotComparable;
                    }
                    Comparison::Different => counted_other |= same_noun && mine.unit == theirs.unit,
                    Comparison::NotComparable => {}
                }
            }
        }
    }
    // The number is there, but of something else, while the noun is there with another number.
    if outcome == Comparison::Same && counted_other && !counted_same {
        return Comparison::Different;
    }
    outcome
}

/// Checks quantities of a claim and records those that are not borne.
pub(super) fn check_quantities(
    cited: &Cited<'_>,
    context: &Context<'_>,
    class: AnchorClass,
    wanted: impl Fn(&Quantity) -> bool,
    verdict: &mut ClaimVerdict,
) {
    let mut missing = Vec::new();
    let mut unclear = Vec::new();
    for quantity in cited.claim.quantities.iter().filter(|q| wanted(q)) {
        verdict.warrant_ran(class);
        let text = cited
            .claim
            .prepared
            .text()
            .get(quantity.span.0..quantity.span.1)
            .unwrap_or_default()
            .to_owned();
        match borne(cited, context, quantity) {
            Comparison::Same => {}
            Comparison::Different
                if !is_number(cited, quantity) || bearers::bear(cited, context, quantity) => {}
            Comparison::Different => missing.push(text),
            Comparison::NotComparable => unclear.push(text),
        }
    }
    if !missing.is_empty() {
        miss(verdict, cited, class, missing);
    }
    if !unclear.is_empty() {
        verdict.push(
            Violation::new(Code::NotComparable)
                .class(class)
                .pointers(cited.pointers.clone())
                .tokens(unclear),
        );
    }
}

/// Whether a number is one: `19` of `COVID-19` belongs to the name. It counts where the evidence
/// has the name with another number, and not where the name as a whole is written otherwise
/// (`Oct4` for `Oct-4`) or is not there at all, which is coverage's matter.
fn is_number(cited: &Cited<'_>, quantity: &Quantity) -> bool {
    let before = cited
        .claim
        .prepared
        .text()
        .get(..quantity.span.0)
        .unwrap_or_default();
    let hangs = before
        .strip_suffix('-')
        .is_some_and(|b| b.ends_with(char::is_alphabetic));
    let held = |token: usize| slot_at(cited, token).is_some_and(|slot| cited.all >> slot & 1 == 1);
    let head = quantity.tokens.0.checked_sub(1);
    !hangs || !held(quantity.tokens.0) && head.is_some_and(held)
}

/// Whether a quantity is part of a date.
fn is_date(quantity: &Quantity) -> bool {
    matches!(quantity.sort, Sort::Year | Sort::Decade | Sort::Day)
}

fn dates(cited: &Cited<'_>, context: &Context<'_>, verdict: &mut ClaimVerdict) {
    check_quantities(cited, context, AnchorClass::Dates, is_date, verdict);
    let months = months(cited.claim);
    if months.is_empty() {
        return;
    }
    verdict.warrant_ran(AnchorClass::Dates);
    let mut known: BTreeMap<u64, bool> = BTreeMap::new();
    let missing: Vec<String> = months
        .into_iter()
        .filter(|&token| {
            let month = cited.claim.value_of(token);
            !*known
                .entry(month)
                .or_insert_with(|| month_held(cited, context, month))
        })
        .map(|token| cited.claim.word(token).to_owned())
        .collect();
    if !missing.is_empty() {
        miss(verdict, cited, AnchorClass::Dates, missing);
    }
}

/// Whether a cited passage names a month. English months are capitalised ("may" is a verb);
/// Catalan months are not.
fn month_held(cited: &Cited<'_>, context: &Context<'_>, month: u64) -> bool {
    cited.matches.iter().any(|m| {
        m.prepared.tokens.iter().enumerate().any(|(i, t)| {
            let entry = context.index.vocabulary.entry(t.word);
            let ambiguous = is_ambiguous_month(word(m.prepared, i));
            entry.class.has(Class::MONTH)
                && entry.value == month
                && (t.form.has(Form::CAPITAL) || !ambiguous)
        })
    })
}

fn is_ambiguous_month(word: &str) -> bool {
    let lower = word.to_lowercase();
    matches!(
        lower.as_str(),
        "may" | "march" | "mar" | "dec" | "set" | "ag" | "des"
    )
}

/// The months of a claim. "may" and "march" only capitalised beside a day or a year.
fn months(claim: &ClaimText) -> Vec<usize> {
    let beside = |i: usize| {
        claim
            .quantities
            .iter()
            .any(|q| is_date(q) && (q.tokens.1 == i || q.tokens.0 == i + 1 || q.tokens.0 == i + 2))
    };
    (0..claim.prepared.tokens.len())
        .filter(|&i| claim.class_of(i).has(Class::MONTH))
        .filter(|&i| {
            let capital = claim
                .prepared
                .tokens
                .get(i)
                .is_some_and(|t| t.form.has(Form::CAPITAL));
            !is_ambiguous_month(claim.word(i)) || capital && beside(i)
        })
        .collect()
}

fn entity_list(cited: &Cited<'_>, context: &Context<'_>, verdict: &mut ClaimVerdict) {
    if !context.shape.list || cited.claim.names.is_empty() {
        return;
    }
    verdict.warrant_ran(AnchorClass::EntityList);
    let missing = missing_names(cited, context, context.policy.gate_by_question);
    if !missing.is_empty() {
        miss(verdict, cited, AnchorClass::EntityList, missing);
    }
}

fn counts(cited: &Cited<'_>, context: &Context<'_>, verdict: &mut ClaimVerdict) {
    if context.policy.gate_by_question && !context.shape.count {
        return;
    }
    let gated = context.policy.gate_by_question;
    check_quantities(
        cited,
        context,
        AnchorClass::Counts,
        |q| {
            let one = q.span.1 - q.span.0 <= 3 && q.value.micro() == Some(1_000_000);
            q.sort == Sort::Cardinal && (gated || q.unit == Unit::None) && !one
        },
        verdict,
    );
}
