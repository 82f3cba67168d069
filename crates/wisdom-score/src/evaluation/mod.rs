//! Does 𝓦 agree with people? The seed's phase 5, ready for whoever has the ratings.
//!
//! Given texts with their components and the ratings of several people: the correlation of 𝓦 and
//! of each component with the mean rating, with bootstrap intervals; the raters' agreement with
//! each other, which bounds what any score can reach; and, where 𝓦 falls short, weights refitted
//! to the ratings (non-negative, summing to 1) with their cross-validated correlation.
//!
//! Everything is deterministic: resampling draws from a generator of this crate by a seed.
//!
//! ```
//! use wisdom_score::evaluation::{EvaluationOptions, RatedText, evaluate};
//! use wisdom_score::{Options, Scorer};
//!
//! let scorer = Scorer::new(Options::default())?;
//! let rated: Vec<RatedText> = [
//!     ("OBJ and SUB.", 2.0),
//!     ("OBJ measures, yet SUB feels; SIN stays a word.", 3.0),
//!     ("On the OBJ–SUB axis, OBJ measures, yet SUB reframes it, but TEO stands against PRA.", 5.0),
//!     ("A text without codes.", 1.0),
//! ]
//! .into_iter()
//! .map(|(text, rating)| Ok(RatedText::new(&scorer.score(text)?, vec![Some(rating), Some(rating - 0.5)])))
//! .collect::<Result<_, wisdom_score::Error>>()?;
//! let evaluation = evaluate(&rated, &EvaluationOptions::default())?;
//! assert!(evaluation.wisdom.pearson.is_some_and(|r| r > 0.8));
//! # Ok::<(), wisdom_score::Error>(())
//! ```

mod agreement;
mod correlation;
mod random;
mod weights;

use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::options::Weights;
use crate::report::{Component, Components, Report};
pub use agreement::Agreement;
use correlation::correlate;
pub use correlation::{Correlation, pearson, spearman};

/// A scored text and what people say of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RatedText {
    /// Its 𝓦 as deployed.
    pub wisdom_score: f64,
    /// Its components.
    pub components: Components,
    /// One rating a rater, in the same order for every text; `None` where one did not rate.
    pub ratings: Vec<Option<f64>>,
}

impl RatedText {
    /// A report with its ratings.
    #[must_use]
    pub fn new(report: &Report, ratings: Vec<Option<f64>>) -> Self {
        Self {
            wisdom_score: report.wisdom_score,
            components: report.components,
            ratings,
        }
    }

    /// The mean of the ratings that were given.
    fn mean_rating(&self) -> Option<f64> {
        let given: Vec<f64> = self.ratings.iter().flatten().copied().collect();
        (!given.is_empty()).then(|| given.iter().sum::<f64>() / given.len() as f64)
    }
}

/// How to evaluate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct EvaluationOptions {
    /// Bootstrap resamples (2,000).
    pub resamples: usize,
    /// Confidence of the intervals (0.95).
    pub confidence: f64,
    /// Folds of cross-validation (5; fewer if there are fewer texts).
    pub folds: usize,
    /// Weights are refitted if 𝓦's Pearson correlation is under this (0.6, seed 000 §6).
    pub refit_under: f64,
    /// Seed of the generator (0).
    pub seed: u64,
}

impl Default for EvaluationOptions {
    fn default() -> Self {
        Self {
            resamples: 2_000,
            confidence: 0.95,
            folds: 5,
            refit_under: 0.6,
            seed: 0,
        }
    }
}

/// What the ratings say of the score.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Evaluation {
    /// Texts with at least one rating.
    pub texts: usize,
    /// How the raters agree with each other.
    pub agreement: Agreement,
    /// 𝓦 against the mean rating.
    pub wisdom: Correlation,
    /// Each component against the mean rating, in the order of [`Component::ALL`].
    pub components: Vec<ComponentCorrelation>,
    /// Refitted weights, where 𝓦 falls short and any component helps.
    pub refit: Option<Refit>,
}

/// A component against the mean rating.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ComponentCorrelation {
    /// The component.
    pub component: Component,
    /// Its correlation.
    #[serde(flatten)]
    pub correlation: Correlation,
}

/// Weights fitted to ratings.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Refit {
    /// The weights, for [`crate::Composite::Custom`].
    pub weights: Weights,
    /// Pearson correlation on the texts they were fitted to: too good.
    pub fitted_pearson: f64,
    /// Pearson correlation of predictions on texts left out of the fit: the honest figure.
    pub cross_validated_pearson: Option<f64>,
    /// Folds used.
    pub folds: usize,
}

/// Evaluates 𝓦 against ratings. Linear in texts times resamples.
///
/// # Errors
/// [`Error::Evaluation`] for fewer than three texts with a rating, texts with different numbers
/// of raters, numbers that are not finite, a confidence outside (0, 1), or fewer than two folds.
pub fn evaluate(texts: &[RatedText], options: &EvaluationOptions) -> Result<Evaluation, Error> {
    check(texts, options)?;
    let rated: Vec<(&RatedText, f64)> = texts
        .iter()
        .filter_map(|text| Some((text, text.mean_rating()?)))
        .collect();
    if rated.len() < 3 {
        return Err(wrong(
            format!("{} texts have a rating", rated.len()),
            "three texts or more with a rating",
        ));
    }
    let ratings: Vec<f64> = rated.iter().map(|(_, rating)| *rating).collect();
    let against = |value: &dyn Fn(&RatedText) -> f64| {
        let values: Vec<f64> = rated.iter().map(|(text, _)| value(text)).collect();
        correlate(&values, &ratings, options)
    };
    let wisdom = against(&|text| text.wisdom_score);
    let components = Component::ALL.map(|component| ComponentCorrelation {
        component,
        correlation: against(&|text| text.components.get(component)),
    });
    let short = wisdom.pearson.is_none_or(|r| r < options.refit_under);
    let values: Vec<[f64; 8]> = rated
        .iter()
        .map(|(text, _)| text.components.values())
        .collect();
    Ok(Evaluation {
        texts: rated.len(),
        agreement: Agreement::of(texts),
        wisdom,
        components: components.to_vec(),
        refit: short
            .then(|| weights::refit(&values, &ratings, options))
            .flatten(),
    })
}

fn wrong(what: String, expected: &'static str) -> Error {
    Error::Evaluation { what, expected }
}

fn check(texts: &[RatedText], options: &EvaluationOptions) -> Result<(), Error> {
    let raters = texts.first().map_or(0, |text| text.ratings.len());
    for (index, text) in texts.iter().enumerate() {
        if text.ratings.len() != raters {
            return Err(wrong(
                format!(
                    "text {index} has {} ratings and text 0 has {raters}",
                    text.ratings.len()
                ),
                "as many ratings for every text, None where a rater gave none",
            ));
        }
        let numbers = text.ratings.iter().flatten().copied();
        let mut numbers = numbers
            .chain(text.components.values())
            .chain([text.wisdom_score]);
        if !numbers.all(f64::is_finite) {
            return Err(wrong(
                format!("text {index} has a number that is not finite"),
                "finite numbers",
            ));
        }
    }
    if !(options.confidence > 0.0 && options.confidence < 1.0) {
        return Err(wrong(
            format!("confidence is {}", options.confidence),
            "a confidence between 0 and 1",
        ));
    }
    if options.folds < 2 {
        return Err(wrong(
            format!("{} folds", options.folds),
            "two folds or more",
        ));
    }
    Ok(())
}
