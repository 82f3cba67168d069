//! Whether rows are what this crate writes.

use std::collections::BTreeMap;

use geodesic_retriever::{
    Calibration, Fingerprint, IndexEntry, IngestRecord, LexicalState, Passage, Shape, ingest_rules,
};
use knowledge_graph::rules;
use run_dag::EventHash;
use run_dag::audit::{LoggedEvent, origin_hash};
use run_dag::ledger::{FalsificationState, LedgerChange, LedgerRow};

use crate::Error;
use crate::graph::{edge_from, node_from};
use crate::schema::{Kind, Table};
use crate::sql::{Row, Value, from_json};
use crate::vectors::{check_entry, check_nul, entry_from};

/// Checks rows in the order of an export; remembers what later rows need.
#[derive(Default)]
pub(crate) struct Checker {
    shapes: BTreeMap<String, Shape>,
    /// The last event: its log, number and hash.
    event: Option<(String, i64, EventHash)>,
}

fn demand(holds: bool, what: &str) -> Result<(), Error> {
    if holds {
        Ok(())
    } else {
        Err(Error::damaged(what))
    }
}

impl Checker {
    pub(crate) fn check(&mut self, table: &Table, row: &Row) -> Result<(), Error> {
        for ((name, kind), value) in table.columns.iter().zip(&row.0) {
            if let (Kind::Text | Kind::OptText, Value::Text(Some(text))) = (kind, value) {
                check_nul(name, text)?;
            }
        }
        match table.name {
            "graph_nodes" => Ok(rules::check_node(&node_from(row)?)?),
            "graph_edges" => Ok(rules::check_edge(&edge_from(row)?)?),
            "graph_batches" => {
                rules::check_id(row.text(0)?)?;
                row.digest(1).map(|_| ())
            }
            "ledger_rows" => ledger_row(row),
            "ledger_references" => row.digest(0).and(row.digest(1)).map(|_| ()),
            "ledger_history" => {
                let change: LedgerChange = from_json(row.text(2)?)?;
                check_nul("a reason", &change.reason)?;
                let same = *change.root.as_bytes() == row.digest(1)?;
                demand(same, "a change of the ledger under another root")
            }
            "audit_events" => self.event(row),
            "ingest_records" => ingest(row),
            "vector_indexes" => {
                let fingerprint: Fingerprint = from_json(row.text(1)?)?;
                self.shapes
                    .insert(row.text(0)?.to_owned(), fingerprint.shape);
                Ok(())
            }
            "vector_entries" => {
                let (index, entry) = self.entry(row)?;
                let shape = self.shape(&index)?;
                Ok(check_entry(&entry, shape)?)
            }
            "corpora" => {
                let _: Calibration = from_json(row.text(2)?)?;
                let _: Option<LexicalState> = row.opt_text(3)?.map(from_json).transpose()?;
                Ok(())
            }
            "passages" => {
                let passage: Passage = from_json(row.text(2)?)?;
                for text in [&passage.source_id, &passage.title, &passage.text] {
                    check_nul("a passage", text)?;
                }
                demand(
                    passage.entry_id == row.text(1)?,
                    "a passage under another id",
                )
            }
            "dictionaries" => crate::dictionary::check_dictionary(row),
            "dictionary_chunks" => crate::dictionary::check_chunk(row),
            _ => Ok(()),
        }
    }

    fn shape(&self, index: &str) -> Result<Shape, Error> {
        let shape = self.shapes.get(index).copied();
        shape.ok_or_else(|| Error::damaged(format!("an entry of the unknown index {index:?}")))
    }

    /// The entry of a row of `vector_entries`, and its index.
    pub(crate) fn entry(&self, row: &Row) -> Result<(String, IndexEntry), Error> {
        let index = row.text(0)?.to_owned();
        let shape = self.shape(&index)?;
        let rest = Row(row.0.iter().skip(1).cloned().collect());
        Ok((index, entry_from(&rest, shape)?))
    }

    /// Events come log by log, in order: each follows the one before.
    fn event(&mut self, row: &Row) -> Result<(), Error> {
        let origin = row.text(0)?;
        let event = LoggedEvent::from_canonical_json(row.text(3)?.as_bytes())?;
        let (last, previous) = match &self.event {
            Some((of, number, hash)) if of == origin => (*number, *hash),
            _ => (-1, origin_hash(origin)),
        };
        demand(
            event.previous_hash == previous && event.recomputed()? == event.event_hash,
            "an event that does not follow the one before it",
        )?;
        demand(
            event.sequence.get() == row.int(1)? && row.int(1)? == last + 1,
            "an event under another number",
        )?;
        demand(
            *event.event_hash.as_bytes() == row.digest(2)?,
            "an event under another hash",
        )?;
        self.event = Some((origin.to_owned(), last + 1, event.event_hash));
        Ok(())
    }
}

fn ledger_row(row: &Row) -> Result<(), Error> {
    let body: LedgerRow = from_json(row.text(4)?)?;
    body.validate()?;
    FalsificationState::parse(row.text(3)?)?;
    let same =
        *body.root.as_bytes() == row.digest(1)? && *body.key.hash()?.as_bytes() == row.digest(2)?;
    demand(same, "a row of the ledger under another root or key")
}

fn ingest(row: &Row) -> Result<(), Error> {
    let record: IngestRecord = from_json(row.text(2)?)?;
    ingest_rules::check_text("a source", &record.source, false)?;
    ingest_rules::check_text("a digest", &record.digest, false)?;
    for id in record.chunk_ids.iter().chain(&record.superseded) {
        ingest_rules::check_text("a chunk id", id, false)?;
    }
    let same = record.source == row.text(0)? && record.step.as_str() == row.text(1)?;
    demand(same, "a record of ingestion under another source or step")
}
