//! The facade: question in, sealed answer out.

use std::sync::Arc;

use claim_lattice::preflight::CivilDate;
use claim_lattice::{AnswerMode, Policy};
use geodesic_retriever::{
    ChunkOptions, Chunker, Corpus, Document, GeodesicRetriever, Retriever, RetrieverOptions,
};
use knowledge_graph::GraphStore;
use language_agents::{Agent, Extractive};
use run_dag::{Clause, ModelProfile};

use crate::pipeline::{Context, Earlier};
use crate::sealed::RetrievalReport;
use crate::sources::{CorpusSources, Sources};
use crate::topology::retrieved_topology;
use crate::{Error, Memory, SealedAnswer, Settings};

/// The longest question that is taken, in bytes.
pub const MAX_QUESTION_BYTES: usize = 65_536;

/// Reads the date on which a question is asked.
pub type Clock = Arc<dyn Fn() -> CivilDate + Send + Sync>;

/// Answers questions from a corpus, with labels that say what was checked and runs that recompute.
///
/// ```
/// use geodesic_retriever::Document;
/// use grounded_answer::{Answerer, Outcome};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let documents = vec![Document {
///     id: "tower.txt".into(),
///     title: "Tower".into(),
///     text: "The tower stands by the river. The tower is 96 metres tall.".into(),
/// }];
/// let answerer = Answerer::builder().documents(documents)?.build()?;
/// let answer = answerer.ask_blocking("How tall is the tower?")?;
/// assert_eq!(answer.outcome, Outcome::Grounded);
/// assert_eq!(answer.claims[0].text, "The tower is 96 metres tall.");
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Answerer {
    pub(crate) retriever: Arc<dyn Retriever>,
    pub(crate) agent: Arc<dyn Agent>,
    pub(crate) model: ModelProfile,
    pub(crate) sources: Option<Arc<dyn Sources>>,
    pub(crate) graph: Option<Arc<dyn GraphStore>>,
    pub(crate) memory: Option<Memory>,
    pub(crate) clock: Option<Clock>,
    pub(crate) settings: Settings,
}

/// Collects the parts of an [`Answerer`].
#[derive(Clone, Default)]
pub struct AnswererBuilder {
    retriever: Option<Arc<dyn Retriever>>,
    agent: Option<(Arc<dyn Agent>, ModelProfile)>,
    sources: Option<Arc<dyn Sources>>,
    graph: Option<Arc<dyn GraphStore>>,
    memory: Option<Memory>,
    clock: Option<Clock>,
    settings: Settings,
}

/// The profile of a model known by its id alone.
#[must_use]
pub fn model_profile(model_id: &str) -> ModelProfile {
    ModelProfile {
        model_id: model_id.to_owned(),
        revision: None,
        quantization: None,
        sampling: Clause::new(),
    }
}

impl AnswererBuilder {
    /// Where passages come from. The one part without a default.
    #[must_use]
    pub fn retriever(mut self, retriever: Arc<dyn Retriever>) -> Self {
        self.retriever = Some(retriever);
        self
    }

    /// The documents to answer from: cut into passages of the default size, indexed by their words
    /// (no model), and committed as the run's sources. Sets [`retriever`](Self::retriever) and
    /// [`sources`](Self::sources); give these yourself for another embedder, index or threshold.
    ///
    /// # Errors
    /// [`Error::Retrieval`] if the documents cannot be indexed.
    pub fn documents(self, documents: Vec<Document>) -> Result<Self, Error> {
        let chunker = Chunker::characters(ChunkOptions::default())?;
        let corpus = Arc::new(Corpus::new(documents, &chunker, &mut |_| {}));
        let options = RetrieverOptions::default();
        let retriever = GeodesicRetriever::lexical(Arc::clone(&corpus), options, &mut |_| {})?;
        Ok(self
            .retriever(Arc::new(retriever))
            .sources(Arc::new(CorpusSources::new(corpus))))
    }

    /// Who writes, and as what the run names it. Default: [`Extractive`], which needs no model.
    #[must_use]
    pub fn agent(mut self, agent: Arc<dyn Agent>, model: ModelProfile) -> Self {
        self.agent = Some((agent, model));
        self
    }

    /// The documents behind the passages, so that the run commits their roots.
    #[must_use]
    pub fn sources(mut self, sources: Arc<dyn Sources>) -> Self {
        self.sources = Some(sources);
        self
    }

    /// A graph whose nodes are the passages' documents: κ of the retrieved part is reported.
    #[must_use]
    pub fn graph(mut self, graph: Arc<dyn GraphStore>) -> Self {
        self.graph = Some(graph);
        self
    }

    /// Where sealed answers are kept, looked up before the agent is asked, and logged.
    #[must_use]
    pub fn memory(mut self, memory: Memory) -> Self {
        self.memory = Some(memory);
        self
    }

    /// What day it is. Without a clock that is unknown, and nothing depends on it.
    #[must_use]
    pub fn clock(mut self, clock: Clock) -> Self {
        self.clock = Some(clock);
        self
    }

    /// The verifier's policy. Default: [`Policy::strict`].
    #[must_use]
    pub fn policy(mut self, policy: Policy) -> Self {
        self.settings.policy = policy;
        self
    }

    /// How the model is to cite. Default: pointers.
    #[must_use]
    pub fn mode(mut self, mode: AnswerMode) -> Self {
        self.settings.mode = mode;
        self
    }

    /// All settings at once.
    #[must_use]
    pub fn settings(mut self, settings: Settings) -> Self {
        self.settings = settings;
        self
    }

    /// The answerer.
    ///
    /// # Errors
    /// [`Error::Missing`] without a retriever.
    pub fn build(self) -> Result<Answerer, Error> {
        let (agent, model) = self.agent.unwrap_or_else(|| {
            (
                Arc::new(Extractive::new()),
                model_profile(Extractive::MODEL_ID),
            )
        });
        Ok(Answerer {
            retriever: self.retriever.ok_or(Error::Missing("retriever"))?,
            agent,
            model,
            sources: self.sources,
            graph: self.graph,
            memory: self.memory,
            clock: self.clock,
            settings: self.settings,
        })
    }
}

impl std::fmt::Debug for Answerer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Answerer")
            .field("model", &self.model)
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

impl Answerer {
    /// Starts a builder.
    #[must_use]
    pub fn builder() -> AnswererBuilder {
        AnswererBuilder::default()
    }

    /// What the caller decided.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Asks, and waits for the answer on this thread.
    ///
    /// # Errors
    /// As [`ask`](Self::ask).
    pub fn ask_blocking(&self, question: &str) -> Result<SealedAnswer, Error> {
        futures::executor::block_on(self.ask(question))
    }

    /// Answers a question: preflight, retrieval, evidence, agent (once), verdict, label, seal.
    ///
    /// With a [`Memory`], an answer to the same question under the same policy, model and sources
    /// is taken from there after it has been verified again; a new one is kept and logged.
    ///
    /// # Errors
    /// [`Error::EmptyQuestion`], [`Error::QuestionTooLong`], or a failure of a part. That nothing
    /// near enough was found, or that the question was refused, is an outcome and no error.
    pub async fn ask(&self, question: &str) -> Result<SealedAnswer, Error> {
        let span = tracing::info_span!("grounded_answer.ask", outcome = tracing::field::Empty);
        let settings = self.dated_settings();
        if let Some(known) = self.recall(question, &settings)? {
            span.record("outcome", "recalled");
            return Ok(known);
        }
        let rounds = self.rounds(question, &settings).await?;
        let sealed = rounds.into_accepted();
        span.record("outcome", tracing::field::debug(sealed.outcome));
        Ok(sealed)
    }

    /// The settings with today's date from the caller's clock.
    pub(crate) fn dated_settings(&self) -> Settings {
        let mut settings = self.settings.clone();
        if let Some(clock) = &self.clock {
            settings.asked_on = Some(clock());
        }
        settings
    }

    /// One run, without the cache: what [`ask`](Self::ask) is made of.
    pub(crate) async fn run(
        &self,
        question: &str,
        settings: &Settings,
        earlier: Earlier<'_>,
    ) -> Result<SealedAnswer, Error> {
        check_question(question)?;
        let context = Context {
            settings,
            model: &self.model,
            sources: self.sources.as_deref(),
            earlier,
        };
        let opened = context.open(question)?;
        if opened.preflight.is_rejected() {
            return opened.reject();
        }
        let outcome = self.retriever.retrieve(&opened.preflight.question)?;
        let plan = opened.plan(self.retriever.as_ref())?;
        let grounded = outcome.is_grounded();
        let retrieval = RetrievalReport::new(outcome);
        if !grounded {
            return opened.decline(plan, retrieval);
        }
        let topology = match &self.graph {
            Some(graph) => Some(retrieved_topology(graph.as_ref(), &retrieval.passages)?),
            None => None,
        };
        let prepared = opened.prepare(plan, retrieval, topology)?;
        let completion = self.agent.complete(prepared.prompt.clone()).await?;
        prepared.finish(completion.into())
    }
}

fn check_question(question: &str) -> Result<(), Error> {
    if question.len() > MAX_QUESTION_BYTES {
        let (bytes, limit) = (question.len(), MAX_QUESTION_BYTES);
        return Err(Error::QuestionTooLong { bytes, limit });
    }
    if question.trim().is_empty() {
        Err(Error::EmptyQuestion)
    } else {
        Ok(())
    }
}
