//! The built-in tables, read into an [`OntologySpec`].

use super::spec::{
    CodeSpec, CycleSpec, FrameSpec, LanguageSpec, MediatorSpec, OntologySpec, RelationSpec,
};
use crate::error::Error;

const CODES: &str = include_str!("../../data/codes.tsv");
const STRUCTURE: &str = include_str!("../../data/structure.tsv");
const ENGLISH: &str = include_str!("../../data/lexicon-en.tsv");
const CATALAN: &str = include_str!("../../data/lexicon-ca.tsv");
const IMPLICIT: &str = include_str!("../../data/implicit.tsv");

/// A data line: its number and its fields.
type Row<'t> = (usize, Vec<&'t str>);

/// The lines of a table that are not comments, split at tabs.
pub(crate) fn rows(table: &str) -> impl Iterator<Item = Row<'_>> {
    let lines = table.lines().enumerate();
    let data = lines.filter(|(_, line)| !line.starts_with('#') && !line.trim().is_empty());
    data.map(|(i, line)| (i + 1, line.split('\t').collect()))
}

/// The everyday words of each quadrant: `(quadrant, word, times listed, languages)`.
pub(crate) fn implicit_words()
-> impl Iterator<Item = (&'static str, &'static str, u32, &'static str)> {
    rows(IMPLICIT).filter_map(|(_, fields)| match fields[..] {
        [quadrant, word, times, languages] => {
            Some((quadrant, word, times.parse().unwrap_or(1), languages))
        }
        _ => None,
    })
}

/// The default ontology as data.
pub(crate) fn default_spec() -> Result<OntologySpec, Error> {
    let mut spec = OntologySpec {
        codes: rows(CODES).map(read_code).collect::<Result<_, _>>()?,
        languages: vec![language("en", ENGLISH)?, language("ca", CATALAN)?],
        ..OntologySpec::default()
    };
    for row in rows(STRUCTURE) {
        read_structure(&mut spec, &row)?;
    }
    for (quadrant, word, _, languages) in implicit_words() {
        let first = languages.split(',').next().unwrap_or_default();
        if let Some(entry) = spec.languages.iter_mut().find(|l| l.language == first) {
            entry.implicit.push([quadrant.to_owned(), word.to_owned()]);
        }
    }
    Ok(spec)
}

fn wrong(table: &'static str, (line, fields): &Row<'_>, expected: &'static str) -> Error {
    Error::Table {
        table,
        line: *line,
        found: fields.join(" "),
        expected,
    }
}

fn read_code(row: Row<'_>) -> Result<CodeSpec, Error> {
    let some = |s: &str| (!s.is_empty()).then(|| s.to_owned());
    let [code, ca, en, kind, quadrant, secondary] = row.1[..] else {
        return Err(wrong("codes.tsv", &row, "six fields"));
    };
    Ok(CodeSpec {
        code: code.to_owned(),
        quadrant: quadrant.to_owned(),
        secondary: some(secondary),
        kind: some(kind),
        names: vec![
            ["ca".to_owned(), ca.to_owned()],
            ["en".to_owned(), en.to_owned()],
        ],
    })
}

fn list(words: &str) -> Vec<String> {
    words.split(' ').map(str::to_owned).collect()
}

fn forms(words: &str) -> Vec<String> {
    words.split('|').map(str::to_owned).collect()
}

fn read_structure(spec: &mut OntologySpec, row: &Row<'_>) -> Result<(), Error> {
    match row.1[..] {
        ["quadrant", name] => spec.quadrants.push(name.to_owned()),
        ["axis", poles] => match list(poles).try_into() {
            Ok(pair) => spec.axes.push(pair),
            Err(_) => return Err(wrong("structure.tsv", row, "two poles")),
        },
        ["mediator", code, needs] => spec.mediators.push(MediatorSpec {
            code: code.to_owned(),
            and_another_cardinal: needs.ends_with('*'),
            requires: list(needs.trim_end_matches(" *")),
        }),
        ["relation", name, codes] => spec.relations.push(RelationSpec {
            name: name.to_owned(),
            codes: list(codes),
        }),
        ["cycle", name, stations] => spec.cycles.push(CycleSpec {
            name: name.to_owned(),
            stations: list(stations),
        }),
        ["group", "causal", codes] => spec.groups.causal = list(codes),
        ["group", "epistemic", codes] => spec.groups.epistemic.push(list(codes)),
        ["group", "solve", codes] => spec.groups.solve = list(codes),
        ["group", "coagula", codes] => spec.groups.coagula = list(codes),
        ["layer", kind] => spec.groups.layers.push(kind.to_owned()),
        _ => {
            return Err(wrong(
                "structure.tsv",
                row,
                "a line of the kinds in its head",
            ));
        }
    }
    Ok(())
}

fn language(tag: &str, table: &str) -> Result<LanguageSpec, Error> {
    let mut spec = LanguageSpec {
        language: tag.to_owned(),
        ..LanguageSpec::default()
    };
    for row in rows(table) {
        let (Some(kind), Some(text)) = (row.1.first(), row.1.get(1)) else {
            return Err(wrong("lexicon", &row, "a kind and a phrase"));
        };
        match kind.split_once(':') {
            Some(("relation", name)) => {
                let pairs = forms(text).into_iter().map(|f| [name.to_owned(), f]);
                spec.relation_phrases.extend(pairs);
            }
            Some(("cycle", name)) => {
                let pairs = forms(text).into_iter().map(|f| [name.to_owned(), f]);
                spec.cycle_phrases.extend(pairs);
            }
            _ => read_words(&mut spec, kind, text).ok_or_else(|| {
                wrong(
                    "lexicon",
                    &row,
                    "a line of the kinds in its head, frames with …",
                )
            })?,
        }
    }
    Ok(spec)
}

fn read_words(spec: &mut LanguageSpec, kind: &str, text: &str) -> Option<()> {
    let list = match kind {
        "marker" => &mut spec.markers,
        "verb" => &mut spec.verbs,
        "list-joiner" => &mut spec.list_joiners,
        "axis-joiner" => &mut spec.axis_joiners,
        "axis-word" => &mut spec.axis_words,
        "unit" => &mut spec.units,
        "name-connector" => &mut spec.name_connectors,
        "frame" | "opposition" => {
            let (openers, closers) = text.split_once(" … ")?;
            let frame = FrameSpec {
                openers: forms(openers),
                closers: forms(closers),
            };
            match kind {
                "frame" => spec.frames.push(frame),
                _ => spec.oppositions.push(frame),
            }
            return Some(());
        }
        _ => return None,
    };
    list.extend(forms(text));
    Some(())
}
