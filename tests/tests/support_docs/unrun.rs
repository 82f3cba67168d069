//! Commands that a page shows and no test runs: each with its reason, and checked as far as it can be.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

use cargo_metadata::{Metadata, MetadataCommand, Package, Target};

use super::blocks::root;

/// How a command begins, and why it is not run.
const UNRUN: &[(&str, &str)] = &[
    ("cargo test ", "it is this very run, or a part of it"),
    (
        "CANDOR_DOCS=update cargo test ",
        "it is this very run, and would change the pages",
    ),
    (
        "cargo bench ",
        "it takes minutes and gives other figures on another machine",
    ),
    ("cargo add ", "it needs the registry"),
    (
        "cargo new ",
        "it belongs to a program outside of this repository",
    ),
    (
        "cargo run\n",
        "it belongs to a program outside of this repository",
    ),
    ("cargo doc ", ".ci/run does it"),
    ("cargo deny ", ".ci/run does it"),
    ("cargo package ", ".ci/run does it"),
    (
        "cargo tree ",
        "its output follows the versions in the registry",
    ),
    (
        "bash benches/newcomer.sh",
        "it builds everything from nothing",
    ),
    (
        "bash fixtures/fetch-models.sh",
        "it needs the network; .ci/run does it",
    ),
    (
        "bash fixtures/postgres.sh",
        "it starts a server; .ci/run does it",
    ),
    (
        "bash benches/",
        "it takes minutes and gives other figures on another machine",
    ),
    (
        "python3 benches/",
        "it takes minutes and gives other figures on another machine",
    ),
    ("npm install ", "it needs the network"),
    ("NODE_PATH=", "it needs a browser"),
    ("apt-get install ", "it changes the machine"),
];

/// Why a command is not run; none where it is.
pub(crate) fn unrun(command: &str) -> Option<&'static str> {
    let lined = format!("{command}\n");
    let found = UNRUN.iter().find(|(begins, _)| lined.starts_with(begins));
    found.map(|(_, why)| *why)
}

/// What can be checked of a command without running it: its packages, targets, features and files.
pub(crate) fn check_unrun(command: &str, why: &str, place: &str) {
    println!("not run, since {why}: {command}");
    if command.contains("cargo ") {
        let at = command.find("cargo ").unwrap();
        check_cargo(&command[at..], place);
    }
    for word in command.split_whitespace() {
        let file = Path::new(word.trim_end_matches(['"', '\'']));
        let ours = ["benches", "crates", "docs", "examples", "fixtures", "tests"];
        if !ours.iter().any(|folder| file.starts_with(folder)) {
            continue;
        }
        assert!(root().join(file).exists(), "{place}: there is no {word}");
        if file.extension().is_some_and(|e| e == "sh") {
            let status = Command::new("bash")
                .arg("-n")
                .arg(root().join(file))
                .status()
                .unwrap();
            assert!(status.success(), "{place}: {word} cannot be read by bash");
        }
    }
}

/// A cargo command names packages, targets and features that exist.
pub(crate) fn check_cargo(command: &str, place: &str) {
    let before = command.split(" -- ").next().unwrap_or_default();
    let words: Vec<&str> = before.split_whitespace().collect();
    if words.get(1).is_some_and(|sub| ["add", "new"].contains(sub)) {
        return;
    }
    let after = |flag: &str| -> Vec<&str> {
        let pairs = words.windows(2).filter(|pair| pair[0] == flag);
        pairs
            .map(|pair| pair[1])
            .filter(|value| value.chars().any(char::is_lowercase))
            .collect()
    };
    let workspace = workspace();
    let named: BTreeSet<&str> = after("-p").into_iter().chain(after("--package")).collect();
    for name in &named {
        let known = workspace.packages.iter().any(|p| p.name.as_str() == *name);
        assert!(known, "{place}: there is no package {name}: {command}");
    }
    let chosen = |p: &&Package| named.is_empty() || named.contains(p.name.as_str());
    let packages: Vec<&Package> = workspace.packages.iter().filter(chosen).collect();
    let has = |name: &str, kind: fn(&Target) -> bool| {
        let mut targets = packages.iter().flat_map(|p| &p.targets);
        targets.any(|t| kind(t) && t.name == name)
    };
    for (flag, kind) in [
        ("--example", Target::is_example as fn(&Target) -> bool),
        ("--test", Target::is_test),
        ("--bench", Target::is_bench),
    ] {
        for name in after(flag) {
            assert!(
                has(name, kind),
                "{place}: there is no {flag} {name}: {command}"
            );
        }
    }
    for list in after("--features") {
        for feature in list.split(',') {
            // `CRATE/FEATURE` belongs to a dependency.
            let known =
                feature.contains('/') || packages.iter().any(|p| p.features.contains_key(feature));
            assert!(known, "{place}: there is no feature {feature}: {command}");
        }
    }
}

fn workspace() -> &'static Metadata {
    static METADATA: OnceLock<Metadata> = OnceLock::new();
    METADATA.get_or_init(|| {
        let manifest = root().join("Cargo.toml");
        MetadataCommand::new()
            .manifest_path(manifest)
            .no_deps()
            .exec()
            .unwrap()
    })
}
