//! The extractive agent on any text.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use futures::executor::block_on;
use language_agents::{
    Agent, AnswerMode, Extractive, Prompt, extract, lexical_similarity, shared_stems,
};
use proptest::prelude::*;

fn one_space(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

proptest! {
    /// Never a panic; every claim is a sentence of the passage that it cites; the same twice.
    #[test]
    fn claims_are_verbatim(question in ".{0,120}", texts in prop::collection::vec("[A-Za-z ,.!?\\n#\\[\\]0-9·àé’'\"-]{0,300}", 0..5)) {
        let pointers: Vec<String> = (1..=texts.len()).map(|i| format!("E{i}")).collect();
        let passages: Vec<(&str, &str)> = pointers.iter().map(String::as_str).zip(texts.iter().map(String::as_str)).collect();
        let found = extract(&question, &passages, 3);
        prop_assert!(found.len() <= 3);
        for extract in &found {
            let place = pointers.iter().position(|p| *p == extract.pointer).unwrap();
            prop_assert!(one_space(&texts[place]).contains(&extract.sentence), "{extract:?}");
            prop_assert!(extract.covers > 0.0 && extract.covers <= 1.0 + 1e-9);
        }
        prop_assert_eq!(extract(&question, &passages, 3), found);
    }

    #[test]
    fn every_mode_answers_any_text(question in any::<String>(), text in any::<String>()) {
        for mode in [AnswerMode::Pointer, AnswerMode::Json, AnswerMode::Quote, AnswerMode::Conclusion] {
            let prompt = Prompt::new(question.clone()).with_mode(mode).with_evidence("E1", "T", text.clone());
            let done = block_on(Extractive::new().complete(prompt)).unwrap();
            prop_assert!(!done.text.is_empty());
            if matches!(mode, AnswerMode::Json | AnswerMode::Conclusion) {
                prop_assert!(serde_json::from_str::<serde_json::Value>(&done.text).is_ok());
            }
        }
    }

    #[test]
    fn similarity_is_symmetric_and_in_range(a in ".{0,80}", b in ".{0,80}") {
        let s = lexical_similarity(&a, &b);
        prop_assert!((0.0..=1.0).contains(&s));
        prop_assert!((s - lexical_similarity(&b, &a)).abs() < 1e-12);
        prop_assert_eq!(shared_stems(&a, [b.as_str()]), shared_stems(&b, [a.as_str()]));
    }
}
