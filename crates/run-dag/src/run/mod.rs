//! Runs: sealing, reading, recomputing, comparing and proving them.

mod builder;
mod order;
mod read;
mod record;
mod replay;

pub use builder::{RunBuilder, StageId};
pub use record::{RECORD_FORMAT, RunRecord, Stage};
pub use replay::{Mismatch, Replay, replay};
