//! Lines gathered into blocks: paragraphs, headings, list items, table rows, code.
//!
//! The line forms are those of CommonMark and of plain text as people type it; this is no
//! Markdown parser, only what a sentence needs to know about lines.

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// The kind of block that a sentence stands in.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum BlockKind {
    /// Running text.
    #[default]
    Prose,
    /// A heading: `# Title`, or a line underlined with `===` or `---`.
    Heading,
    /// A bulleted or numbered item with its continuation lines.
    ListItem,
    /// One row of a table, never split further.
    TableRow,
    /// Quoted lines (`> `).
    Quote,
    /// One line inside a code fence, never split further.
    Code,
    /// A line that holds no text: a rule, an underline, a table's delimiter row, a fence.
    Rule,
}

/// A block: where it stands, and how many bytes its marker (`- `, `12. `, `## `, `> `) takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) kind: BlockKind,
    pub(crate) span: Range<usize>,
    pub(crate) marker: usize,
}

/// The blocks of a text, in order, without blank lines. Linear.
pub(crate) fn blocks(text: &str) -> Vec<Block> {
    let mut out: Vec<Block> = Vec::new();
    let mut open = false;
    let mut fence: Option<(char, usize)> = None;
    let mut in_table = false;
    let mut previous = "";
    let mut at = 0;
    let mut lines = text.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        let start = at;
        at += line.len();
        let body = line.trim();
        let lead = line.len() - line.trim_start().len();
        let span = start + lead..start + lead + body.len();
        if body.is_empty() {
            open = false;
            in_table = false;
            continue;
        }
        if let Some((mark, width)) = fence {
            let closes = fence_of(body).is_some_and(|(m, w)| m == mark && w >= width)
                && body.chars().all(|c| c == mark);
            fence = if closes { None } else { fence };
            let kind = if closes {
                BlockKind::Rule
            } else {
                BlockKind::Code
            };
            out.push(Block {
                kind,
                span,
                marker: 0,
            });
            open = false;
            continue;
        }
        let next = lines.peek().map_or("", |l| l.trim());
        let (kind, marker, single) = if let Some(f) = fence_of(body) {
            fence = Some(f);
            (BlockKind::Rule, 0, true)
        } else if is_rule(body) || is_delimiter_row(body) {
            // `---` under a paragraph makes a heading of it.
            if open
                && is_underline(body)
                && let Some(last) = out.last_mut().filter(|b| b.kind == BlockKind::Prose)
            {
                last.kind = BlockKind::Heading;
            }
            in_table |= is_delimiter_row(body);
            (BlockKind::Rule, 0, true)
        } else if body.starts_with('|')
            || (in_table && body.contains('|'))
            || (body.contains('|') && is_delimiter_row(next))
        {
            (BlockKind::TableRow, 0, true)
        } else if let Some(width) = heading_marker(body) {
            (BlockKind::Heading, width, true)
        } else if let Some(width) = item_marker(body, open, out.last(), previous) {
            (BlockKind::ListItem, width, false)
        } else if body.starts_with('>') {
            (BlockKind::Quote, quote_marker(body), false)
        } else {
            (BlockKind::Prose, 0, false)
        };
        let continues = open
            && !single
            && out.last().is_some_and(|last| match kind {
                BlockKind::Prose => last.kind != BlockKind::Quote,
                BlockKind::Quote => last.kind == BlockKind::Quote,
                _ => false,
            });
        match out.last_mut() {
            Some(last) if continues => last.span.end = span.end,
            _ => out.push(Block { kind, span, marker }),
        }
        open = !single;
        previous = body;
    }
    out
}

/// The character and width of a code fence, if the line is one.
fn fence_of(line: &str) -> Option<(char, usize)> {
    let mark = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let width = line.chars().take_while(|&c| c == mark).count();
    let info = line.trim_start_matches(mark);
    (width >= 3 && !(mark == '`' && info.contains('`'))).then_some((mark, width))
}

fn is_rule(line: &str) -> bool {
    let Some(mark) = line.chars().next() else {
        return false;
    };
    matches!(mark, '-' | '=' | '*' | '_' | '~' | '─' | '═')
        && line.chars().all(|c| c == mark || c == ' ')
        && line.chars().filter(|&c| c == mark).count() >= 3
}

fn is_underline(line: &str) -> bool {
    line.bytes().all(|b| b == b'=') || line.bytes().all(|b| b == b'-')
}

fn is_delimiter_row(line: &str) -> bool {
    line.contains('|')
        && line.contains('-')
        && line
            .bytes()
            .all(|b| matches!(b, b'|' | b'-' | b':' | b' ' | b'+'))
}

fn heading_marker(line: &str) -> Option<usize> {
    let rest = line.trim_start_matches('#');
    let depth = line.len() - rest.len();
    let body = rest.trim_start();
    ((1..=6).contains(&depth) && (body.len() < rest.len() || body.is_empty()))
        .then(|| line.len() - body.len())
}

fn quote_marker(line: &str) -> usize {
    line.len() - line.trim_start_matches(['>', ' ']).len()
}

/// The width of a list marker that really opens an item here.
///
/// A hyphen bullet interrupts a paragraph. A number does only if it is 1, if an item is open, or
/// if the line before ended: in wrapped prose `14. The next …` is the end of a sentence. The
/// same holds for dashes, which prose uses too.
fn item_marker(line: &str, open: bool, last: Option<&Block>, previous: &str) -> Option<usize> {
    let mut chars = line.chars();
    let first = chars.next()?;
    let after_stop = !open
        || last.is_some_and(|b| b.kind == BlockKind::ListItem)
        || previous.ends_with(['.', ':', ';', '!', '?']);
    let (width, free) = match first {
        '-' | '*' | '+' | '•' | '◦' | '▪' | '‣' | '●' | '○' => (first.len_utf8(), true),
        '–' | '—' => (first.len_utf8(), after_stop),
        '0'..='9' | '(' | 'a'..='z' | 'A'..='Z' => {
            enumerator(line).map(|(width, is_first)| (width, after_stop || is_first))?
        }
        _ => return None,
    };
    let rest = line.get(width..)?;
    let body = rest.trim_start();
    (free && body.len() < rest.len()).then(|| line.len() - body.len())
}

/// The width of `12.`, `12)`, `(12)`, `a)`, `(a)` in front of a line, and whether it is the first.
fn enumerator(line: &str) -> Option<(usize, bool)> {
    let inner = line.strip_prefix('(');
    let s = inner.unwrap_or(line);
    let digits = s.bytes().take_while(u8::is_ascii_digit).count();
    let width = if (1..=9).contains(&digits) {
        digits
    } else if digits == 0 && s.bytes().next().is_some_and(|b| b.is_ascii_alphabetic()) {
        1
    } else {
        return None;
    };
    let label = s.get(..width)?;
    let close = s.get(width..)?.chars().next()?;
    let ok = close == ')' || (close == '.' && digits > 0 && inner.is_none());
    ok.then(|| {
        let total = usize::from(inner.is_some()) + width + 1;
        (total, matches!(label, "1" | "a" | "A"))
    })
}
