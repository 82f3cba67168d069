//! An ontology as plain data, to be read from any format or from the built-in tables.

use serde::{Deserialize, Serialize};

/// All that a scorer knows about codes and language. Order matters: quadrants are summed in the
/// order given here.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OntologySpec {
    /// The quadrants, each named by its cardinal code.
    pub quadrants: Vec<String>,
    /// The codes, cardinals included.
    pub codes: Vec<CodeSpec>,
    /// Pairs of opposite quadrants.
    pub axes: Vec<[String; 2]>,
    /// Codes that mediate, with what must stand in their paragraph.
    pub mediators: Vec<MediatorSpec>,
    /// Part–whole relations.
    pub relations: Vec<RelationSpec>,
    /// Cycles and their stations.
    pub cycles: Vec<CycleSpec>,
    /// Sets of codes behind the reported extras.
    pub groups: GroupsSpec,
    /// What the languages add.
    pub languages: Vec<LanguageSpec>,
}

/// A code.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CodeSpec {
    /// The code as it is cited: letters, digits and underscores.
    pub code: String,
    /// Its primary quadrant.
    pub quadrant: String,
    /// Its secondary quadrant, if any.
    pub secondary: Option<String>,
    /// Its kind (radial layer), if any.
    pub kind: Option<String>,
    /// Its names, as `[language, name]`.
    pub names: Vec<[String; 2]>,
}

/// A mediator.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MediatorSpec {
    /// The mediating code.
    pub code: String,
    /// Codes that must stand in one paragraph with it.
    pub requires: Vec<String>,
    /// Whether a further cardinal must stand there too.
    pub and_another_cardinal: bool,
}

/// A part–whole relation.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RelationSpec {
    /// Its name.
    pub name: String,
    /// Codes that touch it.
    pub codes: Vec<String>,
}

/// A cycle.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CycleSpec {
    /// Its name.
    pub name: String,
    /// Its stations in order.
    pub stations: Vec<String>,
}

/// Sets of codes behind the reported extras; an empty set gives 0.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GroupsSpec {
    /// Codes of causal coverage.
    pub causal: Vec<String>,
    /// Groups of epistemic coverage, each touched by any of its codes.
    pub epistemic: Vec<Vec<String>>,
    /// Kinds that are radial layers.
    pub layers: Vec<String>,
    /// Codes that take apart.
    pub solve: Vec<String>,
    /// Codes that put together.
    pub coagula: Vec<String>,
}

/// What a language adds. Phrases match as whole tokens in any case, with curly or straight
/// apostrophes and any white space within a paragraph between their words.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LanguageSpec {
    /// Its tag, such as `en`.
    pub language: String,
    /// Tension markers.
    pub markers: Vec<String>,
    /// Mediation verbs, one inflected form each.
    pub verbs: Vec<String>,
    /// Mediation verbs with an object between: `treat … as`.
    pub frames: Vec<FrameSpec>,
    /// Words that join the members of a list, and the two poles of an axis where `axis_joiners`.
    pub list_joiners: Vec<String>,
    /// Words that join the two poles of an axis.
    pub axis_joiners: Vec<String>,
    /// Words for an axis.
    pub axis_words: Vec<String>,
    /// Ways to oppose two poles: `tension between … and`, `pits … against`.
    pub oppositions: Vec<FrameSpec>,
    /// Phrases that state a relation, as `[relation, phrase]`.
    pub relation_phrases: Vec<[String; 2]>,
    /// Phrases that name a cycle, as `[cycle, phrase]`.
    pub cycle_phrases: Vec<[String; 2]>,
    /// Everyday words of a quadrant, as `[quadrant, word]`.
    pub implicit: Vec<[String; 2]>,
    /// Units that make a number a quantity.
    pub units: Vec<String>,
    /// Words that may stand within a name (`Bank of England`).
    pub name_connectors: Vec<String>,
}

/// An opener, something between, a closer.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FrameSpec {
    /// Forms that open.
    pub openers: Vec<String>,
    /// Words that close.
    pub closers: Vec<String>,
}
