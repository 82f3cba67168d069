//! The three sweeps at shutdown: malformed specialists, artifacts, orphans. Each is a dry run
//! first: the same account, nothing written.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::report::DrainReport;
use super::{Executor, MalformedName, malformed_name};
use crate::dictionary::{
    ArtifactCatalogue, ArtifactLevel, ChunkRecord, DictionaryEntry, Fate, Op, Stray, is_prunable,
};
use crate::{Error, GENERALIST};

/// How the sweeps work.
#[derive(Debug, Clone)]
pub struct MaintenanceOptions {
    /// Only say what would be done; default true.
    pub dry_run: bool,
    /// The patterns.
    pub catalogue: ArtifactCatalogue,
    /// Patterns below this level are left out; default likely.
    pub level: ArtifactLevel,
    /// From which share of artifacts on an entry goes; default 0.5.
    pub share: f64,
    /// Whether entries of a malformed specialist are taken out of all other cubes too. The seed
    /// does so; here a specialist holds copies of what the validator accepted, and a bad name
    /// says nothing against them, so that the default is false.
    pub propagate: bool,
    /// The folder that entries are archived in before they are removed.
    pub archive: PathBuf,
    /// The time, in ISO 8601, as the caller's clock has it: what the archive's file is called.
    pub stamp: String,
}

impl MaintenanceOptions {
    /// A dry run with the defaults.
    #[must_use]
    pub fn new(archive: impl Into<PathBuf>, stamp: impl Into<String>) -> Self {
        Self {
            dry_run: true,
            catalogue: ArtifactCatalogue::default(),
            level: ArtifactLevel::Likely,
            share: 0.5,
            propagate: false,
            archive: archive.into(),
            stamp: stamp.into(),
        }
    }

    fn check(&self) -> Result<(), Error> {
        if !(self.share > 0.0 && self.share <= 1.0) {
            let accepted = "above 0, at most 1";
            return Err(Error::setting(
                "the share of artifacts",
                self.share,
                accepted,
            ));
        }
        let sign = |c: char| c.is_ascii_alphanumeric() || "-:.+_".contains(c);
        if self.stamp.is_empty() || !self.stamp.chars().all(sign) || self.stamp.starts_with('.') {
            let accepted = "a time such as 2026-11-30T22:00:00Z";
            return Err(Error::setting("the stamp", &self.stamp, accepted));
        }
        Ok(())
    }
}

/// A specialist with a name that no one would give.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MalformedSpecialist {
    /// Its cube.
    pub name: String,
    /// What is wrong with the name.
    pub why: MalformedName,
    /// Entries that it holds.
    pub entries: usize,
    /// Entries taken out of other cubes too.
    pub elsewhere: usize,
}

/// An entry that is an artifact.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PurgedEntry {
    /// The cube.
    pub cube: String,
    /// The entry.
    pub id: String,
    /// The pattern.
    pub pattern: String,
    /// The share of the text that is artifact.
    pub share: f64,
}

/// What the sweep for artifacts found.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ArtifactSweep {
    /// Entries looked at.
    pub looked_at: usize,
    /// Entries that are artifacts, by cube and id.
    pub purged: Vec<PurgedEntry>,
}

/// What the sweep for orphans found.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct OrphanSweep {
    /// Halves of entries in the store.
    pub strays: Vec<Stray>,
    /// Accounts of chunks that say "held" of an entry that no cube holds.
    pub unheld: Vec<String>,
    /// Accounts of chunks whose source is not in the log, and which hold nothing.
    pub sourceless: Vec<String>,
}

/// The three sweeps.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ShutdownReport {
    /// Whether nothing was written.
    pub dry_run: bool,
    /// The first sweep.
    pub malformed: Vec<MalformedSpecialist>,
    /// The second.
    pub artifacts: ArtifactSweep,
    /// The third.
    pub orphans: OrphanSweep,
    /// Entries archived.
    pub archived: usize,
    /// The archive, where something was archived.
    pub archive: Option<PathBuf>,
}

/// A line of an archive.
#[derive(Serialize)]
struct Archived<'a> {
    cube: &'a str,
    why: String,
    #[serde(flatten)]
    entry: &'a DictionaryEntry,
}

/// Entries read from the store at a time.
const PAGE: usize = 512;

impl Executor {
    /// Runs the three sweeps, as the seed does at every clean shutdown: specialists with malformed
    /// names, then entries that are artifacts, then orphans. With `dry_run` nothing is written;
    /// otherwise what is removed is archived as JSON lines, and on the disk, before.
    ///
    /// # Errors
    /// [`Error::InvalidSetting`]; [`Error::Io`] if the archive cannot be written or is there
    /// already, after which nothing was removed; the store's failure.
    pub fn shutdown(&mut self, options: &MaintenanceOptions) -> Result<ShutdownReport, Error> {
        options.check()?;
        self.refresh()?;
        let malformed = self.malformed(options.propagate);
        let cans: BTreeSet<&str> = malformed.iter().map(|m| m.name.as_str()).collect();
        let artifacts = self.artifacts(options, &cans)?;
        let orphans = self.orphans(&cans)?;
        let mut report = ShutdownReport {
            dry_run: options.dry_run,
            archived: self.to_archive(&malformed, &artifacts),
            archive: None,
            malformed,
            artifacts,
            orphans,
        };
        if options.dry_run {
            return Ok(report);
        }
        if report.archived > 0 {
            report.archive = Some(self.archive(options, &report)?);
        }
        let ops = self.removals(options, &report);
        if !ops.is_empty() {
            self.commit(&ops)?;
            self.rest()?;
        }
        Ok(report)
    }

    fn malformed(&self, propagate: bool) -> Vec<MalformedSpecialist> {
        let names: Vec<&str> = self.working.cubes().map(|(n, _)| n).collect();
        let mut out = Vec::new();
        for name in names.iter().filter(|n| **n != GENERALIST) {
            let (Some(why), Some(cube)) = (malformed_name(name), self.working.cube(name)) else {
                continue;
            };
            let held_elsewhere = |id: &&str| {
                self.working
                    .cubes()
                    .any(|(other, c)| other != *name && c.holds(id))
            };
            out.push(MalformedSpecialist {
                name: (*name).to_owned(),
                why,
                entries: cube.len(),
                elsewhere: if propagate {
                    cube.ids().filter(held_elsewhere).count()
                } else {
                    0
                },
            });
        }
        out
    }

    fn artifacts(
        &self,
        options: &MaintenanceOptions,
        cans: &BTreeSet<&str>,
    ) -> Result<ArtifactSweep, Error> {
        let mut out = ArtifactSweep::default();
        let names: Vec<&str> = self.working.cubes().map(|(n, _)| n).collect();
        for cube in names.into_iter().filter(|n| !cans.contains(n)) {
            self.each_entry(cube, &mut |entry| {
                if !is_prunable(entry.passage.meta.kind) {
                    return Ok(());
                }
                out.looked_at += 1;
                let found = options.catalogue.find(&entry.passage.text, options.level);
                if let Some(found) = found.filter(|f| f.share >= options.share) {
                    out.purged.push(PurgedEntry {
                        cube: cube.to_owned(),
                        id: entry.passage.entry_id.clone(),
                        pattern: found.pattern,
                        share: found.share,
                    });
                }
                Ok(())
            })?;
        }
        Ok(out)
    }

    fn orphans(&self, cans: &BTreeSet<&str>) -> Result<OrphanSweep, Error> {
        let log = self.store.log();
        let mut out = OrphanSweep {
            strays: self.store.strays()?,
            ..OrphanSweep::default()
        };
        let mut known = std::collections::BTreeMap::<&str, bool>::new();
        for record in self.working.records() {
            let mut cubes = self.working.cubes();
            let held = cubes.any(|(n, c)| !cans.contains(n) && c.holds(&record.id));
            if record.fate == Fate::Held && !held {
                out.unheld.push(record.id.clone());
                continue;
            }
            let from_log = match known.get(record.source.as_str()) {
                Some(known) => *known,
                None => {
                    let there = log.get(&record.source)?.is_some();
                    known.insert(&record.source, there);
                    there
                }
            };
            if !from_log && !held {
                out.sourceless.push(record.id.clone());
            }
        }
        Ok(out)
    }

    fn to_archive(&self, malformed: &[MalformedSpecialist], artifacts: &ArtifactSweep) -> usize {
        malformed.iter().map(|m| m.entries).sum::<usize>() + artifacts.purged.len()
    }

    pub(super) fn each_entry(
        &self,
        cube: &str,
        each: &mut dyn FnMut(&DictionaryEntry) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut after: Option<String> = None;
        loop {
            let page = self.store.entries(cube, after.as_deref(), PAGE)?;
            let Some(last) = page.last() else {
                return Ok(());
            };
            after = Some(last.passage.entry_id.clone());
            page.iter().try_for_each(&mut *each)?;
        }
    }

    /// Writes what will be removed; the file is complete and on the disk when this returns.
    fn archive(
        &self,
        options: &MaintenanceOptions,
        report: &ShutdownReport,
    ) -> Result<PathBuf, Error> {
        let folder: &Path = &options.archive;
        std::fs::create_dir_all(folder).map_err(|e| Error::io(folder, &e))?;
        let path = folder.join(format!("{}.jsonl", options.stamp));
        let io = |e: std::io::Error| Error::io(&path, &e);
        let file = std::fs::File::create_new(&path).map_err(io)?;
        let mut out = std::io::BufWriter::new(file);
        let mut line = |cube: &str, why: String, entry: &DictionaryEntry| {
            let archived = Archived { cube, why, entry };
            serde_json::to_writer(&mut out, &archived).map_err(|e| Error::io(&path, &e.into()))?;
            out.write_all(b"\n").map_err(io)
        };
        for can in &report.malformed {
            let why = serde_json::to_string(&can.why).unwrap_or_default();
            let why = format!("malformed specialist: {}", why.trim_matches('"'));
            self.each_entry(&can.name, &mut |e| line(&can.name, why.clone(), e))?;
        }
        for purged in &report.artifacts.purged {
            let found = self.store.entry(&purged.cube, &purged.id)?;
            if let Some(entry) = found {
                line(
                    &purged.cube,
                    format!("artifact: {}", purged.pattern),
                    &entry,
                )?;
            }
        }
        let file = out.into_inner().map_err(|e| io(e.into_error()))?;
        file.sync_all().map_err(io)?;
        Ok(path)
    }

    fn removals(&mut self, options: &MaintenanceOptions, report: &ShutdownReport) -> Vec<Op> {
        let mut ops = Vec::new();
        let mut account = DrainReport::default();
        for can in &report.malformed {
            let ids: Vec<String> = match self.working.cube(&can.name) {
                Some(cube) if options.propagate => cube.ids().map(str::to_owned).collect(),
                _ => Vec::new(),
            };
            self.working.clear(&can.name, &mut ops);
            for id in ids {
                self.working.withdraw(&id, &mut ops, &mut account);
            }
        }
        for purged in &report.artifacts.purged {
            self.working.drop_from(&purged.cube, &purged.id, &mut ops);
            if let Some(record) = self.working.record(&purged.id).cloned() {
                let pattern = purged.pattern.clone();
                let fate = Fate::Purged { pattern };
                let record = ChunkRecord { fate, ..record };
                self.working.note(record, &mut ops, &mut account);
            }
        }
        for stray in &report.orphans.strays {
            ops.push(Op::Remove {
                cube: stray.cube.clone(),
                id: stray.id.clone(),
            });
        }
        let orphans = report.orphans.unheld.iter();
        for id in orphans.chain(&report.orphans.sourceless) {
            self.working.withdraw(id, &mut ops, &mut account);
        }
        ops
    }
}
