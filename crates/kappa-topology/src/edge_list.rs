//! Edge lists as text: one edge a line, with errors that name the line.

use crate::graph::{Digraph, Limits};
use crate::{Error, Weight};

/// The longest token that an error repeats.
const SHOWN: usize = 40;

/// Reads `source target [weight]` lines into a graph whose ids borrow from the text.
///
/// Fields are parted by white space; `#` starts a comment at the beginning of a line or after
/// white space; empty lines are skipped. The byte order mark of an editor is skipped too.
///
/// A first line of two whole numbers `n m` is a header if exactly m edge lines follow it and
/// every id is a whole number below n (numbered from 0) or from 1 to n; then ids without an
/// edge become nodes. In any other case it is an edge.
///
/// # Errors
/// [`Error::BadLine`] with the line's number, [`Error::TooManyNodes`],
/// [`Error::TooManyEdges`], [`Error::WeightOverflow`].
pub fn parse_edge_list(text: &str, limits: Limits) -> Result<EdgeList<'_>, Error> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut list = EdgeList {
        rows: Vec::new(),
        header: None,
        limits,
    };
    for (i, line) in text.lines().enumerate() {
        if let Some(row) = read_line(i + 1, line)? {
            if list.rows.len() > limits.max_edges {
                return Err(Error::TooManyEdges {
                    limit: limits.max_edges,
                });
            }
            list.rows.push(row);
        }
    }
    list.split_header();
    Ok(list)
}

/// An edge list as it was read.
#[derive(Debug, Clone)]
pub struct EdgeList<'a> {
    rows: Vec<Row<'a>>,
    header: Option<Header>,
    limits: Limits,
}

#[derive(Debug, Clone, Copy)]
struct Row<'a> {
    source: &'a str,
    target: &'a str,
    weight: Option<Weight>,
}

#[derive(Debug, Clone, Copy)]
struct Header {
    nodes: u64,
    first: u64,
}

impl<'a> EdgeList<'a> {
    /// How many edge lines there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is no edge line.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The nodes that only the header declares, as text.
    ///
    /// # Errors
    /// [`Error::TooManyNodes`] if the header declares more than the limit.
    pub fn declared_nodes(&self) -> Result<Vec<String>, Error> {
        let Some(header) = self.header else {
            return Ok(Vec::new());
        };
        if header.nodes > self.limits.max_nodes as u64 {
            return Err(Error::TooManyNodes {
                limit: self.limits.max_nodes,
            });
        }
        let ends = self.rows.iter().flat_map(|row| [row.source, row.target]);
        let used: std::collections::BTreeSet<u64> = ends.filter_map(|t| t.parse().ok()).collect();
        let all = header.first..header.first + header.nodes;
        Ok(all
            .filter(|v| !used.contains(v))
            .map(|v| v.to_string())
            .collect())
    }

    /// Builds the graph; `declared` is what [`EdgeList::declared_nodes`] gave.
    ///
    /// # Errors
    /// As [`crate::DigraphBuilder::build`].
    pub fn graph<'b>(&'b self, declared: &'b [String]) -> Result<Digraph<&'b str>, Error>
    where
        'a: 'b,
    {
        let mut builder = Digraph::builder();
        builder.limits(self.limits);
        for node in declared {
            builder.node(node.as_str());
        }
        for row in &self.rows {
            match row.weight {
                Some(weight) => builder.weighted_edge(row.source, row.target, weight),
                None => builder.edge(row.source, row.target),
            };
        }
        builder.build()
    }

    fn split_header(&mut self) {
        let Some(first) = self.rows.first().copied() else {
            return;
        };
        let number = |text: &str| text.parse::<u64>().ok();
        let (Some(nodes), Some(edges)) = (number(first.source), number(first.target)) else {
            return;
        };
        let rest = &self.rows[1..];
        if first.weight.is_some() || edges != rest.len() as u64 {
            return;
        }
        let (mut least, mut most) = (u64::MAX, 0);
        for text in rest.iter().flat_map(|row| [row.source, row.target]) {
            // A leading zero would make two names of one number.
            let Some(id) = number(text).filter(|id| id.to_string() == text) else {
                return;
            };
            least = least.min(id);
            most = most.max(id);
        }
        let from_zero = rest.is_empty() || most < nodes;
        if from_zero || (least >= 1 && most == nodes) {
            self.header = Some(Header {
                nodes,
                first: u64::from(!from_zero),
            });
            self.rows.remove(0);
        }
    }
}

fn read_line(line: usize, text: &str) -> Result<Option<Row<'_>>, Error> {
    let mut fields = text
        .split_whitespace()
        .take_while(|field| !field.starts_with('#'));
    let bad = |message: String| Err(Error::BadLine { line, message });
    let Some(source) = fields.next() else {
        return Ok(None);
    };
    let Some(target) = fields.next() else {
        let source = shown(source);
        return bad(format!(
            "`source target [weight]` expected, found only `{source}`"
        ));
    };
    let weight = match fields.next().map(str::parse::<Weight>) {
        None => None,
        Some(Ok(weight)) => Some(weight),
        Some(Err(error)) => return bad(error.to_string()),
    };
    if let Some(more) = fields.next() {
        let more = shown(more);
        return bad(format!(
            "`source target [weight]` expected, found a fourth field `{more}`"
        ));
    }
    Ok(Some(Row {
        source,
        target,
        weight,
    }))
}

fn shown(token: &str) -> String {
    token.chars().take(SHOWN).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nodes(text: &str) -> Result<Vec<String>, Error> {
        let list = parse_edge_list(text, Limits::default())?;
        let declared = list.declared_nodes()?;
        Ok(list
            .graph(&declared)?
            .nodes()
            .iter()
            .map(|n| (*n).to_owned())
            .collect())
    }

    #[test]
    fn a_header_is_told_from_an_edge() {
        assert_eq!(nodes("3 1\n0 1\n").unwrap(), ["0", "1", "2"]);
        assert_eq!(nodes("3 2\n1 2\n2 3\n").unwrap(), ["1", "2", "3"]);
        assert_eq!(nodes("0 1\n1 0\n").unwrap(), ["0", "1"]);
        assert_eq!(nodes("4 0\n").unwrap(), ["0", "1", "2", "3"]);
        assert_eq!(nodes("5 1\na b\n").unwrap(), ["1", "5", "a", "b"]);
        assert_eq!(nodes("5 1\n01 2\n").unwrap(), ["01", "1", "2", "5"]);
    }

    #[test]
    fn comments_blank_lines_and_any_utf8_are_read() {
        assert_eq!(
            nodes("\u{feff}# c\n\nκ→λ naïve # tail\r\n").unwrap(),
            ["naïve", "κ→λ"]
        );
        assert_eq!(nodes("").unwrap(), [""; 0]);
    }

    #[test]
    fn bad_lines_are_named() {
        for (text, start) in [
            (
                "a b\nc\n",
                "line 2: `source target [weight]` expected, found only `c`",
            ),
            (
                "a b 1 2\n",
                "line 1: `source target [weight]` expected, found a fourth",
            ),
            (
                "\n\na b x\n",
                "line 3: `x` is no weight: a positive decimal",
            ),
            ("a b -1\n", "line 1: `-1` is no weight"),
        ] {
            let message = nodes(text).unwrap_err().to_string();
            assert!(message.starts_with(start), "{message}");
        }
        let limits = Limits {
            max_nodes: 10,
            max_edges: 10,
        };
        let list = parse_edge_list("4000000000 0\n", limits).unwrap();
        assert_eq!(
            list.declared_nodes(),
            Err(Error::TooManyNodes { limit: 10 })
        );
    }
}
