//! What is done about a broad question, and who decided it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::quantifier::Rung;
use super::shape::QuestionShape;
use crate::parse::AnswerMode;

impl AnswerMode {
    /// Whether the model emits pointers, so that the runtime composes the claim lattice.
    #[must_use]
    pub fn is_lattice(self) -> bool {
        matches!(self, Self::Pointer | Self::Json)
    }
}

/// A level at which an action of the guard can be switched, least specific first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// What the process starts with; the built-in default where it says nothing.
    ProcessDefault,
    /// The preflight policy.
    Policy,
    /// The answer mode.
    Mode,
    /// The question's shape.
    Shape,
    /// A marker inside the question.
    QuestionMarker,
    /// This one call.
    Call,
}

/// The switches of one level. `None` leaves the decision to the level below.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct GuardSwitches {
    /// Whether a reminder may be added to the prompt.
    pub reminder: Option<bool>,
    /// Whether the number of claims may be capped.
    pub cap: Option<bool>,
    /// Whether the question may be rejected as too broad.
    pub reject: Option<bool>,
}

impl GuardSwitches {
    /// Leaves everything to the level below.
    pub const INHERIT: Self = Self {
        reminder: None,
        cap: None,
        reject: None,
    };

    /// Switches the whole guard off.
    pub const OFF: Self = Self {
        reminder: Some(false),
        cap: Some(false),
        reject: Some(false),
    };
}

/// From which demand the number of claims is capped, and at how many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct CapRule {
    /// The lowest demand that is capped.
    pub at: Rung,
    /// The most claims that an answer may then make.
    pub max_claims: u32,
}

/// The guard's thresholds and its switches below the level of one call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct GuardPolicy {
    /// The lowest demand that adds a reminder; `None`: never. Default 5 ("many").
    pub reminder_at: Option<Rung>,
    /// When and how the number of claims is capped. Default: not at all (opt-in).
    pub cap: Option<CapRule>,
    /// The lowest demand that is rejected as too broad; `None`, the default: never.
    pub reject_at: Option<Rung>,
    /// Switches of the level `policy`.
    pub switches: GuardSwitches,
    /// Switches of the level `mode`.
    pub by_mode: BTreeMap<AnswerMode, GuardSwitches>,
    /// Switches of the level `shape`.
    pub by_shape: BTreeMap<QuestionShape, GuardSwitches>,
    /// Whether markers inside the question (`[no-guard]`, `[no-reminder]`, `[no-cap]`,
    /// `[no-reject]`) are obeyed. They are removed from the question either way. Default true;
    /// turn it off where the person who asks must not lift the operator's limits.
    pub obey_question_markers: bool,
}

impl Default for GuardPolicy {
    fn default() -> Self {
        Self {
            reminder_at: Some(Rung::Many),
            cap: None,
            reject_at: None,
            switches: GuardSwitches::INHERIT,
            by_mode: BTreeMap::new(),
            by_shape: BTreeMap::new(),
            obey_question_markers: true,
        }
    }
}

/// The strongest thing that the guard did.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum GuardResult {
    /// Nothing.
    #[default]
    Allow,
    /// A reminder was added to the prompt.
    Reminder,
    /// The number of claims was capped.
    Cap,
    /// The question is not asked.
    Reject,
}

/// Whether an action was switched on, and by which level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SwitchDecision {
    /// Whether it may be taken.
    pub enabled: bool,
    /// The most specific level that said so.
    pub decided_by: Level,
}

/// The decisions on the guard's three actions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct GuardDecisions {
    /// The reminder.
    pub reminder: SwitchDecision,
    /// The cap.
    pub cap: SwitchDecision,
    /// The rejection.
    pub reject: SwitchDecision,
}

/// The switches of all six levels for one question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Levels {
    /// One a level, in the order of [`Level`].
    pub(crate) switches: [GuardSwitches; 6],
    /// What holds where no level says anything.
    pub(crate) lattice_mode: bool,
}

const ORDER: [Level; 6] = [
    Level::ProcessDefault,
    Level::Policy,
    Level::Mode,
    Level::Shape,
    Level::QuestionMarker,
    Level::Call,
];

impl Levels {
    /// The most specific level that says anything wins.
    fn decide(&self, built_in: bool, of: fn(&GuardSwitches) -> Option<bool>) -> SwitchDecision {
        let said = self.switches.iter().zip(ORDER).rev();
        let mut said = said.filter_map(|(s, level)| of(s).map(|on| (on, level)));
        let (enabled, decided_by) = said.next().unwrap_or((built_in, Level::ProcessDefault));
        SwitchDecision {
            enabled,
            decided_by,
        }
    }

    /// Decides the three actions. Built in: the reminder in lattice modes only; cap and reject
    /// everywhere (they do nothing until the policy gives them a threshold).
    pub(crate) fn decisions(&self) -> GuardDecisions {
        GuardDecisions {
            reminder: self.decide(self.lattice_mode, |s| s.reminder),
            cap: self.decide(true, |s| s.cap),
            reject: self.decide(true, |s| s.reject),
        }
    }
}

/// What the guard does about a demand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct GuardOutcome {
    pub(crate) result: GuardResult,
    pub(crate) remind: bool,
    pub(crate) max_claims: Option<u32>,
}

/// Applies the thresholds to a demand under the decisions of the levels.
pub(crate) fn guard(
    demand: Rung,
    policy: &GuardPolicy,
    decisions: &GuardDecisions,
) -> GuardOutcome {
    let reaches = |at: Option<Rung>| demand > Rung::None && at.is_some_and(|at| demand >= at);
    if decisions.reject.enabled && reaches(policy.reject_at) {
        return GuardOutcome {
            result: GuardResult::Reject,
            remind: false,
            max_claims: None,
        };
    }
    let cap = policy
        .cap
        .filter(|c| decisions.cap.enabled && reaches(Some(c.at)));
    let remind = decisions.reminder.enabled && reaches(policy.reminder_at);
    let result = match (cap, remind) {
        (Some(_), _) => GuardResult::Cap,
        (None, true) => GuardResult::Reminder,
        (None, false) => GuardResult::Allow,
    };
    GuardOutcome {
        result,
        remind,
        max_claims: cap.map(|c| c.max_claims),
    }
}

/// The markers that a question may carry, with the switches they stand for.
const MARKERS: [(&str, GuardSwitches); 4] = [
    ("[no-guard]", GuardSwitches::OFF),
    (
        "[no-reminder]",
        GuardSwitches {
            reminder: Some(false),
            ..GuardSwitches::INHERIT
        },
    ),
    (
        "[no-cap]",
        GuardSwitches {
            cap: Some(false),
            ..GuardSwitches::INHERIT
        },
    ),
    (
        "[no-reject]",
        GuardSwitches {
            reject: Some(false),
            ..GuardSwitches::INHERIT
        },
    ),
];

/// Takes the markers at either end of a question off, and returns what they switch.
pub(crate) fn take_markers(question: &str) -> (&str, GuardSwitches, Vec<String>) {
    let mut rest = question.trim();
    let mut switches = GuardSwitches::INHERIT;
    let mut found = Vec::new();
    while let Some((shorter, name, marked)) = MARKERS.iter().find_map(|(name, marked)| {
        let shorter = rest
            .strip_prefix(name)
            .or_else(|| rest.strip_suffix(name))?;
        Some((shorter.trim(), *name, *marked))
    }) {
        rest = shorter;
        switches = GuardSwitches {
            reminder: marked.reminder.or(switches.reminder),
            cap: marked.cap.or(switches.cap),
            reject: marked.reject.or(switches.reject),
        };
        if !found.iter().any(|f| f == name) {
            found.push(name.to_owned());
        }
    }
    (rest, switches, found)
}
