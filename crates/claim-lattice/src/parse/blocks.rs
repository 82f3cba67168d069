//! The block structure of an answer, line by line: fences, headings, lists, tables.

use std::ops::Range;

/// What a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineKind {
    Blank,
    Fence,
    Heading,
    TableRule,
    TableRow,
    ListItem,
    Plain,
}

/// A line of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) kind: LineKind,
    /// The whole line in the answer, without its end.
    pub(super) span: Range<usize>,
    /// What it holds behind list marks, quote marks and heading marks.
    pub(super) body: Range<usize>,
}

/// The lines of an answer, in order. Linear.
pub(super) fn lines(answer: &str) -> Vec<Line> {
    let mut out = Vec::new();
    let mut start = 0;
    for piece in answer.split_inclusive('\n') {
        let bare = piece.trim_end_matches(['\n', '\r']);
        out.push(classify(bare, start));
        start += piece.len();
    }
    out
}

fn classify(line: &str, at: usize) -> Line {
    let span = at..at + line.len();
    let mut from = line.len() - line.trim_start().len();
    // Quote marks of any depth.
    while let Some(rest) = line.get(from..)
        && let Some(tail) = rest.strip_prefix('>')
    {
        from = line.len() - tail.trim_start().len();
    }
    let text = line.get(from..).unwrap_or_default();
    let (kind, skip) = kind_of(text);
    let body_start = at + from + skip;
    let end = at + line.trim_end().len();
    Line {
        kind,
        span,
        body: body_start.min(end)..end,
    }
}

fn kind_of(text: &str) -> (LineKind, usize) {
    let trimmed = text.trim_end();
    if trimmed.is_empty() {
        return (LineKind::Blank, 0);
    }
    if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
        return (LineKind::Fence, 0);
    }
    let hashes = trimmed.bytes().take_while(|&b| b == b'#').count();
    if (1..=6).contains(&hashes) && trimmed.as_bytes().get(hashes).is_none_or(|&b| b == b' ') {
        return (LineKind::Heading, hashes);
    }
    if trimmed.starts_with('|') || trimmed.ends_with('|') && trimmed.matches('|').nth(1).is_some() {
        let rule = trimmed
            .bytes()
            .all(|b| matches!(b, b'|' | b'-' | b':' | b' ' | b'\t'));
        return if rule && trimmed.contains('-') {
            (LineKind::TableRule, 0)
        } else {
            (LineKind::TableRow, 0)
        };
    }
    if let Some(skip) = list_mark(text) {
        return (LineKind::ListItem, skip);
    }
    if bold_only(trimmed) {
        return (LineKind::Heading, 0);
    }
    (LineKind::Plain, 0)
}

/// The length of a list mark with the space behind it: `-`, `*`, `+`, `•`, `1.`, `1)`, `a)`.
fn list_mark(text: &str) -> Option<usize> {
    let mut chars = text.char_indices().peekable();
    let (_, first) = *chars.peek()?;
    let mark_end = if matches!(first, '-' | '*' | '+' | '•' | '–' | '·' | '◦' | '▪') {
        first.len_utf8()
    } else {
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        let head = match digits {
            1..=3 => digits,
            0 if first.is_ascii_alphabetic() => 1,
            _ => return None,
        };
        let mark = *text.as_bytes().get(head)?;
        let numbered = mark == b')' || (mark == b'.' && digits > 0);
        if !numbered {
            return None;
        }
        head + 1
    };
    let rest = text.get(mark_end..)?;
    let body = rest.trim_start();
    (rest.len() > body.len()).then(|| text.len() - body.len())
}

/// A line that is nothing but bold text is a heading.
fn bold_only(line: &str) -> bool {
    line.strip_prefix("**")
        .and_then(|l| l.trim_end_matches(':').strip_suffix("**"))
        .is_some_and(|inner| !inner.is_empty() && !inner.contains("**"))
        && !line.contains('[')
        && !line.trim_end_matches("**").ends_with('.')
}
