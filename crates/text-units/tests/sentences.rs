//! Sentences of real text, English and Catalan.
#![allow(clippy::unwrap_used)]

use text_units::{BlockKind, sentences};

fn cut(text: &str) -> Vec<&str> {
    sentences(text).into_iter().map(|s| s.text).collect()
}

/// One sentence each, whole.
#[track_caller]
fn whole(text: &str) {
    assert_eq!(cut(text), [text]);
}

/// The parts, in order, when joined by `joint`.
#[track_caller]
fn parts(text: &str, expected: &[&str]) {
    assert_eq!(cut(text), expected);
}

#[test]
fn english_abbreviations_do_not_end() {
    whole("Dr. Smith met Mrs. Jones at St. Pancras.");
    whole("Use a container, e.g. Podman, or an image, i.e. Debian.");
    whole("Small cats, e.g. The Siamese, are loud.");
    whole("It was Smith vs. Jones.");
    whole("See Fig. 3 and No. 5.");
    whole("See vol. IV and pp. 12–14.");
    whole("It was written by J. S. Mill.");
    whole("The U.S. Congress met.");
    whole("Chang et al. Showed little.");
    whole("On Sept. 5 it began.");
}

#[test]
fn catalan_abbreviations_do_not_end() {
    whole("El Sr. Puig i la Sra. Roca viuen al núm. 7.");
    whole("Vegeu la pàg. 12 del vol. III.");
    whole("Hi ha fruita, p. ex. Pomes i peres.");
    whole("La Dra. Ferrer va néixer al s. XIX a St. Cugat.");
    whole("Pomes, peres, etc. es venen aquí.");
    parts(
        "Pomes, peres, etc. Després plegàrem.",
        &["Pomes, peres, etc.", "Després plegàrem."],
    );
}

#[test]
fn the_same_dots_end_where_they_should() {
    parts("Did he? No. He left.", &["Did he?", "No.", "He left."]);
    parts(
        "He lives in the U.S. The rest moved.",
        &["He lives in the U.S.", "The rest moved."],
    );
    parts(
        "It is vitamin C. The dose is small.",
        &["It is vitamin C.", "The dose is small."],
    );
    parts(
        "It grew in 1990. 12 people came.",
        &["It grew in 1990.", "12 people came."],
    );
    parts("Torna als EUA. És lluny.", &["Torna als EUA.", "És lluny."]);
}

#[test]
fn numbers_versions_and_ellipses_hold() {
    whole("Version 1.13.3 gives 3.5 % and 1.000 more on node.js.");
    whole("Wait... what was that?");
    whole("Wait… what was that?");
    parts("Wait… Nobody came.", &["Wait…", "Nobody came."]);
    whole("“Really?” he asked.");
    whole("«De debò?» va dir ella.");
}

#[test]
fn wrapped_lines_are_one_paragraph() {
    parts(
        "A line that is\nwrapped by hand. And\nanother one.",
        &["A line that is\nwrapped by hand.", "And\nanother one."],
    );
    parts("one\r\ntwo", &["one\r\ntwo"]);
    parts("No stop here\n\nnor here", &["No stop here", "nor here"]);
    parts(
        "It ended in\n1990. Then it\nrained.",
        &["It ended in\n1990.", "Then it\nrained."],
    );
}

#[test]
fn markup_starts_anew() {
    let text = "# Title\nText of it.\n- first item\n- second. It goes on\n  here\n1. one\n2. two\n\n| a | b. C |\n|---|---|\n| 1 | 2 |\n```rust\nlet a = 1; // Yes. No.\n```\n> said\n> she. Again.\nEnd\n===\n";
    let found: Vec<(BlockKind, &str)> = sentences(text)
        .iter()
        .map(|s| (s.kind, s.content()))
        .collect();
    use BlockKind::{Code, Heading, ListItem, Prose, Quote, Rule, TableRow};
    assert_eq!(
        found,
        [
            (Heading, "Title"),
            (Prose, "Text of it."),
            (ListItem, "first item"),
            (ListItem, "second."),
            (ListItem, "It goes on\n  here"),
            (ListItem, "one"),
            (ListItem, "two"),
            (TableRow, "| a | b. C |"),
            (Rule, "|---|---|"),
            (TableRow, "| 1 | 2 |"),
            (Rule, "```rust"),
            (Code, "let a = 1; // Yes. No."),
            (Rule, "```"),
            (Quote, "said\n> she."),
            (Quote, "Again."),
            (Heading, "End"),
            (Rule, "==="),
        ]
    );
}

#[test]
fn quotes_and_brackets_stay_with_their_sentence() {
    parts("He said “Go.” She went.", &["He said “Go.”", "She went."]);
    parts(
        "(He left. She stayed.) Then rain.",
        &["(He left.", "She stayed.)", "Then rain."],
    );
    parts(
        "It ended.(See below.) Then rain.",
        &["It ended.", "(See below.)", "Then rain."],
    );
    whole("He wrote _On Liberty._");
    whole("It was **done.**");
    parts("**Done.** *Next* one.", &["**Done.**", "*Next* one."]);
    parts(
        "As _he says._ Then _she._ [2] End.",
        &["As _he says._", "Then _she._ [2]", "End."],
    );
    parts("\"No.\" \"Yes.\"", &["\"No.\"", "\"Yes.\""]);
}

#[test]
fn markers_after_the_stop_belong_to_the_sentence_before() {
    parts(
        "One [E1]. Two. [E2] Three.[E3] Four.\n[E4]\n[E5] Five. Six [E6] goes on here.",
        &[
            "One [E1].",
            "Two. [E2]",
            "Three.[E3]",
            "Four.\n[E4]",
            "[E5] Five.",
            "Six [E6] goes on here.",
        ],
    );
    parts(
        "A. [E1][E2] B. [3, 4] C.",
        &["A. [E1][E2]", "B. [3, 4]", "C."],
    );
    parts("As in cf. [3] The end.", &["As in cf. [3] The end."]);
    parts(
        "Done. [Read on](x.html) now.",
        &["Done.", "[Read on](x.html) now."],
    );
}

#[test]
fn nothing_gives_nothing_and_one_line_is_one() {
    for empty in ["", "   ", "\n\n", "\r\n"] {
        assert!(sentences(empty).is_empty());
    }
    assert_eq!(cut("wise words with no full stop").len(), 1);
    assert_eq!(cut("one line\n").len(), 1);
}
