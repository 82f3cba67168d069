//! Fences that their content cannot close.

/// A key for the fence lines of one prompt.
#[derive(Debug, Clone)]
pub(crate) struct Fence {
    key: String,
}

impl Fence {
    /// A key that occurs in none of the texts, whatever the case of its letters: the first 16
    /// hexadecimal digits of their BLAKE3 digest, counted on while it does.
    pub(crate) fn around<'t>(texts: impl Iterator<Item = &'t str> + Clone) -> Self {
        let mut hasher = blake3::Hasher::new_derive_key("candor deliberator fence v1");
        for text in texts.clone() {
            hasher.update(&(text.len() as u64).to_le_bytes());
            hasher.update(text.as_bytes());
        }
        let mut output = hasher.finalize_xof();
        loop {
            let mut bytes = [0_u8; 8];
            output.fill(&mut bytes);
            let key: String = bytes.iter().map(|b| format!("{b:02x}")).collect();
            let taken = texts
                .clone()
                .any(|t| t.len() >= key.len() && t.to_ascii_lowercase().contains(&key));
            if !taken {
                return Self { key };
            }
        }
    }

    /// The key.
    pub(crate) fn key(&self) -> &str {
        &self.key
    }

    /// Writes `text` between two fence lines, each line behind `| `.
    pub(crate) fn enclose(&self, name: &str, text: &str, out: &mut String) {
        let key = &self.key;
        out.push_str(&format!("{name} {key} BEGINS\n"));
        for line in text.split('\n') {
            out.push_str("| ");
            out.push_str(line);
            out.push('\n');
        }
        out.push_str(&format!("{name} {key} ENDS\n"));
    }

    /// Writes `text` as it is between two fence lines.
    pub(crate) fn enclose_unchanged(&self, name: &str, text: &str, out: &mut String) {
        let key = &self.key;
        out.push_str(&format!("{name} {key} BEGINS\n{text}\n{name} {key} ENDS\n"));
    }
}

/// Untrusted text as lines: every line break of Unicode becomes `\n`, and characters that hide
/// or reorder text (controls, bidirectional and tag characters, zero width ones) are escaped.
pub(crate) fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\r' => {
                if chars.peek() == Some(&'\n') {
                    chars.next();
                }
                out.push('\n');
            }
            '\n' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}' => out.push('\n'),
            '\t' => out.push('\t'),
            c if is_hidden(c) => out.push_str(&format!("\\u{{{:x}}}", u32::from(c))),
            c => out.push(c),
        }
    }
    out
}

fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{feff}' | '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_is_in_none_of_the_texts() {
        let first = Fence::around(["a", "b"].into_iter()).key().to_owned();
        // A text that holds the key of another prompt has another key.
        let second = Fence::around(["a", "b", first.as_str()].into_iter());
        assert_ne!(second.key(), first);
        assert_eq!(Fence::around(["a", "b"].into_iter()).key(), first);
        assert_ne!(Fence::around(["ab", ""].into_iter()).key(), first);
    }

    #[test]
    fn every_line_break_is_one_and_nothing_hides() {
        assert_eq!(
            visible("a\r\nb\rc\u{2028}d\u{85}e\u{b}f"),
            "a\nb\nc\nd\ne\nf"
        );
        assert_eq!(visible("x\u{202e}y\u{0}"), "x\\u{202e}y\\u{0}");
        assert_eq!(visible("\u{e0041}"), "\\u{e0041}");
        let mut out = String::new();
        let fence = Fence::around(["a\nb"].into_iter());
        fence.enclose("MATERIAL", "a\nb", &mut out);
        assert_eq!(out.lines().filter(|l| l.starts_with("| ")).count(), 2);
    }
}
