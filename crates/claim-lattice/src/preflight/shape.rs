//! What kind of answer a question asks for. The verifier gates its anchor classes by it.

use serde::{Deserialize, Serialize};

use super::lexicon::{Lexicon, choose_language};
use super::question::Question;

/// The shape of a question.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum QuestionShape {
    /// Asks for a number: "how many".
    HowMany,
    /// Asks for a cause: "why".
    Why,
    /// Asks for a date: "when".
    Date,
    /// Asks for a list: "name the", "list the".
    List,
    /// Asks who stands in a relation: "who founded", "the relationship between".
    Relation,
    /// Asks for a place: "where".
    Place,
    /// Asks for a comparison: "the difference between".
    Comparison,
    /// Asks for a way: "how".
    How,
    /// Asks what something is.
    Definition,
    /// Asks whether.
    YesNo,
    /// Anything else.
    #[default]
    Other,
}

/// The sections, in the order that decides between shapes which begin at the same word.
const SECTIONS: [(&str, QuestionShape); 10] = [
    ("shape.how_many", QuestionShape::HowMany),
    ("shape.why", QuestionShape::Why),
    ("shape.date", QuestionShape::Date),
    ("shape.comparison", QuestionShape::Comparison),
    ("shape.relation", QuestionShape::Relation),
    ("shape.list", QuestionShape::List),
    ("shape.place", QuestionShape::Place),
    ("shape.how", QuestionShape::How),
    ("shape.definition", QuestionShape::Definition),
    ("shape.yes_no", QuestionShape::YesNo),
];

/// The shape of a question: that of the first word at which a shape's pattern begins.
///
/// The language is chosen by [`choose_language`]. Linear in the length of the question.
#[must_use]
pub fn question_shape(question: &str, languages: &[&Lexicon]) -> QuestionShape {
    choose_language(question, languages).map_or(QuestionShape::Other, |l| {
        shape_of(&Question::new(question, l))
    })
}

pub(crate) fn shape_of(question: &Question<'_>) -> QuestionShape {
    (0..question.tokens.len())
        .filter(|&at| question.tokens.get(at).is_some_and(|t| !t.quoted))
        .find_map(|at| {
            SECTIONS.iter().find_map(|&(section, shape)| {
                let patterns = question.lexicon.patterns(section);
                patterns.longest_at(&question.tokens, at).map(|_| shape)
            })
        })
        .unwrap_or_default()
}
