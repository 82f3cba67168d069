//! Back to nothing, or back to the baseline.

use serde::{Deserialize, Serialize};

use super::Executor;
use super::report::DrainReport;
use crate::dictionary::{BASELINE, ChunkRecord, DictionaryEntry, Fate, Op};
use crate::{Error, GENERALIST};

/// How far a reset goes (seed 003, "Two-Tier Reset").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ResetMode {
    /// No entry, no specialist, no baseline, an empty ingestion log.
    Full,
    /// The entries of the baseline, no specialist, an empty ingestion log.
    Baseline,
}

impl Executor {
    /// Saves the generalist's entries as the baseline, in place of the one before, and says how
    /// many there are.
    ///
    /// # Errors
    /// The store's failure.
    pub fn save_baseline(&mut self) -> Result<usize, Error> {
        self.refresh()?;
        let mut ops = vec![Op::ClearCube {
            cube: BASELINE.to_owned(),
        }];
        self.each_entry(GENERALIST, &mut |entry| {
            let entry = Box::new(entry.in_cube(BASELINE));
            ops.push(Op::Put { entry });
            Ok(())
        })?;
        self.commit(&ops)?;
        Ok(ops.len() - 1)
    }

    /// Resets the dictionary in one commit. A sweep afterwards finds every file new.
    ///
    /// # Errors
    /// [`Error::InvalidSetting`] if there is no baseline to go back to; the store's failure.
    pub fn reset(&mut self, mode: ResetMode) -> Result<(), Error> {
        self.refresh()?;
        let mut baseline: Vec<DictionaryEntry> = Vec::new();
        if mode == ResetMode::Baseline {
            self.each_entry(BASELINE, &mut |entry| {
                baseline.push(entry.in_cube(GENERALIST));
                Ok(())
            })?;
            if baseline.is_empty() {
                let accepted = "a baseline that was saved before";
                return Err(Error::setting("the baseline", "absent", accepted));
            }
        }
        let mut kept = Vec::new();
        for entry in &baseline {
            let id = &entry.passage.entry_id;
            kept.push(self.working.record(id).cloned().unwrap_or(ChunkRecord {
                id: id.clone(),
                source: entry.passage.source_id.clone(),
                kind: entry.passage.meta.kind,
                validator: String::new(),
                confidence: entry.confidence,
                fate: Fate::Held,
            }));
        }
        let mut ops = vec![Op::ForgetAll];
        let cubes: Vec<String> = self.working.cubes().map(|(n, _)| n.to_owned()).collect();
        for cube in cubes {
            self.working.clear(&cube, &mut ops);
        }
        if mode == ResetMode::Full {
            let cube = BASELINE.to_owned();
            ops.push(Op::ClearCube { cube });
        }
        self.working.forget_all();
        let mut account = DrainReport::default();
        for (entry, record) in baseline.into_iter().zip(kept) {
            let anchors = self.anchors.as_ref();
            self.working
                .restore(entry, record, anchors, &mut ops, &mut account);
        }
        let root = Some(self.working.root());
        self.working.state.root.clone_from(&root);
        ops.push(Op::SetRoot { root });
        self.commit(&ops)
    }
}
