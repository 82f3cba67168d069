//! All phrases of all languages in one trie over folded text.
//!
//! Every phrase starts where a token starts, so a walk begins at each token and falls off after
//! two or three letters: what failure links would buy an Aho–Corasick automaton is not needed.

use std::collections::BTreeMap;

use text_units::is_token_char;

use super::spec::{FrameSpec, OntologySpec};
use super::words::{FirstWords, Packed, is_word_byte};
use super::{count, position, unknown};
use crate::error::Error;
use crate::label::Label;

/// What a phrase is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Marker,
    Verb,
    FrameOpen,
    FrameClose,
    ListJoiner,
    AxisJoiner,
    AxisWord,
    OppositionOpen,
    OppositionClose,
    Relation,
    Cycle,
    Implicit,
    Unit,
    NameConnector,
}

/// A phrase in the trie.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entry {
    pub(crate) kind: Kind,
    /// The frame, opposition, relation, cycle or quadrant it belongs to.
    pub(crate) of: u16,
    /// Index of its text in [`Lexicon::phrases`].
    pub(crate) phrase: u32,
}

/// What the phrases that begin with a token are.
pub(crate) enum FirstWord<'l> {
    /// None.
    Nothing,
    /// These, all of one word.
    Alone(&'l [Entry]),
    /// Some are longer.
    Walk,
}

/// Set on a transition into a state where phrases end.
const ENDS: u16 = 1 << 15;
const DEAD: u16 = 0;
const ROOT: u16 = 1;
/// Classes of `a` to `z`: first, so that a row's letters share a cache line.
const LETTERS: u8 = 26;

/// The compiled phrases.
#[derive(Debug)]
pub(crate) struct Lexicon {
    pub(crate) phrases: Vec<Label>,
    classes: [u8; 256],
    /// Binary logarithm of the length of a row.
    shift: u32,
    /// The next state, by state and class. States are numbered breadth first, which keeps those
    /// that every token visits together.
    next: Vec<u16>,
    words: FirstWords,
    /// The entries of each state, as a range.
    ranges: Vec<[u32; 2]>,
    entries: Vec<Entry>,
}

impl Lexicon {
    pub(crate) fn new(
        spec: &OntologySpec,
        quadrants: &[Label],
        relations: &[Label],
        cycles: &[Label],
    ) -> Result<Self, Error> {
        let mut draft = Draft::default();
        let (mut frames, mut oppositions) = (0, 0);
        for language in &spec.languages {
            draft.all(Kind::Marker, 0, &language.markers)?;
            draft.all(Kind::Verb, 0, &language.verbs)?;
            draft.all(Kind::ListJoiner, 0, &language.list_joiners)?;
            draft.all(Kind::AxisJoiner, 0, &language.axis_joiners)?;
            draft.all(Kind::AxisWord, 0, &language.axis_words)?;
            draft.all(Kind::Unit, 0, &language.units)?;
            draft.all(Kind::NameConnector, 0, &language.name_connectors)?;
            for frame in &language.frames {
                draft.frame([Kind::FrameOpen, Kind::FrameClose], frames, frame)?;
                frames += 1;
            }
            for frame in &language.oppositions {
                let kinds = [Kind::OppositionOpen, Kind::OppositionClose];
                draft.frame(kinds, oppositions, frame)?;
                oppositions += 1;
            }
            let part = format!("language {}", language.language);
            for [name, phrase] in &language.relation_phrases {
                let of = position(&part, relations, name, "a relation")?;
                draft.add(Kind::Relation, of.into(), phrase)?;
            }
            for [name, phrase] in &language.cycle_phrases {
                let of = position(&part, cycles, name, "a cycle")?;
                draft.add(Kind::Cycle, of.into(), phrase)?;
            }
            for [name, phrase] in &language.implicit {
                let of = position(&part, quadrants, name, "a quadrant")?;
                draft.add(Kind::Implicit, of.into(), phrase)?;
            }
            if language.language.is_empty() {
                return Err(unknown("language", "", "a language tag"));
            }
        }
        draft.compile()
    }

    pub(crate) fn frames(&self) -> usize {
        let open = self.entries.iter().filter(|e| e.kind == Kind::FrameOpen);
        open.map(|e| usize::from(e.of) + 1).max().unwrap_or(0)
    }

    #[inline]
    fn step(&self, state: u16, byte: u8) -> u16 {
        let row = usize::from(state & !ENDS) << self.shift;
        let at = row | usize::from(self.classes[usize::from(byte)]);
        self.next.get(at).copied().unwrap_or(DEAD)
    }

    /// What may begin with this token, which has letters of ASCII and Latin-1 only, without `ß`
    /// and `ÿ`: of those, capital and small letter differ in one bit, as in ASCII.
    #[inline]
    pub(crate) fn first_word(&self, token: Packed) -> FirstWord<'_> {
        if !self.words.may_hold(token) {
            return FirstWord::Nothing;
        }
        match self.words.find(token) {
            _ if token.length > 8 => FirstWord::Walk,
            Some(word) if word.longer => FirstWord::Walk,
            Some(word) => FirstWord::Alone(self.entries_of(word.state)),
            None => FirstWord::Nothing,
        }
    }

    /// Calls `found` with the phrases that start at `start`, which must be the start of a token,
    /// and the byte where they end, shortest first.
    #[inline]
    pub(crate) fn walk(&self, text: &str, start: usize, mut found: impl FnMut(&[Entry], usize)) {
        let bytes = text.as_bytes();
        let mut state = ROOT;
        let mut at = start;
        while let Some(&byte) = bytes.get(at) {
            if byte.is_ascii_alphanumeric() {
                state = self.step(state, byte);
                at += 1;
            } else if is_blank(byte) {
                state = self.step(state, b' ');
                at = skip_blanks(bytes, at);
            } else if byte.is_ascii() {
                state = self.step(state, byte);
                at += 1;
            } else if let (0xC3, Some(&next)) = (byte, bytes.get(at + 1)) {
                state = self.step(self.step(state, byte), fold_latin(next));
                at += 2;
            } else {
                (state, at) = self.step_char(state, text, at);
            }
            if state == DEAD {
                return;
            }
            if state & ENDS != 0 && (ends_token(text, at) || ends_open(text, at)) {
                found(self.entries_of(state), at);
            }
        }
    }

    fn entries_of(&self, state: u16) -> &[Entry] {
        let range = self.ranges.get(usize::from(state & !ENDS));
        let [start, end] = range.copied().unwrap_or_default();
        let range = start as usize..end as usize;
        self.entries.get(range).unwrap_or(&[])
    }

    #[cold]
    fn step_char(&self, state: u16, text: &str, at: usize) -> (u16, usize) {
        let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) else {
            return (DEAD, at);
        };
        let mut state = state;
        fold_char(c, |byte| {
            if state != DEAD {
                state = self.step(state, byte);
            }
        });
        (state, at + c.len_utf8())
    }
}

/// The folded second byte of a character `U+00C0..=U+00FF`, whose first byte is 0xC3: `À..=Þ`
/// without `×` have their small letters 0x20 farther on (what [`fold_char`] does to them).
#[inline]
fn fold_latin(byte: u8) -> u8 {
    if matches!(byte, 0x80..=0x9E) && byte != 0x97 {
        byte + 0x20
    } else {
        byte
    }
}

/// White space of ASCII.
#[inline]
pub(crate) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

/// Past a run of white space; a blank line stops it, so that no phrase crosses one.
fn skip_blanks(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    let mut lines = 0;
    while let Some(&byte) = bytes.get(at).filter(|b| is_blank(**b)) {
        lines += usize::from(byte == b'\n');
        if lines == 2 {
            break;
        }
        at += 1;
    }
    at
}

/// Whether a phrase that ends before `at` ends with a whole token.
#[inline]
fn ends_token(text: &str, at: usize) -> bool {
    match text.as_bytes().get(at) {
        None => true,
        Some(byte) if byte.is_ascii() => !(byte.is_ascii_alphanumeric() || *byte == b'_'),
        Some(_) => {
            let next = text.get(at..).and_then(|rest| rest.chars().next());
            next.is_none_or(|c| !is_token_char(c) && !joins_word(text, at, c))
        }
    }
}

/// Whether a phrase that ends before `at` ends in a mark, as in `en contra d’`.
#[cold]
fn ends_open(text: &str, at: usize) -> bool {
    let last = text.get(..at).and_then(|t| t.chars().next_back());
    last.is_some_and(|c| !is_token_char(c))
}

/// Whether a middle dot stands between two `l`, as in `intel·ligent`, and so within a word.
pub(crate) fn joins_word(text: &str, at: usize, c: char) -> bool {
    let dot = matches!(
        c,
        '\u{B7}' | '\u{2027}' | '\u{2022}' | '\u{2219}' | '\u{22C5}'
    );
    let l = |byte: Option<&u8>| byte.is_some_and(|b| b.eq_ignore_ascii_case(&b'l'));
    let bytes = text.as_bytes();
    dot && l(at.checked_sub(1).and_then(|i| bytes.get(i))) && l(bytes.get(at + c.len_utf8()))
}

/// The folded form of a character, byte by byte: lower case, straight apostrophes and hyphens,
/// one middle dot, one white space (see `text_units::fold`).
pub(crate) fn fold_char(c: char, mut push: impl FnMut(u8)) {
    match c {
        '\u{2019}' | '\u{2018}' | '\u{2BC}' | '\u{FF07}' => push(b'\''),
        '\u{2010}' | '\u{2011}' => push(b'-'),
        '\u{140}' | '\u{13F}' => [b'l', 0xC2, 0xB7].into_iter().for_each(push),
        'ς' => 'σ'.encode_utf8(&mut [0; 4]).bytes().for_each(push),
        '\u{B7}' | '\u{2027}' | '\u{2022}' | '\u{2219}' | '\u{22C5}' => {
            [0xC2, 0xB7].into_iter().for_each(push)
        }
        'ß'..='ÿ' => [0xC3, (c as u32 as u8) - 0x40].into_iter().for_each(push),
        c if c.is_whitespace() => push(b' '),
        c => {
            let mut buffer = [0; 4];
            for lower in c.to_lowercase() {
                lower.encode_utf8(&mut buffer).bytes().for_each(&mut push);
            }
        }
    }
}

/// Phrases before they are compiled: folded bytes and what they are for.
#[derive(Default)]
struct Draft {
    phrases: Vec<Label>,
    keys: BTreeMap<Vec<u8>, Vec<Entry>>,
}

impl Draft {
    fn all(&mut self, kind: Kind, of: u16, phrases: &[String]) -> Result<(), Error> {
        phrases.iter().try_for_each(|p| self.add(kind, of, p))
    }

    fn frame(&mut self, kinds: [Kind; 2], of: u16, frame: &FrameSpec) -> Result<(), Error> {
        self.all(kinds[0], of, &frame.openers)?;
        self.all(kinds[1], of, &frame.closers)
    }

    fn add(&mut self, kind: Kind, of: u16, phrase: &str) -> Result<(), Error> {
        let cleaned = text_units::clean(phrase);
        let words: Vec<&str> = cleaned.text().split_whitespace().collect();
        let mut key = Vec::new();
        for c in words.join(" ").chars() {
            fold_char(c, |byte| key.push(byte));
        }
        if !cleaned.text().trim_start().starts_with(is_token_char) {
            return Err(Error::Unmatchable {
                part: "phrase",
                text: phrase.to_owned(),
                expected: "a phrase that starts with a letter or a digit",
            });
        }
        let index = u32::try_from(self.phrases.len()).unwrap_or(u32::MAX);
        self.phrases.push(phrase.into());
        self.keys.entry(key).or_default().push(Entry {
            kind,
            of,
            phrase: index,
        });
        Ok(())
    }

    /// Builds the states level by level.
    fn compile(self) -> Result<Lexicon, Error> {
        let (classes, shift) = classes(self.keys.keys());
        let mut lexicon = Lexicon {
            phrases: self.phrases,
            classes,
            shift,
            next: vec![DEAD; 2 << shift],
            words: FirstWords::new(self.keys.len()),
            ranges: vec![[0; 2]; 2],
            entries: Vec::new(),
        };

        let mut walks: Vec<(u16, &[u8], &[Entry])> = Vec::new();
        for (key, entries) in &self.keys {
            walks.push((ROOT, key, entries));
        }
        while !walks.is_empty() {
            for (state, rest, entries) in &mut walks {
                let Some((byte, tail)) = rest.split_first() else {
                    continue;
                };
                let ends = if tail.is_empty() { *entries } else { &[] };
                *state = lexicon.grow(*state, *byte, ends)?;
                *rest = tail;
            }
            walks.retain(|(_, rest, _)| !rest.is_empty());
        }
        for key in self.keys.keys() {
            let state = lexicon.state_after(key);
            lexicon.words.admit(key, state);
        }
        Ok(lexicon)
    }
}

/// A class for each byte that occurs in a key, capitals with their small letters, 0 for others;
/// and the binary logarithm of a length for rows.
fn classes<'k>(keys: impl Iterator<Item = &'k Vec<u8>>) -> ([u8; 256], u32) {
    let mut classes = [0; 256];
    for (class, letter) in (1..).zip(b'a'..=b'z') {
        classes[usize::from(letter)] = class;
        classes[usize::from(letter.to_ascii_uppercase())] = class;
    }
    let mut last = LETTERS;
    for &byte in keys.flatten() {
        let class = &mut classes[usize::from(byte)];
        if *class == 0 {
            last = last.saturating_add(1);
            *class = last;
        }
    }
    (classes, (u32::from(last) + 1).next_power_of_two().ilog2())
}

impl Lexicon {
    /// The state after the first word of a key, with its mark.
    fn state_after(&self, key: &[u8]) -> u16 {
        let word = key
            .iter()
            .take_while(|byte| is_word_byte(**byte) || !byte.is_ascii());
        word.fold(ROOT, |state, byte| self.step(state, *byte))
    }

    /// The state after a byte, made if it is new; where phrases end it holds their entries.
    fn grow(&mut self, state: u16, byte: u8, ends: &[Entry]) -> Result<u16, Error> {
        let row = usize::from(state & !ENDS) << self.shift;
        let at = row | usize::from(self.classes[usize::from(byte)]);
        let mut next = self.next.get(at).copied().unwrap_or(DEAD);
        if next == DEAD {
            let states = self.ranges.len();
            count("states of phrases", states, 2, usize::from(ENDS - 1))?;
            next = u16::try_from(states).unwrap_or(DEAD);
            self.next.resize(self.next.len() + (1 << self.shift), DEAD);
            self.ranges.push([0; 2]);
        }
        if let Some(range) = self.ranges.get_mut(usize::from(next & !ENDS))
            && !ends.is_empty()
        {
            let start = self.entries.len() as u32;
            *range = [start, start + ends.len() as u32];
            self.entries.extend(ends);
            next |= ENDS;
        }
        if let Some(slot) = self.next.get_mut(at) {
            *slot = next;
        }
        Ok(next)
    }
}
