//! Runs: sealing, reading, recomputing, comparing and proving them.

mod builder;
mod diff;
mod order;
mod prove;
mod read;
mod record;
mod replay;

pub use builder::{RunBuilder, StageId};
pub use diff::{RunDiff, StageDiff, StageStatus, diff};
pub use prove::{
    EVIDENCE_PROOF_FORMAT, EvidenceProof, Proof, STAGE_PROOF_FORMAT, StageProof, prove,
    prove_evidence,
};
pub use record::{RECORD_FORMAT, RunRecord, Stage};
pub use replay::{Mismatch, Replay, replay};
