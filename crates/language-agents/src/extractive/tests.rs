//! What the extractive agent says, by mode and language.

use futures::executor::block_on;

use super::*;

const HARBOUR: &str = "# The harbour\n\nThe old harbour was dug in 1872 by hand.\nIt is deep. \
The harbour walls were rebuilt in stone after the flood of 1903.\n\n- Ferries leave the harbour \
every hour in summer.\n\nOpening hours\n\nWho dug the harbour?";

fn ask(question: &str, mode: AnswerMode, evidence: &[(&str, &str)]) -> String {
    let prompt = evidence
        .iter()
        .fold(Prompt::new(question).with_mode(mode), |p, (id, text)| {
            p.with_evidence(*id, "T", *text)
        });
    block_on(Extractive::new().complete(prompt)).unwrap().text
}

#[test]
fn the_best_sentence_is_cited_verbatim() {
    assert_eq!(
        ask(
            "When were the harbour walls rebuilt?",
            AnswerMode::Pointer,
            &[("E1", HARBOUR)]
        ),
        "The harbour walls were rebuilt in stone after the flood of 1903. [E1]"
    );
    assert_eq!(
        ask(
            "When was the harbour dug?",
            AnswerMode::Pointer,
            &[("E7", HARBOUR)]
        ),
        "The old harbour was dug in 1872 by hand. [E7]"
    );
}

#[test]
fn headings_questions_and_fragments_are_never_claims() {
    let all = ask(
        "harbour opening hours ferries summer dug",
        AnswerMode::Pointer,
        &[("E1", HARBOUR)],
    );
    for never in ["# The", "Opening hours", "Who dug", "- Ferries"] {
        assert!(!all.contains(never), "{all}");
    }
    assert!(
        all.contains("Ferries leave the harbour every hour in summer. [E1]"),
        "{all}"
    );
}

#[test]
fn nothing_in_the_evidence_is_an_honest_refusal() {
    assert_eq!(
        ask(
            "What is the boiling point of mercury?",
            AnswerMode::Pointer,
            &[("E1", HARBOUR)]
        ),
        "The sources do not answer this question."
    );
    assert_eq!(
        ask(
            "Quina és la capital de França?",
            AnswerMode::Pointer,
            &[("E1", HARBOUR)]
        ),
        "Les fonts no permeten respondre a aquesta pregunta."
    );
    assert_eq!(ask("anything", AnswerMode::Json, &[]), r#"{"claims":[]}"#);
    assert_eq!(
        ask("", AnswerMode::Pointer, &[("E1", HARBOUR)]),
        "The sources do not answer this question."
    );
}

#[test]
fn catalan_stems_meet() {
    let text = "Els gats dormen dotze hores al dia. Els gossos corren pel parc.";
    assert_eq!(
        ask(
            "Quantes hores dorm un gat?",
            AnswerMode::Pointer,
            &[("E1", text)]
        ),
        "Els gats dormen dotze hores al dia. [E1]"
    );
}

#[test]
fn two_halves_of_a_question_take_two_sentences() {
    let evidence = [
        (
            "E1",
            "Copper conducts electricity very well. Wool keeps warm.",
        ),
        ("E2", "Rubber insulates cables safely."),
    ];
    assert_eq!(
        ask(
            "Does copper conduct and does rubber insulate?",
            AnswerMode::Pointer,
            &evidence
        ),
        "Rubber insulates cables safely. [E2]\nCopper conducts electricity very well. [E1]"
    );
}

#[test]
fn json_and_quotes_by_mode() {
    assert_eq!(
        ask(
            "When was the harbour dug?",
            AnswerMode::Json,
            &[("E1", HARBOUR)]
        ),
        r#"{"claims":[{"evidence_ids":["E1"],"text":"The old harbour was dug in 1872 by hand."}]}"#
    );
    assert_eq!(
        ask(
            "When was the harbour dug?",
            AnswerMode::Quote,
            &[("E1", HARBOUR)]
        ),
        "\"The old harbour was dug in 1872 by hand.\" [E1]"
    );
}

#[test]
fn a_sentence_with_a_marker_of_its_own_is_left_out() {
    assert_eq!(
        ask(
            "When was the mill built?",
            AnswerMode::Pointer,
            &[("E1", "The mill was built in 1640 [3].")]
        ),
        "The sources do not answer this question."
    );
}

#[test]
fn wrapped_lines_read_as_one_sentence() {
    let text = "The bridge carries\n   trams and\nbicycles only. Cars go round.";
    assert_eq!(
        ask(
            "What does the bridge carry?",
            AnswerMode::Pointer,
            &[("E1", text)]
        ),
        "The bridge carries trams and bicycles only. [E1]"
    );
}

#[test]
fn a_sentence_that_leans_gives_way_to_one_that_stands() {
    let text = "It has a red door with a brass lock. The cottage has a red door with an iron lock.";
    let answer = ask(
        "Which lock has the red door?",
        AnswerMode::Pointer,
        &[("E1", text)],
    );
    assert!(answer.starts_with("The cottage has a red door"), "{answer}");
}

#[test]
fn nodes_become_a_conclusion() {
    let prompt = Prompt::new("Does research raise quality?")
        .with_mode(AnswerMode::Conclusion)
        .with_context(ContextItem::Node {
            id: "r".into(),
            content: "Research raises product quality.".into(),
            confidence: 0.5,
            boundary: false,
        });
    let text = block_on(Extractive::new().complete(prompt)).unwrap().text;
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value["conclusion"], "Research raises product quality.");
    assert_eq!(value["confidence"], 0.5);
    assert_eq!(value["sources"], serde_json::json!(["r"]));
}

#[test]
fn one_shared_word_does_not_bear_on_a_question() {
    let text = "The capital of the company rose last year. Its shares fell.";
    assert_eq!(
        ask(
            "What is the capital of France?",
            AnswerMode::Pointer,
            &[("E1", text)]
        ),
        "The sources do not answer this question."
    );
}

#[test]
fn a_conclusion_says_how_little_it_rests_on() {
    let node = |content: &str| ContextItem::Node {
        id: "n".into(),
        content: content.into(),
        confidence: 0.5,
        boundary: false,
    };
    let ask = |content: &str| {
        let prompt = Prompt::new("How does research affect market share?")
            .with_mode(AnswerMode::Conclusion)
            .with_context(node(content));
        let text = block_on(Extractive::new().complete(prompt)).unwrap().text;
        serde_json::from_str::<serde_json::Value>(&text).unwrap()
    };
    let little = ask("Research costs money.");
    assert_eq!(little["conclusion"], "Research costs money.");
    assert_eq!(little["confidence"], 0.13);
    assert_eq!(ask("Cats sleep all day.")["confidence"], 0.0);
}

#[test]
fn a_further_sentence_is_about_the_same_thing() {
    let film = "*Titanic* is a feature film written and directed by James Cameron.";
    let novel = "Orwell wrote most of the book on the Scottish island of Jura.";
    let asked = "Who wrote and directed the film Titanic?";
    assert_eq!(
        ask(asked, AnswerMode::Pointer, &[("E1", film), ("E2", novel)]),
        format!("{film} [E1]")
    );
    // Two halves of one question may come from two passages that both speak of the thing.
    let opened = "The harbour of Corvane was opened in 1872.";
    let rebuilt = "The harbour of Corvane was rebuilt in 1903 after a flood.";
    let both = ask(
        "When was the harbour of Corvane opened and when was it rebuilt?",
        AnswerMode::Pointer,
        &[("E1", opened), ("E2", rebuilt)],
    );
    assert_eq!(both, format!("{opened} [E1]\n{rebuilt} [E2]"));
}
