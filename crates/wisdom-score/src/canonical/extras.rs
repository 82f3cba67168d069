//! What is reported beside 𝓦.

use super::meetings::Cited;
use super::scan::Scan;
use crate::label::Label;
use crate::number::{Spread, share};
use crate::ontology::Compiled;
use crate::report::{CyclePresence, Extras, QuadrantCount};

/// So many cited stations make a cycle present though it is not named.
const STATIONS: usize = 3;

pub(super) fn extras(
    ontology: &Compiled,
    text: &str,
    scan: &Scan,
    cited: &Cited,
    relations: u32,
) -> Extras {
    let groups = &ontology.groups;
    let any = |codes: &Vec<u16>| codes.iter().any(|code| cited.has(*code));
    let count = |codes: &[u16]| codes.iter().filter(|code| cited.has(**code)).count();
    let epistemic = groups.epistemic.iter().filter(|group| any(group)).count();
    let layers = layers(ontology, cited);
    let words: u32 = scan.implicit.iter().sum();
    let implied = scan.implicit.iter().filter(|count| **count > 0).count();
    Extras {
        factual_density: Some(scan.facts.density(scan.words)),
        implicit_coverage: Some(share(implied, ontology.quadrants.len())),
        implicit_distribution: distribution(ontology, scan, words),
        causal_coverage: Some(share(count(&groups.causal), groups.causal.len())),
        epistemic_coverage: Some(share(epistemic, groups.epistemic.len())),
        tempeternal_coverage: Some(layers.coverage()),
        tempeternal_balance: Some(layers.entropy_normalized()),
        solve_coagula_balance: Some(balance(count(&groups.solve), count(&groups.coagula))),
        mereological_relations: named(&ontology.relations, relations),
        cycles: cycles(ontology, scan, cited),
        path: path(ontology, text, scan),
    }
}

/// 1 if both sides weigh the same, 0 if one is empty.
pub(crate) fn balance(solve: usize, coagula: usize) -> f64 {
    if solve + coagula == 0 {
        return 0.0;
    }
    1.0 - 2.0 * (share(solve, solve + coagula) - 0.5).abs()
}

fn layers(ontology: &Compiled, cited: &Cited) -> Spread {
    let mut counts = vec![0.0; ontology.groups.layers];
    for code in &cited.codes {
        let layer = ontology.codes.get(usize::from(*code)).and_then(|c| c.layer);
        if let Some(count) = layer.and_then(|l| counts.get_mut(usize::from(l))) {
            *count += 1.0;
        }
    }
    Spread::new(counts)
}

fn distribution(ontology: &Compiled, scan: &Scan, words: u32) -> Vec<QuadrantCount> {
    let pairs = ontology.quadrants.iter().zip(&scan.implicit);
    let count = |(quadrant, count): (&Label, &u32)| QuadrantCount {
        quadrant: quadrant.clone(),
        count: share(*count as usize, words as usize),
    };
    pairs.map(count).collect()
}

fn named(names: &[Label], bits: u32) -> Vec<Label> {
    let set = names
        .iter()
        .enumerate()
        .filter(|(i, _)| bits & (1 << i) != 0);
    set.map(|(_, name)| name.clone()).collect()
}

fn cycles(ontology: &Compiled, scan: &Scan, cited: &Cited) -> Vec<CyclePresence> {
    let mut present = Vec::new();
    for (index, cycle) in ontology.cycles.iter().enumerate() {
        let named = scan.cycles & (1 << index) != 0;
        let met = cycle
            .stations
            .iter()
            .filter(|code| cited.has(**code))
            .count();
        if named || met >= STATIONS {
            let stations = cycle.stations.iter().filter(|code| cited.has(**code));
            let label = |code: &u16| {
                ontology
                    .codes
                    .get(usize::from(*code))
                    .map(|c| c.label.clone())
            };
            present.push(CyclePresence {
                name: cycle.name.clone(),
                named,
                coverage: share(met, cycle.stations.len()),
                stations: stations.filter_map(label).collect(),
            });
        }
    }
    present
}

/// The codes of the first `[PATH: …]`, in order, on its line.
fn path(ontology: &Compiled, text: &str, scan: &Scan) -> Vec<Label> {
    let rest = scan.path.and_then(|at| text.get(at..)).unwrap_or_default();
    let line = rest.split('\n').next().unwrap_or_default();
    let Some((inside, _)) = line.split_once(']') else {
        return Vec::new();
    };
    let mut path: Vec<Label> = Vec::new();
    for token in inside.split(|c: char| !text_units::is_token_char(c)) {
        let code = ontology.table.find_str(token);
        let code = code.and_then(|i| ontology.codes.get(usize::from(i)));
        if let Some(code) = code.filter(|c| !path.contains(&c.label)) {
            path.push(code.label.clone());
        }
    }
    path
}
