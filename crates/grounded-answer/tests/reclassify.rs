//! Kept answers, verified again when sources have grown.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::sync::Arc;
use std::sync::atomic::Ordering;

use claim_lattice::{AnswerMode, Policy};
use common::{BREAD, LIGHTHOUSE, Library, memory, says, with};
use grounded_answer::{Error, Memory, RecordedAnswer, SealedAnswer, Settings};
use run_dag::audit::{AuditLog, MemoryAuditLog};
use run_dag::ledger::{FalsificationState, Ledger, LedgerRow, MemoryLedger, ReclassifyOutcome};

const QUESTION: &str = "How tall is the lighthouse of Farrow Point?";
/// The second claim is borne by a document that arrives later.
const ANSWER: &str = "The lighthouse of Farrow Point is 41 metres tall. [E1]\n\
                      Keeper Maud Ellery painted the lighthouse of Farrow Point white in 1931. [E1]";
const KEEPERS: (&str, &str, &str) = (
    "keepers.md",
    "Keepers of the lighthouse of Farrow Point",
    "In 1931 keeper Maud Ellery painted the lighthouse of Farrow Point white. She stayed until 1940.",
);

struct Kept {
    memory: Memory,
    ledger: Arc<MemoryLedger>,
    log: Arc<MemoryAuditLog>,
    answer: SealedAnswer,
}

fn kept(mode: AnswerMode, text: &str, policy: Policy) -> Kept {
    let library = Library::of(&[LIGHTHOUSE, BREAD]);
    let (memory, ledger, log) = memory();
    let settings = Settings {
        mode,
        policy,
        ..Settings::default()
    };
    let answerer = with(library.builder(), says(&[text]).0)
        .settings(settings)
        .memory(memory.clone());
    let answer = answerer.build().unwrap().ask_blocking(QUESTION).unwrap();
    Kept {
        memory,
        ledger,
        log,
        answer,
    }
}

impl Kept {
    /// Verifies all again over these documents, with an agent that must not be asked.
    fn again(&self, library: &Library, policy: Option<&Policy>) -> Vec<ReclassifyOutcome> {
        let (agent, calls) = says(&["no one asked"]);
        let answerer = with(library.builder(), agent).memory(self.memory.clone());
        let reports = answerer.build().unwrap().reclassify(policy).unwrap();
        assert_eq!(calls.load(Ordering::SeqCst), 0);
        reports.into_iter().map(|report| report.outcome).collect()
    }

    fn live(&self) -> Vec<LedgerRow> {
        let live = Some(FalsificationState::Live);
        self.ledger.rows(live, None, usize::MAX).unwrap()
    }
}

fn grown() -> Library {
    Library::of(&[LIGHTHOUSE, BREAD, KEEPERS])
}

#[test]
fn a_failed_claim_climbs_when_its_source_arrives() {
    for (mode, text) in [
        (AnswerMode::Pointer, ANSWER.to_owned()),
        (
            AnswerMode::Json,
            r#"{"claims":[{"text":"The lighthouse of Farrow Point is 41 metres tall.","evidence_ids":["E1"]},{"text":"Keeper Maud Ellery painted the lighthouse of Farrow Point white in 1931.","evidence_ids":["E1"]}]}"#
                .to_owned(),
        ),
    ] {
        let kept = kept(mode, &text, Policy::strict());
        assert!(kept.answer.claims[0].supported && !kept.answer.claims[1].supported);
        let grown = grown();
        let outcomes = kept.again(&grown, None);
        let [ReclassifyOutcome::Climbed { to, from_rung, to_rung }] = outcomes.as_slice() else {
            panic!("{outcomes:?}");
        };
        assert!(to_rung > from_rung);

        let (_, state) = kept.ledger.get(&kept.answer.run_dag_root).unwrap().unwrap();
        assert_eq!(state, FalsificationState::Stale);
        let live = kept.live();
        assert_eq!((live.len(), live[0].root), (1, *to));
        assert_eq!(live[0].refers_to, [kept.answer.run_dag_root]);

        // The new run recomputes offline, says so of its passages, and holds the directives.
        let saved = RecordedAnswer::from_json(&live[0].answer).unwrap();
        let at_hand = grounded_answer::AtHand {
            retriever: Some(grown.retriever.as_ref()),
            agent: None,
        };
        let checked = grounded_answer::verify(&saved, grown.sources.as_ref(), at_hand).unwrap();
        assert!(checked.matches(), "{:?}", checked.discrepancies);
        assert!(checked.not_rechecked.iter().any(|line| line.contains("found since")));
        let now = checked.recomputed.unwrap();
        assert!(now.claims.iter().all(|claim| claim.supported));
        assert_eq!(now.claims[1].passages[0].source, "keepers.md");
        assert_eq!(now.raw_answer.as_deref(), Some(text.as_str()));
        assert_eq!(now.directives().unwrap().broken(), []);
        let (before, after) = (prompt_hash(&kept.answer), prompt_hash(&now));
        assert_eq!(before, after, "the model never saw the passage");

        let kinds: Vec<String> = kept.log.events(0, 100).unwrap().iter().map(|e| e.kind.clone()).collect();
        assert!(kinds.iter().any(|kind| kind == "reclassified"), "{kinds:?}");
        // A second look finds nothing more to do.
        assert_eq!(kept.again(&grown, None), [ReclassifyOutcome::Unchanged]);
    }
}

fn prompt_hash(answer: &SealedAnswer) -> run_dag::PayloadHash {
    let prompt = answer.run.stage(&run_dag::StageKind::Prompt).unwrap();
    prompt.payload_hash()
}

#[test]
fn the_climbed_answer_is_served_from_the_cache_without_a_model() {
    let kept = kept(AnswerMode::Pointer, ANSWER, Policy::strict());
    let grown = grown();
    kept.again(&grown, None);
    let (agent, calls) = says(&["no one asked"]);
    let answerer = with(grown.builder(), agent).memory(kept.memory.clone());
    let served = answerer.build().unwrap().ask_blocking(QUESTION).unwrap();
    assert_eq!(calls.load(Ordering::SeqCst), 0);
    assert_eq!(served.claims[1].passages[0].source, "keepers.md");
}

#[test]
fn a_quote_climbs_too() {
    let text = "The keepers' book says \"keeper Maud Ellery painted the lighthouse of Farrow Point white\".";
    let kept = kept(AnswerMode::Quote, text, Policy::strict());
    assert_eq!(kept.answer.label, "UNGROUNDED");
    let outcomes = kept.again(&grown(), None);
    assert!(
        matches!(outcomes[..], [ReclassifyOutcome::Climbed { .. }]),
        "{outcomes:?}"
    );
    assert_eq!(kept.live()[0].label, "STRICT");
}

#[test]
fn nothing_new_changes_nothing() {
    let kept = kept(AnswerMode::Pointer, ANSWER, Policy::strict());
    let same = Library::of(&[LIGHTHOUSE, BREAD]);
    assert_eq!(kept.again(&same, None), [ReclassifyOutcome::Unchanged]);
    assert_eq!(kept.live()[0].root, kept.answer.run_dag_root);
}

#[test]
fn under_one_policy_nothing_is_demoted() {
    let kept = kept(AnswerMode::Pointer, ANSWER, Policy::strict());
    // A row that claims more than its answer bears.
    let mut row = kept.live().remove(0);
    kept.ledger
        .burn(&row.root, true, "test", kept_at())
        .unwrap();
    row.rung = u32::MAX;
    kept.ledger.insert(row.clone(), kept_at()).unwrap();
    let outcomes = kept.again(&grown(), None);
    assert!(
        matches!(
            outcomes[..],
            [ReclassifyOutcome::DemotionRefused {
                from_rung: u32::MAX,
                ..
            }]
        ),
        "{outcomes:?}"
    );
    assert_eq!(kept.live()[0].root, row.root);
}

fn kept_at() -> run_dag::audit::Timestamp {
    run_dag::audit::Timestamp::from_millis(1).unwrap()
}

#[test]
fn another_policy_makes_a_record_of_its_own() {
    // Borne out by the seed's rules, not by the strict ones.
    let text = "The lighthouse of Farrow Point, built in 1874, may be tall. [E1]\n\
                The lighthouse of Farrow Point lamp is seen by painters of Lisbon. [E1]";
    let kept = kept(AnswerMode::Pointer, text, Policy::seed());
    let outcomes = kept.again(&grown(), Some(&Policy::strict()));
    let [
        ReclassifyOutcome::NewPolicy {
            from_rung, to_rung, ..
        },
    ] = outcomes.as_slice()
    else {
        panic!("{outcomes:?}");
    };
    assert!(to_rung < from_rung, "{from_rung} {to_rung}");
    let live = kept.live();
    assert_eq!(live.len(), 2);
    assert_eq!(live[0].root, kept.answer.run_dag_root);
}

#[test]
fn an_answer_whose_passage_is_gone_is_reported_and_kept() {
    let kept = kept(AnswerMode::Pointer, ANSWER, Policy::strict());
    let other = Library::of(&[("lighthouse.md", "Lighthouse", "It fell."), KEEPERS]);
    let outcomes = kept.again(&other, None);
    let [ReclassifyOutcome::Failed { error }] = outcomes.as_slice() else {
        panic!("{outcomes:?}");
    };
    assert!(error.contains("passage 1 (lighthouse.md)"), "{error}");
    assert_eq!(kept.live()[0].root, kept.answer.run_dag_root);
}

#[test]
fn it_needs_a_memory_and_sources() {
    let library = grown();
    let answerer = library.builder().build().unwrap();
    assert!(matches!(
        answerer.reclassify(None),
        Err(Error::Missing("memory"))
    ));
}
