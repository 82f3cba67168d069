//! Watching a dictionary: figures, anomalies, the audit's cases, the learner, compound questions.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeSet;

use geodesic_retriever::*;

fn corpus(texts: &[&str]) -> Corpus {
    let documents = texts.iter().enumerate();
    let documents = documents.map(|(n, text)| Document {
        id: format!("d{n}.txt"),
        title: String::new(),
        text: (*text).to_owned(),
    });
    let chunker = Chunker::characters(ChunkOptions::default()).unwrap();
    Corpus::new(documents.collect(), &chunker, &mut |_| {})
}

const TEXTS: [&str; 4] = [
    "The bridge at Halden has twelve spans and was opened in 1931.",
    "Sourdough bread rises by wild yeast and lactic bacteria in a leaven.",
    "The gravity of the moon raises two tides a day in most harbours.",
    "Volcanoes of the island erupted in August 1883 and buried the coast.",
];

fn retriever() -> GeodesicRetriever {
    GeodesicRetriever::lexical(corpus(&TEXTS), RetrieverOptions::default(), &mut |_| {}).unwrap()
}

fn outcome(best: f64, entries: usize, winner: Option<&str>) -> RetrievalOutcome {
    let mut outcome = retriever().retrieve("Who won the chess final?").unwrap();
    let (RetrievalOutcome::Declined { figures, .. } | RetrievalOutcome::Grounded { figures, .. }) =
        &mut outcome;
    figures.best_query_sim = Some(best);
    figures.entries = entries;
    figures.winner = winner.map(str::to_owned);
    outcome
}

#[test]
fn a_snapshot_every_tenth_pass_and_every_pass_of_an_anomaly() {
    let events = Events::new();
    let stream = events.stream();
    let capacity = Capacity::new(100).unwrap();
    let mut monitor = Monitor::new(MonitorOptions::default(), Some(capacity), events);
    let calm: Vec<RetrievalOutcome> = (0..10)
        .map(|n| outcome(0.5 + 0.01 * f64::from(n), 89, None))
        .collect();
    for o in &calm {
        assert_eq!(monitor.observe(o), []);
    }
    let told: Vec<Event> = stream.try_iter().collect();
    let [Event::MetricSnapshot { metrics }] = &told[..] else {
        panic!("{told:?}");
    };
    assert_eq!((metrics.passes, metrics.window), (10, 10));
    assert!((metrics.mean_best.unwrap() - 0.545).abs() < 1e-12);
    assert!((metrics.variance_best.unwrap() - 0.000_825).abs() < 1e-12);
    // 89 of 100 are not nearly full, 90 are; told once, while snapshots come with every pass.
    let full = outcome(0.9, 90, None);
    for _ in 0..3 {
        assert_eq!(
            monitor.observe(&full),
            [Anomaly::DictionaryThreshold {
                entries: 90,
                capacity: 100
            }]
        );
    }
    let told: Vec<Event> = stream.try_iter().collect();
    let anomalies = told
        .iter()
        .filter(|e| matches!(e, Event::AnomalyEvent { .. }));
    assert_eq!((anomalies.count(), told.len()), (1, 4));
}

#[test]
fn collapse_and_stagnation_need_a_full_window() {
    let mut monitor = Monitor::new(MonitorOptions::default(), None, Events::new());
    let same = outcome(0.6, 5, Some("Reasoning"));
    for n in 1..20 {
        assert_eq!(monitor.observe(&same), [], "{n}");
    }
    let found = monitor.observe(&same);
    assert!(matches!(
        found[0],
        Anomaly::ResonanceVarianceCollapse { .. }
    ));
    assert_eq!(
        found[1],
        Anomaly::WinnerStagnation {
            label: "Reasoning".into(),
            passes: 20
        }
    );
    let found = monitor.observe(&outcome(0.9, 5, Some("Feeling")));
    assert_eq!(found, [], "another winner, another similarity");
}

#[test]
fn events_have_names_on_the_wire() {
    let event = Event::AnomalyEvent {
        anomaly: Anomaly::DictionaryThreshold {
            entries: 9,
            capacity: 10,
        },
    };
    let json = serde_json::to_string(&event).unwrap();
    assert_eq!(
        json,
        "{\"event\":\"anomaly_event\",\"anomaly\":{\"kind\":\"dictionary_threshold\",\
         \"entries\":9,\"capacity\":10}}"
    );
    assert_eq!(serde_json::from_str::<Event>(&json).unwrap(), event);
    for name in [
        "metric_snapshot",
        "retrieval_audit",
        "dictionary_event",
        "supervisor_tick",
    ] {
        let error = serde_json::from_str::<Event>(&format!("{{\"event\":\"{name}\"}}"));
        assert!(
            error.unwrap_err().to_string().contains("missing field"),
            "{name}"
        );
    }
}

#[test]
fn learning_in_parts_is_learning_at_once() {
    let config = LexicalConfig::default();
    let whole = LexicalEmbedder::learn(config.clone(), &TEXTS).unwrap();
    let mut learner = LexicalLearner::new(config).unwrap();
    learner.observe(&TEXTS[..1]);
    learner.observe(&[]);
    learner.observe(&TEXTS[1..]);
    let parts = learner.finish();
    assert_eq!(parts.state(), whole.state());
    assert_eq!(parts.fingerprint(), whole.fingerprint());
}

#[test]
fn a_look_sees_what_retrieval_sees_and_leaves_no_trace() {
    for question in [
        "How many spans has the bridge at Halden?",
        "Who won the chess final?",
    ] {
        let retriever = retriever();
        let look = retriever.look(question, 10).unwrap();
        assert_eq!(retriever.session(), SessionState::default());
        let outcome = retriever.retrieve(question).unwrap();
        assert_eq!(look.grounded, outcome.is_grounded());
        assert_eq!(look.best, outcome.figures().best_query_sim);
        assert_eq!(look.documents.len(), 4, "all there are, each once");
        if let Some(first) = outcome.passages().first() {
            assert_eq!(look.documents[0], first.passage.source_id);
        }
    }
    let retriever = retriever();
    assert!(retriever.look(" ", 10).is_err());
    assert_eq!(retriever.look("?!", 10).unwrap(), Look::default());
}

#[test]
fn documents_behind_many_passages_of_one_are_reached() {
    // One document with 80 passages nearer than any other's: more than are fetched at first.
    let long = (0..80)
        .map(|n| format!("Bridge bridge bridge spans number {n} of the bridge.\n\n"))
        .collect::<String>();
    let texts = [long.as_str(), TEXTS[0], TEXTS[1], TEXTS[2]];
    let documents = texts.iter().enumerate().map(|(n, text)| Document {
        id: format!("d{n}"),
        title: String::new(),
        text: (*text).to_owned(),
    });
    let sizes = ChunkOptions {
        max_size: 60,
        overlap: 0,
    };
    let chunker = Chunker::characters(sizes).unwrap();
    let corpus = Corpus::new(documents.collect(), &chunker, &mut |_| {});
    let options = RetrieverOptions {
        fetch_k: 10,
        ..RetrieverOptions::default()
    };
    let retriever = GeodesicRetriever::lexical(corpus, options, &mut |_| {}).unwrap();
    let look = retriever.look("bridge spans", 3).unwrap();
    assert_eq!(look.documents.len(), 3);
    assert_eq!(look.documents[0], "d0");
}

#[test]
fn cases_are_an_even_sample_that_never_changes() {
    let corpus = corpus(&TEXTS);
    let cases = |limit: usize, reversed: bool| {
        let mut passages: Vec<Passage> = corpus.passages().collect();
        if reversed {
            passages.reverse();
        }
        let passages = passages.into_iter().map(Ok);
        cases_of(passages, &SalientQuestions::default(), limit).unwrap()
    };
    let (all, without) = cases(10, false);
    assert_eq!((all.len(), without), (4, 0));
    assert_eq!(cases(10, true), (all.clone(), 0));
    let (two, _) = cases(2, false);
    assert_eq!(two, all[..2]);
    assert_eq!(cases(2, true).0, two);
    assert_eq!(cases(0, false).0, []);
    let bridge = all
        .iter()
        .find(|c| c.documents == BTreeSet::from(["d0.txt".to_owned()]));
    assert_eq!(
        bridge.unwrap().question,
        "What is said about bridge, Halden, twelve, spans, opened?"
    );
}

#[test]
fn compound_questions_are_split_by_a_hook_and_blended_by_query_sim() {
    let retriever = retriever();
    let question = "How many spans has the bridge at Halden? What makes sourdough bread rise?";
    let asked = retrieve_compound(&retriever, question, &split_questions).unwrap();
    assert_eq!(asked.parts.len(), 2);
    assert!(asked.parts.iter().all(|p| p.outcome.is_grounded()));
    let sources: BTreeSet<&str> = asked
        .passages
        .iter()
        .map(|p| p.passage.source_id.as_str())
        .collect();
    assert!(sources.contains("d0.txt") && sources.contains("d1.txt"));
    let sims: Vec<f64> = asked.passages.iter().map(|p| p.query_sim).collect();
    assert!(sims.windows(2).all(|w| w[0] >= w[1]));
    let ids: BTreeSet<&str> = asked
        .passages
        .iter()
        .map(|p| p.passage.entry_id.as_str())
        .collect();
    assert_eq!(ids.len(), asked.passages.len(), "each passage once");
    // A hook that gives nothing leaves the question whole.
    let whole = retrieve_compound(&retriever, TEXTS[0], &|_| Vec::new()).unwrap();
    assert_eq!(whole.parts.len(), 1);
    assert_eq!(whole.parts[0].question, TEXTS[0]);
    assert_eq!(
        split_questions("Only one, and no more?"),
        ["Only one, and no more?"]
    );
    assert_eq!(
        split_questions("No question at all."),
        ["No question at all."]
    );
}
