//! Words that the evidence writes otherwise: found where they are the same, and only there.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use claim_lattice::{AnswerMode, EvidenceMap, Passage, Policy, verify};

fn supported(claim: &str, evidence: &str) -> bool {
    let mut map = EvidenceMap::builder(10_000);
    map.push(Passage::whole("s", "", evidence)).unwrap();
    let answer = format!("{claim} [E1]");
    let verdict = verify(
        "",
        &map.build(),
        &answer,
        AnswerMode::Pointer,
        &Policy::strict(),
    );
    verdict.claims().len() == 1 && verdict.passes()
}

#[test]
fn initials_stand_for_what_they_are_the_initials_of() {
    let long = "The clinic uses magnetic resonance imaging of the knee before surgery.";
    assert!(supported(
        "The clinic uses MRI of the knee before surgery.",
        long
    ));
    assert!(!supported(
        "The clinic uses EEG of the knee before surgery.",
        long
    ));
    let short = "The clinic uses MRI of the knee before surgery.";
    assert!(supported(
        "The clinic uses magnetic resonance imaging of the knee before surgery.",
        short
    ));
    assert!(!supported(
        "The clinic uses ultrasound echo imaging of the knee before surgery.",
        short
    ));
}

#[test]
fn plural_initials_are_the_initials() {
    let evidence = "In the gene, a single SNP was linked to the colour of the petals.";
    let claim = "In the gene, SNPs were linked to the colour of the petals.";
    assert!(supported(claim, evidence));
    let other = "In the gene, RNAs were linked to the colour of the petals.";
    assert!(!supported(other, evidence));
}

#[test]
fn one_word_or_two() {
    let evidence = "The dataset was sent to the museum by e-mail in the evening.";
    assert!(supported(
        "The data set was sent to the museum by email in the evening.",
        evidence
    ));
    assert!(!supported(
        "The data disk was sent to the harbour by courier at noon.",
        evidence
    ));
}

#[test]
fn accents_do_not_make_another_name() {
    let evidence = "The ferry from Malmö reaches the harbour of Ystad at noon.";
    assert!(supported(
        "The ferry from Malmo reaches the harbour of Ystad at noon.",
        evidence
    ));
    assert!(!supported(
        "The ferry from Madrid reaches the harbour of Ystad at noon.",
        evidence
    ));
}
