//! What a scorer hands back: numbers, the events behind them, what is missing.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::label::Label;
use crate::missing::Missing;
use crate::options::{Semantics, Weights};

/// A component of 𝓦 (spec table; seed 000 §3, §3bis, §3ter).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Component {
    /// Share of the quadrants that are touched.
    Coverage,
    /// Shannon entropy over the quadrants, normalized.
    EntropyNormalized,
    /// Share of the axes whose two poles meet in one paragraph.
    DialecticalPairDensity,
    /// Tension markers between codes of different quadrants, saturating at 4.
    TensionDensity,
    /// Share of the mediators that stand with what they mediate.
    SynthesisAnchoring,
    /// Whether the opening names an axis.
    AxisExplicit,
    /// Mediation verbs between codes of different quadrants, saturating at 3.
    SubordinatingSynthesis,
    /// Share of the part–whole relations that are touched (𝓜).
    MereologicalCoverage,
}

impl Component {
    /// All components, in the order of summation.
    pub const ALL: [Self; 8] = [
        Self::Coverage,
        Self::EntropyNormalized,
        Self::DialecticalPairDensity,
        Self::TensionDensity,
        Self::SynthesisAnchoring,
        Self::AxisExplicit,
        Self::SubordinatingSynthesis,
        Self::MereologicalCoverage,
    ];

    /// The name on the wire.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Coverage => "coverage",
            Self::EntropyNormalized => "entropy_normalized",
            Self::DialecticalPairDensity => "dialectical_pair_density",
            Self::TensionDensity => "tension_density",
            Self::SynthesisAnchoring => "synthesis_anchoring",
            Self::AxisExplicit => "axis_explicit",
            Self::SubordinatingSynthesis => "subordinating_synthesis",
            Self::MereologicalCoverage => "mereological_coverage",
        }
    }
}

/// The eight components, each in [0, 1].
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Components {
    /// [`Component::Coverage`].
    pub coverage: f64,
    /// [`Component::EntropyNormalized`].
    pub entropy_normalized: f64,
    /// [`Component::DialecticalPairDensity`].
    pub dialectical_pair_density: f64,
    /// [`Component::TensionDensity`].
    pub tension_density: f64,
    /// [`Component::SynthesisAnchoring`].
    pub synthesis_anchoring: f64,
    /// [`Component::AxisExplicit`].
    pub axis_explicit: f64,
    /// [`Component::SubordinatingSynthesis`].
    pub subordinating_synthesis: f64,
    /// [`Component::MereologicalCoverage`].
    pub mereological_coverage: f64,
}

impl Components {
    /// The values, in the order of [`Component::ALL`].
    #[must_use]
    pub fn values(&self) -> [f64; 8] {
        [
            self.coverage,
            self.entropy_normalized,
            self.dialectical_pair_density,
            self.tension_density,
            self.synthesis_anchoring,
            self.axis_explicit,
            self.subordinating_synthesis,
            self.mereological_coverage,
        ]
    }

    /// The value of one component.
    #[must_use]
    pub fn get(&self, component: Component) -> f64 {
        let values = self.values();
        values.get(component as usize).copied().unwrap_or(0.0)
    }

    /// 𝓦 before rounding: the weighted sum, from the first component to the last.
    #[must_use]
    pub fn weigh(&self, weights: &Weights) -> f64 {
        let pairs = self.values().into_iter().zip(weights.values());
        pairs.fold(0.0, |sum, (value, weight)| sum + weight * value)
    }

    /// The same with every value changed by `f`.
    pub(crate) fn map(&self, f: impl Fn(f64) -> f64) -> Self {
        Self {
            coverage: f(self.coverage),
            entropy_normalized: f(self.entropy_normalized),
            dialectical_pair_density: f(self.dialectical_pair_density),
            tension_density: f(self.tension_density),
            synthesis_anchoring: f(self.synthesis_anchoring),
            axis_explicit: f(self.axis_explicit),
            subordinating_synthesis: f(self.subordinating_synthesis),
            mereological_coverage: f(self.mereological_coverage),
        }
    }
}

/// A place in the original text, half open, in bytes and in scalar values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
    /// First scalar value.
    pub scalar_start: usize,
    /// One past the last scalar value.
    pub scalar_end: usize,
}

impl Span {
    /// The byte range; it always slices the original text.
    #[must_use]
    pub fn bytes(&self) -> Range<usize> {
        self.start..self.end
    }

    /// The range in scalar values.
    #[must_use]
    pub fn scalars(&self) -> Range<usize> {
        self.scalar_start..self.scalar_end
    }
}

/// A code where it stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CodeMention {
    /// The code.
    pub code: Label,
    /// Its primary quadrant.
    pub quadrant: Label,
    /// Where it stands.
    pub span: Span,
}

/// Something in the text that made a component what it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// The component that it feeds.
    pub component: Component,
    /// The marker, verb, axis (`OBJ–SUB`), mediator or relation, as the ontology names it.
    pub term: Label,
    /// Where it stands: the marker, the verb, the mediator, the naming of the axis, the phrase;
    /// for a pair from its first to its last code.
    pub span: Span,
    /// The codes that complete it, in the order of the text: for tension and subordination the
    /// nearest of each quadrant in the window; for pairs the two poles; for mediators what they
    /// need.
    pub codes: Vec<CodeMention>,
}

/// How often a quadrant is touched by distinct codes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct QuadrantCount {
    /// The quadrant, by its cardinal.
    pub quadrant: Label,
    /// Distinct codes, with halves where secondary quadrants count.
    pub count: f64,
}

/// A cycle that the text walks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CyclePresence {
    /// The cycle by name.
    pub name: Label,
    /// Whether the text names it in words.
    pub named: bool,
    /// Share of its stations that are cited.
    pub coverage: f64,
    /// The stations that are cited, in the order of the cycle.
    pub stations: Vec<Label>,
}

/// Reported beside 𝓦 and no part of it. `None` where the semantics does not compute it: the
/// JavaScript reference computes none.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Extras {
    /// 𝓕: concrete references (names, acronyms, citations, quantities, years) by length, in
    /// [0, 1].
    pub factual_density: Option<f64>,
    /// ℑ: share of the quadrants whose everyday words occur, codes or not.
    pub implicit_coverage: Option<f64>,
    /// Share of each quadrant in those words.
    pub implicit_distribution: Vec<QuadrantCount>,
    /// Share of the causal codes that are cited.
    pub causal_coverage: Option<f64>,
    /// Share of the epistemic groups that are cited.
    pub epistemic_coverage: Option<f64>,
    /// Share of the radial layers (kinds of code) that are cited.
    pub tempeternal_coverage: Option<f64>,
    /// Normalized entropy over those layers.
    pub tempeternal_balance: Option<f64>,
    /// Balance of analysis and synthesis among the cited codes: 1 even, 0 one-sided or none.
    pub solve_coagula_balance: Option<f64>,
    /// The part–whole relations that are touched, by name.
    pub mereological_relations: Vec<Label>,
    /// Cycles named, or cited with three stations or more.
    pub cycles: Vec<CyclePresence>,
    /// The codes of a `[PATH: …]` marker, in order.
    pub path: Vec<Label>,
}

/// A remark on how a number came about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Note {
    /// The text holds no word: every number is 0 by convention.
    NoWords,
    /// The text cites no code of the ontology.
    NoCodes,
    /// More events were found than are kept; all were counted.
    EventsCut,
    /// The composite weighs 𝓜, which the JavaScript reference does not compute: counted as 0, as
    /// its PHP sibling does when it is given none.
    MereologyNotComputed,
    /// The bytes are not UTF-8: computed as the reference does then.
    InvalidUtf8,
    /// The reference gives up on a limit of its pattern engine here; ours went on without it.
    ReferenceLimit,
}

/// The score of a text and its reasons.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Which definitions were followed.
    pub semantics: Semantics,
    /// The weights of 𝓦, in the order of [`Component::ALL`].
    pub weights: Weights,
    /// 𝓗, the mean of coverage and normalized entropy, rounded to 6 decimals (half away from
    /// zero, on the exact value; the deployed semantics round as the reference does).
    pub harmonic_score: f64,
    /// 𝓦, rounded likewise.
    pub wisdom_score: f64,
    /// The components; exact in Canonical, rounded as the reference does otherwise.
    pub components: Components,
    /// Words in the text.
    pub words: usize,
    /// Whole-token mentions of codes.
    pub mentions: usize,
    /// The distinct codes, in the order of first mention.
    pub codes: Vec<Label>,
    /// Quadrants touched, as 𝓗 counts them.
    pub n_quadrants: usize,
    /// Counts behind 𝓗.
    pub quadrant_counts: Vec<QuadrantCount>,
    /// Shannon entropy behind 𝓗, in nats.
    pub entropy: f64,
    /// The same over ln of the number of quadrants.
    pub normalized_entropy: f64,
    /// Tension events found, before saturation.
    pub tension_events: usize,
    /// Subordination events found, before saturation.
    pub subordination_events: usize,
    /// Whether fewer than three quadrants are touched.
    pub needs_reprompt: bool,
    /// Reported beside 𝓦.
    pub extras: Extras,
    /// What made the components, by component, then in the order of the text.
    pub events: Vec<Event>,
    /// What is missing, by component.
    pub missing: Vec<Missing>,
    /// One sentence for each component that falls short, in the language asked for.
    pub feedback: Vec<String>,
    /// Remarks.
    pub notes: Vec<Note>,
}
