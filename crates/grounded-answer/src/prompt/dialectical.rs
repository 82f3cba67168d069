//! Dialectical prompting: which cycle a question calls for, and the constraints put to the model.
//!
//! The cycles, their stations and what each mediator must name are those of seed 000 §3.5 and
//! §5.1; the constraints are those of §5.2 and §3bis.4, in our own words.

use serde::{Deserialize, Serialize};
use text_units::words;

use super::Escope;

/// A basic cycle of the ontology, each for its own kind of question (seed 000 §5.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Cycle {
    /// What to do, how to do it.
    Aplicacio,
    /// What I feel, want, commit to.
    Orientacio,
    /// What is, what can be known.
    Coneixement,
}

impl Cycle {
    /// The eight stations in order; the first is where the cycle closes.
    #[must_use]
    pub fn stations(self) -> [&'static str; 8] {
        match self {
            Self::Aplicacio => ["FEN", "ANA", "TEO", "SIN", "NOU", "AMO", "PRA", "EXP"],
            Self::Orientacio => ["PRA", "STM", "SUB", "STT", "TEO", "SGT", "OBJ", "SGE"],
            Self::Coneixement => ["FEN", "ART", "SUB", "MTP", "NOU", "MTF", "OBJ", "CIE"],
        }
    }

    /// What each of the four mediators has to name in its own paragraph.
    #[must_use]
    pub fn mediators(self) -> [(&'static str, &'static str); 4] {
        match self {
            Self::Aplicacio => [
                ("ANA", "FEN"),
                ("SIN", "TEO and one other cardinal"),
                ("AMO", "NOU and PRA"),
                ("EXP", "PRA and FEN"),
            ],
            Self::Orientacio => [
                ("STM", "SUB and PRA"),
                ("STT", "SUB and TEO"),
                ("SGT", "TEO and OBJ"),
                ("SGE", "OBJ and PRA"),
            ],
            Self::Coneixement => [
                ("ART", "FEN and SUB"),
                ("MTP", "SUB and NOU"),
                ("MTF", "NOU and OBJ"),
                ("CIE", "OBJ and FEN"),
            ],
        }
    }

    /// The name that `wisdom-score` reports for this cycle.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Aplicacio => "Aplicació",
            Self::Orientacio => "Orientació",
            Self::Coneixement => "Coneixement",
        }
    }
}

/// Words that speak for a cycle when they stand in a question (English and Catalan).
const APLICACIO: &[&str] = &[
    "how",
    "should",
    "must",
    "approach",
    "solve",
    "address",
    "implement",
    "plan",
    "decide",
    "improve",
    "best",
    "strategy",
    "com",
    "cal",
    "caldria",
    "hauríem",
    "hauria",
    "resoldre",
    "aplicar",
    "millorar",
    "estratègia",
    "decidir",
    "fer",
];
const ORIENTACIO: &[&str] = &[
    "feel",
    "want",
    "aspire",
    "meaningful",
    "direction",
    "commit",
    "hope",
    "desire",
    "live",
    "calling",
    "vocation",
    "sento",
    "sentir",
    "vull",
    "volem",
    "aspiro",
    "viure",
    "compromís",
    "desig",
    "vocació",
    "direcció",
    "esperança",
];
const CONEIXEMENT: &[&str] = &[
    "what",
    "who",
    "know",
    "nature",
    "define",
    "definition",
    "meaning",
    "understand",
    "being",
    "essence",
    "explain",
    "què",
    "qui",
    "sé",
    "saber",
    "naturalesa",
    "definició",
    "significa",
    "entendre",
    "ésser",
    "essència",
    "explica",
];
/// First persons: an orientation is somebody's.
const FIRST_PERSON: &[&str] = &[
    "i",
    "my",
    "me",
    "we",
    "our",
    "us",
    "jo",
    "em",
    "meu",
    "meva",
    "nosaltres",
];

/// The one or two cycles that a question calls for, the stronger one first.
///
/// Counts the words that speak for each; a first person doubles what speaks for Orientació. Ties
/// go in the order Aplicació, Orientació, Coneixement; a question that speaks for none gets
/// Coneixement, which claims least. Linear in the length of the question.
#[must_use]
pub fn classify(question: &str) -> Vec<Cycle> {
    let mut scores = [
        (Cycle::Aplicacio, 0u32),
        (Cycle::Orientacio, 0),
        (Cycle::Coneixement, 0),
    ];
    let mut first_person = false;
    for word in words(question) {
        let word = word.folded();
        for ((_, score), list) in scores.iter_mut().zip([APLICACIO, ORIENTACIO, CONEIXEMENT]) {
            *score += u32::from(list.contains(&word.as_ref()));
        }
        first_person |= FIRST_PERSON.contains(&word.as_ref());
    }
    if first_person {
        scores[1].1 *= 2;
    }
    scores.sort_by_key(|&(_, score)| std::cmp::Reverse(score));
    match scores {
        [(_, 0), ..] => vec![Cycle::Coneixement],
        [(a, n), (b, m), _] if m > 0 && 2 * m >= n => vec![a, b],
        [(a, _), ..] => vec![a],
    }
}

/// The part of the system prompt that asks for a dialectical answer along the given cycles.
#[must_use]
pub fn instructions(cycles: &[Cycle], escope: Escope) -> String {
    let mut out = String::from(
        "Argue; do not enumerate. Walk the cycle below so that each station changes what the one \
         before it left behind.\n",
    );
    for cycle in cycles {
        out.push_str(&format!(
            "Cycle {}: {}.\n",
            cycle.name(),
            cycle.stations().join(" → ")
        ));
        for (mediator, needs) in cycle.mediators() {
            out.push_str(&format!(
                "- the paragraph that uses {mediator} names {needs}\n"
            ));
        }
    }
    if cycles.len() > 1 {
        out.push_str("Let the two cycles inform each other; do not write one after the other.\n");
    }
    out.push_str(
        "Constraints:\n\
         1. Open by naming the axis on which the question turns (OBJ–SUB, TEO–PRA, NOU–FEN or PLA–MON).\n\
         2. On at least two axes, let each pole state its objection to the other before you join them.\n\
         3. Frames act on each other: say what one absorbs, reframes or answers in the other.\n\
         4. Put the other side in its strongest form before any synthesis.\n\
         5. A code stands only where the thing it names is happening; if the sentence survives \
         without it, leave it out.\n\
         6. Close the cycle: say what is different at the end from the beginning. No recap.\n\
         7. Be concrete: named cases, figures, institutions, and only those that the evidence holds. \
         Rather vague than invented.\n",
    );
    out.push_str(match escope {
        Escope::General => {
            "Keep the codes out of sight where plain words do; one or two are enough.\n"
        }
        Escope::Balanced => "Show the codes where they carry the argument.\n",
        Escope::Focal => "Show the whole scaffold: every station by its code, in order.\n",
    });
    out.push_str(
        "Before you answer, read your draft once as its opponent: which objection is missing, which \
         code is decoration, which claim has no evidence? Repair it, then give only the repaired answer.\n",
    );
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_question_gets_its_cycle() {
        for (question, first) in [
            ("How should we address misinformation?", Cycle::Aplicacio),
            ("Com hauríem de resoldre el trànsit?", Cycle::Aplicacio),
            ("What do I want and what do I aspire to?", Cycle::Orientacio),
            ("Què vull i què sento jo?", Cycle::Orientacio),
            ("What is the nature of consciousness?", Cycle::Coneixement),
            ("Què significa la consciència?", Cycle::Coneixement),
            ("", Cycle::Coneixement),
        ] {
            assert_eq!(classify(question).first(), Some(&first), "{question}");
        }
    }

    #[test]
    fn a_question_of_two_kinds_gets_both() {
        let cycles = classify("What does a meaningful life mean and how should I live it?");
        assert_eq!(cycles.len(), 2);
    }

    #[test]
    fn instructions_name_what_each_mediator_needs() {
        let text = instructions(&[Cycle::Orientacio], Escope::Balanced);
        assert!(text.contains("STT names SUB and TEO"));
        assert!(text.contains("naming the axis"));
    }
}
