//! When to ask a writer again (seed 000 §6, phase 4).

use serde::{Deserialize, Serialize};

use crate::label::Label;
use crate::report::Report;

/// The floors under which a text goes back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RepromptPolicy {
    /// 𝓦 must reach this (0.6).
    pub wisdom_threshold: f64,
    /// 𝓗 must reach this (0: coverage is the floor).
    pub harmonic_floor: f64,
    /// So many quadrants must be touched (3).
    pub min_quadrants: usize,
    /// Whether every part–whole relation must be touched (yes).
    pub full_mereology: bool,
    /// The cycles that the question called for, by name or alias; empty asks for none.
    pub expected_cycles: Vec<String>,
}

impl Default for RepromptPolicy {
    fn default() -> Self {
        Self {
            wisdom_threshold: 0.6,
            harmonic_floor: 0.0,
            min_quadrants: 3,
            full_mereology: true,
            expected_cycles: Vec::new(),
        }
    }
}

/// Why a text goes back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "reason", rename_all = "snake_case")]
#[non_exhaustive]
pub enum RepromptReason {
    /// 𝓦 is under its threshold.
    WisdomBelow {
        /// 𝓦.
        score: f64,
        /// The threshold.
        threshold: f64,
    },
    /// 𝓗 is under its floor.
    HarmonicBelow {
        /// 𝓗.
        score: f64,
        /// The floor.
        floor: f64,
    },
    /// Too few quadrants are touched.
    CoverageBelow {
        /// Quadrants touched.
        quadrants: usize,
        /// Quadrants wanted.
        floor: usize,
    },
    /// Not every part–whole relation is touched.
    MereologyPartial {
        /// 𝓜.
        coverage: f64,
        /// The relations that are touched.
        touched: Vec<Label>,
    },
    /// The text walks cycles, and none that the question called for.
    CycleMismatch {
        /// The cycles called for.
        expected: Vec<String>,
        /// The cycles found.
        found: Vec<Label>,
    },
}

/// Other names of the default ontology's cycles, so that a policy can speak the question's
/// language.
const ALIASES: [(&str, &[&str]); 6] = [
    (
        "Mètode",
        &["Metode", "Aplicació", "Aplicacio", "Application", "Method"],
    ),
    ("Coneixement", &["Knowledge"]),
    (
        "Revelació",
        &[
            "Revelacio",
            "Orientació",
            "Orientacio",
            "Orientation",
            "Revelation",
        ],
    ),
    ("Universal", &[]),
    ("Relació", &["Relacio", "Relation"]),
    ("Consistència", &["Consistencia", "Consistency"]),
];

impl Report {
    /// Why this text should go back under a policy; empty if it need not.
    #[must_use]
    pub fn reprompt_reasons(&self, policy: &RepromptPolicy) -> Vec<RepromptReason> {
        let mut reasons = Vec::new();
        if self.wisdom_score < policy.wisdom_threshold {
            reasons.push(RepromptReason::WisdomBelow {
                score: self.wisdom_score,
                threshold: policy.wisdom_threshold,
            });
        }
        if self.harmonic_score < policy.harmonic_floor {
            reasons.push(RepromptReason::HarmonicBelow {
                score: self.harmonic_score,
                floor: policy.harmonic_floor,
            });
        }
        if self.n_quadrants < policy.min_quadrants {
            reasons.push(RepromptReason::CoverageBelow {
                quadrants: self.n_quadrants,
                floor: policy.min_quadrants,
            });
        }
        if policy.full_mereology && self.components.mereological_coverage < 1.0 {
            reasons.push(RepromptReason::MereologyPartial {
                coverage: self.components.mereological_coverage,
                touched: self.extras.mereological_relations.clone(),
            });
        }
        reasons.extend(self.cycle_mismatch(&policy.expected_cycles));
        reasons
    }

    fn cycle_mismatch(&self, expected: &[String]) -> Option<RepromptReason> {
        let found: Vec<Label> = self.extras.cycles.iter().map(|c| c.name.clone()).collect();
        let met = |name: &String| found.iter().any(|cycle| same_cycle(cycle, name));
        if expected.is_empty() || found.is_empty() || expected.iter().any(met) {
            return None;
        }
        Some(RepromptReason::CycleMismatch {
            expected: expected.to_vec(),
            found,
        })
    }
}

fn same_cycle(cycle: &Label, asked: &str) -> bool {
    let asked = asked.to_lowercase();
    let same = |name: &str| name.to_lowercase() == asked;
    let aliases = ALIASES.iter().find(|(name, _)| *cycle == *name);
    same(cycle) || aliases.is_some_and(|(_, others)| others.iter().any(|o| same(o)))
}
