//! Canonicalization: what typography, line wraps and markup change, and nothing that changes a
//! number or a word.

use text_units::clean;

use crate::policy::Markup;

/// The version of [`canonicalize`]. Both sides of a comparison go through the same version, and
/// the policy names it.
pub const CANONICALIZATION_VERSION: u32 = 1;

/// The canonical form of a text, version 1: cleaned (NFC, no invisible characters), markup gone,
/// quotation marks and apostrophes straight, hyphens and dashes `-`, an ellipsis three dots,
/// white space (line wraps too) one space, lower case.
///
/// Compatibility forms stay what they are: NFKC would turn `10⁵` into `105` and still leave `’`
/// alone, so it is both too strong and too weak here. Linear in the length of the text.
///
/// ```
/// use claim_lattice::{Markup, canonicalize};
///
/// assert_eq!(canonicalize("The court’s re\u{2011}entry\nrule", Markup::Plain), "the court's re-entry rule");
/// assert_ne!(canonicalize("10⁵", Markup::Plain), canonicalize("105", Markup::Plain));
/// ```
#[must_use]
pub fn canonicalize(text: &str, markup: Markup) -> String {
    let cleaned = clean(text);
    match markup {
        Markup::Plain => fold(cleaned.text()),
        Markup::Markdown => fold(&super::markdown::strip(cleaned.text())),
        #[cfg(feature = "wikitext")]
        Markup::Wikitext => fold(&super::wikitext::strip_wikitext(cleaned.text())),
        #[cfg(not(feature = "wikitext"))]
        Markup::Wikitext => fold(cleaned.text()),
    }
}

fn fold(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut space = false;
    for c in text.chars() {
        if c.is_whitespace() {
            space = !out.is_empty();
            continue;
        }
        if space {
            out.push(' ');
            space = false;
        }
        match c {
            '\u{2018}' | '\u{2019}' | '\u{201A}' | '\u{201B}' | '\u{02BC}' | '\u{FF07}' => {
                out.push('\'');
            }
            '\u{201C}'..='\u{201F}' | '«' | '»' | '\u{FF02}' => out.push('"'),
            '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{FE58}' | '\u{FE63}' | '\u{FF0D}' => {
                out.push('-');
            }
            '…' => out.push_str("..."),
            c => out.extend(c.to_lowercase()),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_their_form() {
        for (a, b) in [("10⁵", "105"), ("½", "1/2"), ("x²", "x2"), ("①", "1")] {
            assert_ne!(
                canonicalize(a, Markup::Plain),
                canonicalize(b, Markup::Plain)
            );
        }
    }

    #[test]
    fn typography_and_wraps_are_the_same() {
        for (a, b) in [
            ("“so”", "\"so\""),
            ("a\u{A0}b", "a  b"),
            ("a\r\nb", "a b"),
            ("1–2", "1-2"),
            ("fac\u{327}ana", "façana"),
            ("co\u{AD}op", "coop"),
            ("wait…", "wait..."),
        ] {
            assert_eq!(
                canonicalize(a, Markup::Plain),
                canonicalize(b, Markup::Plain)
            );
        }
    }
}
