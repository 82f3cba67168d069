//! Which words of a passage meet which slots of a claim, and where most of them stand together.

use std::ops::Range;

use super::claim_text::{ClaimText, Mask};
use crate::index::{Entries, Index, Overlay, Prepared};
use crate::language::Lexicon;
use crate::numbers::Comparison;

/// A first sentence of at most so many words is a heading: what stands under it is about it.
const HEADING_TOKENS: usize = 6;

/// A word of a passage that meets a slot.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hit {
    pub(crate) slot: u8,
    pub(crate) token: usize,
}

/// For each stem of the vocabulary the slot that it meets. Made once an answer, filled and
/// emptied for each claim.
pub(crate) struct Matcher {
    stems: Vec<u8>,
    roots: Vec<u8>,
    synonyms: Vec<u8>,
    touched: Vec<u32>,
}

const NO_SLOT: u8 = u8::MAX;

impl Matcher {
    pub(crate) fn new(index: &Index) -> Self {
        let n = index.vocabulary.stem_count();
        Self {
            stems: vec![NO_SLOT; n],
            roots: vec![NO_SLOT; n],
            synonyms: vec![NO_SLOT; n],
            touched: Vec::new(),
        }
    }

    /// Sets the tables for a claim.
    pub(crate) fn load(
        &mut self,
        claim: &ClaimText,
        index: &Index,
        overlay: &Overlay<'_>,
        lexicon: &Lexicon,
    ) {
        for &id in &self.touched {
            for table in [&mut self.stems, &mut self.roots, &mut self.synonyms] {
                if let Some(place) = table.get_mut(id as usize) {
                    *place = NO_SLOT;
                }
            }
        }
        self.touched.clear();
        for (number, slot) in (0_u8..).zip(&claim.slots) {
            set(&mut self.stems, &mut self.touched, slot.stem, number);
            if slot.number {
                continue;
            }
            set(&mut self.roots, &mut self.touched, slot.root, number);
            let Some(relations) = lexicon.relations(overlay.stem_text(slot.stem)) else {
                continue;
            };
            for synonym in &relations.synonyms {
                if let Some(id) = index.vocabulary.stem_id(synonym) {
                    set(&mut self.synonyms, &mut self.touched, id, number);
                }
            }
        }
    }

    /// The hits of a token.
    fn slots(&self, stem: u32, root: u32) -> [u8; 3] {
        let at = |table: &[u8], id: u32| table.get(id as usize).copied().unwrap_or(NO_SLOT);
        [
            at(&self.stems, stem),
            at(&self.roots, root),
            at(&self.synonyms, stem),
        ]
    }
}

fn set(table: &mut [u8], touched: &mut Vec<u32>, id: u32, slot: u8) {
    if let Some(place) = table.get_mut(id as usize)
        && *place == NO_SLOT
    {
        *place = slot;
        touched.push(id);
    }
}

/// A claim against one passage.
pub(crate) struct PassageMatch<'i> {
    pub(crate) passage: usize,
    pub(crate) prepared: &'i Prepared,
    pub(crate) hits: Vec<Hit>,
    /// One a sentence.
    pub(crate) masks: Vec<Mask>,
    /// What the passage holds, its title apart.
    pub(crate) all: Mask,
    /// What the title holds.
    pub(crate) title: Mask,
    /// For each clause of the claim the sentences of its best window.
    pub(crate) windows: Vec<(Mask, Range<usize>)>,
    /// What the best windows hold, with the heading and with names from anywhere in the
    /// passage, for which its sentences may have pronouns.
    pub(crate) window_mask: Mask,
}

impl<'i> PassageMatch<'i> {
    pub(crate) fn new(
        passage: usize,
        index: &'i Index,
        matcher: &Matcher,
        claim: &ClaimText,
        window: usize,
    ) -> Option<Self> {
        let prepared = index.passage(passage)?;
        let hits = hits(prepared, index, matcher, claim);
        let mut masks = vec![0; prepared.sentences.len()];
        let mut all = 0;
        let mut sentence = 0;
        for hit in &hits {
            while prepared
                .sentences
                .get(sentence)
                .is_some_and(|s| s.tokens.end <= hit.token)
            {
                sentence += 1;
            }
            if let Some(mask) = masks.get_mut(sentence) {
                *mask |= 1 << hit.slot;
            }
            all |= 1 << hit.slot;
        }
        let title = index.titles.get(passage).map_or(0, |title| {
            self::hits(title, index, matcher, claim)
                .iter()
                .fold(0, |mask, hit| mask | 1 << hit.slot)
        });
        let mut found = Self {
            passage,
            prepared,
            hits,
            masks,
            all,
            title,
            windows: Vec::new(),
            window_mask: 0,
        };
        found.settle_windows(claim, window);
        Some(found)
    }

    /// The best window for each clause of the claim: two statements can be borne by two places.
    fn settle_windows(&mut self, claim: &ClaimText, width: usize) {
        let names = claim.mask_of(|s| s.name);
        let heading = match (self.prepared.sentences.first(), self.masks.first()) {
            (Some(first), Some(mask)) if first.tokens.len() <= HEADING_TOKENS => *mask,
            _ => 0,
        };
        let given = self.title | heading | (self.all & names) | self.topics();
        self.window_mask = given;
        for &clause in &claim.clauses {
            let (window, mask) = self.best_window(clause, given, width);
            self.window_mask |= mask & clause;
            self.windows.push((clause, window));
        }
    }

    /// Words that the passage uses in at least two sentences are its topic: they are in force
    /// where a sentence says "it" or "this treatment".
    fn topics(&self) -> Mask {
        let (mut once, mut twice): (Mask, Mask) = (0, 0);
        for mask in &self.masks {
            twice |= once & mask;
            once |= mask;
        }
        twice
    }

    fn best_window(&self, clause: Mask, given: Mask, width: usize) -> (Range<usize>, Mask) {
        let mut best = 0..width.min(self.masks.len());
        let mut best_mask = given;
        let mut most = 0;
        for start in 0..self.masks.len() {
            let end = (start + width.max(1)).min(self.masks.len());
            let mask = self
                .masks
                .get(start..end)
                .unwrap_or_default()
                .iter()
                .fold(given, |a, b| a | b);
            let count = (mask & clause).count_ones();
            if count > most {
                most = count;
                best_mask = mask;
                best = start..end;
            }
        }
        (best, best_mask)
    }

    /// The sentences of a window that holds most of the claim's first clauses.
    pub(crate) fn widest(&self) -> Range<usize> {
        self.windows
            .iter()
            .rev()
            .max_by_key(|(clause, _)| (self.window_mask & clause).count_ones())
            .map_or(0..0, |(_, w)| w.clone())
    }

    fn tokens_of(&self, window: &Range<usize>) -> Range<usize> {
        let start = self
            .prepared
            .sentences
            .get(window.start)
            .map_or(0, |s| s.tokens.start);
        let end = window
            .end
            .checked_sub(1)
            .and_then(|i| self.prepared.sentences.get(i))
            .map_or(start, |s| s.tokens.end);
        start..end
    }

    /// The sentences of all windows, each once, in order.
    pub(crate) fn window_sentences(&self) -> Vec<usize> {
        let mut out: Vec<usize> = self.windows.iter().flat_map(|(_, w)| w.clone()).collect();
        out.sort_unstable();
        out.dedup();
        out
    }

    /// Whether a sentence of a window is about the claim: it holds at least half of what any
    /// clause finds in its window.
    pub(crate) fn aligned(&self, sentence: usize) -> bool {
        let Some(mask) = self.masks.get(sentence) else {
            return false;
        };
        self.windows.iter().any(|(clause, window)| {
            let found = (self.window_mask & self.all & clause).count_ones();
            window.contains(&sentence) && (mask & clause).count_ones() * 2 >= found && found > 0
        })
    }

    /// Whether any sentence says nearly what a clause says.
    pub(crate) fn restates(&self, clause: Mask) -> bool {
        self.masks.iter().any(|&mask| holds_most(mask, clause))
    }

    /// Whether a sentence says nearly what a clause says: it holds at least two thirds of its
    /// words.
    pub(crate) fn speaks_of(&self, sentence: usize) -> bool {
        let Some(mask) = self.masks.get(sentence) else {
            return false;
        };
        self.windows
            .iter()
            .any(|(clause, window)| window.contains(&sentence) && holds_most(*mask, *clause))
    }

    /// The hits of each clause inside its own window.
    pub(crate) fn window_hits(&self) -> impl Iterator<Item = Hit> + '_ {
        self.windows.iter().flat_map(|(clause, window)| {
            let tokens = self.tokens_of(window);
            let from = self.hits.partition_point(|h| h.token < tokens.start);
            let to = self.hits.partition_point(|h| h.token < tokens.end);
            self.hits
                .get(from..to)
                .unwrap_or_default()
                .iter()
                .copied()
                .filter(move |h| clause >> h.slot & 1 == 1)
        })
    }
}

/// Two thirds.
fn holds_most(mask: Mask, clause: Mask) -> bool {
    (mask & clause).count_ones() * 3 >= clause.count_ones() * 2
}

fn hits(prepared: &Prepared, index: &Index, matcher: &Matcher, claim: &ClaimText) -> Vec<Hit> {
    let mut out = Vec::new();
    for (i, token) in prepared.tokens.iter().enumerate() {
        let entry = index.vocabulary.entry(token.word);
        for slot in matcher.slots(entry.stem, entry.root) {
            if slot != NO_SLOT
                && out
                    .last()
                    .is_none_or(|h: &Hit| h.token != i || h.slot != slot)
            {
                out.push(Hit { slot, token: i });
            }
        }
    }
    number_hits(prepared, index, claim, &mut out);
    out
}

/// Numbers and ordinals meet by value: `two` and `2`, `third` and `3rd`.
fn number_hits(prepared: &Prepared, index: &Index, claim: &ClaimText, out: &mut Vec<Hit>) {
    let before = out.len();
    if !claim.quantities.is_empty() {
        for theirs in prepared.quantities(&index.vocabulary) {
            for mine in &claim.quantities {
                if mine.borne_by(theirs) != Comparison::Same {
                    continue;
                }
                for token in mine.tokens.0..mine.tokens.1 {
                    if let Some(Some(slot)) = claim.slot_of.get(token) {
                        out.push(Hit {
                            slot: *slot,
                            token: theirs.tokens.0,
                        });
                    }
                }
            }
        }
    }
    if out.len() > before {
        out.sort_by_key(|h| (h.token, h.slot));
        out.dedup_by_key(|h| (h.token, h.slot));
    }
}
