//! The ledger with its log: falsify, burn, reclassify.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::print_stdout
)]

use run_dag::audit::*;
use run_dag::conformance::row;
use run_dag::ledger::*;
use run_dag::*;

fn at(millis: i32) -> Timestamp {
    Timestamp(millis.into())
}

fn kinds(log: &dyn AuditLog) -> Vec<String> {
    log.events(0, usize::MAX)
        .unwrap()
        .into_iter()
        .map(|e| e.kind)
        .collect()
}

#[test]
fn falsify_keeps_the_row_and_logs_the_change() {
    let (ledger, log) = (
        MemoryLedger::new(),
        MemoryAuditLog::new("candor.example/ledger"),
    );
    let audited = AuditedLedger::new(&ledger, &log);
    let first = row(1, "who?", "strict", 2);
    assert!(audited.insert(first.clone(), at(1)).unwrap());
    assert!(!audited.insert(first.clone(), at(1)).unwrap());
    audited
        .falsify(
            &first.root,
            FalsificationState::Failed,
            "contradicted",
            at(2),
        )
        .unwrap();
    assert_eq!(ledger.lookup(&first.key).unwrap(), None);
    assert_eq!(
        ledger.get(&first.root).unwrap(),
        Some((first.clone(), FalsificationState::Failed))
    );
    assert_eq!(kinds(&log), ["ledger_inserted", "ledger_state_changed"]);
    let event = log.events(1, 1).unwrap().remove(0);
    assert_eq!(event.detail.get("reason"), Some(&"contradicted".into()));
    assert_eq!(event.detail.get("root"), Some(&first.root.to_hex().into()));
    let change = event.detail.get("change").unwrap();
    assert_eq!(change.get("from"), Some(&"live".into()));
    assert_eq!(change.get("to"), Some(&"failed".into()));
    log.verify().unwrap();
}

#[test]
fn burn_refuses_while_referred_to_and_logs_either_way() {
    let (ledger, log) = (
        MemoryLedger::new(),
        MemoryAuditLog::new("candor.example/ledger"),
    );
    let audited = AuditedLedger::new(&ledger, &log);
    let first = row(1, "who?", "strict", 2);
    let mut second = row(2, "who else?", "strict", 2);
    second.refers_to = vec![first.root];
    audited.insert(first.clone(), at(1)).unwrap();
    audited.insert(second, at(1)).unwrap();
    let refused = audited.burn(&first.root, false, "privacy", at(2));
    assert!(matches!(
        refused,
        Err(Error::RowReferenced { referrers: 1, .. })
    ));
    assert!(ledger.get(&first.root).unwrap().is_some());
    audited.burn(&first.root, true, "privacy", at(3)).unwrap();
    assert!(ledger.get(&first.root).unwrap().is_none());
    assert_eq!(
        kinds(&log),
        [
            "ledger_inserted",
            "ledger_inserted",
            "ledger_burn_refused",
            "ledger_burned"
        ]
    );
}

/// A verifier that has made up its mind per question.
struct Script(Vec<(RunRoot, Reclassified)>);

impl Reclassifier for Script {
    fn reverify(&self, row: &LedgerRow) -> Result<Reclassified> {
        let found = self.0.iter().find(|(root, _)| *root == row.root);
        found
            .map(|(_, outcome)| outcome.clone())
            .ok_or_else(|| Error::backend("re-verify", "no sources"))
    }
}

fn sealed(row: LedgerRow) -> Reclassified {
    Reclassified::Sealed(Box::new(row))
}

#[test]
fn under_one_policy_a_record_only_climbs() {
    let (ledger, log) = (
        MemoryLedger::new(),
        MemoryAuditLog::new("candor.example/ledger"),
    );
    let rows: Vec<LedgerRow> = (1..=6)
        .map(|n| row(n, &format!("question {n}?"), "strict", 2))
        .collect();
    for row in &rows {
        ledger.insert(row.clone(), at(1)).unwrap();
    }
    let grown = |n: u8, policy: &str, rung: u32| {
        let mut new = row(n + 100, &format!("question {n}?"), policy, rung);
        new.key.source_root = source_root([document_root(&["more"])]);
        new
    };
    let script = Script(vec![
        (rows[0].root, Reclassified::Unchanged),
        (rows[1].root, sealed(grown(2, "strict", 3))),
        (rows[2].root, sealed(grown(3, "strict", 1))),
        (rows[3].root, sealed(grown(4, "seed", 1))),
        (rows[4].root, sealed(grown(5, "strict", 2))),
    ]);
    let reports = reclassify(&ledger, &log, &script, at(9)).unwrap();
    let outcomes: Vec<&ReclassifyOutcome> = reports.iter().map(|r| &r.outcome).collect();
    assert!(matches!(outcomes[0], ReclassifyOutcome::Unchanged));
    assert!(matches!(
        outcomes[1],
        ReclassifyOutcome::Climbed {
            from_rung: 2,
            to_rung: 3,
            ..
        }
    ));
    assert!(matches!(
        outcomes[2],
        ReclassifyOutcome::DemotionRefused {
            from_rung: 2,
            to_rung: 1
        }
    ));
    assert!(matches!(
        outcomes[3],
        ReclassifyOutcome::NewPolicy {
            from_rung: 2,
            to_rung: 1,
            ..
        }
    ));
    assert!(matches!(outcomes[4], ReclassifyOutcome::Unchanged));
    assert!(matches!(outcomes[5], ReclassifyOutcome::Failed { .. }));

    // The one that climbed: the old row is stale and kept, the new one is live and refers to it.
    let state = |row: &LedgerRow| ledger.get(&row.root).unwrap().unwrap().1;
    assert_eq!(state(&rows[1]), FalsificationState::Stale);
    let climbed = ledger.lookup(&grown(2, "strict", 3).key).unwrap().unwrap();
    assert_eq!((climbed.rung, climbed.refers_to), (3, vec![rows[1].root]));
    // The demotion under the same policy changed nothing.
    assert_eq!(state(&rows[2]), FalsificationState::Live);
    assert_eq!(ledger.lookup(&grown(3, "strict", 1).key).unwrap(), None);
    // Under a new policy a new record stands beside the old one.
    assert_eq!(state(&rows[3]), FalsificationState::Live);
    assert_eq!(
        ledger
            .lookup(&grown(4, "seed", 1).key)
            .unwrap()
            .unwrap()
            .rung,
        1
    );
    // Each change is logged: two inserts, one state, and a line for each row that was not unchanged.
    let logged = kinds(&log);
    let count = |kind: &str| logged.iter().filter(|k| *k == kind).count();
    assert_eq!(count("ledger_inserted"), 2);
    assert_eq!(count("ledger_state_changed"), 1);
    assert_eq!(count("reclassified"), 4);
    log.verify().unwrap();
    // Once more: nothing is left to climb, so no row is added.
    let before = ledger.rows(None, None, usize::MAX).unwrap().len();
    reclassify(&ledger, &log, &Script(vec![]), at(10)).unwrap();
    assert_eq!(ledger.rows(None, None, usize::MAX).unwrap().len(), before);
}

#[test]
fn traits_are_object_safe_and_shared_between_threads() {
    let ledger: std::sync::Arc<dyn Ledger> = std::sync::Arc::new(MemoryLedger::new());
    let log: std::sync::Arc<dyn AuditLog> =
        std::sync::Arc::new(MemoryAuditLog::new("candor.example/x"));
    std::thread::scope(|scope| {
        for n in 1..=4 {
            let (ledger, log) = (&ledger, &log);
            scope.spawn(move || {
                ledger.insert(row(n, "q", "strict", 0), at(1)).unwrap();
                let detail = Clause::new();
                log.append(NewEvent {
                    at: at(1),
                    kind: "x".into(),
                    detail,
                })
                .unwrap();
            });
        }
    });
    assert_eq!(ledger.rows(None, None, 9).unwrap().len(), 4);
    assert_eq!(log.len().unwrap(), 4);
}
