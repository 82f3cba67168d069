//! Where the commands of a page run: a folder of its own that looks like the repository's root, with
//! the examples that this very `cargo test` built in the place of `cargo run`.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use super::blocks::{Block, root};
use super::unrun::unrun;

/// Stands for cargo: runs an example that is built, refuses all else.
const CARGO: &str = r#"#!/usr/bin/env bash
example= ; all="$*"
while [ $# -gt 0 ]; do
  case "$1" in
    run|--release|-q|--quiet) shift ;;
    --example) example=$2; shift 2 ;;
    --features) shift 2 ;;
    --) shift; break ;;
    *) echo "tests/tests/docs.rs cannot run: cargo $all" >&2; exit 97 ;;
  esac
done
[ -x "$CANDOR_EXAMPLES/$example" ] || {
  echo "the example $example is not built; run the whole workspace's tests" >&2; exit 97; }
exec "$CANDOR_EXAMPLES/$example" "$@"
"#;

pub(crate) struct Sandbox {
    folder: tempfile::TempDir,
}

impl Sandbox {
    /// A place for a page's commands; none where nothing of it runs.
    pub(crate) fn for_page(blocks: &[Block]) -> Option<Self> {
        let runs = |block: &Block| match block.info.as_str() {
            "sh" => block.commands().iter().any(|c| unrun(c).is_none()),
            "console" => true,
            _ => false,
        };
        if !blocks.iter().any(runs) {
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        let tools = folder.path().join(".tools");
        fs::create_dir(&tools).unwrap();
        let cargo = tools.join("cargo");
        fs::write(&cargo, CARGO).unwrap();
        executable(&cargo);
        // Python with the package blake3, where the fetch script has made it.
        let python = root().join("fixtures/.venv/bin/python");
        if python.exists() {
            let wrapper = tools.join("python3");
            let script = format!("#!/usr/bin/env bash\nexec '{}' \"$@\"\n", python.display());
            fs::write(&wrapper, script).unwrap();
            executable(&wrapper);
        }
        for name in ["fixtures", "docs", "crates", "examples", "benches"] {
            link(&root().join(name), &folder.path().join(name));
        }
        Some(Self { folder })
    }

    /// Whether a command's needs are here: the package blake3, for Python. Says so where it is not.
    pub(crate) fn can_run(&mut self, command: &str) -> bool {
        let here = !command.starts_with("python3 ") || self.run("python3 -c 'import blake3'").1;
        if !here {
            println!(
                "skipped: python3 has no package blake3 (.ci/run makes fixtures/.venv): {command}"
            );
        }
        here
    }

    /// Runs a command; what it printed on stdout and stderr as a terminal shows it, and whether it
    /// succeeded.
    pub(crate) fn run(&mut self, command: &str) -> (String, bool) {
        let tools = self.folder.path().join(".tools");
        let path = std::env::var("PATH").unwrap_or_default();
        let output = Command::new("bash")
            .args(["-euo", "pipefail", "-c", &format!("exec 2>&1\n{command}")])
            .current_dir(self.folder.path())
            .env("PATH", format!("{}:{path}", tools.display()))
            .env("CANDOR_EXAMPLES", examples())
            .stdin(Stdio::null())
            .output()
            .expect("bash");
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_ne!(output.status.code(), Some(97), "{command}: {printed}");
        (printed, output.status.success())
    }
}

/// Where the examples stand that were built with this test.
fn examples() -> PathBuf {
    let exe = std::env::current_exe().unwrap();
    exe.ancestors().nth(2).unwrap().join("examples")
}

#[cfg(unix)]
fn executable(file: &std::path::Path) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(file, fs::Permissions::from_mode(0o755)).unwrap();
}

#[cfg(unix)]
fn link(to: &std::path::Path, at: &std::path::Path) {
    std::os::unix::fs::symlink(to, at).unwrap();
}

/// Whether the lines are those expected. `…` alone on a line stands for any lines, within a line for
/// any text.
pub(crate) fn matches(expected: &[String], got: &[String]) -> bool {
    match expected.split_first() {
        None => got.iter().all(String::is_empty),
        Some((line, rest)) if line == "…" => (0..=got.len()).any(|n| matches(rest, &got[n..])),
        Some((line, rest)) => got
            .split_first()
            .map_or(line.is_empty() && matches(rest, got), |(first, more)| {
                line_matches(line, first) && matches(rest, more)
            }),
    }
}

fn line_matches(expected: &str, got: &str) -> bool {
    let Some((head, tail)) = expected.split_once('…') else {
        return expected == got;
    };
    let Some(rest) = got.strip_prefix(head) else {
        return false;
    };
    (0..=rest.len())
        .filter(|n| rest.is_char_boundary(*n))
        .any(|n| line_matches(tail, &rest[n..]))
}

#[test]
fn ellipses_stand_for_anything_and_nothing_else_does() {
    let lines = |text: &str| -> Vec<String> { text.lines().map(str::to_owned).collect() };
    assert!(matches(&lines("a\n…\nd"), &lines("a\nb\nc\nd")));
    assert!(matches(&lines("run …9 ok"), &lines("run 12349 ok")));
    assert!(!matches(&lines("a\n…\nd"), &lines("a\nb\nc")));
    assert!(!matches(&lines("a"), &lines("a\nb")));
    assert!(!matches(&lines("a\nb"), &lines("a")));
}
