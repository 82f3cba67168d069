//! The initialization gate: structural checks of anchors and scaffold (seed 003).

use serde::{Deserialize, Serialize};

use super::AnchorSet;
use crate::{Error, Vector};

/// Entries that a dictionary should hold at the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct DictionaryCount {
    /// Identity entries offered.
    pub identity: usize,
    /// Scaffold entries offered.
    pub scaffold: usize,
    /// Entries held.
    pub held: usize,
    /// Entries that were refused.
    pub rejected: usize,
}

/// What the gate compares with.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct GateOptions {
    /// The axis angles stored with the model's calibration; none skips the parity check.
    pub expected_axis_angles: Option<Vec<f64>>,
    /// The dictionary at the start; none skips that check.
    pub dictionary: Option<DictionaryCount>,
    /// Checks whose failing is accepted, by name.
    pub waived: Vec<String>,
}

/// One check and its figure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GateCheck {
    /// Its name.
    pub name: String,
    /// What was measured.
    pub figure: f64,
    /// What is accepted, in words.
    pub accepted: String,
    /// Whether it holds.
    pub passed: bool,
    /// Whether its failing is accepted.
    pub waived: bool,
}

/// All checks that ran.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GateReport {
    /// The model.
    pub model_id: String,
    /// The checks, in a fixed order. Those without their data are left out.
    pub checks: Vec<GateCheck>,
    /// Of each label, how many phrases of other axes were routed to it.
    pub arrivals: Vec<usize>,
    /// The axis angles, for storing with a calibration.
    pub axis_angles: Vec<f64>,
}

impl GateReport {
    /// Whether every check holds or is waived.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.checks.iter().all(|c| c.passed || c.waived)
    }

    /// The report, if it passed.
    ///
    /// # Errors
    /// [`Error::Gate`] with the checks that failed and their figures.
    pub fn into_result(self) -> Result<Self, Error> {
        if self.passed() {
            return Ok(self);
        }
        let failed: Vec<String> = self
            .checks
            .iter()
            .filter(|c| !c.passed && !c.waived)
            .map(|c| format!("{} is {:.4}; accepted: {}", c.name, c.figure, c.accepted))
            .collect();
        Err(Error::Gate {
            failed: failed.join("; "),
        })
    }
}

/// The most that two embedders of the same model may differ in an axis angle, in radians.
const PARITY: f64 = 1e-3;

/// Runs the checks. `phrases` are the embedded scaffold, as
/// [`AnchorSet::from_scaffold`] gives it.
#[must_use]
pub fn initialization_gate(
    anchors: &AnchorSet,
    phrases: &[(usize, Vector)],
    options: &GateOptions,
) -> GateReport {
    let gram = anchors.gram();
    let at = |a: usize, b: usize| gram.get(a).and_then(|r| r.get(b)).copied().unwrap_or(0.0);
    let pairs = &anchors.labels.pairs;
    let antipodal = pairs
        .iter()
        .map(|&(a, b)| at(a, b))
        .fold(f64::NEG_INFINITY, f64::max);
    let expected_rank = pairs.len() + 1;
    let rank = rank(&gram);
    let n = gram.len();
    let angles = (0..n).flat_map(|a| (a + 1..n).map(move |b| (a, b)));
    let total: f64 = angles
        .map(|(a, b)| libm::acos(at(a, b).clamp(-1.0, 1.0)))
        .sum();
    let mean = total / (n * n.saturating_sub(1) / 2).max(1) as f64;
    let routing = Routing::of(anchors, phrases);
    let axis_angles = anchors.axis_angles();
    let mut checks = Vec::new();
    let mut check = |name: &str, figure: f64, accepted: &str, passed: bool| {
        let waived = options.waived.iter().any(|w| w == name);
        let (name, accepted) = (name.to_owned(), accepted.to_owned());
        checks.push(GateCheck {
            name,
            figure,
            accepted,
            passed,
            waived,
        });
    };
    check(
        "antipodal_cosine",
        antipodal,
        "at most -0.999",
        antipodal <= -0.999,
    );
    let accepted = format!("exactly {expected_rank}");
    check("gram_rank", rank as f64, &accepted, rank == expected_rank);
    check(
        "mean_pairwise_geodesic",
        mean,
        "1.69 ± 0.01",
        (mean - 1.69).abs() <= 0.01,
    );
    if let Some(expected) = &options.expected_axis_angles {
        let differences = expected
            .iter()
            .zip(&axis_angles)
            .map(|(x, y)| (x - y).abs());
        let worst = differences.fold(0.0, f64::max);
        let passed = expected.len() == axis_angles.len() && worst <= PARITY;
        check(
            "embedder_parity",
            worst,
            "at most 0.001 rad from the stored axis angles",
            passed,
        );
    }
    check(
        "scaffold_routing",
        routing.accuracy,
        "at least 0.85",
        routing.accuracy >= 0.85,
    );
    let most = routing.arrivals.iter().copied().max().unwrap_or(0);
    check(
        "cross_axis_arrivals",
        most as f64,
        "at most 15 a label",
        most <= 15,
    );
    if let Some(d) = options.dictionary {
        let passed = d.held == d.identity + d.scaffold && d.rejected == 0;
        let accepted = format!("{} entries, none rejected", d.identity + d.scaffold);
        check("dictionary", d.held as f64, &accepted, passed);
    }
    GateReport {
        model_id: anchors.fingerprint.model_id.clone(),
        checks,
        arrivals: routing.arrivals,
        axis_angles,
    }
}

struct Routing {
    accuracy: f64,
    arrivals: Vec<usize>,
}

impl Routing {
    fn of(anchors: &AnchorSet, phrases: &[(usize, Vector)]) -> Self {
        let mut arrivals = vec![0; anchors.anchors.len()];
        let mut right = 0usize;
        for (label, vector) in phrases {
            let Some(winner) = AnchorSet::winner(&anchors.amplitudes(vector)) else {
                continue;
            };
            if winner == *label {
                right += 1;
            } else if anchors.labels.axis(winner) != anchors.labels.axis(*label)
                && let Some(n) = arrivals.get_mut(winner)
            {
                *n += 1;
            }
        }
        Self {
            accuracy: right as f64 / phrases.len().max(1) as f64,
            arrivals,
        }
    }
}

/// Pivots below this count as zero. Anchors are unit vectors rounded to f32, so that dependent
/// rows leave some 1e-7 behind.
const TINY: f64 = 1e-5;

/// The rank of a symmetric matrix, by elimination with full pivoting. O(n³).
fn rank(matrix: &[Vec<f64>]) -> usize {
    let mut m = matrix.to_vec();
    let n = m.len();
    for step in 0..n {
        let cells = (step..n).flat_map(|r| (step..n).map(move |c| (r, c)));
        let size = |m: &[Vec<f64>], (r, c): (usize, usize)| m[r][c].abs();
        let best = cells.max_by(|&a, &b| size(&m, a).total_cmp(&size(&m, b)));
        let Some((row, column)) = best.filter(|&p| size(&m, p) > TINY) else {
            return step;
        };
        m.swap(step, row);
        m.iter_mut().for_each(|r| r.swap(step, column));
        let pivot = m[step].clone();
        for r in m.iter_mut().skip(step + 1) {
            let factor = r[step] / pivot[step];
            r.iter_mut().zip(&pivot).for_each(|(x, p)| *x -= factor * p);
        }
    }
    n
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_of_known_matrices() {
        assert_eq!(rank(&[vec![1.0, 0.0], vec![0.0, 1.0]]), 2);
        assert_eq!(rank(&[vec![1.0, -1.0], vec![-1.0, 1.0]]), 1);
        assert_eq!(rank(&[vec![0.0, 0.0], vec![0.0, 0.0]]), 0);
        let third = vec![
            vec![1.0, 0.5, 1.5],
            vec![0.5, 1.0, 1.5],
            vec![1.5, 1.5, 3.0],
        ];
        assert_eq!(rank(&third), 2);
    }
}
