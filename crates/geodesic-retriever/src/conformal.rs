//! Split conformal calibration of the gate.

use serde::{Deserialize, Serialize};

use crate::{Bands, Calibration, CalibrationMethod, Error, Fingerprint};

/// What a calibration is made from: the best querySim of each question, against one corpus.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct CalibrationSample {
    /// Questions that the corpus answers.
    pub questions: Vec<f64>,
    /// Questions from elsewhere, which should be declined.
    pub probes: Vec<f64>,
}

impl Calibration {
    /// Chooses the gate's threshold by split conformal prediction (Vovk, Gammerman and Shafer
    /// 2005; Angelopoulos and Bates 2021): the ⌈(n + 1)(1 − α)⌉-th smallest of the n probes'
    /// scores. The gate answers strictly above it.
    ///
    /// The chance of answering an out-of-corpus question is then at most α. This holds
    /// marginally (over the draw of probes and question together, not for each corpus) and only
    /// if the probes are exchangeable with the out-of-corpus questions that are really asked.
    ///
    /// Bands come from quantiles of the questions (5 %, 25 %, 75 %), the floor from the probes'
    /// median, and neither is above the threshold's reach: the floor is at most the threshold.
    ///
    /// # Errors
    /// [`Error::TooFewProbes`] if α < 1/(n + 1), [`Error::InvalidSetting`] if α is not in (0, 1),
    /// a score is not in [0, 1] or there is no question.
    pub fn conformal(
        sample: &CalibrationSample,
        alpha: f64,
        fingerprint: Fingerprint,
        corpus_root: Option<String>,
        date: Option<String>,
    ) -> Result<Self, Error> {
        let (mut probes, mut questions) = (sample.probes.clone(), sample.questions.clone());
        let threshold = conformal_threshold(&mut probes, alpha)?;
        if questions.is_empty() {
            return Err(Error::setting("in-corpus questions", 0, "1 or more"));
        }
        if let Some(bad) = questions.iter().find(|s| !(0.0..=1.0).contains(*s)) {
            return Err(Error::setting("a question's score", bad, "0 to 1"));
        }
        questions.sort_by(f64::total_cmp);
        let bands = Bands {
            partial: quantile(&questions, 0.05),
            matching: quantile(&questions, 0.25),
            strong: quantile(&questions, 0.75),
        };
        let how = CalibrationMethod::Conformal {
            alpha,
            probes: probes.len(),
            questions: questions.len(),
        };
        let floor = quantile(&probes, 0.5).min(threshold);
        Ok(Self {
            floor,
            threshold,
            bands,
            how,
            fingerprint,
            corpus_root,
            date,
        })
    }
}

/// Sorts the scores and gives the conformal threshold.
pub(crate) fn conformal_threshold(probes: &mut [f64], alpha: f64) -> Result<f64, Error> {
    if !(alpha > 0.0 && alpha < 1.0) {
        return Err(Error::setting("alpha", alpha, "above 0 and below 1"));
    }
    if let Some(bad) = probes.iter().find(|s| !(0.0..=1.0).contains(*s)) {
        return Err(Error::setting("a probe's score", bad, "0 to 1"));
    }
    probes.sort_by(f64::total_cmp);
    // (n + 1)(1 − α) in floating point may land a hair above a whole number.
    let rank = ((probes.len() + 1) as f64 * (1.0 - alpha) - 1e-9).ceil() as usize;
    probes
        .get(rank.max(1) - 1)
        .copied()
        .ok_or_else(|| Error::TooFewProbes {
            probes: probes.len(),
            alpha,
            needed: (1.0 / alpha - 1.0 - 1e-9).ceil() as usize,
        })
}

/// The quantile of sorted values by the nearest rank; 0 for none.
pub(crate) fn quantile(sorted: &[f64], q: f64) -> f64 {
    let rank = (q * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.max(1) - 1).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(n: usize) -> Vec<f64> {
        (1..=n).map(|i| i as f64 / 100.0).collect()
    }

    #[test]
    fn the_threshold_is_the_right_order_statistic() {
        // n = 19, alpha = 0.1: rank ⌈20 · 0.9⌉ = 18.
        assert_eq!(conformal_threshold(&mut sample(19), 0.1).unwrap(), 0.18);
        assert_eq!(conformal_threshold(&mut sample(20), 0.1).unwrap(), 0.19);
        // The least alpha that n probes support is 1/(n + 1).
        assert_eq!(conformal_threshold(&mut sample(9), 0.1).unwrap(), 0.09);
        let e = conformal_threshold(&mut sample(8), 0.1).unwrap_err();
        assert_eq!(
            e,
            Error::TooFewProbes {
                probes: 8,
                alpha: 0.1,
                needed: 9
            }
        );
        for alpha in [0.0, 1.0, -0.1, f64::NAN] {
            assert!(conformal_threshold(&mut sample(9), alpha).is_err());
        }
    }
}
