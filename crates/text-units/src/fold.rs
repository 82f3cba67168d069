//! The form in which words are compared.

use std::borrow::Cow;

use unicode_normalization::{UnicodeNormalization, is_nfc};

use crate::ignorable::is_default_ignorable;

/// The form in which words are compared: lower case, NFC, straight apostrophes, the l·l with
/// U+00B7 whatever dot was typed (`ŀ`, U+2027, U+2022, U+2219, U+22C5), `ς` as `σ`, without
/// default-ignorable characters. Digits, exponents and accents stay: `10⁵` is not `105` and
/// `dona` is not `dóna`. Folding twice is folding once; plain lower-case words are borrowed.
///
/// ```
/// assert_eq!(text_units::fold("DON\u{2019}T"), "don't");
/// assert_eq!(text_units::fold("Co\u{140}laborar"), "col·laborar");
/// ```
#[must_use]
pub fn fold(word: &str) -> Cow<'_, str> {
    if word
        .bytes()
        .all(|b| b.is_ascii() && !b.is_ascii_uppercase())
    {
        return Cow::Borrowed(word);
    }
    if word.is_ascii() {
        return Cow::Owned(word.to_ascii_lowercase());
    }
    let mut out = String::with_capacity(word.len() + 2);
    for c in word.chars().flat_map(char::to_lowercase) {
        match c {
            c if is_apostrophe(c) => out.push('\''),
            '\u{140}' => out.push_str("l\u{B7}"),
            '\u{B7}' | '\u{2027}' | '\u{2022}' | '\u{2219}' | '\u{22C5}' => {
                // `ŀl` and `ŀ·l` are both typed for the l·l.
                if !out.ends_with("l\u{B7}") {
                    out.push('\u{B7}');
                }
            }
            'ς' => out.push('σ'),
            c if is_default_ignorable(c) => {}
            c => out.push(c),
        }
    }
    if is_nfc(&out) {
        Cow::Owned(out)
    } else {
        Cow::Owned(out.nfc().collect())
    }
}

pub(crate) fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '\u{2019}' | '\u{2018}' | '\u{02BC}' | '\u{FF07}')
}
