//! The PHP reference: 𝓗 with secondary quadrants, 𝓦 V3, and the diagnostics that it alone has.

use super::chars::Dialect;
use super::citations::Citations;
use super::{Reading, cycles, factual, forms, implicit};
use crate::canonical::{FEWEST_QUADRANTS, balance, quadrant_counts};
use crate::error::Error;
use crate::label::Label;
use crate::number::{Spread, round_php, share};
use crate::ontology::Compiled;
use crate::options::Options;
use crate::report::{Components, Extras, Note, QuadrantCount, Report};

/// The PHP reference on a text.
pub(crate) fn score_php(
    ontology: &Compiled,
    options: &Options,
    text: &str,
) -> Result<Report, Error> {
    let read = Reading::new(ontology, text, Dialect::Php)?;
    let touched = forms::forms().touched(text);
    let relations = relations(ontology, &read.cited, &touched, text);
    let mereology = share(relations.count_ones() as usize, ontology.relations.len());
    let components = read.components(mereology);
    let spread = with_secondaries(ontology, &read.cited);
    let mut report = read.report(options, &components, Some(relations));
    fill(&mut report, ontology, options, &components, &spread);
    let facts = factual::density(ontology, text.as_bytes());
    report.extras = Extras {
        factual_density: Some(round_php(facts.value, 4)),
        mereological_relations: named(&ontology.relations, relations),
        cycles: cycles::cycles(ontology, &read.cited, &touched),
        path: cycles::path(ontology, text),
        ..diagnostics(ontology, &read.cited)
    };
    implied(&mut report.extras, ontology, text);
    if facts.gave_up || read.cited.long_space {
        report.notes.push(Note::ReferenceLimit);
    }
    Ok(report)
}

/// The PHP reference on bytes that are not UTF-8: every Unicode pattern fails quietly, so that
/// only the byte patterns, the implicit words and, where the opening is sound, the axis are left.
pub(crate) fn score_php_bytes(ontology: &Compiled, options: &Options, bytes: &[u8]) -> Report {
    let broken = std::str::from_utf8(bytes)
        .err()
        .map_or(0, |e| e.valid_up_to());
    let sound = bytes.get(..broken).unwrap_or_default();
    let sound = std::str::from_utf8(sound).unwrap_or_default();
    let opening_is_sound = sound.chars().count() >= super::axis::OPENING;
    let axis = opening_is_sound && super::axis::names_axis(sound, Dialect::Php);
    let nothing = Citations::default();
    let components = Components {
        axis_explicit: f64::from(u8::from(axis)),
        ..Components::default()
    };
    let read = Reading::without_patterns(ontology, nothing, axis);
    let mut report = read.report(options, &components, Some(0));
    fill(&mut report, ontology, options, &components, &read.primary);
    let facts = factual::density(ontology, bytes);
    report.extras = Extras {
        factual_density: Some(round_php(facts.value, 4)),
        ..diagnostics(ontology, &read.cited)
    };
    implied(
        &mut report.extras,
        ontology,
        &String::from_utf8_lossy(bytes).replace('\u{FFFD}', "?"),
    );
    report.notes = vec![Note::InvalidUtf8];
    if facts.gave_up {
        report.notes.push(Note::ReferenceLimit);
    }
    report
}

/// The numbers, as the reference rounds them: 𝓦 and its components twice.
fn fill(
    report: &mut Report,
    ontology: &Compiled,
    options: &Options,
    components: &Components,
    spread: &Spread,
) {
    let twice = |value: f64| round_php(round_php(value, 6), 4);
    let normalized = spread.entropy_normalized();
    report.harmonic_score = round_php(0.5 * spread.coverage() + 0.5 * normalized, 6);
    report.wisdom_score = twice(components.weigh(&options.weights()));
    report.components = Components {
        coverage: round_php(components.coverage, 6),
        entropy_normalized: round_php(components.entropy_normalized, 6),
        ..components.map(twice)
    };
    report.n_quadrants = spread.touched;
    report.quadrant_counts = quadrant_counts(&ontology.quadrants, spread);
    report.entropy = round_php(spread.entropy, 6);
    report.normalized_entropy = round_php(normalized, 6);
    report.needs_reprompt = spread.touched < FEWEST_QUADRANTS;
}

/// Distinct codes by quadrant, with ½ for the secondary.
fn with_secondaries(ontology: &Compiled, cited: &Citations) -> Spread {
    let mut counts = vec![0.0; ontology.quadrants.len()];
    for code in &cited.codes {
        let Some(code) = ontology.codes.get(usize::from(*code)) else {
            continue;
        };
        let halves = [(Some(code.quadrant), 1.0), (code.secondary, 0.5)];
        for (quadrant, weight) in halves {
            if let Some(count) = quadrant.and_then(|q| counts.get_mut(usize::from(q))) {
                *count += weight;
            }
        }
    }
    Spread::new(counts)
}

/// The relations that a code, a form or `A = A` touches, as bits.
fn relations(ontology: &Compiled, cited: &Citations, touched: &[&str], text: &str) -> u32 {
    let codes = cited
        .codes
        .iter()
        .filter_map(|code| ontology.codes.get(usize::from(*code)));
    let mut bits = codes.fold(0, |bits, code| bits | code.relations);
    for (bit, name) in ontology.relations.iter().enumerate() {
        let formed = touched.iter().any(|t| *name == **t);
        let equated = *name == "identity" && bits & (1 << bit) == 0 && forms::states_identity(text);
        bits |= u32::from(formed || equated) << bit;
    }
    bits
}

fn named(names: &[Label], bits: u32) -> Vec<Label> {
    let set = names
        .iter()
        .enumerate()
        .filter(|(bit, _)| bits & (1 << bit) != 0);
    set.map(|(_, name)| name.clone()).collect()
}

/// Coverages over sets of codes.
fn diagnostics(ontology: &Compiled, cited: &Citations) -> Extras {
    let groups = &ontology.groups;
    let count = |codes: &[u16]| codes.iter().filter(|code| cited.has(**code)).count();
    let epistemic = groups
        .epistemic
        .iter()
        .filter(|group| count(group) > 0)
        .count();
    let mut layers = vec![0.0; groups.layers];
    for code in &cited.codes {
        let layer = ontology.codes.get(usize::from(*code)).and_then(|c| c.layer);
        if let Some(count) = layer.and_then(|l| layers.get_mut(usize::from(l))) {
            *count += 1.0;
        }
    }
    let layers = Spread::new(layers);
    let round = |value: f64| Some(round_php(value, 4));
    Extras {
        causal_coverage: round(share(count(&groups.causal), groups.causal.len())),
        epistemic_coverage: round(share(epistemic, groups.epistemic.len())),
        tempeternal_coverage: round(layers.coverage()),
        tempeternal_balance: round(layers.normalized_unclamped()),
        solve_coagula_balance: round(balance(count(&groups.solve), count(&groups.coagula))),
        ..Extras::default()
    }
}

fn implied(extras: &mut Extras, ontology: &Compiled, text: &str) {
    let counts = implicit::occurrences(ontology, text);
    let all: u32 = counts.iter().sum();
    let touched = counts.iter().filter(|count| **count > 0).count();
    extras.implicit_coverage = Some(round_php(share(touched, ontology.quadrants.len()), 4));
    let pairs = ontology.quadrants.iter().zip(counts);
    let shares = pairs.map(|(quadrant, count)| QuadrantCount {
        quadrant: quadrant.clone(),
        count: round_php(share(count as usize, all as usize), 4),
    });
    extras.implicit_distribution = shares.collect();
}
