//! Reading folders: what is read, what is skipped and why, and the same bytes on any number of
//! threads.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::fs;
use std::path::Path;

use geodesic_retriever::{
    ChunkOptions, Chunker, Corpus, Error, GeodesicRetriever, ReadOptions, Retriever,
    RetrieverOptions, read_folder,
};

fn make(folder: &Path) {
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    };
    write("b.txt", b"Bees dance to tell where flowers are.");
    write(
        "a/guide.md",
        b"# The guide\n\nBridges carry loads to the ground.",
    );
    write(
        "a/z.jsonl",
        b"{\"id\":\"1\",\"title\":\"Neon\",\"text\":\"Neon glows red.\"}\nnot json\n",
    );
    write(
        "page.html",
        b"<title>Page</title><body><p>Glaciers move slowly.</p>",
    );
    write("README", b"Plain text without extension.");
    write(".hidden.txt", b"no");
    write(".git/config.txt", b"no");
    write("blob.txt", b"a\0b");
    write("latin.txt", b"caf\xe9");
    write("empty.txt", b" \n");
    write("archive.gz", b"\x1f\x8b");
    write("big.txt", &[b'x'; 5000]);
    #[cfg(unix)]
    std::os::unix::fs::symlink(folder.join("b.txt"), folder.join("link.txt")).unwrap();
}

#[test]
fn files_are_read_in_order_and_the_rest_is_accounted_for() {
    let folder = tempfile::tempdir().unwrap();
    make(folder.path());
    let options = ReadOptions {
        max_file_bytes: 4096,
        ..ReadOptions::default()
    };
    let mut calls = 0;
    let found = read_folder(folder.path(), &options, &mut |_| calls += 1).unwrap();
    assert!(calls >= 2);
    let ids: Vec<&str> = found.documents.iter().map(|d| d.id.as_str()).collect();
    assert_eq!(
        ids,
        ["README", "a/guide.md", "a/z.jsonl#1", "b.txt", "page.html"]
    );
    let titles: Vec<&str> = found.documents.iter().map(|d| d.title.as_str()).collect();
    assert_eq!(titles, ["README", "The guide", "Neon", "b", "Page"]);
    let skipped: Vec<(&str, &str)> = found
        .report
        .skipped
        .iter()
        .map(|s| (s.path.as_str(), s.reason.name()))
        .collect();
    let mut expected = vec![
        (".git", "hidden"),
        (".hidden.txt", "hidden"),
        ("a/z.jsonl#2", "malformed record"),
        ("archive.gz", "unsupported type"),
        ("big.txt", "too large"),
        ("blob.txt", "binary"),
        ("empty.txt", "empty"),
        ("latin.txt", "not UTF-8"),
    ];
    if cfg!(unix) {
        expected.push(("link.txt", "not a plain file"));
    }
    assert_eq!(skipped, expected);
    assert_eq!(found.report.files_read, 5);
}

#[test]
fn folders_without_documents_say_so() {
    let folder = tempfile::tempdir().unwrap();
    let read = |path: &Path| read_folder(path, &ReadOptions::default(), &mut |_| {});
    assert!(matches!(
        read(folder.path()),
        Err(Error::EmptyFolder { skipped: 0, .. })
    ));
    fs::write(folder.path().join("x.gz"), b"x").unwrap();
    let e = read(folder.path()).unwrap_err().to_string();
    assert!(e.contains("1 unsupported type"), "{e}");
    let absent = read(&folder.path().join("absent"));
    assert!(matches!(
        absent,
        Err(Error::Io {
            kind: std::io::ErrorKind::NotFound,
            ..
        })
    ));
    let file = read(&folder.path().join("x.gz"));
    assert!(matches!(file, Err(Error::Io { .. })));
}

#[test]
fn one_and_two_threads_give_the_same_bytes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/corpus");
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| {
            let found = read_folder(&folder, &ReadOptions::default(), &mut |_| {}).unwrap();
            let chunker = Chunker::characters(ChunkOptions {
                max_size: 300,
                overlap: 50,
            })
            .unwrap();
            let corpus = Corpus::new(found.documents, &chunker, &mut |_| {});
            let options = RetrieverOptions::default();
            let r = GeodesicRetriever::lexical(corpus, options, &mut |_| {}).unwrap();
            let ask = |q| serde_json::to_string(&r.retrieve(q).unwrap()).unwrap();
            [
                "How tall is the bridge?",
                "Què és un castell?",
                "What is neon?",
            ]
            .map(ask)
        })
    };
    assert_eq!(run(1), run(2));
    assert_eq!(run(1), run(1));
}
