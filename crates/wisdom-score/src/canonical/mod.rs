//! The design's own definitions (spec page; seed 000 §3, §3bis, §3ter).

mod axis;
mod events;
mod extras;
mod facts;
mod frames;
mod meetings;
mod places;
mod scan;
pub(crate) mod shortfalls;
mod windows;

pub(crate) use extras::balance;

use crate::number::{Spread, round6, share};
use crate::ontology::Compiled;
use crate::options::Options;
use crate::report::{Components, Note, QuadrantCount, Report};
use crate::{feedback, label::Label};
use events::Events;
use meetings::{Cited, Meetings};
use places::Places;
use scan::{Scan, Scanner};

/// Tension events at which tension density saturates (seed 000 §3.4).
pub(crate) const TENSIONS: usize = 4;
/// Subordination events at which subordinating synthesis saturates (seed 000 §3bis.2).
pub(crate) const SUBORDINATIONS: usize = 3;
/// Scalar values between a tension marker and its codes (seed 000 §3.4).
const TENSION_REACH: u32 = 80;
/// Scalar values between a mediation verb and its codes (seed 000 §3bis.2).
const SUBORDINATION_REACH: u32 = 120;
/// Quadrants under which a text goes back.
pub(crate) const FEWEST_QUADRANTS: usize = 3;

/// Scores a text by the design: one scan, then the components as the page states them.
pub(crate) fn score(ontology: &Compiled, options: &Options, original: &str) -> Report {
    let cleaned = text_units::clean(original);
    let scan = Scanner::scan(ontology, options, cleaned.text());
    let cited = Cited::read(ontology, &scan);
    let spread = spread(ontology, options, &cited);
    let met = Meetings::read(ontology, &scan);

    let mut events = Events::new(
        ontology,
        options.max_events,
        Places::new(original, &cleaned),
    );
    events.pairs(&met.pairs);
    let tensions = events.tensions(&scan);
    let anchored = events.anchors(&met.mediators);
    let axis = events.axis(axis::find(ontology, cleaned.text(), &scan));
    let subordinations = events.subordinations(&scan);
    let relations = events.relations(&met.relations, &scan);

    let components = Components {
        coverage: spread.coverage(),
        entropy_normalized: spread.entropy_normalized(),
        dialectical_pair_density: share(met.pairs.len(), ontology.axes.len()),
        tension_density: share(tensions.min(TENSIONS), TENSIONS),
        synthesis_anchoring: share(anchored, met.mediators.len()),
        axis_explicit: share(usize::from(axis), 1),
        subordinating_synthesis: share(subordinations.min(SUBORDINATIONS), SUBORDINATIONS),
        mereological_coverage: share(relations.count_ones() as usize, ontology.relations.len()),
    };
    let weights = options.weights();
    let missing = shortfalls::missing(
        ontology,
        &components,
        &spread,
        &met,
        [tensions, subordinations],
        relations,
    );
    Report {
        semantics: options.semantics,
        weights,
        harmonic_score: round6((components.coverage + components.entropy_normalized) / 2.0),
        wisdom_score: round6(components.weigh(&weights)),
        components,
        words: scan.words,
        mentions: scan.codes.len(),
        codes: labels(ontology, &cited),
        n_quadrants: spread.touched,
        quadrant_counts: quadrant_counts(&ontology.quadrants, &spread),
        entropy: spread.entropy,
        normalized_entropy: spread.entropy_normalized(),
        tension_events: tensions,
        subordination_events: subordinations,
        needs_reprompt: spread.touched < FEWEST_QUADRANTS,
        extras: extras::extras(ontology, cleaned.text(), &scan, &cited, relations),
        notes: notes(&scan, events.cut),
        events: events.kept,
        feedback: feedback::sentences(&missing, options.feedback),
        missing,
    }
}

/// Coverage and entropy count distinct codes by quadrant, listed or not.
fn spread(ontology: &Compiled, options: &Options, cited: &Cited) -> Spread {
    let mut counts = vec![0.0; ontology.quadrants.len()];
    let mut add = |quadrant: u8, weight: f64| {
        if let Some(count) = counts.get_mut(usize::from(quadrant)) {
            *count += weight;
        }
    };
    for code in &cited.codes {
        if let Some(code) = ontology.codes.get(usize::from(*code)) {
            add(code.quadrant, 1.0);
            if let Some(secondary) = code.secondary.filter(|_| options.secondary_quadrants) {
                add(secondary, 0.5);
            }
        }
    }
    Spread::new(counts)
}

pub(crate) fn quadrant_counts(quadrants: &[Label], spread: &Spread) -> Vec<QuadrantCount> {
    let pairs = quadrants.iter().zip(&spread.counts);
    let count = |(quadrant, count): (&Label, &f64)| QuadrantCount {
        quadrant: quadrant.clone(),
        count: *count,
    };
    pairs.map(count).collect()
}

fn labels(ontology: &Compiled, cited: &Cited) -> Vec<Label> {
    let label = |code: &u16| {
        ontology
            .codes
            .get(usize::from(*code))
            .map(|c| c.label.clone())
    };
    cited.codes.iter().filter_map(label).collect()
}

fn notes(scan: &Scan, cut: bool) -> Vec<Note> {
    let checks = [
        (scan.words == 0, Note::NoWords),
        (scan.codes.is_empty(), Note::NoCodes),
        (cut, Note::EventsCut),
    ];
    let holds = checks.into_iter().filter(|(holds, _)| *holds);
    holds.map(|(_, note)| note).collect()
}
