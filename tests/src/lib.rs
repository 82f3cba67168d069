//! Tests that need several of the crates at once. The Rust blocks of README and docs are the doctests
//! of this package; `tests/docs.rs` sees that no page is forgotten and runs all other blocks.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

/// Each page as the documentation of an item of its own, so that a failure names the page.
#[cfg(doctest)]
macro_rules! pages {
    ($($name:ident = $path:literal,)*) => {
        $(#[doc = include_str!($path)] pub const $name: () = ();)*
    };
}

#[cfg(doctest)]
#[allow(missing_docs, non_upper_case_globals)]
mod pages {
    pages! {
        docs_audit_report = "../../docs/audit-report.md",
        docs_claim_lattice = "../../docs/claim-lattice.md",
        docs_deliberator = "../../docs/deliberator.md",
        docs_evidence_store = "../../docs/evidence-store.md",
        docs_geodesic_retriever = "../../docs/geodesic-retriever.md",
        docs_grounded_answer = "../../docs/grounded-answer.md",
        docs_kappa_topology = "../../docs/kappa-topology.md",
        docs_knowledge_graph = "../../docs/knowledge-graph.md",
        docs_knowledge_loop = "../../docs/knowledge-loop.md",
        docs_language_agents = "../../docs/language-agents.md",
        docs_preflight = "../../docs/preflight.md",
        docs_run_dag = "../../docs/run-dag.md",
        docs_text_units = "../../docs/text-units.md",
        docs_wisdom_score = "../../docs/wisdom-score.md",
        crate_audit_report = "../../crates/audit-report/README.md",
        crate_claim_lattice = "../../crates/claim-lattice/README.md",
        crate_deliberator = "../../crates/deliberator/README.md",
        crate_evidence_store = "../../crates/evidence-store/README.md",
        crate_geodesic_retriever = "../../crates/geodesic-retriever/README.md",
        crate_grounded_answer = "../../crates/grounded-answer/README.md",
        crate_kappa_topology = "../../crates/kappa-topology/README.md",
        crate_knowledge_graph = "../../crates/knowledge-graph/README.md",
        crate_knowledge_loop = "../../crates/knowledge-loop/README.md",
        crate_language_agents = "../../crates/language-agents/README.md",
        crate_run_dag = "../../crates/run-dag/README.md",
        crate_text_units = "../../crates/text-units/README.md",
        crate_wisdom_score = "../../crates/wisdom-score/README.md",
    }
}
