//! Each check and demote: passing, failing, and the boundary of its threshold, English and
//! Catalan.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use claim_lattice::{
    AnchorClass, AnswerMode, ClaimVerdict, Code, EvidenceMap, Language, Passage, Policy, Rung,
    SourceRole, Verdict, VerifierMethod, verify,
};

fn map(passages: &[(&str, &str)]) -> EvidenceMap {
    let mut builder = EvidenceMap::builder(usize::MAX);
    for (i, (title, text)) in passages.iter().enumerate() {
        builder
            .push(Passage::whole(&format!("s{i}"), title, text))
            .unwrap();
    }
    builder.build()
}

fn ask(question: &str, passages: &[(&str, &str)], answer: &str, policy: &Policy) -> Verdict {
    verify(
        question,
        &map(passages),
        answer,
        AnswerMode::Pointer,
        policy,
    )
}

fn catalan(policy: Policy) -> Policy {
    policy.with_language(Language::Catalan)
}

fn has(verdict: &Verdict, code: Code) -> bool {
    verdict.violations().iter().any(|v| v.code == code)
        || verdict
            .claims()
            .iter()
            .flat_map(ClaimVerdict::violations)
            .any(|v| v.code == code)
}

fn misses(verdict: &Verdict, class: AnchorClass) -> bool {
    verdict
        .claims()
        .iter()
        .flat_map(ClaimVerdict::violations)
        .any(|v| v.class == Some(class))
}

fn supported(verdict: &Verdict) -> bool {
    verdict.claims().iter().all(ClaimVerdict::supported)
}

fn rung(verdict: &Verdict) -> String {
    verdict.label().to_string()
}

#[test]
fn checks_1_to_4() {
    let strict = Policy::strict();
    let texts = [("", "The car is red.")];
    for (answer, code) in [
        ("The car is red.", Code::NoEvidencePointer),
        ("The car is red. [E1-]", Code::MalformedPointer),
        ("The car is red. [E2]", Code::UnknownEvidence),
        ("\u{2026} [E1]", Code::EmptyClaim),
    ] {
        let verdict = ask("", &texts, answer, &strict);
        let told = has(&verdict, code) || verdict.no_claims();
        assert!(told && !verdict.passes(), "{answer}");
    }
    let json = r#"{"claims":[{"text":"  ","evidence_ids":["E1"]}]}"#;
    let empty = verify("", &map(&texts), json, AnswerMode::Json, &strict);
    assert!(has(&empty, Code::EmptyClaim) && !supported(&empty));
    let blank = ask("", &[("", " \u{200B}…")], "The car is red. [E1]", &strict);
    assert!(has(&blank, Code::EvidenceEmpty) && !supported(&blank));
}

#[test]
fn check_3_roles() {
    let mut builder = EvidenceMap::builder(usize::MAX);
    let mut passage = Passage::whole("s", "", "The car is red.");
    passage.source_role = SourceRole::Conclusion;
    builder.push(passage).unwrap();
    let map = builder.build();
    let mut policy = Policy::strict();
    let denied = verify(
        "",
        &map,
        "The car is red. [E1]",
        AnswerMode::Pointer,
        &policy,
    );
    assert!(has(&denied, Code::SourceRoleDenied) && !supported(&denied));
    policy.allowed_roles.insert(SourceRole::Conclusion);
    assert!(supported(&verify(
        "",
        &map,
        "The car is red. [E1]",
        AnswerMode::Pointer,
        &policy
    )));
}

#[test]
fn check_5_at_its_thresholds() {
    // Ten nouns; the passage holds three (seed's 30 %) or six (strict's 60 %) of them.
    let english = "anchor basket candle dragon engine feather garden hammer island jacket";
    let catalan_words = "àncora cistell espelma drac motor ploma jardí martell illa jaqueta";
    for (words, language) in [
        (english, Language::English),
        (catalan_words, Language::Catalan),
    ] {
        let all: Vec<&str> = words.split(' ').collect();
        let answer = format!("{words} [E1]");
        for (policy, needed) in [
            (Policy::seed(), 3),
            (Policy::strict(), 6),
            (Policy::balanced(), 5),
        ] {
            let policy = policy.with_language(language.clone());
            let enough = all[..needed].join(" ");
            let short = all[..needed - 1].join(" ");
            let passes = ask("", &[("", enough.as_str())], &answer, &policy);
            let fails = ask("", &[("", short.as_str())], &answer, &policy);
            assert!(supported(&passes), "{needed} {language:?}");
            assert!(has(&fails, Code::LowCoverage), "{needed} {language:?}");
        }
    }
}

#[test]
fn check_5_few_tokens_need_one() {
    let policy = Policy::strict();
    // Three content tokens: one is enough. Four: 60 % of them.
    assert!(supported(&ask(
        "",
        &[("", "an anchor")],
        "anchor basket candle [E1]",
        &policy
    )));
    assert!(!supported(&ask(
        "",
        &[("", "an anchor")],
        "anchor basket candle dragon [E1]",
        &policy
    )));
    assert!(!supported(&ask(
        "",
        &[("", "an anchor")],
        "engine basket candle [E1]",
        &policy
    )));
    let ca = catalan(policy);
    assert!(supported(&ask(
        "",
        &[("", "una àncora")],
        "àncora cistell espelma [E1]",
        &ca
    )));
}

#[test]
fn check_5_strict_asks_for_one_window() {
    let apart = "The anchor fell. It was late. Then a basket. It was cold. Then the candle. It rained. Then a dragon.";
    let together = "The anchor, the basket, the candle and the dragon fell.";
    let answer = "anchor basket candle dragon [E1]";
    assert!(supported(&ask(
        "",
        &[("", together)],
        answer,
        &Policy::strict()
    )));
    assert!(!supported(&ask(
        "",
        &[("", apart)],
        answer,
        &Policy::strict()
    )));
    assert!(supported(&ask("", &[("", apart)], answer, &Policy::seed())));
}

#[test]
fn check_6_trims_and_caps_the_rung() {
    let texts = [
        ("", "The car is red and Ana drives."),
        ("", "The car is red."),
        ("", "A red car."),
    ];
    let two = ask(
        "",
        &texts,
        "Here Ana drives the red car. [E1,E2]",
        &Policy::strict(),
    );
    let three = ask(
        "",
        &texts,
        "Here Ana drives the red car. [E1,E2,E3]",
        &Policy::strict(),
    );
    assert!(!has(&two, Code::PointerOverflowTrimmed));
    assert!(has(&three, Code::PointerOverflowTrimmed) && supported(&three));
    assert_eq!(three.claims()[0].pointers(), ["E1", "E2"]);
    assert_eq!(rung(&two), "EVIDENCE-WARRANTED");
    assert_eq!(rung(&three), "ANCHOR-WARRANTED");
}

#[test]
fn check_7_is_gated_in_seed_and_not_in_strict() {
    let texts = [("", "The harbour bridge was drawn by Owen Tarrant in 1911.")];
    let answer = "The harbour bridge was drawn by Ana Ribes. [E1]";
    let gate = |question: &str, policy: &Policy| {
        misses(
            &ask(question, &texts, answer, policy),
            AnchorClass::ProperNouns,
        )
    };
    assert!(gate("Who drew the harbour bridge?", &Policy::seed()));
    assert!(!gate("Is the harbour bridge old?", &Policy::seed()));
    assert!(gate("Is the harbour bridge old?", &Policy::strict()));
    let ca_texts = [("", "El pont del port va ser dibuixat per Pere Mas el 1911.")];
    let ca = catalan(Policy::seed());
    let said = ask(
        "Qui va dibuixar el pont del port?",
        &ca_texts,
        "El pont del port va ser dibuixat per Ana Ribes. [E1]",
        &ca,
    );
    assert!(misses(&said, AnchorClass::ProperNouns));
}

#[test]
fn check_7_dates_run_always() {
    let texts = [("", "The bridge opened in May 1911.")];
    let seed = Policy::seed();
    let wrong = ask("", &texts, "The bridge opened in 1912. [E1]", &seed);
    assert!(misses(&wrong, AnchorClass::Dates) && !supported(&wrong));
    assert_eq!(rung(&wrong), "POINTER-LINKED");
    assert!(supported(&ask(
        "",
        &texts,
        "The bridge opened in May 1911. [E1]",
        &seed
    )));
    assert!(misses(
        &ask("", &texts, "The bridge opened in June. [E1]", &seed),
        AnchorClass::Dates
    ));
    // "may" and "march" are verbs unless a day or a year stands beside them.
    assert!(!misses(
        &ask(
            "",
            &[("", "The bridge will open.")],
            "The bridge may open. [E1]",
            &seed
        ),
        AnchorClass::Dates
    ));
    // A number before a plural noun is a count.
    let workers = ask(
        "",
        &[("", "The mill had many workers.")],
        "The mill had 1800 workers. [E1]",
        &seed,
    );
    assert!(!misses(&workers, AnchorClass::Dates));
    for (year, runs) in [
        ("1499", false),
        ("1500", true),
        ("2199", true),
        ("2200", false),
    ] {
        let verdict = ask(
            "",
            &[("", "The bridge opened.")],
            &format!("The bridge opened in {year}. [E1]"),
            &seed,
        );
        assert_eq!(misses(&verdict, AnchorClass::Dates), runs, "{year}");
    }
    let ca = catalan(seed);
    let june = ask(
        "",
        &[("", "El pont es va obrir el maig de 1911.")],
        "El pont es va obrir el juny de 1911. [E1]",
        &ca,
    );
    assert!(misses(&june, AnchorClass::Dates));
}

#[test]
fn check_7_lists_counts_and_causes() {
    let seed = Policy::seed();
    let texts = [(
        "",
        "The band was Ana Ribes and two drummers. It split because of a quarrel over money.",
    )];
    let lists = |claim: &str| ask("Name the members of the band", &texts, claim, &seed);
    assert!(!misses(
        &lists("The band was Ana Ribes and Leo Marsh. [E1]"),
        AnchorClass::EntityList
    ));
    assert!(misses(
        &lists("The band was Pau Vila and Leo Marsh. [E1]"),
        AnchorClass::EntityList
    ));
    let counts = |claim: &str| ask("How many drummers had the band?", &texts, claim, &seed);
    assert!(!misses(
        &counts("The band had 2 drummers. [E1]"),
        AnchorClass::Counts
    ));
    assert!(misses(
        &counts("The band had 3 drummers. [E1]"),
        AnchorClass::Counts
    ));
    let causes = |claim: &str| ask("Why did the band split?", &texts, claim, &seed);
    assert!(!misses(
        &causes("The band split over a quarrel. [E1]"),
        AnchorClass::Causes
    ));
    assert!(misses(
        &causes("The band split over weather. [E1]"),
        AnchorClass::Causes
    ));
    let ca = catalan(seed);
    let ca_texts = [(
        "",
        "El grup era Ana Ribes i dos bateries. Es va separar per una baralla.",
    )];
    let ca_ask = |q: &str, claim: &str| ask(q, &ca_texts, claim, &ca);
    assert!(misses(
        &ca_ask(
            "Quants bateries tenia el grup?",
            "El grup tenia 3 bateries. [E1]"
        ),
        AnchorClass::Counts
    ));
    assert!(!misses(
        &ca_ask(
            "Quants bateries tenia el grup?",
            "El grup tenia 2 bateries. [E1]"
        ),
        AnchorClass::Counts
    ));
    assert!(misses(
        &ca_ask(
            "Per què es va separar el grup?",
            "El grup es va separar per la pluja. [E1]"
        ),
        AnchorClass::Causes
    ));
    assert!(!misses(
        &ca_ask(
            "Per què es va separar el grup?",
            "El grup es va separar per una baralla. [E1]"
        ),
        AnchorClass::Causes
    ));
}

#[test]
fn without_an_anchor_nothing_is_warranted() {
    let verdict = ask(
        "",
        &[("", "The car is red.")],
        "The car is red. [E1]",
        &Policy::seed(),
    );
    assert!(supported(&verdict) && !verdict.claims()[0].warrant_fired());
    assert_eq!(rung(&verdict), Rung::PointerLinked.to_string());
}

#[test]
fn check_8_titles() {
    let strict = Policy::strict();
    let text = "In 1911 the bridge opened.";
    assert!(!has(
        &ask(
            "",
            &[("The old bridge", text)],
            "The bridge opened in 1911. [E1]",
            &strict
        ),
        Code::TitleMismatch
    ));
    let other = ask(
        "",
        &[("Cheese", text)],
        "The bridge opened in 1911. [E1]",
        &strict,
    );
    assert!(has(&other, Code::TitleMismatch) && supported(&other));
    assert_eq!(rung(&other), "ANCHOR-WARRANTED");
    assert!(!has(
        &ask(
            "",
            &[("", text)],
            "The bridge opened in 1911. [E1]",
            &strict
        ),
        Code::TitleMismatch
    ));
    let ca = ask(
        "",
        &[("Formatge", "El pont es va obrir el 1911.")],
        "El pont es va obrir el 1911. [E1]",
        &catalan(strict),
    );
    assert!(has(&ca, Code::TitleMismatch));
}

#[test]
fn check_9_at_three_missing_subject_tokens() {
    let texts = [("", "dragon engine feather garden")];
    let policy = Policy::seed();
    let claim = "anchor basket candle dragon engine feather garden [E1]";
    let three = ask("anchor basket candle?", &texts, claim, &policy);
    let two = ask("anchor basket?", &texts, claim, &policy);
    assert!(has(&three, Code::SubjectTokensAbsent) && supported(&three));
    assert!(!has(&two, Code::SubjectTokensAbsent));
    let ca = ask(
        "àncora cistell espelma?",
        &[("", "drac motor ploma jardí")],
        "àncora cistell espelma drac motor ploma jardí [E1]",
        &catalan(policy),
    );
    assert!(has(&ca, Code::SubjectTokensAbsent));
}

#[test]
fn a_lazy_anchor_is_one_that_another_passage_covers_clearly_better() {
    let claim = "anchor basket candle dragon engine feather garden hammer island jacket [E1]";
    let own = "anchor basket candle dragon engine feather";
    let run = |other: &str| ask("", &[("", own), ("", other)], claim, &Policy::strict());
    let better = "anchor basket candle dragon engine feather garden hammer island";
    assert!(has(&run(better), Code::LazyAnchorDemoted) && supported(&run(better)));
    let little = "anchor basket candle dragon engine feather garden hammer";
    assert!(!has(&run(little), Code::LazyAnchorDemoted));
}

#[test]
fn demotes_of_the_answer() {
    let texts = [("", "The car is red.")];
    let lines = |n: usize, line: &str| format!("{line}\n").repeat(n);
    let strict = Policy::strict();
    assert!(!has(
        &ask("", &texts, &lines(12, "The car is red. [E1]"), &strict),
        Code::TooManyClaims
    ));
    assert!(has(
        &ask("", &texts, &lines(13, "The car is red. [E1]"), &strict),
        Code::TooManyClaims
    ));
    assert!(!has(
        &ask("", &texts, &lines(4, "The car is red."), &strict),
        Code::FormatCollapsed
    ));
    assert!(has(
        &ask("", &texts, &lines(5, "The car is red."), &strict),
        Code::FormatCollapsed
    ));
    assert!(has(
        &ask(
            "Who built the harbour?",
            &texts,
            "The car is red. [E1]",
            &strict
        ),
        Code::DeflectionDetected
    ));
    assert!(!has(
        &ask("Is the car red?", &texts, "The car is red. [E1]", &strict),
        Code::DeflectionDetected
    ));
    let ca = catalan(strict.clone());
    let ca_texts = [("", "El cotxe és vermell.")];
    assert!(has(
        &ask(
            "Qui va construir el port?",
            &ca_texts,
            "El cotxe és vermell. [E1]",
            &ca
        ),
        Code::DeflectionDetected
    ));
    assert!(has(
        &ask("", &ca_texts, &lines(13, "El cotxe és vermell. [E1]"), &ca),
        Code::TooManyClaims
    ));
    assert!(has(
        &ask("", &texts, "Ana Ribes. [E1]", &strict),
        Code::BareNameClaim
    ));
    assert!(!has(
        &ask("", &texts, "Ana Ribes drove. [E1]", &strict),
        Code::BareNameClaim
    ));
}

#[test]
fn detail_bars_the_top_rung_alone() {
    let claim = "In 1911 the anchor, basket, candle, dragon, engine and feather fell. [E1]";
    let full = "In 1911 the anchor, basket, candle, dragon, engine and feather fell.";
    let partial = "In 1911 the anchor, basket, candle and dragon fell.";
    assert_eq!(
        rung(&ask("", &[("", full)], claim, &Policy::strict())),
        "EVIDENCE-WARRANTED"
    );
    let verdict = ask("", &[("", partial)], claim, &Policy::strict());
    assert!(supported(&verdict) && has(&verdict, Code::DetailNotCovered));
    assert_eq!(rung(&verdict), "ANCHOR-WARRANTED");
}

#[test]
fn labels_are_partial_when_some_claims_fail() {
    let texts = [("", "Ana Ribes drives the red car.")];
    let verdict = ask(
        "",
        &texts,
        "The red car is driven by Ana Ribes. [E1]\nThe boat sank at sea. [E1]",
        &Policy::strict(),
    );
    assert_eq!(rung(&verdict), "EVIDENCE-WARRANTED-PARTIAL");
    assert_eq!(verdict.label().legacy_name(), "EVIDENCE-LINKED-PARTIAL");
    assert_eq!(
        verdict.audit_line(),
        "EVIDENCE-WARRANTED-PARTIAL · via claim_lattice_pointer"
    );
    let tailed = verdict.with_tails(&[
        claim_lattice::AuditTail::OutOfCorpus,
        claim_lattice::AuditTail::FalsePremise,
    ]);
    assert!(
        tailed
            .audit_line()
            .ends_with(" · false premise · out of corpus")
    );
}

#[test]
fn further_classes_are_switches() {
    let texts = [("", "The committee did not approve the budget.")];
    let answer = "The committee approved the budget. [E1]";
    let mut policy = Policy::strict();
    assert!(misses(
        &ask("", &texts, answer, &policy),
        AnchorClass::Negation
    ));
    policy.anchors.negation = false;
    assert!(!misses(
        &ask("", &texts, answer, &policy),
        AnchorClass::Negation
    ));
    assert!(supported(&ask("", &texts, answer, &Policy::seed())));
}

#[test]
fn prose_strategies_in_order() {
    let text = "The harbour bridge was opened by the mayor after seven years of careful building work. Ana Ribes, Leo Marsh and Pau Vila spoke.";
    let run = |answer: &str| {
        verify(
            "",
            &map(&[("", text)]),
            answer,
            AnswerMode::Quote,
            &Policy::strict(),
        )
    };
    for (answer, method) in [
        (
            "They say \"seven years of careful building work\".",
            VerifierMethod::Quote,
        ),
        (
            "Ana Ribes, Leo Marsh and Pau Vila spoke.",
            VerifierMethod::Span,
        ),
        (
            "Speakers then included Ana Ribes with Leo Marsh plus Pau Vila.",
            VerifierMethod::Entity,
        ),
        (
            "After seven years the mayor opened the harbour bridge.",
            VerifierMethod::Paraphrase,
        ),
        (
            "Cheese is made of milk in summer pastures.",
            VerifierMethod::None,
        ),
    ] {
        assert_eq!(run(answer).verifier_method(), method, "{answer}");
    }
}

/// All its words stand in the source, and yet it says something else.
#[test]
fn a_paraphrase_stands_the_checks_of_a_claim() {
    let english = "Assigning a string to another variable moves the string value. A stolen laptop must be reported to \
                   the security desk within four hours.";
    let catalan = "L'ordinador robat s'ha de notificar al taulell de seguretat abans de quatre hores. Els convidats \
                   poden aparcar el cotxe darrere la biblioteca.";
    let run = |text: &str, answer: &str, policy: &Policy| {
        verify("", &map(&[("", text)]), answer, AnswerMode::Quote, policy)
            .label()
            .to_string()
    };
    let strict = Policy::strict();
    let of_catalan = Policy::strict().with_language(Language::Catalan);
    for (text, answer, policy, label) in [
        (
            english,
            "The string value moves when assigning another variable.",
            &strict,
            "STRICT",
        ),
        (
            english,
            "Assigning a string to another variable does not move the string value.",
            &strict,
            "UNGROUNDED",
        ),
        (
            english,
            "The stolen laptop must be reported to the security desk within two days, four hours.",
            &strict,
            "UNGROUNDED",
        ),
        (
            catalan,
            "Abans de quatre hores l'ordinador robat s'ha de notificar al taulell de seguretat.",
            &of_catalan,
            "STRICT",
        ),
        (
            catalan,
            "Els convidats no poden aparcar mai el cotxe darrere la biblioteca.",
            &of_catalan,
            "UNGROUNDED",
        ),
    ] {
        assert_eq!(run(text, answer, policy), label, "{answer}");
        // The base design counts words and nothing else.
        let seed = Policy::seed().with_language(policy.language.clone());
        assert_eq!(run(text, answer, &seed), "STRICT", "{answer}");
    }
}

#[test]
fn prose_thresholds() {
    let run = |text: &str, answer: &str| {
        verify(
            "",
            &map(&[("", text)]),
            answer,
            AnswerMode::Quote,
            &Policy::strict(),
        )
        .verifier_method()
    };
    // Seven words of which six are there: 85.7 %. Of six, five: 83.3 %.
    let seven = "the anchor basket candle dragon engine feather garden";
    assert_eq!(
        run("anchor basket candle dragon engine feather", seven),
        VerifierMethod::Paraphrase
    );
    let six = "the anchor basket candle dragon engine feather";
    assert_eq!(
        run("anchor basket candle dragon engine", six),
        VerifierMethod::None
    );
    // Four content tokens of four letters; three are too few.
    assert_eq!(
        run(
            "candle basket dragon engine apart",
            "engine dragon basket candle"
        ),
        VerifierMethod::Paraphrase
    );
    assert_eq!(
        run("candle basket dragon apart", "dragon basket candle"),
        VerifierMethod::None
    );
    // Three entities within 300 characters.
    let spread = |gap: usize| {
        format!(
            "Ana Ribes met Leo Marsh.{} Pau Vila spoke.",
            " x".repeat(gap)
        )
    };
    let names = "Guests were Ana Ribes plus Leo Marsh plus Pau Vila.";
    assert_eq!(run(&spread(100), names), VerifierMethod::Entity);
    assert_eq!(run(&spread(200), names), VerifierMethod::None);
}
