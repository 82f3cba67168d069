//! Weights refitted to ratings: non-negative least squares, scaled to sum to 1.

use super::correlation::pearson;
use super::random::Random;
use super::{EvaluationOptions, Refit};
use crate::options::Weights;

/// Sweeps of coordinate descent; eight coordinates settle in far fewer.
const SWEEPS: usize = 10_000;

/// A fitted line: non-negative coefficients and an intercept.
struct Fit {
    coefficients: [f64; 8],
    intercept: f64,
}

impl Fit {
    fn predict(&self, components: &[f64; 8]) -> f64 {
        let terms = self.coefficients.iter().zip(components);
        terms.fold(self.intercept, |sum, (b, c)| sum + b * c)
    }

    /// The coefficients as weights; `None` if all are zero. A common factor changes no
    /// correlation.
    fn weights(&self) -> Option<Weights> {
        let sum: f64 = self.coefficients.iter().sum();
        if sum <= 0.0 {
            return None;
        }
        Weights::new(self.coefficients.map(|b| b / sum)).ok()
    }
}

/// Weights that fit the ratings best, with their cross-validated correlation.
pub(super) fn refit(
    components: &[[f64; 8]],
    ratings: &[f64],
    options: &EvaluationOptions,
) -> Option<Refit> {
    let all: Vec<usize> = (0..ratings.len()).collect();
    let fitted = fit(components, ratings, &all);
    let weights = fitted.weights()?;
    let predictions: Vec<f64> = components.iter().map(|c| fitted.predict(c)).collect();
    let folds = options.folds.min(ratings.len());
    Some(Refit {
        weights,
        fitted_pearson: pearson(&predictions, ratings)?,
        cross_validated_pearson: cross_validate(components, ratings, folds, options.seed),
        folds,
    })
}

/// Correlation of the ratings with predictions from fits that did not see them.
fn cross_validate(
    components: &[[f64; 8]],
    ratings: &[f64],
    folds: usize,
    seed: u64,
) -> Option<f64> {
    let order = Random::new(seed).order(ratings.len());
    let mut predictions = vec![0.0; ratings.len()];
    for fold in 0..folds {
        let held = |place: &usize| place % folds == fold;
        let pick = |out: bool| -> Vec<usize> {
            let places = order
                .iter()
                .enumerate()
                .filter(|(place, _)| held(place) == out);
            places.map(|(_, index)| *index).collect()
        };
        let fitted = fit(components, ratings, &pick(false));
        for index in pick(true) {
            if let (Some(slot), Some(c)) = (predictions.get_mut(index), components.get(index)) {
                *slot = fitted.predict(c);
            }
        }
    }
    pearson(&predictions, ratings)
}

/// Non-negative least squares with an intercept, on the texts `chosen`, by cyclic coordinate
/// descent on the centred normal equations.
fn fit(components: &[[f64; 8]], ratings: &[f64], chosen: &[usize]) -> Fit {
    let rows = chosen
        .iter()
        .filter_map(|i| Some((components.get(*i)?, ratings.get(*i)?)));
    let rows: Vec<(&[f64; 8], &f64)> = rows.collect();
    let count = rows.len().max(1) as f64;
    let mut means = [0.0; 8];
    let mut mean_rating = 0.0;
    for (c, rating) in &rows {
        means
            .iter_mut()
            .zip(*c)
            .for_each(|(mean, value)| *mean += value / count);
        mean_rating += *rating / count;
    }
    let mut gram = [[0.0; 8]; 8];
    let mut target = [0.0; 8];
    for (c, rating) in &rows {
        let mut centred = **c;
        centred
            .iter_mut()
            .zip(&means)
            .for_each(|(value, mean)| *value -= mean);
        for ((row, target), a) in gram.iter_mut().zip(&mut target).zip(&centred) {
            row.iter_mut()
                .zip(&centred)
                .for_each(|(cell, b)| *cell += a * b);
            *target += a * (*rating - mean_rating);
        }
    }
    let coefficients = descend(&gram, &target);
    let explained: f64 = coefficients
        .iter()
        .zip(&means)
        .map(|(b, mean)| b * mean)
        .sum();
    Fit {
        coefficients,
        intercept: mean_rating - explained,
    }
}

/// Minimizes ½ bᵀGb - tᵀb over b ≥ 0.
fn descend(gram: &[[f64; 8]; 8], target: &[f64; 8]) -> [f64; 8] {
    let mut b = [0.0; 8];
    for _ in 0..SWEEPS {
        let mut moved: f64 = 0.0;
        for (i, (row, t)) in gram.iter().zip(target).enumerate() {
            let diagonal = row.get(i).copied().unwrap_or(0.0);
            let Some(old) = b.get(i).copied().filter(|_| diagonal > 1e-12) else {
                continue;
            };
            let fitted: f64 = row.iter().zip(&b).map(|(g, b)| g * b).sum();
            let new = f64::max(0.0, old + (t - fitted) / diagonal);
            moved = moved.max((new - old).abs());
            if let Some(slot) = b.get_mut(i) {
                *slot = new;
            }
        }
        if moved < 1e-13 {
            break;
        }
    }
    b
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ratings made by known weights are fitted by those weights.
    #[test]
    fn known_weights_are_found_again() {
        let known = [0.1, 0.0, 0.4, 0.2, 0.0, 0.3, 0.0, 0.0];
        let mut random = Random::new(3);
        let mut draw = || random.below(1000) as f64 / 1000.0;
        let components: Vec<[f64; 8]> = (0..60).map(|_| std::array::from_fn(|_| draw())).collect();
        let rating =
            |c: &[f64; 8]| 1.0 + 4.0 * c.iter().zip(&known).map(|(c, w)| c * w).sum::<f64>();
        let ratings: Vec<f64> = components.iter().map(rating).collect();
        let found = refit(&components, &ratings, &EvaluationOptions::default()).unwrap();
        for (found, known) in found.weights.values().iter().zip(&known) {
            assert!((found - known).abs() < 1e-6, "{found} {known}");
        }
        assert!(found.cross_validated_pearson.unwrap() > 0.999);
    }

    #[test]
    fn ratings_against_every_component_leave_no_weights() {
        let components: Vec<[f64; 8]> = (0..10).map(|i| [f64::from(i) / 10.0; 8]).collect();
        let ratings: Vec<f64> = (0..10).map(|i| -f64::from(i)).collect();
        assert_eq!(
            refit(&components, &ratings, &EvaluationOptions::default()),
            None
        );
    }
}
