//! What a scorer is asked for: semantics, composite, options.

use serde::{Deserialize, Serialize};

use crate::error::Error;

/// Which definitions the components follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Semantics {
    /// The design (seed 000) with its gaps settled; the default.
    #[default]
    Canonical,
    /// What arkadium-verifier 1.0.0 computes in JavaScript.
    DeployedJs,
    /// What arkadium-verifier 1.0.0 computes in PHP.
    DeployedPhp,
}

/// How the components are weighed into 𝓦.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Composite {
    /// Seed 000 §3.6, five components.
    V1,
    /// Seed 000 §3bis.3, seven components.
    V2,
    /// Seed 000 §3ter.2, eight components.
    V3,
    /// The caller's weights.
    Custom(Weights),
}

impl Composite {
    /// The weights of this composite.
    #[must_use]
    pub fn weights(self) -> Weights {
        match self {
            Self::V1 => Weights([0.30, 0.20, 0.25, 0.15, 0.10, 0.0, 0.0, 0.0]),
            Self::V2 => Weights([0.05, 0.05, 0.20, 0.20, 0.15, 0.15, 0.20, 0.0]),
            Self::V3 => Weights([0.05, 0.05, 0.20, 0.20, 0.10, 0.10, 0.15, 0.15]),
            Self::Custom(weights) => weights,
        }
    }
}

/// Eight weights in the order of [`crate::Component::ALL`], none negative, summing to 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "[f64; 8]", into = "[f64; 8]")]
pub struct Weights([f64; 8]);

impl Weights {
    /// Checked weights, in the order of [`crate::Component::ALL`].
    ///
    /// # Errors
    /// [`Error::Weights`] if one is negative or not finite, or if they do not sum to 1 within
    /// 1e-9.
    pub fn new(values: [f64; 8]) -> Result<Self, Error> {
        let sum: f64 = values.iter().sum();
        let convex = values.iter().all(|w| w.is_finite() && *w >= 0.0);
        if convex && (sum - 1.0).abs() <= 1e-9 {
            Ok(Self(values))
        } else {
            Err(Error::Weights { values, sum })
        }
    }

    /// The weights, in the order of [`crate::Component::ALL`].
    #[must_use]
    pub fn values(&self) -> &[f64; 8] {
        &self.0
    }
}

impl TryFrom<[f64; 8]> for Weights {
    type Error = Error;

    fn try_from(values: [f64; 8]) -> Result<Self, Error> {
        Self::new(values)
    }
}

impl From<Weights> for [f64; 8] {
    fn from(weights: Weights) -> Self {
        weights.0
    }
}

/// The language of the feedback sentences.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub enum FeedbackLanguage {
    /// English.
    #[default]
    #[serde(rename = "en")]
    English,
    /// Catalan.
    #[serde(rename = "ca")]
    Catalan,
}

/// Options of a [`crate::Scorer`]; the default is Canonical, V3, English.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Options {
    /// Which definitions the components follow.
    pub semantics: Semantics,
    /// How the components are weighed; `None` is V3, and V2 for [`Semantics::DeployedJs`].
    pub composite: Option<Composite>,
    /// The language of the feedback sentences.
    pub feedback: FeedbackLanguage,
    /// Whether a code adds ½ to its secondary quadrant in coverage and entropy (Canonical only;
    /// default no).
    pub secondary_quadrants: bool,
    /// Whether codes that are only listed are kept out of the relational components (Canonical
    /// only; default yes).
    pub discount_lists: bool,
    /// How many events of each component a report keeps; all are counted (default 10,000).
    pub max_events: usize,
    /// The longest text that is accepted, in bytes (default 1 GiB; never above 2^32 - 1).
    pub max_bytes: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            semantics: Semantics::default(),
            composite: None,
            feedback: FeedbackLanguage::default(),
            secondary_quadrants: false,
            discount_lists: true,
            max_events: 10_000,
            max_bytes: 1 << 30,
        }
    }
}

impl Options {
    /// The weights in force.
    #[must_use]
    pub fn weights(&self) -> Weights {
        let default = match self.semantics {
            Semantics::DeployedJs => Composite::V2,
            Semantics::Canonical | Semantics::DeployedPhp => Composite::V3,
        };
        self.composite.unwrap_or(default).weights()
    }
}
