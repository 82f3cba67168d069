//! Numbers that the evidence bears without saying them: "both" bears two, a list of three bears
//! three, two years bear the time between them.

use std::collections::BTreeSet;
use std::ops::Range;

use super::claim_text::{Mask, word};
use super::lattice::{Cited, Context};
use crate::index::{Form, Prepared};
use crate::numbers::{Bound, Quantity, Sort, Unit};

/// Words that say a number without being one. English and Catalan.
const SAYING: [(i128, &[&str]); 3] = [
    (
        2,
        &[
            "both", "couple", "pair", "pairs", "twin", "twins", "duo", "double", "dual", "ambdós",
            "ambdues", "parell", "parella", "bessons", "bessones", "doble", "duet",
        ],
    ),
    (
        3,
        &[
            "trio",
            "triple",
            "triplets",
            "trilogy",
            "trilogia",
            "tercet",
            "trigèmins",
        ],
    ),
    (
        4,
        &[
            "quartet",
            "quadruple",
            "quadruplets",
            "tetralogy",
            "tetralogia",
            "quàdruple",
        ],
    ),
];

/// Times of so many years.
const TIMES: [(i128, &[&str]); 2] = [
    (10, &["decade", "dècada", "decenni"]),
    (
        100,
        &["century", "segle", "centennial", "centenary", "centenari"],
    ),
];

/// The longest item of a list, in words.
const ITEM: usize = 6;
/// The longest list that is counted.
const LONGEST: usize = 12;
/// With more years than these in its windows a passage bears no time between years: some two of
/// them would lie any number of years apart.
const MOST_YEARS: usize = 4;

/// A number that is borne in another way counts with its unit as found.
pub(super) fn credit<'a>(mut cited: Cited<'a>, context: &Context<'_>) -> Cited<'a> {
    let mut credit: Mask = 0;
    for quantity in &cited.claim.quantities {
        let slots = (quantity.tokens.0..quantity.tokens.1)
            .filter_map(|t| cited.claim.slot_of.get(t).copied().flatten())
            .fold(0, |mask, slot| mask | 1 << slot);
        if slots & !cited.all != 0 && bear(&cited, context, quantity) {
            credit |= slots;
        }
    }
    cited.all |= credit;
    cited.window |= credit;
    cited
}

/// Whether the sentences that speak of the claim bear a number of it in another way.
pub(super) fn bear(cited: &Cited<'_>, context: &Context<'_>, mine: &Quantity) -> bool {
    let Some(n) = mine.value.micro().filter(|m| m % 1_000_000 == 0) else {
        return false;
    };
    let n = n / 1_000_000;
    if mine.sort != Sort::Cardinal || n < 2 {
        return false;
    }
    let years = mine.unit == Unit::Measure("year");
    let age = !years && mine.unit == Unit::None && is_age(cited, mine);
    if years || age {
        return saying(cited, &TIMES, n) || apart(cited, context, mine, n, age);
    }
    mine.unit == Unit::None && (saying(cited, &SAYING, n) || listed(cited, n))
}

/// `aged 30`, `at the age of 30`, `als 30 anys`.
fn is_age(cited: &Cited<'_>, mine: &Quantity) -> bool {
    let first = mine.tokens.0;
    (first.saturating_sub(2)..first).any(|i| {
        let word = cited.claim.word(i);
        word.eq_ignore_ascii_case("age") || word.eq_ignore_ascii_case("aged")
    })
}

/// The sentences that speak of the claim.
fn sentences<'a>(cited: &'a Cited<'_>) -> impl Iterator<Item = (&'a Prepared, Range<usize>)> {
    cited.matches.iter().flat_map(|m| {
        m.window_sentences()
            .into_iter()
            .filter(|&s| m.aligned(s))
            .filter_map(|s| m.prepared.sentences.get(s))
            .map(|s| (m.prepared, s.tokens.clone()))
    })
}

fn saying(cited: &Cited<'_>, words: &[(i128, &[&str])], n: i128) -> bool {
    let Some((_, words)) = words.iter().find(|(value, _)| *value == n) else {
        return false;
    };
    sentences(cited).any(|(text, tokens)| {
        tokens.into_iter().any(|i| {
            let this = word(text, i);
            words.iter().any(|w| {
                w.eq_ignore_ascii_case(this) || !this.is_ascii() && *w == this.to_lowercase()
            })
        })
    })
}

fn listed(cited: &Cited<'_>, n: i128) -> bool {
    let Ok(n) = usize::try_from(n) else {
        return false;
    };
    n <= LONGEST
        && sentences(cited).any(|(text, tokens)| {
            tokens
                .clone()
                .any(|i| is_and(word(text, i)) && list_length(text, &tokens, i) == Some(n))
        })
}

fn is_and(word: &str) -> bool {
    ["and", "i", "or", "o", "e"]
        .iter()
        .any(|w| w.eq_ignore_ascii_case(word))
        && word != "I"
}

/// How many items the list has whose last two the conjunction joins: `Ann, Bea and Carl` has
/// three. Two items are a list only where both are names. An item's last word is written like
/// the last item's first: capital or not, and no number.
fn list_length(text: &Prepared, sentence: &Range<usize>, and: usize) -> Option<usize> {
    let capital = |i: usize| {
        text.tokens
            .get(i)
            .is_some_and(|t| t.form.has(Form::CAPITAL))
    };
    let comma_before = |i: usize| {
        let from = i.checked_sub(1).and_then(|b| text.tokens.get(b))?.end as usize;
        let gap = text.text().get(from..text.tokens.get(i)?.start as usize)?;
        Some(gap.contains(','))
    };
    let last = and + 1;
    if !sentence.contains(&last) || and == sentence.start {
        return None;
    }
    let alike = |end: usize| {
        capital(end) == capital(last) && !word(text, end).starts_with(|c: char| c.is_ascii_digit())
    };
    let (mut items, mut words, mut at) = (1, 0, and - 1);
    if !alike(at) {
        return None;
    }
    loop {
        words += 1;
        if words > ITEM {
            // What stands in front of the list and its first item are not told apart.
            items += 1;
            break;
        }
        if at == sentence.start || items > LONGEST {
            items += 1;
            break;
        }
        if comma_before(at) == Some(true) {
            items += 1;
            if !alike(at - 1) {
                break;
            }
            words = 0;
        }
        at -= 1;
    }
    (items > 2 || capital(last) && capital(and - 1)).then_some(items)
}

/// Whether two years of the windows lie so many years apart. A person's age may be one less.
fn apart(cited: &Cited<'_>, context: &Context<'_>, mine: &Quantity, n: i128, age: bool) -> bool {
    let mut years = BTreeSet::new();
    for found in &cited.matches {
        let windows = found.window_sentences();
        for theirs in found.prepared.quantities(&context.index.vocabulary) {
            let sentence = found.prepared.sentence_of(theirs.tokens.0);
            if theirs.sort == Sort::Year && windows.binary_search(&sentence).is_ok() {
                years.extend(theirs.value.micro().map(|m| m / 1_000_000));
            }
        }
    }
    if years.len() > MOST_YEARS {
        return false;
    }
    years.iter().any(|from| {
        years.range(from + 1..).any(|to| {
            let between = to - from;
            match mine.bound {
                Bound::Exactly => between == n || age && between == n + 1,
                Bound::About => (between - n).abs() * 10 <= between,
                Bound::MoreThan => between >= n && between <= 4 * n,
                Bound::LessThan => between <= n && between * 4 >= n,
            }
        })
    })
}
