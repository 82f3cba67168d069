//! Whether the opening names an axis (seed 000 §3bis.2).

use super::scan::{CodeHit, OPENING, OpeningMark, Scan};
use crate::ontology::{Compiled, Entry, Kind};

/// How far the word `axis` may stand from its two poles, and an opposition's words from theirs,
/// in scalar values.
const NEAR: u32 = 40;

/// Where an axis is named, and its two poles.
pub(super) struct Naming<'s> {
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) at: u32,
    pub(super) poles: [&'s CodeHit; 2],
}

/// A cardinal in the opening.
#[derive(Clone, Copy)]
struct Pole<'s> {
    mark: &'s OpeningMark,
    hit: &'s CodeHit,
}

/// The first naming of an axis that ends within the opening, if there is one.
pub(super) fn find<'s>(ontology: &Compiled, text: &'s str, scan: &'s Scan) -> Option<Naming<'s>> {
    let opening = Opening::read(ontology, text, scan);
    let joined = opening.joined();
    joined.or_else(|| opening.opposed())
}

struct Opening<'s> {
    text: &'s str,
    poles: Vec<Pole<'s>>,
    words: Vec<(&'s OpeningMark, Entry)>,
}

impl<'s> Opening<'s> {
    fn read(ontology: &Compiled, text: &'s str, scan: &'s Scan) -> Self {
        let whole = |mark: &OpeningMark| {
            let spelled = text.get(mark.start as usize..mark.end as usize);
            let length = spelled.map_or(0, |s| s.chars().count()) as u32;
            mark.at + length <= OPENING
        };
        let (mut poles, mut words) = (Vec::new(), Vec::new());
        let mut codes = scan.codes.iter();
        for mark in &scan.opening {
            match mark.entry {
                Some(entry) if whole(mark) => words.push((mark, entry)),
                Some(_) => {}
                None => {
                    let hit = codes.next();
                    let cardinal = |hit: &&CodeHit| {
                        let code = ontology.codes.get(usize::from(hit.code));
                        code.is_some_and(|c| c.cardinal)
                    };
                    if let Some(hit) = hit.filter(cardinal).filter(|_| whole(mark)) {
                        poles.push(Pole { mark, hit });
                    }
                }
            }
        }
        Self { text, poles, words }
    }

    /// Two poles joined by a sign or a word, near a word for an axis.
    fn joined(&self) -> Option<Naming<'s>> {
        let neighbours = self.poles.iter().zip(self.poles.iter().skip(1));
        for (a, b) in neighbours {
            let by_word = self.joined_by_word(a, b);
            let listed = a.hit.listed || b.hit.listed;
            let joins = self.joined_by_sign(a, b) || (by_word && !listed);
            if !joins || a.hit.code == b.hit.code || a.mark.paragraph != b.mark.paragraph {
                continue;
            }
            let near = |mark: &&OpeningMark| {
                let before = mark.at < a.mark.at && a.mark.at - mark.at <= NEAR;
                let after = mark.at > b.mark.at && mark.at - b.mark.at <= NEAR;
                mark.paragraph == a.mark.paragraph && (before || after)
            };
            if let Some(axis) = self.of_kind(Kind::AxisWord).find(near) {
                let (from, to) = if axis.at < a.mark.at {
                    (axis, b.mark)
                } else {
                    (a.mark, axis)
                };
                return Some(naming(from, to, [a, b]));
            }
        }
        None
    }

    fn joined_by_sign(&self, a: &Pole<'_>, b: &Pole<'_>) -> bool {
        let between = self.between(a.mark, b.mark);
        let sign: String = between.chars().filter(|c| !is_dressing(*c)).collect();
        matches!(
            sign.as_str(),
            "\u{2194}"
                | "\u{2013}"
                | "\u{2014}"
                | "-"
                | "--"
                | "\u{2011}"
                | "\u{2010}"
                | "/"
                | "\u{2194}\u{FE0E}"
                | "<->"
                | "\u{21D4}"
                | "\u{27F7}"
                | "\u{2212}"
        )
    }

    fn joined_by_word(&self, a: &Pole<'_>, b: &Pole<'_>) -> bool {
        self.of_kind(Kind::AxisJoiner).any(|word| {
            a.mark.end <= word.start
                && word.end <= b.mark.start
                && self.between(a.mark, word).chars().all(is_dressing)
                && self.between(word, b.mark).chars().all(is_dressing)
        })
    }

    /// `tension between X and Y`, `pits X against Y`: opener, pole, closer, pole, in this order,
    /// each within reach of the one before and in one sentence.
    fn opposed(&self) -> Option<Naming<'s>> {
        for (open, entry) in self
            .words
            .iter()
            .filter(|(_, e)| e.kind == Kind::OppositionOpen)
        {
            let follows = |from: &OpeningMark, to: &OpeningMark| self.follows(from, to);
            let closers = self
                .words
                .iter()
                .filter(|(_, e)| e.kind == Kind::OppositionClose && e.of == entry.of);
            for (close, _) in closers.filter(|(close, _)| close.at > open.at) {
                let mut between = self
                    .poles
                    .iter()
                    .filter(|pole| follows(open, pole.mark) && follows(pole.mark, close));
                let Some(one) = between.next() else { continue };
                let other = self
                    .poles
                    .iter()
                    .find(|pole| pole.hit.code != one.hit.code && follows(close, pole.mark));
                if let Some(other) = other {
                    return Some(naming(open, other.mark, [one, other]));
                }
            }
        }
        None
    }

    /// Whether `to` stands after `from`, near it, in one paragraph and one sentence.
    fn follows(&self, from: &OpeningMark, to: &OpeningMark) -> bool {
        from.end <= to.start
            && to.at - from.at <= NEAR
            && from.paragraph == to.paragraph
            && !self.between(from, to).contains(['.', '!', '?'])
    }

    fn between(&self, from: &OpeningMark, to: &OpeningMark) -> &'s str {
        let range = from.end as usize..to.start as usize;
        self.text.get(range).unwrap_or_default()
    }

    fn of_kind(&self, kind: Kind) -> impl Iterator<Item = &'s OpeningMark> {
        let words = self
            .words
            .iter()
            .filter(move |(_, entry)| entry.kind == kind);
        words.map(|(mark, _)| *mark)
    }
}

/// White space, emphasis and quotation around a code.
fn is_dressing(c: char) -> bool {
    c.is_whitespace()
        || matches!(
            c,
            '*' | '`' | '"' | '\'' | '(' | ')' | '«' | '»' | '\u{201C}' | '\u{201D}'
        )
}

fn naming<'s>(from: &OpeningMark, to: &OpeningMark, poles: [&Pole<'s>; 2]) -> Naming<'s> {
    Naming {
        start: from.start,
        end: to.end,
        at: from.at,
        poles: poles.map(|pole| pole.hit),
    }
}
