//! Pages: what stands on them, and that nothing else can.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use audit_report::{render, render_checked, render_deliberation};
use common::{
    Case, deliberation, hostile, hostile_with, large, poisoned, poisoned_answer, read, rich,
    sealed, verdicts,
};
use grounded_answer::{Discrepancy, Verification};
use proptest::prelude::*;

#[test]
fn a_claim_links_to_its_passage_and_back() {
    let page = render(&rich());
    read(&page);
    assert!(page.contains("<a href=\"#e1\"><bdi>E1</bdi></a>"), "{page}");
    assert!(page.contains("id=\"e1\""));
    assert!(page.contains("<a href=\"#c1\">1</a>"));
    assert!(page.contains("<mark>"));
}

#[test]
fn a_pointer_to_no_passage_is_said_and_not_linked() {
    let text = read(&render(&rich()));
    assert!(text.contains("E9 (no such passage)"), "{text}");
    assert!(text.contains("UNKNOWN_EVIDENCE"));
}

#[test]
fn violations_figures_scores_loops_and_hashes_stand_on_the_page() {
    let answer = rich();
    let text = read(&render(&answer));
    for words in [
        "The cited text does not bear what the claim hangs on.",
        "✗ not borne out",
        "Threshold to exceed",
        "Axes whose poles meet",
        "Fault line: removing these 2 edges",
        "stress → sleep",
        "stale risk",
        "What could not be verified",
        "Words are checked, not meaning",
    ] {
        assert!(text.contains(words), "{words:?} is not in {text}");
    }
    assert!(text.contains(&answer.run_dag_root.to_string()));
    for stage in answer.run.stages() {
        assert!(text.contains(&stage.stage_hash().to_string()));
        assert!(text.contains(&stage.payload_hash().to_string()));
    }
}

#[test]
fn the_rung_reached_is_marked_once() {
    let page = render(&sealed(
        "How tall is the tower?",
        "The tower is 96 metres tall. [E1]",
    ));
    let text = read(&page);
    assert!(text.contains("EVIDENCE-WARRANTED – reached."), "{text}");
    assert_eq!(text.matches("– reached.").count(), 1);
    assert!(text.contains("Answered; every claim is borne out"));
}

#[test]
fn a_decline_says_why_and_shows_what_was_nearest() {
    let text = read(&render(&sealed("Who won the chess final?", "unused")));
    assert!(text.contains("Declined: "), "{text}");
    assert!(text.contains("This label stands on no ladder."));
    assert!(text.contains("calibrated threshold"));
}

#[test]
fn a_rejected_question_gives_a_page_too() {
    let answer = sealed(
        "Tell me absolutely everything about all towers in the whole world without exception.",
        "unused",
    );
    let text = read(&render(&answer));
    assert!(text.contains(&answer.label), "{text}");
}

#[test]
fn hostile_text_in_every_field_stays_text() {
    let page = render(&poisoned_answer(&hostile()));
    let text = read(&page);
    assert!(text.contains("<script>alert(1)</script>"), "shown as text");
    for c in page.chars() {
        assert!(
            !matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200f}' | '\0' | '\u{1b}'),
            "{:04x} is on the page as it came",
            u32::from(c)
        );
    }
    assert!(text.contains("U+202E"));
}

#[test]
fn hostile_text_in_a_deliberation_stays_text() {
    let text = read(&render_deliberation(&poisoned(&deliberation(), &hostile())));
    assert!(
        text.contains("<img src=x onerror=alert(1)>"),
        "shown as text"
    );
}

#[test]
fn hostile_text_in_a_verification_stays_text() {
    let checked = Verification {
        discrepancies: vec![Discrepancy {
            place: hostile(),
            path: hostile(),
            recorded: hostile(),
            recomputed: hostile(),
        }],
        not_rechecked: vec![hostile()],
        recomputed: None,
    };
    let text = read(&render_checked(&rich(), &checked));
    assert!(text.contains("✗ 1 place does not match."));
}

/// Two cases: one borne out, one that is not.
fn cases() -> Vec<Case> {
    let passage = ["w1", "Apple", "Steve Jobs co-founded Apple in 1976."];
    let question = "Who founded Apple?";
    vec![
        Case::new("a", question, passage, "Steve Jobs co-founded Apple. [E1]"),
        Case::new(
            "b",
            question,
            passage,
            "Apple was founded in 1985. [E1] It is blue.",
        ),
    ]
}

#[test]
fn verdicts_stand_apart_on_one_page() {
    let page = verdicts(&cases());
    let text = read(&page);
    for words in [
        "In 1 of 2 answers every claim is borne out by what it cites.",
        "a: Who founded Apple?",
        "EVIDENCE-WARRANTED – reached.",
        "It cites nothing.",
        "Nothing is sealed",
    ] {
        assert!(text.contains(words), "{words:?} is not in {text}");
    }
    assert!(page.contains("href=\"#v1-e1\"") && page.contains("id=\"v2-e1\""));
    read(&verdicts(&[]));
}

fn hostile_verdicts() -> String {
    let h = hostile();
    let answer = format!("{h} [E1] {h} [E9]");
    verdicts(&[Case::new(&h, &h, [&h, &h, &h], &answer)])
}

#[test]
fn hostile_text_in_a_verdict_stays_text() {
    let text = read(&hostile_verdicts());
    assert!(text.contains("<script>alert(1)</script>"), "shown as text");
}

#[test]
fn a_deliberation_shows_conclusions_passes_and_loops() {
    let text = read(&render_deliberation(&deliberation()));
    for words in [
        "Stress and sleep feed each other.",
        "✓ converged",
        "Each node names the other.",
        "Loops before",
        "Effective κ",
    ] {
        assert!(text.contains(words), "{words:?} is not in {text}");
    }
}

#[test]
fn nothing_is_loaded_and_nothing_runs() {
    for page in [
        render(&rich()),
        render_deliberation(&deliberation()),
        verdicts(&cases()),
    ] {
        assert!(page.contains("default-src 'none'"));
        for what in ["<script", "url(", "@import", " src=", "<link", "<iframe"] {
            assert!(!page.contains(what), "{what}");
        }
    }
}

#[test]
fn the_same_answer_gives_the_same_bytes() {
    assert_eq!(render(&rich()), render(&rich()));
    let report = deliberation();
    assert_eq!(
        render_deliberation(&report),
        render_deliberation(&report.clone())
    );
}

#[test]
fn a_large_answer_stays_small() {
    let page = render(&large());
    read(&page);
    // 200 claims and 500 passages at no more than a kilobyte of frame each.
    assert!(page.len() < 900_000, "{} bytes", page.len());
}

/// For the checks in a browser (docs/audit-report.md): pages in the target folder's tmp.
#[test]
fn pages_for_the_browser() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    let pages = [
        ("answer", render(&rich())),
        (
            "declined",
            render(&sealed("Who won the chess final?", "unused")),
        ),
        ("hostile", render(&poisoned_answer(&hostile()))),
        // Few enough letters for axe, which is quadratic.
        (
            "hostile-short",
            render(&poisoned_answer(&hostile_with(200))),
        ),
        ("large", render(&large())),
        ("verdicts", verdicts(&cases())),
        ("hostile-verdicts", hostile_verdicts()),
        ("deliberation", render_deliberation(&deliberation())),
        (
            "hostile-deliberation",
            render_deliberation(&poisoned(&deliberation(), &hostile())),
        ),
    ];
    for (name, page) in pages {
        read(&page);
        std::fs::write(folder.join(format!("{name}.html")), page).unwrap();
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]
    #[test]
    fn any_text_stays_text(text in any::<String>(), tail in "[<>&\"'/=a-z \u{202e}]{0,40}") {
        let mut answer = rich();
        answer.question.clone_from(&text);
        answer.claims[0].text = format!("{text}{tail}");
        answer.evidence[0].text = format!("{tail}{text}");
        answer.evidence[0].title.clone_from(&tail);
        answer.raw_answer = Some(tail);
        read(&render(&answer));
    }
}
