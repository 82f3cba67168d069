//! Pages, their blocks, and a place to run them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub(crate) mod blocks;
pub(crate) mod shell;
pub(crate) mod unrun;
