//! What every example does alike: JSON pure on stdout, all else on stderr, one clear line on failure.

use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::OnceLock;

use geodesic_retriever::{Progress, Stage};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Why an example ends with status 1: one line for stderr.
pub type Failure = Box<dyn std::error::Error>;

/// Runs an example: status 0, or one line on stderr and status 1.
pub fn run(main: impl FnOnce() -> Result<(), Failure>) -> ExitCode {
    match main() {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            let line = failure.to_string().replace(['\n', '\r'], " ");
            let _ = writeln!(io::stderr(), "error: {line}");
            ExitCode::FAILURE
        }
    }
}

/// Writes a text and a line feed to stdout. A reader that has gone away is no failure.
///
/// # Errors
/// Any other failure of stdout.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let written = out
        .write_all(text.as_bytes())
        .and_then(|()| out.write_all(b"\n"));
    match written.and_then(|()| out.flush()) {
        Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => Ok(other?),
    }
}

/// Writes a line to stderr.
pub fn note(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

/// Writes a page to a file and says so on stderr.
///
/// # Errors
/// A file that cannot be written, named.
pub fn write_page(file: &Path, page: &str) -> Result<(), Failure> {
    std::fs::write(file, page).map_err(|e| format!("{}: {e}", file.display()))?;
    note(&format!("page: {}", file.display()));
    Ok(())
}

/// A progress callback: a bar on stderr where that is a terminal, else silent.
pub fn progress() -> impl FnMut(Progress) {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    if !io::stderr().is_terminal() {
        bar.set_draw_target(ProgressDrawTarget::hidden());
    }
    bar.set_style(style().clone());
    let mut stage: Option<Stage> = None;
    move |step| {
        if stage != Some(step.stage) {
            stage = Some(step.stage);
            bar.set_message(format!("{:?}", step.stage).to_lowercase());
            bar.reset();
        }
        match step.total {
            Some(total) => bar.set_length(total as u64),
            None => bar.unset_length(),
        }
        bar.set_position(step.done as u64);
    }
}

fn style() -> &'static ProgressStyle {
    static STYLE: OnceLock<ProgressStyle> = OnceLock::new();
    STYLE.get_or_init(|| {
        ProgressStyle::with_template("{msg:>8} [{bar:30}] {pos}/{len} {elapsed}")
            .unwrap_or_else(|_| ProgressStyle::default_bar())
    })
}
