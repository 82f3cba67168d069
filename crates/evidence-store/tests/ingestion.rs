//! Ingestion into a SQLite file: killed at any moment it resumes as if nothing had happened; an
//! audit leaves the file alone; a retriever reads what was ingested, specialists included.
//!
//! The children are this test binary itself, told by an environment variable what to do.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout
)]
#![cfg(feature = "sqlite")]

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use evidence_store::{SqliteOptions, Store, StoredDictionary};
use geodesic_retriever::{
    AnchorSet, AuditOptions, BASELINE, Calibration, Capacity, ChunkOptions, Chunker,
    DedupThresholds, DensityOptions, DictionarySetup, DictionaryStore, Embedder, Executor,
    ExecutorOptions, GENERALIST, IngestLog, LabelSet, LexicalConfig, LexicalEmbedder,
    LexicalLearner, MaintenanceOptions, Op, Passage, ReadOptions, ResetMode, Retriever,
    RetrieverOptions, RuleValidator, SalientQuestions, ScaffoldPhrase, SessionState, Specialist,
    SpecialistOptions, audit, cases_of, centre_of, survey,
};

const NAME: &str = "main";

fn fixtures() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures")
}

/// The next number of a fixed sequence (Knuth's MMIX generator).
fn next(state: &mut u64) -> u64 {
    *state = state
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407);
    *state >> 33
}

/// 300 files of sentences drawn from the fixture corpus: some the same as others, some noise.
fn write_files(folder: &Path) {
    let mut sentences = Vec::new();
    let mut names: Vec<_> = std::fs::read_dir(fixtures().join("corpus"))
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    names.sort();
    for name in names {
        let text = std::fs::read_to_string(name).unwrap();
        let lines = text.lines().filter(|l| l.len() > 60);
        sentences.extend(lines.map(str::to_owned));
    }
    let mut state = 7;
    let mut texts: Vec<String> = Vec::new();
    for number in 0..300 {
        let mut text = String::new();
        for _ in 0..4 + next(&mut state) % 12 {
            let place = next(&mut state) as usize % sentences.len();
            text += &sentences[place];
            text += if next(&mut state).is_multiple_of(3) {
                "\n\n"
            } else {
                "\n"
            };
        }
        if number % 10 == 9 {
            text = texts[number / 2].clone();
        } else if number % 25 == 3 {
            text = "Page 3 of 12\n==========\n[1] [2] [3]\n".to_owned();
        }
        let path = folder.join(format!("d{}/note-{number:03}.txt", number % 7));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, &text).unwrap();
        texts.push(text);
    }
}

fn chunking() -> ChunkOptions {
    ChunkOptions {
        max_size: 400,
        overlap: 40,
    }
}

fn setup(folder: &Path, capacity: usize) -> (DictionarySetup, LexicalEmbedder) {
    let chunker = Chunker::characters(chunking()).unwrap();
    let mut learner = LexicalLearner::new(LexicalConfig::default()).unwrap();
    let mut learn = |texts: &[&str]| learner.observe(texts);
    let read = ReadOptions::default();
    let seen = survey(folder, &read, &chunker, &mut learn, &mut |_| {}).unwrap();
    let embedder = learner.finish();
    let sample: Vec<&str> = seen.sample.iter().map(String::as_str).collect();
    let vectors = embedder.embed_documents(&sample).unwrap();
    let vectors: Vec<_> = vectors.into_iter().flatten().map(|e| e.vector).collect();
    let setup = DictionarySetup {
        fingerprint: embedder.fingerprint().clone(),
        lexical: Some(embedder.state()),
        calibration: Calibration::closed(embedder.fingerprint()),
        chunking: chunking(),
        capacity: Capacity::new(capacity).unwrap(),
        dedup: DedupThresholds::default(),
        centre: centre_of(&vectors.iter().collect::<Vec<_>>()),
    };
    (setup, embedder)
}

/// Opens the dictionary of a store; made by a survey of the folder if it is new.
fn open(store: &Store, folder: &Path, capacity: usize) -> Executor {
    let dictionary: Arc<dyn DictionaryStore> = Arc::new(store.dictionary(NAME).unwrap());
    let (setup, embedder) = match dictionary.state().unwrap() {
        Some(state) => {
            let lexical = state.setup.lexical.clone().unwrap();
            (state.setup, LexicalEmbedder::from_state(lexical).unwrap())
        }
        None => setup(folder, capacity),
    };
    let options = ExecutorOptions {
        batch: 4,
        ..ExecutorOptions::default()
    };
    Executor::open(
        dictionary,
        &setup,
        Arc::new(embedder),
        Chunker::characters(chunking()).unwrap(),
        Box::new(RuleValidator::default()),
        options,
    )
    .unwrap()
}

/// Fewer than the files give, so that there is pruning too.
const CAPACITY: usize = 700;

/// Not a test: what a child does. Does nothing when run as a test.
#[test]
fn child() {
    let Ok(path) = std::env::var("CANDOR_INGEST_CHILD") else {
        return;
    };
    let folder = PathBuf::from(std::env::var("CANDOR_INGEST_FOLDER").unwrap());
    let mut out = std::io::stdout();
    let mut say = |word: String| {
        writeln!(out, "{word}").unwrap();
        out.flush().unwrap();
    };
    say("started".into());
    let store = Store::sqlite(path).unwrap();
    let mut executor = open(&store, &folder, CAPACITY);
    say("opened".into());
    executor.sweep(&folder, &mut |_| {}).unwrap();
    say("swept".into());
    // A source is told of after its commit has returned.
    let mut told = |p: geodesic_retriever::Progress| say(format!("done {}", p.done));
    executor.drain(&folder, &mut told).unwrap();
    say("drained".into());
}

fn start(path: &Path, folder: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child", "--nocapture"])
        .env("CANDOR_INGEST_CHILD", path)
        .env("CANDOR_INGEST_FOLDER", folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// What a child said before it ended or was killed.
struct Said {
    sources: usize,
    swept: bool,
    drained: bool,
}

fn run(path: &Path, folder: &Path, kill_after: Option<Duration>) -> Said {
    let mut child = start(path, folder);
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let reader = std::thread::spawn(move || {
        let mut said = Said {
            sources: 0,
            swept: false,
            drained: false,
        };
        for line in lines.map_while(Result::ok) {
            match line.split_once(' ') {
                Some(("done", n)) => said.sources = n.parse().unwrap(),
                None if line == "swept" => said.swept = true,
                None if line == "drained" => said.drained = true,
                _ => {}
            }
        }
        said
    });
    if let Some(delay) = kill_after {
        std::thread::sleep(delay);
        child.kill().unwrap();
    }
    child.wait().unwrap();
    reader.join().unwrap()
}

/// A digest of all that a store holds, as JSON lines.
fn digest(store: &Store) -> String {
    let mut bytes = Vec::new();
    store.export(&mut bytes, &mut |_| {}).unwrap();
    let mut hash = std::collections::hash_map::DefaultHasher::new();
    std::hash::Hash::hash(&bytes, &mut hash);
    format!("{:x}/{}", std::hash::Hasher::finish(&hash), bytes.len())
}

fn export(store: &Store) -> Vec<u8> {
    let mut bytes = Vec::new();
    store.export(&mut bytes, &mut |_| {}).unwrap();
    bytes
}

fn generation(dictionary: &StoredDictionary) -> Option<u64> {
    dictionary.state().unwrap().map(|s| s.generation)
}

/// The states that an uninterrupted run goes through, by digest, and its last one.
fn reference(folder: &Path, scratch: &Path) -> (BTreeSet<String>, Vec<u8>) {
    let path = scratch.join("reference.sqlite");
    let store = Store::sqlite(&path).unwrap();
    let mut states = BTreeSet::from([digest(&store)]);
    let mut executor = open(&store, folder, CAPACITY);
    states.insert(digest(&store));
    executor.sweep(folder, &mut |_| {}).unwrap();
    states.insert(digest(&store));
    let seen = std::cell::RefCell::new(&mut states);
    let mut look = |_| {
        seen.borrow_mut().insert(digest(&store));
    };
    let report = executor.drain(folder, &mut look).unwrap();
    states.insert(digest(&store));
    println!("uninterrupted: {report:?}");
    assert_eq!(report.sources, 300);
    assert!(report.duplicates > 0 && !report.pruned.is_empty() && !report.rejected.is_empty());
    (states, export(&store))
}

/// kill −9 at random moments of an ingestion of 300 files, started again each time until it is
/// done: no source that was told of is lost, every state left behind is one that a run without
/// a kill goes through too (so nothing is doubled, nothing half there), and the result is equal to
/// its result byte for byte. 200 kills; `CANDOR_KILL_ROUNDS` sets another number.
#[test]
#[cfg_attr(
    debug_assertions,
    ignore = "release only: 200 ingestions take minutes else"
)]
fn killed_at_any_moment_it_resumes() {
    let rounds = std::env::var("CANDOR_KILL_ROUNDS").ok();
    let kills: u32 = rounds.map_or(200, |r| r.parse().unwrap());
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path().join("files");
    write_files(&folder);
    let (states, result) = reference(&folder, scratch.path());
    let began = Instant::now();
    run(&scratch.path().join("timed.sqlite"), &folder, None);
    let whole = u64::try_from(began.elapsed().as_micros()).unwrap();

    let mut state = 0x2545_f491_4f6c_dd1d;
    let (mut killed, mut ingestions, mut done) = (0, 0, 0);
    let mut at = BTreeMap::<&str, u32>::new();
    let mut path = scratch.path().join("0.sqlite");
    while killed < kills {
        let delay = Duration::from_micros(next(&mut state) % (whole * 2 / 3));
        let said = run(&path, &folder, Some(delay));
        if !path.exists() {
            killed += 1;
            *at.entry("before the file").or_default() += 1;
            continue;
        }
        let store = Store::sqlite(&path).unwrap();
        let log = store.ingest_log();
        let finished = log
            .page(false, None, usize::MAX)
            .unwrap()
            .iter()
            .filter(|r| r.step == geodesic_retriever::IngestStep::Done)
            .count();
        assert!(
            finished >= done + said.sources,
            "{finished} sources are done, {} were told of",
            done + said.sources
        );
        assert!(!said.swept || log.page(false, None, 300).unwrap().len() == 300);
        done = finished;
        let now = digest(&store);
        assert!(states.contains(&now), "no state of an uninterrupted run");
        if said.drained {
            assert!(export(&store) == result, "not the uninterrupted result");
            ingestions += 1;
            path = scratch.path().join(format!("{ingestions}.sqlite"));
            done = 0;
            continue;
        }
        killed += 1;
        let dictionary = store.dictionary(NAME).unwrap();
        let place = match generation(&dictionary) {
            None => "before the dictionary",
            Some(0) => "before the first commit",
            Some(_) => "between commits",
        };
        *at.entry(place).or_default() += 1;
        if killed % 20 == 0 {
            assert_eq!(store.check().unwrap(), Vec::<String>::new());
        }
    }
    // The last one is brought to its end too.
    assert!(run(&path, &folder, None).drained);
    assert!(export(&Store::sqlite(&path).unwrap()) == result);
    println!(
        "{killed} kills over {} ingestions in {:?}, {at:?}; a run takes {whole} µs",
        ingestions + 1,
        began.elapsed()
    );
    assert!(at.contains_key("between commits"), "{at:?}");
}

/// A dictionary over the fixture corpus.
fn ingested() -> (tempfile::TempDir, Store, Executor) {
    let scratch = tempfile::tempdir().unwrap();
    let store = Store::sqlite(scratch.path().join("store.sqlite")).unwrap();
    let corpus = fixtures().join("corpus");
    let mut executor = open(&store, &corpus, 5_000);
    executor.sweep(&corpus, &mut |_| {}).unwrap();
    executor.drain(&corpus, &mut |_| {}).unwrap();
    (scratch, store, executor)
}

fn calibrated(store: &Store) {
    let dictionary = store.dictionary(NAME).unwrap();
    let setup = dictionary.state().unwrap().unwrap().setup;
    let built_in = Calibration::built_in(&setup.fingerprint).unwrap();
    assert!(store.set_calibration(NAME, &built_in).unwrap());
    assert!(!store.set_calibration("nobody", &built_in).unwrap());
}

#[test]
fn an_audit_writes_nothing() {
    let (scratch, store, executor) = ingested();
    calibrated(&store);
    drop((executor, store));
    let path = scratch.path().join("store.sqlite");
    let before = std::fs::read(&path).unwrap();
    let mut options = SqliteOptions::default();
    options.read_only = true;
    // Once read-only, once writable: the audit writes to neither.
    let read_only = Store::sqlite_with(&path, &options).unwrap();
    let first = audited(&read_only);
    drop(read_only);
    assert!(std::fs::read(&path).unwrap() == before, "reading only");
    let writable = Store::sqlite(&path).unwrap();
    // Opening may touch the file; the audit does not.
    let log = scratch.path().join("store.sqlite-wal");
    let bytes = || (std::fs::read(&path).unwrap(), std::fs::read(&log).ok());
    let (opened, exported) = (bytes(), export(&writable));
    let second = audited(&writable);
    assert_eq!(first, second);
    assert!(bytes() == opened, "writable");
    assert!(export(&writable) == exported);
}

fn audited(store: &Store) -> geodesic_retriever::AuditReport {
    let retriever = store
        .retriever(NAME, None, RetrieverOptions::default())
        .unwrap()
        .unwrap();
    let dictionary = store.dictionary(NAME).unwrap();
    let entries = dictionary.entries(GENERALIST, None, usize::MAX).unwrap();
    let passages = entries.into_iter().map(|e| Ok(e.passage));
    let (cases, without) = cases_of(passages, &SalientQuestions::default(), 300).unwrap();
    assert_eq!(without, 0);
    let probes = std::fs::read_to_string(fixtures().join("probes/probes.jsonl")).unwrap();
    let probes: Vec<String> = probes
        .lines()
        .map(|l| serde_json::from_str::<serde_json::Value>(l).unwrap())
        .map(|v| v["text"].as_str().unwrap().to_owned())
        .collect();
    let options = AuditOptions::default();
    let few = audit(&retriever, &cases, &probes[..49], &options, &mut |_| {});
    assert!(few.is_err(), "49 probes are too few");
    assert!(audit(&retriever, &cases, &probes[..50], &options, &mut |_| {}).is_ok());
    let session = retriever.session();
    let report = audit(&retriever, &cases, &probes, &options, &mut |_| {}).unwrap();
    assert_eq!(retriever.session(), session, "not even the context buffer");
    let none = audit(&retriever, &[], &[], &options, &mut |_| {}).unwrap();
    assert_eq!((none.hit_rate, none.decline_rate), (None, None));
    println!(
        "{} documents: hit@10 {:?}, grounded {:?}; {} probes: declined {:?}",
        cases.len(),
        report.hit_rate,
        report.grounded_rate,
        report.probes,
        report.decline_rate
    );
    assert!(report.hit_rate.unwrap() >= 0.95, "{report:?}");
    assert!(report.grounded_rate.unwrap() >= 0.9, "{report:?}");
    assert!(report.decline_rate.unwrap() >= 0.9, "{report:?}");
    report
}

fn anchors(store: &Store) -> AnchorSet {
    let dictionary = store.dictionary(NAME).unwrap();
    let state = dictionary.state().unwrap().unwrap();
    let embedder = LexicalEmbedder::from_state(state.setup.lexical.unwrap()).unwrap();
    let scaffold = fixtures().join("scaffold/scaffold.jsonl");
    let scaffold = std::fs::read_to_string(scaffold).unwrap();
    let phrases: Vec<ScaffoldPhrase> = scaffold
        .lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .collect();
    let labels = LabelSet::thirteen();
    AnchorSet::from_scaffold(labels, &phrases, &embedder)
        .unwrap()
        .0
}

#[test]
fn specialists_are_proposed_spawned_and_blended() {
    let (_scratch, store, mut executor) = ingested();
    calibrated(&store);
    let nobody = SessionState::default();
    let options = DensityOptions {
        entries: 0.05,
        min_entries: 3,
        ..DensityOptions::default()
    };
    assert!(
        executor.proposals(GENERALIST, &nobody, &options).is_err(),
        "labels need anchors"
    );
    executor.set_anchors(anchors(&store)).unwrap();
    let proposals = executor.proposals(GENERALIST, &nobody, &options).unwrap();
    assert!(!proposals.is_empty());
    assert!(
        executor.state().specialists.is_empty(),
        "proposed is not spawned"
    );
    let chosen = &proposals[0];
    let spawned = executor
        .spawn(&chosen.specialist, &SpecialistOptions::default())
        .unwrap();
    assert_eq!(spawned.entries, chosen.entries);
    assert!(
        executor
            .spawn(&chosen.specialist, &SpecialistOptions::default())
            .is_err()
    );
    let again = executor.proposals(GENERALIST, &nobody, &options).unwrap();
    assert_eq!(again.len(), proposals.len() - 1, "there is one already");

    // Blended by the same querySim: with copies alone nothing changes, figures of size apart.
    let ask = |question: &str| {
        let retriever = store.retriever(NAME, None, RetrieverOptions::default());
        retriever.unwrap().unwrap().retrieve(question).unwrap()
    };
    let dictionary = store.dictionary(NAME).unwrap();
    let cube = &chosen.specialist.name;
    let copy = dictionary.entries(cube, None, 1).unwrap().remove(0);
    let question = copy.passage.text.clone();
    let before = ask(&question);
    assert_eq!(before.passages()[0].passage.entry_id, copy.passage.entry_id);
    // What the generalist has lost, the specialist still answers.
    let remove = Op::Remove {
        cube: GENERALIST.into(),
        id: copy.passage.entry_id.clone(),
    };
    dictionary
        .commit(generation(&dictionary).unwrap(), &[remove])
        .unwrap();
    let after = ask(&question);
    let first = &after.passages()[0];
    assert_eq!(first.passage.entry_id, copy.passage.entry_id);
    assert_eq!(first.passage.meta.cube, *cube);
    let ids = |o: &geodesic_retriever::RetrievalOutcome| -> Vec<(String, u64)> {
        let passages = o.passages().iter();
        passages
            .map(|p| (p.passage.entry_id.clone(), p.query_sim.to_bits()))
            .collect()
    };
    assert_eq!(ids(&before), ids(&after));
    assert_eq!(store.check().unwrap(), Vec::<String>::new());
}

#[test]
fn the_sweeps_of_a_shutdown() {
    let (scratch, store, mut executor) = ingested();
    executor.set_anchors(anchors(&store)).unwrap();
    let dictionary = store.dictionary(NAME).unwrap();
    let entries = dictionary.entries(GENERALIST, None, usize::MAX).unwrap();
    let bad = Specialist {
        name: "which was then".into(),
        label: "Reasoning".into(),
        parent: GENERALIST.into(),
        depth: 1,
    };
    assert!(executor.spawn(&bad, &SpecialistOptions::default()).is_err());
    // Damage, as another program might do it: a specialist with a bad name, an artifact that
    // came past the validator, an account without an entry, half an entry.
    let mut artifact = entries[0].clone();
    artifact.passage.entry_id = "artifact".into();
    artifact.passage.text = "Page 3 of 12\nIntroduction ........ 7\n[1] [2] [3]".into();
    let mut record = dictionary
        .record(&entries[1].passage.entry_id)
        .unwrap()
        .unwrap();
    record.id = "nowhere".into();
    let number = generation(&dictionary).unwrap();
    let ops = [
        Op::AddSpecialist { specialist: bad },
        Op::Put {
            entry: Box::new(entries[1].in_cube("which was then")),
        },
        Op::Put {
            entry: Box::new(artifact),
        },
        Op::Record { record },
    ];
    dictionary.commit(number, &ops).unwrap();
    drop(executor);
    let raw = rusqlite::Connection::open(scratch.path().join("store.sqlite")).unwrap();
    let lost = &entries[2].passage.entry_id;
    raw.execute(
        "DELETE FROM vector_entries WHERE index_name = 'main' AND id = ?1",
        [lost],
    )
    .unwrap();
    drop(raw);

    let corpus = fixtures().join("corpus");
    let mut executor = open(&store, &corpus, 5_000);
    let mut options =
        MaintenanceOptions::new(scratch.path().join("archive"), "2026-01-01T00:00:00Z");
    let before = export(&store);
    let dry = executor.shutdown(&options).unwrap();
    assert!(
        export(&store) == before && !options.archive.exists(),
        "a dry run"
    );
    assert_eq!(dry.malformed.len(), 1);
    assert_eq!(dry.malformed[0].entries, 1);
    let purged: Vec<&str> = dry.artifacts.purged.iter().map(|p| p.id.as_str()).collect();
    assert_eq!(purged, ["artifact"]);
    assert_eq!(dry.orphans.strays.len(), 1);
    assert_eq!(dry.orphans.strays[0].half, "passage");
    let mut unheld = vec!["nowhere".to_owned(), lost.clone()];
    unheld.sort();
    assert_eq!(dry.orphans.unheld, unheld);

    options.dry_run = false;
    let mut wet = executor.shutdown(&options).unwrap();
    let archive = wet.archive.take().unwrap();
    let archived = std::fs::read_to_string(&archive).unwrap();
    assert_eq!(archived.lines().count(), 2);
    assert!(
        archived.contains("malformed specialist: fragment"),
        "{archived}"
    );
    wet.dry_run = true;
    assert_eq!(wet, dry, "the dry run told all of it");
    assert!(executor.state().specialists.is_empty());
    assert!(dictionary.entry(GENERALIST, "artifact").unwrap().is_none());
    // The good entry of the badly named specialist stays where it was accepted.
    let kept = &entries[1].passage.entry_id;
    assert!(dictionary.entry(GENERALIST, kept).unwrap().is_some());
    assert_eq!(store.check().unwrap(), Vec::<String>::new());
    let again = executor.shutdown(&options).unwrap();
    assert_eq!((again.archived, again.orphans), (0, Default::default()));
    // An archive is never written over.
    let mut artifact = entries[0].clone();
    artifact.passage.entry_id = "artifact".into();
    artifact.passage.text = "- 12 -".into();
    let number = generation(&dictionary).unwrap();
    let entry = Box::new(artifact);
    dictionary.commit(number, &[Op::Put { entry }]).unwrap();
    let mut executor = open(&store, &corpus, 5_000);
    assert!(executor.shutdown(&options).is_err());
    assert!(dictionary.entry(GENERALIST, "artifact").unwrap().is_some());
}

#[test]
fn resets_survive_reopening() {
    let (_scratch, store, mut executor) = ingested();
    let held = executor.len(GENERALIST);
    assert_eq!(executor.save_baseline().unwrap(), held);
    let root = executor.state().root.clone();
    let passage: Passage = store
        .dictionary(NAME)
        .unwrap()
        .entries(BASELINE, None, 1)
        .unwrap()
        .remove(0)
        .passage;
    assert_eq!(passage.meta.cube, BASELINE);
    executor.reset(ResetMode::Baseline).unwrap();
    drop(executor);
    let corpus = fixtures().join("corpus");
    let mut executor = open(&store, &corpus, 5_000);
    assert_eq!(
        (executor.len(GENERALIST), executor.state().root.clone()),
        (held, root)
    );
    assert_eq!(executor.pending().unwrap(), 0);
    executor.reset(ResetMode::Full).unwrap();
    drop(executor);
    let executor = open(&store, &corpus, 5_000);
    assert!(executor.is_empty());
    assert_eq!(store.check().unwrap(), Vec::<String>::new());
}
