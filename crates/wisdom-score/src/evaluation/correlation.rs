//! Pearson, Spearman, and their bootstrap intervals.

use serde::{Deserialize, Serialize};

use super::EvaluationOptions;
use super::random::Random;

/// A correlation with its bootstrap percentile intervals. `None` where it is not defined: one
/// side does not vary.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Correlation {
    /// Pearson's r.
    pub pearson: Option<f64>,
    /// Its interval.
    pub pearson_interval: Option<[f64; 2]>,
    /// Spearman's ρ, ties by mean ranks.
    pub spearman: Option<f64>,
    /// Its interval.
    pub spearman_interval: Option<[f64; 2]>,
}

/// Pearson's correlation of two samples, pair by pair; `None` if fewer than two pairs or one side
/// does not vary.
#[must_use]
pub fn pearson(xs: &[f64], ys: &[f64]) -> Option<f64> {
    let count = xs.len().min(ys.len());
    if count < 2 {
        return None;
    }
    let mean = |values: &[f64]| values.iter().take(count).sum::<f64>() / count as f64;
    let (mean_x, mean_y) = (mean(xs), mean(ys));
    let (mut xy, mut xx, mut yy) = (0.0, 0.0, 0.0);
    for (x, y) in xs.iter().zip(ys) {
        let (dx, dy) = (x - mean_x, y - mean_y);
        xy += dx * dy;
        xx += dx * dx;
        yy += dy * dy;
    }
    // A constant sample may keep a residue of its mean's rounding.
    let varies = |squares: f64, mean: f64| squares > 1e-24 * (1.0 + mean * mean) * count as f64;
    let defined = varies(xx, mean_x) && varies(yy, mean_y);
    defined.then(|| (xy / libm::sqrt(xx * yy)).clamp(-1.0, 1.0))
}

/// Spearman's rank correlation: Pearson's of the ranks, ties sharing their mean rank.
#[must_use]
pub fn spearman(xs: &[f64], ys: &[f64]) -> Option<f64> {
    pearson(&ranks(xs), &ranks(ys))
}

fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<(usize, f64)> = values.iter().copied().enumerate().collect();
    order.sort_by(|(_, a), (_, b)| a.total_cmp(b));
    let mut ranks = vec![0.0; values.len()];
    let mut before = 0;
    for ties in order.chunk_by(|(_, a), (_, b)| a == b) {
        let rank = before as f64 + (ties.len() as f64 + 1.0) / 2.0;
        for (index, _) in ties {
            if let Some(slot) = ranks.get_mut(*index) {
                *slot = rank;
            }
        }
        before += ties.len();
    }
    ranks
}

/// Both correlations with their intervals.
pub(super) fn correlate(xs: &[f64], ys: &[f64], options: &EvaluationOptions) -> Correlation {
    let mut random = Random::new(options.seed);
    let (mut pearsons, mut spearmans) = (Vec::new(), Vec::new());
    for _ in 0..options.resamples {
        let picks: Vec<usize> = (0..xs.len()).map(|_| random.below(xs.len())).collect();
        let pick = |from: &[f64]| -> Vec<f64> {
            picks.iter().filter_map(|i| from.get(*i).copied()).collect()
        };
        let (xs, ys) = (pick(xs), pick(ys));
        pearsons.extend(pearson(&xs, &ys));
        spearmans.extend(spearman(&xs, &ys));
    }
    Correlation {
        pearson: pearson(xs, ys),
        pearson_interval: interval(pearsons, options.confidence),
        spearman: spearman(xs, ys),
        spearman_interval: interval(spearmans, options.confidence),
    }
}

/// The percentile interval of resampled values.
fn interval(mut values: Vec<f64>, confidence: f64) -> Option<[f64; 2]> {
    values.sort_by(f64::total_cmp);
    let last = values.len().checked_sub(1)?;
    let at = |share: f64| {
        let place = libm::round(share * last as f64) as usize;
        values.get(place.min(last)).copied()
    };
    let tail = (1.0 - confidence) / 2.0;
    Some([at(tail)?, at(1.0 - tail)?])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Anscombe (1973), first quartet: r = 0.81642.
    #[test]
    fn pearson_of_anscombes_first_quartet() {
        let xs = [10.0, 8.0, 13.0, 9.0, 11.0, 14.0, 6.0, 4.0, 12.0, 7.0, 5.0];
        let ys = [
            8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68,
        ];
        let r = pearson(&xs, &ys).unwrap();
        assert!((r - 0.816_420_516_344_840).abs() < 1e-12, "{r}");
        let rho = spearman(&xs, &ys).unwrap();
        assert!((rho - 0.818_181_818_181_818).abs() < 1e-12, "{rho}");
    }

    #[test]
    fn ties_share_their_mean_rank() {
        assert_eq!(ranks(&[3.0, 1.0, 3.0, 2.0]), [3.5, 1.0, 3.5, 2.0]);
    }

    #[test]
    fn a_constant_has_no_correlation() {
        assert_eq!(pearson(&[0.1, 0.1, 0.1], &[1.0, 2.0, 3.0]), None);
        assert_eq!(pearson(&[1.0], &[1.0]), None);
    }
}
