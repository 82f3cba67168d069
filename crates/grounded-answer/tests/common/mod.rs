//! A corpus in memory and agents that say what a test tells them.
#![allow(dead_code)]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use geodesic_retriever::{
    ChunkOptions, Chunker, Corpus, Document, GeodesicRetriever, RetrieverOptions,
};
use grounded_answer::{
    Answerer, AnswererBuilder, AtHand, CorpusSources, Memory, RecordedAnswer, SealedAnswer,
    Verification, model_profile, verify,
};
use language_agents::{Agent, Completion, Prompt, agent_fn};
use run_dag::audit::{MemoryAuditLog, Timestamp};
use run_dag::ledger::MemoryLedger;

pub(crate) const LIGHTHOUSE: (&str, &str, &str) = (
    "lighthouse.md",
    "Lighthouse of Farrow Point",
    "The lighthouse of Farrow Point was built in 1874. The lighthouse of Farrow Point is 41 metres \
     tall. Its lamp can be seen from 19 nautical miles away.",
);
pub(crate) const BREAD: (&str, &str, &str) = (
    "bread.md",
    "Rye bread",
    "Rye bread needs a sour dough and two hours of rest.",
);

/// A retriever over documents, and the documents.
pub(crate) struct Library {
    pub(crate) retriever: Arc<GeodesicRetriever>,
    pub(crate) sources: Arc<CorpusSources>,
}

impl Library {
    pub(crate) fn of(documents: &[(&str, &str, &str)]) -> Self {
        let document = |(id, title, text): &(&str, &str, &str)| Document {
            id: (*id).into(),
            title: (*title).into(),
            text: (*text).into(),
        };
        let documents = documents.iter().map(document).collect();
        let chunker = Chunker::characters(ChunkOptions::default()).unwrap();
        let corpus = Arc::new(Corpus::new(documents, &chunker, &mut |_| {}));
        let options = RetrieverOptions::default();
        let retriever = GeodesicRetriever::lexical(Arc::clone(&corpus), options, &mut |_| {});
        Self {
            retriever: Arc::new(retriever.unwrap()),
            sources: Arc::new(CorpusSources::new(corpus)),
        }
    }

    pub(crate) fn builder(&self) -> AnswererBuilder {
        Answerer::builder()
            .retriever(self.retriever.clone())
            .sources(self.sources.clone())
    }

    /// Recomputes a saved answer over these documents.
    pub(crate) fn check(&self, answer: &SealedAnswer) -> Verification {
        self.check_saved(&RecordedAnswer::from_json(&answer.to_canonical_json().unwrap()).unwrap())
    }

    pub(crate) fn check_saved(&self, saved: &RecordedAnswer) -> Verification {
        let at_hand = AtHand {
            retriever: Some(self.retriever.as_ref()),
            agent: None,
        };
        verify(saved, self.sources.as_ref(), at_hand).unwrap()
    }
}

/// A memory with a clock that stands still.
pub(crate) fn memory() -> (Memory, Arc<MemoryLedger>, Arc<MemoryAuditLog>) {
    let (ledger, log) = (
        Arc::new(MemoryLedger::new()),
        Arc::new(MemoryAuditLog::new("tests")),
    );
    let now = Arc::new(|| Timestamp::from_millis(1_700_000_000_000).unwrap());
    (Memory::new(ledger.clone(), log.clone(), now), ledger, log)
}

/// Says one thing after the other, and the last one from then on; counts its calls.
pub(crate) fn says(texts: &[&str]) -> (Arc<dyn Agent>, Arc<AtomicUsize>) {
    let texts: Vec<String> = texts.iter().map(|t| (*t).to_owned()).collect();
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&calls);
    let agent = agent_fn(move |_: Prompt| {
        let call = counted.fetch_add(1, Ordering::SeqCst);
        Ok(Completion::new(&texts[call.min(texts.len() - 1)]))
    });
    (Arc::new(agent), calls)
}

pub(crate) fn with(builder: AnswererBuilder, agent: Arc<dyn Agent>) -> AnswererBuilder {
    builder.agent(agent, model_profile("test"))
}
