//! Recording what an agent replied, and replaying it.

use std::path::Path;
use std::sync::Mutex;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::timer::lock;
use crate::{Agent, AgentError, AnswerMode, BoxFuture, Completion, Prompt};

/// What of a prompt is recorded and compared: everything that a model can see.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RecordedPrompt {
    /// [`Prompt::system`].
    pub system: String,
    /// [`Prompt::user`].
    pub user: String,
    /// [`Prompt::output_schema`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<Value>,
    /// [`Prompt::mode`].
    pub mode: AnswerMode,
    /// [`Prompt::max_tokens`].
    pub max_tokens: u32,
}

impl From<&Prompt> for RecordedPrompt {
    fn from(prompt: &Prompt) -> Self {
        Self {
            system: prompt.system.clone(),
            user: prompt.user.clone(),
            output_schema: prompt.output_schema.clone(),
            mode: prompt.mode,
            max_tokens: prompt.max_tokens,
        }
    }
}

/// How a recorded call ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum TapeOutcome {
    /// With a completion.
    Completion(Completion),
    /// With an error.
    Error(AgentError),
    /// Not at all: the call was dropped before it ended.
    Dropped,
}

/// A call on a tape.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TapeEntry {
    /// What was asked.
    pub prompt: RecordedPrompt,
    /// How it ended.
    pub outcome: TapeOutcome,
}

/// Recorded calls, in the order in which they were started.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Tape {
    /// The calls.
    pub entries: Vec<TapeEntry>,
}

/// Why a tape could not be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TapeError {
    /// The file could not be read or written.
    #[error("the tape {path} could not be read or written: {source}")]
    File {
        /// The file.
        path: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// The content is not a tape.
    #[error("a tape is JSON of the form {{\"entries\":[{{\"prompt\":…,\"outcome\":…}}]}}: {0}")]
    Json(#[from] serde_json::Error),
}

impl Tape {
    /// Reads a tape from JSON.
    ///
    /// # Errors
    /// [`TapeError::Json`] where it is not the JSON of a tape.
    pub fn from_json(json: &str) -> Result<Self, TapeError> {
        Ok(serde_json::from_str(json)?)
    }

    /// Reads a tape from a file.
    ///
    /// # Errors
    /// [`TapeError`] where the file can't be read or is no tape.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, TapeError> {
        let path = path.as_ref();
        let json = std::fs::read_to_string(path).map_err(|e| file_error(path, e))?;
        Self::from_json(&json)
    }

    /// The tape as readable JSON with a final line break.
    ///
    /// # Errors
    /// [`TapeError::Json`], which no tape that was recorded here gives.
    pub fn to_json(&self) -> Result<String, TapeError> {
        let mut json = serde_json::to_string_pretty(self)?;
        json.push('\n');
        Ok(json)
    }

    /// Writes the tape to a file.
    ///
    /// # Errors
    /// [`TapeError`] where the file can't be written.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), TapeError> {
        let path = path.as_ref();
        std::fs::write(path, self.to_json()?).map_err(|e| file_error(path, e))
    }
}

fn file_error(path: &Path, source: std::io::Error) -> TapeError {
    TapeError::File {
        path: path.display().to_string(),
        source,
    }
}

/// An agent that records another one's calls, or replays a tape without any.
///
/// A replay finds a call by its prompt, whatever the order of calls; a prompt recorded several
/// times replays in the order of the recording. A prompt that was not recorded, or more often
/// than it was, is [`AgentError::NotRecorded`] with the place where it differs from the nearest
/// recorded one.
pub struct Cassette {
    /// None when replaying.
    inner: Option<Box<dyn Agent>>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    tape: Tape,
    played: Vec<bool>,
}

impl std::fmt::Debug for Cassette {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Cassette")
            .field("recording", &self.inner.is_some())
            .finish_non_exhaustive()
    }
}

impl Cassette {
    /// Records every call of an agent.
    pub fn record(agent: impl Agent + 'static) -> Self {
        Self {
            inner: Some(Box::new(agent)),
            state: Mutex::default(),
        }
    }

    /// Replays a tape.
    #[must_use]
    pub fn replay(tape: Tape) -> Self {
        let played = vec![false; tape.entries.len()];
        Self {
            inner: None,
            state: Mutex::new(State { tape, played }),
        }
    }

    /// The tape as it stands.
    #[must_use]
    pub fn tape(&self) -> Tape {
        lock(&self.state).tape.clone()
    }

    /// How many recorded calls were not replayed.
    #[must_use]
    pub fn unplayed(&self) -> usize {
        lock(&self.state).played.iter().filter(|p| !**p).count()
    }

    fn play(&self, asked: &RecordedPrompt) -> Result<Completion, AgentError> {
        let mut state = lock(&self.state);
        let State { tape, played } = &mut *state;
        let found = tape
            .entries
            .iter()
            .zip(played.iter_mut())
            .find(|(entry, played)| !**played && entry.prompt == *asked);
        match found {
            Some((entry, played)) => {
                *played = true;
                match &entry.outcome {
                    TapeOutcome::Completion(done) => Ok(done.clone()),
                    TapeOutcome::Error(error) => Err(error.clone()),
                    TapeOutcome::Dropped => Err(AgentError::NotRecorded {
                        difference: "the recorded call was dropped before it ended".to_owned(),
                    }),
                }
            }
            None => Err(AgentError::NotRecorded {
                difference: nearest_difference(&tape.entries, asked),
            }),
        }
    }

    async fn record_call(
        &self,
        agent: &dyn Agent,
        slot: usize,
        prompt: Prompt,
    ) -> Result<Completion, AgentError> {
        let result = agent.complete(prompt).await;
        let outcome = match &result {
            Ok(done) => TapeOutcome::Completion(done.clone()),
            Err(error) => TapeOutcome::Error(error.clone()),
        };
        if let Some(entry) = lock(&self.state).tape.entries.get_mut(slot) {
            entry.outcome = outcome;
        }
        result
    }
}

impl Agent for Cassette {
    fn complete(&self, prompt: Prompt) -> BoxFuture<'_, Result<Completion, AgentError>> {
        let recorded = RecordedPrompt::from(&prompt);
        let Some(agent) = &self.inner else {
            let reply = self.play(&recorded);
            return Box::pin(std::future::ready(reply));
        };
        // The place is taken when the call is made, so that a tape has the order of the calls
        // whichever ends first.
        let slot = {
            let mut state = lock(&self.state);
            state.tape.entries.push(TapeEntry {
                prompt: recorded,
                outcome: TapeOutcome::Dropped,
            });
            state.tape.entries.len() - 1
        };
        Box::pin(self.record_call(agent.as_ref(), slot, prompt))
    }
}

/// Where `asked` first differs from the recorded prompt that agrees with it the longest.
fn nearest_difference(entries: &[TapeEntry], asked: &RecordedPrompt) -> String {
    let agreement = |e: &TapeEntry| {
        common_prefix(&e.prompt.system, &asked.system) + common_prefix(&e.prompt.user, &asked.user)
    };
    // The first of the best, so that the message is the same every time.
    let mut best: Option<(&TapeEntry, usize)> = None;
    for entry in entries {
        let length = agreement(entry);
        if best.is_none_or(|(_, longest)| length > longest) {
            best = Some((entry, length));
        }
    }
    match best {
        None => "the tape is empty".to_owned(),
        Some((entry, _)) => difference(&entry.prompt, asked),
    }
}

fn difference(recorded: &RecordedPrompt, asked: &RecordedPrompt) -> String {
    for (field, was, is) in [
        ("system", &recorded.system, &asked.system),
        ("user", &recorded.user, &asked.user),
    ] {
        if was != is {
            return line_difference(field, was, is);
        }
    }
    if recorded.output_schema != asked.output_schema {
        return "the output schema differs from the recorded one".to_owned();
    }
    if recorded.mode != asked.mode {
        return format!(
            "the answer mode is {:?}, recorded was {:?}",
            asked.mode, recorded.mode
        );
    }
    if recorded.max_tokens != asked.max_tokens {
        return format!(
            "max_tokens is {}, recorded was {}",
            asked.max_tokens, recorded.max_tokens
        );
    }
    "it was asked more often than it was recorded".to_owned()
}

/// The first lines that differ, by their numbers. Several, because a prompt may carry a digest of
/// itself in front, which says that something differs and not what.
fn line_difference(field: &str, was: &str, is: &str) -> String {
    const MOST: usize = 8;
    let (mut old, mut new) = (was.split('\n'), is.split('\n'));
    let mut found = Vec::new();
    for line in 1_usize.. {
        let (recorded, asked) = (old.next(), new.next());
        if (recorded.is_none() && asked.is_none()) || found.len() == MOST {
            break;
        }
        if recorded != asked {
            found.push(format!(
                "line {line}: recorded {}, asked {}",
                shown(recorded),
                shown(asked)
            ));
        }
    }
    format!("{field} text, {}", found.join("; "))
}

fn shown(line: Option<&str>) -> String {
    const LONGEST: usize = 160;
    match line {
        None => "nothing".to_owned(),
        Some(text) if text.chars().count() <= LONGEST => format!("{text:?}"),
        Some(text) => format!("{:?}…", text.chars().take(LONGEST).collect::<String>()),
    }
}

fn common_prefix(a: &str, b: &str) -> usize {
    a.bytes().zip(b.bytes()).take_while(|(x, y)| x == y).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent_fn;
    use futures::executor::block_on;

    fn recorded() -> Tape {
        let echo = Cassette::record(agent_fn(|p| Ok(Completion::new(p.user.to_uppercase()))));
        for q in ["one\ntwo", "three", "one\ntwo"] {
            block_on(echo.complete(Prompt::new(q))).unwrap();
        }
        echo.tape()
    }

    #[test]
    fn what_was_recorded_replays_in_any_order() {
        let json = recorded().to_json().unwrap();
        let tape = Cassette::replay(Tape::from_json(&json).unwrap());
        let ask = |q: &str| block_on(tape.complete(Prompt::new(q))).map(|c| c.text);
        assert_eq!(ask("three").unwrap(), "THREE");
        assert_eq!(ask("one\ntwo").unwrap(), "ONE\nTWO");
        assert_eq!(tape.unplayed(), 1);
        assert_eq!(ask("one\ntwo").unwrap(), "ONE\nTWO");
        let again = ask("one\ntwo").unwrap_err().to_string();
        assert!(again.contains("more often"), "{again}");
    }

    #[test]
    fn a_different_prompt_shows_the_difference() {
        let tape = Cassette::replay(recorded());
        let error = block_on(tape.complete(Prompt::new("one\ntow"))).unwrap_err();
        assert_eq!(
            error.to_string(),
            "no recorded reply for this prompt: user text, line 2: recorded \"two\", asked \"tow\""
        );
        let longer = block_on(tape.complete(Prompt::new("three").with_max_tokens(9)));
        assert!(longer.unwrap_err().to_string().contains("max_tokens is 9"));
    }

    #[test]
    fn dropped_calls_and_errors_are_on_the_tape() {
        let fails = AgentError::Timeout { after_ms: 1 };
        let inner = fails.clone();
        let rec = Cassette::record(agent_fn(move |_| Err(inner.clone())));
        drop(rec.complete(Prompt::new("dropped")));
        let _ = block_on(rec.complete(Prompt::new("failed")));
        let replay = Cassette::replay(rec.tape());
        assert_eq!(block_on(replay.complete(Prompt::new("failed"))), Err(fails));
        assert!(block_on(replay.complete(Prompt::new("dropped"))).is_err());
    }
}
