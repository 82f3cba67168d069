//! The worked example of `docs/preflight.md`: a novel, a film and a real event of one name.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use claim_lattice::preflight::{
    CallOptions, CorpusInfo, EvidenceView, Frame, FrameKind, FramedClaim, Lexicon, Medium,
    Preflight, PreflightPolicy, frame_mismatches, group_claims, preflight,
};
use claim_lattice::{
    AnswerMode, Code, DEFAULT_CHAR_BUDGET, EvidenceMap, Passage, Policy, Verdict, verify,
};

const TITLES: [&str; 3] = ["The Siege (novel)", "The Siege (film)", "The Siege"];

const PASSAGES: [EvidenceView<'static>; 3] = [
    EvidenceView {
        id: "E1",
        title: TITLES[0],
        text: "The mayor, bribed by the enemy, opens the north gate at dawn.",
        role: "primary",
    },
    EvidenceView {
        id: "E2",
        title: TITLES[1],
        text: "The mayor's daughter opens the gate to save her brother.",
        role: "primary",
    },
    EvidenceView {
        id: "E3",
        title: TITLES[2],
        text: "In December 1809 the garrison opened the gate after seven months.",
        role: "primary",
    },
];

fn ask(question: &str) -> Preflight {
    let corpus = CorpusInfo {
        titles: &TITLES,
        ..CorpusInfo::default()
    };
    preflight(
        question,
        &Lexicon::built_in(),
        &PreflightPolicy::default(),
        &corpus,
        &CallOptions::default(),
    )
}

const QUESTION: &str = "Who opens the gate in The Siege?";

const ANSWER: &str = "The mayor opens the north gate at dawn. [E1]\n\
     The garrison opened the gate in December 1809. [E3]\n\
     The mayor's daughter opens the gate. [E2]\n\
     In the film the mayor opens the north gate at dawn. [E1]";

/// The answer's verdict, with what preflight and the frames add.
fn judged(seen: &Preflight) -> Verdict {
    let mut builder = EvidenceMap::builder(DEFAULT_CHAR_BUDGET);
    for view in PASSAGES {
        builder
            .push(Passage::whole(view.title, view.title, view.text))
            .unwrap();
    }
    let verdict = verify(
        QUESTION,
        &builder.build(),
        ANSWER,
        AnswerMode::Pointer,
        &Policy::seed(),
    );
    let cited = cited(&verdict);
    let flags = frame_mismatches(
        &seen.classifier.state.frames,
        &framed(&verdict, &cited),
        Lexicon::english(),
    );
    let flagged = flags.into_iter().fold(verdict.clone(), |v, f| {
        v.with_frame_mismatch(f.claim, vec![f.evidence_id], f.cues)
    });
    flagged.with_tails(&seen.classifier.state.statuses())
}

fn cited(verdict: &Verdict) -> Vec<Vec<EvidenceView<'static>>> {
    let claims = verdict.claims().iter();
    claims
        .map(|c| {
            PASSAGES
                .into_iter()
                .filter(|p| c.pointers().iter().any(|id| id == p.id))
                .collect()
        })
        .collect()
}

fn framed<'c>(verdict: &'c Verdict, cited: &'c [Vec<EvidenceView<'c>>]) -> Vec<FramedClaim<'c>> {
    let claims = verdict.claims().iter().zip(cited);
    claims
        .map(|(c, cited)| FramedClaim {
            text: c.text(),
            cited,
        })
        .collect()
}

const BEGIN: &str = "<!-- frames: begin (made by the test preflight_frames) -->\n";
const END: &str = "<!-- frames: end -->";

#[test]
fn the_page_shows_the_worked_example() {
    let seen = ask(QUESTION);
    let reading = &seen.classifier.state.frames;
    assert!(reading.ambiguous);
    assert_eq!(
        reading.frames,
        [
            Frame::new(FrameKind::Literal, Some(Medium::Event)),
            Frame::new(FrameKind::Fictional, Some(Medium::Novel)),
            Frame::new(FrameKind::Fictional, Some(Medium::Film)),
        ]
    );
    assert!(seen.answer_contract.group_by_frame);
    let mut shown = String::from("```text\n");
    writeln!(
        shown,
        "{}",
        seen.prompt_contract.frame_preamble.as_ref().unwrap()
    )
    .unwrap();
    let verdict = judged(&seen);
    let cited = cited(&verdict);
    let claims = framed(&verdict, &cited);
    let groups = group_claims(reading, &claims, Lexicon::english());
    assert_eq!(groups.len(), 3);
    shown.push_str(
        "```\n\nAn answer of four claims, judged under `Policy::seed()` and grouped:\n\n```text\n",
    );
    for group in &groups {
        writeln!(shown, "{}", group.heading).unwrap();
        for &at in &group.claims {
            let claim = &verdict.claims()[at];
            write!(shown, "  {} [{}]", claim.text(), claim.pointers().join(",")).unwrap();
            for flag in claim
                .violations()
                .iter()
                .filter(|v| v.code == Code::FrameMismatch)
            {
                write!(shown, "  {} {:?}", flag.code.wire_name(), flag.tokens).unwrap();
            }
            shown.push('\n');
        }
    }
    let flagged = frame_mismatches(reading, &claims, Lexicon::english());
    assert_eq!(flagged.len(), 1);
    assert_eq!(
        (flagged[0].claim, flagged[0].evidence_id.as_str()),
        (3, "E1")
    );
    assert_eq!(
        flagged[0].stated,
        Frame::new(FrameKind::Fictional, Some(Medium::Film))
    );
    assert_eq!(
        flagged[0].cited,
        Frame::new(FrameKind::Fictional, Some(Medium::Novel))
    );
    writeln!(shown, "\n{}\n```", verdict.audit_line()).unwrap();
    check_page(&shown);
}

fn check_page(shown: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/preflight.md");
    let page = fs::read_to_string(&path).unwrap();
    let (before, rest) = page.split_once(BEGIN).expect("the page has the begin mark");
    let (_, after) = rest.split_once(END).expect("the page has the end mark");
    let current = format!("{before}{BEGIN}{shown}{END}{after}");
    if std::env::var_os("CANDOR_BLESS").is_some() {
        fs::write(&path, &current).unwrap();
        return;
    }
    assert!(
        page == current,
        "docs/preflight.md is not current: run this test with CANDOR_BLESS=1"
    );
}

#[test]
fn a_question_may_settle_its_frame() {
    for (question, kind, medium) in [
        ("Who directed The Siege?", FrameKind::Literal, None),
        (
            "Who directed the film The Siege?",
            FrameKind::Literal,
            Some(Medium::Film),
        ),
        (
            "Who opens the gate in the novel The Siege?",
            FrameKind::Fictional,
            Some(Medium::Novel),
        ),
        (
            "Who opened the gate in the real siege, The Siege?",
            FrameKind::Literal,
            Some(Medium::Event),
        ),
    ] {
        let reading = ask(question).classifier.state.frames;
        assert!(!reading.ambiguous, "{question}");
        assert_eq!(reading.frames, [Frame::new(kind, medium)], "{question}");
    }
}

#[test]
fn propaganda_retold_as_a_fact_is_flagged() {
    let seen = ask("Is Oceania at war with Eastasia in Nineteen Eighty-Four?");
    let reading = &seen.classifier.state.frames;
    assert!(
        reading
            .frames
            .iter()
            .any(|f| f.kind == FrameKind::InUniverseClaim)
    );
    let told = [EvidenceView {
        id: "E1",
        title: "Nineteen Eighty-Four (novel)",
        text: "The Party says that Oceania has always been at war with Eastasia. Winston remembers otherwise.",
        role: "primary",
    }];
    let claims = [
        FramedClaim {
            text: "Oceania has always been at war with Eastasia.",
            cited: &told,
        },
        FramedClaim {
            text: "The Party says that Oceania has always been at war with Eastasia.",
            cited: &told,
        },
        FramedClaim {
            text: "The Party says that Winston remembers otherwise.",
            cited: &told,
        },
    ];
    let flagged = frame_mismatches(reading, &claims, Lexicon::english());
    let seen: Vec<(usize, FrameKind)> = flagged.iter().map(|f| (f.claim, f.stated.kind)).collect();
    assert_eq!(
        seen,
        [(0, FrameKind::Fictional), (2, FrameKind::InUniverseClaim)]
    );
}
