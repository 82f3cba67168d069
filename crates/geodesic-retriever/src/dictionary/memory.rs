//! A dictionary in memory.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{
    ChunkRecord, DictionaryEntry, DictionarySetup, DictionaryState, DictionaryStore, IngestLog,
    IngestRecord, MemoryIngestLog, Op, Stray, dictionary_rules, ingest_rules,
};
use crate::Error;

/// A [`DictionaryStore`] in memory.
#[derive(Debug, Default)]
pub struct MemoryDictionary {
    contents: Mutex<Option<Contents>>,
    log: MemoryIngestLog,
}

#[derive(Debug)]
struct Contents {
    state: DictionaryState,
    cubes: BTreeMap<String, BTreeMap<String, DictionaryEntry>>,
    records: BTreeMap<String, ChunkRecord>,
}

impl MemoryDictionary {
    /// Not created yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn contents(&self) -> MutexGuard<'_, Option<Contents>> {
        self.contents.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn page<V: Clone>(of: &BTreeMap<String, V>, after: Option<&str>, limit: usize) -> Vec<V> {
    let start = after.map_or(Bound::Unbounded, Bound::Excluded);
    let range = of.range::<str, _>((start, Bound::Unbounded));
    range.take(limit).map(|(_, v)| v.clone()).collect()
}

/// Makes the changes of a list that concern the log, on copies of the records.
fn log_changes(
    ops: &[Op],
    log: &BTreeMap<String, IngestRecord>,
) -> Result<(bool, BTreeMap<String, Option<IngestRecord>>), Error> {
    let mut touched = BTreeMap::<String, Option<IngestRecord>>::new();
    let mut cleared = false;
    for op in ops {
        let (Op::Advance { source, .. } | Op::Reopen { source } | Op::ForgetSource { source }) = op
        else {
            if matches!(op, Op::ForgetAll) {
                cleared = true;
                touched.clear();
            }
            continue;
        };
        let stored = || log.get(source).filter(|_| !cleared).cloned();
        let record = touched.entry(source.clone()).or_insert_with(stored);
        match op {
            Op::Advance {
                digest,
                step,
                chunk_ids,
                ..
            } => {
                let ids = chunk_ids.as_deref();
                ingest_rules::advance(record.as_mut(), source, digest, *step, ids)?;
            }
            Op::Reopen { .. } => ingest_rules::reopen(record.as_mut()),
            _ => *record = None,
        }
    }
    Ok((cleared, touched))
}

impl Contents {
    fn apply(&mut self, op: &Op) {
        match op {
            Op::Put { entry } => {
                let cube = self
                    .cubes
                    .entry(entry.passage.meta.cube.clone())
                    .or_default();
                cube.insert(entry.passage.entry_id.clone(), (**entry).clone());
            }
            Op::Remove { cube, id } => {
                if let Some(cube) = self.cubes.get_mut(cube) {
                    cube.remove(id);
                }
            }
            Op::Record { record } => {
                self.records.insert(record.id.clone(), record.clone());
            }
            Op::ForgetRecord { id } => {
                self.records.remove(id);
            }
            Op::AddSpecialist { specialist } => {
                let name = specialist.name.clone();
                self.state.specialists.insert(name, specialist.clone());
            }
            Op::ClearCube { cube } => {
                self.cubes.remove(cube);
                self.state.specialists.remove(cube);
            }
            Op::SetCalibration { calibration } => {
                self.state.setup.calibration = (**calibration).clone();
            }
            Op::SetRoot { root } => self.state.root.clone_from(root),
            Op::ForgetAll => self.records.clear(),
            Op::Advance { .. } | Op::Reopen { .. } | Op::ForgetSource { .. } => {}
        }
    }
}

impl DictionaryStore for MemoryDictionary {
    fn state(&self) -> Result<Option<DictionaryState>, Error> {
        Ok(self.contents().as_ref().map(|c| c.state.clone()))
    }

    fn create(&self, setup: &DictionarySetup) -> Result<DictionaryState, Error> {
        dictionary_rules::check_setup(setup)?;
        let mut contents = self.contents();
        let there = contents.get_or_insert_with(|| Contents {
            state: DictionaryState {
                setup: setup.clone(),
                specialists: BTreeMap::new(),
                root: None,
                generation: 0,
            },
            cubes: BTreeMap::new(),
            records: BTreeMap::new(),
        });
        if !there.state.setup.same_dictionary(setup) {
            return Err(Error::OtherDictionary);
        }
        Ok(there.state.clone())
    }

    fn commit(&self, generation: u64, ops: &[Op]) -> Result<u64, Error> {
        let mut contents = self.contents();
        let contents = contents
            .as_mut()
            .ok_or_else(dictionary_rules::not_created)?;
        dictionary_rules::check_generation(generation, contents.state.generation)?;
        let mut cubes = dictionary_rules::cubes(contents.state.specialists.keys());
        for op in ops {
            dictionary_rules::check_op(op, &mut cubes, &contents.state.setup.fingerprint)?;
        }
        let mut log = self.log.records();
        let (cleared, touched) = log_changes(ops, &log)?;
        // Nothing can fail from here on.
        if cleared {
            log.clear();
        }
        for (source, record) in touched {
            match record {
                Some(record) => log.insert(source, record),
                None => log.remove(&source),
            };
        }
        for op in ops {
            contents.apply(op);
        }
        contents.state.generation += 1;
        Ok(contents.state.generation)
    }

    fn entries(
        &self,
        cube: &str,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<DictionaryEntry>, Error> {
        let contents = self.contents();
        let cube = contents.as_ref().and_then(|c| c.cubes.get(cube));
        Ok(cube.map_or_else(Vec::new, |c| page(c, after, limit)))
    }

    fn entry(&self, cube: &str, id: &str) -> Result<Option<DictionaryEntry>, Error> {
        let contents = self.contents();
        let cube = contents.as_ref().and_then(|c| c.cubes.get(cube));
        Ok(cube.and_then(|c| c.get(id)).cloned())
    }

    fn record(&self, id: &str) -> Result<Option<ChunkRecord>, Error> {
        let contents = self.contents();
        Ok(contents.as_ref().and_then(|c| c.records.get(id)).cloned())
    }

    fn records(&self, after: Option<&str>, limit: usize) -> Result<Vec<ChunkRecord>, Error> {
        let contents = self.contents();
        let records = contents.as_ref().map(|c| page(&c.records, after, limit));
        Ok(records.unwrap_or_default())
    }

    fn strays(&self) -> Result<Vec<Stray>, Error> {
        Ok(Vec::new())
    }

    fn log(&self) -> &dyn IngestLog {
        &self.log
    }
}
