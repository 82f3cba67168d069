//! What users of comparable systems ran into: the cases C1 to C16, each kind with inputs of its
//! own.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use claim_lattice::{
    AnswerMode, AuditMode, Code, EvidenceMap, Label, NoteKind, ParseOptions, ParsePolicy, Passage,
    Policy, Verdict, VerifierMethod, parse, verify,
};

fn map(texts: &[&str]) -> EvidenceMap {
    let mut builder = EvidenceMap::builder(usize::MAX);
    for (i, text) in texts.iter().enumerate() {
        builder
            .push(Passage::whole(&format!("s{i}"), "", text))
            .unwrap();
    }
    builder.build()
}

fn pointer(texts: &[&str], answer: &str) -> Verdict {
    verify(
        "",
        &map(texts),
        answer,
        AnswerMode::Pointer,
        &Policy::strict(),
    )
}

fn ids(answer: &str) -> Vec<(String, Vec<String>)> {
    parse(answer, AnswerMode::Pointer, &ParseOptions::default())
        .claims
        .into_iter()
        .map(|c| (c.text, c.pointers.into_iter().map(|p| p.id).collect()))
        .collect()
}

fn only_ids(answer: &str) -> Vec<String> {
    ids(answer).remove(0).1
}

#[test]
fn c1_lists_and_ranges_lose_no_id() {
    for answer in [
        "A b. [E1][E2]",
        "A b. [E1, E2]",
        "A b. [E1; E2]",
        "A b. [E1 and E2]",
        "A b. (E1, E2)",
        "A b. 【E1】【E2】",
        "A b. [e1] [e2]",
        "A b [E1,\u{A0}E2].",
        "A b. [Ｅ１，Ｅ２]",
    ] {
        assert_eq!(only_ids(answer), ["E1", "E2"], "{answer}");
    }
    for answer in [
        "A b. [E1-E3]",
        "A b. [E1–E3]",
        "A b. [E1, E2 and E3]",
        "A b. [E1 to E3]",
    ] {
        assert_eq!(only_ids(answer), ["E1", "E2", "E3"], "{answer}");
    }
    assert_eq!(only_ids("A b. [E12-4]"), ["E12", "E13", "E14"]);
    assert_eq!(only_ids("A b. [E1, E1]"), ["E1"]);
    let reversed = parse(
        "A b. [E9-E3]",
        AnswerMode::Pointer,
        &ParseOptions::default(),
    );
    assert!(reversed.claims[0].pointers.is_empty() && reversed.claims[0].malformed_pointer);
    assert!(
        reversed
            .notes
            .iter()
            .any(|n| n.kind == NoteKind::MalformedRange)
    );
}

#[test]
fn c1_strict_takes_the_documented_forms_alone() {
    let strict = ParseOptions {
        policy: ParsePolicy::Strict,
        ..ParseOptions::default()
    };
    for (answer, count) in [
        ("A b. [E1,E2]", 2),
        ("A b. [E1][E2]", 2),
        ("A b. [E1, E2]", 2),
        ("A b. [E1-E3]", 0),
        ("A b. (E1)", 0),
        ("A b. [e1]", 0),
    ] {
        let read = parse(answer, AnswerMode::Pointer, &strict);
        assert_eq!(read.claims[0].pointers.len(), count, "{answer}");
        assert_eq!(read.claims[0].malformed_pointer, count == 0, "{answer}");
    }
}

#[test]
fn c2_markers_on_the_other_side_of_the_full_stop() {
    let read = ids("One [E1]. Two. [E2] Three.[E3] Four.\n[E4]\n[E5] Five. Six [E6] goes on here.");
    let wanted = [
        ("One.", "E1"),
        ("Two.", "E2"),
        ("Three.", "E3"),
        ("Four.", "E4"),
        ("Five.", "E5"),
        ("Six goes on here.", "E6"),
    ];
    assert_eq!(read.len(), wanted.len());
    for ((text, ids), (claim, id)) in read.iter().zip(wanted) {
        assert_eq!(
            (text.as_str(), ids.as_slice()),
            (claim, &[id.to_owned()][..])
        );
    }
}

#[test]
fn c2_other_shapes() {
    assert_eq!(
        ids("- Sales fell. [E1]\n2) Costs rose. [E2]"),
        [
            ("Sales fell.".to_owned(), vec!["E1".to_owned()]),
            ("Costs rose.".to_owned(), vec!["E2".to_owned()])
        ]
    );
    assert_eq!(
        ids("E1. Sales fell."),
        [("Sales fell.".to_owned(), vec!["E1".to_owned()])]
    );
    assert_eq!(
        ids("| a | b |\n|---|---|\n| Sales | fell [E1] |"),
        [("Sales fell".to_owned(), vec!["E1".to_owned()])]
    );
    assert_eq!(
        ids("```\nSales fell. [E1]\n```"),
        [("Sales fell.".to_owned(), vec!["E1".to_owned()])]
    );
    assert_eq!(
        ids("[E1] Sales fell. [E2] Costs rose."),
        [
            ("Sales fell.".to_owned(), vec!["E1".to_owned()]),
            ("Costs rose.".to_owned(), vec!["E2".to_owned()])
        ]
    );
    assert!(ids("# Sales\n\n**Costs**\n").is_empty());
}

#[test]
fn c5_an_id_that_does_not_exist_fails_the_claim() {
    let texts = ["Sales rose.", "Sales fell.", "Costs rose."];
    let verdict = pointer(&texts, "Sales fell. [E2, E9]");
    let claim = &verdict.claims()[0];
    assert!(!claim.supported());
    let unknown = claim
        .violations()
        .iter()
        .find(|v| v.code == Code::UnknownEvidence)
        .unwrap();
    assert_eq!(unknown.pointers, ["E9"]);
    let tolerant = Policy {
        tolerate_unknown_pointers: true,
        ..Policy::strict()
    };
    let chosen = verify(
        "",
        &map(&texts),
        "Sales fell. [E2, E9]",
        AnswerMode::Pointer,
        &tolerant,
    );
    assert!(chosen.claims()[0].supported());
}

#[test]
fn c7_quotes_survive_typography_and_numbers_do_not_change() {
    let text = "The court’s re\u{2011}entry rule covers ≥ 5 cases and\n10⁵ records.";
    let answer = "\"the court's re-entry rule\", \"5 cases and 10⁵ records\", \"105 records\"";
    let verdict = verify(
        "",
        &map(&[text]),
        answer,
        AnswerMode::Quote,
        &Policy::strict(),
    );
    let found: Vec<bool> = verdict
        .claims()
        .iter()
        .map(claim_lattice::ClaimVerdict::supported)
        .collect();
    assert_eq!(found, [true, true, false]);
    assert_eq!(verdict.label(), Label::Prose(AuditMode::Hybrid));
    assert_eq!(verdict.verifier_method(), VerifierMethod::Quote);
}

#[test]
fn c10_numbers_by_value_sign_and_unit() {
    let text = "There were 12.047 users, 2.5 hours, −3 %, 1 000 000 items and $1.2M.";
    let says = |claim: &str| {
        let verdict = pointer(&[text], &format!("{claim} [E1]"));
        let claim = &verdict.claims()[0];
        let unclear = claim
            .violations()
            .iter()
            .any(|v| v.code == Code::NotComparable);
        (claim.supported(), unclear)
    };
    assert_eq!(says("There were 12,047 users."), (true, false));
    assert_eq!(says("There were 1,000,000 items."), (true, false));
    assert_eq!(says("There were $1,200,000."), (true, false));
    assert_eq!(says("There were 25 hours."), (false, false));
    assert_eq!(says("There were 3 % users."), (false, false));
    let verdict = pointer(
        &["It paid 3,400 million euros."],
        "It paid 3.400 million euros. [E1]",
    );
    assert_eq!(
        verdict.claims()[0].violations()[0].code,
        Code::NotComparable
    );
    assert!(!verdict.claims()[0].supported() && verdict.claims()[0].pointer_linked());
}

#[test]
fn c12_short_true_claims_are_supported() {
    let verdict = pointer(
        &["The car is red.", "The capital is Paris."],
        "It is red. [E1]\nParis. [E2]\nIt is it. [E1]",
    );
    let found: Vec<bool> = verdict
        .claims()
        .iter()
        .map(claim_lattice::ClaimVerdict::supported)
        .collect();
    assert_eq!(found, [true, true, false]);
}

#[test]
fn c13_nothing_to_verify_is_its_own_outcome() {
    for answer in ["", "   ", "# Heading\n## Another"] {
        let verdict = pointer(&["The car is red."], answer);
        assert!(verdict.no_claims() && !verdict.passes(), "{answer:?}");
        assert_eq!(verdict.audit_mode(), AuditMode::Ungrounded);
    }
    let refusal = pointer(&["The car is red."], "I cannot answer from the sources.");
    assert_eq!(refusal.label(), Label::HonestRefusal);
    assert_eq!(refusal.verifier_method(), VerifierMethod::None);
    assert!(!refusal.passes());
}

#[test]
fn c13_one_threshold_everywhere() {
    let answer: String = (0..20)
        .map(|i| {
            if i < 17 {
                "The car is red. [E1]\n"
            } else {
                "The boat sank. [E1]\n"
            }
        })
        .collect();
    let verdict = pointer(&["The car is red."], &answer);
    assert_eq!(verdict.verified_claims().count(), 17);
    assert_eq!(verdict.audit_mode(), AuditMode::Hybrid);
    assert!(!verdict.passes());
}

#[test]
fn c16_hedges_and_topics_are_no_support() {
    let text = "A pilot with 12 patients found the drug may reduce pain.";
    let verdict = pointer(
        &[text],
        "The drug reduces pain. [E1]\nPain drugs are widely sold. [E1]\nThe drug may reduce pain. [E1]",
    );
    let found: Vec<bool> = verdict
        .claims()
        .iter()
        .map(claim_lattice::ClaimVerdict::supported)
        .collect();
    assert_eq!(found, [false, false, true]);
}
