//! Pointer prose: which sentence a pointer belongs to.

use std::ops::Range;

use text_units::sentences;

use super::blocks::{Line, LineKind, lines};
use super::markers::{Group, scan};
use super::{Claim, NoteKind, ParseOptions, Parsed, Pointer, json};
use crate::policy::ParsePolicy;

/// Reads pointer prose.
pub(super) fn parse_pointers(answer: &str, options: &ParseOptions) -> Parsed {
    if options.policy == ParsePolicy::Lenient
        && let Some(mut parsed) = json::find(answer, options)
    {
        parsed.note(NoteKind::JsonUnasked, 0..answer.len());
        return parsed;
    }
    let mut reader = Reader::new(answer, Some(options));
    reader.run();
    reader.parsed
}

/// Reads prose without pointers: the same blocks and sentences, brackets left alone.
pub(super) fn parse_plain(answer: &str) -> Parsed {
    let mut reader = Reader::new(answer, None);
    reader.run();
    reader.parsed
}

struct Reader<'a> {
    answer: &'a str,
    options: Option<&'a ParseOptions>,
    parsed: Parsed,
    /// Whether the last line that held anything ended in a claim, so that pointers on a line
    /// of their own belong to it.
    claim_above: bool,
}

/// Where a group goes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Sentence(usize),
    Above,
    Stray,
}

impl<'a> Reader<'a> {
    fn new(answer: &'a str, options: Option<&'a ParseOptions>) -> Self {
        Self {
            answer,
            options,
            parsed: Parsed::default(),
            claim_above: false,
        }
    }

    fn run(&mut self) {
        let all = lines(self.answer);
        for (i, line) in all.iter().enumerate() {
            let next = all.get(i + 1).map(|l| l.kind);
            self.line(line, next);
        }
    }

    fn line(&mut self, line: &Line, next: Option<LineKind>) {
        let kind = line.kind;
        match kind {
            LineKind::Blank => return,
            LineKind::Fence => return self.parsed.note(NoteKind::CodeFence, line.span.clone()),
            LineKind::TableRule => {
                return self.parsed.note(NoteKind::TableFrame, line.span.clone());
            }
            LineKind::TableRow if next == Some(LineKind::TableRule) => {
                return self.parsed.note(NoteKind::TableFrame, line.span.clone());
            }
            LineKind::ListItem => self
                .parsed
                .note(NoteKind::ListMark, line.span.start..line.body.start),
            _ => {}
        }
        let body = self.answer.get(line.body.clone()).unwrap_or_default();
        let groups = self
            .options
            .map(|o| scan(body, line.body.start, o))
            .unwrap_or_default();
        if kind == LineKind::Heading && groups.is_empty() {
            self.claim_above = false;
            return self.parsed.note(NoteKind::Heading, line.span.clone());
        }
        self.body(body, line.body.start, kind == LineKind::TableRow, groups);
    }

    fn body(&mut self, body: &str, offset: usize, row: bool, groups: Vec<Group>) {
        let bare = blank(body, &groups, row);
        let found: Vec<Range<usize>> = if row {
            self.parsed
                .note(NoteKind::TableRow, offset..offset + body.len());
            std::iter::once(0..bare.len()).collect()
        } else {
            sentences(&bare).into_iter().map(|s| s.span).collect()
        };
        let spans: Vec<Range<usize>> = merge_wordless(&bare, found);
        let mut claims: Vec<Claim> = spans
            .iter()
            .map(|span| claim_of(&bare, body, span, offset, &groups))
            .collect();
        let places = self.places(&bare, &spans, &groups, offset);
        for (group, place) in groups.into_iter().zip(places) {
            self.attach(group, place, offset, &mut claims);
        }
        let lead_in = claims.len();
        for (i, claim) in claims.into_iter().enumerate() {
            let introduces = i + 1 == lead_in
                && claim.text.ends_with(':')
                && claim.pointers.is_empty()
                && !claim.malformed_pointer
                && self.options.is_some();
            if introduces {
                self.parsed.note(NoteKind::LeadIn, claim.span);
                self.claim_above = false;
            } else {
                self.parsed.claims.push(claim);
                self.claim_above = true;
            }
        }
    }

    /// The place of each group: the sentence it stands in or behind; at the start of a line the
    /// sentence that follows; alone on a line the claim above.
    fn places(
        &mut self,
        bare: &str,
        spans: &[Range<usize>],
        groups: &[Group],
        offset: usize,
    ) -> Vec<Place> {
        let leading = leads_every_sentence(spans, groups);
        let last_words: Vec<usize> = spans.iter().map(|s| last_word(bare, s)).collect();
        let mut next = 0;
        let mut places = Vec::with_capacity(groups.len());
        for group in groups {
            while spans.get(next).is_some_and(|s| s.start <= group.span.start) {
                next += 1;
            }
            let span = group.span.start + offset..group.span.end + offset;
            let place = if spans.is_empty() {
                let kind = if self.claim_above {
                    NoteKind::PointerOnOwnLine
                } else {
                    NoteKind::StrayPointer
                };
                self.parsed.note(kind, span);
                if self.claim_above {
                    Place::Above
                } else {
                    Place::Stray
                }
            } else if next == 0 || (leading && spans.get(next).is_some()) {
                self.parsed.note(NoteKind::LeadingPointer, span);
                Place::Sentence(next)
            } else {
                let inside = last_words
                    .get(next - 1)
                    .is_some_and(|&last| group.span.end <= last);
                if inside {
                    self.parsed.note(NoteKind::InnerPointer, span);
                }
                Place::Sentence(next - 1)
            };
            places.push(place);
        }
        places
    }

    fn attach(&mut self, group: Group, place: Place, offset: usize, claims: &mut [Claim]) {
        self.parsed.notes.extend(group.notes);
        let span = group.span.start + offset..group.span.end + offset;
        let claim = match place {
            Place::Sentence(i) => claims.get_mut(i),
            Place::Above => self.parsed.claims.last_mut(),
            Place::Stray => None,
        };
        let Some(claim) = claim else { return };
        claim.malformed_pointer |= group.malformed;
        claim.span = claim.span.start.min(span.start)..claim.span.end.max(span.end);
        for pointer in group.pointers {
            if !push_pointer(&mut claim.pointers, &pointer) {
                self.parsed.notes.push(super::ParseNote {
                    kind: NoteKind::DuplicatePointer,
                    span: pointer.span,
                });
            }
        }
    }
}

/// Where the last letter or digit of a sentence stands.
fn last_word(bare: &str, span: &Range<usize>) -> usize {
    bare.get(span.clone())
        .and_then(|s| {
            s.char_indices()
                .rev()
                .find(|&(_, c)| c.is_alphanumeric())
                .map(|(at, _)| span.start + at)
        })
        .unwrap_or(span.start)
}

/// Adds a pointer unless its id is there already.
pub(super) fn push_pointer(pointers: &mut Vec<Pointer>, pointer: &Pointer) -> bool {
    // A claim with a great many pointers is looked through only so far, which keeps this linear.
    let known = pointers.iter().take(64).any(|p| p.id == pointer.id);
    if !known {
        pointers.push(pointer.clone());
    }
    !known
}

/// Whether a line writes every pointer before its sentence: it begins with one, and none stands
/// behind the last sentence.
fn leads_every_sentence(spans: &[Range<usize>], groups: &[Group]) -> bool {
    let (Some(first), Some(last)) = (groups.first(), groups.last()) else {
        return false;
    };
    let (Some(head), Some(tail)) = (spans.first(), spans.last()) else {
        return false;
    };
    let between = |g: &Group| {
        !spans
            .iter()
            .take(64)
            .any(|s| s.start < g.span.start && g.span.end < s.end)
    };
    first.span.start <= head.start
        && last.span.end <= tail.start
        && groups.len() == spans.len()
        && groups.iter().take(64).all(between)
}

/// The body with groups (and table bars) as spaces, so that positions stay.
fn blank(body: &str, groups: &[Group], row: bool) -> String {
    let mut out = String::with_capacity(body.len());
    let mut at = 0;
    for group in groups {
        out.push_str(body.get(at..group.span.start).unwrap_or_default());
        out.extend(std::iter::repeat_n(' ', group.span.len()));
        at = group.span.end;
    }
    out.push_str(body.get(at..).unwrap_or_default());
    if row { out.replace('|', " ") } else { out }
}

/// Drops sentences without a letter or digit into the one before them.
fn merge_wordless(bare: &str, found: Vec<Range<usize>>) -> Vec<Range<usize>> {
    let mut spans: Vec<Range<usize>> = Vec::with_capacity(found.len());
    for span in found {
        let wordy = bare
            .get(span.clone())
            .is_some_and(|s| s.chars().any(char::is_alphanumeric));
        match spans.last_mut() {
            _ if wordy => spans.push(span),
            Some(last) => last.end = span.end,
            None => {}
        }
    }
    spans
}

fn claim_of(bare: &str, body: &str, span: &Range<usize>, offset: usize, groups: &[Group]) -> Claim {
    let mut text = String::with_capacity(span.len());
    let mut at = span.start;
    // Groups inside the sentence: what is left of them is white space before a mark.
    let first = groups.partition_point(|g| g.span.start < span.start);
    for group in groups.iter().skip(first) {
        if group.span.start >= span.end {
            break;
        }
        text.push_str(bare.get(at..group.span.start).unwrap_or_default());
        at = group.span.end;
        let closes = body
            .get(at..)
            .and_then(|r| r.chars().next())
            .is_some_and(|c| matches!(c, '.' | ',' | ';' | ':' | '!' | '?' | ')' | '…'));
        if closes {
            text.truncate(text.trim_end().len());
        } else {
            text.push(' ');
        }
    }
    text.push_str(bare.get(at..span.end).unwrap_or_default());
    Claim {
        text: tidy(&text),
        span: offset + span.start..offset + span.end,
        pointers: Vec::new(),
        malformed_pointer: false,
    }
}

/// White space as single spaces, bold marks gone.
pub(super) fn tidy(text: &str) -> String {
    let plain = if text.contains("**") {
        text.replace("**", "")
    } else {
        text.to_owned()
    };
    let mut out = String::with_capacity(plain.len());
    for word in plain.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}
