//! Events and the chain of their hashes.

use crate::error::{Error, Result};
use crate::hash::{self, EventHash};
use crate::json::{canonical, put_integer, put_object, put_text};
use crate::number::SafeInt;
use crate::payload::Clause;
use crate::value::Value;
use serde::{Deserialize, Serialize};

/// A moment, in milliseconds since 1970-01-01 00:00 UTC. This crate reads no clock: callers give it.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Timestamp(pub SafeInt);

impl Timestamp {
    /// The moment this many milliseconds after 1970-01-01 00:00 UTC.
    ///
    /// # Errors
    /// [`Error::IntegerOutOfRange`] beyond 2^53 − 1.
    pub fn from_millis(millis: i64) -> Result<Self> {
        SafeInt::try_from(millis).map(Self)
    }
}

/// What is to be logged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewEvent {
    /// When it happened.
    pub at: Timestamp,
    /// What happened: `run_sealed`, `falsified`, `burned`, …. Free text; the caller's names.
    pub kind: String,
    /// All else.
    pub detail: Clause,
}

impl NewEvent {
    /// Refuses what no store accepts.
    ///
    /// # Errors
    /// [`Error::NulInText`] when a text holds U+0000.
    pub fn validate(&self) -> Result<()> {
        let nul = self.kind.contains('\0') || self.detail.iter().any(|(k, v)| has_nul(k, v));
        if nul {
            Err(Error::NulInText { path: "event" })
        } else {
            Ok(())
        }
    }
}

fn has_nul(key: &str, value: &Value) -> bool {
    key.contains('\0')
        || match value {
            Value::Text(text) => text.contains('\0'),
            Value::List(items) => items.iter().any(|v| has_nul("", v)),
            Value::Object(fields) => fields.iter().any(|(k, v)| has_nul(k, v)),
            _ => false,
        }
}

/// An event in its place in the chain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoggedEvent {
    /// Its number, from 0.
    pub sequence: SafeInt,
    /// When it happened.
    pub at: Timestamp,
    /// What happened.
    pub kind: String,
    /// All else.
    pub detail: Clause,
    /// The hash before it: the previous event's, or [`origin_hash`] for the first.
    pub previous_hash: EventHash,
    /// Its own hash.
    pub event_hash: EventHash,
}

impl LoggedEvent {
    /// The event that follows number `sequence` − 1 with hash `previous`; for implementers of
    /// [`AuditLog`](super::AuditLog).
    ///
    /// # Errors
    /// As [`NewEvent::validate`]; [`Error::IntegerOutOfRange`] beyond 2^53 − 1 events.
    pub fn following(previous: EventHash, sequence: u64, event: NewEvent) -> Result<Self> {
        event.validate()?;
        let mut logged = Self {
            sequence: SafeInt::try_from(sequence)?,
            at: event.at,
            kind: event.kind,
            detail: event.detail,
            previous_hash: previous,
            event_hash: previous,
        };
        logged.event_hash = logged.recomputed()?;
        Ok(logged)
    }

    /// The hash that the event's contents give: over the previous hash and the canonical body.
    ///
    /// # Errors
    /// Only if canonical JSON cannot be written, which no event gives cause for.
    pub fn recomputed(&self) -> Result<EventHash> {
        let mut hasher = hash::EVENT.hasher();
        hasher.update(self.previous_hash.as_bytes());
        hasher.update(&self.body());
        Ok(EventHash::from_bytes(*hasher.finalize().as_bytes()))
    }

    /// The canonical JSON of what the hash covers: `at`, `detail`, `kind`, `sequence`.
    fn body(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(128);
        out.extend_from_slice(b"{\"at\":");
        put_integer(self.at.0.get(), &mut out);
        out.extend_from_slice(b",\"detail\":");
        put_object(&self.detail, &mut out);
        out.extend_from_slice(b",\"kind\":");
        put_text(&self.kind, &mut out);
        out.extend_from_slice(b",\"sequence\":");
        put_integer(self.sequence.get(), &mut out);
        out.push(b'}');
        out
    }

    /// The event's canonical JSON: one line of a log file.
    ///
    /// # Errors
    /// As [`LoggedEvent::recomputed`].
    pub fn to_canonical_json(&self) -> Result<Vec<u8>> {
        canonical(self)
    }

    /// Reads an event from its canonical JSON.
    ///
    /// # Errors
    /// Syntax, types, or any spelling but the canonical one.
    pub fn from_canonical_json(text: &[u8]) -> Result<Self> {
        let event: Self = crate::json::typed(&Value::from_json(text)?, "$")?;
        crate::json::demand_canonical(text, &event)?;
        Ok(event)
    }
}

/// The hash that the first event of a log of this origin follows.
#[must_use]
pub fn origin_hash(origin: &str) -> EventHash {
    EventHash::from_bytes(hash::LOG_ORIGIN.digest(origin.as_bytes()))
}

/// How a log breaks, at which event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[serde(rename_all = "snake_case", tag = "break")]
#[non_exhaustive]
pub enum LogBreak {
    /// The event's hash is not that of its contents: it was edited.
    #[error("event {sequence} was altered: its contents give another hash")]
    Altered {
        /// The event's place.
        sequence: u64,
    },
    /// The event follows one that another event follows too: two writers wrote at once.
    #[error("the log forks at event {sequence}: it and event {sibling} follow the same event")]
    Forked {
        /// The event's place.
        sequence: u64,
        /// The place of the other.
        sibling: u64,
    },
    /// The event does not follow the one before it: something between was removed or reordered.
    #[error(
        "event {sequence} does not follow the one before it: events are missing or out of order"
    )]
    Unlinked {
        /// The event's place.
        sequence: u64,
    },
    /// The log ends before its stated length.
    #[error("event {sequence} is missing: the log ends before its stated length")]
    Missing {
        /// The first event that is missing.
        sequence: u64,
    },
    /// The log's last line is incomplete: a write was cut off.
    #[error("event {sequence} is torn: its line is incomplete")]
    Torn {
        /// The event's place.
        sequence: u64,
    },
}

/// Walks a chain.
pub(crate) struct Verifier {
    heads: Vec<EventHash>,
}

impl Verifier {
    pub(crate) fn new(origin: &str) -> Self {
        Self {
            heads: vec![origin_hash(origin)],
        }
    }

    pub(crate) fn count(&self) -> u64 {
        self.heads.len() as u64 - 1
    }

    /// Checks the next event of the log against what came before.
    pub(crate) fn next(&mut self, event: &LoggedEvent) -> Result<()> {
        let place = self.count();
        if event.recomputed()? != event.event_hash {
            return Err(Error::LogBreak(LogBreak::Altered { sequence: place }));
        }
        if self.heads.last() != Some(&event.previous_hash) {
            return Err(Error::LogBreak(self.unlinked(place, event)));
        }
        if event.sequence != SafeInt::try_from(place)? {
            return Err(Error::LogBreak(LogBreak::Unlinked { sequence: place }));
        }
        self.heads.push(event.event_hash);
        Ok(())
    }

    fn unlinked(&self, place: u64, event: &LoggedEvent) -> LogBreak {
        match self.heads.iter().position(|h| *h == event.previous_hash) {
            Some(sibling) => LogBreak::Forked {
                sequence: place,
                sibling: sibling as u64,
            },
            None => LogBreak::Unlinked { sequence: place },
        }
    }
}

/// Recomputes a chain of events from its origin and names the first break. Linear in the log.
///
/// # Errors
/// [`Error::LogBreak`].
pub fn verify_events<'a>(
    origin: &str,
    events: impl IntoIterator<Item = &'a LoggedEvent>,
) -> Result<()> {
    let mut verifier = Verifier::new(origin);
    events
        .into_iter()
        .try_for_each(|event| verifier.next(event))
}
