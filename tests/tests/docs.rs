//! Every command and code block of README and docs. The Rust blocks are doctests (`src/lib.rs`); the
//! shell blocks run here, and what a page says that they print must be what they print.
//!
//! `CANDOR_DOCS=update cargo test --release --workspace --test docs` writes the output anew into the
//! pages.
// Printing: a test says plainly what it skips.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout
)]

mod support_docs;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use support_docs::blocks::{Block, blocks, inline_commands, pages, root};
use support_docs::shell::{Sandbox, matches};
use support_docs::unrun::{check_cargo, check_unrun, unrun};

#[test]
fn every_block_is_of_a_kind_that_a_test_runs() {
    let kinds = ["rust", "sh", "console", "json", "toml", "text"];
    for page in pages() {
        for block in blocks(&page) {
            assert!(
                kinds.contains(&block.info.as_str()),
                "{}: a block of the kind {:?}; expected {kinds:?}",
                block.place(),
                block.info
            );
            if block.info == "json" {
                let json: Result<serde_json::Value, _> = serde_json::from_str(&block.text());
                assert!(json.is_ok(), "{}: {json:?}", block.place());
            }
        }
    }
}

#[test]
fn the_rust_blocks_of_every_page_are_doctests() {
    let list = fs::read_to_string(root().join("tests/src/lib.rs")).unwrap();
    for page in pages() {
        if blocks(&page).iter().any(|block| block.info == "rust") {
            let shown = page.strip_prefix(root()).unwrap().display().to_string();
            let entry = format!("\"../../{shown}\"");
            assert!(
                list.contains(&entry),
                "tests/src/lib.rs does not list {shown}"
            );
        }
    }
}

#[test]
fn a_manifest_in_a_page_is_one_of_ours() {
    let known: String = ["Cargo.toml", "deny.toml"]
        .iter()
        .map(|file| fs::read_to_string(root().join(file)).unwrap())
        .collect();
    for page in pages() {
        for block in blocks(&page).iter().filter(|b| b.info == "toml") {
            for line in block.lines.iter().filter(|l| l.contains(" = ")) {
                let name = line.split(" = ").next().unwrap_or_default();
                let ours = root().join("crates").join(name).is_dir();
                assert!(
                    ours || known.contains(line.as_str()),
                    "{}: {line}",
                    block.place()
                );
            }
        }
    }
}

#[test]
fn the_shell_blocks_print_what_the_pages_say() {
    let update = std::env::var_os("CANDOR_DOCS").is_some_and(|v| v == "update");
    let (mut wrong, mut ran) = (Vec::new(), 0);
    for page in pages() {
        let blocks = blocks(&page);
        let Some(mut sandbox) = Sandbox::for_page(&blocks) else {
            continue;
        };
        let mut anew = BTreeMap::new();
        for block in &blocks {
            match block.info.as_str() {
                "sh" => ran += run_script(block, &mut sandbox, &mut wrong),
                "console" => ran += run_session(block, &mut sandbox, &mut wrong, &mut anew),
                _ => {}
            }
        }
        if update && !anew.is_empty() {
            write(&page, &anew);
        }
    }
    assert!(ran > 10, "only {ran} commands ran");
    assert!(update || wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn commands_in_prose_name_what_exists() {
    let mut seen = 0;
    for page in pages() {
        for (line, command) in inline_commands(&page) {
            let place = format!("{}:{line}", page.display());
            check_cargo(&command, &place);
            seen += 1;
        }
    }
    assert!(seen > 5, "only {seen} commands stand in prose");
}

/// Each line is a command; all must succeed.
fn run_script(block: &Block, sandbox: &mut Sandbox, wrong: &mut Vec<String>) -> usize {
    let mut ran = 0;
    for command in block.commands() {
        if let Some(why) = unrun(&command) {
            check_unrun(&command, why, &block.place());
            continue;
        }
        let (output, success) = sandbox.run(&command);
        ran += 1;
        if !success {
            wrong.push(format!("{}: {command} failed:\n{output}", block.place()));
        }
    }
    ran
}

/// Commands after `$ `, each with what it prints.
fn run_session(
    block: &Block,
    sandbox: &mut Sandbox,
    wrong: &mut Vec<String>,
    anew: &mut BTreeMap<usize, (usize, Vec<String>)>,
) -> usize {
    let (mut ran, mut lines) = (0, Vec::new());
    for (command, expected) in block.session() {
        lines.extend(
            command
                .lines()
                .enumerate()
                .map(|(n, line)| format!("{} {line}", if n == 0 { '$' } else { '>' })),
        );
        if let Some(why) = unrun(&command) {
            check_unrun(&command, why, &block.place());
            lines.extend(expected);
            continue;
        }
        if !sandbox.can_run(&command) {
            lines.extend(expected);
            continue;
        }
        let (output, _) = sandbox.run(&command);
        ran += 1;
        let got: Vec<String> = output.lines().map(|l| l.trim_end().to_owned()).collect();
        if matches(&expected, &got) {
            lines.extend(expected);
            continue;
        }
        let (page_says, prints) = (expected.join("\n"), got.join("\n"));
        wrong.push(format!(
            "{}: {command}\nthe page says:\n{page_says}\nit prints:\n{prints}",
            block.place()
        ));
        let elided = expected.iter().any(|line| line.contains('…'));
        lines.extend(if elided { expected } else { got });
    }
    if lines != block.lines {
        anew.insert(block.first, (block.lines.len(), lines));
    }
    ran
}

/// Puts new lines in the place of old ones, from the end of the page to its beginning.
fn write(page: &Path, anew: &BTreeMap<usize, (usize, Vec<String>)>) {
    let text = fs::read_to_string(page).unwrap();
    let mut lines: Vec<String> = text.split('\n').map(str::to_owned).collect();
    for (first, (count, new)) in anew.iter().rev() {
        lines.splice(first - 1..first - 1 + count, new.iter().cloned());
    }
    fs::write(page, lines.join("\n")).unwrap();
}

/// Links between pages lead to files and headings that are there; every page is in the summary.
#[test]
fn links_lead_somewhere() {
    let summary = fs::read_to_string(root().join("docs/SUMMARY.md")).unwrap();
    let mut links = 0;
    for page in pages() {
        let folder = page.parent().unwrap();
        let name = page.file_name().unwrap().to_str().unwrap();
        let listed = summary.contains(&format!("({name})")) || name == "SUMMARY.md";
        assert!(
            listed || !folder.ends_with("docs"),
            "docs/SUMMARY.md lacks {name}"
        );
        for target in targets(&page) {
            links += 1;
            let (file, heading) = target.split_once('#').unwrap_or((&target, ""));
            let to = if file.is_empty() {
                page.clone()
            } else {
                folder.join(file)
            };
            assert!(to.exists(), "{}: a link to {target}", page.display());
            let there = heading.is_empty() || headings(&to).iter().any(|h| h == heading);
            assert!(there, "{}: no heading for {target}", page.display());
        }
    }
    assert!(links > 50, "only {links} links");
}

/// Link targets on the page and in other files, without those to the web.
fn targets(page: &Path) -> Vec<String> {
    let text = fs::read_to_string(page).unwrap();
    let parts = text.split("](").skip(1);
    let found = parts.filter_map(|part| part.split_once(')').map(|(target, _)| target.to_owned()));
    found
        .filter(|target| !target.contains("://") && !target.contains(' '))
        .collect()
}

/// The headings of a page as they are linked to.
fn headings(page: &Path) -> Vec<String> {
    let text = fs::read_to_string(page).unwrap();
    let lines = text.lines().filter(|line| line.starts_with('#'));
    let slug = |line: &str| -> String {
        let words = line.trim_start_matches('#').trim().to_lowercase();
        let kept = words
            .chars()
            .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    };
    lines.map(slug).collect()
}

/// The program that README and docs show a newcomer is as short as they say.
#[test]
fn the_least_program_is_short_and_links_one_crate() {
    let text = fs::read_to_string(root().join("examples/examples/newcomer.rs")).unwrap();
    assert!(text.lines().count() < 30);
    let imports = text.lines().filter(|line| line.starts_with("use "));
    for import in imports {
        let ours = import.starts_with("use grounded_answer") || import.starts_with("use std");
        assert!(ours, "{import}");
    }
    for page in [
        "docs/grounded-answer.md",
        "crates/grounded-answer/README.md",
    ] {
        let shown = fs::read_to_string(root().join(page)).unwrap();
        let program = text
            .split_once("\n#![allow(clippy::print_stdout)]\n")
            .unwrap()
            .1;
        assert!(
            shown.contains(program.trim()),
            "{page} shows another program"
        );
    }
}
