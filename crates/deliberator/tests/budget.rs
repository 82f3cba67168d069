//! The budget under agents that do their worst.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::{answer, begin, graph, reply, serve, store_of};
use deliberator::{AgentError, Caps, Completion, Options, Step, estimate};
use language_agents::{FinishReason, token_bound};
use proptest::prelude::*;

/// What an agent may do to a pass.
#[derive(Debug, Clone)]
enum Deed {
    Agree(f64),
    Contradict(u8),
    Fail(u8),
    Echo,
    Garbage(String),
    Truncate,
    ReportNothing,
    ReportMost,
}

fn deeds() -> impl Strategy<Value = Deed> {
    prop_oneof![
        (0.0..=1.0).prop_map(Deed::Agree),
        any::<u8>().prop_map(Deed::Contradict),
        (0_u8..4).prop_map(Deed::Fail),
        Just(Deed::Echo),
        ".{0,80}".prop_map(Deed::Garbage),
        Just(Deed::Truncate),
        Just(Deed::ReportNothing),
        Just(Deed::ReportMost),
    ]
}

fn act(deed: &Deed, prompt: &language_agents::Prompt) -> Result<Completion, AgentError> {
    let bound = token_bound(prompt);
    let written = u64::from(prompt.max_tokens);
    let done = |text: String| Ok(Completion::new(text).with_tokens(7, 3));
    match deed {
        Deed::Agree(c) => done(reply("The loop sustains itself.", *c)),
        Deed::Contradict(n) => done(reply(&format!("claim w{n} x{} y", n / 2), 0.9)),
        Deed::Fail(0) => Err(AgentError::Timeout { after_ms: 1 }),
        Deed::Fail(1) => Err(AgentError::RateLimited {
            retry_after_ms: None,
        }),
        Deed::Fail(_) => Err(AgentError::Refused {
            reason: "no".into(),
        }),
        Deed::Echo => done(format!("{}{}", prompt.system, prompt.user)),
        Deed::Garbage(text) => done(text.clone()),
        Deed::Truncate => {
            Ok(Completion::new("{\"conclusion\":\"a").with_finish(FinishReason::Length))
        }
        Deed::ReportNothing => Ok(Completion::new(reply("quiet", 0.5))),
        Deed::ReportMost => {
            Ok(Completion::new(reply("loud", 0.5)).with_tokens(bound - written, written))
        }
    }
}

fn any_graph() -> impl Strategy<Value = knowledge_graph::Snapshot> {
    (2_usize..10).prop_flat_map(|n| {
        prop::collection::btree_set((0..n, 0..n), n..=3 * n)
            .prop_map(move |edges| graph(n, &edges.into_iter().collect::<Vec<_>>()))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Whatever the agent does and in whatever order passes end: calls and tokens stay within
    /// the caps at every moment, with all open calls counted at their most; rounds stay within
    /// the budget; and the run ends.
    #[test]
    fn the_budget_is_never_exceeded(
        graph in any_graph(),
        deeds in prop::collection::vec(deeds(), 1..40),
        picks in prop::collection::vec(any::<prop::sample::Index>(), 1..40),
        max_calls in 0_u64..40,
        max_tokens in 0_u64..120_000,
    ) {
        let options = Options { caps: Caps { max_calls, max_tokens }, ..Options::default() };
        let store = store_of(&graph);
        let mut run = begin(&graph, options);
        let topology = graph.topology().unwrap();
        let most = estimate(&topology, 0).all_rounds.calls;
        let (mut calls, mut spent, mut turn) = (0_u64, 0_u64, 0_usize);
        loop {
            match run.next() {
                Step::Done(report) => {
                    prop_assert_eq!(report.calls, calls);
                    for region in &report.regions {
                        let scc = topology.component(&region.scc_id).unwrap();
                        prop_assert!(region.rounds <= scc.deliberation_budget.max_iterations);
                    }
                    break;
                }
                Step::Ask(mut requests) => {
                    calls += requests.len() as u64;
                    let open: u64 = requests.iter().map(|r| token_bound(&r.prompt)).sum();
                    prop_assert!(calls <= max_calls.min(most), "{calls} calls");
                    prop_assert!(spent + open <= max_tokens, "{spent} + {open} tokens");
                    while !requests.is_empty() {
                        turn += 1;
                        let pick = picks[turn % picks.len()].index(requests.len());
                        let request = requests.remove(pick);
                        let result = act(&deeds[turn % deeds.len()], &request.prompt);
                        spent += match &result {
                            Ok(done) if done.tokens_in + done.tokens_out > 0 => done.tokens_in + done.tokens_out,
                            _ => token_bound(&request.prompt),
                        };
                        prop_assert!(spent <= max_tokens);
                        answer(&mut run, &request, result);
                    }
                }
                other => serve(&mut run, &store, other),
            }
        }
    }

    /// D8: what is asked and reported does not depend on who finishes first.
    #[test]
    fn the_order_of_completion_changes_nothing(
        graph in any_graph(),
        picks in prop::collection::vec(any::<prop::sample::Index>(), 1..30),
        salt in any::<u8>(),
    ) {
        let reply_to = |id: &str| {
            let n = id.bytes().fold(u32::from(salt), |h, b| h.wrapping_mul(31).wrapping_add(u32::from(b)));
            match n % 4 {
                0 => Err(AgentError::Timeout { after_ms: n.into() }),
                1 => Ok(Completion::new(reply(&format!("thing {}", n % 7), 0.9)).with_tokens(3, 4)),
                _ => Ok(Completion::new(reply("one and the same", f64::from(n % 100) / 99.0)).with_tokens(1, 2)),
            }
        };
        let options = Options { caps: Caps { max_calls: 12, max_tokens: 60_000 }, ..Options::default() };
        let in_order = common::run_to_end(begin(&graph, options.clone()), &store_of(&graph), |r| reply_to(&r.id));
        let store = store_of(&graph);
        let mut run = begin(&graph, options);
        let mut turn = 0;
        let shuffled = loop {
            match run.next() {
                Step::Done(report) => break *report,
                Step::Ask(mut requests) => while !requests.is_empty() {
                    turn += 1;
                    let request = requests.remove(picks[turn % picks.len()].index(requests.len()));
                    answer(&mut run, &request, reply_to(&request.id));
                },
                other => serve(&mut run, &store, other),
            }
        };
        prop_assert_eq!(serde_json::to_string(&shuffled).unwrap(), serde_json::to_string(&in_order).unwrap());
    }
}
