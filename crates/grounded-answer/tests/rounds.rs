//! Asking again and the second pass.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::sync::atomic::Ordering;

use claim_lattice::Directive;
use common::{BREAD, LIGHTHOUSE, Library, memory, says, with};
use futures::executor::block_on;
use grounded_answer::prompt::Escope;
use grounded_answer::{Reprompt, Rounds, SealedAnswer, Settings};
use run_dag::ledger::Ledger;
use run_dag::{RunRoot, StageKind, StagePayload};

const QUESTION: &str = "How tall is the lighthouse of Farrow Point?";
/// Codes in a row argue nothing.
const LIST: &str = "FEN, SUB, OBJ, NOU, TEO, PRA, MON, PLA. [E1]";
/// An argued text, 𝓦 at least 0.65.
const ARGUED: &str = include_str!("../../../fixtures/wisdom-texts/t2-en.txt");
const BARE: &str = "The lighthouse of Farrow Point is 41 metres tall. [E1]\n\
                    The lighthouse of Farrow Point was built in 1874. [E1]";

fn settings(reprompt: Option<Reprompt>, two_pass: bool) -> Settings {
    Settings {
        dialectical: Some(Escope::Balanced),
        reprompt,
        two_pass,
        ..Settings::default()
    }
}

fn patient() -> Reprompt {
    Reprompt {
        whole_mereology: false,
        ..Reprompt::default()
    }
}

fn ask(settings: Settings, texts: &[&str]) -> (Rounds, usize) {
    let library = Library::of(&[LIGHTHOUSE, BREAD]);
    let (agent, calls) = says(texts);
    let answerer = with(library.builder(), agent).settings(settings);
    let rounds = block_on(answerer.build().unwrap().ask_rounds(QUESTION)).unwrap();
    for run in &rounds.runs {
        let checked = library.check(run);
        assert!(checked.matches(), "{:?}", checked.discrepancies);
        // Whatever a model writes without a pointer breaks the second directive, and no other.
        let pointed = run.raw_answer.as_ref().unwrap().contains("[E");
        let broken = if pointed { vec![] } else { vec![Directive::D2] };
        assert_eq!(run.directives().unwrap().broken(), broken);
    }
    (rounds, calls.load(Ordering::SeqCst))
}

fn predecessor(run: &SealedAnswer) -> Option<RunRoot> {
    match run.run.stage(&StageKind::Question)?.payload() {
        StagePayload::Question(question) => question.predecessor,
        _ => None,
    }
}

#[test]
fn an_argued_answer_goes_back_at_most_twice() {
    let (rounds, calls) = ask(settings(Some(patient()), false), &[LIST]);
    assert_eq!((calls, rounds.runs.len()), (3, 3));
    let more = Reprompt {
        rounds: 200,
        ..patient()
    };
    assert_eq!(ask(settings(Some(more), false), &[LIST]).1, 3);
}

#[test]
fn each_round_names_the_one_before_and_what_was_wrong_with_it() {
    let (rounds, _) = ask(settings(Some(patient()), false), &[LIST, LIST, ARGUED]);
    let [first, second, third] = rounds.runs.as_slice() else {
        panic!("{} runs", rounds.runs.len());
    };
    assert_eq!(predecessor(first), None);
    assert_eq!(predecessor(second), Some(first.run_dag_root));
    assert_eq!(predecessor(third), Some(second.run_dag_root));
    assert!(first.feedback.is_empty());
    let told = second.feedback.join("\n");
    assert!(told.contains("at least 0.60 is asked for"), "{told}");
    assert!(told.contains("put in tension"), "{told}");
    assert_eq!(rounds.accepted, 2);
}

#[test]
fn an_answer_that_argues_stands_at_once() {
    let (rounds, calls) = ask(settings(Some(patient()), false), &[ARGUED]);
    assert_eq!((calls, rounds.accepted), (1, 0));
}

#[test]
fn of_answers_that_all_fall_short_the_wisest_stands() {
    let strictest = Reprompt {
        wisdom_floor: Some(1_000_000),
        ..patient()
    };
    let (rounds, calls) = ask(settings(Some(strictest), false), &[LIST, ARGUED, LIST]);
    assert_eq!((calls, rounds.accepted), (3, 1));
}

#[test]
fn without_the_policy_and_without_an_argument_there_is_one_shot() {
    assert_eq!(ask(settings(None, false), &[LIST]).1, 1);
    let plain = Settings {
        dialectical: None,
        reprompt: Some(Reprompt::default()),
        two_pass: true,
        ..Settings::default()
    };
    assert_eq!(ask(plain, &[LIST]).1, 1);
}

#[test]
fn the_floors_are_the_escopes_and_each_condition_counts() {
    let reasons = |policy: Reprompt, escope, text: &str| {
        let settings = Settings {
            dialectical: Some(escope),
            ..Settings::default()
        };
        let (rounds, _) = ask(settings, &[text]);
        policy.feedback(&rounds.runs[0]).unwrap().join("\n")
    };
    let off = Reprompt {
        rounds: 2,
        wisdom_floor: Some(0),
        harmonic_floor: 0,
        whole_mereology: false,
        factual_floor: false,
    };
    assert_eq!(reasons(off, Escope::Focal, LIST), "");
    let wisdom = Reprompt {
        wisdom_floor: None,
        ..off
    };
    for (escope, floor) in [
        (Escope::General, "0.50"),
        (Escope::Balanced, "0.60"),
        (Escope::Focal, "0.65"),
    ] {
        let told = reasons(wisdom, escope, LIST);
        assert!(told.contains(&format!("at least {floor} is")), "{told}");
    }
    let harmonic = Reprompt {
        harmonic_floor: 1_000_000,
        ..off
    };
    assert!(reasons(harmonic, Escope::General, "SUB alone. [E1]").starts_with("𝓗 is"));
    let whole = Reprompt {
        whole_mereology: true,
        ..off
    };
    assert!(reasons(whole, Escope::General, "SUB alone. [E1]").starts_with("𝓜 is"));
    let factual = Reprompt {
        factual_floor: true,
        ..off
    };
    assert!(reasons(factual, Escope::Focal, LIST).starts_with("𝓕 is 0.00; at least 0.40"));
}

#[test]
fn the_policy_is_bound_into_the_governance_hash() {
    let hash = |settings: Settings| settings.governance().unwrap().hash().unwrap();
    let all = [
        hash(settings(None, false)),
        hash(settings(Some(Reprompt::default()), false)),
        hash(settings(Some(patient()), false)),
        hash(settings(None, true)),
    ];
    for (i, a) in all.iter().enumerate() {
        assert!(all[..i].iter().all(|b| a != b), "{i}");
    }
    // One shot hashes as it did before there were rounds.
    let plain = serde_json::to_value(Settings::default()).unwrap();
    assert!(plain.get("reprompt").is_none() && plain.get("two_pass").is_none());
}

#[test]
fn a_second_pass_stands_only_if_every_claim_came_through() {
    let polished = "At Farrow Point the lighthouse is 41 metres tall. [E1]\n\
                    The lighthouse of Farrow Point was built back in 1874. [E1]";
    let (rounds, calls) = ask(settings(None, true), &[BARE, polished]);
    assert_eq!(
        (calls, rounds.accepted),
        (2, 1),
        "{:?}",
        rounds.lost_in_polish
    );
    assert_eq!(
        predecessor(&rounds.runs[1]),
        Some(rounds.runs[0].run_dag_root)
    );
    assert_eq!(rounds.runs[1].draft.as_deref(), Some(BARE));

    for (polished, lost) in [
        (
            "The lighthouse of Farrow Point is 41 metres tall. [E1]",
            "1874",
        ),
        (
            "The lighthouse of Farrow Point is 14 metres tall. [E1]\n\
             The lighthouse of Farrow Point was built in 1874. [E1]",
            "41 metres",
        ),
        (
            "The lighthouse of Farrow Point is 41 metres tall. [E1]\n\
             The lighthouse of Farrow Point was built in 1874. [E1]\n\
             Its keeper baked bread. [E7]",
            "E7 was not cited",
        ),
        ("A tower by the sea.", "not said any more"),
    ] {
        let (rounds, _) = ask(settings(None, true), &[BARE, polished]);
        assert_eq!(rounds.accepted, 0, "{polished}");
        let told = rounds.lost_in_polish.join("\n");
        assert!(told.contains(lost), "{told}");
    }
}

#[test]
fn the_accepted_run_is_the_one_that_is_found_again() {
    let library = Library::of(&[LIGHTHOUSE, BREAD]);
    let (memory, ledger, _) = memory();
    let strictest = Reprompt {
        wisdom_floor: Some(1_000_000),
        ..patient()
    };
    let (agent, calls) = says(&[LIST, ARGUED, LIST]);
    let answerer = with(library.builder(), agent)
        .settings(settings(Some(strictest), false))
        .memory(memory)
        .build()
        .unwrap();
    let first = answerer.ask_blocking(QUESTION).unwrap();
    assert_eq!(first.raw_answer.as_deref(), Some(ARGUED));
    assert_eq!(ledger.rows(None, None, usize::MAX).unwrap().len(), 3);
    let again = answerer.ask_blocking(QUESTION).unwrap();
    assert_eq!(again, first);
    assert_eq!(calls.load(Ordering::SeqCst), 3);
}
