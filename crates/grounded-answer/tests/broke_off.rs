//! A model that is cut off: its last, unfinished sentence is no claim.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::sync::Arc;

use claim_lattice::{AnswerMode, NoteKind};
use common::{BREAD, LIGHTHOUSE, Library, with};
use grounded_answer::{RecordedAnswer, SealedAnswer};
use language_agents::{Completion, FinishReason, agent_fn};

const QUESTION: &str = "How tall is the lighthouse of Farrow Point?";

fn ask(library: &Library, mode: AnswerMode, text: &'static str, end: FinishReason) -> SealedAnswer {
    let agent = agent_fn(move |_| Ok(Completion::new(text).with_finish(end)));
    let answerer = with(library.builder(), Arc::new(agent)).mode(mode);
    answerer.build().unwrap().ask_blocking(QUESTION).unwrap()
}

fn claims(answer: &SealedAnswer) -> Vec<&str> {
    answer.claims.iter().map(|c| c.text.as_str()).collect()
}

#[test]
fn what_was_not_finished_is_not_read_and_the_run_says_so() {
    let library = Library::of(&[LIGHTHOUSE, BREAD]);
    let whole = "The lighthouse of Farrow Point is 41 metres tall. [E1]\nIts lamp can be seen";
    for end in [FinishReason::Length, FinishReason::ContentFilter] {
        let answer = ask(&library, AnswerMode::Pointer, whole, end);
        assert!(answer.broke_off);
        assert_eq!(answer.raw_answer.as_deref(), Some(whole), "as it came");
        assert_eq!(
            claims(&answer),
            ["The lighthouse of Farrow Point is 41 metres tall."]
        );
        assert_eq!(answer.label, "EVIDENCE-WARRANTED");
        let note = answer.notes.iter().find(|n| n.kind == NoteKind::BrokeOff);
        let dropped = &whole[note.unwrap().span.clone()];
        assert_eq!(dropped.trim(), "Its lamp can be seen");
        let checked = library.check(&answer);
        assert!(checked.matches(), "{:?}", checked.discrepancies);
    }
    let answer = ask(&library, AnswerMode::Pointer, whole, FinishReason::Stop);
    assert!(!answer.broke_off && answer.claims.len() == 2);
}

#[test]
fn a_fragment_that_stands_in_a_passage_is_no_answer() {
    let library = Library::of(&[LIGHTHOUSE, BREAD]);
    let answer = ask(
        &library,
        AnswerMode::Quote,
        "The lighthouse of Farrow Point",
        FinishReason::Length,
    );
    assert_eq!(answer.label, "UNGROUNDED");
    assert_eq!(answer.answer, "");
}

#[test]
fn whether_it_broke_off_is_bound_by_the_seal() {
    let library = Library::of(&[LIGHTHOUSE, BREAD]);
    let text = "The lighthouse of Farrow Point is 41 metres tall. [E1]";
    let cut = ask(&library, AnswerMode::Pointer, text, FinishReason::Length);
    let json = cut.to_canonical_json().unwrap();
    let forged = json.replace("\"broke_off\":true,", "");
    assert_ne!(forged, json);
    let saved = RecordedAnswer::from_json(&forged).unwrap();
    let checked = library.check_saved(&saved);
    assert!(!checked.matches(), "nothing was cut, and yet it is noted");
}
