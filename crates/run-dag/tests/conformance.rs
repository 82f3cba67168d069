//! The suites on the implementations in memory, and R11: many writers, one line.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

use run_dag::audit::*;
use run_dag::conformance;
use run_dag::ledger::MemoryLedger;

/// The four things a store must give, over the log in memory: the rest is the trait's own.
struct Bare(MemoryAuditLog);

impl AuditLog for Bare {
    fn origin(&self) -> run_dag::Result<String> {
        self.0.origin()
    }
    fn append(&self, event: NewEvent) -> run_dag::Result<LoggedEvent> {
        self.0.append(event)
    }
    fn len(&self) -> run_dag::Result<u64> {
        self.0.len()
    }
    fn events(&self, from: u64, limit: usize) -> run_dag::Result<Vec<LoggedEvent>> {
        self.0.events(from, limit)
    }
}

#[test]
fn memory_log_conforms() {
    conformance::audit_log(&MemoryAuditLog::new("candor.example/log")).unwrap();
}

#[test]
fn provided_methods_conform() {
    conformance::audit_log(&Bare(MemoryAuditLog::new("candor.example/log"))).unwrap();
}

#[test]
fn memory_ledger_conforms() {
    conformance::ledger(&MemoryLedger::new()).unwrap();
}

#[test]
fn r11_four_writers_give_one_line_of_a_hundred() {
    let log = MemoryAuditLog::new("candor.example/log");
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let log = &log;
            scope.spawn(move || conformance::append_some(log, writer, 25).unwrap());
        }
    });
    conformance::after_appends(&log, 4, 25).unwrap();
    let copy = MemoryAuditLog::from_events("candor.example/log", log.events(0, 100).unwrap());
    assert_eq!(
        copy.unwrap().checkpoint(None).unwrap(),
        log.checkpoint(None).unwrap()
    );
}
