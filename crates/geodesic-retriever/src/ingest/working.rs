//! The executor's picture of a dictionary: what its decisions need, in memory.

use std::collections::{BTreeMap, BTreeSet};

use super::report::DrainReport;
use crate::dictionary::{
    Capacity, ChunkRecord, Deduplicator, DictionaryEntry, DictionaryState, DictionaryStore, Fate,
    Op, PruneKey, is_prunable,
};
use crate::{AnchorSet, EntryKind, Error, GENERALIST, Vector};

/// Entries read from the store at a time.
const PAGE: usize = 512;

/// What is known of an entry of a cube.
struct Facts {
    kind: EntryKind,
    key: PruneKey,
    label: Option<String>,
}

#[derive(Default)]
pub(super) struct Cube {
    entries: BTreeMap<String, Facts>,
    /// Entries that may be pruned, worst first.
    order: BTreeSet<PruneKey>,
    /// Those of them that are responses.
    responses: BTreeSet<PruneKey>,
}

impl Cube {
    fn add(&mut self, id: &str, facts: Facts) {
        self.remove(id);
        if is_prunable(facts.kind) {
            self.order.insert(facts.key.clone());
        }
        if facts.kind == EntryKind::Response {
            self.responses.insert(facts.key.clone());
        }
        self.entries.insert(id.to_owned(), facts);
    }

    fn remove(&mut self, id: &str) -> Option<Facts> {
        let facts = self.entries.remove(id)?;
        self.order.remove(&facts.key);
        self.responses.remove(&facts.key);
        Some(facts)
    }

    /// The entry that has to go, if the cube holds too much.
    fn over(&self, capacity: Capacity) -> Option<PruneKey> {
        if self.responses.len() > capacity.responses() {
            return self.responses.first().cloned();
        }
        if self.entries.len() > capacity.entries() {
            return self.order.first().cloned();
        }
        None
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn ids(&self) -> impl Iterator<Item = &str> {
        self.entries.keys().map(String::as_str)
    }

    pub(super) fn holds(&self, id: &str) -> bool {
        self.entries.contains_key(id)
    }

    /// Entries by label.
    pub(super) fn labels(&self) -> BTreeMap<&str, usize> {
        let mut counts = BTreeMap::new();
        for label in self.entries.values().filter_map(|f| f.label.as_deref()) {
            *counts.entry(label).or_default() += 1;
        }
        counts
    }

    pub(super) fn label(&self, id: &str) -> Option<&str> {
        self.entries.get(id)?.label.as_deref()
    }
}

/// The picture. Its changes go together with [`Op`]s; a commit that fails makes it void.
pub(super) struct Working {
    pub(super) state: DictionaryState,
    cubes: BTreeMap<String, Cube>,
    dedup: Deduplicator,
    records: BTreeMap<String, ChunkRecord>,
    by_source: BTreeMap<String, BTreeSet<String>>,
    /// Of an entry, the chunks that it makes superfluous.
    duplicates: BTreeMap<String, BTreeSet<String>>,
}

impl Working {
    pub(super) fn load(
        store: &dyn DictionaryStore,
        anchors: Option<&AnchorSet>,
    ) -> Result<Self, Error> {
        let state = store
            .state()?
            .ok_or_else(crate::dictionary::dictionary_rules::not_created)?;
        let dedup = Deduplicator::new(state.setup.dedup, state.setup.centre.as_ref())?;
        let names: Vec<String> = state.specialists.keys().cloned().collect();
        let mut out = Self {
            state,
            cubes: BTreeMap::new(),
            dedup,
            records: BTreeMap::new(),
            by_source: BTreeMap::new(),
            duplicates: BTreeMap::new(),
        };
        let mut after: Option<String> = None;
        loop {
            let page = store.records(after.as_deref(), PAGE)?;
            let Some(last) = page.last() else { break };
            after = Some(last.id.clone());
            page.into_iter().for_each(|record| out.remember(record));
        }
        for cube in std::iter::once(GENERALIST.to_owned()).chain(names) {
            out.cubes.insert(cube.clone(), Cube::default());
            let mut after: Option<String> = None;
            loop {
                let page = store.entries(&cube, after.as_deref(), PAGE)?;
                let Some(last) = page.last() else { break };
                after = Some(last.passage.entry_id.clone());
                for entry in &page {
                    out.hold(&cube, entry, anchors);
                }
            }
        }
        Ok(out)
    }

    pub(super) fn cube(&self, name: &str) -> Option<&Cube> {
        self.cubes.get(name)
    }

    pub(super) fn cubes(&self) -> impl Iterator<Item = (&str, &Cube)> {
        self.cubes.iter().map(|(n, c)| (n.as_str(), c))
    }

    pub(super) fn record(&self, id: &str) -> Option<&ChunkRecord> {
        self.records.get(id)
    }

    pub(super) fn records(&self) -> impl Iterator<Item = &ChunkRecord> {
        self.records.values()
    }

    pub(super) fn of_source(&self, source: &str) -> BTreeSet<String> {
        self.by_source.get(source).cloned().unwrap_or_default()
    }

    fn remember(&mut self, record: ChunkRecord) {
        self.forget(&record.id);
        self.by_source
            .entry(record.source.clone())
            .or_default()
            .insert(record.id.clone());
        if let Fate::Duplicate { of, .. } = &record.fate {
            self.duplicates
                .entry(of.clone())
                .or_default()
                .insert(record.id.clone());
        }
        self.records.insert(record.id.clone(), record);
    }

    fn forget(&mut self, id: &str) -> Option<ChunkRecord> {
        let record = self.records.remove(id)?;
        if let Some(of_source) = self.by_source.get_mut(&record.source) {
            of_source.remove(id);
            if of_source.is_empty() {
                self.by_source.remove(&record.source);
            }
        }
        if let Fate::Duplicate { of, .. } = &record.fate
            && let Some(of_entry) = self.duplicates.get_mut(of)
        {
            of_entry.remove(id);
            if of_entry.is_empty() {
                self.duplicates.remove(of);
            }
        }
        Some(record)
    }

    fn hold(&mut self, cube: &str, entry: &DictionaryEntry, anchors: Option<&AnchorSet>) {
        let passage = &entry.passage;
        let facts = Facts {
            kind: passage.meta.kind,
            key: PruneKey::new(&passage.entry_id, &passage.text, entry.confidence),
            label: anchors.and_then(|a| label_of(a, &entry.vector)),
        };
        if cube == GENERALIST {
            self.dedup
                .add(passage.meta.kind, &passage.entry_id, &entry.vector);
        }
        self.cubes
            .entry(cube.to_owned())
            .or_default()
            .add(&passage.entry_id, facts);
    }

    /// Notes a chunk's account.
    pub(super) fn note(
        &mut self,
        record: ChunkRecord,
        ops: &mut Vec<Op>,
        report: &mut DrainReport,
    ) {
        report.count(&record.fate);
        ops.push(Op::Record {
            record: record.clone(),
        });
        self.remember(record);
    }

    /// Puts an entry into the generalist unless another one says the same, copies it to the
    /// specialists of its label, and makes room where there is too much.
    pub(super) fn offer(
        &mut self,
        entry: DictionaryEntry,
        record: ChunkRecord,
        anchors: Option<&AnchorSet>,
        ops: &mut Vec<Op>,
        report: &mut DrainReport,
    ) -> Fate {
        let id = entry.passage.entry_id.clone();
        let kind = entry.passage.meta.kind;
        let twin = is_prunable(kind)
            .then(|| self.dedup.duplicate_of(kind, &entry.vector, &id))
            .flatten();
        if let Some((of, cosine)) = twin {
            let fate = Fate::Duplicate { of, cosine };
            let fate_again = fate.clone();
            self.note(ChunkRecord { fate, ..record }, ops, report);
            return fate_again;
        }
        self.hold(GENERALIST, &entry, anchors);
        let fate = Fate::Held;
        self.note(ChunkRecord { fate, ..record }, ops, report);
        let label = self.cube(GENERALIST).and_then(|c| c.label(&id));
        let specialists = self.state.specialists.values();
        let copies: Vec<String> = specialists
            .filter(|s| Some(s.label.as_str()) == label)
            .map(|s| s.name.clone())
            .collect();
        for cube in &copies {
            let copy = entry.in_cube(cube);
            self.hold(cube, &copy, anchors);
            let entry = Box::new(copy);
            ops.push(Op::Put { entry });
        }
        let entry = Box::new(entry);
        ops.push(Op::Put { entry });
        for cube in std::iter::once(GENERALIST).chain(copies.iter().map(String::as_str)) {
            self.make_room(cube, ops, report);
        }
        let record = self.records.get(&id);
        record.map_or(Fate::Held, |r| r.fate.clone())
    }

    /// Removes the worst entries until the cube is within its caps.
    pub(super) fn make_room(&mut self, cube: &str, ops: &mut Vec<Op>, report: &mut DrainReport) {
        let capacity = self.state.setup.capacity;
        while let Some(worst) = self.cubes.get(cube).and_then(|c| c.over(capacity)) {
            self.drop_from(cube, &worst.id, ops);
            if cube != GENERALIST {
                continue;
            }
            if let Some(record) = self.records.get(&worst.id).cloned() {
                let fate = Fate::Pruned { tier: worst.tier };
                self.note(ChunkRecord { fate, ..record }, ops, report);
            }
        }
    }

    /// Takes an entry out of one cube.
    pub(super) fn drop_from(&mut self, cube: &str, id: &str, ops: &mut Vec<Op>) -> bool {
        let facts = self.cubes.get_mut(cube).and_then(|c| c.remove(id));
        let Some(facts) = facts else { return false };
        if cube == GENERALIST {
            self.dedup.remove(facts.kind, id);
        }
        let (cube, id) = (cube.to_owned(), id.to_owned());
        ops.push(Op::Remove { cube, id });
        true
    }

    /// Takes a chunk out of all cubes and forgets its account. Sources whose chunks it made
    /// superfluous are opened again.
    pub(super) fn withdraw(&mut self, id: &str, ops: &mut Vec<Op>, report: &mut DrainReport) {
        let cubes: Vec<String> = self.cubes.keys().cloned().collect();
        let mut held = false;
        for cube in cubes {
            held |= self.drop_from(&cube, id, ops);
        }
        report.superseded += usize::from(held);
        let chunks = self.duplicates.get(id).cloned().unwrap_or_default();
        let records = chunks.iter().filter_map(|c| self.records.get(c));
        let sources: BTreeSet<String> = records.map(|r| r.source.clone()).collect();
        for source in sources {
            report.reopened += 1;
            ops.push(Op::Reopen { source });
        }
        if self.forget(id).is_some() {
            ops.push(Op::ForgetRecord { id: id.to_owned() });
        }
    }

    /// Takes a whole cube away.
    pub(super) fn clear(&mut self, cube: &str, ops: &mut Vec<Op>) {
        self.cubes.remove(cube);
        self.state.specialists.remove(cube);
        ops.push(Op::ClearCube { cube: cube.into() });
    }

    /// Copies an entry into a specialist.
    pub(super) fn copy_to(
        &mut self,
        cube: &str,
        entry: &DictionaryEntry,
        anchors: Option<&AnchorSet>,
        ops: &mut Vec<Op>,
        report: &mut DrainReport,
    ) {
        let copy = entry.in_cube(cube);
        self.hold(cube, &copy, anchors);
        let entry = Box::new(copy);
        ops.push(Op::Put { entry });
        self.make_room(cube, ops, report);
    }

    /// Makes an empty cube.
    pub(super) fn open_cube(&mut self, cube: &str) {
        self.cubes.entry(cube.to_owned()).or_default();
    }

    /// Forgets all accounts and everything to compare with. The cubes were cleared before.
    pub(super) fn forget_all(&mut self) {
        self.records.clear();
        self.by_source.clear();
        self.duplicates.clear();
        self.cubes.clear();
        self.open_cube(GENERALIST);
        let setup = &self.state.setup;
        if let Ok(dedup) = Deduplicator::new(setup.dedup, setup.centre.as_ref()) {
            self.dedup = dedup;
        }
    }

    /// Puts back an entry as it was.
    pub(super) fn restore(
        &mut self,
        entry: DictionaryEntry,
        record: ChunkRecord,
        anchors: Option<&AnchorSet>,
        ops: &mut Vec<Op>,
        report: &mut DrainReport,
    ) {
        self.hold(GENERALIST, &entry, anchors);
        let fate = Fate::Held;
        self.note(ChunkRecord { fate, ..record }, ops, report);
        let entry = Box::new(entry);
        ops.push(Op::Put { entry });
    }

    /// The root over the generalist's entries.
    pub(super) fn root(&self) -> String {
        let mut hash =
            blake3::Hasher::new_derive_key("candor 2026 geodesic-retriever dictionary root");
        for id in self.cube(GENERALIST).into_iter().flat_map(Cube::ids) {
            hash.update(&(id.len() as u64).to_le_bytes());
            hash.update(id.as_bytes());
        }
        hash.finalize().to_hex().to_string()
    }
}

/// The label that wins for a vector.
pub(super) fn label_of(anchors: &AnchorSet, vector: &Vector) -> Option<String> {
    let winner = AnchorSet::winner(&anchors.amplitudes(vector))?;
    anchors.labels.labels.get(winner).map(|l| l.name.clone())
}
