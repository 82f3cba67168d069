//! The reported cases of comparable systems (G…), on what needs no model.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeMap;
use std::sync::Arc;

use geodesic_retriever::{
    Bands, Calibration, CalibrationMethod, ChunkOptions, Chunker, Corpus, DeclineReason, Document,
    Embedder, EntryKind, EntryMeta, Error, ExactIndex, Filter, Fingerprint, GENERALIST,
    GeodesicRetriever, IndexEntry, LexicalConfig, LexicalEmbedder, RetrievalOutcome, Retriever,
    RetrieverOptions, SHIPPED_ALPHA, Shape, Similarity, Snapshot, Vector, VectorIndex,
    shipped_probes,
};

fn document(id: &str, text: &str) -> Document {
    Document {
        id: id.into(),
        title: id.into(),
        text: text.into(),
    }
}

fn corpus(documents: Vec<Document>) -> Corpus {
    let chunker = Chunker::characters(ChunkOptions::default()).unwrap();
    Corpus::new(documents, &chunker, &mut |_| {})
}

fn small() -> Corpus {
    corpus(vec![
        document(
            "tides.txt",
            "The moon raises two tides a day in most harbours of the coast.",
        ),
        document(
            "bread.txt",
            "Sourdough bread rises by wild yeast and lactic bacteria.",
        ),
        document(
            "bridge.txt",
            "The Halden bridge is 312 metres long and was opened in 1931.",
        ),
    ])
}

fn retriever(corpus: Corpus) -> GeodesicRetriever {
    GeodesicRetriever::lexical(corpus, RetrieverOptions::default(), &mut |_| {}).unwrap()
}

#[test]
fn g1_lexical_vectors_do_not_depend_on_the_batch() {
    let texts = [
        "granite there",
        "a longer text about tides and harbours",
        "yeast",
    ];
    let embedder = LexicalEmbedder::learn(LexicalConfig::default(), &texts).unwrap();
    let together = embedder.embed_documents(&texts).unwrap();
    for (text, found) in texts.iter().zip(together) {
        let alone = embedder
            .embed_documents(&[text])
            .unwrap()
            .remove(0)
            .unwrap();
        assert_eq!(alone.vector, found.unwrap().vector);
    }
    // Both passes at once give what one after the other gives.
    let (again, vectors) =
        LexicalEmbedder::learn_and_embed(LexicalConfig::default(), &texts, &mut |_| {}).unwrap();
    assert_eq!(again.state(), embedder.state());
    assert_eq!(vectors, embedder.embed_documents(&texts).unwrap());
}

#[test]
fn g5_empty_texts_fail_alone() {
    let texts = ["tides", "", "  \n", "\u{200b}", "harbours"];
    let embedder = LexicalEmbedder::learn(LexicalConfig::default(), &texts).unwrap();
    let found = embedder.embed_documents(&texts).unwrap();
    let ok: Vec<bool> = found.iter().map(Result::is_ok).collect();
    assert_eq!(ok, [true, false, false, false, true]);
}

#[test]
fn g7_exact_copies_score_one_and_the_gate_is_strict() {
    assert_eq!(Similarity::from_cosine(1.000_000_2).query_sim(), 1.0);
    let c = calibration(&fingerprint("m", 3), 0.7);
    // One float type: the threshold and the score are both f64, and equal is not above.
    assert!(!c.passes(0.7));
    assert!(!c.passes(f64::from(0.7f32)));
    assert!(c.passes(0.700_000_1));
}

fn fingerprint(model: &str, dimension: usize) -> Fingerprint {
    Fingerprint {
        model_id: model.into(),
        shape: Shape::Dense(dimension),
        settings: BTreeMap::from([("pooling".into(), "mean".into())]),
        learned: None,
    }
}

fn calibration(fingerprint: &Fingerprint, threshold: f64) -> Calibration {
    Calibration {
        floor: 0.0,
        threshold,
        bands: Bands {
            partial: 0.55,
            matching: 0.65,
            strong: 0.72,
        },
        how: CalibrationMethod::Manual,
        fingerprint: fingerprint.clone(),
        corpus_root: None,
        date: None,
    }
}

/// An embedder whose vectors the test sets: a text is a list of numbers.
struct Numbers(Fingerprint);

impl Embedder for Numbers {
    fn fingerprint(&self) -> &Fingerprint {
        &self.0
    }

    fn max_tokens(&self) -> Option<usize> {
        None
    }

    fn embed_documents_with(
        &self,
        texts: &[&str],
        _: &mut dyn FnMut(geodesic_retriever::Progress),
    ) -> Result<Vec<Result<geodesic_retriever::Embedding, Error>>, Error> {
        let one = |t: &&str| {
            let vector = self.embed_query(t)?;
            Ok(geodesic_retriever::Embedding {
                vector,
                tokens: 1,
                truncated_from: None,
            })
        };
        Ok(texts.iter().map(one).collect())
    }

    fn embed_query(&self, text: &str) -> Result<Vector, Error> {
        let values = text
            .split_whitespace()
            .map(|x| x.parse().unwrap())
            .collect();
        Vector::Dense(values).normalized("query")
    }
}

#[test]
fn g9_another_model_setting_or_dimension_is_a_mismatch() {
    let a = fingerprint("a", 8);
    let mut pooled = a.clone();
    pooled.settings.insert("pooling".into(), "cls".into());
    let learned = Fingerprint {
        learned: Some("x".into()),
        ..a.clone()
    };
    for (other, field) in [
        (fingerprint("b", 8), "model_id"),
        (fingerprint("a", 4), "shape"),
        (pooled, "pooling"),
        (learned, "learned"),
    ] {
        let index = Box::new(ExactIndex::new(a.clone()));
        let calibration = calibration(&other, 0.5);
        let made = GeodesicRetriever::new(
            Arc::new(Numbers(other)),
            index,
            Box::new(small()),
            calibration,
            RetrieverOptions::default(),
        );
        let e = made.err().unwrap();
        assert!(
            matches!(&e, Error::ModelMismatch { field: f, .. } if f == field),
            "{e}"
        );
    }
}

#[test]
fn g12_filters_and_removals_still_fill_k() {
    let shape = fingerprint("a", 4);
    let mut index = ExactIndex::new(shape);
    let mut state = 1u64;
    let mut next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 40) as f32 / (1u64 << 24) as f32 - 0.5
    };
    let entry = |i: usize, v: Vec<f32>| IndexEntry {
        id: format!("{i:05}"),
        vector: Vector::Dense(v),
        meta: EntryMeta {
            cube: GENERALIST.into(),
            kind: if i % 3500 == 1 {
                EntryKind::Identity
            } else {
                EntryKind::Fact
            },
            parent: "p".into(),
        },
    };
    let all: Vec<IndexEntry> = (0..10_000)
        .map(|i| entry(i, vec![next(), next(), next(), next()]))
        .collect();
    index.insert(all).unwrap();
    let query = Vector::Dense(vec![0.3, -0.2, 0.5, 0.1]);
    let rare = Filter {
        kinds: Some([EntryKind::Identity].into()),
        ..Filter::default()
    };
    assert_eq!(index.search(&query, 3, &rare).unwrap().len(), 3);
    let before = index.search(&query, 20, &Filter::default()).unwrap();
    let top: Vec<&str> = before[..10].iter().map(|h| h.id.as_str()).collect();
    assert_eq!(index.remove(&top).unwrap(), 10);
    assert_eq!(
        index.search(&query, 10, &Filter::default()).unwrap(),
        before[10..]
    );
    // The f32 pass and the f64 judgement agree with brute force.
    let mut brute: Vec<_> = index
        .entries()
        .map(|e| (e.vector.similarity(&query).query_sim(), e.id))
        .collect();
    brute.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    let found = index.search(&query, 100, &Filter::default()).unwrap();
    for (hit, (sim, id)) in found.iter().zip(&brute) {
        assert_eq!((hit.similarity.query_sim(), &hit.id), (*sim, id));
    }
}

#[test]
fn g12_a_filter_that_nothing_passes_declines_with_that_reason() {
    let options = RetrieverOptions {
        filter: Filter {
            parents: Some(["absent.txt".into()].into()),
            ..Filter::default()
        },
        ..RetrieverOptions::default()
    };
    let r = GeodesicRetriever::lexical(small(), options, &mut |_| {}).unwrap();
    let RetrievalOutcome::Declined { reason, .. } = r.retrieve("tides").unwrap() else {
        panic!("grounded")
    };
    assert_eq!(reason, DeclineReason::NothingPassesFilter);
}

#[test]
fn g14_the_gate_declines_what_is_unrelated_with_figure_and_reason() {
    let r = retriever(small());
    assert!(
        r.retrieve("How long is the Halden bridge?")
            .unwrap()
            .is_grounded()
    );
    let outcome = r
        .retrieve("Who painted the Sistine Chapel ceiling?")
        .unwrap();
    let RetrievalOutcome::Declined {
        reason, figures, ..
    } = outcome
    else {
        panic!("grounded")
    };
    let DeclineReason::BelowThreshold { best, threshold } = reason else {
        panic!("{reason}")
    };
    assert_eq!(Some(best), figures.best_query_sim);
    assert!(best <= threshold && threshold == figures.threshold);
    // Function words alone are no content; an empty question is the caller's mistake.
    let RetrievalOutcome::Declined { reason, .. } = r.retrieve("What is it?").unwrap() else {
        panic!("grounded")
    };
    assert_eq!(reason, DeclineReason::NoContent);
    assert_eq!(r.retrieve(" \n").unwrap_err(), Error::EmptyQuestion);
    let long = "tides ".repeat(200_000);
    assert!(matches!(
        r.retrieve(&long),
        Err(Error::QuestionTooLong { limit: 65_536, .. })
    ));
    // A corpus of one works; an empty one declines.
    let one = retriever(corpus(vec![document(
        "a",
        "Sourdough bread rises by wild yeast.",
    )]));
    assert!(
        one.retrieve("What makes sourdough bread rise?")
            .unwrap()
            .is_grounded()
    );
    let RetrievalOutcome::Declined { reason, .. } =
        retriever(corpus(vec![])).retrieve("bread").unwrap()
    else {
        panic!("grounded")
    };
    assert_eq!(reason, DeclineReason::EmptyDictionary);
}

#[test]
fn the_floor_admits_and_the_window_spreads() {
    let space = fingerprint("a", 2);
    let documents: Vec<Document> = (0..6)
        .map(|i| document(&format!("{}.txt", i / 3), &format!("t{i}")))
        .collect();
    let corpus = corpus(documents);
    let vectors = [
        [1.0, 0.0],
        [1.0, 0.001],
        [1.0, 0.5],
        [1.0, 0.6],
        [0.2, 1.0],
        [-1.0, 0.0],
    ];
    let keys = corpus.index_keys();
    let entries = keys.zip(vectors).map(|((id, meta), v)| IndexEntry {
        id: id.into(),
        vector: Vector::Dense(v.to_vec()),
        meta,
    });
    let mut index = ExactIndex::new(space.clone());
    index.insert(entries.collect()).unwrap();
    let mut c = calibration(&space, 0.9);
    c.floor = 0.55;
    let options = RetrieverOptions {
        per_parent: 2,
        near_duplicate: 0.9999,
        ..RetrieverOptions::default()
    };
    let r = GeodesicRetriever::new(
        Arc::new(Numbers(space)),
        Box::new(index),
        Box::new(corpus),
        c,
        options,
    )
    .unwrap();
    let outcome = r.retrieve("1 0").unwrap();
    let figures = outcome.figures();
    assert_eq!(
        (
            figures.candidates,
            figures.admitted,
            figures.near_duplicates
        ),
        (6, 5, 1)
    );
    assert!(
        outcome
            .passages()
            .windows(2)
            .all(|w| w[0].query_sim >= w[1].query_sim)
    );
    assert!(outcome.passages().iter().all(|p| p.query_sim >= 0.55));
}

#[test]
fn a_query_changes_nothing_but_the_session() {
    let r = retriever(small());
    let first = r.retrieve("How long is the Halden bridge?").unwrap();
    for q in ["tides", "yeast", "How long is the Halden bridge?"] {
        r.retrieve(q).unwrap();
    }
    assert_eq!(r.retrieve("How long is the Halden bridge?").unwrap(), first);
    assert_eq!(r.session().queries, 5);
    assert_eq!(r.session().context.len(), 5);
}

#[test]
fn specialists_are_merged_by_the_same_similarity() {
    let space = fingerprint("a", 2);
    let build = |names: [&str; 2], vectors: [[f32; 2]; 2]| {
        let corpus = corpus(names.map(|n| document(n, n)).to_vec());
        let entries = corpus
            .index_keys()
            .zip(vectors)
            .map(|((id, meta), v)| IndexEntry {
                id: id.into(),
                vector: Vector::Dense(v.to_vec()),
                meta,
            });
        let mut index = ExactIndex::new(space.clone());
        index.insert(entries.collect()).unwrap();
        (Box::new(index), Box::new(corpus))
    };
    let (index, passages) = build(["far", "near"], [[0.5, 1.0], [1.0, 0.1]]);
    let (other, theirs) = build(["nearest", "middle"], [[1.0, 0.0], [1.0, 0.5]]);
    let c = calibration(&space, 0.6);
    let mut r = GeodesicRetriever::new(
        Arc::new(Numbers(space.clone())),
        index,
        passages,
        c,
        RetrieverOptions {
            near_duplicate: 1.1,
            ..RetrieverOptions::default()
        },
    )
    .unwrap();
    r.add_specialist(other, theirs).unwrap();
    let outcome = r.retrieve("1 0").unwrap();
    let order: Vec<&str> = outcome
        .passages()
        .iter()
        .map(|p| p.passage.title.as_str())
        .collect();
    assert_eq!(order, ["nearest", "near", "middle", "far"]);
}

fn snapshot() -> Snapshot {
    let corpus = small();
    let texts = corpus.embedding_texts();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let (e, vectors) =
        LexicalEmbedder::learn_and_embed(LexicalConfig::default(), &texts, &mut |_| {}).unwrap();
    let index = ExactIndex::of_corpus(e.fingerprint(), &corpus, vectors).unwrap();
    let calibration = Calibration::built_in(e.fingerprint()).unwrap();
    Snapshot {
        corpus,
        index,
        lexical: Some(e.state()),
        calibration,
    }
}

#[test]
fn snapshots_come_back_and_damage_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index.candor");
    snapshot().save(&path).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    snapshot().save(&path).unwrap();
    assert_eq!(
        std::fs::read(&path).unwrap(),
        bytes,
        "the same corpus gives the same bytes"
    );
    let question = "How long is the Halden bridge?";
    let back = Snapshot::load(&path)
        .unwrap()
        .into_retriever(None, RetrieverOptions::default());
    assert_eq!(
        back.unwrap().retrieve(question).unwrap(),
        retriever(small()).retrieve(question).unwrap()
    );
    for cut in [0, 1, 15, 16, 24, 40, bytes.len() / 2, bytes.len() - 1] {
        std::fs::write(&path, &bytes[..cut]).unwrap();
        let e = Snapshot::load(&path).unwrap_err();
        assert!(
            matches!(e, Error::Damaged { .. }) && e.to_string().contains("index.candor"),
            "{e}"
        );
    }
    for at in (0..bytes.len()).step_by(bytes.len() / 97) {
        let mut flipped = bytes.clone();
        flipped[at] ^= 1 << (at % 8);
        std::fs::write(&path, &flipped).unwrap();
        assert!(
            matches!(Snapshot::load(&path), Err(Error::Damaged { .. })),
            "byte {at}"
        );
    }
    std::fs::remove_file(&path).unwrap();
    assert!(matches!(Snapshot::load(&path), Err(Error::Io { .. })));
}

#[test]
fn g6_a_snapshot_with_an_unusable_vector_is_refused_by_file_and_entry() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index.candor");
    let space = fingerprint("a", 2);
    let mut index = ExactIndex::new(space.clone());
    let entry = |id: &str, v: [f32; 2]| IndexEntry {
        id: id.into(),
        vector: Vector::Dense(v.to_vec()),
        meta: EntryMeta {
            cube: GENERALIST.into(),
            kind: EntryKind::Fact,
            parent: "p".into(),
        },
    };
    let marked = [0.123_456_7f32, 0.765_432_1];
    index
        .insert(vec![entry("good", [1.0, 0.5]), entry("entry 7", marked)])
        .unwrap();
    let snapshot = Snapshot {
        corpus: corpus(vec![]),
        index,
        lexical: None,
        calibration: calibration(&space, 0.5),
    };
    snapshot.save(&path).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let place = marked.map(f32::to_le_bytes).concat();
    let at = bytes.windows(8).position(|w| w == place).unwrap();
    // Whole by its digest, written by a program that did not check.
    for (bad, word) in [
        ([f32::NAN, 0.0], "finite"),
        ([f32::INFINITY, 0.0], "finite"),
        ([0.0, 0.0], "zero"),
        ([1e-40, 0.0], "zero"),
    ] {
        let mut forged = bytes[..bytes.len() - 32].to_vec();
        forged[at..at + 8].copy_from_slice(&bad.map(f32::to_le_bytes).concat());
        let digest = blake3::hash(&forged);
        forged.extend_from_slice(digest.as_bytes());
        std::fs::write(&path, &forged).unwrap();
        let e = Snapshot::load(&path).unwrap_err();
        assert!(matches!(e, Error::Damaged { .. }), "{e}");
        let e = e.to_string();
        assert!(
            e.contains("index.candor") && e.contains("entry 7") && e.contains(word),
            "{e}"
        );
    }
}

#[test]
fn an_embedder_without_a_shipped_calibration_gets_one_from_the_index() {
    /// A vector out of the text's letters; knows nothing.
    struct Letters(Fingerprint);
    impl Embedder for Letters {
        fn fingerprint(&self) -> &Fingerprint {
            &self.0
        }
        fn max_tokens(&self) -> Option<usize> {
            None
        }
        fn embed_documents_with(
            &self,
            texts: &[&str],
            _: &mut dyn FnMut(geodesic_retriever::Progress),
        ) -> Result<Vec<Result<geodesic_retriever::Embedding, Error>>, Error> {
            let one = |t: &&str| {
                Ok(geodesic_retriever::Embedding {
                    vector: self.embed_query(t)?,
                    tokens: 1,
                    truncated_from: None,
                })
            };
            Ok(texts.iter().map(one).collect())
        }
        fn embed_query(&self, text: &str) -> Result<Vector, Error> {
            let mut counts = vec![0f32; 32];
            for b in text.bytes().filter(u8::is_ascii_alphabetic) {
                counts[usize::from(b & 31)] += 1.0;
            }
            Vector::Dense(counts).normalized("text")
        }
    }
    let embedder: Arc<dyn Embedder> = Arc::new(Letters(fingerprint("letters", 32)));
    let make = |corpus| {
        GeodesicRetriever::index(
            embedder.clone(),
            corpus,
            RetrieverOptions::default(),
            &mut |_| {},
        )
        .unwrap()
    };
    let r = make(small());
    let c = r.calibration();
    let probes = shipped_probes().count();
    assert_eq!(
        c.how,
        CalibrationMethod::Probes {
            alpha: SHIPPED_ALPHA,
            probes
        }
    );
    assert_eq!(c.corpus_root, r.corpus_root());
    c.check().unwrap();
    // At most alpha of the probes pass, and an entry's own text does.
    let passing = shipped_probes().filter(|p| r.retrieve(p).unwrap().is_grounded());
    assert!(passing.count() as f64 <= SHIPPED_ALPHA * (probes + 1) as f64);
    let own = small().embedding_texts().remove(0);
    assert!(r.retrieve(&own).unwrap().is_grounded());
    // Nothing to measure on: the gate is closed.
    assert_eq!(make(corpus(vec![])).calibration().threshold, 1.0);
}

#[test]
fn conformal_calibrations_warn_of_drift_and_refuse_other_models() {
    let r = retriever(small());
    let c = Calibration {
        corpus_root: Some("old".into()),
        ..calibration(r.fingerprint(), 0.6)
    };
    let note = c.fits(r.fingerprint(), Some("new")).unwrap().unwrap();
    assert!(note.contains("old") && note.contains("new"));
    assert_eq!(c.fits(r.fingerprint(), Some("old")).unwrap(), None);
    assert!(c.fits(&fingerprint("m", 3), None).is_err());
}

#[test]
fn outcomes_round_trip_with_pinned_field_names() {
    let outcome = retriever(small())
        .retrieve("How long is the Halden bridge?")
        .unwrap();
    let json = serde_json::to_value(&outcome).unwrap();
    assert_eq!(json["outcome"], "grounded");
    let passage = json["passages"][0].as_object().unwrap();
    let names: Vec<&str> = passage.keys().map(String::as_str).collect();
    let pinned = [
        "bytes",
        "chars",
        "cosine",
        "entry_id",
        "meta",
        "query_sim",
        "source_id",
        "text",
        "title",
    ];
    let mut sorted = names.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, pinned);
    let figures = json["figures"].as_object().unwrap();
    let mut names: Vec<&str> = figures.keys().map(String::as_str).collect();
    names.sort_unstable();
    assert_eq!(
        names,
        [
            "admitted",
            "amplitudes",
            "band",
            "best_query_sim",
            "candidates",
            "entries",
            "floor",
            "model_id",
            "near_duplicates",
            "notes",
            "over_parent_limit",
            "suggested_action",
            "threshold",
            "winner",
        ]
    );
    assert_eq!(
        serde_json::from_value::<RetrievalOutcome>(json).unwrap(),
        outcome
    );
}
