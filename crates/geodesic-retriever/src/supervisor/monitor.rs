//! Figures and anomalies of the passes so far.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::events::{Anomaly, Event, Events, MetricSnapshot};
use crate::{Capacity, RetrievalOutcome};

/// When something is off.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct MonitorOptions {
    /// Passes looked back at; default 20. Anomalies need as many.
    pub window: usize,
    /// A snapshot every so many passes; default 10.
    pub every: u64,
    /// A variance of the best querySims below this is a collapse; default 1e-6.
    pub min_variance: f64,
    /// From which share of its capacity on a dictionary is nearly full; default 0.9.
    pub full: f64,
    /// Passes in a row that one label may win before it stagnates; default 20.
    pub stagnation: usize,
}

impl Default for MonitorOptions {
    fn default() -> Self {
        Self {
            window: 20,
            every: 10,
            min_variance: 1e-6,
            full: 0.9,
            stagnation: 20,
        }
    }
}

/// Watches outcomes of passes and tells: a metric snapshot every tenth pass, every pass during an
/// anomaly; an anomaly when it begins. It changes nothing in what it watches.
#[derive(Debug)]
pub struct Monitor {
    options: MonitorOptions,
    capacity: Option<Capacity>,
    events: Events,
    passes: u64,
    last: VecDeque<(Option<f64>, bool)>,
    winner: Option<String>,
    in_a_row: usize,
    /// Anomalies that last: collapse, threshold, stagnation.
    lasting: [bool; 3],
}

impl Monitor {
    /// Has seen nothing. Without a capacity fullness is not watched.
    #[must_use]
    pub fn new(options: MonitorOptions, capacity: Option<Capacity>, events: Events) -> Self {
        Self {
            options,
            capacity,
            events,
            passes: 0,
            last: VecDeque::new(),
            winner: None,
            in_a_row: 0,
            lasting: [false; 3],
        }
    }

    /// Takes note of a pass, and gives the anomalies that it is under.
    pub fn observe(&mut self, outcome: &RetrievalOutcome) -> Vec<Anomaly> {
        let figures = outcome.figures();
        self.passes += 1;
        self.last
            .push_back((figures.best_query_sim, outcome.is_grounded()));
        while self.last.len() > self.options.window.max(1) {
            self.last.pop_front();
        }
        if figures.winner.is_some() && figures.winner == self.winner {
            self.in_a_row += 1;
        } else {
            self.in_a_row = usize::from(figures.winner.is_some());
        }
        self.winner.clone_from(&figures.winner);
        let (mean, variance) = self.spread();
        let found = [
            self.collapse(variance),
            self.fullness(figures.entries),
            self.stagnation(),
        ];
        let during = found.iter().any(Option::is_some);
        for (lasting, anomaly) in self.lasting.iter_mut().zip(&found) {
            if let (false, Some(anomaly)) = (*lasting, anomaly) {
                let anomaly = anomaly.clone();
                self.events.emit(&Event::AnomalyEvent { anomaly });
            }
            *lasting = anomaly.is_some();
        }
        if during || self.passes.is_multiple_of(self.options.every.max(1)) {
            let grounded = self.last.iter().filter(|l| l.1).count();
            let metrics = MetricSnapshot {
                passes: self.passes,
                window: self.last.len(),
                mean_best: mean,
                variance_best: variance,
                grounded: grounded as f64 / self.last.len().max(1) as f64,
                entries: figures.entries,
                winner: self.winner.clone(),
            };
            self.events.emit(&Event::MetricSnapshot { metrics });
        }
        found.into_iter().flatten().collect()
    }

    /// Mean and variance of the best querySims in the window.
    fn spread(&self) -> (Option<f64>, Option<f64>) {
        let sims: Vec<f64> = self.last.iter().filter_map(|l| l.0).collect();
        if sims.is_empty() {
            return (None, None);
        }
        let n = sims.len() as f64;
        let mean = sims.iter().sum::<f64>() / n;
        let squares = sims.iter().map(|s| (s - mean) * (s - mean));
        (Some(mean), Some(squares.sum::<f64>() / n))
    }

    fn collapse(&self, variance: Option<f64>) -> Option<Anomaly> {
        let sims = self.last.iter().filter(|l| l.0.is_some()).count();
        let below = self.options.min_variance;
        let variance = variance.filter(|&v| sims >= self.options.window.max(2) && v < below)?;
        Some(Anomaly::ResonanceVarianceCollapse { variance, below })
    }

    fn fullness(&self, entries: usize) -> Option<Anomaly> {
        let capacity = self.capacity?.entries();
        let full = entries as f64 >= self.options.full * capacity as f64;
        full.then_some(Anomaly::DictionaryThreshold { entries, capacity })
    }

    fn stagnation(&self) -> Option<Anomaly> {
        let label = self.winner.clone()?;
        let passes = self.in_a_row;
        (passes >= self.options.stagnation.max(2))
            .then_some(Anomaly::WinnerStagnation { label, passes })
    }
}
