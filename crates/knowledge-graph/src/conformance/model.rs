//! Random batches, against the store in memory.

use serde_json::json;

use super::{NOW, edge, node, ok, same};
use crate::{
    Batch, Direction, EdgeType, GraphError, GraphStore, MemoryStore, Precondition, Snapshot,
    Timestamp, Write,
};

/// A fixed sequence of numbers (the 64-bit linear congruential generator of Knuth's MMIX).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n.max(1)
    }

    fn id(&mut self) -> String {
        format!("n{}", self.below(8))
    }

    fn edge_type(&mut self) -> EdgeType {
        [EdgeType::Causal, EdgeType::Supports, EdgeType::DerivedFrom]
            .get(self.below(3) as usize)
            .copied()
            .unwrap_or(EdgeType::Related)
    }

    fn write(&mut self) -> Write {
        let id = self.id();
        let at = Timestamp(NOW.0 + self.below(1_000) as i64);
        match self.below(10) {
            0..=2 => Write::PutNode {
                node: node(&id).with_confidence(self.below(101) as f64 / 100.0),
            },
            3..=5 => Write::PutEdge {
                edge: edge(&id, &self.id(), self.edge_type()),
            },
            6 => Write::AdjustConfidence {
                id,
                toward: self.below(2) as f64,
                rate: self.below(100) as f64 / 99.0,
                at,
            },
            7 => Write::Touch { id, at },
            8 => Write::SetMetadata {
                id,
                key: "k".into(),
                value: (self.below(2) == 0).then(|| json!(self.below(9))),
            },
            _ if self.below(2) == 0 => Write::RemoveNode { id },
            _ => Write::RemoveEdge {
                id: crate::Edge::derived_id(&id, &self.id(), self.edge_type()),
            },
        }
    }

    fn batch(&mut self) -> Batch {
        let mut batch = if self.below(2) == 0 {
            Batch::once(format!("b{}", self.below(40)))
        } else {
            Batch::new()
        };
        if self.below(3) == 0 {
            batch = batch.require(Precondition::NodeRevision {
                id: self.id(),
                revision: 1 + self.below(3),
            });
        }
        for _ in 0..=self.below(5) {
            batch.writes.push(self.write());
        }
        batch
    }
}

fn kind(result: &Result<crate::Receipt, GraphError>) -> String {
    match result {
        Ok(receipt) => format!("{receipt:?}"),
        Err(error) => format!("{error:?}"),
    }
}

pub(super) fn random_batches(store: &dyn GraphStore) -> Result<(), String> {
    let model = MemoryStore::new();
    let mut numbers = Numbers(7);
    for round in 0..300 {
        let batch = numbers.batch();
        let (found, expected) = (store.apply(&batch), model.apply(&batch));
        same(
            &format!("round {round}, {batch:?}"),
            &kind(&found),
            &kind(&expected),
        )?;
        if round % 10 == 0 {
            let at = numbers.id();
            same(
                "neighbours",
                &ok(store.neighbours(&at, Direction::Both))?,
                &ok(model.neighbours(&at, Direction::Both))?,
            )?;
            same(
                "the whole graph",
                &ok(Snapshot::of(store))?,
                &ok(Snapshot::of(&model))?,
            )?;
        }
    }
    Ok(())
}
