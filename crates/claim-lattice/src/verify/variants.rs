//! The same word written otherwise: initials, joined and split words, accents.

use super::claim_text::{ClaimText, Mask, word};
use super::lattice::{Cited, Context};
use crate::index::{Entries, Form, Prepared};
use crate::language::Class;

/// The letters of initials that are looked for.
const INITIALS: std::ops::RangeInclusive<usize> = 3..=6;

/// Credits the words of a claim that its evidence writes otherwise:
///
/// - the plural of initials: `SNPs` and `SNP`;
/// - initials: `MRI` and `magnetic resonance imaging`, either way round, three letters or more,
///   function words between left out;
/// - `email` and `e-mail`, `data set` and `dataset`, either way round;
/// - accents: `Malmo` and `Malmö`;
/// - two countries of two words and those of theirs: `United States` and `American`.
///
/// Linear in the passages.
pub(super) fn credit<'a>(mut cited: Cited<'a>, context: &Context<'_>) -> Cited<'a> {
    let missing = cited.claim.all() & !cited.all;
    if missing == 0 {
        return cited;
    }
    let wanted = Wanted::new(cited.claim, missing);
    let mut credit: Mask = 0;
    for found in &cited.matches {
        let title = context.index.titles.get(found.passage);
        for text in std::iter::once(found.prepared).chain(title) {
            credit |= wanted.found_in(text, context);
        }
    }
    cited.all |= credit;
    cited.window |= credit;
    cited
}

/// What is looked for, in lower case.
struct Wanted {
    /// Missing words.
    words: Vec<(String, Mask)>,
    /// Missing words without their accents, where that changes them; `SNP` for `SNPs`.
    plain: Vec<(String, Mask)>,
    /// Neighbours written as one word.
    joined: Vec<(String, Mask)>,
    /// The initials of neighbours.
    initials: Vec<(String, Mask)>,
    /// Missing words in capitals.
    capitals: Vec<(String, Mask)>,
    /// Phrases of two words that are looked for in place of one.
    phrases: Vec<(&'static Country, Mask)>,
    /// Single words that are looked for in place of a phrase.
    singles: Vec<(&'static Country, Mask)>,
}

/// A country of two words and the single words for it and for what is of it.
struct Country {
    phrase: [&'static str; 2],
    singles: &'static [&'static str],
}

const COUNTRIES: [Country; 4] = [
    Country {
        phrase: ["united", "states"],
        singles: &["american", "americans", "america", "america's"],
    },
    Country {
        phrase: ["united", "kingdom"],
        singles: &["british", "britain", "britain's"],
    },
    Country {
        phrase: ["estats", "units"],
        singles: &["americà", "americana", "americans", "americanes"],
    },
    Country {
        phrase: ["regne", "unit"],
        singles: &["britànic", "britànica", "britànics"],
    },
];

impl Wanted {
    fn new(claim: &ClaimText, missing: Mask) -> Self {
        let mut out = Self {
            words: Vec::new(),
            plain: Vec::new(),
            joined: Vec::new(),
            initials: Vec::new(),
            capitals: Vec::new(),
            phrases: Vec::new(),
            singles: Vec::new(),
        };
        for (i, slot) in claim.slots.iter().enumerate() {
            if missing >> i & 1 == 0 || slot.number {
                continue;
            }
            let text = claim.word(slot.token);
            let lower = text.to_lowercase();
            let caps = claim
                .prepared
                .tokens
                .get(slot.token)
                .is_some_and(|t| t.form.has(Form::ALL_CAPS));
            // `NGOs` is `NGO`.
            let letters = lower.strip_suffix('s').filter(|_| text.ends_with('s'));
            let head = text.strip_suffix('s').unwrap_or(text);
            if caps || head.len() >= 3 && head.chars().all(char::is_uppercase) {
                let letters = letters.unwrap_or(&lower).to_owned();
                if INITIALS.contains(&letters.chars().count()) {
                    out.capitals.push((letters.clone(), 1 << i));
                }
                out.plain.push((format!("{letters}s"), 1 << i));
                out.plain.push((letters, 1 << i));
            }
            if !lower.is_ascii() {
                out.plain.push((without_accents(&lower), 1 << i));
            }
            out.add_country(claim, slot.token, &lower, 1 << i);
            out.words.push((lower, 1 << i));
        }
        out.add_neighbours(claim, missing);
        out
    }

    /// Neighbours of the claim, as one word and as initials.
    fn add_neighbours(&mut self, claim: &ClaimText, missing: Mask) {
        let slot = |t: usize| claim.slot_of.get(t).copied().flatten();
        let mask = |t: usize| slot(t).map_or(0, |s| 1 << s);
        let tokens = &claim.prepared.tokens;
        let glued = |t: usize| {
            tokens
                .get(t)
                .is_some_and(|t| !t.form.has(Form::AFTER_BREAK) && !t.form.has(Form::INITIAL))
        };
        // The slots are those of the first occurrence: no more places than slots are looked at.
        for first in claim.slots.iter().map(|s| s.token) {
            let both = mask(first) | mask(first + 1);
            if glued(first + 1) && both & missing != 0 {
                let text = format!("{}{}", claim.word(first), claim.word(first + 1));
                self.joined.push((text.to_lowercase(), both));
            }
            let (mut letters, mut slots, mut at) = (String::new(), 0, first);
            while letters.len() < 6 && tokens.len() > at && (at == first || glued(at)) {
                if claim.class_of(at).has(Class::STOP) {
                    at += 1;
                    continue;
                }
                letters.extend(claim.word(at).chars().take(1).flat_map(char::to_lowercase));
                slots |= mask(at);
                at += 1;
                if letters.len() >= 3 && slots & missing != 0 {
                    self.initials.push((letters.clone(), slots));
                }
            }
        }
    }

    fn add_country(&mut self, claim: &ClaimText, token: usize, lower: &str, mask: Mask) {
        for country in &COUNTRIES {
            if country.singles.contains(&lower) {
                // "nord-americana" is two words.
                let before = token.checked_sub(1).filter(|&t| is("nord", claim.word(t)));
                let north = before.and_then(|t| claim.slot_of.get(t).copied().flatten());
                self.phrases
                    .push((country, mask | north.map_or(0, |slot| 1 << slot)));
            }
            let [first, second] = country.phrase;
            let whole = lower == first && is(second, claim.word(token + 1))
                || lower == second && token > 0 && is(first, claim.word(token - 1));
            if whole {
                self.singles.push((country, mask));
            }
        }
    }

    fn found_in(&self, text: &Prepared, context: &Context<'_>) -> Mask {
        let mut credit = 0;
        for (i, token) in text.tokens.iter().enumerate() {
            let this = word(text, i);
            let next = word(text, i + 1);
            let glued = text
                .tokens
                .get(i + 1)
                .is_some_and(|t| !t.form.has(Form::AFTER_BREAK) && !t.form.has(Form::INITIAL));
            for (wanted, mask) in &self.words {
                let split = glued
                    && wanted.len() == this.len() + next.len()
                    && starts_with(wanted, this)
                    && wanted.get(this.len()..).is_some_and(|w| is(w, next));
                if split {
                    credit |= mask;
                }
            }
            for (wanted, mask) in &self.joined {
                if is(wanted, this) {
                    credit |= mask;
                }
            }
            if !this.is_ascii() {
                let plain = without_accents(&this.to_lowercase());
                for (wanted, mask) in &self.words {
                    credit |= if *wanted == plain { *mask } else { 0 };
                }
            }
            for (wanted, mask) in &self.plain {
                if is(wanted, this) {
                    credit |= mask;
                }
            }
            if token.form.has(Form::ALL_CAPS) {
                for (wanted, mask) in &self.initials {
                    if is(wanted, this) {
                        credit |= mask;
                    }
                }
            }
            for (country, mask) in &self.phrases {
                if is(country.phrase[0], this) && is(country.phrase[1], next) {
                    credit |= mask;
                }
            }
            for (country, mask) in &self.singles {
                if country.singles.iter().any(|s| is(s, this)) {
                    credit |= mask;
                }
            }
            for (wanted, mask) in &self.capitals {
                if spells(text, i, wanted, context) {
                    credit |= mask;
                }
            }
        }
        credit
    }
}

/// Whether the words from a token on begin with the letters, function words left out.
fn spells(text: &Prepared, start: usize, letters: &str, context: &Context<'_>) -> bool {
    let mut at = start;
    letters.chars().all(|letter| {
        let here = |at: usize| text.tokens.get(at);
        let stop = |at: usize| {
            here(at).is_some_and(|t| {
                context
                    .index
                    .vocabulary
                    .entry(t.word)
                    .class
                    .has(Class::STOP)
            })
        };
        while at > start && at < start + 12 && stop(at) {
            at += 1;
        }
        let glued = at == start
            || here(at)
                .is_some_and(|t| !t.form.has(Form::AFTER_BREAK) && !t.form.has(Form::INITIAL));
        let meets = glued
            && word(text, at)
                .chars()
                .next()
                .is_some_and(|c| c.to_lowercase().next() == Some(letter));
        at += 1;
        meets
    })
}

/// Whether a word is `lower`, whatever its case.
fn is(lower: &str, word: &str) -> bool {
    lower.len() == word.len() && starts_with(lower, word)
}

/// Whether `lower` starts with a word, whatever the word's case (ASCII letters alone).
fn starts_with(lower: &str, word: &str) -> bool {
    lower.len() >= word.len()
        && lower
            .bytes()
            .zip(word.bytes())
            .all(|(a, b)| a == b.to_ascii_lowercase())
}

/// Lower-case Latin letters without their accents.
fn without_accents(lower: &str) -> String {
    let mut out = String::with_capacity(lower.len());
    for c in lower.chars() {
        match c {
            'à'..='å' | 'ā' | 'ă' | 'ą' => out.push('a'),
            'ç' | 'ć' | 'č' => out.push('c'),
            'è'..='ë' | 'ē' | 'ę' | 'ě' => out.push('e'),
            'ì'..='ï' | 'ī' | 'ı' => out.push('i'),
            'ñ' | 'ń' | 'ň' => out.push('n'),
            'ò'..='ö' | 'ø' | 'ō' | 'ő' => out.push('o'),
            'ù'..='ü' | 'ū' | 'ů' | 'ű' => out.push('u'),
            'ý' | 'ÿ' => out.push('y'),
            'ś' | 'š' | 'ş' | 'ș' => out.push('s'),
            'ź' | 'ż' | 'ž' => out.push('z'),
            'ł' => out.push('l'),
            'ř' => out.push('r'),
            'ğ' => out.push('g'),
            'ţ' | 'ț' | 'ť' => out.push('t'),
            'æ' => out.push_str("ae"),
            'œ' => out.push_str("oe"),
            'ß' => out.push_str("ss"),
            other => out.push(other),
        }
    }
    out
}
