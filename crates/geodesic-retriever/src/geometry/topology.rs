//! The static topology prior: Metatron's cube, K = 1/(1 + distance).

use super::{LabelSet, Ring};

/// Positions in the plane, one a label, and the prior over all edges.
#[derive(Debug, Clone, PartialEq)]
pub struct Topology {
    positions: Vec<(f64, f64)>,
}

impl Topology {
    /// The centre at the origin; each ring's labels on a hexagon (or n-gon) in their order, the
    /// first ring at radius 1, the second at radius 2 and the same angles.
    #[must_use]
    pub fn of(labels: &LabelSet) -> Self {
        let count = |ring| {
            labels
                .labels
                .iter()
                .filter(|l| l.ring == ring)
                .count()
                .max(1)
        };
        let (first, second) = (count(Ring::First), count(Ring::Second));
        let (mut i, mut j) = (0usize, 0usize);
        let place = |n: &mut usize, of: usize, radius: f64| {
            let angle = std::f64::consts::TAU * *n as f64 / of as f64;
            *n += 1;
            (radius * libm::cos(angle), radius * libm::sin(angle))
        };
        let positions = labels.labels.iter().map(|l| match l.ring {
            Ring::Centre => (0.0, 0.0),
            Ring::First => place(&mut i, first, 1.0),
            Ring::Second => place(&mut j, second, 2.0),
        });
        Self {
            positions: positions.collect(),
        }
    }

    /// Undirected edges: every pair of labels (78 for the thirteen).
    #[must_use]
    pub fn edges(&self) -> Vec<(usize, usize)> {
        let n = self.positions.len();
        (0..n)
            .flat_map(|a| (a + 1..n).map(move |b| (a, b)))
            .collect()
    }

    /// K = 1/(1 + distance), symmetric; 0 between a label and itself or an unknown one.
    #[must_use]
    pub fn coupling(&self, a: usize, b: usize) -> f64 {
        match (self.positions.get(a), self.positions.get(b)) {
            (Some(p), Some(q)) if a != b => 1.0 / (1.0 + libm::hypot(p.0 - q.0, p.1 - q.1)),
            _ => 0.0,
        }
    }
}

/// A walk over the labels, `steps` long: each next one drawn by the prior from where it stands.
/// The prior's one reader. `draw` gives numbers in [0, 1): the same numbers, the same walk.
#[must_use]
pub fn walk(
    topology: &Topology,
    start: usize,
    steps: usize,
    draw: &mut dyn FnMut() -> f64,
) -> Vec<usize> {
    let n = topology.positions.len();
    let mut path = Vec::new();
    let mut here = start;
    for _ in 0..steps {
        let total: f64 = (0..n).map(|b| topology.coupling(here, b)).sum();
        let mut left = draw().clamp(0.0, 1.0) * total;
        let next = (0..n)
            .filter(|&b| topology.coupling(here, b) > 0.0)
            .find(|&b| {
                left -= topology.coupling(here, b);
                left < 0.0
            });
        // Rounding may leave a crumb at the end of the range.
        let last = (0..n).rev().find(|&b| topology.coupling(here, b) > 0.0);
        let Some(next) = next.or(last) else { break };
        path.push(next);
        here = next;
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cube_has_78_edges_and_opposite_corners_lie_opposite() {
        let labels = LabelSet::thirteen();
        let t = Topology::of(&labels);
        assert_eq!(t.edges().len(), 78);
        for &(a, b) in &labels.pairs {
            let (p, q) = (t.positions[a], t.positions[b]);
            assert!((p.0 + q.0).abs() < 1e-12 && (p.1 + q.1).abs() < 1e-12);
        }
        assert!((t.coupling(12, 0) - 0.5).abs() < 1e-12);
        assert!((t.coupling(0, 3) - 1.0 / 3.0).abs() < 1e-12);
        assert!((t.coupling(6, 9) - 1.0 / 5.0).abs() < 1e-12);
        assert_eq!(t.coupling(4, 4), 0.0);
    }

    #[test]
    fn walks_follow_the_draws() {
        let t = Topology::of(&LabelSet::thirteen());
        assert_eq!(walk(&t, 12, 3, &mut || 0.0), [0, 1, 0]);
        assert_eq!(walk(&t, 0, 1, &mut || 1.0), [12]);
        let mut state = 1u64;
        let mut draw = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 11) as f64 / (1u64 << 53) as f64
        };
        let path = walk(&t, 12, 13_000, &mut draw);
        // From the centre the inner ring (K = ½) is drawn more often than the outer (K = ⅓).
        let inner = path.iter().filter(|&&n| n < 6).count();
        let outer = path.iter().filter(|&&n| (6..12).contains(&n)).count();
        assert!(inner > outer && path.windows(2).all(|w| w[0] != w[1]));
    }
}
