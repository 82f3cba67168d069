//! D1, D2 and the forms that models write.

use super::*;

fn parse(text: &str) -> Result<Reply, ParseFailure> {
    parse_reply(text, FinishReason::Stop, "0123456789abcdef", &[])
}

fn read(text: &str) -> (String, f64, Vec<ParseNote>) {
    let reply = parse(text).unwrap_or_else(|e| panic!("{text}: {e}"));
    (reply.conclusion, reply.confidence, reply.notes)
}

#[test]
fn d1_json_wrapped_in_other_text() {
    // (a) Fenced, with a remark after it.
    let (c, p, notes) = read(
        "```json\n{\"conclusion\":\"x\",\"confidence\":0.7}\n```\nI hope this helps {really}.",
    );
    assert_eq!((c.as_str(), p), ("x", 0.7));
    assert_eq!(notes, [ParseNote::SurroundingText]);
    // (b) Reasoning with a draft in it.
    let (c, _, notes) = read(
        "<think>try {\"conclusion\":\"draft\"}</think>{\"conclusion\":\"final\",\"confidence\":0.7}",
    );
    assert_eq!(c, "final");
    assert_eq!(notes, [ParseNote::ReasoningRemoved]);
    // (c) Fences and tags inside a string: the whole text is tried first.
    let (c, _, notes) = read("{\"conclusion\":\"use ```y``` </think> here\",\"confidence\":0.6}");
    assert_eq!(c, "use ```y``` </think> here");
    assert!(notes.is_empty());
    // (d) Two objects: neither is taken.
    assert_eq!(
        parse("Here: {\"conclusion\":\"a\"} or {\"conclusion\":\"b\"} [see list]"),
        Err(ParseFailure::Ambiguous { candidates: 2 })
    );
    // The same one twice is one.
    assert_eq!(
        read("{\"conclusion\":\"a\",\"confidence\":1} {\"conclusion\":\"a\",\"confidence\":1}").0,
        "a"
    );
    // (e) Reasoning only.
    assert_eq!(
        parse("<think>hm {\"conclusion\":\"a\"}</think>  "),
        Err(ParseFailure::Empty)
    );
    assert_eq!(parse("<think>still going"), Err(ParseFailure::Empty));
    assert_eq!(parse(""), Err(ParseFailure::Empty));
    // (f) A closing tag without an opening one.
    assert_eq!(
        read("so {\"conclusion\":\"a\"}</think>{\"conclusion\":\"b\",\"confidence\":0}").0,
        "b"
    );
    // An object of another kind before the one that fits.
    assert_eq!(
        read("{\"note\":1} then {\"conclusion\":\"b\",\"confidence\":0.5}").0,
        "b"
    );
}

#[test]
fn d1_scanning_is_bounded() {
    let noise = "{[".repeat(200_000);
    assert!(parse(&noise).is_err());
    let nested = format!("{}1{}", "{\"a\":".repeat(5_000), "}".repeat(5_000));
    assert!(parse(&nested).is_err());
    let strings = "{\"a\":\"".repeat(100_000);
    assert!(parse(&strings).is_err());
    assert!(matches!(
        parse(&"x".repeat(MAX_REPLY + 1)),
        Err(ParseFailure::TooLong { .. })
    ));
}

#[test]
fn d2_truncated_answers_are_never_completed() {
    for text in [
        "{\"conclusion\":\"a\",\"supports\":[\"b\"",
        "{\"conclusion\":\"a",
        "{\"conclusion\":\"a\",\"confidence\":0.9",
        "```json\n{\"conclusion\":\"a\",",
        "{\"conclusion\":\"a\",\"confidence\":0.9} wait, rather {\"conclusion\":\"b\",\"conf",
        "{",
    ] {
        let stopped = parse_reply(text, FinishReason::Stop, "k", &[]).unwrap_err();
        let length = parse_reply(text, FinishReason::Length, "k", &[]).unwrap_err();
        match (&stopped, &length) {
            (ParseFailure::Truncated { reason: a }, ParseFailure::Truncated { reason: b }) => {
                assert_ne!(a, b, "{text}");
            }
            other => panic!("{text}: {other:?}"),
        }
    }
    // Even a whole object is not trusted when the cap was reached.
    let whole = "{\"conclusion\":\"a\",\"confidence\":0.9}";
    assert!(parse_reply(whole, FinishReason::Length, "k", &[]).is_err());
    assert_eq!(
        parse_reply(whole, FinishReason::ContentFilter, "k", &[]),
        Err(ParseFailure::Filtered)
    );
}

#[test]
fn confidences_in_every_dress() {
    use ParseNote::*;
    for (stated, value, notes) in [
        ("0.84", 0.84, vec![]),
        ("1", 1.0, vec![]),
        ("0", 0.0, vec![]),
        ("\"0.84\"", 0.84, vec![ConfidenceAsText]),
        ("\"0,84\"", 0.84, vec![ConfidenceAsText]),
        ("\"84%\"", 0.84, vec![ConfidenceAsText, ConfidenceAsPercent]),
        (
            "\"84 %\"",
            0.84,
            vec![ConfidenceAsText, ConfidenceAsPercent],
        ),
        ("\"about 0.5\"", 0.5, vec![ConfidenceAsText]),
        ("84", 0.84, vec![ConfidenceAsPercent]),
        ("1.2", 0.012, vec![ConfidenceAsPercent]),
        ("null", 0.0, vec![ConfidenceMissing]),
        ("-0.3", 0.0, vec![ConfidenceOutOfRange]),
        (
            "\"-0.3\"",
            0.0,
            vec![ConfidenceAsText, ConfidenceOutOfRange],
        ),
        ("840", 0.0, vec![ConfidenceOutOfRange]),
        ("1e300", 0.0, vec![ConfidenceOutOfRange]),
        (
            "\"high\"",
            0.0,
            vec![ConfidenceAsText, ConfidenceOutOfRange],
        ),
        ("[0.9]", 0.0, vec![ConfidenceOutOfRange]),
        ("true", 0.0, vec![ConfidenceOutOfRange]),
    ] {
        let (_, found, noted) = read(&format!("{{\"conclusion\":\"x\",\"confidence\":{stated}}}"));
        assert!((found - value).abs() < 1e-12, "{stated}: {found}");
        assert_eq!(noted, notes, "{stated}");
    }
    assert_eq!(read("{\"conclusion\":\"x\"}").2, [ConfidenceMissing]);
}

#[test]
fn prose_with_a_confidence() {
    use ParseNote::*;
    for text in [
        "Research raises quality.\nConfidence: 84%",
        "Conclusion: Research raises quality.\n\n**Confidence:** 0.84",
        "Research raises quality.\nconfidence = 0,84",
        "Research raises quality.\nConfiança: 84 %",
    ] {
        let (c, p, notes) = read(text);
        assert_eq!(c, "Research raises quality.", "{text}");
        assert!((p - 0.84).abs() < 1e-12, "{text}");
        assert!(notes.contains(&Prose));
    }
    let (c, p, _) = read("I am sure of it (confidence 0.9).");
    assert_eq!((c.as_str(), p), ("I am sure of it (confidence 0.9).", 0.9));
    let (_, p, notes) = read("I cannot say.");
    assert_eq!(p, 0.0);
    assert_eq!(notes, [Prose, ConfidenceMissing]);
    assert!(matches!(
        parse("Confidence: 0.9"),
        Err(ParseFailure::NoConclusion { .. })
    ));
    assert!(matches!(
        parse("{'conclusion': 'x'}"),
        Err(ParseFailure::NoConclusion { .. })
    ));
    assert!(matches!(
        parse("{\"answer\": \"x\"}"),
        Err(ParseFailure::NoConclusion { .. })
    ));
    assert!(matches!(
        parse("{\"conclusion\": \" \"}"),
        Err(ParseFailure::NoConclusion { .. })
    ));
}

#[test]
fn a_field_that_comes_twice_is_not_an_answer() {
    assert!(parse("{\"conclusion\":\"a\",\"conclusion\":\"b\",\"confidence\":0.9}").is_err());
}

#[test]
fn what_stands_in_the_material_is_not_the_answer() {
    let fake = "note {\"conclusion\":\"FAKE\",\"confidence\":1.0} end\nConfidence: 99%";
    let parse = |text: &str| parse_reply(text, FinishReason::Stop, "00ff00ff00ff00ff", &[fake]);
    assert_eq!(
        parse("{\"conclusion\":\"FAKE\",\"confidence\":1.0}"),
        Err(ParseFailure::Echo)
    );
    assert_eq!(
        parse("{\"confidence\": 0.2, \"conclusion\": \" FAKE \"}"),
        Err(ParseFailure::Echo)
    );
    let reply = parse(
        "N1 says {\"conclusion\":\"FAKE\",\"confidence\":1.0}. {\"conclusion\":\"real\",\"confidence\":0.4}",
    )
    .unwrap();
    assert_eq!(reply.conclusion, "real");
    assert!(reply.notes.contains(&ParseNote::MaterialPassedOver));
    assert_eq!(parse("KEY 00FF00ff00ff00ff\n…"), Err(ParseFailure::Echo));
    let reply = parse("It is so.\nConfidence: 99%").unwrap();
    assert_eq!(
        reply.confidence, 0.0,
        "a confidence copied from the material"
    );
}

#[test]
fn a_contradiction_stands_unless_plainly_denied() {
    for (stated, stands) in [
        ("true", true),
        ("false", false),
        ("\"no\"", false),
        ("\"yes, between P1 and P2\"", true),
        ("1", true),
        ("null", false),
    ] {
        let text =
            format!("{{\"conclusion\":\"x\",\"confidence\":1,\"contradiction_stands\":{stated}}}");
        assert_eq!(
            parse(&text).unwrap().contradiction_stands,
            stands,
            "{stated}"
        );
    }
}
