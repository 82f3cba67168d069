//! The calibrations that ship, and the one that is made for an index where none does.

use rayon::prelude::*;

use crate::conformal::{conformal_threshold, quantile};
use crate::{
    Bands, Calibration, CalibrationMethod, Embedder, Error, Filter, Fingerprint, LexicalEmbedder,
    VectorIndex,
};

/// What ships with a model: numbers that `tests/measured.rs` makes again by
/// [`Calibration::conformal`] from the shipped probes.
struct BuiltIn {
    model_id: &'static str,
    /// BLAKE3 digest of the weights; a folder's name says nothing about a model.
    weights: Option<&'static str>,
    floor: f64,
    threshold: f64,
    bands: Bands,
}

const MEASURED_ON: &str = "the fixture corpus and SciFact at alpha 0.1: the greater threshold with its bands, the lesser floor";

const BUILT_IN: &[BuiltIn] = &[
    BuiltIn {
        model_id: LexicalEmbedder::MODEL_ID,
        weights: None,
        floor: 0.517,
        threshold: 0.5607,
        bands: Bands {
            partial: 0.5408,
            matching: 0.5792,
            strong: 0.6358,
        },
    },
    BuiltIn {
        model_id: "all-MiniLM-L6-v2",
        weights: Some("8087e9bf97c265f8435ed268733ecf3791825ad24850fd5d84d89e32ee3a589a"),
        floor: 0.5695,
        threshold: 0.6316,
        bands: Bands {
            partial: 0.612,
            matching: 0.6602,
            strong: 0.7164,
        },
    },
];

/// Questions from everyday fields that a collection about something else must decline: every
/// second one of `fixtures/probes`, the others being kept for judging the outcome.
pub fn shipped_probes() -> impl Iterator<Item = &'static str> {
    include_str!("probes.txt").lines()
}

/// The level of the shipped calibrations.
pub const SHIPPED_ALPHA: f64 = 0.1;

impl Calibration {
    /// The calibration that ships with an embedder: `lexical-v1` by its name, pretrained models
    /// by the digest of their weights. `None` for any other.
    #[must_use]
    pub fn built_in(fingerprint: &Fingerprint) -> Option<Self> {
        let weights = fingerprint.settings.get("weights").map(String::as_str);
        let found = BUILT_IN.iter().find(|b| match b.weights {
            Some(_) => b.weights == weights,
            None => b.model_id == fingerprint.model_id,
        })?;
        Some(Self {
            floor: found.floor,
            threshold: found.threshold,
            bands: found.bands,
            how: CalibrationMethod::BuiltIn {
                measured_on: MEASURED_ON.to_owned(),
            },
            fingerprint: fingerprint.clone(),
            corpus_root: None,
            date: None,
        })
    }

    /// What a new index starts with: the calibration that ships with its embedder, else one made
    /// from the [`shipped_probes`] on the index itself, else (no entry in it) a closed gate.
    ///
    /// # Errors
    /// The embedder's or the index's failure.
    pub fn for_index(
        embedder: &dyn Embedder,
        index: &dyn VectorIndex,
        corpus_root: Option<String>,
    ) -> Result<Self, Error> {
        if let Some(ships) = Self::built_in(embedder.fingerprint()) {
            return Ok(ships);
        }
        if index.is_empty()? {
            return Ok(Self::closed(embedder.fingerprint()));
        }
        let probes: Vec<&str> = shipped_probes().collect();
        Self::from_probes(embedder, index, &probes, SHIPPED_ALPHA, corpus_root)
    }

    /// A calibration from out-of-corpus probes alone, for an index without judged questions.
    ///
    /// The threshold is that of [`conformal`](Self::conformal), raised to the next thousandth, so
    /// that the last bits of an embedding decide nothing. The floor is the probes' median (lowered
    /// to a thousandth); bands have no questions to come from and are set off from these two:
    /// partial from the floor on, match from the threshold, strong as far above the threshold as
    /// the floor is below. A corpus that does answer some of the probes gets too strict a gate;
    /// calibrate it on questions of its own.
    ///
    /// # Errors
    /// As [`conformal`](Self::conformal), and the embedder's or the index's failure.
    pub fn from_probes(
        embedder: &dyn Embedder,
        index: &dyn VectorIndex,
        probes: &[&str],
        alpha: f64,
        corpus_root: Option<String>,
    ) -> Result<Self, Error> {
        let mut scores = probes
            .par_iter()
            .map(|probe| best_query_sim(embedder, index, probe))
            .collect::<Result<Vec<f64>, Error>>()?;
        let threshold = conformal_threshold(&mut scores, alpha)?;
        let threshold = ((threshold * 1000.0 - 1e-6).ceil() / 1000.0).min(1.0);
        let floor = (quantile(&scores, 0.5) * 1000.0).floor() / 1000.0;
        let floor = floor.min(threshold);
        Ok(Self {
            floor,
            threshold,
            bands: Bands {
                partial: floor,
                matching: threshold,
                strong: (2.0 * threshold - floor).min(1.0),
            },
            how: CalibrationMethod::Probes {
                alpha,
                probes: probes.len(),
            },
            fingerprint: embedder.fingerprint().clone(),
            corpus_root,
            date: None,
        })
    }
}

/// The querySim of the entry nearest to a question; 0 for a question without content.
fn best_query_sim(
    embedder: &dyn Embedder,
    index: &dyn VectorIndex,
    question: &str,
) -> Result<f64, Error> {
    let query = match embedder.embed_query(question) {
        Ok(query) => query,
        Err(Error::NothingToEmbed { .. }) => return Ok(0.0),
        Err(e) => return Err(e),
    };
    let hits = index.search(&query, 1, &Filter::default())?;
    Ok(hits.first().map_or(0.0, |h| h.similarity.query_sim()))
}
