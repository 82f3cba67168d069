//! Excerpts that are cut where a reader would not notice.

use unicode_segmentation::GraphemeCursor;

/// The longest start of a text that fits into `limit` bytes and ends between two
/// user-perceived characters (grapheme clusters, UAX #29).
///
/// If the first cluster alone is longer than the limit it is cut between scalar values, so
/// that an endless pile of combining marks can't make the excerpt empty. Never panics.
///
/// ```
/// let text = format!("{}🙏 end", "a".repeat(498));
/// assert_eq!(text_units::excerpt(&text, 500).len(), 498);
/// ```
#[must_use]
pub fn excerpt(text: &str, limit: usize) -> &str {
    if text.len() <= limit {
        return text;
    }
    let floor = (0..=limit)
        .rev()
        .find(|&i| text.is_char_boundary(i))
        .unwrap_or(0);
    let mut cursor = GraphemeCursor::new(floor, text.len(), true);
    let cut = match cursor.is_boundary(text, 0) {
        Ok(true) => floor,
        _ => match cursor.prev_boundary(text, 0) {
            Ok(Some(at)) if at > 0 => at,
            _ => floor,
        },
    };
    text.get(..cut).unwrap_or("")
}

/// Like [`excerpt`], but rather ends after a whole word when one ends in the last third of the
/// limit: for showing to people.
#[must_use]
pub fn excerpt_at_word(text: &str, limit: usize) -> &str {
    let cut = excerpt(text, limit);
    if cut.len() == text.len() {
        return cut;
    }
    let next_is_space = text
        .get(cut.len()..)
        .is_some_and(|r| r.starts_with(char::is_whitespace));
    if next_is_space {
        return cut.trim_end();
    }
    match cut.rfind(char::is_whitespace) {
        Some(at) if at >= limit - limit / 3 => cut.get(..at).unwrap_or(cut).trim_end(),
        _ => cut,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cut_moves_to_a_boundary() {
        let long = "a".repeat(498);
        assert_eq!(excerpt(&format!("{long}🙏 end"), 500).len(), 498);
        // A zero-width non-joiner belongs to the character before it.
        assert_eq!(excerpt(&format!("{long}b\u{200c} end"), 500).len(), 498);
        assert_eq!(excerpt("👩\u{200d}👩\u{200d}👧 x", 5), "👩");
        assert_eq!(excerpt("ab👩\u{200d}👩\u{200d}👧 x", 12), "ab");
        assert_eq!(excerpt("é", 1), "");
        assert_eq!(excerpt("abc", 0), "");
        assert_eq!(excerpt_at_word("one two three", 9), "one two");
        assert_eq!(excerpt_at_word("one two three", 7), "one two");
        assert_eq!(excerpt_at_word("incomprehensibilities", 9), "incompreh");
    }
}
