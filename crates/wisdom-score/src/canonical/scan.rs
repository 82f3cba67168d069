//! The one pass over a text: tokens, codes, phrases, lists and paragraphs.

use text_units::is_token_char;

use super::facts::{Facts, Shape};
use super::frames::{Frames, Opened};
use crate::ontology::{
    Compiled, Entry, FirstWord, Kind, Packed, is_blank, is_word_byte, joins_word, word_bytes,
};
use crate::options::Options;

/// Codes joined by nothing but list joiners are a list from this many on.
const LIST: usize = 4;
/// The opening that may name an axis, in scalar values (seed 000 §3bis.2).
pub(super) const OPENING: u32 = 280;

/// No code farther than this makes an event: the longest reach, twice, because a frame is known
/// after it began.
const FARTHEST: u32 = 240;
/// Hits of a usual text: room for them is made at once.
const EXPECTED: usize = 64;
/// How many phrases come between two looks at what can be dropped.
const DROPPED_AT: usize = 256;

/// A code in the text.
#[derive(Debug, Clone, Copy)]
pub(super) struct CodeHit {
    /// First byte.
    pub(super) start: u32,
    /// First scalar value.
    pub(super) at: u32,
    pub(super) code: u16,
    /// Whether it is only listed.
    pub(super) listed: bool,
}

/// A phrase in the text.
#[derive(Debug, Clone, Copy)]
pub(super) struct PhraseHit {
    pub(super) start: u32,
    pub(super) end: u32,
    /// First scalar value.
    pub(super) at: u32,
    pub(super) phrase: u32,
}

/// What stands between two blank lines, as ends of the ranges in [`Scan`].
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Paragraph {
    pub(super) codes: usize,
    pub(super) markers: usize,
    pub(super) verbs: usize,
}

/// Something in the opening that may help to name an axis.
#[derive(Debug, Clone, Copy)]
pub(super) struct OpeningMark {
    pub(super) entry: Option<Entry>,
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) at: u32,
    pub(super) paragraph: usize,
}

/// All that one pass finds.
#[derive(Debug, Default)]
pub(super) struct Scan {
    pub(super) codes: Vec<CodeHit>,
    pub(super) markers: Vec<PhraseHit>,
    pub(super) verbs: Vec<PhraseHit>,
    pub(super) paragraphs: Vec<Paragraph>,
    /// The first phrase of each relation.
    pub(super) relations: Vec<Option<PhraseHit>>,
    /// The cycles that are named, as bits.
    pub(super) cycles: u32,
    /// Everyday words by quadrant.
    pub(super) implicit: Vec<u32>,
    pub(super) opening: Vec<OpeningMark>,
    /// Where the inside of the first `[PATH: …]` begins.
    pub(super) path: Option<usize>,
    pub(super) words: usize,
    pub(super) facts: Facts,
}

/// The state of the pass.
pub(super) struct Scanner<'t> {
    ontology: &'t Compiled,
    text: &'t str,
    found: Scan,
    frames: Frames,
    /// Bytes minus scalar values so far.
    extra: usize,
    /// Whether the last token is all ASCII and Latin-1 letters, without `ß` and `ÿ`.
    latin: bool,
    /// Ends of paragraphs so far, with codes or without.
    breaks: usize,
    /// Length from which a run of codes is a list.
    list_from: usize,
    /// Length of the run of codes that may become a list.
    run: usize,
    /// Where the last tension marker ends: the longest match takes its words.
    marker_end: usize,
    /// Where the last clitic (`l’`) and the last token ended.
    clitic_end: usize,
    last_end: usize,
}

/// What is known of the token being read.
struct Read {
    end: usize,
    /// Whether it joins the members of a list.
    joins: bool,
    shape: Shape,
}

impl<'t> Scanner<'t> {
    /// Reads a cleaned text of fewer than 2^32 bytes. Linear in its length.
    pub(super) fn scan(ontology: &'t Compiled, options: &Options, text: &'t str) -> Scan {
        let found = Scan {
            codes: Vec::with_capacity(EXPECTED),
            markers: Vec::with_capacity(EXPECTED),
            verbs: Vec::with_capacity(EXPECTED),
            paragraphs: Vec::with_capacity(EXPECTED / 4),
            opening: Vec::with_capacity(EXPECTED / 4),
            relations: vec![None; ontology.relations.len()],
            implicit: vec![0; ontology.quadrants.len()],
            ..Scan::default()
        };
        let mut scanner = Self {
            ontology,
            text,
            found,
            frames: Frames::new(ontology.lexicon.frames()),
            extra: 0,
            latin: true,
            breaks: 0,
            list_from: if options.discount_lists {
                LIST
            } else {
                usize::MAX
            },
            run: 0,
            marker_end: 0,
            clitic_end: usize::MAX,
            last_end: usize::MAX,
        };
        scanner.run();
        scanner.found
    }

    fn run(&mut self) {
        let mut at = self.gap(0);
        while at < self.text.len() {
            let extra = self.extra;
            let end = self.token_end(at);
            self.token(at, end, extra);
            at = self.gap(end);
        }
        self.close_paragraph();
    }

    /// The end of the token that starts at `at`.
    fn token_end(&mut self, at: usize) -> usize {
        let bytes = self.text.as_bytes();
        self.latin = true;
        let mut end = word_bytes(bytes, at);
        while bytes.get(end).is_some_and(|byte| !byte.is_ascii()) {
            let c = self.char_at(end);
            let latin = matches!(c, 'À'..='þ') && !matches!(c, '×' | '÷' | 'ß');
            if !latin && !is_token_char(c) && !joins_word(self.text, end, c) {
                break;
            }
            self.latin &= latin;
            self.extra += c.len_utf8() - 1;
            end = word_bytes(bytes, end + c.len_utf8());
        }
        end
    }

    fn char_at(&self, at: usize) -> char {
        let rest = self.text.get(at..).unwrap_or_default();
        rest.chars().next().unwrap_or('\0')
    }

    /// Past what stands between two tokens: paragraphs end at lines of white space, lists and
    /// frames at the end of a sentence.
    fn gap(&mut self, from: usize) -> usize {
        let bytes = self.text.as_bytes();
        if let Some([b' ', next]) = bytes.get(from..from + 2)
            && is_word_byte(*next)
        {
            return from + 1;
        }
        let mut at = from;
        let mut line_is_blank = from == 0;
        while let Some(&byte) = bytes.get(at) {
            match byte {
                b'\n' if line_is_blank => {
                    self.close_paragraph();
                    at += 1;
                }
                b'\n' => {
                    at += 1;
                    line_is_blank = true;
                    if starts_block(bytes, at) {
                        self.close_paragraph();
                    }
                }
                b' ' | b'\t'..=b'\r' => at += 1,
                b'.' | b'!' | b'?' | b':' => {
                    self.end_sentence();
                    line_is_blank = false;
                    at += 1;
                }
                byte if is_word_byte(byte) => break,
                byte if byte.is_ascii() => {
                    line_is_blank = false;
                    at += 1;
                    if byte == b'[' && self.found.path.is_none() {
                        self.found.path = path_start(bytes, at);
                    }
                }
                _ => {
                    let c = self.char_at(at);
                    if is_token_char(c) {
                        break;
                    }
                    if c == '\u{2026}' {
                        self.end_sentence();
                    }
                    line_is_blank &= c.is_whitespace();
                    self.extra += c.len_utf8() - 1;
                    at += c.len_utf8();
                }
            }
        }
        at
    }

    fn end_sentence(&mut self) {
        self.run = 0;
        self.frames.close();
    }

    fn close_paragraph(&mut self) {
        self.frames.close();
        self.breaks += 1;
        let now = Paragraph {
            codes: self.found.codes.len(),
            markers: self.found.markers.len(),
            verbs: self.found.verbs.len(),
        };
        let last = self.found.paragraphs.last().copied().unwrap_or_default();
        if now.verbs > last.verbs {
            // A frame is known at its closer and stands at its opener.
            let fresh = self.found.verbs.get_mut(last.verbs..);
            fresh.unwrap_or_default().sort_by_key(|hit| hit.at);
        }
        if now.codes > last.codes {
            self.found.paragraphs.push(now);
        } else if let Some(last) = self.found.paragraphs.last_mut() {
            // A paragraph without codes makes no event.
            self.found.markers.truncate(last.markers);
            self.found.verbs.truncate(last.verbs);
        } else {
            self.found.markers.clear();
            self.found.verbs.clear();
        }
    }

    /// Reads a token; `extra` is [`Scanner::extra`] before it.
    fn token(&mut self, start: usize, end: usize, extra: usize) {
        let at = (start - extra) as u32;
        let bytes = self.text.as_bytes();
        let token = bytes.get(start..end).unwrap_or_default();
        self.count_word(start, end);
        self.frames.token();
        let first = token.first().copied().unwrap_or(0);
        let packed = Packed::of(bytes, start, end);
        if self.ontology.table.starts[usize::from(first)]
            && let Some(code) = self.ontology.table.find(packed, token)
        {
            self.found.facts.code();
            return self.code(code, start, end, at);
        }
        let ontology = self.ontology;
        let mut read = Read {
            end,
            joins: false,
            shape: Shape::of(token),
        };
        let first = if self.latin {
            ontology.lexicon.first_word(packed)
        } else {
            FirstWord::Walk
        };
        match first {
            FirstWord::Nothing => {}
            FirstWord::Alone(entries) => self.phrases(entries, start, end, at, &mut read),
            FirstWord::Walk => ontology.lexicon.walk(self.text, start, |entries, to| {
                self.phrases(entries, start, to, at, &mut read);
            }),
        }
        if !read.joins {
            self.run = 0;
        }
        self.found.facts.token(self.text, read.shape, start..end);
    }

    /// Takes in the phrases in `start..end`, and what they make of the token that they begin
    /// with.
    fn phrases(&mut self, entries: &[Entry], start: usize, end: usize, at: u32, read: &mut Read) {
        for entry in entries {
            match entry.kind {
                Kind::ListJoiner if end == read.end => read.joins = true,
                Kind::Unit => read.shape = Shape::Unit,
                Kind::NameConnector if read.shape == Shape::Other => {
                    read.shape = Shape::Connector;
                }
                _ => {}
            }
            self.phrase(*entry, start, end, at);
        }
    }

    /// Counts a word: a contraction (`don’t`) is one, a clitic in front (`l’`) is its own (the
    /// rule of `text_units::words`).
    fn count_word(&mut self, start: usize, end: usize) {
        let continues = start > self.last_end
            && self.last_end != self.clitic_end
            && self.apostrophe_between(self.last_end, start);
        self.found.words += usize::from(!continues);
        self.last_end = end;
        if end - start == 1
            && self
                .text
                .as_bytes()
                .get(start)
                .is_some_and(|b| is_clitic(*b))
        {
            self.clitic_end = end;
        }
    }

    #[inline]
    fn apostrophe_between(&self, end: usize, start: usize) -> bool {
        match start - end {
            1 => self.text.as_bytes().get(end) == Some(&b'\''),
            2 | 3 => matches!(
                self.text.get(end..start),
                Some("\u{2019}" | "\u{2018}" | "\u{2BC}" | "\u{FF07}")
            ),
            _ => false,
        }
    }

    fn code(&mut self, code: u16, start: usize, end: usize, at: u32) {
        let codes = &mut self.found.codes;
        self.run += 1;
        if self.run == self.list_from {
            let from = codes.len() + 1 - LIST;
            let members = codes.get_mut(from..).unwrap_or_default();
            members.iter_mut().for_each(|hit| hit.listed = true);
        }
        codes.push(CodeHit {
            start: start as u32,
            at,
            code,
            listed: self.run >= self.list_from,
        });
        if at < OPENING {
            self.mark(None, start, end, at);
        }
    }

    fn mark(&mut self, entry: Option<Entry>, start: usize, end: usize, at: u32) {
        self.found.opening.push(OpeningMark {
            entry,
            start: start as u32,
            end: end as u32,
            at,
            paragraph: self.breaks,
        });
    }

    fn phrase(&mut self, entry: Entry, start: usize, end: usize, at: u32) {
        let hit = PhraseHit {
            start: start as u32,
            end: end as u32,
            at,
            phrase: entry.phrase,
        };
        let of = usize::from(entry.of);
        match entry.kind {
            Kind::Marker => self.marker(hit),
            Kind::Verb => {
                let from = self.paragraph().verbs;
                keep(&mut self.found.verbs, from, &self.found.codes, hit);
            }
            Kind::FrameOpen => self.frames.open(of, Opened { hit }),
            Kind::FrameClose => self.found.verbs.extend(self.frames.complete(of, at)),
            Kind::Relation => {
                if let Some(first) = self.found.relations.get_mut(of) {
                    first.get_or_insert(hit);
                }
            }
            Kind::Cycle => self.found.cycles |= 1 << of,
            Kind::Implicit => {
                if let Some(count) = self.found.implicit.get_mut(of) {
                    *count += 1;
                }
            }
            Kind::ListJoiner | Kind::Unit | Kind::NameConnector => {}
            Kind::AxisJoiner | Kind::AxisWord | Kind::OppositionOpen | Kind::OppositionClose => {
                if at < OPENING {
                    self.mark(Some(entry), start, end, at);
                }
            }
        }
    }

    /// Where the ranges of the paragraph being read begin.
    fn paragraph(&self) -> Paragraph {
        self.found.paragraphs.last().copied().unwrap_or_default()
    }

    /// Keeps a marker unless it stands within a longer one; of two that start together the
    /// longer, which the walk finds later, replaces the shorter.
    fn marker(&mut self, hit: PhraseHit) {
        match self.found.markers.last_mut() {
            Some(last) if last.start == hit.start => *last = hit,
            _ if (hit.start as usize) < self.marker_end => return,
            _ => {
                let from = self.paragraph().markers;
                keep(&mut self.found.markers, from, &self.found.codes, hit);
            }
        }
        self.marker_end = hit.end as usize;
    }
}

/// Keeps a phrase. Now and then those with no code near them are dropped, so that a text of
/// markers without codes costs no memory.
fn keep(phrases: &mut Vec<PhraseHit>, from: usize, codes: &[CodeHit], hit: PhraseHit) {
    if phrases.len().is_multiple_of(DROPPED_AT) {
        let last_code = codes.last().map_or(0, |code| code.at + FARTHEST);
        let fresh = phrases.get(from..).unwrap_or_default();
        let first = fresh.partition_point(|p| !codes.is_empty() && p.at <= last_code);
        let end = fresh.partition_point(|p| p.at + FARTHEST < hit.at);
        if first < end {
            phrases.drain(from + first..from + end);
        }
    }
    phrases.push(hit);
}

fn is_clitic(byte: u8) -> bool {
    matches!(
        byte.to_ascii_lowercase(),
        b'l' | b'd' | b'n' | b's' | b'm' | b't'
    )
}

fn path_start(bytes: &[u8], at: usize) -> Option<usize> {
    let name = bytes.get(at..at + 5)?;
    name.eq_ignore_ascii_case(b"PATH:").then_some(at + 5)
}

/// Whether a line starts a Markdown block, which ends the paragraph before it: a heading or the
/// item of a list. Else a list without blank lines would pair every axis.
fn starts_block(bytes: &[u8], line: usize) -> bool {
    let mut at = line;
    while bytes.get(at).is_some_and(|b| matches!(b, b' ' | b'\t')) {
        at += 1;
    }
    let digits = bytes.get(at..).unwrap_or_default();
    let digits = digits
        .iter()
        .take(4)
        .take_while(|b| b.is_ascii_digit())
        .count();
    let blank = |i: usize| bytes.get(i).is_some_and(|b| is_blank(*b));
    match bytes.get(at) {
        Some(b'#') => {
            let rest = bytes.get(at..).unwrap_or_default();
            let marks = rest.iter().take(7).take_while(|b| **b == b'#').count();
            marks < 7 && blank(at + marks)
        }
        Some(b'-' | b'*' | b'+') => blank(at + 1),
        Some(b'0'..=b'9') if digits < 4 => {
            matches!(bytes.get(at + digits), Some(b'.' | b')')) && blank(at + digits + 1)
        }
        _ => false,
    }
}
