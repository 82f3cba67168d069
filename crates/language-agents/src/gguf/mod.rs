//! A local quantized model, in process.
//!
//! [`Gguf::load`] reads a GGUF file (Llama architecture, byte-level BPE, ChatML: the SmolLM2
//! family) and answers prompts on one thread of its own, one at a time: a second prompt at once
//! would share the same cores. What the model may read is capped at [`CONTEXT`] tokens; a longer
//! prompt is [`AgentError::PromptTooLong`]. Text inside a prompt never becomes a mark of the chat
//! format, whatever it spells.
//!
//! Cost: a pass over the weights for each token that is written; a matrix product for each slice
//! of 256 that is read. Memory: the weights, Q4_1 twice as large as in the file (see [`Weights`]),
//! and 46 KB a token of room for SmolLM2-135M.

mod error;
mod file;
mod llama;
mod sampling;
mod vocabulary;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use candle_core::Device;

pub use error::GgufError;
pub use sampling::Sampling;

use crate::reply::{Reply, reply};
use crate::{Agent, AgentError, BoxFuture, Completion, FinishReason, Prompt};
use file::GgufFile;
use llama::{Llama, Sizes};
use sampling::Sampler;
use vocabulary::Vocabulary;

/// At most so many tokens are read and written for one prompt, also where the model was trained
/// on more.
pub const CONTEXT: u32 = 4096;

/// How quantized tensors are kept in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Weights {
    /// Types for which candle has no x86 kernel (Q4_1, Q5_0, Q5_1) are encoded as Q8_0: more
    /// memory, a multiple of the speed. The values move by less than a 1/254 of the largest of
    /// their block.
    #[default]
    Fast,
    /// As the file stores them.
    AsStored,
}

/// How a model is run.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct GgufOptions {
    /// How tensors are kept.
    pub weights: Weights,
    /// How the next token is chosen; greedily by default.
    pub sampling: Sampling,
    /// Texts that end an answer where they appear; they are not part of it.
    pub stop: Vec<String>,
    /// The time for one prompt, counted from the call, looked at before each layer.
    pub deadline: Duration,
    /// At most so many tokens, read and written together; never above [`CONTEXT`] or what the
    /// model was trained on.
    pub context: u32,
}

impl Default for GgufOptions {
    /// Fast weights, greedy, no stop texts, 5 minutes, [`CONTEXT`].
    fn default() -> Self {
        Self {
            weights: Weights::default(),
            sampling: Sampling::default(),
            stop: Vec::new(),
            deadline: Duration::from_secs(300),
            context: CONTEXT,
        }
    }
}

/// An agent over a local GGUF model.
#[derive(Debug)]
pub struct Gguf {
    jobs: Sender<Job>,
    model_id: String,
    vocabulary: std::sync::Arc<Vocabulary>,
}

struct Job {
    prompt: Prompt,
    called: Instant,
    reply: Reply,
}

impl Gguf {
    /// Loads a model on the CPU.
    ///
    /// # Errors
    /// [`GgufError`], which names the file and what is wrong with it.
    pub fn load(path: impl AsRef<Path>, options: GgufOptions) -> Result<Self, GgufError> {
        let path = path.as_ref();
        // The header was checked; what candle asserts beyond it must not end the program.
        match catch_unwind(AssertUnwindSafe(|| Self::build(path, options))) {
            Ok(loaded) => loaded,
            Err(_) => Err(GgufError::Model {
                path: path.display().to_string(),
                reason: "the numeric library panicked".to_owned(),
            }),
        }
    }

    fn build(path: &Path, options: GgufOptions) -> Result<Self, GgufError> {
        let device = device();
        let mut file = GgufFile::open(path)?;
        let sizes = Sizes::of(&file)?;
        let vocabulary = std::sync::Arc::new(Vocabulary::of(&file)?);
        let context = (options.context.min(CONTEXT) as usize).min(sizes.context);
        let model_id = model_id(path, &file, options.weights)?;
        let model = Llama::load(&mut file, sizes, vocabulary.len(), options.weights, &device)?;
        let (jobs, todo) = channel();
        let worker = Worker {
            model,
            vocabulary: std::sync::Arc::clone(&vocabulary),
            options,
            context,
            model_id: model_id.clone(),
        };
        std::thread::Builder::new()
            .name("gguf".to_owned())
            .spawn(move || worker.run(&todo))
            .map_err(|e| file.model(format!("no thread: {e}")))?;
        Ok(Self {
            jobs,
            model_id,
            vocabulary,
        })
    }

    /// The id by which completions name the model: its file's name, the first bytes of the file's
    /// BLAKE3 hash, and how its tensors are kept where that is not as stored.
    #[must_use]
    pub fn model_id(&self) -> &str {
        &self.model_id
    }

    /// The tokens of a prompt as the model reads it: both messages with the marks of the format.
    ///
    /// # Errors
    /// [`AgentError::Failed`] where the tokenizer fails, which it does on no known text.
    pub fn tokens(&self, system: &str, user: &str) -> Result<Vec<u32>, AgentError> {
        self.vocabulary.chat(system, user).map_err(failed)
    }

    /// The tokens of a text alone.
    ///
    /// # Errors
    /// As [`Gguf::tokens`].
    pub fn encode(&self, text: &str) -> Result<Vec<u32>, AgentError> {
        self.vocabulary.encode(text).map_err(failed)
    }
}

/// The GPU of a build that has one, else the CPU.
fn device() -> Device {
    #[cfg(feature = "cuda")]
    if let Ok(device) = Device::new_cuda(0) {
        return device;
    }
    #[cfg(feature = "metal")]
    if let Ok(device) = Device::new_metal(0) {
        return device;
    }
    Device::Cpu
}

fn model_id(path: &Path, file: &GgufFile, weights: Weights) -> Result<String, GgufError> {
    let mut hasher = blake3::Hasher::new();
    std::fs::File::open(path)
        .and_then(|file| hasher.update_reader(file).map(|_| ()))
        .map_err(|source| GgufError::File {
            path: file.path.clone(),
            source,
        })?;
    let hash = hasher.finalize().to_hex();
    let name = path
        .file_name()
        .map_or_else(String::new, |n| n.to_string_lossy().into_owned());
    let kept = match weights {
        Weights::Fast => "",
        Weights::AsStored => " as stored",
    };
    let short = hash.get(..16).unwrap_or(&hash);
    Ok(format!("{name} blake3:{short}{kept}"))
}

impl Agent for Gguf {
    fn complete(&self, prompt: Prompt) -> BoxFuture<'_, Result<Completion, AgentError>> {
        let (reply, pending) = reply();
        let job = Job {
            prompt,
            called: Instant::now(),
            reply,
        };
        // A job that can't be sent drops its reply, which ends the future with an error.
        drop(self.jobs.send(job));
        Box::pin(pending)
    }
}

struct Worker {
    model: Llama,
    vocabulary: std::sync::Arc<Vocabulary>,
    options: GgufOptions,
    context: usize,
    model_id: String,
}

impl Worker {
    /// Until the agent is gone.
    fn run(&self, todo: &Receiver<Job>) {
        while let Ok(job) = todo.recv() {
            if job.reply.is_dropped() {
                continue;
            }
            let work = || self.complete(&job.prompt, job.called, &job.reply);
            let outcome = catch_unwind(AssertUnwindSafe(work))
                .unwrap_or_else(|_| Err(failed("the numeric library panicked")));
            job.reply.send(outcome);
        }
    }

    fn complete(
        &self,
        prompt: &Prompt,
        called: Instant,
        reply: &Reply,
    ) -> Result<Completion, AgentError> {
        let tokens = self.read(prompt)?;
        let room = self.context - tokens.len();
        let wished = (prompt.max_tokens as usize).min(room);
        let mut clock = Clock {
            called,
            deadline: self.options.deadline,
            reply,
        };
        let mut sampler = Sampler::new(self.options.sampling);
        let mut memory = self.model.memory(tokens.len() + wished).map_err(failed)?;
        let (mut text, mut written) = (Vec::new(), 0_u64);
        let mut feed = tokens.clone();
        let mut finish = FinishReason::Length;
        while (written as usize) < wished {
            let logits = self
                .model
                .read(&feed, &mut memory, &mut || clock.goes_on())
                .map_err(failed)?
                .ok_or_else(|| clock.error())?;
            let next = sampler.next(&logits).ok_or_else(|| {
                failed("the model gives numbers that are not finite; its file may be damaged")
            })?;
            if self.vocabulary.ends(next) {
                finish = FinishReason::Stop;
                break;
            }
            written += 1;
            self.vocabulary.append(next, &mut text);
            if let Some(at) = self.stop_at(&text) {
                text.truncate(at);
                finish = FinishReason::Stop;
                break;
            }
            feed.clear();
            feed.push(next);
        }
        Ok(Completion::new(String::from_utf8_lossy(&text).into_owned())
            .with_tokens(tokens.len() as u64, written)
            .with_model(&self.model_id)
            .with_finish(finish))
    }

    /// The prompt's tokens, of which one more must fit.
    fn read(&self, prompt: &Prompt) -> Result<Vec<u32>, AgentError> {
        let limit = self.context.saturating_sub(1);
        let too_long = |tokens: usize| AgentError::PromptTooLong {
            tokens: tokens as u64,
            limit: limit as u64,
        };
        // No token is longer than the longest: what can't fit is not even cut into tokens.
        let fewest = (prompt.system.len() + prompt.user.len()) / self.vocabulary.longest();
        if fewest > limit {
            return Err(too_long(fewest));
        }
        let tokens = self
            .vocabulary
            .chat(&prompt.system, &prompt.user)
            .map_err(failed)?;
        if tokens.len() > limit {
            return Err(too_long(tokens.len()));
        }
        Ok(tokens)
    }

    /// Where the first stop text begins.
    fn stop_at(&self, text: &[u8]) -> Option<usize> {
        let stops = self.options.stop.iter().filter(|stop| !stop.is_empty());
        stops
            .filter_map(|stop| text.windows(stop.len()).position(|w| w == stop.as_bytes()))
            .min()
    }
}

struct Clock<'a> {
    called: Instant,
    deadline: Duration,
    reply: &'a Reply,
}

impl Clock<'_> {
    fn goes_on(&mut self) -> bool {
        !self.reply.is_dropped() && self.called.elapsed() < self.deadline
    }

    /// Why it does not; after a drop nobody reads it.
    fn error(&self) -> AgentError {
        AgentError::Timeout {
            after_ms: u64::try_from(self.deadline.as_millis()).unwrap_or(u64::MAX),
        }
    }
}

fn failed(reason: impl ToString) -> AgentError {
    AgentError::Failed {
        reason: reason.to_string(),
    }
}

#[cfg(test)]
mod tests;
