//! Properties of the parser and of the verifier.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use claim_lattice::{
    AnswerMode, Claim, EvidenceMap, ParseOptions, Passage, Pointer, Policy, RecordedVerdict,
    Verdict, json_schema, parse, render, unverified_spans, verify, write_claims,
};
use proptest::prelude::*;

const MODES: [AnswerMode; 3] = [AnswerMode::Pointer, AnswerMode::Json, AnswerMode::Quote];

fn sentence() -> impl Strategy<Value = String> {
    proptest::collection::vec(
        prop_oneof![
            "[a-z]{3,8}",
            Just("harbour".to_owned()),
            Just("Lisbon".to_owned()),
            Just("not".to_owned()),
            Just("1912".to_owned()),
            Just("all".to_owned()),
            Just("may".to_owned()),
        ],
        2..9,
    )
    .prop_map(|words| format!("The {}.", words.join(" ")))
}

fn map(texts: &[String]) -> EvidenceMap {
    let mut builder = EvidenceMap::builder(usize::MAX);
    for (i, text) in texts.iter().enumerate() {
        builder
            .push(Passage::whole(&format!("s{i}"), "", text))
            .unwrap();
    }
    builder.build()
}

fn check(texts: &[String], answer: &str) -> Verdict {
    verify(
        "",
        &map(texts),
        answer,
        AnswerMode::Pointer,
        &Policy::strict(),
    )
}

fn hostile() -> impl Strategy<Value = String> {
    proptest::collection::vec(
        prop_oneof![
            Just("[".to_owned()),
            Just("]".to_owned()),
            Just("[E1]".to_owned()),
            Just("[E1-".to_owned()),
            Just("E2".to_owned()),
            Just("(E3)".to_owned()),
            Just("{\"claims\":[".to_owned()),
            Just("{\"text\":\"".to_owned()),
            Just("\"".to_owned()),
            Just("}".to_owned()),
            Just("\\u".to_owned()),
            Just("|".to_owned()),
            Just("```".to_owned()),
            Just("\n".to_owned()),
            Just("- ".to_owned()),
            Just("“".to_owned()),
            Just("１".to_owned()),
            Just("−3.400 million".to_owned()),
            any::<String>(),
        ],
        0..24,
    )
    .prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_parser_is_total_and_its_spans_slice(text in hostile(), marker in prop_oneof![Just("E"), Just("")]) {
        let options = ParseOptions { marker: marker.to_owned(), ..ParseOptions::default() };
        for mode in MODES {
            let read = parse(&text, mode, &options);
            for claim in &read.claims {
                prop_assert!(text.get(claim.span.clone()).is_some());
                for pointer in &claim.pointers {
                    prop_assert!(text.get(pointer.span.clone()).is_some());
                }
            }
            for note in &read.notes {
                prop_assert!(text.get(note.span.clone()).is_some(), "{note:?}");
            }
        }
    }

    #[test]
    fn the_verifier_is_total(answer in hostile(), passage in hostile(), question in any::<String>()) {
        for mode in MODES {
            let evidence = map(std::slice::from_ref(&passage));
            let verdict = verify(&question, &evidence, &answer, mode, &Policy::strict());
            let rendered = render(&verdict, &evidence, &Policy::strict());
            prop_assert_eq!(rendered.claims.len(), verdict.claims().len());
            let wire = serde_json::to_string(&verdict).unwrap();
            let recorded: RecordedVerdict = serde_json::from_str(&wire).unwrap();
            prop_assert!(recorded.matches(&verdict));
        }
    }

    #[test]
    fn reading_what_was_written_gives_the_claims_back(
        texts in proptest::collection::vec(sentence(), 1..6),
        ids in proptest::collection::vec(proptest::collection::btree_set(1_u32..40, 0..4), 6),
    ) {
        let claims: Vec<Claim> = texts.iter().zip(&ids).map(|(text, ids)| Claim {
            text: text.clone(),
            span: 0..0,
            pointers: ids.iter().map(|n| Pointer { id: format!("E{n}"), span: 0..0 }).collect(),
            malformed_pointer: false,
        }).collect();
        let read = parse(&write_claims(&claims), AnswerMode::Pointer, &ParseOptions::default());
        let strip = |claims: &[Claim]| claims.iter().map(|c| (c.text.clone(), c.pointers.iter().map(|p| p.id.clone()).collect::<Vec<_>>())).collect::<Vec<_>>();
        prop_assert_eq!(strip(&read.claims), strip(&claims));
    }

    #[test]
    fn a_claim_does_not_outlive_its_passage(passage in sentence(), other in sentence()) {
        let answer = format!("{} [E1]", passage.trim_end_matches('.'));
        let with = check(&[passage, other], &answer);
        let without = check(&[], &answer);
        prop_assert!(!without.claims()[0].supported());
        prop_assert!(with.claims()[0].supported() || !with.claims()[0].violations().is_empty());
    }

    #[test]
    fn an_uncited_passage_changes_no_claim(passage in sentence(), claim in sentence(), other in sentence()) {
        let answer = format!("{claim} [E1]");
        let alone = check(std::slice::from_ref(&passage), &answer);
        let beside = check(&[passage, other], &answer);
        prop_assert_eq!(alone.claims()[0].supported(), beside.claims()[0].supported());
        prop_assert_eq!(alone.claims()[0].pointer_linked(), beside.claims()[0].pointer_linked());
        prop_assert_eq!(alone.audit_mode(), beside.audit_mode());
    }

    #[test]
    fn the_order_of_evidence_only_renames(a in sentence(), b in sentence(), c in sentence(), claim in sentence()) {
        let one = check(&[a.clone(), b.clone(), c.clone()], &format!("{claim} [E1]"));
        let two = check(&[c, b, a], &format!("{claim} [E3]"));
        prop_assert_eq!(one.label(), two.label());
        prop_assert_eq!(one.claims()[0].supported(), two.claims()[0].supported());
        let codes = |v: &Verdict| v.claims()[0].violations().iter().map(|v| (v.code, v.class, v.tokens.clone())).collect::<Vec<_>>();
        prop_assert_eq!(codes(&one), codes(&two));
    }

    #[test]
    fn the_same_bytes_give_the_same_verdict(passage in sentence(), answer in hostile()) {
        let once = check(std::slice::from_ref(&passage), &answer);
        let again = check(std::slice::from_ref(&passage), &answer);
        prop_assert_eq!(serde_json::to_string(&once).unwrap(), serde_json::to_string(&again).unwrap());
    }
}

#[test]
fn ids_of_the_schema_are_those_of_the_map() {
    let evidence = map(&["a".to_owned(), "b".to_owned()]);
    let ids: Vec<&str> = evidence
        .entries()
        .iter()
        .map(|e| e.pointer_id.as_str())
        .collect();
    assert!(json_schema(&ids).contains(r#""enum":["E1","E2"]"#));
}

#[test]
fn unverified_spans_rank_by_runs() {
    let texts = ["The car is red.".to_owned()];
    let runs = [
        check(
            &texts,
            "The boat sank twice. [E1]\nThe mill burned down. [E1]",
        ),
        check(&texts, "The boat sank twice! [E1]"),
    ];
    let spans = unverified_spans(&runs);
    assert_eq!(spans[0].text, "The boat sank twice.");
    assert_eq!((spans[0].runs, spans[1].runs), (2, 1));
}

#[test]
#[cfg_attr(
    debug_assertions,
    ignore = "release only: ten megabytes are slow to read unoptimized"
)]
fn ten_megabytes_of_hostile_input_are_read() {
    let policy = Policy::strict();
    let evidence = map(&["The car is red.".to_owned()]);
    for unit in [
        "[",
        "[E1]",
        "[E1-E64]",
        "a ",
        "{\"a\":[",
        "\"a",
        "| a [E1] ",
        "(E1 ",
        "```\n",
        "**",
        "E1. ",
        "１",
    ] {
        let text = unit.repeat(10_000_000 / unit.len());
        for mode in MODES {
            let verdict = verify("", &evidence, &text, mode, &policy);
            assert!(verdict.claims().len() <= text.len());
        }
    }
}
