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
mod structured;
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
use llama::{Llama, Memory, Sizes};
use sampling::Sampler;
use structured::{Pen, Plan, Stop};
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
    /// Divides the logits of the tokens that the answer has already (multiplies negative ones), so
    /// that small models leave their loops: 1 does nothing, 1.1 to 1.3 is usual.
    pub repeat_penalty: f32,
    /// Whether a prompt's JSON Schema is followed: what it fixes is written, the rest is chosen
    /// among the tokens that keep to it. Without, the schema is ignored.
    pub structured: bool,
    /// Texts that end an answer where they appear; they are not part of it.
    pub stop: Vec<String>,
    /// The time for one prompt, counted from the call, looked at before each layer.
    pub deadline: Duration,
    /// At most so many tokens, read and written together; never above [`CONTEXT`] or what the
    /// model was trained on.
    pub context: u32,
}

impl Default for GgufOptions {
    /// Fast weights, greedy, no penalty, structured, no stop texts, 5 minutes, [`CONTEXT`].
    fn default() -> Self {
        Self {
            weights: Weights::default(),
            sampling: Sampling::default(),
            repeat_penalty: 1.0,
            structured: true,
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
        let tokens_in = tokens.len() as u64;
        let room = (prompt.max_tokens as usize).min(self.context - tokens.len());
        let memory = self.model.memory(tokens.len() + room).map_err(failed)?;
        let mut writer = Writer {
            worker: self,
            clock: Clock {
                called,
                deadline: self.options.deadline,
                reply,
            },
            sampler: Sampler::new(self.options.sampling, self.options.repeat_penalty),
            memory,
            feed: tokens,
            logits: None,
            chosen: 0,
            text: Vec::new(),
            written: Vec::new(),
            own: Vec::new(),
            room,
        };
        let plan = prompt.output_schema.as_ref().and_then(Plan::of);
        let ended = match plan.filter(|_| self.options.structured) {
            Some(plan) => structured::write(&plan, &mut writer),
            None => writer.free(),
        };
        let finish = match ended {
            Ok(()) => FinishReason::Stop,
            Err(Stop::Full) => FinishReason::Length,
            Err(Stop::Failed(error)) => return Err(error),
        };
        let text = String::from_utf8_lossy(&writer.text).into_owned();
        Ok(Completion::new(text)
            .with_tokens(tokens_in, writer.written.len() as u64)
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

/// One text in the making.
struct Writer<'a> {
    worker: &'a Worker,
    clock: Clock<'a>,
    sampler: Sampler,
    memory: Memory,
    /// Tokens that the model has not read yet.
    feed: Vec<u32>,
    /// What it says after those that it has.
    logits: Option<Vec<f32>>,
    chosen: u32,
    text: Vec<u8>,
    written: Vec<u32>,
    /// Of these the ones that the model chose: what a schema fixes is not held against it.
    own: Vec<u32>,
    room: usize,
}

impl Writer<'_> {
    /// Text without a form, until the model or a stop text ends it.
    fn free(&mut self) -> Result<(), Stop> {
        loop {
            self.choose(&|_, _| true)?;
            if self.worker.vocabulary.ends(self.chosen) {
                return Ok(());
            }
            self.take()?;
            if let Some(at) = self.worker.stop_at(&self.text) {
                self.text.truncate(at);
                return Ok(());
            }
        }
    }

    /// The next token among those that are allowed, by number and bytes.
    fn choose(&mut self, allowed: &dyn Fn(u32, &[u8]) -> bool) -> Result<(), Stop> {
        if self.written.len() >= self.room {
            return Err(Stop::Full);
        }
        let fail = |error| Stop::Failed(error);
        if self.logits.is_none() {
            let read = self
                .worker
                .model
                .read(&self.feed, &mut self.memory, &mut || self.clock.goes_on())
                .map_err(|e| fail(failed(e)))?;
            self.logits = Some(read.ok_or_else(|| fail(self.clock.error()))?);
            self.feed.clear();
        }
        let logits = self.logits.as_deref().unwrap_or_default();
        let mut bytes = Vec::new();
        let next = self.sampler.next(logits, &self.own, &mut |token| {
            bytes.clear();
            self.worker.vocabulary.append(token, &mut bytes);
            allowed(token, &bytes)
        });
        self.chosen = next.ok_or_else(|| {
            fail(failed(
                "the model gives numbers that are not finite; its file may be damaged",
            ))
        })?;
        Ok(())
    }

    fn push(&mut self, token: u32) -> Result<(), Stop> {
        if self.written.len() >= self.room {
            return Err(Stop::Full);
        }
        self.written.push(token);
        self.feed.push(token);
        self.logits = None;
        self.worker.vocabulary.append(token, &mut self.text);
        Ok(())
    }
}

impl Pen for Writer<'_> {
    fn write(&mut self, text: &str) -> Result<(), Stop> {
        let tokens = self.worker.vocabulary.encode(text);
        for token in tokens.map_err(|e| Stop::Failed(failed(e)))? {
            self.push(token)?;
        }
        Ok(())
    }

    fn likeliest(&mut self, allowed: &dyn Fn(&[u8]) -> bool) -> Result<Vec<u8>, Stop> {
        self.choose(&|_, bytes| !bytes.is_empty() && allowed(bytes))?;
        let mut bytes = Vec::new();
        self.worker.vocabulary.append(self.chosen, &mut bytes);
        Ok(bytes)
    }

    fn take(&mut self) -> Result<(), Stop> {
        self.own.push(self.chosen);
        self.push(self.chosen)
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
