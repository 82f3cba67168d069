//! Codes and paragraphs as the references read them (deployed page §2, §5).

use super::chars::Dialect;
use crate::ontology::Compiled;

/// A code in the text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mention {
    pub(super) code: u16,
    pub(super) byte: usize,
    /// UTF-16 units before it.
    pub(super) unit: usize,
    pub(super) paragraph: usize,
}

/// What a text cites.
#[derive(Debug, Default)]
pub(super) struct Citations {
    pub(super) mentions: Vec<Mention>,
    /// The distinct codes, in the order of first mention.
    pub(super) codes: Vec<u16>,
    /// Whether a run of spaces is so long that the PHP reference gives up on it.
    pub(super) long_space: bool,
    pub(super) words: usize,
}

/// Spaces after a newline beyond which PCRE hits its match limit.
const PCRE_LIMIT: usize = 1_000_000;

impl Citations {
    pub(super) fn read(ontology: &Compiled, text: &str, dialect: Dialect) -> Self {
        let mut found = Self::default();
        let mut seen = vec![false; ontology.codes.len()];
        let (mut unit, mut paragraph, mut newlines, mut spaces) = (0, 0, 0, 0);
        let mut token: Option<(usize, usize)> = None;
        for (at, c) in text.char_indices().chain([(text.len(), '\0')]) {
            if dialect.is_word(c) {
                token.get_or_insert((at, unit));
            } else if let Some((start, unit)) = token.take() {
                found.words += 1;
                let spelled = text.get(start..at).unwrap_or_default();
                if let Some(code) = code(ontology, spelled) {
                    found.mentions.push(Mention {
                        code,
                        byte: start,
                        unit,
                        paragraph,
                    });
                    if let Some(seen) = seen.get_mut(usize::from(code))
                        && !std::mem::replace(seen, true)
                    {
                        found.codes.push(code);
                    }
                }
            }
            if dialect.is_space(c) {
                newlines += usize::from(c == '\n');
                spaces += usize::from(newlines > 0);
                paragraph += usize::from(c == '\n' && newlines == 2);
            } else {
                found.long_space |= newlines == 1 && spaces > PCRE_LIMIT;
                (newlines, spaces) = (0, 0);
            }
            unit += c.len_utf16();
        }
        found
    }

    pub(super) fn has(&self, code: u16) -> bool {
        self.codes.contains(&code)
    }
}

/// A code: two to four capitals, at most one digit, whitelisted.
pub(super) fn code(ontology: &Compiled, token: &str) -> Option<u16> {
    let bytes = token.as_bytes();
    let letters = match bytes {
        [letters @ .., last] if last.is_ascii_digit() => letters,
        letters => letters,
    };
    let shaped = (2..=4).contains(&letters.len()) && letters.iter().all(u8::is_ascii_uppercase);
    shaped.then(|| ontology.table.find_str(token)).flatten()
}
