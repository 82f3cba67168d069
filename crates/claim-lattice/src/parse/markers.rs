//! Pointer marks: `[E1]` and the ways in which models write it.

use std::ops::Range;

use super::{NoteKind, ParseNote, ParseOptions, Pointer};
use crate::policy::ParsePolicy;

/// How far a bracket's end is looked for, in bytes. Keeps the scan linear.
const MAX_GROUP: usize = 240;

/// How far the end of a link's target is looked for, in bytes.
const MAX_TARGET: usize = 2_000;

/// The most ids that the ranges of one line are written out to, so that what is read does not
/// grow far beyond what was written. A range beyond it is malformed.
const MAX_EXPANDED: u32 = 4_096;

/// Words that models put in front of a pointer inside its brackets.
const LEADS: [&str; 12] = [
    "source",
    "sources",
    "see",
    "evidence",
    "ref",
    "refs",
    "cf",
    "font",
    "fonts",
    "vegeu",
    "evidència",
    "citation",
];

/// Words that join the last two pointers of a list.
const JOINERS: [&str; 6] = ["and", "or", "i", "o", "y", "und"];

/// One pair of brackets with what it points to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Group {
    /// Where it stands in the scanned text.
    pub(super) span: Range<usize>,
    pub(super) pointers: Vec<Pointer>,
    pub(super) malformed: bool,
    pub(super) notes: Vec<ParseNote>,
}

/// All groups of a line, in order. `offset` is added to every span that is reported.
pub(super) fn scan(line: &str, offset: usize, options: &ParseOptions) -> Vec<Group> {
    let mut groups = Vec::new();
    let mut at = 0;
    let mut expanded = 0;
    if let Some(group) = leading_bare(line, offset, options) {
        at = group.span.end;
        groups.push(group);
    }
    while let Some((open_at, open)) = next_open(line, at) {
        match read_group(line, open_at, open, offset, options, &mut expanded) {
            Some(group) => {
                at = group.span.end;
                groups.push(group);
            }
            None => at = open_at + open.len_utf8(),
        }
    }
    groups
}

fn next_open(line: &str, from: usize) -> Option<(usize, char)> {
    let rest = line.get(from..)?;
    rest.char_indices()
        .find(|&(_, c)| closer(c).is_some())
        .map(|(i, c)| (from + i, c))
}

fn closer(open: char) -> Option<char> {
    Some(match open {
        '[' => ']',
        '(' => ')',
        '【' => '】',
        '［' => '］',
        '（' => '）',
        '〔' => '〕',
        _ => return None,
    })
}

/// `E1.`, `E1:` or `E1)` in front of a line.
fn leading_bare(line: &str, offset: usize, options: &ParseOptions) -> Option<Group> {
    let marker = options.marker.as_str();
    if marker.is_empty() || options.policy == ParsePolicy::Strict {
        return None;
    }
    let start = line.len() - line.trim_start().len();
    let body = line.get(start..)?;
    let head = body.get(..marker.len())?;
    if !head.eq_ignore_ascii_case(marker) {
        return None;
    }
    let digits = body
        .get(marker.len()..)?
        .bytes()
        .take_while(u8::is_ascii_digit)
        .count();
    let end = marker.len() + digits;
    let mark = body.get(end..)?.chars().next()?;
    let spaced = body
        .get(end + mark.len_utf8()..)
        .is_some_and(|t| t.starts_with(char::is_whitespace));
    if digits == 0 || digits > 9 || !matches!(mark, '.' | ':' | ')') || !spaced {
        return None;
    }
    let span = start..start + end + mark.len_utf8();
    let shifted = shift(&(start..start + end), offset);
    let id = format!("{marker}{}", body.get(marker.len()..end)?);
    Some(Group {
        notes: vec![ParseNote {
            kind: NoteKind::BracketStyle,
            span: shift(&span, offset),
        }],
        span,
        pointers: vec![Pointer { id, span: shifted }],
        malformed: false,
    })
}

fn read_group(
    line: &str,
    open_at: usize,
    open: char,
    offset: usize,
    options: &ParseOptions,
    expanded: &mut u32,
) -> Option<Group> {
    let inner_at = open_at + open.len_utf8();
    let close = closer(open)?;
    let rest = line.get(inner_at..)?;
    let mut end = None;
    for (i, c) in rest.char_indices() {
        if c == close {
            end = Some(inner_at + i);
            break;
        }
        if closer(c).is_some() || i > MAX_GROUP {
            break;
        }
    }
    let inner_end = end?;
    let inner = line.get(inner_at..inner_end)?;
    let round = matches!(open, '(' | '（');
    let mut read = ListReader::new(inner, inner_at + offset, options);
    read.expanded = *expanded;
    let outcome = read.read(round)?;
    *expanded = read.expanded;
    let mut span = open_at..inner_end + close.len_utf8();
    let mut notes = read.notes;
    if open != '[' {
        notes.push(ParseNote {
            kind: NoteKind::BracketStyle,
            span: shift(&span, offset),
        });
    }
    absorb(line, &mut span, &mut notes, offset);
    let mut malformed = outcome == Outcome::Malformed;
    if options.policy == ParsePolicy::Strict && !notes.is_empty() {
        malformed = true;
    }
    if malformed {
        notes.push(ParseNote {
            kind: NoteKind::MalformedPointer,
            span: shift(&span, offset),
        });
    }
    let pointers = if options.policy == ParsePolicy::Strict && malformed {
        Vec::new()
    } else {
        read.pointers
    };
    Some(Group {
        span,
        pointers,
        malformed,
        notes,
    })
}

/// Takes in doubled brackets `[[1]]` and the target of a Markdown link `[1](https://…)`.
fn absorb(line: &str, span: &mut Range<usize>, notes: &mut Vec<ParseNote>, offset: usize) {
    let before = span.clone();
    if let Some(tail) = line.get(span.end..)
        && tail.starts_with("(http")
        && let Some(close) = tail
            .bytes()
            .take(MAX_TARGET)
            .position(|b| matches!(b, b')' | b'[' | b' ' | b'\t'))
        && tail.as_bytes().get(close) == Some(&b')')
    {
        span.end += close + 1;
    }
    let doubled = line.get(..span.start).is_some_and(|s| s.ends_with('['))
        && line.get(span.end..).is_some_and(|s| s.starts_with(']'));
    if doubled {
        span.start -= 1;
        span.end += 1;
    }
    if *span != before {
        notes.push(ParseNote {
            kind: NoteKind::PointerDecoration,
            span: shift(span, offset),
        });
    }
}

fn shift(span: &Range<usize>, by: usize) -> Range<usize> {
    span.start + by..span.end + by
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Read,
    Malformed,
}

/// Reads what stands between brackets.
struct ListReader<'a> {
    chars: Vec<(usize, char)>,
    end: usize,
    at: usize,
    options: &'a ParseOptions,
    pointers: Vec<Pointer>,
    notes: Vec<ParseNote>,
    /// How many ids ranges of this line were written out to.
    expanded: u32,
}

/// A pointer before it is written out: its digits and where it stands.
struct Item {
    digits: String,
    marked: bool,
    span: Range<usize>,
}

impl<'a> ListReader<'a> {
    fn new(inner: &str, offset: usize, options: &'a ParseOptions) -> Self {
        Self {
            chars: inner.char_indices().map(|(i, c)| (i + offset, c)).collect(),
            end: inner.len() + offset,
            at: 0,
            options,
            pointers: Vec::new(),
            notes: Vec::new(),
            expanded: 0,
        }
    }

    /// `None`: these brackets hold no pointer at all.
    fn read(&mut self, round: bool) -> Option<Outcome> {
        if round && self.options.marker.is_empty() {
            return None;
        }
        self.skip_space();
        self.skip_lead();
        let first = self.item()?;
        if !first.marked && !self.options.marker.is_empty() {
            return None;
        }
        let mut pending = first;
        loop {
            let complete = self.finish(&pending);
            self.decoration();
            let separated = self.separator();
            if self.at >= self.chars.len() {
                return Some(if complete && separated != Some(true) {
                    Outcome::Read
                } else {
                    Outcome::Malformed
                });
            }
            if separated.is_none() || !complete {
                return self.broken();
            }
            match self.item() {
                Some(item) if item.marked || self.options.marker.is_empty() => pending = item,
                _ => return self.broken(),
            }
        }
    }

    /// Brackets that begin as a pointer and go on as something else. With a marker they are a
    /// malformed pointer; without one (`[1 of 3]`) they may be anything.
    fn broken(&mut self) -> Option<Outcome> {
        if self.options.marker.is_empty() && self.pointers.len() < 2 {
            self.pointers.clear();
            return None;
        }
        Some(Outcome::Malformed)
    }

    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).map(|&(_, c)| c)
    }

    fn pos(&self) -> usize {
        self.chars.get(self.at).map_or(self.end, |&(i, _)| i)
    }

    fn note(&mut self, kind: NoteKind, span: Range<usize>) {
        if self.notes.last().is_none_or(|n| n.kind != kind) {
            self.notes.push(ParseNote { kind, span });
        }
    }

    fn skip_space(&mut self) {
        while self.peek().is_some_and(char::is_whitespace) {
            self.at += 1;
        }
    }

    fn word_at(&self) -> String {
        self.chars
            .get(self.at..)
            .unwrap_or_default()
            .iter()
            .map_while(|&(_, c)| c.is_alphabetic().then_some(c))
            .take(12)
            .flat_map(char::to_lowercase)
            .collect()
    }

    fn skip_lead(&mut self) {
        let word = self.word_at();
        let start = self.pos();
        if self.options.marker.eq_ignore_ascii_case(&word) || !LEADS.contains(&word.as_str()) {
            return;
        }
        let saved = self.at;
        self.at += word.chars().count();
        while self
            .peek()
            .is_some_and(|c| c.is_whitespace() || matches!(c, ':' | '.' | '：'))
        {
            self.at += 1;
        }
        if self.at == saved + word.chars().count() {
            self.at = saved;
        } else {
            self.note(NoteKind::PointerDecoration, start..self.pos());
        }
    }

    /// Marker and digits.
    fn item(&mut self) -> Option<Item> {
        self.skip_space();
        let saved = self.at;
        let start = self.pos();
        let caret = self.peek() == Some('^');
        if caret {
            self.at += 1;
        }
        let marked = self.marker();
        if marked && !self.options.marker.is_empty() {
            self.skip_space();
        }
        let mut digits = String::new();
        while let Some(c) = self.peek() {
            match ascii_digit(c) {
                Some(d) => {
                    if d != c {
                        let here = self.pos();
                        self.note(NoteKind::DigitStyle, here..here + c.len_utf8());
                    }
                    digits.push(d);
                    self.at += 1;
                }
                None => break,
            }
        }
        if digits.is_empty() {
            self.at = saved;
            return None;
        }
        let end = self.pos();
        if self.peek() == Some('^') {
            self.at += 1;
        }
        if caret {
            let close = self.pos();
            self.note(NoteKind::PointerDecoration, start..close);
        }
        Some(Item {
            digits,
            marked,
            span: start..end,
        })
    }

    fn marker(&mut self) -> bool {
        let saved = self.at;
        let start = self.pos();
        let mut exact = true;
        for wanted in self.options.marker.chars() {
            match self.peek().map(narrow) {
                Some(c) if c.eq_ignore_ascii_case(&wanted) => {
                    exact &= self.peek() == Some(wanted);
                    self.at += 1;
                }
                _ => {
                    self.at = saved;
                    return false;
                }
            }
        }
        if !exact {
            let end = self.pos();
            self.note(NoteKind::MarkerStyle, start..end);
        }
        true
    }

    /// Writes out one item, with the rest of its range where there is one.
    fn finish(&mut self, item: &Item) -> bool {
        let saved = self.at;
        self.skip_space();
        let dash = self
            .peek()
            .is_some_and(|c| matches!(c, '-' | '\u{2010}'..='\u{2015}' | '\u{2212}'));
        let word = self.word_at();
        if !dash && word != "to" && word != "a" {
            self.at = saved;
            self.push(&item.digits, item.span.clone());
            return true;
        }
        self.at += if dash { 1 } else { word.len() };
        let Some(last) = self.item() else {
            self.push(&item.digits, item.span.clone());
            return false;
        };
        self.range(item, &last)
    }

    fn range(&mut self, first: &Item, last: &Item) -> bool {
        let span = first.span.start..last.span.end;
        let mut end = last.digits.clone();
        let short = first.digits.len().saturating_sub(last.digits.len());
        let unmarked = !last.marked || self.options.marker.is_empty();
        if short > 0 && unmarked {
            end = format!("{}{end}", first.digits.get(..short).unwrap_or_default());
            self.note(NoteKind::RangeAbbreviated, span.clone());
        }
        let bounds = (first.digits.parse::<u32>(), end.parse::<u32>());
        match bounds {
            (Ok(a), Ok(b))
                if a <= b
                    && b - a < self.options.max_range
                    && self.expanded + (b - a) < MAX_EXPANDED =>
            {
                self.expanded += b - a + 1;
                self.note(NoteKind::RangeExpanded, span.clone());
                for n in a..=b {
                    self.push(&n.to_string(), span.clone());
                }
                true
            }
            _ => {
                self.note(NoteKind::MalformedRange, span);
                false
            }
        }
    }

    fn push(&mut self, digits: &str, span: Range<usize>) {
        let id = format!("{}{digits}", self.options.marker);
        self.pointers.push(Pointer { id, span });
    }

    /// What some systems hang on a number: `†source`.
    fn decoration(&mut self) {
        if self.peek() == Some('†') {
            let start = self.pos();
            while self.peek().is_some_and(|c| !matches!(c, ',' | ';')) {
                self.at += 1;
            }
            let end = self.pos();
            self.note(NoteKind::PointerDecoration, start..end);
        }
    }

    /// `None`: nothing separates. `Some(true)`: a mark does, `Some(false)`: white space does.
    fn separator(&mut self) -> Option<bool> {
        let start = self.pos();
        let saved = self.at;
        self.skip_space();
        let mut found = (self.at > saved).then_some(false);
        let mut plain = true;
        while let Some(c) = self.peek() {
            if !matches!(c, ',' | ';' | '&' | '/' | '，' | '；' | '、' | '+') {
                break;
            }
            plain &= c == ',';
            found = Some(true);
            self.at += 1;
            self.skip_space();
        }
        let word = self.word_at();
        if found.is_some() && JOINERS.contains(&word.as_str()) {
            plain = false;
            found = Some(true);
            self.at += word.chars().count();
            self.skip_space();
        }
        if found == Some(true) && !plain || found == Some(false) && self.at < self.chars.len() {
            let end = self.pos();
            self.note(NoteKind::SeparatorStyle, start..end);
        }
        found
    }
}

/// Full-width forms as ASCII.
fn narrow(c: char) -> char {
    match c {
        '\u{FF01}'..='\u{FF5E}' => char::from_u32(c as u32 - 0xFEE0).unwrap_or(c),
        _ => c,
    }
}

/// A decimal digit as ASCII: ASCII, full-width, Arabic-Indic and Devanagari forms.
fn ascii_digit(c: char) -> Option<char> {
    let zero = match c {
        '0'..='9' => '0',
        '\u{FF10}'..='\u{FF19}' => '\u{FF10}',
        '\u{0660}'..='\u{0669}' => '\u{0660}',
        '\u{06F0}'..='\u{06F9}' => '\u{06F0}',
        '\u{0966}'..='\u{096F}' => '\u{0966}',
        _ => return None,
    };
    char::from_digit(c as u32 - zero as u32, 10)
}
