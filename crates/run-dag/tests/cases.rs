//! Cases that users of comparable systems ran into (R1 … R11), and bad input by kind.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::print_stdout
)]

use run_dag::audit::*;
use run_dag::tree::*;
use run_dag::*;
use std::collections::BTreeMap;

fn custom(payload: &[(&str, Value)]) -> RunRecord {
    let kind = CustomKind::new("case", "stage").unwrap();
    let mut run = RunBuilder::new(Shape::Custom("case".into()));
    let fields = payload
        .iter()
        .map(|(k, v)| ((*k).to_owned(), v.clone()))
        .collect();
    run.push(StagePayload::Custom(kind, fields));
    run.seal().unwrap()
}

fn root_of(payload: &[(&str, Value)]) -> RunRoot {
    custom(payload).run_dag_root()
}

#[test]
fn r1_different_leaf_lists_have_different_roots() {
    let data = |letters: &str| -> Vec<Vec<u8>> { letters.bytes().map(|b| vec![b]).collect() };
    let root = |letters: &str| root_of_data::<LogTree, _>(&data(letters));
    assert_ne!(root("abc"), root("abcc"));
    assert_ne!(root("abcdef"), root("abcdefef"));
    // A leaf whose bytes are two nodes joined is not their parent.
    let (a, b) = (LogTree::leaf(b"a"), LogTree::leaf(b"b"));
    let joined = [&a.as_bytes()[..], b.as_bytes()].concat();
    assert_ne!(LogTree::leaf(&joined), LogTree::node(&a, &b));
    assert_ne!(root_of_data::<LogTree, _>(&[joined]), root("ab"));
    assert_eq!(root("a"), a);
    let none = root_of_data::<LogTree, Vec<u8>>(&[]);
    assert_eq!(none, LogTree::empty());
    assert_ne!(none, root_of_data::<LogTree, _>(&[b""]));
}

#[test]
fn r2_field_boundaries_cannot_be_shifted() {
    let fields = |name: &str, version: &str, input: &str| {
        root_of(&[
            ("name", name.into()),
            ("version", version.into()),
            ("input", input.into()),
        ])
    };
    assert_ne!(fields("plan", "9", "12"), fields("plan9", "1", "2"));
    let list = |items: &[&str]| {
        let items = items.iter().map(|i| (*i).into()).collect();
        root_of(&[("list", Value::List(items))])
    };
    assert_ne!(list(&["a", "bc"]), list(&["ab", "c"]));
    assert_ne!(list(&[]), list(&[""]));
    let maybe = |title: Option<&str>| {
        let mut entry = sample::evidence().remove(0);
        entry.title = title.map(str::to_owned);
        entry.leaf_hash().unwrap()
    };
    assert_ne!(maybe(None), maybe(Some("")));
    assert_ne!(root_of(&[("x", Value::Null)]), root_of(&[("x", "".into())]));
    assert_ne!(root_of(&[("x", Value::Null)]), root_of(&[]));
    assert_ne!(root_of(&[("x", 1.into())]), root_of(&[("x", "1".into())]));
    // The kind's name is length-prefixed in the stage's hash.
    let stage = |kind: &str, text: &str| {
        let mut run = RunBuilder::new(Shape::Custom("case".into()));
        let kind = CustomKind::new("case", kind).unwrap();
        run.push(StagePayload::Custom(
            kind,
            Clause::from([("t".into(), text.into())]),
        ));
        run.seal().unwrap().run_dag_root()
    };
    assert_ne!(stage("plan", "9"), stage("plan9", ""));
}

#[test]
fn r3_numbers_have_one_form_or_none() {
    for float in [
        "1.0", "1e0", "-0.0", "-0", "1e20", "1E+2", "1e-7", "0.1", "1.5e300", "0e0",
    ] {
        let text = format!("{{\"a\":[{float}]}}");
        let error = Value::from_json(text.as_bytes()).unwrap_err();
        assert!(
            matches!(&error, Error::Float { path, .. } if path == "a[0]"),
            "{float}: {error}"
        );
    }
    for large in [
        "9007199254740993",
        "9007199254740992",
        "-9007199254740992",
        "100000000000000000000",
    ] {
        let error = Value::from_json(large.as_bytes()).unwrap_err();
        assert!(matches!(error, Error::IntegerOutOfRange { .. }), "{large}");
    }
    assert!(matches!(
        Value::from_serialize(&0.1f32),
        Err(Error::Float { .. })
    ));
    assert!(matches!(
        Value::from_serialize(&f64::NAN),
        Err(Error::Float { .. })
    ));
    assert!(matches!(
        Value::from_serialize(&1.0f64),
        Err(Error::Float { .. })
    ));
    assert!(Value::from_serialize(&u64::MAX).is_err());
    // The hash is the same before and after a round trip.
    for whole in [0, 1, -1, MAX_SAFE, -MAX_SAFE] {
        let value = Value::Int(SafeInt::try_from(whole).unwrap());
        let record = custom(&[("n", value)]);
        let text = record.to_canonical_json().unwrap();
        let back: RunRecord = serde_json::from_slice(&text).unwrap();
        assert_eq!(back.to_canonical_json().unwrap(), text);
        assert!(replay(&back).unwrap().is_clean());
    }
}

#[test]
fn floats_are_named_by_path_at_whatever_depth() {
    #[derive(serde::Serialize)]
    struct Inner {
        similarity: f64,
    }
    #[derive(serde::Serialize)]
    enum Kind {
        Scored { by: Vec<Inner> },
    }
    let deep = BTreeMap::from([(
        "passages",
        vec![Kind::Scored {
            by: vec![Inner { similarity: 0.87 }],
        }],
    )]);
    match Value::from_serialize(&deep) {
        Err(Error::Float { path, found }) => {
            assert_eq!(path, "passages[0].Scored.by[0].similarity");
            assert_eq!(found, "0.87");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn r5_order_of_keys_does_not_matter_and_duplicates_are_refused() {
    // The pinned root holds with serde_json's `preserve_order` off and on:
    // `cargo test -p run-dag --features serde_json/preserve_order`.
    let built = serde_json::json!({"b": 1, "a": {"d": 1, "c": 2}});
    let value = Value::from_serialize(&built).unwrap();
    assert_eq!(
        value.to_canonical().unwrap(),
        br#"{"a":{"c":2,"d":1},"b":1}"#
    );
    let read = Value::from_json(br#"{"a":{"c":2,"d":1},"b":1}"#).unwrap();
    assert_eq!(value, read);
    let root = root_of(&[("r5", value)]).to_hex();
    assert_eq!(root, R5_ROOT);
    match Value::from_json(br#"{"x":[{"a":1,"a":2}]}"#) {
        Err(Error::DuplicateKey { path, key }) => {
            assert_eq!((path.as_str(), key.as_str()), ("x[0]", "a"))
        }
        other => panic!("{other:?}"),
    }
    // The same key in two spellings is the same key.
    assert!(matches!(
        Value::from_json(br#"{"a":1,"\u0061":2}"#),
        Err(Error::DuplicateKey { .. })
    ));
    assert!(serde_json::from_str::<Value>(r#"{"a":1,"a":2}"#).is_err());
}

const R5_ROOT: &str = "21a8203162416f14f66e6d279413623c962c6ee47e27dd6d384fac967b7ea23e";

#[test]
fn r6_names_are_ascii_and_contents_are_never_normalized() {
    for name in [
        "r\u{e9}sum\u{e9}",
        "re\u{301}sume\u{301}",
        "Plan",
        "a b",
        "",
        "a/b",
        "plan\u{200b}",
    ] {
        assert!(
            matches!(
                CustomKind::new("case", name),
                Err(Error::UnknownStageKind { .. })
            ),
            "{name}"
        );
    }
    let nfc = root_of(&[("text", "r\u{e9}sum\u{e9}".into())]);
    let nfd = root_of(&[("text", "re\u{301}sume\u{301}".into())]);
    assert_ne!(nfc, nfd);
    assert_ne!(BytesDigest::of("\u{e9}"), BytesDigest::of("e\u{301}"));
    // Only the form of a question that is compared is normalized.
    assert_eq!(
        question_hash("r\u{e9}sum\u{e9}"),
        question_hash("re\u{301}sume\u{301}")
    );
    assert_ne!(
        QuestionPayload::new("r\u{e9}sum\u{e9}").raw,
        QuestionPayload::new("re\u{301}sume\u{301}").raw
    );
}

#[test]
fn r9_single_leaves_and_checkpoints_of_another_size() {
    let leaf = LogTree::leaf(b"only");
    verify_inclusion::<LogTree>(0, 1, &leaf, &[], &leaf).unwrap();
    let log = MemoryAuditLog::new("candor.example/r9");
    conformance::append_some(&log, 0, 4).unwrap();
    let four = log.checkpoint(None).unwrap();
    conformance::append_some(&log, 1, 1).unwrap();
    let proof = log.prove_event(2, four.size).unwrap();
    four.verify_event(&proof).unwrap();
    assert!(matches!(
        log.prove_event(4, four.size),
        Err(Error::NewerThanCheckpoint { index: 4, size: 4 })
    ));
    let newer = log.prove_event(4, 5).unwrap();
    assert!(matches!(
        four.verify_event(&newer),
        Err(Error::NewerThanCheckpoint { index: 4, size: 4 })
    ));
    assert!(four.verify_event(&log.prove_event(2, 5).unwrap()).is_err());
}

/// Two writers that each read the same head: verification says fork, not tampering.
#[test]
fn r11_a_fork_is_named_as_a_fork() {
    let origin = "candor.example/r11";
    let log = MemoryAuditLog::new(origin);
    conformance::append_some(&log, 0, 3).unwrap();
    let mut events = log.events(0, 9).unwrap();
    let twin = |n: u32| NewEvent {
        at: Timestamp::default(),
        kind: format!("twin_{n}"),
        detail: Clause::new(),
    };
    let head = events[2].event_hash;
    events.push(LoggedEvent::following(head, 3, twin(1)).unwrap());
    events.push(LoggedEvent::following(head, 3, twin(2)).unwrap());
    let found = verify_events(origin, &events);
    assert!(
        matches!(
            found,
            Err(Error::LogBreak(LogBreak::Forked {
                sequence: 4,
                sibling: 3
            }))
        ),
        "{found:?}"
    );
}

#[test]
fn the_first_break_of_a_log_is_named() {
    let origin = "candor.example/breaks";
    let log = MemoryAuditLog::new(origin);
    conformance::append_some(&log, 0, 6).unwrap();
    let events = log.events(0, 9).unwrap();
    verify_events(origin, &events).unwrap();
    let with = |change: &dyn Fn(&mut Vec<LoggedEvent>)| {
        let mut events = events.clone();
        change(&mut events);
        match verify_events(origin, &events) {
            Err(Error::LogBreak(found)) => found,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(
        with(&|e| e[3].kind = "edited".into()),
        LogBreak::Altered { sequence: 3 }
    );
    assert_eq!(
        with(&|e| e[3].at = Timestamp(9.into())),
        LogBreak::Altered { sequence: 3 }
    );
    assert_eq!(
        with(&|e| drop(e.remove(2))),
        LogBreak::Unlinked { sequence: 2 }
    );
    assert_eq!(with(&|e| e.swap(1, 2)), LogBreak::Unlinked { sequence: 1 });
    assert_eq!(
        with(&|e| drop(e.remove(0))),
        LogBreak::Unlinked { sequence: 0 }
    );
    assert!(verify_events("another.example/log", &events).is_err());
}

fn read(text: &str) -> Error {
    RunRecord::from_canonical_json(text.as_bytes()).unwrap_err()
}

/// A sealed record as text, for tests that spoil it.
fn text(shape: &Shape) -> String {
    String::from_utf8(sample::run(shape).unwrap().to_canonical_json().unwrap()).unwrap()
}

#[test]
fn bad_input_has_an_error_for_each_kind_with_its_path() {
    let lattice = text(&Shape::Lattice);
    let float = read(&lattice.replacen("\"top_k\":3", "\"top_k\":3.5", 1));
    assert!(
        matches!(&float, Error::Float { path, .. } if path == "stages[2].payload.plan.top_k"),
        "{float}"
    );
    let twice = read(&lattice.replacen("\"top_k\":3", "\"top_k\":3,\"top_k\":3", 1));
    assert!(
        matches!(&twice, Error::DuplicateKey { path, key } if path == "stages[2].payload.plan" && key == "top_k"),
        "{twice}"
    );
    let lone = read(&lattice.replacen("When was", "\\ud800When was", 1));
    assert!(
        matches!(&lone, Error::LoneSurrogate { path, .. } if path.starts_with("stages[0].payload.")),
        "{lone}"
    );
    let kind = read(&lattice.replacen("\"kind\":\"verify\"", "\"kind\":\"verified\"", 1));
    assert!(
        matches!(&kind, Error::UnknownStageKind { path, kind } if path == "stages[7].kind" && kind == "verified"),
        "{kind}"
    );
    let wrong = read(&lattice.replacen("\"top_k\":3", "\"top_k\":\"3\"", 1));
    assert!(
        matches!(&wrong, Error::WrongType { path, .. } if path == "stages[2].payload.plan.top_k"),
        "{wrong}"
    );
    let extra = read(&lattice.replacen("\"top_k\":3", "\"top_k\":3,\"top_l\":3", 1));
    assert!(
        matches!(&extra, Error::WrongType { path, reason } if path.starts_with("stages[2].payload.plan") && reason.contains("top_l")),
        "{extra}"
    );
    let version = read(&lattice.replacen("record v1", "record v2", 1));
    assert!(matches!(version, Error::UnknownFormat { .. }), "{version}");
    let spaced = read(&lattice.replacen(',', ", ", 1));
    assert!(matches!(spaced, Error::NotCanonical { .. }), "{spaced}");
    let syntax = read("{\"a\":}");
    assert!(
        matches!(&syntax, Error::Syntax { path, offset: 5, .. } if path == "a"),
        "{syntax}"
    );
    let root = sample::run(&Shape::Lattice)
        .unwrap()
        .run_dag_root()
        .to_hex();
    let upper = read(&lattice.replace(&root, &root.to_uppercase()));
    assert!(
        matches!(&upper, Error::WrongType { path, .. } if path == "run_dag_root"),
        "{upper}"
    );
    let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(matches!(
        Value::from_json(deep.as_bytes()),
        Err(Error::TooDeep { limit: 64, .. })
    ));
    assert!(matches!(
        Value::from_json(b"\"\xff\""),
        Err(Error::Syntax {
            expected: "UTF-8",
            ..
        })
    ));
}

#[test]
fn oversize_is_refused_when_sealing_and_when_reading() {
    let limits = Limits {
        max_payload_bytes: 100,
        ..Limits::default()
    };
    let kind = CustomKind::new("case", "stage").unwrap();
    let payload = Clause::from([("text".into(), "x".repeat(101).into())]);
    let mut run = RunBuilder::new(Shape::Custom("case".into())).within(limits.clone());
    run.push(StagePayload::Custom(kind, payload));
    let sealed = run.clone().seal().unwrap_err();
    assert!(
        matches!(&sealed, Error::Oversize { path, limit: 100, unit: "bytes", .. } if path == "stages[0].payload"),
        "{sealed}"
    );
    let text = run
        .within(Limits::default())
        .seal()
        .unwrap()
        .to_canonical_json()
        .unwrap();
    let read = RunRecord::from_canonical_json_within(&text, &limits).unwrap_err();
    assert!(matches!(read, Error::Oversize { unit: "bytes", .. }));
    let small = Limits {
        max_record_bytes: 10,
        ..Limits::default()
    };
    assert!(RunRecord::from_canonical_json_within(&text, &small).is_err());
    let none = Limits {
        max_stages: 0,
        ..Limits::default()
    };
    assert!(matches!(
        RunRecord::from_canonical_json_within(&text, &none),
        Err(Error::Oversize { unit: "stages", .. })
    ));
}

/// Stages missing, doubled or out of place, in every built-in shape.
#[test]
fn wrong_shapes_are_refused_when_sealing() {
    for shape in Shape::BUILT_IN {
        let record = sample::run(shape).unwrap();
        let payloads: Vec<StagePayload> = record
            .stages()
            .iter()
            .map(|s| s.payload().clone())
            .collect();
        let seal = |payloads: &[StagePayload]| {
            let mut run = RunBuilder::new(shape.clone());
            for payload in payloads {
                match payload {
                    StagePayload::EvidenceMap(_) => {
                        run.push_evidence_map(sample::evidence()).unwrap()
                    }
                    StagePayload::Context(_) => run.push_context("c", sample::evidence()).unwrap(),
                    other => run.push(other.clone()),
                };
            }
            run.seal()
        };
        seal(&payloads).unwrap();
        for at in 0..payloads.len() {
            let mut missing = payloads.clone();
            let gone = missing.remove(at);
            // One focus pass or round fewer is still a deliberation.
            let optional = matches!(gone, StagePayload::Focus(_) | StagePayload::Reconcile(_));
            let refused = matches!(seal(&missing), Err(Error::Shape { .. }));
            assert!(refused || optional, "{shape} without {at}");
            let mut doubled = payloads.clone();
            doubled.insert(at, payloads[at].clone());
            assert!(
                matches!(seal(&doubled), Err(Error::Shape { .. })),
                "{shape} with {at} twice"
            );
        }
        let mut reversed = payloads.clone();
        reversed.reverse();
        assert!(
            matches!(seal(&reversed), Err(Error::Shape { .. })),
            "{shape} reversed"
        );
        let mut foreign = payloads.clone();
        let kind = CustomKind::new("case", "stage").unwrap();
        foreign.insert(1, StagePayload::Custom(kind, Clause::new()));
        assert!(
            matches!(seal(&foreign), Err(Error::Shape { .. })),
            "{shape} with a foreign stage"
        );
    }
}

#[test]
fn custom_shapes_are_held_to_their_declaration() {
    let shape = sample::review_shape();
    let payload = |kind: &str, text: &str| {
        let fields = Clause::from([("text".into(), text.into())]);
        StagePayload::Custom(shape.kind(kind).unwrap(), fields)
    };
    let mut run = RunBuilder::custom(shape.clone());
    let draft = run.push_after(payload("draft", "d"), &[]);
    assert!(
        matches!(run.clone().seal(), Err(Error::Shape { .. })),
        "no comment, no decision"
    );
    let comment = run.push_after(payload("comment", "c"), &[draft]);
    let mut orphan = run.clone();
    orphan.push_after(payload("decision", "x"), &[draft]);
    assert!(
        matches!(orphan.seal(), Err(Error::Shape { .. })),
        "a decision without the comments"
    );
    let mut twice = run.clone();
    twice.push_after(payload("draft", "d2"), &[]);
    twice.push_after(payload("decision", "x"), &[draft, comment]);
    assert!(
        matches!(twice.seal(), Err(Error::Shape { .. })),
        "two drafts"
    );
    run.push_after(payload("decision", "x"), &[draft, comment]);
    let record = run.seal().unwrap();
    record.check_custom(&shape).unwrap();
    let other = CustomShape {
        name: "other".into(),
        stages: vec![],
    };
    assert!(record.check_custom(&other).is_err());
    assert!(shape.kind("verdict").is_err());
}

#[test]
fn order_of_sealing_does_not_change_the_root_and_order_of_parents_does() {
    let shape = sample::review_shape();
    let seal = |first: &str, second: &str, swap: bool| {
        let payload = |kind: &str, text: &str| {
            let fields = Clause::from([("text".into(), text.into())]);
            StagePayload::Custom(shape.kind(kind).unwrap(), fields)
        };
        let mut run = RunBuilder::custom(shape.clone());
        let draft = run.push_after(payload("draft", "d"), &[]);
        let a = run.push_after(payload("comment", first), &[draft]);
        let b = run.push_after(payload("comment", second), &[draft]);
        let parents = if swap { [draft, b, a] } else { [draft, a, b] };
        run.push_after(payload("decision", "x"), &parents);
        run.seal().unwrap().run_dag_root()
    };
    assert_eq!(seal("one", "two", false), seal("two", "one", true));
    assert_ne!(seal("one", "two", false), seal("one", "two", true));
}

#[test]
fn every_error_is_one_sentence_on_one_line() {
    let errors = [
        read("["),
        read("{\"a\":1.5}"),
        Shape::parse("x").unwrap_err(),
        sample::run(&Shape::Quote)
            .unwrap()
            .stage_index("x")
            .unwrap_err(),
        Decimal::new("1.0").unwrap_err(),
        ContentDigest::from_hex("AB").unwrap_err(),
    ];
    for error in errors {
        let text = error.to_string();
        assert!(!text.contains('\n') && text.len() > 20, "{text}");
    }
}
