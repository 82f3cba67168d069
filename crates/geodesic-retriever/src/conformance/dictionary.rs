//! The laws of [`DictionaryStore`], [`Validator`] and [`QuestionGenerator`].

use super::{Outcome, demand, fingerprint, vector, word};
use crate::{
    BASELINE, Bands, Calibration, CalibrationMethod, Candidate, Capacity, ChunkOptions,
    ChunkRecord, DedupThresholds, DictionaryEntry, DictionarySetup, DictionaryStore, EntryKind,
    EntryMeta, Error, Fate, GENERALIST, IngestStep, Op, Passage, QuestionGenerator, Shape,
    Specialist, Validator,
};

const SHAPE: Shape = Shape::Dense(4);
const ODD: &str = "it's \"odd\"; -- \u{e9} e\u{301} \u{1f600}\n%_\\";

/// The setup of the suite.
#[must_use]
pub fn setup() -> DictionarySetup {
    let fingerprint = fingerprint(SHAPE);
    DictionarySetup {
        calibration: Calibration {
            floor: 0.1,
            threshold: 0.2,
            bands: Bands {
                partial: 0.2,
                matching: 0.3,
                strong: 0.1 + 0.3,
            },
            how: CalibrationMethod::Manual,
            fingerprint: fingerprint.clone(),
            corpus_root: None,
            date: Some("2026-01-01".into()),
        },
        fingerprint,
        lexical: None,
        chunking: ChunkOptions::default(),
        capacity: Capacity::default(),
        dedup: DedupThresholds::default(),
        centre: Some(vector(SHAPE, 77)),
    }
}

fn entry(cube: &str, id: &str, number: u64) -> DictionaryEntry {
    DictionaryEntry {
        passage: Passage {
            entry_id: id.to_owned(),
            source_id: ODD.to_owned(),
            title: format!("title {number}"),
            text: format!("{ODD} text {number}"),
            bytes: 3..9,
            chars: 2..7,
            meta: EntryMeta {
                cube: cube.to_owned(),
                kind: EntryKind::Fact,
                parent: ODD.to_owned(),
            },
        },
        vector: vector(SHAPE, number),
        confidence: 0.1 + 0.2,
    }
}

fn put(cube: &str, id: &str, number: u64) -> Op {
    let entry = Box::new(entry(cube, id, number));
    Op::Put { entry }
}

fn record(id: &str, fate: Fate) -> ChunkRecord {
    ChunkRecord {
        id: id.to_owned(),
        source: ODD.to_owned(),
        kind: EntryKind::Fact,
        validator: "v".into(),
        confidence: 0.1 + 0.2,
        fate,
    }
}

fn specialist(name: &str) -> Specialist {
    Specialist {
        name: name.to_owned(),
        label: "Reasoning".into(),
        parent: GENERALIST.into(),
        depth: 1,
    }
}

fn advance(source: &str, digest: &str) -> Op {
    Op::Advance {
        source: source.to_owned(),
        digest: digest.to_owned(),
        step: IngestStep::Done,
        chunk_ids: Some(vec!["a".into()]),
    }
}

/// Creates a dictionary and fills it with what the suites look for: two entries, a copy of one in
/// the specialist `reasoning`, an account, a source that is done. The store must be empty.
///
/// # Errors
/// What the store got wrong.
pub fn fill_dictionary(store: &dyn DictionaryStore) -> Outcome {
    store.create(&setup()).map_err(word)?;
    store.log().begin(ODD, "d").map_err(word)?;
    let specialist = specialist("reasoning");
    let held = record("a", Fate::Held);
    let ops = [
        put(GENERALIST, "b", 2),
        put(GENERALIST, "a", 1),
        Op::AddSpecialist { specialist },
        put("reasoning", "a", 1),
        Op::Record { record: held },
        advance(ODD, "d"),
        Op::SetRoot {
            root: Some("r".into()),
        },
    ];
    let generation = store.commit(0, &ops).map_err(word)?;
    demand(generation == 1, "a commit raises the generation by one")
}

/// Checks a dictionary that holds what [`fill_dictionary`] put there.
///
/// # Errors
/// What the store got wrong.
pub fn filled_dictionary(store: &dyn DictionaryStore) -> Outcome {
    let state = store
        .state()
        .map_err(word)?
        .ok_or("the dictionary is gone")?;
    demand(
        state.setup == setup() && state.generation == 1 && state.root.as_deref() == Some("r"),
        "the state comes back as it was put",
    )?;
    let named = state.specialists.get("reasoning");
    demand(
        named == Some(&specialist("reasoning")) && state.specialists.len() == 1,
        "a specialist comes back",
    )?;
    let there = store.entries(GENERALIST, None, 9).map_err(word)?;
    let expected = [entry(GENERALIST, "a", 1), entry(GENERALIST, "b", 2)];
    demand(
        there == expected,
        "entries come back bit for bit, in the order of their ids",
    )?;
    let after = store.entries(GENERALIST, Some("a"), 9).map_err(word)?;
    demand(after == expected[1..], "a page begins after an id")?;
    let one = store.entries(GENERALIST, None, 1).map_err(word)?;
    demand(one == expected[..1], "a page ends at its limit")?;
    let copy = store.entry("reasoning", "a").map_err(word)?;
    demand(
        copy == Some(entry("reasoning", "a", 1)),
        "a copy lives in its cube",
    )?;
    demand(
        store.entry("reasoning", "b").map_err(word)?.is_none()
            && store.entries("nowhere", None, 9).map_err(word)?.is_empty(),
        "cubes are apart; an unknown one is empty",
    )?;
    let records = store.records(None, 9).map_err(word)?;
    demand(
        records == [record("a", Fate::Held)],
        "an account comes back",
    )?;
    let source = store.log().get(ODD).map_err(word)?;
    let done = source.is_some_and(|s| s.step == IngestStep::Done && s.chunk_ids == ["a"]);
    demand(done, "a commit advances the log")?;
    demand(
        store.strays().map_err(word)?.is_empty(),
        "nothing is half there",
    )
}

/// Checks an empty store.
///
/// # Errors
/// What the store got wrong.
pub fn dictionary_store(store: &dyn DictionaryStore) -> Outcome {
    demand(
        store.state().map_err(word)?.is_none(),
        "there is nothing before it is created",
    )?;
    demand(
        store.commit(0, &[]).is_err(),
        "nothing can be changed before it is created",
    )?;
    fill_dictionary(store)?;
    filled_dictionary(store)?;
    created_again(store)?;
    whole_or_not(store)?;
    changes(store)?;
    cleared(store)
}

fn created_again(store: &dyn DictionaryStore) -> Outcome {
    let again = store.create(&setup()).map_err(word)?;
    demand(
        again.generation == 1 && again.specialists.len() == 1,
        "created again, it is found as it is",
    )?;
    let mut recalibrated = setup();
    recalibrated.calibration.threshold = 0.3;
    let found = store.create(&recalibrated).map_err(word)?;
    demand(
        found.setup == setup(),
        "other numbers of the gate make no other dictionary, and do not replace the stored ones",
    )?;
    let mut other = setup();
    other.chunking.max_size = 7;
    demand(
        matches!(store.create(&other), Err(Error::OtherDictionary)),
        "another setup is refused",
    )
}

/// What must be refused, each after a change that would be fine.
fn refused() -> Vec<(&'static str, Op)> {
    let mut wrong_shape = entry(GENERALIST, "x", 1);
    wrong_shape.vector = vector(Shape::Dense(5), 1);
    let mut nul = entry(GENERALIST, "x", 1);
    nul.passage.text = "a\0b".into();
    let mut doubtful = entry(GENERALIST, "x", 1);
    doubtful.confidence = f64::NAN;
    let boxed = |entry| Op::Put {
        entry: Box::new(entry),
    };
    vec![
        ("an unknown cube", put("nowhere", "x", 1)),
        ("a vector of another shape", boxed(wrong_shape)),
        ("U+0000", boxed(nul)),
        ("a confidence that is no number", boxed(doubtful)),
        ("an entry without an id", put(GENERALIST, "", 1)),
        ("a source that was not begun", advance("nowhere", "d")),
        (
            "a specialist that is there",
            Op::AddSpecialist {
                specialist: specialist("reasoning"),
            },
        ),
        (
            "a specialist under the baseline's name",
            Op::AddSpecialist {
                specialist: specialist(BASELINE),
            },
        ),
    ]
}

fn whole_or_not(store: &dyn DictionaryStore) -> Outcome {
    for (what, op) in refused() {
        let ops = [
            put(GENERALIST, "fine", 5),
            Op::ForgetRecord { id: "a".into() },
            Op::ForgetSource { source: ODD.into() },
            op,
        ];
        demand(
            store.commit(1, &ops).is_err(),
            &format!("{what} is refused"),
        )?;
        filled_dictionary(store)
            .map_err(|e| format!("a commit refused for {what} left a trace: {e}"))?;
    }
    for generation in [0, 2] {
        let stale = store.commit(generation, &[put(GENERALIST, "late", 5)]);
        let told = matches!(stale, Err(Error::AnotherWriter { found: 1, .. }));
        demand(told, "a commit against another generation is refused")?;
    }
    filled_dictionary(store)
}

fn changes(store: &dyn DictionaryStore) -> Outcome {
    let mut calibration = setup().calibration;
    calibration.threshold = 0.1 + 0.2;
    let duplicate = Fate::Duplicate {
        of: ODD.into(),
        cosine: 0.85,
    };
    let ops = [
        put(GENERALIST, "a", 9),
        put(GENERALIST, ODD, 4),
        put(BASELINE, "a", 1),
        Op::Remove {
            cube: GENERALIST.into(),
            id: "b".into(),
        },
        Op::Remove {
            cube: GENERALIST.into(),
            id: "never there".into(),
        },
        // An id holds no U+0000: this one is not `a`.
        Op::Remove {
            cube: GENERALIST.into(),
            id: "a\0".into(),
        },
        Op::ForgetRecord { id: "a\0".into() },
        Op::Record {
            record: record("b", duplicate.clone()),
        },
        Op::Reopen { source: ODD.into() },
        Op::SetRoot { root: None },
        Op::SetCalibration {
            calibration: Box::new(calibration.clone()),
        },
    ];
    let generation = store.commit(1, &ops).map_err(word)?;
    demand(
        generation == 2,
        "generations are counted one by one; refused commits do not count",
    )?;
    let there = store.entries(GENERALIST, None, 9).map_err(word)?;
    let mut expected = [entry(GENERALIST, ODD, 4), entry(GENERALIST, "a", 9)];
    expected.sort_by(|a, b| a.passage.entry_id.cmp(&b.passage.entry_id));
    demand(
        there == expected,
        "an entry replaces the one with its id; a removed one is gone",
    )?;
    let baseline = store.entry(BASELINE, "a").map_err(word)?;
    demand(
        baseline == Some(entry(BASELINE, "a", 1)),
        "the baseline is a cube of its own",
    )?;
    let account = store.record("b").map_err(word)?;
    demand(
        account == Some(record("b", duplicate)) && store.record("a").map_err(word)?.is_some(),
        "accounts come back with their fates",
    )?;
    let state = store.state().map_err(word)?.ok_or("gone")?;
    demand(
        state.root.is_none() && state.setup.calibration == calibration,
        "root and calibration can be set",
    )?;
    let source = store.log().get(ODD).map_err(word)?.ok_or("gone")?;
    demand(
        source.step == IngestStep::Swept
            && source.chunk_ids.is_empty()
            && source.superseded == ["a"],
        "a source that is opened again starts anew and keeps its former entries in mind",
    )
}

fn cleared(store: &dyn DictionaryStore) -> Outcome {
    let clear = |cube: &str| Op::ClearCube { cube: cube.into() };
    let ops = [
        clear("reasoning"),
        clear(GENERALIST),
        clear("never there"),
        put(GENERALIST, "new", 3),
        Op::ForgetAll,
    ];
    store.commit(2, &ops).map_err(word)?;
    let state = store.state().map_err(word)?.ok_or("gone")?;
    demand(
        state.specialists.is_empty() && state.generation == 3,
        "a cleared specialist is gone",
    )?;
    demand(
        store
            .entries("reasoning", None, 9)
            .map_err(word)?
            .is_empty(),
        "so are its entries",
    )?;
    let there = store.entries(GENERALIST, None, 9).map_err(word)?;
    demand(
        there == [entry(GENERALIST, "new", 3)],
        "changes are made in their order",
    )?;
    demand(
        store.records(None, 9).map_err(word)?.is_empty()
            && store.log().page(false, None, 9).map_err(word)?.is_empty(),
        "log and accounts are forgotten",
    )?;
    demand(
        store.entry(BASELINE, "a").map_err(word)?.is_some(),
        "the baseline stays until it is cleared itself",
    )?;
    let specialist = specialist("reasoning");
    let ops = [Op::AddSpecialist { specialist }, put("reasoning", "z", 1)];
    store.commit(3, &ops).map_err(word)?;
    let there = store.entries("reasoning", None, 9).map_err(word)?;
    demand(
        there == [entry("reasoning", "z", 1)],
        "a name can be used again",
    )
}

/// Checks a validator.
///
/// # Errors
/// What it got wrong.
pub fn validator(validator: &dyn Validator) -> Outcome {
    let id = validator.id().to_owned();
    demand(!id.is_empty(), "it has an id")?;
    let long = "word ".repeat(50_000);
    for text in [
        "",
        " \n\t",
        "\u{200b}",
        "?!… —",
        "The bridge at Halden has twelve spans and was opened in 1931.",
        "a\0b",
        "😀 \u{fffd} e\u{301}",
        &long,
    ] {
        let candidate = Candidate {
            document: "d",
            title: "",
            text,
            kind: EntryKind::Fact,
        };
        let verdict = validator.validate(&candidate).map_err(word)?;
        demand(
            (0.0..=1.0).contains(&verdict.confidence),
            "confidence lies in [0, 1]",
        )?;
        demand(
            verdict.reasons.iter().all(|r| !r.trim().is_empty()),
            "a reason says something",
        )?;
        let empty = !text.chars().any(char::is_alphanumeric);
        demand(
            !(empty && verdict.accepted()),
            "a text without a letter or digit is refused",
        )?;
        if !validator.is_costly() {
            let again = validator.validate(&candidate).map_err(word)?;
            demand(again == verdict, "the same text gets the same verdict")?;
        }
    }
    demand(validator.id() == id, "the id is constant")
}

/// Checks a generator of questions.
///
/// # Errors
/// What it got wrong.
pub fn question_generator(generator: &dyn QuestionGenerator) -> Outcome {
    demand(!generator.id().is_empty(), "it has an id")?;
    let mut passage = entry(GENERALIST, "a", 1).passage;
    for text in ["", " \n", "?!… —", "😀 \u{200b}"] {
        text.clone_into(&mut passage.text);
        demand(
            generator.question(&passage).map_err(word)?.is_none(),
            "a passage without words yields no question",
        )?;
    }
    "The bridge at Halden has twelve spans and was opened in 1931 by the mayor."
        .clone_into(&mut passage.text);
    let question = generator.question(&passage).map_err(word)?;
    let question = question.ok_or("a plain passage yields no question")?;
    demand(
        !question.trim().is_empty() && question != passage.text,
        "a question is neither empty nor the passage",
    )
}
