//! Where a dictionary is kept.

use serde::{Deserialize, Serialize};

use super::{ChunkRecord, DictionaryEntry, DictionarySetup, DictionaryState, IngestLog, Op};
use crate::Error;

/// Half of an entry: what damage to a store, or a program that wrote past this trait, leaves.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Stray {
    /// The cube.
    pub cube: String,
    /// The entry.
    pub id: String,
    /// What is there: `passage` or `vector`.
    pub half: String,
}

/// A durable dictionary with its ingestion log. Synchronous and object-safe.
///
/// Laws, checked by the suite behind the feature `conformance`:
/// - there is nothing before [`create`](Self::create); creating again with the same setup changes
///   nothing, with another is refused;
/// - a commit is whole or not at all, the ingestion log included; one made against another
///   generation than the store's is refused, so that of two writers the second one is told;
/// - entries come back bit for bit, listed in the byte order of their ids; a cube holds an id
///   once;
/// - the log of [`log`](Self::log) is the one that commits advance.
pub trait DictionaryStore: Send + Sync {
    /// What the store knows of the dictionary; none before it is created.
    ///
    /// # Errors
    /// [`Error::Backend`] if the store fails.
    fn state(&self) -> Result<Option<DictionaryState>, Error>;

    /// Creates the dictionary, or finds it as it is.
    ///
    /// # Errors
    /// [`Error::OtherDictionary`] if one of another setup is there, [`Error::InvalidSetting`] for
    /// a setup out of range, the store's failure.
    fn create(&self, setup: &DictionarySetup) -> Result<DictionaryState, Error>;

    /// Makes changes, all or none, and gives the new generation.
    ///
    /// # Errors
    /// [`Error::AnotherWriter`] for another generation than the store's;
    /// [`Error::InvalidSetting`] for an unknown cube or text with U+0000; a vector's fault;
    /// [`Error::StaleIngest`]; the store's failure.
    fn commit(&self, generation: u64, ops: &[Op]) -> Result<u64, Error>;

    /// At most `limit` entries of a cube with ids after `after` in byte order, from the first
    /// when `None`. An unknown cube is empty.
    ///
    /// # Errors
    /// [`Error::Backend`] if the store fails.
    fn entries(
        &self,
        cube: &str,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<DictionaryEntry>, Error>;

    /// An entry of a cube, if it is there.
    ///
    /// # Errors
    /// [`Error::Backend`] if the store fails.
    fn entry(&self, cube: &str, id: &str) -> Result<Option<DictionaryEntry>, Error>;

    /// The account of a chunk.
    ///
    /// # Errors
    /// [`Error::Backend`] if the store fails.
    fn record(&self, id: &str) -> Result<Option<ChunkRecord>, Error>;

    /// At most `limit` accounts of chunks with ids after `after` in byte order.
    ///
    /// # Errors
    /// [`Error::Backend`] if the store fails.
    fn records(&self, after: Option<&str>, limit: usize) -> Result<Vec<ChunkRecord>, Error>;

    /// Halves of entries, sorted.
    ///
    /// # Errors
    /// [`Error::Backend`] if the store fails.
    fn strays(&self) -> Result<Vec<Stray>, Error>;

    /// The ingestion log.
    fn log(&self) -> &dyn IngestLog;
}

/// How every store checks its input, in one place, so that all agree.
pub mod dictionary_rules {
    use std::collections::BTreeSet;

    use super::super::{BASELINE, DictionarySetup, Op, ingest_rules::check_text};
    use crate::{Error, Fingerprint, GENERALIST};

    /// Checks a setup.
    ///
    /// # Errors
    /// [`Error::InvalidSetting`], [`Error::ModelMismatch`], the centre's fault.
    pub fn check_setup(setup: &DictionarySetup) -> Result<(), Error> {
        setup.dedup.check()?;
        setup.calibration.check()?;
        setup.calibration.fits(&setup.fingerprint, None)?;
        if let Some(centre) = &setup.centre {
            centre.check("the centre", setup.fingerprint.shape)?;
        }
        Ok(())
    }

    /// The cubes that entries may be put in, with these specialists.
    #[must_use]
    pub fn cubes<'s>(specialists: impl IntoIterator<Item = &'s String>) -> BTreeSet<String> {
        let own = [GENERALIST.to_owned(), BASELINE.to_owned()];
        own.into_iter()
            .chain(specialists.into_iter().cloned())
            .collect()
    }

    /// Checks a change against the cubes that are there, and keeps the cubes current.
    ///
    /// # Errors
    /// [`Error::InvalidSetting`], a vector's fault.
    pub fn check_op(
        op: &Op,
        cubes: &mut BTreeSet<String>,
        space: &Fingerprint,
    ) -> Result<(), Error> {
        match op {
            Op::Put { entry } => {
                let p = &entry.passage;
                for (what, text) in [("an entry's id", &p.entry_id), ("a cube", &p.meta.cube)] {
                    check_text(what, text, false)?;
                }
                for text in [&p.source_id, &p.title, &p.text, &p.meta.parent] {
                    check_text("a passage", text, true)?;
                }
                if !cubes.contains(&p.meta.cube) {
                    let accepted = "the generalist or a specialist that was added";
                    return Err(Error::setting("a cube", &p.meta.cube, accepted));
                }
                if !(0.0..=1.0).contains(&entry.confidence) {
                    return Err(Error::setting("a confidence", entry.confidence, "0 to 1"));
                }
                entry.vector.check(&p.entry_id, space.shape)
            }
            Op::Record { record } => {
                check_text("a chunk id", &record.id, false)?;
                check_text("a source", &record.source, false)?;
                if !(0.0..=1.0).contains(&record.confidence) {
                    return Err(Error::setting("a confidence", record.confidence, "0 to 1"));
                }
                Ok(())
            }
            Op::AddSpecialist { specialist } => {
                check_text("a specialist's name", &specialist.name, false)?;
                check_text("a specialist's label", &specialist.label, false)?;
                if !cubes.contains(&specialist.parent) || specialist.parent == BASELINE {
                    let accepted = "the generalist or a specialist that was added";
                    return Err(Error::setting("a parent", &specialist.parent, accepted));
                }
                if !cubes.insert(specialist.name.clone()) {
                    let accepted = "a name that no cube has yet";
                    return Err(Error::setting("a specialist", &specialist.name, accepted));
                }
                Ok(())
            }
            Op::SetCalibration { calibration } => {
                calibration.check()?;
                calibration.fits(space, None).map(drop)
            }
            Op::ClearCube { cube } => {
                if cube != GENERALIST && cube != BASELINE {
                    cubes.remove(cube);
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Refuses a commit against another generation.
    ///
    /// # Errors
    /// [`Error::AnotherWriter`].
    pub fn check_generation(expected: u64, found: u64) -> Result<(), Error> {
        if expected == found {
            return Ok(());
        }
        Err(Error::AnotherWriter { expected, found })
    }

    /// The error for a change to a dictionary that was not created.
    #[must_use]
    pub fn not_created() -> Error {
        Error::setting("the dictionary", "absent", "one that was created first")
    }
}

impl<S: DictionaryStore + ?Sized> DictionaryStore for std::sync::Arc<S> {
    fn state(&self) -> Result<Option<DictionaryState>, Error> {
        (**self).state()
    }
    fn create(&self, setup: &DictionarySetup) -> Result<DictionaryState, Error> {
        (**self).create(setup)
    }
    fn commit(&self, generation: u64, ops: &[Op]) -> Result<u64, Error> {
        (**self).commit(generation, ops)
    }
    fn entries(
        &self,
        cube: &str,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<DictionaryEntry>, Error> {
        (**self).entries(cube, after, limit)
    }
    fn entry(&self, cube: &str, id: &str) -> Result<Option<DictionaryEntry>, Error> {
        (**self).entry(cube, id)
    }
    fn record(&self, id: &str) -> Result<Option<ChunkRecord>, Error> {
        (**self).record(id)
    }
    fn records(&self, after: Option<&str>, limit: usize) -> Result<Vec<ChunkRecord>, Error> {
        (**self).records(after, limit)
    }
    fn strays(&self) -> Result<Vec<Stray>, Error> {
        (**self).strays()
    }
    fn log(&self) -> &dyn IngestLog {
        (**self).log()
    }
}
