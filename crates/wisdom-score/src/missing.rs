//! What a text lacks, component by component.

use serde::{Deserialize, Serialize};

use crate::label::Label;
use crate::report::Component;

/// Something that a component misses.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Missing {
    /// Quadrants that no code touches.
    Quadrants {
        /// The quadrants, by their cardinals.
        quadrants: Vec<Label>,
    },
    /// One quadrant holds more of the distinct codes than its even share.
    Evenness {
        /// The quadrant that is cited most.
        most: Label,
        /// Its share of the distinct codes.
        share: f64,
    },
    /// Axes whose poles never meet in one paragraph.
    Pairs {
        /// The axes, as pairs of poles.
        axes: Vec<[Label; 2]>,
    },
    /// Tension events that are wanted for saturation.
    Tension {
        /// Events found.
        found: usize,
        /// Events wanted.
        wanted: usize,
    },
    /// No mediator stands in the text.
    Mediators,
    /// Mediators without what they mediate.
    Anchors {
        /// The mediators, each with what its fullest paragraph lacks.
        mediators: Vec<Unanchored>,
    },
    /// The opening names no axis.
    Axis,
    /// Subordination events that are wanted for saturation.
    Subordination {
        /// Events found.
        found: usize,
        /// Events wanted.
        wanted: usize,
    },
    /// Part–whole relations that nothing touches.
    Relations {
        /// The relations by name.
        relations: Vec<Label>,
    },
}

/// A mediator without what it mediates.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unanchored {
    /// The mediator.
    pub mediator: Label,
    /// Codes that its fullest paragraph lacks.
    pub lacks: Vec<Label>,
    /// Whether it also lacks another cardinal.
    pub lacks_another: bool,
}

impl Missing {
    /// The component that falls short.
    #[must_use]
    pub fn component(&self) -> Component {
        match self {
            Self::Quadrants { .. } => Component::Coverage,
            Self::Evenness { .. } => Component::EntropyNormalized,
            Self::Pairs { .. } => Component::DialecticalPairDensity,
            Self::Tension { .. } => Component::TensionDensity,
            Self::Mediators | Self::Anchors { .. } => Component::SynthesisAnchoring,
            Self::Axis => Component::AxisExplicit,
            Self::Subordination { .. } => Component::SubordinatingSynthesis,
            Self::Relations { .. } => Component::MereologicalCoverage,
        }
    }
}
