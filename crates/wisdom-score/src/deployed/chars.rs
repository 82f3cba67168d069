//! Character classes of the two pattern engines (deployed page §1): they cause most of the
//! differences between the two references.

use unicode_normalization::char::is_combining_mark;

/// Which reference is reproduced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    Js,
    Php,
}

impl Dialect {
    /// A word character for `\\b` and `\\w`.
    pub(super) fn is_word(self, c: char) -> bool {
        match self {
            _ if c.is_ascii() => c.is_ascii_alphanumeric() || c == '_',
            Self::Js => false,
            Self::Php => is_letter_or_number(c),
        }
    }

    /// A word character in a case-insensitive Unicode pattern, where JavaScript adds two.
    pub(super) fn is_word_folded(self, c: char) -> bool {
        self.is_word(c) || matches!(c, '\u{17F}' | '\u{212A}')
    }

    /// A space.
    pub(super) fn is_space(self, c: char) -> bool {
        match c {
            '\t'..='\r' | ' ' | '\u{A0}' | '\u{1680}' | '\u{2000}'..='\u{200A}' => true,
            '\u{2028}' | '\u{2029}' | '\u{202F}' | '\u{205F}' | '\u{3000}' => true,
            '\u{FEFF}' => self == Self::Js,
            '\u{85}' | '\u{180E}' => self == Self::Php,
            _ => false,
        }
    }
}

/// `\\p{L}` or `\\p{N}`: alphanumeric without marks and circled letters.
pub(super) fn is_letter_or_number(c: char) -> bool {
    let circled = matches!(c,
        '\u{24B6}'..='\u{24E9}' | '\u{1F130}'..='\u{1F149}' | '\u{1F150}'..='\u{1F169}'
        | '\u{1F170}'..='\u{1F189}');
    c.is_alphanumeric() && !circled && !is_combining_mark(c)
}

/// `\\p{Nd}`.
pub(super) fn is_digit(c: char) -> bool {
    matches!(c, '\u{30}'..='\u{39}' | '\u{660}'..='\u{669}' | '\u{6F0}'..='\u{6F9}' | '\u{7C0}'..='\u{7C9}' | '\u{966}'..='\u{96F}' | '\u{9E6}'..='\u{9EF}' | '\u{A66}'..='\u{A6F}' | '\u{AE6}'..='\u{AEF}' | '\u{B66}'..='\u{B6F}' | '\u{BE6}'..='\u{BEF}' | '\u{C66}'..='\u{C6F}' | '\u{CE6}'..='\u{CEF}' | '\u{D66}'..='\u{D6F}' | '\u{DE6}'..='\u{DEF}' | '\u{E50}'..='\u{E59}' | '\u{ED0}'..='\u{ED9}' | '\u{F20}'..='\u{F29}' | '\u{1040}'..='\u{1049}' | '\u{1090}'..='\u{1099}' | '\u{17E0}'..='\u{17E9}' | '\u{1810}'..='\u{1819}' | '\u{1946}'..='\u{194F}' | '\u{19D0}'..='\u{19D9}' | '\u{1A80}'..='\u{1A89}' | '\u{1A90}'..='\u{1A99}' | '\u{1B50}'..='\u{1B59}' | '\u{1BB0}'..='\u{1BB9}' | '\u{1C40}'..='\u{1C49}' | '\u{1C50}'..='\u{1C59}' | '\u{A620}'..='\u{A629}' | '\u{A8D0}'..='\u{A8D9}' | '\u{A900}'..='\u{A909}' | '\u{A9D0}'..='\u{A9D9}' | '\u{A9F0}'..='\u{A9F9}' | '\u{AA50}'..='\u{AA59}' | '\u{ABF0}'..='\u{ABF9}' | '\u{FF10}'..='\u{FF19}' | '\u{104A0}'..='\u{104A9}' | '\u{10D30}'..='\u{10D39}' | '\u{11066}'..='\u{1106F}' | '\u{110F0}'..='\u{110F9}' | '\u{11136}'..='\u{1113F}' | '\u{111D0}'..='\u{111D9}' | '\u{112F0}'..='\u{112F9}' | '\u{11450}'..='\u{11459}' | '\u{114D0}'..='\u{114D9}' | '\u{11650}'..='\u{11659}' | '\u{116C0}'..='\u{116C9}' | '\u{11730}'..='\u{11739}' | '\u{118E0}'..='\u{118E9}' | '\u{11950}'..='\u{11959}' | '\u{11C50}'..='\u{11C59}' | '\u{11D50}'..='\u{11D59}' | '\u{11DA0}'..='\u{11DA9}' | '\u{16A60}'..='\u{16A69}' | '\u{16AC0}'..='\u{16AC9}' | '\u{16B50}'..='\u{16B59}' | '\u{1D7CE}'..='\u{1D7FF}' | '\u{1E140}'..='\u{1E149}' | '\u{1E2F0}'..='\u{1E2F9}' | '\u{1E950}'..='\u{1E959}' | '\u{1FBF0}'..='\u{1FBF9}' | '\u{1E4F0}'..='\u{1E4F9}' | '\u{11F50}'..='\u{11F59}')
}

/// Simple case folding, as far as it can meet a letter of the patterns.
pub(super) fn fold(c: char) -> char {
    match c {
        'A'..='Z' => c.to_ascii_lowercase(),
        _ if c.is_ascii() => c,
        '\u{17F}' => 's',
        '\u{212A}' => 'k',
        _ => {
            let mut lower = c.to_lowercase();
            if lower.len() == 1 {
                lower.next().unwrap_or(c)
            } else {
                c
            }
        }
    }
}

/// The character at a byte, if one starts there.
pub(super) fn char_at(text: &str, at: usize) -> Option<char> {
    text.get(at..).and_then(|rest| rest.chars().next())
}

/// The character that ends before a byte.
pub(super) fn char_before(text: &str, at: usize) -> Option<char> {
    text.get(..at).and_then(|head| head.chars().next_back())
}

/// Past a run of characters of a class.
pub(super) fn skip(text: &str, from: usize, class: impl Fn(char) -> bool) -> usize {
    let rest = text.get(from..).unwrap_or_default();
    let run = rest.char_indices().find(|(_, c)| !class(*c));
    run.map_or(text.len(), |(i, _)| from + i)
}

/// The indices of patterns by their first letter, which is a small ASCII letter.
pub(super) fn by_first_letter(patterns: &[&str]) -> Vec<Vec<usize>> {
    let first = |letter: u8| {
        let same = patterns
            .iter()
            .enumerate()
            .filter(|(_, p)| p.as_bytes().first() == Some(&letter));
        same.map(|(index, _)| index).collect()
    };
    (0..128).map(first).collect()
}
