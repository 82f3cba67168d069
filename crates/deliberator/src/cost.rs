//! What a deliberation will cost (seed 001 §8, cost model).

use kappa_topology::{Scc, Topology};
use serde::{Deserialize, Serialize};

use crate::cells::passes_per_round;

/// Tokens of the fixed part of a prompt, as the seed counts it.
pub const TEMPLATE_TOKENS: u64 = 300;
/// Tokens of a reply, the middle of the seed's 200 to 500 and its worked value.
pub const REPLY_TOKENS: u64 = 400;

/// Prices in any currency.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Prices {
    /// For a million tokens read.
    pub per_million_in: f64,
    /// For a million tokens written.
    pub per_million_out: f64,
}

impl Default for Prices {
    /// The seed's frontier prices in US dollars: 3 in, 15 out.
    fn default() -> Self {
        Self {
            per_million_in: 3.0,
            per_million_out: 15.0,
        }
    }
}

impl Prices {
    pub(crate) fn of(&self, tokens_in: u64, tokens_out: u64) -> f64 {
        (tokens_in as f64 * self.per_million_in + tokens_out as f64 * self.per_million_out) / 1e6
    }
}

/// Calls and tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Amount {
    /// Calls of the agent.
    pub calls: u64,
    /// Tokens read.
    pub tokens_in: u64,
    /// Tokens written.
    pub tokens_out: u64,
}

impl Amount {
    fn of_calls(calls: u64, tokens_in_each: u64) -> Self {
        Self {
            calls,
            tokens_in: calls.saturating_mul(tokens_in_each),
            tokens_out: calls.saturating_mul(REPLY_TOKENS),
        }
    }

    fn plus(self, other: Self) -> Self {
        Self {
            calls: self.calls.saturating_add(other.calls),
            tokens_in: self.tokens_in.saturating_add(other.tokens_in),
            tokens_out: self.tokens_out.saturating_add(other.tokens_out),
        }
    }

    /// Tokens read and written together.
    #[must_use]
    pub fn tokens(self) -> u64 {
        self.tokens_in.saturating_add(self.tokens_out)
    }

    /// The price.
    #[must_use]
    pub fn price(self, prices: &Prices) -> f64 {
        prices.of(self.tokens_in, self.tokens_out)
    }
}

/// An estimate, by component and in all.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Estimate {
    /// By component: its id, one round, and all its rounds.
    pub components: Vec<(String, Amount, Amount)>,
    /// Every component with one round.
    pub one_round: Amount,
    /// Every component with all its rounds: no run without refreshes makes more calls.
    pub all_rounds: Amount,
}

/// Estimates a deliberation before it runs: for each component min(2 × fault-line edges,
/// `max_iterations`) focused passes and one reconciliation a round, `nodes × avg_tokens + 300`
/// tokens read and 400 written a call. Tokens are an estimate on the high side: a focused pass
/// sees one cell, the estimate counts the whole component.
#[must_use]
pub fn estimate(topology: &Topology<String>, avg_tokens: u64) -> Estimate {
    let mut estimate = Estimate {
        components: Vec::new(),
        one_round: Amount::default(),
        all_rounds: Amount::default(),
    };
    for scc in topology.sccs.iter().filter(|scc| scc.kappa > 0) {
        let one = round(scc, avg_tokens);
        let rounds = u64::from(scc.deliberation_budget.max_iterations);
        let all = (0..rounds).fold(Amount::default(), |sum, _| sum.plus(one));
        estimate.one_round = estimate.one_round.plus(one);
        estimate.all_rounds = estimate.all_rounds.plus(all);
        estimate.components.push((scc.id.clone(), one, all));
    }
    estimate
}

fn round(scc: &Scc<String>, avg_tokens: u64) -> Amount {
    let edges = usize::try_from(scc.kappa).unwrap_or(usize::MAX / 2);
    let passes = passes_per_round(edges.min(usize::MAX / 2), &scc.deliberation_budget) as u64;
    let each = (scc.nodes.len() as u64)
        .saturating_mul(avg_tokens)
        .saturating_add(TEMPLATE_TOKENS);
    Amount::of_calls(passes + 1, each)
}

#[cfg(test)]
mod tests {
    use super::*;
    use kappa_topology::{Digraph, Options, analyze};

    #[test]
    fn the_seeds_worked_examples() {
        // κ = 1, 5 nodes, 200 tokens a node: 3 calls, 1,300 tokens in each, about 5,100 in all.
        let ring = Digraph::from_edges((0..5).map(|i| (i.to_string(), ((i + 1) % 5).to_string())));
        let one = estimate(&analyze(&ring.unwrap(), &Options::default()), 200).one_round;
        assert_eq!((one.calls, one.tokens_in, one.tokens()), (3, 3_900, 5_100));
        assert!((one.price(&Prices::default()) - 0.0297).abs() < 1e-12);
        // κ = 2, 10 nodes: the seed says 4 + 1 calls, its formula min(2 × 2, 3) + 1 = 4.
        let two_way = (0..10).flat_map(|i| {
            let next = (i + 1) % 10;
            [
                (i.to_string(), next.to_string()),
                (next.to_string(), i.to_string()),
            ]
        });
        let topology = analyze(&Digraph::from_edges(two_way).unwrap(), &Options::default());
        let two = estimate(&topology, 200);
        assert_eq!(two.one_round.calls, 4);
        assert_eq!(two.one_round.tokens_in / two.one_round.calls, 2_300);
        assert_eq!(two.all_rounds.calls, 12);
    }
}
