//! The facade with all its parts in memory.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use claim_lattice::preflight::Rung;
use claim_lattice::{AnswerMode, Policy};
use geodesic_retriever::{
    ChunkOptions, Chunker, Corpus, Document, GeodesicRetriever, Retriever, RetrieverOptions,
};
use grounded_answer::{
    Answerer, AnswererBuilder, AtHand, CorpusSources, Error, Memory, Outcome, RecordedAnswer,
    SealedAnswer, Settings, Sources, model_profile, verify,
};
use knowledge_graph::{MemoryStore, Snapshot};
use language_agents::{Agent, Completion, agent_fn};
use run_dag::audit::{AuditLog, MemoryAuditLog, Timestamp};
use run_dag::ledger::{Ledger, MemoryLedger};

const QUESTION: &str = "How tall is the lighthouse of Farrow Point?";

fn corpus() -> Arc<Corpus> {
    let document = |id: &str, title: &str, text: &str| Document {
        id: id.into(),
        title: title.into(),
        text: text.into(),
    };
    let documents = vec![
        document(
            "lighthouse.md",
            "Lighthouse of Farrow Point",
            "The lighthouse of Farrow Point was built in 1874. The lighthouse of Farrow Point is 41 \
             metres tall. Its lamp can be seen from 19 nautical miles away.",
        ),
        document(
            "harbour.md",
            "Harbour of Farrow Point",
            "The harbour of Farrow Point has berths for 60 boats. It was dredged in 1990.",
        ),
        document(
            "bread.md",
            "Rye bread",
            "Rye bread needs a sour dough and two hours of rest.",
        ),
    ];
    let chunker = Chunker::characters(ChunkOptions::default()).unwrap();
    Arc::new(Corpus::new(documents, &chunker, &mut |_| {}))
}

struct Parts {
    retriever: Arc<GeodesicRetriever>,
    sources: Arc<CorpusSources>,
}

fn parts() -> Parts {
    let corpus = corpus();
    let retriever = GeodesicRetriever::lexical(
        Arc::clone(&corpus),
        RetrieverOptions::default(),
        &mut |_| {},
    )
    .unwrap();
    Parts {
        retriever: Arc::new(retriever),
        sources: Arc::new(CorpusSources::new(corpus)),
    }
}

fn builder(parts: &Parts) -> AnswererBuilder {
    let retriever: Arc<dyn Retriever> = parts.retriever.clone();
    let sources: Arc<dyn Sources> = parts.sources.clone();
    Answerer::builder().retriever(retriever).sources(sources)
}

fn says(text: &'static str) -> Arc<dyn Agent> {
    Arc::new(agent_fn(move |_| Ok(Completion::new(text))))
}

fn saved(answer: &SealedAnswer) -> RecordedAnswer {
    RecordedAnswer::from_json(&answer.to_canonical_json().unwrap()).unwrap()
}

#[test]
fn claims_are_linked_labelled_and_sealed_in_every_mode() {
    let parts = parts();
    for (mode, label, shape) in [
        (AnswerMode::Pointer, "EVIDENCE-WARRANTED", "lattice"),
        (AnswerMode::Json, "EVIDENCE-WARRANTED", "lattice"),
        (AnswerMode::Quote, "STRICT", "quote"),
    ] {
        let answer = builder(&parts)
            .mode(mode)
            .build()
            .unwrap()
            .ask_blocking(QUESTION)
            .unwrap();
        assert_eq!(answer.outcome, Outcome::Grounded);
        assert_eq!(answer.label, label, "{mode:?}: {}", answer.answer);
        assert!(answer.claims.iter().all(|c| c.supported));
        assert_eq!(answer.run.shape().name(), shape);
        let at_hand = AtHand {
            retriever: Some(parts.retriever.as_ref()),
            agent: None,
        };
        let check = verify(&saved(&answer), parts.sources.as_ref(), at_hand).unwrap();
        assert!(check.matches(), "{mode:?}: {:#?}", check.discrepancies);
        assert_eq!(check.not_rechecked, ["the model's text: taken as recorded"]);
    }
}

#[test]
fn a_model_that_invents_is_told_apart_claim_by_claim() {
    let parts = parts();
    let text = "The lighthouse of Farrow Point is 41 metres tall. [E1]\n\
                The lighthouse of Farrow Point is 52 metres tall. [E1]\n\
                The lighthouse was designed by Ada Mercer. [E1]\n\
                It can be seen from 19 nautical miles away. [E9]";
    let answerer = builder(&parts)
        .agent(says(text), model_profile("inventor"))
        .build()
        .unwrap();
    let answer = answerer.ask_blocking(QUESTION).unwrap();
    let supported: Vec<bool> = answer.claims.iter().map(|c| c.supported).collect();
    assert_eq!(
        supported,
        [true, false, false, false],
        "{:#?}",
        answer.claims
    );
    assert!(answer.label.ends_with("-PARTIAL"), "{}", answer.label);
    let codes = |i: usize| {
        answer.claims[i]
            .violations
            .iter()
            .map(|v| v.code.wire_name())
            .collect::<Vec<_>>()
    };
    assert!(codes(1).contains(&"WARRANT_MISSING"), "{:?}", codes(1));
    assert!(codes(3).contains(&"UNKNOWN_EVIDENCE"), "{:?}", codes(3));
}

#[test]
fn nothing_near_enough_is_declined_and_too_broad_is_rejected_without_asking_the_agent() {
    let parts = parts();
    let asked = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&asked);
    let agent = agent_fn(move |_| {
        counter.fetch_add(1, Ordering::SeqCst);
        Ok(Completion::new("x"))
    });
    let mut settings = Settings::default();
    settings.preflight.guard.reject_at = Some(Rung::Exhaustive);
    let answerer = builder(&parts)
        .agent(Arc::new(agent), model_profile("counted"))
        .settings(settings)
        .build()
        .unwrap();
    let declined = answerer
        .ask_blocking("Which chess opening did the champion prefer?")
        .unwrap();
    assert_eq!(
        (declined.outcome, declined.run.stages().len()),
        (Outcome::Declined, 4)
    );
    let rejected = answerer
        .ask_blocking("Tell me everything without exception.")
        .unwrap();
    assert_eq!(
        (rejected.outcome, rejected.run.stages().len()),
        (Outcome::Rejected, 3)
    );
    assert_eq!(asked.load(Ordering::SeqCst), 0);
    for answer in [declined, rejected] {
        let at_hand = AtHand {
            retriever: Some(parts.retriever.as_ref()),
            agent: None,
        };
        let check = verify(&saved(&answer), parts.sources.as_ref(), at_hand).unwrap();
        assert!(check.matches(), "{:#?}", check.discrepancies);
    }
}

#[test]
fn the_same_answer_under_another_policy_has_another_root() {
    let parts = parts();
    let root = |policy: Policy| {
        builder(&parts)
            .policy(policy)
            .build()
            .unwrap()
            .ask_blocking(QUESTION)
            .unwrap()
            .run_dag_root
    };
    assert_eq!(root(Policy::strict()), root(Policy::strict()));
    assert_ne!(root(Policy::strict()), root(Policy::seed()));
    let mut other = Policy::strict();
    other.lazy_anchor_points += 1;
    assert_ne!(root(Policy::strict()), root(other));
}

#[test]
fn every_changed_byte_of_a_saved_answer_is_refused_or_named() {
    let parts = parts();
    let answer = builder(&parts)
        .build()
        .unwrap()
        .ask_blocking(QUESTION)
        .unwrap();
    let text = answer.to_canonical_json().unwrap().into_bytes();
    // Every byte in release builds; a sample in debug ones.
    let step = if cfg!(debug_assertions) { 37 } else { 1 };
    let at_hand = AtHand {
        retriever: Some(parts.retriever.as_ref()),
        agent: None,
    };
    for at in (0..text.len()).step_by(step) {
        let mut bytes = text.clone();
        bytes[at] ^= 1;
        let Ok(changed) = String::from_utf8(bytes) else {
            continue;
        };
        let Ok(saved) = RecordedAnswer::from_json(&changed) else {
            continue;
        };
        let survived = match verify(&saved, parts.sources.as_ref(), at_hand) {
            Ok(check) => check.matches(),
            Err(_) => false,
        };
        assert!(!survived, "byte {at} of {changed} survived");
    }
}

#[test]
fn a_kept_answer_is_verified_before_it_is_served() {
    let parts = parts();
    let ledger = Arc::new(MemoryLedger::new());
    let log = Arc::new(MemoryAuditLog::new("tests"));
    let now = Arc::new(|| Timestamp::from_millis(1_000).unwrap());
    let asked = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&asked);
    let agent = Arc::new(agent_fn(move |_| {
        counter.fetch_add(1, Ordering::SeqCst);
        Ok(Completion::new(
            "The lighthouse of Farrow Point is 41 metres tall. [E1]",
        ))
    }));
    let answerer = builder(&parts)
        .agent(agent, model_profile("counted"))
        .memory(Memory::new(ledger.clone(), log.clone(), now))
        .build()
        .unwrap();
    let first = answerer.ask_blocking(QUESTION).unwrap();
    // Another spelling of the question has the same canonical form.
    let second = answerer
        .ask_blocking("how tall is the lighthouse of Farrow Point")
        .unwrap();
    assert_eq!(first.run_dag_root, second.run_dag_root);
    assert_eq!(asked.load(Ordering::SeqCst), 1);
    assert_eq!(log.len().unwrap(), 1);

    // A row whose answer was touched does not recompute: it is marked and not served.
    let rows = ledger.rows(None, None, 10).unwrap();
    let mut forged = rows[0].clone();
    ledger
        .burn(
            &forged.root,
            true,
            "test",
            Timestamp::from_millis(2_000).unwrap(),
        )
        .unwrap();
    forged.answer = forged.answer.replacen("41 metres", "51 metres", 1);
    ledger
        .insert(forged, Timestamp::from_millis(3_000).unwrap())
        .unwrap();
    let third = answerer.ask_blocking(QUESTION).unwrap();
    assert!(third.answer.contains("41 metres"));
    assert_eq!(asked.load(Ordering::SeqCst), 2);
}

#[test]
fn kappa_of_the_retrieved_part_of_a_graph_is_reported_and_sealed() {
    let parts = parts();
    let graph = r#"{"nodes":[{"id":"lighthouse.md","content":"a"},{"id":"harbour.md","content":"b"}],
        "edges":[{"source":"lighthouse.md","target":"harbour.md","edge_type":"causal"},
                 {"source":"harbour.md","target":"lighthouse.md","edge_type":"causal"}]}"#;
    let store = MemoryStore::from_snapshot(Snapshot::from_json(graph).unwrap()).unwrap();
    let answerer = builder(&parts).graph(Arc::new(store)).build().unwrap();
    let answer = answerer
        .ask_blocking("What is there at Farrow Point, lighthouse or harbour?")
        .unwrap();
    let topology = answer.topology.as_ref().unwrap();
    assert_eq!(topology.max_kappa, 1);
    assert_eq!(answer.run.stages().len(), 11);
    let check = verify(&saved(&answer), parts.sources.as_ref(), AtHand::default()).unwrap();
    assert!(check.matches(), "{:#?}", check.discrepancies);
}

#[test]
fn an_answer_that_cites_codes_is_scored_and_the_scores_are_sealed() {
    let parts = parts();
    let text = "The axis OBJ–SUB decides: the lighthouse of Farrow Point is 41 metres tall, OBJ, \
                yet its light is felt, SUB. [E1]";
    let answerer = builder(&parts)
        .agent(says(text), model_profile("argues"))
        .build()
        .unwrap();
    let answer = answerer.ask_blocking(QUESTION).unwrap();
    assert!(answer.wisdom.as_ref().unwrap().wisdom_score > 0.0);
    assert_eq!(answer.run.stages().len(), 11);
    let check = verify(&saved(&answer), parts.sources.as_ref(), AtHand::default()).unwrap();
    assert!(check.matches(), "{:#?}", check.discrepancies);
}

#[test]
fn bad_questions_and_missing_parts_are_errors_in_words() {
    let parts = parts();
    let answerer = builder(&parts).build().unwrap();
    assert!(matches!(
        answerer.ask_blocking(" \n"),
        Err(Error::EmptyQuestion)
    ));
    let error = answerer.ask_blocking(&"why ".repeat(250_000)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the question has 1000000 bytes; at most 65536 are accepted"
    );
    assert!(matches!(
        Answerer::builder().build(),
        Err(Error::Missing("retriever"))
    ));
}

#[test]
fn a_saved_answer_that_is_none_is_refused_in_words() {
    let refused = |text: &str| RecordedAnswer::from_json(text).unwrap_err().to_string();
    assert!(refused("").contains("not JSON"));
    assert!(refused("{ }").contains("canonical"));
    assert!(refused("{}").contains("schema version"));
    assert!(
        refused(r#"{"schema_version":"candor-sealed-answer-1"}"#).contains("a part does not read")
    );
}

#[test]
fn evidence_that_looks_like_an_instruction_stays_between_the_fences() {
    let parts = parts();
    let seen = Arc::new(std::sync::Mutex::new(None));
    let keep = Arc::clone(&seen);
    let agent = agent_fn(move |prompt| {
        *keep.lock().unwrap() = Some(prompt);
        Ok(Completion::new("The sources do not say."))
    });
    let answerer = builder(&parts)
        .agent(Arc::new(agent), model_profile("keeps"))
        .build()
        .unwrap();
    let answer = answerer.ask_blocking(QUESTION).unwrap();
    assert_eq!(answer.label, "HONEST-REFUSAL");
    let prompt = seen.lock().unwrap().take().unwrap();
    let fence = prompt
        .user
        .lines()
        .nth(1)
        .unwrap()
        .split(' ')
        .next()
        .unwrap()
        .to_owned();
    assert!(fence.chars().all(|c| c == '=') && fence.len() >= 8);
    let fences = prompt
        .user
        .lines()
        .filter(|l| l.starts_with(&fence))
        .count();
    assert_eq!(fences, answer.evidence.len() + 1);
}
