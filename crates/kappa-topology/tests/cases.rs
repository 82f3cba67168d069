//! The cases of the suite for κ, the known values of the page, and determinism.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod families;

use families::{FAMILIES, Random};
use kappa_topology::{
    Digraph, EdgeKind, Error, Limits, Options, Routing, Topology, Weight, analyze, analyze_weighted,
};

fn analyzed<N: Ord + Clone>(edges: &[(N, N)]) -> Topology<N> {
    analyze(
        &Digraph::from_edges(edges.iter().cloned()).unwrap(),
        &Options::default(),
    )
}

fn kappas<N: Ord + Clone>(edges: &[(N, N)]) -> Vec<u64> {
    analyzed(edges).sccs.iter().map(|scc| scc.kappa).collect()
}

fn complete(n: u32) -> Vec<(u32, u32)> {
    (0..n)
        .flat_map(|s| (0..n).filter(move |&t| t != s).map(move |t| (s, t)))
        .collect()
}

const BUSINESS: [(&str, &str); 6] = [
    ("market-share", "revenue"),
    ("revenue", "r-and-d"),
    ("r-and-d", "product-quality"),
    ("product-quality", "market-share"),
    ("market-share", "customer-retention"),
    ("customer-retention", "revenue"),
];

#[test]
fn k1_direction_is_heeded() {
    assert_eq!(kappas(&[(0, 1), (1, 2), (2, 0)]), [1]);
}

#[test]
fn k3_self_loops_change_nothing_and_are_noted() {
    assert_eq!(kappas(&[(0, 0), (0, 1), (1, 0), (1, 1)]), [1]);
    let mut edges = complete(5);
    edges.extend((0..5).map(|v| (v, v)));
    assert_eq!(kappas(&edges), [4]);
    let graph = Digraph::from_edges([("x", "x")]).unwrap();
    let topology = analyze(&graph, &Options::default());
    assert_eq!((topology.max_kappa, topology.scc_count), (0, 0));
    assert_eq!(topology.dag_nodes, ["x"]);
    assert_eq!(topology.routing, Routing::Fast);
    assert_eq!(graph.self_loops().collect::<Vec<_>>(), [&"x"]);
    assert_eq!(
        graph.note().unwrap(),
        "nodes whose self-loop was dropped: 1"
    );
}

/// Runs on a thread whose stack is one mebibyte.
fn on_a_small_stack(run: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new()
        .stack_size(1 << 20)
        .spawn(run)
        .unwrap()
        .join()
        .unwrap();
}

#[test]
fn k5_a_ring_of_200_000_and_its_strong_bridges_need_no_stack() {
    on_a_small_stack(|| {
        let n = 200_000u32;
        let graph = Digraph::from_edges((0..n).map(|v| (v, (v + 1) % n))).unwrap();
        let topology = analyze(&graph, &Options::default());
        assert_eq!((topology.scc_count, topology.max_kappa), (1, 1));
        let bridges = topology.sccs[0].strong_bridges(&graph).unwrap();
        assert_eq!(bridges.len(), n as usize);
        let path = Digraph::from_edges((1..n).map(|v| (v - 1, v))).unwrap();
        assert_eq!(
            analyze(&path, &Options::default()).dag_nodes.len(),
            n as usize
        );
    });
}

#[test]
#[cfg_attr(debug_assertions, ignore = "release only: ten million nodes")]
fn a_path_of_ten_million_nodes_needs_no_stack() {
    on_a_small_stack(|| {
        let n = 10_000_000u32;
        let graph = Digraph::from_edges((1..n).map(|v| (v - 1, v))).unwrap();
        let topology = analyze(&graph, &Options::default());
        assert_eq!(topology.dag_nodes.len(), n as usize);
        assert_eq!((topology.scc_count, topology.routing), (0, Routing::Fast));
    });
}

#[test]
fn k6_empty_and_single_node_graphs_have_kappa_zero() {
    for (nodes, edges) in [
        (0, vec![]),
        (1, vec![]),
        (2, vec![]),
        (2, vec![(0u32, 1u32)]),
    ] {
        let mut builder = Digraph::builder();
        for v in 0..nodes {
            builder.node(v);
        }
        for (s, t) in edges {
            builder.edge(s, t);
        }
        let graph = builder.build().unwrap();
        let topology = analyze(&graph, &Options::default());
        assert_eq!((topology.max_kappa, topology.scc_count), (0, 0));
        assert_eq!(topology.dag_nodes.len(), nodes as usize);
        let weighted = analyze_weighted(&graph, &Options::default());
        assert_eq!(serde_json::to_value(weighted).unwrap()["max_kappa"], 0);
    }
}

#[test]
fn k7_edges_between_components_are_in_no_fault_line() {
    let topology = analyzed(&[(0, 1), (1, 0), (2, 3), (3, 2), (1, 2)]);
    assert_eq!(
        topology.sccs.iter().map(|s| s.kappa).collect::<Vec<_>>(),
        [1, 1]
    );
    let lines = topology.sccs.iter().flat_map(|s| &s.fault_line_edges);
    assert!(lines.clone().count() == 2 && lines.clone().all(|e| (e.source, e.target) != (1, 2)));
}

#[test]
fn k9_insertion_order_changes_no_byte() {
    let mut random = Random(9);
    for family in FAMILIES {
        let edges = (family.make)(120, 5, 3);
        let json = |edges: &[(u32, u32)]| {
            let graph = Digraph::from_edges(edges.iter().copied()).unwrap();
            let topology = analyze(&graph, &Options::default());
            let lines: Vec<_> = topology
                .sccs
                .iter()
                .map(|s| s.fault_lines(&graph, 9).unwrap())
                .collect();
            let weighted = analyze_weighted(&graph, &Options::default());
            serde_json::to_string(&(topology, lines, weighted)).unwrap()
        };
        let expected = json(&edges);
        for _ in 0..4 {
            let mut shuffled = edges.clone();
            for i in (1..shuffled.len()).rev() {
                shuffled.swap(i, random.below(i as u32 + 1) as usize);
            }
            assert_eq!(json(&shuffled), expected, "{}", family.name);
        }
    }
}

#[test]
fn k9_the_cut_of_a_ring_is_around_its_smallest_node() {
    let topology = analyzed(&[(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)]);
    let edge = &topology.sccs[0].fault_line_edges[0];
    assert_eq!((edge.source, edge.target), (4, 0));
}

#[test]
fn k10_results_are_in_the_callers_ids() {
    let big = 4_000_000_000u64;
    let topology = analyzed(&[(7, 900), (900, big), (big, 7), (5, 7)]);
    assert_eq!(topology.sccs[0].nodes, [7, 900, big]);
    assert_eq!(topology.dag_nodes, [5]);
    let named = analyzed(&[("ζ", "a b"), ("a b", "\u{1f980}"), ("\u{1f980}", "ζ")]);
    assert_eq!(named.sccs[0].nodes, ["a b", "ζ", "\u{1f980}"]);
}

#[test]
fn known_values() {
    let two_two = [
        (0, 2),
        (0, 3),
        (1, 2),
        (1, 3),
        (2, 0),
        (3, 0),
        (2, 1),
        (3, 1),
    ];
    assert_eq!(kappas(&two_two), [2]);
    for n in 2..=12 {
        assert_eq!(kappas(&complete(n)), [u64::from(n) - 1]);
    }
    assert_eq!(kappas(&BUSINESS), [1]);
    let n = 100_000u32;
    let graph = Digraph::from_edges((0..n).map(|v| (v, (v + 1) % n))).unwrap();
    let topology = analyze(&graph, &Options::default());
    assert_eq!(topology.max_kappa, 1);
    assert_eq!(
        topology.sccs[0].strong_bridges(&graph).unwrap().len(),
        100_000
    );
}

#[test]
fn the_canonical_schema_is_pinned() {
    let json = serde_json::to_string_pretty(&analyzed(&[("b", "a"), ("a", "b"), ("b", "c")]));
    let expected = r#"{
  "sccs": [
    {
      "id": "scc-0",
      "nodes": [
        "a",
        "b"
      ],
      "kappa": 1,
      "approximate": false,
      "fault_line_edges": [
        {
          "source": "b",
          "target": "a"
        }
      ],
      "routing": "deliberate",
      "deliberation_budget": {
        "max_iterations": 2,
        "agent_count": 1,
        "timeout_multiplier": 1.5,
        "confidence_threshold": 0.75
      }
    }
  ],
  "dag_nodes": [
    "c"
  ],
  "routing": "deliberate",
  "max_kappa": 1,
  "scc_count": 1
}"#;
    let json = json.unwrap();
    assert_eq!(json, expected);
    let back: Topology<String> = serde_json::from_str(&json).unwrap();
    assert_eq!(serde_json::to_string_pretty(&back).unwrap(), expected);
}

#[test]
fn weights_add_and_find_the_weakest_link() {
    let weight = |text: &str| text.parse::<Weight>().unwrap();
    let mut builder = Digraph::builder();
    builder
        .weighted_edge("a", "b", weight("0.5"))
        .weighted_edge("a", "b", weight("0.25"));
    builder
        .weighted_edge("b", "c", weight("0.8"))
        .weighted_edge("c", "a", weight("0.9"));
    builder.weighted_edge("b", "a", weight("0.1"));
    let topology = analyze_weighted(&builder.build().unwrap(), &Options::default());
    assert_eq!(topology.max_kappa, weight("0.75"));
    let edge = &topology.sccs[0].fault_line_edges[0];
    assert_eq!((edge.source, edge.target), ("a", "b"));
    let json = serde_json::to_value(&topology).unwrap();
    assert_eq!(json["sccs"][0]["kappa"], 0.75);
    let back: Topology<String, Weight> = serde_json::from_value(json).unwrap();
    assert_eq!(back.max_kappa, topology.max_kappa);
}

#[test]
fn equal_weights_give_the_unweighted_kappa() {
    for family in FAMILIES {
        let merged = Digraph::from_edges((family.make)(300, 6, 4)).unwrap();
        let mut builder = Digraph::builder();
        for (&s, &t) in merged.edges() {
            builder.weighted_edge(s, t, "2.5".parse().unwrap());
        }
        let graph = builder.build().unwrap();
        let plain = analyze(&graph, &Options::default()).max_kappa;
        let weighted = analyze_weighted(&graph, &Options::default()).max_kappa;
        assert_eq!(weighted.micros(), plain * 2_500_000, "{}", family.name);
    }
}

#[test]
fn only_causal_and_temporal_edges_take_part_by_default() {
    let mut builder = Digraph::builder();
    builder
        .edge_of_kind(EdgeKind::Causal, 1, 2)
        .edge_of_kind(EdgeKind::Temporal, 2, 1);
    for kind in [
        EdgeKind::DerivedFrom,
        EdgeKind::Related,
        EdgeKind::Supports,
        EdgeKind::Contradicts,
    ] {
        builder.edge_of_kind(kind, 3, 4).edge_of_kind(kind, 4, 3);
    }
    let topology = analyze(&builder.build().unwrap(), &Options::default());
    assert_eq!(topology.scc_count, 1);
    assert_eq!(topology.dag_nodes, [3, 4]);
    let mut builder = Digraph::builder();
    builder.kinds(|kind| kind == EdgeKind::Supports);
    builder
        .edge_of_kind(EdgeKind::Supports, 3, 4)
        .edge_of_kind(EdgeKind::Causal, 4, 3);
    assert_eq!(builder.build().unwrap().edge_count(), 1);
}

#[test]
fn limits_are_errors_that_say_what_is_accepted() {
    let limits = Limits {
        max_nodes: 3,
        max_edges: 2,
    };
    let mut builder = Digraph::builder();
    builder.limits(limits).edge(1, 2).edge(2, 1).edge(1, 2);
    assert_eq!(
        builder.build().unwrap_err(),
        Error::TooManyEdges { limit: 2 }
    );
    let mut builder = Digraph::builder();
    builder.limits(limits).edge(1, 2).edge(3, 4);
    let error = builder.build().unwrap_err();
    assert_eq!(error, Error::TooManyNodes { limit: 3 });
    assert!(
        error
            .to_string()
            .starts_with("the graph has more than 3 nodes: at most 3 are")
    );
    let mut builder = Digraph::builder();
    builder
        .weighted_edge(1, 2, Weight::MAX)
        .weighted_edge(2, 1, Weight::ONE);
    assert_eq!(builder.build().unwrap_err(), Error::WeightOverflow);
}

#[test]
fn fault_lines_can_be_left_out() {
    let graph = Digraph::from_edges(BUSINESS).unwrap();
    let topology = analyze(&graph, &Options::default().with_fault_lines(false));
    assert_eq!(topology.max_kappa, 1);
    assert!(topology.sccs[0].fault_line_edges.is_empty());
}
