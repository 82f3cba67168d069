//! The eight directives, a test a directive. A change that weakens one fails by its name.
//!
//! Where a directive comes from: seed 002, "The seven directives". What each test would catch is
//! said in front of it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod support;

use std::collections::BTreeSet;
use std::process::Command;

use cargo_metadata::{DependencyKind, MetadataCommand};
use claim_lattice::directives::{Directive, PINNED_STEPS};
use claim_lattice::preflight::{CapRule, EvidenceView, FramedClaim, Lexicon, Rung, group_claims};
use claim_lattice::{
    AnswerMode, Code, Policy, Verdict, VerifierMethod, json_schema, render, verify,
};
use run_dag::{SafeInt, Value};
use support::{ANSWER, PASSAGES, QUESTION, Setup, bound_in, lattice, map, read, sources, strict};

/// What the verifier's crate is made of. Another crate has to be argued for here: none of these
/// can reach a model, a network or an embedding.
const MADE_OF: [&str; 4] = ["blake3", "serde", "text-units", "thiserror"];

/// Words of a signature through which a model could come in.
const DOORS: [&str; 12] = [
    "Agent",
    "Client",
    "Model",
    "Llm",
    "Chat",
    "Embed",
    "Completion",
    "Future",
    "async",
    "dyn Fn",
    "impl Fn",
    "FnMut",
];

/// The signatures of the public functions of a file: from `pub fn` to the body.
fn signatures(source: &str) -> Vec<String> {
    source
        .match_indices("pub fn ")
        .chain(source.match_indices("pub async fn "))
        .map(|(at, _)| {
            let rest = &source[at..];
            rest[..rest.find(['{', ';']).unwrap_or(rest.len())].to_owned()
        })
        .collect()
}

/// Catches: a dependency by which the verifier could ask a model; a parameter that carries one.
#[test]
fn d1_the_verifier_never_calls_a_model() {
    let metadata = MetadataCommand::new().no_deps().exec().unwrap();
    let package = metadata
        .packages
        .iter()
        .find(|p| p.name.as_str() == "claim-lattice")
        .unwrap();
    let made_of: BTreeSet<&str> = package
        .dependencies
        .iter()
        .filter(|d| d.kind != DependencyKind::Development)
        .map(|d| d.name.as_str())
        .collect();
    let strange: Vec<&&str> = made_of.iter().filter(|d| !MADE_OF.contains(*d)).collect();
    assert!(
        strange.is_empty(),
        "D1: claim-lattice depends on {strange:?}"
    );

    let mut seen = 0;
    for (path, source) in sources("crates/claim-lattice/src") {
        for signature in signatures(&source) {
            seen += 1;
            let door = DOORS.iter().find(|door| signature.contains(**door));
            assert!(
                door.is_none(),
                "D1: {path} lets a model in by {door:?}: {signature}"
            );
        }
    }
    assert!(seen > 50, "D1: the signatures were read");
}

fn supported(verdict: &Verdict) -> Vec<bool> {
    verdict
        .claims()
        .iter()
        .map(claim_lattice::ClaimVerdict::supported)
        .collect()
}

/// Catches: a claim that counts without a pointer, a quotation by the model taken for evidence, a
/// schema that lets the model type one.
#[test]
fn d2_the_model_emits_pointers() {
    let evidence = map(&PASSAGES);
    let pointed = strict(
        QUESTION,
        &evidence,
        "Steve Jobs founded Apple in 1976. [E1]",
    );
    assert_eq!(supported(&pointed), [true], "D2: {pointed:?}");
    assert_eq!(pointed.claims()[0].pointers(), ["E1"]);

    let typed =
        r#"The source says "Steve Jobs founded Apple in 1976 together with Steve Wozniak.""#;
    let quoted = strict(QUESTION, &evidence, typed);
    assert!(
        !supported(&quoted).contains(&true),
        "D2: a typed quotation is no pointer"
    );
    assert_eq!(quoted.verifier_method(), VerifierMethod::None, "D2");

    let json = r#"{"claims":[{"text":"Steve Jobs founded Apple in 1976.","evidence_ids":["E1"]}]}"#;
    let verdict = verify(
        QUESTION,
        &evidence,
        json,
        AnswerMode::Json,
        &Policy::strict(),
    );
    assert_eq!(supported(&verdict), [true], "D2: {verdict:?}");

    let schema: serde_json::Value = serde_json::from_str(&json_schema(&["E1", "E2"])).unwrap();
    let claim = &schema["properties"]["claims"]["items"];
    let fields: Vec<&String> = claim["properties"].as_object().unwrap().keys().collect();
    assert_eq!(
        fields,
        ["evidence_ids", "text"],
        "D2: the model writes claims and pointers only"
    );
    assert_eq!(claim["additionalProperties"], false, "D2");
}

/// Catches: a passage shown that is not literal evidence, a quotation of the model's own in it,
/// frames thrown together.
#[test]
fn d3_the_runtime_composes_the_lattice() {
    let evidence = map(&PASSAGES);
    let answer =
        "Steve Jobs founded Apple in 1976, \"a day of days\". [E1]\nApple sells telephones. [E2]";
    let policy = Policy::strict();
    let rendering = render(&strict(QUESTION, &evidence, answer), &evidence, &policy);
    let passages: Vec<_> = rendering.claims.iter().flat_map(|c| &c.passages).collect();
    assert_eq!(passages.len(), 2, "D3: each claim shows what it cites");
    for passage in passages {
        let entry = evidence.get(&passage.pointer).unwrap();
        let literal = entry.text.get(passage.bytes.clone());
        assert_eq!(
            literal,
            Some(passage.text.as_str()),
            "D3: shown is what stands there"
        );
        assert!(
            !passage.text.contains("day of days"),
            "D3: the model typed a quotation"
        );
    }

    let view = |id, title, text| EvidenceView {
        id,
        title,
        text,
        role: "primary",
    };
    let novel = [view("E1", "The Siege (novel)", "The mayor opens the gate.")];
    let film = [view(
        "E2",
        "The Siege (film)",
        "The mayor's son opens the gate.",
    )];
    let claims = [
        FramedClaim {
            text: "The mayor opens the gate.",
            cited: &novel,
        },
        FramedClaim {
            text: "The mayor's son opens the gate.",
            cited: &film,
        },
    ];
    let groups = group_claims(&Default::default(), &claims, Lexicon::english());
    let grouped: Vec<&[usize]> = groups.iter().map(|g| g.claims.as_slice()).collect();
    assert_eq!(
        grouped,
        [&[0][..], &[1][..]],
        "D3: claims of two frames are kept apart"
    );
}

/// Catches: something by which an operator influences what is found, or a passage, that the
/// run's root does not bind.
#[test]
fn d4_retrieval_plan_and_evidence_map_are_bound() {
    let (record, _) = lattice(&Setup::default());
    let same = lattice(&Setup::default()).0;
    assert_eq!(
        record.run_dag_root(),
        same.run_dag_root(),
        "D4: the same run, the same root"
    );
    let bound = bound_in(&record);
    assert_eq!(bound.len(), 2, "D4: plan and map stand in the record");

    // Each change has to show in the hash that binds it (0: plan, 1: evidence map), and in the
    // root.
    let change = |what: &str, hash: Option<usize>, change: &dyn Fn(&mut Setup)| {
        let mut setup = Setup::default();
        change(&mut setup);
        let other = lattice(&setup).0;
        assert_ne!(
            record.run_dag_root(),
            other.run_dag_root(),
            "D4: {what} is not bound"
        );
        if let Some(at) = hash {
            assert_ne!(
                bound[at],
                bound_in(&other)[at],
                "D4: {what} is not bound where it belongs"
            );
        }
    };
    change("keywords", Some(0), &|s| s.plan.keywords.reverse());
    change("top_k", Some(0), &|s| s.plan.top_k += 1);
    change("over_fetch", Some(0), &|s| s.plan.over_fetch += 1);
    change("max_context_chars", Some(0), &|s| {
        s.plan.max_context_chars = SafeInt::saturating(23_999)
    });
    change("the shard set", Some(0), &|s| {
        s.plan.shards.push("other".into())
    });
    change("a further parameter", Some(0), &|s| {
        s.plan
            .parameters
            .insert("embedder".into(), Value::from("lexical"));
    });
    change("a passage that no claim cites", Some(1), &|s| {
        let mut passages = PASSAGES;
        passages[2].2 = "An orchard of apple trees needs pruning in spring.";
        s.evidence = map(&passages);
    });
    change("a title", Some(1), &|s| {
        let mut passages = PASSAGES;
        passages[0].1 = "Apple Inc.";
        s.evidence = map(&passages);
    });
    change("the preflight policy", None, &|s| {
        s.preflight.guard.cap = Some(CapRule {
            at: Rung::Exhaustive,
            max_claims: 3,
        });
    });
}

/// Verdicts on cases that touch every part of the verifier, one a line.
fn verdicts() -> String {
    let mut out = String::new();
    let evidence = map(&PASSAGES);
    let answers = [
        ANSWER,
        "Steve Jobs founded Apple in 1977. [E1,E2,E3]",
        "It was founded. [E9]",
        "The sources do not say.",
        "Els ordinadors d'Apple són İSTANBUL. [E2]",
    ];
    for answer in answers {
        for policy in [Policy::strict(), Policy::seed()] {
            for mode in [AnswerMode::Pointer, AnswerMode::Json, AnswerMode::Quote] {
                let verdict = verify(QUESTION, &evidence, answer, mode, &policy);
                out.push_str(&serde_json::to_string(&verdict).unwrap());
                out.push('\n');
            }
        }
    }
    out
}

const CHILD: &str = "CANDOR_DIRECTIVES_CHILD";

/// Run by D5 in a process of its own, under another locale: prints its verdicts.
#[test]
fn d5_child_prints_its_verdicts() {
    if std::env::var_os(CHILD).is_some() {
        println!("<<<{}>>>", verdicts());
    }
}

/// Catches: a verdict that hangs on the order of the map, on threads, on the locale or on the
/// process.
#[test]
fn d5_verification_is_deterministic() {
    let first = verdicts();
    std::thread::scope(|scope| {
        let others: Vec<_> = (0..8).map(|_| scope.spawn(verdicts)).collect();
        for other in others {
            assert_eq!(
                other.join().unwrap(),
                first,
                "D5: another thread, another verdict"
            );
        }
    });
    for locale in ["C", "tr_TR.UTF-8", "ca_ES.UTF-8"] {
        let child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "d5_child_prints_its_verdicts", "--nocapture"])
            .env(CHILD, "1")
            .env("LC_ALL", locale)
            .env("LANG", locale)
            .output()
            .unwrap();
        let printed = String::from_utf8(child.stdout).unwrap();
        let printed = printed
            .split_once("<<<")
            .unwrap()
            .1
            .split_once(">>>")
            .unwrap()
            .0;
        assert_eq!(printed, first, "D5: another locale, another verdict");
    }
    permuted_maps_give_the_same_verdict();
}

fn permuted_maps_give_the_same_verdict() {
    for order in [
        [0, 1, 2],
        [0, 2, 1],
        [1, 0, 2],
        [1, 2, 0],
        [2, 0, 1],
        [2, 1, 0],
    ] {
        let evidence = map(&order.map(|i: usize| PASSAGES[i]));
        let pointer = |passage: usize| order.iter().position(|&i| i == passage).unwrap() + 1;
        let answer = format!(
            "Steve Jobs founded Apple in 1976. [E{}]\nApple sells telephones. [E{}]\nApple sells pears. [E{}]",
            pointer(0),
            pointer(1),
            pointer(2)
        );
        let verdict = strict(QUESTION, &evidence, &answer);
        let codes: Vec<Vec<Code>> = verdict
            .claims()
            .iter()
            .map(|c| c.violations().iter().map(|v| v.code).collect())
            .collect();
        let reference = strict(
            QUESTION,
            &map(&PASSAGES),
            "Steve Jobs founded Apple in 1976. [E1]\nApple sells telephones. [E2]\nApple sells pears. [E3]",
        );
        let expected: Vec<Vec<Code>> = reference
            .claims()
            .iter()
            .map(|c| c.violations().iter().map(|v| v.code).collect())
            .collect();
        assert_eq!(codes, expected, "D5: order {order:?} changes what is found");
        assert_eq!(
            supported(&verdict),
            supported(&reference),
            "D5: order {order:?}"
        );
        assert_eq!(verdict.label(), reference.label(), "D5: order {order:?}");
    }
}

/// Catches: a claim that counts although no cited passage names its answer; a label that claims
/// entailment.
#[test]
fn d6_anchor_warrant_comes_before_any_entailment() {
    let evidence = map(&[
        (
            "a",
            "The company",
            "The company was founded in a garage and sold computers.",
        ),
        (
            "b",
            "The company",
            "Steve Jobs founded the company in a garage.",
        ),
    ]);
    let seed = Policy::seed();
    let check = |answer| {
        verify(
            "Who founded the company?",
            &evidence,
            answer,
            AnswerMode::Pointer,
            &seed,
        )
    };
    let lazy = check("Steve Jobs founded the company. [E1]");
    let claim = &lazy.claims()[0];
    assert!(claim.warrant_fired(), "D6: the warrant ran");
    assert!(!claim.supported() && claim.pointer_linked(), "D6: {lazy:?}");
    assert!(
        claim
            .violations()
            .iter()
            .any(|v| v.code == Code::WarrantMissing),
        "D6: {lazy:?}"
    );
    assert_eq!(lazy.label().to_string(), "POINTER-LINKED", "D6");
    let warranted = check("Steve Jobs founded the company. [E2]");
    assert_eq!(supported(&warranted), [true], "D6: {warranted:?}");

    assert!(
        !verdicts().contains("ENTAILMENT-VERIFIED"),
        "D6: nothing here checks entailment"
    );
    for (path, source) in sources("crates/claim-lattice/src") {
        let defines = path.ends_with("ladder.rs") || path.ends_with("directives.rs");
        assert!(
            defines || !source.contains("EntailmentVerified"),
            "D6: {path} makes a label that claims entailment"
        );
    }
}

/// Catches: a label of pointers that sounds like a proof, a prose label on pointers, a top rung
/// over a demote, an audit line that shows another label.
#[test]
fn d7_labels_say_what_was_checked() {
    let evidence = map(&PASSAGES);
    let label = |answer| {
        let verdict = strict(QUESTION, &evidence, answer);
        let line = verdict.audit_line().to_owned();
        let label = verdict.label().to_string();
        assert!(line.starts_with(&format!("{label} · via ")), "D7: {line}");
        for prose in ["STRICT", "HYBRID"] {
            assert!(
                !line.contains(prose),
                "D7: {line} says {prose} of an answer with pointers"
            );
        }
        label
    };
    assert_eq!(
        label("Steve Jobs founded Apple in 1976. [E1]"),
        "EVIDENCE-WARRANTED",
        "D7"
    );
    let demoted = label("Steve Jobs founded Apple in 1976. [E1,E2,E3]");
    assert_eq!(
        demoted, "ANCHOR-WARRANTED",
        "D7: a trimmed pointer bars the top rung"
    );
    let partial = label("Steve Jobs founded Apple in 1976. [E1]\nApple sells pears. [E9]");
    assert_eq!(partial, "EVIDENCE-WARRANTED-PARTIAL", "D7");
    assert_eq!(label("Apple sells pears. [E9]"), "UNGROUNDED", "D7");

    let quoted = |answer| {
        let policy = Policy::strict();
        verify(QUESTION, &evidence, answer, AnswerMode::Quote, &policy)
    };
    let verbatim = quoted("\"Apple sells telephones and computers in many countries.\"");
    assert_eq!(
        verbatim.label().to_string(),
        "STRICT",
        "D7: prose keeps its own labels"
    );
    assert_eq!(verbatim.verifier_method(), VerifierMethod::Quote, "D7");
    let nothing = quoted("\"Pears are blue and sing in the rain.\"");
    assert_eq!(nothing.label().to_string(), "UNGROUNDED", "D7");
    assert_eq!(nothing.verifier_method(), VerifierMethod::None, "D7");
}

/// Catches: an automated step whose pinning test is gone or was renamed; a directive without a
/// test.
#[test]
fn d8_automation_comes_after_pinning_tests() {
    for step in PINNED_STEPS {
        let pin = step
            .pinned_by
            .unwrap_or_else(|| panic!("D8: no test pins {}", step.name));
        let (file, test) = pin.split_once("::").unwrap();
        let named = format!("#[test]\nfn {test}()");
        assert!(
            read(file).contains(&named),
            "D8: {} is pinned by {pin}, which is gone",
            step.name
        );
    }
    let this = read("tests/tests/directives.rs");
    let page = read("docs/preflight.md");
    for directive in Directive::ALL {
        let name = directive.wire_name();
        assert!(
            this.contains(&format!("#[test]\nfn {name}_")),
            "D8: no test pins {name}"
        );
        assert!(
            page.contains(directive.words()),
            "D8: docs/preflight.md does not name {name}"
        );
    }
}
