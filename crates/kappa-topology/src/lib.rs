//! Strongly connected components and exact directed edge connectivity at every size, with fault lines, routing and budgets.
#![forbid(unsafe_code)]
#![deny(missing_docs)]
