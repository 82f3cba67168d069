//! How raters agree with each other.

use serde::{Deserialize, Serialize};

use super::RatedText;
use super::correlation::spearman;

/// Agreement among raters.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Agreement {
    /// Raters.
    pub raters: usize,
    /// Krippendorff's α for interval data (Krippendorff 2011), missing ratings allowed: 1 is
    /// perfect, 0 is chance. `None` if no text has two ratings or all ratings are equal.
    pub krippendorff_alpha: Option<f64>,
    /// Mean Spearman correlation over the pairs of raters for whom it is defined.
    pub mean_pairwise_spearman: Option<f64>,
}

impl Agreement {
    pub(super) fn of(texts: &[RatedText]) -> Self {
        let raters = texts.first().map_or(0, |text| text.ratings.len());
        Self {
            raters,
            krippendorff_alpha: alpha(texts),
            mean_pairwise_spearman: pairwise(texts, raters),
        }
    }
}

/// α = 1 - observed / expected disagreement, squared differences over pairable values. Sums of
/// squared differences come from sums and sums of squares, so that it is linear.
fn alpha(texts: &[RatedText]) -> Option<f64> {
    let (mut observed, mut count) = (0.0, 0.0);
    let mut all: Vec<f64> = Vec::new();
    for text in texts {
        let given: Vec<f64> = text.ratings.iter().flatten().copied().collect();
        if given.len() > 1 {
            observed += squared_differences(&given) / (given.len() as f64 - 1.0);
            count += given.len() as f64;
            all.extend(given);
        }
    }
    let expected = squared_differences(&all) / (count - 1.0);
    (count > 1.0 && expected > 0.0).then(|| 1.0 - observed / expected)
}

/// The squared differences of all ordered pairs, summed: twice the count times the squared
/// deviations from the mean.
fn squared_differences(values: &[f64]) -> f64 {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count.max(1.0);
    2.0 * count * values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>()
}

fn pairwise(texts: &[RatedText], raters: usize) -> Option<f64> {
    let mut found: Vec<f64> = Vec::new();
    for one in 0..raters {
        for other in one + 1..raters {
            let both = texts.iter().filter_map(|text| {
                let rating = |rater: usize| text.ratings.get(rater).copied().flatten();
                Some((rating(one)?, rating(other)?))
            });
            let (xs, ys): (Vec<f64>, Vec<f64>) = both.unzip();
            found.extend(spearman(&xs, &ys));
        }
    }
    (!found.is_empty()).then(|| found.iter().sum::<f64>() / found.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Components;

    fn rated(ratings: &[Option<f64>]) -> RatedText {
        RatedText {
            wisdom_score: 0.0,
            components: Components::default(),
            ratings: ratings.to_vec(),
        }
    }

    /// The worked example of Krippendorff (2011), "Computing Krippendorff's Alpha-Reliability",
    /// part C with four observers and missing values: interval α = 0.849.
    #[test]
    fn alpha_of_the_published_example() {
        let observers = [
            "1 2 3 3 2 1 4 1 2 . . .",
            "1 2 3 3 2 2 4 1 2 5 . 3",
            ". 3 3 3 2 3 4 2 2 5 1 .",
            "1 2 3 3 2 4 4 1 2 5 1 .",
        ];
        let rows: Vec<Vec<Option<f64>>> = observers
            .iter()
            .map(|row| row.split(' ').map(|r| r.parse().ok()).collect())
            .collect();
        let texts: Vec<RatedText> = (0..12)
            .map(|unit| rated(&rows.iter().map(|row| row[unit]).collect::<Vec<_>>()))
            .collect();
        let alpha = alpha(&texts).unwrap();
        assert!((alpha - 0.849).abs() < 0.0005, "{alpha}");
    }

    #[test]
    fn perfect_agreement_is_one_and_one_rater_has_none() {
        let twice = [
            rated(&[Some(1.0), Some(1.0)]),
            rated(&[Some(3.0), Some(3.0)]),
        ];
        assert_eq!(alpha(&twice), Some(1.0));
        assert_eq!(alpha(&[rated(&[Some(1.0)]), rated(&[Some(2.0)])]), None);
    }
}
