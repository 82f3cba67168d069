//! Reading back what was written.

use serde_json::json;

use super::{NOW, edge, node, ok, put_nodes, same, that};
use crate::{Direction, Edge, EdgeType, GraphStore, Node, NodeType, Timestamp};

pub(super) fn nodes_come_back(store: &dyn GraphStore) -> Result<(), String> {
    let mut full = Node::new("full", "line one\r\nline two\t\u{1F600}", NOW);
    full.node_type = NodeType::Procedural;
    full.confidence = 0.1 + 0.2;
    full.embedding = Some(vec![1.0e-40, -0.0, f32::MAX, 0.1]);
    full.metadata
        .insert("a".into(), json!({"deep": [1, 2.5, null, "x"], "e": 1e-7}));
    full.metadata.insert("\u{e9}".into(), json!(u64::MAX));
    full.source = Some("sensor".into());
    full.access_count = 7;
    full.created_at = Timestamp(-5);
    full.updated_at = Timestamp(i64::MAX);
    full.last_accessed_at = Timestamp(i64::MIN);
    full.revision = 99;
    ok(store.put_node(full.clone()))?;
    full.revision = 1;
    let found = ok(store.node("full"))?;
    // -0.0 equals 0.0, so the sign is compared apart.
    let sign = |n: &Option<Node>| {
        n.as_ref()
            .and_then(|n| n.embedding.as_ref())
            .and_then(|v| v.get(1))
            .is_some_and(|x| x.is_sign_negative())
    };
    that(sign(&found), "the sign of -0.0 in an embedding was lost")?;
    same("the node", &found, &Some(full))?;

    let bare = Node {
        embedding: None,
        source: None,
        ..node("bare")
    };
    ok(store.put_node(bare.clone()))?;
    let expected = Some(Node {
        revision: 1,
        ..bare
    });
    same("the bare node", &ok(store.node("bare"))?, &expected)?;
    same("a node that is not there", &ok(store.node("none"))?, &None)
}

pub(super) fn edges_come_back(store: &dyn GraphStore) -> Result<(), String> {
    put_nodes(store, &["a", "b"])?;
    for edge_type in [
        EdgeType::Causal,
        EdgeType::Temporal,
        EdgeType::Related,
        EdgeType::Contradicts,
        EdgeType::Supports,
        EdgeType::DerivedFrom,
    ] {
        let mut edge = edge("a", "b", edge_type).with_weight(1.0 / 3.0);
        edge.metadata.insert("k".into(), json!([true, {"n": 0.1}]));
        edge.last_activated_at = Timestamp(0);
        ok(store.put_edge(edge.clone()))?;
        let found = ok(store.edge(&edge.id))?;
        same("the edge", &found, &Some(edge))?;
    }
    let looped = edge("a", "a", EdgeType::Related);
    ok(store.put_edge(looped.clone()))?;
    same("a self-loop", &ok(store.edge(&looped.id))?, &Some(looped))?;
    same("an edge that is not there", &ok(store.edge("no"))?, &None)
}

/// Composed and decomposed, upper and lower case, with and without a final space are all
/// different ids, and content is never touched.
pub(super) fn text_is_bytes(store: &dyn GraphStore) -> Result<(), String> {
    let ids = [
        "fa\u{e7}ana",
        "fac\u{327}ana",
        "A",
        "a",
        "a ",
        " a",
        "\u{7f}",
        "\u{10ffff}",
        "%",
        "_",
        "'",
        "\"",
        "\\",
        "a\nb",
        "\u{feff}a",
    ];
    for id in ids {
        ok(store.put_node(Node::new(id, format!("{id}\r\n {id} "), NOW)))?;
    }
    for id in ids {
        let found = ok(store.node(id))?.map(|n| n.content);
        same(id, &found, &Some(format!("{id}\r\n {id} ")))?;
    }
    let count = ok(store.node_page(None, 100))?.len();
    same("the number of nodes", &count, &ids.len())
}

const MIXED: [&str; 7] = ["b", "B", "a", "\u{e9}", "z", "10", "9"];

pub(super) fn byte_order(store: &dyn GraphStore) -> Result<(), String> {
    put_nodes(store, &MIXED)?;
    let mut expected: Vec<String> = MIXED.iter().map(|s| (*s).to_owned()).collect();
    expected.sort();
    let found: Vec<String> = ok(store.node_page(None, 100))?
        .into_iter()
        .map(|n| n.id)
        .collect();
    same("the order of nodes", &found, &expected)?;
    for id in MIXED {
        ok(store.put_edge(Edge {
            id: id.to_owned(),
            ..edge("a", "b", EdgeType::Related)
        }))?;
    }
    let ids = |edges: Vec<Edge>| edges.into_iter().map(|e| e.id).collect::<Vec<_>>();
    let listed = ids(ok(store.edge_page(None, 100))?);
    same("the order of edges", &listed, &expected)?;
    let near = ids(ok(store.neighbours("a", Direction::Both))?);
    same("the order of neighbours", &near, &expected)?;
    let between = ids(ok(store.edges_between(&["b".into(), "a".into()]))?);
    same("the order of edges between", &between, &expected)
}

pub(super) fn pages(store: &dyn GraphStore) -> Result<(), String> {
    let ids: Vec<String> = (0..23).map(|i| format!("n{i:02}")).collect();
    for id in &ids {
        ok(store.put_node(node(id)))?;
    }
    for size in [1, 2, 7, 23, 24] {
        let mut found: Vec<String> = Vec::new();
        loop {
            let page = ok(store.node_page(found.last().map(String::as_str), size))?;
            that(page.len() <= size, "a page is longer than its limit")?;
            if page.is_empty() {
                break;
            }
            found.extend(page.into_iter().map(|n| n.id));
        }
        same("the pages together", &found, &ids)?;
    }
    let none = ok(store.node_page(None, 0))?.len();
    same("a page of none", &none, &0)?;
    let beyond: Vec<Node> = ok(store.node_page(Some("zzz"), 5))?;
    same("a page beyond the end", &beyond.len(), &0)
}

pub(super) fn neighbours(store: &dyn GraphStore) -> Result<(), String> {
    put_nodes(store, &["a", "b", "c"])?;
    let (out, back) = (
        edge("a", "b", EdgeType::Causal),
        edge("c", "a", EdgeType::Temporal),
    );
    let looped = edge("a", "a", EdgeType::Related);
    for e in [&out, &back, &looped] {
        ok(store.put_edge(e.clone()))?;
    }
    let ids = |direction| {
        ok(store.neighbours("a", direction))
            .map(|edges| edges.into_iter().map(|e| e.id).collect::<Vec<_>>())
    };
    same(
        "outgoing",
        &ids(Direction::Outgoing)?,
        &vec![looped.id.clone(), out.id.clone()],
    )?;
    same(
        "incoming",
        &ids(Direction::Incoming)?,
        &vec![looped.id.clone(), back.id.clone()],
    )?;
    same(
        "both",
        &ids(Direction::Both)?,
        &vec![looped.id, out.id, back.id],
    )?;
    let none = ok(store.neighbours("zz", Direction::Both))?.len();
    same("at no node", &none, &0)
}

pub(super) fn edges_between(store: &dyn GraphStore) -> Result<(), String> {
    put_nodes(store, &["a", "b", "c"])?;
    for (s, t) in [("a", "b"), ("b", "a"), ("b", "c"), ("a", "a")] {
        ok(store.put_edge(edge(s, t, EdgeType::Causal)))?;
    }
    let ids = |of: &[&str]| {
        let of: Vec<String> = of.iter().map(|s| (*s).to_owned()).collect();
        ok(store.edges_between(&of))
            .map(|edges| edges.into_iter().map(|e| e.id).collect::<Vec<_>>())
    };
    let all = vec![
        "a->a#causal".to_owned(),
        "a->b#causal".to_owned(),
        "b->a#causal".to_owned(),
    ];
    same("between two", &ids(&["a", "b"])?, &all)?;
    same(
        "repeated and unknown ids",
        &ids(&["b", "zz", "a", "b"])?,
        &all,
    )?;
    same("one node", &ids(&["b"])?, &Vec::new())?;
    same("none", &ids(&[])?, &Vec::new())?;
    let many: Vec<String> = (0..2_000)
        .map(|i| format!("x{i}"))
        .chain(["a".into()])
        .collect();
    let found = ok(store.edges_between(&many))?.len();
    same("one node among two thousand that are not there", &found, &1)
}

pub(super) fn nodes_by_ids(store: &dyn GraphStore) -> Result<(), String> {
    put_nodes(store, &["a", "b", "c"])?;
    let wanted: Vec<String> = ["c", "zz", "a"].map(String::from).to_vec();
    let found: Vec<String> = ok(store.nodes(&wanted))?
        .into_iter()
        .map(|n| n.id)
        .collect();
    same("the nodes", &found, &vec!["c".to_owned(), "a".to_owned()])
}
