//! Writing: single writes, preconditions, all or nothing, once.

use std::thread;

use serde_json::json;

use super::{NOW, edge, node, ok, put_nodes, same, that};
use crate::{
    Batch, Edge, EdgeType, GraphError, GraphStore, Node, Precondition, Snapshot, Timestamp, Write,
};

fn whole(store: &dyn GraphStore) -> Result<Snapshot, String> {
    ok(Snapshot::of(store))
}

pub(super) fn bounds(store: &dyn GraphStore) -> Result<(), String> {
    ok(store.put_node(node("a")))?;
    let before = whole(store)?;
    let with = |change: fn(&mut Node)| {
        let mut n = node("b");
        change(&mut n);
        Batch::new().put_node(n)
    };
    let refused = [
        with(|n| n.id = String::new()),
        with(|n| n.id = "a\0b".into()),
        with(|n| n.id = "x".repeat(crate::MAX_ID + 1)),
        with(|n| n.content = "nul \0".into()),
        with(|n| n.content = "x".repeat(crate::MAX_CONTENT + 1)),
        with(|n| n.confidence = 1.000_001),
        with(|n| n.confidence = f64::NAN),
        with(|n| n.embedding = Some(vec![f32::INFINITY])),
        with(|n| n.embedding = Some(Vec::new())),
        with(|n| n.source = Some("\0".into())),
        with(|n| {
            n.metadata.insert("k".into(), json!({"a": ["\0"]}));
        }),
        with(|n| n.access_count = u64::MAX),
        Batch::new().put_edge(edge("a", "a", EdgeType::Causal).with_weight(-1.0)),
        Batch::new().put_edge(edge("a", "a", EdgeType::Causal).with_weight(f64::INFINITY)),
        Batch::new().put_edge(Edge {
            id: String::new(),
            ..edge("a", "a", EdgeType::Causal)
        }),
        Batch::once("").put_node(node("b")),
        Batch::new().write(Write::AdjustConfidence {
            id: "a".into(),
            toward: 2.0,
            rate: 1.0,
            at: NOW,
        }),
    ];
    for (number, batch) in refused.iter().enumerate() {
        let result = store.apply(batch);
        that(
            matches!(result, Err(GraphError::Invalid { .. })),
            &format!("batch {number} was not refused as invalid: {result:?}"),
        )?;
    }
    same("the graph afterwards", &whole(store)?, &before)
}

pub(super) fn writes(store: &dyn GraphStore) -> Result<(), String> {
    put_nodes(store, &["a", "b"])?;
    ok(store.put_edge(edge("a", "b", EdgeType::Causal)))?;
    let id = || "a".to_owned();
    let later = Timestamp(NOW.0 + 50);
    let batch = Batch::new()
        .write(Write::AdjustConfidence {
            id: id(),
            toward: 1.0,
            rate: 0.3,
            at: later,
        })
        .write(Write::Touch {
            id: id(),
            at: later,
        })
        .write(Write::Touch {
            id: id(),
            at: Timestamp(3),
        })
        .write(Write::SetMetadata {
            id: id(),
            key: "k".into(),
            value: Some(json!("v")),
        })
        .write(Write::ActivateEdge {
            id: "a->b#causal".into(),
            at: later,
        });
    ok(store.apply(&batch))?;
    let found = ok(store.node("a"))?.ok_or("the node is gone")?;
    same(
        "the confidence",
        &found.confidence.to_bits(),
        &crate::rules::adjusted(0.5, 1.0, 0.3).to_bits(),
    )?;
    same("updated_at", &found.updated_at, &later)?;
    same("access_count", &found.access_count, &2)?;
    same("last_accessed_at", &found.last_accessed_at, &later)?;
    same("metadata", &found.metadata.get("k"), &Some(&json!("v")))?;
    let activated = ok(store.edge("a->b#causal"))?.map(|e| e.last_activated_at);
    same("last_activated_at", &activated, &Some(later))?;
    ok(store.apply(&Batch::new().write(Write::SetMetadata {
        id: id(),
        key: "k".into(),
        value: None,
    })))?;
    let found = ok(store.node("a"))?.ok_or("the node is gone")?;
    that(
        found.metadata.is_empty(),
        "the metadata entry was not removed",
    )?;
    // Over an edge that stood elsewhere.
    let moved = Edge {
        id: "a->b#causal".into(),
        ..edge("b", "a", EdgeType::Related)
    };
    ok(store.put_edge(moved.clone()))?;
    same(
        "the moved edge",
        &ok(store.edge("a->b#causal"))?,
        &Some(moved),
    )
}

pub(super) fn revisions(store: &dyn GraphStore) -> Result<(), String> {
    put_nodes(store, &["a", "a", "a"])?;
    ok(store.apply(
        &Batch::new()
            .write(Write::Touch {
                id: "a".into(),
                at: NOW,
            })
            .write(Write::SetMetadata {
                id: "a".into(),
                key: "k".into(),
                value: Some(json!(1)),
            })
            .write(Write::AdjustConfidence {
                id: "a".into(),
                toward: 0.0,
                rate: 0.5,
                at: NOW,
            }),
    ))?;
    let revision = |id: &str| ok(store.node(id)).map(|n| n.map(|n| n.revision));
    same("after three puts", &revision("a")?, &Some(3))?;
    ok(store.apply(
        &Batch::new()
            .write(Write::RemoveNode { id: "a".into() })
            .put_node(node("a")),
    ))?;
    same("removed and put again", &revision("a")?, &Some(1))
}

pub(super) fn removal(store: &dyn GraphStore) -> Result<(), String> {
    put_nodes(store, &["a", "b", "c"])?;
    for (s, t) in [("a", "b"), ("b", "a"), ("b", "c"), ("a", "a")] {
        ok(store.put_edge(edge(s, t, EdgeType::Causal)))?;
    }
    ok(store.apply(&Batch::new().write(Write::RemoveNode { id: "a".into() })))?;
    let left: Vec<String> = whole(store)?.edges.into_iter().map(|e| e.id).collect();
    same("the edges left", &left, &vec!["b->c#causal".to_owned()])?;
    let nothing = Batch::new()
        .write(Write::RemoveNode { id: "a".into() })
        .write(Write::RemoveEdge { id: "no".into() });
    ok(store.apply(&nothing))?;
    ok(store.apply(&Batch::new().write(Write::RemoveEdge {
        id: "b->c#causal".into(),
    })))?;
    same("no edges", &whole(store)?.edges.len(), &0)
}

pub(super) fn endpoints(store: &dyn GraphStore) -> Result<(), String> {
    ok(store.put_node(node("a")))?;
    for (s, t) in [("a", "no"), ("no", "a")] {
        let result = store.put_edge(edge(s, t, EdgeType::Causal));
        that(
            matches!(&result, Err(GraphError::Missing { kind: "node", id, .. }) if id == "no"),
            &format!("an edge at a missing node: {result:?}"),
        )?;
    }
    // Within one batch the node may come first.
    let batch = Batch::new()
        .put_node(node("b"))
        .put_edge(edge("a", "b", EdgeType::Causal));
    ok(store.apply(&batch)).map(|_| ())?;
    for write in [
        Write::Touch {
            id: "no".into(),
            at: NOW,
        },
        Write::SetMetadata {
            id: "no".into(),
            key: "k".into(),
            value: None,
        },
        Write::AdjustConfidence {
            id: "no".into(),
            toward: 0.0,
            rate: 0.0,
            at: NOW,
        },
        Write::ActivateEdge {
            id: "no".into(),
            at: NOW,
        },
    ] {
        let result = store.apply(&Batch::new().write(write.clone()));
        that(
            matches!(result, Err(GraphError::Missing { .. })),
            &format!("{write:?} on nothing: {result:?}"),
        )?;
    }
    Ok(())
}

pub(super) fn preconditions(store: &dyn GraphStore) -> Result<(), String> {
    put_nodes(store, &["a", "a"])?;
    ok(store.put_edge(edge("a", "a", EdgeType::Related)))?;
    let loop_id = || "a->a#related".to_owned();
    let held = Batch::new()
        .require(Precondition::NodeExists { id: "a".into() })
        .require(Precondition::NodeAbsent { id: "b".into() })
        .require(Precondition::NodeRevision {
            id: "a".into(),
            revision: 2,
        })
        .require(Precondition::EdgeExists { id: loop_id() })
        .require(Precondition::EdgeAbsent { id: "no".into() })
        .put_node(node("b"));
    ok(store.apply(&held))?;
    let before = whole(store)?;
    let a_now = ok(store.node("a"))?;
    let broken: [(Precondition, Option<Node>); 6] = [
        (Precondition::NodeAbsent { id: "a".into() }, a_now.clone()),
        (Precondition::NodeExists { id: "no".into() }, None),
        (
            Precondition::NodeRevision {
                id: "a".into(),
                revision: 1,
            },
            a_now,
        ),
        (
            Precondition::NodeRevision {
                id: "no".into(),
                revision: 1,
            },
            None,
        ),
        (Precondition::EdgeAbsent { id: loop_id() }, None),
        (Precondition::EdgeExists { id: "no".into() }, None),
    ];
    for (precondition, found) in broken {
        let batch = Batch::new()
            .put_node(node("c"))
            .require(precondition.clone());
        match store.apply(&batch) {
            Err(GraphError::Conflict(conflict)) => {
                same("expected", &conflict.expected, &precondition)?;
                same("found", &conflict.found, &found)?;
            }
            other => return Err(format!("{precondition:?} did not conflict: {other:?}")),
        }
    }
    same("the graph afterwards", &whole(store)?, &before)
}

pub(super) fn atomic(store: &dyn GraphStore) -> Result<(), String> {
    put_nodes(store, &["a", "b"])?;
    ok(store.put_edge(edge("a", "b", EdgeType::Causal)))?;
    let before = whole(store)?;
    let good: [Write; 7] = [
        Write::PutNode { node: node("c") },
        Write::PutNode {
            node: Node::new("a", "changed", NOW),
        },
        Write::PutEdge {
            edge: edge("c", "a", EdgeType::Supports),
        },
        Write::RemoveNode { id: "b".into() },
        Write::Touch {
            id: "a".into(),
            at: NOW,
        },
        Write::SetMetadata {
            id: "a".into(),
            key: "k".into(),
            value: Some(json!(1)),
        },
        Write::RemoveEdge {
            id: "c->a#supports".into(),
        },
    ];
    let bad = Write::PutEdge {
        edge: edge("a", "missing", EdgeType::Causal),
    };
    for at in 0..=good.len() {
        let mut batch = Batch::once("fails");
        batch.writes.extend(good.iter().take(at).cloned());
        batch.writes.push(bad.clone());
        batch.writes.extend(good.iter().skip(at).cloned());
        that(store.apply(&batch).is_err(), "a bad batch was applied")?;
        same("the graph after a failure", &whole(store)?, &before)?;
    }
    // A failed batch has not used up its id.
    let mut batch = Batch::once("fails");
    batch.writes.extend(good);
    let receipt = ok(store.apply(&batch))?;
    that(!receipt.already_applied, "a failed batch counts as applied")
}

pub(super) fn idempotent(store: &dyn GraphStore) -> Result<(), String> {
    let batch = Batch::once("one")
        .require(Precondition::NodeAbsent { id: "a".into() })
        .put_node(node("a"))
        .write(Write::Touch {
            id: "a".into(),
            at: NOW,
        });
    that(!ok(store.apply(&batch))?.already_applied, "first time")?;
    let before = whole(store)?;
    that(ok(store.apply(&batch))?.already_applied, "second time")?;
    same("the graph after a repeat", &whole(store)?, &before)?;
    let other = Batch::once("one").put_node(node("b"));
    let result = store.apply(&other);
    that(
        matches!(&result, Err(GraphError::BatchIdReused { id }) if id == "one"),
        &format!("another batch under the same id: {result:?}"),
    )?;
    same("the graph after a refusal", &whole(store)?, &before)
}

pub(super) fn concurrent(store: &dyn GraphStore) -> Result<(), String> {
    const WRITERS: usize = 4;
    const EACH: usize = 25;
    ok(store.put_node(node("shared")))?;
    let write = |writer: usize| -> Result<(), String> {
        for number in 0..EACH {
            let batch = Batch::once(format!("{writer}/{number}"))
                .put_node(node(&format!("n{writer}-{number:02}")))
                .write(Write::Touch {
                    id: "shared".into(),
                    at: NOW,
                });
            ok(store.apply(&batch))?;
            // The same one again from whoever comes second changes nothing.
            ok(store.apply(&batch))?;
        }
        Ok(())
    };
    thread::scope(|scope| {
        let running: Vec<_> = (0..WRITERS)
            .map(|w| scope.spawn(move || write(w)))
            .collect();
        running.into_iter().try_for_each(|writer| {
            writer
                .join()
                .unwrap_or_else(|_| Err("a writer panicked".to_owned()))
        })
    })?;
    let shared = ok(store.node("shared"))?.map(|n| n.access_count);
    same("accesses counted", &shared, &Some((WRITERS * EACH) as u64))?;
    let nodes = ok(store.node_page(None, 1_000))?.len();
    same("nodes", &nodes, &(WRITERS * EACH + 1))
}
