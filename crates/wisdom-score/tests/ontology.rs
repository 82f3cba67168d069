//! An ontology of one's own: other codes, axes, mediators, markers and languages.
#![allow(clippy::unwrap_used)]

use wisdom_score::{
    CodeSpec, CycleSpec, Error, FrameSpec, LanguageSpec, MediatorSpec, Ontology, OntologySpec,
    Options, RelationSpec, Scorer, Semantics,
};

fn strings(words: &[&str]) -> Vec<String> {
    words.iter().map(|w| (*w).to_owned()).collect()
}

fn code(code: &str, quadrant: &str) -> CodeSpec {
    CodeSpec {
        code: code.to_owned(),
        quadrant: quadrant.to_owned(),
        ..CodeSpec::default()
    }
}

/// Four quadrants, two axes, one mediator, Italian with a Greek code.
fn own() -> OntologySpec {
    let mut spec = OntologySpec {
        quadrants: strings(&["Fede", "Ragione", "Uno", "Ψυχή"]),
        axes: vec![
            ["Fede".to_owned(), "Ragione".to_owned()],
            ["Uno".to_owned(), "Ψυχή".to_owned()],
        ],
        mediators: vec![MediatorSpec {
            code: "ponte".to_owned(),
            requires: strings(&["Fede"]),
            and_another_cardinal: true,
        }],
        relations: vec![RelationSpec {
            name: "parte".to_owned(),
            codes: strings(&["ponte"]),
        }],
        cycles: vec![CycleSpec {
            name: "giro".to_owned(),
            stations: strings(&["Fede", "ponte", "Ragione"]),
        }],
        languages: vec![LanguageSpec {
            language: "it".to_owned(),
            markers: strings(&["ma", "però", "d'altra parte", "eppure"]),
            verbs: strings(&["assorbe", "riconcilia"]),
            frames: vec![FrameSpec {
                openers: strings(&["tratta"]),
                closers: strings(&["come"]),
            }],
            list_joiners: strings(&["e"]),
            axis_joiners: strings(&["e"]),
            axis_words: strings(&["asse"]),
            ..LanguageSpec::default()
        }],
        ..OntologySpec::default()
    };
    spec.codes = spec.quadrants.iter().map(|q| code(q, q)).collect();
    spec.codes.push(code("ponte", "Ragione"));
    spec
}

fn scorer() -> Scorer {
    Scorer::with_ontology(Options::default(), Ontology::new(own()).unwrap()).unwrap()
}

#[test]
fn another_ontology_scores_by_the_same_formula() {
    let text = "Sull'asse Fede–Ragione: Fede crede, ma Ragione dubita; ponte riconcilia Fede con Ragione.\n\n\
        Uno resta; d’altra parte Ψυχή si muove, eppure tratta Uno come suo.";
    let report = scorer().score(text).unwrap();
    let c = report.components;
    assert_eq!(c.coverage, 1.0);
    assert_eq!(c.dialectical_pair_density, 1.0);
    assert_eq!(report.tension_events, 3);
    assert_eq!(c.synthesis_anchoring, 1.0);
    assert_eq!(c.axis_explicit, 1.0);
    assert_eq!(report.subordination_events, 2);
    assert_eq!(c.mereological_coverage, 1.0);
    assert!(
        report
            .extras
            .cycles
            .iter()
            .any(|cycle| cycle.name == "giro")
    );
    assert_eq!(report.quadrant_counts.len(), 4);
    for event in &report.events {
        assert!(text.get(event.span.bytes()).is_some());
    }
}

#[test]
fn codes_are_matched_exactly_in_any_script() {
    let scorer = scorer();
    assert_eq!(
        scorer.count_codes("Fede fede FEDE Fedele Ψυχή ψυχή ponte, Ponte"),
        3
    );
    let list = scorer.score("Fede, Ragione, Uno e Ψυχή").unwrap();
    assert_eq!(list.components.dialectical_pair_density, 0.0);
    assert_eq!(list.components.coverage, 1.0);
}

#[test]
fn an_ontology_round_trips_through_json() {
    let json = serde_json::to_string(&own()).unwrap();
    let back: OntologySpec = serde_json::from_str(&json).unwrap();
    assert_eq!(back, own());
    let default = Ontology::meta_globalium().unwrap();
    let json = serde_json::to_string(default.spec()).unwrap();
    let back = Ontology::new(serde_json::from_str(&json).unwrap()).unwrap();
    let deployed = Options {
        semantics: Semantics::DeployedPhp,
        ..Options::default()
    };
    assert!(Scorer::with_ontology(deployed, back).is_ok());
}

#[test]
fn the_default_has_91_codes_eight_cardinals_and_four_axes() {
    let ontology = Ontology::meta_globalium().unwrap();
    let spec = ontology.spec();
    assert_eq!(spec.codes.len(), 91);
    assert_eq!(
        spec.codes.iter().filter(|c| c.secondary.is_some()).count(),
        24
    );
    assert_eq!(
        spec.quadrants,
        ["PLA", "MON", "SUB", "OBJ", "TEO", "PRA", "FEN", "NOU"]
    );
    assert_eq!(
        (spec.axes.len(), spec.mediators.len(), spec.cycles.len()),
        (4, 12, 6)
    );
    assert!(ontology.is_code("MONt1") && !ontology.is_code("FENX"));
}

#[test]
fn what_does_not_fit_is_refused_with_its_name() {
    let fails = |change: &dyn Fn(&mut OntologySpec)| {
        let mut spec = own();
        change(&mut spec);
        Ontology::new(spec).unwrap_err()
    };
    assert!(matches!(
        fails(&|s| s.axes[0][0] = "Dubbio".to_owned()),
        Error::UnknownName { name, .. } if name == "Dubbio"
    ));
    assert!(matches!(
        fails(&|s| s.codes.push(code("Fede", "Uno"))),
        Error::Duplicate { .. }
    ));
    assert!(matches!(
        fails(&|s| s.codes.push(code("due parole", "Uno"))),
        Error::Unmatchable { .. }
    ));
    assert!(matches!(
        fails(&|s| s.codes.push(code("Due", "Nessuno"))),
        Error::UnknownName { .. }
    ));
    assert!(matches!(
        fails(&|s| s.quadrants.truncate(1)),
        Error::Count { .. }
    ));
    assert!(matches!(
        fails(&|s| s.languages[0].markers.push("… ma".to_owned())),
        Error::Unmatchable { .. }
    ));
    assert!(matches!(
        fails(&|s| s.languages[0]
            .relation_phrases
            .push(["x".to_owned(), "tutto".to_owned()])),
        Error::UnknownName { .. }
    ));
    let deployed = Options {
        semantics: Semantics::DeployedJs,
        ..Options::default()
    };
    let own = Ontology::new(own()).unwrap();
    assert_eq!(
        Scorer::with_ontology(deployed, own).unwrap_err(),
        Error::DeployedOntology
    );
}

#[test]
fn texts_over_the_limit_are_refused() {
    let options = Options {
        max_bytes: 10,
        ..Options::default()
    };
    let error = Scorer::new(options)
        .unwrap()
        .score("eleven bytes")
        .unwrap_err();
    assert!(
        matches!(
            error,
            Error::TextTooLong {
                bytes: 12,
                limit: 10
            }
        ),
        "{error}"
    );
}
