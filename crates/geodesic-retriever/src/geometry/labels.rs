//! The labels and their polar pairs, as data.

use serde::{Deserialize, Serialize};

use crate::Error;

/// Where a label stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ring {
    /// The inner hexagon.
    First,
    /// The outer hexagon.
    Second,
    /// The centre.
    Centre,
}

/// A label.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Label {
    /// Its name.
    pub name: String,
    /// What it is the opposite of, outside the set.
    pub antonym: String,
    /// Where it stands.
    pub ring: Ring,
    /// The labels that it combines, by index.
    pub combines: Vec<usize>,
}

/// Labels, the pairs that make the axes, and the label of what is left.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LabelSet {
    /// The labels.
    pub labels: Vec<Label>,
    /// Opposite poles, by index: each pair is an axis.
    pub pairs: Vec<(usize, usize)>,
    /// The label of the residual direction.
    pub centre: usize,
}

impl LabelSet {
    /// The thirteen labels of seed 003. The seed states the first pair, (0, 3); the others
    /// follow from the hexagons: opposite corners of each ring.
    #[must_use]
    pub fn thirteen() -> Self {
        let row = |name: &str, antonym: &str, ring, combines: &[usize]| Label {
            name: name.into(),
            antonym: antonym.into(),
            ring,
            combines: combines.to_vec(),
        };
        Self {
            labels: vec![
                row("Knowing", "Confusion", Ring::First, &[]),
                row("Feeling", "Numbness", Ring::First, &[]),
                row("Reasoning", "Chaos", Ring::First, &[]),
                row("Changing", "Stasis", Ring::First, &[]),
                row("Sensing", "Blindness", Ring::First, &[]),
                row("Connecting", "Isolation", Ring::First, &[]),
                row("Judging", "Amorality", Ring::Second, &[0, 1]),
                row("Creating", "Sterility", Ring::Second, &[3, 4]),
                row("Analyzing", "Vagueness", Ring::Second, &[2, 0]),
                row("Expressing", "Muteness", Ring::Second, &[1, 5]),
                row("Discovering", "Oblivion", Ring::Second, &[4, 3]),
                row("Harmonizing", "Discord", Ring::Second, &[5, 2]),
                row(
                    "Existence",
                    "Void",
                    Ring::Centre,
                    &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
                ),
            ],
            pairs: vec![(0, 3), (1, 4), (2, 5), (6, 9), (7, 10), (8, 11)],
            centre: 12,
        }
    }

    /// Checks that every label is the pole of exactly one axis or the centre.
    ///
    /// # Errors
    /// [`Error::InvalidSetting`] naming the label.
    pub fn check(&self) -> Result<(), Error> {
        let mut uses = vec![0; self.labels.len()];
        let poles = self
            .pairs
            .iter()
            .flat_map(|&(a, b)| [a, b])
            .chain([self.centre]);
        for pole in poles {
            let accepted = format!("indices below {}", self.labels.len());
            let n = uses
                .get_mut(pole)
                .ok_or_else(|| Error::setting("a pole", pole, accepted))?;
            *n += 1;
        }
        match uses.iter().position(|&n| n != 1) {
            None => Ok(()),
            Some(i) => Err(Error::setting(
                format!("label {i}"),
                format!("the pole of {} axes", uses.get(i).copied().unwrap_or(0)),
                "one axis, or the centre",
            )),
        }
    }

    /// The axis that a label is a pole of; `None` for the centre.
    #[must_use]
    pub fn axis(&self, label: usize) -> Option<usize> {
        self.pairs
            .iter()
            .position(|&(a, b)| a == label || b == label)
    }

    /// The label of a name.
    #[must_use]
    pub fn index(&self, name: &str) -> Option<usize> {
        self.labels.iter().position(|l| l.name == name)
    }
}
