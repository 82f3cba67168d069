//! Untrusted text on the page: escaped, isolated, nothing in it unseen.

use maud::{Escaper, Render};
use std::fmt::Write as _;
use std::ops::Range;

/// Untrusted text. Markup is escaped; what would steer the direction of the text around it, or
/// stand there unseen, is shown by its number. Stands inside an isolating element.
#[derive(Clone, Copy)]
pub(crate) struct Shown<'a>(pub(crate) &'a str);

impl Render for Shown<'_> {
    fn render_to(&self, buffer: &mut String) {
        buffer.push_str("<bdi>");
        visible(self.0, 0..self.0.len(), &[], buffer);
        buffer.push_str("</bdi>");
    }
}

/// Untrusted prose of a passage: as [`Shown`], and lines that were broken only because they were
/// full run on, so that they do not break twice in a narrow window. The breaks stay in what is copied
/// from the page's source.
#[derive(Clone, Copy)]
pub(crate) struct Prose<'a>(pub(crate) &'a str);

impl Render for Prose<'_> {
    fn render_to(&self, buffer: &mut String) {
        buffer.push_str("<bdi>");
        visible(self.0, 0..self.0.len(), &wraps(self.0), buffer);
        buffer.push_str("</bdi>");
    }
}

/// A range of the text with its hidden characters shown and its wraps loose, without the isolating
/// element.
fn visible(text: &str, range: Range<usize>, wraps: &[usize], buffer: &mut String) {
    let part = text.get(range.clone()).unwrap_or_default();
    let mut done = 0;
    for (at, c) in part.char_indices() {
        let wrap = c == '\n' && wraps.binary_search(&(range.start + at)).is_ok();
        if !wrap && !is_hidden(c) {
            continue;
        }
        // Writing to a String cannot fail.
        let _ = Escaper::new(buffer).write_str(part.get(done..at).unwrap_or_default());
        let _ = if wrap {
            buffer.write_str("<span class=\"wrap\">\n</span>")
        } else {
            write!(buffer, "<span class=\"hid\">U+{:04X}</span>", u32::from(c))
        };
        done = at + c.len_utf8();
    }
    let _ = Escaper::new(buffer).write_str(part.get(done..).unwrap_or_default());
}

/// Characters from which on a line counts as full.
const FULL_LINE: usize = 60;

/// The places of line breaks inside a paragraph: after a full line, before one that goes on with a word.
fn wraps(text: &str) -> Vec<usize> {
    let mut found = Vec::new();
    let mut start = 0;
    for (at, _) in text.match_indices('\n') {
        let line = text.get(start..at).unwrap_or_default();
        let next = text.get(at + 1..).unwrap_or_default();
        start = at + 1;
        if line.chars().count() >= FULL_LINE && goes_on(next) && !line.starts_with(['#', '|']) {
            found.push(at);
        }
    }
    found
}

/// Whether a line begins as the middle of a paragraph does: with a word, not with a list's mark.
fn goes_on(line: &str) -> bool {
    let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_item = number.len() < line.len() && number.starts_with(['.', ')']);
    !is_item
        && line.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '(' | '"' | '“' | '\''))
}

/// Controls, bidi controls, and characters that take no room. The joiners U+200C and U+200D stay:
/// scripts and emoji need them.
fn is_hidden(c: char) -> bool {
    match c {
        // A carriage return is a line break to a browser.
        '\n' | '\r' | '\t' => false,
        '\u{ad}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{180e}' | '\u{200b}' | '\u{200e}'
        | '\u{200f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}' => true,
        '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{fff9}'..='\u{fffb}' => true,
        '\u{e0000}'..='\u{e007f}' => true,
        c => c.is_control() || is_noncharacter(c),
    }
}

fn is_noncharacter(c: char) -> bool {
    let number = u32::from(c);
    (0xfdd0..=0xfdef).contains(&number) || number & 0xfffe == 0xfffe
}

/// A text with some of its ranges marked. Ranges in bytes; those that do not slice the text are
/// passed over, overlapping ones are joined.
pub(crate) struct Marked<'a> {
    pub(crate) text: &'a str,
    pub(crate) ranges: Vec<Range<usize>>,
}

impl Render for Marked<'_> {
    fn render_to(&self, buffer: &mut String) {
        let mut ranges = self.ranges.clone();
        ranges.retain(|r| !r.is_empty() && self.text.get(r.clone()).is_some());
        ranges.sort_by_key(|r| (r.start, r.end));
        buffer.push_str("<bdi>");
        let wraps = wraps(self.text);
        let mut at = 0;
        for range in ranges {
            let start = range.start.max(at);
            if range.end <= start {
                continue;
            }
            visible(self.text, at..start, &wraps, buffer);
            buffer.push_str("<mark>");
            visible(self.text, start..range.end, &wraps, buffer);
            buffer.push_str("</mark>");
            at = range.end;
        }
        visible(self.text, at..self.text.len(), &wraps, buffer);
        buffer.push_str("</bdi>");
    }
}

/// A list in words, comma-separated, at most so many items whole.
pub(crate) fn listed<S: AsRef<str>>(items: &[S], most: usize) -> String {
    let mut out = items
        .iter()
        .take(most)
        .map(|item| format!("“{}”", item.as_ref()))
        .collect::<Vec<_>>()
        .join(", ");
    if items.len() > most {
        let _ = write!(out, " and {} more", items.len() - most);
    }
    out
}

/// So many characters of a text, for titles and pictures.
pub(crate) fn short(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// `1 claim`, `2 claims`.
pub(crate) fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_is_text_and_hidden_characters_are_seen() {
        let shown = Shown("<b>\"&'\u{202e}abc\u{0}\u{200b}\u{e0041}").render();
        assert_eq!(
            shown.0,
            "<bdi>&lt;b&gt;&quot;&amp;'<span class=\"hid\">U+202E</span>abc\
             <span class=\"hid\">U+0000</span><span class=\"hid\">U+200B</span>\
             <span class=\"hid\">U+E0041</span></bdi>"
        );
    }

    #[test]
    fn full_lines_run_on_and_others_stay() {
        let full = "a line of prose that somebody's editor broke at its right margin";
        let loose = "<span class=\"wrap\">\n</span>";
        let joined = Prose(&format!("{full}\nand more")).render().0;
        assert_eq!(joined, format!("<bdi>{full}{loose}and more</bdi>"));
        for next in [
            "\nA paragraph",
            "- an item",
            "12. an item",
            "| a cell",
            "  code",
            "# A heading",
        ] {
            let text = format!("{full}\n{next}");
            assert_eq!(Prose(&text).render().0, format!("<bdi>{text}</bdi>"));
        }
        let text = "A short line\nof verse";
        assert_eq!(Prose(text).render().0, format!("<bdi>{text}</bdi>"));
        let text = format!("{full}\nand more");
        let across = Marked {
            text: &text,
            ranges: Vec::from([2..5, 2..full.len() + 4]),
        };
        let marked = across.render().0;
        assert!(
            marked.contains(&format!("{loose}and</mark> more")),
            "{marked}"
        );
    }

    #[test]
    fn marks_join_and_pass_over_what_does_not_slice() {
        let marked = Marked {
            text: "aébc",
            ranges: vec![3..5, 0..3, 2..4, 9..12, 1..4],
        };
        assert_eq!(
            marked.render().0,
            "<bdi><mark>aé</mark><mark>b</mark><mark>c</mark></bdi>"
        );
    }
}
