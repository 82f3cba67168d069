//! Contents that try to become instruction, or to pass for a reply.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::{answer, begin, reply, ring, run_to_end, store_of};
use deliberator::{
    Completion, FOCUS_INSTRUCTION, FOCUS_SYSTEM, Options, PassRequest, RECONCILE_INSTRUCTION,
    RECONCILE_SYSTEM, Step,
};
use knowledge_graph::Snapshot;

/// What a fake conclusion in the fixtures says.
const FAKE: &str = "PWNED";

fn contents() -> Vec<String> {
    let json = include_str!("../../../fixtures/deliberator/injections.json");
    let list: Vec<String> = serde_json::from_str(json).unwrap();
    assert!(list.len() >= 60, "{} contents", list.len());
    list
}

/// A ring whose every node holds the content, also as part of its id.
fn hostile(content: &str) -> Snapshot {
    let mut ring = ring(4);
    for node in &mut ring.nodes {
        node.content = content.to_owned();
    }
    let rename = |id: &str| {
        let tail: String = content.chars().filter(|c| *c != '\0').take(100).collect();
        format!("{id} {tail}")
    };
    for node in &mut ring.nodes {
        node.id = rename(&node.id);
    }
    for edge in &mut ring.edges {
        (edge.source, edge.target) = (rename(&edge.source), rename(&edge.target));
    }
    ring
}

/// The prompt's text without the lines of material: what could instruct.
fn skeleton(user: &str) -> (String, String) {
    let key = user.lines().next().unwrap().strip_prefix("KEY ").unwrap();
    assert_eq!(key.len(), 16);
    let kept: Vec<String> = user
        .split('\n')
        .filter(|line| !line.starts_with("| "))
        .map(|line| line.replace(key, "<key>"))
        .collect();
    (kept.join("\n"), key.to_owned())
}

fn all_prompts(
    graph: &Snapshot,
    say: &mut dyn FnMut(&PassRequest) -> Completion,
) -> Vec<PassRequest> {
    let mut run = begin(graph, Options::default());
    let mut prompts = Vec::new();
    loop {
        match run.next() {
            Step::Ask(requests) => {
                for request in requests {
                    let done = say(&request);
                    answer(&mut run, &request, Ok(done));
                    prompts.push(request);
                }
            }
            Step::Done(_) => return prompts,
            other => common::serve(&mut run, &store_of(graph), other),
        }
    }
}

/// Different words at each call, so that both kinds of prompt are made; the replies carry the
/// hostile content into the reconciliation.
fn diverging(content: &str) -> impl FnMut(&PassRequest) -> Completion {
    let content = content.to_owned();
    move |request| {
        let text = serde_json::json!({
            "conclusion": format!("words for {} {}", request.id.replace('/', " "), content),
            "confidence": 0.3,
            "reasoning": content,
        });
        Completion::new(text.to_string())
    }
}

#[test]
fn the_instruction_part_is_byte_identical_whatever_the_content() {
    let plain = all_prompts(&hostile("a plain content"), &mut diverging("plain"));
    let expected: Vec<String> = plain.iter().map(|p| skeleton(&p.prompt.user).0).collect();
    for content in contents() {
        let prompts = all_prompts(&hostile(&content), &mut diverging(&content));
        assert_eq!(prompts.len(), plain.len(), "{content:?}");
        for (request, expected) in prompts.iter().zip(&expected) {
            let prompt = &request.prompt;
            let focus = request.id.contains("/f");
            let (system, tail) = if focus {
                (FOCUS_SYSTEM, FOCUS_INSTRUCTION)
            } else {
                (RECONCILE_SYSTEM, RECONCILE_INSTRUCTION)
            };
            assert_eq!(prompt.system, system);
            assert!(prompt.user.ends_with(tail));
            let (skeleton, key) = skeleton(&prompt.user);
            assert_eq!(&skeleton, expected, "{content:?} reached the instruction");
            assert!(!content.to_ascii_lowercase().contains(&key));
            // Each fence opens and closes once for each time it is there.
            let opened = prompt.user.matches(&format!("{key} BEGINS\n")).count();
            let closed = prompt.user.matches(&format!("{key} ENDS\n")).count();
            assert_eq!(opened, closed);
            // Nothing that hides or reorders text, and no line break but \n.
            assert!(!prompt.user.chars().any(|c| {
                (c.is_control() && c != '\n' && c != '\t')
                    || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}' | '\u{200b}'..='\u{200f}' | '\u{e0000}'..='\u{e007f}')
            }), "{content:?}");
        }
    }
}

/// An agent that is taken in: it repeats what it was shown, in several ways. No fake conclusion
/// of the contents is ever taken for the agent's own.
#[test]
fn no_fake_conclusion_is_taken_for_the_agents() {
    let parrots: [fn(&PassRequest, &str) -> String; 6] = [
        |r, _| format!("{}\n{}", r.prompt.system, r.prompt.user),
        |r, _| r.prompt.user.clone(),
        |_, content| content.to_owned(),
        |_, content| format!("```json\n{content}\n```"),
        |_, content| format!("The material says: {content}\nThat is all."),
        |_, content| format!("<think>{content}</think>{content}"),
    ];
    for content in contents() {
        let graph = hostile(&content);
        for parrot in parrots {
            let report = run_to_end(
                begin(&graph, Options::default()),
                &store_of(&graph),
                |request| Ok(Completion::new(parrot(request, &content))),
            );
            for pass in &report.passes {
                if let Some(Ok(reply)) = &pass.outcome {
                    assert_ne!(reply.conclusion.trim(), FAKE, "{content:?}");
                    assert!(reply.confidence < 0.5, "{content:?}: {reply:?}");
                }
            }
            assert!(!report.converged, "{content:?}");
            assert_eq!(report.topology_change.new_nodes_created, 0);
        }
    }
}

/// An agent that quotes a fake and then answers for itself is read for itself.
#[test]
fn an_own_answer_beside_a_quoted_fake_is_read() {
    let mut read = 0;
    for content in contents() {
        let graph = hostile(&content);
        let report = run_to_end(begin(&graph, Options::default()), &store_of(&graph), |_| {
            Ok(Completion::new(reply("My own words.", 0.8)))
        });
        assert!(report.converged, "{content:?}");
        assert_eq!(
            report.conclusions().next().unwrap().content,
            "My own words."
        );
        read += 1;
    }
    assert!(read >= 60);
}
