//! A claim prepared for the checks: its content slots and its names.

use std::ops::Range;

use crate::index::{Entries, Form, Overlay, Prepared, StemId, WordEntry, prepare};
use crate::language::{Class, Lexicon};
use crate::numbers::Quantity;

/// The most distinct content tokens that are looked for. A text with more of them is no single
/// claim: those beyond count as not found.
pub(crate) const MAX_SLOTS: usize = 128;

/// The most numbers of a claim that are looked at.
const MAX_QUANTITIES: usize = 256;

/// Words of these classes are no part of a name.
const NO_NAME: Class = Class(
    Class::STOP.0 | Class::MONTH.0 | Class::NUMBER_WORD.0 | Class::DIGITS.0 | Class::ORDINAL.0,
);

/// The fewest content words of a clause.
const MIN_CLAUSE: u32 = 4;

/// A set of slots.
pub(crate) type Mask = u128;

/// A distinct content word of a claim.
#[derive(Debug, Clone)]
pub(crate) struct Slot {
    /// The first token that has it.
    pub(crate) token: usize,
    pub(crate) stem: StemId,
    pub(crate) root: StemId,
    pub(crate) class: Class,
    pub(crate) name: bool,
    /// A number, year or ordinal: compared by value elsewhere.
    pub(crate) number: bool,
    /// Looks like a verb: a participle or an irregular form.
    pub(crate) verb: bool,
}

/// A name: tokens that are capitalised in a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Name {
    pub(crate) tokens: Vec<usize>,
}

/// A claim prepared for the checks.
#[derive(Debug)]
pub(crate) struct ClaimText {
    pub(crate) prepared: Prepared,
    pub(crate) slots: Vec<Slot>,
    /// How many distinct content words there are, those beyond [`MAX_SLOTS`] included.
    pub(crate) content: usize,
    /// The slots of each clause; together all slots.
    pub(crate) clauses: Vec<Mask>,
    /// For each token its slot.
    pub(crate) slot_of: Vec<Option<u8>>,
    pub(crate) names: Vec<Name>,
    pub(crate) quantities: Vec<Quantity>,
    /// For each token what is known of it.
    entries: Vec<WordEntry>,
}

impl ClaimText {
    pub(crate) fn new(text: &str, overlay: &mut Overlay<'_>, lexicon: &Lexicon) -> Self {
        let prepared = prepare(text, overlay, lexicon);
        let mut quantities = prepared.quantities(overlay).to_vec();
        quantities.truncate(MAX_QUANTITIES);
        quantities.retain(|q| !is_mark(&prepared, q));
        let names = if is_title_case(&prepared, overlay) {
            Vec::new()
        } else {
            names(&prepared, overlay)
        };
        let entries = prepared
            .tokens
            .iter()
            .map(|t| overlay.entry(t.word))
            .collect();
        let mut claim = Self {
            slot_of: vec![None; prepared.tokens.len()],
            prepared,
            slots: Vec::new(),
            content: 0,
            clauses: Vec::new(),
            names,
            quantities,
            entries,
        };
        claim.fill_slots(overlay, lexicon);
        claim.fill_clauses();
        claim
    }

    /// Clauses end before a comma (or another break) and before a conjunction; one of fewer
    /// than four content words belongs to the clause before it.
    fn fill_clauses(&mut self) {
        let mut current: Mask = 0;
        let mut seen: Mask = 0;
        for (i, token) in self.prepared.tokens.iter().enumerate() {
            let boundary =
                token.form.has(Form::AFTER_BREAK) || self.class_of(i).has(Class::CONJUNCTION);
            if boundary && current.count_ones() >= MIN_CLAUSE {
                self.clauses.push(current);
                current = 0;
            }
            if let Some(Some(slot)) = self.slot_of.get(i)
                && seen >> slot & 1 == 0
            {
                current |= 1 << slot;
                seen |= 1 << slot;
            }
        }
        match self.clauses.last_mut() {
            Some(last) if current.count_ones() < MIN_CLAUSE => *last |= current,
            _ => self.clauses.push(current),
        }
    }

    /// The slots for which something holds.
    pub(crate) fn mask_of(&self, holds: impl Fn(&Slot) -> bool) -> Mask {
        self.slots
            .iter()
            .enumerate()
            .filter(|(_, s)| holds(s))
            .fold(0, |mask, (i, _)| mask | 1 << i)
    }

    fn fill_slots(&mut self, overlay: &Overlay<'_>, lexicon: &Lexicon) {
        let mut named = vec![false; self.prepared.tokens.len()];
        for &token in self.names.iter().flat_map(|n| &n.tokens) {
            if let Some(flag) = named.get_mut(token) {
                *flag = true;
            }
        }
        let mut numbered = vec![false; self.prepared.tokens.len()];
        for quantity in &self.quantities {
            for token in quantity.tokens.0..quantity.tokens.1 {
                if let Some(flag) = numbered.get_mut(token) {
                    *flag = true;
                }
            }
        }
        let mut beyond = std::collections::BTreeSet::new();
        for (i, token) in self.prepared.tokens.iter().enumerate() {
            if self.is_alias(i) {
                continue;
            }
            let entry = overlay.entry(token.word);
            let name = named.get(i).copied().unwrap_or_default();
            let apposed = !name && self.is_apposed(i, &named);
            if (entry.class.has(Class::EMPTY) || apposed) && !name {
                continue;
            }
            let known = self.slots.iter().position(|s| s.stem == entry.stem);
            let slot = match known {
                Some(slot) => slot,
                None if self.slots.len() < MAX_SLOTS => {
                    self.slots.push(Slot {
                        token: i,
                        stem: entry.stem,
                        root: entry.root,
                        class: entry.class,
                        name,
                        number: numbered.get(i).copied().unwrap_or_default()
                            || entry.class.has(Class::ORDINAL),
                        verb: !name && is_verb_form(self.word(i), lexicon),
                    });
                    self.slots.len() - 1
                }
                None => {
                    beyond.insert(entry.stem);
                    continue;
                }
            };
            if let Some(place) = self.slot_of.get_mut(i) {
                *place = u8::try_from(slot).ok();
            }
        }
        self.content = self.slots.len() + beyond.len();
    }

    /// "systemic lupus erythematosus (SLE)": the short form of what stands in front of it says
    /// nothing more.
    fn is_alias(&self, token: usize) -> bool {
        is_alias(&self.prepared, token)
    }

    /// "the film *Gandhi*", "actor Brad Pitt": the noun says of what kind the named thing is.
    /// Evidence about it rarely repeats that, so it is no content token of its own.
    fn is_apposed(&self, token: usize, named: &[bool]) -> bool {
        let next = named.get(token + 1).copied().unwrap_or_default();
        let joined = self
            .prepared
            .tokens
            .get(token + 1)
            .is_some_and(|t| !t.form.has(Form::AFTER_BREAK));
        let before = token.checked_sub(1).map_or("", |t| self.word(t));
        let article = matches!(
            before.to_lowercase().as_str(),
            "the" | "a" | "an" | "el" | "la" | "els" | "les" | "l'" | "l’"
        ) || before.is_empty();
        next && joined && article
    }

    /// The text of a token.
    pub(crate) fn word(&self, token: usize) -> &str {
        word(&self.prepared, token)
    }

    /// The class of a token.
    pub(crate) fn class_of(&self, token: usize) -> Class {
        self.entries.get(token).map(|e| e.class).unwrap_or_default()
    }

    /// Whether a token is part of a quantity.
    pub(crate) fn in_quantity(&self, token: usize) -> bool {
        let before = self.quantities.partition_point(|q| q.tokens.0 <= token);
        before
            .checked_sub(1)
            .and_then(|i| self.quantities.get(i))
            .is_some_and(|q| token < q.tokens.1)
    }

    /// The value of a token: of number words, ordinals and months.
    pub(crate) fn value_of(&self, token: usize) -> u64 {
        self.entries.get(token).map_or(0, |e| e.value)
    }

    /// The text of a slot, as the claim first has it.
    pub(crate) fn slot_text(&self, slot: usize) -> &str {
        self.slots.get(slot).map_or("", |s| self.word(s.token))
    }

    /// All slots that a mask holds, as text.
    pub(crate) fn slot_texts(&self, mask: Mask) -> Vec<String> {
        (0..self.slots.len())
            .filter(|&i| mask >> i & 1 == 1)
            .map(|i| self.slot_text(i).to_owned())
            .collect()
    }

    /// The mask of all slots.
    pub(crate) fn all(&self) -> Mask {
        let n = self.slots.len();
        if n >= MAX_SLOTS {
            Mask::MAX
        } else {
            (1 << n) - 1
        }
    }
}

fn is_alias(prepared: &Prepared, token: usize) -> bool {
    let short = word(prepared, token);
    let letters = short.strip_suffix('s').unwrap_or(short);
    let bracketed = prepared.tokens.get(token).is_some_and(|t| {
        let before = prepared.text().get(..t.start as usize).unwrap_or_default();
        let behind = prepared.text().get(t.end as usize..).unwrap_or_default();
        before.ends_with('(') && behind.starts_with(')')
    });
    let Some(first) = letters.chars().next() else {
        return false;
    };
    bracketed
        && (2..=8).contains(&letters.len())
        && letters.chars().filter(|c| c.is_uppercase()).count() >= 2
        && (token.saturating_sub(2 * letters.len())..token).any(|i| {
            let c = word(prepared, i).chars().next();
            c.is_some_and(|c| c.to_lowercase().eq(first.to_lowercase()))
        })
}

/// A single letter before a hyphen (`C-terminal`) is no name.
fn is_prefix_letter(prepared: &Prepared, token: usize) -> bool {
    prepared.tokens.get(token).is_some_and(|t| {
        let behind = prepared.text().get(t.end as usize..).unwrap_or_default();
        t.end - t.start == 1 && behind.starts_with('-')
    })
}

/// `2. The valve …`, `(2) the valve`, `2) the valve`: the number is a list's.
fn is_mark(prepared: &Prepared, quantity: &Quantity) -> bool {
    let (from, to) = quantity.span;
    let before = prepared.text().get(..from).unwrap_or_default();
    let behind = prepared.text().get(to..).unwrap_or_default();
    let initial = prepared
        .tokens
        .get(quantity.tokens.0)
        .is_some_and(|t| t.form.has(Form::INITIAL));
    let opens = behind.starts_with(". ") && initial;
    let bracketed = behind.starts_with(") ")
        && before
            .chars()
            .next_back()
            .is_none_or(|c| c == '(' || c.is_whitespace());
    let inside = before.rfind('(').is_some_and(|open| {
        from - open > 1 && !before.get(open..).is_some_and(|b| b.contains(')'))
    });
    to - from <= 2 && (opens || bracketed && !inside)
}

/// Whether a text is written like a title, so that its capitals do not tell names: five words or
/// more beside function words, all of them capitalised.
fn is_title_case(prepared: &Prepared, entries: &impl Entries) -> bool {
    let (mut words, mut capitals) = (0_usize, 0_usize);
    for token in &prepared.tokens {
        let class = entries.entry(token.word).class;
        if class.has(NO_NAME) {
            continue;
        }
        words += 1;
        capitals += usize::from(token.form.has(Form::CAPITAL));
    }
    words >= 5 && capitals == words && prepared.tokens.len() > words
}

/// Participles (`-ed`, `-ing`, and what the language lists as irregular).
fn is_verb_form(word: &str, lexicon: &Lexicon) -> bool {
    let lower = word.to_lowercase();
    lexicon.is_verb_form(&lower)
}

/// The text of a token of a prepared text.
pub(crate) fn word(prepared: &Prepared, token: usize) -> &str {
    prepared
        .tokens
        .get(token)
        .and_then(|t| prepared.text().get(t.start as usize..t.end as usize))
        .unwrap_or_default()
}

/// The names of a text: capitalised words in a row, small words such as "of" between them.
///
/// The first word of a sentence counts only together with a capitalised word behind it, or when
/// it is all capitals; months and function words never do.
pub(crate) fn names(prepared: &Prepared, entries: &impl Entries) -> Vec<Name> {
    let tokens = &prepared.tokens;
    let capital = |i: usize| {
        tokens.get(i).is_some_and(|t| {
            let class = entries.entry(t.word).class;
            t.form.has(Form::CAPITAL)
                && !class.has(NO_NAME)
                && !is_alias(prepared, i)
                && !is_prefix_letter(prepared, i)
        })
    };
    let joined = |i: usize| {
        tokens
            .get(i)
            .is_some_and(|t| !t.form.has(Form::AFTER_BREAK) && !t.form.has(Form::INITIAL))
    };
    let mut out = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if !capital(at) {
            at += 1;
            continue;
        }
        let run: Range<usize> = at..end_of_name(prepared, at, &capital, &joined);
        let initial = tokens.get(at).is_some_and(|t| t.form.has(Form::INITIAL));
        let all_caps = tokens.get(at).is_some_and(|t| t.form.has(Form::ALL_CAPS));
        at = run.end;
        let mut members: Vec<usize> = run.filter(|&i| capital(i)).collect();
        // "Including Bergen": the first word has its capital from the sentence.
        let light = |i: &usize| {
            tokens
                .get(*i)
                .is_some_and(|t| entries.entry(t.word).class.has(Class::LIGHT))
        };
        if initial && members.len() > 1 && members.first().is_some_and(light) {
            members.remove(0);
            out.push(Name { tokens: members });
            continue;
        }
        // So has a word behind a colon.
        let initial = initial
            || members.first().is_some_and(|&i| {
                let from = i.checked_sub(1).and_then(|b| tokens.get(b)).map(|t| t.end);
                let gap = from
                    .zip(tokens.get(i))
                    .and_then(|(from, t)| prepared.text().get(from as usize..t.start as usize));
                gap.is_some_and(|g| g.contains(':'))
            });
        if initial && members.len() < 2 && !all_caps {
            continue;
        }
        out.push(Name { tokens: members });
    }
    out
}

fn end_of_name(
    prepared: &Prepared,
    start: usize,
    capital: &impl Fn(usize) -> bool,
    joined: &impl Fn(usize) -> bool,
) -> usize {
    let mut end = start + 1;
    loop {
        if joined(end) && capital(end) {
            end += 1;
            continue;
        }
        let link = matches!(
            word(prepared, end),
            "of" | "de" | "del" | "van" | "von" | "der" | "the" | "d'" | "d’"
        );
        if link && joined(end) && joined(end + 1) && capital(end + 1) {
            end += 2;
            continue;
        }
        return end;
    }
}
