//! Own documents, an own agent, a sealed answer; `grounded-answer` is all it links.
#![allow(clippy::print_stdout)]
use std::sync::Arc;

use grounded_answer::geodesic_retriever::Document;
use grounded_answer::language_agents::{Completion, agent_fn};
use grounded_answer::{Answerer, model_profile};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let documents = vec![Document {
        id: "tower.txt".into(),
        title: "Tower".into(),
        text: "The tower by the river was built in 1931. It is 96 metres tall.".into(),
    }];
    // Your model: it gets the question with numbered passages and cites them by number.
    let agent = agent_fn(|_prompt| Ok(Completion::new("The tower was built in 1931. [E1]")));
    let answerer = Answerer::builder()
        .documents(documents)?
        .agent(Arc::new(agent), model_profile("my-model"))
        .build()?;
    let sealed = answerer.ask_blocking("When was the tower by the river built?")?;
    println!("{}\n{}", sealed.answer, sealed.audit_line);
    println!("run {}", sealed.run_dag_root);
    Ok(())
}
