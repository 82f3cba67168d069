//! What happens, as values: for logs, dashboards, tests.

use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use crate::{AuditReport, EntryKind, Fate, SupervisorState};

/// Something that happened (seed 003, "Reporting System"). No event changes anything.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "event")]
#[non_exhaustive]
pub enum Event {
    /// How retrieval goes: every tenth pass, every pass during an anomaly.
    MetricSnapshot {
        /// The figures.
        metrics: MetricSnapshot,
    },
    /// Something is off.
    AnomalyEvent {
        /// What.
        anomaly: Anomaly,
    },
    /// An audit was made.
    RetrievalAudit {
        /// What it found.
        report: AuditReport,
    },
    /// The dictionary changed.
    DictionaryEvent {
        /// How.
        change: DictionaryChange,
    },
    /// The supervisor looked.
    SupervisorTick {
        /// What it saw.
        state: SupervisorState,
        /// Looks so far.
        tick: u64,
    },
}

/// Figures of the last passes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MetricSnapshot {
    /// Passes so far.
    pub passes: u64,
    /// Passes in the window.
    pub window: usize,
    /// Mean of the best querySims in the window; none without one.
    pub mean_best: Option<f64>,
    /// Their variance.
    pub variance_best: Option<f64>,
    /// The share of grounded passes in the window.
    pub grounded: f64,
    /// Entries in the dictionary.
    pub entries: usize,
    /// The label that won last.
    pub winner: Option<String>,
}

/// What can be off.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
#[non_exhaustive]
pub enum Anomaly {
    /// All questions are about equally near to the dictionary: the embedder may have collapsed.
    ResonanceVarianceCollapse {
        /// The variance of the best querySims.
        variance: f64,
        /// What it fell below.
        below: f64,
    },
    /// The dictionary is nearly full.
    DictionaryThreshold {
        /// Entries held.
        entries: usize,
        /// Entries that it may hold.
        capacity: usize,
    },
    /// One label wins all the time.
    WinnerStagnation {
        /// The label.
        label: String,
        /// How often in a row.
        passes: usize,
    },
}

/// A change of the dictionary.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "change")]
#[non_exhaustive]
pub enum DictionaryChange {
    /// What became of a chunk: added (`held`), refused, pruned, purged.
    Chunk {
        /// Its id.
        id: String,
        /// Its source.
        source: String,
        /// What it is.
        kind: EntryKind,
        /// Its fate.
        fate: Fate,
    },
    /// An entry left a cube.
    Removed {
        /// The cube.
        cube: String,
        /// The entry.
        id: String,
    },
    /// A specialist was spawned.
    Spawned {
        /// Its cube.
        cube: String,
        /// Entries copied to it.
        entries: usize,
    },
    /// A cube was cleared.
    Cleared {
        /// The cube.
        cube: String,
    },
    /// A source was ingested.
    Source {
        /// The source.
        source: String,
        /// Entries that it gives.
        entries: usize,
    },
}

/// Someone who is told, on the thread where it happens.
pub type EventSink = Arc<dyn Fn(&Event) + Send + Sync>;

/// Tells `tracing` (at level debug, as JSON) and whoever subscribed. Cheap to clone.
#[derive(Clone, Default)]
pub struct Events {
    sinks: Arc<Mutex<Vec<EventSink>>>,
}

impl std::fmt::Debug for Events {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Events")
    }
}

impl Events {
    /// Without subscribers.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a subscriber.
    pub fn subscribe(&self, sink: EventSink) {
        let mut sinks = self.sinks.lock().unwrap_or_else(PoisonError::into_inner);
        sinks.push(sink);
    }

    /// A stream of everything from now on. It is not bounded: read it, or drop it, after which
    /// nothing is kept for it.
    #[must_use]
    pub fn stream(&self) -> Receiver<Event> {
        let (sender, receiver) = channel();
        self.subscribe(Arc::new(move |event| {
            // A reader that has gone away is no fault.
            let _ = sender.send(event.clone());
        }));
        receiver
    }

    /// Tells everyone, in the order of subscription.
    pub fn emit(&self, event: &Event) {
        if tracing::enabled!(tracing::Level::DEBUG) {
            let json = serde_json::to_string(event).unwrap_or_default();
            tracing::debug!(target: "geodesic_retriever::events", "{json}");
        }
        let sinks = self
            .sinks
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        for sink in sinks {
            sink(event);
        }
    }
}
