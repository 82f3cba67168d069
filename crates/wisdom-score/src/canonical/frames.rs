//! Verbs with an object between: `treat X as Y`, `preserve X while …`.

use super::scan::PhraseHit;

/// The closer stands within so many scalar values of the opener, in its sentence.
const REACH: u32 = 80;

#[derive(Debug, Clone, Copy)]
pub(super) struct Opened {
    pub(super) hit: PhraseHit,
}

/// The frames that are open.
pub(super) struct Frames {
    open: Vec<Option<(Opened, usize)>>,
    /// Whether any is.
    any: bool,
    /// Tokens since the sentence began.
    tokens: usize,
}

impl Frames {
    pub(super) fn new(frames: usize) -> Self {
        Self {
            open: vec![None; frames],
            any: false,
            tokens: 0,
        }
    }

    pub(super) fn token(&mut self) {
        self.tokens += 1;
    }

    pub(super) fn open(&mut self, frame: usize, opened: Opened) {
        if let Some(slot) = self.open.get_mut(frame) {
            *slot = Some((opened, self.tokens));
            self.any = true;
        }
    }

    /// The verb, if its frame is open and an object stands between.
    pub(super) fn complete(&mut self, frame: usize, at: u32) -> Option<PhraseHit> {
        if !self.any {
            return None;
        }
        let slot = self.open.get_mut(frame)?;
        let (opened, token) = (*slot)?;
        let near = at.saturating_sub(opened.hit.at) <= REACH;
        let object = self.tokens > token + 1;
        if object || !near {
            *slot = None;
        }
        (near && object).then_some(opened.hit)
    }

    /// The sentence ends, and every frame with it.
    pub(super) fn close(&mut self) {
        if self.any {
            self.open.fill(None);
            self.any = false;
        }
    }
}
