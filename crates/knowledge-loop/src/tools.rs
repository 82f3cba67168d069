//! The two tools of the seed, for whoever embeds a tool server.

use deliberator::Tool;
use knowledge_graph::Snapshot;
use serde::Deserialize;
use serde_json::Value;

use crate::{Error, KnowledgeLoop};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DeliberateInput {
    query: String,
    #[serde(default)]
    node_ids: Option<Vec<String>>,
    #[serde(default = "yes")]
    write_back: bool,
}

fn yes() -> bool {
    true
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AnalyzeInput {
    #[serde(default)]
    query: Option<String>,
    #[serde(default)]
    node_ids: Option<Vec<String>>,
}

impl KnowledgeLoop {
    /// The tool definitions: names, descriptions, JSON Schemas.
    #[must_use]
    pub fn tools() -> Vec<Tool> {
        deliberator::tool_schema()
    }

    /// Serves a call of one of the [`tools`](Self::tools). Without `node_ids`, relevant nodes are
    /// recalled first.
    ///
    /// # Errors
    /// [`Error::NoSuchTool`], [`Error::ToolInput`] when the input does not fit the schema or the
    /// policy holds a deliberation back, or a failure of the loop.
    pub async fn handle(&self, tool: &str, input: &Value) -> Result<Value, Error> {
        match tool {
            "deliberate" => {
                let input: DeliberateInput = read("deliberate", input)?;
                let topology = self.region(Some(&input.query), input.node_ids)?;
                let report = self
                    .deliberate(&topology, &input.query, input.write_back)
                    .await?;
                let report = report.ok_or_else(|| Error::ToolInput {
                    tool: "deliberate",
                    reason: "the region has been deliberated as often as the policy allows; ask \
                             again later"
                        .to_owned(),
                })?;
                written("deliberate", &report.response())
            }
            "analyze_topology" => {
                let input: AnalyzeInput = read("analyze_topology", input)?;
                written(
                    "analyze_topology",
                    &self.region(input.query.as_deref(), input.node_ids)?,
                )
            }
            other => Err(Error::NoSuchTool(other.chars().take(80).collect())),
        }
    }

    fn region(
        &self,
        query: Option<&str>,
        node_ids: Option<Vec<String>>,
    ) -> Result<kappa_topology::Topology<String>, Error> {
        match (node_ids, query) {
            (Some(ids), _) => Ok(Snapshot::around(self.store().as_ref(), &ids)?.topology()?),
            (None, Some(query)) => Ok(self.recall(query)?.topology),
            (None, None) => Err(Error::ToolInput {
                tool: "analyze_topology",
                reason: "neither query nor node_ids is there; one of them is needed".to_owned(),
            }),
        }
    }
}

fn read<T: serde::de::DeserializeOwned>(tool: &'static str, input: &Value) -> Result<T, Error> {
    T::deserialize(input).map_err(|e| Error::ToolInput {
        tool,
        reason: e.to_string(),
    })
}

fn written<T: serde::Serialize>(tool: &'static str, value: &T) -> Result<Value, Error> {
    serde_json::to_value(value).map_err(|e| Error::ToolInput {
        tool,
        reason: e.to_string(),
    })
}
