//! Floor, gate and bands: the numbers of an embedder, not of the code.

use serde::{Deserialize, Serialize};

use crate::{Error, Fingerprint};

/// How well the best match of a question fits (seed 003, "Calibrated Match Quality Bands").
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MatchBand {
    /// There is no entry.
    Empty,
    /// Nothing related.
    Unknown,
    /// Vaguely related.
    Partial,
    /// Related.
    Match,
    /// Well covered.
    Strong,
}

impl MatchBand {
    /// The seed's suggestion for this band. Advice to the caller; nothing here acts on it.
    #[must_use]
    pub fn suggested_action(self) -> &'static str {
        match self {
            Self::Empty | Self::Unknown => "discover",
            Self::Partial => "synthesize with context",
            Self::Match => "answer from the dictionary",
            Self::Strong => "answer and reinforce",
        }
    }
}

/// Where the bands begin, in querySim. Rising.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Bands {
    /// Partial from here on; below is unknown.
    pub partial: f64,
    /// Match from here on.
    #[serde(rename = "match")]
    pub matching: f64,
    /// Strong from here on.
    pub strong: f64,
}

/// How a calibration's numbers were found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "method")]
#[non_exhaustive]
pub enum CalibrationMethod {
    /// Measured once for this embedder and shipped with it.
    BuiltIn {
        /// On what.
        measured_on: String,
    },
    /// Split conformal prediction over out-of-corpus probes.
    Conformal {
        /// The bound: the chance of answering an out-of-corpus question is at most this,
        /// marginally and if probes and real questions are exchangeable.
        alpha: f64,
        /// Out-of-corpus probes.
        probes: usize,
        /// In-corpus questions, which the bands come from.
        questions: usize,
    },
    /// The shipped probes against one index, where nothing ships with the model
    /// ([`Calibration::from_probes`]).
    Probes {
        /// The share of the probes that may pass, as in `conformal`.
        alpha: f64,
        /// Probes.
        probes: usize,
    },
    /// Set by the caller.
    Manual,
}

/// Floor, gate and bands of an embedder, and what they belong to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Calibration {
    /// Entries below this querySim are not handed on.
    pub floor: f64,
    /// The gate answers if the best querySim is strictly greater than this.
    pub threshold: f64,
    /// Where the match bands begin.
    pub bands: Bands,
    /// How the numbers were found.
    pub how: CalibrationMethod,
    /// The embedder that they belong to.
    pub fingerprint: Fingerprint,
    /// The root of the corpus that they were measured on, if on one.
    pub corpus_root: Option<String>,
    /// The date, as the caller wrote it.
    pub date: Option<String>,
}

impl Calibration {
    /// A gate that answers nothing, for an embedder that has not been calibrated yet: declining
    /// is the error that does no harm.
    #[must_use]
    pub fn closed(fingerprint: &Fingerprint) -> Self {
        Self {
            floor: 0.0,
            threshold: 1.0,
            bands: Bands {
                partial: 1.0,
                matching: 1.0,
                strong: 1.0,
            },
            how: CalibrationMethod::Manual,
            fingerprint: fingerprint.clone(),
            corpus_root: None,
            date: None,
        }
    }

    /// Checks the numbers: all in [0, 1], bands rising, floor not above the gate.
    ///
    /// # Errors
    /// [`Error::InvalidSetting`] naming the number.
    pub fn check(&self) -> Result<(), Error> {
        let b = self.bands;
        for (what, x) in [
            ("floor", self.floor),
            ("threshold", self.threshold),
            ("bands.partial", b.partial),
            ("bands.match", b.matching),
            ("bands.strong", b.strong),
        ] {
            if !(0.0..=1.0).contains(&x) {
                return Err(Error::setting(format!("calibration: {what}"), x, "0 to 1"));
            }
        }
        if !(b.partial <= b.matching && b.matching <= b.strong) {
            return Err(Error::setting(
                "calibration: bands",
                "falling",
                "partial ≤ match ≤ strong",
            ));
        }
        if self.floor > self.threshold {
            return Err(Error::setting(
                "calibration: floor",
                self.floor,
                "at most the threshold",
            ));
        }
        Ok(())
    }

    /// Whether the gate answers at this querySim: strictly above the threshold.
    #[must_use]
    pub fn passes(&self, query_sim: f64) -> bool {
        query_sim > self.threshold
    }

    /// The band of the best match, `None` meaning that there was no entry at all.
    #[must_use]
    pub fn band(&self, best: Option<f64>) -> MatchBand {
        match best {
            None => MatchBand::Empty,
            Some(s) if s >= self.bands.strong => MatchBand::Strong,
            Some(s) if s >= self.bands.matching => MatchBand::Match,
            Some(s) if s >= self.bands.partial => MatchBand::Partial,
            Some(_) => MatchBand::Unknown,
        }
    }

    /// Checks that it belongs to an embedder, and says in words if the corpus has drifted since.
    ///
    /// # Errors
    /// [`Error::ModelMismatch`] for another model or other settings.
    pub fn fits(&self, in_use: &Fingerprint, root: Option<&str>) -> Result<Option<String>, Error> {
        self.fingerprint.check_model("the calibration", in_use)?;
        Ok(match (self.corpus_root.as_deref(), root) {
            (Some(then), Some(now)) if then != now => Some(format!(
                "the calibration was made on corpus {then}, the corpus is now {now}; calibrate anew"
            )),
            _ => None,
        })
    }
}
