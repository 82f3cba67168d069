//! The suites that every implementation of [`AuditLog`] and [`Ledger`] must pass (feature
//! `conformance`).
//!
//! Each takes an empty store and says in words what it got wrong. This crate starts no threads;
//! concurrency is checked by the caller starting writers that each call [`append_some`] and then
//! calling [`after_appends`]:
//!
//! ```
//! use run_dag::{audit::MemoryAuditLog, conformance, ledger::MemoryLedger};
//! conformance::audit_log(&MemoryAuditLog::new("example.org/log")).unwrap();
//! conformance::ledger(&MemoryLedger::new()).unwrap();
//!
//! let log = MemoryAuditLog::new("example.org/log");
//! std::thread::scope(|s| {
//!     for writer in 0..4 {
//!         let log = &log;
//!         s.spawn(move || conformance::append_some(log, writer, 25).unwrap());
//!     }
//! });
//! conformance::after_appends(&log, 4, 25).unwrap();
//! ```

use crate::audit::{AuditLog, Checkpoint, NewEvent, Timestamp, origin_hash, verify_events};
use crate::cache::CacheKey;
use crate::error::Error;
use crate::hash::RunRoot;
use crate::json::canonical;
use crate::ledger::{ChangeKind, FalsificationState as State, Ledger, LedgerRow};
use crate::payload::{Clause, question_hash};
use crate::policy::conversation_hash;
use crate::sample;
use crate::value::Value;

/// Nothing, or what the store got wrong.
pub type Outcome = Result<(), String>;

fn demand(holds: bool, what: &str) -> Outcome {
    if holds {
        Ok(())
    } else {
        Err(format!("does not hold: {what}"))
    }
}

fn word(error: impl std::fmt::Display) -> String {
    format!("unexpected error: {error}")
}

fn at(millis: u32) -> Timestamp {
    Timestamp(millis.into())
}

/// An event that holds what stores tend to lose: order of keys, empty texts, letters beyond ASCII,
/// quotation marks, the largest integers.
fn event(number: u32) -> NewEvent {
    let largest = Value::from_json(b"[9007199254740991,-9007199254740991]").unwrap_or_default();
    NewEvent {
        at: at(number),
        kind: format!("test_{number}"),
        detail: Clause::from([
            ("z".into(), number.into()),
            ("a".into(), "".into()),
            ("".into(), Value::Null),
            (
                "caf\u{e9} cafe\u{301} \u{1f600} \u{e000}".into(),
                "it's \"quoted\" \\ 100%\n".into(),
            ),
            ("largest".into(), largest),
        ]),
    }
}

/// Appends `count` events in the name of a writer; for concurrent use.
///
/// # Errors
/// What the store got wrong.
pub fn append_some(log: &dyn AuditLog, writer: u32, count: u32) -> Outcome {
    for number in 0..count {
        let detail = Clause::from([
            ("writer".into(), writer.into()),
            ("n".into(), number.into()),
        ]);
        let event = NewEvent {
            at: at(number),
            kind: "concurrent".into(),
            detail,
        };
        log.append(event).map_err(word)?;
    }
    Ok(())
}

/// After `writers` writers appended `each` events: all are there, in one line, each writer's in order.
///
/// # Errors
/// What the store got wrong.
pub fn after_appends(log: &dyn AuditLog, writers: u32, each: u32) -> Outcome {
    let total = u64::from(writers) * u64::from(each);
    demand(
        log.len().map_err(word)? == total,
        "every acknowledged event is there",
    )?;
    log.verify().map_err(word)?;
    let events = log.events(0, usize::MAX).map_err(word)?;
    for writer in 0..writers {
        let of = |e: &&crate::audit::LoggedEvent| e.detail.get("writer") == Some(&writer.into());
        let order: Vec<&Value> = events
            .iter()
            .filter(of)
            .filter_map(|e| e.detail.get("n"))
            .collect();
        let wanted: Vec<Value> = (0..each).map(Value::from).collect();
        demand(
            order.into_iter().eq(wanted.iter()),
            "each writer's events keep their order",
        )?;
    }
    Ok(())
}

/// Checks an empty audit log.
///
/// # Errors
/// What the store got wrong.
pub fn audit_log(log: &dyn AuditLog) -> Outcome {
    demand(log.is_empty().map_err(word)?, "a new log is empty")?;
    let empty = log.checkpoint(None).map_err(word)?;
    let origin = log.origin().map_err(word)?;
    demand(
        empty.size == 0 && empty.origin == origin,
        "an empty log has a checkpoint",
    )?;
    log.verify().map_err(word)?;
    let mut checkpoints: Vec<Checkpoint> = Vec::new();
    let mut previous = origin_hash(&origin);
    for number in 0..11 {
        let wanted = event(number);
        let logged = log.append(wanted.clone()).map_err(word)?;
        demand(
            logged.previous_hash == previous,
            "an event follows the one before it",
        )?;
        demand(
            logged.sequence == number.into(),
            "events are numbered from 0",
        )?;
        demand(
            (logged.at, &logged.kind, &logged.detail) == (wanted.at, &wanted.kind, &wanted.detail),
            "an event is kept as it was given",
        )?;
        demand(
            logged.recomputed().map_err(word)? == logged.event_hash,
            "hashes are right",
        )?;
        let read = log.events(number.into(), 1).map_err(word)?;
        demand(
            read.as_slice() == [logged.clone()],
            "an event reads back as it was returned",
        )?;
        previous = logged.event_hash;
        checkpoints.push(log.checkpoint(None).map_err(word)?);
    }
    audit_log_reading(log)?;
    audit_log_proofs(log, &checkpoints)?;
    audit_log_refusals(log)
}

fn audit_log_reading(log: &dyn AuditLog) -> Outcome {
    let all = log.events(0, usize::MAX).map_err(word)?;
    demand(all.len() == 11, "all events are there")?;
    verify_events(&log.origin().map_err(word)?, &all).map_err(word)?;
    let some = log.events(3, 4).map_err(word)?;
    demand(
        all.get(3..7) == Some(some.as_slice()),
        "a page is a slice of the whole",
    )?;
    demand(
        log.events(11, 5).map_err(word)?.is_empty(),
        "nothing stands after the end",
    )?;
    demand(
        log.events(0, 0).map_err(word)?.is_empty(),
        "a page of none is empty",
    )?;
    let hashes = log.event_hashes(2, 3).map_err(word)?;
    demand(
        all.iter().skip(2).take(3).map(|e| e.event_hash).eq(hashes),
        "event hashes are the events'",
    )
}

fn audit_log_proofs(log: &dyn AuditLog, checkpoints: &[Checkpoint]) -> Outcome {
    for (newer_at, newer) in checkpoints.iter().enumerate() {
        demand(
            log.checkpoint(Some(newer.size)).map_err(word)? == *newer,
            "an old checkpoint can be made again",
        )?;
        for sequence in 0..newer.size {
            let proof = log.prove_event(sequence, newer.size).map_err(word)?;
            newer.verify_event(&proof).map_err(word)?;
        }
        for older in checkpoints.iter().take(newer_at + 1) {
            let proof = log
                .prove_consistency(older.size, newer.size)
                .map_err(word)?;
            newer.verify_extends(older, &proof).map_err(word)?;
        }
    }
    let newer = log.prove_event(4, 4);
    demand(
        matches!(newer, Err(Error::NewerThanCheckpoint { .. })),
        "R9: newer than the checkpoint",
    )?;
    let beyond = log.prove_event(50, 11);
    demand(
        matches!(beyond, Err(Error::OutOfTree { .. })),
        "no such event",
    )?;
    let beyond = log.checkpoint(Some(12));
    demand(
        matches!(beyond, Err(Error::OutOfTree { .. })),
        "no such size",
    )
}

fn audit_log_refusals(log: &dyn AuditLog) -> Outcome {
    let mut nul = event(11);
    nul.detail.insert("x".into(), "a\0b".into());
    demand(
        matches!(log.append(nul), Err(Error::NulInText { .. })),
        "U+0000 is refused",
    )?;
    demand(
        log.len().map_err(word)? == 11,
        "a refused event leaves nothing behind",
    )?;
    let batch = log.append_all(vec![event(11), event(12)]).map_err(word)?;
    demand(batch.len() == 2, "a batch is appended whole")?;
    demand(log.len().map_err(word)? == 13, "a batch counts")?;
    log.verify().map_err(word)
}

/// A row for tests: question and policy make its key, `number` its root.
#[must_use]
pub fn row(number: u8, question: &str, policy: &str, rung: u32) -> LedgerRow {
    let zero = [0u8; 32];
    let policy_hash = sample::policy(policy).hash();
    LedgerRow {
        root: RunRoot::from_bytes([number; 32]),
        key: CacheKey {
            source_root: crate::SourceRoot::from_bytes(zero),
            question_hash: question_hash(question),
            model_profile_hash: crate::ModelProfileHash::from_bytes(zero),
            conversation_hash: conversation_hash(&[])
                .unwrap_or(crate::ConversationHash::from_bytes(zero)),
            governance_policy_hash: policy_hash
                .unwrap_or(crate::GovernancePolicyHash::from_bytes(zero)),
            schema_version: "1".into(),
            canonicalization_version: "1".into(),
            chunking_version: "1".into(),
        },
        mode: "pointer".into(),
        label: "POINTER-LINKED".into(),
        rung,
        answer: format!("{{\"answer\":\"it's \\\"{number}\\\" caf\u{e9} \u{1f600}\"}}"),
        record: "{}".into(),
        refers_to: vec![],
    }
}

/// Checks an empty ledger.
///
/// # Errors
/// What the store got wrong.
pub fn ledger(ledger: &dyn Ledger) -> Outcome {
    ledger_lookups(ledger)?;
    ledger_states(ledger)?;
    ledger_burns(ledger)?;
    ledger_history(ledger)
}

fn ledger_lookups(ledger: &dyn Ledger) -> Outcome {
    let first = row(1, "who?", "strict", 1);
    demand(
        ledger.insert(first.clone(), at(1)).map_err(word)?,
        "a new row is new",
    )?;
    demand(
        !ledger.insert(first.clone(), at(2)).map_err(word)?,
        "the same row again is not",
    )?;
    let mut other = first.clone();
    other.label = "UNGROUNDED".into();
    let conflict = ledger.insert(other, at(2));
    demand(
        matches!(conflict, Err(Error::RowConflict { .. })),
        "a root has one content",
    )?;
    let mut nul = row(9, "nul", "strict", 0);
    nul.answer.push('\0');
    demand(
        matches!(ledger.insert(nul, at(2)), Err(Error::NulInText { .. })),
        "U+0000 is refused",
    )?;
    let found = ledger.lookup(&first.key).map_err(word)?;
    demand(
        found.as_ref() == Some(&first),
        "a row is found under its key, unchanged",
    )?;
    for dimension in 0..8 {
        let key = other_key(&first.key, dimension);
        let same = key.hash().map_err(word)? == first.key.hash().map_err(word)?;
        demand(!same, "each dimension changes the key's hash")?;
        demand(
            ledger.lookup(&key).map_err(word)?.is_none(),
            "each dimension makes it miss",
        )?;
    }
    let got = ledger.get(&first.root).map_err(word)?;
    demand(got == Some((first, State::Live)), "a miss is not a loss")
}

/// The key with one of its eight dimensions changed.
fn other_key(key: &CacheKey, dimension: u8) -> CacheKey {
    let mut key = key.clone();
    let one = [1u8; 32];
    match dimension {
        0 => key.source_root = crate::SourceRoot::from_bytes(one),
        1 => key.question_hash = crate::QuestionHash::from_bytes(one),
        2 => key.model_profile_hash = crate::ModelProfileHash::from_bytes(one),
        3 => key.conversation_hash = crate::ConversationHash::from_bytes(one),
        4 => key.governance_policy_hash = crate::GovernancePolicyHash::from_bytes(one),
        5 => key.schema_version = "2".into(),
        6 => key.canonicalization_version = "2".into(),
        _ => key.chunking_version = "2".into(),
    }
    key
}

fn ledger_states(ledger: &dyn Ledger) -> Outcome {
    let (old, new) = (row(1, "who?", "strict", 1), row(2, "who?", "strict", 2));
    ledger.insert(new.clone(), at(3)).map_err(word)?;
    let seen = || ledger.lookup(&old.key).map_err(word);
    demand(
        seen()?.as_ref() == Some(&new),
        "of two live rows the later is seen",
    )?;
    for state in [State::Failed, State::Stale, State::Quarantined] {
        let change = ledger
            .falsify(&new.root, state, "l'a dit", at(4))
            .map_err(word)?;
        demand(
            matches!(change.change, ChangeKind::State { to, .. } if to == state),
            "as told",
        )?;
        demand(
            seen()?.as_ref() == Some(&old),
            "look-ups see live rows only",
        )?;
        let got = ledger.get(&new.root).map_err(word)?;
        demand(got == Some((new.clone(), state)), "a falsified row is kept")?;
    }
    ledger
        .falsify(&new.root, State::Live, "cleared", at(5))
        .map_err(word)?;
    demand(seen()?.as_ref() == Some(&new), "a row can come back")?;
    let missing = ledger.falsify(&RunRoot::from_bytes([99; 32]), State::Failed, "", at(5));
    demand(
        matches!(missing, Err(Error::NoSuchRow { .. })),
        "no such row to falsify",
    )?;
    let third = row(3, "what?", "seed", 0);
    ledger.insert(third.clone(), at(6)).map_err(word)?;
    ledger
        .falsify(&old.root, State::Stale, "", at(6))
        .map_err(word)?;
    let all = ledger.rows(None, None, usize::MAX).map_err(word)?;
    demand(
        all == [old.clone(), new.clone(), third.clone()],
        "rows come in order of insertion",
    )?;
    let live = ledger
        .rows(Some(State::Live), Some(&old.root), 1)
        .map_err(word)?;
    demand(live == [new], "rows are paged and filtered")?;
    let after_last = ledger.rows(None, Some(&third.root), 9).map_err(word)?;
    demand(after_last.is_empty(), "nothing after the last")
}

fn ledger_burns(ledger: &dyn Ledger) -> Outcome {
    let target = RunRoot::from_bytes([1; 32]);
    let mut referrer = row(4, "again?", "strict", 1);
    referrer.refers_to = vec![target];
    ledger.insert(referrer.clone(), at(7)).map_err(word)?;
    demand(
        ledger.referrers(&target).map_err(word)? == [referrer.root],
        "referrers are known",
    )?;
    let refused = ledger.burn(&target, false, "asked to", at(8));
    demand(
        matches!(refused, Err(Error::RowReferenced { referrers: 1, .. })),
        "a row that others refer to is not burned",
    )?;
    demand(
        ledger.get(&target).map_err(word)?.is_some(),
        "a refused burn leaves the row",
    )?;
    ledger
        .burn(&target, true, "asked to", at(9))
        .map_err(word)?;
    demand(
        ledger.get(&target).map_err(word)?.is_none(),
        "a forced burn removes it",
    )?;
    ledger
        .burn(&referrer.root, false, "", at(10))
        .map_err(word)?;
    demand(
        ledger.referrers(&target).map_err(word)?.is_empty(),
        "a burned row refers to nothing",
    )?;
    let again = ledger.burn(&target, true, "", at(11));
    demand(
        matches!(again, Err(Error::NoSuchRow { .. })),
        "what is gone is gone",
    )?;
    let after_gone = ledger.rows(None, Some(&target), 1);
    demand(
        matches!(after_gone, Err(Error::NoSuchRow { .. })),
        "no page after a row that is gone",
    )
}

fn ledger_history(ledger: &dyn Ledger) -> Outcome {
    let target = RunRoot::from_bytes([1; 32]);
    let changes = ledger.history(Some(&target)).map_err(word)?;
    let kinds: Vec<ChangeKind> = changes.iter().map(|c| c.change.clone()).collect();
    let wanted = [
        ChangeKind::Inserted,
        ChangeKind::State {
            from: State::Live,
            to: State::Stale,
        },
        ChangeKind::BurnRefused { referrers: 1 },
        ChangeKind::Burned {
            forced: true,
            referrers: 1,
        },
    ];
    demand(
        kinds == wanted,
        "the history outlives the row, refusals included",
    )?;
    let all = ledger.history(None).map_err(word)?;
    demand(all.len() == 12, "every change is in the history once")?;
    let reasons: Vec<&str> = changes.iter().map(|c| c.reason.as_str()).collect();
    demand(
        reasons == ["", "", "asked to", "asked to"],
        "reasons are kept",
    )?;
    let times = all
        .windows(2)
        .all(|pair| matches!(pair, [a, b] if a.at <= b.at));
    demand(times, "the history is in order")?;
    canonical(&all).map(|_| ()).map_err(word)
}
