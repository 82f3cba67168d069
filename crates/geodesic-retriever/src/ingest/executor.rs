//! The one writer of a dictionary.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::prepare::{Piece, Source, cut, embed, judge, read_source};
use super::report::{DrainReport, FailedSource};
use super::sweep::{self, GONE, SweepReport};
use super::working::Working;
use crate::dictionary::{
    DictionaryEntry, DictionarySetup, DictionaryState, DictionaryStore, Fate, IngestRecord,
    IngestStep, Op, Validator,
};
use crate::events::{DictionaryChange, Event, Events};
use crate::{
    AnchorSet, Chunker, Document, Embedder, EntryKind, Error, GENERALIST, Progress, ReadOptions,
    Stage,
};
use rayon::prelude::*;

/// How the executor works.
#[derive(Debug)]
pub struct ExecutorOptions {
    /// Sources that are read, embedded and committed together; default 16. What is lost by a
    /// crash is at most the work on these, never what was committed.
    pub batch: usize,
    /// How files are read.
    pub read: ReadOptions,
}

impl Default for ExecutorOptions {
    fn default() -> Self {
        Self {
            batch: 16,
            read: ReadOptions::default(),
        }
    }
}

/// Takes sources from the ingestion log into the dictionary: the only writer of its entries
/// (seed 003, `server/work/`).
///
/// Sources go in the byte order of their names, a batch at a time: read, cut, validated, embedded,
/// compared with what is there, inserted, copied to the specialists of their labels. All changes
/// of a batch and its sources' steps in the log are one commit, so that a crash at any moment
/// leaves a state that a run without a crash also goes through. (Verdicts of a costly validator
/// are committed before, so that they are paid for once.)
///
/// What is decided depends on the dictionary and the sources alone, not on threads or time.
pub struct Executor {
    pub(super) store: Arc<dyn DictionaryStore>,
    embedder: Arc<dyn Embedder>,
    validator: Box<dyn Validator>,
    chunker: Chunker,
    options: ExecutorOptions,
    pub(super) anchors: Option<AnchorSet>,
    pub(super) working: Working,
    /// A commit failed: the picture in memory is not what the store holds.
    stale: bool,
    pub(super) events: Events,
}

impl std::fmt::Debug for Executor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Executor")
            .field("validator", &self.validator.id())
            .field("generation", &self.working.state.generation)
            .finish_non_exhaustive()
    }
}

impl Executor {
    /// Opens a dictionary for writing; it is created if it is not there. The chunker must have
    /// the setup's sizes.
    ///
    /// # Errors
    /// [`Error::OtherDictionary`] if one of another setup is there, [`Error::ModelMismatch`] for
    /// another embedder, [`Error::InvalidSetting`] for another chunker or a batch of none; the
    /// store's failure.
    pub fn open(
        store: Arc<dyn DictionaryStore>,
        setup: &DictionarySetup,
        embedder: Arc<dyn Embedder>,
        chunker: Chunker,
        validator: Box<dyn Validator>,
        options: ExecutorOptions,
    ) -> Result<Self, Error> {
        setup
            .fingerprint
            .check("the dictionary", embedder.fingerprint())?;
        if chunker.options() != setup.chunking {
            let found = format!("{:?}", chunker.options());
            return Err(Error::setting(
                "the chunker",
                found,
                format!("{:?}", setup.chunking),
            ));
        }
        if options.batch == 0 {
            return Err(Error::setting("batch", 0, "1 source or more"));
        }
        store.create(setup)?;
        let working = Working::load(store.as_ref(), None)?;
        Ok(Self {
            store,
            embedder,
            validator,
            chunker,
            options,
            anchors: None,
            working,
            stale: false,
            events: Events::new(),
        })
    }

    /// Sets the anchors that entries are labelled by: what specialists need.
    ///
    /// # Errors
    /// [`Error::ModelMismatch`] for anchors of another model; the store's failure.
    pub fn set_anchors(&mut self, anchors: AnchorSet) -> Result<(), Error> {
        anchors
            .fingerprint
            .check_model("the anchors", self.embedder.fingerprint())?;
        self.working = Working::load(self.store.as_ref(), Some(&anchors))?;
        self.anchors = Some(anchors);
        Ok(())
    }

    /// Where changes are told.
    pub fn set_events(&mut self, events: Events) {
        self.events = events;
    }

    /// What the store knows of the dictionary.
    #[must_use]
    pub fn state(&self) -> &DictionaryState {
        &self.working.state
    }

    /// The store.
    #[must_use]
    pub fn store(&self) -> &Arc<dyn DictionaryStore> {
        &self.store
    }

    /// Entries of a cube.
    #[must_use]
    pub fn len(&self, cube: &str) -> usize {
        self.working.cube(cube).map_or(0, super::working::Cube::len)
    }

    /// Whether the generalist holds nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len(GENERALIST) == 0
    }

    /// Whatever entries depend on besides the bytes of their source.
    fn settings(&self) -> Result<String, Error> {
        let setup = &self.working.state.setup;
        let f = &setup.fingerprint;
        let sizes = (setup.chunking.max_size, setup.chunking.overlap);
        let parts = (
            &f.model_id,
            &f.settings,
            &f.learned,
            sizes,
            self.validator.id(),
        );
        serde_json::to_string(&parts).map_err(|e| Error::Backend {
            operation: "describing the settings".into(),
            message: e.to_string(),
        })
    }

    /// Enters the files below a folder into the log: new and changed ones are begun, vanished
    /// ones marked as gone. Writes nothing but the log.
    ///
    /// # Errors
    /// [`Error::Io`] if the folder cannot be read; the store's failure.
    pub fn sweep(
        &self,
        folder: &Path,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<SweepReport, Error> {
        let settings = self.settings()?;
        let log = self.store.log();
        sweep::sweep(folder, &self.options.read, &settings, log, progress)
    }

    /// Works until every source of the log is done or has failed. `folder` is the one that was
    /// swept.
    ///
    /// # Errors
    /// The embedder failing as a whole, or the store's failure. A source that cannot be read or
    /// validated is reported and tried again next time.
    pub fn drain(
        &mut self,
        folder: &Path,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<DrainReport, Error> {
        let span = tracing::info_span!("ingest", folder = %folder.display());
        let _entered = span.enter();
        let mut report = DrainReport::default();
        loop {
            let pass = self.pass(folder, report.sources, progress)?;
            let more = pass.reopened > 0;
            // Those that failed are met again by the next pass.
            report.failed.clear();
            report.merge(pass);
            if !more {
                break;
            }
        }
        self.rest()?;
        tracing::info!(
            sources = report.sources,
            held = report.held,
            failed = report.failed.len(),
            "log drained"
        );
        Ok(report)
    }

    /// Once through the unfinished sources.
    fn pass(
        &mut self,
        folder: &Path,
        done: usize,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<DrainReport, Error> {
        let mut report = DrainReport::default();
        let mut after: Option<String> = None;
        loop {
            self.refresh()?;
            let log = self.store.log();
            let batch = log.page(true, after.as_deref(), self.options.batch)?;
            let Some(last) = batch.last() else {
                return Ok(report);
            };
            after = Some(last.source.clone());
            report.merge(self.batch(batch, folder)?);
            progress(Progress {
                stage: Stage::Insert,
                done: done + report.sources,
                total: None,
            });
        }
    }

    /// Reads the picture again after a commit that failed.
    pub(super) fn refresh(&mut self) -> Result<(), Error> {
        if self.stale {
            self.working = Working::load(self.store.as_ref(), self.anchors.as_ref())?;
            self.stale = false;
        }
        Ok(())
    }

    /// Commits changes, and tells of them.
    pub(super) fn commit(&mut self, ops: &[Op]) -> Result<(), Error> {
        match self.store.commit(self.working.state.generation, ops) {
            Ok(generation) => {
                self.working.state.generation = generation;
                ops.iter().for_each(|op| self.tell(op));
                Ok(())
            }
            Err(e) => {
                self.stale = true;
                Err(e)
            }
        }
    }

    fn tell(&self, op: &Op) {
        let change = match op {
            Op::Record { record } => DictionaryChange::Chunk {
                id: record.id.clone(),
                source: record.source.clone(),
                kind: record.kind,
                fate: record.fate.clone(),
            },
            Op::Remove { cube, id } => DictionaryChange::Removed {
                cube: cube.clone(),
                id: id.clone(),
            },
            Op::ClearCube { cube } => DictionaryChange::Cleared { cube: cube.clone() },
            Op::Advance {
                source,
                step: IngestStep::Done,
                chunk_ids,
                ..
            } => DictionaryChange::Source {
                source: source.clone(),
                entries: chunk_ids.as_ref().map_or(0, Vec::len),
            },
            _ => return,
        };
        self.events.emit(&Event::DictionaryEvent { change });
    }

    fn fail(
        &self,
        record: &IngestRecord,
        reason: String,
        report: &mut DrainReport,
    ) -> Result<(), Error> {
        // U+0000 is what no store takes.
        let reason = reason.replace('\0', "\u{fffd}");
        let log = self.store.log();
        log.fail(&record.source, &record.digest, &reason)?;
        report.failed.push(FailedSource {
            source: record.source.clone(),
            reason,
        });
        Ok(())
    }

    fn batch(&mut self, batch: Vec<IngestRecord>, folder: &Path) -> Result<DrainReport, Error> {
        let mut report = DrainReport::default();
        let settings = self.settings()?;
        let read = &self.options.read;
        let sources: Vec<_> = batch
            .into_par_iter()
            .map(|r| read_source(r, folder, read, &settings, &self.chunker))
            .collect();
        let mut ready = Vec::new();
        for mut source in sources {
            if source.failure.is_none() {
                let pieces = &mut source.pieces;
                let judged = judge(pieces, self.validator.as_ref(), self.store.as_ref());
                source.failure = judged.err().map(|e| e.to_string());
            }
            match source.failure.take() {
                None => ready.push(source),
                Some(reason) => {
                    // What was paid for before the failure is kept.
                    self.keep_verdicts(source.pieces.iter())?;
                    self.fail(&source.record, reason, &mut report)?;
                }
            }
        }
        self.keep_verdicts(ready.iter().flat_map(|s| s.pieces.iter()))?;
        let mut pieces: Vec<&mut Piece> = ready.iter_mut().flat_map(|s| &mut s.pieces).collect();
        embed(&mut pieces, self.embedder.as_ref())?;
        if ready.is_empty() {
            return Ok(report);
        }
        let mut ops = Vec::new();
        if self.working.state.root.take().is_some() {
            ops.push(Op::SetRoot { root: None });
        }
        for source in ready {
            self.place(source, &mut ops, &mut report);
        }
        self.commit(&ops)?;
        Ok(report)
    }

    /// Commits what was paid for.
    fn keep_verdicts<'p>(&mut self, pieces: impl Iterator<Item = &'p Piece>) -> Result<(), Error> {
        let fresh = pieces.filter(|p| p.fresh);
        let ops: Vec<Op> = fresh
            .map(|p| Op::Record {
                record: p.record.clone(),
            })
            .collect();
        if ops.is_empty() {
            return Ok(());
        }
        let mut unused = DrainReport::default();
        for op in &ops {
            if let Op::Record { record } = op {
                let record = record.clone();
                self.working.note(record, &mut Vec::new(), &mut unused);
            }
        }
        self.commit(&ops)
    }

    /// Brings a source into the picture.
    fn place(&mut self, source: Source, ops: &mut Vec<Op>, report: &mut DrainReport) {
        let Source {
            record,
            pieces,
            skipped,
            ..
        } = source;
        report.sources += 1;
        report.skipped.extend(skipped);
        let now: std::collections::BTreeSet<&str> =
            pieces.iter().map(|p| p.record.id.as_str()).collect();
        let before = self.working.of_source(&record.source);
        let former = record.superseded.iter().chain(&before);
        let leaving: std::collections::BTreeSet<String> = former
            .filter(|id| !now.contains(id.as_str()))
            .cloned()
            .collect();
        // What leaves goes first: a changed chunk must not be the duplicate of its former self.
        for id in leaving {
            self.working.withdraw(&id, ops, report);
        }
        if record.digest == GONE {
            report.gone += 1;
            let source = record.source;
            ops.push(Op::ForgetSource { source });
            return;
        }
        let mut given = Vec::new();
        for piece in pieces {
            report.chunks += 1;
            let id = piece.record.id.clone();
            if self.settle(piece, ops, report) == Fate::Held {
                given.push(id);
            }
        }
        ops.push(Op::Advance {
            source: record.source,
            digest: record.digest,
            step: IngestStep::Done,
            chunk_ids: Some(given),
        });
    }

    /// Decides what becomes of a piece.
    fn settle(&mut self, piece: Piece, ops: &mut Vec<Op>, report: &mut DrainReport) -> Fate {
        let id = piece.record.id.clone();
        let held = self.working.cube(GENERALIST).is_some_and(|c| c.holds(&id));
        match piece.vector {
            Some(vector) if !held => {
                let entry = DictionaryEntry {
                    confidence: piece.record.confidence,
                    passage: piece.passage,
                    vector,
                };
                let anchors = self.anchors.as_ref();
                self.working
                    .offer(entry, piece.record, anchors, ops, report)
            }
            Some(_) => {
                let record = crate::ChunkRecord {
                    fate: Fate::Held,
                    ..piece.record
                };
                self.working.note(record, ops, report);
                Fate::Held
            }
            None => {
                if held {
                    self.working.withdraw(&id, ops, report);
                }
                let fate = piece.record.fate.clone();
                self.working.note(piece.record, ops, report);
                fate
            }
        }
    }

    /// Sets the root once there is nothing left to do.
    pub(super) fn rest(&mut self) -> Result<(), Error> {
        if !self.store.log().page(true, None, 1)?.is_empty() {
            return Ok(());
        }
        let root = Some(self.working.root());
        if self.working.state.root != root {
            self.working.state.root.clone_from(&root);
            self.commit(&[Op::SetRoot { root }])?;
        }
        Ok(())
    }

    /// Adds documents that come from no folder: responses, identity, scaffold phrases, facts of
    /// the caller's. Identity and scaffold are taken as they are, neither judged nor compared.
    ///
    /// # Errors
    /// [`Error::InvalidSetting`] for an empty document id or one with U+0000; the validator's, the
    /// embedder's or the store's failure, after which nothing was added.
    pub fn add(&mut self, kind: EntryKind, documents: &[Document]) -> Result<DrainReport, Error> {
        self.refresh()?;
        let mut report = DrainReport::default();
        let mut pieces: Vec<Piece> = Vec::new();
        for document in documents {
            crate::ingest_rules::check_text("a document's id", &document.id, false)?;
            pieces.extend(cut(document, &document.id, kind, &self.chunker));
        }
        if matches!(kind, EntryKind::Fact | EntryKind::Response) {
            judge(&mut pieces, self.validator.as_ref(), self.store.as_ref())?;
        }
        let mut all: Vec<&mut Piece> = pieces.iter_mut().collect();
        embed(&mut all, self.embedder.as_ref())?;
        let mut ops = Vec::new();
        for piece in pieces {
            report.chunks += 1;
            self.settle(piece, &mut ops, &mut report);
        }
        let root = Some(self.working.root());
        self.working.state.root.clone_from(&root);
        ops.push(Op::SetRoot { root });
        self.commit(&ops)?;
        Ok(report)
    }

    /// Sources of the log that are not done.
    ///
    /// # Errors
    /// The store's failure.
    pub fn pending(&self) -> Result<usize, Error> {
        Ok(self.store.log().page(true, None, usize::MAX)?.len())
    }

    /// The path of a source below a folder.
    #[must_use]
    pub fn path_of(folder: &Path, source: &str) -> PathBuf {
        folder.join(source)
    }
}
