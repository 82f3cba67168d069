//! Quoted spans of an answer, by their marks in order.

use std::ops::Range;

/// The spans between quotation marks, in order, marks excluded: straight marks pair first with
/// second, third with fourth; typographic marks pair by their shape. The second value is where
/// a mark stands that nothing closes. Linear.
pub(super) fn quoted_spans(text: &str) -> (Vec<Range<usize>>, Option<usize>) {
    let mut spans = Vec::new();
    let mut open: Option<(usize, usize, char)> = None;
    for (at, c) in text.char_indices() {
        match open {
            Some((from, _, close)) if closes(c, close) => {
                if text.get(from..at).is_some_and(|s| !s.trim().is_empty()) {
                    spans.push(from..at);
                }
                open = None;
            }
            Some(_) => {}
            None => {
                open = closer(c).map(|close| (at + c.len_utf8(), at, close));
            }
        }
    }
    (spans, open.map(|(_, at, _)| at))
}

fn closer(c: char) -> Option<char> {
    Some(match c {
        '"' | '\u{FF02}' => c,
        '“' | '”' => '”',
        '„' => '“',
        '«' => '»',
        '「' => '」',
        '『' => '』',
        _ => return None,
    })
}

/// `„so“` and `„so”` both occur, and writers close “ with a straight mark now and then.
fn closes(c: char, wanted: char) -> bool {
    c == wanted || matches!((wanted, c), ('“', '”') | ('”', '"'))
}

#[cfg(test)]
mod tests {
    use super::quoted_spans;

    fn texts(text: &str) -> Vec<&str> {
        quoted_spans(text).0.into_iter().map(|s| &text[s]).collect()
    }

    #[test]
    fn marks_pair_in_order() {
        assert_eq!(texts("\"a b\" x \"c\""), ["a b", "c"]);
        assert_eq!(texts("“a” «b» „c“ 「d」"), ["a", "b", "c", "d"]);
        assert_eq!(texts("it's '90s"), [""; 0]);
    }

    #[test]
    fn an_odd_mark_is_told() {
        let (spans, odd) = quoted_spans("\"a\" then \"b");
        assert_eq!((spans.len(), odd), (1, Some(9)));
    }
}
