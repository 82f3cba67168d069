//! Routing and the budget that a component's κ buys.

use serde::{Deserialize, Serialize};

/// How a retrieval is to be answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Routing {
    /// No feedback: one pass is enough.
    Fast,
    /// A loop has to be reasoned through.
    Deliberate,
}

impl Routing {
    /// `Fast` if κ is zero, otherwise `Deliberate`.
    #[must_use]
    pub fn for_kappa(kappa: u64) -> Self {
        if kappa == 0 {
            Self::Fast
        } else {
            Self::Deliberate
        }
    }

    /// The name on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Fast => "fast",
            Self::Deliberate => "deliberate",
        }
    }
}

/// How much deliberation a component is worth; every part grows with κ up to a cap.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct DeliberationBudget {
    /// min(κ + 1, 4).
    pub max_iterations: u32,
    /// min(κ, 3).
    pub agent_count: u32,
    /// min(1 + κ/2, 3.5).
    pub timeout_multiplier: f64,
    /// min(0.70 + 0.05 κ, 0.95).
    pub confidence_threshold: f64,
}

impl DeliberationBudget {
    /// The budget of a component with this κ.
    #[must_use]
    pub fn for_kappa(kappa: u64) -> Self {
        // Every cap is reached by κ = 5; the last value is a division, so that 0.85 is the
        // double that prints as 0.85.
        let k = kappa.min(5) as u32;
        Self {
            max_iterations: (k + 1).min(4),
            agent_count: k.min(3),
            timeout_multiplier: (1.0 + 0.5 * f64::from(k)).min(3.5),
            confidence_threshold: f64::from(70 + 5 * k) / 100.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets_follow_the_table() {
        let rows = [
            (0, 1, 0, 1.0, "0.7"),
            (1, 2, 1, 1.5, "0.75"),
            (2, 3, 2, 2.0, "0.8"),
            (3, 4, 3, 2.5, "0.85"),
            (4, 4, 3, 3.0, "0.9"),
            (5, 4, 3, 3.5, "0.95"),
            (6, 4, 3, 3.5, "0.95"),
            (u64::MAX, 4, 3, 3.5, "0.95"),
        ];
        for (kappa, iterations, agents, timeout, threshold) in rows {
            let b = DeliberationBudget::for_kappa(kappa);
            assert_eq!(
                (b.max_iterations, b.agent_count),
                (iterations, agents),
                "κ = {kappa}"
            );
            assert_eq!(b.timeout_multiplier, timeout, "κ = {kappa}");
            assert_eq!(b.confidence_threshold.to_string(), threshold, "κ = {kappa}");
        }
    }
}
