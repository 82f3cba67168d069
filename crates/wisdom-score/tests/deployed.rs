//! What the page on the deployed semantics states, on texts that are not in the golden set.
#![allow(clippy::unwrap_used)]

use wisdom_score::{Error, Options, Report, Scorer, Semantics};

fn scorer(semantics: Semantics) -> Scorer {
    Scorer::new(Options {
        semantics,
        ..Options::default()
    })
    .unwrap()
}

fn js(text: &str) -> Report {
    scorer(Semantics::DeployedJs).score(text).unwrap()
}

fn php(text: &str) -> Report {
    scorer(Semantics::DeployedPhp).score(text).unwrap()
}

#[test]
fn codes_meet_different_boundaries() {
    for both in [
        "FEN's",
        "FEN’s",
        "FEN-2",
        "(FEN)",
        "**FEN**",
        "FEN🙂",
        "FEN\u{301}",
        "FEN\u{200D}",
    ] {
        assert_eq!(
            (js(both).codes.len(), php(both).codes.len()),
            (1, 1),
            "{both}"
        );
    }
    for none in [
        "PRA2", "MONt1", "FENX", "USA", "ABCDE", "FENs", "FEN_", "_FEN", "2FEN", "FEN2x",
    ] {
        assert_eq!(
            (js(none).codes.len(), php(none).codes.len()),
            (0, 0),
            "{none}"
        );
    }
    for apart in [
        "éFEN",
        "FENé",
        "中FEN文",
        "FENº",
        "FENª",
        "FEN²",
        "FEN½",
        "FEN①",
        "FEN٣",
    ] {
        assert_eq!(
            (js(apart).codes.len(), php(apart).codes.len()),
            (1, 0),
            "{apart}"
        );
    }
}

#[test]
fn php_counts_secondary_quadrants_in_the_harmonic_score_only() {
    let report = php("FUN");
    assert_eq!(report.n_quadrants, 2);
    assert_eq!(report.components.coverage, 0.125);
    assert_eq!(js("FUN").n_quadrants, 1);
}

#[test]
fn php_measures_codes_in_bytes_and_markers_in_characters() {
    // A space keeps the boundary: against a letter, PHP sees no code.
    let text = |n: usize| format!("{} FEN yet NOU", "é".repeat(n));
    for (n, events) in [(0, 1), (76, 1), (77, 0), (200, 0)] {
        assert_eq!(php(&text(n)).tension_events, events, "{n}");
        assert_eq!(js(&text(n)).tension_events, 1, "{n}");
    }
    let behind = format!("{} FEN NOU {} yet", "—".repeat(100), "x".repeat(190));
    assert_eq!(
        (php(&behind).tension_events, js(&behind).tension_events),
        (1, 0)
    );
}

#[test]
fn markers_are_substrings_each_searched_on_its_own() {
    assert_eq!(js("FEN answers NOU").tension_events, 1);
    assert_eq!(js("FEN attribute NOU meanwhile").tension_events, 2);
    assert_eq!(js("FEN tot  i que NOU d’altra banda").tension_events, 0);
    assert_eq!(js("FEN PERÒ NOU").tension_events, 1);
    assert_eq!(js("FEN però\u{300} NOU pero\u{300}").tension_events, 1);
    assert_eq!(
        (
            js("FEN peròperò NOU").tension_events,
            php("FEN peròperò NOU").tension_events
        ),
        (2, 1)
    );
    assert_eq!(js("yet FEN").tension_events, 0, "fewer than two mentions");
}

#[test]
fn php_throws_on_a_text_that_ends_in_pero() {
    let php = scorer(Semantics::DeployedPhp);
    for text in ["FEN NOU però", "FEN NOU PERÒ", "FEN FEN però"] {
        assert!(
            matches!(php.score(text), Err(Error::ReferenceThrows { .. })),
            "{text}"
        );
    }
    for text in [
        "FEN NOU però.",
        "FEN NOU però\n",
        "FEN però",
        "però",
        "FEN NOU peròperò",
    ] {
        assert!(php.score(text).is_ok(), "{text}");
    }
}

#[test]
fn paragraphs_split_at_different_spaces() {
    let pairs = |r: Report| r.components.dialectical_pair_density;
    for split in ["\n\n", "\r\n\r\n", "\n \t\n", "\n\u{A0}\n"] {
        let text = format!("OBJ{split}SUB");
        assert_eq!(
            (pairs(js(&text)), pairs(php(&text))),
            (0.0, 0.0),
            "{split:?}"
        );
    }
    for whole in ["\n", "\r\r", "\u{2028}\u{2028}", "\n\u{200B}\n", "\n\0\n"] {
        let text = format!("OBJ{whole}SUB");
        assert_eq!(
            (pairs(js(&text)), pairs(php(&text))),
            (0.25, 0.25),
            "{whole:?}"
        );
    }
    let bom = "OBJ\n\u{FEFF}\nSUB";
    assert_eq!((pairs(js(bom)), pairs(php(bom))), (0.0, 0.25));
    for split in ["\u{85}", "\u{180E}"] {
        let text = format!("OBJ\n{split}\nSUB");
        assert_eq!(
            (pairs(js(&text)), pairs(php(&text))),
            (0.25, 0.0),
            "{split:?}"
        );
    }
    // Any code of a quadrant makes a pair.
    assert_eq!(pairs(js("POL HAR")), 0.25);
}

#[test]
fn sin_takes_any_further_code() {
    let anchoring = |text: &str| js(text).components.synthesis_anchoring;
    assert_eq!(anchoring("SIN TEO"), 0.0);
    assert_eq!(anchoring("SIN TEO LOG"), 1.0);
    assert_eq!(anchoring("ANA POL"), 0.0);
}

#[test]
fn the_first_path_is_read_and_upper_cased() {
    let path = |text: &str| -> Vec<String> {
        php(text)
            .extras
            .path
            .iter()
            .map(ToString::to_string)
            .collect()
    };
    assert_eq!(
        path("[path:\n fen → NOU, fen > MONt1 - PRA]"),
        ["FEN", "NOU", "PRA"]
    );
    assert_eq!(path("[PATH: FEN; NOU]"), ["NOU"]);
    assert!(path("[PATH: ] then [PATH: FEN]").is_empty());
    assert_eq!(path("[PATH: FEN\n] then [PATH: NOU]"), ["NOU"]);
    assert!(path("[PATH : FEN] [ PATH: FEN]").is_empty());
}

#[test]
fn php_diagnostics_are_as_stated() {
    let extras = php("ANA CIE SIN").extras;
    assert_eq!(extras.solve_coagula_balance, Some(0.6667));
    assert_eq!(php("ANA").extras.solve_coagula_balance, Some(0.0));
    assert_eq!(php("MON").extras.tempeternal_coverage, Some(0.0));
    assert_eq!(php("OBJ NOU ORG").extras.causal_coverage, Some(0.375));
    assert_eq!(php("LOG ANA EST").extras.epistemic_coverage, Some(0.5));
    let names = |text: &str| -> Vec<String> {
        php(text)
            .extras
            .cycles
            .iter()
            .map(|c| c.name.to_string())
            .collect()
    };
    assert_eq!(
        names("Cicle del  Mètode, Volta de Coneixement"),
        ["Coneixement", "Mètode"]
    );
    assert!(names("Volta de la Revelació, Cicle de Mètode, cicle del méTode").is_empty());
    assert_eq!(names("FEN ART SUB"), ["Coneixement"]);
}

#[test]
fn factual_and_implicit_quirks_hold() {
    let density = |text: &str| php(text).extras.factual_density.unwrap();
    assert_eq!(density(""), 0.0);
    let words = "word ".repeat(99);
    // One of a hundred words: weight / 1 / 8.
    assert_eq!(density(&format!("{words}JavaScript")), 0.1875);
    assert_eq!(density(&format!("{words}York")), 0.0);
    assert_eq!(density(&format!("{words}AZO")), 0.1);
    assert_eq!(density(&format!("{words}RGE")), 0.0);
    assert_eq!(
        density(&format!("{words}a 50% b")).to_bits(),
        0.0_f64.to_bits()
    );
    let implicit = |text: &str| php(text).extras.implicit_coverage.unwrap();
    assert_eq!(implicit("OBSERVABLE"), 0.25, "shared by two");
    assert_eq!(implicit("well-time time_ times"), 0.0);
    assert_eq!(implicit("time\u{301}"), 0.125, "a mark does not block");
    let shares = php("idea time").extras.implicit_distribution;
    let teo = shares.iter().find(|c| c.quadrant == "TEO").unwrap();
    assert_eq!(teo.count, 0.75, "idea is listed three times");
}

/// Twice the text takes about twice the work: what is quadratic in the references is not here.
/// (Speeds are benchmarks; this only has to end.)
#[test]
fn dense_and_hostile_texts_end() {
    let hostile = [
        "FEN yet NOU ".repeat(2_000),
        "[PATH:".repeat(4_000),
        format!("[PATH:{}x\n]", " ".repeat(20_000)),
        "(a".repeat(10_000),
        "axis ".repeat(5_000),
        "treats treats ".repeat(2_000),
        "A = ".repeat(5_000),
        "Ab".repeat(2_000),
        "1,".repeat(10_000),
    ];
    for text in hostile {
        js(&text);
        php(&text);
    }
}
