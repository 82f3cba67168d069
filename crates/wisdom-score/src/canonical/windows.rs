//! Which phrases stand near codes of two quadrants.

use super::scan::{CodeHit, PhraseHit};
use crate::ontology::Compiled;

/// Calls `event` for each phrase within whose reach, start to start, stand codes of at least two
/// quadrants: with the nearest code and the nearest of another quadrant. Both slices are of one
/// paragraph and in order; linear, because a window holds a bounded number of codes.
pub(super) fn near_codes(
    ontology: &Compiled,
    phrases: &[PhraseHit],
    codes: &[CodeHit],
    reach: u32,
    mut event: impl FnMut(&PhraseHit, [&CodeHit; 2]),
) {
    let mut after = 0;
    for phrase in phrases {
        while codes.get(after).is_some_and(|code| code.at < phrase.at) {
            after += 1;
        }
        if let Some(witnesses) = nearest_two(ontology, phrase.at, codes, after, reach) {
            event(phrase, witnesses);
        }
    }
}

/// Walks outward from a place until two codes of different quadrants are met.
fn nearest_two<'c>(
    ontology: &Compiled,
    at: u32,
    codes: &'c [CodeHit],
    after: usize,
    reach: u32,
) -> Option<[&'c CodeHit; 2]> {
    let quadrant = |hit: &CodeHit| {
        ontology
            .codes
            .get(usize::from(hit.code))
            .map(|c| c.quadrant)
    };
    let within = |hit: &&CodeHit| hit.at.abs_diff(at) <= reach;
    let (mut left, mut right) = (after, after);
    let mut first: Option<&CodeHit> = None;
    loop {
        let before = left
            .checked_sub(1)
            .and_then(|i| codes.get(i))
            .filter(within);
        let behind = codes.get(right).filter(within);
        let hit = match (before, behind) {
            (Some(b), Some(a)) if b.at.abs_diff(at) <= a.at.abs_diff(at) => b,
            (_, Some(a)) => a,
            (Some(b), None) => b,
            (None, None) => return None,
        };
        if hit.at < at {
            left -= 1;
        } else {
            right += 1;
        }
        if hit.listed {
            continue;
        }
        match first {
            None => first = Some(hit),
            Some(one) if quadrant(one) != quadrant(hit) => {
                return Some(if one.at < hit.at {
                    [one, hit]
                } else {
                    [hit, one]
                });
            }
            Some(_) => {}
        }
    }
}
