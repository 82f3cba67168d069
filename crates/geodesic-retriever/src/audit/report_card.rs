//! The report card: two sections, a composite over those that ran.

use serde::{Deserialize, Serialize};

use super::AuditReport;
use crate::GateReport;

/// A section of the report card.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CardSection {
    /// Its name.
    pub name: String,
    /// Its weight in the composite.
    pub weight: f64,
    /// Its score in [0, 1]; none (N/A) if it did not run, which is not a zero.
    pub score: Option<f64>,
    /// The figures that the score is the mean of; those without a figure do not count.
    pub figures: Vec<(String, Option<f64>)>,
}

/// The report card (seed 003, `training-grader`): retrieval audit and structure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReportCard {
    /// The sections, in a fixed order.
    pub sections: Vec<CardSection>,
    /// The weighted mean of the sections that ran; none if none did.
    pub composite: Option<f64>,
}

impl ReportCard {
    /// Both sections count the same. `audit` is the last audit's report, `structure` the
    /// initialization gate's, measured anew.
    #[must_use]
    pub fn new(audit: Option<&AuditReport>, structure: Option<&GateReport>) -> Self {
        let figures = |names: [&str; 3], values: [Option<f64>; 3]| {
            names.map(str::to_owned).into_iter().zip(values).collect()
        };
        let audited = audit.map_or([None; 3], |a| [a.hit_rate, a.grounded_rate, a.decline_rate]);
        let checks = structure.map_or_else(Vec::new, |s| {
            let passed = |c: &crate::GateCheck| Some(f64::from(u8::from(c.passed || c.waived)));
            let named = |c| (crate::GateCheck::clone(c).name, passed(c));
            s.checks.iter().map(named).collect()
        });
        Self::of(vec![
            CardSection {
                name: "retrieval_audit".to_owned(),
                weight: 0.5,
                score: None,
                figures: figures(["hit_rate", "grounded_rate", "decline_rate"], audited),
            },
            CardSection {
                name: "structure".to_owned(),
                weight: 0.5,
                score: None,
                figures: checks,
            },
        ])
    }

    /// From sections of the caller's: scores are taken from the figures.
    #[must_use]
    pub fn of(mut sections: Vec<CardSection>) -> Self {
        for section in &mut sections {
            let there: Vec<f64> = section.figures.iter().filter_map(|f| f.1).collect();
            let sum: f64 = there.iter().sum();
            section.score = (!there.is_empty()).then(|| sum / there.len() as f64);
        }
        let ran = sections.iter().filter_map(|s| Some((s.weight, s.score?)));
        let (weights, sum) = ran.fold((0.0, 0.0), |(w, s), (weight, score)| {
            (w + weight, s + weight * score)
        });
        Self {
            composite: (weights > 0.0).then(|| sum / weights),
            sections,
        }
    }
}

impl std::fmt::Display for ReportCard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let percent =
            |x: Option<f64>| x.map_or_else(|| "N/A".to_owned(), |x| format!("{:.1} %", 100.0 * x));
        for section in &self.sections {
            writeln!(f, "{}: {}", section.name, percent(section.score))?;
            for (name, figure) in &section.figures {
                writeln!(f, "  {name}: {}", percent(*figure))?;
            }
        }
        write!(f, "composite: {}", percent(self.composite))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section(name: &str, weight: f64, figures: &[Option<f64>]) -> CardSection {
        let figures = figures.iter().enumerate();
        CardSection {
            name: name.to_owned(),
            weight,
            score: None,
            figures: figures.map(|(i, x)| (i.to_string(), *x)).collect(),
        }
    }

    #[test]
    fn the_composite_renormalizes_over_what_ran() {
        let both = ReportCard::of(vec![
            section("a", 0.75, &[Some(1.0), Some(0.5)]),
            section("b", 0.25, &[Some(0.0)]),
        ]);
        assert_eq!(both.composite, Some(0.5625));
        // Not run is not zero: the composite is that of the one that ran.
        let one = ReportCard::of(vec![
            section("a", 0.75, &[Some(1.0), Some(0.5)]),
            section("b", 0.25, &[]),
        ]);
        assert_eq!(one.composite, Some(0.75));
        assert_eq!(one.sections[1].score, None);
        let part = ReportCard::of(vec![section("a", 0.75, &[Some(0.5), None])]);
        assert_eq!(part.composite, Some(0.5));
    }

    #[test]
    fn a_zero_counts() {
        let zero = ReportCard::of(vec![
            section("a", 0.5, &[Some(1.0)]),
            section("b", 0.5, &[Some(0.0)]),
        ]);
        assert_eq!(zero.composite, Some(0.5));
    }

    #[test]
    fn nothing_ran() {
        let card = ReportCard::new(None, None);
        assert_eq!(card.composite, None);
        let json = serde_json::to_value(&card).unwrap();
        assert!(json["composite"].is_null());
        assert!(json["sections"][0]["score"].is_null());
        assert!(card.to_string().ends_with("composite: N/A"));
    }
}
