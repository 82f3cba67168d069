//! Whole tokens: words, codes and markers that are not part of something longer.

use std::ops::Range;

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
    span.start <= span.end
        && !before.chars().next_back().is_some_and(is_token_char)
        && !after.chars().next().is_some_and(is_token_char)
}

/// The places where `needle` stands in `text` as a whole token, in order, not overlapping. An
/// empty needle stands nowhere. Case and form as they are: fold both for a looser search.
///
/// ```
/// let found: Vec<_> = text_units::whole_tokens("FEN, FENX and (FEN)", "FEN").collect();
/// assert_eq!(found, [0..3, 15..18]);
/// ```
///
/// Linear, but for needles that overlap themselves: there at most text times needle.
pub fn whole_tokens(text: &str, needle: &str) -> impl Iterator<Item = Range<usize>> {
    let step = needle.chars().next().map_or(0, char::len_utf8);
    let mut from = 0;
    std::iter::from_fn(move || {
        if step == 0 {
            return None;
        }
        loop {
            let at = from + text.get(from..)?.find(needle)?;
            let span = at..at + needle.len();
            if is_whole_token(text, span.clone()) {
                from = span.end;
                return Some(span);
            }
            from = at + step;
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_longer_tokens_do_not_count() {
        let count = |text, needle| whole_tokens(text, needle).count();
        assert_eq!(
            count("FEN FENX fen FEN_ FEN1 xFEN FEN\u{301} FEN·FEN", "FEN"),
            3
        );
        assert_eq!(count("ba a a", "a a"), 1);
        assert_eq!(count("aaa", ""), 0);
        assert_eq!(count("çFEN FENñ", "FEN"), 0);
        assert!(!is_whole_token("é", 1..2));
        let reversed = Range { start: 2, end: 1 };
        assert!(!is_whole_token("abc", reversed));
    }
}
