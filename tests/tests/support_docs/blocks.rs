//! Fenced blocks and commands in prose.

use std::fs;
use std::path::{Path, PathBuf};

pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap().to_owned()
}

/// README, every page of docs, and the crates' own READMEs, sorted.
pub(crate) fn pages() -> Vec<PathBuf> {
    let mut pages = vec![root().join("README.md")];
    let folder = |path: PathBuf| {
        fs::read_dir(path)
            .unwrap()
            .map(|entry| entry.unwrap().path())
    };
    pages.extend(folder(root().join("docs")).filter(|p| p.extension().is_some_and(|e| e == "md")));
    pages.extend(
        folder(root().join("crates"))
            .map(|c| c.join("README.md"))
            .filter(|p| p.exists()),
    );
    pages.sort();
    pages
}

/// A fenced block.
pub(crate) struct Block {
    page: PathBuf,
    /// The line of its first line, from 1.
    pub(crate) first: usize,
    /// What stands behind the fence.
    pub(crate) info: String,
    pub(crate) lines: Vec<String>,
}

impl Block {
    pub(crate) fn place(&self) -> String {
        format!("{}:{}", self.page.display(), self.first)
    }

    pub(crate) fn text(&self) -> String {
        self.lines.join("\n")
    }

    /// The commands of an `sh` block; a backslash goes on to the next line.
    pub(crate) fn commands(&self) -> Vec<String> {
        let joined = self.text().replace("\\\n", " ");
        let lines = joined.lines().map(str::trim);
        lines
            .filter(|l| !l.is_empty() && !l.starts_with('#'))
            .map(str::to_owned)
            .collect()
    }

    /// The commands of a `console` block (`$ `, continued by `> `) with what they print.
    pub(crate) fn session(&self) -> Vec<(String, Vec<String>)> {
        let mut out: Vec<(String, Vec<String>)> = Vec::new();
        let mut in_command = false;
        for line in &self.lines {
            if let Some(command) = line.strip_prefix("$ ") {
                out.push((command.to_owned(), Vec::new()));
                in_command = true;
                continue;
            }
            let last = out.last_mut();
            let (command, printed) = last.unwrap_or_else(|| panic!("{}: no command", self.place()));
            match line.strip_prefix("> ").filter(|_| in_command) {
                Some(more) => {
                    command.push('\n');
                    command.push_str(more);
                }
                None => {
                    in_command = false;
                    printed.push(line.trim_end().to_owned());
                }
            }
        }
        out
    }
}

pub(crate) fn blocks(page: &Path) -> Vec<Block> {
    let text = fs::read_to_string(page).unwrap();
    let (mut out, mut open): (Vec<Block>, bool) = (Vec::new(), false);
    for (n, line) in text.lines().enumerate() {
        let fence = line.trim_start().strip_prefix("```");
        match (open, fence) {
            (false, Some(info)) => {
                open = true;
                out.push(Block {
                    page: page.to_owned(),
                    first: n + 2,
                    info: info.trim().to_owned(),
                    lines: Vec::new(),
                });
            }
            (true, Some(_)) => open = false,
            (true, None) => out.last_mut().unwrap().lines.push(line.to_owned()),
            (false, None) => {}
        }
    }
    assert!(!open, "{}: a block is not closed", page.display());
    out
}

/// Code spans in prose that are cargo commands, with their lines.
pub(crate) fn inline_commands(page: &Path) -> Vec<(usize, String)> {
    let text = fs::read_to_string(page).unwrap();
    let (mut out, mut fenced) = (Vec::new(), false);
    for (n, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
            continue;
        }
        let spans = line.split('`').skip(1).step_by(2).filter(|_| !fenced);
        for span in spans.filter(|s| s.starts_with("cargo ")) {
            out.push((n + 1, span.to_owned()));
        }
    }
    out
}
