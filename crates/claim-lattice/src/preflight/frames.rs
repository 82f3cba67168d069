//! Reference frames: a name may stand for a real event, a novel, a film, or what someone inside
//! the story claims. The detector names the frames before retrieval.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::corpus::CorpusInfo;
use super::lexicon::Lexicon;
use super::pattern::Match;
use super::question::Question;
use super::token::{Token, tokenize};

/// In which world a statement holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FrameKind {
    /// The real world.
    Literal,
    /// The world of a story.
    Fictional,
    /// What someone inside the story claims, true there or not.
    InUniverseClaim,
}

/// What bears the name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Medium {
    /// A real event, person or thing.
    Event,
    /// A novel or other prose.
    Novel,
    /// A film.
    Film,
    /// A television series.
    Series,
    /// A stage play, opera or musical.
    Play,
    /// A game.
    Game,
    /// A poem.
    Poem,
    /// A song, album or other music.
    Music,
}

impl Medium {
    /// Every medium with the section of its words and its key in the templates.
    const ALL: [(Self, &'static str, &'static str); 8] = [
        (Self::Event, "medium.event", "event"),
        (Self::Novel, "medium.novel", "novel"),
        (Self::Film, "medium.film", "film"),
        (Self::Series, "medium.series", "series"),
        (Self::Play, "medium.play", "play"),
        (Self::Game, "medium.game", "game"),
        (Self::Poem, "medium.poem", "poem"),
        (Self::Music, "medium.music", "music"),
    ];

    fn section(self) -> &'static str {
        Self::ALL
            .iter()
            .find(|m| m.0 == self)
            .map_or("medium.event", |m| m.1)
    }

    pub(crate) fn key(self) -> &'static str {
        Self::ALL
            .iter()
            .find(|m| m.0 == self)
            .map_or("event", |m| m.2)
    }

    fn from_key(key: &str) -> Option<Self> {
        Self::ALL.iter().find(|m| m.2 == key).map(|m| m.0)
    }
}

/// A frame: in which world, and by what medium.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Frame {
    /// In which world.
    pub kind: FrameKind,
    /// What bears the name; `None` when only the world is known.
    pub medium: Option<Medium>,
}

impl Frame {
    /// A frame of a kind and a medium.
    #[must_use]
    pub fn new(kind: FrameKind, medium: Option<Medium>) -> Self {
        Self { kind, medium }
    }

    /// The frame of what a medium tells: the real world for an event, else the story's.
    #[must_use]
    pub fn of_medium(medium: Medium) -> Self {
        let kind = match medium {
            Medium::Event => FrameKind::Literal,
            _ => FrameKind::Fictional,
        };
        Self::new(kind, Some(medium))
    }

    /// The frame in words of a language, such as "in the novel".
    #[must_use]
    pub fn words(&self, lexicon: &Lexicon) -> String {
        let key = match (self.kind, self.medium) {
            (FrameKind::Literal, Some(Medium::Event)) => "frame_event".to_owned(),
            (FrameKind::Literal, Some(_)) => "frame_work_literal".to_owned(),
            (FrameKind::Literal, None) => "frame_literal".to_owned(),
            (FrameKind::Fictional, Some(m)) => format!("frame_{}", m.key()),
            (FrameKind::Fictional, None) => "frame_fictional".to_owned(),
            (FrameKind::InUniverseClaim, _) => "frame_in_universe".to_owned(),
        };
        lexicon.template(&key).to_owned()
    }
}

/// The frames of the name in a question.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FrameReading {
    /// The name, as the corpus or the word list spells it.
    pub name: Option<String>,
    /// The frames that the question may mean, literal ones first.
    pub frames: Vec<Frame>,
    /// The words of the question that narrow the frames down.
    pub cues: Vec<String>,
    /// Whether several frames are left and the question does not say which.
    pub ambiguous: bool,
}

impl FrameReading {
    /// Whether claims are to be kept apart by frame.
    #[must_use]
    pub fn has_several(&self) -> bool {
        self.frames.len() > 1
    }
}

/// What the cues of a text point to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Cues {
    pub(crate) media: Vec<Medium>,
    pub(crate) literal: bool,
    pub(crate) in_universe: bool,
    pub(crate) words: Vec<String>,
}

/// Reads the cues of a question or sentence outside the tokens of `name`.
pub(crate) fn cues(question: &Question<'_>, name: Option<Match>) -> Cues {
    let mut out = Cues::default();
    let outside = |m: &Match| name.is_none_or(|n| m.end <= n.start || n.end <= m.start);
    let lexicon = question.lexicon;
    let tokens = &question.tokens;
    let first = |section: &str| {
        lexicon
            .patterns(section)
            .find_all(tokens)
            .find(|m| outside(m))
    };
    for (medium, section, _) in Medium::ALL {
        if let Some(m) = first(section) {
            out.media.push(medium);
            out.words.push(question.matched(m));
        }
    }
    if let Some(m) = first("frame.literal") {
        out.literal = true;
        out.words.push(question.matched(m));
    }
    if let Some(m) = first("frame.in_universe") {
        out.in_universe = true;
        out.words.push(question.matched(m));
    }
    out
}

/// What a sentence of an answer states about its own frame: "in the film", "in real life". A
/// bare "war" or "film" states nothing.
pub(crate) fn stated(sentence: &Question<'_>) -> Cues {
    let mut out = cues(sentence, None);
    let lexicon = sentence.lexicon;
    let determined = |m: &Match| {
        let near = sentence.tokens.get(m.start.saturating_sub(2)..m.start);
        near.is_some_and(|t| t.iter().any(|t| lexicon.has_word("determiner", &t.folded)))
    };
    out.media.retain(|medium| {
        let section = match medium {
            Medium::Event => return !sentence.matches("frame.real").is_empty(),
            other => other.section(),
        };
        sentence.matches(section).iter().any(determined)
    });
    out
}

/// The medium that an opening sentence names as what it is about: "is a 1936 novel by …".
pub(crate) fn introduced(opening: &Question<'_>) -> Option<Medium> {
    let lexicon = opening.lexicon;
    let copula = opening
        .tokens
        .iter()
        .position(|t| lexicon.has_word("copula", &t.folded))?;
    let reach = copula + INTRODUCTION;
    Medium::ALL
        .iter()
        .filter(|m| m.0 != Medium::Event)
        .filter_map(|(medium, section, _)| {
            let found = opening
                .matches(section)
                .into_iter()
                .find(|m| m.start > copula)?;
            (found.start <= reach).then_some((found.start, *medium))
        })
        .min()
        .map(|(_, medium)| medium)
}

/// How many words behind its verb an opening sentence may name the medium.
const INTRODUCTION: usize = 6;

/// A name and what bears it.
#[derive(Debug, Default)]
struct Bearers {
    shown: String,
    media: Vec<Medium>,
    in_universe: bool,
}

/// Finds the frames of the name in a question.
///
/// Linear in the question and in the titles of the corpus.
pub(crate) fn frames(question: &Question<'_>, corpus: &CorpusInfo<'_>) -> FrameReading {
    let names = known_names(question.lexicon, corpus);
    let Some((found, bearers)) = mentioned(question, &names) else {
        return unnamed(question);
    };
    let cues = cues(question, Some(found));
    let told = told_inside(question, found);
    let (frames, decided) = narrow(bearers, &cues, told);
    FrameReading {
        name: Some(bearers.shown.clone()),
        ambiguous: frames.len() > 1 && !decided,
        cues: cues.words,
        frames,
    }
}

/// The frames left, and whether the question itself decided on them.
fn narrow(bearers: &Bearers, cues: &Cues, told: bool) -> (Vec<Frame>, bool) {
    let fiction = bearers.media.iter().any(|m| *m != Medium::Event);
    let cued: Vec<Medium> = cues
        .media
        .iter()
        .copied()
        .filter(|m| *m != Medium::Event || bearers.media.contains(m))
        .collect();
    // Which work is meant, where that is settled.
    let of_works = |media: &[Medium]| -> Vec<Medium> {
        media
            .iter()
            .copied()
            .filter(|m| *m != Medium::Event)
            .collect()
    };
    let works = match of_works(&cued) {
        works if works.is_empty() => of_works(&bearers.media),
        works => works,
    };
    let work = match works.as_slice() {
        [work] => Some(*work),
        _ => None,
    };
    if cues.in_universe && fiction {
        return (vec![Frame::new(FrameKind::InUniverseClaim, work)], true);
    }
    if cues.literal && fiction && !told {
        return (vec![Frame::new(FrameKind::Literal, work)], true);
    }
    if !cued.is_empty() {
        return (
            sorted(cued.into_iter().map(Frame::of_medium).collect()),
            true,
        );
    }
    let mut frames: Vec<Frame> = bearers.media.iter().map(|m| Frame::of_medium(*m)).collect();
    if bearers.in_universe {
        frames.push(Frame::new(FrameKind::InUniverseClaim, None));
    }
    (sorted(frames), false)
}

fn sorted(mut frames: Vec<Frame>) -> Vec<Frame> {
    frames.sort();
    frames.dedup();
    frames
}

/// A question that names no known work may still say "in the novel".
fn unnamed(question: &Question<'_>) -> FrameReading {
    let Some(found) = question
        .lexicon
        .patterns("bound.work")
        .find(&question.tokens)
    else {
        return FrameReading::default();
    };
    let cues = cues(question, None);
    let media: Vec<Medium> = cues
        .media
        .iter()
        .copied()
        .filter(|m| *m != Medium::Event)
        .collect();
    let frames = sorted(media.into_iter().map(Frame::of_medium).collect());
    if frames.is_empty() {
        return FrameReading::default();
    }
    FrameReading {
        name: None,
        frames,
        cues: vec![question.matched(found)],
        ambiguous: false,
    }
}

/// Whether "in" stands in front of the name: the question is about what happens inside it.
fn told_inside(question: &Question<'_>, name: Match) -> bool {
    name.start
        .checked_sub(1)
        .and_then(|at| question.tokens.get(at))
        .is_some_and(|t| question.lexicon.has_word("inside", &t.folded))
}

type Names = BTreeMap<String, Vec<(Vec<String>, Bearers)>>;

type Titled<'t> = BTreeMap<Vec<String>, (&'t str, Vec<Option<Medium>>)>;

/// The titles of the corpus, by name: what the qualifiers in brackets say.
fn titled<'t>(lexicon: &Lexicon, corpus: &CorpusInfo<'t>) -> Titled<'t> {
    let mut out = Titled::new();
    for title in corpus.titles {
        let (base, medium) = split_title(title, lexicon);
        let name = fold_name(base, lexicon);
        if !name.is_empty() {
            out.entry(name).or_insert((base, Vec::new())).1.push(medium);
        }
    }
    out
}

/// Names by their first word. What the corpus' titles say of a name overrules the word list.
fn known_names(lexicon: &Lexicon, corpus: &CorpusInfo<'_>) -> Names {
    let mut by_name: BTreeMap<Vec<String>, Bearers> = BTreeMap::new();
    for work in &lexicon.works {
        for name in &work.names {
            let bearers = by_name.entry(fold_name(name, lexicon)).or_default();
            bearers.shown = work.names.first().cloned().unwrap_or_default();
            for kind in &work.kinds {
                bearers.in_universe |= kind == "in_universe";
                bearers.media.extend(Medium::from_key(kind));
            }
        }
    }
    for (name, (shown, media)) in titled(lexicon, corpus) {
        let bearers = by_name.entry(name).or_default();
        shown.clone_into(&mut bearers.shown);
        let listed = std::mem::take(&mut bearers.media);
        for medium in media {
            match medium {
                Some(medium) => bearers.media.push(medium),
                // A bare title of a known work is that work's; any other is the thing itself.
                None if listed.is_empty() || listed.contains(&Medium::Event) => {
                    bearers.media.push(Medium::Event);
                }
                None => bearers.media.extend(&listed),
            }
        }
    }
    let mut names = Names::new();
    for (name, mut bearers) in by_name {
        bearers.media.sort_unstable();
        bearers.media.dedup();
        if let Some(first) = name.first() {
            names
                .entry(first.clone())
                .or_default()
                .push((name, bearers));
        }
    }
    names
}

fn fold_name(name: &str, lexicon: &Lexicon) -> Vec<String> {
    tokenize(name, lexicon)
        .into_iter()
        .map(|t| t.folded)
        .collect()
}

/// "Titanic (1997 film)" and "Titanic, the film of 1997" are the name "Titanic" and a film.
pub(crate) fn split_title<'t>(title: &'t str, lexicon: &Lexicon) -> (&'t str, Option<Medium>) {
    let title = title.trim();
    if let Some((base, qualifier)) = title.strip_suffix(')').and_then(|t| t.rsplit_once('(')) {
        return (base.trim(), medium_of(qualifier, lexicon));
    }
    match title.split_once(", ") {
        Some((base, qualifier)) => match medium_of(qualifier, lexicon) {
            Some(medium) => (base.trim(), Some(medium)),
            None => (title, None),
        },
        None => (title, None),
    }
}

fn medium_of(qualifier: &str, lexicon: &Lexicon) -> Option<Medium> {
    let tokens = tokenize(qualifier, lexicon);
    let named = |section| lexicon.patterns(section).find(&tokens).is_some();
    Medium::ALL
        .iter()
        .find(|(_, section, _)| named(section))
        .map(|m| m.0)
}

/// The longest known name in the question that is written as a name.
fn mentioned<'n>(question: &Question<'_>, names: &'n Names) -> Option<(Match, &'n Bearers)> {
    let tokens = &question.tokens;
    let mut best: Option<(Match, &Bearers)> = None;
    for (at, token) in tokens.iter().enumerate() {
        for (name, bearers) in names.get(&token.folded).into_iter().flatten() {
            let Some(part) = tokens.get(at..at + name.len()) else {
                continue;
            };
            let same = part.iter().zip(name).all(|(t, n)| t.folded == *n);
            let found = Match {
                start: at,
                end: at + name.len(),
            };
            if same
                && is_written_as_name(question, part)
                && best.is_none_or(|(m, _)| m.len() < found.len())
            {
                best = Some((found, bearers));
            }
        }
    }
    best
}

/// Quoted, capitalised, or several words in a question without upper case; a bare number only when quoted or when the
/// question speaks of a work.
fn is_written_as_name(question: &Question<'_>, part: &[Token]) -> bool {
    if part.iter().all(|t| t.quoted) {
        return true;
    }
    let digits = |t: &Token| t.folded.bytes().all(|b| b.is_ascii_digit());
    if part.iter().all(digits) {
        let cues = cues(question, None);
        return cues.in_universe || cues.media.iter().any(|m| *m != Medium::Event);
    }
    let lower = question.tokens.iter().skip(1).all(|t| !t.capitalised);
    let named =
        |t: &Token| t.is_name() || (t.capitalised && question.lexicon.is_content(&t.folded));
    part.iter().any(named) || (lower && part.len() > 1)
}
