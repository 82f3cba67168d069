//! A key that shows itself nowhere.

use crate::AgentError;

/// Shortest part of a key that is taken for a trace of it.
const TRACE: usize = 6;

/// A key; its `Debug` says only that there is one.
#[derive(Clone)]
pub(super) struct Key(String);

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Key(…)")
    }
}

impl Key {
    /// A key as it is sent: printable ASCII, blanks at its ends cut off (files end in a line feed).
    pub(super) fn new(text: &str) -> Result<Self, AgentError> {
        let text = text.trim();
        if text.is_empty() || !text.bytes().all(|b| b.is_ascii_graphic()) {
            return Err(AgentError::Configuration {
                reason: "the key is empty or has characters other than printable ASCII".to_owned(),
            });
        }
        Ok(Self(text.to_owned()))
    }

    /// The value of the header, with asterisks for the key.
    pub(super) fn header(&self) -> String {
        format!("Bearer {}", "*".repeat(self.0.len()))
    }

    /// Puts the key into the header of a request; the one place where it leaves.
    pub(super) fn unveil(&self, request: &mut [u8]) -> bool {
        let header = format!("authorization: {}", self.header());
        let found = request
            .windows(header.len())
            .position(|w| w == header.as_bytes());
        let Some(at) = found else {
            return false;
        };
        let end = at + header.len();
        if let Some(place) = request.get_mut(end - self.0.len()..end) {
            place.copy_from_slice(self.0.as_bytes());
        }
        true
    }

    /// Puts asterisks wherever the key is in what a server sent.
    pub(super) fn veil(&self, bytes: &mut [u8]) {
        let key = self.0.as_bytes();
        let mut from = 0;
        while let Some(rest) = bytes.get_mut(from..)
            && let Some(at) = rest.windows(key.len()).position(|w| w == key)
        {
            rest.iter_mut()
                .skip(at)
                .take(key.len())
                .for_each(|b| *b = b'*');
            from += at + key.len();
        }
    }

    /// Whether a text has the whole key in it.
    pub(super) fn is_in(&self, text: &str) -> bool {
        text.contains(&self.0)
    }

    /// The text without any word that holds the key or a part of it (servers echo keys cut or
    /// masked in their middle).
    pub(super) fn redact(&self, text: &str) -> String {
        let key = self.0.as_bytes();
        let width = TRACE.min(key.len());
        let is_trace = |word: &str| {
            key.windows(width)
                .any(|part| word.as_bytes().windows(width).any(|w| w == part))
        };
        let words = text.split_inclusive(char::is_whitespace).map(|word| {
            let body = word.trim_end();
            if is_trace(body) {
                word.replacen(body, "[key]", 1)
            } else {
                word.to_owned()
            }
        });
        words.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_shows_nowhere() {
        let key = Key::new(" sk-abcdefghijklmnop\n").unwrap();
        assert_eq!(format!("{key:?}"), "Key(…)");
        assert_eq!(key.header(), "Bearer *******************");
        let mut request = format!("POST / HTTP/1.1\r\nauthorization: {}\r\n\r\n", key.header());
        let mut bytes = std::mem::take(&mut request).into_bytes();
        assert!(key.unveil(&mut bytes) && !key.unveil(&mut bytes));
        let sent = String::from_utf8(bytes.clone()).unwrap();
        assert!(sent.contains("authorization: Bearer sk-abcdefghijklmnop\r\n"));
        key.veil(&mut bytes);
        assert!(!key.is_in(&String::from_utf8(bytes).unwrap()));
        for (said, shown) in [
            (
                "Incorrect key: sk-abcdefghijklmnop. Look up",
                "Incorrect key: [key] Look up",
            ),
            ("sk-abcd***mnop\nno", "[key]\nno"),
            ("token=(ghijkl)", "[key]"),
            ("nothing of it", "nothing of it"),
        ] {
            assert_eq!(key.redact(said), shown);
        }
        assert!(key.is_in("xsk-abcdefghijklmnopx") && !key.is_in("sk-abcdefghijklmno"));
    }

    #[test]
    fn what_no_header_can_carry_is_refused_without_being_shown() {
        for bad in ["", " \n", "sk-\u{e9}tude-long", "two words", "a\r\nX: y"] {
            let error = Key::new(bad).unwrap_err().to_string();
            assert!(
                error.contains("printable ASCII") && !error.contains("long"),
                "{error}"
            );
        }
    }
}
