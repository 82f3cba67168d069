//! The ontology: codes, quadrants, axes, mediators, relations, cycles and the languages' phrases,
//! compiled for scanning.

mod codes;
mod lexicon;
mod spec;
mod tables;
mod words;

use std::sync::{Arc, OnceLock};

pub use spec::{
    CodeSpec, CycleSpec, FrameSpec, GroupsSpec, LanguageSpec, MediatorSpec, OntologySpec,
    RelationSpec,
};

use crate::error::Error;
use crate::label::Label;
pub(crate) use codes::CodeTable;
pub(crate) use lexicon::{Entry, FirstWord, Kind, Lexicon, is_blank, joins_word};
pub(crate) use tables::{implicit_words, rows};
pub(crate) use words::{Packed, is_word_byte, word_bytes};

/// Most quadrants, relations or cycles of an ontology: each is a bit of a 32-bit set.
const MOST_SETS: usize = 32;
/// Most codes that mediate, are required by a mediator, or are cardinals: bits of a 128-bit set.
const MOST_ANCHORS: usize = 128;

/// A compiled ontology; cheap to clone.
#[derive(Debug, Clone)]
pub struct Ontology {
    inner: Arc<Compiled>,
}

/// What scanning and scoring read.
#[derive(Debug)]
pub(crate) struct Compiled {
    pub(crate) spec: OntologySpec,
    pub(crate) quadrants: Vec<Label>,
    pub(crate) codes: Vec<Code>,
    pub(crate) table: CodeTable,
    pub(crate) axes: Vec<Axis>,
    pub(crate) mediators: Vec<Mediator>,
    /// The anchor bits of all cardinals.
    pub(crate) cardinals: u128,
    pub(crate) relations: Vec<Label>,
    pub(crate) cycles: Vec<Cycle>,
    pub(crate) groups: Groups,
    pub(crate) lexicon: Lexicon,
}

/// A code, with the sets it belongs to.
#[derive(Debug)]
pub(crate) struct Code {
    pub(crate) label: Label,
    /// Length in bytes.
    pub(crate) length: u32,
    pub(crate) quadrant: u8,
    pub(crate) secondary: Option<u8>,
    /// Its radial layer.
    pub(crate) layer: Option<u8>,
    /// Its anchor bit if it is a mediator, a requirement or a cardinal.
    pub(crate) anchor: u128,
    /// The part–whole relations that it touches.
    pub(crate) relations: u32,
    /// Whether it is the cardinal of its quadrant.
    pub(crate) cardinal: bool,
}

/// Two opposite quadrants.
#[derive(Debug)]
pub(crate) struct Axis {
    pub(crate) poles: [u8; 2],
    /// `OBJ–SUB`.
    pub(crate) name: Label,
}

/// A mediating code and what it needs.
#[derive(Debug)]
pub(crate) struct Mediator {
    pub(crate) code: u16,
    pub(crate) own: u128,
    pub(crate) requires: u128,
    pub(crate) required: Vec<u16>,
    pub(crate) and_another_cardinal: bool,
}

#[derive(Debug)]
pub(crate) struct Cycle {
    pub(crate) name: Label,
    pub(crate) stations: Vec<u16>,
}

#[derive(Debug)]
pub(crate) struct Groups {
    pub(crate) causal: Vec<u16>,
    pub(crate) epistemic: Vec<Vec<u16>>,
    pub(crate) layers: usize,
    pub(crate) solve: Vec<u16>,
    pub(crate) coagula: Vec<u16>,
}

impl Ontology {
    /// Compiles an ontology: checks every name and builds the tables for scanning.
    ///
    /// # Errors
    /// [`Error::Count`] for fewer than two or more than 32 quadrants, more than 32 relations or
    /// cycles, more than 65,535 codes, or more than 128 codes among cardinals, mediators and
    /// their requirements; [`Error::Duplicate`] and [`Error::UnknownName`] for names;
    /// [`Error::Unmatchable`] for a code that is no whole token or a phrase without a letter or
    /// digit at its start.
    pub fn new(spec: OntologySpec) -> Result<Self, Error> {
        let inner = Arc::new(compile(spec)?);
        Ok(Self { inner })
    }

    /// The default ontology: 91 codes, English and Catalan. Compiled once.
    ///
    /// # Errors
    /// None on the tables of this crate; the type is that of [`Ontology::new`].
    pub fn meta_globalium() -> Result<Self, Error> {
        static DEFAULT: OnceLock<Result<Ontology, Error>> = OnceLock::new();
        let compiled = DEFAULT.get_or_init(|| Self::new(tables::default_spec()?));
        compiled.clone()
    }

    /// The data that it was compiled from; a start for one's own.
    #[must_use]
    pub fn spec(&self) -> &OntologySpec {
        &self.inner.spec
    }

    /// The quadrants, by their cardinals, in the order of summation.
    #[must_use]
    pub fn quadrants(&self) -> &[Label] {
        &self.inner.quadrants
    }

    /// Whether a whole token is a code.
    #[must_use]
    pub fn is_code(&self, token: &str) -> bool {
        self.inner.table.find_str(token).is_some()
    }

    pub(crate) fn compiled(&self) -> &Compiled {
        &self.inner
    }

    pub(crate) fn is_default(&self) -> bool {
        Self::meta_globalium().is_ok_and(|d| d.inner.spec == self.inner.spec)
    }
}

/// Names of codes on the way to their indices.
struct Names {
    table: CodeTable,
}

impl Names {
    fn one(&self, part: &str, name: &str) -> Result<u16, Error> {
        self.table
            .find_str(name)
            .ok_or_else(|| unknown(part, name, "a code"))
    }

    fn all(&self, part: &str, names: &[String]) -> Result<Vec<u16>, Error> {
        names.iter().map(|name| self.one(part, name)).collect()
    }
}

fn unknown(part: &str, name: &str, expected: &'static str) -> Error {
    Error::UnknownName {
        part: part.to_owned(),
        name: name.to_owned(),
        expected,
    }
}

fn count(part: &'static str, count: usize, least: usize, most: usize) -> Result<(), Error> {
    if (least..=most).contains(&count) {
        return Ok(());
    }
    Err(Error::Count {
        part,
        count,
        least,
        most,
    })
}

fn position(part: &str, names: &[Label], name: &str, what: &'static str) -> Result<u8, Error> {
    let at = names.iter().position(|n| *n == *name);
    at.and_then(|i| u8::try_from(i).ok())
        .ok_or_else(|| unknown(part, name, what))
}

fn labels(part: &'static str, names: impl Iterator<Item = Label>) -> Result<Vec<Label>, Error> {
    let mut seen: Vec<Label> = Vec::new();
    for name in names {
        if seen.contains(&name) {
            let name = name.as_str().to_owned();
            return Err(Error::Duplicate { part, name });
        }
        seen.push(name);
    }
    Ok(seen)
}

fn compile(spec: OntologySpec) -> Result<Compiled, Error> {
    count("quadrants", spec.quadrants.len(), 2, MOST_SETS)?;
    count("codes", spec.codes.len(), 1, usize::from(u16::MAX))?;
    count("relations", spec.relations.len(), 0, MOST_SETS)?;
    count("cycles", spec.cycles.len(), 0, MOST_SETS)?;
    count("layers", spec.groups.layers.len(), 0, MOST_SETS)?;
    let quadrants = labels("quadrant", spec.quadrants.iter().map(|q| q.as_str().into()))?;
    let relations = labels(
        "relation",
        spec.relations.iter().map(|r| r.name.as_str().into()),
    )?;
    let table = CodeTable::new(spec.codes.iter().map(|c| c.code.as_str()))?;
    let names = Names { table };
    let mut codes = codes(&spec, &quadrants)?;
    mark_sets(&mut codes, &names, &spec)?;
    let (mediators, cardinals) = anchors(&mut codes, &names, &spec, &quadrants)?;
    let axes = axes(&spec, &quadrants)?;
    let cycle_names = labels("cycle", spec.cycles.iter().map(|c| c.name.as_str().into()))?;
    let cycles = cycles(&spec, &names, &cycle_names)?;
    let groups = groups(&spec, &names)?;
    let lexicon = Lexicon::new(&spec, &quadrants, &relations, &cycle_names)?;
    Ok(Compiled {
        table: names.table,
        spec,
        quadrants,
        codes,
        axes,
        mediators,
        cardinals,
        relations,
        cycles,
        groups,
        lexicon,
    })
}

fn codes(spec: &OntologySpec, quadrants: &[Label]) -> Result<Vec<Code>, Error> {
    let layer = |kind: &String| spec.groups.layers.iter().position(|l| l == kind);
    let code = |c: &CodeSpec| {
        let part = format!("code {}", c.code);
        let quadrant = |name: &String| position(&part, quadrants, name, "a quadrant");
        Ok(Code {
            label: c.code.as_str().into(),
            length: c.code.len() as u32,
            quadrant: quadrant(&c.quadrant)?,
            secondary: c.secondary.as_ref().map(quadrant).transpose()?,
            layer: c
                .kind
                .as_ref()
                .and_then(layer)
                .and_then(|i| u8::try_from(i).ok()),
            anchor: 0,
            relations: 0,
            cardinal: spec.quadrants.contains(&c.code),
        })
    };
    spec.codes.iter().map(code).collect()
}

fn mark_sets(codes: &mut [Code], names: &Names, spec: &OntologySpec) -> Result<(), Error> {
    for (bit, relation) in spec.relations.iter().enumerate() {
        let part = format!("relation {}", relation.name);
        for code in names.all(&part, &relation.codes)? {
            if let Some(entry) = codes.get_mut(usize::from(code)) {
                entry.relations |= 1 << bit;
            }
        }
    }
    Ok(())
}

/// Gives each cardinal, mediator and requirement a bit, and each mediator its sets of bits.
fn anchors(
    codes: &mut [Code],
    names: &Names,
    spec: &OntologySpec,
    quadrants: &[Label],
) -> Result<(Vec<Mediator>, u128), Error> {
    let mut bits = 0_u32;
    let mut bit_of = |code: u16| -> Result<u128, Error> {
        let entry = codes.get_mut(usize::from(code));
        let Some(entry) = entry else { return Ok(0) };
        if entry.anchor == 0 {
            bits += 1;
            let part = "codes among cardinals, mediators and their requirements";
            count(part, bits as usize, 0, MOST_ANCHORS)?;
            entry.anchor = 1 << (bits - 1);
        }
        Ok(entry.anchor)
    };
    let mut cardinals = 0;
    for cardinal in quadrants {
        cardinals |= bit_of(names.one("quadrant", cardinal)?)?;
    }
    let mut mediators = Vec::new();
    for m in &spec.mediators {
        let part = format!("mediator {}", m.code);
        let code = names.one(&part, &m.code)?;
        let required = names.all(&part, &m.requires)?;
        let mut requires = 0;
        for &need in &required {
            requires |= bit_of(need)?;
        }
        mediators.push(Mediator {
            code,
            own: bit_of(code)?,
            requires,
            required,
            and_another_cardinal: m.and_another_cardinal,
        });
    }
    Ok((mediators, cardinals))
}

fn axes(spec: &OntologySpec, quadrants: &[Label]) -> Result<Vec<Axis>, Error> {
    let axis = |poles: &[String; 2]| {
        let at = |name: &String| position("axis", quadrants, name, "a quadrant");
        let [a, b] = poles;
        Ok(Axis {
            poles: [at(a)?, at(b)?],
            name: format!("{a}\u{2013}{b}").as_str().into(),
        })
    };
    spec.axes.iter().map(axis).collect()
}

fn cycles(spec: &OntologySpec, names: &Names, labels: &[Label]) -> Result<Vec<Cycle>, Error> {
    let pairs = spec.cycles.iter().zip(labels);
    pairs
        .map(|(c, name)| {
            let part = format!("cycle {name}");
            Ok(Cycle {
                name: name.clone(),
                stations: names.all(&part, &c.stations)?,
            })
        })
        .collect()
}

fn groups(spec: &OntologySpec, names: &Names) -> Result<Groups, Error> {
    let groups = &spec.groups;
    let epistemic = groups.epistemic.iter();
    Ok(Groups {
        causal: names.all("group causal", &groups.causal)?,
        epistemic: epistemic
            .map(|g| names.all("group epistemic", g))
            .collect::<Result<_, _>>()?,
        layers: groups.layers.len(),
        solve: names.all("group solve", &groups.solve)?,
        coagula: names.all("group coagula", &groups.coagula)?,
    })
}
