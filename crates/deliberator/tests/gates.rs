//! Gates A to E of seed 001 §7.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::collections::BTreeSet;

use common::{
    answer, begin, business_loop, complete, graph, is_reconcile, json, ring, run_to_end, says,
    store_of, stored,
};
use deliberator::{
    Autonomy, Deliberation, Escalation, Event, FOCUS_INSTRUCTION, FOCUS_SYSTEM, Options,
    RECONCILE_INSTRUCTION, Reason, RegionStatus, Step, Target, decompose, effective_topology,
};
use kappa_topology::DeliberationBudget;
use knowledge_graph::{EdgeType, GraphStore, NodeType};
use proptest::prelude::*;

/// Cells are disjoint, cover every node, carry the right boundary, and are bounded.
#[test]
fn gate_a_decomposition_is_correct() {
    let report = run_to_end(
        begin(&ring(4), Options::default()),
        &store_of(&ring(4)),
        |_| says("x", 0.1),
    );
    let cells = |round: u32| -> Vec<Vec<String>> {
        report
            .passes
            .iter()
            .filter(|p| p.round == round && !p.id.ends_with("reconcile"))
            .map(|p| p.cell.clone())
            .collect()
    };
    // κ = 1: two passes a round, a cell each; the assumption swaps in the second round.
    assert_eq!(cells(1).len(), 2);
    assert_eq!(cells(1), cells(2));
    let holds: Vec<bool> = report
        .passes
        .iter()
        .flat_map(|p| p.assumptions.iter().map(|a| a.holds))
        .collect();
    assert_eq!(holds, [true, false, false, true]);
    // κ = 2: min(2 × 2, 3) = 3 passes a round.
    let two = run_to_end(
        begin(&complete(3), Options::default()),
        &store_of(&complete(3)),
        |_| says("x", 0.1),
    );
    let first = two
        .passes
        .iter()
        .filter(|p| p.round == 1 && p.id.contains("/f"));
    assert_eq!(first.count(), 3);
}

fn any_graph() -> impl Strategy<Value = knowledge_graph::Snapshot> {
    (2_usize..9).prop_flat_map(|n| {
        prop::collection::btree_set((0..n, 0..n), n..=3 * n)
            .prop_map(move |edges| graph(n, &edges.into_iter().collect::<Vec<_>>()))
    })
}

proptest! {
    #[test]
    fn gate_a_cells_of_random_components(graph in any_graph(), at_once in 1_usize..=2) {
        for scc in graph.topology().unwrap().sccs {
            let cuts = scc.fault_lines(&graph.digraph().unwrap(), 4).unwrap();
            for start in 0..cuts.len() {
                let taken: Vec<_> = cuts.iter().cycle().skip(start).take(at_once.min(cuts.len())).cloned().collect();
                let most = DeliberationBudget::for_kappa(scc.kappa).max_iterations as usize;
                let cells = decompose(&taken, most);
                prop_assert!(cells.len() >= 2 && cells.len() <= most);
                let mut seen = BTreeSet::new();
                for cell in &cells {
                    prop_assert!(!cell.nodes.is_empty());
                    for node in &cell.nodes {
                        prop_assert!(seen.insert(node.clone()), "{node} is in two cells");
                    }
                    let ends: BTreeSet<&String> = cell.boundary.iter().flat_map(|e| [&e.source, &e.target]).collect();
                    for node in &cell.context {
                        prop_assert!(ends.contains(node) && !cell.nodes.contains(node));
                    }
                    for edge in &cell.boundary {
                        prop_assert!(cell.nodes.contains(&edge.source) != cell.nodes.contains(&edge.target));
                    }
                }
                let all: BTreeSet<String> = scc.nodes.iter().cloned().collect();
                prop_assert_eq!(seen, all);
            }
        }
    }

    /// Every node has a unique marker as its content: a focus prompt holds the markers of its
    /// cell and its marked context, and no other; so do the typed items beside it.
    #[test]
    fn gate_b_nothing_outside_the_cell_is_in_a_prompt(graph in any_graph(), at_once in 1_u8..=2, kappa_tries in 0_u8..2) {
        let mut graph = graph;
        let markers: Vec<(String, String)> = graph.nodes.iter().enumerate()
            .map(|(i, n)| (n.id.clone(), format!("MARKER{i:03}QX")))
            .collect();
        for (node, (_, marker)) in graph.nodes.iter_mut().zip(&markers) {
            node.content = format!("It says {marker} here.");
        }
        let options = Options { cuts_per_round: at_once, ..Options::default() };
        let confidence = if kappa_tries == 0 { 0.1 } else { 0.99 };
        let mut count = 0;
        let report = run_to_end(begin(&graph, options), &store_of(&graph), |_| {
            count += 1;
            says(&format!("distinct words {count} {}", "abcdefghij".repeat(count % 3 + 1)), confidence)
        });
        let topology = graph.topology().unwrap();
        for pass in report.passes.iter().filter(|p| p.id.contains("/f")) {
            let cell: BTreeSet<&String> = pass.cell.iter().collect();
            let mut allowed = cell.clone();
            for assumed in &pass.assumptions {
                allowed.insert(&assumed.edge.source);
                allowed.insert(&assumed.edge.target);
            }
            let text = format!("{}{}", pass.prompt.system, pass.prompt.user);
            let typed = serde_json::to_string(&pass.prompt.context).unwrap();
            for (id, marker) in &markers {
                let inside = allowed.contains(id);
                prop_assert_eq!(text.contains(marker), inside, "{} in {}", id, pass.id);
                prop_assert_eq!(typed.contains(marker.as_str()), inside);
                // Ids stand in the material of what is in view and nowhere else.
                prop_assert_eq!(text.contains(id.as_str()), inside);
                if inside && !cell.contains(id) {
                    let line = text.lines().find(|l| l.ends_with(&format!("id: {id}"))).unwrap();
                    prop_assert!(line.contains(", context,"), "{line}");
                }
            }
            prop_assert!(text.contains("assume that the relation"));
            // Every edge of the cut crosses into this cell, and its assumption is one line each.
            let lines = text.lines().filter(|l| l.starts_with("For this analysis")).count();
            prop_assert_eq!(lines, pass.assumptions.len());
            prop_assert!(lines >= 1);
        }
        for pass in report.passes.iter().filter(|p| p.id.ends_with("reconcile")) {
            let scc = topology.sccs.iter().find(|s| pass.id.starts_with(&format!("{}/", s.id))).unwrap();
            for (id, marker) in &markers {
                prop_assert_eq!(pass.prompt.user.contains(marker), scc.nodes.contains(id));
            }
        }
    }
}

#[test]
fn gate_b_prompts_are_scoped_and_reconciliation_sees_all() {
    let ring = ring(4);
    let mut run = begin(&ring, Options::default());
    let Step::Ask(passes) = run.next() else {
        panic!("no passes")
    };
    for (pass, said) in passes
        .iter()
        .zip(["alpha beta gamma.", "delta epsilon zeta."])
    {
        assert_eq!(pass.prompt.system, FOCUS_SYSTEM);
        assert!(pass.prompt.user.ends_with(FOCUS_INSTRUCTION));
        assert!(
            pass.prompt.user.contains("\nWhat follows?\n"),
            "the question, unchanged"
        );
        answer(&mut run, pass, says(said, 0.9));
    }
    let Step::Ask(reconcile) = run.next() else {
        panic!("no reconciliation")
    };
    assert_eq!(reconcile.len(), 1);
    let user = &reconcile[0].prompt.user;
    assert!(user.contains("alpha beta gamma.") && user.contains("delta epsilon zeta."));
    assert!(user.contains("holds.") && user.contains("does NOT hold."));
    assert!((0..4).all(|i| user.contains(&format!("content of n{i:02}"))));
    assert!(user.ends_with(RECONCILE_INSTRUCTION));
}

#[test]
fn gate_c_the_threshold_is_respected() {
    // κ = 1: 0.75.
    for (confidence, status) in [
        (0.75, RegionStatus::Converged),
        (0.7499, RegionStatus::Escalated),
    ] {
        let ring = ring(3);
        let report = run_to_end(begin(&ring, Options::default()), &store_of(&ring), |_| {
            says("The loop holds itself up.", confidence)
        });
        assert_eq!(report.regions[0].status, status, "{confidence}");
    }
}

#[test]
fn gate_c_divergence_is_retried_then_escalated() {
    let ring = ring(4);
    let mut run = begin(&ring, Options::default());
    let mut asked = Vec::new();
    let mut escalated = None;
    loop {
        match run.next() {
            Step::Ask(requests) => {
                for request in requests {
                    asked.push(request.id.clone());
                    let words = ["alpha beta", "gamma delta", "epsilon zeta"][asked.len() % 3];
                    answer(&mut run, &request, says(words, 0.5));
                }
            }
            Step::Escalate(request) => {
                escalated = Some(request.clone());
                common::serve(&mut run, &store_of(&ring), Step::Escalate(request));
            }
            Step::Done(report) => {
                assert!(!report.converged && report.escalated);
                assert_eq!(report.iterations_used, 2);
                assert_eq!(report.calls, 6);
                assert!(!report.conclusions().next().unwrap().converged);
                break;
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(
        asked,
        [
            "scc-0/r1/f1",
            "scc-0/r1/f2",
            "scc-0/r1/reconcile",
            "scc-0/r2/f1",
            "scc-0/r2/f2",
            "scc-0/r2/reconcile"
        ]
    );
    let request = escalated.unwrap();
    assert_eq!(
        request.tried.len(),
        6,
        "the receiver gets everything tried so far"
    );
    assert_eq!(request.escalation.target, Target::Deliberatic);
    assert_eq!(
        request.escalation.reason,
        Reason::BelowThreshold {
            rounds: 2,
            confidence: 0.5,
            threshold: 0.75
        }
    );
}

#[test]
fn gate_c_a_standing_contradiction_does_not_converge() {
    let ring = ring(3);
    let report = run_to_end(
        begin(&ring, Options::default()),
        &store_of(&ring),
        |request| {
            if is_reconcile(request) {
                let text = r#"{"conclusion":"torn","confidence":0.99,"reasoning":"","contradiction_stands":true}"#;
                return Ok(deliberator::Completion::new(text));
            }
            says(
                if request.id.ends_with("f1") {
                    "It rises."
                } else {
                    "It does not rise."
                },
                0.9,
            )
        },
    );
    assert!(matches!(
        report.regions[0].escalation,
        Some(Escalation {
            target: Target::Deliberatic,
            reason: Reason::ContradictionStands { rounds: 2 }
        })
    ));
}

#[test]
fn gate_c_a_failed_pass_lowers_what_can_be_concluded() {
    let ring = ring(3);
    let report = run_to_end(
        begin(&ring, Options::default()),
        &store_of(&ring),
        |request| {
            if request.id == "scc-0/r1/f1" {
                return Err(deliberator::AgentError::Timeout { after_ms: 1 });
            }
            says("Same words every time.", 0.9)
        },
    );
    // Round one: one of two passes failed, so 0.9 counts half; round two converges.
    assert_eq!(report.regions[0].status, RegionStatus::Converged);
    assert_eq!(report.iterations_used, 2);
    let reconcile = report
        .passes
        .iter()
        .find(|p| p.id == "scc-0/r1/reconcile")
        .unwrap();
    assert!(
        reconcile
            .prompt
            .user
            .contains("It failed and concluded nothing")
    );
}

#[test]
fn gate_c_who_takes_over_is_typed() {
    let target = |options: Options, graph: &knowledge_graph::Snapshot, reply: &'static str| {
        let report = run_to_end(begin(graph, options), &store_of(graph), |_| {
            Ok(deliberator::Completion::new(reply))
        });
        (report.regions[0].escalation.clone().unwrap(), report)
    };
    let sure = r#"{"conclusion":"x y z","confidence":0.99,"reasoning":""}"#;
    let forbidden = Options {
        autonomy: Autonomy::Except(BTreeSet::from(["n01".to_owned()])),
        ..Options::default()
    };
    let (escalation, report) = target(forbidden, &ring(3), sure);
    assert_eq!(escalation.target, Target::Human);
    assert_eq!(escalation.reason, Reason::PolicyForbids);
    assert_eq!(report.topology_change.new_nodes_created, 0);

    let mut trusted = ring(3);
    trusted.nodes[0].confidence = 0.95;
    let against =
        r#"{"conclusion":"x y z","confidence":0.99,"reasoning":"","contradicts":["N1","N2","N3"]}"#;
    let (escalation, report) = target(Options::default(), &trusted, against);
    assert_eq!(escalation.target, Target::Deliberatic);
    assert!(matches!(&escalation.reason, Reason::ContradictsTrusted { node, .. } if node == "n00"));
    assert!(
        report
            .escalation_reason
            .unwrap()
            .contains("scc-0 to deliberatic: the conclusion contradicts")
    );

    // Two components with κ = 3 on a task that can be split: nobody is asked.
    let mut two = complete(4);
    let other = complete(4);
    for mut node in other.nodes {
        node.id = format!("m{}", node.id);
        two.nodes.push(node);
    }
    for mut edge in other.edges {
        (edge.source, edge.target) = (format!("m{}", edge.source), format!("m{}", edge.target));
        edge.id = format!("m{}", edge.id);
        two.edges.push(edge);
    }
    let split = Options {
        decomposable: true,
        ..Options::default()
    };
    let (escalation, report) = target(split, &two, sure);
    assert_eq!(escalation.target, Target::AgenTroMatic);
    assert_eq!(report.calls, 0);
}

#[test]
fn gate_d_crystallization_writes_all_it_should() {
    let ring = ring(3);
    let store = store_of(&ring);
    let mut run = begin(&stored(&store), Options::default());
    let text = r#"{"conclusion":"content of n00 wins","confidence":0.8,"reasoning":"r","supports":["N1"],"contradicts":["N2"]}"#;
    let mut events = Vec::new();
    let report = loop {
        match run.next() {
            Step::Done(report) => break report,
            Step::Ask(requests) => {
                for request in requests {
                    answer(&mut run, &request, Ok(deliberator::Completion::new(text)));
                }
            }
            other => common::serve(&mut run, &store, other),
        }
        events.extend(run.take_events());
    };
    events.extend(run.take_events());
    let id = report.regions[0].node_id.clone().unwrap();
    let node = store.node(&id).unwrap().unwrap();
    assert_eq!(node.node_type, NodeType::Semantic);
    assert_eq!(node.content, "content of n00 wins");
    assert!((node.confidence - 0.8).abs() < 1e-12);
    assert_eq!(node.metadata["derived_by"], "deliberator");
    assert_eq!(node.metadata["source_scc"], "scc-0");
    assert_eq!(node.metadata["source_kappa"], 1);
    assert_eq!(node.metadata["iteration"], 1);
    assert_eq!(node.metadata["query"], "What follows?");
    assert_eq!(
        node.metadata["fault_lines_examined"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
    assert_eq!(
        node.metadata["reconcile_hash"].as_str(),
        report.regions[0].reconcile_hash.as_deref()
    );
    let edges = store
        .neighbours(&id, knowledge_graph::Direction::Outgoing)
        .unwrap();
    let of = |kind| edges.iter().filter(move |e| e.edge_type == kind);
    assert_eq!(of(EdgeType::DerivedFrom).count(), 3);
    let total: f64 = of(EdgeType::DerivedFrom).map(|e| e.weight).sum();
    assert!((total - 1.0).abs() < 1e-9, "shares add up to {total}");
    let share = |target: &str| {
        of(EdgeType::DerivedFrom)
            .find(|e| e.target == target)
            .unwrap()
            .weight
    };
    assert!(share("n00") > share("n02"));
    assert_eq!(of(EdgeType::Supports).count(), 1);
    assert_eq!(of(EdgeType::Contradicts).count(), 1);
    assert!(events.iter().any(
        |e| matches!(e, Event::Crystallize { node_id, kappa_before: 1, .. } if *node_id == id)
    ));
    // Doing it all again changes nothing: the same replies make the same batch.
    let before = json(&store);
    run_to_end(begin(&ring, Options::default()), &store, |_| {
        Ok(deliberator::Completion::new(text))
    });
    assert_eq!(json(&store), before);
    assert_eq!(stored(&store).nodes.len(), 4, "a repeat does not duplicate");
}

#[test]
fn gate_d_without_write_back_nothing_is_written() {
    let ring = ring(3);
    let store = store_of(&ring);
    let before = json(&store);
    let options = Options {
        write_back: false,
        ..Options::default()
    };
    let report = run_to_end(begin(&ring, options), &store, |_| says("So it is.", 0.9));
    assert!(report.converged);
    assert_eq!(report.topology_after, None);
    assert_eq!(report.regions[0].node_id, None);
    assert_eq!(json(&store), before);
}

#[test]
fn gate_e_the_second_retrieval_finds_the_conclusion() {
    let store = store_of(&business_loop());
    let graph = stored(&store);
    assert_eq!(effective_topology(&graph).unwrap().max_kappa, 1);
    let question = "How does research and development affect market share?";
    let run = Deliberation::new(
        graph.topology().unwrap(),
        graph,
        question,
        Options::default(),
        common::NOW,
    )
    .unwrap();
    let said = "Research and development raises market share through product quality.";
    let report = run_to_end(run, &store, |_| says(said, 0.84));
    let change = &report.topology_change;
    assert_eq!((change.kappa_before, change.kappa_after), (1, 1));
    assert_eq!(
        (change.effective_kappa_before, change.effective_kappa_after),
        (1, 0)
    );
    // Retrieval by words: the conclusion comes first.
    let after = stored(&store);
    let best = after
        .nodes
        .iter()
        .max_by(|a, b| {
            let of = |n: &knowledge_graph::Node| {
                language_agents::lexical_similarity(&n.content, question)
            };
            of(a).total_cmp(&of(b))
        })
        .unwrap();
    assert_eq!(Some(&best.id), report.regions[0].node_id.as_ref());
    let effective = effective_topology(&after).unwrap();
    assert_eq!(effective.max_kappa, 0);
    assert_eq!(effective.routing, kappa_topology::Routing::Fast);
    // And the region is not deliberated again for the same question.
    let again = Deliberation::new(
        after.topology().unwrap(),
        after,
        question,
        Options::default(),
        common::NOW,
    )
    .unwrap();
    let report = run_to_end(again, &store, |_| panic!("nobody is asked"));
    assert_eq!(report.regions[0].status, RegionStatus::Reused);
    assert_eq!(report.calls, 0);
}

#[test]
fn no_loop_no_deliberation() {
    let line = graph(3, &[(0, 1), (1, 2)]);
    let report = run_to_end(begin(&line, Options::default()), &store_of(&line), |_| {
        panic!("nobody is asked")
    });
    assert!(report.converged && report.regions.is_empty());
}
