//! The whole loop as one serde structure: recall, analyze, route, deliberate, store (seed 001 §3.4).

use deliberator::Options;
use serde::{Deserialize, Serialize};

/// How nodes are recalled for a question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RecallOptions {
    /// Nodes found by similarity alone; default 8.
    pub seeds: usize,
    /// How many edges are followed from them; default 2.
    pub hops: u32,
    /// What a node's score keeps of its neighbour's, a hop; default 0.85 (the seed's).
    pub decay: f64,
    /// The most nodes recalled; default 50.
    pub limit: usize,
    /// The least similarity (1 − θ/π) of a seed node; default 0.5, which is no similarity at all
    /// for the lexical embedder and must be exceeded.
    pub floor: f64,
}

impl Default for RecallOptions {
    fn default() -> Self {
        Self {
            seeds: 8,
            hops: 2,
            decay: 0.85,
            limit: 50,
            floor: 0.5,
        }
    }
}

/// When a question that is routed to deliberation is deliberated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RouteRule {
    /// Only when the caller asks for it: the graph gives the map, the caller decides to drive.
    #[default]
    WhenAsked,
    /// Whenever the topology calls for it.
    Always,
    /// Never.
    Never,
}

/// How often a region of the graph may be deliberated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DeliberationPolicy {
    /// The most deliberations of one component (by its nodes) within the window; default 4.
    pub per_region: u32,
    /// The most deliberations in all within the window; default 64.
    pub in_total: u32,
    /// The window in milliseconds; default an hour.
    pub window_ms: u64,
}

impl Default for DeliberationPolicy {
    fn default() -> Self {
        Self {
            per_region: 4,
            in_total: 64,
            window_ms: 3_600_000,
        }
    }
}

/// The loop, declaratively.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LoopConfig {
    /// Recall.
    pub recall: RecallOptions,
    /// Route.
    pub route: RouteRule,
    /// How often a region is deliberated at all.
    pub policy: DeliberationPolicy,
    /// Deliberate and store (`write_back` is the deliberator's own switch, on by default).
    pub deliberate: Options,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_object_is_the_default_and_unknown_fields_are_refused() {
        assert_eq!(
            serde_json::from_str::<LoopConfig>("{}").unwrap(),
            LoopConfig::default()
        );
        let error = serde_json::from_str::<LoopConfig>(r#"{"recal":{}}"#).unwrap_err();
        assert!(error.to_string().contains("recal"));
    }
}
