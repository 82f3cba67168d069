//! The memory implementations pass the suites.

use std::sync::Arc;

use geodesic_retriever::{
    DictionaryStore, Error, ExactIndex, IngestLog, IngestRecord, IngestStep, MemoryDictionary,
    MemoryIngestLog, RubricValidator, RuleValidator, SalientQuestions, Shape, conformance,
};

#[test]
fn the_log_in_memory_passes() {
    conformance::ingest_log(&MemoryIngestLog::new()).unwrap();
}

#[test]
fn the_dictionary_in_memory_passes() {
    conformance::dictionary_store(&MemoryDictionary::new()).unwrap();
    let shared: Arc<dyn DictionaryStore> = Arc::new(MemoryDictionary::new());
    conformance::dictionary_store(&shared).unwrap();
    let dictionary = MemoryDictionary::new();
    conformance::ingest_log(dictionary.log()).unwrap();
}

#[test]
fn the_validators_pass() {
    conformance::validator(&RuleValidator::default()).unwrap();
    let ask = Box::new(|_: &str| Ok("{\"score\": 7.5}".to_owned()));
    let rules = RuleValidator::default();
    let rubric = RubricValidator::new("m", RubricValidator::RUBRIC, 5.0, rules, ask).unwrap();
    conformance::validator(&rubric).unwrap();
}

#[test]
fn the_generator_of_questions_passes() {
    conformance::question_generator(&SalientQuestions::default()).unwrap();
}

#[test]
fn the_exact_index_passes() {
    for shape in [Shape::Dense(3), Shape::Dense(96), Shape::Sparse(200)] {
        let mut index = ExactIndex::new(conformance::fingerprint(shape));
        conformance::vector_index(&mut index).unwrap();
    }
}

/// A log that forgets what was superseded: the suite must notice.
struct Forgetful(MemoryIngestLog);

impl IngestLog for Forgetful {
    fn get(&self, source: &str) -> Result<Option<IngestRecord>, Error> {
        self.0.get(source)
    }
    fn begin(&self, source: &str, digest: &str) -> Result<IngestRecord, Error> {
        if self.0.get(source)?.is_some_and(|r| r.digest != digest) {
            self.0.forget(source)?;
        }
        self.0.begin(source, digest)
    }
    fn advance(
        &self,
        source: &str,
        digest: &str,
        step: IngestStep,
        chunk_ids: Option<&[String]>,
    ) -> Result<bool, Error> {
        self.0.advance(source, digest, step, chunk_ids)
    }
    fn fail(&self, source: &str, digest: &str, reason: &str) -> Result<(), Error> {
        self.0.fail(source, digest, reason)
    }
    fn forget(&self, source: &str) -> Result<Option<IngestRecord>, Error> {
        self.0.forget(source)
    }
    fn page(
        &self,
        unfinished: bool,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<IngestRecord>, Error> {
        self.0.page(unfinished, after, limit)
    }
}

#[test]
fn a_forgetful_log_does_not() {
    let found = conformance::ingest_log(&Forgetful(MemoryIngestLog::new())).unwrap_err();
    assert!(found.contains("former entries"), "{found}");
}
