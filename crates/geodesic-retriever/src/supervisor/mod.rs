//! The supervisor: it looks and tells, and writes nothing.

mod monitor;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

pub use monitor::{Monitor, MonitorOptions};

use crate::events::{Event, Events};
use crate::{AuditReport, Error, IngestLog};

/// Milliseconds since some fixed moment, never falling.
pub type Clock = Arc<dyn Fn() -> u64 + Send + Sync>;

/// What there is to do (seed 003, "the supervisor").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SupervisorState {
    /// The log holds sources that are not done: stay out of the executor's way.
    ExecutorHasWork,
    /// An audit is due.
    AuditDue,
    /// Nothing: maintenance may have the machine.
    Quiescent,
}

/// How the supervisor works.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SupervisorOptions {
    /// Milliseconds between two audits; default 6 hours.
    pub audit_every: u64,
    /// When the last audit was made, by the clock; none makes one due at once.
    pub last_audit: Option<u64>,
}

impl Default for SupervisorOptions {
    fn default() -> Self {
        Self {
            audit_every: 6 * 60 * 60 * 1_000,
            last_audit: None,
        }
    }
}

/// What came of a look.
#[derive(Debug, Clone, PartialEq)]
pub struct Tick {
    /// What there was to do.
    pub state: SupervisorState,
    /// The audit, if one was made.
    pub audit: Option<AuditReport>,
}

/// Decides between three states by an injected clock. It holds a log to read and no dictionary: a
/// write is beyond it in any state.
pub struct Supervisor {
    clock: Clock,
    options: SupervisorOptions,
    events: Events,
    ticks: u64,
}

impl std::fmt::Debug for Supervisor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Supervisor")
            .field("options", &self.options)
            .field("ticks", &self.ticks)
            .finish_non_exhaustive()
    }
}

impl Supervisor {
    /// With a clock and somewhere to tell.
    #[must_use]
    pub fn new(clock: Clock, options: SupervisorOptions, events: Events) -> Self {
        Self {
            clock,
            options,
            events,
            ticks: 0,
        }
    }

    /// When the last audit was made, by the clock.
    #[must_use]
    pub fn last_audit(&self) -> Option<u64> {
        self.options.last_audit
    }

    /// What there is to do now. Sources that failed do not count as work: they are tried again
    /// when the executor runs anyhow, and must not keep audits off forever.
    ///
    /// # Errors
    /// The log's failure.
    pub fn state(&self, log: &dyn IngestLog) -> Result<SupervisorState, Error> {
        if has_work(log)? {
            return Ok(SupervisorState::ExecutorHasWork);
        }
        let now = (self.clock)();
        let due = self
            .options
            .last_audit
            .is_none_or(|last| now.saturating_sub(last) >= self.options.audit_every);
        Ok(if due {
            SupervisorState::AuditDue
        } else {
            SupervisorState::Quiescent
        })
    }

    /// Looks once; makes an audit by `audit` if one is due. An audit that fails stays due.
    ///
    /// # Errors
    /// The log's failure or the audit's.
    pub fn tick(
        &mut self,
        log: &dyn IngestLog,
        audit: &mut dyn FnMut() -> Result<AuditReport, Error>,
    ) -> Result<Tick, Error> {
        let state = self.state(log)?;
        self.ticks += 1;
        self.events.emit(&Event::SupervisorTick {
            state,
            tick: self.ticks,
        });
        let mut report = None;
        if state == SupervisorState::AuditDue {
            let found = audit()?;
            self.options.last_audit = Some((self.clock)());
            self.events.emit(&Event::RetrievalAudit {
                report: found.clone(),
            });
            report = Some(found);
        }
        Ok(Tick {
            state,
            audit: report,
        })
    }
}

/// Records looked at in one page.
const PAGE: usize = 256;

fn has_work(log: &dyn IngestLog) -> Result<bool, Error> {
    let mut after: Option<String> = None;
    loop {
        let page = log.page(true, after.as_deref(), PAGE)?;
        if page.iter().any(|r| r.failure.is_none()) {
            return Ok(true);
        }
        let Some(last) = page.last() else {
            return Ok(false);
        };
        after = Some(last.source.clone());
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;
    use crate::{IngestStep, MemoryIngestLog};

    fn report() -> AuditReport {
        AuditReport {
            model_id: "m".into(),
            corpus_root: None,
            threshold: 0.5,
            k: 10,
            questions: 0,
            hits: 0,
            hit_rate: None,
            grounded: 0,
            grounded_rate: None,
            probes: 0,
            declined: 0,
            decline_rate: None,
            misses: Vec::new(),
        }
    }

    #[test]
    fn three_states_by_log_and_clock() {
        let now = Arc::new(AtomicU64::new(1_000));
        let clock = now.clone();
        let events = Events::new();
        let stream = events.stream();
        let mut supervisor = Supervisor::new(
            Arc::new(move || clock.load(Ordering::SeqCst)),
            SupervisorOptions::default(),
            events,
        );
        let log = MemoryIngestLog::new();
        let mut audits = 0;
        let mut look = |supervisor: &mut Supervisor| {
            let mut make = || {
                audits += 1;
                Ok(report())
            };
            supervisor.tick(&log, &mut make).unwrap().state
        };
        log.begin("a", "d").unwrap();
        assert_eq!(look(&mut supervisor), SupervisorState::ExecutorHasWork);
        log.advance("a", "d", IngestStep::Done, None).unwrap();
        assert_eq!(look(&mut supervisor), SupervisorState::AuditDue);
        assert_eq!(look(&mut supervisor), SupervisorState::Quiescent);
        let six_hours = 6 * 3_600_000;
        now.store(1_000 + six_hours - 1, Ordering::SeqCst);
        assert_eq!(look(&mut supervisor), SupervisorState::Quiescent);
        now.store(1_000 + six_hours, Ordering::SeqCst);
        // Work comes before the audit; a failed source is no work.
        log.begin("b", "d").unwrap();
        assert_eq!(look(&mut supervisor), SupervisorState::ExecutorHasWork);
        log.fail("b", "d", "no").unwrap();
        assert_eq!(look(&mut supervisor), SupervisorState::AuditDue);
        assert_eq!(audits, 2);
        let told: Vec<Event> = stream.try_iter().collect();
        let made = told
            .iter()
            .filter(|e| matches!(e, Event::RetrievalAudit { .. }));
        assert_eq!((made.count(), told.len()), (2, 8));
    }

    #[test]
    fn a_failed_audit_stays_due() {
        let clock: Clock = Arc::new(|| 5);
        let mut s = Supervisor::new(clock, SupervisorOptions::default(), Events::new());
        let log = MemoryIngestLog::new();
        assert!(s.tick(&log, &mut || Err(Error::EmptyQuestion)).is_err());
        assert_eq!(s.last_audit(), None);
        assert!(s.tick(&log, &mut || Ok(report())).unwrap().audit.is_some());
        assert_eq!(s.last_audit(), Some(5));
    }
}
