//! What is acknowledged stays: killed processes, full disks, read-only files, two processes.
//!
//! The children are this test binary itself, told by an environment variable what to do.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout
)]
#![cfg(feature = "sqlite")]

mod support;

use std::io::{BufRead, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use evidence_store::{Error, SqliteOptions, Store};
use geodesic_retriever::{IngestLog, IngestStep};
use knowledge_graph::{Batch, Edge, EdgeType, GraphError, GraphStore, Node, Timestamp};
use run_dag::audit::AuditLog;
use run_dag::ledger::Ledger;

const NOW: Timestamp = Timestamp(1_700_000_000_000);
const ORIGIN: &str = "candor.example/log";
/// Nodes of a batch.
const NODES: u64 = 5;

/// Batch `number` of a writer: nodes in a ring.
fn batch(writer: &str, number: u64) -> Batch {
    let name = |node: u64| format!("{writer}/{number:06}/{}", node % NODES);
    let mut batch = Batch::once(format!("{writer}/{number}"));
    for node in 0..NODES {
        batch = batch.put_node(Node::new(name(node), "x".repeat(300), NOW));
    }
    for node in 0..NODES {
        let edge = Edge::new(name(node), name(node + 1), EdgeType::Causal, NOW);
        batch = batch.put_edge(edge);
    }
    batch
}

/// The work of a child: writes of every kind, each acknowledged on stdout after it returned.
fn write_on(store: &Store, writer: &str, from: u64, count: u64) {
    let (graph, ledger) = (store.graph(), store.ledger());
    let (log, ingest) = (store.audit_log(ORIGIN).unwrap(), store.ingest_log());
    let mut out = std::io::stdout();
    for number in from..from + count {
        graph.apply(&batch(writer, number)).unwrap();
        writeln!(out, "batch {number}").unwrap();
        run_dag::conformance::append_some(&log, 1, 1).unwrap();
        writeln!(out, "event {number}").unwrap();
        let mut row = run_dag::conformance::row(1, "who?", "strict", 1);
        let root = format!("{number:064x}");
        row.root = run_dag::RunRoot::from_hex(&root).unwrap();
        ledger
            .insert(row, run_dag::audit::Timestamp::default())
            .unwrap();
        writeln!(out, "row {number}").unwrap();
        let source = format!("{writer}/{number:06}");
        ingest.begin(&source, "d").unwrap();
        ingest
            .advance(&source, "d", IngestStep::Done, None)
            .unwrap();
        writeln!(out, "source {number}").unwrap();
        out.flush().unwrap();
    }
}

/// Not a test: what a child does. Does nothing when run as a test.
#[test]
fn child() {
    let Ok(path) = std::env::var("CANDOR_TEST_CHILD") else {
        return;
    };
    let number = |name: &str| -> u64 { std::env::var(name).unwrap().parse().unwrap() };
    let writer = std::env::var("CANDOR_TEST_WRITER").unwrap();
    let store = Store::sqlite(path).unwrap();
    println!("ready");
    write_on(
        &store,
        &writer,
        number("CANDOR_TEST_FROM"),
        number("CANDOR_TEST_COUNT"),
    );
}

fn start(path: &Path, writer: &str, from: u64, count: u64) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child", "--nocapture"])
        .env("CANDOR_TEST_CHILD", path)
        .env("CANDOR_TEST_WRITER", writer)
        .env("CANDOR_TEST_FROM", from.to_string())
        .env("CANDOR_TEST_COUNT", count.to_string())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// What a store holds of a writer, as it was acknowledged: batches, events, rows, sources.
#[derive(Debug, Default, PartialEq, Eq, Clone, Copy, PartialOrd)]
struct Written {
    batches: u64,
    events: u64,
    rows: u64,
    sources: u64,
}

/// When a child is killed.
#[derive(Debug, Clone, Copy)]
enum Kill {
    Never,
    /// So long after it was started: perhaps while it opens the file.
    AfterStart(Duration),
    /// So long after it began to write.
    AfterReady(Duration),
}

/// Reads what the child acknowledged, and kills it.
fn acknowledged(mut child: Child, kill: Kill) -> Written {
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let (ready, is_ready) = std::sync::mpsc::channel();
    let reader = std::thread::spawn(move || {
        let mut written = Written::default();
        for line in lines.map_while(Result::ok) {
            match line.split(' ').next() {
                Some("ready") => drop(ready.send(())),
                Some("batch") => written.batches += 1,
                Some("event") => written.events += 1,
                Some("row") => written.rows += 1,
                Some("source") => written.sources += 1,
                _ => {}
            }
        }
        written
    });
    let delay = match kill {
        Kill::Never => None,
        Kill::AfterStart(delay) => Some(delay),
        Kill::AfterReady(delay) => {
            is_ready.recv().unwrap();
            Some(delay)
        }
    };
    if let Some(delay) = delay {
        std::thread::sleep(delay);
        child.kill().unwrap();
    }
    child.wait().unwrap();
    reader.join().unwrap()
}

/// What the store holds of a writer. A half batch is a panic.
fn held(store: &Store, writer: &str, from: u64) -> Written {
    let graph = store.graph();
    let mut nodes = 0;
    let mut after = format!("{writer}/");
    loop {
        let page = graph.node_page(Some(&after), 1_000).unwrap();
        let Some(last) = page.last() else { break };
        after.clone_from(&last.id);
        nodes += page
            .iter()
            .filter(|n| n.id.starts_with(&format!("{writer}/")))
            .count() as u64;
    }
    assert_eq!(nodes % NODES, 0, "half a batch");
    let edges = graph
        .edge_page(Some(&format!("{writer}/")), usize::MAX)
        .unwrap();
    let edges = edges
        .iter()
        .filter(|e| e.id.starts_with(&format!("{writer}/")));
    assert_eq!(edges.count() as u64, nodes, "half a batch");
    let sources = store.ingest_log().page(false, None, usize::MAX).unwrap();
    let sources = sources.iter().filter(|r| r.step == IngestStep::Done);
    Written {
        batches: nodes / NODES - from,
        events: store.audit_log(ORIGIN).unwrap().len().unwrap() - from,
        rows: store.ledger().rows(None, None, usize::MAX).unwrap().len() as u64 - from,
        sources: sources.count() as u64 - from,
    }
}

/// kill −9 at random moments. A process killed in the middle leaves what it acknowledged and at
/// most one write more, no half batch, a clean file. 1,000 rounds in release, 25 else;
/// `CANDOR_KILL_ROUNDS` sets another number.
#[test]
fn killed_at_any_moment() {
    let default = if cfg!(debug_assertions) { 25 } else { 1_000 };
    let rounds = std::env::var("CANDOR_KILL_ROUNDS").ok();
    let rounds: u64 = rounds.map_or(default, |r| r.parse().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let began = Instant::now();
    let (mut writes, mut unacknowledged) = (0, 0);
    let (mut path, mut next) = (PathBuf::new(), 0);
    for round in 0..rounds {
        // Ten rounds on one file, so that recovery is followed by more writes.
        if round % 10 == 0 {
            let _ = std::fs::remove_dir_all(folder.path().join("now"));
            std::fs::create_dir(folder.path().join("now")).unwrap();
            path = folder.path().join("now/store.sqlite");
            next = 0;
        }
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let delay = Duration::from_micros((state >> 33) % 30_000);
        let kill = if round % 8 == 0 {
            Kill::AfterStart(delay)
        } else {
            Kill::AfterReady(delay)
        };
        let said = acknowledged(start(&path, "w", next, u64::MAX / 2), kill);
        let store = Store::sqlite(&path).unwrap();
        let there = held(&store, "w", next);
        for (kind, said, there) in [
            ("batches", said.batches, there.batches),
            ("events", said.events, there.events),
            ("rows", said.rows, there.rows),
            ("sources", said.sources, there.sources),
        ] {
            assert!(
                there == said || there == said + 1,
                "round {round}, {kill:?}: {said} {kind} acknowledged, {there} there"
            );
            writes += said;
            unacknowledged += there - said;
        }
        // What was half done is taken up where it stopped: each kind to the same number.
        let done = next + there.batches;
        write_missing(&store, next, there);
        next = done;
        assert_eq!(
            store.check().unwrap(),
            Vec::<String>::new(),
            "round {round}"
        );
    }
    println!(
        "{rounds} rounds in {:.1} s: {writes} acknowledged writes, 0 lost, {unacknowledged} committed before they could be acknowledged, 0 half batches, every check clean",
        began.elapsed().as_secs_f64()
    );
}

/// Brings events, rows and sources up to the number of batches.
fn write_missing(store: &Store, from: u64, there: Written) {
    let number = from + there.batches;
    if there.events < there.batches {
        let log = store.audit_log(ORIGIN).unwrap();
        run_dag::conformance::append_some(&log, 1, 1).unwrap();
    }
    if there.rows < there.batches {
        let mut row = run_dag::conformance::row(1, "who?", "strict", 1);
        row.root = run_dag::RunRoot::from_hex(&format!("{:064x}", number - 1)).unwrap();
        let at = run_dag::audit::Timestamp::default();
        store.ledger().insert(row, at).unwrap();
    }
    if there.sources < there.batches {
        let (log, source) = (store.ingest_log(), format!("w/{:06}", number - 1));
        log.begin(&source, "d").unwrap();
        log.advance(&source, "d", IngestStep::Done, None).unwrap();
    }
}

/// Two processes on one file: serialized, nothing lost.
#[test]
fn two_processes_on_one_file() {
    let (folder, store) = support::file();
    let path = folder.path().join("store.sqlite");
    let (a, b) = (start(&path, "a", 0, 15), start(&path, "b", 1_000, 15));
    let other = std::thread::spawn(move || acknowledged(b, Kill::Never));
    let said = [acknowledged(a, Kill::Never), other.join().unwrap()];
    for (written, writer) in said.into_iter().zip(["a", "b"]) {
        assert_eq!((written.batches, written.events), (15, 15));
        let nodes = store
            .graph()
            .node_page(Some(&format!("{writer}/")), usize::MAX);
        let nodes = nodes.unwrap();
        let own = nodes
            .iter()
            .filter(|n| n.id.starts_with(&format!("{writer}/")));
        assert_eq!(own.count() as u64, 15 * NODES);
    }
    let log = store.audit_log(ORIGIN).unwrap();
    assert_eq!(log.len().unwrap(), 30);
    log.verify().unwrap();
    assert_eq!(store.check().unwrap(), Vec::<String>::new());
}

/// A writer that does not get its turn in time is told so, and nothing is written.
#[test]
fn a_held_lock_is_an_error_in_words() {
    let (folder, store) = support::file();
    let path = folder.path().join("store.sqlite");
    store.graph().put_node(Node::new("a", "a", NOW)).unwrap();
    let holder = rusqlite::Connection::open(&path).unwrap();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    let mut options = SqliteOptions::default();
    options.busy_timeout = Duration::from_millis(50);
    let refused = Store::sqlite_with(&path, &options);
    assert!(matches!(refused, Err(Error::Busy { .. })), "{refused:?}");
    // Readers are not held up.
    assert!(store.graph().node("a").unwrap().is_some());
    holder.execute_batch("COMMIT").unwrap();
    let waiting = Store::sqlite_with(&path, &options).unwrap();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    let refused = waiting.graph().put_node(Node::new("b", "b", NOW));
    let Err(GraphError::Store { reason }) = refused else {
        panic!("{refused:?}");
    };
    assert!(
        reason.contains("another writer holds the store"),
        "{reason}"
    );
    holder.execute_batch("COMMIT").unwrap();
    assert!(store.graph().node("b").unwrap().is_none());
}

/// Writes until there is no room, then checks that what was acknowledged is there, that room
/// brings the store back, and that the error is clear.
fn fill(store: &Store, reopen: impl Fn() -> Store) {
    let mut done = 0;
    let reason = loop {
        match store.graph().apply(&batch("w", done)) {
            Ok(_) => done += 1,
            Err(GraphError::Store { reason }) => break reason,
            Err(other) => panic!("{other}"),
        }
        assert!(done < 100_000, "the disk does not fill");
    };
    assert!(reason.contains("no room left"), "{reason}");
    assert!(done > 10, "only {done} batches fitted");
    let count = |store: &Store| {
        let nodes = store.graph().node_page(None, usize::MAX).unwrap();
        nodes.len() as u64
    };
    assert_eq!(count(store), done * NODES, "acknowledged and nothing else");
    assert_eq!(store.check().unwrap(), Vec::<String>::new());
    let again = reopen();
    assert_eq!(count(&again), done * NODES);
    assert_eq!(again.check().unwrap(), Vec::<String>::new());
    again.graph().apply(&batch("w", done)).unwrap();
    assert_eq!(count(&again), (done + 1) * NODES);
    println!("{done} batches, then: {reason}");
}

#[test]
fn a_limit_on_pages_is_a_full_disk() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.sqlite");
    let mut options = SqliteOptions::default();
    options.max_pages = Some(150);
    let store = Store::sqlite_with(&path, &options).unwrap();
    fill(&store, || Store::sqlite(&path).unwrap());
}

/// A file system of its own, in memory; `None` where mounting is not allowed.
struct Mount(tempfile::TempDir);

impl Mount {
    fn new(size: &str) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let options = format!("size={size}");
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &options, "tmpfs"])
            .arg(folder.path())
            .stderr(Stdio::null())
            .status();
        if mounted.is_ok_and(|s| s.success()) {
            return Some(Self(folder));
        }
        println!("skipped: mounting a small file system needs root");
        None
    }

    fn remount(&self, options: &str) {
        let done = Command::new("mount")
            .args(["-o", &format!("remount,{options}")])
            .arg(self.0.path())
            .status();
        assert!(done.unwrap().success());
    }

    fn file(&self) -> PathBuf {
        self.0.path().join("store.sqlite")
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.0.path()).status();
    }
}

#[test]
fn a_full_disk_loses_nothing() {
    let Some(mount) = Mount::new("3m") else {
        return;
    };
    let store = Store::sqlite(mount.file()).unwrap();
    fill(&store, || {
        mount.remount("size=8m");
        Store::sqlite(mount.file()).unwrap()
    });
}

#[test]
fn a_read_only_file_is_an_error_in_words() {
    let Some(mount) = Mount::new("8m") else {
        return;
    };
    {
        let store = Store::sqlite(mount.file()).unwrap();
        store.graph().apply(&batch("w", 0)).unwrap();
    }
    mount.remount("ro");
    let refused = Store::sqlite(mount.file()).unwrap_err();
    println!("opened for writing: {refused}");
    assert!(matches!(refused, Error::ReadOnly { .. }), "{refused:?}");
    let mut options = SqliteOptions::default();
    options.read_only = true;
    let store = Store::sqlite_with(mount.file(), &options).unwrap();
    let nodes = store.graph().node_page(None, usize::MAX).unwrap();
    assert_eq!(nodes.len() as u64, NODES);
    let refused = store.graph().apply(&batch("w", 1)).unwrap_err().to_string();
    println!("written to: {refused}");
    assert!(refused.contains("the store is read-only"), "{refused}");
    drop(store);
    mount.remount("rw");
    let store = Store::sqlite(mount.file()).unwrap();
    assert_eq!(store.check().unwrap(), Vec::<String>::new());
    store.graph().apply(&batch("w", 1)).unwrap();
}

#[test]
fn what_is_no_store_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.sqlite");
    std::fs::write(
        &path,
        "not a database, but long enough to be looked at".repeat(30),
    )
    .unwrap();
    let refused = Store::sqlite(&path).unwrap_err();
    assert!(matches!(refused, Error::Open { .. }), "{refused:?}");
    assert!(
        std::fs::read(&path).unwrap().starts_with(b"not a"),
        "left alone"
    );
    std::fs::remove_file(&path).unwrap();
    let other = rusqlite::Connection::open(&path).unwrap();
    other.execute_batch("CREATE TABLE theirs (x)").unwrap();
    let refused = Store::sqlite(&path).unwrap_err().to_string();
    assert!(refused.contains("another program"), "{refused}");
    let refused = Store::sqlite(folder.path().join("no/such/folder.sqlite")).unwrap_err();
    assert!(refused.to_string().contains("folder.sqlite"), "{refused}");
    let refused = Store::sqlite(folder.path()).unwrap_err();
    assert!(matches!(refused, Error::Open { .. }), "{refused:?}");
}
