//! What can be read of an answer that broke off.

use text_units::sentences;

use super::AnswerMode;

/// The part of an answer that its writer finished, for an answer that a token cap or a filter cut
/// off: all up to the end of the last whole sentence. A fragment can say another thing than the
/// sentence that it was to become ("The drug is safe" … "only under 40"), so it is no claim.
///
/// A line that was ended counts as whole, and so does a sentence that ends in a bracket, as one
/// with its pointer does. JSON comes back as it is: [`parse`](super::parse) reads no claim that is
/// not closed. Linear in the length of the answer.
///
/// ```
/// use claim_lattice::{AnswerMode, finished};
///
/// assert_eq!(finished("Sales rose. [E1]\nCosts fe", AnswerMode::Pointer), "Sales rose. [E1]");
/// ```
#[must_use]
pub fn finished(answer: &str, mode: AnswerMode) -> &str {
    if mode == AnswerMode::Json || answer.ends_with('\n') {
        return answer;
    }
    let all = sentences(answer);
    let Some(last) = all.last() else {
        return answer;
    };
    if is_whole(last.text) {
        return answer;
    }
    answer.get(..last.span.start).unwrap_or_default().trim_end()
}

/// Whether a sentence ends as sentences do, before closing marks.
fn is_whole(sentence: &str) -> bool {
    let closing =
        |c: char| matches!(c, '"' | '\'' | '”' | '’' | '»' | '*' | '_') || c.is_whitespace();
    sentence.trim_end_matches(closing).ends_with([
        '.', '!', '?', '…', '。', '！', '？', ']', ')', '】', '］', '）',
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_finished_stays() {
        for answer in [
            "",
            "Sales rose. [E1]",
            "Sales rose [E1]",
            "- Sales rose\n",
            "He said: \"Sales rose.\"",
            "Vendes a l'alça! ",
            "**Sales rose.**",
        ] {
            assert_eq!(finished(answer, AnswerMode::Pointer), answer);
            assert_eq!(finished(answer, AnswerMode::Quote), answer);
        }
    }

    #[test]
    fn what_breaks_off_goes() {
        for (answer, kept) in [
            ("Sales rose", ""),
            ("Sales rose. [E1]\nCosts fell by 1", "Sales rose. [E1]"),
            ("Sales rose. [E1] Costs fell", "Sales rose. [E1]"),
            ("- Sales rose. [E1]\n- Costs", "- Sales rose. [E1]"),
            (
                "Les vendes van pujar. [E1]\nEls costos",
                "Les vendes van pujar. [E1]",
            ),
            ("\"Sales rose.\" The owner", "\"Sales rose.\""),
        ] {
            assert_eq!(finished(answer, AnswerMode::Pointer), kept, "{answer}");
        }
    }

    #[test]
    fn json_is_left_to_the_parser() {
        let answer = r#"{"claims":[{"text":"Sales rose.","evidence_ids":["E1"]},{"text":"Costs"#;
        assert_eq!(finished(answer, AnswerMode::Json), answer);
        let options = super::super::ParseOptions::default();
        let read = super::super::parse(answer, AnswerMode::Json, &options);
        assert_eq!(read.claims.len(), 1);
    }
}
