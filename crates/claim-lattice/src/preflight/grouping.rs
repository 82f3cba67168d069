//! After the answer: claims by frame, and claims that cite another frame than they state.

use serde::{Deserialize, Serialize};

use super::corpus::EvidenceView;
use super::frames::{
    Cues, Frame, FrameKind, FrameReading, Medium, introduced, split_title, stated,
};
use super::lexicon::Lexicon;
use super::question::Question;

/// A claim and the passages it cites.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FramedClaim<'c> {
    /// The claim's text.
    pub text: &'c str,
    /// The passages it cites.
    pub cited: &'c [EvidenceView<'c>],
}

/// The claims of one frame, for the rendering.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FrameGroup {
    /// The frame; `None` gathers claims that neither state one nor cite a passage.
    pub frame: Option<Frame>,
    /// The heading in the question's language.
    pub heading: String,
    /// Positions of the claims, in order.
    pub claims: Vec<usize>,
}

/// A claim that states one frame and cites another: the violation `FRAME_MISMATCH`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FrameMismatch {
    /// Position of the claim.
    pub claim: usize,
    /// The pointer of the passage.
    pub evidence_id: String,
    /// What the claim states.
    pub stated: Frame,
    /// What the passage is about.
    pub cited: Frame,
    /// The words of the claim that state it.
    pub cues: Vec<String>,
}

/// Groups claims by frame: in the order of the reading's frames, then of first appearance.
///
/// A claim's frame is the one it states ("in the film"), else that of the first passage it
/// cites. Linear in claims and passages.
#[must_use]
pub fn group_claims(
    reading: &FrameReading,
    claims: &[FramedClaim<'_>],
    lexicon: &Lexicon,
) -> Vec<FrameGroup> {
    let mut groups: Vec<FrameGroup> = reading
        .frames
        .iter()
        .map(|frame| group(Some(frame.clone()), lexicon))
        .collect();
    for (index, claim) in claims.iter().enumerate() {
        let frame = claim_frame(claim, lexicon);
        let at = groups
            .iter()
            .position(|g| g.frame == frame)
            .unwrap_or_else(|| {
                groups.push(group(frame, lexicon));
                groups.len() - 1
            });
        if let Some(group) = groups.get_mut(at) {
            group.claims.push(index);
        }
    }
    groups.retain(|g| !g.claims.is_empty());
    groups
}

fn group(frame: Option<Frame>, lexicon: &Lexicon) -> FrameGroup {
    let words = frame
        .as_ref()
        .map_or_else(String::new, |f| f.words(lexicon));
    FrameGroup {
        heading: lexicon.template("heading").replace("{frame}", &words),
        frame,
        claims: Vec::new(),
    }
}

/// The claims that cite a passage of another frame than they state.
///
/// Two kinds are flagged: another medium (the claim says "in the film", the passage is about
/// the novel), and a claim of someone inside the story, retold as a fact or the other way round.
/// The second is only looked for when the question's frames hold such claims.
#[must_use]
pub fn frame_mismatches(
    reading: &FrameReading,
    claims: &[FramedClaim<'_>],
    lexicon: &Lexicon,
) -> Vec<FrameMismatch> {
    let watches_claims = reading
        .frames
        .iter()
        .any(|f| f.kind == FrameKind::InUniverseClaim);
    let mut out = Vec::new();
    for (index, claim) in claims.iter().enumerate() {
        let said = read(claim.text, lexicon);
        for view in claim.cited {
            let about = evidence_medium(view, lexicon);
            if let Some((stated, cited)) =
                clash(&said, about, watches_claims, claim.text, view, lexicon)
            {
                out.push(FrameMismatch {
                    claim: index,
                    evidence_id: view.id.to_owned(),
                    stated,
                    cited,
                    cues: said.words.clone(),
                });
            }
        }
    }
    out
}

fn clash(
    said: &Cues,
    about: Medium,
    watches_claims: bool,
    claim: &str,
    view: &EvidenceView<'_>,
    lexicon: &Lexicon,
) -> Option<(Frame, Frame)> {
    if let Some(&stated) = said.media.first()
        && !said.media.contains(&about)
    {
        return Some((Frame::of_medium(stated), Frame::of_medium(about)));
    }
    if !watches_claims || about == Medium::Event {
        return None;
    }
    let told = bearing_sentence(claim, view.text, lexicon);
    let claimed_there = read(told?, lexicon).in_universe;
    let fact = Frame::of_medium(about);
    let hearsay = Frame::new(FrameKind::InUniverseClaim, Some(about));
    match (said.in_universe, claimed_there) {
        (false, true) if !said.literal => Some((fact, hearsay)),
        (true, false) => Some((hearsay, fact)),
        _ => None,
    }
}

/// The sentence of a passage that shares most stems with a claim; the first among equals.
fn bearing_sentence<'t>(claim: &str, text: &'t str, lexicon: &Lexicon) -> Option<&'t str> {
    let stems = |t: &str| -> std::collections::BTreeSet<String> {
        text_units::words(t)
            .map(|w| w.folded().into_owned())
            .filter(|w| lexicon.is_content(w))
            .map(|w| lexicon.stem(lexicon.base_form(&w)))
            .collect()
    };
    let wanted = stems(claim);
    let mut best: Option<(usize, &str)> = None;
    for sentence in text_units::sentences(text) {
        let shared = stems(sentence.text).intersection(&wanted).count();
        if shared > 0 && best.is_none_or(|(most, _)| shared > most) {
            best = Some((shared, sentence.text));
        }
    }
    best.map(|(_, s)| s)
}

fn read(text: &str, lexicon: &Lexicon) -> Cues {
    stated(&Question::new(text, lexicon))
}

fn claim_frame(claim: &FramedClaim<'_>, lexicon: &Lexicon) -> Option<Frame> {
    let said = read(claim.text, lexicon);
    let cited = claim
        .cited
        .first()
        .map(|view| evidence_medium(view, lexicon));
    let medium = said.media.first().copied().or(cited);
    if said.in_universe && medium != Some(Medium::Event) {
        return Some(Frame::new(FrameKind::InUniverseClaim, medium));
    }
    if said.literal && medium.is_some_and(|m| m != Medium::Event) {
        return Some(Frame::new(FrameKind::Literal, medium));
    }
    medium.map(Frame::of_medium)
}

/// What a passage is about: by its title's qualifier, else by its first sentence ("is a 1949
/// novel by …"), else the real world.
fn evidence_medium(view: &EvidenceView<'_>, lexicon: &Lexicon) -> Medium {
    if let (_, Some(medium)) = split_title(view.title, lexicon) {
        return medium;
    }
    let opening = text_units::sentences(view.text)
        .first()
        .map_or("", |s| s.text);
    introduced(&Question::new(opening, lexicon)).unwrap_or(Medium::Event)
}
