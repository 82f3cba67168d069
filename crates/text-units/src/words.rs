//! Words: UAX #29, with clitics, the Catalan l·l, grouped numbers and exponents by stated rules.

use std::collections::VecDeque;
use std::iter::Peekable;
use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

use crate::fold::{fold, is_apostrophe};
use crate::word_bounds::WordBounds;

/// A word of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word<'t> {
    /// The word as it stands in the text.
    pub text: &'t str,
    /// Where it stands, in bytes.
    pub span: Range<usize>,
}

impl<'t> Word<'t> {
    /// The form in which words are compared; see [`fold`].
    #[must_use]
    pub fn folded(&self) -> std::borrow::Cow<'t, str> {
        fold(self.text)
    }

    /// The folded form without a final `'s`, so that `Newton’s` compares equal to `Newton`.
    ///
    /// It does not tell a possessive from `it's`, nor from a Catalan reflexive (`posa's`): in
    /// each the word itself is what remains.
    #[must_use]
    pub fn base(&self) -> std::borrow::Cow<'t, str> {
        use std::borrow::Cow;
        match self.folded() {
            Cow::Borrowed(s) => Cow::Borrowed(without_possessive(s)),
            Cow::Owned(s) => Cow::Owned(without_possessive(&s).to_owned()),
        }
    }
}

fn without_possessive(folded: &str) -> &str {
    folded
        .strip_suffix("'s")
        .filter(|base| !base.is_empty())
        .unwrap_or(folded)
}

/// The words of a text, in order: UAX #29 words that hold a letter or a number, with these rules
/// on top, the same in both languages. The text should be [cleaned](crate::clean) first: a
/// zero-width space would split a word.
///
/// - A clitic in front (`l’`, `d’`, `n’`, `s’`, `m’`, `t’`, any apostrophe) is a word of its own,
///   apostrophe included: `l’amor` is `l’` and `amor`, `l’11` is `l’` and `11`.
/// - A Catalan clitic behind a vowel (`’m`, `’t`, `’n`, `’l`, `’ls`, `’ns`) is a word of its own:
///   `dona’m` is `dona` and `’m`. `I’m` stays whole.
/// - `’s` stays (possessive, `it’s`, `posa’s`): [`Word::base`] drops it for comparison. English
///   contractions (`don’t`, `we’re`, `he’ll`) stay whole.
/// - Hyphens split: `well-known` is two words, `donar-lo` and `anar-se’n` are a verb and its
///   pronouns.
/// - Between two l's, U+00B7 and the look-alikes U+2027, U+2022, U+2219, U+22C5 never split.
/// - Numbers keep decimals and grouping: `12,047`, `3.14`, `1 000 000`. A space groups if exactly
///   three digits follow one to three, and it is a no-break or thin one, or the group is `000`,
///   or a second group follows. A no-break space never joins a number to its unit.
/// - Sub- and superscript digits stay with what they follow: `CO₂`, `H₂O`, `10⁵`, `10⁻³`, `m²`;
///   superscripts only after a digit or at most three letters, since after a longer word they
///   are note marks.
///
/// Signs, per cent and currency signs are no part of a word. Linear.
pub fn words(text: &str) -> impl Iterator<Item = Word<'_>> {
    Words {
        text,
        inner: WordBounds::new(text).peekable(),
        ready: VecDeque::new(),
    }
}

/// The pieces of a text by the word boundaries of UAX #29 alone, spaces and punctuation
/// included: they add up to the text.
pub fn words_uax29(text: &str) -> impl Iterator<Item = &str> {
    text.split_word_bounds()
}

struct Words<'t> {
    text: &'t str,
    inner: Peekable<WordBounds<'t>>,
    ready: VecDeque<Word<'t>>,
}

impl<'t> Iterator for Words<'t> {
    type Item = Word<'t>;

    fn next(&mut self) -> Option<Word<'t>> {
        if let Some(word) = self.ready.pop_front() {
            return Some(word);
        }
        let (start, first) = self.inner.next()?;
        let mut end = start + first.len();
        while let Some(&(at, next)) = self.inner.peek() {
            // Most words: a space and a letter follow.
            if at == end + 1 && !next.starts_with(|c: char| c.is_ascii_digit()) || at > end + 3 {
                break;
            }
            let joined = self.text.get(start..end).unwrap_or("");
            let gap = self.text.get(end..at).unwrap_or("");
            let after = self.text.get(at + next.len()..).unwrap_or("");
            if !joins(joined, gap, next, after) {
                break;
            }
            end = at + next.len();
            self.inner.next();
        }
        let text = self.text.get(start..end)?;
        if end > start + 1 && text.bytes().all(is_plain) {
            return Some(Word {
                text,
                span: start..end,
            });
        }
        self.split(start, end);
        self.ready.pop_front()
    }
}

impl<'t> Words<'t> {
    fn push(&mut self, span: Range<usize>) {
        if let Some(text) = self.text.get(span.clone()).filter(|t| !t.is_empty()) {
            self.ready.push_back(Word { text, span });
        }
    }

    /// Takes apart what UAX #29 holds together: units behind a narrow space, clitics.
    fn split(&mut self, start: usize, end: usize) {
        let mut from = start;
        let whole = self.text.get(start..end).unwrap_or("");
        for (at, space) in whole.match_indices('\u{202F}') {
            let head = self.text.get(from..start + at).unwrap_or("");
            let tail = whole.get(at + space.len()..).unwrap_or("");
            let group = tail.split('\u{202F}').next().unwrap_or("");
            if !(is_group_head(head) && is_group(group)) {
                self.split_clitics(from, start + at);
                from = start + at + space.len();
            }
        }
        self.split_clitics(from, end);
    }

    fn split_clitics(&mut self, start: usize, end: usize) {
        let word = self.text.get(start..end).unwrap_or("");
        let mut head = proclitic(word);
        if head == 0 && word.len() == 1 && is_proclitic(word.as_bytes().first().copied()) {
            // UAX #29 leaves the apostrophe between a letter and a digit out.
            let mut rest = self.text.get(end..).unwrap_or("").chars();
            if let Some(mark) = rest.next().filter(|&c| is_apostrophe(c))
                && rest.next().is_some_and(char::is_numeric)
            {
                self.push(start..end + mark.len_utf8());
                return;
            }
        }
        if head == word.len() {
            head = 0;
        }
        let tail = enclitic(word.get(head..).unwrap_or(""));
        self.push(start..start + head);
        self.push(start + head..end - tail);
        self.push(end - tail..end);
    }
}

/// Whether two UAX #29 words are one of ours. `after` is what follows the second.
fn joins(word: &str, gap: &str, next: &str, after: &str) -> bool {
    let mut between = gap.chars();
    let (separator, more) = (between.next(), between.next().is_some());
    if more {
        return false;
    }
    let last = word.chars().next_back().unwrap_or(' ');
    let first = next.chars().next().unwrap_or(' ');
    match separator {
        None => scripts_join(word, last, first),
        Some('\u{207A}' | '\u{207B}') => last.is_ascii_digit() && is_superscript(first),
        Some('\u{2022}' | '\u{2027}' | '\u{2219}' | '\u{22C5}' | '\u{B7}') => {
            is_l(last) && is_l(first)
        }
        Some(space @ (' ' | '\u{A0}' | '\u{2007}' | '\u{2009}' | '\u{202F}')) => {
            is_group(next)
                && is_group_head(word)
                && (space != ' '
                    || next == "000"
                    || word.contains(' ')
                    || after
                        .strip_prefix(' ')
                        .is_some_and(|rest| is_group(leading_number(rest))))
        }
        Some(_) => false,
    }
}

/// Whether a sub- or superscript digit, or what follows one, stays with the word in front.
fn scripts_join(word: &str, last: char, first: char) -> bool {
    if is_superscript(first) {
        return last.is_ascii_digit() || is_superscript(last) || word.chars().nth(3).is_none();
    }
    is_subscript(first) || (is_subscript(last) && first.is_ascii_alphanumeric())
}

fn is_superscript(c: char) -> bool {
    matches!(
        c,
        '\u{B2}' | '\u{B3}' | '\u{B9}' | '\u{2070}' | '\u{2074}'..='\u{2079}'
    )
}

fn is_subscript(c: char) -> bool {
    matches!(c, '\u{2080}'..='\u{2089}')
}

fn is_l(c: char) -> bool {
    matches!(c, 'l' | 'L')
}

/// Three digits, perhaps with decimals behind: a group of a number.
fn is_group(word: &str) -> bool {
    let digits = word.bytes().take_while(u8::is_ascii_digit).count();
    digits == 3
        && word
            .as_bytes()
            .get(3)
            .is_none_or(|b| matches!(b, b'.' | b','))
        && word.bytes().skip(4).all(|b| b.is_ascii_digit())
}

/// The longest number that takes another group, in bytes: more digits than any quantity has, and
/// a bound on the work for one.
const LONGEST_NUMBER: usize = 40;

/// One to three digits, then groups of three: what a group may follow.
fn is_group_head(word: &str) -> bool {
    if word.len() > LONGEST_NUMBER {
        return false;
    }
    let mut groups = word.split(|c: char| c.is_whitespace());
    groups
        .next()
        .is_some_and(|g| (1..=3).contains(&g.len()) && g.bytes().all(|b| b.is_ascii_digit()))
        && groups.all(|g| g.len() == 3 && g.bytes().all(|b| b.is_ascii_digit()))
}

/// The digits, stops and letters that a text starts with, as far as a group could reach.
fn leading_number(text: &str) -> &str {
    let end = text
        .find(|c: char| !c.is_alphanumeric())
        .unwrap_or(text.len());
    text.get(..end).unwrap_or("")
}

/// Whether a byte belongs to an ASCII letter or digit or to a letter of U+00C0 to U+017F. A
/// character whose first byte is another one fails by that byte, so a word of such bytes holds
/// no apostrophe and no narrow space.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, 0x80..=0xBF | 0xC3..=0xC5)
}

fn is_proclitic(letter: Option<u8>) -> bool {
    letter.is_some_and(|b| b"ldnsmt".contains(&b.to_ascii_lowercase()))
}

/// The length of an elided clitic with its apostrophe in front of a word, else 0.
fn proclitic(word: &str) -> usize {
    if !is_proclitic(word.as_bytes().first().copied()) {
        return 0;
    }
    match word.chars().nth(1) {
        Some(mark) if is_apostrophe(mark) => 1 + mark.len_utf8(),
        _ => 0,
    }
}

/// The length of a Catalan clitic with its apostrophe behind a vowel, else 0.
fn enclitic(word: &str) -> usize {
    // The longest is an apostrophe and two letters.
    let Some((at, _)) = word
        .char_indices()
        .rev()
        .take(3)
        .find(|&(_, c)| is_apostrophe(c))
    else {
        return 0;
    };
    let (head, tail) = word.split_at(at);
    let letters = tail.trim_start_matches(is_apostrophe);
    let known = ["m", "t", "n", "l", "ls", "ns"]
        .iter()
        .any(|c| letters.eq_ignore_ascii_case(c));
    let vowel = head
        .chars()
        .next_back()
        .is_some_and(|c| "aeiouàèéíòóúïüAEIOUÀÈÉÍÒÓÚÏÜ".contains(c));
    if known && vowel && !head.eq_ignore_ascii_case("i") {
        tail.len()
    } else {
        0
    }
}
