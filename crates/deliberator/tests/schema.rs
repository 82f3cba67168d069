//! The tool definitions, and what goes in and out by them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::{begin, business_loop, complete, ring, run_to_end, says, store_of};
use deliberator::{
    Deliberation, DeliberationError, Options, Report, Tool, focus_schema, reconcile_schema,
    tool_schema,
};
use serde_json::{Value, json};

fn tool(name: &str) -> Tool {
    tool_schema().into_iter().find(|t| t.name == name).unwrap()
}

fn fits(schema: &Value, value: &Value) -> bool {
    jsonschema::draft202012::meta::validate(schema).unwrap();
    jsonschema::validator_for(schema).unwrap().is_valid(value)
}

#[test]
fn inputs_are_told_apart() {
    let deliberate = tool("deliberate").input_schema;
    let analyze = tool("analyze_topology").input_schema;
    for (value, good) in [
        (json!({"query": "why?"}), true),
        (
            json!({"query": "why?", "node_ids": ["a"], "write_back": false}),
            true,
        ),
        (json!({"node_ids": ["a"]}), false),
        (json!({"query": 1}), false),
        (json!({"query": ""}), false),
        (json!({"query": "q", "node_ids": "a"}), false),
        (json!({"query": "q", "extra": 1}), false),
    ] {
        assert_eq!(fits(&deliberate, &value), good, "{value}");
    }
    assert!(fits(&analyze, &json!({"node_ids": ["a", "b"]})));
    assert!(fits(&analyze, &json!({})));
    assert!(!fits(&analyze, &json!({"node_ids": [1]})));
}

#[test]
fn outputs_fit_their_schema() {
    let deliberate = tool("deliberate").output_schema;
    let reports: Vec<Report> = vec![
        run_to_end(
            begin(&ring(3), Options::default()),
            &store_of(&ring(3)),
            |_| says("So.", 0.9),
        ),
        run_to_end(
            begin(&complete(4), Options::default()),
            &store_of(&complete(4)),
            |_| says("So.", 0.1),
        ),
        run_to_end(
            begin(&common::graph(2, &[(0, 1)]), Options::default()),
            &store_of(&ring(3)),
            |_| says("", 0.0),
        ),
        run_to_end(
            begin(&ring(3), Options::default()),
            &store_of(&ring(3)),
            |_| Err(deliberator::AgentError::Timeout { after_ms: 1 }),
        ),
    ];
    for report in &reports {
        let value = serde_json::to_value(report.response()).unwrap();
        assert!(fits(&deliberate, &value), "{value:#}");
        let back: Report = serde_json::from_str(&serde_json::to_string(report).unwrap()).unwrap();
        assert_eq!(&back, report);
    }
    let topology = serde_json::to_value(business_loop().topology().unwrap()).unwrap();
    assert!(
        fits(&tool("analyze_topology").output_schema, &topology),
        "{topology:#}"
    );
}

#[test]
fn reply_schemas_are_schemas() {
    let reply = json!({"conclusion": "c", "confidence": 0.5, "reasoning": ""});
    assert!(fits(&focus_schema(), &reply));
    assert!(!fits(&reconcile_schema(), &reply));
    let mut full = reply;
    full["contradiction_stands"] = json!(false);
    assert!(fits(&reconcile_schema(), &full));
}

/// The wire form of the seed's example, names and order.
#[test]
fn the_response_is_pinned() {
    let report = run_to_end(
        begin(&ring(3), Options::default()),
        &store_of(&ring(3)),
        |_| says("So it is.", 0.84),
    );
    assert_eq!(
        serde_json::to_string(&report.response()).unwrap(),
        concat!(
            r#"{"status":"ok","query":"What follows?","deliberation":{"converged":true,"#,
            r#""iterations_used":1,"escalated":false,"escalation_reason":null,"conclusions":["#,
            r#"{"content":"So it is.","confidence":0.84,"source_scc_id":"scc-0","source_kappa":1,"#,
            r#""fault_lines_examined":[{"source":"n02","target":"n00"}],"iteration":1,"converged":true}],"#,
            r#""topology_change":{"kappa_before":1,"kappa_after":1,"effective_kappa_before":1,"#,
            r#""effective_kappa_after":0,"new_nodes_created":1,"note":"1 conclusion node(s) added. "#,
            r#"κ of the graph does not change; for questions that retrieve them, effective κ falls "#,
            r#"from 1 to 0."},"calls":2,"tokens_in":20,"tokens_out":10}}"#
        )
    );
}

#[test]
fn what_does_not_belong_together_is_refused() {
    let start =
        |topology, graph, options| Deliberation::new(topology, graph, "q", options, common::NOW);
    let (ring, big) = (ring(3), common::ring(4));
    let other = start(big.topology().unwrap(), ring.clone(), Options::default());
    assert!(matches!(other, Err(DeliberationError::MissingNode { .. })));
    let mut cut = ring.clone();
    cut.edges.pop();
    let foreign = start(ring.topology().unwrap(), cut, Options::default());
    assert!(matches!(
        foreign,
        Err(DeliberationError::ForeignTopology { .. })
    ));
    let mut wrong = ring.topology().unwrap();
    wrong.sccs[0].kappa = 7;
    let foreign = start(wrong, ring.clone(), Options::default());
    assert!(
        foreign
            .unwrap_err()
            .to_string()
            .contains("said to be 7 and is 1")
    );
    let mut twice = common::rings(2).topology().unwrap();
    twice.sccs[1].id = "scc-0".to_owned();
    let doubled = start(twice, common::rings(2), Options::default());
    assert!(doubled.unwrap_err().to_string().contains("two components"));
    let odd = Options {
        cuts_per_round: 3,
        ..Options::default()
    };
    let refused = start(ring.topology().unwrap(), ring.clone(), odd);
    assert!(matches!(
        refused,
        Err(DeliberationError::Option {
            option: "cuts_per_round",
            ..
        })
    ));
    let mut run = common::begin(&ring, Options::default());
    let stray = run.answer(deliberator::Answer::Pass {
        id: "scc-9/r1/f1".into(),
        result: common::says("x", 1.0),
        duration_ms: None,
    });
    assert!(matches!(stray, Err(DeliberationError::NotOpen { .. })));
}
