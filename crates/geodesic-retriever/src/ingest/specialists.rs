//! Dictionaries of their own for labels that grew dense: proposed, never spawned silently.

use serde::{Deserialize, Serialize};

use super::report::DrainReport;
use super::{Executor, malformed_name};
use crate::dictionary::{BASELINE, DictionaryEntry, Op, Specialist};
use crate::events::{DictionaryChange, Event};
use crate::{
    AnchorSource, Error, GENERALIST, SessionState, SpecialistOptions, Vector,
    derive_specialist_anchors,
};

/// When a specialist is proposed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct DensityOptions {
    /// From which share of a cube's labelled entries on; default 0.25.
    pub entries: f64,
    /// Or from which share of the questions' labels on; default 0.25.
    pub arrivals: f64,
    /// With fewer entries of the label none is proposed; default 50.
    pub min_entries: usize,
    /// With fewer questions their shares are not looked at; default 50.
    pub min_arrivals: u64,
}

impl Default for DensityOptions {
    fn default() -> Self {
        Self {
            entries: 0.25,
            arrivals: 0.25,
            min_entries: 50,
            min_arrivals: 50,
        }
    }
}

/// A label that could have a dictionary of its own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SpecialistProposal {
    /// The specialist that would be made.
    pub specialist: Specialist,
    /// Entries that would be copied.
    pub entries: usize,
    /// Their share of the parent's labelled entries.
    pub share_of_entries: f64,
    /// The label's share of the questions; none with too few of them.
    pub share_of_arrivals: Option<f64>,
}

/// A specialist that was spawned.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SpawnReport {
    /// The specialist.
    pub specialist: Specialist,
    /// Entries that it holds.
    pub entries: usize,
    /// Where its anchors come from, and why.
    pub anchors: AnchorSource,
}

/// The name of a cube for a label: lower case, words joined by `-`.
fn name_for(label: &str) -> String {
    let lower = label.to_lowercase();
    let parts = lower.split(|c: char| !c.is_alphanumeric());
    let words: Vec<&str> = parts.filter(|w| !w.is_empty()).collect();
    words.join("-")
}

impl Executor {
    fn need_anchors(&self) -> Result<&crate::AnchorSet, Error> {
        self.anchors.as_ref().ok_or_else(|| {
            Error::setting("the anchors", "absent", "anchors, set before (set_anchors)")
        })
    }

    /// Specialists that a cube's entries or the questions so far call for, by label. Nothing is
    /// changed: [`spawn`](Self::spawn) takes one of them.
    ///
    /// # Errors
    /// [`Error::InvalidSetting`] without anchors or for an unknown cube.
    pub fn proposals(
        &self,
        parent: &str,
        session: &SessionState,
        options: &DensityOptions,
    ) -> Result<Vec<SpecialistProposal>, Error> {
        self.need_anchors()?;
        let cube = self.working.cube(parent).ok_or_else(|| {
            Error::setting("a cube", parent, "the generalist or one of its specialists")
        })?;
        let depth = match self.working.state.specialists.get(parent) {
            Some(specialist) => specialist.depth + 1,
            None => 1,
        };
        let labels = cube.labels();
        let total: usize = labels.values().sum();
        let arrivals: u64 = session.winners.values().sum();
        let mut out = Vec::new();
        for (label, &entries) in &labels {
            let base = name_for(label);
            let name = if parent == GENERALIST {
                base
            } else {
                format!("{parent}/{base}")
            };
            let taken = self.working.state.specialists.values();
            let mut taken = taken.filter(|s| s.parent == parent);
            if taken.any(|s| s.label == *label) || entries < options.min_entries {
                continue;
            }
            let share_of_entries = entries as f64 / total.max(1) as f64;
            let won = session.winners.get(*label).copied().unwrap_or(0);
            let share_of_arrivals =
                (arrivals >= options.min_arrivals.max(1)).then(|| won as f64 / arrivals as f64);
            let dense = share_of_entries >= options.entries
                || share_of_arrivals.is_some_and(|s| s >= options.arrivals);
            if dense {
                out.push(SpecialistProposal {
                    specialist: Specialist {
                        name,
                        label: (*label).to_owned(),
                        parent: parent.to_owned(),
                        depth,
                    },
                    entries,
                    share_of_entries,
                    share_of_arrivals,
                });
            }
        }
        Ok(out)
    }

    /// Makes a specialist and copies its parent's entries of its label into it, in one commit.
    /// Entries that come later are copied as they come.
    ///
    /// # Errors
    /// [`Error::InvalidSetting`] without anchors, for a malformed name, an unknown parent, or a
    /// name that is taken; the store's failure.
    pub fn spawn(
        &mut self,
        specialist: &Specialist,
        options: &SpecialistOptions,
    ) -> Result<SpawnReport, Error> {
        self.refresh()?;
        let anchors = self.need_anchors()?.clone();
        let parent = self.working.cube(&specialist.parent).ok_or_else(|| {
            let accepted = "the generalist or one of its specialists";
            Error::setting("a parent", &specialist.parent, accepted)
        })?;
        if let Some(why) = malformed_name(&specialist.name) {
            let found = format!("{:?} ({why:?})", specialist.name);
            return Err(Error::setting(
                "a specialist's name",
                found,
                "a name of its own",
            ));
        }
        if self.working.cube(&specialist.name).is_some() || specialist.name == BASELINE {
            let accepted = "a name that no cube has yet";
            return Err(Error::setting("a specialist", &specialist.name, accepted));
        }
        let mut entries: Vec<DictionaryEntry> = Vec::new();
        let of_label = |id: &str| parent.label(id) == Some(specialist.label.as_str());
        self.each_entry(&specialist.parent, &mut |entry| {
            if of_label(&entry.passage.entry_id) {
                entries.push(entry.clone());
            }
            Ok(())
        })?;
        let vectors: Vec<&Vector> = entries.iter().map(|e| &e.vector).collect();
        let derived = derive_specialist_anchors(&anchors, specialist.depth, &vectors, options)?;
        let mut ops = vec![Op::AddSpecialist {
            specialist: specialist.clone(),
        }];
        let mut account = DrainReport::default();
        let name = specialist.name.clone();
        self.working
            .state
            .specialists
            .insert(name.clone(), specialist.clone());
        self.working.open_cube(&name);
        for entry in &entries {
            let anchors = Some(&anchors);
            self.working
                .copy_to(&name, entry, anchors, &mut ops, &mut account);
        }
        self.commit(&ops)?;
        let held = self.len(&name);
        self.events.emit(&Event::DictionaryEvent {
            change: DictionaryChange::Spawned {
                cube: name,
                entries: held,
            },
        });
        Ok(SpawnReport {
            specialist: specialist.clone(),
            entries: held,
            anchors: derived.source,
        })
    }
}
