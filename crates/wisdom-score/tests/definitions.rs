//! The page's definitions, one by one.
#![allow(clippy::unwrap_used)]

use wisdom_score::{
    Component, Composite, Missing, Note, Options, Report, Scorer, Semantics, Weights,
};

fn score(text: &str) -> Report {
    Scorer::new(Options::default())
        .unwrap()
        .score(text)
        .unwrap()
}

fn codes(text: &str) -> Vec<String> {
    score(text).codes.iter().map(ToString::to_string).collect()
}

fn pairs(text: &str) -> f64 {
    score(text).components.dialectical_pair_density
}

fn tensions(text: &str) -> usize {
    score(text).tension_events
}

fn subordinations(text: &str) -> usize {
    score(text).subordination_events
}

fn anchoring(text: &str) -> f64 {
    score(text).components.synthesis_anchoring
}

fn axis(text: &str) -> bool {
    score(text).components.axis_explicit == 1.0
}

#[test]
fn codes_are_whole_upper_case_tokens() {
    assert_eq!(
        codes("FEN, MONt1 (NOU) FEN's **OBJ** SUB."),
        ["FEN", "MONt1", "NOU", "OBJ", "SUB"]
    );
    assert!(codes("FENX fen USA Fen éFEN FEN2 FEN_ _FEN FEN\u{301} 中FEN").is_empty());
    assert_eq!(codes("F\u{AD}EN"), ["FEN"]);
}

#[test]
fn distinct_codes_count_once_by_primary_quadrant() {
    let report = score("FEN FEN FEN walks; then NOU.");
    assert_eq!(report.components.coverage, 0.25);
    assert!((report.components.entropy_normalized - 1.0 / 3.0).abs() < 1e-15);
    assert_eq!(report.harmonic_score, 0.291_667);
    // DET is TEO first and OBJ second.
    let halves = Options {
        secondary_quadrants: true,
        ..Options::default()
    };
    let halves = Scorer::new(halves).unwrap().score("DET").unwrap();
    assert_eq!((score("DET").n_quadrants, halves.n_quadrants), (1, 2));
}

#[test]
fn four_codes_in_a_row_are_a_list() {
    for list in [
        "across FEN, ANA, OBJ, TEO, SIN and NOU",
        "FEN → NOU → OBJ → SUB",
        "FEN/NOU/OBJ/SUB",
        "FEN i NOU i OBJ i SUB",
        "FEN; NOU\n\nOBJ or SUB",
        "FEN–NOU, OBJ–SUB",
    ] {
        let report = score(&format!("Yet {list}."));
        let c = report.components;
        let relational = [
            c.dialectical_pair_density,
            c.tension_density,
            c.synthesis_anchoring,
        ];
        assert_eq!(relational, [0.0; 3], "{list}");
        assert!(c.coverage > 0.25, "{list}");
    }
    assert!(pairs("FEN, NOU, OBJ") > 0.0, "three are no list");
    assert!(pairs("FEN, NOU, OBJ are with SUB") > 0.0);
    assert!(
        pairs("So FEN and NOU. OBJ and SUB too.") > 0.0,
        "a sentence ends a list"
    );
    // A listed mediator is not present, and a listed code touches no relation.
    let listed = score("See ANA, LOG, ART and MIT.");
    assert!(listed.missing.contains(&Missing::Mediators));
    assert_eq!(listed.components.mereological_coverage, 0.0);
}

#[test]
fn poles_pair_in_one_paragraph() {
    assert_eq!(pairs("OBJ is here and so is SUB."), 0.25);
    assert_eq!(pairs("OBJ is here.\nSUB too."), 0.25);
    assert_eq!(pairs("OBJ is here.\n\nSUB too."), 0.0);
    assert_eq!(pairs("OBJ is here.\n \t\u{200B}\u{A0}\n SUB too."), 0.0);
    assert_eq!(pairs("OBJ is here.\r\n\r\nSUB too."), 0.0);
    assert_eq!(
        pairs("AFI is here, DSG there."),
        0.25,
        "any code of the quadrants"
    );
    assert_eq!(
        pairs("# OBJ\nis here\n# SUB\nis there"),
        0.0,
        "headings begin a paragraph"
    );
    assert_eq!(pairs("- OBJ is\n- SUB is"), 0.0, "items begin a paragraph");
}

#[test]
fn tension_needs_two_quadrants_within_eighty_characters() {
    let filler = |n: usize| "é".repeat(n);
    assert_eq!(tensions("OBJ, yet SUB"), 1);
    assert_eq!(tensions("OBJ, yet AFI"), 0, "one quadrant");
    // Start to start: SUB stands 80 characters after `yet`, then 81.
    assert_eq!(tensions(&format!("OBJ yet {} SUB", filler(75))), 1);
    assert_eq!(tensions(&format!("OBJ yet {} SUB", filler(76))), 0);
    assert_eq!(tensions(&format!("OBJ {} yet SUB", filler(75))), 1);
    assert_eq!(tensions(&format!("OBJ {} yet SUB", filler(76))), 0);
    assert_eq!(tensions("OBJ, yet\n\nSUB"), 0);
    assert_eq!(
        score("OBJ yet SUB but OBJ while SUB still OBJ however SUB")
            .components
            .tension_density,
        1.0
    );
}

#[test]
fn markers_are_whole_words_longest_first() {
    for no in [
        "answers",
        "attribute",
        "meanwhile",
        "instill",
        "yeti",
        "cansat",
    ] {
        assert_eq!(tensions(&format!("OBJ {no} SUB")), 0, "{no}");
    }
    for yes in [
        "YET",
        "però",
        "PERÒ",
        "pero\u{300}",
        "tot i que",
        "tot  i\nque",
        "d'altra banda",
        "d’altra banda",
        "en contra de",
        "in tension\nwith",
        "ans",
        "al contrari",
        "On The Other Hand",
    ] {
        assert_eq!(tensions(&format!("OBJ {yes} SUB")), 1, "{yes}");
    }
    let report = score("OBJ on the other hand SUB");
    assert_eq!(
        report
            .events
            .iter()
            .filter(|e| e.component == Component::TensionDensity)
            .count(),
        1
    );
}

#[test]
fn mediators_are_anchored_by_the_cardinals_themselves() {
    assert_eq!(anchoring("ANA takes FEN apart."), 1.0);
    assert_eq!(
        anchoring("ANA takes POL apart."),
        0.0,
        "another code of the quadrant will not do"
    );
    assert_eq!(anchoring("ANA here.\n\nFEN there."), 0.0);
    assert_eq!(anchoring("SIN joins TEO."), 0.0);
    assert_eq!(
        anchoring("SIN joins TEO with LOG."),
        0.0,
        "another cardinal is needed"
    );
    assert_eq!(anchoring("SIN joins TEO with PRA."), 1.0);
    assert_eq!(anchoring("ANA takes FEN apart; AMO waits for NOU."), 0.5);
    assert_eq!(
        anchoring("ANA alone.\n\nANA with FEN."),
        1.0,
        "in some paragraph"
    );
}

#[test]
fn the_opening_names_an_axis() {
    for yes in [
        "This sits on the OBJ–SUB axis.",
        "The axis of OBJ and SUB is old.",
        "L'eix OBJ–SUB és vell.",
        "L’eix entre OBJ i SUB.",
        "The TEO/PRA axis.",
        "The **NOU** ↔ **FEN** axis.",
        "There is a tension between OBJ and SUB.",
        "Hi ha tensió entre OBJ i SUB.",
        "The question pits TEO against PRA.",
        "La pregunta enfronta TEO amb PRA.",
        "AXIS: OBJ-SUB",
    ] {
        assert!(axis(yes), "{yes}");
    }
    for no in [
        "OBJ and SUB are here.",
        "OBJ–SUB.",
        "The axis.",
        "The axis of OBJ, of course, and much later SUB.",
        "The praxis of OBJ–SUB.",
        "The OBJ–OBJ axis.",
        "The POL–HAR axis.",
        "The axis of FEN, ANA, TEO, SIN, OBJ and NOU.",
        "The axis.\n\nOBJ–SUB",
    ] {
        assert!(!axis(no), "{no}");
    }
}

#[test]
fn mediation_verbs_work_between_quadrants() {
    for yes in [
        "subsumes",
        "reframed",
        "foregrounding",
        "dissolves",
        "integrate",
        "reconciling",
        "absorbs",
        "encompasses",
        "presses harder on",
        "answers the objection of",
        "treats with care as",
        "preserves itself while restricting",
        "subsumeix",
        "reformulen",
        "posa en primer pla",
        "dissol",
        "integrant",
        "reconcilia",
        "absorbeix",
        "engloba",
        "tracta amb cura com",
        "preserva el seu tot amb",
        "respon a l'objecció de",
        "prem més fort sobre",
    ] {
        assert_eq!(subordinations(&format!("OBJ {yes} SUB")), 1, "{yes}");
    }
    for no in [
        "competes with",
        "differs from",
        "exists alongside",
        "disintegrates",
        "treats as",
        "preserves while",
        "treats it. As",
        "absorbent",
    ] {
        assert_eq!(subordinations(&format!("OBJ {no} SUB")), 0, "{no}");
    }
    let far = |n: usize| format!("OBJ absorbs {} SUB", "x".repeat(n));
    assert_eq!(subordinations(&far(111)), 1);
    assert_eq!(subordinations(&far(112)), 0);
    assert_eq!(
        subordinations("OBJ treats SUB as TEO"),
        1,
        "a code is an object too"
    );
}

#[test]
fn relations_are_touched_by_codes_or_their_language() {
    let relations = |text: &str| score(text).extras.mereological_relations.len();
    assert_eq!(relations("LOG, then IDE."), 2);
    assert_eq!(
        relations("A self-identity that belongs to the whole; microcosm; otherness."),
        4
    );
    assert_eq!(
        relations("Principi d’identitat; part del tot; holisme; alteritat."),
        4
    );
    let everyday =
        "joc deure moral interact difference universal fractal necessitat mythic game of definició";
    assert_eq!(relations(everyday), 0);
}

#[test]
fn composites_weigh_as_the_table_says() {
    let text = include_str!("../../../fixtures/wisdom-texts/t4-en.txt");
    let by = |composite| {
        let options = Options {
            composite: Some(composite),
            ..Options::default()
        };
        Scorer::new(options).unwrap().score(text).unwrap()
    };
    let table = [
        (Composite::V1, [0.30, 0.20, 0.25, 0.15, 0.10, 0.0, 0.0, 0.0]),
        (
            Composite::V2,
            [0.05, 0.05, 0.20, 0.20, 0.15, 0.15, 0.20, 0.0],
        ),
        (
            Composite::V3,
            [0.05, 0.05, 0.20, 0.20, 0.10, 0.10, 0.15, 0.15],
        ),
    ];
    for (composite, weights) in table {
        let report = by(composite);
        assert_eq!(report.weights.values(), &weights);
        let sum: f64 = report
            .components
            .values()
            .iter()
            .zip(weights)
            .map(|(c, w)| c * w)
            .sum();
        assert!((report.wisdom_score - sum).abs() <= 5e-7);
    }
    let only = Weights::new([0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0]).unwrap();
    assert_eq!(by(Composite::Custom(only)).wisdom_score, 0.5);
    for wrong in [
        [0.125; 8].map(|w| w * 1.01),
        [1.0, 0.5, -0.5, 0.0, 0.0, 0.0, 0.0, 0.0],
        [f64::NAN; 8],
    ] {
        assert!(Weights::new(wrong).is_err());
    }
    assert!(serde_json::from_str::<Weights>("[1,1,0,0,0,0,0,0]").is_err());
}

#[test]
fn extras_are_reported() {
    let text = "The cycle of application: FEN, then ANA, then TEO. [PATH: FEN → ANA, TEO]\n\n\
        In 1984 the Bank of England and New York lent 50 % of 3 million (Smith (2020)); time and theory.";
    let extras = score(text).extras;
    assert_eq!(extras.path.len(), 3);
    let cycle = &extras.cycles[0];
    assert!(
        cycle.named && cycle.name == "Mètode" && cycle.coverage == 0.375,
        "{cycle:?}"
    );
    assert!(extras.factual_density.unwrap() > 0.5);
    assert!(extras.implicit_coverage.unwrap() >= 0.25);
    assert_eq!(extras.solve_coagula_balance, Some(0.0));
    assert_eq!(score("ANA and SIN").extras.solve_coagula_balance, Some(1.0));
    assert_eq!(score("OBJ NOU").extras.causal_coverage, Some(0.25));
    assert_eq!(score("LOG").extras.epistemic_coverage, Some(0.25));
    assert_eq!(score("PLA, TEO, HAR").extras.tempeternal_balance, Some(1.0));
    assert_eq!(score("New York").extras.factual_density, Some(1.0));
}

#[test]
fn deployed_js_has_no_mereology_and_says_so() {
    let js = |composite| {
        let options = Options {
            semantics: Semantics::DeployedJs,
            composite,
            ..Options::default()
        };
        Scorer::new(options).unwrap().score("OBJ and SUB").unwrap()
    };
    assert!(!js(None).notes.contains(&Note::MereologyNotComputed));
    assert!(
        js(Some(Composite::V3))
            .notes
            .contains(&Note::MereologyNotComputed)
    );
    assert_eq!(js(None).extras.factual_density, None);
}

#[test]
fn invalid_utf8_is_read_as_each_semantics_does() {
    let scorer = |semantics| {
        Scorer::new(Options {
            semantics,
            ..Options::default()
        })
        .unwrap()
    };
    let bytes = b"OBJ yet SUB \xFF in 1984";
    assert!(scorer(Semantics::Canonical).score_bytes(bytes).is_err());
    let js = scorer(Semantics::DeployedJs).score_bytes(bytes).unwrap();
    assert_eq!(js.tension_events, 1);
    let php = scorer(Semantics::DeployedPhp).score_bytes(bytes).unwrap();
    assert_eq!(
        (php.wisdom_score, php.harmonic_score, php.codes.len()),
        (0.0, 0.0, 0)
    );
    assert!(php.extras.factual_density.unwrap() > 0.0);
    assert!(php.notes.contains(&Note::InvalidUtf8));
    // The axis is read in the first 600 characters only, so a later broken byte spares it.
    let late = [b"the axis of FEN ".repeat(40).as_slice(), b"\xFF"].concat();
    let php = scorer(Semantics::DeployedPhp).score_bytes(&late).unwrap();
    assert_eq!((php.components.axis_explicit, php.wisdom_score), (1.0, 0.1));
}

/// One splitter for all: the scan's own count, which costs no second pass, is that of
/// `text_units::words` on plain prose.
#[test]
fn words_are_counted_as_text_units_counts_them() {
    let texts = [
        include_str!("../../../fixtures/wisdom-texts/t1-en.txt"),
        include_str!("../../../fixtures/wisdom-texts/t1-ca.txt"),
        include_str!("../../../fixtures/wisdom-texts/t2-en.txt"),
        include_str!("../../../fixtures/wisdom-texts/t2-ca.txt"),
        include_str!("../../../fixtures/wisdom-texts/t4-ca.txt"),
        "We don’t stop; l’amor d'hivern, a well-known col·legi.",
    ];
    for text in texts {
        let words = text_units::words(text_units::clean(text).text()).count();
        assert_eq!(score(text).words, words, "{text}");
    }
}
