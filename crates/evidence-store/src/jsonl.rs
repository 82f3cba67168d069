//! Export and import as JSON lines.
//!
//! The first line names the format, the schema's version and the number of rows; each further line
//! is a row of a table: `{"table":"graph_batches","row":{"id":"b1","digest":"…"}}`. Tables come in
//! a fixed order, rows in the order of their keys, columns in the order of the schema; bytes are
//! written in hexadecimal digits, −0.0 as `null`. The same contents give the same bytes, on
//! whatever database.

use std::io::{BufRead, Write};

use serde_json::Value as Json;

use crate::Error;
use crate::check::Checker;
use crate::progress::{Progress, Steps};
use crate::schema::{self, Kind, TABLES, Table};
use crate::sql::{Row, Tx, Value, placeholders, to_json};
use crate::vectors;

/// The format of the lines.
const FORMAT: u64 = 1;
/// Rows read by one statement.
const PAGE: i64 = 500;

pub(crate) fn rows(tx: &mut dyn Tx) -> Result<u64, Error> {
    let mut total = 0;
    for table in TABLES {
        let rows = tx.query(&format!("SELECT COUNT(*) FROM {}", table.name), &[])?;
        total += rows.first().map_or(Ok(0), |row| row.count(0))?;
    }
    Ok(total)
}

fn names(table: &Table) -> String {
    let names: Vec<&str> = table.columns.iter().map(|(name, _)| *name).collect();
    names.join(", ")
}

/// The columns of a table's key, as places among its columns.
fn key_places(table: &Table) -> Vec<usize> {
    let places = table.key.split(", ").filter_map(|key| {
        let mut columns = table.columns.iter();
        columns.position(|(name, _)| *name == key)
    });
    places.collect()
}

/// Hands every row of a table to `each`, in the order of its key.
pub(crate) fn scan(
    tx: &mut dyn Tx,
    table: &Table,
    each: &mut dyn FnMut(&Row) -> Result<(), Error>,
) -> Result<(), Error> {
    let (columns, keys) = (names(table), key_places(table));
    let (name, key) = (table.name, table.key);
    let first = format!("SELECT {columns} FROM {name} ORDER BY {key} LIMIT {PAGE}");
    let after = placeholders(1, keys.len());
    let further = format!(
        "SELECT {columns} FROM {name} WHERE ({key}) > ({after}) ORDER BY {key} LIMIT {PAGE}"
    );
    let mut page = tx.query(&first, &[])?;
    loop {
        for row in &page {
            each(row)?;
        }
        let Some(last) = page.last() else {
            return Ok(());
        };
        let from: Vec<Value> = keys
            .iter()
            .filter_map(|place| last.0.get(*place).cloned())
            .collect();
        page = tx.query(&further, &from)?;
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> = text
        .bytes()
        .map(|b| match b {
            b'0'..=b'9' => Some(b - b'0'),
            b'a'..=b'f' => Some(b - b'a' + 10),
            _ => None,
        })
        .collect();
    let digits = digits?;
    let (pairs, rest) = digits.as_chunks::<2>();
    rest.is_empty()
        .then(|| pairs.iter().map(|[high, low]| high << 4 | low).collect())
}

fn line(table: &Table, row: &Row) -> Result<String, Error> {
    let mut fields = Vec::with_capacity(table.columns.len());
    for (place, (name, kind)) in table.columns.iter().enumerate() {
        let value = match kind {
            Kind::Int => row.int(place)?.to_string(),
            Kind::Real => {
                let x = row.real(place)?;
                if x == 0.0 && x.is_sign_negative() {
                    "null".to_owned()
                } else {
                    to_json(&x)?
                }
            }
            Kind::Text | Kind::OptText => to_json(&row.opt_text(place)?)?,
            Kind::Bytes | Kind::OptBytes => to_json(&row.opt_bytes(place)?.map(hex))?,
        };
        fields.push(format!("\"{name}\":{value}"));
    }
    let fields = fields.join(",");
    Ok(format!(
        "{{\"table\":\"{}\",\"row\":{{{fields}}}}}\n",
        table.name
    ))
}

/// Writes everything that the store holds.
pub(crate) fn export(
    tx: &mut dyn Tx,
    out: &mut dyn Write,
    progress: &mut dyn FnMut(Progress),
) -> Result<u64, Error> {
    let total = rows(tx)?;
    let version = schema::VERSION;
    let header = format!("{{\"candor_store\":{FORMAT},\"schema\":{version},\"rows\":{total}}}\n");
    out.write_all(header.as_bytes())?;
    let mut steps = Steps::new(Some(total), progress);
    for table in TABLES {
        scan(tx, table, &mut |row| {
            out.write_all(line(table, row)?.as_bytes())?;
            steps.step();
            Ok(())
        })?;
    }
    out.flush()?;
    let done = steps.done();
    steps.finish();
    Ok(done)
}

fn header(text: &str) -> Result<u64, String> {
    let expected = "the first line of an export, {\"candor_store\":1,\"schema\":…,\"rows\":…}";
    let header: Json =
        serde_json::from_str(text).map_err(|e| format!("{e}; expected {expected}"))?;
    let field = |name: &str| header.get(name).and_then(Json::as_u64);
    match (field("candor_store"), field("schema"), field("rows")) {
        (Some(FORMAT), Some(schema), Some(rows)) => {
            if i64::try_from(schema).is_ok_and(|s| s <= schema::VERSION) {
                return Ok(rows);
            }
            Err(format!(
                "schema version {schema} is later than this program's, {}",
                schema::VERSION
            ))
        }
        _ => Err(format!("expected {expected}")),
    }
}

fn value(kind: Kind, json: &Json) -> Option<Value> {
    Some(match (kind, json) {
        (Kind::Int, json) => Value::Int(json.as_i64()?),
        (Kind::Real, Json::Null) => Value::Real(None),
        (Kind::Real, json) => json.as_f64()?.into(),
        (Kind::OptText, Json::Null) => Value::Text(None),
        (Kind::Text | Kind::OptText, json) => json.as_str()?.into(),
        (Kind::OptBytes, Json::Null) => Value::Bytes(None),
        (Kind::Bytes | Kind::OptBytes, json) => Value::Bytes(Some(unhex(json.as_str()?)?)),
    })
}

fn parse(text: &str) -> Result<(&'static Table, Row), String> {
    let json: Json = serde_json::from_str(text).map_err(|e| e.to_string())?;
    let name = json.get("table").and_then(Json::as_str);
    let name = name.ok_or("expected {\"table\":…,\"row\":{…}}")?;
    let table = TABLES.iter().find(|t| t.name == name);
    let table = table.ok_or_else(|| format!("there is no table {name:?}"))?;
    let row = json.get("row").and_then(Json::as_object);
    let row = row.ok_or("\"row\" is not an object")?;
    if row.len() != table.columns.len() {
        return Err(format!("expected the columns {}", names(table)));
    }
    let mut values = Vec::with_capacity(table.columns.len());
    for (column, kind) in table.columns {
        let json = row.get(*column);
        let value = json.and_then(|json| value(*kind, json));
        values.push(value.ok_or_else(|| format!("column {column} is not {kind:?} as expected"))?);
    }
    Ok((table, Row(values)))
}

fn insert(tx: &mut dyn Tx, table: &Table, row: &Row, checker: &Checker) -> Result<(), Error> {
    if table.name == "vector_entries" {
        // PostgreSQL keeps the vector in pgvector's form too.
        let (index, entry) = checker.entry(row)?;
        return vectors::insert_entry(tx, &index, &entry);
    }
    let sql = format!(
        "INSERT INTO {} ({}) VALUES ({})",
        table.name,
        names(table),
        placeholders(1, row.0.len())
    );
    tx.execute(&sql, &row.0)?;
    Ok(())
}

/// Reads an export into an empty store; every row is checked as if it were written through the
/// traits.
pub(crate) fn import(
    tx: &mut dyn Tx,
    input: &mut dyn BufRead,
    progress: &mut dyn FnMut(Progress),
) -> Result<u64, Error> {
    let there = rows(tx)?;
    if there > 0 {
        return Err(Error::NotEmpty { rows: there });
    }
    let mut text = String::new();
    input.read_line(&mut text)?;
    let total = header(&text).map_err(|reason| Error::Line { line: 1, reason })?;
    let mut steps = Steps::new(Some(total), progress);
    let mut checker = Checker::default();
    for number in 2.. {
        text.clear();
        if input.read_line(&mut text)? == 0 {
            break;
        }
        let at = |reason: String| Error::Line {
            line: number,
            reason,
        };
        let (table, row) = parse(&text).map_err(at)?;
        let done = checker
            .check(table, &row)
            .and_then(|()| insert(tx, table, &row, &checker));
        done.map_err(|error| match error {
            lost
            @ (Error::ConnectionLost { .. } | Error::Full { .. } | Error::Collision { .. }) => lost,
            other => at(other.to_string()),
        })?;
        steps.step();
    }
    let done = steps.done();
    if done != total {
        return Err(Error::Line {
            line: done + 1,
            reason: format!("the export ends after {done} rows of {total}: it was cut short"),
        });
    }
    steps.finish();
    Ok(done)
}
