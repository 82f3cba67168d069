//! Shapes: which stages a run has, and what each stage's parents are.

use crate::error::{Error, Result};
use crate::kind::{CustomKind, StageKind, is_name};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::fmt;

/// The shape of a run.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Shape {
    /// question, preflight, retrieval, context, prompt, answer, verify, final_label.
    Quote,
    /// [`Shape::Quote`] without preflight.
    QuoteLegacy,
    /// question, preflight, retrieval, evidence_map, prompt, raw_answer, parsed_claim_lattice,
    /// verify, render, final_label.
    Lattice,
    /// [`Shape::Lattice`] without preflight.
    LatticeLegacy,
    /// question, preflight, final_label: refused before retrieval.
    Reject,
    /// question, preflight, retrieval, final_label: nothing near enough was found.
    Decline,
    /// question, topology, focus passes and a reconcile a round, crystallize or escalate, final_label.
    Deliberation,
    /// A caller's own shape, by name.
    Custom(String),
}

const CUSTOM: &str = "custom/";

impl Shape {
    /// The built-in shapes.
    pub const BUILT_IN: &[Shape] = &[
        Self::Quote,
        Self::QuoteLegacy,
        Self::Lattice,
        Self::LatticeLegacy,
        Self::Reject,
        Self::Decline,
        Self::Deliberation,
    ];

    /// The name on the wire: `lattice`, `quote_legacy`, …, `custom/NAME`.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::Quote => "quote".into(),
            Self::QuoteLegacy => "quote_legacy".into(),
            Self::Lattice => "lattice".into(),
            Self::LatticeLegacy => "lattice_legacy".into(),
            Self::Reject => "reject".into(),
            Self::Decline => "decline".into(),
            Self::Deliberation => "deliberation".into(),
            Self::Custom(name) => format!("{CUSTOM}{name}"),
        }
    }

    /// Reads a shape's name.
    ///
    /// # Errors
    /// [`Error::UnknownShape`] for any other text.
    pub fn parse(text: &str) -> Result<Self> {
        if let Some(shape) = Self::BUILT_IN.iter().find(|s| s.name() == text) {
            return Ok(shape.clone());
        }
        match text.strip_prefix(CUSTOM) {
            Some(name) if is_name(name) => Ok(Self::Custom(name.to_owned())),
            _ => Err(Error::UnknownShape {
                found: text.chars().take(80).collect(),
            }),
        }
    }

    /// The stages of a fixed shape in order, each with whether it must be there.
    fn fixed(&self) -> Option<&'static [(StageKind, bool)]> {
        use StageKind::{
            Answer, Context, EvidenceMap, FinalLabel, ParsedClaimLattice, Preflight, Prompt,
            Question, RawAnswer, Render, Retrieval, Topology, Verify, Wisdom,
        };
        Some(match self {
            Self::Quote => &[
                (Question, true),
                (Preflight, true),
                (Retrieval, true),
                (Topology, false),
                (Context, true),
                (Prompt, true),
                (Answer, true),
                (Verify, true),
                (Wisdom, false),
                (FinalLabel, true),
            ],
            Self::QuoteLegacy => &[
                (Question, true),
                (Retrieval, true),
                (Topology, false),
                (Context, true),
                (Prompt, true),
                (Answer, true),
                (Verify, true),
                (Wisdom, false),
                (FinalLabel, true),
            ],
            Self::Lattice => &[
                (Question, true),
                (Preflight, true),
                (Retrieval, true),
                (Topology, false),
                (EvidenceMap, true),
                (Prompt, true),
                (RawAnswer, true),
                (ParsedClaimLattice, true),
                (Verify, true),
                (Wisdom, false),
                (Render, true),
                (FinalLabel, true),
            ],
            Self::LatticeLegacy => &[
                (Question, true),
                (Retrieval, true),
                (Topology, false),
                (EvidenceMap, true),
                (Prompt, true),
                (RawAnswer, true),
                (ParsedClaimLattice, true),
                (Verify, true),
                (Wisdom, false),
                (Render, true),
                (FinalLabel, true),
            ],
            Self::Reject => &[(Question, true), (Preflight, true), (FinalLabel, true)],
            Self::Decline => &[
                (Question, true),
                (Preflight, true),
                (Retrieval, true),
                (FinalLabel, true),
            ],
            Self::Deliberation | Self::Custom(_) => return None,
        })
    }

    /// The parents that this shape demands of stages of these kinds, by index; `None` for custom
    /// shapes, whose parents the caller gives.
    pub(crate) fn parents(&self, kinds: &[StageKind]) -> Result<Option<Vec<Vec<usize>>>> {
        if let Some(stages) = self.fixed() {
            return self.fixed_parents(stages, kinds).map(Some);
        }
        match self {
            Self::Deliberation => self.deliberation_parents(kinds).map(Some),
            _ => self.demand_custom(kinds).map(|()| None),
        }
    }

    fn error(&self, stage: impl fmt::Display, problem: impl Into<String>) -> Error {
        Error::Shape {
            shape: self.name(),
            stage: stage.to_string(),
            problem: problem.into(),
        }
    }

    fn fixed_parents(
        &self,
        stages: &[(StageKind, bool)],
        kinds: &[StageKind],
    ) -> Result<Vec<Vec<usize>>> {
        let place = |kind: &StageKind| kinds.iter().position(|k| k == kind);
        for (index, kind) in kinds.iter().enumerate() {
            if !stages.iter().any(|(k, _)| k == kind) {
                return Err(self.error(kind, "out of place: it does not belong"));
            }
            if place(kind) != Some(index) {
                return Err(self.error(kind, "doubled: it may occur once"));
            }
        }
        if let Some((missing, _)) = stages.iter().find(|(k, must)| *must && place(k).is_none()) {
            return Err(self.error(missing, "missing: it must occur once"));
        }
        kinds
            .iter()
            .enumerate()
            .map(|(index, kind)| {
                let parents: Vec<usize> =
                    parent_kinds(kind, self).iter().filter_map(place).collect();
                match parents.iter().find(|&&p| p >= index) {
                    Some(_) => Err(self.error(kind, "out of place: it stands before its parents")),
                    None => Ok(parents),
                }
            })
            .collect()
    }

    /// Parents in a deliberation, whose stages stand in the order in which they happened.
    fn deliberation_parents(&self, kinds: &[StageKind]) -> Result<Vec<Vec<usize>>> {
        let mut parents = Vec::with_capacity(kinds.len());
        let (mut round, mut open): (Option<usize>, Vec<usize>) = (None, Vec::new());
        let mut closed = None;
        for (index, kind) in kinds.iter().enumerate() {
            let place = match (index, kind) {
                (0, StageKind::Question) => Some(vec![]),
                (1, StageKind::Topology) => Some(vec![0]),
                (2.., StageKind::Focus) if closed.is_none() => {
                    open.push(index);
                    Some(std::iter::once(1).chain(round).collect())
                }
                (2.., StageKind::Reconcile) if closed.is_none() && !open.is_empty() => {
                    round = Some(index);
                    Some(std::mem::take(&mut open))
                }
                (2.., StageKind::Crystallize) if closed.is_none() && open.is_empty() => {
                    closed = Some(index);
                    round.map(|r| vec![r])
                }
                (2.., StageKind::Escalate) if closed.is_none() => {
                    closed = Some(index);
                    let mut ends = std::mem::take(&mut open);
                    if ends.is_empty() {
                        ends.push(round.unwrap_or(1));
                    }
                    Some(ends)
                }
                (_, StageKind::FinalLabel) if index + 1 == kinds.len() => closed.map(|c| vec![c]),
                _ => None,
            };
            parents.push(place.ok_or_else(|| self.error(kind, OUT_OF_PLACE))?);
        }
        match kinds.last() {
            Some(StageKind::FinalLabel) => Ok(parents),
            _ => Err(self.error(StageKind::FinalLabel, "missing: it must end the run")),
        }
    }

    fn demand_custom(&self, kinds: &[StageKind]) -> Result<()> {
        let Self::Custom(name) = self else {
            return Ok(());
        };
        if kinds.is_empty() {
            return Err(self.error("-", "missing: a run has at least one stage"));
        }
        match kinds
            .iter()
            .find(|k| !matches!(k, StageKind::Custom(c) if c.shape() == name))
        {
            Some(other) => Err(self.error(other, format!("out of place: kinds are {name}/…"))),
            None => Ok(()),
        }
    }

    /// Whether the order of this kind's parents is the caller's.
    pub(crate) fn parents_in_any_order(&self, kind: &StageKind) -> bool {
        *self == Self::Deliberation && matches!(kind, StageKind::Reconcile | StageKind::Escalate)
    }
}

const OUT_OF_PLACE: &str = "missing, doubled or out of place: the order is question, topology, \
                            focus passes then a reconcile for each round, crystallize (after a \
                            reconcile) or escalate, final_label";

/// The kinds that a stage of a fixed shape has as parents, where they are there.
fn parent_kinds(kind: &StageKind, shape: &Shape) -> &'static [StageKind] {
    use StageKind as K;
    match kind {
        K::Preflight => &[K::Question],
        K::Retrieval => &[K::Question, K::Preflight],
        K::Topology | K::Context | K::EvidenceMap => &[K::Retrieval],
        K::Prompt => &[K::Question, K::Preflight, K::Context, K::EvidenceMap],
        K::Answer | K::RawAnswer => &[K::Prompt],
        K::ParsedClaimLattice => &[K::RawAnswer],
        K::Verify => &[
            K::Preflight,
            K::Context,
            K::EvidenceMap,
            K::Answer,
            K::ParsedClaimLattice,
        ],
        K::Wisdom => &[K::Answer, K::RawAnswer, K::Verify],
        K::Render => &[K::EvidenceMap, K::Verify],
        K::FinalLabel if *shape == Shape::Decline => &[K::Preflight, K::Retrieval],
        K::FinalLabel => &[K::Preflight, K::Topology, K::Verify, K::Wisdom, K::Render],
        _ => &[],
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name())
    }
}

impl Serialize for Shape {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.name())
    }
}

impl<'de> Deserialize<'de> for Shape {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::parse(&String::deserialize(deserializer)?).map_err(de::Error::custom)
    }
}

/// A stage of a [`CustomShape`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CustomStage {
    /// The kind, without the shape's name.
    pub kind: String,
    /// How often it must occur.
    pub min: u32,
    /// How often it may occur.
    pub max: u32,
    /// The kinds of its parents: every parent is of one of these, and each of these that the run
    /// has is the kind of some parent.
    pub parents: Vec<String>,
}

/// A shape that a caller declares.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CustomShape {
    /// The shape's name: 1 to 64 of `a-z 0-9 _ -`.
    pub name: String,
    /// Its stages.
    pub stages: Vec<CustomStage>,
}

impl CustomShape {
    /// The shape as a [`Shape`].
    #[must_use]
    pub fn shape(&self) -> Shape {
        Shape::Custom(self.name.clone())
    }

    /// The kind of this name.
    ///
    /// # Errors
    /// [`Error::UnknownStageKind`] when the shape does not declare it or a name is malformed.
    pub fn kind(&self, kind: &str) -> Result<CustomKind> {
        if self.stages.iter().any(|s| s.kind == kind) {
            return CustomKind::new(&self.name, kind);
        }
        Err(Error::UnknownStageKind {
            path: "$".into(),
            kind: format!("{}/{kind}", self.name),
        })
    }

    /// Checks stages of these kinds, with these parents, against the declaration.
    pub(crate) fn check(&self, kinds: &[StageKind], parents: &[Vec<usize>]) -> Result<()> {
        let shape = self.shape();
        let full = |kind: &str| format!("{}/{kind}", self.name);
        let present = |kind: &str| kinds.iter().filter(|k| k.as_str() == full(kind)).count();
        for stage in &self.stages {
            let found = present(&stage.kind);
            if found < stage.min as usize || found > stage.max as usize {
                let word = if found < stage.min as usize {
                    "missing"
                } else {
                    "doubled"
                };
                let bounds = format!(
                    "{word}: {found} found, {} to {} accepted",
                    stage.min, stage.max
                );
                return Err(shape.error(full(&stage.kind), bounds));
            }
        }
        for (kind, parents) in kinds.iter().zip(parents) {
            let Some(rule) = self.stages.iter().find(|s| full(&s.kind) == kind.as_str()) else {
                return Err(shape.error(kind, "out of place: the shape does not declare it"));
            };
            let of: Vec<&str> = parents
                .iter()
                .filter_map(|&p| kinds.get(p))
                .map(StageKind::as_str)
                .collect();
            if of
                .iter()
                .any(|p| !rule.parents.iter().any(|r| full(r) == *p))
            {
                return Err(shape.error(kind, "out of place: a parent is of an undeclared kind"));
            }
            let lacks = |r: &&String| present(r) > 0 && !of.contains(&full(r).as_str());
            if let Some(lacking) = rule.parents.iter().find(lacks) {
                return Err(shape.error(kind, format!("out of place: no parent of kind {lacking}")));
            }
        }
        Ok(())
    }
}
