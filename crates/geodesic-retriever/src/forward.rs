//! The forward pass of one dictionary and its specialists.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use crate::retriever::{
    DeclineReason, LabelAmplitude, RetrievalFigures, RetrievalOutcome, RetrievedPassage, Retriever,
    RetrieverOptions,
};
use crate::{
    AnchorSet, Calibration, Corpus, Embedder, Error, ExactIndex, Fingerprint, Hit, LexicalConfig,
    LexicalEmbedder, PassageStore, Progress, Stage, Vector, VectorIndex, rank,
};

/// What a query leaves behind: nothing that any later answer depends on.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SessionState {
    /// The last questions, oldest first.
    pub context: VecDeque<String>,
    /// How often each label won.
    pub winners: BTreeMap<String, u64>,
    /// Questions asked.
    pub queries: u64,
}

/// What a question would find, documents in the order of their best passages.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Look {
    /// The nearest documents, whether or not the gate would answer.
    pub documents: Vec<String>,
    /// Whether the gate would answer.
    pub grounded: bool,
    /// The greatest querySim; none without candidates.
    pub best: Option<f64>,
}

/// Retrieval by querySim over an index, with a decline gate.
pub struct GeodesicRetriever {
    embedder: Arc<dyn Embedder>,
    index: Box<dyn VectorIndex>,
    passages: Box<dyn PassageStore>,
    specialists: Vec<(Box<dyn VectorIndex>, Box<dyn PassageStore>)>,
    calibration: Calibration,
    options: RetrieverOptions,
    drift: Option<String>,
    anchors: Option<AnchorSet>,
    session: Mutex<SessionState>,
}

impl std::fmt::Debug for GeodesicRetriever {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GeodesicRetriever")
            .field("fingerprint", self.embedder.fingerprint())
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

impl GeodesicRetriever {
    /// From its parts.
    ///
    /// # Errors
    /// [`Error::ModelMismatch`] if the index or the calibration belongs to another space,
    /// [`Error::InvalidSetting`] for numbers out of range.
    pub fn new(
        embedder: Arc<dyn Embedder>,
        index: Box<dyn VectorIndex>,
        passages: Box<dyn PassageStore>,
        calibration: Calibration,
        options: RetrieverOptions,
    ) -> Result<Self, Error> {
        index
            .fingerprint()
            .check("the index", embedder.fingerprint())?;
        calibration.check()?;
        let root = passages.corpus_root()?;
        let drift = calibration.fits(embedder.fingerprint(), root.as_deref())?;
        if let Some(warning) = &drift {
            tracing::warn!("{warning}");
        }
        for (what, n) in [
            ("fetch_k", options.fetch_k),
            ("window", options.window),
            ("per_parent", options.per_parent),
        ] {
            if n == 0 {
                return Err(Error::setting(what, 0, "1 or more"));
            }
        }
        Ok(Self {
            embedder,
            index,
            passages,
            specialists: Vec::new(),
            calibration,
            options,
            drift,
            anchors: None,
            session: Mutex::default(),
        })
    }

    /// Indexes a corpus with the lexical embedder and its built-in calibration: what works with
    /// nothing to download.
    ///
    /// # Errors
    /// [`Error::InvalidSetting`] for options out of range.
    pub fn lexical(
        corpus: impl Into<Arc<Corpus>>,
        options: RetrieverOptions,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Self, Error> {
        let corpus = corpus.into();
        let texts = corpus.embedding_texts();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let config = LexicalConfig::default();
        let (embedder, embeddings) = LexicalEmbedder::learn_and_embed(config, &texts, progress)?;
        let index = ExactIndex::of_corpus(embedder.fingerprint(), &corpus, embeddings)?;
        let total = Some(corpus.len());
        progress(Progress {
            stage: Stage::Insert,
            done: corpus.len(),
            total,
        });
        Self::with_shipped(Arc::new(embedder), index, corpus, options)
    }

    /// Indexes a corpus with an embedder and the calibration of [`Calibration::for_index`].
    ///
    /// # Errors
    /// The embedder's failure; [`Error::InvalidSetting`] for options out of range.
    pub fn index(
        embedder: Arc<dyn Embedder>,
        corpus: impl Into<Arc<Corpus>>,
        options: RetrieverOptions,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Self, Error> {
        let corpus = corpus.into();
        let texts = corpus.embedding_texts();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let embeddings = embedder.embed_documents_with(&texts, progress)?;
        let index = ExactIndex::of_corpus(embedder.fingerprint(), &corpus, embeddings)?;
        let total = Some(corpus.len());
        progress(Progress {
            stage: Stage::Insert,
            done: corpus.len(),
            total,
        });
        Self::with_shipped(embedder, index, corpus, options)
    }

    fn with_shipped(
        embedder: Arc<dyn Embedder>,
        index: ExactIndex,
        corpus: Arc<Corpus>,
        options: RetrieverOptions,
    ) -> Result<Self, Error> {
        let root = Some(corpus.root().to_owned());
        let calibration = Calibration::for_index(embedder.as_ref(), &index, root)?;
        Self::new(
            embedder,
            Box::new(index),
            Box::new(corpus),
            calibration,
            options,
        )
    }

    /// Adds a specialist, whose matches are merged with this dictionary's by the same querySim.
    ///
    /// # Errors
    /// [`Error::ModelMismatch`] if it belongs to another space.
    pub fn add_specialist(
        &mut self,
        index: Box<dyn VectorIndex>,
        passages: Box<dyn PassageStore>,
    ) -> Result<(), Error> {
        index
            .fingerprint()
            .check("the specialist", self.embedder.fingerprint())?;
        self.specialists.push((index, passages));
        Ok(())
    }

    /// Sets the anchors that questions are labelled by. Labels change no result.
    ///
    /// # Errors
    /// [`Error::ModelMismatch`] if they belong to another model. Anchors of the lexical embedder
    /// may have been learned from other texts.
    pub fn set_anchors(&mut self, anchors: AnchorSet) -> Result<(), Error> {
        anchors
            .fingerprint
            .check_model("the anchors", self.embedder.fingerprint())?;
        self.anchors = Some(anchors);
        Ok(())
    }

    /// What the queries so far left behind.
    #[must_use]
    pub fn session(&self) -> SessionState {
        self.session
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// The index.
    #[must_use]
    pub fn vector_index(&self) -> &dyn VectorIndex {
        self.index.as_ref()
    }

    /// Replaces the calibration.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn set_calibration(&mut self, calibration: Calibration) -> Result<(), Error> {
        calibration.check()?;
        let root = self.passages.corpus_root()?;
        self.drift = calibration.fits(self.embedder.fingerprint(), root.as_deref())?;
        self.calibration = calibration;
        Ok(())
    }

    /// Looks a question up without leaving a trace: no context, no winner is recorded. What audits
    /// use.
    ///
    /// # Errors
    /// As [`retrieve`](Retriever::retrieve).
    pub fn look(&self, question: &str, documents: usize) -> Result<Look, Error> {
        self.check_question(question)?;
        let query = match self.embedder.embed_query(question) {
            Ok(query) => query,
            Err(Error::NothingToEmbed { .. }) => return Ok(Look::default()),
            Err(e) => return Err(e),
        };
        let mut fetch = self.options.fetch_k.max(documents);
        loop {
            let candidates = self.candidates(&query, fetch)?;
            let mut found: Vec<String> = Vec::new();
            for (hit, _) in &candidates {
                if found.len() < documents && !found.contains(&hit.meta.parent) {
                    found.push(hit.meta.parent.clone());
                }
            }
            if found.len() < documents && candidates.len() == fetch {
                fetch = fetch.saturating_mul(4);
                continue;
            }
            let best = candidates.first().map(|(h, _)| h.similarity.query_sim());
            return Ok(Look {
                documents: found,
                grounded: best.is_some_and(|b| self.calibration.passes(b)),
                best,
            });
        }
    }

    /// Candidates of this dictionary and its specialists, in the order of [`rank`].
    fn candidates(&self, query: &Vector, k: usize) -> Result<Vec<(Hit, usize)>, Error> {
        let filter = &self.options.filter;
        let mut merged = tagged(self.index.search(query, k, filter)?, 0);
        for (i, (index, _)) in self.specialists.iter().enumerate() {
            merged = merge(merged, tagged(index.search(query, k, filter)?, i + 1));
        }
        merged.truncate(k);
        Ok(merged)
    }

    fn check_question(&self, question: &str) -> Result<(), Error> {
        if question.trim().is_empty() {
            return Err(Error::EmptyQuestion);
        }
        let (bytes, limit) = (question.len(), self.options.max_question_bytes);
        if bytes > limit {
            return Err(Error::QuestionTooLong { bytes, limit });
        }
        Ok(())
    }

    fn store(&self, which: usize) -> (&dyn VectorIndex, &dyn PassageStore) {
        match which.checked_sub(1).and_then(|i| self.specialists.get(i)) {
            Some((index, passages)) => (index.as_ref(), passages.as_ref()),
            None => (self.index.as_ref(), self.passages.as_ref()),
        }
    }

    /// The prompt window out of admitted candidates, with what was left out and why.
    fn window(
        &self,
        admitted: &[(Hit, usize)],
        figures: &mut RetrievalFigures,
    ) -> Result<Vec<RetrievedPassage>, Error> {
        let mut window: Vec<RetrievedPassage> = Vec::new();
        let mut vectors: Vec<Vector> = Vec::new();
        let mut of_parent: BTreeMap<&str, usize> = BTreeMap::new();
        for (hit, which) in admitted {
            if window.len() == self.options.window {
                break;
            }
            let (index, passages) = self.store(*which);
            let missing = || Error::MissingPassage { id: hit.id.clone() };
            let n = of_parent.entry(hit.meta.parent.as_str()).or_default();
            if *n == self.options.per_parent {
                figures.over_parent_limit += 1;
                continue;
            }
            let vector = index.get(&hit.id)?.ok_or_else(missing)?.vector;
            if vectors
                .iter()
                .any(|v| v.similarity(&vector).cosine() >= self.options.near_duplicate)
            {
                figures.near_duplicates += 1;
                continue;
            }
            *n += 1;
            vectors.push(vector);
            window.push(RetrievedPassage {
                query_sim: hit.similarity.query_sim(),
                cosine: hit.similarity.cosine(),
                passage: passages.passage(&hit.id)?.ok_or_else(missing)?,
            });
        }
        Ok(window)
    }

    fn record(&self, question: &str, winner: Option<&str>) {
        let mut session = self.session.lock().unwrap_or_else(PoisonError::into_inner);
        session.queries += 1;
        session.context.push_back(question.to_owned());
        while session.context.len() > self.options.context_buffer {
            session.context.pop_front();
        }
        if let Some(label) = winner {
            *session.winners.entry(label.to_owned()).or_default() += 1;
        }
    }

    fn total(&self) -> Result<usize, Error> {
        let mut n = self.index.len()?;
        for (index, _) in &self.specialists {
            n += index.len()?;
        }
        Ok(n)
    }

    fn blank_figures(&self, entries: usize) -> RetrievalFigures {
        RetrievalFigures {
            model_id: self.embedder.fingerprint().model_id.clone(),
            entries,
            candidates: 0,
            admitted: 0,
            best_query_sim: None,
            floor: self.calibration.floor,
            threshold: self.calibration.threshold,
            band: self.calibration.band(None),
            suggested_action: self.calibration.band(None).suggested_action().to_owned(),
            near_duplicates: 0,
            over_parent_limit: 0,
            amplitudes: Vec::<LabelAmplitude>::new(),
            winner: None,
            notes: self.drift.iter().cloned().collect(),
        }
    }

    fn pass(&self, question: &str) -> Result<RetrievalOutcome, Error> {
        let entries = self.total()?;
        let mut figures = self.blank_figures(entries);
        let declined = |reason, nearest, figures| RetrievalOutcome::Declined {
            reason,
            nearest,
            figures,
        };
        if entries == 0 {
            return Ok(declined(
                DeclineReason::EmptyDictionary,
                Vec::new(),
                figures,
            ));
        }
        let query = match self.embedder.embed_query(question) {
            Ok(vector) => vector,
            Err(Error::NothingToEmbed { .. }) => {
                return Ok(declined(DeclineReason::NoContent, Vec::new(), figures));
            }
            Err(e) => return Err(e),
        };
        if let Some(anchors) = &self.anchors {
            let amplitudes = anchors.amplitudes(&query);
            figures.amplitudes = anchors.labelled(&amplitudes);
            let winner = AnchorSet::winner(&amplitudes);
            figures.winner = winner
                .and_then(|w| figures.amplitudes.get(w))
                .map(|l| l.label.clone());
        }
        let candidates = self.candidates(&query, self.options.fetch_k)?;
        figures.candidates = candidates.len();
        let Some(best) = candidates
            .first()
            .map(|(hit, _)| hit.similarity.query_sim())
        else {
            return Ok(declined(
                DeclineReason::NothingPassesFilter,
                Vec::new(),
                figures,
            ));
        };
        figures.best_query_sim = Some(best);
        figures.band = self.calibration.band(Some(best));
        figures.suggested_action = figures.band.suggested_action().to_owned();
        let floor = self.calibration.floor;
        let admitted = candidates.partition_point(|(h, _)| h.similarity.query_sim() >= floor);
        figures.admitted = admitted;
        if self.calibration.passes(best) {
            let admitted = candidates.get(..admitted).unwrap_or_default();
            let passages = self.window(admitted, &mut figures)?;
            return Ok(RetrievalOutcome::Grounded { passages, figures });
        }
        let shown = candidates
            .get(..candidates.len().min(NEAREST_SHOWN))
            .unwrap_or_default();
        let nearest = self.window(shown, &mut figures)?;
        let threshold = self.calibration.threshold;
        Ok(declined(
            DeclineReason::BelowThreshold { best, threshold },
            nearest,
            figures,
        ))
    }
}

/// Passages shown with a decline.
const NEAREST_SHOWN: usize = 3;

impl Retriever for GeodesicRetriever {
    fn retrieve(&self, question: &str) -> Result<RetrievalOutcome, Error> {
        self.check_question(question)?;
        let outcome = self.pass(question)?;
        self.record(question, outcome.figures().winner.as_deref());
        Ok(outcome)
    }

    fn fingerprint(&self) -> &Fingerprint {
        self.embedder.fingerprint()
    }

    fn calibration(&self) -> &Calibration {
        &self.calibration
    }

    fn options(&self) -> &RetrieverOptions {
        &self.options
    }

    fn corpus_root(&self) -> Option<String> {
        self.passages.corpus_root().ok().flatten()
    }
}

fn tagged(hits: Vec<Hit>, which: usize) -> Vec<(Hit, usize)> {
    hits.into_iter().map(|h| (h, which)).collect()
}

/// Merges two lists that are in the order of [`rank`]; an entry that both hold stays once.
fn merge(a: Vec<(Hit, usize)>, b: Vec<(Hit, usize)>) -> Vec<(Hit, usize)> {
    let mut out: Vec<(Hit, usize)> = Vec::with_capacity(a.len() + b.len());
    let (mut a, mut b) = (a.into_iter().peekable(), b.into_iter().peekable());
    while let Some(next) = match (a.peek(), b.peek()) {
        (Some(x), Some(y)) if rank(&y.0, &x.0).is_lt() => b.next(),
        (Some(_), _) => a.next(),
        (None, _) => b.next(),
    } {
        if out.last().is_none_or(|(last, _)| last.id != next.0.id) {
            out.push(next);
        }
    }
    out
}
