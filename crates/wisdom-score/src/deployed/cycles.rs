//! Cycles and the path marker as the PHP reference reads them (deployed page §7).

use super::chars::{Dialect, skip};
use super::citations::{Citations, code};
use crate::label::Label;
use crate::number::{round_php, share};
use crate::ontology::Compiled;
use crate::report::CyclePresence;

/// The order in which the reference looks for names.
const NAMED_ORDER: [&str; 6] = [
    "Coneixement",
    "Mètode",
    "Revelació",
    "Universal",
    "Relació",
    "Consistència",
];

/// Named cycles first, then those with three stations or more, in the ontology's order.
pub(super) fn cycles(
    ontology: &Compiled,
    cited: &Citations,
    touched: &[&str],
) -> Vec<CyclePresence> {
    let presence = |name: &str, named: bool| {
        let cycle = ontology.cycles.iter().find(|c| c.name == *name)?;
        let met = cycle.stations.iter().filter(|code| cited.has(**code));
        let codes = met.filter_map(|code| ontology.codes.get(usize::from(*code)));
        let stations: Vec<Label> = codes.map(|code| code.label.clone()).collect();
        Some(CyclePresence {
            name: cycle.name.clone(),
            named,
            coverage: round_php(share(stations.len(), cycle.stations.len()), 4),
            stations,
        })
    };
    let named = NAMED_ORDER
        .into_iter()
        .filter(|name| touched.contains(name));
    let mut found: Vec<CyclePresence> = named.filter_map(|name| presence(name, true)).collect();
    for cycle in &ontology.cycles {
        let listed = found.iter().any(|f| f.name == cycle.name);
        found.extend(presence(&cycle.name, false).filter(|p| !listed && p.stations.len() >= 3));
    }
    found
}

/// The codes of the first well-formed `[PATH: …]`.
pub(super) fn path(ontology: &Compiled, text: &str) -> Vec<Label> {
    let mut path: Vec<Label> = Vec::new();
    let Some(inside) = path_inside(text) else {
        return path;
    };
    let separator = |c: char| matches!(c, ',' | '\u{2192}' | '-' | '>') || Dialect::Php.is_space(c);
    for piece in inside.split(separator) {
        let code = code(ontology, &piece.to_ascii_uppercase());
        let code = code.and_then(|code| ontology.codes.get(usize::from(code)));
        if let Some(code) = code.filter(|code| !path.contains(&code.label)) {
            path.push(code.label.clone());
        }
    }
    path
}

/// What stands between `[PATH:` and `]`. Linear: where a run of text stops is looked up once for
/// all openings before it.
fn path_inside(text: &str) -> Option<&str> {
    let mut stop = 0;
    for (at, _) in text.match_indices('[') {
        let name = text.get(at + 1..at + 6);
        if !name.is_some_and(|name| name.eq_ignore_ascii_case("PATH:")) {
            continue;
        }
        let start = skip(text, at + 6, |c| Dialect::Php.is_space(c));
        if stop < start {
            let rest = text.get(start..)?;
            stop = start + rest.find([']', '\n', '\r'])?;
        }
        if text.get(stop..)?.starts_with(']') {
            return text.get(start..stop);
        }
    }
    None
}
