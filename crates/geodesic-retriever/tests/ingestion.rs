//! Ingestion from a folder into a dictionary: the whole path, what changes later, caps at their
//! boundaries, sweeps, resets, specialists.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use geodesic_retriever::*;

struct World {
    folder: tempfile::TempDir,
    store: Arc<MemoryDictionary>,
    executor: Executor,
}

const FILES: [(&str, &str); 4] = [
    (
        "bridge.md",
        "# The bridge\n\nThe bridge at Halden has twelve spans and was opened in 1931.\n",
    ),
    (
        "bread.txt",
        "Sourdough bread rises by wild yeast and lactic bacteria in a leaven.\n",
    ),
    (
        "tides.txt",
        "The gravity of the moon raises two tides a day in most harbours.\n",
    ),
    ("sub/noise.txt", "Page 3 of 12\n=========\n[1] [2] [3]\n"),
];

fn write(folder: &Path, files: &[(&str, &str)]) {
    for (name, text) in files {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
}

fn embedder() -> LexicalEmbedder {
    let texts: Vec<&str> = FILES.iter().map(|(_, t)| *t).collect();
    LexicalEmbedder::learn(LexicalConfig::default(), &texts).unwrap()
}

fn setup_of(embedder: &LexicalEmbedder, capacity: usize) -> DictionarySetup {
    DictionarySetup {
        fingerprint: embedder.fingerprint().clone(),
        lexical: Some(embedder.state()),
        calibration: Calibration::built_in(embedder.fingerprint()).unwrap(),
        chunking: ChunkOptions::default(),
        capacity: Capacity::new(capacity).unwrap(),
        dedup: DedupThresholds::default(),
        centre: None,
    }
}

fn executor_with(
    store: Arc<dyn DictionaryStore>,
    capacity: usize,
    validator: Box<dyn Validator>,
) -> Executor {
    let embedder = embedder();
    let setup = setup_of(&embedder, capacity);
    Executor::open(
        store,
        &setup,
        Arc::new(embedder),
        Chunker::characters(setup.chunking).unwrap(),
        validator,
        ExecutorOptions::default(),
    )
    .unwrap()
}

fn world(capacity: usize) -> World {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &FILES);
    let store = Arc::new(MemoryDictionary::new());
    let executor = executor_with(store.clone(), capacity, Box::new(RuleValidator::default()));
    World {
        folder,
        store,
        executor,
    }
}

impl World {
    fn ingest(&mut self) -> DrainReport {
        let folder = self.folder.path().to_owned();
        self.executor.sweep(&folder, &mut |_| {}).unwrap();
        self.executor.drain(&folder, &mut |_| {}).unwrap()
    }

    fn texts(&self, cube: &str) -> Vec<String> {
        let entries = self.store.entries(cube, None, usize::MAX).unwrap();
        let mut texts: Vec<String> = entries.into_iter().map(|e| e.passage.text).collect();
        texts.sort();
        texts
    }

    fn fates(&self) -> BTreeMap<String, String> {
        let records = self.store.records(None, usize::MAX).unwrap();
        let fate = |r: ChunkRecord| (r.source, r.fate.name().to_owned());
        records.into_iter().map(fate).collect()
    }

    /// What is in memory and what a fresh reading of the store gives must be the same.
    fn dump(&self) -> String {
        let cubes = self.store.state().unwrap().unwrap();
        let mut out = serde_json::to_string(&cubes).unwrap();
        for cube in cubes
            .specialists
            .keys()
            .map(String::as_str)
            .chain([GENERALIST, BASELINE])
        {
            let entries = self.store.entries(cube, None, usize::MAX).unwrap();
            out += &serde_json::to_string(&entries).unwrap();
        }
        out += &serde_json::to_string(&self.store.records(None, usize::MAX).unwrap()).unwrap();
        out
    }
}

fn document(id: &str, text: &str) -> Document {
    Document {
        id: id.into(),
        title: String::new(),
        text: text.into(),
    }
}

#[test]
fn a_folder_becomes_a_dictionary_and_stays_one() {
    let mut w = world(100);
    let swept = w.executor.sweep(w.folder.path(), &mut |_| {}).unwrap();
    assert_eq!((swept.sources, swept.begun, swept.gone), (4, 4, 0));
    let report = w.ingest();
    assert_eq!((report.sources, report.chunks, report.held), (4, 4, 3));
    assert_eq!(report.rejected.values().sum::<usize>(), 1);
    assert_eq!(w.fates()["sub/noise.txt"], "rejected");
    assert_eq!(w.executor.len(GENERALIST), 3);
    let before = w.dump();
    // A second run finds nothing to do and writes nothing.
    let again = w.ingest();
    assert_eq!(again, DrainReport::default());
    assert_eq!(w.dump(), before);
    assert!(w.executor.state().root.is_some());
}

#[test]
fn changed_files_replace_and_vanished_ones_leave() {
    let mut w = world(100);
    w.ingest();
    let root = w.executor.state().root.clone();
    write(
        w.folder.path(),
        &[(
            "bread.txt",
            "Rye bread keeps longer than bread of wheat flour does.\n",
        )],
    );
    std::fs::remove_file(w.folder.path().join("tides.txt")).unwrap();
    let report = w.ingest();
    assert_eq!((report.sources, report.gone, report.superseded), (2, 1, 2));
    let texts = w.texts(GENERALIST);
    assert_eq!(texts.len(), 2);
    assert!(texts.iter().any(|t| t.starts_with("Rye bread")));
    assert!(
        !texts
            .iter()
            .any(|t| t.contains("tides") || t.contains("Sourdough"))
    );
    assert!(w.store.log().get("tides.txt").unwrap().is_none());
    assert_ne!(w.executor.state().root, root);
    // Put back, the dictionary is what it was.
    write(w.folder.path(), &FILES);
    w.ingest();
    assert_eq!(w.executor.state().root, root);
}

#[test]
fn what_a_removed_entry_made_superfluous_comes_back() {
    let mut w = world(100);
    write(w.folder.path(), &[("a/bread.txt", FILES[1].1)]);
    let report = w.ingest();
    assert_eq!(report.duplicates, 1);
    assert_eq!(w.fates()["bread.txt"], "duplicate");
    std::fs::remove_file(w.folder.path().join("a/bread.txt")).unwrap();
    let report = w.ingest();
    assert_eq!((report.gone, report.reopened, report.held), (1, 1, 1));
    assert_eq!(w.fates()["bread.txt"], "held");
    assert!(
        w.texts(GENERALIST)
            .iter()
            .any(|t| t.starts_with("Sourdough"))
    );
}

#[test]
fn a_file_that_changes_between_sweep_and_work_is_not_taken() {
    let mut w = world(100);
    let folder = w.folder.path().to_owned();
    w.executor.sweep(&folder, &mut |_| {}).unwrap();
    write(
        &folder,
        &[(
            "bread.txt",
            "Rye bread keeps longer than wheat bread does.\n",
        )],
    );
    let report = w.executor.drain(&folder, &mut |_| {}).unwrap();
    assert_eq!(report.failed.len(), 1);
    assert!(
        report.failed[0].reason.contains("sweep again"),
        "{report:?}"
    );
    assert_eq!(w.executor.pending().unwrap(), 1);
    assert_eq!(w.executor.state().root, None, "work is left");
    let report = w.ingest();
    assert_eq!((report.sources, report.failed.len()), (1, 0));
}

/// A validator that costs something, and fails while it is told to.
struct Costly {
    asked: std::sync::Mutex<Vec<String>>,
    failing: std::sync::atomic::AtomicBool,
}

impl Validator for &'static Costly {
    fn id(&self) -> &str {
        "costly"
    }
    fn is_costly(&self) -> bool {
        true
    }
    fn validate(&self, candidate: &Candidate<'_>) -> Result<Verdict, Error> {
        if self.failing.load(std::sync::atomic::Ordering::SeqCst)
            && candidate.document.starts_with("tides")
        {
            return Err(Error::Backend {
                operation: "asking".into(),
                message: "rate limit".into(),
            });
        }
        self.asked
            .lock()
            .unwrap()
            .push(candidate.document.to_owned());
        Ok(Verdict {
            confidence: 0.75,
            reasons: Vec::new(),
        })
    }
}

#[test]
fn costly_verdicts_are_asked_for_once() {
    let costly: &'static Costly = Box::leak(Box::new(Costly {
        asked: std::sync::Mutex::default(),
        failing: true.into(),
    }));
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &FILES[..3]);
    let store = Arc::new(MemoryDictionary::new());
    let mut executor = executor_with(store.clone(), 100, Box::new(costly));
    executor.sweep(folder.path(), &mut |_| {}).unwrap();
    let report = executor.drain(folder.path(), &mut |_| {}).unwrap();
    assert_eq!((report.held, report.failed.len()), (2, 1));
    assert!(report.failed[0].reason.contains("rate limit"));
    assert_eq!(costly.asked.lock().unwrap().len(), 2);
    costly
        .failing
        .store(false, std::sync::atomic::Ordering::SeqCst);
    // A changed neighbour paragraph: the whole source is read again, what is known is not asked.
    let mut executor = executor_with(store.clone(), 100, Box::new(costly));
    for source in ["bread.txt", "bridge.md"] {
        store
            .commit(
                store.state().unwrap().unwrap().generation,
                &[Op::Reopen {
                    source: source.into(),
                }],
            )
            .unwrap();
    }
    drop(executor);
    executor = executor_with(store.clone(), 100, Box::new(costly));
    let report = executor.drain(folder.path(), &mut |_| {}).unwrap();
    assert_eq!((report.sources, report.held), (3, 3));
    assert_eq!(
        *costly.asked.lock().unwrap(),
        ["bread.txt", "bridge.md", "tides.txt"]
    );
    let record = store.records(None, 1).unwrap().remove(0);
    assert_eq!(
        (record.validator.as_str(), record.confidence),
        ("costly", 0.75)
    );
}

#[test]
fn a_second_writer_is_told() {
    let mut w = world(100);
    let mut other = executor_with(w.store.clone(), 100, Box::new(RuleValidator::default()));
    w.ingest();
    let late = other.add(
        EntryKind::Fact,
        &[document("d", "Rain fell on the bridge today.")],
    );
    assert!(matches!(late, Err(Error::AnotherWriter { .. })), "{late:?}");
    // Told, it reads again, and goes on.
    let report = other
        .add(
            EntryKind::Fact,
            &[document("d", "Rain fell on the bridge today.")],
        )
        .unwrap();
    assert_eq!(report.held, 1);
    assert_eq!(other.len(GENERALIST), 4);
}

#[test]
fn the_cap_holds_at_its_boundary() {
    let mut w = world(3);
    let report = w.ingest();
    assert_eq!(
        (report.held, report.pruned.len()),
        (3, 0),
        "three fit into three"
    );
    let mut w = world(2);
    let report = w.ingest();
    assert_eq!(report.held, 3, "each was held, then one had to go");
    assert_eq!(report.pruned, BTreeMap::from([("shortest".to_owned(), 1)]));
    assert_eq!(w.executor.len(GENERALIST), 2);
    let texts = w.texts(GENERALIST);
    assert!(!texts.iter().any(|t| t.contains("tides")), "{texts:?}");
    assert_eq!(w.fates()["tides.txt"], "pruned");
    // The log does not lose sight of what gave nothing in the end.
    assert_eq!(w.executor.pending().unwrap(), 0);
}

/// Trusts all but what calls itself doubtful.
struct Doubting;

impl Validator for Doubting {
    fn id(&self) -> &str {
        "doubting"
    }
    fn is_costly(&self) -> bool {
        false
    }
    fn validate(&self, candidate: &Candidate<'_>) -> Result<Verdict, Error> {
        let doubtful = candidate.text.starts_with("Doubtful");
        Ok(Verdict {
            confidence: if doubtful { 0.49 } else { 0.5 },
            reasons: Vec::new(),
        })
    }
}

#[test]
fn each_tier_goes_before_the_next() {
    // Worst first: each addition pushes out the worst that is left.
    let tiers = [
        (
            "meta_contamination",
            "As an AI language model I describe bridges and their long history.",
        ),
        (
            "question",
            "Which harbour has the highest tides of the whole northern coast?",
        ),
        (
            "low_confidence",
            "Doubtful statements about caves have little to say for themselves.",
        ),
        (
            "monologue",
            "I think that rye bread may keep longer than most other kinds.",
        ),
        ("shortest", "Short statements about glaciers go first."),
    ];
    let long = "Long statements about volcanoes stay, since they say more than the short ones do, \
                at some length.";
    let mut w = world(tiers.len());
    w.executor = executor_with(w.store.clone(), tiers.len(), Box::new(Doubting));
    for (name, text) in tiers {
        let report = w
            .executor
            .add(EntryKind::Fact, &[document(name, text)])
            .unwrap();
        assert_eq!(
            (report.held, report.pruned.len()),
            (1, 0),
            "{name}: {report:?}"
        );
    }
    for n in 0..tiers.len() {
        let text = format!(
            "{long} Number {}.",
            ["one", "two", "three", "four", "five"][n]
        );
        // Far enough from each other not to be duplicates.
        let text = format!(
            "{text} {}",
            [
                "granite basalt",
                "delta estuary",
                "comet asteroid",
                "violin cello",
                "turbine gearbox"
            ][n]
                .repeat(6)
        );
        let report = w
            .executor
            .add(EntryKind::Fact, &[document(&format!("long{n}"), &text)])
            .unwrap();
        let expected = BTreeMap::from([(tiers[n].0.to_owned(), 1)]);
        assert_eq!(report.pruned, expected, "{n}");
    }
}

#[test]
fn responses_are_never_over_half() {
    for capacity in 1..=9 {
        let mut w = world(capacity);
        let mut most = 0;
        let words = [
            "granite", "estuary", "comet", "violin", "turbine", "orchard", "glacier", "harbour",
            "lantern", "meadow", "copper", "falcon",
        ];
        for (n, word) in words.iter().enumerate() {
            let text = format!("{word} answers say {word} things about {word} itself, {n} times.");
            let kind = if n % 3 == 2 {
                EntryKind::Fact
            } else {
                EntryKind::Response
            };
            w.executor
                .add(kind, &[document(&format!("r{n}"), &text)])
                .unwrap();
            let entries = w.store.entries(GENERALIST, None, usize::MAX).unwrap();
            let responses = entries
                .iter()
                .filter(|e| e.passage.meta.kind == EntryKind::Response)
                .count();
            assert!(responses <= capacity / 2, "{responses} of {capacity}");
            assert!(entries.len() <= capacity);
            most = most.max(responses);
        }
        assert_eq!(most, capacity / 2, "the cap is reached, not only kept");
    }
}

#[test]
fn responses_are_not_compared_with_facts() {
    let mut w = world(100);
    let text = "The bridge at Halden has twelve spans and was opened in 1931.";
    let fact = w
        .executor
        .add(EntryKind::Fact, &[document("f", text)])
        .unwrap();
    let response = w
        .executor
        .add(EntryKind::Response, &[document("r", text)])
        .unwrap();
    assert_eq!((fact.held, response.held), (1, 1));
    let again = w
        .executor
        .add(EntryKind::Response, &[document("s", text)])
        .unwrap();
    assert_eq!((again.held, again.duplicates), (0, 1));
}

#[test]
fn identity_and_scaffold_are_taken_as_they_are_and_stay() {
    let mut w = world(2);
    for (n, kind) in [EntryKind::Identity, EntryKind::Scaffold]
        .into_iter()
        .enumerate()
    {
        let report = w
            .executor
            .add(kind, &[document(&format!("i{n}"), "knowing")])
            .unwrap();
        assert_eq!((report.held, report.duplicates), (1, 0));
    }
    let text = "The bridge at Halden has twelve spans and was opened in 1931.";
    let report = w
        .executor
        .add(EntryKind::Fact, &[document("f", text)])
        .unwrap();
    assert_eq!(
        report.pruned.values().sum::<usize>(),
        1,
        "no room beside them"
    );
    assert_eq!(w.texts(GENERALIST), ["knowing", "knowing"]);
}

#[test]
fn resets_go_all_the_way_or_to_the_baseline() {
    let mut w = world(100);
    assert!(
        w.executor.reset(ResetMode::Baseline).is_err(),
        "none was saved"
    );
    w.executor
        .add(
            EntryKind::Identity,
            &[document("me", "I keep the records of the bridge.")],
        )
        .unwrap();
    let baseline_root = w.executor.state().root.clone();
    assert_eq!(w.executor.save_baseline().unwrap(), 1);
    w.ingest();
    assert_eq!(w.executor.len(GENERALIST), 4);
    let full = w.executor.state().root.clone();
    w.executor.reset(ResetMode::Baseline).unwrap();
    assert_eq!(w.texts(GENERALIST), ["I keep the records of the bridge."]);
    assert_eq!(w.executor.state().root, baseline_root);
    assert_eq!(w.store.log().page(false, None, 9).unwrap(), []);
    w.ingest();
    assert_eq!(w.executor.state().root, full);
    w.executor.reset(ResetMode::Full).unwrap();
    assert!(w.executor.is_empty() && w.texts(BASELINE).is_empty());
    assert_eq!(w.store.records(None, 9).unwrap(), []);
    assert!(w.executor.reset(ResetMode::Baseline).is_err());
    w.ingest();
    assert_eq!(w.executor.len(GENERALIST), 3);
}

#[test]
fn events_tell_what_was_committed() {
    let mut w = world(2);
    let events = Events::new();
    let stream = events.stream();
    w.executor.set_events(events);
    let report = w.ingest();
    let told: Vec<Event> = stream.try_iter().collect();
    let fates = |name: &str| {
        told.iter()
            .filter(|e| {
                matches!(e, Event::DictionaryEvent { change: DictionaryChange::Chunk { fate, .. } }
                    if fate.name() == name)
            })
            .count()
    };
    assert_eq!(fates("held"), report.held);
    assert_eq!(fates("pruned"), 1);
    assert_eq!(fates("rejected"), 1);
    let json = serde_json::to_value(&told[0]).unwrap();
    assert_eq!(json["event"], "dictionary_event");
    assert_eq!(json["change"]["change"], "chunk");
}
