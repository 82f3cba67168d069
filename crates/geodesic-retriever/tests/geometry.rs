//! Seed 003's figures: rank 7, exact antipodes, complementarity to the last bit, the gate; and
//! that nothing but querySim orders results.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr
)]

use std::collections::BTreeMap;
use std::path::Path;

use geodesic_retriever::{
    AnchorSet, AnchorSource, DictionaryCount, Embedder, EntryKind, EntryMeta, Error, ExactIndex,
    Filter, Fingerprint, GateOptions, GateReport, IndexEntry, LabelSet, LexicalConfig,
    LexicalEmbedder, ScaffoldPhrase, Shape, SpecialistOptions, Vector, VectorIndex,
    derive_specialist_anchors, initialization_gate,
};
use proptest::prelude::*;

fn scaffold() -> Vec<ScaffoldPhrase> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/scaffold/scaffold.jsonl");
    let text = std::fs::read_to_string(path).unwrap();
    text.lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .collect()
}

fn lexical() -> LexicalEmbedder {
    let phrases = scaffold();
    let texts: Vec<&str> = phrases.iter().map(|p| p.text.as_str()).collect();
    LexicalEmbedder::learn(LexicalConfig::default(), &texts).unwrap()
}

fn show(report: &GateReport) {
    for c in &report.checks {
        eprintln!(
            "{} {}: {:.4} ({}) {}",
            report.model_id, c.name, c.figure, c.accepted, c.passed
        );
    }
    eprintln!("{} arrivals: {:?}", report.model_id, report.arrivals);
}

fn structure(anchors: &AnchorSet) {
    for &(a, b) in &anchors.labels.pairs {
        let negated = match (&anchors.anchors[a], &anchors.anchors[b]) {
            (Vector::Dense(x), Vector::Dense(y)) => x.iter().zip(y).all(|(x, y)| *x == -y),
            (Vector::Sparse(x), Vector::Sparse(y)) => {
                x.indices == y.indices && x.values.iter().zip(&y.values).all(|(x, y)| *x == -y)
            }
            _ => false,
        };
        assert!(negated, "anchors {a} and {b} are exact negatives");
    }
}

fn gate(embedder: &dyn Embedder) -> (AnchorSet, Vec<(usize, Vector)>, GateReport) {
    let (anchors, phrases) =
        AnchorSet::from_scaffold(LabelSet::thirteen(), &scaffold(), embedder).unwrap();
    structure(&anchors);
    for (_, v) in &phrases {
        let amplitudes = anchors.amplitudes(v);
        for &(a, b) in &anchors.labels.pairs {
            assert_eq!(amplitudes[a] + amplitudes[b], 1.0);
        }
    }
    let dictionary = DictionaryCount {
        identity: 0,
        scaffold: 520,
        held: 520,
        rejected: 0,
    };
    let options = GateOptions {
        expected_axis_angles: Some(anchors.axis_angles()),
        dictionary: Some(dictionary),
        waived: vec![],
    };
    let report = initialization_gate(&anchors, &phrases, &options);
    show(&report);
    let figure = |name: &str| {
        report
            .checks
            .iter()
            .find(|c| c.name == name)
            .unwrap()
            .figure
    };
    assert_eq!(figure("gram_rank"), 7.0);
    assert_eq!(figure("antipodal_cosine"), -1.0);
    let exact = 42.0 * std::f64::consts::PI / 78.0;
    assert!((figure("mean_pairwise_geodesic") - exact).abs() < 1e-9);
    assert_eq!(anchors.axis_angles().len(), 15);
    (anchors, phrases, report)
}

#[test]
fn the_scaffold_has_forty_phrases_a_label() {
    let mut counts = BTreeMap::new();
    for p in scaffold() {
        *counts.entry(p.label).or_insert(0) += 1;
    }
    assert_eq!(counts.len(), 13);
    assert!(counts.values().all(|&n| n == 40));
}

#[test]
fn the_gate_passes_with_the_lexical_embedder() {
    let (_, _, report) = gate(&lexical());
    report.into_result().unwrap();
}

#[cfg(feature = "bert")]
#[test]
#[cfg_attr(debug_assertions, ignore = "release only: 520 phrases through MiniLM")]
fn the_gate_report_with_minilm() {
    use geodesic_retriever::{BertEmbedder, TransformerOptions};
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/models/all-MiniLM-L6-v2");
    if !path.join(".complete").exists() {
        eprintln!(
            "skipped: {} is not there (fixtures/fetch-models.sh brings it)",
            path.display()
        );
        return;
    }
    let embedder = BertEmbedder::load(&path, &TransformerOptions::default()).unwrap();
    let (_, _, report) = gate(&embedder);
    report.into_result().unwrap();
}

#[test]
fn a_failing_gate_is_an_error_with_figures_unless_waived() {
    let embedder = lexical();
    let (anchors, mut phrases, _) = gate(&embedder);
    // Labels shifted by one: routing breaks.
    for (label, _) in &mut phrases {
        *label = (*label + 1) % 13;
    }
    let report = initialization_gate(&anchors, &phrases, &GateOptions::default());
    let e = report.into_result().unwrap_err();
    assert!(
        matches!(&e, Error::Gate { failed } if failed.contains("scaffold_routing is 0.")),
        "{e}"
    );
    let waived = vec![
        "scaffold_routing".to_owned(),
        "cross_axis_arrivals".to_owned(),
    ];
    let options = GateOptions {
        waived,
        ..GateOptions::default()
    };
    assert!(
        initialization_gate(&anchors, &phrases, &options)
            .into_result()
            .is_ok()
    );
    // Another model's angles are noticed.
    let wrong = anchors.axis_angles().iter().map(|a| a + 0.01).collect();
    let options = GateOptions {
        expected_axis_angles: Some(wrong),
        ..GateOptions::default()
    };
    let report = initialization_gate(&anchors, &phrases, &options);
    assert!(
        report
            .checks
            .iter()
            .any(|c| c.name == "embedder_parity" && !c.passed)
    );
}

#[test]
fn a_scaffold_with_an_unknown_or_empty_label_is_refused() {
    let embedder = lexical();
    let mut phrases = scaffold();
    phrases[3].label = "Flying".into();
    let e = AnchorSet::from_scaffold(LabelSet::thirteen(), &phrases, &embedder).unwrap_err();
    assert!(e.to_string().contains("Flying"), "{e}");
    phrases.retain(|p| p.label != "Flying" && p.label != "Judging");
    let e = AnchorSet::from_scaffold(LabelSet::thirteen(), &phrases, &embedder).unwrap_err();
    assert!(e.to_string().contains("Judging"), "{e}");
}

#[test]
fn specialists_inherit_or_derive_with_the_reason() {
    let (anchors, phrases, _) = gate(&lexical());
    let entries: Vec<&Vector> = phrases.iter().map(|(_, v)| v).collect();
    let options = SpecialistOptions {
        clusters: 13,
        min_coherence: 0.2,
        ..Default::default()
    };
    let source = |depth, n: usize, o: &SpecialistOptions| {
        derive_specialist_anchors(&anchors, depth, &entries[..n], o)
            .unwrap()
            .source
    };
    assert_eq!(source(1, 520, &options), AnchorSource::InheritedAtDepthOne);
    assert_eq!(
        source(2, 64, &options),
        AnchorSource::InheritedTooFewEntries {
            entries: 64,
            needed: 65
        }
    );
    let strict = SpecialistOptions {
        min_coherence: 0.99,
        ..options
    };
    assert!(matches!(
        source(2, 520, &strict),
        AnchorSource::InheritedLowCoherence { .. }
    ));
    let derived = derive_specialist_anchors(&anchors, 2, &entries, &options).unwrap();
    assert!(matches!(derived.source, AnchorSource::Derived { coherence, .. } if coherence > 0.2));
    assert_eq!(derived.anchors.len(), 13);
    assert_eq!(
        derived,
        derive_specialist_anchors(&anchors, 2, &entries, &options).unwrap()
    );
}

proptest! {
    #[test]
    fn nothing_but_query_sim_orders_results(
        vectors in proptest::collection::vec(proptest::collection::vec(-1.0f32..1.0, 6), 2..40),
        shuffle in any::<u64>(),
        kinds in proptest::collection::vec(0usize..4, 40),
    ) {
        let space = Fingerprint {
            model_id: "p".into(), shape: Shape::Dense(6), settings: BTreeMap::new(), learned: None,
        };
        let usable: Vec<&Vec<f32>> =
            vectors.iter().filter(|v| v.iter().any(|x| x.abs() > 1e-3)).collect();
        let all = [EntryKind::Fact, EntryKind::Response, EntryKind::Identity, EntryKind::Scaffold];
        let build = |meta_of: &dyn Fn(usize) -> EntryMeta, reverse: bool| {
            let mut entries: Vec<IndexEntry> = usable.iter().enumerate().map(|(i, v)| IndexEntry {
                id: format!("{i:03}"), vector: Vector::Dense((*v).clone()), meta: meta_of(i),
            }).collect();
            if reverse { entries.reverse(); }
            let mut index = ExactIndex::new(space.clone());
            index.insert(entries).unwrap();
            index
        };
        // Age (order of insertion), kind, dictionary and parent change; the order does not.
        let plain = build(&|_| EntryMeta { cube: "a".into(), kind: EntryKind::Fact, parent: "p".into() }, false);
        let varied = build(&|i| EntryMeta {
            cube: format!("c{}", (i as u64 ^ shuffle) % 5),
            kind: all[kinds[i % 40]],
            parent: format!("d{}", (i as u64).wrapping_mul(shuffle) % 7),
        }, true);
        let query = Vector::Dense(vec![0.5, -0.25, 0.125, 0.75, -0.5, 0.3]);
        let ids = |index: &ExactIndex| -> Vec<(String, f64)> {
            index.search(&query, 100, &Filter::default()).unwrap().into_iter()
                .map(|h| (h.id, h.similarity.query_sim())).collect()
        };
        let order = ids(&plain);
        prop_assert_eq!(&order, &ids(&varied));
        prop_assert!(order.windows(2).all(|w| w[0].1 > w[1].1 || (w[0].1 == w[1].1 && w[0].0 < w[1].0)));
    }
}
