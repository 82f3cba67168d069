//! Deliberation over circular regions of a graph: decompose, focus, reconcile, converge or escalate, crystallize.
#![forbid(unsafe_code)]
#![deny(missing_docs)]
