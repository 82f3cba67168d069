//! Words by UAX #29, with the clitics of English and Catalan split off by one rule.

use std::borrow::Cow;
use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

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
    pub fn folded(&self) -> Cow<'t, str> {
        fold(self.text)
    }
}

/// The words of a text, in order: UAX #29 words that hold a letter or a number.
///
/// Clitics: an elided article, pronoun or preposition in front (`l’`, `d’`, `n’`, `s’`, `m’`,
/// `t’`) is a word of its own, so that `l’amor` is `l’` and `amor`. English contractions
/// (`don’t`) stay whole. The Catalan `l·l` and its compatibility forms never split a word.
pub fn words(text: &str) -> impl Iterator<Item = Word<'_>> {
    text.unicode_word_indices().flat_map(|(at, word)| {
        let cut = clitic_len(word);
        let head = (cut > 0).then(|| Word {
            text: &word[..cut],
            span: at..at + cut,
        });
        let tail = Word {
            text: &word[cut..],
            span: at + cut..at + word.len(),
        };
        head.into_iter().chain(std::iter::once(tail))
    })
}

/// The length of an elided clitic with its apostrophe in front of a word, else 0.
fn clitic_len(word: &str) -> usize {
    let mut chars = word.char_indices();
    let Some((_, first)) = chars.next() else {
        return 0;
    };
    let Some((at, mark)) = chars.next() else {
        return 0;
    };
    let clitic = matches!(
        first.to_ascii_lowercase(),
        'l' | 'd' | 'n' | 's' | 'm' | 't'
    );
    let cut = at + mark.len_utf8();
    if clitic && is_apostrophe(mark) && cut < word.len() {
        cut
    } else {
        0
    }
}

pub(crate) fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '\u{2019}' | '\u{2018}' | '\u{02BC}' | '\u{FF07}')
}

/// The form in which words are compared: lower case, straight apostrophes, `ŀ` as `l·`.
#[must_use]
pub fn fold(word: &str) -> Cow<'_, str> {
    if word
        .bytes()
        .all(|b| b.is_ascii() && !b.is_ascii_uppercase())
    {
        return Cow::Borrowed(word);
    }
    let mut out = String::with_capacity(word.len());
    for c in word.chars().flat_map(char::to_lowercase) {
        match c {
            c if is_apostrophe(c) => out.push('\''),
            '\u{140}' => out.push_str("l\u{B7}"),
            '\u{2027}' | '\u{2022}' | '\u{22C5}' => out.push('\u{B7}'),
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// Whether a character, standing beside a token, makes it part of something longer: a letter,
/// digit, mark or underscore of any script.
#[must_use]
pub fn is_token_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || unicode_normalization::char::is_combining_mark(c)
}

/// Whether the byte range `span` of `text` is a whole token: not adjacent to a letter, digit,
/// mark or underscore of any script. A range that does not slice the text is none.
#[must_use]
pub fn is_whole_token(text: &str, span: Range<usize>) -> bool {
    let (Some(before), Some(after)) = (text.get(..span.start), text.get(span.end..)) else {
        return false;
    };
    !before.chars().next_back().is_some_and(is_token_char)
        && !after.chars().next().is_some_and(is_token_char)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn apostrophes_make_the_same_words() {
        let fold_all = |t: &str| {
            words(t)
                .map(|w| w.folded().into_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(
            fold_all("We don't stop."),
            fold_all("We don\u{2019}t stop.")
        );
        assert_eq!(
            fold_all("l\u{2019}amor d'hivern"),
            ["l'", "amor", "d'", "hivern"]
        );
    }
}
