//! Export and import: the same contents, the same bytes, on whatever database; all or nothing.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout
)]
#![cfg(feature = "sqlite")]

mod support;

use evidence_store::{Error, Progress, Store};
use geodesic_retriever::{
    Calibration, ChunkOptions, Chunker, Corpus, Document, Embedder, ExactIndex, IngestLog,
    LexicalConfig, LexicalEmbedder, PassageStore, Retriever, RetrieverOptions, Shape, Snapshot,
    VectorIndex, conformance,
};
use knowledge_graph::{Edge, EdgeType, GraphStore, Node, Timestamp};

/// Something of everything.
fn fill(store: &Store) {
    let now = Timestamp(-3);
    let graph = store.graph();
    for number in 0..1_200 {
        let mut node = Node::new(format!("n{number}"), "it's\n\"x\" \u{1f600}", now);
        node.confidence = if number == 0 {
            -0.0
        } else {
            1.0 / f64::from(number)
        };
        node.embedding = (number % 2 == 0).then(|| vec![0.1, -0.0]);
        node.metadata
            .insert("k".into(), serde_json::json!([1e-7, u64::MAX]));
        graph.put_node(node).unwrap();
    }
    graph
        .put_edge(Edge::new("n1", "n2", EdgeType::Supports, now).with_weight(1.0 / 3.0))
        .unwrap();
    run_dag::conformance::ledger(&store.ledger()).unwrap();
    for origin in ["b", "a"] {
        let log = store.audit_log(origin).unwrap();
        run_dag::conformance::append_some(&log, 1, 3).unwrap();
    }
    store.ingest_log().begin("s", "d").unwrap();
    for (shape, name) in [(Shape::Dense(3), "dense"), (Shape::Sparse(40), "sparse")] {
        let fingerprint = conformance::fingerprint(shape);
        let mut index = store.vector_index(name, &fingerprint).unwrap();
        let entries = (0..5).map(|n| conformance::entry(shape, &format!("e{n}"), n));
        index.insert(entries.collect()).unwrap();
    }
    store
        .save_snapshot("corpus", &snapshot(), &mut |_| {})
        .unwrap();
}

fn snapshot() -> Snapshot {
    let document = |id: &str, text: &str| Document {
        id: id.into(),
        title: id.into(),
        text: text.into(),
    };
    let documents = vec![
        document(
            "tides.txt",
            "The moon's gravity raises two tides a day in most harbours.",
        ),
        document(
            "bread.txt",
            "Sourdough bread rises by wild yeast and lactic bacteria.",
        ),
    ];
    let chunker = Chunker::characters(ChunkOptions::default()).unwrap();
    let corpus = Corpus::new(documents, &chunker, &mut |_| {});
    let texts = corpus.embedding_texts();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let config = LexicalConfig::default();
    let (embedder, embeddings) =
        LexicalEmbedder::learn_and_embed(config, &texts, &mut |_| {}).unwrap();
    Snapshot {
        index: ExactIndex::of_corpus(embedder.fingerprint(), &corpus, embeddings).unwrap(),
        calibration: Calibration::built_in(embedder.fingerprint()).unwrap(),
        lexical: Some(embedder.state()),
        corpus,
    }
}

fn exported(store: &Store) -> Vec<u8> {
    let mut bytes = Vec::new();
    store.export(&mut bytes, &mut |_| {}).unwrap();
    bytes
}

fn import(store: &Store, bytes: &[u8]) -> Result<u64, Error> {
    store.import(&mut &*bytes, &mut |_| {})
}

#[test]
fn the_same_contents_give_the_same_bytes() {
    let (_folder, store) = support::file();
    fill(&store);
    let bytes = exported(&store);
    assert_eq!(exported(&store), bytes);
    let (_other_folder, other) = support::file();
    let mut told: Vec<Progress> = Vec::new();
    let rows = other
        .import(&mut bytes.as_slice(), &mut |p| told.push(p))
        .unwrap();
    assert!(rows > 1_200);
    let (first, last) = (told[0], told[told.len() - 1]);
    assert_eq!((first.done, last.done, last.total), (0, rows, Some(rows)));
    assert!(told.len() > 2 && told.windows(2).all(|w| w[0].done <= w[1].done));
    assert_eq!(exported(&other), bytes);
    assert_eq!(other.check().unwrap(), Vec::<String>::new());
    let node = other.graph().node("n0").unwrap();
    assert_eq!(node, store.graph().node("n0").unwrap());
    assert!(node.unwrap().confidence.is_sign_negative());
    assert!(matches!(
        import(&other, &bytes),
        Err(Error::NotEmpty { .. })
    ));
}

#[cfg(feature = "postgres")]
#[test]
fn from_one_database_to_the_other_and_back() {
    let Some(schema) = support::Schema::new() else {
        return;
    };
    let (_folder, store) = support::file();
    fill(&store);
    let bytes = exported(&store);
    let server = schema.open();
    import(&server, &bytes).unwrap();
    assert!(exported(&server) == bytes, "the bytes differ");
    assert_eq!(server.check().unwrap(), Vec::<String>::new());
    let (_back_folder, back) = support::file();
    import(&back, &exported(&server)).unwrap();
    assert!(exported(&back) == bytes, "the bytes differ");
    // pgvector's form came along.
    let shape = Shape::Dense(3);
    let index = server
        .vector_index("dense", &conformance::fingerprint(shape))
        .unwrap();
    let hits = index
        .search(&conformance::vector(shape, 2), 1, &Default::default())
        .unwrap();
    assert_eq!(hits[0].id, "e2");
    retrieves(&server);
}

/// Writing everything through the traits on both gives the same bytes too.
#[cfg(feature = "postgres")]
#[test]
fn both_databases_keep_the_same_rows() {
    let Some(schema) = support::Schema::new() else {
        return;
    };
    let (_folder, file) = support::file();
    let server = schema.open();
    fill(&file);
    fill(&server);
    assert!(exported(&file) == exported(&server), "the bytes differ");
}

#[test]
fn what_is_no_export_changes_nothing() {
    let (_folder, full) = support::file();
    fill(&full);
    let text = String::from_utf8(exported(&full)).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let with = |place: usize, line: &str| {
        let mut lines = lines.clone();
        lines[place] = line;
        lines.join("\n")
    };
    let altered = |table: &str, from: &str, to: &str| {
        let start = format!("{{\"table\":\"{table}\"");
        let place = lines
            .iter()
            .position(|l| l.starts_with(&start) && l.contains(from));
        let place = place.unwrap_or_else(|| panic!("{table} has no {from}"));
        with(place, &lines[place].replacen(from, to, 1))
    };
    let zero = "0".repeat(64);
    let broken = [
        String::new(),
        "hello".to_owned(),
        with(0, "{\"candor_store\":1,\"schema\":3,\"rows\":1}"),
        with(0, "{\"candor_store\":2,\"schema\":2,\"rows\":1}"),
        lines[..lines.len() - 1].join("\n"),
        with(5, "{\"table\":\"sqlite_master\",\"row\":{}}"),
        with(5, "{\"table\":\"graph_nodes; DROP TABLE x\",\"row\":{}}"),
        with(5, lines[4]),
        altered("graph_nodes", "\"confidence\":1.0", "\"confidence\":1.5"),
        altered("graph_nodes", "it's", "it\\u0000s"),
        altered(
            "graph_nodes",
            "\"node_type\":\"semantic\"",
            "\"node_type\":\"odd\"",
        ),
        altered("graph_nodes", "\"access_count\":0", "\"access_count\":0.5"),
        altered("graph_edges", "\"target\":\"n2\"", "\"target\":\"none\""),
        altered("ledger_rows", "pointer", "quotes\\u0000"),
        altered(
            "ledger_rows",
            "\"key_hash\":\"",
            &format!("\"key_hash\":\"{zero}\",\"x\":\""),
        ),
        altered("audit_events", "concurrent", "forged"),
        altered("audit_events", "\"sequence\":1", "\"sequence\":2"),
        altered(
            "vector_entries",
            "\"index_name\":\"dense\"",
            "\"index_name\":\"nowhere\"",
        ),
        altered("ingest_records", "\"step\":\"swept\"", "\"step\":\"done\""),
    ];
    for (number, text) in broken.iter().enumerate() {
        let (_folder, store) = support::file();
        let empty = exported(&store);
        let refused = import(&store, text.as_bytes());
        assert!(
            matches!(refused, Err(Error::Line { .. })),
            "{number}: {refused:?}"
        );
        assert_eq!(exported(&store), empty, "{number}");
    }
    let (_folder, store) = support::file();
    assert!(matches!(import(&store, b"\xff\n"), Err(Error::Io(_))));
}

fn retrieves(store: &Store) {
    let options = RetrieverOptions::default();
    let retriever = store
        .retriever("corpus", None, options.clone())
        .unwrap()
        .unwrap();
    let outcome = retriever
        .retrieve("What raises the tides in a harbour?")
        .unwrap();
    assert_eq!(outcome.passages()[0].passage.source_id, "tides.txt");
    let in_memory = snapshot().into_retriever(None, options).unwrap();
    let same = in_memory
        .retrieve("What raises the tides in a harbour?")
        .unwrap();
    assert_eq!(outcome, same, "the store changes nothing in an outcome");
    assert!(
        !retriever
            .retrieve("Who won the chess final?")
            .unwrap()
            .is_grounded()
    );
}

/// One file is enough for a retriever, which answers as the one in memory.
#[test]
fn a_saved_snapshot_retrieves_as_in_memory() {
    let (folder, store) = support::file();
    store
        .save_snapshot("corpus", &snapshot(), &mut |_| {})
        .unwrap();
    retrieves(&store);
    // Saved again in its place.
    store
        .save_snapshot("corpus", &snapshot(), &mut |_| {})
        .unwrap();
    drop(store);
    let store = Store::sqlite(folder.path().join("store.sqlite")).unwrap();
    retrieves(&store);
    let root = store.passages("corpus").unwrap().corpus_root().unwrap();
    assert_eq!(root.as_deref(), Some(snapshot().corpus.root()));
    let none = store.retriever("other", None, RetrieverOptions::default());
    assert!(none.unwrap().is_none());
    assert_eq!(store.check().unwrap(), Vec::<String>::new());
}
