//! The two tools as definitions for whoever embeds a tool server (seed 001 §3.2).

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// A tool definition.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// What it does, for whoever may call it.
    pub description: String,
    /// The JSON Schema of its input.
    #[serde(rename = "inputSchema")]
    pub input_schema: Value,
    /// The JSON Schema of its output.
    #[serde(rename = "outputSchema")]
    pub output_schema: Value,
}

/// The definitions of `deliberate` and `analyze_topology`.
#[must_use]
pub fn tool_schema() -> Vec<Tool> {
    vec![deliberate(), analyze_topology()]
}

fn deliberate() -> Tool {
    Tool {
        name: "deliberate".to_owned(),
        description: "Reasons through the feedback loops of a region of the knowledge graph: \
            cuts each loop at its weakest relations, reasons about each part on its own, brings \
            the conclusions together, and writes a conclusion that meets its threshold to the \
            graph. Use it when a retrieval is routed to deliberate."
            .to_owned(),
        input_schema: json!({
            "type": "object",
            "properties": {
                "query": {
                    "type": "string",
                    "minLength": 1,
                    "description": "The question to deliberate.",
                },
                "node_ids": node_ids(),
                "write_back": {
                    "type": "boolean",
                    "default": true,
                    "description": "Whether conclusions are written to the graph.",
                },
            },
            "required": ["query"],
            "additionalProperties": false,
        }),
        output_schema: json!({
            "type": "object",
            "properties": {
                "status": {"enum": ["ok", "error"]},
                "query": {"type": "string"},
                "deliberation": {
                    "type": "object",
                    "properties": {
                        "converged": {"type": "boolean"},
                        "iterations_used": count(),
                        "escalated": {"type": "boolean"},
                        "escalation_reason": {"type": ["string", "null"]},
                        "conclusions": {"type": "array", "items": conclusion()},
                        "topology_change": topology_change(),
                        "calls": count(),
                        "tokens_in": count(),
                        "tokens_out": count(),
                    },
                    "required": ["converged", "iterations_used", "escalated", "escalation_reason",
                        "conclusions", "topology_change", "calls", "tokens_in", "tokens_out"],
                    "additionalProperties": false,
                },
            },
            "required": ["status", "query", "deliberation"],
            "additionalProperties": false,
        }),
    }
}

fn analyze_topology() -> Tool {
    Tool {
        name: "analyze_topology".to_owned(),
        description: "Finds the feedback loops (strongly connected components) among nodes of \
            the knowledge graph, how entangled each is (κ, its edge connectivity), where it is \
            weakest (its fault line), and whether one retrieval pass is enough."
            .to_owned(),
        input_schema: json!({
            "type": "object",
            "properties": {
                "query": {
                    "type": "string",
                    "minLength": 1,
                    "description": "What to retrieve when no nodes are named.",
                },
                "node_ids": node_ids(),
            },
            "additionalProperties": false,
        }),
        output_schema: json!({
            "type": "object",
            "properties": {
                "sccs": {"type": "array", "items": scc()},
                "dag_nodes": {"type": "array", "items": {"type": "string"}},
                "routing": {"enum": ["fast", "deliberate"]},
                "max_kappa": count(),
                "scc_count": count(),
            },
            "required": ["sccs", "dag_nodes", "routing", "max_kappa", "scc_count"],
            "additionalProperties": false,
        }),
    }
}

fn node_ids() -> Value {
    json!({
        "type": "array",
        "items": {"type": "string"},
        "description": "The nodes to look at. Without them, relevant nodes are retrieved first.",
    })
}

fn count() -> Value {
    json!({"type": "integer", "minimum": 0})
}

fn share() -> Value {
    json!({"type": "number", "minimum": 0, "maximum": 1})
}

fn edges() -> Value {
    json!({
        "type": "array",
        "items": {
            "type": "object",
            "properties": {"source": {"type": "string"}, "target": {"type": "string"}},
            "required": ["source", "target"],
            "additionalProperties": false,
        },
    })
}

fn conclusion() -> Value {
    json!({
        "type": "object",
        "properties": {
            "content": {"type": "string", "minLength": 1},
            "confidence": share(),
            "source_scc_id": {"type": "string"},
            "source_kappa": count(),
            "fault_lines_examined": edges(),
            "iteration": count(),
            "converged": {"type": "boolean"},
        },
        "required": ["content", "confidence", "source_scc_id", "source_kappa",
            "fault_lines_examined", "iteration", "converged"],
        "additionalProperties": false,
    })
}

fn topology_change() -> Value {
    json!({
        "type": "object",
        "properties": {
            "kappa_before": count(),
            "kappa_after": count(),
            "effective_kappa_before": count(),
            "effective_kappa_after": count(),
            "new_nodes_created": count(),
            "note": {"type": "string"},
        },
        "required": ["kappa_before", "kappa_after", "effective_kappa_before",
            "effective_kappa_after", "new_nodes_created", "note"],
        "additionalProperties": false,
    })
}

fn scc() -> Value {
    json!({
        "type": "object",
        "properties": {
            "id": {"type": "string", "pattern": "^scc-[0-9]+$"},
            "nodes": {"type": "array", "items": {"type": "string"}, "minItems": 2},
            "kappa": count(),
            "approximate": {"const": false},
            "fault_line_edges": edges(),
            "routing": {"enum": ["fast", "deliberate"]},
            "deliberation_budget": {
                "type": "object",
                "properties": {
                    "max_iterations": count(),
                    "agent_count": count(),
                    "timeout_multiplier": {"type": "number", "minimum": 1},
                    "confidence_threshold": share(),
                },
                "required": ["max_iterations", "agent_count", "timeout_multiplier",
                    "confidence_threshold"],
                "additionalProperties": false,
            },
        },
        "required": ["id", "nodes", "kappa", "approximate", "fault_line_edges", "routing",
            "deliberation_budget"],
        "additionalProperties": false,
    })
}
